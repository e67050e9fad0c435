"""Players that other distributions bring: ``SCHEME:NAME`` in the place of a bot, such as a language model.

    [project.entry-points."arena.players"]
    SCHEME = "package.module:KIND"

KIND is a `PlayerKind`. Such a player is outside of the match, like a person: Arena's relay (`seat_program`) takes the
seat, and tells a program of the distribution how to reach the referee. The program listens on a Unix socket, and plays
with `arena.play.seats.waiting`. It has no clock of the game: the distribution says how long its players may think.

If the program fails, or says that something failed which the player needs, the match is void: nobody has lost it.
"""

from __future__ import annotations

import re
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, Self

from arena.bots.references import exists

if TYPE_CHECKING:
    from arena.game import Clock
    from arena.match.job import Job

__all__ = ["OpenPlayers", "PlayerKind", "Players"]
GROUP = "arena.players"
_REFERENCE = re.compile(r"(?P<scheme>[a-z][a-z0-9_]+):(?P<name>[^/]+)")
_OWN = ("builtin", "human")


class Players(Protocol):
    """The players of one kind, for the matches of one command. Several threads can call it."""

    def address(self, name: str) -> str:
        """Return the path of the Unix socket on which a player waits for matches. Each match asks for it anew.

        Raises:
            ArenaError: The player cannot play, for example because a limit of costs is reached.
        """
        ...

    def close(self) -> None:
        """End what has been started."""
        ...


class PlayerKind(Protocol):
    """What the entry point of a kind of player names."""

    def identity(self, name: str) -> str:
        """Return a text that changes with everything that changes the player. It replaces the content hash of a bot.

        Raises:
            ArenaError: There is no player of this name, or its settings are wrong.
        """
        ...

    def open(self, game: str) -> Players:
        """Return the players for matches of a game. Nothing is started before `Players.address` asks for it."""
        ...


def brought_player(reference: str) -> tuple[PlayerKind, str] | None:
    """Return the kind and the name of a player that another distribution brings; None for any other reference."""
    match = _REFERENCE.fullmatch(reference)
    if match is None or match["scheme"] in _OWN or exists(reference):
        return None
    from importlib.metadata import entry_points  # the import is slow, and most references are of bots

    for point in entry_points(group=GROUP, name=match["scheme"]):
        return point.load(), match["name"]
    return None


class OpenPlayers:
    """The players of other distributions that take part in the matches of one command. Each kind is opened once.

    Use it as a context manager, which always closes them. What holds for all matches of a command, such as the cost
    limit of a model, holds for all matches that share one of these.

    Args:
        game: The name of the game.
    """

    def __init__(self, game: str) -> None:
        self._game = game
        self._kinds: dict[str, Players] = {}
        self._lock = threading.Lock()

    def placed(self, job: Job, clock: Clock | None = None) -> Job:
        """Return the job of a match with the addresses of these players. They have no clock.

        Args:
            job: The job.
            clock: The time settings of other seats; by default those of the job, or of its game.

        Raises:
            ArenaError: As for `Players.address`.
        """
        seats = [replace(seat, address=seat.address or self.address(seat.bot)) for seat in job.seats]
        if all(seat.is_outside or not seat.address for seat in seats):
            return job
        from arena.match.lookup import find_game  # most jobs do without it

        untimed = replace(clock or job.clock or find_game(job.game).clock, bank=None, turn=None, turn_wall=None)
        timed = [replace(seat, clock=untimed) if seat.address and not seat.is_outside else seat for seat in seats]
        return replace(job, seats=tuple(timed))

    def address(self, reference: str) -> str:
        """Return the address of a player; empty for a bot and for any other player.

        Raises:
            ArenaError: As for `Players.address`.
        """
        player = brought_player(reference)
        if player is None:
            return ""
        kind, name = player
        scheme = reference.partition(":")[0]
        with self._lock:
            if scheme not in self._kinds:
                self._kinds[scheme] = kind.open(self._game)
        return self._kinds[scheme].address(name)

    def close(self) -> None:
        """Close the players. Those that are asked for later are opened anew."""
        with self._lock:
            for players in self._kinds.values():
                players.close()
            self._kinds.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
