"""Tables and tie-breaks, on examples that can be checked by hand."""

from itertools import combinations, pairwise

import pytest
from contests_toys import by_strength, played, result_of, run_of
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.contests.config import StageConfig
from arena.contests.ratings.plackett_luce import plackett_luce, units
from arena.contests.stages.encounters import Encounter, EncounterResult
from arena.contests.stages.groups import rank_groups
from arena.contests.stages.standings import rank_table
from arena.contests.tiebreaks import AT_TABLES, FOR_TWO, MEANINGS


def met(one, other, first, second, round_number=1):
    """An encounter of two games that ended first : second."""
    winner = None if first == second else int(second > first)
    wins = (int(first), int(second))
    encounter = Encounter("s", round_number, 0, (one, other), 2)
    draws = 2 - sum(wins)
    return EncounterResult(
        encounter, (first, second), wins, (first - second, second - first), winner, "games", 2, draws
    )


def bye(name, round_number=1):
    return EncounterResult(Encounter("s", round_number, 0, (name,), 2), (2.0,), (0,), (0.0,), 0, "bye", 0)


def values(rows, tiebreak):
    return {row.name: dict(row.tiebreaks)[tiebreak] for row in rows}


EXAMPLE = [
    met("a", "b", 2.0, 0.0), met("c", "d", 1.0, 1.0),
    met("a", "c", 0.5, 1.5, 2), met("b", "d", 2.0, 0.0, 2),
    met("a", "d", 1.5, 0.5, 3), met("b", "c", 2.0, 0.0, 3),
]  # fmt: skip


def test_points_and_tiebreaks_by_hand():
    # Points: a 4, b 4, c 2.5, d 1.5.
    rows = rank_table(StageConfig("s", "swiss"), ("d", "c", "b", "a"), EXAMPLE)
    assert {row.name: row.points for row in rows} == {"a": 4.0, "b": 4.0, "c": 2.5, "d": 1.5}
    assert values(rows, "buchholz") == {"a": 8.0, "b": 8.0, "c": 9.5, "d": 10.5}
    assert values(rows, "buchholz_cut1") == {"a": 6.5, "b": 6.5, "c": 8.0, "d": 8.0}
    assert values(rows, "buchholz_median") == {"a": 2.5, "b": 2.5, "c": 4.0, "d": 4.0}
    # a: all of b's 4, a quarter of c's 2.5, three quarters of d's 1.5.
    assert values(rows, "sonneborn_berger")["a"] == 4.0 + 0.625 + 1.125
    assert values(rows, "sonneborn_berger")["b"] == 1.5 + 2.5
    assert values(rows, "seed") == {"d": 1.0, "c": 2.0, "b": 3.0, "a": 4.0}


def test_head_to_head_decides_and_is_explained():
    rows = rank_table(StageConfig("s", "swiss"), ("d", "c", "b", "a"), EXAMPLE)
    assert [row.name for row in rows] == ["a", "b", "c", "d"]
    assert rows[1].explained == "tied with a; head to head 0 against 2"
    assert rows[2].explained == ""


def test_the_order_of_tiebreaks_is_the_organizers():
    stage = StageConfig("s", "swiss", tiebreaks=("seed",))
    rows = rank_table(stage, ("d", "c", "b", "a"), EXAMPLE)
    assert [row.name for row in rows] == ["b", "a", "c", "d"]
    assert rows[1].explained == "tied with b; seed 4 against 3"


def test_head_to_head_is_skipped_where_not_all_have_met():
    games = [met("a", "c", 2.0, 0.0), met("b", "d", 2.0, 0.0), met("a", "b", 2.0, 0.0, 2), met("c", "d", 2.0, 0.0, 2)]
    games += [met("b", "e", 2.0, 0.0, 3), met("f", "a", 2.0, 0.0, 3), met("f", "c", 0.0, 2.0, 4)]
    rows = rank_table(StageConfig("s", "swiss", tiebreaks=("head_to_head",)), tuple("abcdef"), games)
    # a, b and c are level; b and c have not met.
    assert {row.name for row in rows if row.place == 1} == {"a", "b", "c"}


def test_a_bye_counts_as_one_against_oneself():
    rows = rank_table(StageConfig("s", "swiss"), ("a", "b", "c"), [met("a", "b", 2.0, 0.0), bye("c")])
    row = next(row for row in rows if row.name == "c")
    assert (row.points, row.byes, row.games) == (2.0, 1, 0)
    assert dict(row.tiebreaks)["buchholz"] == 2.0


@pytest.mark.parametrize(("form", "expected"), [("swiss", 8.0), ("round_robin", 4.0)])
def test_a_round_of_a_swiss_before_the_first_one_counts_as_one_against_oneself(form, expected):
    results = [met("a", "b", 2.0, 0.0), met("a", "b", 2.0, 0.0, 2), met("a", "c", 0.0, 2.0, 3)]
    assert values(rank_table(StageConfig("s", form), ("a", "b", "c"), results), "buchholz")["c"] == expected


def test_points_by_encounter():
    rows = rank_table(StageConfig("s", "swiss", points="encounter"), ("a", "b", "c", "d"), EXAMPLE)
    assert {row.name: row.points for row in rows} == {"a": 2.0, "b": 2.0, "c": 1.5, "d": 0.5}


def test_each_tiebreak_is_explained():
    assert set(MEANINGS) == {*FOR_TWO, *AT_TABLES, "plus_minus"}


@given(size=st.integers(2, 40), seed=st.integers(0, 999), draws=st.sampled_from([0.0, 0.5, 1.0]))
@settings(max_examples=12, deadline=None)
def test_tables_are_consistent(size, seed, draws):
    stage = StageConfig("s", "swiss", rounds=4)
    contest = played(size, stage, result=lambda spec: by_strength(spec, draws, seed))
    rows = run_of(contest).rank()
    byes = 4 * (size % 2)
    assert sum(row.points for row in rows) == len(contest.state.played) + 2 * byes
    assert sum(row.wins for row in rows) == sum(row.losses for row in rows)
    assert [row.place for row in rows] == list(range(1, size + 1)), "the seed decides at last"
    for upper, lower in pairwise(rows):
        assert upper.points >= lower.points
        assert bool(lower.explained) == (upper.points == lower.points)


@pytest.mark.slow
def test_standings_and_ratings_of_many_bots_agree():
    stage = StageConfig("all", "round_robin", games=2, rounds=2)
    run = run_of(played(16, stage, result=lambda spec: result_of(int(spec.match_id, 16) % 2)))
    points = {row.name: row.points for row in run.rank()}
    elo = dict(zip(run.names, plackett_luce(run.names, units(run.matches())).elo, strict=True))
    assert (len(points), len(run.matches())) == (16, 480)
    # Where all have met each other equally often, the model's order is that of the points.
    for one, other in combinations(points, 2):
        if points[one] != points[other]:
            assert (points[one] > points[other]) == (elo[one] > elo[other]), (one, other)


def test_unknown_tiebreaks_are_an_error():
    with pytest.raises(KeyError, match="nonsense"):
        rank_table(StageConfig("s", "swiss", tiebreaks=("nonsense",)), ("a", "b"), [met("a", "b", 1.0, 1.0)])


def test_groups_of_nobody_have_no_places():
    assert rank_groups(StageConfig("g", "groups", groups=2), (), ()) == ()
