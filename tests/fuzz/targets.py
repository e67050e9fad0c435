"""What is fuzzed. Each target takes any bytes and raises only when something is wrong with us."""

from typing import Any

from wire_examples import SCHEMA, folding

from arena_player import PlayerError, Result, wire
from arena_player.schema import parse_schema
from arena_player.world import World

IDS = ("game", "w1", "w2", "w9", "")
FIELDS = ("+", "-", "x", "y", "walkers", "width", "height", "mood", "nothing")
VALUES: tuple[Any, ...] = (
    *("Game", "Walker", "Ghost", "w1", None, True, 0, 1, 3, -1, 0.5),
    *(["w1"], ["w9", None], [1, 2], [[]], []),
)


def unpack(data: bytes) -> None:
    """The codec: a message, or a `WireError`. The first byte says who sent the rest."""
    sender = "referee" if data[:1] == b"r" else "client"
    try:
        message = wire.unpack(data[1:], sender)
    except wire.WireError as error:
        if error.code not in wire.CODES or not str(error).isprintable():
            raise AssertionError(f"unfit error: {error!r}") from error
    else:
        again = wire.pack(message)
        assert wire.unpack(again, sender) == message


def world(data: bytes) -> None:
    """The object graph: any delta that the wire lets through is folded, or refused by a `PlayerError`."""
    graph = World(parse_schema(SCHEMA), lambda _: Result())
    graph.apply(folding()[0].delta)
    for start in range(0, len(data) - 2, 9):
        delta = []
        for index in range(start, min(start + 9, len(data) - 2), 3):
            identity, field, value = data[index : index + 3]
            delta += [IDS[identity % len(IDS)], FIELDS[field % len(FIELDS)], VALUES[value % len(VALUES)]]
        try:
            graph.apply(delta)
        except PlayerError:
            return
        for tile in graph.tiles.values():
            assert all(thing.tile is tile for thing in tile.things)


TARGETS = {"unpack": unpack, "world": world}
