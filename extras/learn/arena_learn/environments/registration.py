"""Names of environments, for ``make`` of PettingZoo and Gymnasium."""

from __future__ import annotations

import gymnasium
from pettingzoo import env_registry
from pettingzoo.env_registry.registration import aec_registry

from arena.game import names


def register_all() -> None:
    """Register ``arena/GAME-v0`` for all installed games, once."""
    for name in names():
        id_ = f"arena/{name}-v0"
        if id_ not in aec_registry:
            env_registry.register("aec", id_, "arena_learn:aec", kwargs={"game": name})
            env_registry.register("parallel", id_, "arena_learn:parallel", kwargs={"game": name})
        if id_ not in gymnasium.registry:
            gymnasium.register(id_, "arena_learn:seat", kwargs={"game": name})
