"""``arena join``: play a bot of this machine on a seat of another machine."""

from __future__ import annotations

import sys
from functools import partial

import click

from arena.cli.options import SANDBOX, FiniteRange
from arena.cli.output import say

LONGEST_TICKET = 4_096
EPILOG = """\b
Examples:
  arena join - my_bot.py               then paste the ticket
  arena join ticket.txt my_bot.py
  arena join arena-ticket-1-... my_bot.py

Exit codes: 0 all matches were played; 5 bad bot; 23 the ticket is refused; 24 the host is not reached; 130 interrupted.
"""


@click.command(epilog=EPILOG)
@click.argument("ticket")
@click.argument("bot")
@SANDBOX
@click.option(
    "--patience",
    type=FiniteRange(1, 86_400),
    default=60.0,
    show_default=True,
    help="Give up if the host does not answer for this many seconds.",
)
def command(ticket: str, bot: str, sandbox: str, patience: float) -> None:
    """Let BOT play on the seat of TICKET, which `arena play` printed on another machine.

    TICKET is the ticket, the name of a file that contains it, or - to read it from standard input. On a machine with
    other users, use a file that only you can read, or -: other users can see the arguments of a command.

    The bot runs on this machine in a sandbox, as in any match. The connection is encrypted. The command resumes a lost
    connection, and ends after the last match.
    """
    from arena.bots.bot import Bot, load_bot
    from arena.bots.system.reaping import become_subreaper
    from arena.match.lookup import find_game
    from arena.play.referee.prepared import packages_of
    from arena.play.seats.joining import RemoteBot
    from arena.play.seats.ticket import PREFIX, Ticket

    def load(game: str) -> tuple[Bot, tuple[str, ...]]:
        spec = find_game(game)
        return load_bot(bot, spec), packages_of(spec)

    read = Ticket.parse(*_ticket_text(ticket, PREFIX))
    if not bot.startswith("builtin:"):
        load_bot(bot)  # report a mistake before the bot takes the seat
    become_subreaper()
    RemoteBot(read, load, sandbox, patience, partial(say, err=True)).run()


def _ticket_text(ticket: str, prefix: str) -> tuple[str, str]:
    """Return the text of a ticket, and where it comes from."""
    if ticket == "-":
        return sys.stdin.readline(LONGEST_TICKET), "The first line of standard input"
    if ticket.startswith(prefix):
        return ticket, "This"
    try:
        with open(ticket, encoding="utf-8-sig", errors="replace") as file:
            return file.read(LONGEST_TICKET), f"The text in {ticket}"
    except (OSError, ValueError):
        return "", f"{ticket} is no file that can be read, and"
