"""Replay the recorded actions of a replay with the rules."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from arena.checks.difference import first_difference, show
from arena.checks.recorded import Disagreement, accept, ask, disagree, refuse, resolve_options, set_up
from arena.errors import ArenaError, ExitCode
from arena.game import Document, GameSpec, OptionValues, Scripted, State
from arena.game.action import LEAVE, UNKNOWN_KEY
from arena.game.data import Number
from arena.match.lookup import find_game
from arena_replays.documents import Entry, Header


class Replayed:
    """Plays the entries of one replay with the rules.

    Attributes:
        state: The current state.
        turn: The number that the game gives to the current turn.
        turns: Number of completed turns.
        actions: Number of actions carried out.
        left: Maps a player to the game's number of the turn in which the player left.
        first_turn: The number that the game gives to the first turn.
        entries: Number of entries carried out, including the set-up.

    Raises:
        Disagreement: The rules do not accept the options, the set-up or the position at the start.
    """

    def __init__(self, game: GameSpec, header: Header, truth: list[Entry]) -> None:
        if not truth or truth[0][0] not in ("setup", "position"):
            raise Disagreement("set-up", "nothing", "a position")
        self.state: State = _start(game, resolve_options(game, header.get("options", {})), *truth[0])
        self.turn = self.state.turn_number()
        self.first_turn: int = header.get("start", {}).get("first", self.turn)
        self.turns = self.actions = 0
        self.left: dict[int, int] = {}
        self.entries = 1
        self._counted: int | None = None
        self._truth = truth[1:]

    def steps(self) -> Iterator[int]:
        """Carry out all entries.

        Yields:
            For each accepted action and each leave that was carried out: the mark of the state before it.

        Raises:
            Disagreement: The rules give another result than was recorded.
        """
        for entry in self._truth:
            kind = entry[0]
            self.entries += 1
            if kind == "do":
                yield self._do(entry[1], entry[2], entry[3])
                self.state.commit()
                self.actions += 1
            elif kind == "leave":
                self.left[entry[1]] = self.state.turn_number()
                yield self._do(entry[1], LEAVE, entry[2])
                self.state.commit()
            elif kind == "refuse" and type(entry[2]) is not str:  # actions that were too long are recorded as a text
                self._refuse(entry[1], entry[2], entry[3])
            elif kind == "turn":
                self.turn = entry[1]
                disagree(first_difference(entry[6].hex(), self.state.digest()[:16], "digest"))
                self.turns += entry[1] != self._counted  # several entries can belong to one turn
                self._counted = entry[1]
                self.turn = self.state.turn_number()

    def _do(self, player: int, action: Document, draws: list[Number]) -> int:
        with _naming(player, action):
            return accept(self.state, player, action, draws, Scripted(draws))

    def _refuse(self, player: int, action: Document, code: str) -> None:
        with _naming(player, action):
            if code == UNKNOWN_KEY and self.state.plan().decoder.unknown_key(action) is not None:
                return  # the referee refused this action, so it never reached the rules
            disagree(first_difference(code, refuse(self.state, player, action), "error"))


def _start(game: GameSpec, options: OptionValues, kind: str, content: Any) -> State:
    """Return the state at the start: set up with the recorded draws, or loaded from the recorded position."""
    if kind == "setup":
        return set_up(game, options, Scripted(content))
    return ask("position", lambda: game.load(content, options), content)


@contextmanager
def _naming(player: int, action: Document) -> Iterator[None]:
    """Add the action to the message of a `Disagreement`."""
    try:
        yield
    except Disagreement as error:
        place = f"{show(action)} of player {player}, {error.field}"
        raise Disagreement(place, error.expected, error.found) from None


def game_of(header: Header) -> GameSpec:
    """Return the installed game that a replay was played with.

    Raises:
        ArenaError: The game is not installed in the version of the replay.
    """
    game = find_game(header.get("game", ""))
    if header.get("version") != game.version:
        raise ArenaError(
            f"the replay was played with {game.name} {header.get('version')}, installed is {game.version}",
            hint="Install the version that it was played with.",
            exit_code=ExitCode.UNKNOWN_GAME,
        )
    return game
