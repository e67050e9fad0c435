"""Running a replay's truth through the rules: does every action, draw and digest come out as recorded?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec, IllegalAction, Scripted, ScriptError, State
from arena.lookup import find_game
from arena_replays import DamagedReplay, Reader


@dataclass(frozen=True, slots=True)
class Verification:
    """What a verification found.

    Attributes:
        ok: Everything came out as recorded.
        turns: How many turns were played through.
        actions: How many actions.
        complete: The file has an end; False for the replay of a match that was cut off.
        turn: The number of the first turn that differs; None if none does.
        problem: What differs there, or where the file is cut off, in one sentence; empty if nothing is wrong.
    """

    ok: bool
    turns: int
    actions: int
    complete: bool
    turn: int | None
    problem: str


class _Difference(Exception):  # noqa: N818 - carries a finding up to `verify`
    pass


class _Replayed:
    """Plays the truth of one replay through the rules.

    Attributes:
        state: Where the game stands.
        turn: The number of the turn that is being played.
        turns: How many turns were completed.
        actions: How many actions were carried out.
    """

    def __init__(self, game: GameSpec, header: dict[str, Any], truth: list[list[Any]]) -> None:
        if not truth or truth[0][0] != "setup":
            raise _Difference("the replay has no set-up")
        draws = Scripted(truth[0][1])
        try:
            self.state: State = game.start(header["options"], draws)
        except (ScriptError, ValueError) as error:
            raise _Difference(f"the set-up cannot be repeated: {error}") from None
        if draws.left:
            raise _Difference(f"the set-up used {draws.left} draws fewer than recorded")
        self.turn = self.state.turn_number()
        self.turns = self.actions = 0
        self._counted: int | None = None
        self._truth = truth[1:]

    def steps(self) -> Iterator[int]:
        """Carry out entry after entry; yields the mark of each accepted action, before its journal is forgotten."""
        for entry in self._truth:
            kind = entry[0]
            if kind == "do":
                yield self._do(entry[1], entry[2], entry[3])
                self.state.commit()
            elif kind == "refuse" and type(entry[2]) is not str:  # text stands for an action too long to record
                self._refuse(entry[1], entry[2], entry[3])
            elif kind == "turn":
                self.turn = entry[1]
                self._check_digest(entry[6])
                self.turns += entry[1] != self._counted  # a turn may have parts of several players
                self._counted = entry[1]
                self.turn = self.state.turn_number()

    def _do(self, player: int, action: Any, draws: list[Any]) -> int:
        script = Scripted(draws)
        try:
            mark = self.state.push(player, action, script)
        except IllegalAction as refusal:
            raise _Difference(f"the rules refuse {action} of player {player}: {refusal}") from None
        except ScriptError as error:
            raise _Difference(f"{action} of player {player}: {error}") from None
        if script.left:
            raise _Difference(f"{action} of player {player} used {script.left} draws fewer than recorded")
        self.actions += 1
        return mark

    def _refuse(self, player: int, action: Any, code: str) -> None:
        try:
            mark = self.state.push(player, action)
        except IllegalAction as refusal:
            if refusal.code != code:
                raise _Difference(
                    f"{action} of player {player} is refused with {refusal.code}, recorded is {code}"
                ) from None
        except ScriptError:
            raise _Difference(f"the rules accept {action} of player {player}, which was refused ({code})") from None
        else:
            self.state.pop(mark)
            raise _Difference(f"the rules accept {action} of player {player}, which was refused ({code})")

    def _check_digest(self, recorded: bytes) -> None:
        digest = self.state.digest()[:16]
        if digest != recorded.hex():
            raise _Difference(f"the state at its end has the digest {digest}, recorded is {recorded.hex()}")


def verify(path: str | Path) -> Verification:
    """Check a replay against the rules of its game.

    Raises:
        ReplayError: The file is no replay or too damaged to read.
        ArenaError: The game is not installed, or in another version.
    """
    reader = Reader(path)
    game = game_of(reader.header)
    if reader.problem and not reader.truth:
        raise DamagedReplay(f"{path} is a damaged replay: {reader.problem}; nothing before that can be verified.")
    replayed: _Replayed | None = None
    try:
        damage = [] if reader.truncated else [*([reader.problem] if reader.problem else []), *reader.check()]
        replayed = _Replayed(game, reader.header, reader.truth)
        for index, mark in enumerate(replayed.steps(), 1):
            if not reader.header.get("stripped"):
                _compare_views(reader, replayed.state, index, mark)
        if "truth" not in reader.left_out:
            _compare_end(reader, replayed.state)
        if damage:
            raise _Difference(damage[0])
    except _Difference as difference:
        turn = None if replayed is None else replayed.turn
        done = (0, 0) if replayed is None else (replayed.turns, replayed.actions)
        return Verification(False, *done, not reader.truncated, turn, str(difference))
    cut = "truth" in reader.left_out
    complete = not reader.truncated and not cut
    problem = reader.notice.rstrip(".") if cut else reader.problem
    return Verification(True, replayed.turns, replayed.actions, complete, None, problem)


def _compare_views(reader: Reader, state: State, index: int, mark: int) -> None:
    for stream in range(reader.streams):
        if index >= reader.frame_count(stream):
            continue  # the file was cut off before
        delta, events = reader.frame(index, stream)
        player = None if stream == 0 else stream - 1
        if _meaning(delta) != _meaning(_plain(state.delta(mark, player))):
            raise _Difference(f"the view of {_name(stream)} after action {index} is not what the rules give")
        if list(events) != _plain(state.events(mark, player)):
            raise _Difference(f"the events for {_name(stream)} after action {index} are not what the rules give")


def _meaning(delta: Sequence[Any]) -> tuple[int, list[Any], dict[tuple[str, str], Any]]:
    """Return what came and went, in order, and the fields set: their order has no meaning, and differed in 0.1.0."""
    triples = list(zip(delta[0::3], delta[1::3], delta[2::3], strict=False))
    moves = [triple for triple in triples if triple[1] in ("+", "-")]
    fields = {triple[:2]: triple[2] for triple in triples if triple[1] not in ("+", "-")}
    return len(delta), moves, fields


def _name(stream: int) -> str:
    return "the spectators" if stream == 0 else f"player {stream - 1}"


def _plain(value: Any) -> Any:
    """Turn tuples into lists, as the file has them."""
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def _compare_end(reader: Reader, state: State) -> None:
    footer = reader.footer
    if footer is None:
        return
    if footer.get("digest") != state.digest():
        raise _Difference("the final state has another digest than recorded")
    outcome = state.outcome()
    recorded = footer.get("outcome")
    if outcome is not None and recorded != outcome.to_document():
        raise _Difference(f"the outcome is {outcome.to_document()}, recorded is {recorded}")
    if outcome is None and recorded is not None and recorded.get("reason") != "forfeit" and not footer.get("trouble"):
        raise _Difference(f"the game is not over, recorded is {recorded}")


def rebuild(header: dict[str, Any], truth: list[list[Any]]) -> tuple[dict[str, Any], list[list[Any]]]:
    """Make the views and the schema of a replay anew from its truth (the replayer of `arena_replays.expand`).

    Raises:
        ArenaError: The truth does not fit the rules.
    """
    game = game_of(header)
    try:
        replayed = _Replayed(game, header, truth)
        state = replayed.state
        players: list[int | None] = [None, *(range(game.players) if state.hides_information() else ())]
        views: list[list[Any]] = [[(state.view(player), [])] for player in players]
        for mark in replayed.steps():
            for view, player in zip(views, players, strict=True):
                view.append((state.delta(mark, player), state.events(mark, player)))
    except _Difference as difference:
        raise ArenaError(f"the replay does not fit the rules: {difference}", exit_code=ExitCode.DIFFERENCE) from None
    return {"schema": game.schema(), "streams": len(views)}, views


def game_of(header: dict[str, Any]) -> GameSpec:
    """Return the installed game that a replay was played with.

    Raises:
        ArenaError: It is not installed, or in another version.
    """
    game = find_game(str(header.get("game", "")))
    if header.get("version") != game.version:
        raise ArenaError(
            f"the replay was played with {game.name} {header.get('version')}, installed is {game.version}",
            hint="Install the version that it was played with.",
            exit_code=ExitCode.UNKNOWN_GAME,
        )
    return game
