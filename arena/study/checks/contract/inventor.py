"""Make action documents besides the list of legal actions: well-formed ones, changed ones, and garbage.

Rules fail most often on documents that are nearly right. So half of them are well-formed, with values from the list
and next to them; most others are legal actions with one change; and some hold a value of a wrong type.
"""

from __future__ import annotations

from random import Random
from typing import Any

from arena.game import State
from arena.game.action import Action
from arena.game.forms import filled
from arena.game.kinds import Kind
from arena.study.replaying.difference import canonical

Document = Any

_ODD: tuple[Any, ...] = (
    None,
    True,
    False,
    -1,
    0,
    1,
    2**70,
    1.5,
    float("nan"),
    "",
    "game",
    "no such thing",
    [],
    [1, 2],
    {},
    {"type": "type"},
)
_GARBAGE: tuple[Any, ...] = (
    None,
    7,
    "end_turn",
    [],
    {},
    {"type": None},
    {"type": 3},
    {"type": []},
    {"type": "no such action"},
    {"type": "__init__"},
    {"type": "setup"},
    {"type": "__class__"},
    {1: 2},
)


class Inventor:
    """Makes action documents to try on a state."""

    def __init__(self, state: State, listed: list[Document], rng: Random) -> None:
        self._state = state
        self._listed = listed = [filled(action, rng) for action in listed]
        self._rng = rng
        self._actions = state.plan().actions
        self._values: dict[str, list[Any]] = {}
        for document in listed:
            for key, value in document.items():
                self._values.setdefault(key, []).append(value)

    def garbage(self) -> list[Document]:
        return self._rng.sample(_GARBAGE, 5)

    def some(self, count: int) -> list[Document]:
        """Return a mixture of well-formed, changed and odd documents."""
        makers = [self.declared] * 5 + ([self._changed] * 4 if self._listed else []) + [self._odd]
        return [self._rng.choice(makers)() for _ in range(count)] if self._actions else []

    def naming(self, id_: str) -> list[tuple[Document, str]]:
        """Return well-formed documents that name an object, each with the key that holds the object's id."""
        entity = self._state.entity(id_)
        documents = []
        for action in self._actions:
            for key, kind in keys(action):
                if kind.entity is not None and isinstance(entity, kind.entity):
                    documents.append((self.declared(action) | {key: id_}, key))
        return documents

    def declared(self, action: Action | None = None) -> Document:
        """Build a well-formed document for an action, or for a random action if None."""
        action = action or self._rng.choice(self._actions)
        document: dict[str, Any] = {"type": action.type}
        if action.receiver is not None:
            document[action.receiver] = self._id(action.owner)
        for parameter in action.parameters:
            for key in parameter.keys:
                document[key] = self._argument(key, parameter.kind)
        return document

    def _changed(self) -> Document:
        """Return a copy of a legal action in which one key is missing or has another value."""
        document = dict(self._rng.choice(self._listed))
        key = self._rng.choice(list(document))
        kinds: dict[str, Kind] = {}
        for action in self._actions:
            if action.type == document["type"]:
                kinds.update(keys(action))
        if self._rng.random() < 0.1:
            del document[key]
        elif key in kinds and self._rng.random() < 0.5:
            document[key] = self._argument(key, kinds[key])
        else:
            document[key] = self._rng.choice(self._values[key])
        return document

    def _odd(self) -> Document:
        """Put an odd value, usually of the wrong kind, into a well-formed document."""
        document = self.declared() if not self._listed else dict(self._rng.choice(self._listed))
        document[self._rng.choice([*document, "extra"])] = self._rng.choice(_ODD)
        return document

    def _argument(self, key: str, kind: Kind) -> Any:
        rng = self._rng
        if kind.record is not None:
            fields = [part for _, part in kind.record.fields]
            rows = range(rng.randint(0, min(4, (kind.most or 0) + 1)))
            return [[self._item(key, part) for part in fields] for _ in rows]
        if kind.many:
            inner = kind._replace(many=False)
            return [self._item(key, inner) for _ in range(rng.randint(0, min(4, (kind.most or 0) + 1)))]
        if kind.nullable and rng.random() < 0.2:
            return None
        if kind.choices is not None:
            return rng.choice(kind.choices)
        if kind.entity is not None:
            return self._id(kind.entity)
        if kind.base == "tile":
            return self._coordinate(key)
        if kind.base == "bool":
            return rng.random() < 0.5
        values = self._values.get(key)
        if values and not isinstance(values[0], list) and rng.random() < 0.7:
            value = rng.choice(values)
            return value + rng.choice((-1, 0, 1)) if type(value) is int and kind.base == "int" else value
        return {"int": rng.randint(-1, 12), "float": rng.random(), "str": rng.choice(("", "a"))}.get(kind.base)

    def _item(self, key: str, kind: Kind) -> Any:
        if kind.base == "tile":
            return [self._coordinate("x"), self._coordinate("y")]
        return self._argument(key, kind)

    def _id(self, cls: type) -> str:
        fitting = [entity.id for entity in self._state.entities() if isinstance(entity, cls)]
        return self._rng.choice(fitting) if fitting else "none"

    def _coordinate(self, key: str) -> int:
        grid = self._state.grid
        size = getattr(self._state, grid[0] if key == "x" else grid[1]) if grid is not None else 8
        values = self._values.get(key)
        if values and self._rng.random() < 0.5:
            return int(self._rng.choice(values)) + self._rng.choice((-1, 0, 1))
        return self._rng.randint(-1, size)


def keys(action: Action) -> list[tuple[str, Kind]]:
    fields = [(key, parameter.kind) for parameter in action.parameters for key in parameter.keys]
    if action.receiver is not None:
        fields.append((action.receiver, Kind(action.owner.__name__, entity=action.owner)))
    return fields


def meaning(state: State, document: Document) -> str | None:
    """Return the meaning of an action document as text. Two spellings of one action have equal texts.

    Returns:
        The text, or None if the document cannot be decoded.
    """
    try:
        call = state.decode(document)
    except Exception:
        return None
    return canonical([call.action.type, call.entity.id, _plain(call.arguments)])


def _plain(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else getattr(value, "id", value)


def resemblance(first: Document, second: Document) -> int:
    return sum(1 for key, value in first.items() if key in second and second[key] == value)


def written(state: State, document: Document) -> Document:
    """Return an accepted document as the rules would list it, with fixed words in their own case."""
    call = state.decode(document)
    keys_ = [one.keys[0] for one in call.action.parameters if len(one.keys) == 1 and one.keys[0] in document]
    arguments = dict(zip([one.keys[0] for one in call.action.parameters], call.arguments, strict=True))
    return document | {key: _plain(arguments[key]) for key in keys_}
