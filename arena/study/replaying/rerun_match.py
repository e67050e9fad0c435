"""A match in which one player is a program, and everything else comes from a replay.

It is an ordinary `Match`, with three additions around it:

* `RecordGuide` keeps the state on the course of the record.
* `RerunMatch` drives the other players. They submit what was recorded, and fail where they failed.
* `RerunEnd` is the end of the program's seat, and `RerunSeat` that of a bot in memory. It shows the program the
  recorded clock, and ends the match where the record ends.

Nothing of this may depend on how long the program takes, so that a rerun gives the same result each time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from arena.game import Clock, GameSpec, Seeded
from arena.match.job import Job, SeatAssignment
from arena.match.limits import Policy
from arena.play.referee.carrying import Message, Resident
from arena.play.referee.match import Match
from arena.study.replaying.course import Course
from arena.study.replaying.record_guide import RecordGuide, is_failure
from arena_replays.documents import Entry, Header


class RerunMatch:
    """Drives a match in which a program takes the place of one player of a replay.

    Args:
        last_turn: The match ends after this turn, from 1; None to play to the end of the record.
        allowed: The seconds of a turn after which a program counts as hanging; None for no limit.

    Attributes:
        match: The state machine.
        end: The ending and detail of the recorded program; None if it did not fail.
        clock: The clock of the recorded match. The program sees this one; the match itself only ends what hangs.
    """

    def __init__(
        self,
        game: GameSpec,
        header: Header,
        seed: int | str,
        truth: Sequence[Entry],
        player: int,
        last_turn: int | None = None,
        allowed: float | None = None,
    ) -> None:
        start = Course.of(game, header, list(truth[:1]))
        players = header.get("players", [])
        seats = tuple(SeatAssignment("", entry["name"], dict(entry.get("settings", {}))) for entry in players)
        job = Job(game.name, seats, seed=seed, leg=header.get("leg", 0))
        times: dict[str, Any] = {**game.clock.to_document(), **header.get("clock", {})}
        own, self.end = _own_entries(truth, player)
        self.player = player
        self.clock = Clock(**times)
        self.guide = RecordGuide(own, player, self.end, start.first_turn)
        self.match = Match(
            game,
            start.state,
            seats,
            Seeded(f"{job.play_seed}/rerun"),
            Clock(max(self.clock.startup, allowed or 86_400.0), bank=None, increment=0.0, turn=allowed, grace=0.0),
            replace(Policy(**header.get("policy", {})), timeout="forfeit"),
            recorded=False,
            bot_seeds=[job.bot_seed(number) for number in range(len(seats))],
            live=self.guide.live_state,
        )
        self._last_turn = last_turn
        self._banks = {entry[1]: entry[5] for entry in own if entry[0] == "turn" and entry[2] == player}
        self._stopped: list[int] = []
        self._is_to_move = False
        self._times: dict[str, Any] = {}
        for absent in self.guide.absent:
            self.match.on_exit(absent, "crashed", "")

    def resident(self, match: Match, player: int) -> Resident:
        """Return the end of the seat of a recorded player."""
        return Resident(match, player, lambda _: self._choose(player))

    def shown(self, message: Message) -> Message | None:
        """Return what the program gets for a message of the referee; None if the record ends here."""
        kind = message["type"]
        if kind == "turn" and (self.is_past or not self.guide.has_more):
            self.match.void("rerun")
            return None
        self._is_to_move = kind == "turn" or bool(message.get("your_move"))
        if kind == "turn":
            self._times = self.times()
        return (
            {**message, "clock": self.clock.to_document() if kind == "welcome" else self._times}
            if ("clock" in message)
            else message
        )

    def answered(self) -> None:
        """Go on after an answer of the program."""
        if self.match.mover != self.player:
            self.stop()

    def ended(self) -> None:
        """End the match after the end of the program."""
        if self._is_to_move:
            self.guide.fail(self.match.seats[self.player].failure)
        self.match.void("rerun")

    @property
    def is_past(self) -> bool:
        """Whether the last turn to be played is over."""
        return self._last_turn is not None and self.guide.turn > self._last_turn

    def _choose(self, player: int) -> list[Message] | None:
        """Return the next action of a recorded player."""
        entry = self.guide.coming(player)
        if entry is not None and entry[0] == "do" and not self.is_past:
            return [entry[2]]
        self._stopped.append(player)
        if self.match.mover != self.player:
            self.stop()
        return None

    def stop(self) -> None:
        """Let recorded programs fail that failed after the program's answer. If the record ends, end the match."""
        stopped, self._stopped = self._stopped, []
        for player in stopped:
            entry = self.guide.coming(player)
            if entry is not None and entry[0] == "seat" and not self.is_past:
                self.guide.take(player)
                self.match.on_exit(player, entry[2], entry[3])
            else:
                self.match.void("rerun")

    def times(self) -> dict[str, float | None]:
        """Return the time that the recorded player had left at the beginning of the turn."""
        number = self.match.state.turn_number()
        bank = self.clock.bank
        earlier = [microseconds for turn, microseconds in self._banks.items() if turn < number]
        if earlier:
            bank = None if earlier[-1] is None else earlier[-1] / 1e6
        return {"bank": None if bank is None else bank + self.clock.increment, "turn": self.clock.turn}


def _own_entries(truth: Sequence[Entry], player: int) -> tuple[list[Entry], tuple[str, str] | None]:
    """Return the entries before a player's program failed, and the program's ending and detail.

    If the program did not fail, return all entries and None. The ending ``void`` is no failure.
    """
    for at, entry in enumerate(truth):
        if entry[0] == "seat" and entry[1] == player and is_failure(entry):
            return list(truth[:at]), (entry[2], entry[3])
    return list(truth), None
