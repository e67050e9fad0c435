"""The options of a bot's start, the same for every level of isolation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from arena.bots.capture import Capture
from arena.bots.sandbox.visible import Visible
from arena.match.limits import Limits


@dataclass(frozen=True, slots=True)
class LaunchOptions:
    """The options for the start of one bot.

    Attributes:
        terminal: Whether the bot uses our terminal. If so, the bot's output is not captured.
        hold: Whether a bot in bubblewrap starts only when `BotProcess.release` is called.
    """

    number: int
    socket: str
    environment: Mapping[str, str]
    limits: Limits
    python: Visible
    terminal: bool = False
    hold: bool = False

    def capture(self, descriptor: int) -> Capture:
        return Capture(descriptor, kept=self.limits.output_kept, read=self.limits.output_read)
