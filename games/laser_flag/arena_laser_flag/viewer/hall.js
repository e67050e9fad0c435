/**
 * The hall: its walls, and what is seen from where. The viewer computes it by the rules, since a state has no sight.
 */

/** @typedef {import("arena/states").Thing} Thing */
/** @typedef {[number, number]} Point */

/** Walls and sight of one map. A tile sees another if one of the 25 segments between their points touches no wall. */
export class Hall {
  /** @param {string[]} rows */
  constructor(rows) {
    this.rows = rows;
    this.key = rows.join("\n");
    this.width = rows[0]?.length ?? 0;
    this.height = rows.length;
    /** @type {Map<number, Uint8Array>} what each tile sees */
    this.fields = new Map();
    /** @type {Point[]} the upper left corners of the walls, in half tiles */
    this.walls = [];
    this.each((x, y, kind) => {
      if (kind === "#" || kind === "_") this.walls.push([2 * x, 2 * y]);
    });
  }

  /** What is on a tile: `#`, `o` for cover, `.`, or `_` off the map. @param {number} x @param {number} y */
  kind(x, y) {
    return this.rows[y]?.[x] ?? "_";
  }

  /** @param {number} x @param {number} y */
  opaque(x, y) {
    return this.kind(x, y) === "#" || this.kind(x, y) === "_";
  }

  /** The number of a tile; -1 off the map. @param {number} x @param {number} y */
  at(x, y) {
    return x >= 0 && y >= 0 && x < this.width && y < this.height ? y * this.width + x : -1;
  }

  /** @param {(x: number, y: number, kind: string, at: number) => void} visit */
  each(visit) {
    for (let y = 0; y < this.height; y++)
      for (let x = 0; x < this.width; x++) visit(x, y, this.rows[y][x], y * this.width + x);
  }

  /** 1 for each tile that is seen from a tile. @param {number} x @param {number} y */
  seen(x, y) {
    const key = this.at(x, y);
    const known = this.fields.get(key);
    if (known) return known;
    const field = new Uint8Array(this.width * this.height);
    this.fields.set(key, field);
    this.each((tx, ty, _kind, at) => {
      field[at] = this.sees(x, y, tx, ty) ? 1 : 0;
    });
    return field;
  }

  /** @param {number} x @param {number} y @param {number} tx @param {number} ty */
  sees(x, y, tx, ty) {
    if (x === tx && y === ty) return true;
    const [l, r, u, d] = [2 * Math.min(x, tx), 2 * Math.max(x, tx) + 2, 2 * Math.min(y, ty), 2 * Math.max(y, ty) + 2];
    const near = this.walls.filter(
      ([wx, wy]) => wx <= r && wx + 2 >= l && wy <= d && wy + 2 >= u && (wx !== 2 * tx || wy !== 2 * ty),
    );
    if (!near.length) return true;
    const ends = pointsOf(tx, ty);
    return pointsOf(x, y).some(([ax, ay]) =>
      ends.some(([bx, by]) => !near.some((wall) => touches(ax, ay, bx, by, wall))),
    );
  }

  /** 1 for each tile that one of the units sees. @param {Thing[]} units */
  seenBy(units) {
    const sum = new Uint8Array(this.width * this.height);
    for (const unit of units)
      this.seen(unit.x, unit.y).forEach((value, at) => {
        sum[at] |= value;
      });
    return sum;
  }

  /** The number of reaction shots that can hit each tile. @param {Thing[]} units */
  shots(units) {
    const sum = new Uint8Array(this.width * this.height);
    for (const unit of units.filter(({ overwatch }) => overwatch > 0)) {
      const field = this.seen(unit.x, unit.y);
      this.each((x, y, _kind, at) => {
        if (!this.opaque(x, y)) sum[at] += field[at] * unit.overwatch;
      });
    }
    return sum;
  }
}

/** The points of a tile between which it sees. @param {number} x @param {number} y @returns {Point[]} */
const pointsOf = (x, y) => [
  [2 * x + 1, 2 * y + 1],
  [2 * x, 2 * y],
  [2 * x + 2, 2 * y],
  [2 * x, 2 * y + 2],
  [2 * x + 2, 2 * y + 2],
];

/**
 * Whether a segment has a point in common with a wall's square.
 * @param {number} ax @param {number} ay @param {number} bx @param {number} by @param {Point} wall
 */
function touches(ax, ay, bx, by, [l, u]) {
  if (Math.max(ax, bx) < l || Math.min(ax, bx) > l + 2 || Math.max(ay, by) < u || Math.min(ay, by) > u + 2)
    return false;
  const [across, down] = [2 * (by - ay), 2 * (bx - ax)];
  const turn = (bx - ax) * (u - ay) - (by - ay) * (l - ax);
  const [right, low, both] = [turn - across, turn + down, turn - across + down];
  return Math.min(turn, right, low, both) <= 0 && Math.max(turn, right, low, both) >= 0;
}
