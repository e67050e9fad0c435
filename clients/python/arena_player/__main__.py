"""Run a bot against the referee at $ARENA_ENDPOINT: `python -m arena_player BOT.py`."""

from .runner import start

if __name__ == "__main__":
    start()
