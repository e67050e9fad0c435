"""What replays need from the installed games: renderers, numbers of legs, and views where a replay has none."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from arena.errors import ArenaError
from arena.game import GameSpec
from arena.lookup import find_game
from arena.verify import rebuild
from arena_replays import Reader, expand


def renderer_of(game: str) -> str | None:
    """Return the source of a game's renderer; None where the default one is to draw it."""
    spec = _installed(game)
    return spec.viewer.read_text(encoding="utf-8") if spec and spec.viewer else None


def renderer_for(header: Mapping[str, Any]) -> str | None:
    """Return the source of the renderer of a replay's game; None where the default one is to draw it."""
    return renderer_of(str(header.get("game", "")))


def legs_for(header: Mapping[str, Any]) -> int:
    """Return how many legs a match of a replay's game has; 1 where the game is not installed."""
    spec = _installed(str(header.get("game", "")))
    return spec.legs if spec else 1


def _installed(game: str) -> GameSpec | None:
    try:
        return find_game(game)
    except ArenaError:
        return None


def with_views(path: Path, folder: Path) -> Path:
    """Return a replay that has views: the given one, or a copy in a folder, expanded by the rules.

    Raises:
        ReplayError: The file is no replay.
        ArenaError: The game of a stripped replay is not installed.
    """
    if not Reader(path).header.get("stripped"):
        return path
    copy = folder / f"{abs(hash(path.resolve()))}" / path.name
    if not copy.exists():
        copy.parent.mkdir()
        expand(path, copy, rebuild)
    return copy


@contextlib.contextmanager
def all_with_views(paths: Sequence[Path]) -> Iterator[list[Path]]:
    """Yield replays that have views, as long as the context lasts.

    Raises:
        ReplayError: A file is no replay.
        ArenaError: The game of a stripped replay is not installed.
    """
    with tempfile.TemporaryDirectory(prefix="arena-view-") as folder:
        yield [with_views(path, Path(folder)) for path in paths]
