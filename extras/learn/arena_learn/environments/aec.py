"""The environment for PettingZoo's agent environment cycle: one agent at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from arena.game import GameSpec
from arena.game.action import LEAVE
from arena.game.forms import filled
from arena_learn.environments.play import PENALTY, Illegal, Observation, Play, Potential, Rewards
from arena_learn.environments.render import MODES, Renderer
from arena_learn.spaces.layout import Layout
from arena_learn.spaces.rewards import outcome_reward


class ArenaAEC(AECEnv[str, Observation, int]):
    """A game whose agents act one after the other. Agents are ``player_0``, ``player_1`` and so on.

    An observation is a dictionary: ``observation`` has the numbers of `Layout.observation_names`, ``action_mask`` is 1
    for each legal action. Several actions in a turn are several steps of one agent. If players move simultaneously,
    the agents act one after the other without seeing what the others have chosen.

    All agents stay until the match is over, also those who are out by the rules: their reward follows from the outcome.
    They are never asked again, and the first numbers of an observation say who is out.

    Args:
        game: The game, or its name.
        options: Options of the game.
        render_mode: ``ansi``, ``rgb_array``, ``human`` (text on the terminal) or None.
        max_cycles: After so many actions the match is truncated; None for no limit but the game's own.
        illegal: What an illegal action does. ``penalty``: the agent gets ``-penalty``, and the game's fallback action
            is played (as the referee does). ``mask``: it raises `ValueError`. ``forfeit``: the agent leaves the match
            with -1; of two players, the other gets 1.
        penalty: See `illegal`.
        potential: A function of the state and a player. The reward of each step is its change, and at the end the
            outcome (see `outcome_reward`). By default it is 0.
        planes: Whether observations have ``planes``, the layers of the grid.
        layout: The layout of observations and actions; by default that of the game and its options.

    Attributes:
        layout: The layout.
        cut_off: How many legal actions had no number so far, and how many objects no row.

    Raises:
        ArenaError: There is no such game, or an option is wrong.
    """

    metadata: dict[str, Any] = {"render_modes": list(MODES), "is_parallelizable": False, "name": "arena"}  # noqa: RUF012

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
        super().__init__()
        self._play = Play(game, options or {}, planes=planes, layout=layout)
        self.layout = self._play.layout
        self.metadata = self.metadata | {"name": f"{self._play.game.name}_v0"}
        self.render_mode = render_mode
        self.max_cycles = max_cycles
        self.possible_agents = [f"player_{player}" for player in range(self.layout.players)]
        self.agents: list[str] = []
        self._players = {agent: player for player, agent in enumerate(self.possible_agents)}
        self.observation_spaces = dict.fromkeys(self.possible_agents, self._play.observation_space)
        self.action_spaces = {
            agent: cast("spaces.Space[int]", spaces.Discrete(self.layout.action_count))
            for agent in self.possible_agents
        }
        self._illegal = illegal
        self._penalty = penalty
        self._rewarded = Rewards(self.layout.players, potential)
        self._shaped = potential is not None
        self._renderer = Renderer(self._play.game, self.layout)
        self.cut_off = 0

    def observation_space(self, agent: str) -> spaces.Space[Observation]:
        """Return the space of an agent's observations."""
        return cast("spaces.Space[Observation]", self.observation_spaces[agent])

    def action_space(self, agent: str) -> spaces.Space[int]:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a match. With the same seed and the same actions, it is the same. `options` are ignored."""
        del options
        self._play.reset(seed)
        agents = self.possible_agents
        self.agents = list(agents)
        self.rewards = dict.fromkeys(agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(agents, 0.0)
        self.terminations = dict.fromkeys(agents, False)
        self.truncations = dict.fromkeys(agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in agents}
        self._steps = 0
        self._rewarded.start(self._play.state)
        self._select()

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees, in arrays that nobody changes later."""
        player = self._players[agent]
        if agent != self.agent_selection:
            self._play.actions[player].note([])
        return self._play.observe(player)

    def state(self) -> np.ndarray[Any, Any]:
        """Return what all agents see, one after the other. It is for training only: it has what agents do not see."""
        play = self._play
        for player in range(self.layout.players):
            play.sync(player)
        return np.concatenate([tracker.numbers for tracker in play.trackers])

    def step(self, action: int | None) -> None:
        """Carry out the action of the selected agent.

        Raises:
            ValueError: The action is illegal, and `illegal` is ``mask``.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        play, player = self._play, self._players[agent]
        self._cumulative_rewards[agent] = 0.0
        rewards = self.rewards
        for one in rewards:
            rewards[one] = 0.0
        if self.infos[agent]:
            self.infos[agent] = {}
        document = None if action is None else play.actions[player].legal.get(int(action))
        if document is None:
            self._refuse(agent, player, action)
        else:
            play.state.push(player, filled(document))
        self._steps += 1
        if self._shaped:
            for one, change in zip(self.possible_agents, self._rewarded.changes(play.state), strict=True):
                if one in rewards:
                    rewards[one] += change
        self._select()
        for one, reward in rewards.items():
            if reward:
                self._cumulative_rewards[one] += reward
        if any(self.terminations.values()):
            self._deads_step_first()

    def _refuse(self, agent: str, player: int, action: object) -> None:
        state = self._play.state
        if self._illegal == "mask":
            raise ValueError(f"Action {action} of {agent} is illegal here. Choose one whose action_mask is 1.")
        self.infos[agent] = {"illegal": True}
        if self._illegal == "penalty":
            self.rewards[agent] -= self._penalty
            state.push(player, filled(state.fallback_action(player)))
            return
        self.rewards[agent] -= 1.0
        self.terminations[agent] = True
        state.push(player, LEAVE)
        staying = [one for one in self.agents if not self.terminations[one]]
        if len(staying) == 1:
            self.rewards[staying[0]] += 1.0
            self.terminations[staying[0]] = True

    def _select(self) -> None:
        """Select the agent who acts next; at the end of the match, end it for all."""
        play = self._play
        while to_move := play.state.to_move():
            player = to_move[0]
            agent = self.possible_agents[player]
            if not self.terminations.get(agent, True):
                break
            if all(self.terminations.values()):  # everybody else has left
                return
            # A player who has left is still asked by the rules: the fallback action is played, as the referee does.
            play.state.push(player, filled(play.state.fallback_action(player)))
        else:
            self._end()
            return
        self.agent_selection = agent
        play.ask(player)
        self.cut_off += play.actions[player].cut_off
        if self.max_cycles is not None and self._steps >= self.max_cycles:
            for one in self.agents:
                self.truncations[one] = not self.terminations[one]
            self._deads_step_first()

    def _end(self) -> None:
        outcome = self._play.state.outcome()
        for one in self.agents:
            if outcome is not None and not self.terminations[one]:
                self.rewards[one] += outcome_reward(outcome, self._players[one])
            self.terminations[one] = True
        for actions in self._play.actions:
            actions.note([])
        self.agent_selection = self.agents[0]

    def render(self) -> Any:
        """Return the picture (``rgb_array``) or the text (``ansi``) of the position; print it (``human``)."""
        return self._renderer.render(self.render_mode, self._play.state)

    def close(self) -> None:
        """Do nothing: the environment holds nothing."""
