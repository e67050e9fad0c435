"""Figures for the kits in other languages, against the Python kit in interleaved matches of the same run.

Run it with `python tests/bench/bench_kits.py`. It prints the time of an action and its ratio to Python's, the CPU time
up to the first turn, how long the template in C++ takes to build, and what push and pop take from C++ over the rules
service, in batches.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from click.testing import CliRunner

from arena.authoring.kits import LANGUAGES
from arena.bots.bot import load_bot
from arena.bots.build import built
from arena.cli import cli
from arena.game import Clock
from arena.match.job import Job, SeatAssignment
from arena.referee.match_process import play_in_process

PROBES = Path(__file__).with_name("kits")
GAME = "saloon"
TARGETS = {"cpp": (0.8, 10), "javascript": (1.6, 120), "java": (1.6, 300), "python": (1.0, None)}
LONG = {"max_turns": 3000, "max_hazard_pairs": 0, "brawler_damage": 0, "piano_health": 100_000}


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="Matches of each language.")
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bots = {language: make(folder / language, language) for language in TARGETS}
        cold, cached = build_times(bots["cpp"])
        for bot in bots.values():
            built(load_bot(bot))
        seen: dict[str, list[dict[str, Any]]] = {language: [] for language in bots}
        for _ in range(rounds):
            for language, bot in bots.items():
                seen[language].append(measured(bot))
    floor = median(one["action"] for one in seen["python"])
    for language, found in seen.items():
        action, cpu = (median(one[key] for one in found) for key in ("action", "cpu"))
        most, most_cpu = TARGETS[language]
        print(
            f"{language:10} action {action:6.1f} us, {action / floor:.2f} times Python (at most {most}); "
            f"CPU to the first turn {cpu:5.1f} ms (at most {most_cpu})"
        )
    pushes = {language: median(one["push"] for one in seen[language]) for language in ("cpp", "python")}
    print(
        f"push and pop, batches of 100: C++ {pushes['cpp']:.1f} us, "
        f"{pushes['cpp'] / pushes['python']:.2f} times Python's {pushes['python']:.1f} (at most 2)"
    )
    print(f"build of the C++ template: {cold:.1f} s cold (at most 15), {1000 * cached:.1f} ms cached (at most 10)")


def make(folder: Path, language: str) -> Path:
    """Write a probe bot."""
    done = CliRunner().invoke(cli, ["new", GAME, str(folder), "--language", language])
    assert done.exit_code == 0, done.output
    program = "main.py" if language == "python" else LANGUAGES[language].program
    shutil.copy(PROBES / program, folder / program)
    return folder


def build_times(folder: Path) -> tuple[float, float]:
    """Return the seconds that a build takes, and those that finding its result takes."""
    bot = load_bot(folder)
    begin = time.perf_counter()
    built(bot, again=True)
    cold = time.perf_counter() - begin
    times = []
    for _ in range(20):
        begin = time.perf_counter()
        built(bot)
        times.append(time.perf_counter() - begin)
    return cold, median(times)


def measured(bot: Path) -> dict[str, Any]:
    """Play a match of a probe against itself, and return what it printed."""
    job = Job(
        game=GAME,
        seats=(SeatAssignment(str(bot)), SeatAssignment("builtin:rowdy")),
        seed=7,
        options=LONG,
        clock=Clock(bank=None, turn=20.0),
    )
    result = play_in_process(job)
    lines = [line for line in result.players[0].stdout.splitlines() if line.startswith("{")]
    assert lines, result.players[0]
    found: dict[str, Any] = json.loads(lines[-1])
    return found


if __name__ == "__main__":
    main()
