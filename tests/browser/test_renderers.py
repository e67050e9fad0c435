"""What a renderer must keep to, tried with every renderer that is installed, and the default one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from code_blocks import blocks
from shortened import shortened

from arena.game import GameSpec, Seeded, registry
from arena_replays import Writer
from arena_replays.page import Renderer, read_renderer

View = Callable[..., Any]

CONTRACT = r"""
(async () => {
  const known = new Set(Object.keys((await import("arena/synth")).SOUNDS));
  const { renderer } = arena.board;
  const problems = [];
  const must = (fine, what) => fine || problems.push(what);
  const { frames } = arena.position.states;
  const look = { dark: true, still: false, selected: null, width: arena.board.width, height: arena.board.height };
  const g = arena.board.canvas.getContext("2d");
  const picture = (at, fraction) => {
    g.setTransform(arena.board.ratio, 0, 0, arena.board.ratio, 0, 0);
    g.clearRect(0, 0, look.width, look.height);
    const [before, after] = [arena.position.states.at(at - 1), arena.position.states.at(at)];
    renderer.draw(before, after, fraction, frames[at].events, { ...look, beat: at + fraction });
    return arena.board.canvas.toDataURL();
  };
  for (let at = 1; at < frames.length; at += Math.max(1, Math.floor(frames.length / 40))) {
    const before = JSON.stringify([...arena.position.states.at(at)]);
    const one = picture(at, 0.4);
    picture(Math.max(1, frames.length - at), 0.9);
    must(picture(at, 0.4) === one, `drawing frame ${at} twice gives two pictures`);
    must(JSON.stringify([...arena.position.states.at(at)]) === before, `drawing frame ${at} changes the state`);
  }
  picture(frames.length - 1, 1);
  const last = arena.position.states.at(frames.length - 1);
  for (const thing of last.values()) {
    if (!Number.isFinite(thing.x) || !Number.isFinite(thing.y)) continue;
    const found = last.get(renderer.pick(...renderer.place(thing.x + 0.5, thing.y + 0.5)));
    must(found && found.x === thing.x && found.y === thing.y, `${thing.id} cannot be picked`);
    const tip = renderer.tip?.(thing.id, last) ?? "";
    must(typeof tip === "string" && tip.length <= 300, `the tip of ${thing.id} is ${tip}`);
  }
  frames.forEach(({ events }, at) => events.forEach((event) => {
    const caption = renderer.tell?.(event, () => arena.position.states.at(at - 1)) ?? "";
    must(typeof caption === "string" && caption.length <= 300, `${event.kind} is described as ${caption}`);
    must(!/undefined|null|NaN|\[object/.test(caption), `${event.kind} is described as ${caption}`);
    const cues = arena.board.cuesOf(arena.position.states, at);
    must(cues.every(({ sound }) => !sound || known.has(sound)), `${event.kind} sounds like ${JSON.stringify(cues)}`);
    const time = renderer.duration?.(event) ?? 0;
    must(time >= 0 && time <= 6000, `${event.kind} lasts ${time}`);
  }));
  const roles = renderer.roles?.() ?? [];
  must(roles.every((role) => typeof role === "string"), `roles are ${roles}`);
  must(renderer.pick(-50, -50) === null, "there is something outside the board");
  for (const series of renderer.series()) {
    must(typeof series.name === "string", "a series has no name");
    for (const state of [arena.position.states.at(0), last]) {
      for (const player of arena.replay.players) {
        const value = series.value(state, player.index);
        must(value === null || Number.isFinite(value), `${series.name} of ${player.index} is ${value}`);
      }
    }
  }
  for (const turn of [0, arena.replay.content.turns.length - 1]) {
    arena.caption.describe(turn);
    must(arena.caption.node.textContent.length > 10, `turn ${turn} is not described`);
  }
  return problems;
})()
"""


def random_match(game: GameSpec, path: Path, actions: int = 250) -> Path:
    """A replay of random play."""
    rng = Random(game.name)
    chance = Seeded("browser")
    state = game.start({}, chance)
    observers = [None, *(range(game.players) if state.hides_information() else ())]
    players = [{"name": f"Random {number}"} for number in range(game.players)]
    head = {"game": game.name, "title": game.title, "version": game.version, "players": players}
    writer = Writer(path, {**head, "schema": game.schema(), "streams": len(observers)})
    writer.setup([], [state.view(observer) for observer in observers])
    for _ in range(actions):
        if not state.to_move():
            break
        player, turn = state.to_move()[0], state.turn_number()
        action = rng.choice(state.legal_actions(player))
        mark = state.push(player, action, chance)
        deltas = [state.delta(mark, observer) for observer in observers]
        writer.do(player, action, [], deltas, [state.events(mark, observer) for observer in observers])
        if player not in state.to_move() or state.turn_number() != turn:
            writer.turn(turn, player, rng.randrange(5000), None, None, b"12345678")
    writer.finish({"outcome": {"winner": None}})
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
    assert view.do(CONTRACT) == []
    view.do("arena.position.seek(arena.position.last * 0.7)")
    view.shot(f"{name}-{renderer}")
    for stream in range(view.do("arena.replay.streams.length")):
        view.do(f"arena.position.setStream({stream})")
        view.settle()
    assert view.do("arena.board.failure") == ""


def test_the_renderer_of_the_document_keeps_the_contract(
    viewer: View, exported: Callable[..., str], tmp_path: Path
) -> None:
    source, sounds = blocks(Path(__file__).parents[2] / "docs" / "writing-a-renderer.md", "js")
    cues, method = sounds.strip().splitlines()
    source = f"{cues}\n{source.replace('return {', f'return {{ {method}', 1)}"
    replay = random_match(registry.load("saloon"), tmp_path / "random.arena", actions=60)
    view = viewer(700, 600).open(exported(replay, source))
    assert view.do(CONTRACT) == []
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
    assert view.do(CONTRACT) == []
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
