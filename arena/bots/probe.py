"""Find out which level of isolation this machine has, by running a command that does nothing behind its walls.

No list of facts says whether a sandbox works: containers, sysctls, AppArmor and delegation forbid parts of it in ways
that look alike from inside. So `examine` tries the levels from the highest down, and within a sandbox the layers: the
first reason of a failure says which layer to leave out in the next try. The reasons are kept for the user.

The success of the strongest setup is cached, since a try takes tens of milliseconds. The cache saves time and cannot
weaken anything: if a layer has stopped working, the start of a bot fails.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path

from arena.bots.folders.files import cache_folder
from arena.bots.sandbox.bwrap import PRLIMIT, seccomp_program
from arena.bots.sandbox.group_parents import GroupParents, find_parents
from arena.bots.sandbox.inside import BWRAP, NSENTER, Recipe, last_words, start_inside
from arena.bots.sandbox.limited import try_limited
from arena.bots.sandbox.seat_group import make_group
from arena.bots.sandbox.stage import Stage, lease_uid
from arena.bots.system import syscalls
from arena.bots.system.reaping import reap_child, wait_readable
from arena.errors import ArenaError
from arena.match.isolation import Isolation, Missing
from arena.match.limits import Limits

MAX_REMEMBERED = 8
"""The limit of cached setups. It is more than 1, so that several installations of Arena can each keep their setup."""


@dataclass(frozen=True, slots=True)
class Setup:
    """The layers of a sandbox that can be left out: control groups, seccomp, and a /proc for the bot."""

    groups: bool
    seccomp: bool
    proc: bool


def find_setup(parents: GroupParents) -> tuple[Setup | None, dict[str, str]]:
    """Return the strongest setup that works on this machine.

    If all layers work, the setup is cached until the machine's configuration changes.

    Returns:
        The setup, and the reasons why stronger setups do not work, by layer.
    """
    best = Setup(groups=parents.complete, seccomp=True, proc=True)
    memory = _memory(parents)
    if _remembered(memory) == best:
        return best, {}
    setup: Setup | None = best
    reasons: dict[str, str] = {}
    while setup is not None:
        reason = run_true(setup, parents)
        if not reason:
            if setup == best:
                _remember(memory, setup)
            return setup, reasons
        setup = _weaker(setup, reason, reasons)
    return None, reasons


def _weaker(setup: Setup, reason: str, reasons: dict[str, str]) -> Setup | None:
    """Return the setup to try after a failure, without one more layer; None if nothing can be left out.

    Only for /proc the reason names the layer. The control groups are left out before seccomp: they are what fails on
    most machines, and level 2 does without them.
    """
    if setup.proc and "mount proc" in reason:
        reasons["proc"] = reason
        return replace(setup, proc=False)
    if setup.groups:
        reasons["cgroup"] = reason
        return replace(setup, groups=False)
    if setup.seccomp:
        reasons["seccomp"] = reason
        return replace(setup, seccomp=False)
    reasons.clear()
    # No setup works, so neither seccomp nor the control groups are the cause.
    reasons["namespaces"] = reason
    return None


def run_true(setup: Setup, parents: GroupParents) -> str:
    """Run the program `true` in a sandbox with this setup. Return why it failed; an empty text if it worked."""
    program = seccomp_program(memory_limited=setup.groups) if setup.seccomp else b""
    if setup.seccomp and not program:
        return "there is no seccomp program for this processor architecture"
    with ExitStack() as stack:
        try:
            lease = lease_uid() if os.geteuid() == 0 else None
            if lease:
                stack.callback(lease.release)
                os.close(Stage(()).build())  # a bot's files need one, for which root needs CAP_SYS_ADMIN
            group = make_group(parents, Limits(), "probe") if setup.groups else None
            if group:
                stack.callback(group.remove)
            recipe = Recipe(("/bin/true",), {}, Limits(), seccomp=program, proc=setup.proc)
            inside = start_inside(recipe, lease=lease, group=group)
        except (ArenaError, OSError) as error:
            return str(error).rstrip(".")
        inner = os.pidfd_open(inside.inner_pid)
        inside.release()
        code = os.waitstatus_to_exitcode(os.waitpid(inside.pid, 0)[1])
        wait_readable(inner, 1.0)
        reap_child(inside.inner_pid)
        reason = f"Bubblewrap failed: {last_words(inside.stderr)}" if code else ""
        for descriptor in (inner, inside.stdout, inside.stderr):
            os.close(descriptor)
        return reason


# The cache.


def _memory(parents: GroupParents) -> Path:
    facts = json.dumps([*_facts(), sorted(parents.by_capability)]).encode()
    return cache_folder() / "selftest" / hashlib.sha256(facts).hexdigest()[:32]


def _facts() -> Iterator[object]:
    for path in (BWRAP, sys.executable, __file__):
        status = os.stat(path) if os.path.exists(path) else None
        yield [path, status.st_mtime_ns, status.st_size] if status else path
    yield [os.geteuid(), os.getgroups()]
    for path in (
        "/proc/sys/kernel/random/boot_id",
        "/proc/sys/user/max_user_namespaces",
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "/proc/self/cgroup",
        "/proc/self/mountinfo",
        "/proc/self/attr/current",
    ):
        try:
            yield Path(path).read_text()
        except OSError:
            yield ""
    with suppress(OSError):
        status_lines = Path("/proc/self/status").read_text().splitlines()
        yield [line for line in status_lines if line.startswith(("Cap", "Sec"))]


def _remembered(memory: Path) -> Setup | None:
    with suppress(OSError, ValueError, TypeError):
        if memory.stat().st_uid == os.geteuid():
            return Setup(**json.loads(memory.read_text()))
    return None


def _remember(memory: Path, setup: Setup) -> None:
    # Cache only the strongest setup. With a weaker one, the user needs the reasons, which only a test finds.
    with suppress(OSError):
        memory.parent.mkdir(parents=True, exist_ok=True)
        by_age = sorted(memory.parent.iterdir(), key=lambda file: file.stat().st_mtime)
        for old in by_age[: 1 - MAX_REMEMBERED]:
            old.unlink()
        memory.write_text(json.dumps(asdict(setup)))


# The levels.

DOCTOR = "Run: arena doctor"


@dataclass(frozen=True, slots=True)
class Examination:
    """The isolation of this machine.

    Attributes:
        setup: The layers of a sandbox; None without a sandbox.
    """

    isolation: Isolation
    parents: GroupParents = field(default_factory=GroupParents)
    setup: Setup | None = None


def probe() -> Isolation:
    """Return the strongest isolation that works on this machine. The test runs once per process."""
    return examine(3).isolation


@cache
def examine(at_most: int) -> Examination:
    """Try the isolation levels from `at_most` down, and return the first that works."""
    if not syscalls.is_linux():
        missing = Missing("namespaces", "bubblewrap needs Linux", "Use Linux, or trust the bots.")
        return Examination(Isolation(0, (), (missing,)))
    notes: list[Missing] = []
    if at_most >= 2:
        examination = _examine_sandbox(at_most, notes)
        if examination is not None:
            return examination
    else:
        notes.append(Missing("namespaces", "the sandbox was switched off"))
    if at_most >= 1:
        layers, lacking = try_limited()
        notes += lacking
        if layers:
            return Examination(Isolation(1, layers, tuple(notes)))
    return Examination(Isolation(0, (), tuple(notes)))


def _examine_sandbox(at_most: int, notes: list[Missing]) -> Examination | None:
    for program, package in ((BWRAP, "bubblewrap"), (PRLIMIT, "util-linux"), (NSENTER, "util-linux")):
        if not os.access(program, os.X_OK):
            remedy = f"Install the package {package}."
            notes.append(Missing("namespaces", f"{program} is not installed", remedy))
            return None
    parents = find_parents() if at_most >= 3 else GroupParents({}, (Missing("cgroup", "it was switched off"),))
    setup, reasons = find_setup(parents)
    notes += [Missing(layer, reason, DOCTOR) for layer, reason in reasons.items()]
    if setup is None:
        return None
    if not setup.groups:
        parents = GroupParents({}, parents.missing)
    layers = ["uid"] if os.geteuid() == 0 else []
    layers += ["namespaces", "rlimits"]
    if setup.seccomp:
        layers.append("seccomp")
    layers += [f"cgroup {name}" for name in parents.by_capability]
    isolation = Isolation(3 if parents.complete else 2, tuple(layers), (*notes, *parents.missing))
    return Examination(isolation, parents, setup)
