"""How a playout goes on where the tree ends.

In a game with estimates, the player to move tries some actions and takes the one after which the turn could best end,
until ending it is best. In other games actions are random, without the worst mistakes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import TYPE_CHECKING

from arena.game import IllegalAction, Sampled, filled

from .tree import Document, Key, key_of
from .values import Values, value_of

if TYPE_CHECKING:
    from arena.game import Chance, State

RETRIES = 3
"""How often a player takes another action in place of one that has just lost the game."""
SAMPLES = 3
"""Of so many random actions, a playout takes the one that usually gains most."""
AHEAD = 2
"""The turns of a playout in a game that has estimates, counted by players; the turn that goes on is the first."""
MOST_ACTIONS = 80
"""The most actions of a playout. Later results are too random to be worth it."""
TRIED = 2
"""In a game with estimates, a playout tries so many actions of each type."""
MOST_ENDINGS = 12
"""So many fallback actions may end a turn."""
MEMORY = 30
"""A mean forgets: a new result weighs at least one part in so many."""

Step = tuple[int, int, Key]
"""The turn, the player and the action of a step of a playout."""


def by_type(actions: Iterable[Document]) -> dict[str, list[Document]]:
    found: dict[str, list[Document]] = {}
    for action in actions:
        found.setdefault(action["type"], []).append(action)
    return found


def some_of_each_type(actions: Iterable[Document], most: int, rng: Random) -> list[Document]:
    """Return at most so many actions of each type, so that types with few are not lost among the others."""
    found: list[Document] = []
    for group in by_type(actions).values():
        chosen = group if len(group) <= most else rng.sample(group, most)
        found += [filled(one, rng) for one in chosen]
    return found


class Mean:
    """A mean that forgets old results slowly."""

    __slots__ = ("count", "value")

    def __init__(self) -> None:
        self.count = 0
        self.value = 0.0

    def learn(self, value: float) -> None:
        """Record a result."""
        self.count = min(self.count + 1, MEMORY)
        self.value += (value - self.value) / self.count


class Experience:
    """What the playouts of a match have taught.

    Attributes:
        gains: The mean gain of each action by player, wherever it was taken.
    """

    def __init__(self) -> None:
        self.gains: dict[tuple[int, Key], Mean] = {}
        self._ending: Document | None = None

    def gain(self, player: int, key: Key) -> float:
        """Return the mean gain of an action; 0 if nothing is known."""
        known = self.gains.get((player, key))
        return known.value if known is not None else 0.0

    def end_turn(self, state: State, player: int, chance: Chance) -> None:
        """Let a player who is to move alone end the turn, by fallback actions."""
        turn = state.turn_number()
        for _ in range(MOST_ENDINGS):
            if tuple(state.to_move()) != (player,) or state.turn_number() != turn:
                return
            if self._ending is not None:
                try:
                    state.push(player, self._ending, chance)
                except IllegalAction:
                    self._ending = None
                else:
                    continue
            action = state.fallback_action(player)
            if len(action) == 1:  # it names no object, so it is likely to be legal in the next turn as well
                self._ending = action
            state.push(player, action, chance)

    def settled(self, state: State, player: int, players: int, chance: Chance) -> float:
        """Return what a position is worth for a player who would end the turn now.

        Estimates favour the player to move. So positions of the same turn can only be compared after its end.
        """
        mark = state.mark
        self.end_turn(state, player, chance)
        worth = value_of(state, players)[player]
        state.pop(mark)
        return worth


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
        self._chance = Sampled(rng)

    def run(self, steps: list[Step]) -> Values:
        """Play to the horizon, and return what the position there is worth.

        Args:
            steps: The steps of the playout are appended.
        """
        state = self._state
        parts = 0
        last: tuple[int, int] | None = None
        self._is_greedy = state.evaluate() is not None
        self._worth = value_of(state, self._players)
        for _ in range(MOST_ACTIONS):
            movers = state.to_move()
            if not movers:
                break
            now = state.turn_number(), movers[0]
            if now != last:
                last = now
                parts += 1
                if parts > AHEAD and state.evaluate() is not None:
                    break
            self._act(movers, now[0], steps)
        return value_of(state, self._players)

    def _act(self, movers: Sequence[int], turn: int, steps: list[Step]) -> None:
        """Let all who are to move choose, without knowing each other's choices."""
        state = self._state
        out = state.out()
        chosen = {player: self._choice(player) for player in movers}
        for retry in range(RETRIES + 1):
            mark = state.mark
            for player, action in chosen.items():
                if len(chosen) == 1 or player in state.to_move():
                    state.push(player, action)
            lost = self._lost(out, movers) if retry < RETRIES else ()
            if not lost:
                break
            state.pop(mark)
            chosen |= {player: self._choice(player) for player in lost}
        before, self._worth = self._worth, value_of(state, self._players)
        for player, action in chosen.items():
            key = key_of(action)
            gain = self._worth[player] - before[player]
            self._experience.gains.setdefault((player, key), Mean()).learn(gain)
            steps.append((turn, player, key))

    def _lost(self, out: Sequence[int], movers: Sequence[int]) -> Sequence[int]:
        """Return the movers who have lost by what was just played."""
        state = self._state
        now = state.out()
        lost = [player for player in movers if player in now and player not in out]
        if not lost and not state.to_move() and (outcome := state.outcome()) is not None:
            lost = [player for player in movers if outcome.verdict(player) == "lost"]
        return lost

    def _choice(self, player: int) -> Document:
        if self._is_greedy and len(self._state.to_move()) == 1:
            return self._good_choice(player)
        return self._random_choice(player)

    def _good_choice(self, player: int) -> Document:
        """Return the action among some that gains most, or the fallback action if none gains anything.

        An action that ends the turn gains nothing: what the estimate says afterwards has the opponent to move.
        """
        state, chance = self._state, self._chance
        base, turn = self._worth[player], state.turn_number()
        best: Document | None = None
        most = 1e-9
        for action in self._candidates(player):
            mark = state.push(player, action, chance)
            movers = state.to_move()
            if not movers or (movers[0] == player and state.turn_number() == turn):
                gain = value_of(state, self._players)[player] - base
                if gain > most:
                    best, most = action, gain
            state.pop(mark)
        chance.take()
        return state.fallback_action(player) if best is None else best

    def _candidates(self, player: int) -> list[Document]:
        return some_of_each_type(self._state.legal_actions(player), TRIED, self._rng)

    def _random_choice(self, player: int) -> Document:
        state, rng, experience = self._state, self._rng, self._experience
        best = state.random_action(player, rng)
        most = experience.gain(player, key_of(best))
        for _ in range(SAMPLES - 1):
            other = state.random_action(player, rng)
            gain = experience.gain(player, key_of(other))
            if gain > most:
                best, most = other, gain
        return best
