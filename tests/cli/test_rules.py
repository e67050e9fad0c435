"""`arena rules`: the rules in the terminal and as a page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.errors import ExitCode
from arena.text.terminal import plain_lines

Arena = Callable[..., Any]


EXAMPLES = {
    "saloon": "    player 0: g0 call_in Brawler  (refused: already called in)",
    "laser_flag": "    player 0: u0 fire u1  (refused: no line of sight)",
    "derelict": "    player 0: activate 3,1  (refused: already used this turn)",
    "snakes": "    player 1: s1 move left",
}


@pytest.mark.parametrize("game", ["saloon", "laser_flag", "derelict", "snakes"])
def test_the_rules_fit_a_terminal_and_name_positions_and_actions(arena: Arena, game: str) -> None:
    ran = arena("rules", game)
    assert ran.code == ExitCode.OK
    lines = ran.stdout.splitlines()
    # A command or an action is one line, so that it can be copied.
    assert [line for line in lines if len(line) > 80 and not line.startswith("    ")] == []
    assert sum(line.startswith("Example: ") for line in lines) >= 11
    assert any(line.startswith("    player 0: ") for line in lines)
    assert "![" not in ran.stdout
    assert EXAMPLES[game] in lines, "an order is written as a player writes it"
    assert f"arena rules {game} --open" in ran.stdout
    assert f"arena games {game}" in ran.stdout


def test_the_page_and_where_it_is(arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    ran = arena("rules", "snakes", "--html", "snakes.html")
    assert ran.stdout.startswith("snakes.html was written: ")
    page = Path("snakes.html").read_text()
    assert page.count('<figure class="example"') == 14
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", ""), "nothing is loaded from elsewhere"
    assert "https://" not in page
    ran = arena("rules", "snakes", "--open")
    assert ran.code == ExitCode.OK
    assert Path(ran.stdout.split()[-1]).read_text() == page


def test_bad_input(arena: Arena) -> None:
    assert arena("rules", "chess").code == ExitCode.UNKNOWN_GAME
    Path("file").touch()
    ran = arena("rules", "snakes", "--html", "file/rules.html")
    assert ran.code == ExitCode.CANNOT_WRITE
    assert "file/rules.html" in ran.stderr


def test_markdown_as_text() -> None:
    text = "# Head\n\nOne *two* `three`\nfour.\n\n1. a\n   - b c d e f g h i j\n2. k\n\n"
    text += "| x | y |\n|-|-|\n| 1 | a long cell here |\n"
    assert list(plain_lines(text, 20)) == [
        ("Head", True),
        ("", False),
        ("One two three four.", False),
        ("", False),
        ("1. a", False),
        ("   - b c d e f g h i", False),
        ("     j", False),
        ("2. k", False),
        ("", False),
        ("x  y", False),
        ("1  a long cell here", False),
    ]
