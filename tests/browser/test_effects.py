"""Effects and sounds: what moves, what stays still, what leaves nothing behind, and what is heard."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from shortened import shortened

from arena_replays.export import export_html
from arena_replays.page import Renderer

View = Callable[..., Any]

REPLAYS = Path(__file__).parents[1] / "replays"
RENDER = """
(async () => {
  const { noiseOf, play, SOUNDS } = await import("arena/synth");
  const found = {};
  for (const name of Object.keys(SOUNDS)) {
    const context = new OfflineAudioContext(1, 1.6 * 22050, 22050);
    play(context, noiseOf(context), context.destination, name);
    const data = (await context.startRendering()).getChannelData(0);
    const loudest = (from, to) => data.slice(from, to).reduce((most, one) => Math.max(most, Math.abs(one)), 0);
    found[name] = [loudest(0, data.length), loudest(Math.round(1.4 * 22050), data.length)];
  }
  return found;
})()
"""
LISTEN = """
globalThis.heard = [];
globalThis.contexts = 0;
const { createGain } = AudioContext.prototype;
AudioContext.prototype.createGain = function () { heard.push(performance.now()); return createGain.call(this); };
globalThis.AudioContext = class extends AudioContext { constructor() { super(); contexts++; } };
"""
CUES = """
(() => {
  const { frames } = arena.position.states;
  const cues = [...frames].map((_, at) => arena.board.cuesOf(arena.position.states, at));
  const at = cues.findIndex((all) => all.some(({ shake }) => shake > 0));
  const first = cues[at]?.find(({ shake }) => shake > 0);
  if (first) Object.assign(arena.position, { frame: at, fraction: Math.min(first.at, 0.5) + 0.05 });
  arena.board.show(arena.position, arena.look);
  return {
    felt: arena.board.canvas.style.translate !== "",
    count: cues.flat().length,
    shakes: cues.flat().filter(({ shake }) => shake > 0).length,
  };
})()
"""
# Plays over the busiest frames at 8 times the speed, and goes back: is the board as when it was first shown there?
REMAINS = """
(async () => {
  const frame = () => new Promise(requestAnimationFrame);
  const { position, playback, board } = arena;
  const { frames } = position.states;
  const busy = frames.findIndex(({ events }, at) => at > 2 && events.length > 1);
  const look = async () => {
    position.seek(busy - 1);
    await frame(), await frame();
    return board.canvas.toDataURL() + board.canvas.style.translate;
  };
  const first = await look();
  playback.setSpeed(8);
  playback.play();
  const seen = new Set();
  while (playback.playing && position.frame < busy + 12) {
    await frame();
    seen.add(board.canvas.toDataURL());
  }
  playback.pause();
  return [(await look()) === first, seen.size];
})()
"""
# Plays over the busiest frames: how many of them were seen, and the most pictures of one of them.
PLAYED = """
(async () => {
  const frame = () => new Promise(requestAnimationFrame);
  const { position, playback, board } = arena;
  const busy = position.states.frames.findIndex(({ events }, at) => at > 2 && events.length > 1);
  position.seek(busy - 1);
  playback.setSpeed(1);
  playback.play();
  const seen = new Map();
  while (playback.playing && position.frame < busy + 5) {
    await frame();
    const at = position.frame;
    if (!seen.has(at)) seen.set(at, new Set());
    seen.get(at).add(board.canvas.toDataURL());
  }
  playback.pause();
  return [seen.size, Math.max(...[...seen.values()].map(({ size }) => size))];
})()
"""
# The board at some moments of frames with events: whether a moment differs from the end of its frame, and shakes.
MOMENTS = """
(async () => {
  const { position, board, look } = arena;
  let [moved, shaken, count] = [0, 0, 0];
  position.states.frames.forEach(({ events }, at) => {
    if (!events.length || count > 12) return;
    count++;
    const picture = (fraction) => {
      Object.assign(position, { frame: at, fraction });
      board.show(position, look);
      if (board.canvas.style.translate) shaken++;
      return board.canvas.toDataURL();
    };
    if (picture(0.45) !== picture(1)) moved++;
    if (board.canvas.style.translate) shaken += 1000; // at the end of a frame, the board is at its place
  });
  return [count, moved, shaken, board.failure];
})()
"""
GAMES = {"saloon": "saloon.arena", "laser_flag": "laser_flag-1.arena", "derelict": "derelict-1.arena"}


@pytest.fixture(scope="module")
def pages(play: Callable[..., Path], folder: Path, renderer_of: Callable[[str], Renderer]) -> dict[str, str]:
    """The page of a match of each game with its own renderer, and of one game with the default renderer."""
    snakes = play(folder / "sounds.arena", "builtin:forager", "builtin:hatchling", game="snakes", seed=3)
    made = {}
    for name, path in {**{game: REPLAYS / file for game, file in GAMES.items()}, "snakes": snakes}.items():
        export_html(path, folder / f"effects-{name}.html", renderer_of(name))
        made[name] = (folder / f"effects-{name}.html").as_uri()
    export_html(REPLAYS / "saloon.arena", folder / "effects-default.html", None)
    return {**made, "default": (folder / "effects-default.html").as_uri()}


@pytest.mark.parametrize("name", shortened([*GAMES, "snakes", "default"], 2))
def test_effects_move_leave_nothing_behind_and_are_heard(viewer: View, pages: dict[str, str], name: str) -> None:
    view = viewer(420, 460).open(pages[name])
    cues = view.do(CUES)
    assert cues["count"] > 3
    assert cues["shakes"] > 0
    assert cues["felt"], "the board shakes"
    count, moved, shaken, failure = view.do(MOMENTS)
    assert failure == ""
    assert moved > count / 2
    assert shaken < 1000
    same, seen = view.do(REMAINS)
    assert same, "the board keeps something of what was shown before"
    assert seen > 1


@pytest.mark.parametrize("name", shortened([*GAMES, "snakes", "default"]))
def test_with_reduced_motion_nothing_moves(viewer: View, pages: dict[str, str], name: str) -> None:
    view = viewer(420, 460, reduced_motion="reduce").open(pages[name])
    count, moved, shaken, failure = view.do(MOMENTS)
    assert (moved, shaken, failure) == (0, 0, "")
    assert count > 3
    still, most = view.do(PLAYED)
    assert still > 1
    assert most == 1, "each frame is one picture while the match plays, too"
    view.page.emulate_media(reduced_motion="no-preference")
    view.until("!arena.look.still")
    _, moved, _, failure = view.do(MOMENTS)
    assert (moved > count / 2, failure) == (True, ""), "the page follows the system at once"
    assert view.do(PLAYED)[1] > 1


def test_every_sound_can_be_heard_and_ends(viewer: View, pages: dict[str, str]) -> None:
    for name, (loudest, late) in viewer().open(pages["saloon"]).do(RENDER).items():
        assert 0.02 < loudest < 1.5, name
        assert late < 0.01, name


@pytest.mark.kill  # each game's effects are heard above
def test_sounds_are_off_at_first_and_the_choice_is_remembered(viewer: View, serve: Any, match: Path) -> None:
    view = viewer(fresh=True)
    view.page.add_init_script(LISTEN)
    view.open(serve(match))
    button = view.page.get_by_role("button", name="Sounds")
    assert button.get_attribute("aria-pressed") == "false"
    view.page.click("button.play")
    view.until("arena.position.frame > 12")
    assert view.do("contexts") == 0
    view.page.keyboard.press("m")
    assert button.get_attribute("aria-pressed") == "true"
    view.until("heard.length > 3")
    assert view.do("contexts") == 1
    view.page.keyboard.press("Space")
    view.do("heard.length = 0")
    view.do("arena.position.seek(30), arena.position.seek(10)")
    view.settle()
    assert view.do("heard.length") == 0, "seeking is silent"
    view.page.reload()
    view.page.wait_for_selector("html[data-ready]")
    assert button.get_attribute("aria-pressed") == "true"
    button.click()
    view.page.click("button.play")
    view.until("arena.position.frame > 12")
    assert view.do("contexts") == 0
