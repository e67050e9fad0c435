"""A bot that crashes names the reason, and where it is, in each compiled language."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from shortened import shortened

pytestmark = [pytest.mark.process, pytest.mark.slow]

CRASHES = {
    18: ("std::map<int, int>().at(3);", "The bot threw std::out_of_range: map::at"),
    20: ("throw Odd();", "The bot threw Odd"),
    22: ('throw "no idea";', "The bot threw char const*: no idea"),
    24: ("volatile int* nowhere = nullptr; *nowhere = 3;", "AddressSanitizer: SEGV"),
    26: ("std::vector<int> v(3); log(v[static_cast<std::size_t>(turn) + 8]);", "heap-buffer-overflow"),
}
"""How the bot in C++ crashes, by the width of its map: it takes long to compile one for each."""
EXCEPTIONS = shortened([18, 20, 22])
CPP = """#include "saloon.hpp"
#include <map>

struct Odd {};
struct Bot : saloon::AI {
    void run_turn() override {
        log("before the crash");
        CRASHES
    }
};

int main() { return arena::run<Bot>(); }
""".replace("CRASHES", "\n".join(f"if (game->width == {width}) {{ {crash} }}" for width, (crash, _) in CRASHES.items()))
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
JAVASCRIPT = """import { run } from "./arena.js";
import { AI } from "./saloon.js";

class Bot extends AI {
  run_turn() {
    this.think();
    this.game.end_turn();
  }

  async think() {
    throw new Error("out of ideas");
  }
}

run(Bot);
"""


def arena(*arguments: object, folder: Path) -> str:
    command = [sys.executable, "-m", "arena", *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=250, check=False)
    return done.stdout + done.stderr


def played(folder: Path, language: str, file: str, source: str) -> str:
    """Return what a match of a new bot with this source prints."""
    arena("new", "saloon", "bot", "--language", language, folder=folder)
    (folder / "bot" / file).write_text(source)
    return arena("play", "saloon", "bot", "builtin:rowdy", "--replay", "none", folder=folder)


@pytest.fixture(scope="module")
def cpp_bot(tmp_path_factory: pytest.TempPathFactory, need_program: Callable[[str], str]) -> Path:
    need_program("g++")
    folder = tmp_path_factory.mktemp("cpp")
    arena("new", "saloon", "bot", "--language", "cpp", folder=folder)
    (folder / "bot" / "main.cpp").write_text(CPP)
    return folder


@pytest.mark.kill  # one more compilation
@pytest.mark.parametrize("width", EXCEPTIONS)
def test_an_exception_in_cpp_has_its_type_and_text(cpp_bot: Path, width: int) -> None:
    words = ("bot", "builtin:rowdy", "-o", f"width={width}", "--replay", f"{width}.arena")
    shown = arena("play", "saloon", *words, folder=cpp_bot)
    assert CRASHES[width][1] in shown, shown
    assert "`arena play ... --debug` shows the line." in shown
    assert "before the crash" in arena("replay", "log", f"{width}.arena", folder=cpp_bot)


@pytest.mark.kill  # one more compilation
def test_a_crash_in_cpp_without_a_message_names_the_option_that_shows_its_line(cpp_bot: Path) -> None:
    shown = arena("play", "saloon", "bot", "builtin:rowdy", "-o", "width=24", "--replay", "none", folder=cpp_bot)
    assert "killed by SIGSEGV" in shown, shown
    assert shown.count("`arena play ... --debug` shows the line.") == 1


@pytest.mark.parametrize("width", shortened([24, 18, 26]))
def test_a_crash_in_cpp_names_its_line_with_debug(cpp_bot: Path, width: int) -> None:
    crash, said = CRASHES[width]
    line = next(number for number, line in enumerate(CPP.splitlines(), 1) if crash in line)
    words = ("bot", "builtin:rowdy", "-o", f"width={width}", "--debug", "--replay", "none")
    shown = arena("play", "saloon", *words, folder=cpp_bot)
    assert said in shown, shown
    assert f"main.cpp:{line}" in shown, shown


def test_an_exception_in_java_has_its_type_text_and_line(tmp_path: Path, need_program: Callable[[str], str]) -> None:
    need_program("javac")
    shown = played(tmp_path, "java", "Main.java", JAVA)
    assert "java.lang.IllegalStateException: out of ideas" in shown, shown
    assert "Main.java:6" in shown


def test_a_rejection_in_javascript_that_nobody_awaits_ends_the_bot(
    tmp_path: Path, need_program: Callable[[str], str]
) -> None:
    need_program("node")
    shown = played(tmp_path, "javascript", "main.js", JAVASCRIPT)
    assert "bot crashed: " in shown, shown
    assert "rowdy wins (forfeit)" in shown
    assert "Error: out of ideas" in shown
    assert "main.js:11" in shown


LOOPS = {
    ("python", "main.py"): """from saloon import AI

class Bot(AI):
    def run_turn(self):
        self.think()

    def think(self):
        while True:
            pass
""",
    ("javascript", "main.js"): """import { run } from "./arena.js";
import { AI } from "./saloon.js";

class Bot extends AI {
  run_turn() { this.think(); }
  think() {
    for (;;)
      ;
  }
}

run(Bot);
""",
}


@pytest.mark.parametrize(("language", "file"), LOOPS)
def test_a_bot_whose_time_runs_out_names_the_line_of_its_loop(
    tmp_path: Path, need_program: Callable[[str], str], language: str, file: str
) -> None:
    if language == "javascript":
        need_program("node")
    source = LOOPS[language, file]
    arena("new", "saloon", "bot", "--language", language, folder=tmp_path)
    (tmp_path / "bot" / file).write_text(source)
    shown = arena(
        "play", "saloon", "bot", "builtin:rowdy", "--clock", "turn=1", "--replay", "none", folder=tmp_path
    )  # fmt: skip
    # On a busy machine, the match can be void instead.
    assert re.search(rf"bot (timed_out|void): .*; it was at {file}, line [789]\b", shown), shown


def test_an_endless_loop_at_import_is_named_whoever_was_slow(tmp_path: Path) -> None:
    """On a busy machine the match can become void. It is not known then whether the bot would have been ready."""
    arena("new", "saloon", "bot", folder=tmp_path)
    (tmp_path / "bot" / "main.py").write_text("while True:\n    pass\n")
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)]
    try:
        words = ("bot", "builtin:rowdy", "--clock", "startup=0.5", "--replay", "none")
        shown = arena("play", "saloon", *words, folder=tmp_path)
    finally:
        for process in busy:
            process.kill()
            process.wait()
    assert "it was at main.py, line 2" in shown or "it was at main.py, line 1" in shown, shown
    assert "not the bot" not in shown


ADVICE = {
    "open(__file__ + '.txt', 'w')": "A bot can write in /tmp only",
    "input()": "A bot has no keyboard.",
    "import no_such_package": "A bot can import the standard library, the files of its folder, arena_player,",
}


@pytest.mark.parametrize("statement", ADVICE)
def test_an_error_that_only_a_bot_meets_has_advice_and_is_told_once(tmp_path: Path, statement: str) -> None:
    arena("new", "saloon", "bot", folder=tmp_path)
    source = "from saloon import AI\n\nclass Bot(AI):\n    def run_turn(self):\n        print('here')\n"
    source += f"        {statement}\n"
    (tmp_path / "bot" / "main.py").write_text(source)
    shown = arena("play", "saloon", "bot", "builtin:rowdy", "--log", "--replay", "none", folder=tmp_path)
    if "were not in a sandbox" in shown and "/tmp" in ADVICE[statement]:
        pytest.skip("without a sandbox, a bot can write anywhere")
    assert shown.count(ADVICE[statement]) == 1, shown
    assert "turn 1, bot: here" in shown
    assert "Replay:" not in shown
    assert not (tmp_path / "replays").exists()
    checked = arena("bot", "check", "bot", folder=tmp_path)
    assert checked.count(ADVICE[statement]) == 1, checked
    assert checked.count("main.py, line 6") == 1, checked
