"""Find the fastest Python on this machine. `tools/setup.sh` runs this file before anything is installed.

How fast an interpreter is depends on how it was built: an optimized build is 10 to 50 % faster. Distributions optimize
theirs but do not always say so in `sysconfig`, so the interpreters are measured. Another interpreter must be clearly
faster (`CLEARLY`) to be preferred to the first on the path: less than the smallest gain of an optimized build, and more
than the noise between two rounds on a busy machine.
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
"""A measurement takes 0.2 s, so that the set-up waits 6 s at most."""
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
        process = subprocess.run(
            [command, "-I", "-c", "import os\n" + LOOP],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=True,
        )
        major, minor, micro, seconds, environment, path = process.stdout.splitlines()
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    version = (int(major), int(minor), int(micro))
    return Interpreter(path, version, float(seconds)) if version >= MINIMUM and environment == "False" else None


def candidates(path: str) -> list[str]:
    """Return the programs that could be a Python, from the folders in `path` and the usual ones, in this order."""
    folders = [*path.split(os.pathsep), "/usr/local/bin", "/usr/bin", "/opt/homebrew/bin"]
    names = ["python3", *(f"python3.{minor}" for minor in range(MINIMUM[1], 20))]
    paths = (os.path.join(folder, name) for folder in folders if folder for name in names)
    return list(dict.fromkeys(path for path in paths if os.access(path, os.X_OK)))


def measured(commands: list[str]) -> list[Interpreter]:
    """Measure different interpreters in turn, several times, and return the best time of each, in the given order."""
    best: dict[str, Interpreter] = {}
    command_of: dict[str, str] = {}
    for command in commands:
        interpreter = measure(command)
        if interpreter is not None and interpreter.path not in best and len(best) < MOST:
            best[interpreter.path] = interpreter
            command_of[interpreter.path] = command
    if len(best) == 1:
        return list(best.values())
    for _ in range(ROUNDS - 1):
        for path, command in command_of.items():
            interpreter = measure(command)
            if interpreter is not None and interpreter.seconds < best[path].seconds:
                best[path] = interpreter
    return list(best.values())


def faster(first: Interpreter, others: list[Interpreter]) -> Interpreter | None:
    fastest = min(others, key=lambda interpreter: interpreter.seconds, default=first)
    return fastest if fastest.seconds * CLEARLY < first.seconds else None


def main() -> int:
    """Print the path of the interpreter to use to standard output, and the reason to standard error."""
    interpreters = measured(candidates(os.environ.get("PATH", "")))
    if not interpreters:
        print("setup: Python 3.11 or newer is needed and was not found.", file=sys.stderr)
        return 1
    first, *others = interpreters
    fastest = faster(first, others)
    if fastest is None:
        reason = "no other is clearly faster" if others else "it is the only one"
        print(f"setup: using {first}: {reason}", file=sys.stderr)
    else:
        gain = first.seconds / fastest.seconds
        print(f"setup: using {fastest}: {gain:.2f} times as fast as {first}", file=sys.stderr)
    print((fastest or first).path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
