"""The text of an explanation, and the page of several."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arena.pages.render import render_alone
from arena.study.coach.causes import Cause
from arena.study.coach.losses import Loss, Losses
from arena.study.coach.report import _by_chances, conclusion, percent, text_of

ROWS = [
    {"turn": turn, "before": 0.5 - turn / 20, "low": 0.1, "high": 0.9, "after": 0.45 - turn / 20, "playouts": 4}
    for turn in range(1, 5)
]
POINT = {
    "player": 1,
    "turn": 3,
    "action": 0,
    "gain": {"value": 0.25, "low": 0.1, "high": 0.4},
    "pairs": 100,
    "before": {"value": 0.45, "low": 0.4, "high": 0.5},
    "after": {"value": 0.2, "low": 0.15, "high": 0.25},
    "bots": [{"bot": f"builtin:{bot}", "value": 0.2, "low": 0.1, "high": 0.3} for bot in ("rowdy", "sheriff")],
    "done": {"actions": [], "words": []},
    "instead": {"actions": [], "words": ["c1 <moves>"]},
    "commands": ["arena view match.arena@3"],
}
DIFFERENCE = {
    "player": 1,
    "turn": 2,
    "words": "In turn 2 winners have 5 to 6 Cowboys, <i>Bob had 2.",
    "rows": [{"turn": turn, "value": 2, "low": 5, "high": 6} for turn in (1, 2, 3)],
    "commands": ["arena view match.arena@2"],
}
DOCUMENT = {
    "game": "saloon",
    "players": [{"name": "<b>Ann", "ending": "won"}, {"name": "Bob", "ending": "lost"}],
    "turns": 4,
    "cause": [{"message": "Won."}, {"message": "Outplayed & beaten."}],
    "lessons": [],
    "differences": [DIFFERENCE],
    "win": [ROWS, ROWS],
    "dice": [{"player": 1, "turn": 2, "value": -0.2, "low": -0.3, "high": -0.1}],
    "turning_points": [POINT],
    "summary": ["", "Turn 3 decided."],
    "confidence": 0.95,
    "playouts": {"teams": [["builtin:rowdy"], ["builtin:sheriff"]], "count": 10},
}


def test_losses_are_grouped_with_links_to_the_matches():
    loss = Loss("/replays/match.arena", 1, "outplayed", "Outplayed.", "Ann", "quarry", 3, 4, "middle")
    crash = replace(loss, replay="/replays/other.arena", cause="crashed", phase="early", turn=1)
    found = Losses("Bob", 5, (loss, crash, crash))
    document = found.to_document()
    assert document["by_cause"] == {"crashed": 2, "outplayed": 1}
    assert document["by_phase"] == {"early": 2, "middle": 1}
    assert document["by_map"] == {"quarry": 3}
    text = "\n".join(found.lines())
    assert "Bob lost 3 of 5 matches" in text
    assert "/replays/match.arena@3  outplayed, middle, against Ann" in text
    page = render_alone("losses.html", title=found.title, losses=found, matches=[("match", ["<b>Ann lost & won"])])
    assert "<h1>Bob lost 3 of 5 matches</h1>" in page
    assert '<a href="#match">match</a>' in page
    assert 'id="match"' in page
    assert "&lt;b&gt;Ann lost &amp; won" in page


def test_the_text_has_the_parts_of_the_page():
    text = text_of(DOCUMENT)
    assert "  What was different: In turn 2 winners have 5 to 6 Cowboys, <i>Bob had 2." in text
    assert "    That is worth 25 % (10 to 40), if rowdy and sheriff play on in this place." in text
    assert "  The dice of turn 2 were worth -20 % (-30 to -10)" in text
    assert any("Win probability ▄▄▃▃: turn 1 45 % (10 to 90)" in line for line in text)
    assert text[-1] == "From 10 playouts by rowdy on all seats, sheriff on all seats. Intervals: 95 %."


def test_the_text_says_what_a_check_confirmed():
    share = {"value": 0.5, "low": 0.4, "high": 0.6}
    row = {
        "player": 1,
        "turn": 3,
        "instead": share,
        "done": share | {"value": 0.45},
        "gain": POINT["gain"],
        "pairs": 20,
    }
    checked = [row | {"confirmed": True}, row | {"confirmed": False}]
    first, second = text_of(DOCUMENT | {"checked": checked})[-2:]
    assert first.startswith("Turn 3 of Bob: wins 50 % (40 to 60) as bots choose, 45 % (40 to 60) as it was played;")
    assert (first.rpartition(": ")[2], second.rpartition(": ")[2]) == ("confirmed", "NOT confirmed")
    assert text_of(DOCUMENT | {"checked": []})[-1] == "There is no turning point to check."


@pytest.mark.parametrize(("turn", "late"), [(2, False), (3, True)])
def test_a_difference_that_began_when_the_match_was_lost_is_not_the_conclusion(turn, late):
    """At the start of turn 3 the win probability was certainly below half of the first one."""
    rows = [ROWS[0], ROWS[1], ROWS[2] | {"before": 0.1, "low": 0.05, "high": 0.15}]
    first = DIFFERENCE | {"turn": turn, "short": "In turn 3 Bob had 2 Cowboys"}
    other = DIFFERENCE | {"turn": 1, "short": "in turn 1 Bob had no piano"}
    found = _by_chances([first, other], [rows, rows])
    assert [one["late"] for one in found] == [False, late]
    assert ("By then the win probability was 10 % (5 to 15)." in str(found)) is late
    document = DOCUMENT | {"differences": found, "win": [rows, rows], "turning_points": []}
    words = conclusion(document, 1, Cause(1, "outplayed", ""))
    assert words.startswith("In turn 1 Bob had no piano" if late else "In turn 3 Bob had 2 Cowboys")


@pytest.mark.parametrize(
    ("value", "words"), [(0.625, "63 % (63 to 63)"), (-0.002, "0 % (0 to 0)"), (-0.025, "-2 % (-2 to -2)")]
)
def test_percentages_are_rounded_as_in_the_viewer(value, words):
    assert percent({"value": value, "low": value, "high": value}) == words
