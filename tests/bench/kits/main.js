// Measures actions, and the CPU time before the first turn. The probes in all languages do the same.

import process from "node:process";
import { AI, run } from "./saloon.js";

class Probe extends AI {
  /** @type {number[]} */
  times = [];
  cpu = 0;

  run_turn() {
    if (!this.cpu) {
      const { user, system } = process.cpuUsage();
      this.cpu = (user + system) / 1000;
    }
    if (this.turn < 2) this.player.young_gun.call_in("Brawler");
    for (const cowboy of this.game.cowboys) {
      if (cowboy.owner !== this.index || cowboy.is_dead) continue;
      for (const tile of cowboy.tile?.neighbors ?? []) {
        const begin = performance.now();
        if (!cowboy.move(tile).accepted) continue;
        this.times.push(performance.now() - begin);
        break;
      }
    }
  }

  end() {
    this.times.sort((a, b) => a - b);
    const action = 1000 * (this.times[Math.floor(this.times.length / 2)] ?? 0);
    console.log(JSON.stringify({ action, cpu: this.cpu }));
  }
}

run(Probe);
