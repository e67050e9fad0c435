"""Starts a command in bubblewrap: the one place where the recipe of docs/sandbox.md is carried out."""

from __future__ import annotations

import array
import contextlib
import fcntl
import json
import os
import select
import signal
import subprocess
import termios
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from arena.bots.descriptors import Descriptors
from arena.bots.reaping import become_subreaper, reap_child
from arena.bots.sandbox.bwrap import limit_command, sandbox_options
from arena.bots.sandbox.cgroups import SeatGroup
from arena.bots.sandbox.stage import Stage, reachable
from arena.bots.sandbox.uids import UidLease
from arena.bots.spawn import pinned, spawn
from arena.errors import ArenaError
from arena.match.limits import Limits

BWRAP = "/usr/bin/bwrap"
NSENTER = "/usr/bin/nsenter"
PRLIMIT = "/usr/bin/prlimit"
LONGEST_START = 10.0


@dataclass(frozen=True, slots=True)
class Recipe:
    """What is to run, and with what around it.

    Attributes:
        command: The command and its arguments, inside.
        environment: The command's whole environment.
        limits: What it may use.
        binds: Paths outside and inside, shown read-only.
        copied: Those of the outside paths that are copied where a user id is leased, since their modes
            forbid reading them.
        working_folder: Where it starts, inside.
        seccomp: The seccomp program.
        proc: Whether there is a /proc inside.
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
    """A command that waits inside a sandbox for its release.

    Attributes:
        pid: Bubblewrap's monitor, our child.
        inner_pid: The sandbox's first process.
        stdout: The read end of its output pipe.
        stderr: The same for errors.
        gate: The write end of the pipe at which it waits.
        waiting: The read end, to see later whether it has passed.
    """

    pid: int
    inner_pid: int
    stdout: int
    stderr: int
    gate: int
    waiting: int

    def release(self) -> None:
        """Lets the command start."""
        os.write(self.gate, b"1")
        os.close(self.gate)
        self.gate = -1


def passed_gate(waiting: int) -> bool:
    """Whether the sandbox has read what `release` wrote: only when everything is set up it does so."""
    unread = array.array("i", [0])
    fcntl.ioctl(waiting, termios.FIONREAD, unread)
    return unread[0] == 0


def start_inside(
    recipe: Recipe, *, lease: UidLease | None = None, group: SeatGroup | None = None, cpu: int | None = None
) -> Inside:
    """Sets up a sandbox around a command and holds it just before it starts.

    Args:
        recipe: The command and its surroundings.
        lease: The user id to run as; needed as root.
        group: The control group that everything inside belongs to.
        cpu: The processor to pin it to.

    Raises:
        ArenaError: Bubblewrap could not do it; the sentence has its reason.
    """
    # Each sandbox leaves its first process behind, as a zombie, to whoever adopts it: let that be us.
    become_subreaper()
    if group:
        group.prepare()
    with Descriptors() as owned:
        prefix, binds = _as_user(recipe, lease, owned)
        information, information_end = owned.pipe()
        gate_end, gate = owned.pipe()
        stdout, stdout_end = owned.pipe()
        stderr, stderr_end = owned.pipe()
        options = sandbox_options(
            binds, recipe.environment, recipe.limits, working_folder=recipe.working_folder, proc=recipe.proc
        )
        options += ["--info-fd", str(information_end), "--block-fd", str(gate_end)]
        passed = [information_end, gate_end]
        if recipe.seccomp:
            passed.append(owned.memory_file(recipe.seccomp))
            options += ["--seccomp", str(passed[-1])]
        passed.append(owned.memory_file(b"".join(option.encode() + b"\0" for option in options)))
        command = [*prefix, BWRAP, "--args", str(passed[-1]), "--"]
        command += [*limit_command(recipe.limits), *recipe.command]
        with pinned(cpu):
            pid = spawn(command, streams=(subprocess.DEVNULL, stdout_end, stderr_end), passed=passed)
        # As long as we hold a write end, the end of the stream is never seen.
        owned.close(information_end, stdout_end, stderr_end)
        inner_pid = _inner_pid(information)
        if not inner_pid:
            os.waitpid(pid, 0)
            raise ArenaError(f"bubblewrap failed: {last_words(stderr)}")
        if group:
            # Only the sandbox's inside, so that bubblewrap's own work is not on the bot's account.
            _enter(group, inner_pid, pid, stderr)
        kept = [owned.keep(descriptor) for descriptor in (stdout, stderr, gate, gate_end)]
        return Inside(pid, inner_pid, *kept)


def _enter(group: SeatGroup, inner_pid: int, pid: int, stderr: int) -> None:
    try:
        group.enter(inner_pid)
    except ArenaError as error:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        reap_child(inner_pid)
        os.set_blocking(stderr, False)
        with contextlib.suppress(BlockingIOError):
            # A sandbox that has failed meanwhile cannot enter anything.
            raise ArenaError(f"bubblewrap failed: {last_words(stderr)}") from error
        raise


def _as_user(recipe: Recipe, lease: UidLease | None, owned: Descriptors) -> tuple[list[str], Sequence[tuple[str, str]]]:
    if lease is None:
        return [], recipe.binds
    become = [NSENTER, f"--setgid={lease.uid}", f"--setuid={lease.uid}"]
    stage = Stage(source for source, _ in recipe.binds)
    binds = [
        (source, target)
        if source not in recipe.copied and reachable(source)
        else (stage.add(source, copy=source in recipe.copied), target)
        for source, target in recipe.binds
    ]
    if stage:
        # Named by way of our own /proc entry, so that the sandbox inherits no descriptor of it.
        become.append(f"--mount=/proc/{os.getpid()}/fd/{owned.add(stage.build())}")
    return [*become, "--"], binds


def _inner_pid(descriptor: int) -> int:
    """Reads the first process's id from bubblewrap; 0 if it ended without telling one."""
    text = b""
    poller = select.poll()
    poller.register(descriptor, select.POLLIN)
    while b"}" not in text:
        if not poller.poll(LONGEST_START * 1000):
            return 0
        data = os.read(descriptor, 4096)
        if not data:
            return 0
        text += data
    return int(json.loads(text)["child-pid"])


def last_words(stderr: int) -> str:
    """What a bubblewrap that has ended said, in one sentence."""
    lines = os.read(stderr, 4096).decode("utf-8", "replace").strip().splitlines()
    words = lines[0] if lines else "it ended without a word"
    return words.removeprefix("bwrap: ").partition(" See <")[0]
