"""Saloon: two gangs share one saloon, and the gang that plays more pianos wins."""

from __future__ import annotations

from pathlib import Path

from arena.game import BuiltinBot, GameSpec
from arena_saloon.lessons import LESSONS
from arena_saloon.options import OPTIONS, resolve_options
from arena_saloon.state import Game
from arena_saloon.traces import SaloonTrace

__all__ = ["GAME", "Game"]

_HERE = Path(__file__).parent

GAME = GameSpec(
    name="saloon",
    title="Saloon",
    version="1.0",
    state=Game,
    for_beginners=True,
    options=OPTIONS,
    resolver=resolve_options,
    lessons=LESSONS,
    ladder=(
        "builtin:rowdy",
        "builtin:pianist?at_random=80",
        "builtin:pianist?at_random=60",
        "builtin:pianist?at_random=40",
        "builtin:pianist?at_random=20",
        "builtin:pianist?at_random=10",
        "builtin:pianist",
        "builtin:sheriff?at_random=10",
        "builtin:sheriff?at_random=5",
        "builtin:sheriff",
        "builtin:search?playouts=8",
    ),
    kit=_HERE / "kit.py",
    template=_HERE / "bot_template.py.txt",
    bots=(
        BuiltinBot(
            "rowdy",
            _HERE / "bots" / "rowdy.py",
            "Plays at random.",
            "Give each cowboy a useful command in each turn: call one in, walk to the nearest piano and "
            "play it. Read the refusals of your actions in the replay.",
        ),
        BuiltinBot(
            "pianist",
            _HERE / "bots" / "pianist.py",
            "Plays as many pianos as possible, and never fights.",
            "The other gang plays pianos too. Shoot, punch and throw bottles at cowboys who stand at a "
            "piano, when it costs you no play of your own.",
        ),
        BuiltinBot(
            "sheriff",
            _HERE / "bots" / "sheriff.py",
            "Weighs pianos against fights, with every job's weapon.",
            "Compare whole turns, not single commands: try actions in `self.game.fork()`, and subtract "
            "what the enemy can do in the next turn.",
        ),
    ),
    viewer=_HERE / "viewer" / "saloon.js",
    rules=_HERE / "rules.md",
    trace=SaloonTrace(),
    playout_power=2.0,
    evaluation_power=1.05,
)
