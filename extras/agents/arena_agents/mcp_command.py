"""``arena mcp``: the tools of Arena for coding agents."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.extending import need_packages

EPILOG = """\b
Examples:
  claude mcp add arena -- arena mcp my_bots
  arena mcp my_bots                 for any client that starts a program, and speaks with it through pipes

To let the agent hand in bots, set ARENA_SERVER and ARENA_TOKEN before.

Exit codes: 0 the client has closed the connection; 2 there is no such folder; 19 an extra is not installed.
"""


@click.command(epilog=EPILOG)
@click.argument("folder", type=click.Path(path_type=Path), default=".")
def command(folder: Path) -> None:
    """Serve tools for a coding agent with the Model Context Protocol, on standard input and output.

    The agent lists games, reads rules, creates and compares bots, plays matches itself, reads replays, asks why a match
    was lost, and hands in. All its paths are in FOLDER, the current folder if not given. Its tools are commands of
    Arena, with limits of time, of output, and of how many run at once.
    """
    need_packages(["mcp"], "`arena mcp`", "arena-agents[mcp]")
    from arena_agents.mcp_server import serve

    serve(folder)
