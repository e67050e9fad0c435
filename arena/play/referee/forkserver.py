"""The loop of a fork server: a process with one thread that forks a match process for each match.

The server has imported the referee and the rules, so a match process need not import them: that takes a new Python half
of its time. The server never reads a job, so all match processes inherit the same state. When the server ends, the
kernel kills the match processes (docs/decisions/009-match-processes-on-a-leash.md).

It must not wait for anybody: what it says to a client is dropped if the client does not read.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import signal
import socket
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from arena.bots.system.reaping import become_subreaper, die_with_parent
from arena.text.printable import print_traceback

REQUEST = struct.Struct("=ci")
"""The format of a request: its kind and the id of the match process. The id is 0 to start a new process."""
START, INTERRUPT, END = b"s", b"i", b"e"
SHUTDOWN_GRACE = 2.0
"""Seconds after SIGTERM in which a match process can end by itself. Then the server kills the process.

It needs as long for its bots' last lines and the footer of its replay: several times `host.SHUTDOWN_GRACE`.
"""

Play = Callable[[socket.socket], None]
"""A function that a match process runs. It reads a job from a channel, plays the match and sends the result back."""


@dataclass(slots=True)
class _Child:
    channel: socket.socket
    kill_at: float | None = None


class _Server:
    def __init__(self, control: socket.socket, play: Play) -> None:
        self._control = control
        self._play = play
        self._children: dict[int, _Child] = {}
        self._pids: dict[int, int] = {}  # process id by the descriptor of its channel
        self._poller = select.poll()
        self._poller.register(control, select.POLLIN)
        self._wakeup, self._wakeup_end = os.pipe()
        for descriptor in (self._wakeup, self._wakeup_end):
            os.set_blocking(descriptor, False)
        self._poller.register(self._wakeup, select.POLLIN)
        self._open = True

    def run(self) -> None:
        """Serve until the client has disconnected and the last match process has ended."""
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wakeup_end, warn_on_full_buffer=False)
        while self._open or self._children:
            for descriptor, _ in self._poller.poll(self._timeout()):
                if descriptor == self._control.fileno():
                    self._take_request()
                elif descriptor == self._wakeup:
                    os.read(self._wakeup, 4096)
                else:  # the client has closed the channel
                    self._poller.unregister(descriptor)
                    self._end(self._pids[descriptor])
            self._reap()
            self._kill_overdue()

    def _timeout(self) -> float | None:
        moments = [child.kill_at for child in self._children.values() if child.kill_at is not None]
        return 1000 * max(0.0, min(moments) - time.monotonic()) if moments else None

    def _take_request(self) -> None:
        data, descriptors, _, _ = socket.recv_fds(self._control, REQUEST.size, 1)
        if len(data) < REQUEST.size:
            self._poller.unregister(self._control)
            self._open = False
            for pid in self._children:
                self._end(pid)
            return
        request, pid = REQUEST.unpack(data)
        if request == START:
            self._fork(socket.socket(fileno=descriptors[0]))
        elif request == END:
            self._end(pid)
        elif pid in self._children:
            os.kill(pid, signal.SIGINT)

    def _fork(self, channel: socket.socket) -> None:
        server = os.getpid()
        gc.freeze()  # garbage collection in a match process then does not write to shared pages
        try:
            pid = os.fork()
        except OSError as error:
            _send_line(channel, {"event": "refused", "reason": str(error)})
            channel.close()
            return
        if pid == 0:
            run_and_exit(lambda: self._become_match(channel, server))
        self._children[pid] = _Child(channel)
        self._pids[channel.fileno()] = pid
        self._poller.register(channel, 0)  # the poller reports only that the client has disconnected
        _send_line(channel, {"event": "started", "pid": pid})

    def _become_match(self, channel: socket.socket, server: int) -> None:
        """Play a match in the forked process, after closing all descriptors of the server except the channel."""
        die_with_parent(server)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for child in self._children.values():
            child.channel.close()
        self._control.close()
        os.close(self._wakeup)
        os.close(self._wakeup_end)
        self._play(channel)

    def _end(self, pid: int) -> None:
        if child := self._children.get(pid):
            os.kill(pid, signal.SIGTERM)
            child.kill_at = time.monotonic() + SHUTDOWN_GRACE

    def _kill_overdue(self) -> None:
        now = time.monotonic()
        for pid, child in self._children.items():
            if child.kill_at is not None and now >= child.kill_at:
                os.kill(pid, signal.SIGKILL)
                child.kill_at = None

    def _reap(self) -> None:
        """Reap ended match processes and report each end. Also reap the children that a killed match process left."""
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG)) != (0, 0):
                pid, status = ended
                if child := self._children.pop(pid, None):
                    del self._pids[child.channel.fileno()]
                    with contextlib.suppress(KeyError):
                        self._poller.unregister(child.channel)
                    _send_line(child.channel, {"event": "ended", "code": os.waitstatus_to_exitcode(status)})
                    child.channel.close()


def serve(control: socket.socket, play: Play) -> None:
    """Serve the client at the other end of `control`: start, interrupt and end match processes as it requests.

    Args:
        control: The socket from which the server reads requests in the format `REQUEST`. A request for a new match
            comes with the descriptor of the match's channel.
        play: The function that a match process runs.
    """
    become_subreaper()
    _Server(control, play).run()


def run_and_exit(work: Callable[[], None]) -> NoReturn:
    """Call `work` in a forked process, then exit. The process never runs the code after this call."""
    code = 1
    try:
        work()
        code = 0
    except BaseException as error:
        print_traceback(error)
    finally:
        os._exit(code)


def _send_line(channel: socket.socket, document: dict[str, object]) -> None:
    """Send a line. Drop it if the reader is slow or gone, because the server must not wait."""
    with contextlib.suppress(OSError):
        channel.send(f"\n{json.dumps(document)}\n".encode(), socket.MSG_DONTWAIT)
