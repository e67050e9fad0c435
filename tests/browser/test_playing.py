"""People who play in the browser: whole matches by clicks and by keyboard alone, and what a page may not see."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from shortened import shortened

from arena.study.checks.verification import verify

pytestmark = [pytest.mark.process, pytest.mark.browser]

REPLAYS = Path(__file__).parents[1] / "replays"
SHORT = {
    "saloon": ["builtin:pianist", "-o", "max_turns=10"],
    "laser_flag": ["builtin:rookie", "--no-swap", "-o", 'rules={"turn_limit": 2}'],
    "derelict": ["builtin:castaway", "--no-swap", "-o", "turn_limit=1"],
    "snakes": ["builtin:hatchling", "builtin:hatchling", "-o", "size=7"],
}


class Command:
    """A running ``arena play`` with people; `links` are the addresses of their pages."""

    def __init__(self, folder: Path, *words: str, people: int = 1, path: str = "") -> None:
        arena = str(Path(sys.executable).with_name("arena"))
        command = [arena, "play", *words, "--seed", "1", "--no-browser", "--json"]
        pipe = subprocess.PIPE
        environment = os.environ | {"PYTHONPATH": path}
        self.process = subprocess.Popen(command, cwd=folder, env=environment, stdout=pipe, stderr=pipe, text=True)
        assert self.process.stderr is not None
        lines = [self.process.stderr.readline() for _ in range(people)]
        self.links = [line.rsplit(" ", 1)[1].strip() for line in lines]

    def result(self) -> dict[str, Any]:
        out, errors = self.process.communicate(timeout=30)
        assert "Traceback" not in errors, errors
        document: dict[str, Any] = json.loads(out)
        return document


@pytest.fixture
def command(tmp_path: Path) -> Iterator[Callable[..., Command]]:
    started: list[Command] = []

    def start(*words: str, people: int = 1, path: str = "") -> Command:
        started.append(Command(tmp_path, *words, people=people, path=path))
        return started[-1]

    yield start
    for one in started:
        one.process.kill()
        one.process.communicate()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    page = browser.new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda line: problems.append(line.text) if line.type in ("error", "warning") else None)
    yield page
    page.close()
    assert problems == []


def human_clock(folder: Path, bank: int) -> str:
    """Write a file for `--settings` that gives people a clock."""
    path = folder / "settings.toml"
    path.write_text(f"[human_clock]\nbank = {bank}\n")
    return str(path)


def enter(page: Any, link: str) -> None:
    page.goto(link)
    page.wait_for_selector("html[data-ready=true]", state="attached")


STATE = """() => {
  const panel = play.panel, board = panel.board;
  if (document.documentElement.dataset.over) return "over";
  if (!panel.choices.length) return null;
  const box = board.canvas.getBoundingClientRect();
  const state = panel.position.states.at(panel.position.last);
  const point = (x, y) => { const at = board.ask("place", x + 0.5, y + 0.5);
    return at ? [box.left + at[0], box.top + at[1]] : null; };
  return panel.choices.map((choice, at) => {
    const placed = choice.things.map((id) => state.get(id)).find((one) => Number.isInteger(one?.x));
    return {at, from: placed ? point(placed.x, placed.y) : null,
            to: choice.tiles.length ? point(...choice.tiles[0]) : null};
  });
}"""


def moves(page: Any, longest: float = 60.0) -> Iterator[list[dict[str, Any]]]:
    """Yield what can be done, whenever it is this page's move, until the match is over."""
    end = time.monotonic() + longest
    while time.monotonic() < end:
        state = page.evaluate(STATE)
        if state == "over":
            return
        if state:
            yield state
        else:
            time.sleep(0.02)
    raise AssertionError(page.inner_text(".seat"))


def click_through(page: Any, rng: random.Random, longest: float = 60.0) -> int:
    """Play at random by clicks, on the board where a thing goes to a tile. Return how many were on the board."""
    on_board = 0
    for state in moves(page, longest):
        choice = rng.choice(state)
        if choice["from"] and choice["to"]:
            on_board += 1
            page.mouse.click(*choice["from"])
            page.mouse.click(*choice["to"])
            if page.locator(".confirm").is_visible():
                page.locator(".confirm").click()
                continue
            page.keyboard.press("Escape")
        page.locator(".choices button").nth(rng.randrange(min(5, page.locator(".choices button").count()))).click()
    return on_board


LONG = pytest.mark.kill
"""Games that `make test` plays by the other way, by clicks or by keys."""


@pytest.mark.kill  # a whole match by keyboard is played each day
@pytest.mark.parametrize("game", ["laser_flag", pytest.param("saloon", marks=LONG)])
def test_a_whole_match_by_clicks(command: Callable[..., Command], page: Any, tmp_path: Path, game: str) -> None:
    running = command(game, "human", *SHORT[game], "--replay", "m.arena")
    enter(page, running.links[0])
    on_board = click_through(page, random.Random(1))
    result = running.result()
    assert {player["ending"] for player in result["players"]} <= {"won", "lost", "drawn"}
    assert on_board or game == "snakes"
    assert "The match is over: " in page.inner_text(".seat .status")
    assert verify(tmp_path / "m.arena").ok


@pytest.mark.parametrize("game", ["saloon", pytest.param("laser_flag", marks=LONG)])
def test_a_whole_match_by_keyboard_alone(
    command: Callable[..., Command], page: Any, game: str, assert_accessible: Callable[[Any], None], tmp_path: Path
) -> None:
    running = command(game, "human", *SHORT[game], "--replay", "none", "--settings", human_clock(tmp_path, 600))
    enter(page, running.links[0])
    assert_accessible(page)
    for number, state in enumerate(moves(page)):
        if not number:
            assert page.inner_text(".seat .status") == "Turn 1: your move"
            assert page.inner_text("header .clock").startswith(("9:", "10:"))
        if number % 3 == 2 and page.locator(".end").is_visible():
            page.keyboard.press("Escape")
            page.keyboard.press("e")
            continue
        page.keyboard.press("/")
        if number % 3:
            for _ in range(min(number, len(state) - 1)):
                page.keyboard.press("ArrowDown")
        else:
            page.keyboard.type(page.evaluate("play.panel.fitting()[0].words.split(' ')[0]"))
            assert page.locator(".choices button").count() >= 1
        page.keyboard.press("Enter")
    assert {player["ending"] for player in running.result()["players"]} <= {"won", "lost", "drawn"}


@pytest.mark.parametrize("name", shortened(["kuhn_poker", "liars_dice"]))
def test_a_game_without_a_board(command: Callable[..., Command], page: Any, tmp_path: Path, name: str) -> None:
    site = tmp_path / "site"
    (site / "game-1.dist-info").mkdir(parents=True)
    (site / "game-1.dist-info" / "entry_points.txt").write_text(f"[arena.games]\n{name} = installed:GAME\n")
    examples = Path(__file__).parents[2] / "docs" / "examples"
    (site / f"{name}_game.py").write_text((examples / f"{name}_game.py").read_text())
    (site / "installed.py").write_text(f"from {name}_game import spec\nGAME = spec()\n")
    (tmp_path / "first.py").write_text(
        "from arena_player import AI\nclass First(AI):\n    wants_legal_actions = True\n"
        "    def run_turn(self):\n        self.act(self.legal_actions[0])\n"
    )
    running = command(name, "human", "first.py", "--replay", "none", "--sandbox", "none", path=str(site))
    enter(page, running.links[0])
    for _ in moves(page):
        page.locator(".choices button").last.click()
    assert {player["ending"] for player in running.result()["players"]} <= {"won", "lost", "drawn"}


def test_keys_reach_every_tile(command: Callable[..., Command], page: Any) -> None:
    running = command("laser_flag", "human", *SHORT["laser_flag"], "--replay", "none")
    enter(page, running.links[0])
    next(moves(page))
    unit = page.evaluate(
        "[...play.panel.position.states.at(0).values()].find((one) => one.class === 'Unit' && one.player === 0)"
    )
    page.keyboard.press("Shift+ArrowRight")
    for _ in range(unit["x"]):
        page.keyboard.press("Shift+ArrowRight")
    for _ in range(unit["y"]):
        page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Enter")
    titles = page.locator(".choices b").all_inner_texts()
    assert titles
    hint = page.evaluate(
        """async () => {
          const { choices } = await import(new URL("actions.js", document.querySelector("script[src]").src).href);
          const { schema } = play.panel.position.replay;
          return choices([{ type: "end_turn" }], schema, new Map(), () => "words", () => "Ends")[0].argument;
        }"""
    )
    assert hint == "words"  # a renderer's words for an action
    assert {title.split()[1] for title in titles} == {unit["id"]}, "each in the words of the log: Scout u0 moves to"


def test_snakes_are_played_with_the_arrow_keys(command: Callable[..., Command], page: Any) -> None:
    running = command("snakes", "human", *SHORT["snakes"], "--replay", "none")
    enter(page, running.links[0])
    next(moves(page))
    assert page.locator(".transport").is_hidden(), "a running game has no controls of a replay"
    assert page.inner_text(".keys") == "Arrow keys move."
    assert page.locator(".choices b").first.inner_text().startswith("human moves ")
    page.keyboard.press("ArrowUp")
    for _ in moves(page):
        page.keyboard.press("ArrowUp")
    assert page.locator(".transport").is_visible()
    turns = page.evaluate("play.content.allTurns.map(({ number }) => number)")
    assert turns == list(range(1, len(turns) + 1)), "all snakes move in the same turns"
    running.result()


@pytest.mark.kill  # one more match by clicks
def test_reload_resign_and_the_next_leg(command: Callable[..., Command], page: Any) -> None:
    running = command("derelict", "human", "builtin:castaway", "-o", "turn_limit=2", "--replay", "none")
    enter(page, running.links[0])
    next(moves(page))
    page.locator(".choices button").nth(1).click()
    next(moves(page))
    shown = page.evaluate("play.content.actions.length")
    page.reload()
    page.wait_for_selector("html[data-ready=true]", state="attached")
    next(moves(page))
    assert page.evaluate("play.content.actions.length") >= shown > 0
    for _ in range(2):
        page.locator(".resign").click()
    page.locator(".next").click()
    page.wait_for_selector("html[data-ready=true]:not([data-over])", state="attached")
    next(moves(page))
    assert page.evaluate("play.content.me") == 1
    assert page.evaluate("play.content.header.players[1].name") == "human"
    for _ in range(2):
        page.locator(".resign").click()
    endings = [[player["ending"] for player in match["players"]] for match in running.result()["matches"]]
    assert endings == [["resigned", "won"], ["won", "resigned"]]


def test_a_phone_has_the_actions_below_the_board(command: Callable[..., Command], browser: Any, tmp_path: Path) -> None:
    settings = human_clock(tmp_path, 90)
    running = command("saloon", "human", *SHORT["saloon"], "--replay", "none", "--settings", settings)
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    try:
        enter(page, running.links[0])
        state = next(moves(page))
        seconds = int(page.inner_text(".clock").removeprefix("1:"))
        assert 20 <= seconds <= 31, "90 s, and the increment of the first turn"
        page.touchscreen.tap(*state[1]["from"])
        assert page.locator(".choices button").count() == 3
        box = page.locator(".choices").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        page.locator(".choices button").first.tap()
        next(moves(page))
        assert page.evaluate("play.content.actions.length") == 1
    finally:
        context.close()


@pytest.mark.parametrize("turn", shortened([40, 41]))
def test_turns_of_a_match_from_a_position_have_their_numbers(
    command: Callable[..., Command], page: Any, turn: int
) -> None:
    """Player 0 moves in odd turns. With turn 40, the other player moves first."""
    position = f"{REPLAYS / 'saloon.arena'}@{turn}"
    running = command("saloon", "human", "builtin:pianist", "--from", position, "--no-swap", "--replay", "none")
    enter(page, running.links[0])
    next(moves(page))
    assert "Turn 41: your move" in page.inner_text("body")
    page.evaluate("play.send(play.panel.choices.find(({ action }) => action.type === 'call_in'))")
    mine = "play.content.allTurns.find(({ times }) => times.some(({ player }) => player === play.content.me))"
    end = time.monotonic() + 30
    while not page.evaluate(f"Boolean({mine})"):
        assert time.monotonic() < end
    assert page.evaluate(f"{mine}.number") == 41


@pytest.mark.kill  # one more match with two pages
def test_two_people_have_a_secret_link_each(command: Callable[..., Command], browser: Any) -> None:
    running = command("saloon", "human", "human", "-o", "max_turns=2", "--replay", "none", people=2)
    assert len(set(running.links)) == 2
    pages = [browser.new_page() for _ in running.links]
    try:
        for number, (page, link) in enumerate(zip(pages, running.links, strict=True)):
            enter(page, link)
            assert page.evaluate("play.content.me") == number
        for page in pages:
            next(moves(page))
            page.locator(".end").click()
        for page in pages:
            assert list(moves(page)) == []
    finally:
        for page in pages:
            page.close()
    assert [player["name"] for player in running.result()["players"]] == ["human (1)", "human (2)"]


CLICKS = """async () => {
  const panel = play.panel, times = [];
  while (times.length < 40 && !document.documentElement.dataset.over) {
    if (!panel.choices.length) { await new Promise((next) => setTimeout(next, 1)); continue; }
    const before = play.content.actions.length;
    const rows = document.querySelectorAll(".choices button");
    const began = performance.now();
    rows[times.length % rows.length].click();
    while (play.content.actions.length === before && !panel.choices.length)
      await new Promise((next) => setTimeout(next, 0));
    arena.tick(0);
    times.push(performance.now() - began);
  }
  return times;
}"""


@pytest.mark.alone
def test_the_board_shows_a_click_at_once(command: Callable[..., Command], page: Any) -> None:
    running = command("saloon", "human", "builtin:pianist", "--replay", "none")
    enter(page, running.links[0])
    next(moves(page))
    times = sorted(page.evaluate(CLICKS))
    assert len(times) == 40
    assert times[20] < 500, times
