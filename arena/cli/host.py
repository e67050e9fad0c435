"""``arena host``: ``arena play`` with seats for bots of other machines."""

from __future__ import annotations

import click

from arena.cli.play import command as play

HELP = """Play a match of GAME with bots that run on other machines.

Write remote in the place of a bot, and say with --listen where it connects. The command prints a ticket for each remote
seat. Send it to one person: `arena join TICKET MY_BOT` plays there. The match begins when all have joined. Everything
else is as in `arena play`. A remote bot is not isolated by this machine, and its wall time counts.
"""

EPILOG = """\b
Examples:
  arena host saloon remote builtin:pianist --listen tcp://0.0.0.0:5555
  arena host saloon remote remote --listen tcp://0.0.0.0:5555 --address arena.example.org
\b
Exit codes: those of `arena play`.
"""

command = click.Command("host", callback=play.callback, params=play.params, help=HELP, epilog=EPILOG)
