"""Makes the helpers of the tests of tournaments and seasons importable."""

import sys
from pathlib import Path

TESTS = Path(__file__).parents[3] / "tests"
sys.path[:0] = [str(TESTS / "tournament"), str(TESTS / "season")]
