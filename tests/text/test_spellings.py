"""Spellings of orders as people and models write them: what is clear is read, and what is not clear is refused."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path

from random_positions import game_of

from arena.text.form import ReadAnswer, order, read
from arena_player.schema import parse_schema

GAMES = tomllib.loads(Path(__file__).with_name("spellings.toml").read_text())


def answers(table: str) -> Iterator[tuple[str, str, str, ReadAnswer]]:
    """Yield what a text must give, the text, the orders that were read in it, and the answer."""
    for game, about in GAMES.items():
        schema = parse_schema(game_of(game).schema())
        legal = json.loads(about["legal"])
        for expected, texts in about[table].items():
            for text in texts:
                answer = read(schema, text, legal)
                yield expected, text, "; ".join(order(schema, action) for action in answer.actions), answer


def test_what_is_clear_is_read() -> None:
    read_texts = list(answers("read"))
    assert len(read_texts) > 600
    assert [row for row in read_texts if row[0] != row[2] or row[3].illegal] == []


def test_what_is_not_clear_is_refused_with_a_reason() -> None:
    refused = list(answers("refused"))
    assert len(refused) > 210
    carried_out = [row for row in refused if row[3].actions and not row[3].illegal]
    assert carried_out == []
    assert [row for row in refused if not row[3].reason or row[0] not in row[3].reason] == []
