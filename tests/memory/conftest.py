"""The helpers of these tests are modules beside them, and the test games are in tests/game."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "game"))
sys.path.insert(0, str(Path(__file__).parent))
