"""One fuzzer: `python tests/fuzz/harness.py TARGET FOLDER [libFuzzer options]`. Needs atheris."""

import sys
from pathlib import Path

import atheris  # type: ignore[import-not-found,unused-ignore]

sys.path.insert(0, str(Path(__file__).parent))
with atheris.instrument_imports():
    import targets

if __name__ == "__main__":
    atheris.Setup([sys.argv[0], *sys.argv[2:]], targets.TARGETS[sys.argv[1]])
    atheris.Fuzz()
