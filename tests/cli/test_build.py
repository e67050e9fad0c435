"""Bots that are handed in as sources: `bot build`, `play`, `compare` and contests build them, or say why not."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.bots.builtin_copy import builtin_bot
from arena.errors import ExitCode
from arena.match.lookup import find_game

pytestmark = [pytest.mark.process, pytest.mark.sandbox]

Arena = Callable[..., Any]
FEW = ("-o", "max_turns=4", "--replay", "none")


@pytest.fixture
def submit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Writes an archive with the sources of a bot."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    rowdy = builtin_bot(find_game("saloon"), "rowdy").parent

    def write(name: str, build: str = "cp bot.txt bot.py; echo a warning >&2") -> str:
        path = tmp_path / "submissions" / f"{name}.zip"
        path.parent.mkdir(exist_ok=True)
        manifest = f'name = "{name}"\ncommand = ["python", "-m", "arena_player", "bot.py"]\n'
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("bot.toml", f'{manifest}[build]\ncommand = ["sh", "-c", "{build}"]\noutput = ["bot.py"]\n')
            archive.writestr("bot.txt", (rowdy / "rowdy.py").read_text() + f"\n# {name}\n")
            archive.writestr("saloon.py", (rowdy / "saloon.py").read_text())
        return str(path.relative_to(tmp_path))

    return write


def test_play_builds_what_it_needs(arena: Arena, submit: Callable[..., str]) -> None:
    good = submit("good")
    ran = arena("play", "saloon", good, "builtin:rowdy", *FEW, "--json")
    assert ran.code == 0, ran.stderr
    assert ran.stderr == "Building good: sh -c cp bot.txt bot.py; echo a warning >&2\na warning\n"
    assert {player["ending"] for player in json.loads(ran.stdout)["players"]} <= {"won", "lost", "drawn"}
    assert arena("play", "saloon", good, "builtin:rowdy", *FEW, "--json").stderr == ""
    again = arena("bot", "build", good)
    assert (again.code, again.stdout.split(" in ")[0]) == (0, "good is built: bot.py")


def test_a_bot_that_does_not_build(arena: Arena, submit: Callable[..., str]) -> None:
    bad = submit("bad", "echo line 3: wrong; exit 2")
    ran = arena("bot", "build", bad)
    assert ran.code == ExitCode.NO_BUILD
    assert ran.stderr.endswith("Error: The bot bad does not build: exit code 2.\n  line 3: wrong\n")
    ran = arena("play", "saloon", bad, "builtin:rowdy", *FEW)
    assert ran.code == ExitCode.NO_BUILD
    assert "bad no_build: its program could not be built from its sources: exit code 2" in ran.stdout
    assert "  | line 3: wrong\n" in ran.stdout
    assert arena("compare", "saloon", bad, "builtin:rowdy", "--games", "2").code == ExitCode.NO_BUILD


def test_a_bot_without_a_build(arena: Arena) -> None:
    Path("bot.py").write_text("from arena_player import AI\n")
    assert arena("bot", "build", "bot.py").stdout == "bot needs no build: its bot.toml has no [build].\n"


@pytest.mark.slow
def test_a_contest_of_sources(arena: Arena, submit: Callable[..., str]) -> None:
    for name in ("one", "two"):
        submit(name)
    submit("bad", "echo line 3: wrong; exit 2")
    Path("contest.toml").write_text(
        '[contest]\nname = "sources"\ngame = "saloon"\nisolation = "limits"\n[options]\nmax_turns = 4\n'
        '[[bots]]\npath = "submissions"\nmany = true\n[[stages]]\nformat = "round_robin"\n'
    )
    ran = arena("contest", "check", "contest.toml")
    assert ran.code == 0, ran.stderr
    assert " out  bad: does not build: exit code 2.\n  | line 3: wrong\n" in ran.stdout
    assert "2 bots are ready" in ran.stdout
    ran = arena("contest", "run", "contest.toml")
    assert ran.code == 0, ran.stderr
    assert "The contest is over." in ran.stdout
    assert "Excluded before the start: bad does not build: exit code 2.\n" in ran.stdout
    assert arena("contest", "verify", "contest.toml").code == 0
    assert [len(list(copy.glob(".arena-build/bot.py"))) for copy in Path("contest/bots").iterdir()].count(1) == 2
