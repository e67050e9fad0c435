"""Laser Flag's renderer: real matches in a real browser, and its sight, ranges and numbers against the rules."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from shortened import shortened

from arena.game import Seeded, registry
from arena_replays.page import Renderer

REPLAYS = Path(__file__).parents[1] / "replays"
View = Callable[..., Any]
Export = Callable[..., str]
Play = Callable[..., Path]

SKIRMISHER = '''
from arena_player import AI


class Skirmisher(AI):
    """Shoots when it can, walks towards enemies or, without a laser, to a base; some keep an action point."""

    wants_legal_actions = True

    def run_turn(self):
        turn, spared = self.game.turn, {unit.id for unit in self.game.units if int(unit.id[1:]) % 2}
        while self.game.turn == turn and self.legal_actions:
            shots = [one for one in self.legal_actions if one["type"].startswith("fire")]
            units = {unit.id: unit for unit in self.game.units}
            moves = [one for one in self.legal_actions if one["type"] == "move"]
            moves = [one for one in moves if units[one["unit"]].ap > 1 + (one["unit"] in spared)]
            if shots:
                self.act(shots[0])
            elif moves:
                self.act(min((one for one in moves if one["unit"] == moves[0]["unit"]), key=self.far))
            else:
                self.act({"type": "end_turn"})

    def far(self, move):
        me = next(unit for unit in self.game.units if unit.id == move["unit"])
        goals = [(base.x, base.y) for base in self.game.bases if me.laser == "deactivated"]
        goals = goals or [(unit.x, unit.y) for unit in self.game.units if unit.player != me.player] or [(7, 7)]
        return min(abs(x - move["x"]) + abs(y - move["y"]) for x, y in goals), move["y"], move["x"]
'''


def skirmish(play: Play, folder: Path, name: str, **options: Any) -> Path:
    """Plays a match between two bots of this test."""
    (folder / "skirmisher.py").write_text(SKIRMISHER)
    bots = [str(folder / "skirmisher.py")] * 2
    return play(folder / f"{name}.arena", *bots, game="laser_flag", seed=3, options=options)


BEAM = """
(() => {
  const only = ({ events }) => events.filter(({ kind }) => kind === "shot").length === 1;
  const isWanted = ({ target, reaction, hit, line }) => target && hit && !reaction && line[2] % 1 === 0;
  const shotIn = ({ events }) => events.find(isWanted);
  const at = arena.replay.streams[0].frames.findIndex((frame) => only(frame) && shotIn(frame));
  const { shooter, target } = shotIn(arena.replay.streams[0].frames[at]);
  const paths = [];
  const g = arena.board.canvas.getContext("2d");
  const { beginPath, lineTo } = CanvasRenderingContext2D.prototype;
  g.beginPath = function () { paths.push([]); beginPath.call(this); };
  g.lineTo = function (x, y) { paths.at(-1).push([x, y]); lineTo.call(this, x, y); };
  arena.board.draw(arena.position.states, at, 1, { ...arena.look, selected: null }, []);
  delete g.beginPath;
  delete g.lineTo;
  const isIn = (id, [x, y]) => {
    const thing = arena.position.states.at(at).get(id);
    const [px, py] = arena.board.renderer.place(thing.x + 0.5, thing.y + 0.5);
    return Math.hypot(x - px, y - py) < 0.01;
  };
  const beams = paths.filter((path) => path.length === 4 && isIn(shooter, path[0]));
  return [beams.length, beams.some((path) => isIn(target, path[3]))];
})()
"""
"""Of a hit whose line of fire ends in a corner of a tile: how many lines draw it, and if they end in the unit."""


@pytest.fixture(scope="module")
def open_match(play: Play, folder: Path) -> Path:
    return skirmish(play, folder, "laser_open", map="granary")


@pytest.fixture(scope="module")
def foggy_match(play: Play, folder: Path) -> Path:
    return skirmish(play, folder, "laser_fog", map="granary", rules={"fog_of_war": True})


@pytest.fixture(scope="module")
def large(play: Play, folder: Path) -> Path:
    return skirmish(play, folder, "laser_large", map="citadel")


@pytest.fixture(scope="module")
def renderer(renderer_of: Callable[[str], Renderer]) -> Renderer:
    return renderer_of("laser_flag")


def test_spectators_see_scores_dice_and_numbers(
    viewer: View, exported: Export, renderer: Renderer, open_match: Path
) -> None:
    view = viewer(1200, 800).open(exported(open_match, renderer))
    assert "0 / 15" in view.words()
    shot = view.seek_event("event.kind === 'shot'")
    assert f"≥{shot['needed']}" in view.words()
    view.do("arena.position.seek(arena.position.last)")
    assert any(" wins " in word for word in view.words())
    assert "wins" in view.page.inner_text(".caption")
    view.shot("laser-flag-end")


def test_a_beam_begins_in_the_shooter_and_ends_in_what_it_hits(
    viewer: View, exported: Export, renderer: Renderer
) -> None:
    view = viewer(1200, 800).open(exported(REPLAYS / "laser_flag-2.arena", renderer))
    view.do("arena.playback.pause()")
    assert view.do(BEAM) == [3, True], "three lines, one over the other"


def test_units_are_picked_by_click_and_show_what_they_could_do(
    viewer: View, exported: Export, renderer: Renderer, open_match: Path
) -> None:
    view = viewer(1200, 800).open(exported(open_match, renderer))
    view.do("arena.position.seekTurn(2)")
    view.settle()
    plain = view.picture()
    for id_, x, y in view.do(
        """[...arena.position.state.values()]
             .filter((one) => one.class === "Unit").map((one) => [one.id, one.x, one.y])"""
    ):
        view.page.mouse.click(*view.place(x, y))
        assert view.do("arena.position.selected") == id_
    assert view.picture() != plain
    view.shot("laser-flag-selected")


def test_a_button_shows_all_watched_tiles(viewer: View, exported: Export, renderer: Renderer, open_match: Path) -> None:
    view = viewer(1200, 800).open(exported(open_match, renderer))
    plain = view.picture()
    x, y = view.do(
        """(() => { for (let y = 0; y < 60; y++) { const x = arena.board.width / 2;
            if (arena.board.renderer.pick(x, y) === "game") return [x, y + 4]; } })()"""
    )
    box = view.page.locator("canvas.board").bounding_box()
    view.page.mouse.click(box["x"] + x, box["y"] + y)
    view.settle()
    assert view.do("arena.position.selected") == "game"
    assert view.picture() != plain
    view.page.mouse.click(box["x"] + x, box["y"] + y)
    view.settle()
    assert view.do("arena.position.selected") is None
    assert view.picture() == plain


def test_fog_hides_units_in_the_view_of_a_player(
    viewer: View, exported: Export, renderer: Renderer, foggy_match: Path
) -> None:
    view = viewer(1200, 800).open(exported(foggy_match, renderer))
    frame, hidden = view.do(
        """(() => { for (let at = 0; at < arena.replay.streams[0].frames.length; at++) {
            const seen = arena.replay.streams[1].at(at);
            const units = [...arena.replay.streams[0].at(at).values()].filter((one) => one.class === "Unit");
            const hidden = units.find((one) => !seen.has(one.id));
            if (hidden) return [at, hidden]; } })()"""
    )
    view.do(f"arena.position.seek({frame})")
    view.settle()
    everything = view.picture()
    there = f"arena.board.renderer.pick(...arena.board.renderer.place({hidden['x']} + 0.5, {hidden['y']} + 0.5))"
    assert view.do(there) == hidden["id"]
    view.do("arena.position.setStream(1)")
    view.settle()
    assert view.picture() != everything
    assert view.do(there) != hidden["id"]
    view.shot("laser-flag-fog")


@pytest.mark.kill  # hundreds of pictures
def test_drawing_depends_on_nothing_else(viewer: View, exported: Export, renderer: Renderer, foggy_match: Path) -> None:
    """The same moment gives the same picture, also around what is looked at and in what a player saw."""
    view = viewer(500, 500).open(exported(foggy_match, renderer))
    assert view.impure() == []


@pytest.mark.parametrize(("width", "height", "dark"), shortened([(390, 844, False), (1920, 1080, True)]))
def test_phone_and_projector(
    viewer: View, exported: Export, renderer: Renderer, large: Path, width: int, height: int, dark: bool
) -> None:
    view = viewer(width, height, dark=dark).open(exported(large, renderer))
    view.do("arena.position.seekTurn(1)")
    view.shot(f"laser-flag-{width}")
    view.assert_fits(21, 21)


@pytest.mark.parametrize("name", shortened(["crossroads", "dockyard", "quarry"]))
def test_sight_ranges_and_numbers_are_those_of_the_rules(
    viewer: View, exported: Export, renderer: Renderer, open_match: Path, name: str
) -> None:
    """The module computes sight, ranges and numbers itself. This compares them with the rules."""
    game = registry.load("laser_flag")
    state: Any = game.start({"map": game.load_map(name)} if game.load_map else {})
    rng, chance = Random(name), Seeded(name)
    positions, shots = [], []
    for _ in range(60):
        actions = state.legal_actions() if state.to_move() else []
        if not actions:
            break
        before = _units(state)
        moves: dict[str, list[int]] = {}
        for action in actions:
            if action["type"] == "move":
                moves.setdefault(action["unit"], []).append(action["y"] * state.width + action["x"])
        positions.append({"units": before, "moves": moves})
        mark = state.push(
            state.to_move()[0], rng.choice([one for one in actions if one["type"] == "fire"] or actions), chance
        )
        own = [event for event in state.events(mark) if event["kind"] == "shot" and not event["reaction"]]
        shots += [{"units": before, **event} for event in own if event["target"]]
    board = state.board
    tiles = [(x, y) for y in range(state.height) for x in range(state.width) if state.terrain[y][x] in ".o"]
    seen = {
        y * state.width + x: sorted(tile.y * state.width + tile.x for tile in board.tiles(board.seen_from(x, y)))
        for x, y in tiles
    }
    rules = json.loads(json.dumps(state.options.rules))
    facts = {"terrain": list(state.terrain), "rules": rules, "seen": seen, "positions": positions, "shots": shots}
    view = viewer().open(exported(open_match, renderer))
    wrong = view.page.evaluate(
        """async ({ terrain, rules, seen, positions, shots }) => {
          const { Hall } = await import("arena/renderer/hall");
          const { reach, partsOf } = await import("arena/renderer/abilities");
          const [hall, wrong] = [new Hall(terrain), []];
          for (const [from, tiles] of Object.entries(seen)) {
            const field = hall.seen(from % hall.width, Math.floor(from / hall.width));
            const floor = (at) => !hall.opaque(at % hall.width, Math.floor(at / hall.width));
            const found = [...field.keys()].filter((at) => field[at] && floor(at));
            if (found.join() !== tiles.join()) wrong.push(`sight of ${from}`);
          }
          for (const { units, moves } of positions) {
            for (const unit of units.filter(({ id }) => moves[id])) {
              const found = [...reach(unit, hall, units, rules).keys()].sort((a, b) => a - b);
              if (found.join() !== moves[unit.id].sort((a, b) => a - b).join()) wrong.push(`range of ${unit.id}`);
            }
          }
          for (const { units, shooter, target, needed } of shots) {
            const find = (id) => units.find((unit) => unit.id === id);
            const sum = partsOf(find(shooter), find(target), rules).reduce((all, [value]) => all + value, 0);
            if (sum !== needed) wrong.push(`${shooter} at ${target}: ${sum}, not ${needed}`);
          }
          return wrong;
        }""",
        facts,
    )
    assert wrong == []
    assert len(positions) > 20


def _units(state: Any) -> list[dict[str, Any]]:
    names = ("player", "unit_class", "x", "y", "elevated", "overwatch_mode")
    return [
        {"id": unit.id, "cover": list(unit.cover), **{name: getattr(unit, name) for name in names}}
        for unit in state.units
    ]
