"""Find the fastest Python on this machine. `tools/setup.sh` runs this file before anything is installed.

How fast an interpreter is depends on how it was built: an optimized build is 10 to 50 % faster. Distributions optimize
theirs but do not always say so in `sysconfig`, so the interpreters are measured. Another interpreter must be clearly
faster (`CLEARLY`) to be preferred to the first on the path, because measurements on a busy machine are noisy.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass

MINIMUM = (3, 11)
CLEARLY = 1.08
MOST = 6
ROUNDS = 5
TIMEOUT = 20

# Attribute access, calls, dictionaries and strings, as in rules of games. Prints seconds of processor time.
LOOP = """
import sys, time
class Unit:
    __slots__ = ("x", "y")
    def __init__(self, x, y):
        self.x, self.y = x, y
    def moved(self, dx):
        return Unit(self.x + dx, self.y)
def play(number):
    board = {}
    for step in range(number):
        unit = Unit(step % 31, step % 17).moved(1)
        board[unit.x, unit.y] = f"unit {unit.x}"
    return len(board)
best = 9.0
for _ in range(3):
    start = time.process_time()
    play(20000)
    best = min(best, time.process_time() - start)
print(*sys.version_info[:3], best, sys.prefix != sys.base_prefix, os.path.realpath(sys.executable), sep="\\n")
"""


@dataclass(frozen=True, slots=True)
class Interpreter:
    path: str
    version: tuple[int, int, int]
    seconds: float

    def __str__(self) -> str:
        return f"{self.path} ({'.'.join(map(str, self.version))})"


def measure(command: str) -> Interpreter | None:
    """Return a measurement of one interpreter; None if it does not run, is too old, or belongs to an environment."""
    try:
        done = subprocess.run(
            [command, "-I", "-c", "import os\n" + LOOP],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=True,
        )
        major, minor, micro, seconds, environment, path = done.stdout.splitlines()
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    version = (int(major), int(minor), int(micro))
    return Interpreter(path, version, float(seconds)) if version >= MINIMUM and environment == "False" else None


def candidates(path: str) -> list[str]:
    """Return the programs that could be a Python, from the folders in `path` and the usual ones, in this order."""
    folders = [*path.split(os.pathsep), "/usr/local/bin", "/usr/bin", "/opt/homebrew/bin"]
    names = ["python3", *(f"python3.{minor}" for minor in range(MINIMUM[1], 20))]
    found = (os.path.join(folder, name) for folder in folders if folder for name in names)
    return list(dict.fromkeys(one for one in found if os.access(one, os.X_OK)))


def known(commands: list[str]) -> list[Interpreter]:
    """Measure different interpreters in turn, several times, and return the best time of each, in the given order."""
    best: dict[str, Interpreter] = {}
    usable = {}
    for command in commands:
        one = measure(command)
        if one is not None and one.path not in best and len(best) < MOST:
            best[one.path], usable[one.path] = one, command
    for _ in range(ROUNDS - 1 if len(best) > 1 else 0):
        for path, command in usable.items():
            again = measure(command)
            if again is not None and again.seconds < best[path].seconds:
                best[path] = again
    return list(best.values())


def faster(first: Interpreter, others: list[Interpreter]) -> Interpreter | None:
    fastest = min(others, key=lambda one: one.seconds, default=first)
    return fastest if fastest.seconds * CLEARLY < first.seconds else None


def main() -> int:
    """Print the path of the interpreter to use to standard output, and the reason to standard error."""
    found = known(candidates(os.environ.get("PATH", "")))
    if not found:
        print("setup: Python 3.11 or newer is needed and was not found.", file=sys.stderr)
        return 1
    chosen = faster(found[0], found[1:])
    if chosen is None:
        why = "no other is clearly faster" if len(found) > 1 else "it is the only one"
        print(f"setup: using {found[0]}: {why}", file=sys.stderr)
    else:
        gain = found[0].seconds / chosen.seconds
        print(f"setup: using {chosen}: {gain:.2f} times as fast as {found[0]}", file=sys.stderr)
    print((chosen or found[0]).path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
