/** Draws any game, so that a new game needs no JavaScript: things on a grid, or cards for a game without a board. */

import { createCards } from "arena/cards";
import { short } from "arena/dom";
import { effects, shudder } from "arena/effects";
import { Grid, isNumber, ownerOf, placed } from "arena/grid";
import { classOfPlayers, sizesOf } from "arena/labels";
import { brush } from "arena/shapes";
import { eventInWords } from "arena/wording";

/** @typedef {import("arena/states").State} State */
/** @typedef {import("arena/states").Thing} Thing */
/** @typedef {import("arena/grid").Placed} Placed */

const NEUTRAL = { dark: "#9aa3ad", light: "#6b7480" };
const MARK = /(^|_)(job|kind|class|type|name|role)$/;
/** @type {Record<string, [number, number]>} */
const STEPS = { N: [0, -1], S: [0, 1], E: [1, 0], W: [-1, 0] };

/** @param {HTMLCanvasElement} canvas @param {{players: {name: string, color: string}[], schema: any}} context */
export function createRenderer(canvas, { players, schema }) {
  const g = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const { polygon, dot, arrow, caption, ring, rounded } = brush(g);
  const { fall, glow, loss, shards, sparks, wave } = effects(g);
  const classes = Object.keys(schema?.classes ?? {});
  const cards = hasBoard(schema) ? null : createCards(canvas, { players, schema });
  const grid = new Grid();
  /** @type {Map<string, number>} */
  const fullHealth = new Map();
  /** @type {{id: string, x: number, y: number}[]} */
  let shown = [];

  /** @param {State} state @returns {Thing | undefined} */
  function rootOf(state) {
    return state.get("game") ?? [...state.values()].find((thing) => thing.class === schema?.root);
  }

  /** @param {State} before @param {State} after @param {number} fraction @param {any[]} events @param {any} look */
  function draw(before, after, fraction, events, look) {
    const names = schema?.grid ?? { width: "width", height: "height" };
    const root = rootOf(after);
    grid.fit(look.width, look.height, root?.[names.width] ?? 10, root?.[names.height] ?? 10);
    drawFloor(look);
    if (root) {
      drawMap(root, look);
      drawArrays(root, look);
    }
    const things = placed(before, after, look.still ? 1 : fraction);
    const terrain = terrainOf(things);
    shown = things.filter((one) => !one.gone).map((one) => ({ id: one.thing.id, x: one.thing.x, y: one.thing.y }));
    for (const one of things) if (terrain.has(one.thing.class)) drawTerrain(one, look);
    for (const thing of after.values()) drawBody(thing, after, look);
    for (const one of things) if (!terrain.has(one.thing.class)) drawThing(one, after, look.still ? 1 : fraction, look);
    if (!look.still && fraction < 1) for (const event of events) drawEvent(event, after, fraction, look);
  }

  /** @param {any} look */
  function drawFloor(look) {
    const { tile, columns, rows, left, top } = grid;
    g.fillStyle = look.dark ? "#20262d" : "#f4f1ea";
    g.fillRect(left, top, tile * columns, tile * rows);
    g.fillStyle = look.dark ? "#252c34" : "#ebe6db";
    for (let y = 0; y < rows; y++) {
      for (let x = y % 2; x < columns; x += 2) g.fillRect(left + x * tile, top + y * tile, tile, tile);
    }
  }

  /**
   * Draws fields of the root that cover the grid: rows of signs, or lists of tiles.
   * @param {Thing} root @param {any} look
   */
  function drawMap(root, look) {
    const { columns, rows } = grid;
    for (const [name, value] of Object.entries(root)) {
      const signs = Array.isArray(value) && value.every((row) => typeof row === "string") ? value.join("") : value;
      if (typeof signs === "string" && signs.length === columns * rows && signs.includes("#")) {
        for (let at = 0; at < signs.length; at++) square(at % columns, Math.floor(at / columns), signs[at], look);
      } else if (Array.isArray(value) && schema?.classes?.[root.class]?.fields?.[name]?.type === "[tile]") {
        for (const tile of value.slice(0, 5000)) square(tile?.[0], tile?.[1], name, look);
      }
    }
  }

  /** Draws arrays of numbers that have the size of the grid, as layers. @param {Thing} root @param {any} look */
  function drawArrays(root, look) {
    const { columns, rows, tile, left, top } = grid;
    for (const [name, field] of Object.entries(schema?.classes?.[root.class]?.fields ?? {})) {
      const value = root[name];
      const sizes = Array.isArray(field?.shape) ? sizesOf(field, root) : [];
      const size = sizes.reduce((all, one) => (all ?? 0) * (one ?? 0), 1);
      if (!(value instanceof Uint8Array) || size !== columns * rows || (sizes.length > 1 && sizes.at(-1) !== columns))
        continue;
      const layer = layerOf(value, String(field.dtype), columns, rows, hue(name));
      if (!layer) continue;
      g.save();
      g.imageSmoothingEnabled = false;
      g.globalAlpha = look.dark ? 0.75 : 0.6;
      g.drawImage(layer, left, top, tile * columns, tile * rows);
      g.restore();
    }
  }

  /** @param {number} x @param {number} y @param {string} word @param {any} look */
  function square(x, y, word, look) {
    if (word === "." || word === " ") return;
    const [px, py] = grid.place(x, y);
    g.fillStyle = word === "#" ? (look.dark ? "#59626d" : "#8f8877") : `hsla(${hue(word)}, 55%, 50%, 0.35)`;
    g.fillRect(px, py, grid.tile + 0.5, grid.tile + 0.5);
  }

  /** The classes that are drawn as ground: they have more than one thing per two tiles. @param {Placed[]} things */
  function terrainOf(things) {
    /** @type {Map<string, number>} */
    const counts = new Map();
    for (const { thing } of things) counts.set(thing.class, (counts.get(thing.class) ?? 0) + 1);
    const many = (grid.columns * grid.rows) / 2;
    return new Set([...counts].filter(([, count]) => count > many).map(([name]) => name));
  }

  /**
   * Draws a thing that has a list of tiles. Neighbouring tiles are joined. The first tile has the mark of the thing.
   * @param {Thing} thing @param {State} state @param {any} look
   */
  function drawBody(thing, state, look) {
    const tiles = bodyOf(thing);
    if (!tiles.length) return;
    const owner = ownerOf(thing, state);
    const color = (owner !== null && players[owner]?.color) || NEUTRAL[look.dark ? "dark" : "light"];
    const chosen = look.selected === thing.id || look.hovered === thing.id;
    for (const [width, style] of /** @type {[number, string][]} */ ([
      [0.82, chosen ? (look.dark ? "#ffffff" : "#000000") : "rgba(0,0,0,.4)"],
      [0.7, color],
    ])) {
      g.save();
      g.lineCap = g.lineJoin = "round";
      g.strokeStyle = style;
      g.lineWidth = width * grid.tile;
      g.beginPath();
      tiles.forEach(([x, y], at) => {
        const [px, py] = grid.place(x + 0.5, y + 0.5);
        const before = tiles[at - 1];
        if (!before || Math.abs(before[0] - x) + Math.abs(before[1] - y) > 1) g.moveTo(px, py);
        g.lineTo(px, py);
      });
      g.stroke();
      g.restore();
    }
    if (!isNumber(thing.x))
      grid.inTile(g, tiles[0][0], tiles[0][1], () => {
        dot(0, 0, 0.26, "rgba(0,0,0,.45)");
        if (grid.tile >= 14)
          caption(String(owner === null ? (markOf(thing) ?? thing.class) : owner + 1), 0, 0.02, 0.3, "#ffffff", {
            weight: 600,
          });
      });
    for (const [x, y] of tiles) shown.push({ id: thing.id, x, y });
  }

  /** The tiles of a thing that covers several. @param {Thing} thing @returns {[number, number][]} */
  function bodyOf(thing) {
    if (thing.class === schema?.root) return [];
    const fields = schema?.classes?.[thing.class]?.fields ?? {};
    const name = Object.keys(fields).find((one) => fields[one]?.type === "[tile]");
    const tiles = name && Array.isArray(thing[name]) ? thing[name] : [];
    return tiles.filter((/** @type {any} */ tile) => isNumber(tile?.[0]) && isNumber(tile?.[1])).slice(0, 2000);
  }

  /** @param {Placed} one @param {any} look */
  function drawTerrain(one, look) {
    const solid = Object.keys(one.thing).some(
      (field) => /wall|solid|blocked|rock/.test(field) && one.thing[field] === true,
    );
    square(one.x, one.y, solid ? "#" : (markOf(one.thing) ?? "."), look);
  }

  /** The word that says most about a thing. @param {Thing} thing @returns {string | undefined} */
  function markOf(thing) {
    const field = Object.keys(thing).find(
      (name) => name !== "class" && MARK.test(name) && thing[name] && typeof thing[name] === "string",
    );
    return field && thing[field];
  }

  /** @param {Placed} one @param {State} state @param {number} fraction @param {any} look */
  function drawThing(one, state, fraction, look) {
    const { thing, before, gone } = one;
    const owner = ownerOf(thing, state);
    const color = (owner !== null && players[owner]?.color) || NEUTRAL[look.dark ? "dark" : "light"];
    const lost = fraction < 1 && isNumber(before?.health) && isNumber(thing.health) ? before.health - thing.health : 0;
    const hop = one.moved ? 0.08 * Math.sin(Math.PI * fraction) : 0;
    grid.inTile(g, one.x + (lost > 0 ? shudder(fraction) : 0), one.y - hop, () => {
      g.globalAlpha = gone ? 1 : one.born;
      if (gone) shards(gone, 8, color, 0.7);
      if (gone) fall(gone, one.x % 2 ? 1 : -1);
      if (look.selected === thing.id) ring(0.49, look.dark ? "#ffffff" : "#000000", 0, 0, 0.06);
      body(classes.indexOf(thing.class), 0.38 * (0.5 + 0.5 * one.born), color, owner);
      const step = STEPS[String(thing.facing ?? thing.direction ?? "")[0]?.toUpperCase()];
      if (step) arrow(step, 0.4, 0.14, color, "rgba(0,0,0,.35)");
      if (grid.tile >= 14)
        caption(String(markOf(thing) ?? thing.class).slice(0, 2), 0, 0.02, 0.3, "#ffffff", { weight: 600 });
      if (isNumber(thing.health)) health(one);
    });
    if (lost > 0) grid.inTile(g, one.x, one.y, () => loss(fraction, lost));
  }

  /**
   * Classes differ by shape, players by colour.
   * @param {number} index @param {number} radius @param {string} fill @param {number | null} owner
   */
  function body(index, radius, fill, owner) {
    const corners = [0, 4, 3, 6, 5, 8][Math.max(0, index) % 6];
    if (!corners) {
      dot(0, 0, radius, fill);
      ring(radius, "rgba(0,0,0,.35)");
      return;
    }
    const turned = -Math.PI / 2 + (corners === 4 && owner === null ? Math.PI / 4 : 0);
    const angles = Array.from({ length: corners }, (_, at) => (at / corners) * 2 * Math.PI + turned);
    polygon(
      angles.map((angle) => [radius * 1.12 * Math.cos(angle), radius * 1.12 * Math.sin(angle)]),
      fill,
      "rgba(0,0,0,.35)",
      0.05,
    );
  }

  /** @param {Placed} one */
  function health({ thing, before }) {
    const full = Math.max(fullHealth.get(thing.id) ?? 0, thing.health, before?.health ?? 0);
    fullHealth.set(thing.id, full);
    if (full <= 0 || thing.health >= full) return;
    rounded(-0.35, 0.38, 0.7, 0.09, 0, "rgba(0,0,0,.55)");
    rounded(
      -0.35,
      0.38,
      0.7 * Math.max(0, thing.health / full),
      0.09,
      0,
      thing.health > full / 3 ? "#4fb477" : "#e0564a",
    );
  }

  /** @param {any} event @param {State} state @param {number} fraction @param {any} look */
  function drawEvent(event, state, fraction, look) {
    const thing = Object.values(event)
      .map((value) => state.get(String(value)))
      .find((one) => one && isNumber(one.x));
    const [x, y] = [isNumber(event.x) ? event.x : thing?.x, isNumber(event.y) ? event.y : thing?.y];
    if (!isNumber(x) || !isNumber(y)) return;
    const tone = look.dark ? "#ffd166" : "#b35c00";
    grid.inTile(g, x, y, () => {
      g.globalAlpha = 1 - fraction;
      glow(0.7, look.dark ? "255, 209, 102" : "179, 92, 0", 0.5);
      wave(fraction, tone);
      sparks(fraction, 8, tone);
      const size = Math.max(0.32, 10 / grid.tile);
      caption(String(event.kind ?? "").slice(0, 30), 0, -0.5 - 0.3 * fraction, size, tone, { weight: 600 });
    });
  }

  return {
    draw: cards ? cards.draw : draw,
    place: cards ? undefined : (/** @type {number} */ x, /** @type {number} */ y) => grid.place(x, y),
    /** @param {number} px @param {number} py */
    pick(px, py) {
      if (cards) return cards.pick(px, py);
      const [x, y] = grid.tileAt(px, py);
      const here = shown.filter((one) => one.x === x && one.y === y);
      return here.length ? here[here.length - 1].id : null;
    },
    series: () => defaultSeries(schema, players.length),
    /** @param {any} turn */
    describe(turn) {
      /** @type {Map<string, string[]>} what each player did */
      const done = new Map();
      turn.actions.forEach((/** @type {any} */ action, /** @type {number} */ at) => {
        const name = String(turn.actors?.[at] ?? turn.name).slice(0, 40);
        done.set(name, [...(done.get(name) ?? []), String(action?.type ?? action).slice(0, 40)]);
      });
      const told = [...Map.groupBy(done, ([, actions]) => counted(actions))].map(
        ([actions, who]) =>
          `${who.length > 4 ? `${who.length} players` : who.map(([name]) => name).join(", ")}: ${actions}`,
      );
      return told.join(" · ") || `${turn.name}: nothing done`;
    },
    /** @param {string} id @param {State} state */
    tip(id, state) {
      const thing = state.get(id) ?? {};
      const fields = Object.keys(thing).filter(
        (field) => !/^(id|class)$/.test(field) && thing[field] !== null && typeof thing[field] !== "object",
      );
      return [`${thing.class} ${id}`, ...fields.slice(0, 8).map((field) => `${field} ${short(thing[field], 30)}`)].join(
        " · ",
      );
    },
    /** @param {any} event @param {() => State} before */
    tell: (event, before) => eventInWords(event, before(), { schema, players }),
    duration: () => 120,
  };
}

/** @type {WeakMap<Uint8Array, HTMLCanvasElement>} the layers of arrays */
const layers = new WeakMap();
/** @type {Record<string, [number, (view: DataView, at: number) => number]>} a number's bytes, and how it is read */
const NUMBERS = {
  int8: [1, (view, at) => view.getInt8(at)],
  uint8: [1, (view, at) => view.getUint8(at)],
  bool: [1, (view, at) => view.getUint8(at)],
  int16: [2, (view, at) => view.getInt16(at, true)],
  uint16: [2, (view, at) => view.getUint16(at, true)],
  int32: [4, (view, at) => view.getInt32(at, true)],
  uint32: [4, (view, at) => view.getUint32(at, true)],
  int64: [8, (view, at) => Number(view.getBigInt64(at, true))],
  uint64: [8, (view, at) => Number(view.getBigUint64(at, true))],
  float32: [4, (view, at) => view.getFloat32(at, true)],
  float64: [8, (view, at) => view.getFloat64(at, true)],
};

/**
 * A picture of an array with a pixel for each number: the lowest one is transparent, the highest one has the full
 * colour. If all are equal, only numbers other than 0 are drawn.
 * @param {Uint8Array} bytes @param {string} dtype @param {number} columns @param {number} rows @param {number} hue
 */
function layerOf(bytes, dtype, columns, rows, hue) {
  const known = layers.get(bytes);
  if (known) return known;
  const [size, read] = NUMBERS[dtype] ?? [];
  if (!size || !read || bytes.length !== size * columns * rows) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const values = Array.from({ length: columns * rows }, (_, at) => read(view, size * at));
  const numbers = values.filter(Number.isFinite);
  const low = numbers.reduce((least, value) => Math.min(least, value), Infinity);
  const high = numbers.reduce((most, value) => Math.max(most, value), -Infinity);
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [columns, rows];
  const g = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  g.fillStyle = `hsl(${hue}, 65%, 50%)`;
  values.forEach((value, at) => {
    g.globalAlpha = high > low ? Math.max(0, (value - low) / (high - low)) || 0 : value ? 1 : 0;
    g.fillRect(at % columns, Math.floor(at / columns), 1, 1);
  });
  layers.set(bytes, canvas);
  return canvas;
}

/** Whether a game has a board, as far as its schema says. @param {any} schema */
function hasBoard(schema) {
  const classes = /** @type {any[]} */ (Object.values(schema?.classes ?? {}));
  return !classes.length || Boolean(schema.grid) || classes.some((one) => one?.placed);
}

/** @param {string} word */
function hue(word) {
  let sum = 7;
  for (const letter of word) sum = (sum * 31 + letter.charCodeAt(0)) % 360;
  return sum;
}

/** @param {string[]} words */
function counted(words) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => (count > 1 ? `${word} ×${count}` : word)).join(", ");
}

/**
 * Charts for games without their own: numbers of the class `Player`, or of the first class with a field `index`.
 * @param {any} schema @param {number} players
 */
export function defaultSeries(schema, players) {
  const kind = classOfPlayers(schema);
  const fields = Object.entries(schema?.classes?.[kind]?.fields ?? {})
    .filter(([name, field]) => name !== "index" && /^(int|float)/.test(String(/** @type {any} */ (field)?.type)))
    .map(([name]) => name)
    .sort((one, other) => Number(other === "score") - Number(one === "score"));
  return fields.slice(0, 6).map((name) => ({
    name,
    /** @param {State} state @param {number} player */
    value(state, player) {
      if (player >= players) return null;
      for (const thing of state.values()) if (thing.class === kind && thing.index === player) return thing[name];
      return null;
    },
  }));
}
