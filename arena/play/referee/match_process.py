"""Play a match in a separate process, for the command line, contests, workers and tests.

`MatchProcess` is one match: a job goes in through a `Channel`, progress and the result come out as lines of JSON. Its
process is forked by a `ForkServer`, one for each thread that starts matches (`ForkServers`).

Who starts a match owns it: a match ends when its client closes the channel or dies, whatever either of them was doing.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, Self

from arena.bots.players import OpenPlayers
from arena.bots.system.reaping import die_with_parent
from arena.bots.system.spawn import python, spawn
from arena.errors import ArenaError, ExitCode
from arena.match.job import Job
from arena.play.referee.forkserver import END, INTERRUPT, REQUEST, START, run_and_exit, serve

if TYPE_CHECKING:
    from arena.match.result import MatchResult

Report = Callable[[dict[str, Any]], None]


class MatchInProgress(Protocol):
    """A match that is played. Use it as a context manager, which always ends it."""

    def wait(self, report: Report | None = None) -> MatchResult:
        """Return the result. `report` is called with the progress."""

    def interrupt(self) -> None:
        """End the match as Ctrl-C does. Any thread can call this method."""

    def kill(self) -> None:
        """End the match at once; `wait` then raises ArenaError. Any thread can call this method."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *exception: object) -> None: ...


class MatchServer(Protocol):
    """What begins matches: a fork server, or workers that play in memory."""

    def open(self) -> None:
        """Start what plays the matches of this thread."""

    def begin(self, job: Job) -> MatchInProgress: ...

    def close(self) -> None:
        """End all matches."""


class Channel:
    """The connection to a match process. Send a job; receive progress, then a result or an error, as lines of JSON.

    Attributes:
        pid: The id of the match process; 0 until it has started.
    """

    def __init__(self, connection: socket.socket) -> None:
        self.pid = 0
        self._connection = connection
        self._lines = connection.makefile("r", encoding="utf-8", errors="replace")

    def send(self, document: dict[str, Any]) -> None:
        """Send a document. If the other end has closed the connection, do nothing; `receive` then returns None."""
        with contextlib.suppress(OSError):
            self._connection.sendall(json.dumps(document).encode() + b"\n")

    def receive(self) -> dict[str, Any] | None:
        """Return the next document, or None after the last. Ignore an incomplete line of a killed process."""
        with contextlib.suppress(ConnectionError):
            for line in self._lines:
                with contextlib.suppress(ValueError):
                    document: dict[str, Any] = json.loads(line)
                    return document
        return None

    @property
    def closed(self) -> bool:
        return self._lines.closed

    def close(self) -> None:
        """Close the connection. If the match process still runs, the fork server then ends it."""
        self._lines.close()
        self._connection.close()


class ForkServer:
    """A server process that forks match processes.

    The first match starts the server. If the server has died, the next match starts a new one. The server ends when
    this object is closed, or when the thread that started the server ends.

    Args:
        game: The game whose rules the server imports before the first match; empty for none.
        command: The command that starts the server; by default that of the referee. The descriptor of the server's
            socket, the id of this process and the game are added as arguments.
        forks: Whether to fork this process if it has only one thread. A fork is faster than a new interpreter, but
            ignores `command` and `environment`.
        players: The players of other distributions; new ones, which end with the server, if not given.
    """

    def __init__(
        self,
        game: str = "",
        command: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        *,
        forks: bool = False,
        players: OpenPlayers | None = None,
    ) -> None:
        self._game = game
        self._forks = forks
        self._command = list(command) or python("-m", "arena.play.referee")
        self._environment = dict(environment or {})
        self._lock = threading.Lock()
        self._control: socket.socket | None = None
        self._pid = 0
        self._players = players or OpenPlayers(game)
        self._players_are_ours = players is None

    def open(self) -> None:
        """Start the server now if it does not run, for example before this process gets a second thread."""
        with self._lock:
            if self._control is None:
                self._open()

    def begin(self, job: Job) -> MatchProcess:
        """Begin a match in a process of its own."""
        return MatchProcess(job, self)

    def placed(self, job: Job) -> Job:
        """Return the job with the addresses of players that other distributions bring."""
        return self._players.placed(job)

    def start(self) -> Channel:
        """Start a match process and return our end of its channel."""
        reason = ""
        for _ in range(2):
            try:
                self.open()
                return self._ask_for_match()
            except OSError as error:  # the server has died since the last match
                reason = str(error)
                with self._lock:
                    self._close()
        raise ArenaError(f"The match process cannot be started: {reason}.", exit_code=ExitCode.FAULT)

    def _ask_for_match(self) -> Channel:
        ours, theirs = socket.socketpair()
        with contextlib.ExitStack() as undo:
            channel = Channel(ours)
            undo.callback(channel.close)
            with self._lock, theirs:
                if self._control is None:
                    raise ConnectionError("the fork server was closed")
                socket.send_fds(self._control, [REQUEST.pack(START, 0)], [theirs.fileno()])
            document = channel.receive()
            if document is None or "pid" not in document:
                raise ConnectionError("the fork server has died" if document is None else document["reason"])
            channel.pid = int(document["pid"])
            undo.pop_all()
        return channel

    def request(self, request: bytes, pid: int) -> None:
        """Send the server a request about a match process. The server ignores the request if the process has ended."""
        with self._lock, contextlib.suppress(OSError):
            if self._control is not None:
                self._control.sendall(REQUEST.pack(request, pid))

    def close(self) -> None:
        """End the server, and with it all of its matches."""
        with self._lock:
            self._close()
        if self._players_are_ours:
            self._players.close()

    def _open(self) -> None:
        ours, theirs = socket.socketpair()
        with contextlib.ExitStack() as undo, theirs, _ctrl_c_waits():
            undo.callback(ours.close)
            self._pid = self._fork(theirs) if self._forks and not _has_threads() else self._execute(theirs)
            self._control = ours
            undo.pop_all()

    def _execute(self, theirs: socket.socket) -> int:
        command = [*self._command, str(theirs.fileno()), str(os.getpid()), self._game]
        environment = os.environ | self._environment
        return spawn(command, streams=(None, None, None), passed=(theirs.fileno(),), environment=environment)

    def _fork(self, theirs: socket.socket) -> int:
        client = os.getpid()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()  # otherwise both processes would write the same buffered text
        pid = os.fork()
        if pid == 0:
            run_and_exit(lambda: _become_server(theirs, client, self._game))
        return pid

    def _close(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self._pid, 0)


@contextlib.contextmanager
def _ctrl_c_waits() -> Iterator[None]:
    """Block Ctrl-C in programs started in this context, until their matches can handle it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _has_threads() -> bool:
    """Return whether this process has more than one thread, including threads of other libraries."""
    try:
        return len(os.listdir("/proc/self/task")) > 1
    except OSError:
        return threading.active_count() > 1


def _become_server(control: socket.socket, client: int, game: str) -> None:
    """Run the server in a forked process, after closing all descriptors except the standard streams and `control`."""
    die_with_parent(client)
    os.closerange(3, control.fileno())
    os.closerange(control.fileno() + 1, os.sysconf("SC_OPEN_MAX"))
    sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__  # replaced ones can use a descriptor that is closed now
    from arena.play.referee.__main__ import play_match, warm_up

    warm_up(game)
    serve(control, play_match)


class ForkServers:
    """One fork server for each thread that starts matches. Matches inherit the processor affinity of that thread."""

    def __init__(self, game: str, command: Sequence[str] = (), environment: Mapping[str, str] | None = None) -> None:
        self._players = OpenPlayers(game)
        self._new = partial(ForkServer, game, command, environment, players=self._players)
        self._servers: dict[int, ForkServer] = {}

    def open(self) -> None:
        self.of_this_thread().open()

    def begin(self, job: Job) -> MatchProcess:
        return MatchProcess(job, self.of_this_thread())

    def of_this_thread(self) -> ForkServer:
        return self._servers.setdefault(threading.get_ident(), self._new())

    def close(self) -> None:
        for server in self._servers.values():
            server.close()
        self._players.close()


class MatchProcess:
    """A running match process. Use it as a context manager, which always ends the process."""

    def __init__(self, job: Job, server: ForkServer | None = None) -> None:
        self._server = server or ForkServer(job.game, forks=True)
        self._server_is_ours = server is None
        self._killed = False
        self._code: int | None = None
        job = self._server.placed(job)
        self._channel = self._server.start()
        self._channel.send(job.to_document())

    @property
    def pid(self) -> int:
        return self._channel.pid

    def wait(self, report: Report | None = None) -> MatchResult:
        from arena.match.result import MatchResult  # imported during the match, to save time

        last: dict[str, Any] = {}
        while (document := self._channel.receive()) is not None:
            if document["event"] == "ended":
                self._code = document["code"]
            elif document["event"] != "turn":
                last = document
            elif report is not None:
                report(document)
        self._channel.close()
        if "result" in last and not self._killed:
            return MatchResult.from_document(last["result"])
        if "message" in last and not self._killed:
            raise ArenaError(last["message"], hint=last["hint"], exit_code=last["exit_code"])
        raise ArenaError(f"The match process {self._how_it_ended()}.", exit_code=ExitCode.FAULT)

    def _how_it_ended(self) -> str:
        if self._killed:
            return "was stopped"
        if self._code is None:
            return "ended without a result, because its fork server ended"
        how = signal.Signals(-self._code).name if self._code < 0 else f"exit code {self._code}"
        return f"ended without a result ({how})"

    def interrupt(self) -> None:
        """Interrupt the match as Ctrl-C does. Any thread can call this method."""
        self._server.request(INTERRUPT, self.pid)

    def kill(self) -> None:
        """End the match process. Any thread can call this method.

        The process has `SHUTDOWN_GRACE` seconds to end its bots. Then the fork server kills the process.
        """
        self._killed = True
        self._server.request(END, self.pid)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        if not self._channel.closed:
            self.kill()
            with contextlib.suppress(ArenaError):
                self.wait()
        if self._server_is_ours:
            self._server.close()


def play_in_process(job: Job, server: MatchServer | None = None) -> MatchResult:
    with server.begin(job) if server else MatchProcess(job) as match:
        return match.wait()
