"""A game of a stranger: an installed package that is not of this repository."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

COMPILED_ALWAYS = {
    "test_the_same_bot_plays_the_same_game",
    "test_the_bots_are_correct_clients",
    "test_each_mistake_has_one_message",
    "test_new_bots_choose_from_a_form_as_the_python_bot_does",
}
"""What `make test` builds with compilers, in the files that build new bots. One takes up to half a minute, so the other
tests of these files are long ones for compiled languages."""
FILES = {"test_new_bots.py", "test_helpers.py", "test_records.py"}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        language = getattr(item, "callspec", None) and item.callspec.params.get("language")
        if language in ("cpp", "java") and item.path.name in FILES and item.originalname not in COMPILED_ALWAYS:
            item.add_marker(pytest.mark.kill)


EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


@pytest.fixture
def install_frontier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that installs the game Frontier with these helpers for this test."""

    def install(helpers: str = "") -> None:
        info = tmp_path / "site-packages" / "frontier-1.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: frontier\nVersion: 1\n")
        (info / "entry_points.txt").write_text("[arena.games]\nfrontier = arena_frontier:GAME\n")
        package = info.parent / "arena_frontier"
        package.mkdir()
        source = "from dataclasses import replace\nfrom pathlib import Path\nfrom arena_frontier.rules import spec\n"
        source += f"GAME = replace(spec(), kit=Path(__file__).with_name('kit.py') if {bool(helpers)} else None)\n"
        (package / "__init__.py").write_text(source)
        (package / "kit.py").write_text(helpers)
        shutil.copy(EXAMPLES / "frontier_game.py", package / "rules.py")
        monkeypatch.setenv("PYTHONPATH", str(info.parent))
        monkeypatch.syspath_prepend(info.parent)

    return install
