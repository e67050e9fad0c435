"""Actions: functions of the rules that players call. Bots send each call as a JSON document.

The annotations of a function are the format of its documents. `actions_of` reads them when a class of states is
planned, so that a defect of a declaration is an error of the game and not of a match. A `Decoder` has a prepared reader
for each parameter; it decodes a document in one pass, and names the first key that does not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar, get_type_hints

from arena.game.entity import REQUIRED, Entity, EntityType, is_entity
from arena.game.errors import GameError, MalformedAction
from arena.game.kinds import Document, Kind, Tile
from arena.game.records import Reader, list_reader, parameter_kind, value_reader
from arena.game.sources import line_of_function, parse_docstring

F = TypeVar("F", bound=Callable[..., Any])

_MARK = "__arena_action__"
ROOT_ID = "game"
"""The id of the state itself."""
LEAVE: Document = {"type": "leave"}
"""Pass this object to `State.push` when a player leaves. `push` compares it by identity, so no bot can send it."""
UNKNOWN_KEY = "unknown_key"
"""The referee's error code for an action document with an unknown key."""


def action(function: F) -> F:
    """Mark an action: a method of an entity or of the state, or a function that `State.action_functions` lists.

    The first parameter of such a function is the acting entity, or the state. Its annotation is a class of
    `State.classes`, or a base class of the state.

    If the action is illegal, it must raise `IllegalAction` before it changes anything or draws a value. It returns an
    entity or None, and the bot receives this result. The docstring explains the action to students.

    The action document has these keys:

    * ``type``: the function's name, without a trailing underscore (``pass_`` becomes ``pass``).
    * The name in `Entity.receiver`: the id of the acting entity. Actions of the state do not have this key.
    * The name of each other parameter. A `Tile` has the two keys ``x`` and ``y`` instead.

    A parameter can also be a list with a maximum, such as ``Annotated[tuple[Order, ...], AtMost(200)]``, where
    ``Order`` is a `typing.NamedTuple` or a type of values. On the wire, a record is a list of its values.

    An action cannot have keyword-only parameters, ``*names`` or ``**names``. Each parameter needs a type annotation.
    """
    setattr(function, _MARK, True)
    return function


class Parameter(NamedTuple):
    """One parameter of an action.

    Attributes:
        name: The name.
        kind: The type.
        keys: The keys of the document that hold the value.
        default: The value if the document lacks the key; `REQUIRED` if there is no default.
        doc: The explanation under ``Args:`` in the function's docstring.
    """

    name: str
    kind: Kind
    keys: tuple[str, ...]
    default: Any
    doc: str


class Action(NamedTuple):
    """The declaration of one action.

    Attributes:
        type: The document's ``type``.
        owner: The class of the acting entity.
        receiver: The key for the acting entity's id; None for actions of the state itself.
        parameters: The parameters, in the function's order.
        method: The function; its first argument is the acting entity.
        returns: The entity class in the return annotation; None for any other annotation, such as ``Cowboy | None``.
        doc: The function's docstring.
    """

    type: str
    owner: EntityType
    receiver: str | None
    parameters: tuple[Parameter, ...]
    method: Callable[..., Any]
    returns: EntityType | None
    doc: str


class Call(NamedTuple):
    """A decoded action. Call it to apply the action."""

    action: Action
    entity: Any
    arguments: Sequence[object]

    def __call__(self) -> Any:
        """Apply the action. An `IllegalAction` that the rules raise is not caught."""
        return self.action.method(self.entity, *self.arguments)


def actions_of(cls: EntityType, functions: Iterable[Callable[..., Any]], *, is_root: bool) -> list[Action]:
    """List the actions of a class: its own and inherited methods in the order of declaration, then the functions."""
    by_type: dict[str, Callable[..., Any]] = {}
    for parent in reversed(cls.__mro__):
        for name, member in vars(parent).items():
            if getattr(member, _MARK, False):
                by_type[name.removesuffix("_")] = member
    by_type |= {function.__name__.removesuffix("_"): function for function in functions}
    receiver = None if is_root else (cls.__dict__.get("receiver") or snake_case(cls.__name__))
    actions = []
    for type_, function in by_type.items():
        try:
            actions.append(_declared(cls, type_, function, receiver))
        except GameError as error:
            raise GameError(f"{error} {line_of_function(function)}") from None
    return actions


def class_of(function: Callable[..., Any], root: EntityType, classes: Sequence[EntityType]) -> EntityType:
    """Return the class whose entities act with a function of `State.action_functions`.

    Args:
        function: The function.
        root: The class of the state.
        classes: The entity classes of the game.

    Raises:
        GameError: The function is not marked, or its first parameter has another annotation than such a class.
    """
    where = f"{root.__name__}.action_functions: {function.__module__}.{function.__qualname__}"
    if not getattr(function, _MARK, False):
        raise GameError(f"{where} is not marked with @action.")
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    annotation = get_type_hints(function).get(names[0]) if names else None
    if isinstance(annotation, EntityType):
        if issubclass(root, annotation):
            return root
        if annotation in classes:
            return annotation
    listed = ", ".join(entity_class.__name__ for entity_class in (root, *classes))
    raise GameError(f"{where}: annotate the first parameter with the class that acts: {listed}.")


def _hints(cls: EntityType, name: str, method: Any) -> dict[str, Any]:
    try:
        return get_type_hints(method, include_extras=True)
    except (NameError, TypeError, SyntaxError) as error:
        raise GameError(f"{cls.__name__}.{name}: a type annotation cannot be read: {error}.") from None


def _declared(cls: EntityType, name: str, method: Any, receiver: str | None) -> Action:
    hints = _hints(cls, name, method)
    code = method.__code__
    names = code.co_varnames[1 : code.co_argcount]
    defaults = dict(zip(reversed(names), reversed(method.__defaults__ or ()), strict=False))
    docs = parse_docstring(method.__doc__ or "").arguments
    parameters = []
    used_by = {"type": "the type of the action"}
    if receiver:
        used_by[receiver] = "the acting entity"
    if code.co_kwonlyargcount or code.co_flags & 0x0C:  # *names or **names
        raise GameError(f"{cls.__name__}.{name}: an action cannot have keyword-only parameters, *names or **names.")
    for parameter in names:
        if parameter not in hints:
            raise GameError(f"{cls.__name__}.{name}: the parameter {parameter} needs a type annotation.")
        kind = parameter_kind(hints[parameter], is_entity, f"{cls.__name__}.{name}({parameter})")
        is_tile = kind.base == "tile" and not kind.many
        if is_tile and (kind.nullable or parameter in defaults):
            raise GameError(f"{cls.__name__}.{name}: the tile {parameter} cannot be optional.")
        keys = ("x", "y") if is_tile else (parameter,)
        for key in keys:
            if key in used_by:
                message = f"the parameter {parameter} needs the key that {used_by[key]} has."
                raise GameError(f"{cls.__name__}.{name}: {message}")
            used_by[key] = parameter
        default = defaults.get(parameter, REQUIRED)
        parameters.append(Parameter(parameter, kind, keys, default, docs.get(parameter, "")))
    returns = hints.get("return")
    return Action(
        name,
        cls,
        receiver,
        tuple(parameters),
        method,
        returns if is_entity(returns) else None,
        method.__doc__ or "",
    )


def snake_case(name: str) -> str:
    """Convert ``YoungGun`` to ``young_gun``."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


class Decoder:
    """Converts action documents to calls, and checks the kind of every argument.

    Args:
        declared: All actions of the game.
        ignore_case: Accept fixed words (jobs, directions) in any case.
        allow_extra: Ignore unknown keys instead of refusing them.
    """

    def __init__(self, declared: list[Action], *, ignore_case: bool, allow_extra: bool) -> None:
        self._plans = {action.type: _Plan(action, ignore_case) for action in declared}
        self._allow_extra = allow_extra

    def decode(self, document: object, entities: dict[str, Entity], tile: Callable[[int, int], Tile]) -> Call:
        """Decode one document.

        Args:
            document: The received action; it can be any value.
            entities: All entities by id.
            tile: Makes a tile from x and y. Raises `MalformedAction` if the tile is off the map.

        Raises:
            MalformedAction: The document is invalid. The error names the kind of problem and the key.
        """
        if type(document) is not dict:
            raise MalformedAction("unknown_action", "type")
        name = document.get("type")
        plan = self._plans.get(name) if type(name) is str else None
        if plan is None:
            raise MalformedAction("unknown_action", "type")
        call = plan.decode(document, entities, tile)
        if not self._allow_extra:
            for key in document:
                if key not in plan.keys:
                    raise MalformedAction("extra", str(key))
        return call

    def unknown_key(self, document: Document) -> str | None:
        """Return one unknown key that `decode` would ignore; None if there is none."""
        name = document.get("type")
        if not self._allow_extra or type(name) is not str or name not in self._plans:
            return None
        return min(document.keys() - self._plans[name].keys, default=None)


class _Plan:
    """The data for decoding one action."""

    def __init__(self, declared: Action, ignore_case: bool) -> None:
        self.action = declared
        self.keys = {"type", *(key for parameter in declared.parameters for key in parameter.keys)}
        if declared.receiver:
            self.keys.add(declared.receiver)
        self._readers = [_reader(parameter, ignore_case) for parameter in declared.parameters]

    def decode(self, document: Document, entities: dict[str, Entity], tile: Callable[[int, int], Tile]) -> Call:
        declared = self.action
        if declared.receiver is None:
            receiver: Any = entities[ROOT_ID]
        else:
            receiver = _entity(document, declared.receiver, declared.owner, entities)
        arguments = [read(document, entities, tile) for read in self._readers]
        return tuple.__new__(Call, (declared, receiver, arguments))  # half the time of `Call(...)`


_DocumentReader = Callable[[Document, dict[str, Entity], Callable[[int, int], Tile]], object]


def _reader(parameter: Parameter, ignore_case: bool) -> _DocumentReader:
    """Return the function that reads a parameter's value from a document."""
    kind, name = parameter.kind, parameter.name
    if kind.many:
        return _key_reader(name, list_reader(kind, name, ignore_case=ignore_case), parameter.default)
    if kind.base == "tile":
        return _tile
    return _key_reader(name, value_reader(kind, ignore_case, name), parameter.default)


def _key_reader(key: str, read_value: Reader, default: object = REQUIRED) -> _DocumentReader:
    """Return the function that reads the value of one key, or takes the default if the document lacks the key."""

    def read(document: Document, entities: dict[str, Entity], tile: Callable[[int, int], Tile]) -> object:
        if key in document:
            return read_value(document[key], entities, tile)
        if default is REQUIRED:
            raise MalformedAction("missing", key)
        return default

    return read


def _tile(document: Document, _entities: object, tile: Callable[[int, int], Tile]) -> Tile:
    x, y = document.get("x"), document.get("y")
    if type(x) is int and type(y) is int:  # isinstance would accept a bool
        return tile(x, y)
    key = "y" if type(x) is int else "x"
    raise MalformedAction("wrong_kind" if key in document else "missing", key)


def _entity(document: Document, key: str, cls: type, entities: dict[str, Entity]) -> Entity:
    value = document.get(key)
    if type(value) is not str:
        raise MalformedAction("wrong_kind" if key in document else "missing", key)
    entity = entities.get(value)
    if entity is None or not isinstance(entity, cls):
        raise MalformedAction("unknown_id", key)
    return entity
