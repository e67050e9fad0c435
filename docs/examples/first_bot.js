import { AI, run } from "./saloon.js";

class Bot extends AI {
  run_turn() {
    if (this.game.cowboys.some((cowboy) => cowboy.owner === this.index)) return; // one is enough for now
    const called = this.player.young_gun.call_in("Brawler");
    if (!called.accepted) this.log("refused:", called.code, called.message);
  }
}

run(Bot);
