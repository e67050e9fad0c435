"""The bot of `arena doctor` that tries runtimes and compilers, and prints the results as JSON."""

import json
import shutil
import subprocess
import sys

TRIES = {
    "python": ("python3", "python3 --version"),
    "node": ("node", "node --version"),
    "java": ("java", "java -version"),
    "javac": ("javac", "javac -version"),
    "g++": ("g++", "echo 'int main(){}' | g++ -x c++ - -o /tmp/a && /tmp/a && g++ --version"),
    "dotnet": ("dotnet", "dotnet --version"),
    "go": ("go", "go version"),
    "rust": ("rustc", "rustc --version"),
}
"""For each runtime: its program, and a command that uses it and prints its version."""


def try_runtime(program: str, command: str) -> tuple[bool, str]:
    if shutil.which(program) is None:
        return False, ""
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        errors="replace",
        check=False,
    )
    # Java first prints the options that the sandbox gives it.
    lines = [line for line in done.stdout.splitlines() if line.strip() and not line.startswith("NOTE: Picked up")]
    return done.returncode == 0, (lines or [f"exit code {done.returncode}"])[0].strip()[:200]


if __name__ == "__main__":
    json.dump({name: try_runtime(*one) for name, one in TRIES.items()}, sys.stdout)
