"""``arena rerun``: its output, its exit codes, tests of pinned turns, and the debugger."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

SOURCE = """
from arena_player import AI

class Mine(AI):
    wants_legal_actions = True

    def run_turn(self):
        actions = [action for action in self.legal_actions if action["type"] != "end_turn"]
        if actions and not (self.turn == 6 and CHANGED):
            self.act(actions[0])
"""


@pytest.fixture
def lost(arena, tmp_path):
    """Record a match of a bot, and return its replay."""
    (tmp_path / "mine.py").write_text("CHANGED = False\n" + SOURCE)
    (tmp_path / "changed.py").write_text("CHANGED = True\n" + SOURCE)
    small = ("-o", "width=8", "-o", "height=6", "-o", "max_turns=16")
    arena("play", "saloon", "mine.py", "builtin:pianist", "--seed", 4, "--replay", "lost.arena", *small)
    return tmp_path / "lost.arena"


def test_output_and_exit_codes(arena, lost):
    same = arena("rerun", lost, "mine.py")
    assert (same.code, same.stderr) == (0, "")
    assert "player 0: mine does what was recorded, in 7 turns" in same.stdout
    changed = arena("rerun", lost, lost, "changed.py", "--player", 0)
    assert changed.code == 1
    assert "1 difference in 7 turns" in changed.stdout
    assert "turn 7\n    recorded: " in changed.stdout
    assert "now:      end_turn()" in changed.stdout
    assert "2 reruns, 2 with differences." in changed.stdout
    found = json.loads(arena("rerun", lost, "changed.py", "--player", 0, "--json").stdout)
    (difference,) = found["differences"]
    assert (difference["turn"], difference["player"], difference["first"], difference["noise"]) == (7, 0, 0, False)
    assert difference["now"] == [{"type": "end_turn"}]
    assert found["reruns"][0]["turns"] == 7


def test_what_a_change_is_worth(arena, lost):
    ran = arena("rerun", lost, "changed.py", "--player", 0, "--explain", 2, "--json")
    (difference,) = json.loads(ran.stdout)["differences"]
    gain = difference["gain"]
    assert -1 <= gain["low"] <= gain["value"] <= gain["high"] <= 1
    assert gain["low"] < gain["high"]


def test_mistakes_have_one_message(arena, lost, tmp_path):
    unknown = arena("rerun", lost, "changed.py")
    assert unknown.code == 2
    assert "No player of" in unknown.stderr
    assert "Choose one with --player: 0 mine, 1 pianist." in unknown.stderr
    assert arena("rerun", lost, "mine.py", "--player", 2).code == 2
    assert arena("rerun", "missing.arena", "mine.py").code == 9
    assert arena("rerun", lost, "missing.py").code == 5
    assert arena("rerun", lost, "mine.py", "--debug").code == 2
    assert arena("rerun", lost, "mine.py", "--forbid").code == 2
    (tmp_path / "cut.arena").write_bytes(lost.read_bytes()[:100])
    assert arena("rerun", "cut.arena", "mine.py").code == 11
    (tmp_path / "cut.arena").write_bytes(lost.read_bytes()[:-100])
    cut = arena("rerun", "cut.arena", "mine.py")
    assert (cut.code, cut.stdout) == (11, "")
    assert "cut.arena has no end, so the seed of its match is unknown." in cut.stderr
    assert "seed unknown" in arena("replay", "info", "cut.arena").stdout


@pytest.mark.parametrize("where", ["{lost}@99", "{lost}@0"])
def test_a_turn_that_the_match_does_not_have_is_refused(arena, lost, where):
    for pin in ((), ("--pin", "test_mine.py")):
        ran = arena("rerun", where.format(lost=lost), "mine.py", "--player", 0, *pin)
        assert ran.code == 4
        assert f"{lost} has no turn" in ran.stderr
        assert "The nearest are" in ran.stderr


def test_in_a_turn_of_another_player_the_last_own_one_before_is_used(arena, lost):
    ran = arena("rerun", f"{lost}@6", "mine.py", "--pin", "test_mine.py")
    assert (ran.code, "of turn 5." in ran.stdout) == (0, True)
    assert "Player 0 has no turn 6. Its last turn before is used: turn 5." in ran.stderr
    none = arena("rerun", f"{lost}@1", "builtin:pianist", "--player", 1, "--pin", "test_other.py")
    assert (none.code, f"Player 1 of {lost} has no turn 1." in none.stderr) == (4, True)


def test_options_that_exclude_each_other_are_wrong_usage(arena, lost, tmp_path):
    at = ("rerun", f"{lost}@7", "mine.py")
    pin, debug = ("--pin", "test_mine.py"), ("--debug",)
    for options in (
        (*debug, *pin),
        (*debug, "--json"),
        (*pin, "--json"),
        (*debug, "--explain", 1),
        (*pin, "--explain", 1),
    ):
        assert arena(*at, *options).code == 2, options
    assert not (tmp_path / "test_mine.py").exists()


def test_a_pinned_turn_is_a_test_of_the_bot(arena, lost, tmp_path):
    assert "holds" in arena("rerun", f"{lost}@7", "mine.py", "--pin", "test_holds.py").stdout
    assert "forbids" in arena("rerun", f"{lost}@7", "mine.py", "--pin", "test_forbids.py", "--forbid").stdout

    def run(name: str) -> int:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", tmp_path / name]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=60).returncode

    assert (run("test_holds.py"), run("test_forbids.py")) == (0, 1)
    (tmp_path / "mine.py").write_text((tmp_path / "changed.py").read_text())
    assert (run("test_holds.py"), run("test_forbids.py")) == (1, 0)


def test_a_test_that_exists_is_not_overwritten(arena, lost, tmp_path):
    words = ("rerun", f"{lost}@7", "mine.py", "--pin", "test_mine.py")
    (tmp_path / "test_mine.py").write_text("written by hand")
    refused = arena(*words)
    assert (refused.code, refused.stdout) == (6, "")
    assert "test_mine.py exists." in refused.stderr
    assert "Choose another file with --pin, or remove this one." in refused.stderr
    assert (tmp_path / "test_mine.py").read_text() == "written by hand"


def test_the_debugger_stops_as_the_turn_begins(lost):
    """The bot has the terminal, and has seen everything before."""
    commands = "p 'turn', self.turn\np len(self.game.cowboys) > 0\nn\nc\n"
    done = subprocess.run(
        [sys.executable, "-m", "arena", "rerun", f"{lost}@7", "mine.py", "--debug"],
        cwd=Path(lost).parent,
        input=commands,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert "mine.py(9)run_turn()" in done.stdout
    assert "('turn', 6)" in done.stdout
    assert "True" in done.stdout


def test_node_stops_a_bot_in_javascript_as_the_turn_begins(arena, tmp_path, need_program):
    need_program("node")
    arena("new", "saloon", "rider", "--language", "javascript")
    small = ("-o", "width=8", "-o", "height=6", "-o", "max_turns=16")
    arena("play", "saloon", "rider", "builtin:pianist", "--seed", 4, "--replay", "match.arena", *small)
    command = [sys.executable, "-m", "arena", "rerun", "match.arena@5", "rider", "--debug"]
    refused = arena(*command[3:], "--debugger", "gdb")
    assert (refused.code, "gdb does not debug a bot that is started with node." in refused.stderr) == (2, True)
    # It takes commands only from the moment when it waits for them.
    waits = [
        ("break in arena.js", "exec message.turn\n"),
        ("debug> 4", "s\n"),
        ("await this", "s\n"),
        ("main.js:", "c\n"),
    ]
    with subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        limit = threading.Timer(60, process.kill)
        limit.start()
        seen = ""
        for wanted, answer in waits:
            while wanted not in seen:
                character = process.stdout.read(1)
                assert character, seen
                seen += character
            seen = ""
            process.stdin.write(answer)
            process.stdin.flush()
        process.stdout.read()
        limit.cancel()
    assert process.returncode == 0


@pytest.mark.slow
@pytest.mark.kill  # a compiler, twice, and a debugger
def test_gdb_stops_a_bot_in_cpp_as_the_turn_begins(arena, tmp_path, need_program):
    need_program("gdb")
    need_program("g++")
    arena("new", "saloon", "rider", "--language", "cpp")
    small = ("-o", "width=8", "-o", "height=6", "-o", "max_turns=16")
    arena("play", "saloon", "rider", "builtin:pianist", "--seed", 4, "--replay", "match.arena", *small)
    assert arena("rerun", "match.arena", "rider").code == 0
    done = subprocess.run(
        [sys.executable, "-m", "arena", "rerun", "match.arena@5", "rider", "--debug"],
        cwd=tmp_path,
        input="p turn\nc\n",
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert "Bot::run_turn" in done.stdout
    assert "$1 = 4" in done.stdout
