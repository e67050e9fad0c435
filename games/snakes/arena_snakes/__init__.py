"""Snakes: Battlesnake's standard rules. The last snake wins."""

from __future__ import annotations

from pathlib import Path

from arena.game import BuiltinBot, GameSpec
from arena_snakes.lessons import LESSONS
from arena_snakes.options import OPTIONS, resolve_options
from arena_snakes.state import Game

__all__ = ["GAME", "Game"]

_HERE = Path(__file__).parent

GAME = GameSpec(
    name="snakes",
    title="Snakes",
    version="1.0",
    state=Game,
    options=OPTIONS,
    resolver=resolve_options,
    lessons=LESSONS,
    ladder=(
        "builtin:hatchling?at_random=40",
        "builtin:hatchling?at_random=20",
        "builtin:hatchling?at_random=10",
        "builtin:hatchling?at_random=5",
        "builtin:hatchling?at_random=2",
        "builtin:hatchling",
        "builtin:forager?at_random=2",
        "builtin:forager",
        "builtin:constrictor?at_random=1",
        "builtin:constrictor",
        "builtin:search?playouts=8",
    ),
    kit=_HERE / "kit.py",
    template=_HERE / "bot_template.py.txt",
    bots=(
        BuiltinBot(
            "hatchling",
            _HERE / "bots" / "hatchling.py",
            "Moves at random, but avoids walls and bodies.",
            "Eat, and do not enter a place that is smaller than your body: count the tiles that you can "
            "reach from each move.",
        ),
        BuiltinBot(
            "forager",
            _HERE / "bots" / "forager.py",
            "Takes the shortest way to food, and avoids dead ends.",
            "Think of the others: avoid tiles that a longer snake can reach at the same time, and "
            "attack heads of shorter ones.",
        ),
        BuiltinBot(
            "constrictor",
            _HERE / "bots" / "constrictor.py",
            "Takes space from the others and eats in time.",
            "Compare the space that you and the others can reach after each move, two or more turns "
            "ahead, with `self.game.fork()`.",
        ),
    ),
    viewer=_HERE / "viewer" / "snakes.js",
    rules=_HERE / "rules.md",
    playout_power=1.2,
)
