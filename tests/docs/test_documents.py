"""What the documents promise: their examples run, and their links lead somewhere."""

from __future__ import annotations

import dataclasses
import json
import re
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mkdocs_tables
import pytest
from click.testing import CliRunner
from code_blocks import blocks

from arena.bots.builtin import module_source
from arena.bots.folders import files
from arena.cli import cli
from arena.contests.ratings.sequential import Sprt
from arena.contests.strength.climb import RungResult
from arena.contests.strength.climb_report import RungReport
from arena.contests.strength.compare import Comparison
from arena.contests.strength.comparison_report import ComparisonReport
from arena.contests.strength.verdict import Verdict
from arena.errors import ExitCode
from arena.game import GameSpec, Option, Outcome, State, arrays, load
from arena.match.result import MatchResult, PlayerResult
from arena.testing import play_match
from arena_player.wire.zmtp import HELLO

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
BUILT = {"viewer.html", "games/saloon.md"}
"""Pages that hooks of MkDocs add to the site. MkDocs itself checks the links to them."""


@pytest.mark.process
def test_the_bot_in_the_readme_plays(tmp_path: Path) -> None:
    (source,) = [block for block in blocks(ROOT / "README.md", "python") if "run_turn" in block]
    assert len(source.strip().splitlines()) <= 13
    folder = tmp_path / "my_bot"
    assert CliRunner().invoke(cli, ["new", "saloon", str(folder)]).exit_code == 0
    (folder / "main.py").write_text(source)
    for seed in range(3):
        mine, other = play_match("saloon", [folder, "builtin:rowdy"], seed=seed).players
        assert mine.ending == "won", mine.stderr
        assert mine.score > other.score
        assert mine.refusals == {}


@pytest.mark.process
def test_the_bot_for_many_units_plays(tmp_path: Path) -> None:
    (source,) = blocks(ROOT / "docs" / "many-units.md", "python")
    (tmp_path / "main.py").write_text(source)
    (tmp_path / "saloon.py").write_text(module_source(load("saloon")))
    result = play_match("saloon", [tmp_path, "builtin:pianist"], seed=3, options={"max_turns": 60})
    mine = result.players[0]
    assert mine.ending in ("won", "lost"), mine.stderr
    assert mine.score > 0
    assert mine.refusals == {}


@pytest.mark.process
def test_every_piece_of_code_in_the_tutorial_runs(tmp_path: Path) -> None:
    """Blocks, and spans such as `self.log("...")`, each in the turn of a bot."""
    page = ROOT / "docs" / "tutorial.md"
    spans = re.findall(r"`((?:\w+ = )?self\.[^`\n]*)`", page.read_text(encoding="utf-8"))
    pieces = [*blocks(page, "python"), *spans]
    assert len(pieces) > 10
    body = "\n".join(f"print({piece!r})\n{piece}" for piece in pieces)
    (tmp_path / "saloon.py").write_text(module_source(load("saloon")))
    (tmp_path / "bot.py").write_text(
        "from saloon import AI\n\nclass Bot(AI):\n"
        "    def evaluate(self, state): return 0\n\n"
        "    def run_turn(self):\n"
        "        cowboy = next((one for one in self.game.cowboys if one.owner == self.index and one.tile), None)\n"
        "        if cowboy is None: self.player.young_gun.call_in('Brawler')\n"
        "        if cowboy is None or self.turn > 20: return\n"
        "        x, y, x2, y2 = 1, 2, 3.5, 4\n"
        "        tile, piano = cowboy.tile.neighbors[0], next(iter(self.game.pianos))\n"
        + textwrap.indent(body + "\nprint('reached the end')", "        ")
    )
    result = play_match("saloon", [tmp_path / "bot.py", "builtin:rowdy"], seed=3)
    mine = result.players[0]
    assert mine.ending in ("won", "lost"), mine.stdout + mine.stderr
    assert "reached the end" in mine.stdout


@pytest.mark.process
def test_the_bot_on_the_page_about_searching_plays(tmp_path: Path) -> None:
    source, in_memory = blocks(ROOT / "docs" / "searching.md", "python")
    (tmp_path / "bot.py").write_text(source)
    (tmp_path / "saloon.py").write_text(module_source(load("saloon")))
    result = play_match("saloon", [tmp_path / "bot.py", "builtin:rowdy"], seed=3, options={"max_turns": 30})
    mine = result.players[0]
    assert mine.ending in ("won", "drawn", "lost"), mine.stderr
    assert mine.refusals == {}
    found: dict[str, object] = {}
    exec(in_memory.replace('"playouts": 50', '"playouts": 1'), found)
    assert found["result"].outcome  # type: ignore[attr-defined]


def test_every_piece_of_code_about_matches_in_memory_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = ROOT / "docs" / "matches-in-memory.md"
    names: dict[str, object] = {}
    exec("\n".join(blocks(page, "python")), names)
    assert names["match"].over  # type: ignore[attr-defined]
    assert (tmp_path / "match.arena").is_file()


@pytest.mark.process  # matplotlib asks the system for its fonts
def test_the_notebook_with_a_match_draws_and_shows_the_viewer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot

    monkeypatch.chdir(tmp_path)
    notebook = json.loads((ROOT / "docs" / "examples" / "match.ipynb").read_text(encoding="utf-8"))
    *cells, last = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    names: dict[str, Any] = {}
    for cell in cells:
        exec(cell, names)
    assert [list(line.get_ydata()) for line in pyplot.gca().get_lines()] == names["points"]
    assert [points[-1] for points in names["points"]] == [player.score for player in names["result"].players]
    pyplot.close("all")
    shown = eval(last, names)._repr_html_()
    assert shown.startswith("<iframe srcdoc=")
    assert "Saloon: sheriff" in shown
    assert "bottles" in shown, "it has the renderer of the game, not the default one"


@pytest.mark.kill  # whole matches in awk
@pytest.mark.process
def test_the_bot_in_awk_plays(tmp_path: Path, need_program: Callable[[str], str]) -> None:
    need_program("awk")
    page = ROOT / "docs" / "bot-toml.md"
    manifest = next(block for block in blocks(page, "toml") if "awk" in block)
    (tmp_path / "bot.toml").write_text(manifest)
    (tmp_path / "bot.awk").write_text(blocks(page, "awk")[0])
    results = [play_match("saloon", [tmp_path, "builtin:rowdy"], seed=3, options={"max_turns": 40}) for _ in range(2)]
    assert [player.ending for player in results[0].players] in (["won", "lost"], ["lost", "won"]), results[0].players
    assert results[0].digest == results[1].digest
    checked = CliRunner().invoke(cli, ["bot", "check", str(tmp_path), "--game", "saloon"])
    assert checked.exit_code == 0, checked.output


def test_the_first_bytes_of_the_transport_are_those_that_are_sent() -> None:
    page = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    hexadecimal = re.search(r"```\n(ff 00[0-9a-f \n]+)```", page)
    assert hexadecimal is not None
    assert bytes.fromhex(hexadecimal[1]) == HELLO
    assert len(HELLO) == 105


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    text = re.sub(r"```.*?```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        if "://" not in target and target not in BUILT:
            assert (document.parent / target).exists(), target


def test_every_exit_code_is_documented() -> None:
    text = (ROOT / "docs" / "exit-codes.md").read_text(encoding="utf-8")
    documented = {int(code) for code in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)}
    assert documented == {code.value for code in ExitCode}


@pytest.mark.slow
def test_the_game_in_the_document_keeps_the_contract() -> None:
    _, usage = blocks(ROOT / "docs" / "writing-a-game.md", "python")
    import race_game

    scope = {"GAME": race_game.GAME}
    exec(usage, scope)
    scope["test_contract"]()
    assert race_game.GAME.schema()["classes"]["Runner"]["actions"]["step"]["parameters"][0]["type"] == "tile"


def test_the_lesson_of_the_game_in_the_document_has_a_legal_line() -> None:
    from race_game import GAME, rested_with_energy

    from arena.game import PlayerTurn, Seeded

    before = GAME.start({}, Seeded("race"))
    after, (step, rest) = before.clone(), before.legal_actions()
    after.push(0, rest, Seeded("rest"))
    [mistake] = rested_with_energy([PlayerTurn(1, 0, [rest], before, after, after)])
    assert (mistake.turns, mistake.better, mistake.units) == ([1], [step], ["r0"])
    before.clone().push(0, mistake.better[0])
    assert list(rested_with_energy([PlayerTurn(1, 0, [step], before, after, after)])) == []


def test_the_page_of_worked_games_names_what_is_in_the_files() -> None:
    """The tests in tests/game/test_leaks.py run the contract's check on these files."""
    page = ROOT / "docs" / "worked-games.md"
    for section in page.read_text(encoding="utf-8").split("\n## ")[1:]:
        name = section.splitlines()[0].split(":")[0].lower().replace(" ", "_").replace("'", "")
        source = (ROOT / "docs" / "examples" / f"{name}_game.py").read_text(encoding="utf-8")
        cells = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
        assert len(cells) >= 4
        for part in re.findall(r"`([^`]+)`", " ".join(cells)):
            assert part in source, (name, part)


def test_the_reference_names_every_keyword_method_and_type() -> None:
    text = re.sub(r"```.*?```", "", (ROOT / "docs" / "game-reference.md").read_text(encoding="utf-8"), flags=re.DOTALL)
    named = set(re.findall(r"\b\w+\b", " ".join(re.findall(r"`([^`]+)`", text))))
    keywords = {one.name for one in dataclasses.fields(GameSpec)} | {one.name for one in dataclasses.fields(Option)}
    methods = {name for name in vars(State) if not name.startswith("_") and name[-1] != "_"}
    internal = {"new", "admit", "decode", "plan", "mark", "value", "view", "from_document", "ignore_case", "entities"}
    assert keywords - named == set()
    assert methods - named - internal - {"allow_extra_keys"} == set()
    assert set(arrays.DTYPES) - named <= {"int16", "int32", "uint16", "uint32"}, "they are in the middle of a range"


def test_every_promise_about_security_has_tests_and_every_mark_a_promise() -> None:
    page = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    promised = mkdocs_tables.promised(page)
    assert len(promised) > 80
    assert len(promised) == len(set(promised))
    assert set(promised) == mkdocs_tables.kept().keys()
    shown = mkdocs_tables.on_page_markdown(page)
    assert "| `network` | `tests/bots/test_walls.py::test_there_is_no_network` |" in shown


def test_the_limits_of_archives_in_the_documents_are_those_of_the_code() -> None:
    text = (ROOT / "docs" / "bot-toml.md").read_text(encoding="utf-8")
    limits = f"It is at most {files.LARGEST_ARCHIVE >> 20} MiB large, and has at most {files.MOST_FILES:,} files and"
    assert f"{limits} {files.MOST_BYTES >> 20} MiB when unpacked." in " ".join(text.split())
    packages = (ROOT / "docs" / "packages.md").read_text(encoding="utf-8")
    assert f"at most {files.LARGEST_ARCHIVE >> 20} MiB" in packages


@pytest.mark.process
def test_a_bot_has_numpy_with_one_thread(tmp_path: Path) -> None:
    (tmp_path / "saloon.py").write_text(module_source(load("saloon")))
    (tmp_path / "bot.py").write_text(
        "import os, numpy\nfrom saloon import AI\n\nclass Bot(AI):\n    def start(self):\n"
        "        print(numpy.ones(3).sum(), os.environ['OMP_NUM_THREADS'], os.environ['OPENBLAS_NUM_THREADS'])\n"
    )
    result = play_match("saloon", [tmp_path / "bot.py", "builtin:rowdy"], seed=1)
    assert result.players[0].stdout.startswith("3.0 1 1\n"), result.players[0]


def test_the_keys_of_json_documents_are_those_of_the_page() -> None:
    """Of `arena play`, `arena compare` and `arena verdict`, with nobody's games."""
    parts = (ROOT / "docs" / "json.md").read_text(encoding="utf-8").split("\n## ")
    listed = {part.split("\n")[0]: set(re.findall(r"`(\w+)`", part)) for part in parts}
    match = MatchResult((PlayerResult("won"), PlayerResult("lost")), Outcome(0, "x")).to_document()
    player = match["players"][0]
    reports = [ComparisonReport.of(Comparison(), names, Sprt(), 1).to_document() for names in (["a", "b"], [*"abc"])]
    reports.append(reports[0]["sprt"])
    boss = RungReport.of(RungResult("b", Comparison()), None)
    verdict = Verdict("g", "G", "1", "a", "0", "b", 2, "s", None, boss).to_document()
    assert [
        key for key in (*player, *match, *match["seconds"], *player["clock"]) if key not in listed["arena play"]
    ] == []
    assert [key for report in reports for key in report if key not in listed["arena compare"]] == []
    assert [key for key in verdict if key not in listed["arena verdict"]] == []
