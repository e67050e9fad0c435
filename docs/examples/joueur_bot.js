// A bot that was written for the MegaMinerAI client Joueur, with the names of Arena.

import { AI, find_path, run } from "./saloon.js";

class Bot extends AI {
  start() {
    this.plays = 0;
  }

  async run_turn() {
    const gun = this.player.young_gun;
    if (gun.can_call_in && this.player.count("Brawler") < this.options.max_cowboys_per_job)
      await gun.call_in("Brawler");
    for (const cowboy of this.game.cowboys) {
      if (cowboy.owner !== this.player.index || cowboy.is_dead || cowboy.is_drunk) continue;
      const piano = this.nearest_piano(cowboy);
      if (!piano) continue;
      const path = find_path(cowboy.tile, piano.tile);
      if (path.length > 1 && cowboy.can_move) {
        const moved = await cowboy.move(path[0]);
        if (!moved.accepted) this.log("could not move", cowboy.id);
      }
      if (cowboy.tile?.neighbors.includes(piano.tile) && cowboy.turns_busy === 0) {
        if (!piano.is_playing && (await cowboy.play(piano)).accepted) this.plays++;
      }
    }
  }

  nearest_piano(cowboy) {
    let [best, shortest] = [null, 0];
    for (const piano of this.game.furnishings) {
      if (!cowboy.tile || !piano.tile || !piano.is_piano) continue;
      const { length } = find_path(cowboy.tile, piano.tile);
      if (length && (!best || length < shortest)) [best, shortest] = [piano, length];
    }
    return best;
  }

  end(outcome) {
    console.log(outcome.won ? "won" : "not won", "plays:", this.plays);
  }
}

run(Bot);
