"""Serving the start page until the user interrupts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from arena.web.editing.server import EditingServer, run


def serve_start_page(
    port: int = 0,
    open_browser: bool = True,
    announce: Callable[[str], None] = lambda _url: None,
    replays: Path = Path("replays"),
) -> None:
    """Serve games, maps, rules, editors and recent replays to this machine.

    Args:
        port: 0 for any that is free.
        open_browser: Open the page.
        announce: Called once with the address.
        replays: The folder of the replays that are listed.

    Raises:
        CannotWrite: The port is taken.
    """
    with EditingServer(port, replays=replays) as server:
        run(server, server.url, open_browser, lambda: announce(server.url))
