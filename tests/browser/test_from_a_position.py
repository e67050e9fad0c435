"""Replays of matches that start from a position: the page shows the numbers that the turns have in the game."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from shortened import shortened

from arena_replays import Reader, Writer

View = Callable[..., Any]
START = 37
STATES = """
(() => {
  const text = (state) => JSON.stringify([...state.keys()].sort().map((id) => Object.entries(state.get(id)).sort()));
  const [one, other] = [arena.position.state, arena.other.states.at(arena.other.frame)];
  return [one.size > 20, text(one) === text(other)];
})()
"""


@pytest.fixture(scope="module")
def later(folder: Path, match: Path, play_programs: Callable[..., Path]) -> Path:
    """A match that starts in turn 37 of another one; the second player plays differently."""
    return play_programs(
        folder / "later.arena", "builtin:sheriff", "builtin:rowdy", "--from", f"{match}@{START}", seed=3
    )


@pytest.fixture(scope="module")
def inside(folder: Path, match: Path, play_programs: Callable[..., Path]) -> Path:
    """A match that starts after two actions of turn 37."""
    return play_programs(
        folder / "inside.arena", "builtin:sheriff", "builtin:rowdy", "--from", f"{match}@{START}.2", seed=3
    )


def last_turn(replay: Path) -> int:
    reader = Reader(replay)
    return int(reader.header.get("start", {}).get("turn", 1)) + len(reader.turns) - 1


def test_an_address_leads_to_the_turn_with_this_number(viewer: View, exported: Callable[..., str], later: Path) -> None:
    view = viewer().open(exported(later) + "#t=40")
    assert view.turn == 40 - START
    assert view.page.inner_text(".turn-head b") == "Turn 40"
    assert view.page.inner_text(".caption").startswith("Turn 40.")
    view.page.keyboard.press("ArrowDown")
    view.until("location.hash === '#t=41'")
    again = viewer().open(view.page.url)
    assert again.turn == 41 - START
    again.do("location.hash = '#t=39&a=1'")
    again.until(f"arena.position.frame === arena.replay.content.allTurns[{39 - START}].first")
    for number in (0, 5, START - 1):
        again.do(f"location.hash = '#t={number}'")
        again.until("arena.position.frame === 0")
        again.do("arena.position.seek(9)")
    again.do("location.hash = '#t=9999'")
    again.until("arena.position.frame === arena.position.last")


def test_controls_timeline_and_charts_agree(viewer: View, exported: Callable[..., str], later: Path) -> None:
    last = last_turn(later)
    view = viewer().open(exported(later) + "#t=40&tab=charts")
    assert view.page.inner_text(".where") == f"turn 40 of {last}"
    slider = view.page.locator("canvas.timeline")
    values = {name: slider.get_attribute(f"aria-value{name}") for name in ("min", "now", "max", "text")}
    assert values == {"min": str(START - 1), "now": "40", "max": str(last), "text": "turn 40"}
    view.page.wait_for_selector(".charts canvas")
    view.do("globalThis.plot = arena.charts.plots[0]")
    view.settle()
    cursor = "Number.parseFloat(arena.charts.lines.get(plot).style.translate)"
    assert view.do(cursor) == pytest.approx(view.do("plot.valToPos(40, 'x')"), abs=1)
    view.do("arena.position.seek(0)")
    view.settle()
    assert slider.get_attribute("aria-valuenow") == str(START - 1)
    assert view.do(cursor) == pytest.approx(view.do(f"plot.valToPos({START}, 'x')"), abs=1)
    assert view.page.inner_text(".caption") == f"The match starts from a position in turn {START}"


def test_a_running_match_names_its_newest_turn(viewer: View, serve: Callable[..., str], later: Path) -> None:
    view = viewer().open(serve(later) + "#t=40")
    view.do("arena.replay.leg.live = arena.following.offered = true, arena.following.show()")
    assert view.page.inner_text("button.live") == f"Go to turn {last_turn(later)}"


def test_a_crash_is_in_the_turn_with_its_number(
    viewer: View, exported: Callable[..., str], folder: Path, match: Path, play_programs: Callable[..., Path]
) -> None:
    bot = Path(__file__).parent / "bots" / "talker.py"  # it crashes in its third turn here
    crash = play_programs(folder / "late_crash.arena", str(bot), "builtin:rowdy", "--from", f"{match}@{START}", seed=3)
    view = viewer().open(exported(crash) + "#t=37&tab=result")
    button = view.page.locator("#panel-result .show-turn")
    assert button.inner_text() == f"crashed in turn {START + 4}: show it"
    view.page.click("#tab-why")
    assert "first in turn 37" in view.page.inner_text("#panel-why")
    view.page.click("text=Show the last turn")
    assert view.page.inner_text(".where") == f"turn {START + 4} of {START + 4}"


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("which", shortened(["inside", "later"]))
def test_two_replays_are_compared_at_the_same_turn(
    viewer: View, serve: Callable[..., str], match: Path, which: str, order: tuple[int, int], request: Any
) -> None:
    branch = request.getfixturevalue(which)
    both = [match, branch]
    url = serve(*[both[at] for at in order])
    view = viewer().open(url + "compare/0/1")
    first = view.page.inner_text(".notice >> nth=0")
    number = int(first.split("part in turn ")[1].split(".")[0])
    assert number == START + 1, "the first player repeats its turn; the second one is another bot"
    view.page.click("text=Show it")
    captions = ".caption >> nth={}"
    view.settle()
    assert [view.page.inner_text(captions.format(at)).split(".")[0] for at in (0, 1)] == [f"Turn {number}"] * 2
    action = 3 if both[order[0]] == match and which == "inside" else 1
    view.do(f"location.hash = '#t={START}&a={action}'")
    turn = f"arena.position.turns[arena.replay.content.indexOf({START})]"
    view.until(f"arena.position.frame === {turn}.first + {action - 1}")
    assert view.do(STATES) == [True, True], "the same action of the same turn"
    view.page.keyboard.press("End")
    view.settle()
    if last_turn(both[order[0]]) >= last_turn(both[order[1]]):
        assert view.do("arena.other.frame") == Reader(both[order[1]]).frame_count() - 1
    view.page.keyboard.press("Home")
    view.settle()
    starts = [f"The match starts from a position in turn {START}", "The start of the game"]
    first, second = (view.page.inner_text(captions.format(at)) for at in (0, 1))
    assert first == starts[order[0] == 0]
    if order == (0, 1):
        assert second == starts[0]
        assert view.do("arena.other.frame") == 0
    else:
        assert second.startswith(f"Turn {START - 1}.")
        assert view.do(STATES) == [True, True]


def test_a_number_without_a_turn_leads_to_the_turn_that_holds_its_actions(
    viewer: View, exported: Callable[..., str], tmp_path: Path
) -> None:
    """A player who has left is not asked, so the file has no entry for the player's turn."""
    writer = Writer(tmp_path / "left.arena", {"game": "dice", "players": [{"name": name} for name in "ABC"]})
    writer.setup([], [["game", "+", "Game", "game", "turn", 0]])
    for number in (0, 1, 2, 3):
        writer.do(number % 3, {"type": "bid"}, [], [["game", "turn", number + 1]], [[]])
        if number != 2:
            writer.turn(number, number % 3, 1000, None, None, bytes(8))
    writer.abandon()
    view = viewer().open(exported(tmp_path / "left.arena", renderer=None) + "#t=3")
    assert view.page.inner_text(".where") == "turn 4 of 4"
    view.do("location.hash = '#t=2'")
    view.until("arena.position.turn === 1")
    view.page.keyboard.press("ArrowDown")
    view.until("location.hash === '#t=4'")
    assert view.page.inner_text(".turn-head b") == "Turn 4"
