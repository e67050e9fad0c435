"""A Unix socket on which an external player waits for matches. The program `arena.bots.seat_program` connects to it.

`SeatClient` is the player's end of the protocol, for everybody who acts by hand: one message in, one action out.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import tempfile
import weakref
from multiprocessing import AuthenticationError, current_process
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from typing import Any, Final, Self

from arena.bots.seat_program import FINISHED, OUTAGE, RESIGNED
from arena.bots.system.surroundings import socket_folder
from arena.game.forms import spread
from arena.play.referee.outputs import notes_of
from arena.text.form import Things
from arena_player.errors import CONNECTION_LOST, PlayerError
from arena_player.link import Link, open_link
from arena_player.schema import Schema, parse_schema
from arena_player.version import __version__
from arena_player.wire import PROTOCOL
from arena_player.world import World
from arena_replays.state import CLASS, State, fold

__all__ = ["FINISHED", "OUTAGE", "RESIGNED", "SeatClient", "SeatOffer", "Waiting", "wants_action"]

# The protocol on the side of a person: receive requests, and answer each with one action.

Action = dict[str, Any]


def wants_action(message: dict[str, Any]) -> bool:
    """Return whether a message asks for an action."""
    return message["type"] == "turn" or bool(message.get("your_move"))


class SeatClient:
    """One match, as its player sees it. One thread can receive while another thread acts.

    Args:
        forms: Whether the legal actions of messages have forms. Otherwise they list actions to choose from.

    Attributes:
        schema: The game's classes; None before `welcome`.
    """

    def __init__(self, link: Link, *, forms: bool = False) -> None:
        self._forms = forms
        self.schema: Schema | None = None
        self.player = self.players = 0
        self._seq = 0
        self._started = False
        self._link = link
        hello = {"protocol": PROTOCOL, "client": f"arena/{__version__}", "schema": None, "legal_actions": True}
        self._link.send({"type": "hello", **hello})

    def receive(self) -> dict[str, Any]:
        """Wait for the next message, and update the view. Answer a message `start` with `ready`."""
        message = self._link.receive()
        match message["type"]:
            case "welcome":
                self.schema = parse_schema(message["schema"])
                self.player, self.players = message["player"], message["players"]
                self._world = World(self.schema, lambda _: None)  # type: ignore[arg-type, return-value]
            case "start":
                self._world.apply(message["view"])
                self._started = True
                self._link.send({"type": "ready", "seq": message["seq"]})
            case "turn" | "result" | "over":
                self._world.apply(message["delta"])
                self._seq = message.get("seq", 0)
                if "legal_actions" in message and not self._forms:
                    message["legal_actions"] = spread(message["legal_actions"])
        return message

    def act(self, *actions: Action) -> None:
        """Send actions. The next message contains their results, up to the first that was refused."""
        self._link.send({"type": "act", "seq": self._seq, "actions": list(actions)})

    def log(self, text: str) -> None:
        """Write a text into the replay, before the action that follows it.

        It becomes notes of at most 2,000 characters. Of a text that needs more than 30, the middle is left out.
        """
        for note in notes_of(text):
            self._link.send({"type": "log", "seq": self._seq, "text": note})

    def things(self) -> Things:
        """Return everything that the player sees now; nothing before `start`."""
        things: State = {}
        fold(things, self._world.view() if self._started else [])
        return {id_: (fields.pop(CLASS), fields) for id_, fields in things.items()}

    def close(self) -> None:
        """Close the connection. Before the end of the match, end the offer first: a closed connection is a failure."""
        self._link.close()


LONGEST_ENDPOINT = 4_096
"""Characters of the path of a socket that are read: a path of Linux is no longer."""
PREFIX: Final = "arena-seat-"


class SeatOffer:
    """The seat of one match, whose program has connected.

    Attributes:
        endpoint: The address of the seat at the referee.
    """

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        with connection.makefile("r", encoding="utf-8") as lines:
            self.endpoint = lines.readline(LONGEST_ENDPOINT).strip()

    def link(self) -> Link:
        """Connect to the seat."""
        return open_link(self.endpoint)

    def end(self, code: int = FINISHED, line: str = "", counts: str = "") -> None:
        """End the program on the seat.

        Args:
            code: `FINISHED`, `RESIGNED`, or for a player of another distribution `OUTAGE`: then the match is void.
            line: The reason, on one line.
            counts: A JSON object of numbers for the result of such a player.
        """
        with contextlib.suppress(OSError):
            self._connection.sendall(f"{code} {line}\n{counts}".encode())
        self._connection.close()


class Waiting:
    """Accepts the seats of one player, one for each match. Only programs of this user can connect.

    The socket is in a folder of its own. `close()` or the end of this process removes the folder. A killed process
    leaves it to the next one that makes a socket.
    """

    def __init__(self) -> None:
        _remove_leftovers()
        folder, lock = _locked_folder()
        self._remove = weakref.finalize(self, _remove, folder, lock, os.getpid())
        self.address = f"{folder}/seat"
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self.address)
        self._listener.listen()

    def fileno(self) -> int:
        """Return the descriptor that is ready to be read when a match waits."""
        return self._listener.fileno()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> SeatOffer:
        try:
            return SeatOffer(self._listener.accept()[0])
        except OSError:
            raise StopIteration from None

    def close(self) -> None:
        """Stop waiting. Any thread can call this method."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # ends the call of `accept` in another thread
        self._listener.close()
        self._remove()


class PipeOffer:
    """The seat of one match in memory: a connection to the process that plays it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def link(self) -> Link:
        """Return the connection."""
        return self

    def send(self, message: Action) -> None:
        """Send one message."""
        with contextlib.suppress(OSError):  # `receive` reports the end
            self._connection.send(message)

    def receive(self) -> Action:
        """Wait for the next message."""
        try:
            message: Action = self._connection.recv()
            return message
        except (EOFError, OSError):
            raise PlayerError("The match is over.", exit_code=CONNECTION_LOST) from None

    def end(self, code: int = FINISHED, _line: str = "") -> None:
        """Resign if this is the code."""
        if code == RESIGNED:
            self.send({"type": "resign"})

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


class PipeWaiting:
    """Accepts the seats of one player in matches in memory, one for each match. Use it like a `Waiting`."""

    def __init__(self) -> None:
        # Processes that this one starts know the key.
        self._listener = Listener(authkey=current_process().authkey)
        self.address = str(self._listener.address)
        self._closed = False

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> PipeOffer:
        while not self._closed:
            with contextlib.suppress(OSError, AuthenticationError, EOFError):
                return PipeOffer(self._listener.accept())
        raise StopIteration

    def close(self) -> None:
        """Stop waiting. Any thread can call this method."""
        self._closed = True
        with contextlib.suppress(OSError):
            Client(self.address).close()  # without the key; it ends `accept` in another thread
        self._listener.close()


def waiting_for(*, in_memory: bool) -> Waiting | PipeWaiting:
    """Return a place where a player waits for matches, with processes or in memory."""
    return PipeWaiting() if in_memory else Waiting()


def _locked_folder() -> tuple[str, int]:
    """Create a folder that only this user can enter. Return it with a descriptor that locks it.

    The kernel releases the lock when the last process with the descriptor ends. The folder gets its final name when it
    is locked, so that `_remove_leftovers` of another process never finds it without a lock.
    """
    import fcntl  # not on Windows

    new = tempfile.mkdtemp(prefix=f".{PREFIX}", dir=socket_folder())
    lock = os.open(new, os.O_RDONLY | os.O_DIRECTORY)
    with contextlib.suppress(OSError):  # without locks in this file system, leftovers stay
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    folder = f"{Path(new).parent}/{Path(new).name[1:]}"
    os.rename(new, folder)
    return folder, lock


def _remove(folder: str, lock: int, maker: int) -> None:
    os.close(lock)
    if os.getpid() == maker:  # not in a forked process, which ends earlier
        shutil.rmtree(folder, ignore_errors=True)


def _remove_leftovers() -> None:
    """Remove the folders of processes that were killed: those without a lock."""
    import fcntl

    for folder in Path(socket_folder()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):  # of another user, or removed already
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder)
            finally:
                os.close(lock)
