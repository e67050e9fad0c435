"""The search of a game with built-in bots: whole turns are compared, not single actions.

A *plan* is the list of all actions of a turn. The first plans are the turns of the built-in bots. Each next plan is the
best one with one change, which a built-in bot may complete. A plan's worth is what the position is worth some turns
later, if a built-in bot plays on for all players.

A plan that challenges the best one meets it in *scenarios*: the same dice, and the same guess at what is hidden. It is
given up as soon as it is behind, and takes the best one's place as soon as it is clearly better.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from random import Random
from statistics import stdev
from typing import TYPE_CHECKING, NamedTuple

from arena.game import IllegalAction, Sampled, filled

from .bots import Bots
from .playouts import by_type
from .tree import Document, key_of
from .values import value_of

if TYPE_CHECKING:
    from arena.game import Chance, State

SCENARIOS = 4
"""A plan must meet the best one in so many scenarios, to take its place. Without dice and guesses, one is all."""
DOUBT = 2.0
"""It must be better by so many standard errors. Plans that are not better win seldom then, though many are tried."""
AHEAD = 2
"""The turns of each player in a playout. With more of them there were fewer playouts, and no better turns."""
DROPS = 0.2
"""A change drops an action in this share of all cases. Else it adds one."""
COMPLETED = 0.5
"""In this share of all cases, a built-in bot plays the rest of the turn after an added action."""
TRIES = 8
"""So often a change is drawn that leads to another plan than the best one. In vain, there is hardly another one."""


class Scenario(NamedTuple):
    """The dice of a playout, and a guess at what is hidden."""

    state: State
    seed: int


class Plan:
    """A plan, and its worth in the first scenarios."""

    __slots__ = ("actions", "values")

    def __init__(self, actions: list[Document]) -> None:
        self.actions = actions
        self.values: list[float] = []

    def gains(self, other: Plan) -> list[float]:
        """Return how much better this plan was in each scenario that both have met."""
        return [mine - theirs for mine, theirs in zip(self.values, other.values, strict=False)]


class Planner:
    """Finds a plan for one turn.

    Args:
        player: The player.
        players: The number of players.
        bots: The built-in bots.
        guess: Returns the state; each time another guess if something is hidden. It stays as it is.
        rng: All random numbers.
        plan: A plan to try first.

    Attributes:
        best: The best plan.
    """

    def __init__(
        self,
        player: int,
        players: int,
        bots: Bots,
        guess: Callable[[], State],
        rng: Random,
        plan: Sequence[Document] = (),
    ) -> None:
        self._player = player
        self._players = players
        self._bots = bots
        self._guess = guess
        self._rng = rng
        self._scenarios: list[Scenario] = []
        self._known: dict[object, Plan] = {}
        state, seed = self._scenario(0)
        self._turn = state.turn_number()
        self._enough = SCENARIOS if state.hides_information() else 1
        turns = [bots.turn(bot, state.clone(), player, Sampled(Random(seed))) for bot in reversed(bots.classes)]
        first = next(filter(None, turns), None) or [state.fallback_action(player)]
        plans = [self._plan(actions) for actions in (first, list(plan), *turns) if actions]
        self.best, *others = dict.fromkeys(plans)
        self._challengers = deque(others)

    @property
    def value(self) -> float:
        """The mean worth of the best plan."""
        values = self.best.values
        return sum(values) / len(values) if values else 0.0

    def improve(self) -> bool:
        """Play one playout. Return whether there is still a plan to try."""
        best = self.best
        if not self._challengers:
            plan = self._changed()
            if plan is None:
                return False
            self._challengers.append(plan)
        challenger = self._challengers[0]
        if len(best.values) <= len(challenger.values):
            self._play(best)
            return True
        self._play(challenger)
        gains = challenger.gains(best)
        lead, count = sum(gains), len(gains)
        if lead <= 1e-9:
            self._challengers.popleft()
        elif count >= self._enough and (count == 1 or lead > DOUBT * stdev(gains) * count**0.5):
            self._challengers.popleft()
            self.best = challenger
        return True

    def _plan(self, actions: list[Document]) -> Plan:
        key = tuple(map(key_of, actions))
        return self._known.setdefault(key, Plan(actions))

    def _scenario(self, number: int) -> Scenario:
        while len(self._scenarios) <= number:
            self._scenarios.append(Scenario(self._guess(), self._rng.getrandbits(32)))
        return self._scenarios[number]

    def _play(self, plan: Plan) -> None:
        """Let a plan meet one more scenario."""
        state, seed = self._scenario(len(plan.values))
        state, rng = state.clone(), Random(seed)
        unused, chance = rng.getstate(), Sampled(rng)
        self._legal(plan.actions, state, chance)
        self._bots.play_on(state, chance, AHEAD * self._players)
        if rng.getstate() != unused:
            self._enough = SCENARIOS
        plan.values.append(value_of(state, self._players)[self._player])

    def _changed(self) -> Plan | None:
        """Return a plan that differs from the best one in one change; None if there is hardly another one."""
        for _ in range(TRIES):
            state = self._scenario(0).state.clone()
            plan = self._plan(self._change(self.best.actions, state, Sampled(self._rng)))
            if plan.actions and plan is not self.best:
                return plan
        return None

    def _change(self, old: Sequence[Document], state: State, chance: Chance) -> list[Document]:
        """Carry out a changed plan, and return it."""
        rng, player = self._rng, self._player
        place = rng.randrange(len(old))
        plan = self._legal(old[:place], state, chance)
        if rng.random() < DROPS:
            return plan + self._legal(old[place + 1 :], state, chance)
        if self._goes_on(state):
            groups = by_type(state.legal_actions(player))
            plan += self._legal([filled(rng.choice(rng.choice(list(groups.values()))), rng)], state, chance)
        if rng.random() < COMPLETED and self._goes_on(state):
            return plan + self._bots.turn(rng.choice(self._bots.classes), state, player, chance)
        return plan + self._legal(old[place:], state, chance)

    def _legal(self, actions: Sequence[Document], state: State, chance: Chance) -> list[Document]:
        """Carry out the actions that are legal, one after the other, while it is the player's turn. Return them."""
        done = []
        for action in actions:
            if not self._goes_on(state):
                break
            try:
                state.push(self._player, action, chance)
            except IllegalAction:
                continue
            done.append(action)
        return done

    def _goes_on(self, state: State) -> bool:
        """Return whether it is still the player's turn."""
        return self._player in state.to_move() and state.turn_number() == self._turn
