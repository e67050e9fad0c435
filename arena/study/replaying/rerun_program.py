"""The end of the program's seat in a rerun with processes."""

from __future__ import annotations

from arena.play.referee.carrying import Message
from arena.play.referee.clock import Reading
from arena.play.referee.host import Host, ProgramEnd
from arena.play.referee.match import Match
from arena.study.replaying.rerun_match import RerunMatch


class RerunEnd(ProgramEnd):
    """It shows the program the recorded clock, and ends the match with the record."""

    def __init__(self, rerun: RerunMatch, host: Host, match: Match, player: int) -> None:
        super().__init__(host, match, player)
        self._rerun = rerun

    def send(self, message: Message) -> None:
        shown = self._rerun.shown(message)
        if shown is not None:
            super().send(shown)

    def deliver(self, message: Message, reading: Reading) -> None:
        super().deliver(message, reading)
        self._rerun.answered()

    def hang_up(self) -> None:
        self._rerun.ended()
        super().hang_up()
