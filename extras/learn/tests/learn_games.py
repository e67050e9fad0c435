"""All games that tests of this distribution play: the four of the house, and the worked ones of the documents."""

from typing import Any

import frontier_game
import harvest_game
import kuhn_poker_game
import lanterns_game
import liars_dice_game
import lowest_bid_game
import masks_game
import numpy as np

from arena.game import GameSpec, load

WORKED = {
    module.spec().name: module.spec()
    for module in (kuhn_poker_game, lowest_bid_game, liars_dice_game, masks_game, lanterns_game)
}
HOUSE = ("saloon", "snakes", "laser_flag", "derelict")
NAMES = (*HOUSE, *WORKED)
ORDERS = ("frontier", "harvest")
"""Games with lists of orders for hundreds of units: one in turns, one in which both players act at once."""


def random_choice(mask: Any, rng: np.random.Generator) -> Any:
    """Return a random action that a mask allows: a number, or one for each row."""
    if mask.ndim == 1:
        return int(rng.choice(np.flatnonzero(mask)))
    return np.array([rng.choice(np.flatnonzero(row)) for row in mask])


def game(name: str) -> GameSpec:
    if name == "harvest":
        return harvest_game.GAME
    if name == "frontier":
        return frontier_game.spec()
    return WORKED[name] if name in WORKED else load(name)
