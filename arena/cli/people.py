"""People who take part in the matches of a command."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from arena.cli.output import say, say_lines
from arena.game import Clock
from arena.match.job import REMOTE, TERMINAL, SeatAssignment

if TYPE_CHECKING:
    from arena.seats.waiting import Waiting


class People:
    """The seats of people, and the programs with which they play.

    Args:
        bots: What fills each seat.
        clock: The time settings of people.

    Attributes:
        use_terminal: Whether somebody plays at the terminal.
    """

    def __init__(self, bots: Sequence[str], clock: Clock) -> None:
        if REMOTE in bots:
            raise click.UsageError("A remote bot needs a ticket. Use `arena host` in the place of `arena play`.")
        self.use_terminal = TERMINAL in bots
        self._clock = clock
        self._places: dict[str, list[Waiting]] = {}

    def assign(self, seat: SeatAssignment) -> SeatAssignment:
        """Return the seat with the place where its player waits, if the player is a person."""
        if not seat.is_outside:
            return seat
        from arena.seats.waiting import Waiting

        place = Waiting()
        self._places.setdefault(seat.bot, []).append(place)
        return replace(seat, address=place.address, clock=self._clock)

    @contextlib.contextmanager
    def playing(self, as_json: bool) -> Iterator[None]:
        """Let people play the matches of this context.

        Args:
            as_json: The standard output is for JSON, so that texts go to the standard error.
        """
        try:
            if self.use_terminal:
                from arena.seats.terminal import Terminal

                Terminal(self._places[TERMINAL], partial(say_lines, err=as_json), partial(_prompt, err=as_json))
            yield
        finally:
            for places in self._places.values():
                for place in places:
                    place.close()


def _prompt(text: str, *, err: bool) -> None:
    say(text, nl=False, err=err)
