"""The end of a turn: everything that happens between two players' turns, in the order of the rules."""

from __future__ import annotations

from arena.game import action
from arena_saloon import bottle_hits, damage, ending, throwing, young_guns
from arena_saloon.entities import Cowboy, Player, Position
from arena_saloon.words import STEPS


@action
def end_turn(game: Position) -> None:
    """End the turn.

    Your drunk cowboys stagger, your idle Sharpshooters gain focus, and your Brawlers punch. All bottles fly, and
    hazards hurt all cowboys on them. Your young gun goes one step. Then it is the other player's turn.
    """
    player = game.players[game.current_player]
    game.cowboys = game.cowboys + game.arrivals
    game.arrivals = ()
    _run_siesta_clock(player)
    for cowboy in game.cowboys:
        if cowboy.owner == player.index and not cowboy.is_dead:
            _live_through(cowboy, player)
    throwing.fly(game)
    for furnishing in game.furnishings:
        if furnishing.is_playing:
            furnishing.is_playing = False
    _apply_hazards(game)
    _clean_up(game)
    young_guns.step(player.young_gun)
    ending.check(game)
    if not game.reason:
        game.current_turn += 1
        game.current_player = 1 - game.current_player


def _run_siesta_clock(player: Player) -> None:
    if player.siesta > 0:
        player.siesta -= 1
        if player.siesta == 0:
            player.game.event("siesta_ends", player=player.index)


def _live_through(cowboy: Cowboy, player: Player) -> None:
    """Update one cowboy of the current player: stagger, nap, sober up, gain focus or punch."""
    if cowboy.is_drunk:
        _be_drunk(cowboy, player)
    else:
        _be_sober(cowboy)
    if cowboy.job == "Brawler" and not cowboy.is_dead:
        _punch(cowboy)


def _be_drunk(cowboy: Cowboy, player: Player) -> None:
    cowboy.turns_busy = max(0, cowboy.turns_busy - 1)
    if not cowboy.is_napping:
        _walk(cowboy)
        if cowboy.is_dead:
            return
    if cowboy.is_napping:
        cowboy.turns_busy = player.siesta
    if cowboy.turns_busy == 0:
        cowboy.is_drunk = False
        cowboy.drunk_direction = ""
        cowboy.can_move = True
        cowboy.game.event("sober", cowboy=cowboy.id)
    else:
        cowboy.can_move = False


def _be_sober(cowboy: Cowboy) -> None:
    if cowboy.job == "Sharpshooter" and cowboy.can_move and cowboy.turns_busy == 0:
        cowboy.focus += 1
    cowboy.can_move = True
    if cowboy.turns_busy:
        cowboy.turns_busy -= 1


def _walk(cowboy: Cowboy) -> None:
    """Move a drunk cowboy one step. A cowboy in the way loses his focus. Other obstacles hurt the drunk cowboy."""
    game = cowboy.game
    dx, dy = STEPS[cowboy.drunk_direction]
    x, y = (cowboy.x or 0) + dx, (cowboy.y or 0) + dy
    other = game.cowboy_at(x, y)
    if other is not None:
        game.event("bump", cowboy=cowboy.id, target=other.id, tile=[x, y])
        other.focus = 0
        return
    furnishing = game.furnishing_at(x, y)
    if furnishing is not None or game.is_balcony(x, y):
        game.event("obstacle", cowboy=cowboy.id, target=furnishing.id if furnishing else None, tile=[x, y])
        damage.hurt(cowboy, game.options.collision_damage, "collision")
        return
    cowboy.x = x
    cowboy.y = y
    bottle_hits.pick_up(cowboy)


def _punch(brawler: Cowboy) -> None:
    """Let a Brawler hit each cowboy and furnishing next to him. A drunk or napping Brawler punches too."""
    game = brawler.game
    amount = game.options.brawler_damage
    for dx, dy in STEPS.values():
        x, y = (brawler.x or 0) + dx, (brawler.y or 0) + dy
        cowboy = game.cowboy_at(x, y)
        if cowboy is not None:
            game.event("punch", cowboy=brawler.id, target=cowboy.id, tile=[x, y])
            damage.hurt(cowboy, amount, "punch")
            continue
        furnishing = game.furnishing_at(x, y)
        if furnishing is not None:
            game.event("punch", cowboy=brawler.id, target=furnishing.id, tile=[x, y])
            damage.wear(furnishing, amount)


def _apply_hazards(game: Position) -> None:
    hazards = set(game.hazards)
    amount = game.options.hazard_damage
    for cowboy in game.cowboys:
        if (cowboy.x, cowboy.y) in hazards:
            game.event("hazard", cowboy=cowboy.id, tile=[cowboy.x, cowboy.y])
            damage.hurt(cowboy, amount, "hazard")


def _clean_up(game: Position) -> None:
    """Remove dead cowboys and destroyed furnishings from their lists and from the game."""
    dead = [cowboy for cowboy in game.cowboys if cowboy.is_dead]
    if dead:
        game.cowboys = tuple([cowboy for cowboy in game.cowboys if not cowboy.is_dead])
    destroyed = [furnishing for furnishing in game.furnishings if furnishing.is_destroyed]
    if destroyed:
        game.furnishings = tuple([furnishing for furnishing in game.furnishings if not furnishing.is_destroyed])
    game.remove(*dead, *destroyed)
