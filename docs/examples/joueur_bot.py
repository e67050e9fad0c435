"""A bot that was written for the MegaMinerAI client Joueur, with the names of Arena."""

from saloon import AI, find_path


class Bot(AI):
    def start(self):
        self.plays = 0

    def run_turn(self):
        gun = self.player.young_gun
        if gun.can_call_in and self.player.count("Brawler") < self.options["max_cowboys_per_job"]:
            gun.call_in("Brawler")
        for cowboy in self.game.cowboys:
            if cowboy.owner != self.player.index or cowboy.is_dead or cowboy.is_drunk:
                continue
            piano = self.nearest_piano(cowboy)
            if piano is None:
                continue
            path = find_path(cowboy.tile, piano.tile)
            if len(path) > 1 and cowboy.can_move and not cowboy.move(path[0]):
                self.log("could not move", cowboy.id)
            if not cowboy.tile or piano.tile not in cowboy.tile.neighbors or cowboy.turns_busy:
                continue
            if not piano.is_playing and cowboy.play(piano):
                self.plays += 1

    def nearest_piano(self, cowboy):
        best, shortest = None, 0
        for piano in self.game.furnishings:
            if not cowboy.tile or not piano.tile or not piano.is_piano:
                continue
            length = len(find_path(cowboy.tile, piano.tile))
            if length and (best is None or length < shortest):
                best, shortest = piano, length
        return best

    def end(self, outcome):
        print("won" if outcome.won else "not won", "plays:", self.plays)
