"""Matches in memory against the same matches with processes: truth, digest, and how long they take.

    python tests/bench/bench_memory.py [SEEDS]

Plays each game SEEDS times (100) in both ways, with built-in bots that do not look at their time, and compares all that
is recorded. The exit code is 1 if any match differs. The figures are medians of a whole match, in seconds.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1] / "memory"))

from same import LINEUPS, both

from arena.checks.verification import verify
from arena.memory import play_in_memory


def timed(play: Callable[[], object]) -> float:
    begun = time.perf_counter()
    play()
    return time.perf_counter() - begun


def compare(game: str, seeds: int, folder: Path) -> int:
    """Print a line about a game, and return the number of matches that differ."""
    bots = LINEUPS[game]
    different, plain, recorded, processes = 0, [], [], []
    path = folder / "memory.arena"
    for seed in range(1, seeds + 1):
        plain.append(timed(lambda seed=seed: play_in_memory(game, bots, seed=seed)))
        recorded.append(timed(lambda seed=seed: play_in_memory(game, bots, seed=seed, replay=path)))
        one, other, memory, with_processes = both(folder, game, bots, seed)
        processes.append(other.seconds.total)
        same = memory == with_processes and (one.digest, one.course) == (other.digest, other.course)
        if not same or not verify(path).ok:
            different += 1
            print(f"{game}, seed {seed}: {one.course} in memory, {other.course} with processes", flush=True)
    times = " / ".join(f"{median(values):.3f}" for values in (plain, recorded, processes))
    print(f"{game}: {seeds} seeds, {different} differ; in memory / with replay / with processes: {times} s", flush=True)
    return different


def main() -> None:
    """Compare all games."""
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    with tempfile.TemporaryDirectory() as folder:
        different = sum(compare(game, seeds, Path(folder)) for game in LINEUPS)
    sys.exit(different > 0)


if __name__ == "__main__":
    main()
