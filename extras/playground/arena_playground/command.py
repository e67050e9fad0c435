"""``arena playground``: write a bot in the browser, with nothing installed."""

from __future__ import annotations

import tempfile
import threading
import webbrowser
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import click

from arena.cli.extending import LOCAL_PORT, NO_BROWSER, say
from arena.errors import ArenaError, ExitCode

EPILOG = """\b
Examples:
  arena playground                            # in this browser, now
  arena playground export public/playground   # a folder for GitHub Pages or a course's site
  arena playground export site -g saloon      # with one game

Exit codes: 0 stopped, or exported; 3 no such game; 6 the folder or the port cannot be used, or Pyodide is missing.
"""


class Files(SimpleHTTPRequestHandler):
    """Serves the exported folder, like any web server."""

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is that of the base class
        """Print nothing."""


@click.group(invoke_without_command=True, epilog=EPILOG)
@LOCAL_PORT
@NO_BROWSER
@click.pass_context
def command(context: click.Context, port: int, no_browser: bool) -> None:
    """Write a bot in the browser and watch it play, with nothing installed.

    Without a further command, the playground opens in this machine's browser, with all installed games. Only this
    machine can reach it. Ctrl-C stops it. Bots and versions are kept in the browser.
    """
    if context.invoked_subcommand is not None:
        return
    from arena_playground.export import export

    with tempfile.TemporaryDirectory(prefix="arena-playground-") as folder:
        export(Path(folder))
        try:
            server = ThreadingHTTPServer(("127.0.0.1", port), partial(Files, directory=folder))
        except OSError as error:
            raise ArenaError(
                f"Port {port} cannot be used: {error.strerror}.", exit_code=ExitCode.CANNOT_WRITE
            ) from None
        url = f"http://127.0.0.1:{server.server_port}/"
        say(f"The playground: {url}   (Ctrl-C stops it)")
        if not no_browser:
            threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()
        with server:
            server.serve_forever()


@command.command("export")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("-g", "--game", "games", multiple=True, help="Take only this game; can be given several times.")
def export_command(folder: Path, games: tuple[str, ...]) -> None:
    """Write the playground into FOLDER, for any web server. It needs no special headers, and works offline later."""
    from arena_playground.export import contents_size, export

    export(folder, games)
    say(f"{folder}/index.html is the playground. Open it from a web server, not as a file:")
    say()
    say(f"  python -m http.server --directory {folder}")
    say()
    say(f"A first visit sends {contents_size(folder) / 1e6:.1f} MB, if the server compresses text.")
