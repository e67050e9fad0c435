"""Measures one action from the bot's call to its result: 200 quantiles in microseconds, for `make bench`.

It also tells when its first turn began.

It lets a cowboy of Saloon walk to and fro: one accepted move a turn, and ends its turns.
"""

import json
import time

from arena_player import AI


class ProbeBot(AI):
    """Calls in cowboys and moves all of them in every turn."""

    def start(self) -> None:
        """Prepare the list of times."""
        self.times: list[float] = []
        self.first = 0.0

    def run_turn(self) -> None:
        """Move every own cowboy one step if possible."""
        self.first = self.first or time.monotonic()
        game = self.game
        if game.current_turn < 2 or not any(one.owner == self.index for one in game.cowboys):
            self.act({"type": "call_in", "young_gun": f"g{self.index}", "job": "Brawler"})
        for cowboy in list(game.cowboys):
            if cowboy.owner == self.index and not cowboy.is_dead:
                for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                    action = {"type": "move", "cowboy": cowboy.id, "x": cowboy.x + dx, "y": cowboy.y + dy}
                    begin = time.perf_counter()
                    result = self.act(action)
                    if result:
                        self.times.append(time.perf_counter() - begin)
                        break

    def end(self, outcome: object) -> None:
        """Print what was measured."""
        del outcome
        print("FIRST", self.first)
        times = sorted(self.times) or [0.0]
        print("TIMES", json.dumps([round(1e6 * times[len(times) * part // 200]) for part in range(200)]))
