"""Write the replay of a match while it is played.

The replay has everything in the order in which it happened: what a bot printed before an action stands before it. The
seed is in the footer, and only its commitment is in the header, so that nobody who reads along knows the next dice.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from arena.game import Draw, State
from arena.match.void import VOID
from arena.play.referee.match import Match
from arena.play.referee.outputs import (
    ActionEntry,
    Entry,
    LeaveEntry,
    NoteEntry,
    RefusalEntry,
    SeatEntry,
    TurnEntry,
)
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
