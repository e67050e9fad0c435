"""The viewer shows the worked games without a line of their own: a common score, and orders for many units."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from arena.game import sample
from arena.memory import MatchInMemory

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
View = Callable[..., Any]


@pytest.fixture(autouse=True)
def _examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(EXAMPLES)


def play(game: Any, players: int, path: Path, **options: Any) -> MatchInMemory:
    rng = Random(3)
    match = MatchInMemory(game, [None] * players, seed=1, options=options, replay=path)
    while not match.over:
        assert match.player is not None
        match.act(match.player, sample(match.legal_actions(match.player), rng))
    return match


def test_the_common_score_is_the_headline(viewer: View, exported: View, tmp_path: Path) -> None:
    import lanterns_game

    match = play(lanterns_game.spec(), 3, tmp_path / "lanterns.arena")
    assert match.outcome is not None
    page = viewer().open(exported(tmp_path / "lanterns.arena", None)).page
    page.keyboard.press("End")
    assert page.get_by_text(f"Together {match.outcome.common:g}").count() >= 1
    assert page.get_by_text("A draw").count() == 0


def test_orders_are_counted_and_listed(viewer: View, exported: View, tmp_path: Path) -> None:
    import frontier_game

    play(frontier_game.spec(), 2, tmp_path / "frontier.arena", units=40, size=20, turns=6)
    page = viewer().open(exported(tmp_path / "frontier.arena", None)).page
    page.keyboard.press("End")
    words = re.compile(r"Marches \d+ orders: Unit u1_\d+ \w+; Unit u1_\d+ \w+; Unit u1_\d+ \w+; …")
    page.get_by_text(words).first.wait_for()
