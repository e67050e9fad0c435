from saloon import AI, Cowboy, Direction, Furnishing, Job, Tile

JOBS: list[Job] = ["Brawler", "Bartender", "Sharpshooter"]
DIRECTIONS: list[Direction] = ["North", "East", "South", "West"]


class Foreman(AI):
    """Gives each piano to one cowboy. Bartenders stop the pianists of the enemy."""

    def run_turn(self) -> None:
        self.call_in()
        posts = self.posts()
        for cowboy in self.player.gang:
            if cowboy.is_ready:
                self.work(cowboy)  # before the step, or after it
                self.walk(cowboy, posts.get(cowboy))
                self.work(cowboy)

    def call_in(self) -> None:
        """Call in a cowboy of the rarest job, but crush neither a cowboy of ours nor, unless we lead, a piano."""
        job = min(JOBS, key=self.player.count)
        crushed = self.player.young_gun.call_in_tile.furnishing
        keep = crushed and crushed.is_piano and self.player.score <= self.opponent.score
        is_full = self.player.count(job) >= self.options["max_cowboys_per_job"]
        if not (keep or is_full or self.player.in_danger_of_crush):
            self.player.young_gun.call_in(job)

    def posts(self) -> dict[Cowboy, Furnishing]:
        """Return a piano for each cowboy, as long as there are pianos: the nearest pairs first, Bartenders last."""
        gang = [cowboy for cowboy in self.player.gang if cowboy.is_ready]
        pairs = [(cowboy, piano) for cowboy in gang for piano in self.game.pianos]
        pairs.sort(key=lambda pair: pair[0].distance_to(pair[1]) + 8 * (pair[0].job == "Bartender"))
        posts: dict[Cowboy, Furnishing] = {}
        for cowboy, piano in pairs:
            if cowboy not in posts and piano not in posts.values():
                posts[cowboy] = piano
        return posts

    def work(self, cowboy: Cowboy) -> None:
        """Empty a bottle over an enemy, or play, from where the cowboy stands."""
        if not cowboy.is_idle:
            return
        if cowboy.job == "Bartender":
            for near in cowboy.tile.neighbors:
                if self.is_target(near.cowboy):
                    cowboy.act(near, self.away_from_pianos(near))
                    return
        if cowboy.pianos:
            cowboy.play(cowboy.pianos[0])

    def is_target(self, other: Cowboy | None) -> bool:
        return other is not None and other.owner != self.index and not other.is_drunk

    def away_from_pianos(self, tile: Tile) -> Direction:
        """Return the direction in which a drunk gets farthest away from all pianos."""

        def distance(direction: Direction) -> int:
            end = tile
            for _ in range(self.options["turns_drunk"]):
                ahead = end.towards(direction)
                if ahead is None or ahead.is_balcony or ahead.furnishing:
                    break
                end = ahead
            return min((end.distance_to(piano) for piano in self.game.pianos), default=0)

        return max(DIRECTIONS, key=distance)

    def walk(self, cowboy: Cowboy, piano: Furnishing | None) -> None:
        """Take a step towards the tile with the highest value, less the steps to it."""
        if cowboy.can_move:
            steps = cowboy.tile.reachable()
            goal = max(steps, key=lambda tile: self.value(cowboy, tile, piano) - steps[tile])
            if path := cowboy.path_to(goal):
                cowboy.move(path[0])

    def value(self, cowboy: Cowboy, tile: Tile, piano: Furnishing | None) -> float:
        value = -3.0 if tile.has_hazard or tile.bottle else 0.0
        if piano and tile in piano.places:
            value += 30
        for other in [near.cowboy for near in tile.neighbors if near.cowboy and near.cowboy is not cowboy]:
            if other.job == "Brawler":  # punches everybody beside, also the own gang
                value -= 1.5
            if cowboy.job == "Bartender" and piano is None and self.is_target(other):
                value += 20 + 5 * any(near.furnishing and near.furnishing.is_piano for near in other.tile.neighbors)
        return value
