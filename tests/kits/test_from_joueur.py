"""Bots in the style of Joueur play, by the page *From Joueur*; what was a silent trap is loud or works."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from code_blocks import EXAMPLES
from languages import NEEDED
from shortened import shortened

from arena.cli import cli
from arena.match.result import PlayerResult
from arena.sdk import languages as kits
from arena.testing import play_match
from arena_replays import Reader

pytestmark = [pytest.mark.process, pytest.mark.slow]

ORDERS = {
    "python": """
from derelict import AI

class Bot(AI):
    def run_turn(self):
        if self.decision == "turn" and self.plays_marines:
            for marine in self.game.marines:
                turned = marine.turn_to("North")
                self.log(marine.id, turned.code or "turned")
        if self.legal_actions:
            self.act(self.random_action())
""",
    "javascript": """
import { AI, run } from "./derelict.js";

class Bot extends AI {
  run_turn() {
    if (this.decision === "turn" && this.plays_marines)
      for (const marine of this.game.marines) this.log(marine.id, marine.turn_to("North").code || "turned");
    if (this.legal_actions.length) this.act(this.random_action());
  }
}

run(Bot);
""",
    "cpp": """
#include "derelict.hpp"

struct Bot : derelict::AI {
    void run_turn() override {
        if (decision() == "turn" && plays_marines())
            for (const auto* marine : game->marines()) {
                const auto turned = marine->turn_to("North");
                log(marine->id(), turned ? "turned" : turned.code());
            }
        if (!legal_actions.empty()) act(random_action());
    }
};

int main() { return arena::run<Bot>(); }
""",
    "java": """
import arena.Derelict.*;
import arena.Kit;

class Main extends AI {
    @Override
    public void run_turn() {
        if (decision().equals("turn") && plays_marines())
            for (Unit marine : game.marines()) {
                Kit.Result<?> turned = marine.turn_to("North");
                log(marine.id(), turned.accepted() ? "turned" : turned.code());
            }
        if (!legal_actions.isEmpty()) act(random_action());
    }

    public static void main(String[] arguments) {
        Kit.run(new Main());
    }
}
""",
}
"""A bot that uses a helper which sends actions."""


def make(game: str, folder: Path, language: str, program: str) -> Path:
    """Write a bot that is built fast."""
    options = [] if language == "python" else ["--language", language]
    done = CliRunner().invoke(cli, ["new", game, str(folder), *options])
    assert done.exit_code == 0, done.output
    name = "main.py" if language == "python" else kits.LANGUAGES[language].program
    (folder / name).write_text(program, encoding="utf-8")
    manifest = folder / "bot.toml"
    manifest.write_text(manifest.read_text(encoding="utf-8").replace("-O2", "-O0"), encoding="utf-8")
    return folder


def ported(language: str) -> str:
    """Return the bot of the page in a language."""
    program = "main.py" if language == "python" else kits.LANGUAGES[language].program
    return (EXAMPLES / f"joueur_bot{Path(program).suffix}").read_text(encoding="utf-8")


def play(game: str, bot: Path, other: str, options: dict[str, Any]) -> tuple[PlayerResult, list[Any]]:
    """Play a match; return the bot's result, and everything that the players did and logged."""
    replay = bot.with_suffix(".arena")
    player = play_match(game, [bot, other], seed=5, replay=replay, options=options).players[0]
    reader = Reader(replay)
    done: list[Any] = [entry for entry in reader.truth if entry[0] in ("do", "refuse")]
    return player, done + [note.payload for note in reader.notes if note.kind == "log" and note.player == 0]


@pytest.fixture(
    params=[pytest.param(name, marks=pytest.mark.kill if name in ("cpp", "java") else ()) for name in kits.LANGUAGES]
)
def language(request: pytest.FixtureRequest, need_program: Callable[[str], str]) -> str:
    chosen: str = request.param
    for program in NEEDED[chosen]:
        need_program(program)
    return chosen


def _ported(language: str, folder: Path) -> tuple[PlayerResult, list[Any]]:
    bot = make("saloon", folder / "bot", language, ported(language))
    return play("saloon", bot, "builtin:rowdy", {"max_turns": 40})


def _ordered(language: str, folder: Path) -> tuple[PlayerResult, list[Any]]:
    bot = make("derelict", folder / "bot", language, ORDERS[language])
    return play("derelict", bot, "builtin:castaway", {"turn_limit": 1})


@pytest.fixture(scope="module")
def in_python(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Any], tuple[PlayerResult, list[Any]]]:
    return cache(lambda played: played("python", tmp_path_factory.mktemp("python")))


@pytest.mark.parametrize("played", [_ported, _ordered])
def test_the_same_bot_plays_the_same_game_in_each_language(
    played: Any, language: str, tmp_path: Path, in_python: Callable[[Any], tuple[PlayerResult, list[Any]]]
) -> None:
    expected, entries = in_python(played)
    assert expected.ending in ("won", "lost", "drawn"), expected.stderr
    assert len(entries) > 20
    player, same = played(language, tmp_path)
    assert player.ending == expected.ending, player.stderr
    assert same == entries


PYTHON_TRAPS = {
    "if self.player.young_gun.owner == self.player: pass": "A player object never equals a number such as 0",
    "return False": "run_turn returned False",
}
JAVASCRIPT_TRAPS = {
    "if (this.player.young_gun.owner === this.player) return;": "`.owner === this.player` is never equal",
    "if (this.player !== this.player.young_gun.owner) return;": "is never equal",
    "return false;": "run_turn returned false",
    "if (this.player.young_gun.canCallIn) return;": "YoungGun has no canCallIn: its name is can_call_in.",
    "this.player.young_gun.callIn('Brawler');": "YoungGun has no callIn: its name is call_in.",
    "} gameUpdated() {} async rest() {": "Nobody calls the method gameUpdated: its name is game_updated.",
}


@pytest.mark.parametrize("line", PYTHON_TRAPS)
def test_a_trap_ends_a_bot_in_python(line: str, tmp_path: Path) -> None:
    program = ported("python").replace("def run_turn(self):\n", f"def run_turn(self):\n        {line}\n")
    player, _ = play("saloon", make("saloon", tmp_path / "bot", "python", program), "builtin:rowdy", {})
    assert PYTHON_TRAPS[line] in player.stderr


@pytest.mark.parametrize("line", JAVASCRIPT_TRAPS)
def test_a_trap_ends_a_bot_in_javascript(line: str, tmp_path: Path, need_program: Callable[[str], str]) -> None:
    need_program("node")
    program = ported("javascript").replace("async run_turn() {\n", f"async run_turn() {{\n    {line}\n")
    player, _ = play("saloon", make("saloon", tmp_path / "bot", "javascript", program), "builtin:rowdy", {})
    assert JAVASCRIPT_TRAPS[line] in player.stderr


def test_in_javascript_a_number_equals_a_player_and_an_unread_refusal_is_printed_once(
    tmp_path: Path, need_program: Callable[[str], str]
) -> None:
    need_program("node")
    lines = """
    this.log(this.player.young_gun.owner == this.player, this.player.young_gun.owner == this.opponent);
    if (this.player.young_gun.call_in("Cook")) this.log("always");
    this.player.young_gun.call_in("Baker");
    if (!this.player.young_gun.call_in("Butler").accepted) this.log("read");
    return;
"""
    program = ported("javascript").replace("async run_turn() {\n", f"async run_turn() {{\n{lines}")
    bot = make("saloon", tmp_path / "bot", "javascript", program)
    player, entries = play("saloon", bot, "builtin:rowdy", {"max_turns": 4})
    assert all(word in str(entries) for word in ("true false", "always", "read"))
    assert player.stderr.count("call_in was refused (bad_argument)") == 1, player.stderr
    assert "Test its `accepted`." in player.stderr


COMPILED_TRAPS = {
    "cpp": (
        ["g++", "-std=c++20", "-fsyntax-only", "main.cpp"],
        "if (player->young_gun->owner == player) return; if (player == player->young_gun->owner) return;",
        ["comparison between pointer and integer", "conflicting return type"],
    ),
    "java": (
        ["javac", "-d", "build", "Main.java", "arena/Kit.java", "arena/Saloon.java"],
        'if (player.young_gun().owner() == player) return; if (player.young_gun().call_in("Brawler")) return;',
        [
            "bad operand types for binary operator '=='",
            "cannot be converted to boolean",
            "return type boolean is not compatible",
        ],
    ),
}
"""How to compile a bot, statements that are traps elsewhere, and what the compiler says of them."""


@pytest.mark.kill  # compilations only
@pytest.mark.parametrize("language", shortened(sorted(COMPILED_TRAPS, reverse=True)), indirect=True)
def test_compilers_refuse_the_traps(language: str, tmp_path: Path) -> None:
    command, statements, messages = COMPILED_TRAPS[language]
    begin = "void run_turn() override {\n" if language == "cpp" else "public void run_turn() {\n"
    boolean = begin.replace("void", "bool" if language == "cpp" else "boolean", 1)
    for program, expected in (
        (ported(language).replace(begin, begin + statements), messages[:-1]),
        (ported(language).replace(begin, boolean), messages[-1:]),
    ):
        bot = make("saloon", tmp_path / "bot", language, program)
        done = subprocess.run(command, cwd=bot, capture_output=True, text=True, check=False)
        assert done.returncode != 0
        for message in expected:
            assert message in done.stderr
        shutil.rmtree(bot)
