"""Runtimes and compilers in the sandbox: they start without flags, and know how much memory they have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from arena.bots.bot import load_bot
from arena.match.limits import MEBIBYTE, Limits

pytestmark = [pytest.mark.process, pytest.mark.sandbox]
MEMORY = 256 * MEBIBYTE


@pytest.fixture
def run(ring: Any, level: int) -> Callable[..., Any]:
    def run_it(*command: str) -> Any:
        folder = ring.bot("").folder
        (folder / "bot.toml").write_text(f"command = {list(command)}\n")
        return ring.run(load_bot(folder), level, limits=Limits(memory=MEMORY))

    return run_it


@pytest.mark.parametrize(
    ("program", "command"),
    [
        ("node", "node --version"),
        ("javac", "javac -version"),
        ("g++", "echo 'int main(){}' | g++ -x c++ - -o /tmp/a && /tmp/a"),
    ],
)
def test_it_works(program: str, command: str, run: Callable[..., Any], need_program: Callable[[str], str]) -> None:
    need_program(program)
    ended = run("sh", "-c", command)
    assert ended.ending.code == 0, ended


def test_java_knows_its_memory(run: Callable[..., Any], need_program: Callable[[str], str]) -> None:
    need_program("java")
    ended = run("java", "-XshowSettings:vm", "-XX:+PrintFlagsFinal", "-version")
    assert ended.ending.code == 0, ended
    heap = next(line for line in ended.out.splitlines() if " MaxHeapSize " in line)
    assert MEMORY // 2 < int(heap.split()[3]) < MEMORY
    assert "Picked up" not in ended.err


def test_a_java_that_a_script_starts_knows_its_memory(
    run: Callable[..., Any], need_program: Callable[[str], str]
) -> None:
    need_program("java")
    ended = run("sh", "-c", "java -XX:+PrintFlagsFinal -version")
    assert ended.ending.code == 0, ended
    heap = next(line for line in ended.out.splitlines() if " MaxHeapSize " in line)
    assert MEMORY // 2 < int(heap.split()[3]) < MEMORY


def test_node_knows_its_memory(run: Callable[..., Any], need_program: Callable[[str], str]) -> None:
    need_program("node")
    ended = run("node", "-p", "require('v8').getHeapStatistics().heap_size_limit")
    assert MEMORY // 2 < int(ended.out) < MEMORY, ended
