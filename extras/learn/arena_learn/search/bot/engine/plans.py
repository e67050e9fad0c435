"""The search of a turn that can have several actions: whole turns are compared, not single actions.

A *plan* is the list of all actions of a turn. Each step changes the best plan at random: it adds an action, or two of
one unit, drops one, or moves one. The changed plan is kept if the turn ends better with it (online evolution). Plans
are compared under the same dice and the same guesses at what is hidden.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from arena.game import IllegalAction, Sampled, filled

from .playouts import Experience, by_type
from .tree import Document, key_of

if TYPE_CHECKING:
    from arena.game import Chance, State

SCENARIOS = 8
"""If a plan depends on dice or on guesses, it is judged by so many."""
RENEWED = 40
"""After so many plans, one scenario is replaced, so that the plan does not fit its dice only."""
DROPS, MOVES = 0.2, 0.35
"""A change drops an action in this share of all cases, and moves one in the rest of the second share."""
PAIRS = 0.4
"""An action that is added is followed by another one of the same unit in this share of all cases."""
SAMPLES = 3
"""Every second action that is added is the best of so many, by what actions usually gain."""
LONGEST = 60
"""The most actions of a plan."""
REPLYING = 0.3
"""The share of all changes that are tried on a reply."""
REPLIES = 3
"""So many replies are kept."""
ANSWERS = 20
"""The most decisions of other players in the middle of a turn."""


class Scenario(NamedTuple):
    """The dice of a turn, and a guess at what is hidden."""

    state: State
    seed: int


class Planner:
    """Improves the plan of one turn, and the next player's replies to it.

    Args:
        player: The player.
        players: The number of players.
        states: The state; several guesses if something is hidden. They stay as they are.
        rng: All random numbers.
        experience: What is known about actions and places.
        plan: The plan to begin with.
        replies: Replies to begin with.

    Attributes:
        plan: The best plan.
        replies: What the next player could do then, as plans. Doing nothing is always one more.
        is_certain: Whether nothing has depended on dice or on a guess so far.
    """

    def __init__(
        self,
        player: int,
        players: int,
        states: Sequence[State],
        rng: Random,
        experience: Experience,
        plan: Sequence[Document] = (),
        replies: Sequence[Sequence[Document]] = (),
    ) -> None:
        self._player = player
        self._players = players
        self._states = states
        self._rng = rng
        self._experience = experience
        self._count = 0
        self.is_certain = len(states) == 1
        self._scenarios: list[Scenario] = []
        self._values: list[float] = []
        self.plan = list(plan)
        self.replies = [list(reply) for reply in replies]
        self._add_scenarios()

    @property
    def value(self) -> float:
        """What the position is worth after the best plan."""
        return sum(self._values) / len(self._values)

    def improve(self) -> None:
        """Change the best plan or a reply, and keep what is better for its player."""
        self._count += 1
        if not self.is_certain and self._count % RENEWED == 0:
            self._renew()
        if self._rng.random() < REPLYING:
            self._improve_replies()
        else:
            self._improve_plan()
        if not self.is_certain:
            self._add_scenarios()

    def _improve_plan(self) -> None:
        place = self._rng.randrange(len(self._scenarios))
        state, seed = self._scenarios[place]
        chance = Sampled(Random(seed))
        mark = state.mark
        plan = self._changed(self.plan, state, self._player, chance)
        lead = self._judged(state, chance) - self._values[place]
        state.pop(mark)
        self._note(chance)
        if lead <= 0 or plan == self.plan:
            return
        values = [self._played(plan, scenario) for scenario in self._scenarios]
        if sum(values) > sum(self._values) + 1e-9:
            self.plan, self._values = plan, values

    def _improve_replies(self) -> None:
        place = self._rng.randrange(len(self._scenarios))
        state, seed = self._scenarios[place]
        chance = Sampled(Random(seed))
        mark = state.mark
        self._legal(self.plan, state, self._player, chance)
        self._experience.end_turn(state, self._player, chance)
        movers = state.to_move()
        reply: list[Document] = []
        value = self._values[place]
        if len(movers) == 1 and movers[0] != self._player:
            reply = self._changed(self._rng.choice(self.replies or [[]]), state, movers[0], chance)
            value = self._ended(state, movers[0], chance)
        state.pop(mark)
        self._note(chance)
        if value >= self._values[place] - 1e-9 or reply in self.replies:
            return
        before = self.replies
        self.replies = [*before[-REPLIES + 1 :], reply]
        values = [self._played(self.plan, scenario) for scenario in self._scenarios]
        if sum(values) < sum(self._values):
            self._values = values
        else:
            self.replies = before

    def _add_scenarios(self) -> None:
        """Add a scenario, or all of them as soon as a plan depends on them."""
        while len(self._scenarios) < (1 if self.is_certain else SCENARIOS):
            scenario = self._new_scenario()
            self._scenarios.append(scenario)
            self._values.append(self._played(self.plan, scenario))

    def _renew(self) -> None:
        place = self._rng.randrange(len(self._scenarios))
        self._scenarios[place] = scenario = self._new_scenario()
        self._values[place] = self._played(self.plan, scenario)

    def _new_scenario(self) -> Scenario:
        return Scenario(self._rng.choice(self._states), self._rng.getrandbits(32))

    def _note(self, chance: Chance) -> None:
        """Note whether there were dice."""
        if self.is_certain:
            self.is_certain = not chance.take()

    # -- playing a plan ------------------------------------------------------------------------------

    def _played(self, plan: Sequence[Document], scenario: Scenario) -> float:
        """Return what a position is worth after a plan and the reply that is worst for the player."""
        state, seed = scenario
        chance = Sampled(Random(seed))
        mark = state.mark
        self._legal(plan, state, self._player, chance)
        value = self._judged(state, chance)
        state.pop(mark)
        self._note(chance)
        return value

    def _judged(self, state: State, chance: Chance) -> float:
        """End the turn, and return what the position is worth after the reply that is worst for the player."""
        self._experience.end_turn(state, self._player, chance)
        movers = state.to_move()
        if len(movers) != 1 or movers[0] == self._player:
            return self._worth(state)
        worst = inf
        for reply in ((), *self.replies):
            mark = state.mark
            self._legal(reply, state, movers[0], chance)
            worst = min(worst, self._ended(state, movers[0], chance))
            state.pop(mark)
        return worst

    def _ended(self, state: State, player: int, chance: Chance) -> float:
        """Let a player end the turn, and return what the position is worth then."""
        self._experience.end_turn(state, player, chance)
        return self._worth(state)

    def _worth(self, state: State) -> float:
        return self._experience.promise(state, self._players)[self._player]

    def _changed(self, old: Sequence[Document], state: State, player: int, chance: Chance) -> list[Document]:
        """Carry out a changed plan without the actions that are illegal by then, and return it."""
        rng = self._rng
        turn = state.turn_number()
        kind = rng.random() if old else 1.0
        if kind < MOVES:
            order = list(old)
            moved = order.pop(rng.randrange(len(order)))
            if kind >= DROPS:
                order.insert(rng.randrange(len(order) + 1), moved)
            return self._legal(order, state, player, chance)
        place = rng.randrange(len(old) + 1)
        plan = self._legal(old[:place], state, player, chance)
        if _is_going_on(state, player, turn) and len(plan) < LONGEST:
            plan += self._new_actions(state, player, turn, chance)
        return plan + self._legal(old[place:], state, player, chance)

    def _legal(self, actions: Sequence[Document], state: State, player: int, chance: Chance) -> list[Document]:
        """Carry out the actions that are legal, one after the other, and return them."""
        return [action for action in actions if _push(state, player, action, chance)]

    def _new_actions(self, state: State, player: int, turn: int, chance: Chance) -> list[Document]:
        first = self._choice(player, state.legal_actions(player))
        if first is None:
            return []
        goals = self._experience.goals
        unit = goals.unit_of(state, player, first)
        if not _push(state, player, first, chance):
            return []
        if unit is None or self._rng.random() >= PAIRS or not _is_going_on(state, player, turn):
            return [first]
        same = [one for one in state.legal_actions(player) if goals.unit_of(state, player, one) is unit]
        second = self._choice(player, same)
        return [first, second] if second is not None and _push(state, player, second, chance) else [first]

    def _choice(self, player: int, actions: Sequence[Document]) -> Document | None:
        """Return one of some actions: of each type equally often, and often one that usually gains something."""
        rng = self._rng
        groups = by_type(one for one in actions if not self._experience.is_ending(one))
        if not groups:
            return None
        group = rng.choice(list(groups.values()))
        if rng.random() < 0.5:
            sampled = [rng.choice(group) for _ in range(SAMPLES)]
            return filled(max(sampled, key=lambda one: self._experience.gain(player, key_of(one))), rng)
        return filled(rng.choice(group), rng)


def _push(state: State, player: int, action: Document, chance: Chance) -> bool:
    """Carry out an action, and let other players answer in the simplest way. Return whether it was legal."""
    if player not in state.to_move():
        return False
    turn = state.turn_number()
    try:
        state.push(player, action, chance)
    except IllegalAction:
        return False
    for _ in range(ANSWERS):
        movers = state.to_move()
        if not movers or player in movers or state.turn_number() != turn:
            break
        state.push(movers[0], state.fallback_action(movers[0]), chance)
    return True


def _is_going_on(state: State, player: int, turn: int) -> bool:
    return player in state.to_move() and state.turn_number() == turn
