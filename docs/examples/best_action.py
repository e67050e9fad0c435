from random import Random

from saloon import AI

from arena.game.chance import Sampled


class Bot(AI):
    def run_turn(self) -> None:
        me = self.index
        state = self.game.fork(Random(self.turn))
        dice = Sampled(Random(self.turn))
        values = {}
        actions = state.legal_actions(me)
        for number, action in enumerate(actions):
            mark = state.push(me, action, dice)
            scores = state.scores()
            values[number] = 1000 * (scores[me] - scores[1 - me]) + len(state.legal_actions())
            state.pop(mark)
        self.act(actions[max(values, key=values.get)])
