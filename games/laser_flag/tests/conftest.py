"""Fixtures for the tests of Laser Flag: small boards and scripted actions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from arena.game import IllegalAction, Scripted
from arena_laser_flag import GAME
from arena_laser_flag.state import Game

Place = tuple[int, int]
MakeMap = Callable[..., dict[str, Any]]
MakeGame = Callable[..., Game]


def _map(
    units: Iterable[tuple[int, str, int, int]] = ((0, "grunt", 0, 0), (1, "grunt", 10, 10)),
    bases: Iterable[tuple[Any, ...]] = (),
    walls: Iterable[Place] = (),
    cover: Iterable[Place] = (),
    void: Iterable[Place] = (),
    width: int = 11,
    height: int = 11,
    **keys: Any,
) -> dict[str, Any]:
    rows = [["."] * width for _ in range(height)]
    for places, kind in ((walls, "#"), (cover, "o"), (void, "_")):
        for x, y in places:
            rows[y][x] = kind
    return {
        "format": "laser_flag_map",
        "version": 1,
        "name": "Test",
        "tiles": ["".join(row) for row in rows],
        "bases": [dict(zip(("x", "y", "owner"), (*base, None)[:3], strict=False)) for base in bases],
        "units": [dict(zip(("player", "class", "x", "y"), unit, strict=True)) for unit in units],
        **keys,
    }


@pytest.fixture
def make_map() -> MakeMap:
    """Build a map file with the named parts. All other tiles are floor."""
    return _map


@pytest.fixture
def make_game() -> MakeGame:
    """Start a game on a map with the named parts. `rules` is the option of this name."""

    def make(*, ruleset: str = "alpha", rules: dict[str, Any] | None = None, **parts: Any) -> Game:
        game = GAME.start({"ruleset": ruleset, "map": _map(ruleset=ruleset, **parts), "rules": rules or {}})
        assert isinstance(game, Game)
        return game

    return make


@pytest.fixture
def act() -> Callable[..., None]:
    """Carry out an action of the active player, which must use exactly the given draws."""

    def carry_out(game: Game, kind: str, unit: str = "", *where: Any, draws: Iterable[int] = ()) -> None:
        script = Scripted(draws)
        game.push(game.active_player, document(kind, unit, *where), script)
        assert script.left == 0

    return carry_out


@pytest.fixture
def refusal() -> Callable[..., str]:
    """Return the code with which an action of the active player is refused."""

    def refuse(game: Game, kind: str, unit: str = "", *where: Any) -> str:
        before = game.to_document()
        with pytest.raises(IllegalAction) as caught:
            game.push(game.active_player, document(kind, unit, *where), Scripted([]))
        assert game.to_document() == before
        return caught.value.code

    return refuse


def document(kind: str, unit: str = "", *where: Any) -> dict[str, Any]:
    if kind == "end_turn":
        return {"type": kind}
    if kind == "fire":
        return {"type": kind, "unit": unit, "target": where[0]}
    return {"type": kind, "unit": unit, "x": where[0], "y": where[1]}
