"""Views, events and values as text."""

from __future__ import annotations

from typing import Any

import pytest

from arena.game import load
from arena.play.seats.text import changes, events, tables, value_text
from arena_player.schema import parse_schema


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("two words", "two words"),
        ("a\nb", r"a\x0ab"),
        ("a\r\n\tb\x1b[2J", r"a\x0d\x0a\x09b\x1b[2J"),
        (["a\nb"], r'["a\nb"]'),
        ("\n" * 41, r"\x0a" * 39 + "\\..."),
        (None, "-"),
        (b"a\n", "2 bytes"),
    ],
)
def test_a_value_is_one_line(value: Any, text: str) -> None:
    assert value_text(value) == text


def test_the_columns_of_a_table_stay_in_line() -> None:
    schema = parse_schema(load("saloon").schema())
    jobs = {"c1": "Brawler", "c2": "Bar\ntender", "c3": "Sharp\tshooter", "c4": "\x1b[2J"}
    things = {name: ("Cowboy", {"owner": 0, "job": job, "focus": 7}) for name, job in jobs.items()}
    _, head, *rows = tables(schema, things)
    assert len(rows) == len(jobs)
    assert all(text.isprintable() for text in (head, *rows))
    place = head.index("  focus") + 2
    assert [row[place] for row in rows] == ["7"] * len(jobs)


def test_an_event_and_a_change_are_one_line_each() -> None:
    assert events([{"kind": "said", "text": "a\nb"}]) == [r"said: text a\x0ab"]
    before, after = ({"c1": ("Cowboy", {"job": job})} for job in ("a", "b\nc"))
    assert changes(before, after) == [r"c1 (Cowboy): job a -> b\x0ac"]
