"""Spellings of orders as people and models write them: what is clear is read, and what is not clear is refused."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from random_positions import game_of

from arena.text.form import order, read
from arena_player.schema import parse_schema

GAMES = tomllib.loads(Path(__file__).with_name("spellings.toml").read_text())
READ = [
    (game, orders, text) for game, about in GAMES.items() for orders, texts in about["read"].items() for text in texts
]
REFUSED = [
    (game, word, text)
    for game, about in GAMES.items()
    for word, texts in about.get("refused", {}).items()
    for text in texts
]


@pytest.fixture(scope="module")
def schemas():
    return {game: parse_schema(game_of(game).schema()) for game in GAMES}


def test_what_is_clear_is_read(schemas):
    wrong = []
    for game, orders, text in READ:
        answer = read(schemas[game], text, json.loads(GAMES[game]["legal"]))
        meant = "; ".join(order(schemas[game], action) for action in answer.actions)
        if meant != orders or answer.illegal:
            wrong.append(f"{game}: {text!r}\n    is {orders!r}\n    not {meant!r} {answer.reason}")
    assert not wrong, f"{len(wrong)} of {len(READ)}\n" + "\n".join(wrong)


def test_what_is_not_clear_is_refused_with_a_reason(schemas):
    wrong = []
    for game, word, text in REFUSED:
        answer = read(schemas[game], text, json.loads(GAMES[game]["legal"]))
        if (answer.actions and not answer.illegal) or not answer.reason or word not in answer.reason:
            meant = "; ".join(order(schemas[game], action) for action in answer.actions)
            wrong.append(f"{game}: {text!r} was read as {meant!r} with the reason ({word}) {answer.reason!r}")
    assert not wrong, f"{len(wrong)} of {len(REFUSED)}\n" + "\n".join(wrong)
