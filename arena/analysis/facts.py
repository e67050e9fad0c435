"""What each player did and had in every turn of a recorded match: numbers that need no code of the game.

They come from the schema, the actions, the refusals and the views. An object belongs to the player whose number is in
its field ``owner``, ``player`` or ``index``. If no placed object belongs to anybody, all objects count for everybody.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import chain
from typing import Any, NamedTuple

from arena.game import Document
from arena.replaying.views import rebuild
from arena_replays import Reader
from arena_replays.documents import Frame
from arena_replays.state import State, fold, triples

OWNERS = ("owner", "player", "index")
PLACE = ("x", "y")
LATE = "timed_out"


def owner_of(thing: Document) -> int | None:
    """Return the player whose number an object of a view carries."""
    return next((thing[name] for name in OWNERS if type(thing.get(name)) is int), None)


class Measure(NamedTuple):
    """What one number of a player stands for.

    Attributes:
        kind: One of these. ``did``, ``refused``, ``hurt``, ``hit``, ``lost``, ``on`` and ``late`` count since the start
            of the match: accepted actions, refused ones, what own actions took from own objects (other than the acting
            one) and from those of others, own objects that own actions removed, own units at the end of own turns
            on a tile that a field names, and time-outs. ``rate`` and ``idle`` are shares of the turns of all units: in
            which a unit took this type of action, or none at all. ``tiles`` counts the tiles that units have been on.
            ``has`` and ``sum`` are of this turn: objects, and the sum of a field (for lists, their lengths).
        of: An action's type, or a class.
        what: A refusal's code, a field, or ``field=value``.
    """

    kind: str
    of: str = ""
    what: str = ""


Numbers = dict[Measure, float]


class Facts(NamedTuple):
    """The numbers of a match.

    Attributes:
        turns: The numbers of the turns, in order.
        players: For each player and each of these turns, the player's numbers at its end.
        creates: Maps a type of action to the class of objects that it creates.
        receivers: Maps a type of action to the class of the objects that carry it out.
        messages: Maps the type and the code of refused actions to the message of the first of them.
        owned: Whether objects belong to players.
    """

    turns: list[int]
    players: list[list[Numbers]]
    creates: dict[str, str]
    receivers: dict[str, str]
    messages: dict[tuple[str, str], str]
    owned: bool

    def values(self, player: int, measure: Measure) -> list[float | None]:
        """Return a number of a player after each turn: None where a share is of nothing."""
        missing = None if measure.kind in ("rate", "idle") else 0.0
        return [row.get(measure, missing) for row in self.players[player]]


class _Counting:
    """Follows a match entry by entry."""

    def __init__(self, schema: Document, players: int) -> None:
        self.classes: Document = schema["classes"]
        self.root = schema["root"]
        self.owned = any(
            about.get("actions") and any(one in about["fields"] for one in OWNERS) for about in self.classes.values()
        )
        self.actions = {
            type_: one for about in self.classes.values() for type_, one in about.get("actions", {}).items()
        }
        self.receivers = {
            type_: name
            for name, about in self.classes.items()
            for type_, one in about.get("actions", {}).items()
            if one.get("receiver")
        }
        self.things: State = {}
        self.counts: list[defaultdict[Measure, float]] = [defaultdict(float) for _ in range(players)]
        self.unit_turns: list[Counter[str]] = [Counter() for _ in range(players)]
        self.acted: list[set[str]] = [set() for _ in range(players)]
        self.tiles: list[defaultdict[str, set[Any]]] = [defaultdict(set) for _ in range(players)]
        self.creates: dict[str, str] = {}
        self.messages: dict[tuple[str, str], str] = {}

    def start(self, frame: Frame) -> None:
        fold(self.things, frame[0])

    def act(self, player: int, action: Any, delta: list[Any]) -> None:
        """Count an accepted action, and what it changed."""
        type_ = action.get("type", "") if isinstance(action, dict) else "leave"
        counts = self.counts[player]
        counts[Measure("did", type_)] += 1
        receiver = action.get(self.actions.get(type_, {}).get("receiver") or "") if isinstance(action, dict) else None
        if isinstance(receiver, str):
            self.acted[player].add(receiver)
        for id_, field, value in triples(delta):
            if field == "+":
                if receiver is not None:
                    self.creates.setdefault(type_, value)
                continue
            thing = self.things.get(id_)
            if thing is None or (owner := owner_of(thing)) is None:
                continue
            if field == "-":
                counts[Measure("lost", thing["class"])] += owner == player
                continue
            if not self.classes[thing["class"]].get("actions"):
                continue
            fell = _number(thing.get(field)) - _number(value)
            if fell > 0 and id_ != receiver and field not in (*PLACE, *OWNERS):
                counts[Measure("hurt" if owner == player else "hit", thing["class"], field)] += fell
        fold(self.things, delta)

    def refuse(self, player: int, action: Any, code: str, message: str) -> None:
        type_ = str(action.get("type", "")) if isinstance(action, dict) else ""
        self.counts[player][Measure("refused", type_, code)] += 1
        self.messages.setdefault((type_, code), message)

    def late(self, player: int) -> None:
        self.counts[player][Measure("late")] += 1

    def end_turn(self, player: int) -> None:
        """Count what is true at the end of a player's turn."""
        own = [(id_, one) for id_, one in self.things.items() if owner_of(one) == player]
        places = [(one["x"], one["y"]) for _, one in own if self._is_unit(one) and type(one.get("x")) is int]
        for id_, one in own:
            name = one["class"]
            if self._is_unit(one):
                self.unit_turns[player][name] += 1
                self.counts[player][Measure("acted", name)] += id_ in self.acted[player]
                self.tiles[player][name].add((one.get("x"), one.get("y")))
        self.acted[player].clear()
        for one in chain((one for _, one in own), (one for one in self.things.values() if one["class"] == self.root)):
            for field, about in self.classes[one["class"]]["fields"].items():
                if about["type"] in ("tile", "[tile]") and (value := one.get(field)):
                    tiles = [value] if about["type"] == "tile" else value
                    count = sum(map(places.count, set(map(tuple, tiles))))
                    self.counts[player][Measure("on", one["class"], field)] += count

    def _is_unit(self, thing: Document) -> bool:
        about = self.classes[thing["class"]]
        return bool(about["placed"] and about.get("actions") and thing.get("x") is not None)

    def numbers(self) -> list[Numbers]:
        """Return each player's numbers of this moment."""
        found: list[Numbers] = []
        for player, counts in enumerate(self.counts):
            numbers: Numbers = {one: count for one, count in counts.items() if one.kind != "acted" and count}
            for name, turns in self.unit_turns[player].items():
                if turns >= LEAST_UNIT_TURNS:
                    numbers[Measure("idle", name)] = 1 - counts[Measure("acted", name)] / turns
                    for type_ in self.classes[name]["actions"]:
                        numbers[Measure("rate", type_)] = counts[Measure("did", type_)] / turns
            for name, tiles in self.tiles[player].items():
                numbers[Measure("tiles", name)] = len(tiles)
            found.append(numbers)
        for thing in self.things.values():
            owner = owner_of(thing) if self.owned else None
            if self.owned and (owner is None or not 0 <= owner < len(found)):
                continue
            mine: dict[Measure, float] = dict(self._worth(thing))
            for numbers in found if owner is None else [found[owner]]:
                for measure, value in mine.items():
                    numbers[measure] = numbers.get(measure, 0) + value
        return found

    def _worth(self, thing: Document) -> Iterator[tuple[Measure, float]]:
        """Yield what an object adds to the numbers of its owner."""
        name = thing["class"]
        about = self.classes[name]
        if not about["placed"] and (owner_of(thing) is None or not self.owned):
            return
        yield Measure("has", name), 1
        for field, declared in about["fields"].items():
            value = thing.get(field)
            if field in (*PLACE, *OWNERS) or value is None:
                continue
            if value is True:
                yield Measure("has", name, field), 1
            elif declared.get("choices") and isinstance(value, str):
                yield from [(Measure("has", name, f"{field}={value}"), 1)] if value else ()
            elif declared["type"] in ("int", "float") or declared["type"].startswith("["):
                yield Measure("sum", name, field), _number(value)


LEAST_UNIT_TURNS = 4
"""A share of fewer turns of units is not reported."""


def facts_of(reader: Reader) -> Facts:
    """Return the numbers of a recorded match."""
    header = reader.header
    frames = reader.frames()
    schema: Document = header.get("schema") or {}
    if header.get("stripped") or not schema:
        rebuilt, views = rebuild(header, reader.truth)
        schema, frames = rebuilt["schema"], views[0]
    players = len(header.get("players", ()))
    counting = _Counting(schema, players)
    rows: dict[int, list[Numbers]] = {}
    index = 0
    for entry in reader.truth:
        match entry:
            case ["do", player, action, _]:
                counting.act(player, action, next(frames)[0])
            case ["leave", player, _]:
                counting.act(player, None, next(frames)[0])
            case ["refuse", player, action, code, message]:
                counting.refuse(player, action, code, message)
            case ["seat", player, ending, *_] if ending == LATE:
                counting.late(player)
            case ["turn", _, player, *_]:
                counting.end_turn(player)
                rows[reader.number_of(index)] = counting.numbers()
                index += 1
            case ["setup" | "position", *_]:
                counting.start(next(frames))
    rows.setdefault(reader.number_of(max(0, index - 1)), counting.numbers())
    turns = sorted(rows)
    numbers = [[rows[turn][player] for turn in turns] for player in range(players)]
    return Facts(turns, numbers, counting.creates, counting.receivers, counting.messages, counting.owned)


def _number(value: Any) -> float:
    if isinstance(value, list):
        return len(value)
    return float(value) if isinstance(value, (int, float)) and type(value) is not bool else 0.0
