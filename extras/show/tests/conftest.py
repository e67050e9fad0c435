"""Makes the helpers of the core's tests importable."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[3] / "tests" / name) for name in ("contests", "game", "referee")]
