"""Run a bot against the referee at $ARENA_ENDPOINT: `python -m arena_player BOT.py`."""

import sys

from .runner import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
