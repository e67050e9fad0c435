"""The contract between games and the framework.

It provides entities with journalled fields, actions, states with `push` and `pop`, chance, and `GameSpec`, which
registers a game. This package imports only the standard library, and no other package of Arena.
"""

from arena.game.action import LEAVE, action
from arena.game.arrays import Array
from arena.game.chance import (
    Chance,
    Draw,
    Integers,
    NoChance,
    Normal,
    Real,
    Sampled,
    Scripted,
    Seeded,
    enumerate_chance,
)
from arena.game.entity import Entity, field, shared, table
from arena.game.errors import GameError, IllegalAction, MalformedAction, OptionError, ScriptError
from arena.game.forms import choices_of, filled, is_form, sample, spread
from arena.game.kinds import Document, Tile, View
from arena.game.options import Option, OptionValues
from arena.game.outcome import Outcome
from arena.game.records import AtMost
from arena.game.registry import UnknownGame, load, names
from arena.game.spec import BuiltinBot, Clock, GameSpec, TraceFormat
from arena.game.state import State

__all__ = [
    "LEAVE",
    "Array",
    "AtMost",
    "BuiltinBot",
    "Chance",
    "Clock",
    "Document",
    "Draw",
    "Entity",
    "GameError",
    "GameSpec",
    "IllegalAction",
    "Integers",
    "MalformedAction",
    "NoChance",
    "Normal",
    "Option",
    "OptionError",
    "OptionValues",
    "Outcome",
    "Real",
    "Sampled",
    "ScriptError",
    "Scripted",
    "Seeded",
    "State",
    "Tile",
    "TraceFormat",
    "UnknownGame",
    "View",
    "action",
    "choices_of",
    "enumerate_chance",
    "field",
    "filled",
    "is_form",
    "load",
    "names",
    "sample",
    "shared",
    "spread",
    "table",
]
