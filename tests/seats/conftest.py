"""The scripts for `make stats` have what starts hosts and joins them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "stats"))
