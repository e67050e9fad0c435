"""What each player did and had in every turn of a recorded match: numbers that need no code of the game.

They come from the schema, the actions, the refusals and the views. An object belongs to the player whose number is in
its field or property ``owner``, ``player`` or ``index``, or else to the player who acts with it. If no object belongs
to anybody, all objects count for everybody.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from types import SimpleNamespace
from typing import Any, NamedTuple

from arena.game import Document, GameSpec
from arena.game.action import ROOT_ID
from arena.study.replaying.course import game_of
from arena_replays import Reader
from arena_replays.documents import FooterPlayer, Frame
from arena_replays.state import State, fold, triples

OWNERS = ("owner", "player", "index")
PLACE = ("x", "y")
LATE = "timed_out"


def owner_of(thing: Document) -> int | None:
    """Return the player whose number an object of a view carries."""
    return next((thing[name] for name in OWNERS if type(thing.get(name)) is int), None)


def end_of(reader: Reader, player: int) -> FooterPlayer:
    """Return what the end of a replay says about a player; nothing if there is no end."""
    ends = (reader.footer or {}).get("players", ())
    return ends[player] if player < len(ends) else {}


def out_of(reader: Reader, player: int) -> tuple[int, int] | None:
    """Return the frame and the number of the turn in which the rules eliminated a player; None if they did not."""
    frame = end_of(reader, player).get("out")
    if frame is None:
        return None
    turn = next((one.index for one in reader.turns if one.last > frame), len(reader.turns) - 1)
    return frame, reader.number_of(max(0, turn))


class Measure(NamedTuple):
    """What one number of a player stands for.

    Attributes:
        kind: One of these. ``did``, ``refused``, ``hurt``, ``hit``, ``lost`` and ``late`` count since the start of the
            match: accepted actions, refused ones, what own actions took from own objects (other than the acting one)
            and from those of others, own objects that own actions removed, and time-outs. ``rate``, ``idle`` and ``on``
            are shares of the turns of units: in which they took this type of action, or none at all, or at whose end
            they were on a tile that a field names. ``tiles`` counts the tiles that units have been on.
            ``turned`` counts own objects that during own actions, also by the answers to them, lost a value of a field
            with fixed values. It has no range: it says how such objects came to be few.
            ``has`` and ``sum`` are of this turn: objects, and the sum of a field (for lists, their lengths).
        of: An action's type, or a class.
        what: A refusal's code, a field, or ``field=value``.
        by: The type of the action that took, removed or turned something.
    """

    kind: str
    of: str = ""
    what: str = ""
    by: str = ""

    @property
    def is_share(self) -> bool:
        return self.kind in ("rate", "idle", "on")

    @property
    def missing(self) -> float | None:
        """The number of a player who has none: a share of nothing is unknown."""
        return None if self.is_share else 0.0

    @property
    def floor(self) -> float:
        """The least width of a range of this number."""
        return 0.1 if self.is_share else 1.0


Numbers = dict[Measure, float]


class MatchFacts(NamedTuple):
    """The numbers of a match.

    Attributes:
        turns: The numbers of the turns, in order.
        players: For each player and each of these turns, the player's numbers at its end.
        creates: Maps a type of action to the class of objects that it creates.
        receivers: Maps a type of action to the class of the objects that carry it out.
        places: Maps a field that names tiles to its class.
        messages: Maps the type and the code of refused actions to the message of the first of them.
        alike: Whether the numbers of different seats can be compared: objects belong to players, and no side of the
            game is unequal to another.
    """

    turns: list[int]
    players: list[list[Numbers]]
    creates: dict[str, str]
    receivers: dict[str, str]
    places: dict[str, str]
    messages: dict[tuple[str, str], str]
    alike: bool

    def values(self, player: int, measure: Measure) -> list[float | None]:
        """Return a number of a player after each turn: None where a share is of nothing."""
        return [row.get(measure, measure.missing) for row in self.players[player]]


class _Owners:
    """Says to whom the objects of a match belong.

    Args:
        entries: The entries of the replay.
    """

    def __init__(self, game: GameSpec, classes: Document, receivers: dict[str, str], entries: Iterable[Any]) -> None:
        self._properties: dict[str, Callable[[Any], object]] = {
            cls.__name__: found.fget
            for cls in game.state.classes
            for name in reversed(OWNERS)
            if isinstance(found := getattr(cls, name, None), property) and found.fget
        }
        self._actors: dict[str, int] = {}
        for entry in entries:
            match entry:
                case ["do", player, {"type": type_, **more}, *_] if type_ in receivers:
                    self._actors.setdefault(str(more.get(receivers[type_])), player)
        self.exist = bool(self._actors) or any(
            (about["placed"] or about.get("actions"))
            and (name in self._properties or any(one in about["fields"] for one in OWNERS))
            for name, about in classes.items()
        )

    def of(self, id_: str, thing: Document) -> int | None:
        found: object = owner_of(thing)
        if found is None and (compute := self._properties.get(thing["class"])):
            with suppress(AttributeError, TypeError, ValueError):  # it may need more than the object's own fields
                found = compute(SimpleNamespace(**thing))
        return found if type(found) is int else self._actors.get(id_)


class _Counting:
    """Follows a match entry by entry.

    A unit is a placed object of a player that can act. Its class has actions, or else the game's root has actions, and
    a field of the root names the unit that carries them out.
    """

    def __init__(self, game: GameSpec, schema: Document, players: int, entries: Iterable[Any]) -> None:
        self.classes: Document = schema["classes"]
        self.root: str = schema["root"]
        actions = [
            (name, type_, one)
            for name, about in self.classes.items()
            for type_, one in about.get("actions", {}).items()
        ]
        self.named: dict[str, str] = {type_: one["receiver"] for _, type_, one in actions if one.get("receiver")}
        self.acting = {
            name: kind
            for name, about in self.classes[self.root]["fields"].items()
            if (kind := about["type"].rstrip("?")) in self.classes and self.classes[kind]["placed"]
        }
        self.receivers: dict[str, str] = {type_: name for name, type_, _ in actions if type_ in self.named}
        for agent in self.acting.values():
            self.receivers |= {type_: agent for name, type_, _ in actions if name == self.root}
        self.places: dict[str, str] = {
            field: name
            for name, about in self.classes.items()
            for field, one in about["fields"].items()
            if one["type"] in ("tile", "tile?", "[tile]")
        }
        self.owners = _Owners(game, self.classes, self.named, entries)
        self.alike = self.owners.exist and game.legs == 1
        self.things: State = {}
        self.counts: list[defaultdict[Measure, float]] = [defaultdict(float) for _ in range(players)]
        self.unit_turns: list[Counter[str]] = [Counter() for _ in range(players)]
        self.acted: list[set[tuple[str, str]]] = [set() for _ in range(players)]
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
        receiver = str(action.get(self.named[type_])) if type_ in self.named else None
        changed = list(triples(delta))
        agents = {receiver} if receiver is not None else self._agents(player, changed)
        self.acted[player] |= {(one, type_) for one in agents}
        for id_, field, value in changed:
            if field == "+":
                if receiver is not None:
                    self.creates.setdefault(type_, value)
                continue
            thing = self.things.get(id_)
            if thing is None or (owner := self.owners.of(id_, thing)) is None:
                continue
            if field == "-":
                counts[Measure("lost", thing["class"], by=type_)] += owner == player
                continue
            if not self._can_act(thing["class"]):
                continue
            old = thing.get(field)
            if owner == player and old and self.classes[thing["class"]]["fields"][field].get("choices"):
                counts[Measure("turned", thing["class"], f"{field}={old}", type_)] += 1
            fell = _number(old) - _number(value)
            if fell > 0 and id_ not in agents and field not in (*PLACE, *OWNERS):
                kind, by = ("hurt", type_) if owner == player else ("hit", "")
                counts[Measure(kind, thing["class"], field, by)] += fell
        fold(self.things, delta)

    def _agents(self, player: int, changed: list[Any]) -> set[str]:
        """Return the ids of the player's objects that the root names before or after an action."""
        named = [self.things[ROOT_ID].get(name) for name in self.acting]
        named += [value for id_, field, value in changed if id_ == ROOT_ID and field in self.acting]
        known = ((id_, self.things.get(id_)) for id_ in named if isinstance(id_, str))
        return {id_ for id_, thing in known if thing is not None and self.owners.of(id_, thing) == player}

    def refuse(self, player: int, action: Any, code: str, message: str) -> None:
        type_ = str(action.get("type", "")) if isinstance(action, dict) else ""
        self.counts[player][Measure("refused", type_, code)] += 1
        self.messages.setdefault((type_, code), message)

    def late(self, player: int) -> None:
        self.counts[player][Measure("late")] += 1

    def end_turn(self, player: int) -> None:
        """Count what is true at the end of a player's turn."""
        counts, acted = self.counts[player], self.acted[player]
        own = [(id_, one) for id_, one in self.things.items() if self.owners.of(id_, one) == player]
        units = [(id_, one) for id_, one in own if self._is_unit(one)]
        present = {id_ for id_, _ in units}
        used = [(id_, type_) for id_, type_ in acted if id_ in present]  # others have left the board in this turn
        active = {id_ for id_, _ in used}
        for id_, one in units:
            name = one["class"]
            self.unit_turns[player][name] += 1
            counts[Measure("acted", name)] += id_ in active
            self.tiles[player][name].add((one.get("x"), one.get("y")))
        for _, type_ in used:
            counts[Measure("used", type_)] += 1
        acted.clear()
        for one in (*(one for _, one in own), self.things[ROOT_ID]):
            for field in (name for name, cls in self.places.items() if cls == one["class"]):
                value = one.get(field) or []
                tiles = set(map(tuple, value if not value or isinstance(value[0], list | tuple) else [value]))
                for _, unit in units:
                    counts[Measure("stood", unit["class"], field)] += (unit["x"], unit["y"]) in tiles

    def _can_act(self, name: str) -> bool:
        return bool(self.classes[name].get("actions")) or name in self.acting.values()

    def _is_unit(self, thing: Document) -> bool:
        name = thing["class"]
        return self.classes[name]["placed"] and self._can_act(name) and thing.get("x") is not None

    def numbers(self) -> list[Numbers]:
        """Return each player's numbers of this moment."""
        found: list[Numbers] = []
        for player, counts in enumerate(self.counts):
            hidden = ("acted", "used", "stood")
            numbers: Numbers = {one: count for one, count in counts.items() if one.kind not in hidden and count}
            for name, turns in self.unit_turns[player].items():
                if turns >= LEAST_UNIT_TURNS:
                    numbers[Measure("idle", name)] = 1 - counts[Measure("acted", name)] / turns
                    for type_ in (type_ for type_, cls in self.receivers.items() if cls == name):
                        numbers[Measure("rate", type_)] = counts[Measure("used", type_)] / turns
                    for field in self.places:
                        numbers[Measure("on", name, field)] = counts[Measure("stood", name, field)] / turns
            for name, tiles in self.tiles[player].items():
                numbers[Measure("tiles", name)] = len(tiles)
            found.append(numbers)
        # The only object of a class that is not on the board says whose turn it is. It belongs to nobody.
        alone = {name for name, count in Counter(one["class"] for one in self.things.values()).items() if count == 1}
        for id_, thing in self.things.items():
            owner = self.owners.of(id_, thing) if self.owners.exist else None
            placed = self.classes[thing["class"]]["placed"]
            if not placed and (owner is None or thing["class"] in alone):
                continue
            if self.owners.exist and (owner is None or not 0 <= owner < len(found)):
                continue
            mine: dict[Measure, float] = dict(self._worth(thing))
            for numbers in found if owner is None else [found[owner]]:
                for measure, value in mine.items():
                    numbers[measure] = numbers.get(measure, 0) + value
        return found

    def _worth(self, thing: Document) -> Iterator[tuple[Measure, float]]:
        """Yield what an object adds to the numbers of its owner."""
        name = thing["class"]
        yield Measure("has", name), 1
        for field, declared in self.classes[name]["fields"].items():
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


def facts_of(reader: Reader) -> MatchFacts:
    """Return the numbers of a recorded match."""
    header = reader.header
    frames = reader.frames()
    schema: Document = header.get("schema") or {}
    players = len(header.get("players", ()))
    counting = _Counting(game_of(header), schema, players, reader.truth)
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
    return MatchFacts(
        turns, numbers, counting.creates, counting.receivers, counting.places, counting.messages, counting.alike
    )


def _number(value: Any) -> float:
    if isinstance(value, list):
        return len(value)
    return float(value) if isinstance(value, (int, float)) and type(value) is not bool else 0.0
