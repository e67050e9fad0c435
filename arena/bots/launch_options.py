"""The options of a bot's start, the same for every level of isolation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from arena.bots.capture import Capture
from arena.bots.sandbox.visible import Visible
from arena.match.limits import Limits


@dataclass(frozen=True, slots=True)
class LaunchOptions:
    """The seat of a bot, and its surroundings.

    Attributes:
        number: The seat, from 0.
        socket: The absolute path of the bound Unix socket of the seat.
        environment: Added to the bot's environment.
        limits: The limits of the bot's resources.
        python: The Python for the bot.
        terminal: Whether the bot uses our terminal; then its output is not captured.
        hold: Whether the bot starts only when `release` is called.
    """

    number: int
    socket: str
    environment: Mapping[str, str]
    limits: Limits
    python: Visible
    terminal: bool = False
    hold: bool = False

    def capture(self, descriptor: int) -> Capture:
        """Return the capture of one output pipe."""
        return Capture(descriptor, kept=self.limits.output_kept, read=self.limits.output_read)
