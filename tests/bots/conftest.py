from __future__ import annotations

import importlib.util
import socket
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from arena.bots.bot import Bot, load_bot
from arena.bots.exit import Exit
from arena.bots.launch import launch
from arena.bots.probe import examine, probe
from arena.bots.process import BotProcess
from arena.match.limits import Limits


def load_beside(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


KERNEL_OBJECTS = """
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    CREATE = 0o1600
    def denied(result):
        return result == -1 and ctypes.get_errno() == 1
    print(
        denied(libc.semget(0, 32000, CREATE)),
        denied(libc.semop(0, None, 1)),
        denied(libc.semctl(0, 0, 0)),
        denied(libc.msgget(0, CREATE)),
        denied(libc.msgsnd(0, bytes(16), 8, 0)),
        denied(libc.shmget(0, 1 << 20, CREATE)),
        denied(libc.mq_open(b"/queue", 0o102, 0o600, None)),
    )
"""


@pytest.fixture
def nothing_left(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    # Made now, or it would be made later, in the folder that must stay empty.
    tmp_path_factory.getbasetemp()
    probe()
    examine(2)
    with load_beside("leftovers").nothing_left():
        yield


@pytest.fixture(params=[3, 2], ids=["L3", "L2"])
def level(request: pytest.FixtureRequest) -> int:
    wanted = int(request.param)
    found = examine(wanted).isolation
    if found.level < wanted:
        pytest.skip(f"level {wanted} is not to be had here: {found.missing}")
    return wanted


@dataclass
class Ended:
    ending: Exit
    out: str
    err: str
    seconds: float


class Ring:
    """Runs small programs as bots and returns their results."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder = folder
        self._stack = stack
        self._count = 0

    def bot(self, source: str, *, name: str = "", **files: str) -> Bot:
        self._count += 1
        folder = self.folder / (name or f"bot{self._count}")
        folder.mkdir()
        (folder / "main.py").write_text(textwrap.dedent(source))
        (folder / "bot.toml").write_text('name = "tested"\ncommand = ["python", "main.py"]\n')
        for file, text in files.items():
            (folder / file).write_text(text)
        return load_bot(folder)

    def start(self, bot: Bot | str, level: int, *, seat: int = 0, **options: Any) -> BotProcess:
        if isinstance(bot, str):
            bot = self.bot(bot)
        path = f"{self.folder}/seat{seat}.sock"
        if not Path(path).exists():
            listener = self._stack.enter_context(socket.socket(socket.AF_UNIX))
            listener.bind(path)
            listener.listen()
        return launch(bot, seat=seat, socket=path, at_most=level, require=level, **options)

    def run(self, bot: Bot | str, level: int, *, seconds: float = 20.0, **options: Any) -> Ended:
        with self.start(bot, level, **options) as process:
            return finish(process, seconds)


def finish(process: BotProcess, seconds: float = 20.0) -> Ended:
    """Reads what the bot prints until it ends, or kills it when the time is over."""
    start = time.monotonic()
    while process.poll() is None and time.monotonic() < start + seconds:
        if not process.stdout.drain() + process.stderr.drain():
            time.sleep(0.002)
    took = time.monotonic() - start
    ending = process.close()
    return Ended(ending, process.stdout.text(), process.stderr.text(), took)


@pytest.fixture
def ring(nothing_left: None) -> Iterator[Ring]:
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="ring-"))
        yield Ring(Path(folder), stack)


@pytest.fixture
def small() -> Limits:
    return Limits(memory=64 * 1024 * 1024, address_space=512 * 1024 * 1024, processes=24)


@pytest.fixture
def kernel_objects() -> str:
    """A bot that tries to make objects which belong to no process: seven times True, if each call is denied."""
    return KERNEL_OBJECTS
