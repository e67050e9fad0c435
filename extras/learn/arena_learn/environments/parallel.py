"""The environment for games in which players move simultaneously: all agents act at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from gymnasium import spaces
from pettingzoo import ParallelEnv

from arena.game import GameSpec
from arena.game.action import LEAVE
from arena.game.forms import filled
from arena_learn.environments.play import PENALTY, Illegal, Observation, Play, Potential, Rewards
from arena_learn.environments.render import MODES, Renderer
from arena_learn.spaces.layout import WAIT, Layout
from arena_learn.spaces.rewards import outcome_reward

Step = tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]


class ArenaParallel(ParallelEnv[str, Observation, int]):
    """A game whose agents all act at once, then see what has happened. No wrapper of the `ArenaAEC`.

    Each agent gives one action in each step. For an agent who is not to move, only action 0 (wait) is legal, and any
    other action is ignored. So games in turns can be played as well, but `ArenaAEC` is made for them.

    Args:
        game: The game, or its name.
        options: Options of the game.
        render_mode: ``ansi``, ``rgb_array``, ``human`` (text on the terminal) or None.
        max_cycles: After so many steps the match is truncated; None for no limit but the game's own.
        illegal: What an illegal action does: see `ArenaAEC`.
        penalty: See `ArenaAEC`.
        potential: See `ArenaAEC`.
        planes: Whether observations have ``planes``, the layers of the grid.
        layout: The layout of observations and actions; by default that of the game and its options.

    Attributes:
        layout: The layout.
        cut_off: How many legal actions had no number so far.

    Raises:
        ArenaError: There is no such game, or an option is wrong.
    """

    metadata: dict[str, Any] = {"render_modes": list(MODES), "is_parallelizable": True, "name": "arena"}  # noqa: RUF012

    def __init__(
        self,
        game: str | GameSpec,
        options: Mapping[str, Any] | None = None,
        *,
        render_mode: str | None = None,
        max_cycles: int | None = None,
        illegal: Illegal = "penalty",
        penalty: float = PENALTY,
        potential: Potential | None = None,
        planes: bool = False,
        layout: Layout | None = None,
    ) -> None:
        self._play = Play(game, options or {}, planes=planes, layout=layout)
        self.layout = self._play.layout
        self.metadata = self.metadata | {"name": f"{self._play.game.name}_v0"}
        self.render_mode = render_mode
        self.max_cycles = max_cycles
        self.possible_agents = [f"player_{player}" for player in range(self.layout.players)]
        self.agents: list[str] = []
        self._players = {agent: player for player, agent in enumerate(self.possible_agents)}
        self.observation_spaces = {
            agent: cast("spaces.Space[Observation]", self._play.observation_space) for agent in self.possible_agents
        }
        self.action_spaces = {
            agent: cast("spaces.Space[int]", spaces.Discrete(self.layout.action_count))
            for agent in self.possible_agents
        }
        self._illegal = illegal
        self._penalty = penalty
        self._rewarded = Rewards(self.layout.players, potential)
        self._renderer = Renderer(self._play.game, self.layout)
        self.cut_off = 0

    def observation_space(self, agent: str) -> spaces.Space[Observation]:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[int]:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begin a match. With the same seed and the same actions, it is the same. `options` are ignored."""
        del options
        self._play.reset(seed)
        self.agents = list(self.possible_agents)
        self._steps = 0
        self._rewarded.start(self._play.state)
        return self._observations(), {agent: {} for agent in self.agents}

    def step(self, actions: Mapping[str, int]) -> Step:
        """Carry out one action of each agent.

        Raises:
            ValueError: An action is illegal, and `illegal` is ``mask``.
        """
        play = self._play
        rewards = dict.fromkeys(self.agents, 0.0)
        infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        gone: set[str] = set()
        asked = play.state.to_move()
        for player in asked:
            if player not in play.state.to_move():
                continue  # what another player has just done has ended this player's move
            agent = self.possible_agents[player]
            number = actions.get(agent, WAIT)
            document = play.actions[player].legal.get(int(number)) if agent in rewards else None
            if document is not None:
                play.state.push(player, filled(document))
                continue
            if agent in rewards:
                self._refuse(agent, number, rewards, infos, gone)
            if player in play.state.to_move():
                play.state.push(player, filled(play.state.fallback_action(player)))
        self._steps += 1
        changes = self._rewarded.changes(play.state)
        for agent in rewards:
            rewards[agent] += changes[self._players[agent]]
        return self._finish(rewards, infos, gone)

    def _refuse(
        self, agent: str, number: int, rewards: dict[str, float], infos: dict[str, dict[str, Any]], gone: set[str]
    ) -> None:
        if self._illegal == "mask":
            raise ValueError(f"Action {number} of {agent} is illegal here. Choose one whose action_mask is 1.")
        infos[agent] = {"illegal": True}
        if self._illegal == "penalty":
            rewards[agent] -= self._penalty
            return
        rewards[agent] -= 1.0
        gone.add(agent)
        self._play.state.push(self._players[agent], LEAVE)

    def _finish(self, rewards: dict[str, float], infos: dict[str, dict[str, Any]], gone: set[str]) -> Step:
        play, agents = self._play, self.agents
        staying = [agent for agent in agents if agent not in gone]
        is_over = not play.state.to_move()
        if is_over and (outcome := play.state.outcome()) is not None:
            for agent in staying:
                rewards[agent] += outcome_reward(outcome, self._players[agent])
        elif gone and len(staying) == 1:
            rewards[staying[0]] += 1.0
            is_over = True
        is_cut = not is_over and self.max_cycles is not None and self._steps >= self.max_cycles
        terminations = {agent: is_over or agent in gone for agent in agents}
        truncations = {agent: is_cut and agent not in gone for agent in agents}
        observations = self._observations()
        self.agents = [agent for agent in agents if not (terminations[agent] or truncations[agent])]
        return observations, rewards, terminations, truncations, infos

    def _observations(self) -> dict[str, Observation]:
        play = self._play
        for agent in self.agents:
            player = self._players[agent]
            play.ask(player)
            self.cut_off += play.actions[player].cut_off
        return {agent: play.observe(self._players[agent]) for agent in self.agents}

    def state(self) -> np.ndarray[Any, Any]:
        """Return what all agents see, one after the other. It is for training only: it has what agents do not see."""
        return np.concatenate([tracker.numbers for tracker in self._play.trackers])

    def render(self) -> Any:
        """Return the picture (``rgb_array``) or the text (``ansi``) of the position; print it (``human``)."""
        return self._renderer.render(self.render_mode, self._play.state)

    def close(self) -> None:
        """Do nothing: the environment holds nothing."""
