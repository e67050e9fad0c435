"""Lookout tries each choice in forks of the game, and lets both sides play on until the aliens have struck."""

from random import Random

from derelict import AI

from arena.game import Sampled
from arena_derelict.bots.judgement import Judgement


class Lookout(AI):
    """Looks before it leaps. As marines it beats the sensible bot in most games."""

    def run_turn(self):
        """Try the choices if an enemy is near; otherwise do what looks best."""
        worlds = [self.game.fork(Random(seed)) for seed in range(4)]  # each with other numbers behind the blips
        self.judgement = Judgement(worlds[0].options, worlds[0].board)
        best = self.judgement.choose(worlds[0], worlds[0].pieces, self.legal_actions)
        if self.is_near() and (self.time_left is None or self.time_left > 4):
            best = max(self.legal_actions, key=lambda choice: self.gain(choice, worlds) + 20 * (choice is best))
        self.act({key: best[key] for key in ("type", "x", "y") if key in best})

    def is_near(self):
        """Tell whether there is anything to think about."""
        enemies = self.game.aliens + self.game.blips
        return any(marine.distance_to(enemy) < 10 for marine in self.game.marines for enemy in enemies)

    def gain(self, choice, worlds):
        """Return what a choice leads to on average."""
        return sum(self.after(choice, world, luck) for luck in range(4) for world in worlds) / 16

    def after(self, choice, state, luck):
        """Make a choice, play on with dice from a seed, and say how good the position is."""
        chance = Sampled(Random(luck))
        last = state.turn_number() + 2 - state.turn_number() % 2  # the end of an alien turn
        mark = state.push(self.index, choice, chance)
        while state.decision is not None and state.turn_number() <= last:
            best = self.judgement.choose(state, state.pieces, state.legal_actions())
            state.push(state.decision.player, best, chance)
        worth = sum(100 if unit.kind == "marine" else -25 * (unit.count or 1) for unit in state.units)
        worth += 0 if state.winner is None else 1500 - 3000 * state.winner
        state.pop(mark)
        return worth if self.index == 0 else -worth
