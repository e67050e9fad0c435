"""The page of an explanation."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from arena.analysis.losses import Loss, grouped, lines_of
from arena.analysis.page import page_of
from arena.analysis.report import text_of
from arena.pages.render import style

ROWS = [
    {"turn": turn, "before": 0.5 - turn / 20, "low": 0.1, "high": 0.9, "after": 0.45 - turn / 20, "playouts": 4}
    for turn in range(1, 5)
]
POINT = {
    "player": 1,
    "turn": 3,
    "gain": 0.25,
    "low": 0.1,
    "high": 0.4,
    "pairs": 100,
    "before": {"value": 0.45, "low": 0.4, "high": 0.5},
    "after": {"value": 0.2, "low": 0.15, "high": 0.25},
    "teams": [{"bots": ["builtin:sheriff"], "value": 0.2, "low": 0.1, "high": 0.3}],
    "done": {"actions": [], "words": []},
    "instead": {"actions": [], "words": ["c1 <moves>"]},
    "check": "arena explain match.arena@3 --player 1 --check",
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
    "differences": [DIFFERENCE],
    "win": [ROWS, ROWS],
    "dice": [{"player": 1, "turn": 2, "value": -0.2, "low": -0.3, "high": -0.1}],
    "turning_points": [POINT],
    "summary": ["", "Turn 3 decided."],
    "confidence": 0.95,
    "playouts": {"teams": [["builtin:rowdy"], ["builtin:sheriff"]], "count": 10},
}


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = []
        self.all = []

    def handle_starttag(self, tag, attrs):
        self.all.append(tag)
        if tag not in ("meta", "link"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.all.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_complete_and_shows_names_as_text():
    page = page_of([("match", DOCUMENT, [])])
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert "script" not in tags.all
    assert "&lt;b&gt;Ann" in page
    assert "<b>Ann" not in page
    assert "Outplayed &amp; beaten." in page
    assert "Turn 3: from 45 % (40 to 50) to 20 % (15 to 25)" in page
    assert "25 % (10 to 40); it holds for sheriff" in page
    assert "In turn 2 winners have 5 to 6 Cowboys, &lt;i&gt;Bob had 2." in page
    assert page.count("arena view match.arena@2") == 1
    assert "c1 &lt;moves&gt;" in page
    assert "The dice of turn 2 were worth -20 % (-30 to -10)." in page
    assert style() in page
    assert not re.search(r"(src|href)=.?https?:", page)


@pytest.mark.parametrize(("turns", "ticks"), [(1, 1), (10, 10), (11, 6), (19, 10), (20, 10), (21, 7), (400, 10)])
def test_the_axis_has_at_most_ten_ticks(turns, ticks):
    rows = [{**ROWS[0], "turn": turn} for turn in range(1, turns + 1)]
    page = page_of([("match", {**DOCUMENT, "win": [rows, rows], "turning_points": []}, [])])
    assert page.count('text-anchor="middle"') == ticks


def test_only_the_chosen_player_is_explained():
    page = page_of([("match", DOCUMENT, [0])])
    assert "Outplayed" not in page
    assert "Won." in page


def test_several_players_have_a_curve_each():
    three = {
        **DOCUMENT,
        "players": [{"name": name, "ending": ""} for name in "abc"],
        "cause": [{"message": "x"}] * 3,
        "summary": [""] * 3,
        "win": [ROWS] * 3,
    }
    page = page_of([("one", three, []), ("two", DOCUMENT, [])])
    assert page.count('<circle class="mark"') == 2
    assert page.count('class="line"') == 6, "four curves, and a small drawing of each difference"
    assert "<title>2 matches explained</title>" in page


def test_a_bot_keeps_its_colour_when_seats_are_swapped():
    other = {**DOCUMENT, "players": DOCUMENT["players"][::-1]}
    strange = {**DOCUMENT, "players": [{"name": "Cleo", "ending": "refused_too_often"}, DOCUMENT["players"][0]]}
    page = page_of([("one", DOCUMENT, []), ("two", other, []), ("three", strange, [])])
    name = DOCUMENT["players"][1]["name"]
    assert len(re.findall(rf'<h3 class="player1">{name}', page)) == 2
    assert '<h3 class="player1">Cleo (refused too often)' in page
    assert len(re.findall('<h3 class="player0">&lt;b&gt;Ann', page)) == 3


def test_losses_are_grouped_with_links_to_the_matches():
    loss = Loss("/replays/match.arena", 1, "outplayed", "Outplayed.", "Ann", "quarry", 3, 4)
    crash = Loss("/replays/other.arena", 0, "crashed", "Crashed.", "Ann", "quarry", 1, 9)
    document = grouped("Bob", 5, [loss, crash, crash])
    assert document["by_cause"] == {"crashed": 2, "outplayed": 1}
    assert document["by_phase"] == {"early": 2, "middle": 1}
    assert document["by_map"] == {"quarry": 3}
    text = "\n".join(lines_of(document))
    assert "Bob lost 3 of 5 matches" in text
    assert "/replays/match.arena@3  outplayed, middle, against Ann" in text
    page = page_of([("match", DOCUMENT, [1])], document)
    assert '<a href="#match">match</a>' in page
    assert 'id="match"' in page


def test_the_text_has_the_parts_of_the_page():
    text = text_of(DOCUMENT, [0, 1])
    assert "  What was different: In turn 2 winners have 5 to 6 Cowboys, <i>Bob had 2." in text
    assert "    That is worth 25 % (10 to 40). It holds for sheriff on all seats." in text
    assert "  The dice of turn 2 were worth -20 % (-30 to -10)" in text
    assert any("Win probability ▄▄▃▃: turn 1 45 % (10 to 90)" in line for line in text)
    assert text[-1] == "From 10 playouts by rowdy on all seats, sheriff on all seats. Intervals: 95 %."
