"""The renderer of Snakes in a real browser."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena_replays.page import Renderer

View = Callable[..., Any]
Export = Callable[..., str]

BOTS = ("builtin:constrictor", "builtin:forager", "builtin:forager", "builtin:hatchling")


@pytest.fixture(scope="module")
def four(play: Callable[..., Path], folder: Path) -> Path:
    return play(folder / "four.arena", *BOTS, game="snakes", seed=3)


@pytest.fixture(scope="module")
def renderer(renderer_of: Callable[[str], Renderer]) -> Renderer:
    return renderer_of("snakes")


@pytest.mark.parametrize("dark", [True, False])
def test_bodies_are_drawn_whole(viewer: View, exported: Export, renderer: Renderer, four: Path, dark: bool) -> None:
    view = viewer(1200, 800, dark=dark).open(exported(four, renderer))
    view.assert_fits(11, 11)
    view.do("arena.position.seekTurn(40)")
    view.settle()
    for snake in view.do("[...arena.position.state.values()].filter((one) => one.class === 'Snake')"):
        assert str(snake["owner"] + 1) in view.words()
        for x, y in snake["body"]:
            picked = view.do(f"arena.board.renderer.pick(...arena.board.renderer.place({x} + 0.5, {y} + 0.5))")
            assert (picked == snake["id"]) is not bool(snake["cause"])
    view.shot(f"snakes-{'dark' if dark else 'light'}")


def test_an_eliminated_snake_is_named_with_its_cause(
    viewer: View, exported: Export, renderer: Renderer, four: Path
) -> None:
    view = viewer(1200, 800).open(exported(four, renderer))
    event = view.seek_event("event.kind === 'eliminated'")
    name = view.do("arena.replay.players.map(({ name }) => name)")[int(event["snake"][1:])]
    text = view.do(f"arena.board.renderer.tell({json.dumps(event)}, () => arena.position.state)")
    assert text.startswith(f"{name} ")
    assert "· out" in " ".join(view.words())
    assert view.page.locator(".score .moves").count() == 0, "all who are left move at once"
    assert view.do("arena.playback.lengthOf(1)") == 60, "four players move at once, in the time of one action"
    caption = view.page.inner_text(".caption")
    assert text in caption
    assert "Moves: constrictor right, forager (2) right, forager (3) down, hatchling up." in caption
    view.shot("snakes-eliminated")
