"""Check a renderer in a browser: it draws a random match, and must keep what docs/writing-a-renderer.md promises.

The rules are in ``renderer_contract.js``, which runs in the page. A stand-in for a canvas would prove little.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from arena.game import GameSpec
from arena.play.memory import MatchInMemory
from arena_replays import chromium
from arena_replays.page import read_renderer

_SIZE = 700, 600


def renderer_problems(game: GameSpec, options: Mapping[str, Any], seed: int | str, actions: int) -> list[str]:
    """Return what the renderer of a game does not keep; see `arena.testing.check_renderer`."""
    with TemporaryDirectory() as folder:
        replay = Path(folder) / "random.arena"
        write_random_match(game, replay, options, seed, actions)
        problems: list[str] = chromium.evaluate(replay, contract(), read_renderer(game.viewer), size=_SIZE)
        return problems


def write_random_match(
    game: GameSpec, path: Path, options: Mapping[str, Any], seed: int | str = 0, actions: int = 250
) -> None:
    """Write the replay of a random match. After so many actions, it ends without an outcome."""
    players = game.players_in(game.resolve_options(options))
    match = MatchInMemory(game, [None] * players, seed=seed, options=options, replay=path)
    rng = Random(seed)
    for _ in range(actions):
        if (player := match.player) is None:
            break
        match.act(player, match.state.random_action(player, rng))
    match.close()


def contract() -> str:
    """Return the expression that tries the renderer in a page. Its value is a promise of what is broken, in words."""
    return files("arena.study.checks").joinpath("renderer_contract.js").read_text(encoding="utf-8")
