"""``arena view``: watch replays in the browser."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.options import IN_MEMORY, LOCAL_PORT, NO_BROWSER
from arena.cli.output import say
from arena.match.position import ReplayPosition
from arena.study.replaying.presentation import legs_for
from arena_replays import Reader
from arena_replays.legs import as_matches


@click.command()
@click.argument("files", type=click.Path(path_type=Path), nargs=-1)
@LOCAL_PORT
@NO_BROWSER
@IN_MEMORY
def command(files: tuple[Path, ...], port: int, no_browser: bool, in_memory: bool) -> None:
    """Watch replays in the browser.

    The page shows one file, or a list of several files. The two legs of a match are shown as one replay. Two files of
    one game can be seen side by side. FILE@TURN or FILE@TURN.ACTION shows a file at this position.

    Without FILES, the start page opens. It lists the games with their rules and maps, and the replays in the folder
    replays/; a button or a drop opens other replays. You can play on from any position of a replay. Only this machine
    can reach the pages. Ctrl-C stops the command.
    """

    def announce(url: str) -> None:
        say(f"Watch at {url}   (Ctrl-C stops it)")

    from arena.web.server import serve

    if not files:
        from arena.web.local_pages import LocalPages

        serve(LocalPages(in_memory=in_memory).application(), port, announce, open_browser=not no_browser)
        return
    position = ReplayPosition.parse(str(files[0])) if len(files) == 1 else None
    fragment = ""
    if position is not None:
        from arena.study.replaying.positions import file_of, step_at

        files = (file_of(position),)
        fragment = f"#frame={step_at(Reader(files[0]), position.turn, position.action).frame}"
    from arena.web.viewing import Viewing
    from arena.web.what_if import WhatIf

    viewing = Viewing(as_matches(files, legs_for))
    pages = WhatIf(viewing, in_memory=in_memory).application()
    serve(pages, port, announce, page=viewing.first_page + fragment, open_browser=not no_browser)
