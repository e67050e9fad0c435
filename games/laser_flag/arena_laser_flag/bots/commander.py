"""Commander: searches for the turn with the best expected value, in a copy of the game."""

from __future__ import annotations

from random import Random
from typing import Any

from laser_flag import AI
from planner import Planner

SHORT_OF_TIME = 2.0


class Commander(AI):
    """Plays the planner's best action again and again, until waiting is better."""

    def start(self) -> None:
        """Seed the guesses of hidden units with the map and the side."""
        self.random = Random(f"{self.game.terrain} {self.index}")
        self.game.fork(self.random)

    def run_turn(self) -> None:
        """Plan for all units together. If there are many units or little time, plan for one unit at a time."""
        waiting = [unit.id for unit in self.player.units]
        while waiting:
            left = self.time_left
            if left is not None and left < SHORT_OF_TIME / 2:
                return
            state: Any = self.game.fork(self.random)  # a state of the rules, which Planner reads in full
            known = {unit.id: unit for unit in state.players[self.index].units}
            waiting = [id_ for id_ in waiting if id_ in known and known[id_].ap]
            hurried = len(waiting) > 5 or (left is not None and left < SHORT_OF_TIME)
            considered = waiting[:1] if hurried else waiting
            action = Planner(state, self.index).best(considered)
            if action is None:
                waiting = [id_ for id_ in waiting if id_ not in considered]
            elif not self.act(action):
                return
