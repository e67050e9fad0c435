"""The environment for PettingZoo's agent environment cycle: one agent at a time."""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv

from arena.game import LEAVE, GameSpec, filled
from arena_learn.environments.agents import Agents
from arena_learn.environments.play import Observation, ended, forfeited
from arena_learn.spaces.rewards import outcome_reward


class ArenaAEC(Agents, AECEnv[str, Observation, int]):
    """A game whose agents act one after the other. Agents are ``player_0``, ``player_1`` and so on.

    An observation is a dictionary: ``observation`` has the numbers of `Layout.observation_names`, ``action_mask`` is 1
    for each legal action. Several actions in a turn are several steps of one agent. So are the orders of a list, which
    number 0 ends. If players move simultaneously, the agents act one after the other without seeing what the others
    have chosen.

    At the end, infos have ``ending``, ``points`` and ``reason``.

    All agents stay until the match is over, also those who are out by the rules: their reward follows from the outcome.
    They are never asked again, and the first numbers of an observation say who is out.

    Args:
        game: The game, or its name.
        **settings: `Settings`, and options of the game such as ``players``.

    Attributes:
        layout: The layout.
        cut_off: How many legal actions had no number so far, and how many objects no row.

    Raises:
        ArenaError: There is no such game, or an option is wrong.
    """

    def __init__(self, game: str | GameSpec, **settings: Any) -> None:
        super().__init__(game, settings, parallel=False)

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
        self._note_infos()

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees, in arrays that nobody changes later."""
        player = self._players[agent]
        if agent != self.agent_selection:
            self._play.actions[player].note([])
        return self._play.observe(player)

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
        self._steps += 1
        actions = play.actions[player]
        if action is None or int(action) not in actions.legal:
            self._refuse(agent, player, action)
        elif (document := actions.take(int(action))) is not None:
            play.state.push(player, document)
        else:  # the list of orders goes on
            self._cut()
            self._note_infos()
            return
        if self._settings.potential is not None:
            for one, change in zip(self.possible_agents, self._rewarded.changes(play.state), strict=True):
                if one in rewards:
                    rewards[one] += change
        self._select()
        self._note_infos()
        for one, reward in rewards.items():
            if reward:
                self._cumulative_rewards[one] += reward
        if any(self.terminations.values()):
            self._deads_step_first()

    def _refuse(self, agent: str, player: int, action: object) -> None:
        state = self._play.state
        if self._settings.illegal == "mask":
            raise ValueError(f"Action {action} of {agent} is illegal here. Choose one whose action_mask is 1.")
        self.infos[agent] = {"illegal": True}
        if self._settings.illegal == "penalty":
            self.rewards[agent] -= self._settings.penalty
            state.push(player, filled(state.fallback_action(player)))
            return
        self.infos[agent] |= forfeited(won=False)
        self.rewards[agent] -= 1.0
        self.terminations[agent] = True
        state.push(player, LEAVE)
        staying = [one for one in self.agents if not self.terminations[one]]
        if len(staying) == 1:
            self.rewards[staying[0]] += 1.0
            self.terminations[staying[0]] = True
            self.infos[staying[0]] = forfeited(won=True)

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
        self._cut()

    def _cut(self) -> None:
        if self._settings.is_cut(self._steps):
            for one in self.agents:
                self.truncations[one] = not self.terminations[one]
            self._deads_step_first()

    def _note_infos(self) -> None:
        """Put the mask of the agent who acts next into its infos, if it belongs there."""
        if self._settings.mask == "info":
            for agent in self.agents:
                self.infos[agent].pop("action_mask", None)
            agent = self.agent_selection
            self.infos[agent] |= self._play.observers[self._players[agent]].info()

    def _end(self) -> None:
        outcome = self._play.state.outcome()
        for one in self.agents:
            if outcome is not None and not self.terminations[one]:
                self.rewards[one] += outcome_reward(outcome, self._players[one])
                self.infos[one] = self.infos[one] | ended(outcome, self._players[one])
            self.terminations[one] = True
        for actions in self._play.actions:
            actions.note([])
        self.agent_selection = self.agents[0]
