from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from learn_games import game

import arena_learn
from arena.errors import ArenaError
from arena.game import State, load
from arena_learn.benchmarks import versions
from arena_learn.benchmarks.best_response import Strategy, best_response, uniform
from arena_learn.benchmarks.versions import VERSIONS, Task, fingerprint
from arena_player.version import __version__


@pytest.mark.parametrize("task", VERSIONS["2026.1"], ids=lambda task: f"{task.game}-{task.opponent}")
def test_the_rules_and_opponents_are_those_of_the_benchmark(task: Task) -> None:
    """A change of them needs a new version in `arena_learn.benchmarks.versions`; before a release, the new hash."""
    assert fingerprint(load(task.game), task.opponent, task.options) == task.fingerprint


def test_a_small_benchmark(monkeypatch: pytest.MonkeyPatch) -> None:
    options = {"players": 2}
    found = fingerprint(load("snakes"), "builtin:hatchling", options)
    monkeypatch.setitem(versions.VERSIONS, "test", (Task("snakes", "builtin:hatchling", found, options),))
    benchmark = arena_learn.benchmark("test")
    table = benchmark.measure("builtin:hatchling", setups=3)
    assert table == benchmark.measure("builtin:hatchling", setups=3)
    assert [row.game for row in table.rows] == ["snakes", "all"]
    assert table.rows[0].points == table.rows[1].points == 0.5  # against itself, on both seats of each set-up
    assert (
        str(table).splitlines()[0].startswith("builtin:hatchling in arena-learn test, seed 0, a preview with 3 of 100")
    )
    assert str(table).splitlines()[4].startswith("| snakes | builtin:hatchling | 0.500 | ")
    lost = benchmark.measure({"snakes": "random"}, name="random", setups=3, seed=1)
    assert lost.rows[0].points < 0.5
    monkeypatch.setitem(versions.VERSIONS, "test", (Task("snakes", "builtin:forager", found, options),))
    with pytest.raises(ArenaError, match="are not those of this benchmark"):
        arena_learn.benchmark("test")
    with pytest.raises(ArenaError, match=r"no benchmark 1\. There are: 2026\.1"):
        arena_learn.benchmark("1")


BETS = {  # the probability of a bet or call, by the actions before it and the card
    (): (0, 0, 0),
    ("pass",): (1 / 3, 0, 1),
    ("bet",): (0, 1 / 3, 1),
    ("pass", "bet"): (0, 1 / 3, 1),
}
"""The equilibrium of Kuhn's poker in which the first player never bets at once."""


def equilibrium(view: Any, actions: Sequence[dict[str, Any]]) -> list[float]:
    values = list(zip(view[1::3], view[2::3], strict=True))
    card = next(value for name, value in values if name == "card" and value)
    bet = BETS[tuple(next(value for name, value in values if name == "line"))][card - 1]
    return [bet if action["type"] == "bet" else 1 - bet for action in actions]


def chips(state: State, player: int) -> float:
    return state.scores()[player]


@pytest.mark.parametrize(
    ("strategy", "gains"),
    [(uniform, (1 / 2, 5 / 12)), (equilibrium, (-1 / 18, 1 / 18))],
    ids=["random", "equilibrium"],
)
def test_a_best_response_in_kuhns_poker(strategy: Strategy, gains: tuple[float, float]) -> None:
    """Random play can be exploited by 11/12 chips over both seats, and the equilibrium by none (Kuhn 1950)."""
    for player, gain in enumerate(gains):
        found = best_response(game("kuhn_poker"), strategy, player, options={"hands": 1}, reward=chips)
        assert found == pytest.approx(gain)


def test_the_citation_names_this_version() -> None:
    lines = (Path(__file__).parents[3] / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    assert f"version: {__version__}" in lines
