"""The control group of one seat: hard limits, an exact CPU clock, a clock of waiting, and freezing.

All is in files of the kernel, whose names and values differ between the versions of control groups: each method of
`SeatGroup` says what it does, and chooses the file. `group_parents` finds the folders in which groups can be made.

The order matters when a bot ends: the group counts the kills for memory, so these are read before the group is removed,
and in version 1 a frozen process does not die, so a group is thawed before it can be empty.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import threading
import time
from pathlib import Path

from arena.bots.sandbox.group_parents import GroupParents, group_owner
from arena.errors import ArenaError
from arena.match.limits import Limits

# The clock of waiting: pressure stall information (PSI) of the kernel.

CAUSES = ("cpu", "io", "memory")


class StallClock:
    """Counts the time in which no process of a group could run although one of them wanted to.

    The causes: other programs used the processor, or the group waited for the disk or for memory.

    Args:
        folder: The group's folder, in a hierarchy of version 2.
    """

    __slots__ = ("_files",)

    def __init__(self, folder: Path) -> None:
        self._files: list[int] = []
        with contextlib.ExitStack() as undo:
            undo.callback(self.close)
            for cause in CAUSES:
                self._files.append(os.open(folder / f"{cause}.pressure", os.O_RDONLY | os.O_CLOEXEC))
            self.nanoseconds()
            undo.pop_all()

    def nanoseconds(self) -> int:
        return sum(self._read(file)[1] for file in self._files)

    def waiting_nanoseconds(self) -> int | None:
        """Return the part that other programs caused by using the processor; None if the kernel does not measure it."""
        measure, total = self._read(self._files[0])
        return total if measure == b"full" else None

    @staticmethod
    def _read(file: int) -> tuple[bytes, int]:
        # The last line is `full`: no process of the group could run. Of the processor, older kernels have only `some`,
        # which also counts processes of the group that wait for each other.
        line = os.pread(file, 256, 0).splitlines()[-1]
        return line[:4], int(line.rpartition(b"total=")[2]) * 1000

    def close(self) -> None:
        """Close the files. A second call does nothing."""
        while self._files:
            os.close(self._files.pop())


LONGEST_FREEZE = 0.2
"""Seconds to wait for the kernel's report that a group is frozen. Under load, the report can take a second or more, and
the turn of the opponent cannot begin before; see `SeatGroup.freeze` for what counts without a report."""
LONGEST_DEATH = 5.0
"""Seconds to wait until a killed group is empty. Chosen, not measured: after `BotProcess.kill`, nearly all are dead."""
FREEZING_NANOSECONDS = 1_000_000
"""CPU time that a group can use to freeze. A thread uses some microseconds, when it next gets the processor, so this is
room for hundreds of threads; a bot that computes uses it up in a millisecond."""


class SeatGroup:
    """The control group of one seat: a folder in each cgroup hierarchy that Arena uses."""

    __slots__ = (
        "_clock",
        "_folder_of",
        "_folders",
        "_memory_file",
        "_parents",
        "_preparing",
        "_stalls",
        "_version_of",
        "frozen",
    )

    def __init__(self, name: str, parents: GroupParents, limits: Limits) -> None:
        self._parents = parents.by_capability
        self._folder_of = {capability: parent.folder / name for capability, parent in self._parents.items()}
        self._version_of = {capability: parent.version for capability, parent in self._parents.items()}
        self._folders = set(self._folder_of.values())
        self._clock = -1
        self._stalls: StallClock | None = None
        self._memory_file = ""
        self.frozen = False
        self._preparing: threading.Thread | None = None
        try:
            for folder in self._folders:
                folder.mkdir()
            self.limit(limits)
            if "cpu" in self._folder_of:
                file = "cpuacct.usage" if self._version_of["cpu"] == 1 else "cpu.stat"
                self._clock = os.open(self._folder_of["cpu"] / file, os.O_RDONLY | os.O_CLOEXEC)
            self._open_stalls()
        except OSError as error:
            self.remove()
            raise ArenaError(f"The control group of a seat cannot be made: {error}.") from error

    def _open_stalls(self) -> None:
        for capability, folder in self._folder_of.items():
            if self._version_of[capability] == 2 and self._stalls is None:
                with contextlib.suppress(OSError):  # the kernel does not measure stalls
                    self._stalls = StallClock(folder)

    def limit(self, limits: Limits) -> None:
        """Set the hard limits for the memory and the number of all processes in the group."""
        if "memory" in self._folder_of:
            folder = self._folder_of["memory"]
            if self._version_of["memory"] == 1:
                _write(folder / "memory.limit_in_bytes", limits.memory)
                if (folder / "memory.memsw.limit_in_bytes").exists():
                    _write(folder / "memory.memsw.limit_in_bytes", limits.memory)
                self._memory_file = "memory.oom_control"
            else:
                _write(folder / "memory.max", limits.memory)
                if (folder / "memory.swap.max").exists():
                    _write(folder / "memory.swap.max", 0)
                _write(folder / "memory.oom.group", 1)
                self._memory_file = "memory.events"
        if "pids" in self._folder_of:
            _write(self._folder_of["pids"] / "pids.max", limits.processes)

    def prepare(self) -> None:
        """Start a thread that makes the next call of `enter` fast.

        The first of several moves between groups takes some milliseconds, the others less. So this thread makes a move
        while the sandbox is set up: it moves Arena's own process to the parent of the new group.
        """
        self._preparing = threading.Thread(target=self._move_nowhere)
        self._preparing.start()

    def _move_nowhere(self) -> None:
        parent = next(iter(self._parents.values()))
        with contextlib.suppress(OSError):
            _write(parent.folder / "cgroup.procs", os.getpid())

    def enter(self, pid: int) -> None:
        """Move a process into the group. Its future children start in the group too."""
        self._stop_preparing()
        for folder in self._folders:
            try:
                _write(folder / "cgroup.procs", pid)
            except OSError as error:
                raise ArenaError(f"The bot cannot be moved into its control group: {error}.") from error

    def _stop_preparing(self) -> None:
        if self._preparing:
            self._preparing.join()
            self._preparing = None

    def cpu_nanoseconds(self) -> int | None:
        """Return the CPU time of all processes that ever ran in the group; None if it is not measured."""
        if self._clock < 0:
            return None
        text = os.pread(self._clock, 64, 0)
        if self._version_of["cpu"] == 1:
            return int(text)
        return int(text.split(maxsplit=2)[1]) * 1000

    def busy_nanoseconds(self) -> int | None:
        """Return the time in which a process of the group ran or wanted to run; None if it is not measured.

        Processes that run at the same time count twice.
        """
        used = self.cpu_nanoseconds()
        return None if used is None or self._stalls is None else used + self._stalls.nanoseconds()

    def waiting_nanoseconds(self) -> int | None:
        """Return the time in which other programs kept the group from running; None if it is not measured."""
        return self._stalls.waiting_nanoseconds() if self._stalls else None

    def out_of_memory_kills(self) -> int:
        if not self._memory_file:
            return 0
        for line in (self._folder_of["memory"] / self._memory_file).read_text().splitlines():
            name, _, value = line.partition(" ")
            if name == "oom_kill":
                return int(value)
        return 0

    def processes(self) -> list[int]:
        folder = next(iter(self._folders))  # a process is in all groups of its seat
        return [int(line) for line in (folder / "cgroup.procs").read_text().split()]

    def freeze(self) -> bool:
        """Stop all processes in the group. Return whether they have stopped within `LONGEST_FREEZE`.

        From the call on, no thread runs code of the bot, but the kernel reports a thread as frozen only after it has
        had the processor again. Other programs can delay that for seconds. So without a report in time, a group counts
        as stopped if it has used less than `FREEZING_NANOSECONDS`. A longer call of the kernel uses more.
        """
        return self._set_frozen(True)

    def thaw(self) -> bool:
        """Continue all processes in the group. Return whether all continue within `LONGEST_FREEZE`."""
        return self._set_frozen(False)

    def _set_frozen(self, frozen: bool) -> bool:
        if "freeze" not in self._folder_of:
            return False
        folder = self._folder_of["freeze"]
        if self._version_of["freeze"] == 2:
            _write(folder / "cgroup.freeze", int(frozen))
            state, file = f"frozen {int(frozen)}", folder / "cgroup.events"
        else:
            state, file = "FROZEN" if frozen else "THAWED", folder / "freezer.state"
            _write(file, state)
        self.frozen = frozen
        before = self.cpu_nanoseconds()
        end = time.monotonic() + LONGEST_FREEZE
        while state not in file.read_text().splitlines():
            if time.monotonic() > end:
                after = self.cpu_nanoseconds()
                return frozen and before is not None and after is not None and after - before < FREEZING_NANOSECONDS
            time.sleep(0.0001)
        return True

    def kill(self) -> None:
        """Kill all processes in the group, frozen or not. Wait up to `LONGEST_DEATH` until the group is empty."""
        for folder in self._folders:
            kill_all = folder / "cgroup.kill"  # Linux 5.14 and later, version 2
            if kill_all.exists():
                _write(kill_all, 1)
        end = time.monotonic() + LONGEST_DEATH
        while living := self.processes():
            for process in living:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(process, os.WNOHANG)
            if self.frozen:
                self.thaw()  # with control groups version 1, frozen processes do not die
            if time.monotonic() > end:
                return
            time.sleep(0.0005)

    def remove(self) -> None:
        self._stop_preparing()
        if self._clock >= 0:
            os.close(self._clock)
            self._clock = -1
        if self._stalls is not None:
            self._stalls.close()
            self._stalls = None
        for folder in self._folders:
            _remove(folder)


_MAKING = threading.Lock()
"""Threads of a process build bots at the same time, each for the seat 0. A failure removes what has the name."""


def make_group(parents: GroupParents, limits: Limits, seat: int | str) -> SeatGroup:
    """Make the group of a seat. Its name has a number if this process already has a group of the seat."""
    with _MAKING:
        for number in itertools.count():
            name = f"{group_owner().prefix}{seat}" + (f"_{number}" if number else "")
            if not any((parent.folder / name).exists() for parent in parents.by_capability.values()):
                return SeatGroup(name, parents, limits)
    raise AssertionError("unreachable")


def _remove(folder: Path) -> None:
    # A group is busy for a moment after its last process has died. If it stays, `sweep` of a later process removes it.
    end = time.monotonic() + 1.0
    while folder.exists() and time.monotonic() < end:
        try:
            folder.rmdir()
        except OSError:
            time.sleep(0.0005)


def _write(path: Path, value: int | str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, str(value).encode())
    finally:
        os.close(descriptor)
