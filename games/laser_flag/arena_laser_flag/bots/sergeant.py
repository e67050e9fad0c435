"""Sergeant: shoots when the chance is good, moves from cover to cover, and otherwise keeps reaction shots.

Units whose laser is off retreat to a base.
"""

from __future__ import annotations

from laser_flag import AI, Base, Tile, Unit

GOOD_CHANCE = 0.4
DECENT_CHANCE = 0.25


class Sergeant(AI):
    """Commands each unit by a few fixed rules."""

    def run_turn(self) -> None:
        """First command the units that see enemies: an enemy that they hit can no longer react."""
        for unit in sorted(self.player.units, key=lambda unit: (not unit.visible_enemies, unit.id)):
            steps = self.game.rules["max_ap"]
            while steps and unit.present and unit.ap and self.command(unit):
                steps -= 1

    def command(self, unit: Unit) -> bool:
        """Carry out one good action of a unit. Return False if there is none, or if the game refused the action."""
        if unit.laser == "deactivated":
            return self.retreat(unit)
        if unit.laser == "charging":
            return False
        here = self.best_value(unit, unit.tile)
        if unit.can_fire and here >= GOOD_CHANCE:
            return self.shoot(unit)
        if unit.can_move and unit.can_fire and unit.ap >= 2:
            place = max(unit.reachable, key=lambda tile: self.worth(unit, tile), default=None)
            if place and self.worth(unit, place) >= max(GOOD_CHANCE, here):
                return bool(unit.move(place))
        if unit.can_fire and here >= DECENT_CHANCE:
            return self.shoot(unit)
        if unit.can_move and unit.ap == self.game.rules["max_ap"]:
            return self.advance(unit)
        return False

    # -- shooting -----------------------------------------------------------------------------------

    def value(self, unit: Unit, target: Unit | Base, place: Tile) -> float:
        """Return the value of a shot from a tile: the chance of a hit times the value of the hit.

        The value of a hit is 1 for a unit, 0.7 for a unit that is deactivated already, and `base_points` for a base.
        """
        chance = unit.to_hit(target, at=place).chance
        if isinstance(target, Base):
            return chance * float(self.game.rules["base_points"])
        return chance * (1.0 if target.laser != "deactivated" else 0.7)

    def targets(self, place: Tile) -> list[Unit | Base]:
        """Return all possible targets of a shot from a tile."""
        targets: list[Unit | Base] = [
            enemy for enemy in self.game.enemies if enemy.is_target and enemy.tile and place.sees(enemy.tile)
        ]
        if self.game.rules["base_shooting"]:
            theirs = [base for base in self.game.bases if base.owner == 1 - self.index]
            targets += [base for base in theirs if base.tile and place.sees(base.tile)]
        return targets

    def best_value(self, unit: Unit, place: Tile | None) -> float:
        """Return the value of the best shot from a tile."""
        return max((self.value(unit, target, place) for target in self.targets(place)), default=0.0) if place else 0.0

    def shoot(self, unit: Unit) -> bool:
        """Fire the best shot from the unit's tile."""
        place = unit.tile
        if place is None:
            return False
        target = max(self.targets(place), key=lambda target: self.value(unit, target, place))
        if isinstance(target, Base):
            return target.tile is not None and bool(unit.fire_at_base(target.tile))
        return bool(unit.fire(target))

    # -- moving -------------------------------------------------------------------------------------

    def danger(self, unit: Unit, place: Tile) -> float:
        """Estimate the chance of being hit by reaction shots after a move to a tile.

        Use the chances of shots at the unit's current tile. This error is intended: without it, Sergeant would be as
        strong as the next bot, Commander.
        """
        safe = 1.0
        for enemy in place.watchers:
            numbers = enemy.to_hit(unit, reaction=enemy.overwatch_mode)
            safe *= 1 - numbers.chance
        return 1 - safe

    def worth(self, unit: Unit, place: Tile) -> float:
        """Return the value of going to a tile and shooting from there."""
        shelter = sum(place.shelters_from(enemy.tile) for enemy in self.game.enemies if enemy.tile)
        return self.best_value(unit, place) * (1 - self.danger(unit, place)) - self.danger(unit, place) + 0.02 * shelter

    def advance(self, unit: Unit) -> bool:
        """Move closer to the enemy. Prefer tiles with cover, and tiles that no enemy on overwatch sees."""
        enemies = [enemy.tile for enemy in self.game.enemies if enemy.tile]
        middle = self.game.tile(self.game.width // 2, self.game.height // 2)
        goals = enemies or ([middle] if middle else [])
        ways = [self.distances(goal) for goal in goals]
        if unit.tile is None:
            return False
        now = min(way.get(unit.tile, 99) for way in ways)

        def worth(place: Tile) -> float:
            closer = now - min(way.get(place, 99) for way in ways)
            return closer + len(place.shelter) - 8 * self.danger(unit, place)

        place = max(unit.reachable, key=worth, default=None)
        return place is not None and worth(place) > 1 and bool(unit.move(place))

    def retreat(self, unit: Unit) -> bool:
        """Move towards the nearest free base. A unit that stands on a base has to step off first."""
        if not unit.can_move or not unit.reachable:
            return False
        goals = [base.tile for base in unit.bases if base.tile and (base.tile.unit is None or base.tile.unit is unit)]
        if not goals:
            return False
        ways = [self.distances(goal) for goal in goals]
        place = min(unit.reachable, key=lambda tile: (min(way.get(tile, 99) for way in ways), self.danger(unit, tile)))
        if unit.tile in goals and place not in goals:
            if unit.ap < 2:
                return False
            place = min(unit.reachable, key=lambda tile: (tile.distance_to(unit), self.danger(unit, tile)))
        return bool(unit.move(place))

    def distances(self, goal: Tile) -> dict[Tile, int]:
        """Return the number of steps from each tile to one tile, ignoring units."""
        return goal.reachable(passable=lambda tile: tile.is_walkable)
