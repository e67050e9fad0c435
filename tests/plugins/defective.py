"""Bots of Saloon with one planted fault."""

from __future__ import annotations

from arena.match.lookup import find_game
from arena.study.coach.playing_bots import bot_class

Pianist = bot_class(find_game("saloon"), "builtin:pianist")


class Idler(Pianist):
    """Only ends its turns, and crashes in turn 11."""

    def run_turn(self):
        if self.game.current_turn >= 11:
            raise ValueError("no plan for turn 11")
        self.game.end_turn()


class Loner(Pianist):
    """Never has more than two cowboys."""

    def call_in(self):
        if len(self.player.gang) < 2:
            super().call_in()


class Blocker(Pianist):
    """Its second cowboy walks along with the young gun, and stands where the next cowboy would land."""

    def run_turn(self):
        gang = self.player.gang
        self.guard = gang[-1] if len(gang) > 1 else None
        super().run_turn()

    def play(self, cowboy, place):
        return cowboy is not self.guard and super().play(cowboy, place)

    def walk(self, cowboy):
        if cowboy is not self.guard:
            return super().walk(cowboy)
        goal = self.player.young_gun.call_in_tile_in(1)
        if goal is not cowboy.tile and cowboy.can_move and (path := cowboy.path_to(goal)):
            cowboy.move(path[0])
            self.taken.add(path[0])
            return path[0]
        return cowboy.tile


class Stubborn(Pianist):
    """Calls in Brawlers only, also when the rules refuse a third one."""

    def call_in(self):
        self.player.young_gun.call_in("Brawler")
