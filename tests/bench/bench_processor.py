"""What it costs to give the processor to the seat that is asked, and what an honest bot gains by it.

Run it by hand: ``python tests/bench/bench_processor.py``. It prints the time of a turn of one action with bots that are
never frozen, frozen if busy (as matches are played), and always frozen; then what an honest bot uses alone and against
thieves, at each level.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS / "hostile"), str(TESTS / "bots")]

import test_processor  # noqa: E402 - beside the tests
from test_hostile import LEVELS  # noqa: E402

from arena.game import Clock  # noqa: E402
from arena.match.job import Job, SeatAssignment  # noqa: E402
from arena.match.limits import Policy  # noqa: E402
from arena.match.result import MatchResult  # noqa: E402
from arena.play.referee import processor  # noqa: E402
from arena.play.referee.__main__ import play  # noqa: E402
from arena.play.referee.match_process import play_in_process  # noqa: E402

PASSING = """
import statistics, time
from arena_player import AI

class Passing(AI):
    times = []

    def run_turn(self):
        self.times.append(time.perf_counter())

    def end(self, outcome):
        print(statistics.median(late - early for early, late in zip(self.times, self.times[1:])))
"""
TURNS = 3000
RUNS = 3


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "passing.py").write_text(PASSING)
        for level in LEVELS:
            turns(folder, level)
        for level in LEVELS:
            honest(folder, level)


def turns(folder: Path, level: int) -> None:
    """Print the time from one own turn to the next, in which each of two bots acts once."""
    rows: dict[str, list[float]] = {}
    for _ in range(RUNS):
        for mode in ("never", "if busy", "always"):
            rows.setdefault(mode, []).append(1e6 * round_time(folder, level, mode) / 2)
    floor = min(rows["never"])
    for mode, values in rows.items():
        print(f"L{level}, frozen {mode}: a turn of one action, p50 {min(values):.0f} us ({min(values) - floor:+.0f})")


def round_time(folder: Path, level: int, mode: str) -> float:
    """Return the median time from a turn to the next of the same bot."""
    job = Job(
        game="saloon",
        seats=(SeatAssignment(str(folder / "passing.py")),) * 2,
        options={"max_turns": TURNS, "width": 8, "height": 6, "max_hazard_pairs": 0, "brawler_damage": 0},
        seed=1,
        clock=Clock(bank=None, turn=10.0),
        policy=Policy(pause_idle="" if mode == "never" else "freeze"),
        max_isolation=level,
        require_isolation=level,
    )
    result = always(job) if mode == "always" else play_in_process(job)
    return float(result.players[0].stdout)


def always(job: Job) -> MatchResult:
    """Play a match in which every bot counts as busy from the beginning."""
    import multiprocessing

    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_play_always, (job,))


def _play_always(job: Job) -> MatchResult:
    begin = processor.Program.__init__

    def busy(self: processor.Program, process: object) -> None:
        begin(self, process)  # type: ignore[arg-type]
        self.uses_idle_time = True

    processor.Program.__init__ = busy  # type: ignore[method-assign]
    return play(job)


def honest(folder: Path, level: int) -> None:
    """Print what an honest bot uses alone and against each thief."""
    bots = test_processor.Bots(folder)
    alone = "from arena_player import AI\n\nclass Quiet(AI):\n    def run_turn(self): pass\n"
    for name, source in {"alone": alone, **test_processor.THIEVES}.items():
        begin = time.monotonic()
        result = bots.play((source, test_processor.HONEST), level)
        thief, player = result.players
        clock = player.clock
        cpu = "-" if clock.cpu is None else f"{1000 * clock.cpu / max(1, clock.turns):.0f}"
        print(
            f"L{level}, {name}: {player.ending}, {clock.turns} turns, CPU a turn {cpu} ms, wall a turn "
            f"{1000 * clock.wall / max(1, clock.turns):.0f} ms, worst turn {1000 * clock.worst_turn:.0f} ms; "
            f"the other {thief.ending} {thief.detail}; {time.monotonic() - begin:.1f} s"
        )


if __name__ == "__main__":
    main()
