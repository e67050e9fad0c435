"""A replay as one page that opens from a file, without a network; and inside a notebook."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arena_replays.errors import CannotWrite
from arena_replays.page import page
from arena_replays.reader import Reader
from arena_replays.writer import replace


def html_of(match: str | Path | Sequence[str | Path], renderer_source: str | None = None) -> str:
    """The page of a match.

    Args:
        match: The replay, or those of its two legs; truncated and damaged ones are shown as far as they go.
        renderer_source: Source of the game's renderer module; None draws the game with the default one.

    Raises:
        ReplayError: The replay cannot be read.
    """
    legs = [match] if isinstance(match, str | Path) else match
    for path in legs:
        Reader(path)  # Its errors name the file; those of the bytes alone could not.
    return _page_of([Path(path).read_bytes() for path in legs], renderer_source)


def _page_of(replays: Sequence[bytes], renderer_source: str | None) -> str:
    return page(replays, renderer_source, title_of(Reader(replays[0]), len(replays)))


def export_html(match: str | Path | Sequence[str | Path], out: str | Path, renderer_source: str | None = None) -> None:
    """Writes the page of a match: of one replay, or of those of its two legs.

    Raises:
        ReplayError: The replay cannot be read, or the result cannot be written.
    """
    _write(html_of(match, renderer_source), out)


def export_bytes(replays: Sequence[bytes], out: str | Path, renderer_source: str | None = None) -> None:
    """Writes the page of a match whose replays are no files, such as copies without what bots logged.

    Raises:
        ReplayError: The replay cannot be read, or the result cannot be written.
    """
    _write(_page_of(replays, renderer_source), out)


def _write(text: str, out: str | Path) -> None:
    try:
        replace(Path(out), text.encode())
    except OSError as error:
        raise CannotWrite(f"{out} cannot be written: {(error.strerror or str(error)).lower()}.") from None


def title_of(reader: Reader, legs: int = 1) -> str:
    """What to call a match in one line, by its first replay."""
    players = reader.header.get("players")
    names = [_name(player) for player in players] if isinstance(players, list) else []
    title = str(reader.header.get("title") or reader.header.get("game") or "Replay")[:60]
    title = f"{title}: {' – '.join(name[:40] for name in names[:8])}" if names else title
    return f"{title}, {legs} legs" if legs > 1 else title


def _name(player: Any) -> str:
    name = player.get("name") if isinstance(player, dict) else player
    return name if isinstance(name, str) else "?"


class Shown:
    """A replay that a notebook displays inline."""

    def __init__(self, text: str, height: int) -> None:
        self.text = text
        self.height = height

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{html.escape(self.text)}" sandbox="allow-scripts" '
            f'style="width:100%;height:{self.height}px;border:0;border-radius:12px"></iframe>'
        )


def show(match: str | Path | Sequence[str | Path], renderer_source: str | None = None, height: int = 720) -> Shown:
    """Shows a replay in a notebook: put this in the last line of a cell.

    Args:
        match: The replay, or those of its two legs.
        renderer_source: Source of the game's renderer module; None draws the game with the default one.
        height: In pixels.

    Raises:
        ReplayError: The replay cannot be read.
    """
    return Shown(html_of(match, renderer_source), int(height))
