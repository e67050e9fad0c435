"""Start a command in bubblewrap, and keep it waiting until the sandbox is complete. docs/sandbox.md has all steps.

Two processes matter: bubblewrap's monitor, which is our child, and the sandbox's first process, which is the root of
all that the bot starts. They are told apart by a message: the first process writes a line into a socket, and the kernel
adds its process id as we see it. It then waits on the same socket, so that the control group, the clock and the referee
are ready before the first instruction of the bot.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from arena.bots.sandbox.bwrap import FIRST_PROCESS, limit_command, sandbox_options
from arena.bots.sandbox.seat_group import SeatGroup
from arena.bots.sandbox.stage import Stage, UidLease, reachable
from arena.bots.system.reaping import become_subreaper, reap_child
from arena.bots.system.spawn import Descriptors, spawn
from arena.errors import ArenaError
from arena.match.limits import Limits

BWRAP = "/usr/bin/bwrap"
NSENTER = "/usr/bin/nsenter"
LONGEST_START = 10.0
"""Seconds until the first process must report. It takes some tens of milliseconds; the rest is for machines that
start many at once. Chosen, not measured."""
CREDENTIALS = struct.Struct("3i")


@dataclass(frozen=True, slots=True)
class Recipe:
    """The command to run, and its sandbox.

    Attributes:
        binds: Pairs of outside and inside paths, visible read-only.
        copied: Outside paths that the leased user id cannot read, so that copies are needed.
    """

    command: Sequence[str]
    environment: Mapping[str, str]
    limits: Limits
    binds: Sequence[tuple[str, str]] = ()
    copied: frozenset[str] = field(default=frozenset())
    working_folder: str = "/tmp"
    seccomp: bytes = b""
    proc: bool = True


@dataclass(slots=True)
class Inside:
    """A command that waits for its release in a finished sandbox.

    Attributes:
        pid: The id of bubblewrap's monitor, our child process.
        inner_pid: The id of the sandbox's first process.
        gate: Our end of the socket on which the first process waits. If we die, the first process reads the end of the
            stream and ends without running the command.
    """

    pid: int
    inner_pid: int
    stdout: int
    stderr: int
    gate: socket.socket

    def release(self) -> None:
        with self.gate:
            self.gate.send(b"\n")


def start_inside(recipe: Recipe, *, lease: UidLease | None = None, group: SeatGroup | None = None) -> Inside:
    """Set up a sandbox for a command. The command starts when `release` is called."""
    # The first process of each sandbox becomes an orphaned zombie. Adopt it, so that we can reap it.
    become_subreaper()
    if group:
        group.prepare()
    gate, waiting = socket.socketpair()
    gate.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    with contextlib.ExitStack() as undo, Descriptors() as owned:
        undo.enter_context(gate)
        with waiting:
            pid, stdout, stderr = _spawn(recipe, lease, waiting.fileno(), owned)
        inner_pid = _first_process(gate)
        if not inner_pid:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            raise ArenaError(f"Bubblewrap failed: {last_words(stderr)}.")
        if group:
            # Enter the group only now, so that bubblewrap's own work does not count as the bot's.
            try:
                group.enter(inner_pid)
            except ArenaError:
                os.kill(inner_pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                reap_child(inner_pid)
                raise
        undo.pop_all()
        return Inside(pid, inner_pid, owned.keep(stdout), owned.keep(stderr), gate)


def _spawn(recipe: Recipe, lease: UidLease | None, stdin: int, owned: Descriptors) -> tuple[int, int, int]:
    """Start bubblewrap. Return its process id and the read ends of its output pipes."""
    prefix, binds = _as_user(recipe, lease, owned)
    stdout, stdout_end = owned.pipe()
    stderr, stderr_end = owned.pipe()
    options = sandbox_options(
        binds, recipe.environment, recipe.limits, working_folder=recipe.working_folder, proc=recipe.proc
    )
    passed = []
    if recipe.seccomp:
        passed.append(owned.memory_file(recipe.seccomp))
        options += ["--seccomp", str(passed[-1])]
    passed.append(owned.memory_file(b"".join(option.encode() + b"\0" for option in options)))
    command = [*prefix, BWRAP, "--args", str(passed[-1]), "--"]
    command += [*limit_command(recipe.limits), *FIRST_PROCESS, *recipe.command]
    pid = spawn(command, streams=(stdin, stdout_end, stderr_end), passed=passed)
    # Close our write ends. Otherwise we would never read the end of the stream.
    owned.close(stdout_end, stderr_end)
    return pid, stdout, stderr


def _as_user(recipe: Recipe, lease: UidLease | None, owned: Descriptors) -> tuple[list[str], Sequence[tuple[str, str]]]:
    """Return the command that becomes the seat's user, and the binds, of which some now lead to a stage.

    A stage hides the paths of the host even from a user who could reach them. So if root cannot make one, that alone is
    no reason to start no bot.
    """
    if lease is None:
        return [], recipe.binds
    become = [NSENTER, f"--setgid={lease.uid}", f"--setuid={lease.uid}"]
    stage = Stage(source for source, _ in recipe.binds)
    binds, is_needed = [], False
    for source, target in recipe.binds:
        barred = source in recipe.copied or not reachable(source)
        is_needed = is_needed or barred
        if barred or source != target:
            # The bot must not learn the path of its folder on the host.
            source = stage.add(source, copy=source in recipe.copied, nameless=source != target)
        binds.append((source, target))
    if stage:
        try:
            # Pass the path of the descriptor in our /proc entry, so that the sandbox does not inherit the descriptor.
            become.append(f"--mount=/proc/{os.getpid()}/fd/{owned.add(stage.build())}")
        except ArenaError:
            if is_needed:
                raise
            binds = list(recipe.binds)
    return [*become, "--"], binds


def _first_process(gate: socket.socket) -> int:
    """Wait until the first process reports that the sandbox is ready. Return its id; 0 if it ends or takes too long.

    The kernel attaches the sender's id, as seen from outside, to the message. Bubblewrap's option `--info-fd` is not
    used: if we died, the closed pipe would kill bubblewrap, and the first process would wait forever.
    """
    poller = select.poll()
    poller.register(gate, select.POLLIN)
    if not poller.poll(LONGEST_START * 1000):
        return 0
    try:
        text, attached, *_ = gate.recvmsg(1, socket.CMSG_SPACE(CREDENTIALS.size))
    except ConnectionResetError:
        return 0
    return int(CREDENTIALS.unpack(attached[0][2])[0]) if text else 0


def last_words(stderr: int) -> str:
    """Return the first line of the error output of a bubblewrap process that has ended."""
    lines = os.read(stderr, 4096).decode("utf-8", "replace").strip().splitlines()
    words = lines[0] if lines else "it ended without a message"
    return words.removeprefix("bwrap: ").partition(" See <")[0]
