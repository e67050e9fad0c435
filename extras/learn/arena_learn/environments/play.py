"""One match whose players are all outside: the rules, and for each player the observation and the numbered actions.

The dice are those of `arena play` with the same seed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from random import Random
from typing import Any, Literal, Self

import numpy as np
from gymnasium import spaces

from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec, Seeded, State
from arena.match.lookup import find_game, resolve_options
from arena_learn.spaces.actions import Actions
from arena_learn.spaces.features import Features, FeaturesError, names_of
from arena_learn.spaces.layout import Layout
from arena_learn.spaces.making import layout_of
from arena_learn.spaces.planes import Planes
from arena_learn.spaces.tracker import Tracker
from arena_learn.spaces.watch import Watch

Illegal = Literal["penalty", "mask", "forfeit"]
Potential = Callable[[State, int], float]
Observation = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Settings:
    """How an environment treats its agents. All environments have these settings.

    Attributes:
        render_mode: ``ansi``, ``rgb_array``, ``human`` (text on the terminal) or None.
        max_cycles: After so many steps the match is truncated; None for no limit but the game's own.
        illegal: What an illegal action does. ``penalty``: the agent gets ``-penalty``, and the game's fallback action
            is played (as the referee does; in a match with sandboxes ``end_turn`` or ``pass`` if legal, else the first
            legal action). ``mask``: it raises `ValueError`. ``forfeit``: the agent leaves the match
            with -1; of two players, the other gets 1.
        penalty: See `illegal`.
        potential: A function of the state and a player. The reward of each step is its change, and at the end the
            outcome (see `outcome_reward`). By default it is 0.
        planes: Whether observations have ``planes``, the layers of the grid.
        features: Whether observations have ``features``, those that the game adds.
        layout: The layout of observations and actions; by default that of the game and its options.
    """

    render_mode: str | None = None
    max_cycles: int | None = None
    illegal: Illegal = "penalty"
    penalty: float = 0.1
    potential: Potential | None = None
    planes: bool = False
    features: bool = False
    layout: Layout | None = None

    @classmethod
    def divide(cls, given: Mapping[str, Any]) -> tuple[Self, dict[str, Any]]:
        """Return the settings among these names and values, and the rest: options of the game."""
        own = {field.name for field in fields(cls)}
        found = cls(**{name: value for name, value in given.items() if name in own})
        return found, {name: value for name, value in given.items() if name not in own}

    def is_cut(self, steps: int) -> bool:
        """Return whether a match is truncated after so many steps."""
        return self.max_cycles is not None and steps >= self.max_cycles


def evaluation(state: State, player: int) -> float:
    """Return the game's own estimate of a player's share of the win, as a potential; 0 if the game has no estimates."""
    estimate = state.evaluate()
    return 0.0 if estimate is None else estimate[player]


class Play(Watch):
    """One match at a time, with the spaces of its observations.

    Args:
        game: The game, or its name.
        options: Its options.
        settings: What observations have, and the layout.

    Attributes:
        game: The game.
        observation_space: The space of all observations.
    """

    def __init__(self, game: str | GameSpec, options: Mapping[str, Any], settings: Settings) -> None:
        self.game = find_game(game) if isinstance(game, str) else game
        self.options = resolve_options(self.game, options)
        super().__init__(settings.layout or layout_of(self.game, **options))
        self.observation_space = observation_space(self.layout, settings)
        self._drawn = [drawn(tracker, settings) for tracker in self.trackers]
        self._seeds: Random | None = None

    def reset(self, seed: int | None) -> int:
        """Begin a match, and return its seed.

        Args:
            seed: The seed. Without one, it follows from the last seed that was given; the first one is drawn.
        """
        if seed is not None or self._seeds is None:
            self._seeds = Random(seed)
        match = self._seeds.getrandbits(62) if seed is None else seed
        state = self.game.start(self.options, Seeded(f"{match}/setup"))
        state.use_chance(Seeded(f"{match}/play"))
        self.start(state)
        return match

    def observe(self, player: int) -> Observation:
        """Return what a player sees, in arrays of its own."""
        self.sync(player)
        return observation(self.actions[player], self._drawn[player])


def observation(actions: Actions, extra: Mapping[str, Planes | Features]) -> Observation:
    """Return what a player sees, in new arrays: the numbers, the mask of the last `Actions.note`, and what is extra."""
    found: Observation = {"observation": actions.tracker.numbers.copy(), "action_mask": actions.mask()}
    for name, one in extra.items():
        found[name] = one.draw()
    return found


def drawn(tracker: Tracker, settings: Settings) -> dict[str, Planes | Features]:
    """Return what else observations have, drawn anew for each of them."""
    found: dict[str, Planes | Features] = {}
    if settings.planes:
        found["planes"] = Planes(tracker)
    if settings.features:
        found["features"] = Features(tracker)
    return found


def observation_space(layout: Layout, settings: Settings) -> spaces.Dict:
    """Return the space of observations: ``observation`` and ``action_mask``, and ``planes`` and ``features`` if wanted.

    Raises:
        ArenaError: The game has no features.
    """
    made: dict[str, spaces.Space[Any]] = {
        "observation": spaces.Box(-1.0, 1.0, (layout.observation_size,), np.float32),
        "action_mask": spaces.Box(0, 1, (layout.action_count,), np.int8),
    }
    if settings.features:
        try:
            made["features"] = spaces.Box(-1.0, 1.0, (len(names_of(layout.game)),), np.float32)
        except FeaturesError as error:
            raise ArenaError(str(error), exit_code=ExitCode.BAD_OPTION) from None
    if settings.planes:
        width, height = layout.grid
        made["planes"] = spaces.Box(0.0, 1.0, (len(layout.planes), height, width), np.float32)
    return spaces.Dict(made)


class Rewards:
    """What players get: the change of a potential, and at the end the outcome.

    Args:
        players: The number of players.
        potential: The potential; None for 0.
    """

    def __init__(self, players: int, potential: Potential | None) -> None:
        self._players = players
        self._potential = potential
        self._last = [0.0] * players

    def start(self, state: State) -> None:
        """Take the potentials of the first position."""
        if self._potential is not None:
            self._last = [self._potential(state, player) for player in range(self._players)]

    def changes(self, state: State) -> list[float]:
        """Return how much the potential of each player has changed since the last call."""
        if self._potential is None:
            return self._last
        now = [self._potential(state, player) for player in range(self._players)]
        changes = [after - before for after, before in zip(now, self._last, strict=True)]
        self._last = now
        return changes
