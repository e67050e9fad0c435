"""``arena join``: play a bot of this machine on a seat of another machine."""

from __future__ import annotations

from functools import partial

import click

from arena.cli.options import FiniteRange
from arena.cli.output import say

EPILOG = """\b
Examples:
  arena join arena-ticket-1-... my_bot.py
\b
Exit codes: 0 all matches were played; 5 bad bot; 23 the ticket is refused; 24 the host is not reached; 130 interrupted.
"""


@click.command(epilog=EPILOG)
@click.argument("ticket")
@click.argument("bot")
@click.option(
    "--sandbox",
    type=click.Choice(["auto", "bwrap", "none"]),
    default="auto",
    show_default=True,
    help="Use this sandbox for the bot.",
)
@click.option(
    "--patience",
    type=FiniteRange(1, 86_400),
    default=60.0,
    show_default=True,
    help="Give up if the host does not answer for this many seconds.",
)
def command(ticket: str, bot: str, sandbox: str, patience: float) -> None:
    """Let BOT play on the seat of TICKET, which `arena host` printed on another machine.

    The bot runs on this machine in a sandbox, as in any match. The connection is encrypted. The command resumes a lost
    connection, and ends after the last match.
    """
    from arena.bots.bot import Bot, load_bot
    from arena.bots.builtin import builtin_bot
    from arena.bots.system.reaping import become_subreaper
    from arena.match.lookup import find_game
    from arena.referee.prepared import packages_of
    from arena.seats.joining import Joined
    from arena.seats.ticket import Ticket

    def load(game: str) -> tuple[Bot, tuple[str, ...]]:
        spec = find_game(game)
        return load_bot(bot, builtins=partial(builtin_bot, spec)), packages_of(spec)

    read = Ticket.parse(ticket)
    if not bot.startswith("builtin:"):
        load_bot(bot)  # report a mistake before the bot takes the seat
    become_subreaper()
    Joined(read, load, sandbox, patience, partial(say, err=True)).run()
