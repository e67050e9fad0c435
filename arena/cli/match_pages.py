"""The pages in the browser on which somebody follows a match of ``arena play``, or sees its replay afterwards."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from arena.cli.output import say

if TYPE_CHECKING:
    from arena.web.live import LivePage


def follow(replay: Path, port: int, open_browser: bool) -> LivePage:
    from arena.web.browser import show
    from arena.web.live import LivePage

    def announce(url: str) -> None:
        _show_address(url)
        if open_browser:
            show(url)

    return LivePage(replay, port, announce, partial(say, err=True))


def serve_replays(replays: list[Path], port: int, open_browser: bool) -> None:
    """Serve the replays until the user stops it."""
    from arena.replaying.presentation import legs_for
    from arena.web.server import serve
    from arena.web.viewing import Viewing
    from arena.web.what_if import WhatIf
    from arena_replays.legs import as_matches

    viewing = Viewing(as_matches(replays, legs_for))
    serve(WhatIf(viewing).application(), port, _show_address, page=viewing.first_page, open_browser=open_browser)


def _show_address(url: str) -> None:
    say(f"Watch at {url}   (Ctrl-C stops it)", err=True)
