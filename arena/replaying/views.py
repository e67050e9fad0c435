"""The views of stripped replays, which the rules compute again."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Sequence
from itertools import tee
from operator import itemgetter
from pathlib import Path

from arena.errors import ArenaError, ExitCode
from arena.replaying.course import Course, game_of
from arena.replaying.recorded import Disagreement
from arena_replays import Reader, expand
from arena_replays.documents import FRAMED, Entry, Frame, Header


def rebuild(header: Header, truth: Sequence[Entry]) -> tuple[Header, list[Iterator[Frame]]]:
    """Rebuild the views and the schema of a replay from its recorded actions (for `arena_replays.expand`).

    Returns:
        The keys `schema` and `streams` of the header, and the frames of each view. Take them side by side: the rules
        are carried out meanwhile.
    """
    game = game_of(header)
    with _as_error():
        steps = Course.of(game, header, truth)
    seats = game.players_in(steps.state.options) if steps.state.hides_information() else 0
    frames = tee(_frames(steps, (None, *range(seats))), seats + 1)
    views: list[Iterator[Frame]] = [map(itemgetter(at), found) for at, found in enumerate(frames)]
    return {"schema": game.schema(), "streams": len(views)}, views


def _frames(steps: Course, players: tuple[int | None, ...]) -> Iterator[list[Frame]]:
    """Yield the frames of all views at once."""
    with _as_error():
        for step in steps:
            if step.entry[0] in FRAMED:
                yield step.updates(players)


@contextlib.contextmanager
def _as_error() -> Iterator[None]:
    try:
        yield
    except Disagreement as difference:
        raise ArenaError(f"the replay does not fit the rules: {difference}", exit_code=ExitCode.DIFFERENCE) from None


def with_views(path: Path, folder: Path) -> Path:
    """Return the path of a replay with views. If the given replay is stripped, return a copy with views.

    Args:
        folder: The folder for the copy. An existing copy is used again if the given replay has not changed.
    """
    if not Reader(path).header.get("stripped"):
        return path
    status = path.stat()
    copy = folder / f"{abs(hash((path.resolve(), status.st_mtime_ns, status.st_size)))}" / path.name
    if not copy.exists():
        copy.parent.mkdir(exist_ok=True)
        expand(path, copy, rebuild)
    return copy


@contextlib.contextmanager
def all_with_views(paths: Sequence[Path]) -> Iterator[list[Path]]:
    """Yield the paths of replays with views. Copies (see `with_views`) exist as long as the context lasts."""
    with tempfile.TemporaryDirectory(prefix="arena-view-") as folder:
        yield [with_views(path, Path(folder)) for path in paths]
