import { AI, run } from "./saloon.js";

class Bot extends AI {
  run_turn() {
    const me = this.index;
    const state = this.game.fork(this.turn);
    const actions = state.legal_actions(me);
    const results = state.batch(
      actions.flatMap((action) => [["push", me, action], ["scores"], ["legal_actions"], ["pop", 0]]),
    );
    let [best, most] = [0, -Infinity];
    for (let i = 0; i < actions.length; i++) {
      const scores = results[4 * i + 1][1];
      const value = 1000 * (scores[me] - scores[1 - me]) + results[4 * i + 2][1].length;
      if (value > most) [best, most] = [i, value];
    }
    state.free();
    this.act(actions[best]);
  }
}

run(Bot);
