"""Pianist: calls in cowboys, walks to the nearest piano and plays. The Pianist never fights."""

from __future__ import annotations

from saloon import AI, Cowboy, Job, Tile

JOBS: list[Job] = ["Sharpshooter", "Bartender", "Brawler"]


class Pianist(AI):
    """Plays as many pianos as possible, and never fights."""

    def run_turn(self) -> None:
        """Play, walk and call in. Send all actions in one batch, which is fastest."""
        self.taken: set[Tile] = set()
        self.free = set(self.game.pianos)
        cowboys = [cowboy for cowboy in self.player.gang if cowboy.is_ready]
        with self.batch():
            waiting = [cowboy for cowboy in cowboys if not self.play(cowboy, cowboy.tile)]
            for cowboy in waiting:
                self.play(cowboy, self.walk(cowboy))
            self.call_in()
            self.game.end_turn()

    def play(self, cowboy: Cowboy, place: Tile | None) -> bool:
        """Play a piano that no cowboy has played or reserved in this turn. Return whether there was such a piano.

        Args:
            cowboy: The cowboy who plays.
            place: The tile where the cowboy will stand when he plays.
        """
        pianos = [near.furnishing for near in place.neighbors] if place and cowboy.is_idle else []
        for piano in pianos:
            if piano in self.free:
                self.free.discard(piano)
                cowboy.play(piano)
                return True
        return False

    def walk(self, cowboy: Cowboy) -> Tile | None:
        """Take one step towards the nearest free piano, if the way is free. Return the cowboy's tile after that."""
        if not cowboy.can_move or not self.free:
            return cowboy.tile
        # Sort by the id as well, because the order of a set differs from run to run.
        piano = min(self.free, key=lambda piano: (cowboy.distance_to(piano), piano.id))
        path = cowboy.path_to(piano.tile) if piano.tile else []
        if len(path) < 2 or path[0] in self.taken:
            return cowboy.tile
        if len(path) > 2:
            self.free.discard(piano)  # so no other cowboy walks to this piano or plays it in this turn
        self.taken.add(path[0])
        cowboy.move(path[0])
        return path[0]

    def call_in(self) -> None:
        """Call in a cowboy of the job that has the fewest cowboys, unless he would crush one of our own."""
        gun = self.player.young_gun
        job: Job = min(JOBS, key=self.player.count)
        crushed = gun.call_in_tile.cowboy
        blocked = gun.call_in_tile in self.taken or (crushed and crushed.owner == self.index)
        if not blocked and self.player.count(job) < self.options["max_cowboys_per_job"]:
            gun.call_in(job)
