"""Lookout: tries each choice in forks of the game, and plays on for both sides until the end of an alien turn."""

from random import Random

from derelict import AI

from arena.game import Sampled
from arena_derelict.bots.judgement import Judgement


class Lookout(AI):
    """Searches before it moves. As marines it beats the built-in bot veteran in most games."""

    def run_turn(self):
        """Try the choices if an enemy is near. Otherwise make the choice with the best estimate."""
        worlds = [self.game.fork(Random(seed)) for seed in range(4)]  # each guesses other numbers in the blips
        self.judgement = Judgement(worlds[0].options, worlds[0].board)
        best = self.judgement.choose(worlds[0], worlds[0].pieces, self.legal_actions)
        if self.is_near() and (self.time_left is None or self.time_left > 4):
            best = max(self.legal_actions, key=lambda choice: self.gain(choice, worlds) + 20 * (choice is best))
        self.act({key: best[key] for key in ("type", "x", "y") if key in best})

    def is_near(self):
        """Return whether an enemy is near enough to search."""
        enemies = self.game.aliens + self.game.blips
        return any(marine.distance_to(enemy) < 10 for marine in self.game.marines for enemy in enemies)

    def gain(self, choice, worlds):
        """Return the average value after a choice."""
        return sum(self.after(choice, world, luck) for luck in range(4) for world in worlds) / 16

    def after(self, choice, state, luck):
        """Make a choice, play on with dice from a seed, and return the value of the position."""
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
