"""Search: try choices in copies of the game."""

from __future__ import annotations

from random import Random
from statistics import mean, stdev
from typing import Any

from judgement import Judgement, worth

from arena.game import Sampled
from arena_derelict import Game
from arena_derelict.situation import FAR, Situation, cell_of, distances_on

Document = dict[str, Any]


class Foresight:
    """Compares choices: makes each choice in copies of the game, and plays on to the end of an aliens' turn.

    The first round tries the choices with the best estimates. The second round repeats the choices that were better
    than the choice of `quick`.

    Args:
        game: Any state of the game, for its map and options.
        width: The number of choices to try.
        tries: How often the first round tries each choice. The second round tries twice as often.
        turns: The number of turns to play, an even number. An aliens' turn in progress is not counted.
        doubt: In the second round, a choice must beat the choice of `quick` by this many standard errors.
        pull: The weight of the aliens' distance to the marines in the value of a position.
    """

    def __init__(
        self, game: Game, width: int = 14, tries: int = 5, turns: int = 2, doubt: float = 1.0, pull: float = 10.0
    ) -> None:
        self.judgement = Judgement(game.options, game.board)
        self.distances = distances_on(game.board)
        self.width = width
        self.tries = tries
        self.turns = turns
        self.doubt = doubt
        self.pull = pull

    def quick(self, game: Game) -> Document:
        """Return the choice with the highest estimated value, without trying any choice."""
        return self.judgement.choose(game, game.pieces, game.legal_actions())

    def best(self, worlds: list[Game], rng: Random) -> Document:
        """Return the choice with the best result.

        Args:
            worlds: States that agree with the known information and differ in the hidden information.
            rng: The random generator for the dice.
        """
        game = worlds[0]
        listed = game.legal_actions()
        situation = self.judgement.situation(game, game.pieces)
        ranked = sorted(listed, key=lambda choice: worth(situation, choice), reverse=True)
        if not self._matters(game, situation):
            return ranked[0]
        first, *others = ranked[: self.width]
        base: list[float] = []
        gains: dict[int, list[float]] = {at: [] for at in range(len(others))}
        for tries, doubt in ((self.tries, 0.0), (2 * self.tries, self.doubt)):
            for _ in range(tries):
                luck = rng.random()
                world = worlds[len(base) % len(worlds)]
                base.append(self._try(world, first, luck))
                for at, gain in gains.items():
                    gain.append(self._try(world, others[at], luck) - base[-1])
            gains = {at: gain for at, gain in gains.items() if _is_better(gain, doubt)}
            if not gains:
                return first
        return others[max(gains, key=lambda at: mean(gains[at]))]

    def _matters(self, game: Game, situation: Situation) -> bool:
        """Return whether enemies are near enough to make a search useful."""
        if game.decision is None or game.decision.kind not in ("turn", "reveal", "forced_place"):
            return False
        contacts = situation.contacts
        return any(situation.nearest(cell_of(marine), contacts) <= 9 for marine in game.pieces.marines)

    def _try(self, game: Game, choice: Document, luck: float) -> float:
        """Make a choice, play on with the random seed `luck`, and undo everything. Return the value of the result."""
        chance = Sampled(Random(luck))
        decision = game.decision
        assert decision is not None
        player = decision.player
        # Stop at the end of an aliens' turn, so that the aliens can answer the marines' turn.
        last = game.turn_number() + self.turns - (game.turn_number() % 2)
        mark = game.push(player, choice, chance)
        while game.decision is not None and game.turn_number() <= last:
            self._play_on(game, chance)
        value = self._value(game)
        game.pop(mark)
        return value if player == 0 else -value

    def _play_on(self, game: Game, chance: Sampled) -> None:
        assert game.decision is not None
        game.push(game.decision.player, self.quick(game), chance)

    def _value(self, game: Game) -> float:
        """Return the value of a position for the marines."""
        value = 0.0
        if game.ended is not None:
            value += 0.0 if game.winner is None else 1500.0 if game.winner == 0 else -1500.0
        objectives = game.board.objectives
        for unit in game.units:
            if unit.kind == "marine":
                value += 100.0
                if unit.marine_type == "marine_flame" and objectives:
                    way = min(self.distances.between(cell_of(unit), goal) for goal in objectives)
                    value += 200.0 - 8.0 * min(way, FAR)
            else:
                value -= 25.0 * (1.0 if unit.kind == "alien" else unit.count or 1)
                value -= self.pull / (2.0 + self._reach(game, unit))
        return value

    def _reach(self, game: Game, unit: Any) -> int:
        return min(
            (self.distances.between(cell_of(unit), cell_of(marine)) for marine in game.pieces.marines),
            default=FAR,
        )


def _is_better(gains: list[float], doubt: float) -> bool:
    return len(gains) > 1 and mean(gains) > doubt * stdev(gains) / len(gains) ** 0.5
