import { AI, type Cowboy, run } from "./saloon.js";

class Bot extends AI {
  run_turn(): void {
    const mine: Cowboy[] = this.game.cowboys.filter((cowboy) => cowboy.owner === this.index);
    if (!mine.length) this.player.young_gun.call_in("Brawler");
  }
}

run(Bot);
