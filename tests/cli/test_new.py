"""What ``arena new`` and ``arena sdk`` write, and what they leave behind after an error."""

from __future__ import annotations

import ast
import errno
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.cli.agents_guide import agents_file
from arena.errors import ExitCode

Arena = Callable[..., Any]


@pytest.mark.parametrize(
    ("bot", "name"),
    [
        ("my_bot", "MyBot"),
        ("none", "NoneBot"),
        ("true", "TrueBot"),
        ("3if", "ifBot"),
        ("a-i", "AIBot"),
        ("cowboy", "CowboyBot"),
        ("42", "Bot"),
    ],
)
def test_the_class_of_a_bot_has_a_name_that_python_and_the_game_do_not_use(arena: Arena, bot: str, name: str) -> None:
    assert arena("new", "saloon", bot).code == ExitCode.OK
    module = ast.parse(Path(bot, "main.py").read_text())
    assert [node.name for node in module.body if isinstance(node, ast.ClassDef)] == [name]


@pytest.mark.parametrize("out", ["file/saloon.py", "file/folder/saloon.py", "new/" + "x" * 300])
@pytest.mark.parametrize("language", ["python", "java"])
def test_classes_that_cannot_be_written(arena: Arena, out: str, language: str) -> None:
    Path("file").touch()
    ran = arena("sdk", "saloon", "--out", out, "--language", language)
    assert (ran.code, ran.stdout) == (ExitCode.CANNOT_WRITE, "")
    assert ran.stderr.startswith(f"Error: {out}")
    assert "cannot be written: " in ran.stderr
    assert "File exists" not in ran.stderr
    assert len(ran.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("language", "written"),
    [("python", ["saloon.py"]), ("cpp", ["arena.hpp", "saloon.hpp"]), ("java", ["Kit.java", "Saloon.java"])],
)
def test_classes_are_written_into_a_folder(arena: Arena, language: str, written: list[str]) -> None:
    assert arena("sdk", "saloon", "--language", language, "--out", "new.py").code == ExitCode.OK
    assert sorted(path.name for path in Path("new.py").rglob("*") if path.is_file()) == written


def fails_at(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Let the write of the file with this name fail, as on a full disk."""
    write = Path.write_text

    def full(path: Path, *args: Any, **settings: Any) -> int:
        if path.name == name:
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        return write(path, *args, **settings)

    monkeypatch.setattr(Path, "write_text", full)


@pytest.mark.parametrize(
    ("command", "last"),
    [
        (("new", "saloon", "some/made", "--language", "java"), "test_bot.py"),
        (("new-game", "tag", "some/made"), "tag.js"),
    ],
)
@pytest.mark.parametrize("there", [False, True])
def test_after_an_error_nothing_is_left_and_the_next_try_works(
    arena: Arena, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], last: str, there: bool
) -> None:
    if there:
        Path("some/made").mkdir(parents=True)
    before = sorted(Path().rglob("*"))
    with monkeypatch.context() as patch:
        fails_at(patch, last)
        ran = arena(*command)
    assert (ran.code, ran.stdout) == (ExitCode.CANNOT_WRITE, "")
    assert "cannot be written: No space left on device." in ran.stderr
    assert sorted(Path().rglob("*")) == before
    assert arena(*command).code == ExitCode.OK


@pytest.mark.parametrize("command", [("new", "saloon"), ("new-game", "tag")])
def test_a_folder_in_the_place_of_a_file(arena: Arena, command: tuple[str, ...]) -> None:
    Path("file").touch()
    ran = arena(*command, "file/made")
    assert (ran.code, ran.stderr) == (ExitCode.CANNOT_WRITE, "Error: file/made cannot be made: Not a directory.\n")


def test_a_path_that_is_too_long(arena: Arena) -> None:
    ran = arena("new-game", "tag", "x" * 300)
    assert ran.code == ExitCode.CANNOT_WRITE
    assert "cannot be used: it is too long." in ran.stderr


@pytest.mark.parametrize("language", ["python", "cpp", "java", "javascript"])
@pytest.mark.parametrize("game", ["saloon", "snakes"])
def test_the_editor_can_debug_the_bot(arena: Arena, game: str, language: str) -> None:
    assert arena("new", game, "bot", "--language", language).code == 0
    found = {path.name: json.loads(path.read_text()) for path in Path("bot/.vscode").iterdir()}
    assert found["extensions.json"]["recommendations"]
    first = found["tasks.json"]["tasks"][0]
    assert f"arena play {game} . " in first["command"]
    assert first["group"] == {"kind": "build", "isDefault": True}  # else Ctrl+Shift+B asks which task to run
    if language == "python":
        match, turn = found["launch.json"]["configurations"]
        assert match["args"][:3] == ["play", game, "${workspaceFolder}"]
        assert (match["module"], turn["args"][0]) == ("arena", "rerun")
        # The editor's debugger cannot follow a program into a sandbox.
        assert match["args"][-3:] == ["--debug", "--sandbox", "none"]


@pytest.mark.parametrize("language", ["python", "cpp", "java", "javascript"])
@pytest.mark.parametrize("game", ["saloon", "laser_flag", "derelict", "snakes"])
def test_an_agent_finds_what_wins_and_no_name_that_is_not_there(arena: Arena, game: str, language: str) -> None:
    assert arena("new", game, "bot", "--language", language).code == 0
    text = Path("bot/AGENTS.md").read_text(encoding="utf-8")
    assert "$" not in text
    assert re.search(r"## What wins\n\n.*\b(wins?|won)\b.*\n\nAll rules", text, re.DOTALL)
    files = re.findall(r"`([\w/]+\.(?:py|cpp|hpp|java|js))`", text)
    assert {"main.py", "main.cpp", "Main.java", "main.js"} & {*files}
    assert [name for name in files if not Path("bot", name).is_file()] == []


def test_an_agent_is_told_of_partners_and_missing_bots() -> None:
    import lanterns_game
    import race_game

    games = (lanterns_game.spec(), race_game.GAME)
    together, alone = (
        agents_file(game, "python", {"game": game.name, "title": "", "opponents": "."}) for game in games
    )
    assert "`arena verdict" not in together  # it is for players who compete
    assert "All players play together" in together
    assert "`arena verdict race . --against ../old_bot`" in alone
    assert "arena rules" not in together + alone  # neither has a text of its rules
    assert "The first one to reach the last column wins." in alone


OWN_TEST = """
from pathlib import Path

import helper
from main import *


def test_it_gets_its_own_files():
    import late

    assert helper.NAME == late.NAME == Path(__file__).parent.name
"""


@pytest.mark.kill  # a whole pytest of its own
@pytest.mark.process
def test_the_tests_of_a_bot_and_of_its_copy_run_together(arena: Arena) -> None:
    arena("new", "saloon", "my_bot")
    shutil.copytree("my_bot", "old_bot")
    for name in ("my_bot", "old_bot"):
        for file in ("helper.py", "late.py"):
            Path(name, file).write_text(f"NAME = {name!r}\n")
        Path(name, "test_own.py").write_text(OWN_TEST)
    for folder, tests in ((".", 4), ("old_bot", 2)):
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q"], cwd=folder, capture_output=True, text=True, timeout=200
        )
        assert f"{tests} passed" in done.stdout, done.stdout
