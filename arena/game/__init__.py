"""The contract between games and the framework: what an author of rules promises, and what the framework makes of it.

An author writes a class of states (`State`) with its entities (`Entity`), marks actions (`action`), and registers both
with a `GameSpec`. From these the framework derives the referee, the protocol and its typed clients, replays, the
viewer, searches and the checks of the rules. docs/writing-a-game.md is the guide.

An author promises:

* Everything that can change is a declared field, or a table, with immutable values. Then the journal sees each change.
* An action checks first, and raises `IllegalAction` before it changes anything or draws a value.
* All randomness comes from `State.chance`. The same state, action and draws give the same state.
* `to_move`, `legal_actions`, `outcome` and the other questions change nothing, and agree with one another.
* What is hidden from a player follows from `sees`, `conceals` and `seen_by` alone.
* Rules know nothing of clocks, programs, files and players' names.

An author gets:

* `push` and `pop`: each action can be undone exactly, so that a search needs no copies. `clone` makes one.
* `view`, `delta`, `updates`: what each player may see, and what has changed of it, without a line of code in the rules.
* Decoded, checked arguments: a document that does not fit never reaches the rules.
* A seed that decides all dice, and the records of all draws.
* `arena game check` (`arena.testing.check_game`), which plays at random and tests every promise above.

How an action goes through: `push` admits and decodes it (`action`, `records`), the rule assigns fields, each assignment
writes the old value into the journal (`entity`, `tables`), and afterwards `delta` reads from the journal what every
player sees of it (`deltas`, `projection`). What is computed once for each class of states is its `Plan` (`plan`). The
vocabulary of the wire is in `kinds`, `arrays` and `forms`; `chance` has the dice, `outcome` the end of a game, `spec`
and `registry` the registration, `options` and `validation` what users may set.

The names in `__all__` are public. This package imports only the standard library, and no other package of Arena, so
that rules run wherever Python does: in the referee, in a bot, in a search, in the browser.
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
from arena.game.lessons import Detector, Mistake, PlayerTurn
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
    "Detector",
    "Document",
    "Draw",
    "Entity",
    "GameError",
    "GameSpec",
    "IllegalAction",
    "Integers",
    "MalformedAction",
    "Mistake",
    "NoChance",
    "Normal",
    "Option",
    "OptionError",
    "OptionValues",
    "Outcome",
    "PlayerTurn",
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
