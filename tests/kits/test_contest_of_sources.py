"""A contest of eight bots that are handed in as sources, two in each language; one of them does not compile."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from languages import NEEDED

from arena.cli import cli
from arena.sdk import languages as kits

pytestmark = [pytest.mark.process, pytest.mark.sandbox, pytest.mark.slow]

LEAGUE = """
[contest]
name = "languages"
game = "saloon"
isolation = "limits"
[options]
max_turns = 4
[[bots]]
path = "submissions"
many = true
[[stages]]
format = "swiss"
rounds = 2
"""


def submit(folder: Path, language: str, number: int) -> None:
    """Write an archive with a new bot."""
    name = f"{language}-{number}"
    done = CliRunner().invoke(cli, ["new", "saloon", str(folder / name), "--language", language])
    assert done.exit_code == 0, done.output
    manifest = folder / name / "bot.toml"
    manifest.write_text(manifest.read_text(encoding="utf-8").replace("-O2", "-O0"), encoding="utf-8")  # builds faster
    program = folder / name / "main.cpp"
    if language == "cpp" and number == 2:
        program.write_text(program.read_text(encoding="utf-8").replace("struct Bot", "strukt Bot"), encoding="utf-8")
    with zipfile.ZipFile(folder / "submissions" / f"{name}.zip", "w") as archive:
        for path in sorted((folder / name).rglob("*.*")):
            archive.write(path, path.relative_to(folder / name))


@pytest.mark.kill  # eight bots are built
def test_two_bots_of_each_language(tmp_path: Path, need_program: Callable[[str], str]) -> None:
    (tmp_path / "submissions").mkdir()
    for language in ("python", *kits.LANGUAGES):
        for program in NEEDED[language]:
            need_program(program)
        for number in (1, 2):
            submit(tmp_path, language, number)
    (tmp_path / "contest.toml").write_text(LEAGUE)

    def arena(*arguments: str) -> str:
        command = [str(Path(sys.executable).with_name("arena")), "contest", *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=240, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    checked = arena("check", "contest.toml")
    assert " out  cpp-2: does not build: exit code 1.\n" in checked
    assert "7 bots are ready" in checked
    played = arena("run", "contest.toml")
    assert "The contest is over." in played
    assert "Excluded before the start: cpp-2 does not build: exit code 1.\n" in played
    assert "main.cpp:" in checked
    arena("verify", "contest.toml")
