"""Positions from which a match can start: a moment of a replay, or a state in a file."""

from __future__ import annotations

import json
import os.path
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec, Seeded, State
from arena.game.kinds import Document, Number
from arena.match.ending import counted
from arena.match.lookup import find_game, resolve_options
from arena.match.position import Parent, Position, ReplayPosition
from arena.study.replaying.course import Step, course
from arena.study.replaying.difference import first_difference
from arena.study.replaying.recorded import describe
from arena.text.reading import read_limited, refuse_utf16
from arena_replays import Reader, ReplayError
from arena_replays.documents import Entry
from arena_replays.legs import are_legs

__all__ = ["position_at"]

# Positions of a replay: find the state of the rules in a turn, after an action.


def state_at(replay: str | Path | Reader, turn: int, action: int = 0) -> State:
    reader = replay if isinstance(replay, Reader) else Reader(replay)
    return step_at(reader, turn, action).state


def step_at(reader: Reader, turn: int, action: int = 0) -> Step:
    """Return the step that leads to a position of a replay; see `state_at`."""
    return find(course(reader), reader, turn, action)


def find(steps: Iterator[Step], reader: Reader, turn: int, action: int) -> Step:
    """Return the step that leads to a position, and leave the steps after it in the iterator; see `state_at`."""
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
    message = f"{reader.where} has no turn {turn}"
    if begins is not None and begins > turn:
        problem = f"{message}: it begins with turn {begins}."
    elif last is not None and last < turn:
        problem = f"{message}: it ends with turn {last}."
    else:
        problem = f"Turn {turn} of {reader.where} has no position after {counted(action, 'action')}, only up to {most}."
    raise ArenaError(problem, exit_code=ExitCode.BAD_OPTION)


def file_of(at: ReplayPosition) -> Path:
    """Return the path of the replay that contains a position. A replay of the other leg is searched in its folder."""
    path = Path(at.replay)
    if at.leg is None:
        return path
    reader = Reader(path)
    if reader.header.get("leg", 0) == at.leg - 1:
        return path
    reader.known_seed()
    for sibling in sorted(path.parent.glob("*.arena")):
        candidate = _reader(sibling)
        if candidate is not None and candidate.header.get("leg", 0) == at.leg - 1 and are_legs(reader, candidate):
            return sibling
    raise ArenaError(f"There is no replay of leg {at.leg} beside {path}.", exit_code=ExitCode.BAD_OPTION)


def _reader(path: Path) -> Reader | None:
    try:
        return Reader(path)
    except ReplayError:
        return None


# The parent of a replay: the replay from a position of which the match started.


class ParentCheck(NamedTuple):
    """The result of comparing a replay with its parent, the replay from which the match starts.

    Attributes:
        status: "verified"; "differs"; "missing" if the parent was not found; "" if the match starts from no replay.
        problem: What differs; empty if nothing does.
        file: The parent; None if it was not found.
    """

    status: str = ""
    problem: str = ""
    file: Path | None = None


def check_parent(reader: Reader, parent: Path | None = None) -> ParentCheck:
    """Check that a replay starts with the position of its parent.

    Args:
        parent: The path of the parent; by default the file beside the replay that has the name in the replay's header.
    """
    named = Parent.from_document(reader.header.get("parent"))
    if named is None or not reader.truth or reader.truth[0][0] != "position":
        return ParentCheck()
    path = parent or beside(Path(reader.where), named)
    if path is None or not os.path.isfile(path):
        return ParentCheck("missing")
    try:
        parent_reader = Reader(path)
        if named.chain and (parent_reader.chain != named.chain or parent_reader.check()):
            return ParentCheck("differs", f"its parent {path} was changed, or is another match")
        state = step_at(parent_reader, named.turn, named.action).state
    except (ArenaError, ReplayError) as error:
        return ParentCheck("differs", f"its parent {path} has no such position: {error.message.rstrip('.')}")
    difference = first_difference(state.to_document(), reader.truth[0][1])
    if difference is not None:
        return ParentCheck("differs", f"its position is not that of its parent {path}: {difference}")
    return ParentCheck("verified", file=path)


def beside(path: Path, parent: Parent) -> Path | None:
    """Return the file beside another file that has the name of a parent; None if there is none.

    Only the name counts, and no link is followed: a file must not choose which other files are opened.
    """
    name = os.path.basename(parent.file)
    file = path.absolute().parent / name
    return file if os.path.isfile(file) and not file.is_symlink() else None


LARGEST = 16 * 2**20
"""The limit for the size of a file with a state or an opening book, in bytes. Chosen, not measured: far more than the
states of our games need, and little enough that a wrong file, such as a video, does not fill the memory."""


def read_position(
    reference: str,
    game: GameSpec | None = None,
    options: Mapping[str, Any] | None = None,
    *,
    same_dice: bool = False,
    moves: bool = False,
) -> Position:
    """Return the position that a reference names.

    Args:
        reference: ``REPLAY@TURN``, ``REPLAY@TURN.ACTION``, ``REPLAY@LEG:TURN``, or a JSON file. The file contains what
            ``arena replay info REPLAY@TURN --json`` prints, or only a document of `State.to_document`.
        options: Options of the game, for a file that contains only a state. Otherwise ignored.
    """
    at = ReplayPosition.parse(reference)
    if at is None:
        position = _of_file(Path(reference), game, options or {})
        if same_dice or moves:
            position = _with_future(position, reference, same_dice=same_dice, moves=moves)
    else:
        position = position_at(at, same_dice=same_dice, moves=moves)
    if game is not None and position.game != game.name:
        raise ArenaError(
            f"{reference} is a position of {position.game}, not of {game.name}.", exit_code=ExitCode.BAD_OPTION
        )
    return position


def read_positions(
    references: Iterable[str], game: GameSpec | None = None, options: Mapping[str, Any] | None = None
) -> list[Position]:
    """Return the positions of an opening book.

    Args:
        references: Positions as for `read_position`, and text files with one position on each line. The name of a JSON
            file must end in ``.json``. In a text file, empty lines and lines that begin with ``#`` are ignored, and
            paths are relative to the file's folder.
    """
    positions: list[Position] = []
    for reference in references:
        if ReplayPosition.parse(reference) is not None or reference.endswith(".json"):
            positions.append(read_position(reference, game, options))
            continue
        book = Path(reference)
        lines = [line.strip() for line in _text(book).splitlines()]
        lines = [line for line in lines if line and not line.startswith("#")]
        if not lines:
            raise ArenaError(f"{book} has no positions.", exit_code=ExitCode.BAD_OPTION)
        positions += [read_position(str(book.parent / line), game, options) for line in lines]
    return positions


def _with_future(position: Position, reference: str, *, same_dice: bool, moves: bool) -> Position:
    """Return a file's position together with the draws or actions that follow it in its parent replay."""
    parent = position.parent
    file = beside(Path(reference), parent) if parent else None
    if parent is None or file is None:
        raise ArenaError(
            f"{reference} does not name a replay beside it, so there is nothing to repeat.",
            hint="Name a position of a replay, REPLAY@TURN, or move the replay to the folder of this file.",
            exit_code=ExitCode.BAD_OPTION,
        )
    future = position_at(ReplayPosition(str(file), parent.turn, parent.action), same_dice=same_dice, moves=moves)
    if future.state != position.state:
        raise ArenaError(f"{reference} is not the position of {file}.", exit_code=ExitCode.BAD_OPTION)
    return future


def position_at(at: ReplayPosition, *, same_dice: bool = False, moves: bool = False) -> Position:
    """Return a position of a replay, as a match can start from it.

    Args:
        at: Where the position is.
        same_dice: Repeat the recorded draws that follow.
        moves: Return the recorded actions that follow, too.

    Raises:
        ArenaError: The replay has no such position, does not follow the rules, or the game is over there.
        ReplayError: The file is no replay, or is damaged.
    """
    path = file_of(at)
    reader = Reader(path)
    steps = course(reader)
    step = find(steps, reader, at.turn, at.action)
    if not step.state.to_move():
        raise ArenaError(f"The game is over at {path}@{at.turn}.{at.action}.", exit_code=ExitCode.BAD_OPTION)
    header = reader.header
    first = step.state.turn_number() - step.turn + 1
    return Position(
        game=header.get("game", ""),
        version=header.get("version", ""),
        options=step.state.options.to_document(),
        state=step.state.to_document(),
        turn=step.turn,
        first=first,
        parent=Parent(reader.chain if reader.ended else "", step.turn, step.action, str(path.absolute())),
        dice=tuple(_draws(reader.truth[step.entries :])) if same_dice else (),
        moves=tuple(_moves(steps, step.turn, first)) if moves else (),
    )


def _draws(truth: Iterable[Entry]) -> Iterator[Number]:
    for entry in truth:
        if entry[0] in ("do", "leave"):
            yield from entry[-1]


def _moves(steps: Iterator[Step], turn: int, first: int) -> Iterator[tuple[int, int, Document]]:
    for step in steps:
        if step.entry[0] == "do":
            yield step.entry[1], turn + first - 1, step.entry[2]
        turn = step.turn


def _of_file(path: Path, game: GameSpec | None, options: Mapping[str, Any]) -> Position:
    document = _json(path)
    match document:
        case {"game": str(name), "options": dict(options_of_file), "state": dict(state)}:  # from `arena replay info`
            spec = find_game(name)
            parent = Parent.from_document(document.get("parent"))
        case _:
            if game is None:
                raise ArenaError(f"{path} does not name its game.", exit_code=ExitCode.BAD_OPTION)
            spec, options_of_file, state, parent = game, dict(options), document, None
    resolved = resolve_options(spec, options_of_file)
    try:
        loaded = spec.load(state, resolved)
        over = not loaded.to_move()
        canonical = loaded.to_document()
        number = loaded.turn_number()
    except Exception as error:  # the document can be anything, so the game can raise anything
        raise ArenaError(
            f"{path} is not a state of {spec.name}: {describe(error)}.", exit_code=ExitCode.BAD_OPTION
        ) from None
    if over:
        raise ArenaError(f"The game is over in {path}.", exit_code=ExitCode.BAD_OPTION)
    first = spec.start(resolved, Seeded(0)).turn_number()
    return Position(spec.name, spec.version, resolved.to_document(), canonical, number - first + 1, first, parent)


def _json(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(_text(path))
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise ArenaError(
            f"{path} is not a JSON object.",
            hint="To start from a replay, add the turn: REPLAY@TURN.",
            exit_code=ExitCode.BAD_OPTION,
        )
    return document


def _text(path: Path) -> str:
    try:
        data = read_limited(path, LARGEST)
        refuse_utf16(data)
        return data.decode("utf-8-sig", "replace")
    except ValueError as error:
        raise ArenaError(
            f"The position {path} cannot be read: it is {error}.",
            hint="To start from a replay, add the turn: REPLAY@TURN.",
            exit_code=ExitCode.BAD_OPTION,
        ) from None
    except OSError as error:
        raise ArenaError(
            f"The position {path} cannot be read: {(error.strerror or str(error)).lower()}.",
            hint="Write REPLAY@TURN, REPLAY@TURN.ACTION, or a file.",
            exit_code=ExitCode.BAD_OPTION,
        ) from None
