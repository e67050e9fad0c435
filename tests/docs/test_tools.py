"""The checks in ``tools/`` fail where they must."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(("environment", "code"), [({"CI": "true"}, 1), ({}, 0)])
def test_javascript_is_not_passed_unchecked_on_ci(tmp_path: Path, environment: dict[str, str], code: int) -> None:
    for program in ("sh", "dirname"):
        (tmp_path / program).symlink_to(str(shutil.which(program)))
    without_npm = {key: value for key, value in os.environ.items() if key != "CI"} | {"PATH": str(tmp_path)}
    ran = subprocess.run(
        ["sh", "tools/check-javascript.sh"], cwd=ROOT, env=without_npm | environment, capture_output=True, text=True
    )
    assert ran.returncode == code
    assert "npm is not installed" in ran.stderr


@pytest.fixture
def words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The check of words, in a repository with one clean file and one that is not."""
    spec = importlib.util.spec_from_file_location("check_words", ROOT / "tools" / "check_words.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (tmp_path / "clean.py").write_text('"""Return a message to their seat."""\n')
    (tmp_path / "dirty.md").write_text("Nothing here.\nThe error is one sentence.\n")
    for command in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "LIST", tmp_path / "list.txt")
    monkeypatch.setattr("sys.argv", ["check_words.py"])
    return module


@pytest.mark.parametrize(
    ("listed", "code", "printed"),
    [
        ("", 1, "dirty.md:2: Write 'message' instead of 'sentence'."),
        ("dirty.md", 0, "1 files are not clean yet, with 1 expressions."),
        ("dirty.md clean.py", 1, "Remove clean.py: it is clean or gone."),
    ],
)
def test_the_list_of_files_with_other_words_only_shrinks(
    words: ModuleType, capsys: pytest.CaptureFixture[str], listed: str, code: int, printed: str
) -> None:
    words.LIST.write_text(listed)
    assert words.main() == code
    assert printed in capsys.readouterr().out


def test_names_are_words_too(words: ModuleType) -> None:
    assert len(list(words.problems("arena/a.py", "def own_bot(): ..."))) == 1
    assert not list(words.problems("arena/a.py", "# Your own bot, their helmet, the watch, a lookout."))
