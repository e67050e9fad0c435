"""Honest bots that think almost to the limit on every move, on a busy machine.

Run it by hand: ``python tests/bench/honest_clock.py [MOVES] [LIMIT_MS] [MATCHES] [LEVEL]``. Two busy programs run on
each processor. One bot thinks to five milliseconds before the limit by the clock on the wall, the other one computes
for four fifths of the limit. There must be no false loss.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from arena.game import Clock
from arena.match.ending import REGULAR
from arena.match.job import Job, SeatAssignment
from arena.match.result import MatchResult
from arena.referee.match_process import play_in_process

sys.path.insert(0, str(Path(__file__).parents[1] / "hostile"))

from playing import hogs_on_every_processor

HONEST = """
import time
from arena_player import AI

class Honest(AI):
    def run_turn(self):
        end = time.{clock}() + {seconds}
        while time.{clock}() < end:
            pass
"""
BUSY = 2


def main(moves: int, limit: float, matches: int, level: int) -> int:
    """Play the matches and print how they ended; return 1 after a false loss."""
    begin = time.monotonic()
    endings: Counter[str] = Counter()
    worst = 0.0
    made = 0
    with hogs_on_every_processor(BUSY):
        for number in range(matches):
            result = play(moves // matches, limit, level, seed=number + 1)
            made += result.turns
            for player in result.players:
                worst = max(worst, 1000 * player.clock.worst_turn)
                endings[player.ending] += 1
                if player.ending not in (*REGULAR, "void"):  # a void match is played again, and nobody has lost
                    print(f"FALSE LOSS in match {number + 1}: {player.ending} {player.detail}")
    print(f"{matches} matches, {made} moves of {1000 * limit:g} ms at L{level}, {BUSY} busy programs: {dict(endings)}")
    print(f"{time.monotonic() - begin:.0f} s, worst turn {worst:.2f} ms, pressure {result.pressure}")
    return int(not set(endings) <= {*REGULAR, "void"})


def play(moves: int, limit: float, level: int, seed: int) -> MatchResult:
    """Play one match of so many moves of each bot."""
    with tempfile.TemporaryDirectory() as name:
        by_wall, by_cpu = Path(name) / "by_wall.py", Path(name) / "by_cpu.py"
        by_wall.write_text(HONEST.format(clock="perf_counter", seconds=limit - 0.005))
        by_cpu.write_text(HONEST.format(clock="process_time", seconds=0.8 * limit))
        job = Job(
            game="saloon",
            seats=(SeatAssignment(str(by_wall)), SeatAssignment(str(by_cpu))),
            options={"width": 8, "height": 6, "max_turns": 2 * moves},
            seed=seed,
            clock=Clock(startup=10, bank=None, increment=0, turn=limit, grace=0.02),
            max_isolation=level,
            require_isolation=level,
        )
        return play_in_process(job)


if __name__ == "__main__":
    given = [float(text) for text in sys.argv[1:]]
    count, milliseconds, played, at = (*given, *(2_000, 15, 1, 3)[len(given) :])
    sys.exit(main(int(count), milliseconds / 1000, int(played), int(at)))
