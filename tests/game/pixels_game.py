"""A game whose state is a picture: an array of numbers that changes in every turn."""

from __future__ import annotations

import struct
from typing import Annotated, Any

from arena.game import Array, Entity, GameSpec, IllegalAction, Integers, Option, Outcome, State, action, field

ROWS = COLUMNS = 84


class Pixels(State):
    """Both players brighten places of a picture; who has brightened more places at the end wins."""

    classes: Any = ()

    picture: Annotated[bytes, Array("float32", (ROWS, COLUMNS))] = field("Brightness.", bytes(4 * ROWS * COLUMNS))
    history: Annotated[bytes, Array("uint16", (None,))] = field("The chosen columns.", b"")
    moves: int = field("Actions so far.", 0)

    def setup(self) -> None:
        self.light(0, 0.5)

    @action
    def brighten(self, column: int) -> None:
        """Brighten a column.

        Args:
            column: 0 to 77, a multiple of 7.
        """
        if column not in range(0, COLUMNS, 7):
            raise IllegalAction("bad_column", "no multiple of 7 from 0 to 77")
        self.light(column, self.chance.draw(Integers(1, 100), "light") / 7)
        self.history += struct.pack("<H", column)
        self.moves += 1

    def light(self, column: int, light: float) -> None:
        """Brighten all rows of a column, the lower ones more."""
        picture = bytearray(self.picture)
        numbers = memoryview(picture).cast("f", (ROWS, COLUMNS))
        for row in range(ROWS):
            numbers[row, column] += light * (row + 1)
        self.picture = bytes(picture)

    def to_move(self) -> tuple[int, ...]:
        return () if self.moves >= self.options.steps else (self.moves % 2,)

    def turn_number(self) -> int:
        return self.moves

    def legal_actions(self, player: int | None = None) -> list[dict[str, Any]]:
        may = self.to_move()
        if not may or player not in (None, *may):
            return []
        return [{"type": "brighten", "column": column} for column in range(0, COLUMNS, 7)]

    def outcome(self) -> Outcome | None:
        return None if self.to_move() else Outcome(None, "steps_played")

    def to_document(self) -> dict[str, Any]:
        return {"moves": self.moves, "picture": self.picture.hex(), "history": self.history.hex()}

    def load(self, document: dict[str, Any]) -> None:
        self.moves = document["moves"]
        self.picture = bytes.fromhex(document["picture"])
        self.history = bytes.fromhex(document["history"])


class Eye(Entity):
    """A part of the picture that only its owner sees."""

    owner: int = field("The player.")
    seen: Annotated[bytes, Array("int16", (4, 4))] | None = field("What it sees.", None, secret=True)


class HiddenPixels(Pixels):
    """The same, with a secret array for each player."""

    classes: Any = (Eye,)
    hidden_information = True
    eyes: tuple[Eye, ...] = field("Both.", ())

    def setup(self) -> None:
        super().setup()
        self.eyes = tuple(self.create(Eye, f"e{owner}", owner=owner, seen=self.look()) for owner in range(2))

    def look(self) -> bytes:
        return struct.pack("<16h", *(self.chance.draw(Integers(-9, 9), "eye", public=False) for _ in range(16)))

    def conceals(self, player: int, entity: Entity, name: str) -> bool:
        return isinstance(entity, Eye) and entity.owner != player

    @classmethod
    def determinize(cls, view: list[Any], player: int, rng: Any, options: Any) -> Any:
        state = cls.from_view(view, options)
        state.eyes[1 - player].seen = struct.pack("<16h", *(rng.randint(-9, 9) for _ in range(16)))
        state.commit()
        return state

    def to_document(self) -> dict[str, Any]:
        return super().to_document() | {"eyes": [eye.seen.hex() for eye in self.eyes if eye.seen is not None]}

    def load(self, document: dict[str, Any]) -> None:
        super().load(document)
        self.eyes = tuple(
            self.create(Eye, f"e{owner}", owner=owner, seen=bytes.fromhex(seen))
            for owner, seen in enumerate(document["eyes"])
        )


STEPS = Option("steps", "int", 20, "Actions.", 1, 1000)
GAME = GameSpec(name="pixels", title="Pixels", version="1", state=Pixels, options=(STEPS,))
HIDDEN = GameSpec(name="hidden_pixels", title="Hidden pixels", version="1", state=HiddenPixels, options=(STEPS,))
