"""The bots that `arena new --language` writes build, play, and play the same game in every language."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from code_blocks import EXAMPLES, blocks
from languages import NEEDED
from shortened import shortened

from arena.cli import cli
from arena.errors import ExitCode
from arena.match.lookup import find_game
from arena.sdk import languages as kits
from arena.testing import play_match
from arena_replays import Reader

pytestmark = [pytest.mark.process, pytest.mark.slow]

SHORT: dict[str, dict[str, Any]] = {"derelict": {"turn_limit": 3}, "laser_flag": {}, "snakes": {}}
"""The options of a short match of each other game."""
PRINTS = {
    "cpp": 'std::cout << "turn " << game->current_turn << "\\\\n";',
    "java": 'System.out.println("turn " + game.current_turn());',
    "javascript": 'console.log("turn", this.game.current_turn);',
}
"""A statement for each language that prints the turn."""
COUNTS = {
    "cpp": """
    { auto unused = game->fork(1); }
    auto state = game->fork(2);
    { auto copy = state.clone(); }
    log(state.batch({{"scores"}, {"to_move"}}).size(), state.batch({}).size());
    const auto before = state.game();
    state.push(index, arena::Value::Map{{"type", "end_turn"}});
    const std::string still = before->cowboys.size() == game->cowboys.size() ? "all" : "not all";
    log(before->current_turn, state.game()->current_turn, still, state.clone().game()->players.at(0)->young_gun->id());
""",
    "java": """
    game.fork(1).free();
    var state = game.fork(2);
    state.clone(0).free();
    log(state.batch(List.of(List.of("scores"), List.of("to_move"))).size() + " " + state.batch(List.of()).size());
    var before = state.game();
    state.push(index, java.util.Map.of("type", "end_turn"));
    String still = before.cowboys().size() == game.cowboys().size() ? "all" : "not all";
    String guns = state.clone(0).game().players().get(0).young_gun().id();
    log(before.current_turn() + " " + state.game().current_turn() + " " + still + " " + guns);
""",
    "javascript": """
    this.game.fork(1).free();
    const state = this.game.fork(2);
    state.clone().free();
    this.log(state.batch([["scores"], ["to_move"]]).length, state.batch([]).length);
    const before = state.game();
    state.push(this.index, { type: "end_turn" });
    const still = before.cowboys.length === this.game.cowboys.length ? "all" : "not all";
    this.log(before.current_turn, state.game().current_turn, still, state.clone().game().players[0].young_gun.id);
""",
}
"""Statements for each language that free states, and log the results of two batches and the games of three states."""
TURNS = range(0, 12, 2)
DOCUMENT = Path(__file__).parents[2] / "docs" / "other-languages.md"


@pytest.fixture(scope="module", params=shortened(sorted(kits.LANGUAGES, key=lambda name: name == "cpp"), 2))
def language(request: pytest.FixtureRequest, need_program: Callable[[str], str]) -> str:
    chosen: str = request.param
    for program in NEEDED[chosen]:
        need_program(program)
    return chosen


def make(game: str, folder: Path, language: str) -> Path:
    """Write a new bot; the match builds it, or takes what another test with the same sources has built."""
    done = CliRunner().invoke(cli, ["new", game, str(folder), "--language", language])
    assert done.exit_code == 0, done.output
    return folder


def played(bot: Path, replay: Path) -> list[Any]:
    """Play a match; return everything that the players did."""
    result = play_match("saloon", [bot, "builtin:rowdy"], seed=7, replay=replay)
    assert result.players[0].ending == "won", result.players[0].stderr
    assert result.players[0].refusals == {}
    return [entry for entry in Reader(replay).truth if entry[0] in ("do", "refuse")]


@pytest.fixture(scope="module")
def from_python(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    folder = tmp_path_factory.mktemp("python")
    return played(make("saloon", folder / "bot", "python"), folder / "game.arena")


def test_the_same_bot_plays_the_same_game(language: str, tmp_path: Path, from_python: list[Any]) -> None:
    assert len(from_python) > 50
    assert played(make("saloon", tmp_path / "rider", language), tmp_path / "game.arena") == from_python


@pytest.fixture(scope="module")
def talkative(language: str, tmp_path_factory: pytest.TempPathFactory) -> Reader:
    """Return the replay of a match in which a bot prints, logs and searches in each turn."""
    folder = tmp_path_factory.mktemp("talkative")
    bot = make("saloon", folder / "rider", language)
    program = bot / kits.LANGUAGES[language].program
    said = f"{COUNTS[language]}\n{PRINTS[language]}\n"
    source, count = re.subn(r"(\brun_turn\(\).*\{\n)", rf"\1{said}", program.read_text(), count=1)
    assert count == 1
    program.write_text(f"import java.util.List;\n{source}" if language == "java" else source)
    manifest = bot / "bot.toml"
    manifest.write_text(manifest.read_text().replace("-O2", "-O0"))
    replay = folder / "game.arena"
    result = play_match("saloon", [bot, "builtin:rowdy"], seed=7, replay=replay, options={"max_turns": TURNS.stop})
    assert result.players[0].ending in ("won", "lost", "drawn"), result.players[0]
    return Reader(replay)


def test_printed_lines_are_recorded_in_their_turn(talkative: Reader) -> None:
    lines = [
        (line, talkative.turns[note.turn].number)
        for note in talkative.notes
        if note.kind == "stdout"
        for line in note.payload.splitlines()
        if line.startswith("turn ")
    ]
    assert lines == [(f"turn {turn}", turn) for turn in TURNS]


def test_a_batch_has_a_result_for_each_request_and_a_state_has_typed_objects(talkative: Reader) -> None:
    logs = [note.payload for note in talkative.notes if note.kind == "log"]
    assert logs == [f"2 0\n{turn} {turn + 1} all g0" for turn in TURNS]


def test_the_bots_are_correct_clients(language: str, tmp_path: Path) -> None:
    checked = CliRunner().invoke(cli, ["bot", "check", str(make("saloon", tmp_path / "rider", language))])
    assert checked.exit_code == 0, checked.output
    assert checked.output.count("\nok ") + checked.output.startswith("ok ") >= 12


def searched(folder: Path, language: str) -> list[Any]:
    """Play a match of Derelict with the search bot of the documentation; return what it did."""
    bot = make("derelict", folder / "bot", language)
    program = "main.py" if language == "python" else kits.LANGUAGES[language].program
    suffix = Path(program).suffix
    snippet = (EXAMPLES / f"best_action{suffix}").read_text(encoding="utf-8")
    (bot / program).write_text(snippet.replace("saloon", "derelict").replace("Saloon", "Derelict"), encoding="utf-8")
    manifest = (bot / "bot.toml").read_text(encoding="utf-8")
    if language != "python":
        (bot / "bot.toml").write_text(manifest.replace("-O2", "-O0"), encoding="utf-8")
    replay = folder / "game.arena"
    result = play_match("derelict", [bot, "builtin:castaway"], seed=3, replay=replay, options={"turn_limit": 2})
    assert result.players[0].ending in ("won", "lost", "drawn"), result.players[0]
    return [entry for entry in Reader(replay).truth if entry[0] in ("do", "refuse")]


@pytest.fixture(scope="module")
def searched_in_python(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    return searched(tmp_path_factory.mktemp("search"), "python")


def test_the_same_search_makes_the_same_choices(language: str, tmp_path: Path, searched_in_python: list[Any]) -> None:
    assert len(searched_in_python) > 20
    assert searched(tmp_path, language) == searched_in_python


def rehearsed(game: str, folder: Path, language: str) -> list[Any]:
    """Play a short match with the new bot, built with all warnings; return everything that the players did."""
    bot = make(game, folder / "bot", language)
    manifest = bot / "bot.toml"
    strict = {
        "-O2": "-O0",
        '"-Wextra"': '"-Wextra", "-Wconversion", "-Werror"',
        '"-d"': '"-Xlint:all", "-Werror", "-d"',
    }
    text = manifest.read_text(encoding="utf-8")
    for old, new in strict.items():
        text = text.replace(old, new)
    manifest.write_text(text, encoding="utf-8")
    opponent = f"builtin:{find_game(game).bots[0].name}"
    replay = folder / "game.arena"
    result = play_match(game, [bot, opponent], seed=5, replay=replay, options=SHORT[game])
    assert result.players[0].ending in ("won", "lost", "drawn"), result.players[0]
    entries = [entry for entry in Reader(replay).truth if entry[0] in ("do", "refuse")]
    if game == "derelict":  # an action may have all keys of the list of legal actions; those that do nothing may differ
        for entry in entries:
            entry[2] = {key: value for key, value in entry[2].items() if key in ("type", "x", "y")}
    return entries


@pytest.fixture(scope="module")
def rehearsals_in_python(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[Any]]:
    return cache(lambda game: rehearsed(game, tmp_path_factory.mktemp(game), "python"))


@pytest.mark.parametrize("game", SHORT)
def test_the_bots_of_other_games_play_the_same_game(
    language: str, game: str, tmp_path: Path, rehearsals_in_python: Callable[[str], list[Any]]
) -> None:
    wanted = rehearsals_in_python(game)
    assert len(wanted) > 50
    assert rehearsed(game, tmp_path, language) == wanted


def test_a_kit_that_is_outdated_is_noticed_and_renewed(language: str, tmp_path: Path) -> None:
    def sdk(*arguments: str) -> tuple[int, str]:
        done = CliRunner().invoke(cli, ["sdk", "snakes", "--language", language, "--out", str(tmp_path), *arguments])
        return done.exit_code, str(done.exception or done.output)

    assert sdk("--check")[0] == 1
    assert sdk()[0] == 0
    assert sdk("--check")[0] == 0
    for name in kits.LANGUAGES[language].kit:
        (tmp_path / name).write_text("old", encoding="utf-8")
    assert sdk("--check")[0] == 1


def test_a_bot_with_outdated_classes_is_refused(tmp_path: Path, need_program: Callable[[str], str]) -> None:
    need_program("node")
    bot = make("saloon", tmp_path / "rider", "javascript")
    outdated = (bot / "saloon.js").read_text(encoding="utf-8").replace(find_game("saloon").schema()["hash"], "0" * 16)
    (bot / "saloon.js").write_text(outdated, encoding="utf-8")
    player = play_match("saloon", [bot, "builtin:rowdy"], seed=1).players[0]
    assert player.ending == "no_start"
    assert "`arena sdk saloon` writes them anew (with `--language`" in player.detail


def test_a_bot_whose_turn_awaits_a_timer_after_its_action_loses_no_message(
    tmp_path: Path, need_program: Callable[[str], str]
) -> None:
    need_program("node")
    bot = make("snakes", tmp_path / "bot", "javascript")
    source = (bot / "main.js").read_text(encoding="utf-8")
    source = source.replace("  run_turn() {", "  async run_turn() {")
    waits = "me.move(best);\n    await new Promise((done) => setTimeout(done, 20));"
    assert waits.splitlines()[0] in source
    (bot / "main.js").write_text(source.replace("me.move(best);", waits), encoding="utf-8")
    result = play_match("snakes", [bot, "builtin:hatchling"], seed=3, options={"players": 2})
    assert result.players[0].ending in ("won", "lost", "drawn"), result.players[0]


def test_types_for_typescript(tmp_path: Path) -> None:
    command = ["sdk", "saloon", "--language", "typescript", "--out", str(tmp_path)]
    assert CliRunner().invoke(cli, command).exit_code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["arena.d.ts", "arena.js", "saloon.d.ts", "saloon.js"]
    assert "call_in(job: (" in (tmp_path / "saloon.d.ts").read_text(encoding="utf-8")
    assert CliRunner().invoke(cli, [*command, "--check"]).exit_code == 0


def test_a_new_bot_in_typescript_is_refused_with_the_way_to_one(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["new", "saloon", str(tmp_path / "rider"), "--language", "typescript"])
    assert done.exit_code == ExitCode.USAGE
    assert f"`arena new saloon {tmp_path / 'rider'} --language javascript`" in done.output
    assert not (tmp_path / "rider").exists()


@pytest.mark.kill  # a compilation
def test_the_bot_in_typescript(tmp_path: Path, need_program: Callable[[str], str]) -> None:
    need_program("node")
    modules = DOCUMENT.parents[1] / "tools" / "javascript" / "node_modules"
    if not modules.is_dir():
        pytest.skip("`sh tools/check-javascript.sh` installs the compiler")
    bot = make("saloon", tmp_path / "rider", "javascript")
    assert CliRunner().invoke(cli, ["sdk", "saloon", "--language", "typescript", "--out", str(bot)]).exit_code == 0
    (snippet,) = blocks(DOCUMENT, "ts")
    (bot / "main.ts").write_text(snippet, encoding="utf-8")
    (bot / "main.js").unlink()
    (bot / "node_modules").symlink_to(modules)
    command = [modules / ".bin" / "tsc", "--target", "es2022", "--module", "nodenext", "--strict", "main.ts"]
    compiled = subprocess.run(command, cwd=bot, capture_output=True, text=True, check=False)
    assert compiled.returncode == 0, compiled.stdout
    (bot / "node_modules").unlink()
    result = play_match("saloon", [bot, "builtin:rowdy"], seed=1, options={"max_turns": 4})
    assert result.players[0].ending in ("won", "lost", "drawn"), result.players[0]


def test_the_first_bot_of_the_documentation_has_no_refused_action(language: str, tmp_path: Path) -> None:
    bot = make("saloon", tmp_path / "rider", language)
    fence = {"javascript": "js"}.get(language, language)
    (snippet,) = [block for block in blocks(DOCUMENT, fence) if "call_in" in block]
    (bot / kits.LANGUAGES[language].program).write_text(snippet, encoding="utf-8")
    player = play_match("saloon", [bot, "builtin:rowdy"], seed=1, options={"max_turns": 60}).players[0]
    assert player.ending in ("won", "lost", "drawn"), player
    assert player.refusals == {}


def test_the_commands_in_the_documentation(language: str, tmp_path: Path) -> None:
    (commands,) = [block for block in blocks(DOCUMENT, "sh") if f"--language {language}\n" in block]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
    done = subprocess.run(
        ["sh", "-e", "-c", commands], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "rider wins" in done.stdout
