"""Sheriff: weighs pianos against fights. The strongest of the bots that come with Saloon.

Each turn he calls somebody in, then goes through his gang, those with weapons first. For each cowboy he looks at all
places that can be reached in one step and at everything that can be done before and after the step, and takes what is
worth most. What things are worth is in sheriff_values.py.
"""

from __future__ import annotations

from typing import NamedTuple

from saloon import AI, Cowboy, Direction, Furnishing, Job, Tile
from sheriff_values import DIRECTIONS, LOST_TURN, WOUND, Values, next_hits

ORDER: list[Job] = ["Sharpshooter", "Bartender", "Brawler"]
BARTENDER_DETOUR = 8
"""How much farther than a Bartender another cowboy may be from a piano and still be sent there."""
CAUTION = 0.3
"""How much of what the enemy could do is feared."""
FOCUS = 0.1
"""What it is worth to a Sharpshooter to have one more tile of focus."""
STEP = 0.8
"""What it is worth to be one step nearer to where a cowboy wants to be."""


class Deed(NamedTuple):
    """Something a cowboy can do besides walking.

    Attributes:
        worth: In points.
        kind: play, act or nothing.
        target: The piano's tile, or the tile to act on.
        direction: For bottles.
    """

    worth: float
    kind: str = ""
    target: Tile | None = None
    direction: Direction | None = None


NOTHING = Deed(0.0)


class Sheriff(AI):
    """Plays pianos, shoots along lines, and keeps the enemy drunk."""

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
        """Find the best thing to do for a cowboy, and do it."""
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
        """Play or act."""
        if deed.target is None:
            return
        if deed.kind == "act":
            cowboy.act(deed.target, deed.direction or "")
        elif deed.target.furnishing:
            self.claimed.add(deed.target.furnishing)
            cowboy.play(deed.target.furnishing)

    def best_deed(self, cowboy: Cowboy, place: Tile, *, moved: bool = False) -> Deed:
        """Return the best thing a cowboy could do from a place."""
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
        """Return what it is worth to stand on a tile at the end of the turn."""
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
        """Give each piano a cowboy who goes there and plays it; nearest pairs first, Bartenders last."""
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
        """Return how many steps each tile is from where the cowboy would like to be."""
        piano = self.pianists.get(cowboy)
        goals = piano.places if piano else self.hunting_grounds(cowboy)
        if not goals:
            goals = [place for piano in self.game.pianos for place in piano.places]
        goals = [tile for tile in goals if tile.cowboy is None or tile.cowboy is cowboy]
        steps = dict.fromkeys(goals, 0)
        edge = goals
        taken = 0
        while edge:
            taken += 1
            edge = [
                near
                for near in dict.fromkeys(near for tile in edge for near in tile.neighbors)
                if near not in steps and near.furnishing is None and not near.is_balcony
            ]
            steps.update(dict.fromkeys(edge, taken))
        return steps

    def hunting_grounds(self, cowboy: Cowboy) -> list[Tile]:
        """Return the tiles from which a cowboy can use his weapon; empty for those who had better play."""
        enemies = [one.tile for one in self.opponent.gang if one.tile and not one.is_drunk]
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
        """Return what is lost by standing on a tile until the own next turn."""
        danger: dict[Tile, float] = {}
        feared = [(tile, 6.0) for bottle in self.game.bottles for tile in next_hits(bottle)]
        feared.append((self.opponent.young_gun.call_in_tile, 6.0))
        for enemy in self.opponent.gang:
            feared += self.threats(enemy)
        for tile, worth in feared:
            danger[tile] = danger.get(tile, 0.0) + worth
        return danger

    def threats(self, enemy: Cowboy) -> list[tuple[Tile, float]]:
        """Return the tiles that an enemy can reach with his weapon in his next turn, and what is to be feared there."""
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
        """Call in the job that is missed most, unless it would crush one of the own gang."""
        gun = self.player.young_gun
        victim = gun.call_in_tile.cowboy
        if victim and victim.owner == self.index and not self.step_aside(victim):
            return
        job: Job = min(ORDER, key=self.player.count)
        if self.player.count(job) < self.options["max_cowboys_per_job"]:
            gun.call_in(job)

    def step_aside(self, cowboy: Cowboy) -> bool:
        """Walk off the tile where the next newcomer lands; tells whether that went well."""
        before = cowboy.tile
        if cowboy.is_ready and cowboy.can_move:
            self.command(cowboy)
        return cowboy.tile is not before
