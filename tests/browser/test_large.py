"""The viewer opens and seeks a match of 200 units a side and 500 turns, and a match of very many actions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from arena.play.memory import MatchInMemory
from arena_replays import Writer

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
View = Callable[..., Any]

SEEK = """
(async (at) => {
  const begun = performance.now();
  arena.position.seek(at);
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - begun;
})
"""


@pytest.mark.kill  # a large match is recorded
def test_a_match_of_200_units_a_side_opens_and_seeks_at_once(
    viewer: View, exported: View, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(EXAMPLES)
    import frontier_game

    rng, path = Random(1), tmp_path / "frontier.arena"
    match = MatchInMemory(frontier_game.spec(), [None, None], seed=1, replay=path)
    while match.player is not None:
        (form,) = match.legal_actions(match.player)
        orders = [rng.choice(group) for group in form["orders"]["choices"]]
        match.act(match.player, {"type": "march", "orders": orders})
    url = exported(path, None)
    opened = []
    for _ in range(3):
        view = viewer().open(url)
        opened.append(view.do("performance.now()"))
    assert view.do("arena.position.last") == 500
    sought = sorted(view.do(f"{SEEK}({at})") for at in (499, 10, 321, 222, 480, 77, 150, 404, 33))
    print(f"opened in {min(opened):.0f} ms, sought in {sought[len(sought) // 2]:.0f} ms, at most {sought[-1]:.0f} ms")
    assert min(opened) <= 4500
    assert sought[len(sought) // 2] <= 300
    units = view.do(
        "arena.position.seek(500), [...arena.position.state.values()].filter((one) => one.owner === 0).length"
    )
    assert units == sum(unit.owner == 0 for unit in match.state.units)


def test_a_long_match_is_decoded_where_it_is_looked_at(viewer: View, exported: View, tmp_path: Path) -> None:
    path, actions = tmp_path / "long.arena", 100_000
    writer = Writer(path, {"game": "toy", "title": "Toy", "players": [{"name": "a"}, {"name": "b"}]})
    names = [f"u{number}" for number in range(50)]
    writer.setup([], [[part for name in names for part in (name, "+", "Unit", name, "x", 0, name, "y", 0)]])
    for at in range(actions):
        name = names[at * 7 % 50]
        writer.do(at % 2, {"type": "move", "unit": name}, [], [[name, "x", at % 10, name, "y", at]], [[]])
        if at % 20 == 19:
            writer.turn(at // 20, at // 20 % 2, 1000, None, None, at.to_bytes(8, "little"))
    writer.finish({"outcome": {"winner": 0, "reason": "over"}, "players": [{}, {}]})
    view = viewer().open(exported(path, None))
    assert view.do("arena.position.last") == actions
    for at in (99_999, 3, 54_321):
        view.do(f"arena.position.seek({at})")
        assert view.do(f"arena.position.state.get('{names[(at - 1) * 7 % 50]}').y") == at - 1
        action = view.do(f"arena.replay.content.actions[{at - 1}]")
        assert action[1] == {"type": "move", "unit": names[(at - 1) * 7 % 50]}
    view.page.click("#tab-charts")
    view.settle()
    kept = view.do("[arena.replay.content.kept.cost, arena.replay.streams[0].snapshots.size]")
    assert kept[0] <= 4_000_000
    assert kept[1] <= 64
