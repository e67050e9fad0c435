"""Plays every hostile scenario once at each level of this machine and prints a table: ending, and time to the verdict.

Run it by hand: ``python tests/bench/scenario_table.py``. The time is from the first turn (for bots that do not start:
from the start of their programs) to the end of the match; scenarios with a limit of 0.3 s a turn contain that time.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS / "hostile"), str(TESTS / "bots")]

import test_hostile  # noqa: E402 - beside the tests


def main() -> None:
    """Play and print."""
    levels = test_hostile.LEVELS
    print("| scenario | " + " | ".join(f"L{level}: ending | ms" for level in levels) + " |")
    print("|---|" + "---|---:|" * len(levels))
    for group, members in test_hostile.scenarios.GROUPS.items():
        for scenario in members:
            cells = []
            for level in levels:
                if scenario.level not in (None, level):
                    cells.append("- | -")
                    continue
                with tempfile.TemporaryDirectory() as name:
                    result = test_hostile.play(Path(name), scenario.source, level, turn=scenario.turn)
                started = result.seconds.start > 0 and result.players[0].ending != "no_start"
                seconds = result.seconds.total - (result.seconds.start if started else 0.0)
                cells.append(f"{result.players[0].ending} | {1000 * seconds:.0f}")
            print(f"| {group}: {scenario.name.replace('_', ' ')} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
