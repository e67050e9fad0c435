"""A seat as the loop sees it: a link and a process."""

from __future__ import annotations

from arena.bots.process import BotProcess
from arena.referee.link import SeatLink
from arena.referee.run_queue import RunQueue


class Chair:
    """A seat's link and process, as the loop sees them."""

    __slots__ = ("frozen", "gone_at", "link", "listening", "process", "waiting")

    def __init__(self, link: SeatLink) -> None:
        self.link = link
        self.process: BotProcess | None = None
        self.listening = self.frozen = False
        self.gone_at: float | None = None
        self.waiting: RunQueue | None = None

    def queued(self) -> float | None:
        """Return the seconds that the bot's program has waited for a processor; None where unknown."""
        return None if self.waiting is None else self.waiting.seconds()

    def cpu(self) -> float | None:
        """Return the CPU seconds of everything on this seat; None where there is no exact clock."""
        nanoseconds = None if self.process is None else self.process.cpu_nanoseconds()
        return None if nanoseconds is None else nanoseconds / 1e9
