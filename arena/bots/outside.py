"""The program on the seat of an external player: a person, or a bot on another machine."""

from __future__ import annotations

from pathlib import Path

from arena.bots import seat_program
from arena.bots.bot import Bot
from arena.bots.seat_program import RESIGNED


def bot_outside(reference: str, address: str, content: str = "") -> Bot:
    """Return the program that connects a seat with its external player.

    Args:
        address: The path of the Unix socket on which the player's program listens.
        content: The identity of the player. It replaces the content hash: this machine has no program of the player.
    """
    program = Path(seat_program.__file__)
    return Bot(
        name=reference.partition(":")[0],
        folder=program.parent,
        files=(program.name,),
        entry="",
        command=("python", str(program), address),
        language="python",
        content_hash=content,
        is_outside=True,
    )


__all__ = ["RESIGNED", "bot_outside"]
