"""Measures actions, the CPU time before the first turn, and push and pop. The probes in all languages do the same."""

from __future__ import annotations

import json
import time
from random import Random
from statistics import median

from saloon import AI

from arena_player import Outcome

BATCH = 100
ROUNDS = 20


class Probe(AI):
    """Lets cowboys walk to and fro, and ends its turns."""

    def start(self) -> None:
        """Prepare the measurements."""
        self.times: list[float] = []
        self.push = 0.0
        self.cpu = 0.0

    def run_turn(self) -> None:
        """Move every own cowboy one step."""
        self.cpu = self.cpu or time.process_time()
        if self.turn < 2:
            self.player.young_gun.call_in("Brawler")
        for cowboy in self.game.cowboys:
            if cowboy.owner != self.index or cowboy.is_dead:
                continue
            for tile in cowboy.tile.neighbors:
                begin = time.perf_counter()
                moved = cowboy.move(tile)
                if moved:
                    self.times.append(time.perf_counter() - begin)
                    break
        if self.turn > 100 and not self.push:
            self.measure_rules()

    def measure_rules(self) -> None:
        """Measure push and pop in batches."""
        from arena.game.chance import Sampled

        state, dice = self.game.fork(Random(1)), Sampled(Random(1))
        action = state.legal_actions(self.index)[0]
        times = []
        for _ in range(ROUNDS):
            begin = time.perf_counter()
            for _ in range(BATCH):
                state.pop(state.push(self.index, action, dice))
                dice.take()
            times.append(time.perf_counter() - begin)
        self.push = median(times) / BATCH

    def end(self, outcome: Outcome) -> None:
        """Print what was measured, in microseconds and milliseconds."""
        del outcome
        print(json.dumps({"action": 1e6 * median(self.times), "cpu": 1e3 * self.cpu, "push": 1e6 * self.push}))
