"""Imports between packages run one way; the contracts are in pyproject.toml."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[1]


def lint_imports(cwd, path=""):
    command = Path(sys.executable).with_name("lint-imports")
    environment = os.environ | {"PYTHONPATH": path}
    return subprocess.run(
        [command, "--no-cache"], cwd=cwd, capture_output=True, text=True, timeout=120, env=environment
    )


def test_imports_run_one_way():
    done = lint_imports(ROOT)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("line", ["import arena.cli.play", "def f():\n    from arena.cli import play\n    return play"])
def test_an_import_that_runs_the_wrong_way_is_found(tmp_path, line):
    for package in ("arena", "arena/cli", "arena/match"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text("")
    (tmp_path / "arena" / "cli" / "play.py").write_text("")
    (tmp_path / "arena" / "match" / "job.py").write_text(line + "\n")
    text = (ROOT / "pyproject.toml").read_text()
    contract = text[text.index("[[tool.importlinter.contracts]]") :].split("\n\n")[0]
    layers = contract.replace('"arena.', '"(arena.').replace('",', ')",').replace(" : arena", ") : (arena")
    (tmp_path / "pyproject.toml").write_text(f'[tool.importlinter]\nroot_package = "arena"\n\n{layers}\n')
    done = lint_imports(tmp_path, str(tmp_path))
    assert done.returncode == 1
    assert "arena.match.job -> arena.cli.play" in done.stdout
