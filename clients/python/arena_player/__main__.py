"""Run a bot against the referee at $ARENA_ENDPOINT: `python -m arena_player BOT.py`."""

import sys

from .leaving import leave
from .runner import main

if __name__ == "__main__":
    own = tuple(sys.modules)
    sys.exit(leave(main(sys.argv[1:]), own))
