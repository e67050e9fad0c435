"""A bot finds its own files wherever it plays, and nobody else finds them."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from own_files import FILES

from arena.bots.bot import load_bot
from arena.match.result import MatchResult
from arena.play.memory import play_in_memory
from arena.testing import play_match

GAME = "saloon"
SHORT = {"max_turns": 6}
RIVAL = "builtin:rowdy"
LEVELS = [{"sandbox": "none"}, *({"max_isolation": level} for level in (1, 2, 3)), {"debug": True}]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written(tmp_path / "bot")


def written(folder: Path, **changes: str) -> Path:
    for name, text in (FILES | changes).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def check(result: MatchResult) -> None:
    mine = result.players[0]
    assert mine.ending in ("won", "lost", "drawn"), f"{mine.ending}: {mine.detail}\n{mine.stderr}"


@pytest.mark.process
@pytest.mark.parametrize("settings", LEVELS, ids=str)
def test_in_a_process(folder: Path, settings: dict[str, object]) -> None:
    check(play_match(GAME, [folder, RIVAL], seed=1, options=SHORT, **settings))


@pytest.mark.process
def test_in_an_archive_and_as_a_single_file(folder: Path, tmp_path: Path) -> None:
    check(play_match(GAME, [shutil.make_archive(str(tmp_path / "archive"), "zip", folder), RIVAL], options=SHORT))
    # What a single file brings along is found in its text.
    (folder / "random.py").write_text(
        "from brain import Brain\n\n\nclass Alone(Brain):\n    def run_turn(self):\n        import late\n"
        "        self.act(self.random_action())\n"
    )
    check(play_match(GAME, [folder / "random.py", RIVAL], options=SHORT))
    before = load_bot(folder / "random.py").content_hash
    (folder / "helpers" / "paths.py").write_text('NAME = "others"\n')
    assert load_bot(folder / "random.py").content_hash != before


def test_in_memory(folder: Path) -> None:
    modules, path, finders = set(sys.modules), list(sys.path), list(sys.meta_path)
    (folder / "random.py").write_text("from brain import Brain\n")
    for bot in (folder, folder, folder / "random.py"):
        check(play_in_memory(GAME, [bot, bot], seed=1, options=SHORT))
    left = set(sys.modules) - modules
    assert not [name for name in left if str(folder) in str(getattr(sys.modules[name], "__file__", ""))]
    assert not left & {"bot", "helpers", "library", *(Path(name).stem for name in FILES)}
    assert (sys.path, sys.meta_path) == (path, finders)
