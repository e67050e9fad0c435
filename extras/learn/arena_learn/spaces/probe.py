"""What a game's schema does not say: how many objects there are, and how large numbers get.

The probe plays some matches with random actions and fixed seeds, so that it always finds the same for the same rules
and options.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

from arena.game import Document, GameSpec, OptionValues, Seeded, State, choices_of, filled
from arena_learn.spaces.tracker import DTYPES, patched

MATCHES = 8
WORK = 10_000
"""A match of the probe ends early after so many changed fields and listed actions: a match of 800 units lasts long."""
ALL_WORK = 5 * WORK
WORDS = 24
"""Of a text without fixed words, so many different values are kept."""


@dataclass(slots=True)
class Seen:
    """The values of one field or parameter.

    Attributes:
        low: The smallest number; None before the first one.
        high: The largest number.
        words: The texts, in the order in which they came; empty if there were more than `WORDS`.
        most: The largest number of items of a list or an array.
        offsets: The distances of a tile from the object that acts, as columns and rows.
    """

    low: float | None = None
    high: float | None = None
    words: dict[str, None] = field(default_factory=dict)
    most: int = 0
    offsets: dict[tuple[int, int], None] = field(default_factory=dict)
    too_many: bool = False

    def add(self, value: Any) -> None:
        """Note a value as it stands on the wire."""
        kind = type(value)
        if kind is int or kind is float:
            self.low = value if self.low is None or value < self.low else self.low
            self.high = value if self.high is None or value > self.high else self.high
        elif kind is str:
            if not self.too_many:
                self.words[value] = None
                if len(self.words) > WORDS:
                    self.too_many = True
                    self.words.clear()
        elif kind is list:
            self.most = max(self.most, len(value))
            for one in value:
                self.add(one)

    def add_array(self, value: bytes, dtype: str) -> None:
        """Note the numbers of an array, and how many they are."""
        numbers = np.frombuffer(value, DTYPES[dtype])
        self.most = max(self.most, len(numbers))
        if len(numbers):
            self.add(float(numbers.min()))
            self.add(float(numbers.max()))


@dataclass(slots=True)
class Probe:
    """What the matches have shown.

    Attributes:
        fields: By class and field.
        parameters: By type of action and parameter; those of a list of records as ``orders.step``.
        counts: The largest number of objects at the same time, by class and by the value of each whole number of the
            class: ``counts["Cowboy"]["owner"][0]``. The total is under the name ``""`` and 0.
        born: The classes of which objects appeared during a match.
        owners: By class, the field that names the player who acts with its objects; no entry if there is none.
        width: The width of the grid; 0 without one.
        height: The height of the grid.
        listed: The types of actions that were legal at some time.
        steps: How many actions were played.
    """

    fields: dict[str, dict[str, Seen]] = field(default_factory=dict)
    parameters: dict[str, dict[str, Seen]] = field(default_factory=dict)
    counts: dict[str, dict[str, dict[int, int]]] = field(default_factory=dict)
    born: set[str] = field(default_factory=set)
    owners: dict[str, str] = field(default_factory=dict)
    width: int = 0
    height: int = 0
    listed: set[str] = field(default_factory=set)
    steps: int = 0


def probe(game: GameSpec, options: OptionValues, matches: int = MATCHES) -> Probe:
    """Play matches with random actions, and return what they have shown.

    Args:
        game: The game.
        options: Its resolved options.
        matches: How many matches are played.
    """
    found = _Prober(game)
    for number in range(matches):
        if found.work >= ALL_WORK:
            break
        found.play(game.start(options, Seeded(f"probe/{number}/setup")), number)
    return found.result()


class _Prober:
    def __init__(self, game: GameSpec) -> None:
        schema = game.schema()
        self._grid: Mapping[str, str] | None = schema["grid"]
        self._root: str = schema["root"]
        self._classes: dict[str, Document] = schema["classes"]
        self._records = records_of(schema)
        self._dtypes = {
            (cls, name): one["dtype"]
            for cls, of in self._classes.items()
            for name, one in of["fields"].items()
            if "dtype" in one
        }
        self._actions = {name: (cls, one) for cls, of in self._classes.items() for name, one in of["actions"].items()}
        whole = {
            cls: [name for name, one in of["fields"].items() if one["type"] in ("int", "int?")]
            for cls, of in self._classes.items()
        }
        self._whole = whole
        self._may_own = {cls: set(names) for cls, names in whole.items()}
        self._acted: set[str] = set()
        self.work = 0
        self.found = Probe(
            fields={cls: {name: Seen() for name in of["fields"]} for cls, of in self._classes.items()},
            parameters={
                name: {key: Seen() for parameter in one["parameters"] for key in self._keys(parameter)}
                for name, (_, one) in self._actions.items()
            },
            counts={cls: {"": {0: 0}} | {name: {} for name in names} for cls, names in whole.items()},
        )

    def _keys(self, parameter: Document) -> list[str]:
        name = parameter["name"]
        return [name, *(f"{name}.{field}" for field, _ in self._records.get(parameter["type"], ()))]

    def play(self, state: State, number: int) -> None:
        rng, dice = Random(f"probe/{number}"), Seeded(f"probe/{number}/play")
        objects: dict[str, tuple[str, dict[str, Any]]] = {}
        self._note(state.view(), objects)
        self._count(objects)
        work = 0
        while work < WORK and (to_move := state.to_move()):
            player = to_move[0]
            actions = state.legal_actions(player)
            for action in actions:
                self._note_action(action, player, objects)
            mark = state.push(player, filled(rng.choice(actions), rng), dice)
            delta = state.delta(mark)
            state.commit()
            self._note(delta, objects)
            if "+" in delta[1::3]:
                self.found.born.update(cls for _, name, cls in _triples(delta) if name == "+")
                self._count(objects)
            work += len(delta) // 3 + sum(map(_size, actions))
            self.found.steps += 1
        self.work += work + len(objects)

    def result(self) -> Probe:
        found = self.found
        for cls in sorted(self._acted):
            names = [name for name in self._whole[cls] if name in self._may_own[cls]]
            if names:
                found.owners[cls] = names[0]
        if self._grid is not None:
            root = found.fields[self._root]
            found.width = int(root[self._grid["width"]].high or 0)
            found.height = int(root[self._grid["height"]].high or 0)
        return found

    def _note(self, delta: list[Any], objects: dict[str, tuple[str, dict[str, Any]]]) -> None:
        fields = self.found.fields
        for id_, name, value in _triples(delta):
            if name == "+":
                objects[id_] = value, {}
            elif name == "-":
                del objects[id_]
            else:
                cls, values = objects[id_]
                if type(value) is list and type(values.get(name)) is bytes:
                    value = patched(values[name], value)
                values[name] = value
                if type(value) is bytes:
                    fields[cls][name].add_array(value, self._dtypes[cls, name])
                else:
                    fields[cls][name].add(value)

    def _count(self, objects: dict[str, tuple[str, dict[str, Any]]]) -> None:
        now: dict[tuple[str, str, int], int] = {}
        for cls, values in objects.values():
            now[cls, "", 0] = now.get((cls, "", 0), 0) + 1
            for name in self._whole[cls]:
                if type(value := values.get(name)) is int and 0 <= value < 64:
                    now[cls, name, value] = now.get((cls, name, value), 0) + 1
        for (cls, name, value), count in now.items():
            counts = self.found.counts[cls][name]
            counts[value] = max(counts.get(value, 0), count)

    def _note_action(self, action: Document, player: int, objects: dict[str, tuple[str, dict[str, Any]]]) -> None:
        cls, declared = self._actions[action["type"]]
        self.found.listed.add(action["type"])
        acting: dict[str, Any] = {}
        if declared["receiver"]:
            acting = objects[action[declared["receiver"]]][1]
            self._note_acting(cls, acting, player)
        seen = self.found.parameters[action["type"]]
        for parameter in declared["parameters"]:
            keys = parameter["keys"]
            if len(keys) == 2:
                x, y = action[keys[0]], action[keys[1]]
                if acting.get("x") is not None:
                    seen[parameter["name"]].offsets[x - acting["x"], y - acting["y"]] = None
            elif parameter["type"] in self._records:
                self._note_orders(parameter, action.get(keys[0]), seen, player, objects)
            elif keys[0] in action:
                for value in items_of(action[keys[0]]) if parameter["type"][0] == "[" else (action[keys[0]],):
                    seen[parameter["name"]].add(value)

    def _note_acting(self, cls: str, acting: dict[str, Any], player: int) -> None:
        self._acted.add(cls)
        own = self._may_own[cls]
        if own:
            own.intersection_update([name for name in own if acting.get(name) == player])

    def _note_orders(
        self,
        parameter: Document,
        value: Any,
        seen: dict[str, Seen],
        player: int,
        objects: dict[str, tuple[str, dict[str, Any]]],
    ) -> None:
        fields = self._records[parameter["type"]]
        units = [place for place, (_, kind) in enumerate(fields) if kind in self._classes]
        for item in items_of(value):
            acting: dict[str, Any] = {}
            if units and item[units[0]] in objects:
                cls, acting = objects[item[units[0]]]
                self._note_acting(cls, acting, player)
            for (name, kind), part in zip(fields, item, strict=True):
                found = seen[f"{parameter['name']}.{name}"]
                if kind == "tile":
                    if acting.get("x") is not None:
                        found.offsets[part[0] - acting["x"], part[1] - acting["y"]] = None
                else:
                    found.add(part)


def items_of(value: Any) -> list[Any]:
    """Return the items of a list in an action; of a form, all that can be in it."""
    groups = choices_of(value)
    return list(value or ()) if groups is None else [item for group in groups for item in group]


def records_of(schema: Document) -> dict[str, list[tuple[str, str]]]:
    """Return the names and types of the fields of each record, by the type of a list of such records."""
    records = schema.get("records", {}).items()
    return {f"[{name}]": [(one["name"], one["type"]) for one in record["fields"]] for name, record in records}


def _size(action: Document) -> int:
    """Return how many entries an action has; a form has many."""
    return 1 + sum(map(len, (group for value in action.values() for group in choices_of(value) or ())))


def _triples(delta: list[Any]) -> zip[tuple[str, str, Any]]:
    return zip(delta[::3], delta[1::3], delta[2::3], strict=True)
