/** What happens in a saloon: when in a frame it is shown, how it looks and sounds. */

import { lift } from "arena/effects";
import { between, ease, isNumber, stepOf } from "arena/grid";

/** @typedef {import("arena/grid").Placed} Placed */
/** @typedef {import("arena/painter").GameEvent} GameEvent */
/** @typedef {import("arena/painter").Painter} Painter */
/** @typedef {import("arena/painter").State} State */
/** @typedef {import("arena/states").Thing} Thing */
/** @typedef {[number, number]} Tile */

/**
 * The part of a frame, from 0 to 1, that shows each kind of effect: people first, then bottles, then the floor. All
 * other effects show for the whole frame.
 * @type {Record<string, [number, number]>}
 */
const WHEN = {
  punch: [0.05, 0.6],
  bump: [0.1, 0.6],
  obstacle: [0.2, 0.75],
  sober: [0.3, 0.9],
  bottle_broken: [0.45, 1],
  hazard: [0.6, 1],
  death: [0.2, 1],
  siesta_begins: [0, 1],
  siesta_ends: [0, 1],
  piano_destroyed: [0.2, 1],
};

/** What is heard and felt of events. @type {Record<string, import("arena/cues").Cue>} */
const CUES = {
  punch: { sound: "thud", shake: 1 },
  bump: { sound: "thud", pitch: 1.3 },
  obstacle: { sound: "thud", pitch: 0.8 },
  splash: { sound: "splash" },
  bottle_broken: { sound: "glass" },
  crush: { sound: "crash", shake: 5 },
  hazard: { sound: "fire", pitch: 2 },
  death: { sound: "fall", at: 0.4 },
  sober: { sound: "pop" },
  play: { sound: "chord" },
  shot: { sound: "shot", shake: 1.5 },
  siesta_begins: { sound: "gong" },
  siesta_ends: { sound: "chime" },
  piano_destroyed: { sound: "crash", pitch: 0.7, shake: 6 },
};

/** The extra time for which the board shows an event, in milliseconds. @type {Record<string, number>} */
export const PAUSES = {
  shot: 350,
  crush: 350,
  splash: 200,
  death: 300,
  punch: 100,
  siesta_begins: 700,
  siesta_ends: 500,
  piano_destroyed: 500,
  play: 140,
};

/** The kinds of events in which a person reaches for a tile. */
const REACHING = ["punch", "play", "obstacle", "bump", "splash"];

/** @param {GameEvent[]} events @param {State} before */
export function cuesOf(events, before) {
  return events.map(({ kind, cowboy }) => {
    const [at] = WHEN[kind] ?? [0];
    const pitch = kind === "play" && before.get(cowboy)?.owner === 1 ? 0.75 : 1; // each gang has its own tune
    return CUES[kind] && { at, pitch, ...CUES[kind] };
  });
}

/**
 * The direction in which each person leans in this frame.
 * @param {GameEvent[]} events @param {State} after @param {State} before @returns {Map<string, Tile>}
 */
export function lungesOf(events, after, before) {
  const lunges = new Map();
  for (const { kind, cowboy, tile } of events) {
    const person = after.get(cowboy)?.x != null ? after.get(cowboy) : before.get(cowboy);
    if (!person || !Array.isArray(tile) || !REACHING.includes(kind)) continue;
    lunges.set(cowboy, [Math.sign(tile[0] - person.x), Math.sign(tile[1] - person.y)]);
  }
  return lunges;
}

/**
 * Moves a bottle: it flies in a curve, from the hand that throws it or to the thing on which it breaks.
 * @param {Placed & {high?: number}} piece @param {GameEvent[]} events @param {number} fraction
 */
export function throwBottle(piece, events, fraction) {
  if (!piece.moved && !piece.gone && piece.born === 1) return;
  const isEnd = (/** @type {GameEvent} */ { kind, bottle }) => kind === "bottle_broken" && bottle === piece.thing.id;
  const end = piece.gone ? events.find(isEnd) : undefined;
  const [dx, dy] = stepOf(piece.thing.direction);
  const part = ease(Math.min(1, end ? fraction / WHEN.bottle_broken[0] : fraction));
  if (Array.isArray(end?.tile)) {
    piece.x = between(piece.x, end.tile[0], part);
    piece.y = between(piece.y, end.tile[1], part);
    piece.gone = part < 1 ? 0.001 : 1;
  } else if (piece.born < 1) {
    piece.x -= dx * (1 - part);
    piece.y -= dy * (1 - part);
    piece.born = 1;
  }
  piece.high = lift(part, 0.4);
}

/**
 * @param {Painter} painter @param {GameEvent} event @param {State} before @param {State} after @param {number} fraction
 * @param {string} name the name of the event's player
 */
export function drawEvent(painter, event, before, after, fraction, name) {
  const { banner, color, g, grid } = painter;
  const [from, to] = WHEN[event.kind] ?? [0, 1];
  const part = (fraction - from) / (to - from);
  if (part < 0 || part > 1) return;
  const word = { siesta_begins: `☾ Siesta for ${name}`, siesta_ends: `☼ ${name} is awake again` }[event.kind];
  if (word) banner(grid, word, color(event.player), grid.tile * 0.8, part);
  const person = [before.get(event.cowboy), after.get(event.cowboy)].find((thing) => isNumber(thing?.x));
  const tile = event.tile ?? (person ? [person.x, person.y] : null);
  if (!Array.isArray(tile) || !tile.every(isNumber) || !Object.hasOwn(PICTURES, event.kind)) return;
  grid.inTile(g, tile[0], tile[1], () => {
    g.globalAlpha = 1 - part * part;
    PICTURES[event.kind](painter, part, event, before, /** @type {Tile} */ (tile));
  });
}

/**
 * The point of a play: a note that flies from the piano to the points of its player.
 * @param {Painter} painter @param {Thing | undefined} piano @param {number} owner
 * @param {number} part @param {[number, number]} to
 */
export function drawPoint({ color, g, grid, note }, piano, owner, part, to) {
  if (!isNumber(piano?.x) || !isNumber(piano?.y)) return;
  const from = grid.place(piano.x + 0.5, piano.y - 0.2);
  const eased = part * part;
  g.save();
  g.translate(between(from[0], to[0], eased), between(from[1], to[1], eased) - grid.tile * lift(eased, 0.8));
  g.scale(grid.tile, grid.tile);
  note(0.02, 0.02, 2.6, "#24130a");
  note(0, 0, 2.4, color(owner));
  g.restore();
}

/**
 * The functions that draw events, in units of tiles around the event's tile. `part` grows from 0 to 1.
 * @type {Record<string, (painter: Painter, part: number, event: GameEvent, before: State, tile: Tile) => void>}
 */
const PICTURES = {
  punch: ({ hit }, part) => hit(part),
  splash: ({ spray }, part) => spray(part, 16, "#ffc83d", 0.7),
  bottle_broken: ({ glow, shards, spray }, part) => {
    glow(0.5, "160, 255, 190", 0.5 * (1 - part));
    shards(part, 13, "#7fe0a0", 0.8);
    spray(part, 6, "#ffc83d", 0.5);
  },
  crush: ({ shards, smoke, wave }, part) => {
    wave(part, "#fff0d0", 1.1);
    smoke(part, 9, "205, 178, 138");
    shards(part, 9, "#d9b98c", 0.9);
  },
  piano_destroyed: ({ glow, note, shards, smoke }, part) => {
    glow(1.3, "255, 190, 90", 0.9 * (1 - part));
    shards(part, 22, "#8a5128", 1.4, 5);
    shards(part, 8, "#faf5ea", 1.1, 6);
    smoke(part, 9, "150, 120, 90");
    for (const x of [-0.4, 0, 0.4]) note(x, -0.4 - part, 1.6, "#ffd65a");
  },
  bump: ({ star }, part) => star(0.1 + 0.2 * part, "#ffffff", "#8f7bd6"),
  obstacle: ({ star }, part) => star(0.1 + 0.2 * part, "#ffffff", "#d65a4a"),
  hazard: ({ ring }, part) => ring(0.25 + 0.25 * part, "#ff5a36", 0, 0, 0.09),
  sober: ({ text }, part) => text("!", 0, -0.5 - 0.3 * part, 0.42, "#ffffff"),
  play: ({ glow }, part) => glow(1.1, "255, 226, 140", 0.8 * (1 - part)),
  death: ({ ring, text }, part) => {
    text("✝", 0, -0.1 - 0.6 * part, 0.7, "#ffffff");
    ring(0.2 + 0.4 * part, "#ff4d3d", 0, 0, 0.06);
  },
  shot: drawShot,
};

/**
 * @param {Painter} painter @param {number} part @param {GameEvent} event @param {State} before @param {Tile} tile
 */
function drawShot({ g, glow, line, smoke, sparks, star }, part, event, before, tile) {
  const [dx, dy] = stepOf(event.direction);
  const reach = event.tiles?.length ?? 0;
  const head = 0.4 + Math.min(1, part * 2.5) * reach;
  const tail = Math.max(0.4, head - 1.8);
  line(dx * 0.4, dy * 0.4, dx * head, dy * head, 0.1, "rgba(255,214,90,.55)");
  line(dx * tail, dy * tail, dx * head, dy * head, 0.06, "#fff8dd");
  g.save();
  g.translate(dx * 0.45, dy * 0.45);
  if (part < 0.4) glow(0.6, "255, 214, 120", 1 - 2.5 * part);
  smoke(part, 4);
  g.restore();
  for (const id of event.hits ?? []) {
    const target = before.get(id);
    const far = target ? Math.abs(target.x - tile[0]) + Math.abs(target.y - tile[1]) : Infinity;
    if (head < far) continue;
    g.save();
    g.translate(dx * far, dy * far);
    star(0.42 * Math.min(1, part * 1.6), "#ffe3d8", "#d92b1c");
    sparks(part, 8, "#ffe3d8", 0.8);
    g.restore();
  }
}
