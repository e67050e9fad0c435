"""How a playout goes on where the tree ends: at random, without the worst mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING, Any

from .goals import Goals, Mean, place_of
from .tree import Document, Key, key_of
from .values import Values, value_of

if TYPE_CHECKING:
    from arena.game import State

RETRIES = 3
"""How often a player takes another action in place of one that has just lost the game."""
SAMPLES = 3
"""Of so many random actions, a playout takes the one that usually gains most."""
AHEAD = 2
"""The turns of a playout in a game that has estimates, counted by players; the turn that goes on is the first."""
MOST_ACTIONS = 400
"""The limit of a playout in a game without estimates."""
SCOUTED = 1000
"""The turns of a playout that looks for goals."""

Step = tuple[int, int, Key]
"""The turn, the player and the action of a step of a playout."""


class Experience:
    """What the playouts of a match have taught.

    Attributes:
        gains: The mean gain of each action by player, wherever it was taken.
        goals: Where units gain something.
    """

    def __init__(self) -> None:
        self.gains: dict[tuple[int, Key], Mean] = {}
        self.goals = Goals()

    def gain(self, player: int, key: Key) -> float:
        """Return the mean gain of an action; 0 if nothing is known."""
        known = self.gains.get((player, key))
        return known.value if known is not None else 0.0

    def promise(self, state: State, players: int) -> Values:
        """Return what a position is worth for each player, with what its units expect from their places."""
        values = value_of(state, players)
        if not state.to_move():
            return values
        return tuple(map(sum, zip(values, self.goals.expected(state, players), strict=True)))


class Playout:
    """Plays on from a state, without undoing anything.

    Args:
        state: The state, which changes.
        players: The number of players.
        rng: The random numbers.
        experience: What earlier playouts have taught. It grows.
    """

    def __init__(self, state: State, players: int, rng: Random, experience: Experience) -> None:
        self._state = state
        self._players = players
        self._rng = rng
        self._experience = experience

    def run(self, steps: list[Step], ahead: int = AHEAD) -> Values:
        """Play to the horizon, and return what the position there is worth.

        Args:
            steps: The steps of the playout are appended.
            ahead: The number of turns, counted by players, in a game that has estimates.
        """
        state = self._state
        parts = 0
        last: tuple[int, int] | None = None
        self._worth = value_of(state, self._players)
        for _ in range(MOST_ACTIONS):
            movers = state.to_move()
            if not movers:
                break
            now = state.turn_number(), movers[0]
            if now != last:
                last = now
                parts += 1
                if parts > ahead and state.evaluate() is not None:
                    break
            self._act(movers, now[0], steps)
        return self._experience.promise(state, self._players)

    def _act(self, movers: Sequence[int], turn: int, steps: list[Step]) -> None:
        """Let all who are to move choose, without knowing each other's choices."""
        state, experience = self._state, self._experience
        out = state.out()
        chosen = {player: self._choice(player) for player in movers}
        for retry in range(RETRIES + 1):
            mark = state.mark
            units = [(player, self._unit(player, action)) for player, action in chosen.items()]
            for player, action in chosen.items():
                if len(chosen) == 1 or player in state.to_move():
                    state.push(player, action)
            lost = self._lost(out, movers) if retry < RETRIES else ()
            if not lost:
                break
            state.pop(mark)
            chosen |= {player: self._choice(player) for player in lost}
        before, self._worth = self._worth, value_of(state, self._players)
        for player, found in units:
            action = chosen[player]
            gain = self._worth[player] - before[player]
            key = key_of(action)
            if found is not None:
                unit, place = found
                after = place_of(unit) if state.entity(unit.id) is unit else None
                gain = experience.goals.learn(player, unit, action["type"], place, after, gain)
                experience.gains.setdefault((player, key), Mean()).learn(gain)
            steps.append((turn, player, key))

    def _unit(self, player: int, action: Document) -> tuple[Any, Any] | None:
        unit = self._experience.goals.unit_of(self._state, player, action)
        return None if unit is None else (unit, place_of(unit))

    def _lost(self, out: Sequence[int], movers: Sequence[int]) -> Sequence[int]:
        """Return the movers who have lost by what was just played."""
        state = self._state
        now = state.out()
        lost = [player for player in movers if player in now and player not in out]
        if not lost and not state.to_move() and (outcome := state.outcome()) is not None:
            lost = [player for player in movers if outcome.verdict(player) == "lost"]
        return lost

    def _choice(self, player: int) -> Document:
        state, rng, experience = self._state, self._rng, self._experience
        best = state.random_action(player, rng)
        most = experience.gain(player, key_of(best))
        for _ in range(SAMPLES - 1):
            other = state.random_action(player, rng)
            gain = experience.gain(player, key_of(other))
            if gain > most:
                best, most = other, gain
        return best
