"""A command whose output nobody reads any more ends soon, with code 141 and without a traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from shortened import shortened

from arena.errors import ExitCode

pytestmark = pytest.mark.process
ROWDY = ("builtin:rowdy", "builtin:rowdy")
REPLAY = Path(__file__).parents[1] / "replays" / "saloon.arena"
LEAGUE = """
[contest]
name = "Short"
game = "saloon"
isolation = "none"
[options]
max_turns = 4
[[bots]]
path = "builtin:rowdy"
[[bots]]
path = "builtin:pianist"
[[stages]]
format = "round_robin"
"""
COMMANDS = {
    "help": ["--help"],
    "help of a command": ["play", "--help"],
    "games": ["games"],
    "games as JSON": ["games", "--json"],
    "doctor": ["doctor"],
    "play": ["play", "saloon", *ROWDY, "-o", "max_turns=6"],
    "play a person": ["play", "saloon", "human:terminal", "builtin:rowdy", "-o", "max_turns=6", "--games", "3"],
    "play people": ["play", "saloon", "human:terminal", "human:terminal", "-o", "max_turns=6"],
    "compare": ["compare", "saloon", *ROWDY, "--games", "2", "-o", "max_turns=6"],
    "climb": ["climb", "saloon", "builtin:rowdy", "--most", "16", "-o", "max_turns=6"],
    "replay info": ["replay", "info", REPLAY],
    "replay log": ["replay", "log", REPLAY],
    "replay verify": ["replay", "verify", REPLAY],
    "rerun": ["rerun", REPLAY, "builtin:rowdy", "--player", "0"],
    "explain": ["explain", "suicide.arena"],
    "game check": ["game", "check", "snakes", "--games", "1"],
    "view": ["view", REPLAY, "--no-browser"],
    "map edit": ["map", "edit", "laser_flag", "--no-browser"],
    "contest run": ["contest", "run", "contest.toml"],
    "contest check": ["contest", "check", "contest.toml"],
    "contest serve": ["contest", "serve", "contest.toml", "--port", "0"],
    "contest serve --show-only": ["contest", "serve", "--show-only", "--port", "0"],
}


def run(folder, words, stream):
    """Run a command with one stream that leads into a pipe that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        return subprocess.run(
            [sys.executable, "-m", "arena", *map(str, words)],
            input="1\n" * 500,
            stdout=writer if stream == "stdout" else subprocess.PIPE,
            stderr=writer if stream == "stderr" else subprocess.PIPE,
            cwd=folder,
            text=True,
            timeout=60,
        )
    finally:
        os.close(writer)


@pytest.mark.usefixtures("explained_replay")
@pytest.mark.parametrize("name", shortened(COMMANDS, 10))
def test_it_ends(tmp_path, name):
    (tmp_path / "contest.toml").write_text(LEAGUE)
    if "--show-only" in name:
        assert run(tmp_path, ["contest", "run", "contest.toml"], "neither").returncode == 0
    done = run(tmp_path, COMMANDS[name], "stdout")
    assert "Traceback" not in done.stderr
    assert done.returncode == ExitCode.CLOSED_OUTPUT, done.stderr


@pytest.mark.parametrize("words", [["play", "saloon", "builtin:rowdy", "nowhere"], ["nonsense"]])
def test_a_message_that_nobody_reads(tmp_path, words):
    assert run(tmp_path, words, "stderr").returncode == ExitCode.CLOSED_OUTPUT


def test_a_person_whose_output_ends_resigns(tmp_path):
    words = ["play", "saloon", "human:terminal", "builtin:rowdy", "--json", "--replay", "one.arena"]
    done = run(tmp_path, words, "stderr")
    assert done.returncode == ExitCode.CLOSED_OUTPUT
    assert '"ending": "resigned"' in done.stdout
