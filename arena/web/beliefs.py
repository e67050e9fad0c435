"""Estimate what a player can believe about hidden objects and values, from states that agree with the player's view."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any, Final

from arena.errors import ArenaError
from arena.game import Document, GameSpec, State
from arena_replays.state import State as Objects
from arena_replays.state import fold

SAMPLES: Final = 100


def beliefs(game: GameSpec, state: State, player: int) -> Document:
    """Return the mean number of unseen entities on each tile, and the mean hidden value of each seen entity.

    Each mean is over sampled states that agree with the player's view. The hidden value is the sum of the entity's
    numeric fields that the player does not see.
    """
    if not game.state.hidden_information:
        raise ArenaError(f"Nothing is hidden in {game.name}.")
    view = state.view(player)
    options = game.resolve_options(state.options_for(player))
    known = _placed(view)
    places: Counter[tuple[int, int]] = Counter()
    sums: Counter[str] = Counter()
    for seed in range(SAMPLES):
        world = type(state).determinize(list(view), player, Random(seed), options)
        for id_, fields in _placed(world.view()).items():
            if id_ not in known:
                places[fields["x"], fields["y"]] += 1
                continue
            for name, value in fields.items():
                if known[id_].get(name, value) is None and type(value) in (int, float):
                    sums[id_] += value
    return {
        "player": player,
        "tiles": [[x, y, count / SAMPLES] for (x, y), count in sorted(places.items())],
        "numbers": [[known[id_]["x"], known[id_]["y"], total / SAMPLES] for id_, total in sorted(sums.items())],
    }


def _placed(view: list[Any]) -> Objects:
    things: Objects = {}
    fold(things, view)
    return {id_: one for id_, one in things.items() if type(one.get("x")) is int and type(one.get("y")) is int}
