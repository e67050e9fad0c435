"""A cooperative game from the command line: matches, contests and comparisons know the common score."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
STAGE = """
[[stages]]
name = "league"
format = "round_robin"
games = 8
"""
BLIND = """
from arena_player import AI

class Blind(AI):
    def run_turn(self):
        self.act({"type": "play", "card": next(card.id for card in self.game.cards if card.owner == self.index)})
"""


@pytest.fixture
def lanterns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    info = tmp_path / "site" / "lanterns-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: lanterns\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[arena.games]\nlanterns = installed_lanterns:GAME\n")
    (info.parent / "installed_lanterns.py").write_text("from lanterns_game import spec\nGAME = spec()\n")
    shutil.copy(EXAMPLES / "lanterns_game.py", info.parent)
    monkeypatch.setenv("PYTHONPATH", str(info.parent))
    monkeypatch.syspath_prepend(info.parent)
    monkeypatch.chdir(tmp_path)
    for name in ("careful", "thorough"):
        shutil.copy(EXAMPLES / "lanterns_bot.py", tmp_path / f"{name}.py")
    for name in ("blind", "hasty"):
        (tmp_path / f"{name}.py").write_text(BLIND)
    return tmp_path


@pytest.mark.kill  # one more contest of programs
@pytest.mark.process
def test_a_contest_ranks_bots_by_what_they_reach(lanterns: Path, arena: Callable[..., Any]) -> None:
    bots = ["blind.py", "careful.py", "hasty.py", "thorough.py"]
    assert arena("contest", "init", "lanterns", *bots).code == 0
    text = (lanterns / "contest.toml").read_text()
    ladder = text[: text.index("[[stages]]")] + STAGE.replace("round_robin", "single_elimination").replace(
        "games", "best_of"
    )
    (lanterns / "ladder.toml").write_text(ladder)
    ran = arena("contest", "run", "ladder.toml")
    assert ran.code == 14
    assert "single_elimination needs winners, and in lanterns all play together" in ran.stderr
    text = text.replace("games = 10", "games = 4").replace('# seed = "..."', 'seed = "7"')
    (lanterns / "contest.toml").write_text(text)
    ran = arena("contest", "run", "contest.toml", "--json")
    assert ran.code == 0, ran.stderr
    tables = json.loads(ran.stdout)["standings"]
    rows = {row["name"]: row for row in tables["standings"]}
    assert {row["name"] for row in tables["standings"][:2]} == {"careful", "thorough"}
    assert rows["careful"]["points"] > 1.5 * rows["blind"]["points"] > 0
    assert {row["losses"] for row in rows.values()} == {0}
    spreads = [row["value"] for row in tables["tiebreaks"] if row["tiebreak"] == "plus_minus"]
    assert len(spreads) == 4
    assert min(spreads) > 0


@pytest.mark.process
def test_a_comparison_is_by_score_with_the_same_partners(lanterns: Path, arena: Callable[..., Any]) -> None:
    ran = arena("compare", "lanterns", "careful.py", "blind.py")
    assert ran.code != 0
    assert "Name other bots after A and B" in ran.stderr
    words = ("compare", "lanterns", "careful.py", "blind.py", "thorough.py", "--games", 8, "--json", "--seed", "1")
    found = json.loads(arena(*words).stdout)
    first, second = found["common"]
    low, high = found["difference_interval"]
    assert found["difference"] == pytest.approx(first - second, abs=1e-5)
    assert 0 < low < first - second < high


@pytest.mark.process
def test_a_match_says_what_was_reached(lanterns: Path, arena: Callable[..., Any]) -> None:
    ran = arena("play", "lanterns", "careful.py", "thorough.py", "--seed", 1, "--json")
    result = json.loads(ran.stdout)
    reached = result["outcome"]["common"]
    assert [(one["ending"], one["points"], one["score"]) for one in result["players"]] == [
        ("finished", reached, reached)
    ] * 2
    assert reached > 2
    shown = arena("replay", "info", result["replay"]).stdout
    assert f"Together {reached:g}" in shown
    table = arena("play", "lanterns", "careful.py", "blind.py", "--games", 2)
    assert "finished" in table.stdout
    assert "drawn" not in table.stdout


@pytest.mark.process
@pytest.mark.parametrize(
    "words",
    [("contest", "init", "lanterns", "--people"), ("climb", "lanterns", "blind.py"), ("grade", "lanterns", "--init")],
)
def test_what_ranks_competitors_refuses_a_cooperative_game(
    lanterns: Path, arena: Callable[..., Any], words: tuple[str, ...]
) -> None:
    ran = arena(*words)
    assert ran.code == 2
    assert "in lanterns all play together" in ran.stderr
    assert not (lanterns / "contest.toml").exists()
