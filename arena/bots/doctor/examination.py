"""Find out for `arena doctor` which layers of the isolation work.

A bot attacks files, network, other processes and the seccomp filter. Other bots try the control groups. For the
remaining layers, such as namespaces, the report repeats the results of the sandbox's self-test.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.bots.bot import load_bot
from arena.bots.doctor import runtimes
from arena.bots.doctor.diagnosis import (
    Diagnosis,
    Facts,
    diagnose_groups,
    diagnose_namespaces,
    diagnose_proc,
    gather_facts,
)
from arena.bots.doctor.speed import find_slow_parts
from arena.bots.launch import launch
from arena.bots.probe import probe
from arena.bots.process import BotProcess
from arena.bots.sandbox.cgroups.group import FREEZING_NANOSECONDS
from arena.bots.system.reaping import become_subreaper
from arena.bots.system.surroundings import unused_seat
from arena.match.isolation import Isolation
from arena.match.limits import MEBIBYTE, Limits, changed_limits

LONGEST = 20.0
INSPECTOR = Path(__file__).with_name("inspector.py")
RUNTIMES = Path(runtimes.__file__)
FORK_BOMB = """
import os, time
count = 0
try:
    while os.fork():
        count += 1
    time.sleep(9)
except OSError:
    print(count)
"""


@dataclass(frozen=True, slots=True)
class Check:
    layer: str
    holds: bool
    found: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Runtime:
    """A runtime or compiler of this machine.

    Attributes:
        found: Its version, or why bots cannot use it.
    """

    name: str
    works: bool
    found: str


@dataclass(frozen=True, slots=True)
class DoctorReport:
    isolation: Isolation
    checks: tuple[Check, ...]
    facts: Facts
    runtimes: tuple[Runtime, ...]
    slow: tuple[Diagnosis, ...] = ()


def examine_machine() -> DoctorReport:
    """Report on all layers, runtimes and compilers. This takes a few seconds."""
    become_subreaper()
    facts, isolation = gather_facts(), probe()
    checks = [_namespaces(isolation, facts), *_layers(isolation, facts)]
    if isolation.level >= 1:
        found = _inspect()
        checks += _walls(found) if found else [Check("a Python bot", False, "the inspecting bot did not run")]
    if isolation.level >= 3:
        checks += _prove_groups()
    return DoctorReport(isolation, tuple(checks), facts, tuple(_runtimes()), tuple(find_slow_parts()))


def _namespaces(isolation: Isolation, facts: Facts) -> Check:
    if "namespaces" in isolation.layers:
        return Check("namespaces", True, "bubblewrap runs, with its own users, processes, network and files")
    words = next((m.reason for m in isolation.missing if m.layer == "namespaces"), "")
    diagnosis = diagnose_namespaces(facts, words)
    said = f" (bubblewrap said: {words})" if words and words != diagnosis.cause else ""
    return Check("namespaces", False, f"{diagnosis.cause}{said}", diagnosis.remedy)


def _layers(isolation: Isolation, facts: Facts) -> Iterator[Check]:
    if facts.root:
        held = "uid" in isolation.layers
        yield Check("uid", held, "each seat has its own user id" if held else "the bots would run as root")
    for layer in isolation.layers:
        if layer == "rlimits":
            yield Check(layer, True, "address space, processes, descriptors, file sizes, no core files")
        elif layer.startswith("landlock"):
            yield Check("landlock", True, f"version {layer.split()[1]}")
    for missing in isolation.missing:
        if missing.layer == "proc":
            diagnosis = diagnose_proc(facts)
            yield Check("proc", False, f"bots have no /proc: {diagnosis.cause}", diagnosis.remedy)
        elif missing.layer.startswith("cgroup"):
            yield Check(missing.layer, False, missing.reason, diagnose_groups(facts).remedy)
        elif missing.layer != "namespaces":
            yield Check(missing.layer, False, missing.reason, missing.remedy)


def _inspect() -> dict[str, Any] | None:
    """Run the inspecting bot with the machine's isolation. Return its successful attacks by layer.

    Return None if the bot fails.

    The bot tries, for example, to connect to a server of this process and to read a secret file.
    """
    with socket.socket() as server, tempfile.NamedTemporaryFile("w", prefix="arena-secret-") as secret:
        server.bind(("127.0.0.1", 0))
        server.listen()
        secret.write("secret")
        secret.flush()
        os.chmod(secret.name, 0o644)
        known = {"port": server.getsockname()[1], "secret": secret.name, "pid": os.getpid()}
        with _started(INSPECTOR.read_text(), {"ARENA_DOCTOR": json.dumps(known)}, Limits()) as process:
            _wait(process)
            process.kill()
            try:
                return dict(json.loads(process.stdout.text()))
            except ValueError:
                return None


def _walls(found: dict[str, Any]) -> Iterator[Check]:
    for layer, good in (
        ("a Python bot", "finds zmq, msgpack and arena_player"),
        ("files", "no private file of the host can be read"),
        ("read-only", "only its temporary folder can be written"),
        ("network", "no connection, not even to this machine"),
        ("processes", "no other process can be seen or signalled"),
        ("seccomp", "dangerous system calls are refused"),
    ):
        faults = found[layer]
        yield Check(layer, not faults, "; ".join(faults) if faults else good)


def _runtimes() -> Iterator[Runtime]:
    with _started(RUNTIMES.read_text(), {}, Limits()) as process:
        _wait(process)
        process.kill()
        try:
            tried: dict[str, tuple[bool, str]] = json.loads(process.stdout.text())
        except ValueError:
            return
    for name, (program, _) in runtimes.TRIES.items():
        works, found = tried[name]
        place = shutil.which(program)
        if found or place:
            yield Runtime(name, works, found or f"{place} is outside of the folders that bots see")


def _prove_groups() -> Iterator[Check]:
    """Let bots exceed the limits of their control groups.

    The limits of each process and of the user are set higher, so that the limits of the group apply first.
    """
    source = "kept = []\nwhile True:\n    kept.append(bytearray(b'x') * (1 << 20))\n"
    with _started(source, {}, changed_limits({"memory": 48 * MEBIBYTE})) as process:
        _wait(process)
        held = process.group is not None and process.group.out_of_memory_kills() > 0
        yield Check("cgroup memory", held, "a bot over 48 MiB was killed" if held else "a bot over 48 MiB went on")
    with _started(FORK_BOMB, {}, Limits(processes=32), hold=True) as process:
        if process.group is not None:
            process.group.limit(Limits(processes=16))
        process.release()
        _wait(process)
        count = process.stdout.text().strip()
        held = count.isdigit() and int(count) < 16
        yield Check("cgroup pids", held, "a fork bomb stopped at 16 processes" if held else "a fork bomb went on")
    with _started("print(1, flush=True)\nwhile True: pass\n", {}, Limits()) as process:
        yield _clock(process)
        yield _stalls(process)
        yield _freezing(process)


def _clock(process: BotProcess) -> Check:
    while not process.stdout.drain() and process.poll() is None:
        time.sleep(0.001)
    before = process.cpu_nanoseconds() or 0
    time.sleep(0.05)
    burnt = ((process.cpu_nanoseconds() or 0) - before) / 1e6
    return Check("cgroup cpu", burnt > 0, f"counted {burnt:.0f} ms of CPU in 50 ms of an endless loop")


def _stalls(process: BotProcess) -> Check:
    if process.busy_nanoseconds() is not None:
        return Check("cgroup stalls", True, "the idle time of bots is measured")
    remedy = "Mount control groups version 2, and start the kernel with psi=1."
    return Check("cgroup stalls", False, "an idle bot can hold a turn up for four times its limit and a second", remedy)


def _freezing(process: BotProcess) -> Check:
    if process.group is None or not process.group.freeze():
        return Check("cgroup freeze", False, "a bot cannot be stopped during the opponent's turn")
    before = process.cpu_nanoseconds() or 0
    time.sleep(0.02)
    still = (process.cpu_nanoseconds() or 0) - before < FREEZING_NANOSECONDS
    return Check("cgroup freeze", still, "an endless loop was stopped" if still else "an endless loop went on")


@contextmanager
def _started(source: str, environment: dict[str, str], limits: Limits, *, hold: bool = False) -> Iterator[BotProcess]:
    with unused_seat() as seat:
        bot = Path(seat).with_name("bot")
        bot.mkdir()
        (bot / "main.py").write_text(source)
        (bot / "bot.toml").write_text('name = "inspector"\ncommand = ["python", "main.py"]\n')
        with launch(load_bot(bot), seat=0, socket=seat, environment=environment, limits=limits, hold=hold) as process:
            yield process


def _wait(process: BotProcess) -> None:
    end = time.monotonic() + LONGEST
    while process.poll() is None and time.monotonic() < end:
        if not process.stdout.drain() + process.stderr.drain():
            time.sleep(0.002)
    process.stdout.drain_rest()
    process.stderr.drain_rest()
