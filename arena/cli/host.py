"""``arena host``: play a match, as ``arena play`` does, with seats for bots that run on other machines."""

from __future__ import annotations

import click

from arena.cli.options import takes
from arena.cli.play import play
from arena.cli.play_options import PlayOptions
from arena.referee.match_process import ForkServer

EPILOG = """\b
Examples:
  arena host saloon remote builtin:pianist --listen tcp://0.0.0.0:5555
  arena host saloon remote remote --listen tcp://0.0.0.0:5555 --address arena.example.org

Exit codes: those of `arena play`.
"""


@click.command(epilog=EPILOG)
@takes(PlayOptions)
@click.pass_obj
def command(server: ForkServer | None, chosen: PlayOptions) -> int:
    """Play a match of GAME with bots that run on other machines.

    Write remote in the place of a bot, and give with --listen the address to which it connects. The command prints a
    ticket for each remote seat. Send each ticket to one person, who runs `arena join TICKET MY_BOT`. The match begins
    when all bots have joined. Everything else is as in `arena play`. This machine does not isolate a remote bot. Its
    wall time counts.
    """
    return play(server, chosen)
