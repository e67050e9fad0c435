"""Play a match in which one player is a program. The others are objects in this process."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from arena.match.job import Job
from arena.match.limits import Limits
from arena.match.policy import Policy
from arena.referee.host import Host, HostedMatch, ProgramEnd
from arena.referee.prepared import packages_of

if TYPE_CHECKING:
    from arena.bots.bot import Bot
    from arena.referee.carrying import SeatEnd
    from arena.referee.match import Match
    from arena.referee.seat_connection import SeatConnection

LONGEST_EXIT = 2.0
"""A program that has not ended this many seconds after the match is killed."""


def play_one_program(
    match: Match,
    player: int,
    bot: Bot,
    *,
    program: Callable[[Host, Match, int], ProgramEnd],
    resident: Callable[[Match, int], SeatEnd],
    limits: Limits | None = None,
    sandbox: str = "auto",
    terminal: bool = False,
    environment: Mapping[str, str] | None = None,
) -> SeatConnection:
    """Play a match to its end, and return the program with its output. A failure of the rules is raised.

    Args:
        program: Makes the end of the program's seat.
        resident: Makes the end of another seat.
        terminal: Whether the program uses our terminal. It then runs without a sandbox.
    """
    job = Job(
        match.game.name,
        (),
        policy=Policy(pause_idle=""),  # nobody else needs the processor
        limits=limits or Limits(),
        sandbox=sandbox,
        debug=terminal,
    )
    hosted = HostedMatch(
        job,
        [bot if seat.player == player else None for seat in match.seats],
        lambda _: (match, None),
        packages_of(match.game),
        environment=environment or {},
        program=program,
        resident=resident,
        grace=LONGEST_EXIT,
        alone=False,
    )
    host = Host(hosted)
    host.run()
    return host.seats[player]
