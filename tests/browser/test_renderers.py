"""What a renderer must keep to, tried with every renderer that is installed, and the default one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from code_blocks import blocks
from shortened import shortened

from arena.game import GameSpec, registry
from arena.study.checks.renderer import contract, write_random_match
from arena.testing import check_renderer
from arena_replays import NoBrowser, Writer
from arena_replays.page import Renderer, read_renderer

View = Callable[..., Any]


def random_match(game: GameSpec, path: Path, actions: int = 250) -> Path:
    write_random_match(game, path, {}, actions=actions)
    return path


@pytest.mark.parametrize("name", registry.names())
@pytest.mark.parametrize("renderer", shortened(["own", "default"]))
def test_every_installed_game_can_be_watched(
    viewer: View, exported: Callable[..., str], tmp_path: Path, name: str, renderer: str
) -> None:
    game = registry.load(name)
    if renderer == "own" and game.viewer is None:
        pytest.skip("it has no renderer of its own")
    own = read_renderer(game.viewer) if renderer == "own" else None
    view = viewer(700, 600).open(exported(random_match(game, tmp_path / "random.arena"), own))
    assert view.do(contract()) == []
    view.shot(f"{name}-{renderer}")


GOOD = "draw() {}, pick: () => null, series: () => [], describe: () => 'Nothing happened.'"


WRONG = """series: () => [{ name: "lead", value: () => NaN }], pick: () => "c1", place: (x, y) => [x, y],
  tell: ({ nothing }) => `It is ${nothing}.`, duration: () => -1, cues: () => [{ sound: "moo" }]"""
BROKEN = [
    "series: lead of player 0 is NaN",
    "pick: there is something outside of the board",
    "pick: f1 is not found where it stands",
    "is described as It is undefined.",
    "lasts -1 ms",
    "cues: there is no sound moo",
]


@pytest.mark.parametrize(
    ("source", "problems"),
    [
        (f"{{ {GOOD}, {WRONG} }}", BROKEN),
        (f"{{ {GOOD}, draw: (_, after) => after.set('x', {{}}) }}", ["draw changes the state"]),
        (f"{{ {GOOD}, draw: (_, after) => after.get('game').hazards.sort() }}", ["read only"]),
        (f"(at = 0, {{ {GOOD}, draw: () => canvas.getContext('2d').fillRect(at++, 0, 9, 9) }})", ["two pictures"]),
    ],
)
def test_the_check_says_what_a_renderer_breaks(
    viewer: View, exported: Callable[..., str], tmp_path: Path, source: str, problems: list[str]
) -> None:
    replay = random_match(registry.load("saloon"), tmp_path / "random.arena", actions=30)
    view = viewer(700, 600).open(exported(replay, f"let at; export const createRenderer = (canvas) => ({source});"))
    found = view.do(contract())
    assert [problem for problem in problems if not any(problem in one for one in found)] == [], found


def test_authors_check_their_renderer_in_a_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = tmp_path / "broken.js"
    game = replace(registry.load("saloon"), viewer=module)
    module.write_text(f"export const createRenderer = () => ({{ {GOOD}, pick: () => 'c1' }});")
    with pytest.raises(AssertionError, match=r"The renderer of Saloon breaks its contract:\npick: there is something"):
        check_renderer(game, actions=30)
    module.write_text("export const createRenderer = () => ({")
    with pytest.raises(AssertionError, match="This replay cannot be shown: SyntaxError"):
        check_renderer(game, actions=30)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("ARENA_BROWSER", raising=False)
    with pytest.raises(NoBrowser, match="checks of renderers need Chromium or Chrome, and none is installed"):
        check_renderer(game, actions=30)


def test_the_renderer_of_the_document_keeps_the_contract(
    viewer: View, exported: Callable[..., str], tmp_path: Path
) -> None:
    source, sounds = blocks(Path(__file__).parents[2] / "docs" / "writing-a-renderer.md", "js")
    cues, method = sounds.strip().splitlines()
    source = f"{cues}\n{source.replace('return {', f'return {{ {method}', 1)}"
    replay = random_match(registry.load("saloon"), tmp_path / "random.arena", actions=60)
    view = viewer(700, 600).open(exported(replay, source))
    assert view.do(contract()) == []
    assert view.do("arena.board.failure") == ""


def test_what_each_player_saw_can_be_looked_at(viewer: View, exported: Callable[..., str], tmp_path: Path) -> None:
    writer = Writer(
        tmp_path / "hidden.arena", {"title": "Cards", "players": [{"name": "Ada"}, {"name": "Bob"}], "streams": 3}
    )
    board = ["game", "+", "Game", "game", "width", 4, "game", "height", 2]
    seen = [*board, "a", "+", "Card", "a", "x", 1, "a", "y", 1, "a", "face", "queen"]
    writer.setup([], [seen, seen, board])
    writer.do(0, {"type": "pass"}, [], [["a", "x", 2], ["a", "x", 2], []], [[], [], []])
    writer.turn(0, 0, 10, None, None, b"12345678")
    writer.finish({})
    view = viewer().open(exported(tmp_path / "hidden.arena", None))
    view.page.keyboard.press("End")
    assert view.do("arena.position.states.at(1).get('a').x") == 2
    view.page.select_option("[aria-label=View]", label="Eyes of Bob")
    assert view.do("arena.position.states.at(1).has('a')") is False
    view.page.keyboard.press("v")
    assert view.do("arena.position.states.at(1).get('a').face") == "queen"
    view.open(view.page.url.split("#")[0] + "#player=1")
    view.page.reload()
    view.page.wait_for_selector("html[data-ready]")
    assert view.do("arena.position.stream") == 2


@pytest.mark.parametrize("name", shortened(["saloon", "derelict", "laser_flag", "snakes"], 2))
def test_the_games_own_renderer_describes_every_event(
    viewer: View, exported: Callable[..., str], renderer_of: Callable[[str], Renderer], tmp_path: Path, name: str
) -> None:
    game = registry.load(name)
    view = viewer().open(exported(random_match(game, tmp_path / "caption.arena", 400), renderer_of(name)))
    untold = view.do(
        """[...arena.position.states.frames].flatMap(({ events }, at) => events
             .filter((event) => arena.board.renderer.tell(event, () => arena.position.states.at(at - 1)) === undefined)
             .map(({ kind }) => kind))"""
    )
    assert untold == []


def test_a_pointer_over_a_thing_shows_a_tip(
    viewer: View, exported: Callable[..., str], renderer_of: Callable[[str], Renderer], two_legs: tuple[Path, Path]
) -> None:
    view = viewer().open(exported(two_legs[0], renderer_of("derelict")) + "#t=3")
    plain = view.picture()
    marine = view.do("[...arena.position.state.values()].find((one) => one.kind === 'marine')")
    view.page.mouse.move(*view.place(marine["x"], marine["y"]))
    view.settle()
    tip = view.page.locator(".stage .tip")
    assert tip.is_visible()
    assert f"{marine['id']} · looks {marine['facing']}" in tip.inner_text()
    assert view.picture() != plain, "the lines of sight of what is under the pointer are drawn"
    box = tip.bounding_box()
    stage = view.page.locator(".stage").bounding_box()
    assert stage["x"] <= box["x"]
    assert box["x"] + box["width"] <= stage["x"] + stage["width"]
    view.page.mouse.move(*view.place(-3, -3))
    view.settle()
    assert not tip.is_visible()
    assert view.picture() == plain


def test_the_turns_list_tells_every_event_and_rolls_take_their_time(
    viewer: View, exported: Callable[..., str], renderer_of: Callable[[str], Renderer], two_legs: tuple[Path, Path]
) -> None:
    view = viewer().open(exported(two_legs[0], renderer_of("derelict")))
    rolled = view.seek_event("event.kind === 'roll' && event.needed && event.target")
    caption = view.page.inner_text("#panel-turn .row.now")
    assert f"rolls {', '.join(map(str, rolled['dice']))} " in caption
    assert f"needs {rolled['needed']}: {'success' if rolled['result'] else 'failure'}" in caption
    assert view.do("arena.playback.pauseOf(arena.position.frame)") >= 700
    assert view.do("arena.playback.pauseOf(0)") == 0


def test_answers_that_make_no_sense_are_left_out(viewer: View, exported: Callable[..., str], match: Path) -> None:
    source = """export const createRenderer = () => ({ draw() {}, pick: () => "c1", place: (x, y) => [x, y],
      tip() { throw new Error("no tip") }, tell: () => "<img src=x onerror=alert(1)>".repeat(99),
      duration: () => "long", roles: () => 7, mark() { throw new Error("no mark") } })"""
    view = viewer().open(exported(match, source))
    view.do("arena.position.seekTurn(60)")
    view.settle()
    assert "<img src=x" in view.page.inner_text("#panel-turn")
    assert view.page.locator("#panel-turn img").count() == 0
    view.page.mouse.move(*(300, 300))
    view.settle()
    assert view.page.inner_text(".stage .tip") == "Cowboy c1"
    assert view.do("arena.playback.pauseOf(arena.position.frame)") == 0


def test_saloon_keeps_the_contract(viewer: View, exported: Callable[..., str], match: Path) -> None:
    view = viewer(700, 600).open(exported(match))
    assert view.do(contract()) == []
    view.do("arena.position.seekTurn(50)")
    view.shot("renderer-own")


def test_a_renderer_that_fails_is_named_and_the_rest_goes_on(
    viewer: View, exported: Callable[..., str], match: Path
) -> None:
    broken = "export const createRenderer = () => ({ draw() { throw new Error('no paint') }, describe() { throw 1 } })"
    view = viewer().open(exported(match, broken))
    view.settle()
    assert "The renderer of this game failed here: Error: no paint" in view.page.inner_text(".notice")
    view.page.keyboard.press("End")
    view.settle()
    assert view.page.locator("#panel-turn .row").count() > 0
