"""The worked cooperative game, and defects of its kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arena.game import Outcome
from arena.testing import check_game, inspect_game

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


@pytest.fixture(autouse=True)
def _examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(EXAMPLES)


@pytest.mark.slow
def test_the_game_keeps_the_contract() -> None:
    import lanterns_game

    check_game(lanterns_game.spec(), games=2)


def alone(score: float) -> Any:
    return lambda self: None if self.to_move() else Outcome.together("over", score)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"outcome": lambda self: None if self.to_move() else Outcome(None, "over", (1, 1))}, "it has no common score"),
        ({"outcome": alone(float("nan"))}, "the common score is nan; it must be finite"),
        ({"cooperative": False}, "it has the common score"),
        (
            {
                "cooperative": False,
                "team_of": lambda self, player: 0,
                "outcome": lambda self: None if self.to_move() else Outcome.of_teams("over", [(0, 1)], [1]),
            },
            "all players are in one team: set cooperative = True",
        ),
    ],
)
def test_a_wrong_common_score_is_named(changes: dict[str, Any], words: str) -> None:
    import lanterns_game

    state = type("Broken", (lanterns_game.Lanterns,), {"__doc__": "Has a defect.", **changes})
    report = inspect_game(lanterns_game.spec(state), games=1, options={"players": 2})
    assert [one for one in report.findings if one.rule == "outcome" and words in one.message], report
