"""The objects of a game as a bot sees them: plain attributes that are always current."""

from collections.abc import Callable

from .grid import Located, distance
from .light import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from random import Random

    from .world import World


class GameObject:
    """One object of the game. Its fields are read-only and always current while the object is `present`.

    Attributes:
        id: The object's name on the wire and in replays.
        game: The game that the object belongs to.
        world: The match as you see it. The game's own classes use it for options, your number and actions.
    """

    id: str
    game: Any
    world: "World"
    _class_name: ClassVar[str] = ""
    _converters: ClassVar[dict[str, Callable[[Any], Any]]] = {}  # noqa: RUF012 - it is a `ClassVar`
    _game_fields: ClassVar[frozenset[str]] = frozenset()
    _present = True

    @property
    def present(self) -> bool:
        """Whether the object is in the game and you can see it. If not, its fields keep their last values."""
        return self._present

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self._game_fields:
            raise AttributeError(f"{self._class_name}.{name} is read-only: only actions can change it.")
        object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"<{self._class_name} {self.id}>"


class RootObject(GameObject):
    """The game itself. You reach all its objects from here.

    Attributes:
        tiles: All tiles of the board, row by row; empty in games without a board.
    """

    tiles: list[Any]

    def tile(self, x: int, y: int) -> Any:
        """Return the tile at (x, y), or None if it is off the board."""
        return self.world.tiles.get((x, y))

    def fork(self, rng: "Random | None" = None) -> Any:
        """Return a copy of the game state to search in.

        The copy has `push(player, action, chance)`, `pop(mark)`, `clone()`, `legal_actions()`,
        `random_action(player, rng)`, `to_move()` and `outcome()`: see the documentation of the framework.
        The copy is not connected to the match. Making it is slow: make one copy in each turn, then use
        `push`, `pop` and `clone`.

        Args:
            rng: A random generator for guesses at hidden information and for dice. The default is a new one.

        Raises:
            PlayerError: The game's rules are not installed on this machine, or have another version.
        """
        from .fork import fork

        world = self.world
        return fork(world.schema, world.options, world.view(), world.player, rng)


class PlacedObject(GameObject):
    """An object that stands on a tile.

    Attributes:
        x: Column, or None if the object is not on the board.
        y: Row, or None if the object is not on the board.
        tile: The tile that the object stands on, or None if the object is not on the board.
    """

    x: Any
    y: Any
    tile: Any

    def distance_to(self, other: Located) -> int:
        """Return the number of steps north, east, south or west to a tile or object, ignoring obstacles.

        Return `FAR_AWAY` if either is off the board.
        """
        return distance(self, other)

    def __repr__(self) -> str:
        return f"<{self._class_name} {self.id} at ({self.x}, {self.y})>"
