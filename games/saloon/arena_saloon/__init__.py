"""Saloon: two gangs share one saloon, and the gang that plays more pianos wins."""

from __future__ import annotations

from pathlib import Path

from arena.game import BuiltinBot, GameSpec
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
    options=OPTIONS,
    resolver=resolve_options,
    kit=_HERE / "kit.py",
    template=_HERE / "bot_template.py.txt",
    bots=(
        BuiltinBot("rowdy", _HERE / "bots" / "rowdy.py", "Plays at random."),
        BuiltinBot("pianist", _HERE / "bots" / "pianist.py", "Plays as many pianos as possible, and never fights."),
        BuiltinBot("sheriff", _HERE / "bots" / "sheriff.py", "Weighs pianos against fights, with every job's weapon."),
    ),
    viewer=_HERE / "viewer" / "saloon.js",
    rules=_HERE / "rules.md",
    trace=SaloonTrace(),
    former_schemas=("a767272eb61ddace",),  # of version 0.1.0, whose hash included the explanations
)
