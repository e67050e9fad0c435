"""Outcomes: winner, points, verdicts and words follow from ranks, teams or payoffs."""

from __future__ import annotations

import pytest

from arena.game import Outcome

NAMES = ("Ann", "Bob", "Cid", "Dee")


def test_two_players_need_no_ranks() -> None:
    won, drawn = Outcome(1, "rout"), Outcome(None, "turn_limit")
    assert won.to_document() == {"winner": 1, "reason": "rout"}
    assert [won.points(player) for player in (0, 1)] == [0.0, 1.0]
    assert [won.verdict(player) for player in (0, 1)] == ["lost", "won"]
    assert [drawn.points(0), drawn.verdict(1), drawn.place(0), won.place(1)] == [0.5, "drawn", "", ""]
    assert [won.headline(NAMES[:2]), drawn.headline(NAMES[:2])] == ["Bob wins", "A draw"]


@pytest.mark.parametrize(
    ("ranks", "winner", "points", "places", "headline"),
    [
        ((2, 1, 4, 3), 1, [2 / 3, 1, 0, 1 / 3], ["2nd of 4", "1st of 4", "4th of 4", "3rd of 4"], "Bob wins"),
        ((1, 2, 2, 4), 0, [1, 0.5, 0.5, 0], ["1st of 4", "2nd (tied)", "2nd (tied)", "4th of 4"], "Ann wins"),
        ((1, 1, 3, 4), None, [5 / 6, 5 / 6, 1 / 3, 0], ["1st (tied)", "1st (tied)", "3rd of 4", "4th of 4"], ""),
        ((1, 1, 1, 1), None, [0.5] * 4, ["1st (tied)"] * 4, "A draw"),
    ],
)
def test_ranks(ranks: tuple[int, ...], winner: int, points: list[float], places: list[str], headline: str) -> None:
    outcome = Outcome(None, "end", ranks)
    assert outcome.winner == winner
    assert [outcome.points(player) for player in range(4)] == pytest.approx(points)
    assert [outcome.place(player) for player in range(4)] == places
    assert outcome.headline(NAMES) == (headline or "Ann and Bob share the first place")
    assert Outcome.from_document(outcome.to_document()) == outcome


def test_teams_win_together() -> None:
    outcome = Outcome.of_teams("captured", [(0, 2), (1, 3)], [2, 1])
    assert (outcome.ranks, outcome.winner, outcome.winners) == ((2, 1, 2, 1), None, (1, 3))
    assert [outcome.points(player) for player in range(4)] == [0, 1, 0, 1]
    assert [outcome.verdict(player) for player in range(4)] == ["lost", "won", "lost", "won"]
    assert [outcome.place(player) for player in (0, 1)] == ["2nd of 2", "1st of 2"]
    assert outcome.headline(NAMES) == "Bob and Dee win"
    assert Outcome.from_document(outcome.to_document()) == outcome


def test_payoffs_give_the_ranks() -> None:
    outcome = Outcome(None, "showdown", payoffs=(-3.0, 5.0, -3.0, 1.0))
    assert (outcome.ranks, outcome.winner) == ((3, 1, 3, 2), 1)
    assert outcome.to_document()["payoffs"] == [-3.0, 5.0, -3.0, 1.0]
    assert Outcome.from_document(outcome.to_document()) == outcome
    two = Outcome(None, "showdown", payoffs=(2.0, -2.0))
    assert [two.points(0), two.verdict(1), two.place(0)] == [1.0, "lost", ""]


def test_those_who_left_are_behind_in_reverse_order_of_leaving() -> None:
    outcome = Outcome(None, "end", (1, 2, 3, 4)).behind({0: 5, 1: 9}, 4)
    assert outcome.ranks == (4, 3, 1, 2)
    assert outcome.winner == 2
    assert Outcome(None, "end").behind({0: 5, 1: 5}, 4).ranks == (3, 3, 1, 1)
    assert Outcome(3, "end").behind({3: 5}, 4).ranks == (1, 1, 1, 4)


def test_ordinals() -> None:
    outcome = Outcome(None, "end", tuple(range(1, 24)))
    assert [outcome.place(player)[:4] for player in (10, 11, 12, 20, 21, 22)] == [
        *("11th", "12th", "13th"),
        *("21st", "22nd", "23rd"),
    ]


def test_teams_keep_their_ranks_whoever_left() -> None:
    outcome = Outcome.of_teams("captured", [(0, 2), (1, 3)], [2, 1])
    assert outcome.behind({1: 3}, 4) is outcome


def test_players_of_one_team_have_half_a_point() -> None:
    outcome = Outcome.of_teams("escaped", [(0, 1)], [1])
    assert [outcome.points(player) for player in (0, 1)] == [0.5, 0.5]
