"""The decisions of a replay: what the player saw, what was legal, what was chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.errors import ArenaError, ExitCode
from arena.game import LEAVE, Document, IllegalAction, Outcome, Scripted
from arena.study.replaying.course import Course, Disagreement, accept, game_of
from arena_learn.spaces.layout import Layout
from arena_learn.spaces.making import layout_of
from arena_learn.spaces.rewards import outcome_reward
from arena_learn.spaces.watch import Watch
from arena_replays import Reader
from arena_replays.documents import Header


@dataclass(slots=True)
class Decision:
    """One action that a player submitted.

    Attributes:
        seat: The player.
        turn: The game's number of the turn.
        observation: What the player saw.
        legal: The numbers of the legal actions.
        action: The number of the action; -1 if it has none.
        refused: The code of the refusal; empty if the action was carried out.
        cut_off: How many legal actions had no number.
        inputs: What the caller took from the player's view at that moment.
        wall: The wall time of the whole turn in seconds; None if the turn was not finished.
        cpu: The processor time of the whole turn in seconds.
        bank: What was left of the time for the whole match after the turn; None without such a limit.
    """

    seat: int
    turn: int
    observation: NDArray[np.float32]
    legal: NDArray[np.int32]
    action: int
    refused: str
    cut_off: int
    inputs: Any = None
    wall: float | None = None
    cpu: float | None = None
    bank: float | None = None


@dataclass(slots=True)
class Recorded:
    """A replay whose decisions can be read.

    Attributes:
        path: The file.
        reader: Its reader.
        layout: The layout of its observations and actions.
    """

    path: Path
    reader: Reader
    layout: Layout

    @classmethod
    def of(cls, path: Path) -> Recorded:
        """Read a replay, and make the layout of its game and options.

        Raises:
            ArenaError: The rules are not installed, or have another version; or the match has no result.
            ReplayError: The file is no replay, or is damaged.
        """
        reader = Reader(path)
        try:
            game = game_of(reader.header)
        except ArenaError as error:
            message = error.message[0].lower() + error.message[1:].rstrip(".")
            raise ArenaError(f"{path}: {message}.", hint=error.hint, exit_code=error.exit_code) from None
        if reader.header["schema"]["hash"] != game.schema()["hash"]:
            raise ArenaError(
                f"{path}: the match was played with other rules of {game.name} than those installed, under the same "
                f"version {game.version}.",
                hint="Install the rules that it was played with.",
                exit_code=ExitCode.UNKNOWN_GAME,
            )
        ends = () if reader.footer is None or reader.outcome is None else reader.footer["players"]
        if not ends or any(end.get("ending") == "void" for end in ends):
            raise ArenaError(
                f"{path}: the match has no result, so its decisions have no outcome.",
                hint="Leave this file out.",
                exit_code=ExitCode.DAMAGED_REPLAY,
            )
        return cls(path, reader, layout_of(game, **reader.header["options"]))

    @property
    def hash(self) -> str:
        """The hash of the whole file."""
        return self.reader.chain

    def rewards(self) -> list[float]:
        """Return what the outcome is worth to each player, as in the environments."""
        outcome = self._outcome()
        return [outcome_reward(outcome, player) for player in range(self.layout.players)]

    def points(self) -> list[float]:
        """Return each player's points, as in tables."""
        outcome = self._outcome()
        return [outcome.points(player) for player in range(self.layout.players)]

    def _outcome(self) -> Outcome:
        assert self.reader.outcome is not None
        return Outcome.from_document(self.reader.outcome)

    def decisions(
        self, watch: Watch, wanted: Callable[[int], bool], take: Callable[[int], Any] = lambda _: None
    ) -> Iterator[Decision]:
        """Play the match again, and yield the decisions of some seats.

        What the referee does in the place of a player whose part has ended is no decision.

        Args:
            watch: Follows the match.
            wanted: Which seats' decisions are wanted.
            take: Called with the seat at each decision, for `Decision.inputs`. Decisions come at the end of their turn.

        Raises:
            ArenaError: The replay does not follow the rules.
        """
        try:
            yield from self._decisions(watch, wanted, take)
        except (Disagreement, IllegalAction) as error:
            raise ArenaError(
                f"{self.path} does not follow the rules: {error}.", exit_code=ExitCode.DIFFERENCE
            ) from None

    def _decisions(self, watch: Watch, wanted: Callable[[int], bool], take: Callable[[int], Any]) -> Iterator[Decision]:
        header: Header = self.reader.header
        truth = iter(self.reader.truth)
        first = next(truth)
        state = Course.of(game_of(header), header, [first]).state
        watch.start(state)
        ended: set[int] = set()
        pending: dict[int, list[Decision]] = {}
        for entry in truth:
            kind = entry[0]
            if kind in ("do", "refuse"):
                player = entry[1]
                if wanted(player) and player not in ended:
                    code = entry[3] if kind == "refuse" else ""
                    pending.setdefault(player, []).extend(self._decide(watch, player, entry[2], code, take))
                if kind == "do":
                    accept(state, player, entry[2], entry[3], Scripted(entry[3]))
            elif kind == "leave":
                accept(state, entry[1], LEAVE, entry[2], Scripted(entry[2]))
            elif kind == "seat" and not entry[4]:
                ended.add(entry[1])
            elif kind == "turn":
                for decision in pending.pop(entry[2], ()):
                    decision.wall, decision.cpu, decision.bank = entry[3], entry[4], entry[5]
                    yield decision
        for left in pending.values():
            yield from left
        for player in range(self.layout.players):
            watch.sync(player)

    def _decide(
        self, watch: Watch, player: int, action: Document | str, code: str, take: Callable[[int], Any]
    ) -> Iterator[Decision]:
        """Yield the decision, or that for each order of a list and for its end."""
        watch.ask(player)
        actions = watch.actions[player]
        cut_off = actions.cut_off
        numbers = actions.numbers(action) if isinstance(action, dict) else ()
        if len(numbers) > 1 and code:
            numbers = ()  # which order was wrong is not recorded
        for number in numbers or (-1,):
            legal = actions.legal
            yield Decision(
                player,
                watch.state.turn_number(),
                watch.trackers[player].numbers.copy(),
                np.fromiter(sorted(legal), np.int32, len(legal)),
                number,
                code,
                cut_off,
                take(player),
            )
            cut_off = 0
            if len(numbers) > 1:
                if number not in legal:
                    return
                actions.take(number)
