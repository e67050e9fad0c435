"""``arena new-game`` writes a whole game. Installing it is tested with the wheels."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

STYLE = ("--config", "line-length=120", "--config", 'lint.pydocstyle.convention="google"')


@pytest.mark.process
def test_the_package_is_whole_typed_and_in_style(arena: Callable[..., Any], tmp_path: Path) -> None:
    done = arena("new-game", "tag_it", "made")
    assert done.code == 0, done.stderr
    made = tmp_path / "made"
    texts = {path.relative_to(made).as_posix(): path.read_text() for path in made.rglob("*") if path.is_file()}
    assert not [path for path in texts if "@" in path or "__pycache__" in path]
    assert not [path for path, text in texts.items() if "@name@" in text or "@title@" in text or "@package@" in text]
    assert texts["arena_tag_it/rules.md"].startswith("# Tag It\n")
    assert "arena_tag_it/bots/hare.py" in texts
    # D417 asks for the first parameter of an action, which bots do not pass.
    style = ["ruff", "check", "--isolated", "--select", "E,F,D,N,W", "--ignore", "D417", *STYLE]
    for command in (style, ["mypy", "--strict"]):
        files = [str(path) for path in (made / "arena_tag_it").glob("*.py") if path.name != "kit.py"]
        checked = subprocess.run([sys.executable, "-m", *command, *files], cwd=made, capture_output=True, text=True)
        assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["Tag"], "cannot be named 'Tag'"),
        (["class"], "cannot be named 'class': the name 'class' is not a word in lower case"),
        (["main"], "cannot be named 'main': the name main is also that of the file main.py in each bot's folder"),
        (["test_bot"], "the name test_bot is also that of the file test_bot.py in each bot's folder"),
        (["test"], "cannot be named 'test': the name test is also that of the Python module"),
        (["random"], "cannot be named 'random': the name random is also that of the Python module"),
        (["winreg"], "cannot be named 'winreg': the name winreg is also that of the Python module of the standard"),
        (["arena"], "cannot be named 'arena': the name arena is also that of the Python module"),
        (["arena_saloon"], "cannot be named 'arena_saloon': the name arena_saloon is also that of the Python module"),
        (["hare"], "cannot be named 'hare': the name hare is also that of the new game's bot"),
        (["kit"], "cannot be named 'kit': the name kit is also that of the class Kit in the kit for Java"),
        (["player"], "cannot be named 'player': the distribution arena-player is installed already"),
        (["referee"], "cannot be named 'referee': the distribution arena-referee is installed already"),
        (["../tag"], "cannot be named '../tag'"),
        (["saloon"], "is installed already"),
        (["tag", "full"], "is not empty"),
    ],
)
def test_what_cannot_be_made(arena: Callable[..., Any], tmp_path: Path, words: list[str], said: str) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    done = arena("new-game", *words)
    assert done.code in (2, 6)
    assert said in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["full"]


def test_sigterm_ends_a_check_with_a_report(arena: Callable[..., Any], request: pytest.FixtureRequest) -> None:
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGTERM, before))
    timer = threading.Timer(1.5, os.kill, [os.getpid(), signal.SIGTERM])
    timer.start()
    done = arena("game", "check", "snakes", "--games", "100000")
    assert done.code == 130
    assert "snakes: no violation so far" in done.stdout
    assert "Not checked, because the check was stopped:" in done.stdout
    assert "of 100000 games to the end" in done.stdout
