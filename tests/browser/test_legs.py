"""Both legs of a match on one page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena_replays import Reader, Writer
from arena_replays.legs import are_legs, as_matches
from arena_replays.page import Renderer

View = Callable[..., Any]
Legs = tuple[Path, Path]


@pytest.fixture(scope="module")
def derelict(renderer_of: Callable[[str], Renderer]) -> Renderer:
    return renderer_of("derelict")


def written(folder: Path, header: Any, seed: int | str | None) -> Reader:
    """Return a replay with this header and seed; without an end if the seed is None."""
    writer = Writer(folder / "written.arena", {**header, "streams": 1})
    if seed is None:
        writer.abandon()
    else:
        writer.finish({"seed": seed})
    return Reader(writer.path)


def test_two_replays_are_recognized_as_one_match(
    two_legs: Legs, match: Path, other_match: Path, tmp_path: Path
) -> None:
    one, two = map(Reader, two_legs)
    assert are_legs(one, two)
    assert not are_legs(one, one)
    names = [{**one.header["players"][0], "name": name} for name in ("a", "a 2")]
    twin = written(tmp_path, {**one.header, "players": names}, 3)
    assert are_legs(twin, twin), "a bot against itself is named by its seat"
    assert are_legs(one, written(tmp_path, two.header, one.seed))
    assert not are_legs(one, written(tmp_path, two.header, 4))
    cut = written(tmp_path, two.header, None)
    assert not are_legs(one, cut)
    assert not are_legs(cut, cut), "an unknown seed is equal to no other"
    paths = [match, *two_legs, other_match]
    assert as_matches(paths, lambda header: 2) == [(match,), two_legs, (other_match,)]
    assert as_matches(paths, lambda header: 1) == [(path,) for path in paths]


def test_one_page_says_who_won_the_match_and_why(
    viewer: View, exported: Callable[..., str], derelict: Renderer, two_legs: Legs
) -> None:
    view = viewer().open(exported(two_legs, renderer=derelict))
    scores = [[player["score"] for player in (Reader(path).footer or {})["players"]] for path in two_legs]
    card = view.page.locator(".match")
    rows = [row.split("\t") for row in card.locator("tbody tr").all_inner_texts()]
    assert [row[0].strip() for row in rows] == ["veteran", "castaway"]
    assert [int(cell.split("\n")[0]) for cell in rows[0][1:3]] == [scores[0][0], scores[1][1]]
    assert [cell.split("\n")[1] for cell in rows[0][1:3]] == ["marines", "aliens"]
    assert [cell.split("\n")[1] for cell in rows[1][1:3]] == ["aliens", "marines"]
    assert "veteran wins the match" in card.inner_text()
    assert card.evaluate("(card) => card.scrollWidth <= card.clientWidth")
    assert view.page.get_attribute("#tab-result", "aria-selected") == "true"


def test_a_void_leg_does_not_count(
    viewer: View, exported: Callable[..., str], derelict: Renderer, two_legs: Legs, tmp_path: Path
) -> None:
    voided = []
    for path in two_legs:
        reader = Reader(path)
        writer = Writer(tmp_path / path.name, {**reader.header, "streams": 1})
        writer.setup(reader.truth[0][1], [next(reader.frames())[0]])
        players = [{**player, "ending": "void", "score": 50} for player in (reader.footer or {})["players"]]
        writer.finish({"outcome": {"winner": None, "reason": "host_late"}, "players": players})
        voided.append(tmp_path / path.name)
    view = viewer().open(exported((voided[0], two_legs[1]), renderer=derelict))
    card = view.page.locator(".match").inner_text()
    assert "Leg 1: host late; void, does not count" in card
    scores = [player["score"] for player in (Reader(two_legs[1]).footer or {})["players"]]
    rows = [row.split("\t") for row in view.page.locator(".match tbody tr").all_inner_texts()]
    assert [row[1].split("\n")[0] for row in rows] == ["–", "–"]
    assert [int(row[3].split("\n")[0]) for row in rows] == scores[::-1]
    assert view.page.locator(".result > h2").inner_text() == "Leg 1 is void and does not count"
    view = viewer().open(exported(tuple(voided), renderer=derelict))
    assert view.page.locator(".match h2").inner_text() == "No result"


def test_the_switch_works_by_click_key_and_address(
    viewer: View, serve: Callable[..., str], derelict: Renderer, two_legs: Legs
) -> None:
    view = viewer().open(serve(two_legs, renderer=derelict))
    names = [[player["name"] for player in Reader(path).header["players"]] for path in two_legs]
    shown = lambda: view.page.locator(".score bdi").all_inner_texts()  # noqa: E731
    colors = lambda: view.do("Object.fromEntries(arena.replay.players.map(({ name, color }) => [name, color]))")  # noqa: E731
    view.settle()
    assert shown() == names[0]
    own = colors()
    view.page.click("text=Leg 2 >> nth=0")
    view.settle()
    assert shown() == names[1] == names[0][::-1]
    assert view.do("document.activeElement.textContent") == "Leg 2"
    view.until("location.hash.startsWith('#leg=2&')")
    assert colors() == own, "who has changed the seat keeps the colour"
    view.page.keyboard.press("l")
    view.settle()
    assert shown() == names[0]
    view.do("location.hash = '#leg=2&t=2'")
    view.until("arena.legs.number === 1")
    assert view.do("arena.replay.content.allTurns[arena.position.turn].number") == 2
    view.page.keyboard.press("ArrowDown")
    view.until("location.hash === '#leg=2&t=3'")
    view.do("arena.playback.setSpeed(8)")
    view.page.keyboard.press("l")
    view.until("arena.legs.number === 0 && arena.playback.speed === 8")
    assert view.page.locator("canvas.board").count() == 1


def test_play_goes_on_into_the_second_leg(
    viewer: View, exported: Callable[..., str], derelict: Renderer, two_legs: Legs
) -> None:
    view = viewer().open(exported(two_legs, derelict))
    view.do("arena.position.seek(arena.position.last - 1)")
    view.page.keyboard.press("Space")
    view.until("arena.legs.number === 1 && arena.playback.playing && arena.position.frame > 0")


def test_both_legs_stand_side_by_side_on_request(
    viewer: View, exported: Callable[..., str], derelict: Renderer, two_legs: Legs
) -> None:
    view = viewer().open(exported(two_legs, renderer=derelict) + "#leg=1&t=4")
    view.page.click("[aria-label='Both legs side by side']")
    view.settle()
    assert view.page.locator("canvas.board").count() == 2
    assert view.turn == 3 or view.do("arena.replay.content.allTurns[arena.position.turn].number") == 4
    assert view.page.locator(".notice:visible").count() == 0
    view.shot("legs-side-by-side")
    view.page.keyboard.press("b")
    assert view.page.locator("canvas.board").count() == 1


def test_one_file_holds_both_legs(
    viewer: View, exported: Callable[..., str], derelict: Renderer, two_legs: Legs
) -> None:
    view = viewer(390, 844, offline=True, has_touch=True, is_mobile=True)
    url = exported(two_legs, derelict)
    view.open(url + "#leg=2&t=2")
    assert view.do("arena.legs.number") == 1
    view.page.tap(".more")
    view.page.tap("text=Leg 1 >> nth=0")
    assert view.do("arena.legs.number") == 0
    view.shot("legs-phone")
    assert view.do("document.documentElement.scrollWidth <= 390"), "nothing may stick out on a phone"
    replays = sum(path.stat().st_size for path in two_legs) * 4 / 3
    assert Path(url.removeprefix("file://")).stat().st_size - replays <= 400_000
