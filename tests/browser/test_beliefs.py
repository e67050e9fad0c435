"""What a player could believe about hidden things, drawn over the board."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.errors import ArenaError
from arena.game import registry
from arena.study.replaying.positions import state_at
from arena.web.server import Server
from arena.web.viewing import Viewing
from arena.web.what_if import WhatIf, beliefs


@pytest.fixture(scope="module")
def foggy(play: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fog")
    options = {"rules": {"fog_of_war": True, "turn_limit": 4}}
    return play(folder / "fog.arena", "builtin:rookie", "builtin:rookie", game="laser_flag", seed=5, options=options)


def test_hidden_units_are_guessed_on_tiles_that_the_player_does_not_see(foggy: Path) -> None:
    game = registry.load("laser_flag")
    state = state_at(foggy, 1)
    found = beliefs(game, state, 0)
    view = state.view(0)
    seen = [at for at in range(0, len(view), 3) if view[at + 1 : at + 3] == ["+", "Unit"]]
    assert found["player"] == 0
    assert sum(share for _, _, share in found["tiles"]) == pytest.approx(8 - len(seen))
    assert all(0 < share <= 1 for _, _, share in found["tiles"])
    assert beliefs(game, state, 0) == found, "the guesses do not depend on anything else"


def test_a_game_without_secrets_has_no_beliefs(match: Path) -> None:
    with pytest.raises(ArenaError, match="Nothing is hidden in saloon"):
        beliefs(registry.load("saloon"), state_at(match, 1), 0)


@pytest.fixture
def url(foggy: Path) -> Iterator[str]:
    viewing = Viewing([foggy])
    server = Server(WhatIf(viewing).application())
    server.start()
    yield server.url + viewing.first_page
    server.stop()


def test_the_page_draws_them_for_the_position_and_the_view(viewer: Callable[..., Any], url: str) -> None:
    view = viewer(1280, 800).open(f"{url}#t=1&a=1")
    view.page.keyboard.press("u")
    view.until("arena.board.believed !== null")
    assert view.do("arena.board.believed.player") == 0
    assert "What rookie" in view.page.inner_text(".believed")
    stage, legend = (view.page.locator(name).bounding_box() for name in (".stage", ".believed"))
    assert legend["y"] >= stage["y"] + stage["height"], "it covers nothing of the board"
    with_beliefs = view.picture()
    view.page.keyboard.press("u")
    assert view.do("arena.board.believed") is None
    assert view.page.locator(".believed").is_hidden()
    assert view.picture() != with_beliefs
    view.do("arena.position.setStream(2)")
    view.page.click("[aria-label='Where the unseen may be']")
    view.until("arena.board.believed !== null")
    assert view.do("arena.board.believed.player") == 1
