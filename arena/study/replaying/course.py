"""The course of a recorded match: the rules carry out its entries, one after another.

Everything that needs positions of a record stands on `Course`: the analysis, and traces, whose lines are converted to
entries first. Verification plays the match again instead (`arena.study.checks.rematch`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from arena.errors import ArenaError, ExitCode
from arena.game import Document, Draw, GameSpec, OptionValues, Scripted, State
from arena.game.action import LEAVE, UNKNOWN_KEY
from arena.match.lookup import find_game
from arena.study.replaying.difference import NOTHING, first_difference, show
from arena.study.replaying.recorded import Disagreement, accept, ask, disagree, refuse, resolve_options, set_up
from arena_replays import Reader
from arena_replays.documents import FRAMED, Entry, Header

__all__ = ["Course", "Disagreement", "Step", "accept", "course", "game_of"]
FIRST = ("setup", "position")
"""The kinds of the first entry of a record."""


class Step(NamedTuple):
    """One entry of a record that was carried out."""

    entry: Entry
    entries: int
    turn: int
    action: int
    frame: int
    state: State
    draws: Sequence[Draw] = ()


class Course:
    """Carries out the entries of a record. Iterate over it once; it yields a `Step` for each entry.

    Leaving a game for more than two players counts as an action.

    Args:
        state: The state after the first entry, the set-up or the position.
        truth: All entries. They are taken one by one, so they can come from a file that is being read.
        first: The number that the game gives to the first turn; None for the number in the state.
        by_referee: Whether a referee recorded the match. A referee refuses some actions before they reach the rules.

    Attributes:
        left: Maps a player to the game's number of the turn in which the player left.
    """

    def __init__(
        self,
        state: State,
        truth: Iterable[Entry],
        first: int | None = None,
        *,
        script: Callable[[list[Any]], Scripted] = Scripted,
        by_referee: bool = True,
    ) -> None:
        self.state = state
        self.first_turn = state.turn_number() if first is None else first
        self.turn = 0
        self.entries = 0
        self.left: dict[int, int] = {}
        self._truth = truth
        self._script = script
        self._by_referee = by_referee

    @classmethod
    def of(cls, game: GameSpec, header: Header, truth: Sequence[Entry]) -> Course:
        """Return the course of a match from the beginning of its record.

        Args:
            game: The game.
            header: The header of its replay.
            truth: All entries, or only the first one for the state at the start.

        Raises:
            Disagreement: The record has no start, or the rules do not accept it.
        """
        if not truth or truth[0][0] not in FIRST:
            raise Disagreement("set-up", "nothing", "a position")
        state = _start(game, resolve_options(game, header.get("options", {})), *truth[0])
        return cls(state, truth, header.get("start", {}).get("first"))

    def __iter__(self) -> Iterator[Step]:
        state = self.state
        turn, action, frame = ask("turn", self._turn), 0, 0
        for entry in self._truth:
            self.entries += 1
            self.turn = turn
            draws = self._carry_out(entry)
            if draws is None:
                yield Step(entry, self.entries, turn, action, frame, state)
                continue
            number = self._turn()
            turn, action, frame = number, action + 1 if number == turn else 0, frame + 1
            yield Step(entry, self.entries, turn, action, frame, state, draws)
            state.commit()

    def _turn(self) -> int:
        return self.state.turn_number() - self.first_turn + 1

    def _carry_out(self, entry: Entry) -> list[Draw] | None:
        """Carry out an entry. If it is an action, return its draws."""
        try:
            return self._ask_rules(entry)
        except Disagreement as error:
            if entry[0] != "turn":
                action = LEAVE if entry[0] == "leave" else entry[2]
                error.action = f"{show(action)} of player {entry[1]}"
            raise

    def _ask_rules(self, entry: Entry) -> list[Draw] | None:
        kind = entry[0]
        if kind == "do":
            return self._act(entry[1], entry[2], entry[3])
        if kind == "leave":
            self.left[entry[1]] = self.state.turn_number()
            return self._act(entry[1], LEAVE, entry[2])
        if kind == "refuse" and not (self._by_referee and self._never_reached_rules(entry)):
            code = refuse(self.state, entry[1], entry[2])
            if entry[3] is not NOTHING:
                disagree(first_difference(entry[3], code, "error"))
        elif kind == "turn":
            self.turn = entry[1] - self.first_turn + 1
            if entry[6]:  # a large state is not digested in every turn
                disagree(first_difference(entry[6].hex(), self.state.digest()[:16], "digest"))
        return None

    def _act(self, player: int, action: Document, recorded: list[Any]) -> list[Draw]:
        chance = ask("draws", lambda: self._script(recorded), recorded)
        accept(self.state, player, action, recorded, chance)
        return chance.draws

    def _never_reached_rules(self, entry: Entry) -> bool:
        """Return whether the referee refused an action: it has an unknown key, or was too long and became a text."""
        _, _, action, code, *_ = entry
        unknown = code == UNKNOWN_KEY and self.state.plan().decoder.unknown_key(action) is not None
        return type(action) is str or unknown


def course(reader: Reader) -> Iterator[Step]:
    """Play a replay with the rules. Yield its start, and the step after each accepted action and each leave."""
    game = game_of(reader.header)
    try:
        yield from (step for step in Course.of(game, reader.header, reader.truth) if step.entry[0] in FRAMED)
    except Disagreement as difference:
        raise ArenaError(
            f"{reader.where} does not follow the rules: {difference}.", exit_code=ExitCode.DIFFERENCE
        ) from None


def game_of(header: Header) -> GameSpec:
    """Return the game of a replay.

    Raises:
        ArenaError: It is not installed, or has another version.
    """
    game = find_game(header.get("game", ""))
    if header.get("version") != game.version:
        raise ArenaError(
            f"the replay was played with {game.name} {header.get('version')}, installed is {game.version}",
            hint="Install the version that it was played with.",
            exit_code=ExitCode.UNKNOWN_GAME,
        )
    return game


def _start(game: GameSpec, options: OptionValues, kind: str, content: Any) -> State:
    """Return the state at the start: set up with the recorded draws, or loaded from the recorded position."""
    if kind == "setup":
        return set_up(game, options, Scripted(content))
    return ask("position", lambda: game.load(content, options), content)
