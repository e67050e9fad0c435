"""One match whose players are all outside: the rules, and for each player the observation and the numbered actions.

The dice are those of `arena play` with the same seed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from random import Random
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from arena.errors import ArenaError, ExitCode
from arena.game import Document, GameSpec, Outcome, Seeded, State
from arena.match.lookup import find_game, resolve_options
from arena_learn.spaces.actions import Actions
from arena_learn.spaces.features import Features, FeaturesError, names_of
from arena_learn.spaces.layout import Layout
from arena_learn.spaces.making import layout_of
from arena_learn.spaces.planes import Planes
from arena_learn.spaces.watch import Watch

Illegal = Literal["penalty", "mask", "forfeit"]
Potential = Callable[[State, int], float]
Observation: TypeAlias = Any
"""A dictionary, or an array if the mask is in the infos."""


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
        mask: Where the mask of legal actions is. ``observation``: an observation is a dictionary that has it as
            ``action_mask``. ``info``: the infos have it, and an observation is one array, with all parts one after the
            other.
        planes: Whether observations have ``planes``, the layers of the grid.
        features: Whether observations have ``features``, those that the game adds.
        layout: The layout of observations and actions; by default that of the game and its options.
    """

    render_mode: str | None = None
    max_cycles: int | None = None
    illegal: Illegal = "penalty"
    penalty: float = 0.1
    potential: Potential | None = None
    mask: Literal["observation", "info"] = "observation"
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
        rows: Whether an action has a number for each unit; only in a game with lists of orders.
        observers: What observations of each player are made of.
    """

    def __init__(self, game: str | GameSpec, options: Mapping[str, Any], settings: Settings, *, rows: bool) -> None:
        self.game = find_game(game) if isinstance(game, str) else game
        self.options = resolve_options(self.game, options)
        super().__init__(settings.layout or layout_of(self.game, **options))
        self.rows = rows and self.layout.orders is not None
        self.observation_space = observation_space(self.layout, settings, rows=self.rows)
        self.observers = [Observer(actions, settings, rows=self.rows) for actions in self.actions]
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
        return self.observers[player].observe()


class Observer:
    """Makes the observations of one player, and the masks of what is legal.

    Args:
        actions: The actions, at the last `Actions.note`.
        settings: What observations have.
        rows: Whether the mask has a row for each unit, and not a number for each action.
    """

    def __init__(self, actions: Actions, settings: Settings, *, rows: bool) -> None:
        self._actions = actions
        self._rows = rows
        self._in_info = settings.mask == "info"
        self._more: dict[str, Planes | Features] = {}
        if settings.features:
            self._more["features"] = Features(actions.tracker)
        if settings.planes:
            self._more["planes"] = Planes(actions.tracker)

    def mask(self) -> NDArray[np.int8]:
        """Return a new mask."""
        return self._actions.rows() if self._rows else self._actions.mask()

    def observe(self) -> Observation:
        """Return what the player sees, in new arrays."""
        numbers = self._actions.tracker.numbers
        more = {name: one.draw() for name, one in self._more.items()}
        if self._in_info:
            return np.concatenate([numbers, *(part.ravel() for part in more.values())])
        return {"observation": numbers.copy(), "action_mask": self.mask(), **more}

    def info(self) -> dict[str, Any]:
        """Return the mask by name if it belongs into the infos."""
        return {"action_mask": self.mask()} if self._in_info else {}

    def taken(self, action: Any) -> Document | None:
        """Return the action that an environment got; None if it is illegal."""
        if not self._rows:
            document: Document | None = self._actions.legal.get(int(action))
            return document
        return self._actions.together(np.asarray(action).tolist())


class OrderSpace(spaces.MultiDiscrete):
    """The actions with a number for each row of the units, as `Actions.rows` says. A mask can be one array."""

    def sample(self, mask: Any = None, probability: Any = None) -> NDArray[Any]:
        """Return a random action, of those that the mask allows."""
        masks = tuple(mask) if isinstance(mask, np.ndarray) else mask
        return super().sample(mask=masks, probability=probability)


def action_space(layout: Layout, *, rows: bool) -> spaces.Space[Any]:
    """Return the space of actions.

    Args:
        layout: The layout.
        rows: Whether an action has a number for each row of units.
    """
    if not rows:
        return spaces.Discrete(layout.action_count)
    count, width = layout.order_shape
    return OrderSpace([width] * count)


def observation_space(layout: Layout, settings: Settings, *, rows: bool) -> spaces.Space[Any]:
    """Return the space of observations: see `Settings`.

    Raises:
        ArenaError: The game has no features.
    """
    made: dict[str, spaces.Space[Any]] = {"observation": spaces.Box(-1.0, 1.0, (layout.observation_size,), np.float32)}
    if settings.features:
        try:
            made["features"] = spaces.Box(-1.0, 1.0, (len(names_of(layout.game)),), np.float32)
        except FeaturesError as error:
            raise ArenaError(str(error), exit_code=ExitCode.BAD_OPTION) from None
    if settings.planes:
        width, height = layout.grid
        made["planes"] = spaces.Box(-1.0, 1.0, (len(layout.planes), height, width), np.float32)
    if settings.mask == "info":
        return spaces.Box(-1.0, 1.0, (sum(spaces.flatdim(one) for one in made.values()),), np.float32)
    shape = layout.order_shape if rows else (layout.action_count,)
    return spaces.Dict(made | {"action_mask": spaces.Box(0, 1, shape, np.int8)})


def ended(outcome: Outcome, player: int) -> dict[str, Any]:
    """Return what the infos say at the end of a match: how it ended for a player by the rules, the points, and why."""
    return {"ending": outcome.verdict(player), "points": outcome.points(player), "reason": outcome.reason}


def forfeited(*, won: bool) -> dict[str, Any]:
    """Return what the infos say if a match ended by an illegal action of this player, or of all others."""
    return {"ending": "won" if won else "resigned", "points": float(won), "reason": "forfeit"}


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
