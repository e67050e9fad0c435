"""What ``arena new`` and ``arena sdk`` write, and what they leave behind after an error."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

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
    assert arena("new", "saloon", "made", "--name", bot).code == ExitCode.OK
    module = ast.parse(Path("made/main.py").read_text())
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
