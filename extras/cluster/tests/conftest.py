"""Makes the helpers of the tests of contests importable."""

import sys
from pathlib import Path

TESTS = Path(__file__).parents[3] / "tests"
sys.path[:0] = [str(TESTS / "contests")]
