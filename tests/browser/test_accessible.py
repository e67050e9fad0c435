"""The viewer of each game can be used by people who see badly or use a keyboard: axe finds nothing serious."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from shortened import shortened

from arena_replays.page import Renderer

REPLAYS = Path(__file__).parents[1] / "replays"
MATCHES = {
    "saloon": (REPLAYS / "saloon.arena",),
    "laser_flag": (REPLAYS / "laser_flag-1.arena", REPLAYS / "laser_flag-2.arena"),
    "derelict": (REPLAYS / "derelict-1.arena", REPLAYS / "derelict-2.arena"),
}


@pytest.mark.parametrize("game", shortened(sorted(MATCHES)))
def test_each_tab_light_and_dark(
    viewer: Callable[..., Any],
    serve: Callable[..., str],
    renderer_of: Callable[[str], Renderer],
    assert_accessible: Callable[[Any], None],
    game: str,
) -> None:
    match = MATCHES[game]
    view = viewer(1280, 800).open(serve(match if len(match) > 1 else match[0], renderer=renderer_of(game)))
    for stop in ("board", "play"):  # before the many buttons of the bar
        view.page.keyboard.press("Tab")
        assert view.do("document.activeElement.className") == stop
    view.do("arena.position.seekTurn(8)")
    tabs = ("why", "turn", "charts", "inspect", "result") if game == "saloon" else ("turn", "result")
    for tab in tabs:  # the others are made the same way for each game
        view.do(f"arena.tabs.open('{tab}')")
        view.settle()
        for dark in ("true", "false"):
            view.do(f"arena.look.setDark({dark})")
            view.do("Promise.all(document.getAnimations().map((one) => one.finished))")
            assert_accessible(view.page)
    if len(match) > 1:
        view.page.keyboard.press("b")
        view.settle()
        assert_accessible(view.page)
    view.page.keyboard.press("?")
    assert_accessible(view.page)
