/**
 * Draws maps: surfaces and things that games describe by a few words. The same document always gives the same
 * picture.
 * @module
 */

import { colorOf } from "arena/player_colors";

import { brushOf, entriesOf, lettersOf, rowsOf } from "./cells.js";

/** @typedef {import("./cells.js").Spec} Spec */
/** @typedef {import("./cells.js").Look} Look */
/** @typedef {import("./cells.js").Entry} Entry */
/** @typedef {CanvasRenderingContext2D} Brush */
/** @typedef {{dark: boolean, unit: number}} Light */

const TEAMS = [colorOf(0, 0), colorOf(1, 0)];
// The colours of the games' boards.
const THEMES = {
  light: {
    floor: "#f3f5f9",
    check: "#e9edf3",
    line: "#d6dce6",
    wall: "#5a667d",
    face: "#6c7991",
    deep: "#b3bcc9",
    side: "#364055",
    shade: "rgba(0,0,0,.2)",
    cover: "#aab6cb",
    top: "#c8d1e0",
    edge: "#7c899f",
    hatch: "#d9dde4",
    ink: "#1d2534",
    shared: "#0d857b",
    door: "#f4b630",
    goal: "#c2185b",
    unknown: "#c81e4a",
    none: "#6f7a8c",
  },
  dark: {
    floor: "#232c3c",
    check: "#273143",
    line: "#334056",
    wall: "#8491aa",
    face: "#6f7d98",
    deep: "#39435a",
    side: "#39435a",
    shade: "rgba(0,0,0,.28)",
    cover: "#44536f",
    top: "#5b6d8e",
    edge: "#0c1018",
    hatch: "#2b3549",
    ink: "#e8edf6",
    shared: "#3fe0d2",
    door: "#f4b630",
    goal: "#ff6f9d",
    unknown: "#ff4d6a",
    none: "#97a3b8",
  },
};
/** @type {Record<string, number>} */
const TURNS = { North: 0, East: 1, South: 2, West: 3 };
const SOLID = new Set(["wall", "void"]);

/** @param {boolean} dark */
export function themeOf(dark) {
  return dark ? THEMES.dark : THEMES.light;
}

/**
 * Draws the board. Its upper left corner is at 0, 0, and `light.unit` is the side of a cell.
 * @param {Brush} g @param {Spec} spec @param {any} document @param {Light} light
 */
export function paintMap(g, spec, document, light) {
  const rows = rowsOf(spec, document);
  const surface = surfacesOf(spec, rows);
  rows.forEach((row, y) =>
    [...row].forEach((_, x) => inCell(g, light, x, y, () => paintGround(g, surface, x, y, light))),
  );
  rows.forEach((row, y) =>
    [...row].forEach((_, x) => inCell(g, light, x, y, () => paintRaised(g, surface, x, y, light))),
  );
  paintLetters(g, spec, document, light);
  for (const layer of spec.layers) {
    for (const entry of entriesOf(document, layer)) {
      if (rows[entry.y]?.[entry.x] !== undefined) paintEntry(g, entry, light, surface);
    }
  }
}

/** @param {Spec} spec @param {string[]} rows @returns {Surface} */
export function surfacesOf(spec, rows) {
  const names = new Map(spec.grid.tiles.map((tile) => [tile.char, tile.look.surface ?? "floor"]));
  const grid = rows.map((row) => [...row].map((char) => names.get(char) ?? "unknown"));
  return (x, y) => grid[y]?.[x] ?? "outside";
}

/** @param {Brush} g @param {Light} light @param {number} x @param {number} y @param {() => void} paint */
function inCell(g, light, x, y, paint) {
  g.save();
  g.translate(x * light.unit, y * light.unit);
  g.scale(light.unit, light.unit);
  paint();
  g.restore();
}

/** @typedef {(x: number, y: number) => string} Surface */

/** @param {Brush} g @param {Surface} surface @param {number} x @param {number} y @param {Light} light */
function paintGround(g, surface, x, y, light) {
  const theme = themeOf(light.dark);
  const kind = surface(x, y);
  if (kind === "void") {
    g.strokeStyle = theme.hatch;
    g.lineWidth = 0.04;
    g.beginPath();
    for (const [x1, y1, x2, y2] of [
      [0, 0.5, 0.5, 0],
      [0.5, 1, 1, 0.5],
    ]) {
      g.moveTo(x1, y1);
      g.lineTo(x2, y2);
    }
    g.stroke();
    return;
  }
  const spread = 0.008; // covers the gaps between cells
  g.fillStyle = (x + y) % 2 ? theme.check : theme.floor;
  g.fillRect(-spread, -spread, 1 + 2 * spread, 1 + 2 * spread);
  g.strokeStyle = theme.line;
  g.lineWidth = 0.03;
  g.strokeRect(0, 0, 1, 1);
  if (surface(x, y - 1) === "wall" && kind !== "wall") {
    g.fillStyle = theme.shade;
    g.fillRect(0, 0, 1, 0.14);
  }
}

/** @param {Brush} g @param {Surface} surface @param {number} x @param {number} y @param {Light} light */
function paintRaised(g, surface, x, y, light) {
  const theme = themeOf(light.dark);
  const kind = surface(x, y);
  if (kind === "wall") {
    const joined = (/** @type {number} */ dx, /** @type {number} */ dy) =>
      ["wall", "outside"].includes(surface(x + dx, y + dy));
    const low = joined(0, 1) ? 1 : 0.8;
    g.fillStyle = isDeep(joined) ? theme.deep : theme.wall;
    g.fillRect(-0.008, -0.008, 1.016, 1.016);
    if (isDeep(joined)) return;
    g.fillStyle = theme.side;
    g.fillRect(-0.008, low, 1.016, 1.008 - low);
    const [left, up] = [joined(-1, 0) ? -0.008 : 0.1, joined(0, -1) ? -0.008 : 0.1];
    g.fillStyle = theme.face;
    g.fillRect(left, up, (joined(1, 0) ? 1.008 : 0.9) - left, (low === 1 ? 1.008 : 0.7) - up);
  } else if (kind === "block") {
    g.fillStyle = theme.edge;
    rounded(g, 0.05, 0.085, 0.9, 0.9, 0.12);
    g.fillStyle = theme.cover;
    rounded(g, 0.07, 0.07, 0.86, 0.86, 0.11);
    g.fillStyle = theme.top;
    rounded(g, 0.14, 0.14, 0.72, 0.72, 0.08);
  } else if (kind === "unknown") {
    write(g, "?", 0.5, 0.52, 0.6, theme.goal);
  }
}

/**
 * Whether all eight cells around a wall are walls or outside of the map.
 * @param {(dx: number, dy: number) => boolean} joined
 */
function isDeep(joined) {
  return [-1, 0, 1].every((dy) => [-1, 0, 1].every((dx) => joined(dx, dy)));
}

/**
 * @param {Brush} g @param {number} x @param {number} y @param {number} width @param {number} height
 * @param {number} radius
 */
function rounded(g, x, y, width, height, radius) {
  g.beginPath();
  g.roundRect(x, y, width, height, radius);
  g.fill();
}

/**
 * @param {Brush} g @param {string} word @param {number} x @param {number} y @param {number} size @param {string} color
 */
function write(g, word, x, y, size, color) {
  g.font = `700 ${size}px system-ui, sans-serif`;
  g.textAlign = "center";
  g.textBaseline = "middle";
  g.fillStyle = color;
  g.fillText(word, x, y);
}

/** @param {Brush} g @param {Spec} spec @param {any} document @param {Light} light */
function paintLetters(g, spec, document, light) {
  const { overlay } = spec;
  if (!overlay) return;
  const rows = rowsOf(spec, document);
  lettersOf(spec, document).forEach((row, y) =>
    [...row].forEach((letter, x) => {
      if (letter === overlay.none) return;
      const on = rows[y][x] === overlay.on;
      inCell(g, light, x, y, () => {
        g.fillStyle = `hsla(${hueOf(letter)}, 60%, ${light.dark ? 60 : 45}%, ${light.dark ? 0.17 : 0.2})`;
        g.fillRect(0, 0, 1, 1);
        if (light.unit >= 16)
          write(
            g,
            letter,
            0.83,
            0.19,
            0.26,
            on ? `hsla(${hueOf(letter)}, 45%, ${light.dark ? 72 : 34}%, .9)` : themeOf(light.dark).goal,
          );
      });
    }),
  );
}

/** @param {string} letter */
function hueOf(letter) {
  return (letter.charCodeAt(0) * 137) % 360;
}

/** @param {Look} look @param {Entry} entry @param {Light} light @returns {string} */
function toneOf(look, entry, light) {
  const theme = /** @type {Record<string, string>} */ (themeOf(light.dark));
  if (entry.layer.team) {
    const team = entry.values[entry.layer.team];
    return TEAMS[team] ?? theme[look.shape === "plate" ? "shared" : "none"];
  }
  if (look.color?.startsWith("team")) return TEAMS[Number(look.color.slice(4))] ?? theme.ink;
  return (look.color && theme[look.color]) || theme.ink;
}

/** @param {Brush} g @param {Entry} entry @param {Light} light @param {Surface} [surface] the surfaces of the map */
export function paintEntry(g, entry, light, surface) {
  const { look } = brushOf(entry);
  const color = toneOf(look, entry, light);
  const second = entry.layer.team ? entry.values[entry.layer.team] === 1 : look.color === "team1";
  inCell(g, light, entry.x, entry.y, () => {
    if (look.shape === "bar" || look.shape === "gap")
      return paintDoor(g, entry, look.shape === "gap", color, light, surface);
    const facing = entry.layer.facing ? entry.values[entry.layer.facing] : undefined;
    if (look.shape === "plate") return paintPlate(g, look, color, facing, light);
    g.fillStyle = light.dark ? "rgba(0,0,0,.35)" : "rgba(20,28,45,.18)";
    g.beginPath();
    g.ellipse(0.5, 0.83, 0.3, 0.08, 0, 0, 7);
    g.fill();
    if (facing in TURNS) paintFacing(g, facing, color);
    outline(g, look.shape === "diamond" ? "diamond" : second ? "hexagon" : "disc");
    g.fillStyle = color;
    g.fill();
    g.strokeStyle = "rgba(255,255,255,.85)";
    g.lineWidth = 0.045;
    g.stroke();
    paintSign(g, look, "#ffffff", 0.5);
    return undefined;
  });
}

/** @param {Brush} g @param {string} shape */
function outline(g, shape) {
  g.beginPath();
  if (shape === "disc") {
    g.arc(0.5, 0.5, 0.36, 0, 7);
    return;
  }
  const corners = shape === "diamond" ? 4 : 6;
  const radius = shape === "diamond" ? 0.43 : 0.4;
  for (let at = 0; at < corners; at++) {
    const angle = (at / corners) * 2 * Math.PI - Math.PI / 2;
    g.lineTo(0.5 + radius * Math.cos(angle), 0.5 + radius * Math.sin(angle));
  }
  g.closePath();
  g.lineJoin = "round";
}

/** @param {Brush} g @param {string} facing @param {string} color @param {number} [size] */
function paintFacing(g, facing, color, size = 1) {
  g.save();
  g.translate(0.5, 0.5);
  g.rotate((TURNS[facing] * Math.PI) / 2);
  g.beginPath();
  g.moveTo(0, -0.5 * size);
  g.lineTo(0.2 * size, -0.28 * size);
  g.lineTo(-0.2 * size, -0.28 * size);
  g.closePath();
  g.fillStyle = color;
  g.fill();
  g.strokeStyle = "rgba(255,255,255,.7)";
  g.lineWidth = 0.03;
  g.stroke();
  g.restore();
}

/** @param {Brush} g @param {Look} look @param {string} color @param {number} size */
function paintSign(g, look, color, size) {
  if (look.letter) return write(g, look.letter, 0.5, 0.525, size * 0.86, color);
  if (!look.icon) return undefined;
  g.save();
  g.translate(0.5 - size / 2, 0.5 - size / 2);
  g.scale(size / 24, size / 24);
  g.strokeStyle = color;
  g.lineWidth = 2.3;
  g.lineCap = g.lineJoin = "round";
  g.stroke(new Path2D(look.icon));
  g.restore();
  return undefined;
}

/** @param {Brush} g @param {Look} look @param {string} color @param {string} facing @param {Light} light */
function paintPlate(g, look, color, facing, light) {
  if (look.letter) {
    g.globalAlpha = 0.72;
    g.fillStyle = themeOf(light.dark).floor;
    rounded(g, 0.07, 0.07, 0.86, 0.86, 0.2);
  }
  g.globalAlpha = light.dark ? 0.3 : 0.22;
  g.fillStyle = color;
  rounded(g, 0.07, 0.07, 0.86, 0.86, 0.2);
  g.globalAlpha = 1;
  g.strokeStyle = color;
  g.lineWidth = 0.06;
  g.beginPath();
  g.roundRect(0.07, 0.07, 0.86, 0.86, 0.2);
  g.stroke();
  paintSign(g, look, color, 0.56);
  if (facing in TURNS) paintFacing(g, facing, color, 0.86);
}

/**
 * @param {Brush} g @param {Entry} entry @param {boolean} open @param {string} color @param {Light} light
 * @param {Surface} [surface]
 */
function paintDoor(g, entry, open, color, light, surface) {
  const solid = (/** @type {number} */ dx, /** @type {number} */ dy) =>
    SOLID.has(surface?.(entry.x + dx, entry.y + dy) ?? "wall");
  const across = solid(-1, 0) && solid(1, 0) ? true : !(solid(0, -1) && solid(0, 1));
  g.translate(0.5, 0.5);
  if (!across) g.rotate(Math.PI / 2);
  g.translate(-0.5, -0.5);
  g.fillStyle = "rgba(0,0,0,.25)";
  if (!open) g.fillRect(0, 0.42, 1, 0.26);
  g.fillStyle = color;
  const parts = open
    ? [
        [0, 0.2],
        [0.8, 0.2],
      ]
    : [[0, 1]];
  for (const [x, width] of parts) rounded(g, x, 0.36, width, 0.26, 0.05);
  g.fillStyle = light.dark ? "rgba(0,0,0,.35)" : "rgba(255,255,255,.45)";
  if (!open) {
    g.fillRect(0.485, 0.36, 0.03, 0.26);
    rounded(g, 0.38, 0.46, 0.05, 0.06, 0.02);
    rounded(g, 0.57, 0.46, 0.05, 0.06, 0.02);
  }
}

/**
 * Draws a single brush, for buttons.
 * @param {HTMLCanvasElement} canvas @param {Look} look @param {any} entry
 * @param {boolean} dark
 */
export function paintSwatch(canvas, look, entry, dark) {
  const ratio = Math.min(devicePixelRatio || 1, 2);
  const side = 34;
  canvas.width = canvas.height = side * ratio;
  const g = /** @type {Brush} */ (canvas.getContext("2d"));
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  const light = { dark, unit: side };
  if (look.surface) {
    const surface = (/** @type {number} */ x, /** @type {number} */ y) =>
      x === 0 && y === 0 ? String(look.surface) : "floor";
    inCell(g, light, 0, 0, () => paintGround(g, surface, 0, 0, light));
    inCell(g, light, 0, 0, () => paintRaised(g, surface, 0, 0, light));
  } else if (entry) {
    paintEntry(g, entry, light);
  }
}
