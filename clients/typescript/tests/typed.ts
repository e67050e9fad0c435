// A program for the compiler: what a bot is allowed to write, and what the compiler must refuse.

import { AI, find_path, type Game, type Result, run, type State, Walker } from "./stroll.js";

class Bot extends AI {
  run_turn(): void {
    const walker: Walker = this.game.walkers[0];
    const tile = walker.tile?.east;
    if (tile) {
      const walked: Result<unknown> = walker.walk(tile);
      if (!walked.accepted) this.log(walked.code);
      find_path(tile, tile, (one) => !one.find(Walker));
    }
    const state: State<Game> = this.game.fork(1);
    const mark: number = state.push(this.index, state.legal_actions()[0]);
    const mood: "calm" | "cross" = state.clone().game().walkers[0].mood;
    state.pop(mark);
    // @ts-expect-error: the game of a state has the fields of the game only
    state.game().weather;
    // @ts-expect-error: only actions change the game
    walker.owner = 1;
    // @ts-expect-error: there is no such action
    walker.fly();
    // @ts-expect-error: a tile is missing
    walker.walk();
  }
}

run(Bot);
