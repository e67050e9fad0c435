"""The scenarios are modules beside the tests, and what looks for left-overs is beside those of the bots."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "bots")]
