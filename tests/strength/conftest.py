"""Makes the helpers of the tests of contests importable: results of matches that nobody plays, and the command."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "contests"))
