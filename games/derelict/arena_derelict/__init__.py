"""Derelict: marines against aliens in the corridors of a wrecked ship."""

from pathlib import Path

from arena.game import BuiltinBot, Clock, GameSpec
from arena_derelict.editor import EDITOR
from arena_derelict.lessons import LESSONS
from arena_derelict.map_check import validate
from arena_derelict.map_files import MISSIONS, load_map
from arena_derelict.matches import decide, leg_score
from arena_derelict.options import MISSION_OPTION, OPTIONS, resolve
from arena_derelict.rulesets import RULESETS
from arena_derelict.state import Game
from arena_derelict.traces import DerelictTrace

_HERE = Path(__file__).parent

GAME = GameSpec(
    name="derelict",
    title="Derelict",
    version="1.0",
    state=Game,
    players=2,
    options=OPTIONS,
    rulesets=tuple(RULESETS),
    maps=MISSIONS,
    map_option=MISSION_OPTION,
    load_map=load_map,
    viewer=_HERE / "viewer" / "derelict.js",
    resolver=resolve,
    clock=Clock(bank=120.0, increment=0.5, turn=15.0),
    bots=(
        BuiltinBot(
            "castaway",
            _HERE / "bots" / "castaway.py",
            "Plays at random.",
            "Play both sides well, since each match has both. Marines shoot and cover corridors; "
            "aliens stay out of sight until they can attack.",
        ),
        BuiltinBot(
            "veteran",
            _HERE / "bots" / "veteran.py",
            "Plays sensibly on both sides, without looking ahead.",
            "Stop using fixed rules only: try the best choices in `self.game.fork(self.random)`, and "
            "play each to the end of the turn.",
        ),
        BuiltinBot(
            "tactician",
            _HERE / "bots" / "tactician.py",
            "Searches: tries choices in copies of the game with random dice.",
            "Search better: guess the numbers in the blips again for each try, play on for both sides, "
            "and spend your time on the choices that are close.",
        ),
    ),
    kit=_HERE / "kit.py",
    template=_HERE / "bot_template.py.txt",
    rules=_HERE / "rules.md",
    playout_power=0.9,
    evaluation_power=0.85,
    legs=2,
    trace=DerelictTrace(),
    editor=EDITOR,
    lessons=LESSONS,
    ladder=(
        "builtin:castaway",
        *(f"builtin:veteran?at_random={share}" for share in range(80, 0, -10)),
        "builtin:veteran",
        "builtin:tactician",
    ),
)

__all__ = ["GAME", "Game", "decide", "leg_score", "load_map", "validate"]
