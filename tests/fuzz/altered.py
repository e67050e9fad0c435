"""Bytes and trees of values, altered at random."""

from __future__ import annotations

import copy
from random import Random
from typing import Any

NUMBERS = (0, 1, -1, 2, 7, 255, 65_535, 2**31 - 1, 2**31, 2**32 - 1, 2**52, 2**63 - 1, -(2**63), 2**64 - 1)
VALUES: tuple[Any, ...] = (
    *NUMBERS,
    *(None, True, False, 0.5, -0.0, 1e308, float("nan"), float("inf")),
    *("", "x", "\x1b]0;t\x07", "\u202e", "a\nb", "do", "turn", "+", "-", "class", "x" * 3_000),
    *(b"", b"\0", b"x" * 300, [], {}, [[]], {"": {}}, [0, 0], [2, []], [3, [1]], [4, 1, b"x"], {"type": "end_turn"}),
)


def altered_bytes(data: bytes, rng: Random, others: list[bytes]) -> bytes:
    """Return bytes that are flipped, cut, repeated, or joined with a part of others."""
    found = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        at = rng.randrange(len(found) + 1)
        to = min(len(found), at + rng.choice((1, 1, 4, 16, 512, 4096)))
        match rng.randrange(7):
            case 0 if found:
                found[min(at, len(found) - 1)] ^= 1 << rng.randrange(8)
            case 1:
                found[at:to] = rng.randbytes(to - at)
            case 2:
                del found[at:to]
            case 3:
                found[at:at] = found[at:to] * rng.choice((1, 2, 50))
            case 4:
                del found[at:]
            case 5:
                other = rng.choice(others)
                start = rng.randrange(len(other) + 1)
                found[at:to] = other[start : start + rng.choice((4, 100, 4096))]
            case _:
                number = rng.choice(NUMBERS) % 2**64
                size = rng.choice((1, 2, 4, 8))
                found[at : at + size] = (number % 256**size).to_bytes(size, rng.choice(("little", "big")))
    return bytes(found)


def altered_tree(tree: Any, rng: Random) -> Any:
    """Return a copy of lists and maps in which a few values are others, gone, or there twice."""
    found = copy.deepcopy(tree)
    for _ in range(rng.choice((1, 1, 2, 5))):
        found = _altered(found, rng)
    return found


def _altered(tree: Any, rng: Random) -> Any:
    place = tree
    while True:
        keys = list(place) if type(place) is dict else range(len(place)) if type(place) is list else ()
        if not keys:
            return copy.deepcopy(rng.choice(VALUES)) if place is tree else tree
        key = rng.choice(keys)
        if type(place[key]) not in (dict, list) or not place[key] or rng.random() < 0.15:
            _alter_item(place, key, rng)
            return tree
        place = place[key]


def _alter_item(place: Any, key: Any, rng: Random) -> None:
    value = place[key]
    match rng.randrange(8):
        case 0:
            del place[key]
        case 1 if type(place) is list:
            place[key:key] = [value] * rng.choice((1, 2, 3, 1000))
        case 1:
            place[rng.choice(("", "more", 0, b"x", None))] = value
        case 2:
            place[key] = [value] if rng.random() < 0.5 else {"": value}
        case 3 if type(value) is int:
            place[key] = value + rng.choice((-1, 1, 1000, -1000))
        case 3 if type(value) in (str, bytes):
            place[key] = value[: len(value) // 2] if rng.random() < 0.5 else value * 2
        case 3 if type(value) is list:
            rng.shuffle(value)
        case 4:
            for _ in range(rng.choice((2, 31, 40, 300))):
                value = [value]
            place[key] = value
        case _:
            place[key] = copy.deepcopy(rng.choice(VALUES))
