from saloon import AI


class Lookahead(AI):
    """Tries each action, and takes the one with the best lead in points after the turn."""

    def run_turn(self) -> None:
        while True:
            state = self.game.fork(self.random)
            best = max(state.legal_actions(), key=lambda action: self.value(state, action))
            if best["type"] == "end_turn":
                return  # the turn ends when this method returns
            self.act(best)

    def value(self, state, action) -> float:
        mark = state.push(self.index, action)
        if action["type"] != "end_turn" and self.index in state.to_move():
            state.push(self.index, {"type": "end_turn"})
        mine, other = state.scores()[self.index], state.scores()[1 - self.index]
        state.pop(mark)  # undoes both
        return mine - other
