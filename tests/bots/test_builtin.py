"""Built-in bots, with or without the game's typed module beside them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from arena.bots.bot import load_bot
from arena.bots.builtin import builtin_bot
from arena.errors import ArenaError
from arena.game import BuiltinBot, GameSpec, load
from arena.testing.matches import play_match

BOT = """
from saloon import AI

import helper


class Idle(AI):
    def run_turn(self):
        assert helper.READY
"""


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GameSpec:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    bots = tmp_path / "bots"
    bots.mkdir()
    (bots / "idle.py").write_text(BOT)
    (bots / "helper.py").write_text("READY = True\n")
    (bots / "private.py").write_text("raise ValueError\n")
    (bots / "plain.py").write_text("import helper\n")
    names = ("idle", "plain")
    found = tuple(BuiltinBot(name, bots / f"{name}.py", "A bot.") for name in names)
    return replace(load("saloon"), bots=found)


def test_a_bot_without_its_module_gets_it(game: GameSpec) -> None:
    bot = load_bot("builtin:idle", builtins=lambda name: builtin_bot(game, name))
    assert bot.files == ("helper.py", "idle.py", "saloon.py")
    again = load_bot("builtin:idle", builtins=lambda name: builtin_bot(game, name))
    assert again == bot


def test_a_bot_with_its_module_stays_where_it_is(game: GameSpec) -> None:
    (game.bots[0].path.parent / "saloon.py").write_text("AI = object\n")
    assert builtin_bot(game, "idle") == game.bots[0].path


def test_a_bot_that_needs_no_module_stays_where_it_is(game: GameSpec) -> None:
    assert builtin_bot(game, "plain") == game.bots[1].path


def test_a_folder_gets_the_module_as_well(game: GameSpec) -> None:
    folder = game.bots[0].path.parent
    (folder / "main.py").write_text(BOT)
    whole = replace(game, bots=(BuiltinBot("whole", folder, "A bot."),))
    found = builtin_bot(whole, "whole")
    assert found != folder
    assert (found / "saloon.py").is_file()
    assert (found / "private.py").is_file()


def test_an_unknown_bot(game: GameSpec) -> None:
    with pytest.raises(ArenaError, match=r"has no bot builtin:nobody\. It has builtin:idle, builtin:plain"):
        builtin_bot(game, "nobody")


@pytest.mark.process
def test_it_plays(game: GameSpec) -> None:
    result = play_match("saloon", [builtin_bot(game, "idle"), "builtin:rowdy"], seed=1)
    assert result.players[0].ending in ("won", "lost", "drawn"), result.players[0].stderr
