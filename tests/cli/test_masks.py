"""The worked bluffing game: it keeps the contract, and five bots play it in tables."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.testing import check_game, inspect_game

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
BOLD = """
from arena_player import AI

class Bold(AI):
    def run_turn(self):
        game = self.game
        others = [seat for seat in game.seats if seat.index != self.index and seat.index not in self.out]
        assert all(seat.count for seat in others)
        if game.claim:
            self.act({"type": "pass"})
        elif game.seats[self.index].coins >= 4:
            self.act({"type": "strike", "player": max(others, key=lambda seat: (seat.count, seat.coins)).index})
        else:
            self.act({"type": "claim_owl"})
"""
PASSIVE = """
from arena_player import AI

class Passive(AI):
    def run_turn(self):
        self.act({"type": "pass"})
"""


@pytest.fixture
def masks(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(EXAMPLES)
    import masks_game

    return masks_game


@pytest.mark.slow
def test_the_game_keeps_the_contract(masks: Any) -> None:
    check_game(masks.spec(), games=2, options=[{"players": 3}, {"players": 5}])


def telling(self: Any, player: int | None = None) -> list[dict[str, Any]]:
    import masks_game

    listed = masks_game.Masks.legal_actions(self, player)
    may = self.to_move()
    held = self.seats[may[0]].masks if may else ()
    return [one for one in listed if one["type"] != "claim_owl" or "owl" in held or self.claim]


def loud(self: Any, mask: str, target: int | None) -> None:
    import masks_game

    masks_game.Masks.begin(self, mask, target)
    self.event("face", masks=list(self.seats[self.mover].masks))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "rule", "words"),
    [
        ({"begin": loud}, "secret", "reveals"),
        ({"legal_actions": telling}, "unlisted_accepted", "claim_owl"),
        ({"out": lambda self: (self.mover,)}, "players", "is to move"),
        ({"leave": lambda self, player: setattr(self.seats[player], "count", 0)}, "leave", "is to move"),
    ],
    ids=["an event that tells", "a list that tells", "who moves is out", "a leaver who is asked again"],
)
def test_defects_of_bluffing_games_are_named(masks: Any, changes: dict[str, Any], rule: str, words: str) -> None:
    state = type("Broken", (masks.Masks,), {"__doc__": "Has a defect.", **changes})
    report = inspect_game(masks.spec(state), games=1)
    assert [one for one in report.findings if one.rule == rule and words in one.message], report


@pytest.mark.kill  # one more contest of programs
@pytest.mark.process
def test_five_bots_play_in_tables(
    masks: Any, arena: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "site" / "masks-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: masks\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[arena.games]\nmasks = installed_masks:GAME\n")
    (info.parent / "installed_masks.py").write_text("from masks_game import spec\nGAME = spec()\n")
    shutil.copy(EXAMPLES / "masks_game.py", info.parent)
    monkeypatch.setenv("PYTHONPATH", str(info.parent))
    monkeypatch.syspath_prepend(info.parent)
    bots = {"anna": BOLD, "ben": BOLD, "cleo": PASSIVE, "dan": PASSIVE, "eve": PASSIVE}
    for name, source in bots.items():
        (tmp_path / f"{name}.py").write_text(source)
    played = json.loads(arena("play", "masks", *(f"{name}.py" for name in bots), "--seed", 3, "--json").stdout)
    assert {player["ending"] for player in played["players"]} <= {"won", "lost", "drawn"}
    assert all(player["place"].endswith("of 5") or "tied" in player["place"] for player in played["players"])
    assert arena("contest", "init", "masks", *(f"{name}.py" for name in bots)).code == 0
    text = (tmp_path / "contest.toml").read_text()
    first = text[: text.rindex("[[stages]]")].replace("table = 4", "table = 5")
    assert "table = 5" in first
    (tmp_path / "contest.toml").write_text(first)
    ran = arena("contest", "run", "contest.toml", "--json")
    assert ran.code == 0, ran.stderr
    rows = json.loads(ran.stdout)["standings"]["standings"]
    assert {row["name"] for row in rows[:2]} == {"anna", "ben"}
    heads = arena("contest", "standings", "contest.toml", "--format", "csv").stdout.splitlines()[0].split(",")
    assert [name for name in heads if name.startswith("places_")] == [f"places_{place}" for place in range(1, 6)]
