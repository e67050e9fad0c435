"""What small pictures in pages show. The macros in ``parts/components.html`` draw them; scripts draw positions."""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Final

import msgpack

from arena_replays.page import inert_script

_SIDE: Final = 5


@dataclass(frozen=True, slots=True)
class Sign:
    """The picture of a bot: a pattern with a mirror axis, on a grid of 5 by 5, in a colour of its own."""

    path: str
    color: str


@lru_cache(maxsize=4096)
def sign(name: str) -> Sign:
    """Return the sign of a name. It is always the same for a name, and readable on light and on dark."""
    digest = hashlib.sha256(name.encode()).digest()
    half = (_SIDE + 1) // 2
    columns = [min(x, _SIDE - 1 - x) for x in range(_SIDE)]  # the right half is the mirror image of the left half
    rows = [[digest[y * half + column] % 2 == 1 for column in columns] for y in range(_SIDE)]
    rows[half - 1][half - 1] = True  # no sign is empty
    path = "".join(f"M{x} {y}h{length}v1h-{length}z" for y, row in enumerate(rows) for x, length in _runs(row))
    hue, lightness = digest[30] * 360 // 256, 46 + digest[31] % 3 * 5
    return Sign(path, f"hsl({hue} 55% {lightness}%)")


def in_place_of_signs(pictures: Mapping[str, str]) -> str:
    """Return a style sheet that shows pictures in place of the signs of some bots.

    Args:
        pictures: The address of the picture of each bot, by name. It has only characters that an URL may have.
    """
    rule = '.bot[title="{}"]>.sign{{background:url("{}") center/cover;path{{display:none}}}}'
    return "\n".join(rule.format(_escaped(name), address) for name, address in pictures.items())


def _escaped(name: str) -> str:
    """Return a text as the content of a string in a style sheet."""
    return "".join(f"\\{ord(letter):x} " for letter in name)


def _runs(row: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """Yield start and length of each run of filled cells."""
    for filled, cells in groupby(enumerate(row), key=lambda cell: cell[1]):
        if filled:
            columns = [x for x, _ in cells]
            yield columns[0], len(columns)


def middle(name: str, most: int = 26) -> str:
    """Return a name of at most `most` characters. A longer one loses its middle: names often differ at an end."""
    if len(name) <= most:
        return name
    end = (most - 1) // 2
    return f"{name[: most - 1 - end]}…{name[-end:]}"


def sparkline(values: Sequence[float]) -> str:
    """Return the points of a line of values over time in a box of 60 x 18; empty for fewer than two values."""
    return line_of(values, 60, 16, 14, ".3g") if len(values) > 1 else ""


def line_of(values: Sequence[float], width: float, bottom: float, height: float, form: str) -> str:
    """Return the points of a line of values over time, of two at least.

    Args:
        form: How a coordinate is written, as in a format string.
    """
    low, span, last = min(values), max(max(values) - min(values), 1.0), len(values) - 1
    points = [(width * index / last, bottom - height * (value - low) / span) for index, value in enumerate(values)]
    return " ".join(f"{x:{form}},{y:{form}}" for x, y in points)


@dataclass(frozen=True, slots=True)
class Range:
    """A value as a dot on the bar of its interval, in a box of 100 x 14.

    Attributes:
        zero: The place of a line at zero; None for no line.
    """

    low: float
    at: float
    high: float
    zero: float | None = None


def interval(low: float, value: float, high: float, least: float, most: float, zero: float | None = None) -> Range:
    """Return where a value and its interval are drawn. `least` and `most` are the ends of the picture."""
    span = max(most - least, 1.0)

    def x_of(number: float) -> float:
        return 4.0 + 92.0 * (min(max(number, least), most) - least) / span  # 4 on each side for half of a dot

    return Range(x_of(low), x_of(value), x_of(high), None if zero is None else x_of(zero))


def pack_stills(address: str, stills: Sequence[bytes]) -> str:
    """Return a script with the positions of many pictures. ``stills.js`` loads it for the first of them.

    Args:
        address: The address of the script.
        stills: The positions, as msgpack.
    """
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = packer.compress(msgpack.packb(stills)) + packer.flush()
    return inert_script(address, base64.b64encode(data).decode())
