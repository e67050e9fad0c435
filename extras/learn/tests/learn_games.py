"""All games that tests of this distribution play: the four of the house, and the worked ones of the documents."""

import frontier_game
import kuhn_poker_game
import lanterns_game
import liars_dice_game
import lowest_bid_game
import masks_game

from arena.game import GameSpec, load

WORKED = {
    module.spec().name: module.spec()
    for module in (kuhn_poker_game, lowest_bid_game, liars_dice_game, masks_game, lanterns_game)
}
HOUSE = ("saloon", "snakes", "laser_flag", "derelict")
NAMES = (*HOUSE, *WORKED)


def game(name: str) -> GameSpec:
    if name == "frontier":
        return frontier_game.spec()
    return WORKED[name] if name in WORKED else load(name)
