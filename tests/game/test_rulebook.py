"""The rules of each game in words are those that are played: their examples end as they say."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.errors import ArenaError
from arena.game import load
from arena.study.checks.rulebook import FILE, examples, rulebook_problems
from arena.testing import inspect_game

GAMES = ("derelict", "laser_flag", "saloon", "snakes")
ON_PAPER = {
    "derelict": {"The list", "Matches", "Fire, command points, reinforcements (ruleset full)"},
    "laser_flag": {"Winning", "Rules as data"},
    "saloon": set(),
    "snakes": {"The end"},
}
"""Chapters without an example: worked examples in the tests of the games play these rules."""


@pytest.mark.parametrize("name", GAMES)
def test_each_example_ends_as_the_rules_say(name: str) -> None:
    game = load(name)
    assert len(examples(game)) >= 11
    assert rulebook_problems(game) == []


@pytest.mark.parametrize("name", GAMES)
def test_each_chapter_of_the_rules_has_an_example(name: str) -> None:
    _, *chapters = re.split(r"^## ", load(name).rules_text(), flags=re.MULTILINE)
    empty = {chapter.splitlines()[0] for chapter in chapters if "](example:" not in chapter}
    assert empty - ON_PAPER[name] <= {"The board"}


def changed(tmp_path: Path, change: Any) -> Any:
    """Return Saloon with copies of its rules and its rule book that a function has changed."""
    game = load("saloon")
    assert game.rules is not None
    text, book = game.rules_text(), json.loads(game.rules.with_name(FILE).read_text())
    made = change(book, text)
    (tmp_path / "rules.md").write_text(made if isinstance(made, str) and made.startswith("# ") else text)
    (tmp_path / FILE).write_text(json.dumps(book))
    return replace(game, rules=tmp_path / "rules.md")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda book, text: book["play"]["then"].update({"p0.score": 2}), "In the example play, p0.score is 1, not 2."),
        (lambda book, text: book["play"]["then"].update(f2=False), "f2 is True, not False"),
        (lambda book, text: book["busy"]["steps"][1].update(refused="drunk"), "is refused with busy, not drunk"),
        (lambda book, text: book["busy"]["steps"][1].pop("refused"), "is refused with busy, not accepted"),
        (lambda book, text: book["play"]["steps"][0].update(refused="busy"), "is accepted, not refused with busy"),
        (lambda book, text: book["play"]["steps"][0].update(draws=[1]), "leaves 1 draws"),
        (lambda book, text: text + "![](example:nothing)", "show the example nothing, which"),
        (lambda book, text: text.replace("(example:play)", ""), "The rules do not show the example play exactly once."),
        (lambda book, text: text.replace("# Saloon", "# Bar", 1), "The rules do not begin with the line `# Saloon`."),
    ],
)
def test_a_difference_between_words_and_play_is_found(tmp_path: Path, change: Any, words: str) -> None:
    game = changed(tmp_path, change)
    (found,) = rulebook_problems(game)
    assert words in found
    report = inspect_game(game, games=1, limit=3)
    assert report.findings[0].rule == "rulebook"


def test_a_rule_book_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    game = changed(tmp_path, lambda book, text: (book["play"].pop("steps"), book["busy"]["steps"][0].pop("action")))
    with pytest.raises(ArenaError) as caught:
        rulebook_problems(game)
    first, second = str(caught.value).splitlines()
    assert first.endswith("rulebook.json: play.steps is missing.")
    assert second.endswith("rulebook.json: busy.steps[0].action is missing.")


def test_a_position_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    game = changed(tmp_path, lambda book, text: book["play"].update(state={"turn": 1}))
    with pytest.raises(ArenaError, match=r"The example play has no valid start: "):
        rulebook_problems(game)
