"""The Sheriff's values, in points: one play of a piano is worth 1."""

from __future__ import annotations

from saloon import Bottle, Cowboy, Direction, Game, Tile

WOUND = 0.3
"""The value of one damage to an enemy."""
KILL = 3.0
"""The value of an enemy's death, in addition to the damage: the enemy must call in another cowboy and walk."""
LOST_TURN = 0.8
"""The value of a turn in which a cowboy can do nothing."""
ROWDY = 3.5
"""The value of raising the enemy's rowdiness by 1. Too much rowdiness puts a gang to sleep."""
FLIGHT = (0.95, 0.6, 0.55, 0.35, 0.3, 0.2)
"""The chance that a bottle hits its target if it arrives at the end of this turn, of the next turn and so on."""
DIRECTIONS: list[Direction] = ["North", "South", "East", "West"]


class Values:
    """Computes what shots, throws and punches are worth to one player.

    Args:
        game: The game.
        index: The player.
        options: The options of the game.
    """

    def __init__(self, game: Game, index: int, options: dict[str, int]) -> None:
        self.game = game
        self.index = index
        self.options = options
        self.places = [place for piano in game.pianos for place in piano.places]
        self.ways: dict[Tile, int] = {}

    def sign(self, cowboy: Cowboy) -> int:
        """Return 1 for enemies and -1 for our own gang: damage to enemies is good, damage to us is bad."""
        return -1 if cowboy.owner == self.index else 1

    def damage(self, cowboy: Cowboy, amount: int) -> float:
        """Return the value of damage to a cowboy."""
        worth = WOUND * min(amount, cowboy.health)
        if amount >= cowboy.health:
            worth += KILL
        return worth * self.sign(cowboy)

    def hit(self, cowboy: Cowboy, direction: Direction) -> float:
        """Return the value of hitting a cowboy with a bottle, if he then staggers in this direction."""
        owner = self.game.players[cowboy.owner]
        worth = ROWDY
        if owner.rowdiness + 1 >= self.options["rowdiness_to_siesta"]:
            awake = sum(1 for cowboy in owner.gang if not cowboy.is_napping)
            worth += LOST_TURN * awake * self.options["siesta_length"] / 2
        elif not cowboy.is_napping:
            lost = self.options["turns_drunk"] - (cowboy.turns_busy if cowboy.is_drunk else 0)
            worth += LOST_TURN * max(0, lost) + self._stagger(cowboy, direction)
        return worth * self.sign(cowboy)

    def _stagger(self, cowboy: Cowboy, direction: Direction) -> float:
        """Return how much a stagger harms a cowboy: by damage from obstacles, and by a longer way to a piano."""
        tile = cowboy.tile
        bumps = 0
        for _ in range(self.options["turns_drunk"]):
            ahead = tile.towards(direction) if tile else None
            if ahead is None or ahead.is_balcony or ahead.furnishing:
                bumps += 1
            elif ahead.cowboy is None or ahead.cowboy is cowboy:
                tile = ahead
        away = self._away(tile) if tile else 0
        wounds = bumps * self.options["collision_damage"]
        lethal = KILL if wounds >= cowboy.health else 0.0
        return WOUND * min(wounds, cowboy.health) + lethal + 0.5 * LOST_TURN * away

    def _away(self, tile: Tile) -> int:
        """Return the distance from a tile to the nearest tile where a cowboy can play a piano."""
        away = self.ways.get(tile)
        if away is None:
            away = self.ways[tile] = min((tile.distance_to(place) for place in self.places), default=0)
        return away

    def best_stagger(self, cowboy: Cowboy) -> tuple[float, Direction]:
        """Return the value of the stagger that harms a cowboy most, and its direction."""
        sign = self.sign(cowboy)
        worth, direction = max(
            ((self.hit(cowboy, direction) * sign, direction) for direction in DIRECTIONS), key=lambda pair: pair[0]
        )
        return worth * sign, direction

    def throw(self, place: Tile, direction: Direction) -> tuple[float, Direction]:
        """Return the value of a throw, and the best direction in which a cowboy hit by it staggers.

        Args:
            place: The tile where the Bartender stands.
            direction: The direction of the throw.
        """
        target = place.towards(direction)
        if target is None or target.is_balcony or target.furnishing or (target.bottle and not target.cowboy):
            return 0.0, "North"
        if target.cowboy:
            return self.best_stagger(target.cowboy)
        cowboy, chance = self._first_met(target, direction)
        if cowboy is None:
            return 0.0, "North"
        worth, best = self.best_stagger(cowboy)
        if cowboy.is_drunk and not cowboy.is_napping and chance < FLIGHT[0]:
            chance *= 0.3  # before the hit, a drunk cowboy will probably move
        return worth * chance, best

    def _first_met(self, tile: Tile, direction: Direction) -> tuple[Cowboy | None, float]:
        """Return the first cowboy that a bottle can hit, or None, and the chance of the hit."""
        for chance in FLIGHT:
            ahead = tile.towards(direction)
            if ahead is None or not ahead.is_passable():
                return (ahead.cowboy if ahead else None), chance
            tile = ahead
        return None, 0.0

    def shot(self, place: Tile, direction: Direction, focus: int) -> float:
        """Return the value of a shot."""
        amount = self.options["sharpshooter_damage"]
        worth = 0.0
        tile = place.towards(direction)
        for _ in range(focus):
            if tile is None or tile.is_balcony:
                break
            if tile.cowboy:
                worth += self.damage(tile.cowboy, amount)
            elif tile.furnishing and tile.furnishing.is_piano:
                worth += 0.1 * amount * self._lead_sign()
            tile = tile.towards(direction)
        return worth

    def punches(self, place: Tile, brawler: Cowboy) -> float:
        """Return the value of a Brawler's punches at the end of the turn."""
        amount = self.options["brawler_damage"]
        worth = 0.0
        for near in place.neighbors:
            if near.cowboy and near.cowboy is not brawler:
                worth += self.damage(near.cowboy, amount)
            elif near.furnishing and near.furnishing.is_piano:
                worth += 0.1 * amount * self._lead_sign()
        return worth

    def _lead_sign(self) -> int:
        """Return 1 if this player has the higher score, else -1. The leader gains when a piano is destroyed."""
        own, other = self.game.players[self.index], self.game.players[1 - self.index]
        return 1 if own.score > other.score else -1


def next_hits(bottle: Bottle) -> list[Tile]:
    """Return the tiles that a bottle reaches at the end of this turn and of the next."""
    ahead = bottle.tile.towards(bottle.direction) if bottle.tile else None
    further = ahead.towards(bottle.direction) if ahead else None
    return [tile for tile in (ahead, further) if tile]
