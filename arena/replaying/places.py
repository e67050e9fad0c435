"""Places of a replay: find the state of the rules in a turn, after an action."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from arena.errors import ArenaError, ExitCode
from arena.game import State
from arena.match.position import ReplayPlace
from arena.match.wording import counted
from arena.replaying.course import Step, course
from arena_replays import Reader, ReplayError
from arena_replays.legs import are_legs


def state_at(replay: str | Path | Reader, turn: int, action: int = 0) -> State:
    reader = replay if isinstance(replay, Reader) else Reader(replay)
    return step_at(reader, turn, action).state


def step_at(reader: Reader, turn: int, action: int = 0) -> Step:
    """Return the step that leads to a place of a replay; see `state_at`."""
    return find(course(reader), reader, turn, action)


def find(steps: Iterator[Step], reader: Reader, turn: int, action: int) -> Step:
    """Return the step that leads to a place, and leave the steps after it in the iterator; see `state_at`."""
    begins = last = None
    most = 0
    for step in steps:
        if (step.turn, step.action) == (turn, action):
            return step
        begins = begins or step.turn
        last = step.turn
        if last > turn:
            break
        if last == turn:
            most = step.action
    where = f"{reader.where} has no turn {turn}"
    if begins is not None and begins > turn:
        problem = f"{where}: it begins with turn {begins}."
    elif last is not None and last < turn:
        problem = f"{where}: it ends with turn {last}."
    else:
        problem = f"Turn {turn} of {reader.where} has no position after {counted(action, 'action')}, only up to {most}."
    raise ArenaError(problem, exit_code=ExitCode.BAD_OPTION)


def file_of(place: ReplayPlace) -> Path:
    """Return the path of the replay that contains a place. For the other leg, search the folder of the named file."""
    path = Path(place.replay)
    if place.leg is None:
        return path
    reader = Reader(path)
    if reader.header.get("leg", 0) == place.leg - 1:
        return path
    reader.known_seed()
    for other in sorted(path.parent.glob("*.arena")):
        found = _reader(other)
        if found is not None and found.header.get("leg", 0) == place.leg - 1 and are_legs(reader, found):
            return other
    raise ArenaError(f"There is no replay of leg {place.leg} beside {path}.", exit_code=ExitCode.BAD_OPTION)


def _reader(path: Path) -> Reader | None:
    try:
        return Reader(path)
    except ReplayError:
        return None
