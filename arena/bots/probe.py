"""Find out which level of isolation this machine has, by running a command in a sandbox."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cache

from arena.bots.rights.limited import try_limited
from arena.bots.sandbox.bwrap import PRLIMIT
from arena.bots.sandbox.cgroups import Places, find_places
from arena.bots.sandbox.inside import BWRAP, NSENTER
from arena.bots.selftest import Setup, find_setup
from arena.bots.system import syscalls
from arena.match.isolation import Isolation, Missing

DOCTOR = "Run: arena doctor"


@dataclass(frozen=True, slots=True)
class Examination:
    """The isolation of this machine.

    Attributes:
        setup: The layers of a sandbox; None without a sandbox.
    """

    isolation: Isolation
    places: Places = field(default_factory=Places)
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
        found = _examine_sandbox(at_most, notes)
        if found is not None:
            return found
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
    places = find_places() if at_most >= 3 else Places({}, (Missing("cgroup", "it was switched off"),))
    setup, reasons = find_setup(places)
    notes += [Missing(layer, reason, DOCTOR) for layer, reason in reasons.items()]
    if setup is None:
        return None
    held = places if setup.groups else Places({}, places.missing)
    return Examination(_isolation(held, setup, notes), held, setup)


def _isolation(places: Places, setup: Setup, notes: list[Missing]) -> Isolation:
    layers = ["uid"] if os.geteuid() == 0 else []
    layers += ["namespaces", "rlimits"]
    if setup.seccomp:
        layers.append("seccomp")
    layers += [f"cgroup {name}" for name in places.found]
    return Isolation(3 if places.complete else 2, tuple(layers), (*notes, *places.missing))
