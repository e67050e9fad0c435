"""Pictures of replays: the data of a position, which the renderer of the game draws in the browser."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import msgpack

from arena.game import GameSpec
from arena.game.chance import Seeded
from arena.match.lookup import resolve_options
from arena_replays import Reader
from arena_replays.picture import picture
from arena_replays.state import view


def cached_still(path: Path) -> bytes:
    """Return the last position of a finished replay. A few hundred are kept, those of the lists that visitors see."""
    return _cached(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=256)
def _cached(path: Path, changed: int) -> bytes:
    del changed  # only a key: another file has another time
    return last_still(path)


@lru_cache(maxsize=256)
def cached_picture(path: Path | None = None, changed: int = 0) -> bytes:
    """Return a picture for links to a finished replay, as PNG; of an empty board without a replay.

    Args:
        changed: The time of the last change of the file, in nanoseconds.
    """
    del changed
    return picture(Reader(path) if path else None)


def last_still(path: Path) -> bytes:
    """Return the last position of a replay, with what `arena/stills` needs to draw it, as msgpack."""
    reader = Reader(path)
    last = max(0, reader.frame_count() - 1)
    header = {key: reader.header.get(key) for key in ("game", "title", "version", "schema", "options")}
    after = view(reader.state_after(last))
    still: dict[str, Any] = {
        "header": header,
        "names": [player["name"] for player in reader.header.get("players", ())],
        "leg": reader.header.get("leg", 0),
        "before": view(reader.state_after(max(0, last - 1))),
        "after": after,
        "events": reader.frame(last)[1] if last else [],
    }
    packed: bytes = msgpack.packb(still)
    return packed


def map_still(game: GameSpec, name: str) -> bytes:
    """Return the first position of a match on a supplied map, in the form of `last_still`.

    Raises:
        ArenaError: The game has no such map.
    """
    options = resolve_options(game, {game.map_option: name})
    start = game.start(options, Seeded(0)).view()
    header = {"game": game.name, "title": game.title, "version": game.version, "schema": game.schema()}
    names = [f"Player {number}" for number in range(1, game.players_in(options) + 1)]
    still = {"header": header | {"options": options.to_document()}, "names": names, "leg": 0}
    packed: bytes = msgpack.packb(still | {"before": start, "after": start, "events": []})
    return packed
