"""Random positions of all games: the four of this repository, and the worked games of the documents."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from random import Random

from arena.game import Document, GameSpec, State, filled, load
from arena.play.memory import MatchInMemory

INSTALLED = ("saloon", "laser_flag", "derelict", "snakes")
WORKED = ("kuhn_poker", "liars_dice", "lowest_bid", "masks", "lanterns", "frontier")
GAMES = (*INSTALLED, *WORKED)


def game_of(name: str) -> GameSpec:
    if name in INSTALLED:
        return load(name)
    game: GameSpec = import_module(f"{name}_game").spec()
    return game


def random_positions(game: GameSpec, seed: int, most: int) -> Iterator[tuple[State, int, list[Document]]]:
    """Play at random. Yield the state, the player who is to move, and the player's legal actions."""
    rng = Random(seed)
    match = MatchInMemory(game, [None] * max(2, game.player_counts[0]), seed=seed)
    for _ in range(most):
        if match.player is None:
            return
        legal = match.legal_actions(match.player)
        yield match.state, match.player, legal
        match.act(match.player, filled(rng.choice(legal), rng))
