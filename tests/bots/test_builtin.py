"""Built-in bots, and the typed module that they import."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from arena.bots.bot import load_bot
from arena.bots.builtin import module_source
from arena.bots.builtin_copy import builtin_bot
from arena.errors import ArenaError, ExitCode
from arena.game import BuiltinBot, GameSpec, load
from arena.testing import play_match

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
    bot = load_bot("builtin:idle", game)
    assert bot.files == ("helper.py", "idle.py", "saloon.py")
    again = load_bot("builtin:idle", game)
    assert again == bot


def test_the_module_is_that_of_the_rules_even_if_an_old_one_lies_beside_the_bot(game: GameSpec) -> None:
    (game.bots[0].path.parent / "saloon.py").write_text("AI = object\n")
    assert builtin_bot(game, "idle").with_name("saloon.py").read_text() == module_source(game)


def test_the_copy_is_made_once_and_again_after_each_change(game: GameSpec, tmp_path: Path) -> None:
    first = builtin_bot(game, "idle")
    made = first.stat().st_ctime_ns
    assert (builtin_bot(game, "idle"), first.stat().st_ctime_ns) == (first, made)
    (game.bots[0].path.parent / "helper.py").write_text("READY = 1\n")
    second = builtin_bot(game, "idle")
    kit = tmp_path / "kit.py"
    kit.write_text("class CowboyExtras:\n    x = 1\n")
    third = builtin_bot(replace(game, kit=kit), "idle")
    fourth = builtin_bot(replace(game, version="2.0"), "idle")
    assert len({first, second, third, fourth}) == 4
    assert "    x = 1\n" in third.with_name("saloon.py").read_text()
    assert (builtin_bot(game, "idle"), first.stat().st_ctime_ns) == (second, made)


def test_the_interpreter_finds_byte_code_beside_the_copy(game: GameSpec) -> None:
    names = {path.name.partition(".")[0] for path in builtin_bot(game, "idle").parent.glob("__pycache__/*.pyc")}
    assert names == {"helper", "idle", "saloon"}


@pytest.mark.process
def test_many_processes_copy_the_same_bot_at_the_same_time(game: GameSpec, tmp_path: Path) -> None:
    code = "from arena.game import load\nfrom arena.bots.builtin_copy import builtin_bot\ninput()\n"
    code += 'print(builtin_bot(load("saloon"), "sheriff"))\n'
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path / "shared")}
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        for _ in range(6)
    ]
    for process in running:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    found = {process.communicate(timeout=60)[0].strip() for process in running}
    assert [process.returncode for process in running] == [0] * 6
    (path,) = found
    assert load_bot(path).files == ("saloon.py", "sheriff.py", "sheriff_values.py")
    assert [child.name for child in Path(path).parent.parent.iterdir()] == ["bots"], "nothing else is left over"


def test_a_cache_that_cannot_be_written(game: GameSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(
        ArenaError, match=r"A built-in bot cannot be copied to .*/builtin/.*: Not a directory\."
    ) as found:
        builtin_bot(game, "idle")
    assert found.value.hint == "Set XDG_CACHE_HOME to a folder that you can write to."
    assert found.value.exit_code == ExitCode.CANNOT_WRITE


@pytest.mark.process
def test_bots_play_from_a_cache_that_nobody_may_write(game: GameSpec, tmp_path: Path) -> None:
    builtin_bot(game, "idle")
    folders = [path for path in (tmp_path / "cache" / "arena" / "builtin").rglob("*") if path.is_dir()]
    for folder in folders:
        folder.chmod(0o555)
    try:
        result = play_match("saloon", [builtin_bot(game, "idle"), "builtin:rowdy"], seed=1)
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert result.players[0].ending in ("won", "lost", "drawn"), result.players[0].stderr


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


def test_texts_of_a_game_can_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    game = load("saloon")
    assert game.kit is not None
    assert game.rules is not None
    for path in (game.kit, game.rules):
        (tmp_path / path.name).write_text(path.read_text(), encoding="utf-8-sig")
    marked = replace(game, kit=tmp_path / game.kit.name, rules=tmp_path / game.rules.name)
    assert module_source(marked) == module_source(game)
    assert marked.rules_text() == game.rules_text()
