"""A rerun in memory, in a worker process: for the user's own bots, and where there are no programs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from arena.bots.bot import Bot
from arena.match.limits import Limits
from arena.match.lookup import find_game
from arena.play.memory.code import BotSeat
from arena.play.memory.notes import SeatOutput
from arena.play.memory.players import bot_class
from arena.play.memory.referee import Referee
from arena.play.memory.watch import Watch
from arena.play.referee.carrying import Message
from arena.play.referee.match_process import Report
from arena.study.replaying.record_guide import RerunPart
from arena.study.replaying.rerun_match import RerunMatch
from arena_replays.documents import Entry, Header


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a bot did in a rerun, and how its part ended."""

    parts: list[RerunPart]
    stdout: str
    stderr: str
    failure: tuple[str, str] | None
    detail: str
    recorded_end: tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class RerunTask:
    """Plays a recorded match with a bot in the place of one player. See `RerunMatch` for the fields."""

    header: Header
    seed: int | str
    truth: Sequence[Entry]
    player: int
    bot: Bot
    last_turn: int | None
    allowed: float | None

    @property
    def memory(self) -> int:
        """The bytes of memory that the bot may use."""
        return Limits().memory

    def run(self, watch: Watch, _report: Report | None) -> Replayed:
        """Play the match."""
        game = find_game(self.header["game"])
        rerun = RerunMatch(game, self.header, self.seed, self.truth, self.player, self.last_turn, self.allowed)
        match, output = rerun.match, SeatOutput(captures=True)
        referee = Referee(match, None, time.monotonic, watch)
        seat = RerunSeat(rerun, referee, output, partial(bot_class, game, self.bot.folder / self.bot.entry))
        players = range(len(match.seats))
        referee.seat_ends = [seat if player == self.player else rerun.resident(match, player) for player in players]
        match.start_next()
        referee.carry_out()
        if seat.waits:
            seat.start()
        while not match.over and match.mover == self.player:
            seat.play()
        seat.finish()
        state = match.seats[self.player]
        texts = output.stdout.end, output.stderr.end
        return Replayed(rerun.guide.parts, *texts, state.failure, state.detail, rerun.end)


class RerunSeat(BotSeat):
    """The seat of the bot. It shows the bot the recorded clock, and ends the match with the record."""

    def __init__(self, rerun: RerunMatch, referee: Referee, output: SeatOutput, loader: partial[type]) -> None:
        super().__init__(referee, rerun.player, output, loader, raises=False)
        self._rerun = rerun

    def send(self, message: Message) -> None:
        shown = self._rerun.shown(message)
        if shown is not None:
            super().send(shown)

    def hang_up(self) -> None:
        self._rerun.ended()
        super().hang_up()

    def _say(self, message: Message) -> None:
        super()._say(message)
        self._rerun.answered()
        self._referee.carry_out()
