"""What the two environments of PettingZoo have in common."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Self

import numpy as np
from gymnasium import spaces

from arena.game import GameSpec
from arena_learn.environments.play import Observation, Play, Rewards, Settings, action_space
from arena_learn.environments.render import MODES, Renderer


class Agents:
    """The agents of one game, ``player_0``, ``player_1`` and so on, and their spaces.

    Attributes:
        layout: What the numbers of observations and actions mean.
        cut_off: How many legal actions had no number so far.
        state_space: The space of `state`.
    """

    def __init__(self, game: str | GameSpec, given: dict[str, Any], *, parallel: bool) -> None:
        super().__init__()
        self._settings, options = Settings.divide(given)
        self._play = Play(game, options, self._settings, rows=parallel)
        self.layout = self._play.layout
        name = f"{self._play.game.name}_v0"
        self.metadata = {"render_modes": list(MODES), "is_parallelizable": parallel, "name": name}
        self.render_mode = self._settings.render_mode
        self.possible_agents = [f"player_{player}" for player in range(self.layout.players)]
        self.agents: list[str] = []
        self._players = {agent: player for player, agent in enumerate(self.possible_agents)}
        rows = self._play.rows
        self.observation_spaces = dict.fromkeys(self.possible_agents, self._play.observation_space)
        # Each agent has a space of its own for actions: it samples from a generator of its own.
        self.action_spaces = {agent: action_space(self.layout, rows=rows) for agent in self.possible_agents}
        size = self.layout.players * self.layout.observation_size
        self.state_space: spaces.Space[Any] = spaces.Box(-1.0, 1.0, (size,), np.float32)
        self._rewarded = Rewards(self.layout.players, self._settings.potential)
        self._renderer = Renderer(self._play.game, self.layout)
        self._steps = 0
        self.cut_off = 0

    def observation_space(self, agent: str) -> spaces.Space[Observation]:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def state(self) -> np.ndarray[Any, Any]:
        """Return what all agents see, one after the other. It is for training only: it has what agents do not see."""
        play = self._play
        for player in range(self.layout.players):
            play.sync(player)
        return np.concatenate([tracker.numbers for tracker in play.trackers])

    def render(self) -> Any:
        """Return the picture (``rgb_array``) or the text (``ansi``) of the position; print it (``human``)."""
        return self._renderer.render(self.render_mode, self._play.state)

    def clone(self) -> Self:
        """Return a copy that goes on as this environment does: the same draws and the same seeds come next.

        `copy.deepcopy` and `pickle` make the same copy.
        """
        return deepcopy(self)

    def close(self) -> None:
        """Do nothing: the environment holds nothing."""
