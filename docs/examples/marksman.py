from laser_flag import AI, Shot, Tile, Unit


class Marksman(AI):
    """Takes the action with the highest value again and again, until waiting is better."""

    def start(self) -> None:
        self.steps: dict[Tile, dict[Tile, int]] = {}

    def run_turn(self) -> None:
        for _ in range(40):  # each action can change what the other units should do
            choices = [choice for unit in self.player.units if unit.ap for choice in self.choices(unit)]
            value, act = max(choices, key=lambda choice: choice[0], default=(0, None))
            if value <= 0 or not act():
                return

    def choices(self, unit: Unit):
        """Yield a value and a function for each shot and each move of a unit."""
        for enemy in unit.visible_enemies if unit.can_fire else []:
            worth = 1 if enemy.laser == "charged" else 0.7
            yield worth * unit.to_hit(enemy).chance, lambda enemy=enemy: unit.fire(enemy)
        now = self.standing(unit, unit.tile, unit.ap)
        for tile in unit.reachable if unit.can_move else []:
            risk = self.risk(unit, tile, list(tile.watchers), reaction=True)
            gain = self.standing(unit, tile, unit.ap - 1) - now - 0.8 * risk
            yield gain - 0.02, lambda tile=tile: unit.move(tile)

    def standing(self, unit: Unit, tile: Tile, ap: int) -> float:
        """Return how good a tile is: the best shot from it, less the risk there, less the way to the goal."""
        if unit.laser != "charged":  # it has to end a move on a base
            free = [base.tile for base in unit.bases if base.tile.unit in (None, unit)]
            return -0.3 * self.way(tile, free)
        enemies = [enemy for enemy in self.game.enemies if enemy.tile]
        shots = [unit.to_hit(one, at=tile).chance for one in enemies if one.is_target and tile.sees(one.tile)]
        armed = [one for one in enemies if one.laser == "charged"]
        goals = [one.tile for one in enemies] or [base.tile for base in self.game.bases]
        best = max(shots, default=0) * (1 if ap else 0.6)
        return best - 0.3 * self.risk(unit, tile, armed) - 0.12 * self.way(tile, goals)

    def risk(self, unit: Unit, tile: Tile, enemies: list[Unit], reaction: bool = False) -> float:
        """Return the chance that one of some enemies hits a unit that stands on a tile."""
        missed = 1.0
        for enemy in enemies:
            if tile.sees(enemy.tile):
                missed *= 1 - self.chance(enemy, unit, tile, reaction)
        return 1 - missed

    def chance(self, enemy: Unit, unit: Unit, tile: Tile, reaction: bool) -> float:
        """Return the chance of one shot, by the table in the chapter "Seeing and hitting" of the rules."""
        needed = enemy.numbers["to_hit"]
        needed += enemy.numbers["elevated_attack"] if enemy.tile.is_cover else 0
        needed += unit.numbers["cover"] if tile.shelters_from(enemy.tile) else 0
        needed += unit.numbers["elevated_defense"] if tile.is_cover else 0
        if reaction:
            needed += self.game.rules[f"{enemy.overwatch_mode}_penalty"]
            needed += enemy.numbers["overwatch_penalty"] if enemy.overwatch_mode == "snap" else 0
        return Shot({"needed": needed}).chance

    def way(self, tile: Tile, goals: list[Tile]) -> int:
        """Return the number of steps to the nearest of some tiles, without regard to units."""
        for goal in goals:
            if goal not in self.steps:
                self.steps[goal] = goal.reachable(passable=lambda one: one.is_walkable)
        return min((self.steps[goal].get(tile, 50) for goal in goals), default=0)
