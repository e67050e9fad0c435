"""Write the replay of a match while it is played.

The replay has everything in the order in which it happened: what a bot printed before an action stands before it. The
seed is in the footer, and only its commitment is in the header, so that nobody who reads along knows the next dice.
"""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Mapping
from contextlib import suppress

from arena.bots.capture import Capture
from arena.game import Draw, State
from arena.match.void import VOID
from arena.play.referee.match import Match
from arena.play.referee.outputs import (
    ActionEntry,
    Entry,
    LeaveEntry,
    NoteEntry,
    Printed,
    RefusalEntry,
    SeatEntry,
    TurnEntry,
)
from arena.play.referee.seat_link import Poller, SeatConnection
from arena_replays import Footer, Header, Writer
from arena_replays.commitment import commitment, new_salt
from arena_replays.documents import FooterPlayer

WRITE: dict[type[Entry], Callable[..., None]] = {
    ActionEntry: Writer.do,
    LeaveEntry: Writer.leave,
    RefusalEntry: Writer.refuse,
    NoteEntry: Writer.note,
    TurnEntry: Writer.turn,
    SeatEntry: Writer.seat,
}


class Recording:
    """A replay that is being written. It reveals the seed at its end only.

    Args:
        header: Its header. This class sets ``streams``, the number of recorded views, and the commitment to the seed.
        draws: The draws of the set-up; None if the match starts from a given position, without a set-up.
        sync: Whether `finish` waits until the replay is on the disk.
    """

    def __init__(
        self, path: str, header: Header, seed: int | str | None, state: State, draws: list[Draw] | None, *, sync: bool
    ) -> None:
        self._sync = sync
        self._seed, self._salt = seed, new_salt()
        players = range(len(header["players"])) if state.hides_information() else range(0)
        views = [state.view(), *(state.view(player) for player in players)]
        self._writer = Writer(path, {**header, "streams": len(views), "commitment": commitment(self._seed, self._salt)})
        if draws is None:
            self._writer.position(state.to_document(), views)
        else:
            self._writer.setup([draw.value for draw in draws], views)

    def write(self, entry: Entry) -> None:
        WRITE[type(entry)](self._writer, *entry)

    def finish(self, match: Match, trouble: str) -> str:
        """Write the footer. Return what the replay lacks because of a limit, in words; empty if it is whole.

        Args:
            match: The match, which is over.
            trouble: What failed or interrupted the match; empty if nothing did.
        """
        footer: Footer = {**footer_of(match, trouble), "seed": self._seed, "salt": self._salt}
        self._writer.finish(footer, sync=self._sync)
        return self._writer.notice


def footer_of(match: Match, trouble: str) -> Footer:
    """Return the footer for the replay of a match, without the seed. Verification compares it with the recorded one."""
    state, outcome = match.state, match.outcome
    scores = state.scores() or (0.0,) * len(match.seats)
    out = dict(match.out_since)
    with suppress(Exception):  # the referee calls the rules too, and reports what they raise
        for player in state.out():
            out.setdefault(player, match.live.frames)
    players: list[FooterPlayer] = []
    for player, seat in enumerate(match.seats):
        entry: FooterPlayer = {
            "name": seat.name,
            "ending": seat.ending or VOID,
            "detail": seat.detail,
            "score": scores[player],
            "refusals": dict(seat.refusals),
        }
        if player in out:
            entry["out"] = out[player]
        if outcome is not None and (place := outcome.place(player)):
            entry["place"] = place
        players.append(entry)
    return {
        "outcome": None if outcome is None else outcome.to_document(),
        "digest": state.digest(),
        "course": match.live.course,
        "turns": match.turns,
        "trouble": trouble,
        "players": players,
    }


# Read the output of bots, and record output and actions in the order in which they happen.

MUTE_SECONDS = 0.01
"""Seconds for which the poller ignores a bot's output after a read. Otherwise each byte could wake the poller.

A bot that prints without end then wakes the referee at most 100 times a second. A pipe holds what comes meanwhile.
"""


class BotOutput:
    """Reads stdout and stderr of all seats.

    Attributes:
        muted_until: The time at which the poller should report output of muted seats again; None if no seat is muted.
    """

    def __init__(
        self, seats: Mapping[int, SeatConnection], poller: Poller, report: Callable[[int, Printed, str], None]
    ) -> None:
        self.muted_until: float | None = None
        self._seats = seats
        self._poller = poller
        self._report = report
        self._muted: set[int] = set()
        self._pipes = select.poll()
        self._owners: dict[int, int] = {}

    def add(self, player: int) -> None:
        """Poll the output of a seat whose program was started."""
        for _, output in self._open_streams(player):
            self._poller.add(output.fileno(), self._on_ready, player)
            self._pipes.register(output.fileno(), select.POLLIN)
            self._owners[output.fileno()] = player

    def catch_up(self) -> None:
        """Read the output of all seats before an action, so that the replay has the output before the action."""
        for descriptor, events in self._pipes.poll(0):  # one call for all pipes is much faster than a read of each
            self.drain(self._owners[descriptor])
            if events & select.POLLNVAL:  # the pipe was closed with its program
                self._pipes.unregister(descriptor)

    def drain(self, player: int) -> None:
        """Read the available output of a seat and report whole lines, and an unfinished last line of a closed pipe."""
        for kind, output in self._streams(player):
            descriptor = output.fileno()
            if descriptor >= 0:
                output.drain()
                if output.closed:
                    self._poller.remove(descriptor)
                    self._pipes.unregister(descriptor)
            text = output.take()
            if text:
                self._report(player, kind, text)

    def unmute(self) -> None:
        self.muted_until = None
        for player in sorted(self._muted):
            self.add(player)
        self._muted.clear()

    def _on_ready(self, player: int) -> None:
        if player not in self._muted:
            self._muted.add(player)
            for _, output in self._open_streams(player):
                self._poller.remove(output.fileno())
            self.muted_until = self.muted_until or time.monotonic() + MUTE_SECONDS
        self.drain(player)

    def _open_streams(self, player: int) -> list[tuple[Printed, Capture]]:
        return [(kind, output) for kind, output in self._streams(player) if output.fileno() >= 0]

    def _streams(self, player: int) -> tuple[tuple[Printed, Capture], tuple[Printed, Capture]]:
        process = self._seats[player].process
        return ("stdout", process.stdout), ("stderr", process.stderr)
