"""Positions: carry out the actions of a replay with the rules up to a place, or read a state from a file."""

from __future__ import annotations

import json
import os.path
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from arena.checks.difference import first_difference
from arena.checks.recorded import Disagreement, describe
from arena.checks.replayed import Replayed, game_of
from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec, Seeded, State
from arena.game.data import Document, Number
from arena.match.lookup import find_game, resolve_options
from arena.match.position import Parent, Position, ReplayPlace
from arena.match.wording import counted
from arena_replays import Reader, ReplayError
from arena_replays.legs import are_legs

BRANCHES = ".branches"
"""The ending of the folder with the branches of a replay, which is beside the replay."""
LARGEST = 16 * 2**20
"""The limit for the size of a file with a state or an opening book, in bytes."""


class Moment(NamedTuple):
    """A moment of a recorded match: its start, or just after an action.

    Attributes:
        turn: The number of the turn, from 1.
        action: Number of actions of this turn that were carried out.
        entry: The number of recorded entries (`Reader.truth`) up to here.
        frame: The number of the frame in the views.
        state: The state of the rules. It changes as the replay goes on; clone it to keep it.
    """

    turn: int
    action: int
    entry: int
    frame: int
    state: State


def moments(reader: Reader) -> Iterator[Moment]:
    """Play a replay with the rules, and yield its start and the moment after each accepted action.

    Leaving a game for more than two players counts as an action.

    Raises:
        ArenaError: The game is not installed, or the replay does not follow the rules.
    """
    game = game_of(reader.header)
    try:
        replayed = Replayed(game, reader.header, reader.truth)
        first, state = replayed.first_turn, replayed.state
        turn, action = state.turn_number() - first + 1, 0
        yield Moment(turn, action, 1, 0, state)
        for frame, _ in enumerate(replayed.steps(), 1):
            number = state.turn_number() - first + 1
            turn, action = number, action + 1 if number == turn else 0
            yield Moment(turn, action, replayed.entries, frame, state)
    except Disagreement as difference:
        raise ArenaError(
            f"{reader.where} does not follow the rules: {difference}.", exit_code=ExitCode.DIFFERENCE
        ) from None


def state_at(replay: str | Path | Reader, turn: int, action: int = 0) -> State:
    """Return the state of the rules at a place of a replay.

    Args:
        replay: The replay.
        turn: The number of the turn, from 1.
        action: The number of actions of this turn before the place.

    Raises:
        ReplayError: The file is not a replay.
        ArenaError: The replay has no such place, does not follow the rules, or its game is not installed.
    """
    reader = replay if isinstance(replay, Reader) else Reader(replay)
    return moment_at(reader, turn, action).state


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
        game: The game that is played; None for any game.
        options: Options of the game, for a file that contains only a state. Otherwise ignored.
        same_dice: Whether to keep the later draws of the replay.
        moves: Whether to keep the later actions of the replay, for a seat that repeats them.

    Raises:
        ReplayError: The file is not a replay.
        ArenaError: There is no such position, the game is over in it, or the position is of another game.
    """
    place = ReplayPlace.parse(reference)
    if place is None:
        position = _of_file(Path(reference), game, options or {})
        if same_dice or moves:
            position = _with_future(position, reference, same_dice=same_dice, moves=moves)
    else:
        position = position_at(place, same_dice=same_dice, moves=moves)
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
        game: The game that is played; None for any game.
        options: As for `read_position`.

    Raises:
        ReplayError: A file is no replay.
        ArenaError: A text file has no positions, or `read_position` raises this error.
    """
    positions: list[Position] = []
    for reference in references:
        if ReplayPlace.parse(reference) is not None or reference.endswith(".json"):
            positions.append(read_position(reference, game, options))
            continue
        book = Path(reference)
        lines = [line.strip() for line in _text(book).splitlines()]
        found = [str(book.parent / line) for line in lines if line and not line.startswith("#")]
        if not found:
            raise ArenaError(f"{book} has no positions.", exit_code=ExitCode.BAD_OPTION)
        positions += [read_position(line, game, options) for line in found]
    return positions


def _with_future(position: Position, reference: str, *, same_dice: bool, moves: bool) -> Position:
    """Return a file's position together with the draws or actions that follow it in its parent replay."""
    parent = position.parent
    file = _beside(Path(reference), parent) if parent else None
    if parent is None or file is None:
        raise ArenaError(
            f"{reference} does not name a replay beside it, so there is nothing to repeat.",
            hint="Name a position of a replay, REPLAY@TURN, or move the replay to the folder of this file.",
            exit_code=ExitCode.BAD_OPTION,
        )
    found = position_at(ReplayPlace(str(file), parent.turn, parent.action), same_dice=same_dice, moves=moves)
    if found.state != position.state:
        raise ArenaError(f"{reference} is not the position of {file}.", exit_code=ExitCode.BAD_OPTION)
    return found


def position_at(place: ReplayPlace, *, same_dice: bool = False, moves: bool = False) -> Position:
    """Return the position at a place of a replay; see `read_position`."""
    path = file_of(place)
    reader = Reader(path)
    course = moments(reader)
    moment = _find(course, reader, place.turn, place.action)
    if not moment.state.to_move():
        raise ArenaError(f"The game is over at {path}@{place.turn}.{place.action}.", exit_code=ExitCode.BAD_OPTION)
    header = reader.header
    first = moment.state.turn_number() - moment.turn + 1
    return Position(
        game=header.get("game", ""),
        version=header.get("version", ""),
        options=moment.state.options.to_document(),
        state=moment.state.to_document(),
        turn=moment.turn,
        first=first,
        parent=Parent("" if reader.truncated else reader.chain, moment.turn, moment.action, str(path.absolute())),
        dice=tuple(_draws(reader.truth[moment.entry :])) if same_dice else (),
        moves=tuple(_moves(course, reader, moment.turn, first)) if moves else (),
    )


def _draws(truth: list[list[Any]]) -> Iterator[Number]:
    for entry in truth:
        if entry[0] in ("do", "leave"):
            yield from entry[-1]


def _moves(course: Iterator[Moment], reader: Reader, turn: int, first: int) -> Iterator[tuple[int, int, Document]]:
    for moment in course:
        entry = reader.truth[moment.entry - 1]
        if entry[0] == "do":
            yield entry[1], turn + first - 1, entry[2]
        turn = moment.turn


class ParentCheck(NamedTuple):
    """The result of comparing a replay with its parent, the replay from which the match starts.

    Attributes:
        known: "verified"; "differs"; "missing" if the parent was not found; "" if the match starts from no replay.
        problem: What differs; empty if nothing does.
    """

    known: str = ""
    problem: str = ""


def check_parent(reader: Reader, parent: Path | None = None) -> ParentCheck:
    """Check that a replay starts with the position of its parent.

    Args:
        reader: The replay.
        parent: The path of the parent; by default the file beside the replay that has the name in the replay's header.
    """
    named = Parent.from_document(reader.header.get("parent"))
    if named is None or not reader.truth or reader.truth[0][0] != "position":
        return ParentCheck()
    path = parent or _beside(Path(reader.where), named)
    if path is None or not os.path.isfile(path):
        return ParentCheck("missing")
    try:
        found = Reader(path)
        if named.chain and (found.chain != named.chain or found.check()):
            return ParentCheck("differs", f"its parent {path} was changed, or is another match")
        state = moment_at(found, named.turn, named.action).state
    except (ArenaError, ReplayError) as error:
        return ParentCheck("differs", f"its parent {path} has no such position: {error.message.rstrip('.')}")
    difference = first_difference(state.to_document(), reader.truth[0][1])
    if difference is not None:
        return ParentCheck("differs", f"its position is not that of its parent {path}: {difference}")
    return ParentCheck("verified")


def _beside(path: Path, parent: Parent) -> Path | None:
    """Return the file beside another file that has the name of a parent; None if there is none.

    Only the name counts, and no link is followed: a file must not choose which other files are opened. The replay
    `NAME.arena` is also found from the folder of its branches, `NAME.branches`, which is beside it.
    """
    name = os.path.basename(parent.file)
    tree = path.absolute().parent
    folders = [tree, *([tree.parent] if tree.name == f"{Path(name).stem}{BRANCHES}" else [])]
    found = (folder / name for folder in folders if name)
    return next((file for file in found if os.path.isfile(file) and not file.is_symlink()), None)


def moment_at(reader: Reader, turn: int, action: int = 0) -> Moment:
    """Return the moment at a place of a replay; see `state_at`."""
    return _find(moments(reader), reader, turn, action)


def _find(course: Iterator[Moment], reader: Reader, turn: int, action: int) -> Moment:
    begins = last = None
    most = 0
    for moment in course:
        if (moment.turn, moment.action) == (turn, action):
            return moment
        begins = begins or moment.turn
        last = moment.turn
        if last > turn:
            break
        if last == turn:
            most = moment.action
    where = f"{reader.where} has no turn {turn}"
    if begins is not None and begins > turn:
        problem = f"{where}: it begins with turn {begins}."
    elif last is not None and last < turn:
        problem = f"{where}: it ends with turn {last}."
    else:
        problem = f"Turn {turn} of {reader.where} has no position after {counted(action, 'action')}, only up to {most}."
    raise ArenaError(problem, exit_code=ExitCode.BAD_OPTION)


def file_of(place: ReplayPlace) -> Path:
    """Return the path of the replay that contains a place. For the other leg, search the folder of the named file.

    Raises:
        ReplayError: The place has a leg, and the named file is no replay, or has no seed by which to find the leg.
        ArenaError: The folder has no replay of the other leg.
    """
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


def _of_file(path: Path, game: GameSpec | None, options: Mapping[str, Any]) -> Position:
    """Return the position of a JSON file."""
    document = _json(path)
    match document:
        case {"game": str(name), "options": dict(given), "state": dict(state)}:  # from `arena replay info`
            spec = find_game(name)
            parent = Parent.from_document(document.get("parent"))
        case _:
            if game is None:
                raise ArenaError(f"{path} does not name its game.", exit_code=ExitCode.BAD_OPTION)
            spec, given, state, parent = game, dict(options), document, None
    resolved = resolve_options(spec, given)
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
        if path.stat().st_size > LARGEST:
            raise ArenaError(f"{path} is larger than {LARGEST // 2**20} MiB.", exit_code=ExitCode.BAD_OPTION)
        return path.read_bytes().decode("utf-8", "replace")
    except OSError as error:
        raise ArenaError(
            f"The position {path} cannot be read: {(error.strerror or str(error)).lower()}.",
            hint="Write REPLAY@TURN, REPLAY@TURN.ACTION, or a file.",
            exit_code=ExitCode.BAD_OPTION,
        ) from None
