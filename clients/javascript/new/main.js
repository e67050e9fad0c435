// A first bot for $title. It takes any legal action. Make it better.

import { AI, run } from "./$game.js";

/** A bot that plays at random. */
class Bot extends AI {
  wants_legal_actions = true;

  /** Send one action. The kit calls this on each of your turns. */
  run_turn() {
    this.act(this.random_action());
  }
}

run(Bot);
