"""Figures of batches: the time of an action by the size of its batch, in a turn with 200 units, against bare pyzmq.

Run with: python tests/bench/bench_batches.py
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parent / "figures"))
from floor import bare_exchange

from arena.bots.builtin import module_source
from arena.game import Clock
from arena.match.job import Job, SeatAssignment
from arena.match.lookup import find_game
from arena.play.referee.cores import choose_cpu
from arena.play.referee.match_process import play_in_process

UNITS = 200
SIZES = (1, 3, 9, 30, 60, 90, 200, 500)
OPTIONS = {"width": 100, "height": 60, "max_turns": 2 * UNITS + 640, "max_hazard_pairs": 0, "brawler_damage": 0,
           "max_cowboys_per_job": 1000, "max_furnishing_pairs": 0, "piano_health": 100_000}  # fmt: skip
BOT = f'''
import json
import time
from saloon import AI

SIZES = {SIZES}


class Bot(AI):
    """Calls in {UNITS} cowboys, then lets them walk to and fro in batches of each size."""

    def start(self):
        self.times = {{size: [] for size in SIZES}}
        self.count = 0

    def run_turn(self):
        gang = self.player.gang
        full = len(gang) >= {UNITS}
        size = SIZES[self.count % len(SIZES)] if full else 200
        self.count += full
        if not full:
            self.player.young_gun.call_in("Brawler")
        moves, taken = [], set()
        for cowboy in [one for one in gang if one.is_ready]:
            for tile in self.random.sample(cowboy.tile.neighbors, len(cowboy.tile.neighbors)):
                if tile.cowboy is None and tile.furnishing is None and not tile.is_balcony and tile not in taken:
                    taken.add(tile)
                    moves.append((cowboy, tile))
                    break
        begin = time.perf_counter()
        for at in range(0, len(moves), size):
            if size == 1:
                assert moves[at][0].move(moves[at][1])
                continue
            with self.batch() as results:
                for cowboy, tile in moves[at : at + size]:
                    cowboy.move(tile)
            assert all(results), results
        if full:
            self.times[size].append((time.perf_counter() - begin) / len(moves))

    def end(self, outcome):
        print(json.dumps(self.times))
'''


def measured(bot: Path) -> dict[int, float]:
    """Play a match, and return the median seconds of an action by the size of the batch."""
    seats = (SeatAssignment(str(bot)), SeatAssignment("builtin:pianist"))
    job = Job(game="saloon", seats=seats, seed=7, options=OPTIONS, clock=Clock(bank=None, turn=60.0))
    result = play_in_process(job)
    lines = [line for line in result.players[0].stdout.splitlines() if line.startswith("{")]
    assert lines, result.players[0]
    found: dict[str, Any] = json.loads(lines[-1])
    return {int(size): median(times) for size, times in found.items()}


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="Matches, with the floor measured before each.")
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as name:
        bot = Path(name)
        (bot / "main.py").write_text(BOT)
        (bot / "saloon.py").write_text(module_source(find_game("saloon")))
        floors, seen = [], []
        for _ in range(rounds):
            floors.append(bare_exchange(choose_cpu(None))[0])
            seen.append(measured(bot))
    floor = median(floors)
    print(f"bare pyzmq and msgpack: {1e6 * floor:.1f} us")
    for size in SIZES:
        found = median(one[size] for one in seen)
        print(f"batches of {size:3}: {1e6 * found:6.1f} us an action, {found / floor:.2f} times the floor")


if __name__ == "__main__":
    main()
