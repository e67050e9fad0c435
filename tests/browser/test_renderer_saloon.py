"""The renderer of Saloon in a real browser: what it tells of a turn, and what is seen first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

View = Callable[..., Any]
Export = Callable[..., str]

STORY = """
(([events, actions, was, score]) => {
  const state = (scores) => new Map([
    ...scores.map((score, index) => [`p${index}`, { id: `p${index}`, class: "Player", index, score }]),
    ["c1", { id: "c1", class: "Cowboy", job: "Brawler", owner: 0 }],
    ["c2", { id: "c2", class: "Cowboy", job: "Bartender", owner: 1 }],
    ["c3", { id: "c3", class: "Cowboy", job: "Brawler", owner: 1 }],
    ["f1", { id: "f1", class: "Furnishing", is_piano: true }],
  ]);
  return arena.board.renderer.describe({ name: "sheriff", player: 0, events, actions,
    before: state(was), after: state(score) });
})
"""
# How much the tiles of pianos and of hazards differ from an empty one: the faintest piano, and the usual hazard.
LOUD = """
(() => {
  const { canvas, renderer, ratio } = arena.board;
  const { data, width } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const { hazards } = arena.position.state.get("game");
  const things = [...arena.position.state.values()].filter(({ x }) => typeof x === "number");
  const taken = [...hazards, ...things.map(({ x, y }) => [x, y])];
  const size = Math.floor(ratio * (renderer.place(1, 0)[0] - renderer.place(0, 0)[0]));
  const dots = ([x, y]) => {
    const [left, top] = renderer.place(x, y).map((at) => Math.round(at * ratio));
    return [...Array(size).keys()].flatMap((row) => {
      const from = 4 * ((top + row) * width + left);
      return [...data.subarray(from, from + 4 * size)];
    });
  };
  const isFree = ([x, y]) => taken.every(([tx, ty]) => Math.hypot(x - tx, y - ty) > 2);
  const floor = [...Array(126).keys()].map((at) => [4 + (at % 14), 2 + Math.floor(at / 14)]);
  const empty = dots(floor.find(isFree));
  const loud = (tile) => dots(tile).reduce((sum, value, at) => sum + Math.abs(value - empty[at]), 0) / empty.length;
  const pianos = things.filter((thing) => thing.is_piano).map(({ x, y }) => loud([x, y]));
  const glass = hazards.map(loud).sort((one, other) => one - other);
  return [Math.min(...pianos), glass[Math.floor(glass.length / 2)]];
})()
"""


def test_the_story_of_a_turn_says_what_happened_and_who_leads(viewer: View, exported: Export, match: Path) -> None:
    view = viewer().open(exported(match))

    def story(events: list[Any], actions: list[Any], was: list[int], score: list[int]) -> str:
        return str(view.page.evaluate(STORY, [events, actions, was, score]))

    play = {"kind": "play", "cowboy": "c1", "piano": "f1"}
    act = {"type": "act", "cowboy": "c1"}
    assert story([], [], [0, 0], [0, 0]) == "sheriff waits. No points yet."
    assert story([play, play], [], [1, 2], [3, 2]) == "sheriff plays 2 pianos. sheriff takes the lead, 3 to 2."
    assert story([play], [], [1, 2], [2, 2]) == "sheriff plays a piano. That makes it level at 2."
    shot = {"kind": "shot", "cowboy": "c1", "direction": "East", "hits": ["c2", "c3"]}
    deaths = [{"kind": "death", "cowboy": one, "cause": "shot"} for one in ("c2", "c3")]
    assert story([shot, *deaths], [act], [5, 2], [5, 2]) == (
        "sheriff shoots Bartender c2 and Brawler c3. Bartender c2 and Brawler c3 of pianist are shot dead. "
        "sheriff leads 5 to 2."
    )
    broken = {"kind": "bottle_broken", "bottle": "b1", "on": "cowboy", "target": "c1"}
    assert story([broken], [act, act], [0, 4], [0, 4]) == (
        "sheriff throws 2 bottles. Brawler c1 of sheriff is drunk now. pianist leads 4 to 0."
    )


@pytest.mark.parametrize("dark", [True, False])
def test_pianos_are_seen_before_hazards(viewer: View, exported: Export, match: Path, dark: bool) -> None:
    view = viewer(1280, 800, dark=dark).open(exported(match))
    view.assert_fits(22, 12)
    piano, hazard = view.do(LOUD)
    assert piano > 2 * hazard
    view.shot(f"saloon-{'dark' if dark else 'light'}")
