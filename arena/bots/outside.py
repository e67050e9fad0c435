"""The bot on the seat of a player who is outside of the match: a person, or a bot on another machine."""

from __future__ import annotations

from pathlib import Path

from arena.bots import seat_program
from arena.bots.bot import Bot
from arena.bots.seat_program import RESIGNED


def bot_outside(reference: str, address: str) -> Bot:
    """Return the program that leads from a seat to its player.

    Args:
        reference: What fills the seat, such as ``human``.
        address: The path of the Unix socket where the player waits.
    """
    program = Path(seat_program.__file__)
    return Bot(
        name=reference.partition(":")[0],
        folder=program.parent,
        files=(program.name,),
        entry="",
        command=("python", str(program), address),
        language="python",
        content_hash="",
        is_outside=True,
    )


__all__ = ["RESIGNED", "bot_outside"]
