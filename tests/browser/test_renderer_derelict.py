"""Derelict's renderer: real matches in a real browser, and what its marines see against the rules."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from shortened import shortened

from arena.game import Seeded, registry
from arena_replays.page import Renderer

View = Callable[..., Any]
Export = Callable[..., str]
Play = Callable[..., Path]


BOTS = ("builtin:veteran", "builtin:veteran")


@pytest.fixture(scope="module")
def burnt(play: Play, folder: Path) -> Path:
    return play(folder / "burnt.arena", *BOTS, game="derelict", seed=3, options={"mission": "pump_station"})


@pytest.fixture(scope="module")
def large(play: Play, folder: Path) -> Path:
    return play(folder / "large.arena", *BOTS, game="derelict", seed=3, options={"mission": "long_dark"})


@pytest.fixture(scope="module")
def renderer(renderer_of: Callable[[str], Renderer]) -> Renderer:
    return renderer_of("derelict")


CONTACTS = """
[...arena.position.state.values()].filter((one) => one.kind === "blip").map((one) => one.count)
"""


def test_spectators_see_rolls_fire_and_the_end(viewer: View, exported: Export, renderer: Renderer, burnt: Path) -> None:
    view = viewer(1200, 800).open(exported(burnt, renderer))
    rolled = view.seek_event("event.kind === 'roll' && event.label === 'shoot'")
    words = view.words()
    assert f"≥{rolled['needed']}" in words
    assert ("✓" if rolled["result"] else "✗") in words
    view.seek_event("event.kind === 'flames'")
    view.shot("derelict-fire")
    view.do("arena.position.seek(arena.position.last)")
    assert "marines win: the objective burns" in view.words()
    assert "The marines win: the objective burns." in view.page.inner_text(".caption")


def test_the_number_behind_a_contact_is_for_spectators_only(
    viewer: View, exported: Export, renderer: Renderer, burnt: Path
) -> None:
    view = viewer(1200, 800).open(exported(burnt, renderer))
    view.do("arena.position.seekTurn(4)")
    view.settle()
    counts = view.do(CONTACTS)
    assert counts
    everything, words = view.picture(), view.words()
    assert "?" not in words
    assert all(str(count) in words for count in counts)
    view.do("arena.position.setStream(1)")
    view.settle()
    assert view.do(CONTACTS) == [None] * len(counts)
    assert view.words().count("?") == len(counts)
    assert view.picture() != everything
    view.shot("derelict-marines")


def test_units_and_doors_are_picked_by_click(viewer: View, exported: Export, renderer: Renderer, burnt: Path) -> None:
    view = viewer(1200, 800).open(exported(burnt, renderer))
    view.seek_event("event.kind === 'overwatch_shot'")
    plain = view.picture()
    things = view.do(
        """[...arena.position.state.values()].filter(({ x }) => Number.isFinite(x))
             .map((one) => [one.id, one.class, one.x, one.y])"""
    )
    units = {(x, y) for _, name, x, y in things if name == "Unit"}
    for id_, name, x, y in things:
        view.page.mouse.click(*view.place(x, y))
        assert view.do("arena.position.selected") == id_ or (name == "Door" and (x, y) in units)
    view.do("arena.position.select('m1')")
    assert view.picture() != plain
    view.shot("derelict-selected")


@pytest.mark.kill  # hundreds of pictures
def test_drawing_depends_on_nothing_else(viewer: View, exported: Export, renderer: Renderer, burnt: Path) -> None:
    """The same moment gives the same picture, also around what is looked at and in what a player saw."""
    view = viewer(500, 500).open(exported(burnt, renderer))
    assert view.impure() == []


@pytest.mark.parametrize(("width", "height", "dark"), shortened([(390, 844, False), (1920, 1080, True)]))
def test_phone_and_projector(
    viewer: View, exported: Export, renderer: Renderer, large: Path, width: int, height: int, dark: bool
) -> None:
    view = viewer(width, height, dark=dark).open(exported(large, renderer))
    view.do("arena.position.seekTurn(3)")
    view.shot(f"derelict-{width}")
    view.assert_fits(37, 27)


@pytest.mark.parametrize("mission", shortened(["crossways", "pump_station", "long_dark"]))
def test_marines_see_what_the_rules_say(
    viewer: View, exported: Export, renderer: Renderer, burnt: Path, mission: str
) -> None:
    """The module computes sight itself. This compares it with the rules, with doors, units and flames in the way."""
    game = registry.load("derelict")
    assert game.load_map is not None
    state: Any = game.start({"mission": game.load_map(mission)})
    rng, chance = Random(mission), Seeded(mission)
    positions = []
    for step in range(400):
        if not state.to_move():
            break
        if step % 5 == 0:
            positions.append(_position(state))
        actions = state.legal_actions()
        state.push(state.to_move()[0], rng.choice([one for one in actions if one["type"] != "pass"] or actions), chance)
    view = viewer().open(exported(burnt, renderer))
    wrong = view.page.evaluate(
        """async (positions) => {
          const { Sight } = await import("arena/renderer/sight");
          const wrong = [];
          positions.forEach(({ game, things, seen }, at) => {
            const sight = new Sight(game, new Map(things.map((thing) => [thing.id, thing])));
            for (const [id, cells] of Object.entries(seen)) {
              const found = sight.seen(things.find((thing) => thing.id === id));
              if (found.join() !== cells.join()) wrong.push(`${id} in position ${at}`);
            }
          });
          return wrong;
        }""",
        positions,
    )
    assert wrong == []
    assert sum(len(cells) for position in positions for cells in position["seen"].values()) > 100


def _position(state: Any) -> dict[str, Any]:
    """A state as the renderer gets it, and what the rules say that each marine sees of the corridors."""
    names = ("id", "kind", "x", "y", "facing")
    units = [{"class": "Unit", **{name: getattr(unit, name) for name in names}} for unit in state.units]
    doors = [{"class": "Door", "id": door.id, "x": door.x, "y": door.y, "open": door.open} for door in state.doors]
    game = {
        "width": state.width,
        "height": state.height,
        "cells": state.cells,
        "flames": [list(at) for at in state.flames],
    }
    tiles = [(x, y) for y in range(state.height) for x in range(state.width) if state.cells[y * state.width + x] == "."]
    seen = {
        unit.id: [y * state.width + x for x, y in tiles if state.pieces.is_seen(unit, x, y)]
        for unit in state.units
        if unit.kind == "marine"
    }
    return {"game": game, "things": [*units, *doors], "seen": seen}
