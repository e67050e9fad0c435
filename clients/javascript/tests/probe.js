// A bot for tests of the kit. It uses every part of the kit and logs what it sees. The probes of all kits do the same.

import { AI, run, Walker } from "./stroll.js";

class Probe extends AI {
  updates = 0;
  /** @type {Walker} */
  mine = /** @type {any} */ (null);
  /** @type {Walker} */
  other = /** @type {any} */ (null);

  start() {
    [this.mine, this.other] = this.game.walkers;
    console.log("start", this.index, this.settings.mood, this.options.width, this.tiles.length);
  }

  game_updated() {
    this.updates += 1;
  }

  /** @param {import("../arena.js").Document} action @param {import("../arena.js").Result<any>} result */
  refused(action, result) {
    console.log("refused", action.type, result.code);
  }

  /** @param {import("../arena.js").Outcome} outcome */
  end(outcome) {
    console.log("end", outcome.ending, Number(outcome.won), outcome.document.winner, this.updates);
  }

  /** @param {unknown[]} values */
  note(...values) {
    this.log(...values.map((value) => (typeof value === "boolean" ? Number(value) : value)));
  }

  run_turn() {
    const { mine, other, random } = this;
    const at = (/** @type {number} */ x, /** @type {number} */ y) =>
      /** @type {import("../arena.js").Tile} */ (this.tile(x, y));
    if (this.turn === 0) {
      const walked = mine.walk(/** @type {any} */ (mine.tile?.east));
      this.note(walked.accepted, walked.value?.id, mine.mood, mine.tile?.x, mine.tile?.find(Walker) === mine);
    } else if (this.turn === 1) {
      this.note(other.present, other.tile === null, this.game.walkers.length);
      const results = this.batch(() => {
        mine.walk(at(2, 0));
        mine.walk(at(0, 1));
        this.game.end_turn();
      });
      for (const result of results) this.note(result.accepted, result.code);
    } else if (this.turn === 2) {
      this.note(this.game.walkers[1] === other, other.present, other.mood, this.events.length);
      this.note(random.below(1000), random.below(7), Number(this.time_left) > 0, "line\nbreak ?.");
      this.draw.line(mine, [1.5, 0.5], "red");
      this.draw.rectangle(mine, other);
      this.draw.text(other, "h\x1bi");
      const late = this.act({ type: "walk", walker: "w1", x: 3, y: 0 });
      const next = mine.walk(at(0, 0));
      this.note(late.code, next.code);
    } else if (this.turn === 3) {
      const results = this.batch(
        () => {
          for (let i = 0; i < 1006; i++) mine.walk(at(3, 1));
        },
        { keep_going: true },
      );
      const values = results.map((one) => one.value === mine);
      this.note(results.length, results[0].code, values[1], values[2], results[999].code, results[1005].accepted);
    } else if (this.turn === 4) {
      mine.walk(at(0, 0));
      console.log("not reached");
    } else if (this.turn === 5) {
      this.log(this.options.width.toUpperCase()); // a mistake: it is an integer
    } else if (this.turn === 6) {
      const walker = "w".repeat(400); // long, so that one message cannot carry all
      const results = this.batch(() => {
        for (let i = 0; i < 1000; i++) this.act({ type: "walk", walker, x: i, y: 0 });
      });
      this.note(
        results.length,
        results.every((one) => one.accepted),
      );
    }
  }
}

run(Probe);
