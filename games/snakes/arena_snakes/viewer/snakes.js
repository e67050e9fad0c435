/**
 * Draws Snakes: each body as one piece from head to tail, food, and a row with the length and health of each snake.
 * @module
 */

import { effects } from "arena/effects";
import { backdrop, between, Grid, isNumber, SMALL } from "arena/grid";
import { brush } from "arena/shapes";

const STEPS = { up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0] };
const CAUSES = {
  "out-of-health": "starves",
  "wall-collision": "leaves the board",
  left: "is gone with its program",
  "snake-self-collision": "runs into itself",
  "snake-collision": "runs into the body of",
  "head-collision": "loses head to head against",
};
const LIGHT = {
  board: "#f4f1e6",
  other: "#ece8d9",
  edge: "#b9b39d",
  ink: "#3a3626",
  empty: "#d8d2bf",
  food: "#d23c4e",
};
const DARK = { board: "#20251f", other: "#262c25", edge: "#454d42", ink: "#dfe5d8", empty: "#3b4338", food: "#ff6b73" };
const FULL = 100;
const MOST = 64;
/** What is heard and felt: the snake meets food or another snake at the end of its move. */
const CUES = {
  eliminated: { sound: "crash", at: 0.5, shake: 4 },
  eaten: { sound: "bite", at: 0.7 },
  food: { sound: "pop", at: 0.9 },
};
/** The patterns of the bodies, in tiles: snakes differ without colour too. */
const PATTERNS = [
  [0.02, 0.5],
  [],
  [0.3, 0.2],
  [0.02, 0.25],
  [0.5, 0.25, 0.02, 0.25],
  [0.7, 0.5],
  [0.12, 0.12],
  [0.02, 1],
];

const isTile = (tile) => Array.isArray(tile) && isNumber(tile[0]) && isNumber(tile[1]);
const tilesOf = (list) => (Array.isArray(list) ? list.filter(isTile) : []);
const bodyOf = (snake) => tilesOf(snake?.body);
const isSnake = (thing) => thing.class === "Snake" && bodyOf(thing).length > 0;
const snakesOf = (state) => [...state.values()].filter(isSnake);
const isOut = (snake) => Boolean(snake?.cause);

/** @param {HTMLCanvasElement} canvas @param {{players: {name: string, color: string}[]}} context */
export function createRenderer(canvas, { players }) {
  const g = canvas.getContext("2d");
  const grid = new Grid();
  const { dot, ring, rounded, line, text, arrow, oval } = brush(g);
  const { hit, shards } = effects(g);
  const floor = backdrop(canvas);
  let shown = [];
  const color = (owner) => players[owner]?.color ?? "#999999";
  const name = (owner) => String(players[owner]?.name ?? `player ${owner}`).slice(0, 40);

  function draw(before, after, fraction, _events, look) {
    const game = after.get("game");
    if (!game) return;
    const tone = look.dark ? DARK : LIGHT;
    const small = look.width < SMALL;
    const strip = small ? 0 : Math.min(Math.max(34, look.height * 0.07), look.height * 0.15);
    grid.fit(look.width, look.height - strip, game.width, game.height, 0.15);
    grid.top += strip;
    floor(look, [game.width, game.height], (to) => paintFloor(to, tone));
    for (const tile of foods(before, after, fraction)) food(tile, tone);
    const snakes = snakesOf(after).slice(0, MOST);
    shown = snakes.filter((snake) => !isOut(snake));
    const fading = snakes.filter((snake) => isOut(snake) && !isOut(before.get(snake.id)));
    for (const snake of fading) {
      g.globalAlpha = look.still || fraction === 1 ? 0.35 : 1 - 0.65 * fraction;
      serpent(snake, before.get(snake.id), look.still ? 1 : fraction, look);
      g.globalAlpha = 1;
      if (!look.still && fraction < 1) burst(snake, fraction);
    }
    // Behind the neck, under the living: where the head was, the head of the winner can be.
    for (const snake of fading) cross(bodyOf(snake)[1] ?? bodyOf(snake)[0], look.still ? 1 : fraction, tone);
    for (const snake of shown) serpent(snake, before.get(snake.id), fraction, look);
    if (!small) scores(snakes, before, fraction, look, tone, strip);
  }

  function paintFloor(to, tone) {
    const { left, top, tile, columns, rows } = grid;
    const paint = brush(to);
    const rim = tile * 0.12;
    paint.rounded(left - rim, top - rim, tile * columns + 2 * rim, tile * rows + 2 * rim, tile * 0.25, tone.edge);
    for (let y = 0; y < rows; y++) {
      for (let x = 0; x < columns; x++) {
        to.fillStyle = (x + y) % 2 ? tone.other : tone.board;
        to.fillRect(...grid.place(x, y), tile + 0.5, tile + 0.5);
      }
    }
  }

  /** Returns the food to draw, with its size. Eaten food shrinks at the end of the move, and new food grows. */
  function foods(before, after, fraction) {
    const key = ([x, y]) => `${x} ${y}`;
    const [old, now] = [tilesOf(before.get("game")?.food), tilesOf(after.get("game")?.food)];
    const kept = new Set(old.map(key));
    const left = new Set(now.map(key));
    const eaten = fraction < 1 ? old.filter((tile) => !left.has(key(tile))) : [];
    return [
      ...now.map((tile) => ({ tile, size: kept.has(key(tile)) ? 1 : fraction })),
      ...eaten.map((tile) => ({ tile, size: fraction < 0.7 ? 1 : (1 - fraction) / 0.3, eaten: true })),
    ];
  }

  function food({ tile: [x, y], size, eaten }, tone) {
    grid.inTile(g, x, y, () => {
      g.scale(size, size);
      oval(0, 0.27, 0.2, 0.06, "rgba(0,0,0,.25)");
      dot(0, 0.03, 0.25, tone.food);
      dot(-0.08, -0.06, 0.07, "rgba(255,255,255,.55)");
      line(0, -0.2, 0.07, -0.33, 0.05, "#7a5a34");
      oval(0.15, -0.29, 0.1, 0.045, "#5aa545");
    });
    if (size > 0 && size < 1 && eaten) grid.inTile(g, x, y, () => shards(1 - size, 9, tone.food, 0.7));
  }

  /** A body falls to pieces, from head to tail. */
  function burst(snake, fraction) {
    bodyOf(snake).forEach(([x, y], at, body) => {
      const part = (fraction - 0.25 - (0.35 * at) / body.length) / 0.4;
      if (part > 0 && part < 1)
        grid.inTile(g, x, y, () => (at ? shards(part, 4, color(snake.owner), 0.6, at) : hit(part)));
    });
  }

  /**
   * Returns the points of a body between two states, from head to tail, in tiles. The head moves forward, the tail
   * follows along the bends, and the tiles between sway a little.
   */
  function course(snake, was, fraction, look) {
    const body = bodyOf(snake);
    const old = bodyOf(was);
    const slide = (from, to) => [between(from[0], to[0], fraction), between(from[1], to[1], fraction)];
    const moves = old.length > 0 && fraction < 1;
    const points = moves ? [slide(old[0], body[0]), ...body.slice(1), slide(old.at(-1), body.at(-1))] : body;
    if (look.still) return points;
    return points.map(([x, y], at) => {
      const [before, next] = [points[at - 1], points[at + 1]];
      if (!before || !next) return [x, y];
      const far = 0.07 * Math.sin(0.5 * look.beat + 1.9 * x + 2.6 * y);
      return [x + far * Math.sign(next[1] - before[1]), y - far * Math.sign(next[0] - before[0])];
    });
  }

  /** Returns points, in pixels, along a line that bends in the tiles where it turns. */
  function curve(points) {
    const middle = ([x, y], [tx, ty]) => [(x + tx) / 2, (y + ty) / 2];
    const placed = points.map(([x, y]) => grid.place(x + 0.5, y + 0.5));
    const found = [placed[0]];
    for (let at = 1; at + 1 < placed.length; at++) {
      const [from, over] = [found[found.length - 1], placed[at]];
      const to = at + 2 < placed.length ? middle(over, placed[at + 1]) : placed[at + 1];
      for (let step = 1; step <= 5; step++) {
        const [t, u] = [step / 5, 1 - step / 5];
        found.push([0, 1].map((axis) => u * u * from[axis] + 2 * u * t * over[axis] + t * t * to[axis]));
      }
    }
    if (placed.length === 2) found.push(placed[1]);
    return found;
  }

  /** Makes the outline of a body along a line the path. The body is thinner at the tail. */
  function skin(spine, wide) {
    const sides = spine.map(([x, y], at) => {
      const [[fx, fy], [tx, ty]] = [spine[Math.max(0, at - 1)], spine[Math.min(spine.length - 1, at + 1)]];
      const long = Math.hypot(tx - fx, ty - fy) || 1;
      const half = (grid.tile * wide * Math.min(1, 0.35 + 0.065 * (spine.length - 1 - at))) / 2;
      return [x, y, (half * (ty - fy)) / long, (half * (tx - fx)) / long];
    });
    g.beginPath();
    for (const [x, y, ax, ay] of sides) g.lineTo(x + ax, y - ay);
    const [x, y, ax, ay] = sides.at(-1);
    g.quadraticCurveTo(x + 2 * ay, y + 2 * ax, x - ax, y + ay); // a round tail
    for (const [x, y, ax, ay] of sides.toReversed()) g.lineTo(x - ax, y + ay);
    g.closePath();
  }

  function serpent(snake, was, fraction, look) {
    const points = course(snake, was, fraction, look);
    const spine = curve(points);
    const { tile } = grid;
    g.save();
    g.lineJoin = g.lineCap = "round";
    skin(spine, 0.74);
    const marked = look.selected === snake.id || look.hovered === snake.id;
    g.lineWidth = tile * 0.1;
    g.strokeStyle = marked ? (look.dark ? "#ffffff" : "#101010") : "rgba(0,0,0,.45)";
    g.stroke();
    g.fillStyle = color(snake.owner);
    g.fill();
    g.setLineDash(PATTERNS[snake.owner % PATTERNS.length].map((part) => part * tile));
    g.lineWidth = tile * 0.26;
    g.strokeStyle = "rgba(255,255,255,.3)";
    g.beginPath();
    for (const point of spine.slice(0, Math.max(2, spine.length - 6))) g.lineTo(...point);
    g.stroke();
    g.restore();
    head(snake, was, points, fraction);
  }

  /** How wide a snake opens its mouth: it grows by what it has eaten. */
  const swallow = (snake, was, fraction) => (was && snake.health > was.health ? Math.sin(Math.PI * fraction) : 0);

  function head(snake, was, points, fraction) {
    const [at, ...others] = points;
    const neck = others.find(([x, y]) => Math.abs(x - at[0]) + Math.abs(y - at[1]) > 0.05) ?? [at[0], at[1] + 1];
    const angle = Math.atan2(at[1] - neck[1], at[0] - neck[0]);
    grid.inTile(g, at[0], at[1], () => {
      const eats = !fraction || fraction === 1 ? 0 : swallow(snake, was, fraction);
      g.scale(1 + 0.18 * eats, 1 + 0.18 * eats);
      dot(0, 0, 0.46, color(snake.owner));
      ring(0.46, "rgba(0,0,0,.5)", 0, 0, 0.05);
      text(String(snake.owner + 1).slice(0, 2), -0.16 * Math.cos(angle), -0.16 * Math.sin(angle), 0.34, "#ffffff");
      g.save();
      g.rotate(angle);
      for (const side of [-1, 1]) {
        dot(0.2, 0.23 * side, 0.12, "#ffffff");
        dot(0.24, 0.23 * side, 0.06, "#111111");
      }
      g.restore();
      const step = STEPS[snake.chosen];
      if (step && fraction > 0) arrow(step, 0.58, 0.13, "#ffffff", "#222222");
    });
  }

  /** Draws a cross on the neck of a snake that was eliminated, within the board. */
  function cross([x, y], fraction, tone) {
    const [column, row] = [
      Math.max(-0.3, Math.min(grid.columns - 0.7, x)),
      Math.max(-0.3, Math.min(grid.rows - 0.7, y)),
    ];
    grid.inTile(g, column, row, () => {
      const size = 0.3 * Math.min(1, fraction * 1.5);
      for (const side of [-1, 1]) {
        line(-size, -size * side, size, size * side, 0.2, tone.board);
        line(-size, -size * side, size, size * side, 0.11, tone.food);
      }
    });
  }

  /** Draws length and health of each snake in one row above the board. */
  function scores(snakes, before, fraction, look, tone, strip) {
    const room = Math.max(look.width * 0.6, grid.tile * grid.columns);
    const wide = Math.min(room / Math.max(1, snakes.length), 220);
    const first = (look.width - wide * snakes.length) / 2;
    const size = Math.max(8, Math.min(16, strip * 0.36, wide * 0.15));
    const y = grid.top - grid.tile * 0.12 - strip * 0.55;
    snakes.forEach((snake, at) => {
      const x = first + wide * at;
      g.globalAlpha = isOut(snake) ? 0.4 : 1;
      dot(x + size * 0.9, y, size * 0.75, color(snake.owner));
      text(String(snake.owner + 1).slice(0, 2), x + size * 0.9, y + 0.5, size * 0.9, "#ffffff");
      g.font = `600 ${size}px system-ui, sans-serif`;
      g.textAlign = "left";
      g.fillStyle = tone.ink;
      const words = isOut(snake) ? `${bodyOf(snake).length} · out` : `${bodyOf(snake).length}`;
      g.fillText(words, x + size * 2, y);
      if (!isOut(snake))
        health(snake, before.get(snake.id), fraction, [x + size * 3.6, y, wide - size * 4.4, size], tone);
      g.globalAlpha = 1;
    });
  }

  function health(snake, was, fraction, [x, y, width, size], tone) {
    const part = Math.max(0, Math.min(1, between(was?.health, snake.health, fraction) / FULL)) || 0;
    const fill = part > 0.5 ? "#4fb062" : part > 0.25 ? "#e2a32a" : "#e5484d";
    rounded(x, y - size * 0.3, width, size * 0.6, size * 0.2, tone.empty);
    rounded(x, y - size * 0.3, width * part, size * 0.6, size * 0.2, fill);
  }

  const field = (key) => (state, at) => {
    const snake = state.get(`s${at}`);
    return !snake || isOut(snake) ? null : key(snake);
  };

  return {
    reason: ({ reason }) => ({ last_snake: "Only one snake is left.", all_eliminated: "No snake is left." })[reason],
    draw,
    place: (x, y) => grid.place(x, y),
    pick(px, py) {
      const [x, y] = grid.tileAt(px, py);
      const lies = (snake) => bodyOf(snake).some((tile) => tile[0] === x && tile[1] === y);
      return shown.find(lies)?.id ?? null;
    },
    cues: (events) => events.map(({ kind }) => CUES[kind]),
    series: () => [
      { name: "length", unit: "long", value: field((snake) => bodyOf(snake).length) },
      { name: "health", value: field((snake) => (isNumber(snake.health) ? snake.health : null)) },
    ],
    describe(turn) {
      const moves = turn.actions
        .filter((action) => STEPS[action?.direction])
        .map(({ snake, direction }) => `${nameOf(snake, turn.after)} ${direction}`);
      const fates = turn.events.filter(({ kind }) => kind === "eliminated").map((event) => fate(event, turn.after));
      return [`Moves: ${moves.join(", ") || "none"}.`, ...fates].join(" ");
    },
    mark(event, before) {
      if (event.kind !== "eliminated") return null;
      return { player: before().get(event.snake)?.owner ?? -1, label: fate(event, before()) };
    },
    tell(event, before) {
      if (event.kind === "eliminated") return fate(event, before());
      if (event.kind === "eaten") return `${nameOf(event.snake, before())} eats.`;
      return event.kind === "food" ? "Food appears." : undefined;
    },
    duration: ({ kind }) => (kind === "eliminated" ? 400 : 0),
    action: ({ snake, direction }, before) =>
      STEPS[direction] && before.get(snake) ? `${nameOf(snake, before)} moves ${direction}` : undefined,
    tip(id, state) {
      const snake = state.get(id);
      if (!isSnake(snake)) return "";
      const chosen = STEPS[snake.chosen] ? ` · moves ${snake.chosen}` : "";
      return `${name(snake.owner)} · length ${bodyOf(snake).length} · health ${Number(snake.health)}${chosen}`;
    },
  };

  function nameOf(id, state) {
    return name(state.get(id)?.owner);
  }

  /** Describes in one sentence what happened to a snake. */
  function fate(event, state) {
    const other = event.by && event.by !== event.snake ? ` ${nameOf(event.by, state)}` : "";
    return `${nameOf(event.snake, state)} ${CAUSES[event.cause] ?? "is out"}${other}.`;
  }
}
