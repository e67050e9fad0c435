"""A seat as the loop sees it: a link and a process."""

from __future__ import annotations

from arena.bots.process import BotProcess
from arena.referee.link import SeatLink


class Chair:
    """A seat's link and process, as the loop sees them."""

    __slots__ = ("gone_at", "link", "listening", "process")

    def __init__(self, link: SeatLink) -> None:
        self.link = link
        self.process: BotProcess | None = None
        self.listening = False
        self.gone_at: float | None = None

    @property
    def running(self) -> BotProcess:
        """The process, which was started."""
        assert self.process is not None
        return self.process

    def cpu(self) -> float | None:
        """Return the CPU seconds of everything on this seat; None where there is no exact clock."""
        nanoseconds = None if self.process is None else self.process.cpu_nanoseconds()
        return None if nanoseconds is None else nanoseconds / 1e9
