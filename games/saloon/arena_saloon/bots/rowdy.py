"""Rowdy: plays at random. The weakest of the bots that come with Saloon."""

from __future__ import annotations

from random import Random

from saloon import AI, Cowboy, Direction, Job, Tile

JOBS: list[Job] = ["Sharpshooter", "Bartender", "Brawler"]
DIRECTIONS: list[Direction] = ["North", "East", "South", "West"]


class Rowdy(AI):
    """Calls in, walks, plays and throws at random."""

    def start(self) -> None:
        """Seed the random generator with the map and the side, so that the same match can be played again."""
        places = [(thing.x, thing.y) for thing in self.game.furnishings]
        self.random = Random(f"{places} {self.index}")

    def run_turn(self) -> None:
        """Send all actions of the turn at once, which is fastest."""
        with self.batch():
            targets: set[Tile] = set()
            for cowboy in self.player.gang:
                if cowboy.is_ready:
                    self.command(cowboy, targets)
            if self.random.random() < 0.3:
                self.call_in(self.random.choice(JOBS))
            self.game.end_turn()

    def command(self, cowboy: Cowboy, targets: set[Tile]) -> None:
        """Give one cowboy something to do.

        Args:
            cowboy: The cowboy.
            targets: The tiles to which other cowboys will walk, and the tiles of the pianos that they will play.
        """
        tile = self.random.choice(cowboy.tile.neighbors) if cowboy.tile else None
        if tile is None:
            return
        if cowboy.is_idle and self.random.random() < 0.3:
            if cowboy.pianos and cowboy.pianos[0].tile not in targets:
                # Reserve the piano, because no other cowboy can play it in this turn.
                targets.update(near for near in [cowboy.pianos[0].tile] if near)
                cowboy.play(cowboy.pianos[0])
            elif cowboy.job == "Bartender":
                cowboy.act(tile, self.random.choice(DIRECTIONS))
        elif cowboy.can_move and tile.is_passable() and tile not in targets:
            targets.add(tile)
            cowboy.move(tile)

    def call_in(self, job: Job) -> None:
        """Call a cowboy in if the limit for the job allows it."""
        if self.player.count(job) < self.options["max_cowboys_per_job"]:
            self.player.young_gun.call_in(job)
