"""What runs where Python has no POSIX, such as on Windows, and one message for everything else."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from evening import Evening

from arena.__main__ import NEEDS_POSIX, WORKS_ANYWHERE
from arena.cli import COMMANDS
from arena.errors import ExitCode
from arena.play.memory import play_in_memory

pytestmark = pytest.mark.process

SCRIPT = Path(__file__).with_name("without_posix.py")


def arena(folder: Path, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, SCRIPT, *words],
        capture_output=True,
        encoding="cp1252",  # of a pipe on Windows
        env=os.environ | {"PYTHONIOENCODING": "cp1252"},
        timeout=120,
        cwd=folder,
    )
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done


def test_every_command_either_works_anywhere_or_has_the_message() -> None:
    works = set(WORKS_ANYWHERE.partition(", and ")[0].split(", "))
    brought = {"cluster", "mcp"}  # by other distributions
    assert works | NEEDS_POSIX - brought == set(COMMANDS)
    assert not works & NEEDS_POSIX


def test_one_message_for_what_needs_processes(tmp_path: Path) -> None:
    for command in sorted(NEEDS_POSIX):
        done = arena(tmp_path, command, "saloon", "a", "b", code=ExitCode.NOT_POSIX)
        assert done.stdout == ""
        assert done.stderr.startswith(f"Error: `arena {command}` does not run on Windows")
        assert "wsl --install" in done.stderr
        assert "playground" in done.stderr
        assert max(map(len, done.stderr.splitlines())) <= 110
    assert list(tmp_path.iterdir()) == []


def test_a_first_evening_as_the_documents_describe_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # plugins of others need POSIX
    folder = tmp_path / "my bots"  # many have a space in their path on Windows
    folder.mkdir()
    tests = [sys.executable, str(SCRIPT), "--pytest", "-q", "-p", "no:cacheprovider", "-p", "arena.pytest_plugin"]
    Evening(folder, [sys.executable, str(SCRIPT)], tests).walk(in_memory=True)


@pytest.mark.parametrize("words", [["play", "saloon", "theirs", "builtin:rowdy"], ["climb", "saloon", "theirs"]])
def test_what_needs_programs_is_refused_with_the_way_that_works(tmp_path: Path, words: list[str]) -> None:
    arena(tmp_path, "new", "saloon", "theirs", "--language", "javascript")
    refused = arena(tmp_path, *words, code=ExitCode.NOT_POSIX)
    assert "needs programs" in refused.stderr
    assert "wsl --install" in refused.stderr


@pytest.mark.kill  # the first evening has most of it
def test_a_student_writes_and_reads_and_watches(tmp_path: Path) -> None:
    for language in ("python", "cpp", "java", "javascript"):
        arena(tmp_path, "new", "saloon", f"my_{language}", "--language", language)
    arena(tmp_path, "new-game", "tag_it")
    arena(tmp_path, "sdk", "snakes")
    assert "Saloon" in arena(tmp_path, "games").stdout
    assert "pianist" in arena(tmp_path, "games", "saloon").stdout
    assert "Example: " in arena(tmp_path, "rules", "saloon").stdout
    arena(tmp_path, "rules", "saloon", "--html", "rules.html")
    arena(tmp_path, "game", "check", "snakes", "--games", "1")
    arena(tmp_path, "map", "check", "laser_flag", "citadel")
    assert "arena" in arena(tmp_path, "--help").stdout
    play_in_memory("saloon", ["builtin:rowdy"] * 2, seed=1, replay=tmp_path / "m.arena", options={"max_turns": 6})
    assert "6 turns" in arena(tmp_path, "replay", "info", "m.arena").stdout
    assert "verified" in arena(tmp_path, "replay", "verify", "m.arena").stdout
    assert "turn 1 " in arena(tmp_path, "replay", "log", "m.arena").stdout
    arena(tmp_path, "replay", "export", "m.arena", "--html", "m.html")
    done = arena(tmp_path, "replay", "export", "m.arena", "--png", "1", code=ExitCode.NO_BROWSER)
    assert "Linux or macOS" in done.stderr


@pytest.mark.parametrize("words", [["view", "m.arena"], ["map", "edit", "laser_flag"]])
def test_the_pages_are_served(tmp_path: Path, words: list[str]) -> None:
    play_in_memory("saloon", ["builtin:rowdy"] * 2, seed=1, replay=tmp_path / "m.arena", options={"max_turns": 6})
    with subprocess.Popen(
        [sys.executable, SCRIPT, *words, "--no-browser"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            assert server.stdout is not None
            assert server.stderr is not None
            found: Any = re.search(r"http://\S+", server.stdout.readline())
            assert found is not None, server.stderr.read()
            with urlopen(found[0], timeout=20) as page:
                assert b"<!doctype html>" in page.read().lower()
        finally:
            server.kill()
