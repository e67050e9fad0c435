"""The test games are modules in tests/game; put their folder on the path."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "game"))
sys.path.insert(0, str(Path(__file__).parent))
