"""``arena conform`` and ``arena game check``, run for real, on a foreign game that is found by its entry point."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cellar_game as cellar
import pytest
from recorded import record, text

pytestmark = pytest.mark.process

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def arena(tmp_path: Path) -> Run:
    """The command in an environment where the games ``cellar`` and ``pile`` are installed as wheels are."""
    site = tmp_path / "site"
    here = Path(__file__).parent
    for name in ("cellar_game", "broken_games"):
        (site / f"{name}.py").parent.mkdir(exist_ok=True)
        (site / f"{name}.py").write_text((here / f"{name}.py").read_text())
    (site / "broken_pile.py").write_text("from broken_games import *\nGAME = spec(UnlistedLegal)\nNONE = 3\n")
    info = site / "foreign_games-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: foreign-games\nVersion: 1\n")
    points = "cellar = cellar_game:GAME\npile = broken_pile:GAME\nnothing = broken_pile:NONE\n"
    (info / "entry_points.txt").write_text(f"[arena.games]\n{points}")

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        program = "import sys; from arena.__main__ import main; sys.argv[0] = 'arena'; main()"
        return subprocess.run(
            [sys.executable, "-c", program, *words],
            env=os.environ | {"PYTHONPATH": str(site)},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
        )

    return run


def write(path: Path, lines: list[dict[str, Any]]) -> str:
    path.write_text("".join(text(lines)))
    return str(path)


def test_all_agree(arena: Run, tmp_path: Path) -> None:
    folder = tmp_path / "traces"
    folder.mkdir()
    for seed in range(3):
        write(folder / f"{seed}.jsonl", record(cellar.GAME, seed))
    done = arena("conform", "cellar", str(folder))
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\nok ") == 2
    assert "3 of 3 traces agree" in done.stdout.splitlines()[-1]
    assert done.stderr == ""


def test_a_difference_is_named_and_costs_1(arena: Run, tmp_path: Path) -> None:
    lines = record(cellar.GAME, 4)
    number = next(n for n, line in enumerate(lines) if "state" in line)
    lines[number]["state"]["scores"][1] = 44
    path = write(tmp_path / "bad.jsonl", lines)
    done = arena("conform", "cellar", path)
    assert done.returncode == 1
    assert f"differs   {path}:{number + 1}: state.scores[1]: the trace has 44, the rules give 0" in done.stdout
    found = json.loads(arena("conform", "cellar", path, "--json").stdout)
    assert found["ok"] is False
    assert found["differ"] == 1
    assert found["traces"][0]["difference"]["line"] == number + 1
    assert found["traces"][0]["difference"]["field"] == "state.scores[1]"


def test_unusable_traces_have_their_own_code_and_differences_weigh_more(arena: Run, tmp_path: Path) -> None:
    lines = record(cellar.GAME, 4)
    cut = tmp_path / "cut.jsonl"
    cut.write_text("".join(text(lines))[:-30])
    done = arena("conform", "cellar", str(cut))
    assert done.returncode == 13
    assert f"unusable  {cut}:{len(lines)}: the line is cut off" in done.stdout
    lines[1]["to_move"] = 9
    bad = write(tmp_path / "bad.jsonl", lines)
    both = arena("conform", "cellar", str(cut), bad)
    assert both.returncode == 1
    assert "0 of 2 traces agree" in both.stdout
    assert "1 differ, 1 unusable" in both.stdout


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("conform", "cellarr", "x"), 3, "Did you mean cellar?"),
        (("conform", "nothing", "x"), 3, "which is not a GameSpec"),
        (("conform", "cellar", "no-such-file"), 13, "there is no trace at no-such-file"),
        (("conform", "cellar"), 2, "Missing argument"),
        (("game", "check", "cellarr"), 3, "Did you mean cellar?"),
        (("game", "check", "cellar", "--option", "turn=3"), 4, "did you mean turns?"),
        (("game", "check", "cellar", "--option", "turns=0"), 4, "turns must be a whole number"),
        (("game", "check", "cellar", "--games", "0"), 2, "--games"),
    ],
)
def test_mistakes_of_the_user(arena: Run, words: tuple[str, ...], code: int, message: str) -> None:
    done = arena(*words)
    assert done.returncode == code, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_check_of_a_sound_game(arena: Run) -> None:
    done = arena("game", "check", "cellar", "--games", "2", "--seed", "x", "--option", "turns=6")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "cellar keeps the contract (2 games, 12 actions" in done.stdout


def test_check_of_a_broken_game(arena: Run) -> None:
    done = arena("game", "check", "pile", "--games", "2")
    assert done.returncode == 1
    assert "unlisted_accepted" in done.stdout
    found = json.loads(arena("game", "check", "pile", "--games", "2", "--json").stdout)
    assert found["ok"] is False
    assert {finding["rule"] for finding in found["findings"]} == {"unlisted_accepted"}
