"""Replays against the rules: every action, draw, view and digest must come out as recorded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.checks.difference import first_difference, show
from arena.checks.recorded import Disagreement, accept, disagree, refuse, resolve_options, set_up
from arena.errors import ArenaError, ExitCode
from arena.game import Document, GameSpec, Scripted, State, View
from arena.game.action import LEAVE, UNKNOWN_KEY
from arena.game.data import Number
from arena.game.leaving import FORFEIT, outcome_of
from arena.lookup import find_game
from arena_replays import DamagedReplay, Reader
from arena_replays.documents import Entry, Footer, Header
from arena_replays.frames import Frame


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of verifying a replay.

    Attributes:
        ok: Everything came out as recorded.
        turns: How many turns were played.
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


class _Replayed:
    """Plays the truth of one replay through the rules.

    Attributes:
        state: Where the game stands.
        turn: The number of the turn that is being played.
        turns: How many turns were completed.
        actions: How many actions were carried out.
        left: The turn in which each player left.
    """

    def __init__(self, game: GameSpec, header: Header, truth: list[Entry]) -> None:
        if not truth or truth[0][0] != "setup":
            raise Disagreement("set-up", "nothing", "a position")
        self.state: State = set_up(game, resolve_options(game, header.get("options", {})), Scripted(truth[0][1]))
        self.turn = self.state.turn_number()
        self.turns = self.actions = 0
        self.left: dict[int, int] = {}
        self._counted: int | None = None
        self._truth = truth[1:]

    def steps(self) -> Iterator[int]:
        """Carry out entry after entry; yield the mark of each accepted action, before its journal is forgotten."""
        for entry in self._truth:
            kind = entry[0]
            if kind == "do":
                yield self._do(entry[1], entry[2], entry[3])
                self.state.commit()
                self.actions += 1
            elif kind == "leave":
                self.left[entry[1]] = self.state.turn_number()
                yield self._do(entry[1], LEAVE, entry[2])
                self.state.commit()
            elif kind == "refuse" and type(entry[2]) is not str:  # text stands for an action too long to record
                self._refuse(entry[1], entry[2], entry[3])
            elif kind == "turn":
                self.turn = entry[1]
                disagree(first_difference(entry[6].hex(), self.state.digest()[:16], "digest"))
                self.turns += entry[1] != self._counted  # a turn may have parts of several players
                self._counted = entry[1]
                self.turn = self.state.turn_number()

    def _do(self, player: int, action: Document, draws: list[Number]) -> int:
        with _naming(player, action):
            return accept(self.state, player, action, draws, Scripted(draws))

    def _refuse(self, player: int, action: Document, code: str) -> None:
        with _naming(player, action):
            if code == UNKNOWN_KEY and self.state.plan().decoder.unknown_key(action) is not None:
                return  # the referee refuses this, and the rules never see it
            disagree(first_difference(code, refuse(self.state, player, action), "error"))


@contextmanager
def _naming(player: int, action: Document) -> Iterator[None]:
    """Name the action in a disagreement about it."""
    try:
        yield
    except Disagreement as error:
        place = f"{show(action)} of player {player}, {error.field}"
        raise Disagreement(place, error.expected, error.found) from None


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
    damage = [] if reader.truncated else [*([reader.problem] if reader.problem else []), *reader.check()]
    found = ""
    try:
        replayed = _Replayed(game, reader.header, reader.truth)
        for index, mark in enumerate(replayed.steps(), 1):
            if not reader.header.get("stripped"):
                _compare_views(reader, replayed.state, index, mark)
        if "truth" not in reader.left_out:
            _compare_end(reader, replayed)
    except Disagreement as difference:
        found = str(difference)
    if problem := found or "".join(damage[:1]):
        turn = None if replayed is None else replayed.turn
        done = (0, 0) if replayed is None else (replayed.turns, replayed.actions)
        return Verification(False, *done, not reader.truncated, turn, problem)
    assert replayed is not None
    cut = "truth" in reader.left_out
    complete = not reader.truncated and not cut
    notice = reader.notice.rstrip(".") if cut else reader.problem
    return Verification(True, replayed.turns, replayed.actions, complete, None, notice)


def _compare_views(reader: Reader, state: State, index: int, mark: int) -> None:
    for stream in range(reader.streams):
        if index >= reader.frame_count(stream):
            continue  # the file was cut off before
        delta, events = reader.frame(index, stream)
        player = None if stream == 0 else stream - 1
        where = f"after action {index}, {'the spectators' if player is None else f'player {player}'}"
        disagree(first_difference(_meaning(delta), _meaning(state.delta(mark, player)), f"{where}: view"))
        disagree(first_difference(events, state.events(mark, player), f"{where}: events"))


def _meaning(delta: View) -> dict[str, Any]:
    """Return what came and went, in order, and the fields set: their order has no meaning, and differed in 0.1.0."""
    triples = list(zip(delta[0::3], delta[1::3], delta[2::3], strict=False))
    return {
        "length": len(delta),
        "objects": [triple for triple in triples if triple[1] in ("+", "-")],
        "fields": {f"{id_}.{name}": value for id_, name, value in triples if name not in ("+", "-")},
    }


def _compare_end(reader: Reader, replayed: _Replayed) -> None:
    state = replayed.state
    footer = reader.footer
    if footer is None:
        return
    disagree(first_difference(footer.get("digest"), state.digest(), "final digest"))
    outcome = outcome_of(state, replayed.left, len(reader.header.get("players", ())))
    recorded = footer.get("outcome")
    if outcome is not None:
        disagree(first_difference(recorded, outcome.to_document(), "outcome"))
    elif recorded is not None and recorded["reason"] != FORFEIT and not footer.get("trouble") and not _is_void(footer):
        raise Disagreement("outcome", show(recorded), "no end of the game")


def _is_void(footer: Footer) -> bool:
    return any(player.get("ending") == "void" for player in footer.get("players", ()))


def rebuild(header: Header, truth: list[Entry]) -> tuple[Header, list[list[Frame]]]:
    """Make the views and the schema of a replay anew from its truth (the replayer of `arena_replays.expand`).

    Raises:
        ArenaError: The truth does not fit the rules.
    """
    game = game_of(header)
    try:
        replayed = _Replayed(game, header, truth)
        state = replayed.state
        seats = game.players_in(state.options) if state.hides_information() else 0
        players: list[int | None] = [None, *range(seats)]
        views: list[list[Frame]] = [[(state.view(player), [])] for player in players]
        for mark in replayed.steps():
            for view, player in zip(views, players, strict=True):
                view.append((state.delta(mark, player), state.events(mark, player)))
    except Disagreement as difference:
        raise ArenaError(f"the replay does not fit the rules: {difference}", exit_code=ExitCode.DIFFERENCE) from None
    return {"schema": game.schema(), "streams": len(views)}, views


def game_of(header: Header) -> GameSpec:
    """Return the installed game that a replay was played with.

    Raises:
        ArenaError: It is not installed, or in another version.
    """
    game = find_game(header.get("game", ""))
    if header.get("version") != game.version:
        raise ArenaError(
            f"the replay was played with {game.name} {header.get('version')}, installed is {game.version}",
            hint="Install the version that it was played with.",
            exit_code=ExitCode.UNKNOWN_GAME,
        )
    return game
