"""The entry point of the command ``arena``, also as ``python -m arena``."""

import io
import os
import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    # Python's option -m puts the current folder first on the search path. The files in it can be untrusted.
    del sys.path[0]

from contextlib import suppress

from arena.bots.system.surroundings import open_missing_streams

OWN_BOTS = ("climb", "compare", "map", "play", "rerun", "verdict", "view")
"""Commands that play the user's own bots, also in memory: with --in-memory, and where there are no programs."""
RUNS_MATCHES = (*OWN_BOTS, "bot", "cluster", "contest", "doctor", "grade", "join")
"""Commands that can start bots. If the user is not root, they restart in a systemd scope, to get control groups."""

NEEDS_POSIX = frozenset(RUNS_MATCHES) - frozenset(OWN_BOTS) | {"submit", "mcp"}
"""Commands that start the programs of others, or check them. They need processes as Linux and macOS have them."""
NOT_POSIX = """\
Error: `arena {command}` does not run on Windows: it isolates programs, with parts of Linux and macOS. Two ways:
  1. With WSL 2, Windows runs Linux. In PowerShell as administrator: wsl --install -d Ubuntu
     Then, in the window of Ubuntu:
       sudo apt update && sudo apt install -y python3-venv bubblewrap
       python3 -m venv ~/arena && . ~/arena/bin/activate && pip install arena-all
  2. In the browser: the playground (`arena playground` runs here), or a codespace of the repository.
  On Windows itself your own bots in Python play. These work:
     {works}.
  The page "Windows" of the documentation has the details.
"""
WORKS_ANYWHERE = (
    "climb, compare, conform, explain, game, games, map, new, new-game, play, replay, rerun, rules, sdk, "
    "verdict, view, and matches in memory"
)


def main() -> None:
    """Run the command line. Ctrl-C prints no traceback, even while modules are loading."""
    # Child processes that run Python inherit this setting, whoever starts them.
    os.environ["PYTHONSAFEPATH"] = "1"
    open_missing_streams()
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="replace")  # a pipe of Windows has few characters (cp1252)
    try:
        server = _prepare(sys.argv[1:])
        from arena.cli import cli
    except KeyboardInterrupt:
        sys.stderr.write("\nInterrupted.\n")
        sys.exit(130)
    cli.main(obj=server, prog_name="arena")


def _prepare(arguments: list[str]) -> object:
    """Restart a command that runs matches, if it needs a systemd scope. Return a fork server for `arena play`, or None.

    Without POSIX, such as on Windows, end with a message if the command needs it.

    The fork server imports the referee and the rules. At the same time, this process imports the command and checks its
    arguments.
    """
    if not hasattr(os, "geteuid"):
        if arguments and arguments[0] in NEEDS_POSIX:
            import textwrap

            works = textwrap.fill(WORKS_ANYWHERE, 100, subsequent_indent="     ")
            sys.stderr.write(NOT_POSIX.format(command=arguments[0], works=works))
            sys.exit(27)  # ExitCode.NOT_POSIX; its module is not imported here, to keep the start fast
        return None
    if "--in-memory" in arguments:
        return None
    if arguments[:1] and arguments[0] in RUNS_MATCHES and os.geteuid() != 0:
        from arena.bots.sandbox.group_parents import enter_scope
        from arena.bots.system.spawn import python

        enter_scope(python("-m", "arena", *arguments))
    if arguments[:1] != ["play"] or len(arguments) < 3:
        return None
    from arena.play.referee.match_process import ForkServer

    server = ForkServer(arguments[1], forks=True)
    with suppress(OSError):  # `arena play` opens the server again, and then reports the error
        server.open()
    return server


if __name__ == "__main__":
    main()
