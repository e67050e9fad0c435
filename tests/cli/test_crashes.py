"""A bot that crashes names the reason, and where it is, in each compiled language."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = [pytest.mark.process, pytest.mark.slow]

CPP = """#include "saloon.hpp"
#include <map>

struct Odd {};
struct Bot : saloon::AI {
    void run_turn() override {
        log("before the crash");
        CRASH
    }
};

int main() { return arena::run<Bot>(); }
"""
JAVA = """import arena.Saloon.*;

class Main extends AI {
    @Override
    public void run_turn() {
        throw new IllegalStateException("out of ideas");
    }

    public static void main(String[] arguments) {
        arena.Kit.run(new Main());
    }
}
"""


def arena(*arguments: object, folder: Path) -> str:
    command = [sys.executable, "-m", "arena", *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=250, check=False)
    return done.stdout + done.stderr


def cpp_bot(folder: Path, crash: str) -> int:
    """Write a bot, and return the number of the line of its crash."""
    arena("new", "saloon", "bot", "--language", "cpp", folder=folder)
    (folder / "bot" / "main.cpp").write_text(CPP.replace("CRASH", crash))
    return next(number for number, line in enumerate(CPP.splitlines(), 1) if "CRASH" in line)


@pytest.mark.parametrize(
    ("crash", "words"),
    [
        ("std::map<int, int>().at(3);", "The bot threw std::out_of_range: map::at"),
        ("throw Odd();", "The bot threw Odd"),
        ('throw "no idea";', "The bot threw char const*: no idea"),
    ],
)
def test_an_exception_in_cpp_has_its_type_and_text(
    tmp_path: Path, need_program: Callable[[str], str], crash: str, words: str
) -> None:
    need_program("g++")
    cpp_bot(tmp_path, crash)
    shown = arena("play", "saloon", "bot", "builtin:rowdy", "--replay", "m.arena", folder=tmp_path)
    assert words in shown, shown
    assert "`arena play ... --debug` shows the line." in shown
    assert "before the crash" in arena("replay", "log", "m.arena", folder=tmp_path)


@pytest.mark.parametrize(
    ("crash", "words"),
    [
        ("std::map<int, int>().at(static_cast<int>(turn));", "The bot threw std::out_of_range: map::at"),
        ("volatile int* nowhere = nullptr; *nowhere = 3;", "AddressSanitizer: SEGV"),
        ("std::vector<int> v(3); log(v[static_cast<std::size_t>(turn) + 8]);", "heap-buffer-overflow"),
    ],
)
def test_a_crash_in_cpp_names_its_line_with_debug(
    tmp_path: Path, need_program: Callable[[str], str], crash: str, words: str
) -> None:
    need_program("g++")
    line = cpp_bot(tmp_path, crash)
    shown = arena("play", "saloon", "bot", "builtin:rowdy", "--debug", "--replay", "m.arena", folder=tmp_path)
    assert words in shown, shown
    assert f"main.cpp:{line}" in shown, shown


def test_an_exception_in_java_has_its_type_text_and_line(tmp_path: Path, need_program: Callable[[str], str]) -> None:
    need_program("javac")
    arena("new", "saloon", "bot", "--language", "java", folder=tmp_path)
    (tmp_path / "bot" / "Main.java").write_text(JAVA)
    shown = arena("play", "saloon", "bot", "builtin:rowdy", "--replay", "none", folder=tmp_path)
    assert "java.lang.IllegalStateException: out of ideas" in shown, shown
    assert "Main.java:6" in shown
