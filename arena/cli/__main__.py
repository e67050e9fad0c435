"""``python -m arena.cli`` is the command ``arena``."""

from arena.cli import main

main()
