"""The fixed cost of a match: CPU time of a sandboxed match of two turns, against two bare sandboxed Pythons.

Run: python tests/bench/bench_fixed_cost.py [ROUNDS]

The floor is what two bots cannot do without: bubblewrap with all namespaces, and an interpreter that does nothing. Both
sides are measured in turn, with all their processes.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median

from arena.bots.probe import probe
from arena.bots.sandbox.bwrap import sandbox_options
from arena.bots.sandbox.visible import visible_python
from arena.match.job import Job, SeatAssignment
from arena.match.limits import Limits
from arena.play.referee.match_process import ForkServer, play_in_process

BOT = "from arena_player import AI\n\n\nclass Bot(AI):\n    def run_turn(self):\n        pass\n"
AT_ONCE = 5


def milliseconds(work: Callable[[], object]) -> float:
    """Return the CPU time of a call of `work`, of this process and of all that it started and waited for."""

    def used() -> float:
        both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return sum(usage.ru_utime + usage.ru_stime for usage in both)

    before = used()
    work()
    return 1000 * (used() - before)


def matches(job: Job, count: int) -> None:
    """Play matches in the processes of one server, and wait for the server too."""
    server = ForkServer(job.game, forks=True)
    for _ in range(count):
        play_in_process(job, server)
    server.close()


def bare(program: tuple[str, ...]) -> Callable[[], object]:
    """Return a call that runs a program twice in bubblewrap, each with the mounts of a seat."""
    options = sandbox_options(visible_python().binds, {}, Limits(), working_folder="/")
    command = ["bwrap", *options, "--", *program]
    return lambda: [subprocess.run(command, check=True) for _ in range(2 * AT_ONCE)]


def main(rounds: int) -> None:
    """Print the medians and their ratio."""
    print(f"{probe().name}, {rounds} rounds of {AT_ONCE}, load {os.getloadavg()[0]:.1f}")
    python = visible_python().python
    whole, floors, sandboxes = [], [], []
    with tempfile.TemporaryDirectory() as name:
        bot = Path(name) / "bot.py"
        bot.write_text(BOT)
        seats = (SeatAssignment(str(bot)), SeatAssignment(str(bot)))
        job = Job(game="saloon", seats=seats, seed=1, options={"max_turns": 2})
        nothing = bare(("/bin/true",))
        floor = bare((python, "-S", "-s", "-B", "-c", "pass"))
        for _ in range(rounds):
            first = milliseconds(lambda: matches(job, 1))
            whole.append((milliseconds(lambda: matches(job, 1 + AT_ONCE)) - first) / AT_ONCE)
            floors.append(milliseconds(floor) / AT_ONCE)
            sandboxes.append(milliseconds(nothing) / AT_ONCE)
    print(f"a match of two turns            {median(whole):6.1f} ms CPU")
    print(f"two bare sandboxed Pythons      {median(floors):6.1f} ms CPU")
    print(f"two sandboxes with /bin/true    {median(sandboxes):6.1f} ms CPU")
    print(f"ratio {median(whole) / median(floors):.2f} (of the least {min(whole) / min(floors):.2f}); target 2.4")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
