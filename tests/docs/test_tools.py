"""The checks in ``tools/`` fail where they must."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

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
