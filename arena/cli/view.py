"""``arena view``: replays in the browser."""

from __future__ import annotations

from pathlib import Path

import click

from arena.replays import all_with_views, legs_for
from arena_replays.legs import as_matches


@click.command()
@click.argument("files", type=click.Path(path_type=Path), nargs=-1)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="A fixed port; any that is free if not given.")
@click.option("--no-browser", is_flag=True, help="Only print the address.")
def command(files: tuple[Path, ...], port: int, no_browser: bool) -> None:
    """Watch replays in the browser.

    One of FILES is shown, several make a list, and two of one game can be seen side by side; the two legs of one match
    are shown as one. Without any there is the start page: games with their rules, maps, and the replays in the folder
    replays/. The pages are served to this machine only, until Ctrl-C.
    """

    def announce(url: str) -> None:
        click.echo(f"Watch at {url}   (Ctrl-C ends it)")

    from arena.web.server import serve

    if not files:
        from arena.web.local import LocalPages

        serve(LocalPages().application(), port, announce, open_browser=not no_browser)
        return
    from arena.web.viewing import Viewing

    with all_with_views(files) as paths:
        viewing = Viewing(as_matches(paths, legs_for))
        serve(viewing.application(), port, announce, page=viewing.first_page, open_browser=not no_browser)
