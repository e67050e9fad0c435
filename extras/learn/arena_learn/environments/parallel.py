"""The environment for games in which players move simultaneously: all agents act at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pettingzoo import ParallelEnv

from arena.game import LEAVE, GameSpec, filled
from arena_learn.environments.agents import Agents
from arena_learn.environments.play import Observation, Observer, ended, forfeited
from arena_learn.spaces.rewards import outcome_reward

Step = tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]


class ArenaParallel(Agents, ParallelEnv[str, Observation, int]):
    """A game whose agents all act at once, then see what has happened. No wrapper of the `ArenaAEC`.

    Each agent gives one action in each step. For an agent who is not to move, only action 0 (wait) is legal, and any
    other action is ignored. So games in turns can be played as well, but `ArenaAEC` is made for them.

    In a game with lists of orders, an action has a number for each row of units: see `Actions.rows`. At the end, infos
    have ``ending``, ``points`` and ``reason``.

    Args:
        game: The game, or its name.
        **settings: `Settings`, and options of the game such as ``players``.

    Attributes:
        layout: The layout.
        cut_off: How many legal actions had no number so far.

    Raises:
        ArenaError: There is no such game, or an option is wrong.
    """

    def __init__(self, game: str | GameSpec, **settings: Any) -> None:
        super().__init__(game, settings, parallel=True)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begin a match. With the same seed and the same actions, it is the same. `options` are ignored."""
        del options
        self._play.reset(seed)
        self.agents = list(self.possible_agents)
        self._steps = 0
        self._rewarded.start(self._play.state)
        observations = self._observations()
        return observations, {agent: self._observer(agent).info() for agent in self.agents}

    def _observer(self, agent: str) -> Observer:
        return self._play.observers[self._players[agent]]

    def step(self, actions: Mapping[str, Any]) -> Step:
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
            number = actions.get(agent)
            document = None
            if agent in rewards and number is not None:
                document = self._observer(agent).taken(number)
            if document is not None:
                play.state.push(player, document)
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
        self, agent: str, number: Any, rewards: dict[str, float], infos: dict[str, dict[str, Any]], gone: set[str]
    ) -> None:
        if self._settings.illegal == "mask":
            raise ValueError(f"Action {number} of {agent} is illegal here. Choose one whose action_mask is 1.")
        infos[agent] = {"illegal": True}
        if self._settings.illegal == "penalty":
            rewards[agent] -= self._settings.penalty
            return
        rewards[agent] -= 1.0
        infos[agent] |= forfeited(won=False)
        gone.add(agent)
        self._play.state.push(self._players[agent], LEAVE)

    def _finish(self, rewards: dict[str, float], infos: dict[str, dict[str, Any]], gone: set[str]) -> Step:
        play, agents = self._play, self.agents
        staying = [agent for agent in agents if agent not in gone]
        is_over = not play.state.to_move()
        if is_over and (outcome := play.state.outcome()) is not None:
            for agent in staying:
                rewards[agent] += outcome_reward(outcome, self._players[agent])
                infos[agent] |= ended(outcome, self._players[agent])
        elif gone and len(staying) == 1:
            rewards[staying[0]] += 1.0
            infos[staying[0]] |= forfeited(won=True)
            is_over = True
        is_cut = not is_over and self._settings.is_cut(self._steps)
        terminations = {agent: is_over or agent in gone for agent in agents}
        truncations = {agent: is_cut and agent not in gone for agent in agents}
        observations = self._observations()
        for agent in agents:
            infos[agent] |= self._observer(agent).info()
        self.agents = [agent for agent in agents if not (terminations[agent] or truncations[agent])]
        return observations, rewards, terminations, truncations, infos

    def _observations(self) -> dict[str, Observation]:
        play = self._play
        for agent in self.agents:
            player = self._players[agent]
            play.ask(player)
            self.cut_off += play.actions[player].cut_off
        return {agent: play.observe(self._players[agent]) for agent in self.agents}
