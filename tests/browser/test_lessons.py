"""What the page of a lost match teaches: who was ahead, the dear turns, one lesson at a time, the better orders."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.study.coach.page import embedded
from arena.study.coach.stored import save
from arena_replays import Reader
from arena_replays.export import html_of

View = Callable[..., Any]

LOSER = 1
DEAR, CHEAP = 30, 52
"""Turns of the loser, in the match of Saloon that tests share."""


def price(value: float) -> dict[str, float]:
    return {"value": value, "low": value - 0.04, "high": value + 0.05}


def explanation(replay: Path, **changes: Any) -> dict[str, Any]:
    """Return a small explanation in the form of `arena explain`: a dear lesson and a cheap one."""
    reader = Reader(replay)
    turns = [reader.number_of(turn.index) for turn in reader.turns]
    names = [player["name"] for player in reader.header["players"]]
    row = {"low": 0.4, "high": 0.6, "playouts": 8}
    unit = next(
        entry[2]["cowboy"] for entry in reader.truth if list(entry[:2]) == ["do", LOSER] and "cowboy" in entry[2]
    )
    lesson = {"player": LOSER, "kind": "idle", "count": 1, "recovered": False, "better": None, "units": [unit]}
    dear = {"from_turn": DEAR, "to_turn": DEAR, "text": "You let c1 stand idle.", "price": price(0.31)}
    cheap = {
        "from_turn": CHEAP,
        "to_turn": CHEAP + 2,
        "text": "You fired at a table.",
        "price": price(0.08),
        "count": 3,
        "recovered": True,
    }
    better = [{"type": "move", "cowboy": unit, "x": 5, "y": 5}]
    commands = [f"arena view lost.arena@{DEAR}", "arena play saloon human builtin:sheriff", "a third one"]
    return {
        "game": "saloon",
        "players": [{"name": name, "ending": ending} for name, ending in zip(names, ("won", "lost"), strict=True)],
        "outcome": reader.outcome,
        "turns": len(turns),
        "lessons": [lesson | dear | {"better": better, "commands": commands}, lesson | cheap],
        "fall": [
            None,
            {
                "from_turn": 20,
                "to_turn": 24,
                "certain": True,
                "before": price(0.6),
                "after": price(0.2),
                "words": ["Bang."],
            },
        ],
        "win": [[{"turn": turn, "before": 0.5, "after": 0.5, **row} for turn in turns] for _ in names],
        "numbers": [{"player": LOSER, "words": "Cowboys in turn 32", "own": 2, "others": 6}],
        "playouts": {"bot": "sheriff", "others": ["pianist"], "count": 1472},
        "stage": "",
        "summary": ["", "You let c1 stand idle."],
    } | changes


@pytest.fixture
def lost(match: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(match, tmp_path / "lost.arena"))


def test_a_loss_opens_on_its_dearest_mistake_and_gives_one_lesson_at_a_time(
    viewer: View, serve: Callable[..., str], lost: Path
) -> None:
    save(explanation(lost), lost)
    view = viewer().open(serve(lost))
    view.until("arena.playback.playing || arena.position.turn > 0")
    assert view.turn < DEAR, "it plays from just before the mistake"
    view.until(f"arena.position.turn === {DEAR - 1} && !arena.playback.playing")
    card = view.page.locator("#panel-why article")
    text = card.inner_text()
    assert "Lesson 1 of 2" in text
    assert "??You let c1 stand idle." in text
    assert "That cost 31 % (27 to 36) win probability, if sheriff plays on for both." in text
    assert "table" not in text, "one lesson at a time"
    assert card.locator("details.numbers").get_attribute("open") is None
    assert card.locator(".try").count() == 2
    assert view.do("arena.board.advice.length") == 1, "the better order is an arrow"
    card.locator(".next").click()
    view.until(f"arena.position.turn === {CHEAP + 1} && !arena.playback.playing")
    assert "(4 to 13) win probability, on average of 3 times, if sheriff plays on for both." in card.inner_text()
    assert "Later it stood as well again." in card.inner_text()
    assert view.do("arena.board.advice.length") == 0
    card.locator(".next").click()
    assert "Lesson 1 of 2" in card.inner_text()


def test_turns_are_marked_in_the_list_and_on_the_graph(viewer: View, serve: Callable[..., str], lost: Path) -> None:
    save(explanation(lost), lost)
    view = viewer(reduced_motion="reduce").open(serve(lost) + "#t=1")
    view.until("arena.timeline.drawn.some(({ kind }) => kind === 'lesson')")
    view.settle()
    marks = view.page.locator("#panel-turn .marked")
    assert marks.all_inner_texts() == [f"{DEAR} ??", f"{CHEAP} ?"]
    marks.nth(1).click()
    view.until(f"arena.position.turn >= {CHEAP - 1}")
    x, y = view.do("(({ x, row }) => [x, 6 + 10 * row])(arena.timeline.places.find(({ mark }) => mark.sign === '??'))")
    view.page.locator("canvas.timeline").click(position={"x": x, "y": y})
    view.until(f"arena.position.turn === {DEAR - 1}")
    assert "?? 31 %: You let c1" in view.page.inner_text("#panel-turn .cost")
    tip = view.page.inner_text(".timeline-box .tip")
    assert "to win: sheriff 50 %, pianist 50 %" in tip
    assert view.page.locator(".advantage.unsure").count() == 0, "playouts have confirmed it"


def test_the_estimate_of_the_game_is_there_at_once_in_a_page_of_its_own(
    viewer: View, saloon: Any, lost: Path, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    page.write_text(html_of(lost, saloon, [embedded(lost)]))
    view = viewer().open(page.as_uri())
    view.settle()
    bar = view.page.locator(".advantage.unsure")
    assert "as the game estimates it, without playouts: sheriff 54 %" in bar.get_attribute("title")
    board, above = (view.page.locator(name).bounding_box() for name in ("canvas.board", ".advantage"))
    assert above["y"] + above["height"] <= board["y"], "it covers nothing of the board"
    view.page.keyboard.press("End")
    view.settle()
    assert bar.inner_text() == "100 %"
    assert view.page.locator(".marked").count() == 0


def test_without_a_lesson_the_fall_is_told_and_what_is_not_complete_says_so(
    viewer: View, serve: Callable[..., str], lost: Path
) -> None:
    save(explanation(lost, lessons=[], stage="curve"), lost)
    view = viewer().open(serve(lost))
    card = view.page.locator("#panel-why article")
    card.get_by_text("Provisional").wait_for()
    text = card.inner_text()
    assert "Turns 20 to 24" in text
    assert "60 % (56 to 65) → 20 % (16 to 25)" in text
    assert "Bang." in text
    assert view.turn == -1, "without a dear mistake, the match begins at its start"


END = "play.request.legal_actions.findIndex(({ type }) => type === 'end_turn')"


def test_a_better_turn_is_tried_by_hand_and_a_pair_of_playouts_is_shown(
    viewer: View, explaining: Callable[[Path], str], lost: Path
) -> None:
    document = explanation(lost)
    document["lessons"][0]["instead"] = {"actions": [{"type": "end_turn"}], "words": ["ends turn"]}
    save(document, lost)
    view = viewer().open(explaining(lost) + "#tab=why")
    view.page.click("text=Find a better turn")
    link = view.page.locator(".practice a")
    link.wait_for()
    assert link.inner_text() == f"Play turn {DEAR} here"
    seat = viewer()
    seat.page.goto(link.get_attribute("href"))
    seat.until("window.play?.request")
    seat.do(f"play.socket.send(JSON.stringify({{ seq: play.request.seq, number: {END} }}))")
    view.until("/Your turn is .* what was played: .* %/.test(document.querySelector('.practice').innerText)")
    view.page.click("text=Show a pair")
    link.wait_for()
    view.open(link.evaluate("(link) => link.href"))
    assert view.page.locator("canvas.board").count() == 2
    assert f"The two matches part in turn {DEAR}." in view.page.inner_text(".notice")


def test_without_a_server_the_command_for_it_is_named(viewer: View, serve: Callable[..., str], lost: Path) -> None:
    save(explanation(lost), lost)
    view = viewer().open(serve(lost) + "#tab=why")
    command = view.page.locator(".point .try").first
    command.wait_for(state="attached")
    assert command.text_content() == f"arena play saloon builtin:sheriff human --from {lost}@{DEAR}"
