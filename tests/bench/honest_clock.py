"""An honest bot that thinks to five milliseconds before the limit on every move, on a busy machine.

Run it by hand: ``python tests/bench/honest_clock.py [MOVES] [LIMIT_MS]``. Two busy processes run beside the match.
There must be no false loss.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from arena.game import Clock
from arena.match.job import Job, SeatAssignment
from arena.match.result import MatchResult
from arena.referee.match_process import play_in_process

HONEST = """
import time
from arena_player import AI

class Honest(AI):
    def run_turn(self):
        end = time.perf_counter() + {limit} - 0.005
        while time.perf_counter() < end:
            pass
"""


def main(moves: int, limit: float) -> None:
    """Play one long match and print how it ended."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    begin = time.monotonic()
    made = voids = 0
    worst = 0.0
    try:
        while made < moves:
            result = play(moves - made, limit, seed=made + 1)
            honest = result.players[0]
            made += (result.turns + 1) // 2
            worst = max(worst, 1000 * honest.clock.worst_turn)
            if honest.ending == "void":
                voids += 1  # the machine stood still; such a match is played again, and nobody has lost
            elif honest.ending not in ("won", "lost", "drawn"):
                print(f"FALSE LOSS after {made} moves: {honest.ending} {honest.detail}")
                return
    finally:
        for process in busy:
            process.kill()
            process.wait()
    print(f"{made} moves of {1000 * limit:g} ms, {honest.isolation.name}: no false loss, {voids} void matches")
    print(f"{time.monotonic() - begin:.0f} s, worst turn {worst:.2f} ms, pressure {result.pressure}")


def play(moves: int, limit: float, seed: int) -> MatchResult:
    """Play one long match."""
    with tempfile.TemporaryDirectory() as name:
        bot = Path(name) / "honest.py"
        bot.write_text(HONEST.format(limit=limit))
        job = Job(
            game="saloon",
            seats=(
                SeatAssignment(str(bot)),
                SeatAssignment(str(Path(__file__).parents[1] / "hostile" / "opponent.py")),
            ),
            options={"width": 8, "height": 6, "max_turns": 2 * moves},
            seed=seed,
            clock=Clock(startup=10, bank=None, increment=0, turn=limit, grace=0.02),
        )
        return play_in_process(job)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000, (float(sys.argv[2]) if len(sys.argv) > 2 else 15) / 1000)
