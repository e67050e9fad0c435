"""Runs all fuzzers for a while each and keeps what they found interesting: `make fuzz`.

    python tests/fuzz/run.py [SECONDS]

Needs atheris, which is not among the development dependencies; without it, says so and does nothing.
The corpus is one file for each target, a list of inputs in hexadecimal; `test_corpus.py` tries them all.
"""

import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
VECTORS = HERE.parents[1] / "docs" / "protocol-vectors"
TARGETS = ("unpack", "world")
LONGEST = 512
"""Longer inputs are fuzzed with, but not kept."""
MOST = 300
"""How many inputs are kept, the shortest first."""


def main(arguments: list[str]) -> int:
    """Runs them one after the other; the exit code of the first that found something."""
    if importlib.util.find_spec("atheris") is None:
        print("atheris is not installed, nothing is fuzzed (pip install atheris)")
        return 0
    seconds = arguments[0] if arguments else "60"
    for target in TARGETS:
        print(f"--- {target}, {seconds} s", flush=True)
        if code := fuzz(target, seconds):
            return code
    return 0


def fuzz(target: str, seconds: str) -> int:
    """Fuzzes one target, and adds to its corpus what reached something new."""
    kept = read(target)
    with tempfile.TemporaryDirectory() as folder:
        inputs, found = Path(folder, "inputs"), Path(folder, "found")
        inputs.mkdir()
        found.mkdir()
        for number, data in enumerate([*kept, *vectors(target)]):
            (inputs / f"start-{number}").write_bytes(data)
        options = [
            f"-max_total_time={seconds}",
            "-max_len=4096",
            "-rss_limit_mb=1000",
            f"-artifact_prefix={HERE}/crash-",
        ]
        if code := harness(target, str(found), str(inputs), *options):
            return code
        kept += [path.read_bytes() for path in found.iterdir()]
    short = sorted({data for data in kept if len(data) <= LONGEST}, key=lambda data: (len(data), data))
    entries = ",\n".join(json.dumps(data.hex()) for data in short[:MOST])
    corpus(target).write_text(f"[\n{entries}\n]\n")
    return 0


def harness(target: str, *options: str) -> int:
    """Runs one fuzzer in its own process."""
    return subprocess.run([sys.executable, str(HERE / "harness.py"), target, *options], check=False).returncode


def corpus(target: str) -> Path:
    """The file with the inputs of a target."""
    return HERE / f"corpus-{target}.json"


def read(target: str) -> list[bytes]:
    """The kept corpus."""
    path = corpus(target)
    return [bytes.fromhex(entry) for entry in json.loads(path.read_text())] if path.exists() else []


def vectors(target: str) -> list[bytes]:
    """Every test vector of the protocol is a start."""
    return [
        vector["sender"][0].encode() + bytes.fromhex(vector["hex"])
        for name in ("valid.json", "invalid.json")
        for vector in json.loads((VECTORS / name).read_text())
        if target == "unpack"
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
