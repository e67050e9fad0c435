"""The control group of one seat, for both versions of control groups."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import threading
import time
from pathlib import Path

from arena.bots.sandbox.cgroups.places import GroupPlaces, group_owner
from arena.errors import ArenaError
from arena.match.limits import Limits

# The time in which a control group wanted to run and could not (pressure stall information, PSI).

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
        kind, total = self._read(self._files[0])
        return total if kind == b"full" else None

    @staticmethod
    def _read(file: int) -> tuple[bytes, int]:
        # The last line is `full`. Of the processor, older kernels have only `some`: it counts waiting for each other.
        line = os.pread(file, 256, 0).splitlines()[-1]
        return line[:4], int(line.rpartition(b"total=")[2]) * 1000

    def close(self) -> None:
        """Close the files. A second call does nothing."""
        while self._files:
            os.close(self._files.pop())


LONGEST_FREEZE = 0.2
LONGEST_DEATH = 5.0
FREEZING_NANOSECONDS = 1_000_000
"""CPU time that a group can use to freeze. A thread uses some microseconds, when it next gets the processor."""


class SeatGroup:
    """The control group of one seat: a folder in each cgroup hierarchy that Arena uses."""

    __slots__ = (
        "_clock",
        "_folders",
        "_memory_file",
        "_own",
        "_places",
        "_preparing",
        "_stalls",
        "_version",
        "frozen",
        "layers",
    )

    def __init__(self, name: str, places: GroupPlaces, limits: Limits) -> None:
        self._places = places.found
        self._folders = {place.folder / name for place in places.found.values()}
        self._own = {capability: place.folder / name for capability, place in places.found.items()}
        self._version = {capability: place.version for capability, place in places.found.items()}
        self._clock = -1
        self._stalls: StallClock | None = None
        self._memory_file = ""
        self.frozen = False
        self._preparing: threading.Thread | None = None
        self.layers = tuple(f"cgroup {capability}" for capability in places.found)
        try:
            for folder in self._folders:
                folder.mkdir()
            self.limit(limits)
            if "cpu" in self._own:
                file = "cpuacct.usage" if self._version["cpu"] == 1 else "cpu.stat"
                self._clock = os.open(self._own["cpu"] / file, os.O_RDONLY | os.O_CLOEXEC)
            self._open_stalls()
        except OSError as error:
            self.remove()
            raise ArenaError(f"The control group of a seat cannot be made: {error}.") from error

    def _open_stalls(self) -> None:
        for capability, folder in self._own.items():
            if self._version[capability] == 2 and self._stalls is None:
                with contextlib.suppress(OSError):  # the kernel does not measure stalls
                    self._stalls = StallClock(folder)

    def limit(self, limits: Limits) -> None:
        if "memory" in self._own:
            folder = self._own["memory"]
            if self._version["memory"] == 1:
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
        if "pids" in self._own:
            _write(self._own["pids"] / "pids.max", limits.processes)

    def prepare(self) -> None:
        """Start a thread that makes the next call of `enter` fast.

        The first of several moves between groups takes some milliseconds, the others less. So this thread makes a move
        while the sandbox is set up: it moves Arena's own process to the parent of the new group.
        """
        self._preparing = threading.Thread(target=self._move_nowhere)
        self._preparing.start()

    def _move_nowhere(self) -> None:
        for place in self._places.values():
            with contextlib.suppress(OSError):
                _write(place.folder / "cgroup.procs", os.getpid())
            return

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
        if self._version["cpu"] == 1:
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
        for line in (self._own["memory"] / self._memory_file).read_text().splitlines():
            name, _, value = line.partition(" ")
            if name == "oom_kill":
                return int(value)
        return 0

    def processes(self) -> list[int]:
        for folder in self._folders:
            return [int(line) for line in (folder / "cgroup.procs").read_text().split()]
        return []

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
        if "freeze" not in self._own:
            return False
        folder = self._own["freeze"]
        if self._version["freeze"] == 2:
            _write(folder / "cgroup.freeze", int(frozen))
            wanted, file = f"frozen {int(frozen)}", folder / "cgroup.events"
        else:
            wanted, file = "FROZEN" if frozen else "THAWED", folder / "freezer.state"
            _write(file, wanted)
        self.frozen = frozen
        before = self.cpu_nanoseconds()
        end = time.monotonic() + LONGEST_FREEZE
        while wanted not in file.read_text().splitlines():
            if time.monotonic() > end:
                after = self.cpu_nanoseconds()
                return frozen and before is not None and after is not None and after - before < FREEZING_NANOSECONDS
            time.sleep(0.0001)
        return True

    def kill(self) -> None:
        """Kill all processes in the group, frozen or not. Wait up to `LONGEST_DEATH` until the group is empty."""
        for folder in self._folders:
            everything = folder / "cgroup.kill"
            if everything.exists():
                _write(everything, 1)
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


def make_group(places: GroupPlaces, limits: Limits, seat: int | str) -> SeatGroup:
    for number in itertools.count():
        name = f"{group_owner().prefix}{seat}" + (f"_{number}" if number else "")
        if not any((place.folder / name).exists() for place in places.found.values()):
            return SeatGroup(name, places, limits)
    raise AssertionError("unreachable")


def _remove(folder: Path) -> None:
    # A group is busy for a moment after its last process has died.
    end = time.monotonic() + 1.0
    while True:
        try:
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            if time.monotonic() > end:
                return
            time.sleep(0.0005)
        else:
            return


def _write(path: Path, value: int | str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, str(value).encode())
    finally:
        os.close(descriptor)
