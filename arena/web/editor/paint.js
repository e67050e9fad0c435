/**
 * Draws maps: surfaces and things that games describe by a few words. The same document always gives the same
 * picture.
 * @module
 */

import { brushOf, entriesOf, lettersOf, rowsOf } from "./cells.js";

/** @typedef {import("./cells.js").Spec} Spec */
/** @typedef {import("./cells.js").Look} Look */
/** @typedef {import("./cells.js").Entry} Entry */
/** @typedef {CanvasRenderingContext2D} Brush */
/** @typedef {{dark: boolean, unit: number}} Light */

export const TEAMS = ["#3d8bf2", "#e8791c"];
const THEMES = {
  light: {
    floor: "#f1eadc",
    check: "#ebe3d2",
    line: "rgba(80,60,30,.10)",
    top: "#8d8273",
    deep: "#b8ae9d",
    side: "#5f564a",
    edge: "rgba(255,255,255,.20)",
    shade: "rgba(60,40,10,.16)",
    block: "#dcb67c",
    blockSide: "#a88049",
    plank: "rgba(90,60,20,.28)",
    hatch: "rgba(80,60,30,.16)",
    ink: "#3a3129",
    door: "#b06a35",
    goal: "#b3282d",
    unknown: "#8d8273",
  },
  dark: {
    floor: "#25211d",
    check: "#292521",
    line: "rgba(255,240,220,.055)",
    top: "#6b6258",
    deep: "#36302a",
    side: "#453f38",
    edge: "rgba(255,255,255,.10)",
    shade: "rgba(0,0,0,.35)",
    block: "#a67f47",
    blockSide: "#6f5227",
    plank: "rgba(0,0,0,.3)",
    hatch: "rgba(255,240,220,.10)",
    ink: "#efe6da",
    door: "#cf8a4e",
    goal: "#ff6f66",
    unknown: "#8d8273",
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
    g.fillRect(0, 0, 1, 0.13);
  }
}

/** @param {Brush} g @param {Surface} surface @param {number} x @param {number} y @param {Light} light */
function paintRaised(g, surface, x, y, light) {
  const theme = themeOf(light.dark);
  const kind = surface(x, y);
  if (kind === "wall") {
    const below = surface(x, y + 1);
    const open = below !== "wall" && below !== "outside";
    g.fillStyle = isDeep(surface, x, y) ? theme.deep : theme.top;
    g.fillRect(-0.008, -0.008, 1.016, 1.016);
    if (open) {
      g.fillStyle = theme.side;
      g.fillRect(-0.008, 0.76, 1.016, 0.248);
    }
    g.fillStyle = theme.edge;
    const edged = (/** @type {string} */ other) => other !== "wall" && other !== "outside";
    if (edged(surface(x, y - 1))) g.fillRect(0, 0, 1, 0.05);
    if (edged(surface(x - 1, y))) g.fillRect(0, 0, 0.05, open ? 0.76 : 1);
  } else if (kind === "block") {
    g.fillStyle = theme.shade;
    rounded(g, 0.1, 0.16, 0.84, 0.82, 0.1);
    g.fillStyle = theme.blockSide;
    rounded(g, 0.08, 0.12, 0.84, 0.8, 0.1);
    g.fillStyle = theme.block;
    rounded(g, 0.08, 0.06, 0.84, 0.72, 0.1);
    g.strokeStyle = theme.plank;
    g.lineWidth = 0.035;
    g.beginPath();
    for (const at of [0.3, 0.54]) {
      g.moveTo(0.14, at);
      g.lineTo(0.86, at);
    }
    g.stroke();
  } else if (kind === "unknown") {
    write(g, "?", 0.5, 0.52, 0.6, theme.goal);
  }
}

/**
 * Whether all eight cells around a wall are walls or outside of the map.
 * @param {Surface} surface
 * @param {number} x @param {number} y
 */
function isDeep(surface, x, y) {
  for (let dy = -1; dy <= 1; dy++) {
    for (let dx = -1; dx <= 1; dx++) if (!["wall", "outside"].includes(surface(x + dx, y + dy))) return false;
  }
  return true;
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
function colorOf(look, entry, light) {
  const theme = /** @type {Record<string, string>} */ (themeOf(light.dark));
  if (entry.layer.team) {
    const team = entry.values[entry.layer.team];
    return TEAMS[team] ?? (light.dark ? "#c9c0b4" : "#6f665b");
  }
  if (look.color?.startsWith("team")) return TEAMS[Number(look.color.slice(4))] ?? theme.ink;
  return (look.color && theme[look.color]) || theme.ink;
}

/** @param {Brush} g @param {Entry} entry @param {Light} light @param {Surface} [surface] the surfaces of the map */
export function paintEntry(g, entry, light, surface) {
  const { look } = brushOf(entry);
  const color = colorOf(look, entry, light);
  const second = entry.layer.team ? entry.values[entry.layer.team] === 1 : look.color === "team1";
  inCell(g, light, entry.x, entry.y, () => {
    if (look.shape === "bar" || look.shape === "gap")
      return paintDoor(g, entry, look.shape === "gap", color, light, surface);
    const facing = entry.layer.facing ? entry.values[entry.layer.facing] : undefined;
    if (look.shape === "plate") return paintPlate(g, look, color, facing, light);
    g.fillStyle = light.dark ? "rgba(0,0,0,.35)" : "rgba(60,40,10,.18)";
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
