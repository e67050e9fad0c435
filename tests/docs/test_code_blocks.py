"""Every block of code in README and documents is run or read by a test, and the bots among them know the rules."""

from __future__ import annotations

import json
import re
import shlex
import textwrap
import tomllib
from pathlib import Path

import click
import pytest
from code_blocks import blocks
from shortened import shortened

from arena.bots.bot import load_bot
from arena.bots.builtin import module_source
from arena.cli import cli
from arena.game import load
from arena.play.memory import play_in_memory

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FRAGMENTS = {
    "docs/game-reference.md": "two lines for inside of a class",
    "docs/learning.md": "the tests of arena-learn call the same functions",
    "docs/tuning.md": "a method that reads a parameter",
    "docs/rerunning-a-match.md": "three lines that a written test is changed into",
}
"""Documents whose Python only has to compile, and why."""
CHECKED = {
    "sh": "test_commands_are_understood",
    "toml": "test_tables_can_be_read",
    "json": "test_documents_can_be_read",
    "python": "test_python_is_run_by_a_test",
    "cpp": "tests/kits/test_new_bots.py",
    "java": "tests/kits/test_new_bots.py",
    "js": "tests/kits/test_new_bots.py",  # and tests/browser/test_renderers.py
    "ts": "tests/kits/test_new_bots.py",
    "awk": "tests/docs/test_documents.py",
    "sql": "tests/contests/test_data.py",
}
"""What checks the blocks of a language. Other fences are not code: output, Markdown, and commands for Windows."""
NO_CODE = {"", "text", "markdown", "powershell", "bash"}


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("document", DOCUMENTS, ids=shown)
def test_each_block_has_a_language_with_a_check(document: Path) -> None:
    fences = re.findall(r"^ *```(\w*)\n(?:.*?)^ *```$", document.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert set(fences) <= CHECKED.keys() | NO_CODE
    for place in CHECKED.values():
        assert f"def {place}(" in Path(__file__).read_text(encoding="utf-8") or (ROOT / place).is_file()


@pytest.mark.parametrize("document", DOCUMENTS, ids=shown)
def test_no_command_is_where_no_check_finds_it(document: Path) -> None:
    """Code stands between fences, not behind four spaces, and a command of Arena is not shown as mere text."""
    text = document.read_text(encoding="utf-8")
    text = re.sub(r"^( *)```(sh|bash)\n.*?^\1```$", "", text, flags=re.DOTALL | re.MULTILINE)
    assert re.findall(r"^arena [a-z].*", text, re.MULTILINE) == []
    text = re.sub(r"^( *)```.*?^\1```$", "", text, flags=re.DOTALL | re.MULTILINE)
    assert re.findall(r"\n\n(    .*)", text) == []


@pytest.mark.parametrize("document", [one for one in DOCUMENTS if blocks(one, "python")], ids=shown)
def test_python_is_run_by_a_test(document: Path) -> None:
    if shown(document) not in FRAGMENTS:
        tests = [*(ROOT / "tests").rglob("test_*.py"), *(ROOT / "extras").glob("*/tests/test_*.py")]
        assert any(document.name in test.read_text(encoding="utf-8") for test in tests)
    for block in blocks(document, "python") if shown(document) in FRAGMENTS else []:
        compile(textwrap.dedent(re.sub(r"\.\.\.\),", "),", block)), shown(document), "exec", dont_inherit=True)


@pytest.mark.parametrize("document", [one for one in DOCUMENTS if blocks(one, "sh")], ids=shown)
def test_commands_are_understood(document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each command exists and has the options that the document gives it."""
    monkeypatch.chdir(tmp_path)
    for line in "\n".join(blocks(document, "sh")).splitlines():
        words = shlex.split(line.partition(" > ")[0], comments=True)
        if words[:1] == ["arena"]:
            parse(words[1:])


def parse(words: list[str]) -> None:
    command: click.Command = cli
    context = click.Context(cli, info_name="arena")
    while isinstance(command, click.Group) and words:
        name, *words = words
        found = command.get_command(context, name)
        assert found is not None, name
        command = found
    if not isinstance(command, click.Group):
        try:
            command.make_context(command.name, words, parent=context)
        except click.BadParameter as error:
            if "does not exist" not in error.message:  # files of the reader are not here
                raise


@pytest.mark.process
@pytest.mark.parametrize("document", [one for one in DOCUMENTS if blocks(one, "toml")], ids=shown)
def test_tables_can_be_read(document: Path, tmp_path: Path) -> None:
    for block in blocks(document, "toml"):
        table = tomllib.loads(block)
        if "command" in table and "name" in table:
            (tmp_path / "bot.toml").write_text(block)
            (tmp_path / "bot").write_text("")
            (tmp_path / "bot").chmod(0o755)
            assert load_bot(tmp_path).name == table["name"]


@pytest.mark.parametrize("document", DOCUMENTS, ids=shown)
def test_documents_can_be_read(document: Path) -> None:
    for block in re.findall(r"```json\n(.*?)```", document.read_text(encoding="utf-8"), re.DOTALL):
        json.loads(block)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "words", "rival", "options", "seeds", "least"),
    shortened(
        [
            ("saloon", "class Foreman", "pianist", {}, range(3), 5),
            ("snakes", "class Landlord", "forager", {"players": 2}, range(5), 7),
            ("laser_flag", "class Marksman", "sergeant", {}, range(6), 8),
            ("derelict", "class Warden", "veteran", {}, range(100, 104), 6),
        ],
        2,
    ),
)
def test_the_bots_against_the_middle_bots(
    tmp_path: Path, game: str, words: str, rival: str, options: dict[str, int], seeds: range, least: int
) -> None:
    """They win most matches, with each seat in turn, and none of their actions is refused."""
    (source,) = [block for block in blocks(ROOT / "docs" / "middle-bots.md", "python") if words in block]
    (tmp_path / "main.py").write_text(source)
    (tmp_path / f"{game}.py").write_text(module_source(load(game)))
    bot, wins = str(tmp_path / "main.py"), 0
    for seed in seeds:
        for seat in range(2):
            bots = [bot, f"builtin:{rival}"][:: 1 - 2 * seat]
            result = play_in_memory(game, bots, seed=seed, options=options, raises=True)
            wins += result.outcome.winner == seat
            assert result.players[seat].refusals == {}
    assert wins >= least
