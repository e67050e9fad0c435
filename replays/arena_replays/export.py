"""A replay as one page that opens from a file, without a network; and inside a notebook."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arena_replays.errors import CannotWrite
from arena_replays.page import page
from arena_replays.reader import Reader
from arena_replays.writer import replace


def html_of(match: str | Path | Sequence[str | Path], renderer_source: str | None = None) -> str:
    """The page of a match.

    Args:
        match: The replay, or those of its two legs; truncated and damaged ones are shown as far as they go.
        renderer_source: Source of the game's renderer module; None draws the game with the default one.

    Raises:
        NotAReplay, UnknownVersion, DamagedReplay.
    """
    legs = [match] if isinstance(match, str | Path) else match
    readers = [Reader(path) for path in legs]
    return page([Path(path).read_bytes() for path in legs], renderer_source, title_of(readers[0], len(legs)))


def export_html(match: str | Path | Sequence[str | Path], out: str | Path, renderer_source: str | None = None) -> None:
    """Writes the page of a match: of one replay, or of those of its two legs.

    Raises:
        NotAReplay, UnknownVersion, DamagedReplay, CannotWrite.
    """
    text = html_of(match, renderer_source)
    try:
        replace(Path(out), text.encode())
    except OSError as error:
        raise CannotWrite(f"{out} cannot be written: {(error.strerror or str(error)).lower()}.") from None


def title_of(reader: Reader, legs: int = 1) -> str:
    """What to call a match in one line, by its first replay."""
    players = reader.header.get("players")
    names = [_name(player) for player in players] if isinstance(players, list) else []
    title = str(reader.header.get("title") or reader.header.get("game") or "Replay")[:60]
    title = f"{title}: {' – '.join(name[:40] for name in names[:8])}" if names else title
    return f"{title}, {legs} legs" if legs > 1 else title


def _name(player: Any) -> str:
    name = player.get("name") if isinstance(player, dict) else player
    return name if isinstance(name, str) else "?"


class Shown:
    """A replay that a notebook displays inline."""

    def __init__(self, text: str, height: int) -> None:
        self.text = text
        self.height = height

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{html.escape(self.text)}" sandbox="allow-scripts" '
            f'style="width:100%;height:{self.height}px;border:0;border-radius:12px"></iframe>'
        )


def show(match: str | Path | Sequence[str | Path], renderer_source: str | None = None, height: int = 720) -> Shown:
    """Shows a replay in a notebook: put this in the last line of a cell.

    Args:
        match: The replay, or those of its two legs.
        renderer_source: Source of the game's renderer module; None draws the game with the default one.
        height: In pixels.

    Raises:
        NotAReplay, UnknownVersion, DamagedReplay.
    """
    return Shown(html_of(match, renderer_source), int(height))
