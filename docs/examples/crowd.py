from saloon import AI, Cowboy, Furnishing, Result, Tile


class Crowd(AI):
    """All cowboys walk towards the nearest piano, in two messages a turn."""

    def run_turn(self) -> None:
        ready = [cowboy for cowboy in self.player.gang if cowboy.is_ready]
        taken: set[Tile] = set()
        with self.batch(keep_going=True):
            walks = [(cowboy, cowboy.move(tile)) for cowboy in ready if (tile := self.step(cowboy, taken))]
            called = self.call_in()
        refused = [f"{cowboy.id}: {walk.message}" for cowboy, walk in walks if not walk]
        if refused:
            self.log("; ".join(refused))
        if called and called.value:
            self.log(f"{called.value.id} has come in")
        played: set[Furnishing] = set()
        with self.batch(keep_going=True):
            for cowboy in ready:
                free = [piano for piano in cowboy.pianos if piano not in played]
                if cowboy.is_idle and free:
                    cowboy.play(free[0])
                    played.add(free[0])

    def call_in(self) -> Result[Cowboy] | None:
        """Call in a Brawler if one is missing, and nobody of ours would be crushed."""
        full = self.player.count("Brawler") >= self.options["max_cowboys_per_job"]
        return None if full or self.player.in_danger_of_crush else self.player.young_gun.call_in("Brawler")

    def step(self, cowboy: Cowboy, taken: set[Tile]) -> Tile | None:
        """Return the next tile on the way to the nearest piano, and take it, so that nobody else goes there."""
        paths = [path for piano in self.game.pianos if piano.tile and (path := cowboy.path_to(piano.tile))]
        path = min(paths, key=len, default=[])
        if len(path) < 2 or path[0] in taken:  # the last step of a path is the piano itself
            return None
        taken.add(path[0])
        return path[0]
