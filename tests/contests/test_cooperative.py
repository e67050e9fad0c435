"""Tables of a cooperative game: bots are ranked by the mean of what they reached."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.contests.config import StageConfig
from arena.contests.ratings.sequential import mean_and_margin, quantile_95
from arena.contests.stages.encounters import Encounter, EncounterResult
from arena.contests.stages.standings import rank_table
from arena.game import Outcome


def met(names: tuple[str, ...], score: float) -> EncounterResult:
    encounter = Encounter("s", 1, 0, names, 1)
    nothing = (0,) * len(names)
    outcome = Outcome.together("over", score)
    return EncounterResult(
        encounter, (score,) * len(names), nothing, (0.0,) * len(names), None, "games", 1, 0, (outcome,)
    )


def test_the_table_has_means_so_more_games_are_no_advantage() -> None:
    played = [met(("a", "b"), 4), met(("a", "c"), 6), met(("a", "b"), 5), met(("b", "d"), 0)]
    rows = rank_table(StageConfig("s", "swiss"), ("a", "b", "c", "d"), played)
    assert [(row.name, row.points) for row in rows] == [("c", 6), ("a", 5), ("b", 3), ("d", 0)]
    assert not any("plus_minus" in dict(row.tiebreaks) for row in rows), "one game of c and d gives no interval"
    rows = rank_table(StageConfig("s", "swiss"), ("a", "b"), played[:1] + played[2:3] + [met(("a", "b"), 6)])
    assert [dict(row.tiebreaks)["plus_minus"] for row in rows] == [pytest.approx(4.3027 / 3**0.5, rel=1e-3)] * 2


@pytest.mark.parametrize(
    ("freedom", "value"), [(1, 12.706), (2, 4.303), (3, 3.182), (5, 2.571), (10, 2.228), (100, 1.984)]
)
def test_quantiles_of_student(freedom: int, value: float) -> None:
    assert quantile_95(freedom) == pytest.approx(value, rel=5e-3)


def test_two_values_have_an_interval_and_one_has_none() -> None:
    assert mean_and_margin([0.0, 2.0]) == (1.0, pytest.approx(12.7062, rel=1e-3))
    assert mean_and_margin([2.0]) == (2.0, math.inf)


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=20))
def test_the_mean_is_within_its_interval_and_shifts_with_the_scores(values: list[int]) -> None:
    mean, margin = mean_and_margin(values)
    moved, same = mean_and_margin([value + 10 for value in values])
    assert margin >= 0
    assert (moved, same) == (pytest.approx(mean + 10), pytest.approx(margin))
