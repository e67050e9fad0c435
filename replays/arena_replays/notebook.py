"""Show replays in notebooks."""

from __future__ import annotations

import html
from collections.abc import Sequence
from importlib.metadata import entry_points
from pathlib import Path

from arena_replays.export import headline_of, html_of
from arena_replays.page import Renderer, page, read_renderer
from arena_replays.reader import Reader

HEIGHT = 720


class Replay(Reader):
    """A replay that a notebook displays in the viewer. Write its name in the last line of a cell.

    The board is drawn by the renderer of the game if the package of the game is installed, else by the default
    renderer. In all else it is a `Reader`.

    Args:
        source: A path, or the bytes of a file.

    Raises:
        ReplayError: The replay cannot be read.
    """

    def __init__(self, source: str | Path | bytes) -> None:
        super().__init__(source)
        self._shown = source

    def _repr_html_(self) -> str:
        data = self._shown if isinstance(self._shown, bytes) else Path(self._shown).read_bytes()
        return _frame(page([data], installed_renderer(self.header.get("game", "")), headline_of([self._shown])), HEIGHT)


class Shown:
    """A match that a notebook displays inline."""

    def __init__(self, text: str, height: int) -> None:
        self.text = text
        self.height = height

    def _repr_html_(self) -> str:
        return _frame(self.text, self.height)


def show(
    match: str | Path | Sequence[str | Path], renderer_source: Renderer | str | None = None, height: int = HEIGHT
) -> Shown:
    """Return an object that a notebook displays as the viewer of a match. Call it in the last line of a cell.

    Args:
        match: The replay, or the replays of both legs.
        renderer_source: A renderer, or the source of its single module; None for that of the game, see `Replay`.
        height: The height in pixels.

    Raises:
        ReplayError: The replay cannot be read.
    """
    first = match if isinstance(match, str | Path) else match[0]
    renderer = renderer_source or installed_renderer(Reader(first).header.get("game", ""))
    return Shown(html_of(match, renderer), int(height))


def installed_renderer(game: str) -> Renderer | None:
    """Return a game's renderer; None if the package of the game is not installed, or has no renderer."""
    for entry in entry_points(group="arena.games", name=game):
        viewer = getattr(entry.load(), "viewer", None)
        return None if viewer is None else read_renderer(viewer)
    return None


def _frame(text: str, height: int) -> str:
    return (
        f'<iframe srcdoc="{html.escape(text)}" sandbox="allow-scripts" '
        f'style="width:100%;height:{height}px;border:0;border-radius:12px"></iframe>'
    )
