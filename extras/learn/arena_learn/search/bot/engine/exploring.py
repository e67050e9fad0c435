"""Where the units of a player can go, and what they gain there: explored while everybody else does nothing.

Random play seldom leads a unit far. An exploration leads one unit to each place that it can reach (breadth first), and
tries some of its actions there. `goals` learns from it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Any

from arena.game import IllegalAction, Sampled

from .goals import place_of
from .playouts import Experience, some_of_each_type
from .tree import Document
from .values import value_of

if TYPE_CHECKING:
    from arena.game import State

TRIED = 12
"""At each place, the unit tries so many actions of each type."""
BEGINNING = 30
"""Every second exploration begins after less than so many random actions, so that other units come into play."""
MOST_PLACES = 400
MOST_PARTS = 12
"""After so many players' turns without a chance to act, a unit is given up."""


def explore(
    state: State, player: int, players: int, rng: Random, experience: Experience, is_over: Callable[[], bool]
) -> None:
    """Lead one unit of a player everywhere, from a position or from one that is not far.

    Args:
        state: The position. It changes.
        player: The player.
        players: The number of players.
        rng: Chooses the unit and what it tries.
        experience: Learns what the unit gains.
        is_over: Asked at each place: whether to stop.
    """
    goals, chance = experience.goals, Sampled(rng)
    for _ in range(rng.randrange(BEGINNING) if rng.random() < 0.5 else 0):
        for mover in state.to_move()[:1]:
            state.push(mover, state.random_action(mover, rng), chance)
    units = {unit.id: unit for one in state.legal_actions(player) if (unit := goals.unit_of(state, player, one))}
    if not units:
        return
    name = rng.choice(list(units))
    seen = {place_of(units[name])}
    queue = deque([state])
    while queue and len(seen) < MOST_PLACES and not is_over():
        here = queue.popleft()
        actions = _wait(here, name, player, experience, chance)
        unit = here.entity(name)
        place = None if unit is None else place_of(unit)
        for action in some_of_each_type(actions, TRIED, rng):
            before = value_of(here, players)[player]
            try:
                mark = here.push(player, action, chance)
            except IllegalAction:
                continue
            after = place_of(unit) if here.entity(name) is unit else None
            if here.to_move():
                gain = value_of(here, players)[player] - before
                goals.learn(player, unit, action["type"], place, after, gain)
                if after is not None and after not in seen:
                    seen.add(after)
                    queue.append(here.clone())
            here.pop(mark)


def _wait(state: State, name: str, player: int, experience: Experience, chance: Sampled) -> list[Document]:
    """Let everybody end their turns until a unit can act, and return its actions."""
    for _ in range(MOST_PARTS):
        movers = state.to_move()
        if not movers or state.entity(name) is None:
            break
        if player in movers:
            unit: Any = state.entity(name)
            goals = experience.goals
            found = [one for one in state.legal_actions(player) if goals.unit_of(state, player, one) is unit]
            if found:
                return found
        experience.end_turn(state, movers[0], chance)
    return []
