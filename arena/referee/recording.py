"""Write the replay of a match while it is played."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from arena.game import Draw, State
from arena.referee.match import Match
from arena.referee.outputs import ActionEntry, Entry, LeaveEntry, NoteEntry, RefusalEntry, SeatEntry, TurnEntry
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
        self._state = state
        self._frames = 0
        self._out: dict[int, int] = {}
        players = range(len(header["players"])) if state.hides_information() else range(0)
        views = [state.view(), *(state.view(player) for player in players)]
        self._writer = Writer(path, {**header, "streams": len(views), "commitment": commitment(self._seed, self._salt)})
        if draws is None:
            self._writer.position(state.to_document(), views)
        else:
            self._writer.setup([draw.value for draw in draws], views)

    def write(self, entry: Entry) -> None:
        WRITE[type(entry)](self._writer, *entry)
        kind = type(entry)
        if kind is ActionEntry or kind is LeaveEntry:
            self._frames += 1
        elif kind is TurnEntry:
            self._note_who_is_out()

    def _note_who_is_out(self) -> None:
        with suppress(Exception):  # the referee asks the rules too, and reports what they raise
            for player in self._state.out():
                self._out.setdefault(player, self._frames)

    def finish(self, match: Match, trouble: str) -> str:
        """Write the footer. Return what the replay lacks because of a limit, in words; empty if it is whole.

        Args:
            match: The match, which is over.
            trouble: What failed or interrupted the match; empty if nothing did.
        """
        scores = match.state.scores() or (0.0,) * len(match.seats)
        players: list[FooterPlayer] = [
            {
                "name": seat.name,
                "ending": seat.ending or "void",
                "detail": seat.detail,
                "score": scores[seat.player],
                "refusals": dict(seat.refusals),
            }
            for seat in match.seats
        ]
        self._note_who_is_out()
        for player, one in enumerate(players):
            if player in self._out:
                one["out"] = self._out[player]
            if match.outcome is not None and (place := match.outcome.place(player)):
                one["place"] = place
        footer: Footer = {
            "outcome": None if match.outcome is None else match.outcome.to_document(),
            "digest": match.state.digest(),
            "course": match.live.course,
            "turns": match.turns,
            "trouble": trouble,
            "players": players,
            "seed": self._seed,
            "salt": self._salt,
        }
        self._writer.finish(footer, sync=self._sync)
        return self._writer.notice
