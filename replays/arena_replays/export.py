"""A replay as one page that opens from a file, without a network; and inside a notebook."""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any

from arena_replays.errors import CannotWrite
from arena_replays.page import page
from arena_replays.reader import Reader
from arena_replays.writer import replace


def html_of(path: str | Path, renderer_source: str | None = None) -> str:
    """The page of a replay.

    Args:
        path: The replay; truncated and damaged ones are shown as far as they go.
        renderer_source: Source of the game's renderer module; None draws the game with the default one.

    Raises:
        NotAReplay, UnknownVersion, DamagedReplay.
    """
    data = Path(path).read_bytes() if Reader(path) else b""
    return _page_of(data, Path(path).name, renderer_source)


def _page_of(data: bytes, name: str, renderer_source: str | None) -> str:
    return page({"name": name}, data, renderer_source, title_of(Reader(data)))


def export_html(path: str | Path, out: str | Path, renderer_source: str | None = None) -> None:
    """Writes the page of a replay.

    Raises:
        NotAReplay, UnknownVersion, DamagedReplay, CannotWrite.
    """
    _write(html_of(path, renderer_source), out)


def export_bytes(data: bytes, name: str, out: str | Path, renderer_source: str | None = None) -> None:
    """Writes the page of a replay that is no file, such as a copy without what bots logged.

    Raises:
        NotAReplay, UnknownVersion, DamagedReplay, CannotWrite.
    """
    _write(_page_of(data, name, renderer_source), out)


def _write(text: str, out: str | Path) -> None:
    try:
        replace(Path(out), text.encode())
    except OSError as error:
        raise CannotWrite(f"{out} cannot be written: {(error.strerror or str(error)).lower()}.") from None


def title_of(reader: Reader) -> str:
    """What to call a replay in one line."""
    players = reader.header.get("players")
    names = [_name(player) for player in players] if isinstance(players, list) else []
    title = str(reader.header.get("title") or reader.header.get("game") or "Replay")[:60]
    return f"{title}: {' – '.join(name[:40] for name in names[:8])}" if names else title


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


def show(path: str | Path, renderer_source: str | None = None, height: int = 720) -> Shown:
    """Shows a replay in a notebook: put this in the last line of a cell.

    Args:
        path: The replay.
        renderer_source: Source of the game's renderer module; None draws the game with the default one.
        height: In pixels.

    Raises:
        NotAReplay, UnknownVersion, DamagedReplay.
    """
    return Shown(html_of(path, renderer_source), int(height))
