"""Export a replay as one HTML page that needs no network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from arena_replays.errors import CannotWrite
from arena_replays.files import replace_file
from arena_replays.page import Common, Renderer, page, placed, viewer_script
from arena_replays.picture import picture
from arena_replays.reader import Reader


def html_of(
    match: str | Path | Sequence[str | Path],
    renderer_source: Renderer | str | None = None,
    explained: Sequence[dict[str, Any]] = (),
) -> str:
    """Return the page of a match.

    Args:
        match: The replay, or the replays of both legs. Damaged replays are shown up to the damage.
        renderer_source: The game's renderer, or the source of its single module; None for the default renderer.
        explained: The result of `arena explain` for each replay; empty if no replay was explained.

    Raises:
        ReplayError: The replay cannot be read.
    """
    legs = [match] if isinstance(match, str | Path) else match
    for path in legs:
        Reader(path)  # check the file here: errors of `page` would not name it
    replays = [Path(path).read_bytes() for path in legs]
    return page(replays, renderer_source, headline_of(replays), explained=explained)


def export_html(
    match: str | Path | Sequence[str | Path],
    out: str | Path,
    renderer_source: Renderer | str | None = None,
    explained: Sequence[dict[str, Any]] = (),
) -> None:
    """Write the page of a match: one replay, or the replays of both legs. See `html_of`.

    Raises:
        ReplayError: The replay cannot be read, or the result cannot be written.
    """
    write_page(html_of(match, renderer_source, explained), out)


def export_sharing(
    replays: Sequence[bytes],
    out: str | Path,
    renderer_source: Renderer | str | None = None,
    common: Common | None = None,
    place: Mapping[str, Any] = MappingProxyType({}),
    coach: str = "",
) -> None:
    """Write the page of a match from the bytes of its replays. The viewer and a picture are files beside the page.

    All pages in the folder share this viewer file. An existing file is kept.

    Args:
        replays: The replay, or the replays of both legs.
        out: The path of the page.
        renderer_source: The game's renderer, or the source of its single module; None for the default renderer.
        common: The data that replays of several pages share. It is in another file beside the page.
        place: Where the match belongs: ``crumbs``, the title and address of each page above it, its ``name`` there,
            and title and address of the ``previous`` and the ``next`` match.
        coach: See `arena_replays.page.page`.

    Raises:
        ReplayError: The replay cannot be read, or the result cannot be written.
    """
    viewer = viewer_script(renderer_source)
    for name, text in (viewer, (common.name, common.text)) if common else (viewer,):
        if not Path(out).with_name(name).exists():
            write_page(text, Path(out).with_name(name))
    image = Path(out).with_suffix(".png")
    _write(picture(Reader(replays[-1])), image)
    title = headline_of(replays)
    text = page(replays, renderer_source, title, viewer[0], common, place=place, coach=coach, image=image.name)
    write_page(text, out)


def move_page(out: str | Path, place: Mapping[str, Any]) -> None:
    """Give the page of a match another place among the pages; see `export_sharing`.

    Raises:
        CannotWrite: The file cannot be written.
    """
    before = Path(out).read_text(encoding="utf-8")
    after = placed(before, place)
    if after != before:
        write_page(after, out)


def write_page(text: str, out: str | Path) -> None:
    """Write a page.

    Raises:
        CannotWrite: The file cannot be written.
    """
    _write(text.encode(), out)


def _write(data: bytes, out: str | Path) -> None:
    try:
        replace_file(Path(out), data)
    except OSError as error:
        raise CannotWrite(f"{out} cannot be written: {(error.strerror or str(error)).lower()}.") from None


def title_of(reader: Reader, legs: int = 1) -> str:
    """Return a title for a match in one line, from its first replay."""
    names = [player["name"] for player in reader.header.get("players", ())]
    title = (reader.header.get("title") or reader.header.get("game") or "Replay")[:60]
    title = f"{title}: {' – '.join(name[:40] for name in names[:8])}" if names else title
    return f"{title}, {legs} legs" if legs > 1 else title


def headline_of(replays: Sequence[str | Path | bytes]) -> str:
    """Return the title of a match, and in brackets who won: in both legs, if it has two.

    Args:
        replays: The replay, or the replays of both legs.

    Raises:
        ReplayError: A replay cannot be read.
    """
    readers = [Reader(replay) for replay in replays]
    results = [result_of(reader) for reader in readers]
    if len(set(results)) > 1:
        results = [f"leg {number}: {result or 'not finished'}" for number, result in enumerate(results, 1)]
    said = ", ".join(dict.fromkeys(filter(None, results)))
    title = title_of(readers[0], len(readers))
    return f"{title} ({said})" if said else title


def result_of(reader: Reader) -> str:
    """Return who won, such as ``Ann wins``; empty without an outcome."""
    footer, outcome = reader.footer, reader.outcome
    if footer is None or outcome is None:
        return ""
    players = footer.get("players") or reader.header.get("players", [])
    if any(player.get("ending") == "void" for player in players):
        return "no result"
    if "common" in outcome:
        return f"together {outcome['common']:g}"
    ranks, winner = outcome.get("ranks") or [], outcome["winner"]
    best = [seat for seat, rank in enumerate(ranks) if rank == 1] if winner is None else [winner]
    names = [players[seat].get("name", "")[:40] for seat in best if 0 <= seat < len(players)]
    if not names or len(names) == len(players):
        return "a draw"
    return f"{', '.join(names)} {'wins' if len(names) == 1 else 'win'}"
