"""Shapes and text for the replay, collected by `self.draw` and `self.log`."""

from collections.abc import Iterator
from math import isfinite

from .grid import Located
from .light import Any, contextmanager
from .wire import limits
from .wire.kinds import is_plain

Where = Located | tuple[float, float]
"""A tile, an object on a tile, or a pair (x, y) in tiles."""

# Only half of `limits.SHAPES`: with long texts, more shapes could exceed the size limit of a message.
_SHAPES_PER_MESSAGE = limits.SHAPES // 2
_MOST_SHAPES = _SHAPES_PER_MESSAGE * limits.NOTES_PER_REPLY // 2
_MOST_TEXT = limits.LOG_TEXT * limits.NOTES_PER_REPLY // 2
_LEFT_OUT = "\n(more was logged here than is kept)"


class Notes:
    """The log lines and drawings of a bot since its last message."""

    def __init__(self) -> None:
        self._text = ""
        self._shapes: list[dict[str, Any]] = []

    def write(self, text: str) -> None:
        """Add a line of text. If all lines together are longer than the limit for one reply, cut off the end."""
        if len(self._text) >= _MOST_TEXT:
            return
        self._text = f"{self._text}\n{text}" if self._text else text
        if len(self._text) > _MOST_TEXT:
            self._text = self._text[: _MOST_TEXT - len(_LEFT_OUT)].rstrip("\n") + _LEFT_OUT
            self._text = self._text.ljust(_MOST_TEXT)

    def add(self, shape: dict[str, Any]) -> None:
        """Add a shape. Ignore it if the limit for one reply is reached."""
        if len(self._shapes) < _MOST_SHAPES:
            self._shapes.append(shape)

    def take(self, seq: int) -> list[dict[str, Any]]:
        """Return the messages to send before the next reply, and remove the text and shapes."""
        if not self._text and not self._shapes:
            return []
        text, shapes = self._text.rstrip(), self._shapes
        self._text, self._shapes = "", []
        if not text.isascii():
            text = text.encode("utf-8", "replace").decode("utf-8")
        return [
            {"type": "log", "seq": seq, "text": text[start : start + limits.LOG_TEXT]}
            for start in range(0, len(text), limits.LOG_TEXT)
        ] + [
            {"type": "draw", "seq": seq, "shapes": shapes[start : start + _SHAPES_PER_MESSAGE]}
            for start in range(0, len(shapes), _SHAPES_PER_MESSAGE)
        ]


def _centre(where: Where) -> tuple[float, float]:
    """Return a pair as floats; for a tile or an object, return the middle of its tile.

    Raises:
        ValueError: The object is not on the board, or a number is not finite.
    """
    if isinstance(where, tuple):
        return _finite(where[0]), _finite(where[1])
    if where.x is None or where.y is None:
        raise ValueError(f"{where!r} is not on the board")
    return where.x + 0.5, where.y + 0.5


def _finite(value: float) -> float:
    value = float(value)
    if not isfinite(value):
        raise ValueError("a coordinate is not a finite number")
    return value


class Canvas:
    """Draws on the board of the replay, for debugging. Other bots never get your drawings.

    A position is a tile, an object on a tile, or a pair (x, y). A tile or an object means the middle of
    its tile. In a pair, (0, 0) is the upper left corner of the board, and (0.5, 0.5) is the middle
    of the first tile. A colour is a name such as "red" or a value such as "#rrggbb".
    A shape that cannot be drawn is left out, and a line in the log says why. A drawing never ends a bot.
    After 800 shapes since your last action, further shapes are left out without a line in the log.
    """

    def __init__(self, notes: Notes) -> None:
        self._notes = notes

    def point(self, where: Where, color: str = "") -> None:
        """Draw a dot."""
        with self._noting():
            x, y = _centre(where)
            self._add({"kind": "point", "x": x, "y": y}, color)

    def line(self, start: Where, end: Where, color: str = "") -> None:
        """Draw a line."""
        with self._noting():
            x, y = _centre(start)
            x2, y2 = _centre(end)
            self._add({"kind": "line", "x": x, "y": y, "x2": x2, "y2": y2}, color)

    def rectangle(self, first: Where, second: Where | None = None, color: str = "") -> None:
        """Draw a frame around the tiles from `first` to `second`. Without `second`, draw it around `first`.

        Pairs are corners of the frame. For tiles and objects, the frame includes their whole tile.
        """
        second = first if second is None else second
        margin, margin2 = (0.0 if isinstance(where, tuple) else 0.5 for where in (first, second))
        with self._noting():
            x, y = _centre(first)
            x2, y2 = _centre(second)
            box = {
                "x": min(x - margin, x2 - margin2),
                "y": min(y - margin, y2 - margin2),
                "x2": max(x + margin, x2 + margin2),
                "y2": max(y + margin, y2 + margin2),
            }
            self._add({"kind": "rectangle", **box}, color)

    def text(self, where: Where, text: object, color: str = "") -> None:
        """Write a short text, at most 200 characters. Control characters become spaces."""
        with self._noting():
            shown = "".join(letter if is_plain(letter) else " " for letter in str(text)[: limits.SHAPE_TEXT])
            x, y = _centre(where)
            self._add({"kind": "text", "x": x, "y": y, "text": shown}, color)

    @contextmanager
    def _noting(self) -> Iterator[None]:
        """If the block raises an exception, log the reason and continue. Any argument can be wrong in any way."""
        try:
            yield
        except Exception as error:
            self._notes.write(f"(not drawn: {error})")

    def _add(self, shape: dict[str, Any], color: str) -> None:
        if color:
            if len(color) > 32 or not is_plain(color):
                raise ValueError("a colour must be a short name or #rrggbb")
            shape["color"] = color
        self._notes.add(shape)
