"""The text of an explanation, and the page of several."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arena.pages.render import render_alone
from arena.study.coach.losses import Loss, Losses
from arena.study.coach.report import conclusion, percent, text_of

ROWS = [
    {"turn": turn, "before": 0.5 - turn / 20, "low": 0.1, "high": 0.9, "after": 0.45 - turn / 20, "playouts": 4}
    for turn in range(1, 5)
]
LESSON = {
    "player": 1,
    "kind": "bots_choice",
    "from_turn": 3,
    "to_turn": 3,
    "text": "You: nothing. Rowdy would have: c1 <moves>.",
    "price": {"value": 0.25, "low": 0.1, "high": 0.4},
    "count": 1,
    "recovered": False,
    "commands": ["arena view match.arena@3"],
}
FALL = {
    "certain": True,
    "from_turn": 2,
    "to_turn": 3,
    "before": {"value": 0.4, "low": 0.35, "high": 0.45},
    "after": {"value": 0.1, "low": 0.05, "high": 0.15},
    "words": ["Turn 2: <i>moves."],
    "commands": ["arena view match.arena@2"],
}
DOCUMENT = {
    "game": "saloon",
    "players": [{"name": "<b>Ann", "ending": "won"}, {"name": "Bob", "ending": "lost"}],
    "turns": 4,
    "cause": [{"message": "Won.", "turn": None}, {"message": "Lost (score).", "turn": None}],
    "lessons": [LESSON],
    "fall": [None, FALL],
    "win": [ROWS, ROWS],
    "numbers": [{"player": 1, "words": "Cowboys lost", "own": 4, "others": 0.5}],
    "summary": ["", "Turn 3: You: nothing."],
    "confidence": 0.95,
    "playouts": {"bot": "sheriff", "others": ["pianist"], "count": 10},
    "stage": "",
}


def test_losses_are_grouped_with_links_to_the_matches():
    loss = Loss("/replays/match.arena", 1, "crushed_own_man", "Lost.", "Ann", "quarry", 3, 4, "middle")
    crash = replace(loss, replay="/replays/other.arena", cause="crashed", phase="early", turn=1)
    found = Losses("Bob", 5, (loss, crash, crash))
    document = found.to_document()
    assert document["by_cause"] == {"crashed": 2, "crushed_own_man": 1}
    assert document["by_phase"] == {"early": 2, "middle": 1}
    assert document["by_map"] == {"quarry": 3}
    text = "\n".join(found.lines())
    assert "Bob lost 3 of 5 matches" in text
    assert "/replays/match.arena@3  crushed_own_man, middle, against Ann" in text
    page = render_alone("losses.html", title=found.title, losses=found, matches=[("match", ["<b>Ann lost & won"])])
    assert "<h1>Bob lost 3 of 5 matches</h1>" in page
    assert '<a href="#match">match</a>' in page
    assert 'id="match"' in page
    assert "&lt;b&gt;Ann lost &amp; won" in page


def test_the_text_has_the_lessons_and_what_they_rest_on():
    text = text_of(DOCUMENT)
    assert "  Lesson 1, turn 3: You: nothing. Rowdy would have: c1 <moves>. That cost 25 % (10 to 40)." in text
    assert "  In numbers, with the winner's in brackets: Cowboys lost 4 (0.5)" in text
    assert any("Win probability ▄▄▃▃: turn 1 45 % (10 to 90)" in line for line in text)
    origin = "From 10 playouts: what follows if sheriff plays on for all, and pianist for the doubt."
    assert text[-1] == f"{origin} Intervals: 95 %."
    assert not any("fell" in line or "<i>moves" in line for line in text)


def test_without_a_lesson_the_steepest_fall_is_told():
    document = DOCUMENT | {"lessons": []}
    words = "The win probability fell in turns 2 to 3, from 40 % (35 to 45) to 10 % (5 to 15)."
    assert conclusion(document, 1) == words
    text = text_of(document | {"summary": ["", words]})
    assert text[text.index(f"  {words}") + 1 :][:2] == ["  Lost (score).", "    Turn 2: <i>moves."]


def test_a_lesson_that_the_match_forgave_follows_the_fall():
    document = DOCUMENT | {"lessons": [LESSON | {"recovered": True, "count": 2}]}
    words = conclusion(document, 1)
    assert words.startswith("The win probability fell in turns 2 to 3")
    text = text_of(document | {"summary": ["", words]})
    fall, lesson = text.index("    Turn 2: <i>moves."), next(at for at, line in enumerate(text) if "Lesson 1" in line)
    assert fall < lesson
    assert text[lesson].endswith("That cost 25 % (10 to 40), on average of 2 times. Later it stood as well again.")


def test_who_stood_worse_from_the_start_is_told_so():
    behind = [row | {"before": 0.1, "low": 0.05, "high": 0.2, "playouts": 8} for row in ROWS]
    document = DOCUMENT | {"lessons": [], "fall": [None, None], "win": [ROWS, behind]}
    assert conclusion(document, 1).startswith("It stood worse from turn 1 on, with 10 % (5 to 20). No stretch")
    told = "It stood worse from turn 1 on, with 10 % (5 to 20), and lost that in turns 2 to 3."
    assert conclusion(document | {"fall": [None, FALL | {"certain": False}]}, 1) == told
    assert conclusion(document | {"fall": [None, FALL]}, 1).startswith("The win probability fell")


def test_who_gave_no_order_is_told_so_before_any_fall():
    cause = {"message": "It gave no order in 9 of its 9 turns. Lost.", "idle": "It gave no order in 9 of its 9 turns"}
    document = DOCUMENT | {"lessons": [], "cause": [DOCUMENT["cause"][0], cause | {"turn": None}]}
    assert conclusion(document, 1) == cause["message"]


def test_a_failed_program_comes_before_all_lessons():
    cause = {"message": "Crashed (turn 2): KeyError.", "turn": 2}
    assert conclusion(DOCUMENT | {"cause": [DOCUMENT["cause"][0], cause]}, 1) == cause["message"]


def test_nothing_is_claimed_before_something_is_known():
    document = DOCUMENT | {"lessons": [], "fall": [None, None]}
    assert conclusion(document, 1).startswith("No mistake was found")
    assert conclusion(document | {"stage": "curve"}, 1) == ""
    assert conclusion(document | {"playouts": {"count": 0}}, 1) == ""
    provisional = text_of(DOCUMENT | {"stage": "turns"})
    assert provisional[-1] == "The computation is not complete: all of this is provisional."


def test_the_text_says_what_a_check_confirmed():
    row = {name: LESSON[name] for name in ("player", "kind", "from_turn", "to_turn", "price")} | {"pairs": 20}
    checked = [row | {"confirmed": True}, row | {"confirmed": False}]
    first, second = text_of(DOCUMENT | {"checked": checked})[-2:]
    assert first == "bots_choice of Bob, turn 3: 25 % (10 to 40) in 20 pairs of playouts with new dice: confirmed"
    assert second.endswith(": NOT confirmed")
    assert text_of(DOCUMENT | {"checked": []})[-1] == "There is no lesson to check."


@pytest.mark.parametrize(
    ("value", "words"), [(0.625, "63 % (63 to 63)"), (-0.002, "0 % (0 to 0)"), (-0.025, "-2 % (-2 to -2)")]
)
def test_percentages_are_rounded_as_in_the_viewer(value, words):
    assert percent({"value": value, "low": value, "high": value}) == words
