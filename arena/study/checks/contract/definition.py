"""Check the declarations of a game, before any game is played."""

from __future__ import annotations

import json
import keyword
import pickle
import re
import sys
from importlib.machinery import BuiltinImporter, PathFinder

from arena.bots.builtin import is_typed_module
from arena.game import GameError, GameSpec, OptionError
from arena.sdk.languages import LANGUAGES, camel_case
from arena.study.checks.contract.report import Ledger
from arena.study.replaying.recorded import describe

BOT_MODULES = ("main", "test_bot")
"""The Python files of each new bot, besides the game's typed module."""


def check_definition(game: GameSpec, ledger: Ledger) -> bool:
    """Check names, options, files, actions, classes and schema. Return whether the game can be played at all."""
    if problem := name_problem(game.name):
        ledger.add("definition", f"{problem}. Choose another name")
    if type(game.players) is not int or game.players < 1:
        ledger.add("definition", f"the game has {game.players} players")
    if any(
        option.name == "players" and (option.type != "int" or None in (option.minimum, option.maximum))
        for option in game.options
    ):
        ledger.add("definition", "the option `players` must have the type int, a minimum and a maximum")
    _check_options(game, ledger)
    _check_files(game, ledger)
    try:
        plan = game.state.plan()
    except GameError as error:
        ledger.add("definition", str(error))
        return False
    owners: dict[str, str] = {}
    for action in plan.actions:
        owner = owners.setdefault(action.type, action.owner.__name__)
        if owner != action.owner.__name__:
            ledger.add("definition", f"{owner} and {action.owner.__name__} both have an action {action.type}")
        if not action.doc.strip():
            ledger.add("definition", f"the action {action.owner.__name__}.{action.type} has no docstring")
    if not plan.actions:
        ledger.add("definition", "the game has no actions")
    _check_secrets(game, ledger)
    _check_schema(game, ledger)
    return True


def name_problem(name: str) -> str | None:
    """Return why a game cannot have a name, without a period; None if it can.

    In a bot's folder, the game's typed module is the file ``NAME.py``. This file must not replace another file, or hide
    a Python module. The game's class for Java bots must not replace a class of the kit.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        return f"the name {name!r} is not a word in lower case with underscores, or it is a keyword of Python"
    if name in BOT_MODULES:
        return f"the name {name} is also that of the file {name}.py in each bot's folder"
    java = camel_case(name)
    if java in LANGUAGES["java"].reserved.split():
        return f"the name {name} is also that of the class {java} in the kit for Java"
    # Do not use `importlib.util.find_spec`: it also searches the loaded modules, and fails for a module without a spec.
    spec = BuiltinImporter.find_spec(name) or PathFinder.find_spec(name)
    if spec is None or spec.origin is None or is_typed_module(spec.origin):
        if name not in sys.stdlib_module_names:
            return None
        location = "of the standard library"
    else:
        location = spec.origin
    return (
        f"the name {name} is also that of the Python module {location}. In a bot's folder, the game's typed module "
        f"{name}.py would hide it, and fork() could not import the rules"
    )


def _check_options(game: GameSpec, ledger: Ledger) -> None:
    for option in game.options:
        if option.default is not None:
            try:
                option.check(option.default)
            except OptionError as error:
                ledger.add("definition", f"the default of an option is not allowed: {error}")
        if not option.doc.strip():
            ledger.add("definition", f"the option {option.name} has no explanation")
    if game.map_option and game.map_option not in {option.name for option in game.options}:
        ledger.add("definition", f"the map option {game.map_option} is not an option of the game")
    try:
        values = game.resolve_options()
        json.dumps(values.to_document(), allow_nan=False)
        pickle.loads(pickle.dumps(values))
    except Exception as error:
        ledger.add("definition", f"the default options cannot be resolved and sent: {describe(error)}")


def _check_files(game: GameSpec, ledger: Ledger) -> None:
    for bot in game.bots:
        if not bot.path.exists():
            ledger.add("definition", f"the bot {bot.name} does not exist at {bot.path}")
    for path in (game.viewer, game.kit):
        if path is not None and not path.exists():
            ledger.add("definition", f"there is no {path}")


def _check_secrets(game: GameSpec, ledger: Ledger) -> None:
    if game.state.hidden_information:
        return
    for cls, plan in game.state.plan().classes.items():
        for name in sorted(plan.secret):
            ledger.add("secret", f"{cls.__name__}.{name} is declared secret, but hidden_information is False")


def _check_schema(game: GameSpec, ledger: Ledger) -> None:
    try:
        schema = game.schema()
        json.dumps(schema, allow_nan=False)
    except Exception as error:
        ledger.add("schema", f"schema() raised {describe(error)}")
        return
    if schema != game.schema() or not schema.get("hash"):
        ledger.add("schema", "two calls of schema() give different schemas")
    for cls, class_ in schema["classes"].items():
        if not class_["doc"]:
            ledger.add("definition", f"the class {cls} has no docstring")
        for name, declared in class_["fields"].items():
            if not declared["doc"].strip():
                ledger.add("definition", f"the field {cls}.{name} has no explanation")
