"""Asks whether something was left behind: processes, zombies, descriptors, control groups, mounts, files.

    with nothing_left():
        ...

Tests of other folders load this file by its path.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from arena.bots.sandbox.group_parents import group_owner
from arena.bots.system.orphans import descendants
from arena.bots.system.reaping import become_subreaper

SETTLING_SECONDS = 3.0


@dataclass(frozen=True, slots=True, order=True)
class Process:
    """A process, known by its number and start: what it runs is not to be read yet at the moment in which it starts.

    Of its state only a zombie counts: a server that was there before may run now and sleep later.
    """

    number: int
    start: str
    is_zombie: bool
    text: str = field(compare=False)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Traces:
    """What this process and the arena have about them on the machine."""

    processes: frozenset[Process]
    descriptors: frozenset[str]
    groups: frozenset[str]
    mounts: frozenset[str]
    files: frozenset[str]

    def since(self, before: Traces) -> dict[str, list[str]]:
        """What is there now and was not before."""
        return {
            name: [str(one) for one in sorted(more)]
            for name in ("processes", "descriptors", "groups", "mounts", "files")
            if (more := getattr(self, name) - getattr(before, name))
        }


def look(folder: str = "") -> Traces:
    """What is there now.

    Args:
        folder: Where temporary files are made; empty for the machine's folder.
    """
    return Traces(
        processes=frozenset(
            process for number in descendants(os.getpid())[1:] if not _is_browser((process := _describe(number)).text)
        ),
        descriptors=frozenset(_descriptors()),
        groups=frozenset(_groups()),
        mounts=frozenset(Path("/proc/self/mountinfo").read_text().splitlines()),
        files=frozenset(_files(folder)),
    )


@contextmanager
def nothing_left(folder: str = "") -> Iterator[None]:
    """Fails if more is there afterwards than was before; waits a little for the kernel to clear up.

    Temporary files go to a folder of their own meanwhile, so that others on the machine do not disturb.

    Args:
        folder: The folder to which a process that was started before writes its temporary files.
    """
    become_subreaper()
    with contextlib.nullcontext(folder) if folder else _own_temporary_folder() as folder:
        before = look(folder)
        yield
        end = time.monotonic() + SETTLING_SECONDS
        while more := look(folder).since(before):
            if time.monotonic() > end:
                raise AssertionError(f"left behind: {more}")
            time.sleep(0.02)


@contextmanager
def _own_temporary_folder() -> Iterator[str]:
    outer, inherited = tempfile.tempdir, os.environ.get("TMPDIR")
    with tempfile.TemporaryDirectory(prefix="left-") as folder:
        tempfile.tempdir = os.environ["TMPDIR"] = folder
        try:
            yield folder
        finally:
            tempfile.tempdir = outer
            if inherited is None:
                del os.environ["TMPDIR"]
            else:
                os.environ["TMPDIR"] = inherited


def _is_browser(text: str) -> bool:
    """The browser of other tests starts and ends processes whenever it likes."""
    return any(name in text for name in ("chrom", "node", "playwright"))


def _describe(number: int) -> Process:
    try:
        text = Path(f"/proc/{number}/stat").read_text()
        command = Path(f"/proc/{number}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return Process(number, "", False, f"{number} gone")
    name, fields = text.partition("(")[2].rpartition(")")[0], text.rpartition(")")[2].split()
    is_zombie = fields[0] == "Z"
    return Process(number, fields[19], is_zombie, f"{number} {name}{' zombie' if is_zombie else ''}: {command}")


def _descriptors() -> Iterator[str]:
    for entry in os.listdir("/proc/self/fd"):
        try:
            yield f"{entry} {os.readlink(f'/proc/self/fd/{entry}')}"
        except OSError:
            continue


def _groups() -> Iterator[str]:
    prefix = group_owner().prefix
    for folder, names, _ in os.walk("/sys/fs/cgroup"):
        yield from (f"{folder}/{name}" for name in names if name.startswith(prefix))


def _files(folder: str) -> Iterator[str]:
    if folder:
        yield from (f"{folder}/{name}" for name in os.listdir(folder))
    else:
        # Others use the machine's folder too: only what has our name is ours.
        place = tempfile.gettempdir()
        yield from (f"{place}/{name}" for name in os.listdir(place) if name.startswith("arena"))
    if os.path.isdir("/mnt"):
        yield from (f"/mnt/{name}" for name in os.listdir("/mnt"))
