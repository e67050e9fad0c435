"""The explanation of a match: win probabilities, compared decisions, and the effect of the dice."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from arena.analysis.curve import Curve
from arena.analysis.estimates import Estimate
from arena.analysis.playouts import Result
from arena.analysis.probability import win_estimate
from arena.analysis.recorded_match import Part, RecordedMatch
from arena.game import Document

CONFIDENCE = 0.95


@dataclass(slots=True)
class Decision:
    """A part of the match, and what a built-in bot would have done.

    Attributes:
        screening: For each pair of playouts, the player's share of the win after the bot's actions, minus the share
            after the recorded ones. These values are used only to choose candidates.
        done: The results after the recorded actions, with fresh seeds.
        instead: The results after the bot's actions, with the same seeds.
    """

    part: Part
    bot: str
    actions: list[Document]
    screening: list[float] = field(default_factory=list)
    done: list[Result] = field(default_factory=list)
    instead: list[Result] = field(default_factory=list)

    @property
    def pairs(self) -> list[tuple[Result, Result]]:
        """For each seed: the result after the recorded actions, and the result after the bot's actions."""
        return list(zip(self.done, self.instead, strict=True))

    @property
    def differences(self) -> list[float]:
        """For each pair: the player's share in the result `instead`, minus the share in the result `done`."""
        player = self.part.player
        return [instead[player] - done[player] for done, instead in self.pairs]


class Explanation:
    """The results so far about a match.

    Attributes:
        adviser: The strongest built-in bot that chooses fast enough; possibly `bot` itself. The choices of `bot` and
            `adviser` are compared with the recorded ones.
        samples: Maps the index of a part to the results of playouts from the state before the part. The index after the
            last part stands for the end of the match.
        known: For each player, a map like `samples` for playouts from states that agree with what the player had seen.
        decisions: For each judged player, the compared parts. Candidates for turning points come first.
        luck: Maps the index of a part to pairs of results: after new draws, and after the recorded draws.
        differences: What was different about the players who did not win; see `arena.analysis.differences`.
        stage: What is being computed; empty at the end.
    """

    def __init__(self, match: RecordedMatch) -> None:
        self.match = match
        self.clear()

    def clear(self) -> None:
        match = self.match
        self.bot = self.adviser = ""
        self.samples: dict[int, list[Result]] = {}
        self.known: dict[int, dict[int, list[Result]]] = {player: {} for player in range(match.players)}
        self.decisions: dict[int, list[Decision]] = {}
        self.tested: dict[int, int] = {}
        self.luck: dict[int, list[tuple[Result, Result]]] = {}
        self.playouts = 0
        self.seconds = 0.0
        self.differences: list[dict[str, Any]] = []
        self.stage = "curve"
        self._curve: tuple[int, Curve | None] = (0, None)

    @cached_property
    def points(self) -> list[int]:
        """Return the positions of the curve: before each part, and the end.

        The curve has no position between two simultaneous moves.
        """
        parts = self.match.parts
        inside = {one.index for part in parts for one in self.match.simultaneous(part)[1:]}
        return [index for index in range(len(parts) + 1) if index not in inside]

    def win(self, index: int, player: int) -> Estimate:
        """Return a player's win probability before a part. The index after the last part stands for the end."""
        match = self.match
        return win_estimate([self.share(index, one) for one in range(match.players)], player, match.game.playout_power)

    def share(self, index: int, player: int) -> Estimate:
        """Return a player's share of the win before the part with this index, according to the curve.

        At the end of a match with a result, return the share in this result.
        """
        if index == len(self.match.parts) and (result := self.match.result) is not None:
            return Estimate(result[player], result[player], result[player], 0)
        known, curve = self._curve
        if known != self.playouts or curve is None:
            match = self.match
            curve = Curve(len(match.parts) + 1, self._all_samples(), match.players, match.estimates)
            self._curve = self.playouts, curve
        return curve.at(index, player, CONFIDENCE)

    def _all_samples(self) -> dict[int, list[Result]]:
        """Return the results of all playouts by place, including playouts after a recorded choice.

        A playout after a recorded choice counts for the place after the part of this choice. It is left out if:

        - its state can differ from the recorded one: the part has draws, several players moved at the same time, or
          information is hidden;
        - the part is the last one: the playout would show the result of the match;
        - another decision about the part counts already, with the same seeds.
        """
        found = dict(self.samples)
        match = self.match
        if match.end.hides_information():
            return found
        tested: dict[int, list[Result]] = {}
        for decision in (one for player in self.decisions.values() for one in player):
            part, place = decision.part, decision.part.index + 1
            known = place < len(match.parts) and not part.draws and len(match.simultaneous(part)) == 1
            if known and len(decision.done) > len(tested.get(place, ())):
                tested[place] = decision.done
        for place, rows in tested.items():
            found[place] = [*found.get(place, ()), *rows]
        return found
