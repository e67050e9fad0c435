"""Export a contest to a folder: pages, tables for programs, and pages and pictures of replays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from arena.contests.journal.files import make_private, replay_defect
from arena.contests.report.page import Links, match_pages, page_of
from arena.contests.report.rows import tables_of
from arena.contests.report.visible_contest import VisibleContest
from arena.contests.report.writers import write_folder
from arena.contests.stages.series import Match, in_order
from arena.contests.values import KINDS
from arena.match.spec import MatchSpec
from arena.pages.pictures import pack_stills
from arena_replays import ReplayError
from arena_replays.files import replace_file
from arena_replays.page import Renderer

_STILLS: Final = 40
"""How many positions are in one file. A page loads a file when the first of its pictures comes near the window: 40
pictures are some screens, so that scrolling does not wait, and a reader of the first matches does not load all."""


@dataclass(frozen=True, slots=True)
class ReplayPages:
    """How replays become pages and pictures.

    Attributes:
        write: Writes one page for all legs of a match, or moves an existing one. Arguments: the replays of the legs,
            the path of the page, and the match's place (see `arena_replays.export.export_sharing`).
        still: Returns the last position of a replay as msgpack, for the module `arena/stills` of the viewer.
        renderer: The game's renderer; None for the default one.
        folder: The name of the folder with the pages.
        rules: The address of the rules of the game; empty if they are not written.
    """

    write: Callable[[list[Path], Path, Mapping[str, Any]], None]
    still: Callable[[Path], bytes]
    renderer: Renderer | None
    folder: str = "matches"
    rules: str = ""


def export(
    contest: VisibleContest,
    folder: Path,
    out: Path,
    replays: ReplayPages | None,
    report: Callable[[str], None] = lambda _message: None,
    *,
    private: bool = False,
) -> list[Path]:
    """Write the pages of a contest, and the tables for programs.

    Args:
        replays: How to write pages and pictures of replays; None to write none.
        private: Whether to include the last output of the bots, which is for the organizer only.

    Returns:
        The paths of the files, except those of replays.
    """
    out.mkdir(parents=True, exist_ok=True)
    if private:
        make_private(out)
    links = _replays(contest, folder, out, replays, report, private=private) if replays else Links()
    first = page_of(contest, links, private=private)
    pages = {"index.html": first, **match_pages(contest, links)}
    for name, text in pages.items():
        replace_file(out / name, text.encode(), sync=False)
    return [*(out / name for name in pages), *write_folder(tables_of(contest, private=private), out / "data")]


def _replays(
    contest: VisibleContest,
    folder: Path,
    out: Path,
    replays: ReplayPages,
    report: Callable[[str], None],
    *,
    private: bool,
) -> Links:
    """Write pages and pictures of the matches whose seed is spent. Return their addresses."""
    (out / replays.folder).mkdir(exist_ok=True)
    games, titles = [*_games(contest, folder, report, private=private)], contest.titles
    linked = [{"title": titles.of(spec), "url": f"{'-'.join(legs)}.html"} for spec, legs in games]
    crumb = {"title": contest.state.settings.name, "url": "../index.html"}
    pages: dict[str, str] = {}
    for index, (spec, legs) in enumerate(games):
        address = f"{replays.folder}/{linked[index]['url']}"
        before, after = linked[index - 1] if index else None, linked[index + 1] if index + 1 < len(games) else None
        place = {"crumbs": [crumb], "name": titles.place(spec), "previous": before, "next": after}
        replays.write([*legs.values()], out / address, place)
        for number, match_id in enumerate(legs, 1):
            pages[match_id] = address if len(legs) == 1 else f"{address}#leg={number}"
    paths = {match_id: path for _, legs in games for match_id, path in legs.items()}
    order = [spec.match_id for spec, _ in contest.matches() if spec.match_id in paths]
    stills = _stills({match_id: paths[match_id] for match_id in order}, out, replays.still)
    return Links(pages, dict(stills), replays.renderer, replays.rules)


def _games(
    contest: VisibleContest, folder: Path, report: Callable[[str], None], *, private: bool
) -> Iterator[tuple[MatchSpec, dict[str, Path]]]:
    """Yield the games that can be shown, in the order of the schedule: the first leg, and the replays of all legs."""
    for game in in_order(contest.matches(), [*contest.stages, *KINDS], contest.state.settings.rules.legs):
        if not all(contest.seed_is_spent(spec) for spec, _ in game):
            continue  # the page would show what the players of a further match must not know
        if not private and not all(contest.state.has_public_replay(spec) for spec, _ in game):
            continue
        legs = _intact(game, folder, report)
        if legs:
            yield game[0][0], legs


def _intact(game: Iterable[Match], folder: Path, report: Callable[[str], None]) -> dict[str, Path]:
    """Return the existing, unchanged replays of a game, by match id. Report missing and changed replays."""
    legs: dict[str, Path] = {}
    for spec, result in game:
        if not result.replay:
            continue
        replay = folder / result.replay
        if wrong := replay_defect(replay, result.replay_hash):
            report(f"The replay {replay} {wrong}; the match has no page.")
        else:
            legs[spec.match_id] = replay
    return legs


def _stills(replays: Mapping[str, Path], out: Path, still: Callable[[Path], bytes]) -> Iterator[tuple[str, str]]:
    """Write the last positions of matches into files. Yield the addresses by match id."""
    (out / "stills").mkdir(exist_ok=True)
    every = list(replays.items())
    for number, first in enumerate(range(0, len(every), _STILLS), 1):
        name = f"stills/{number}.js"
        packed: list[bytes] = []
        for match_id, path in every[first : first + _STILLS]:
            with suppress(ReplayError):
                packed.append(still(path))
                yield match_id, f"{name}#{len(packed) - 1}"
        replace_file(out / name, pack_stills(name, packed).encode(), sync=False)
