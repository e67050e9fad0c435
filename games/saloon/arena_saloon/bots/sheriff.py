"""Sheriff: weighs pianos against fights. The strongest of the bots that come with Saloon.

Each turn the Sheriff calls in a cowboy, then commands the gang: Sharpshooters first, then Bartenders, then Brawlers.
For each cowboy, the Sheriff takes the best combination of a step and an action before or after the step. The values
are in sheriff_values.py.
"""

from __future__ import annotations

from typing import NamedTuple

from saloon import AI, Cowboy, Direction, Furnishing, Job, Tile
from sheriff_values import DIRECTIONS, LOST_TURN, WOUND, Values, next_hits

ORDER: list[Job] = ["Sharpshooter", "Bartender", "Brawler"]
BARTENDER_DETOUR = 8
"""Steps added to a Bartender's distance to each piano, so that other cowboys get the pianos first."""
CAUTION = 0.3
"""The weight of an enemy's possible action. Our own actions have the weight 1."""
FOCUS = 0.1
"""The value of one more tile of focus for a Sharpshooter."""
STEP = 0.8
"""The value of being one step nearer to the cowboy's goal."""


class Deed(NamedTuple):
    """An action of a cowboy other than a walk.

    Attributes:
        worth: The value, in points.
        kind: play or act; empty for no action.
        target: The piano's tile, or the tile to act on.
        direction: For bottles: the direction in which a cowboy hit by the bottle will stagger.
    """

    worth: float
    kind: str = ""
    target: Tile | None = None
    direction: Direction | None = None


NOTHING = Deed(0.0)


class Sheriff(AI):
    """Plays pianos, shoots along lines, and keeps the enemy drunk."""

    def start(self) -> None:
        """Prepare for the first turn."""
        self.furnished = -1
        self.walkable: dict[Tile, list[Tile]] = {}

    def run_turn(self) -> None:
        """Call in, then command one cowboy after the other."""
        self.values = Values(self.game, self.index, self.options)
        self.danger = self.dangers()
        self.claimed: set[Furnishing] = set()
        self.pianists = self.assign()
        self.call_in()
        gang = [cowboy for cowboy in self.player.gang if cowboy.is_ready]
        gang.sort(key=lambda cowboy: ORDER.index(cowboy.job))
        for cowboy in gang:
            if cowboy.is_ready:
                self.command(cowboy)

    # -- one cowboy ----------------------------------------------------------------------------------

    def command(self, cowboy: Cowboy) -> None:
        """Find the best combination of step and deed for a cowboy, and carry it out."""
        here = cowboy.tile
        if here is None:
            return
        way = self.way(cowboy)
        before = self.best_deed(cowboy, here)
        best = (before.worth + self.place(cowboy, here, way, before), here, before, NOTHING)
        steps = [near for near in here.neighbors if near.is_passable() and not near.bottle] if cowboy.can_move else []
        for there in steps:
            after = self.best_deed(cowboy, there, moved=True)
            first, second = (before, NOTHING) if before.worth >= after.worth else (NOTHING, after)
            worth = first.worth + second.worth + self.place(cowboy, there, way, first)
            if worth > best[0] + 0.001:
                best = (worth, there, first, second)
        _, there, first, second = best
        with self.batch():
            self.carry_out(cowboy, first)
            if there is not here:
                cowboy.move(there)
            self.carry_out(cowboy, second)

    def carry_out(self, cowboy: Cowboy, deed: Deed) -> None:
        """Carry out a deed: play, act or nothing."""
        if deed.target is None:
            return
        if deed.kind == "act":
            cowboy.act(deed.target, deed.direction or "")
        elif deed.target.furnishing:
            self.claimed.add(deed.target.furnishing)
            cowboy.play(deed.target.furnishing)

    def best_deed(self, cowboy: Cowboy, place: Tile, *, moved: bool = False) -> Deed:
        """Return the best deed of a cowboy on a tile. `moved` means that he walks to the tile before the deed."""
        if not cowboy.is_idle:
            return NOTHING
        best = NOTHING
        for near in place.neighbors:
            piano = near.furnishing
            if piano and piano.is_piano and not piano.is_playing and best.worth < 1:
                best = Deed(1.0, "play", near)
        if cowboy.job == "Bartender":
            cost = LOST_TURN * (self.options["bartender_cooldown"] - 1) if self.values.places else 0.0
            for direction in DIRECTIONS:
                worth, drunk = self.values.throw(place, direction)
                if worth - cost > best.worth:
                    best = Deed(worth - cost, "act", place.towards(direction), drunk)
        elif cowboy.job == "Sharpshooter" and not moved and cowboy.focus:
            for direction in DIRECTIONS:
                worth = self.values.shot(place, direction, cowboy.focus) - 0.3
                if worth > best.worth:
                    best = Deed(worth, "act", place.towards(direction))
        return best

    # -- places --------------------------------------------------------------------------------------

    def place(self, cowboy: Cowboy, place: Tile, way: dict[Tile, int], first: Deed) -> float:
        """Return the value of standing on a tile at the end of the turn."""
        worth = -STEP * min(way.get(place, 40), 40) - self.danger.get(place, 0.0)
        if place.has_hazard:
            worth -= 2 * WOUND * self.options["hazard_damage"]
        if cowboy.job == "Brawler":
            worth += self.values.punches(place, cowboy)
        elif cowboy.job == "Sharpshooter":
            if place is not cowboy.tile:
                worth -= FOCUS * min(cowboy.focus, 4)
            elif first is NOTHING and cowboy.is_idle and cowboy.can_move:
                worth += FOCUS
        return worth

    def assign(self) -> dict[Cowboy, Furnishing]:
        """Assign cowboys to pianos, the nearest pairs first. Each cowboy and each piano is in at most one pair."""
        gang = [cowboy for cowboy in self.player.gang if cowboy.is_ready]
        pairs = sorted(
            (cowboy.distance_to(piano) + (BARTENDER_DETOUR if cowboy.job == "Bartender" else 0), cowboy.id, piano.id)
            for cowboy in gang
            for piano in self.game.pianos
        )
        cowboys = {cowboy.id: cowboy for cowboy in gang}
        pianos = {piano.id: piano for piano in self.game.pianos}
        assigned: dict[Cowboy, Furnishing] = {}
        for _, cowboy_id, piano_id in pairs:
            if cowboy_id in cowboys and piano_id in pianos:
                assigned[cowboys.pop(cowboy_id)] = pianos.pop(piano_id)
        return assigned

    def way(self, cowboy: Cowboy) -> dict[Tile, int]:
        """Return each tile's distance to the cowboy's nearest goal.

        The search ends when it has reached the cowboy's tile and its neighbours.
        """
        piano = self.pianists.get(cowboy)
        goals = piano.places if piano else self.hunting_grounds(cowboy)
        if not goals:
            goals = [place for piano in self.game.pianos for place in piano.places]
        goals = [tile for tile in goals if tile.cowboy is None or tile.cowboy is cowboy]
        steps = dict.fromkeys(goals, 0)
        neighbors = self.walkable_neighbors()
        needed = {cowboy.tile, *neighbors[cowboy.tile]}.difference(goals) if cowboy.tile else set()
        edge = goals
        taken = 0
        while edge and needed:
            taken += 1
            edge = list({near for tile in edge for near in neighbors[tile] if near not in steps})
            steps.update(dict.fromkeys(edge, taken))
            needed.difference_update(edge)
        return steps

    def walkable_neighbors(self) -> dict[Tile, list[Tile]]:
        """Return for each tile its floor neighbours without a furnishing."""
        count = sum(furnishing.tile is not None for furnishing in self.game.furnishings)
        if count != self.furnished:
            self.furnished = count
            self.walkable = {
                tile: [near for near in tile.neighbors if near.furnishing is None and not near.is_balcony]
                for tile in self.game.tiles
            }
        return self.walkable

    def hunting_grounds(self, cowboy: Cowboy) -> list[Tile]:
        """Return the tiles from which a cowboy can use his weapon, or an empty list if he should play instead."""
        enemies = [cowboy.tile for cowboy in self.opponent.gang if cowboy.tile and not cowboy.is_drunk]
        if cowboy.job == "Brawler":
            return [near for tile in enemies for near in tile.neighbors if near.is_passable() or near.cowboy is cowboy]
        if cowboy.job != "Bartender":
            return []
        grounds = []
        for tile in enemies:
            for direction in DIRECTIONS:
                near = tile.towards(direction)
                for _ in range(2):
                    if near is None or not (near.is_passable() or near.cowboy is cowboy):
                        break
                    grounds.append(near)
                    near = near.towards(direction)
        return grounds

    def dangers(self) -> dict[Tile, float]:
        """Return for each dangerous tile the expected loss in points if a cowboy stays there until our next turn."""
        danger: dict[Tile, float] = {}
        feared = [(tile, 6.0) for bottle in self.game.bottles for tile in next_hits(bottle)]
        feared.append((self.opponent.young_gun.call_in_tile, 6.0))
        for enemy in self.opponent.gang:
            feared += self.threats(enemy)
        for tile, worth in feared:
            danger[tile] = danger.get(tile, 0.0) + worth
        return danger

    def threats(self, enemy: Cowboy) -> list[tuple[Tile, float]]:
        """Return the tiles that an enemy can hit in his next turn, each with the expected loss in points."""
        if enemy.tile is None or enemy.is_drunk:
            return []
        if enemy.job == "Brawler":
            return [(near, CAUTION * WOUND) for near in enemy.tile.neighbors]
        if enemy.turns_busy > 0:
            return []
        if enemy.job == "Bartender":
            return [(tile, 4 * CAUTION) for direction in DIRECTIONS for tile in enemy.line(direction, 2)]
        damage = self.options["sharpshooter_damage"]
        return [(tile, CAUTION * WOUND * damage) for direction in DIRECTIONS for tile in enemy.line(direction)]

    # -- call-ins ------------------------------------------------------------------------------------

    def call_in(self) -> None:
        """Call in a cowboy of the job that has the fewest cowboys.

        If a cowboy of ours is on the landing tile, move him away first. If that fails, do not call in.
        """
        gun = self.player.young_gun
        victim = gun.call_in_tile.cowboy
        if victim and victim.owner == self.index and not self.step_aside(victim):
            return
        job: Job = min(ORDER, key=self.player.count)
        if self.player.count(job) < self.options["max_cowboys_per_job"]:
            gun.call_in(job)

    def step_aside(self, cowboy: Cowboy) -> bool:
        """Command the cowboy on the tile where the next newcomer lands, and return whether he has left the tile."""
        before = cowboy.tile
        if cowboy.is_ready and cowboy.can_move:
            self.command(cowboy)
        return cowboy.tile is not before
