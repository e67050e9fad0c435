"""Answer the helpers of a game for bots that are not written in Python.

The helpers are the methods and properties that a game's extras add to the classes of its typed module. The rules
service runs them on objects like those of the bot's own kit: the bot sends what it sees, and later what changes. So
a helper knows no more than the bot.

On the wire, a map with one entry is an object (`id`), a tile (`tile`), a map (`map`, as pairs), a value with names
(`fields`, with its `class` if it has one) or, from a helper that sends actions, these actions (`acts`), which the bot
sends. Everything else stands for itself.
"""

import math
import sys
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any

from . import sdk
from .errors import PlayerError
from .fork import load_rules
from .grid import Tile
from .objects import GameObject
from .result import Result
from .schema import parse_schema
from .world import World


class HelperError(PlayerError):
    """A request for a helper is wrong, or the helper failed."""


class Watched:
    """A match as one bot sees it.

    Args:
        game: The game.
        version: The version of its rules.

    Raises:
        PlayerError: The rules are not installed, or have another version.
    """

    def __init__(self, game: str, version: str) -> None:
        rules = load_rules(game, version)
        schema = rules.schema()
        module = sys.modules[game] = ModuleType(game)
        exec(compile(sdk.generate(schema, sdk.read_extras(rules.kit)), f"<{game}.py>", "exec"), module.__dict__)
        self._schema = parse_schema(schema)
        self._kind = module.AI

    def start(self, options: dict[str, Any], player: int, view: list[Any], legal_actions: list[dict[str, Any]]) -> None:
        """Take in a whole view. It replaces an earlier one.

        Args:
            options: The options of the match, as sent to the player.
            player: The player.
            view: All that the player knows, as flat triples. It can name objects that the player does not see any more:
                they are created, and then removed.
            legal_actions: The bot's legal actions if it wants them.
        """
        kind = self._kind
        self._world = World(self._schema, self._keep, kind.game_classes, kind.tile_class)
        self._world.options = options
        self._world.player = player
        self._ai = kind.__new__(kind)
        self._ai.game, self._ai.options, self._ai.index = self._world.game, options, player
        self._ai.player = self._ai.me = player
        self.update(view, legal_actions)
        for thing in self._world.objects.values():
            if thing._class_name == "Player" and thing.__dict__.get("index") == player:
                self._ai.player = self._ai.me = thing

    def update(self, delta: list[Any], legal_actions: list[dict[str, Any]]) -> None:
        """Take in what has changed, and the bot's legal actions if it wants them."""
        self._world.apply(delta)
        self._world.legal_actions = self._ai.legal_actions = legal_actions

    def call(self, target: Any, name: str, arguments: dict[str, Any]) -> Any:
        """Return the result of a helper.

        Args:
            target: The object or tile, as on the wire; None for the bot.
            name: The name of the helper.
            arguments: The arguments by name. A name that begins with a star has a list of further arguments.

        Raises:
            HelperError: There is no such object or helper, or it failed.
        """
        owner = self._ai if target is None else self._decode(target)
        label = f"{type(owner).__name__}.{name}"
        if name.startswith("_") or not hasattr(type(owner), name):
            raise HelperError(f"There is no helper {label}. `arena sdk` writes the classes of the bot again.")
        more = [self._decode(one) for key, values in arguments.items() if key.startswith("*") for one in values]
        named = {key: self._decode(value) for key, value in arguments.items() if not key.startswith("*")}
        self._acts: list[dict[str, Any]] = []
        try:
            helper = getattr(owner, name)
            value = helper(*more, **named) if callable(helper) else helper
            return {"acts": self._acts} if isinstance(value, Result) else _encode(value)
        except HelperError as error:
            raise HelperError(f"{label}: {error}") from None
        except Exception as error:
            raise HelperError(f"{label} raised {type(error).__name__}: {error}") from None

    def _keep(self, action: dict[str, Any]) -> Result[Any]:
        """Keep an action for the bot to send. As in a batch, its result is not known yet."""
        self._acts.append(action)
        return Result.pending()

    def _decode(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._decode(item) for item in value]
        if not isinstance(value, dict):
            return value
        if "tile" in value:
            found = self._world.tiles.get(tuple(value["tile"]))
        else:
            found = self._world.objects.get(value.get("id", ""))
        if found is None:
            raise HelperError(f"There is no object or tile {value}.")
        return found


def _encode(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        raise HelperError(f"The result {value} cannot be sent.")
    if value is None or isinstance(value, bool | int | float | str | bytes):
        return value
    if isinstance(value, GameObject):
        return {"id": value.id}
    if isinstance(value, Tile):
        return {"tile": [value.x, value.y]}
    if isinstance(value, Mapping):
        if all(isinstance(key, str) for key in value):
            return {"fields": {key: _encode(item) for key, item in value.items()}}
        return {"map": [[_encode(key), _encode(item)] for key, item in value.items()]}
    if hasattr(value, "_asdict"):
        return {"class": type(value).__name__} | _encode(value._asdict())
    if isinstance(value, set | frozenset):  # in an order that is the same in each process
        return sorted(map(_encode, value), key=repr)
    if isinstance(value, Iterable):
        return [_encode(item) for item in value]
    names = getattr(value, "__dataclass_fields__", None) or vars(value)
    fields = {name: _encode(getattr(value, name)) for name in names if not name.startswith("_")}
    return {"class": type(value).__name__, "fields": fields}
