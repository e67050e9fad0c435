"""What a bot is started with, the same for every level of isolation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from arena.bots.capture import Capture
from arena.bots.sandbox.visible import Visible
from arena.match.limits import Limits


@dataclass(frozen=True, slots=True)
class LaunchOptions:
    """The seat that a bot plays on, and what it gets there.

    Attributes:
        number: The seat, from 0.
        socket: The absolute path of the bound unix socket that it plays through.
        environment: Added to the bot's environment.
        limits: What it may use.
        python: The Python it can be run with.
        terminal: Whether it keeps our terminal instead of being captured.
        hold: Whether it begins only when its `release` is called.
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
