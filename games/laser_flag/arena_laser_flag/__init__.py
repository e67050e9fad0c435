"""Laser Flag: a tactical shooting game for Arena."""

from pathlib import Path

from arena.game import BuiltinBot, GameSpec
from arena_laser_flag.editor import EDITOR
from arena_laser_flag.lessons import LESSONS
from arena_laser_flag.map_files import load_map, map_names
from arena_laser_flag.options import OPTIONS, resolve
from arena_laser_flag.rulesets import RULESETS
from arena_laser_flag.state import Game
from arena_laser_flag.traces import LaserFlagTraces

__all__ = ["GAME"]

_HERE = Path(__file__).parent

GAME = GameSpec(
    name="laser_flag",
    title="Laser Flag",
    version="1.0",
    state=Game,
    options=OPTIONS,
    rulesets=RULESETS,
    maps=map_names(),
    map_option="map",
    load_map=load_map,
    kit=_HERE / "kit.py",
    template=_HERE / "bot_template.py.txt",
    bots=(
        BuiltinBot(
            "rookie",
            _HERE / "bots" / "rookie.py",
            "Plays at random.",
            "Shoot whenever the chance is good, and end each move behind cover. The page of the rules "
            "has the table of chances.",
        ),
        BuiltinBot(
            "sergeant",
            _HERE / "bots" / "sergeant.py",
            "Shoots when the chance is good, and moves from cover to cover.",
            "Choose the order of your units: who moves first, who shoots first, and who keeps action "
            "points for reaction shots. Send units without laser to a base.",
        ),
        BuiltinBot(
            "commander",
            _HERE / "bots" / "commander.py",
            "Searches for the turn with the best expected value.",
            "Look further than your own turn: try actions in `self.game.fork()`, and subtract the best "
            "shots that the enemy has after them.",
        ),
    ),
    viewer=_HERE / "viewer" / "laser_flag.js",
    resolver=resolve,
    rules=_HERE / "rules.md",
    legs=2,
    trace=LaserFlagTraces(),
    editor=EDITOR,
    lessons=LESSONS,
    ladder=(
        "builtin:rookie",
        "builtin:sergeant?at_random=90",
        "builtin:sergeant?at_random=80",
        "builtin:sergeant?at_random=70",
        "builtin:sergeant?at_random=60",
        "builtin:sergeant?at_random=40",
        "builtin:sergeant?at_random=20",
        "builtin:sergeant",
        "builtin:commander?at_random=10",
        "builtin:commander",
    ),
    playout_power=1.4,
    evaluation_power=1.5,
)
