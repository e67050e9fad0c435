"""The objects of a game. Deltas from the referee keep them current.

An object stays the same Python object for the whole match, even if it disappears and comes back.
Lists are replaced and never changed in place. So a loop over a list is safe while actions
are carried out.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

from .errors import CONNECTION_LOST, PlayerError
from .grid import Tile, board
from .light import Any
from .objects import GameObject, PlacedObject, RootObject
from .result import Result
from .schema import ARRAYS, Action, GameClass, GameField, Schema, attribute_name

ROOT_ID = "game"

Act = Callable[[dict[str, Any]], Result[Any]]


class World:
    """One match, as one player sees it.

    Args:
        schema: The game's classes.
        act: Sends an action's document and returns its `Result`.
        typed: Classes of the generated module by name. Missing classes are made from the schema.
        tile_class: The class of tiles in the generated module.

    Attributes:
        act: Sends an action's document and returns its `Result`; inside a batch, queues it.
        gone: The ids of the objects that have left the board, or your sight, since this turn began.
        legal_actions: All legal actions of the bot while it is to move, if it sets `wants_legal_actions`. Else empty.
        objects: All objects by id, including removed ones.
        options: The options of this match.
        player: Your number, from 0.
        tiles: The tiles of the board by (x, y); empty in games without a board.
    """

    def __init__(
        self,
        schema: Schema,
        act: Act,
        typed: Mapping[str, type[GameObject]] | None = None,
        tile_class: type[Tile] = Tile,
    ) -> None:
        self.schema = schema
        self.act = act
        self.objects: dict[str, GameObject] = {}
        self.gone: set[str] = set()
        self.legal_actions: list[dict[str, Any]] = []
        self.options: dict[str, Any] = {}
        self.player = 0
        self.tiles: dict[tuple[int, int], Any] = {}
        self._tile_class = tile_class
        self._tile_attributes = {name: attribute_name(name) for name, entry in schema.classes.items() if entry.placed}
        self._sized = {name: list(filter(_has_named_sizes, entry.fields)) for name, entry in schema.classes.items()}
        self._with_sized_arrays: list[GameObject] = []
        self._classes = {
            name: self._make_class(entry, (typed or {}).get(name)) for name, entry in schema.classes.items()
        }
        root = self._classes.get(schema.root)
        if root is None:
            raise PlayerError(f"The schema names {schema.root} as its root, but has no such class.")
        self.game: Any = self._create(ROOT_ID, schema.root)
        self.game.__dict__["tiles"] = []

    def apply(self, delta: list[Any]) -> None:
        """Apply a delta to all objects.

        Raises:
            PlayerError: The delta does not fit the schema, for example because it names an unknown object or class.
        """
        try:
            self._fold(delta)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            why = f"{type(error).__name__}: {error}"
            message = f"The referee sent a delta that does not fit the schema ({why})."
            raise PlayerError(message, exit_code=CONNECTION_LOST) from None

    def _fold(self, delta: list[Any]) -> None:
        fields = delta[1::3]
        if "+" in fields or "-" in fields:
            self._create_and_remove(delta)
        if not self.tiles and self.schema.grid:
            self._make_board(delta)
        moved = self._assign(delta)
        for thing in self._with_sized_arrays:
            self._give_shape(thing)
        if moved and self.tiles:
            self._place(moved)

    def view(self) -> list[Any]:
        """Return the current state of all objects as a flat list of triples, as in the message `start`."""
        flat: list[Any] = []
        for identity, thing in self.objects.items():
            if thing._present:
                flat += (identity, "+", thing._class_name)
                for field in self.schema.classes[thing._class_name].fields:
                    flat += (identity, field.name, _plain(thing.__dict__[field.name]))
        return flat

    def _assign(self, delta: list[Any]) -> list[GameObject]:
        """Set all fields of a delta, and return the objects whose column or row was set."""
        moved: list[GameObject] = []
        objects = self.objects
        for identity, field, value in _triples(delta):
            if field == "+" or field == "-":
                continue
            thing = objects[identity]
            convert = thing._converters.get(field)
            if type(value) is list and type(old := thing.__dict__.get(field)) is memoryview:
                value = _patched(old, value)
            thing.__dict__[field] = value if convert is None or value is None else convert(value)
            if (field == "x" or field == "y") and thing._class_name in self._tile_attributes:
                moved.append(thing)
        return moved

    def _give_shape(self, thing: GameObject) -> None:
        """Give the arrays of an object the sizes that are in fields, once all fields of a delta are set."""
        values, root = thing.__dict__, self.game.__dict__
        for field in self._sized[thing._class_name] if thing._present else ():
            array = values.get(field.name)
            if array is not None and array.nbytes:
                sizes = [values.get(size, root.get(size)) if isinstance(size, str) else size for size in field.shape]
                values[field.name] = _shaped(ARRAYS[field.dtype], sizes, array)

    def _create_and_remove(self, delta: list[Any]) -> None:
        for identity, field, value in _triples(delta):
            if field == "+":
                thing = self.objects.get(identity) or self._create(identity, value)
                thing.__dict__["_present"] = True
            elif field == "-":
                thing = self.objects[identity]
                thing.__dict__["_present"] = False
                self._leave_tile(thing)

    def _create(self, identity: str, class_name: str) -> GameObject:
        kind = self._classes.get(class_name)
        if kind is None:
            raise PlayerError(f"The referee sent an object of the class {class_name}, which the schema does not have.")
        thing = kind()
        thing.__dict__["id"] = identity
        if class_name in self._tile_attributes:
            thing.__dict__["tile"] = None
        self.objects[identity] = thing
        if self._sized[class_name]:
            self._with_sized_arrays.append(thing)
        thing.__dict__["game"] = thing if identity == ROOT_ID else self.game
        return thing

    # --- the board -----------------------------------------------------------------------

    def _make_board(self, delta: list[Any]) -> None:
        """Make the tiles if the delta has the board's size. Call this before fields that can hold a tile are set."""
        assert self.schema.grid is not None
        size = {
            field: value
            for identity, field, value in _triples(delta)
            if identity == ROOT_ID and field in self.schema.grid
        }
        if len(size) < 2:
            return
        width, height = (size[field] for field in self.schema.grid)
        extra = dict.fromkeys(self._tile_attributes.values())
        kind = type(self._tile_class.__name__, (self._tile_class,), extra)
        self.tiles = board(width, height, self.game, kind)
        self.game.__dict__["tiles"] = list(self.tiles.values())

    def _place(self, moved: list[GameObject]) -> None:
        for thing in moved:
            self._leave_tile(thing)
        for thing in moved:
            tile = self.tiles.get((thing.__dict__.get("x"), thing.__dict__.get("y")))  # type: ignore[arg-type]
            if tile is not None and thing._present and thing not in tile.things:
                tile.things = [*tile.things, thing]
                tile.__dict__[self._tile_attributes[thing._class_name]] = thing
                thing.__dict__["tile"] = tile
                self.gone.discard(thing.id)

    def _leave_tile(self, thing: GameObject) -> None:
        tile = thing.__dict__.get("tile")
        if tile is None:
            return
        tile.things = [other for other in tile.things if other is not thing]
        attribute = self._tile_attributes[thing._class_name]
        left = [other for other in tile.things if other._class_name == thing._class_name]
        tile.__dict__[attribute] = left[-1] if left else None
        thing.__dict__["tile"] = None
        self.gone.add(thing.id)

    # --- classes -------------------------------------------------------------------------

    def _make_class(self, entry: GameClass, typed: type[GameObject] | None) -> type[GameObject]:
        """Make a class for this match only. If there is a generated class, make a subclass of it."""
        content: dict[str, Any] = {
            "_converters": {field.name: convert for field in entry.fields if (convert := self._converter(field))},
            "__doc__": entry.doc,
            "world": self,
            "_class_name": entry.name,
            "_game_fields": frozenset(field.name for field in entry.fields) | {"id", "tile", "tiles", "game", "world"},
        }
        if typed is None:
            content.update((action.method, _method(action)) for action in entry.actions)
        if entry.name == "Player" and any(field.name == "index" for field in entry.fields):
            content |= {"__eq__": _equal_players, "__hash__": GameObject.__hash__}
        base = RootObject if entry.name == self.schema.root else PlacedObject if entry.placed else GameObject
        return type(entry.name, (typed or base,), content)

    def _converter(self, field: GameField) -> Callable[[Any], Any] | None:
        kind = field.type
        if kind.name == "array":
            of_type = ARRAYS[field.dtype]
            shape = (None,) if _has_named_sizes(field) else field.shape  # see `_give_shape`
            return lambda data: _unpacked(of_type, shape, data)
        if kind.is_scalar:
            return None
        one = self._tile_of if kind.name == "tile" else self.objects.get
        if kind.many:
            return lambda values: [None if value is None else one(value) for value in values]
        return one

    def _tile_of(self, pair: list[int]) -> Any:
        return self.tiles.get((pair[0], pair[1]), tuple(pair))


def _triples(delta: list[Any]) -> Iterator[tuple[str, str, Any]]:
    parts = iter(delta)
    return zip(parts, parts, parts, strict=True)


def _equal_players(player: GameObject, other: object) -> bool:
    """Compare a player with another object. A field such as `owner` is a number, which would never be equal."""
    if isinstance(other, int):
        raise TypeError(f"A player object never equals a number such as {other}: compare with its `index`.")
    return player is other


def _has_named_sizes(field: GameField) -> bool:
    """Return whether a field is an array whose sizes are in fields."""
    return any(isinstance(size, str) for size in field.shape)


def _unpacked(letter: str, shape: Sequence[Any], data: bytes) -> memoryview:
    """Return the numbers of an array. The bytes need no swap, since all supported machines are little-endian."""
    numbers: memoryview = memoryview(data).cast(letter)  # type: ignore[call-overload] # the letter is one of `ARRAYS`
    return _shaped(letter, shape, numbers) if data else numbers


def _shaped(letter: str, shape: Sequence[Any], numbers: memoryview) -> memoryview:
    """Return the numbers of an array in this shape, whose first size can be None: any size."""
    data = numbers.cast("B")
    sizes = list(shape)
    if sizes[0] is None:
        sizes[0] = len(data) // (numbers.itemsize * math.prod(sizes[1:]))
    shaped: memoryview = data.cast(letter, sizes)  # type: ignore[call-overload] # as in `_unpacked`
    return shaped


def _patched(old: memoryview, spans: list[Any]) -> bytes:
    """Return the bytes of an array with the changed spans replaced."""
    data = bytearray(old.cast("B") if old.contiguous else old.tobytes())
    for at, new in zip(spans[::2], spans[1::2], strict=True):
        if not 0 <= at <= len(data) - len(new):
            raise ValueError("a span is outside of the array")
        data[at : at + len(new)] = new
    return bytes(data)


def _plain(value: Any) -> Any:
    """Return the wire value of a field."""
    if isinstance(value, memoryview):
        return value.tobytes()
    if isinstance(value, GameObject):
        return value.id
    if isinstance(value, Tile):
        return [value.x, value.y]
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _method(action: Action) -> Callable[..., Result[Any]]:
    """Make a method that sends an action, for games without a generated module."""
    names = [parameter.name for parameter in action.parameters]

    def method(self: GameObject, *values: Any, **named: Any) -> Result[Any]:
        if len(values) > len(names):
            raise TypeError(f"{action.name}() takes {len(names)} arguments, not {len(values)}.")
        given = {**dict(zip(names, values, strict=False)), **named}
        document: dict[str, Any] = {"type": action.name}
        if action.receiver:
            document[action.receiver] = self.id
        for parameter in action.parameters:
            if parameter.name not in given and not parameter.has_default:
                raise TypeError(f"{action.name}() needs the argument {parameter.name}.")
            document.update(parameter.entries(given.pop(parameter.name, parameter.default)))
        if given:
            raise TypeError(f"{action.name}() has no argument {next(iter(given))}.")
        return self.world.act(document)

    method.__name__ = action.method
    method.__doc__ = action.doc
    return method
