/** The people of Saloon, from the front, about a tile high: cowboys by their jobs, and young guns. */

import { between, stepOf } from "arena/grid";

/** @typedef {import("arena/grid").Placed} Placed */
/** @typedef {import("arena/painter").Painter} Painter */

const SKIN = "#e9b98f";
const EYE = "#2a1a10";

/** @param {Painter} painter @param {Placed} piece @param {number} fraction @param {number} fullHealth */
export function drawCowboy(painter, { thing, before, moved }, fraction, fullHealth) {
  const { arrow, badge, bar, color, g, text } = painter;
  const nap = thing.is_drunk && thing.drunk_direction === "";
  const drunk = thing.is_drunk && !nap;
  drawBase(painter, thing.owner);
  g.save();
  if (nap) g.rotate(-1.35);
  else if (drunk) g.rotate(0.22 * Math.sin(fraction * 6.283) + 0.16);
  else if (moved) g.rotate(0.08 * Math.sin(fraction * 12.566));
  drawFigure(painter, thing.job, color(thing.owner), drunk ? "#b9cf86" : nap ? "#c9a99a" : SKIN, !thing.is_drunk);
  g.restore();
  if (nap) {
    text("z", 0.2, -0.24, 0.26, "#dfe8ff");
    text("z", 0.34, -0.4, 0.18, "#dfe8ff");
  }
  if (drunk) arrow(stepOf(thing.drunk_direction), 0.47, 0.15, "#ffd23f", "#3a2a00");
  const busy = thing.turns_busy;
  if (busy > 0 && busy < 100) badge(0.32, 0.33, String(busy), thing.is_drunk ? "#8f7bd6" : "#44505e");
  if (thing.focus > 0) badge(-0.33, 0.33, String(thing.focus), "#b3261e");
  bar(between(before?.health ?? thing.health, thing.health, fraction) / fullHealth, -0.47);
}

/**
 * A disc under people of player 0, and a diamond under people of player 1: they differ without colour too.
 * @param {Painter} painter @param {number} owner
 */
function drawBase({ color, oval, polygon }, owner) {
  oval(0, 0.36, 0.36, 0.12, "rgba(0,0,0,.35)");
  const edge = "rgba(255,255,255,.75)";
  if (owner === 0) oval(0, 0.32, 0.37, 0.14, color(owner), edge, 0.03);
  else
    polygon(
      [
        [-0.42, 0.32],
        [0, 0.17],
        [0.42, 0.32],
        [0, 0.47],
      ],
      color(owner),
      edge,
      0.03,
    );
}

/** @param {Painter} painter @param {string} job @param {string} team @param {string} skin @param {boolean} awake */
function drawFigure(painter, job, team, skin, awake) {
  const { dot, line, polygon, ring } = painter;
  const [dress, cover] = OUTFITS.get(job) ?? [dressBrawler, coverBrawler];
  const wide = job === "Brawler" ? 0.3 : 0.22;
  const trunk = [
    [-wide, 0.34],
    [-wide * 1.05, 0.06],
    [-0.1, -0.06],
    [0.1, -0.06],
    [wide * 1.05, 0.06],
    [wide, 0.34],
  ];
  polygon(trunk, team, "rgba(0,0,0,.55)");
  dress(painter, team, skin);
  dot(0, -0.15, 0.15, skin);
  ring(0.15, "rgba(0,0,0,.35)", 0, -0.15, 0.02);
  for (const side of [-1, 1]) {
    if (awake) dot(0.055 * side, -0.15, 0.02, EYE);
    else line(0.03 * side, -0.14, 0.085 * side, -0.14, 0.02, EYE);
  }
  cover(painter, team);
}

/** @param {Painter} painter */
function dressSharpshooter({ line, polygon }) {
  polygon(
    [
      [-0.1, -0.04],
      [0, 0.14],
      [0.1, -0.04],
    ],
    "#f3ead8",
  );
  polygon(
    [
      [-0.17, 0.32],
      [-0.14, 0.04],
      [-0.02, 0.32],
    ],
    "#3b2a1e",
  );
  polygon(
    [
      [0.17, 0.32],
      [0.14, 0.04],
      [0.02, 0.32],
    ],
    "#3b2a1e",
  );
  line(-0.3, 0.3, 0.36, -0.3, 0.055, "#2b2f36");
  line(-0.34, 0.34, -0.16, 0.17, 0.09, "#6b4423");
}

/** @param {Painter} painter */
function dressBartender({ polygon }) {
  polygon(
    [
      [-0.13, 0.02],
      [0.13, 0.02],
      [0.17, 0.34],
      [-0.17, 0.34],
    ],
    "#fbf7ee",
  );
  polygon(
    [
      [-0.11, -0.06],
      [0, 0],
      [-0.11, 0.06],
    ],
    "#1d1d1f",
  );
  polygon(
    [
      [0.11, -0.06],
      [0, 0],
      [0.11, 0.06],
    ],
    "#1d1d1f",
  );
  polygon(
    [
      [0.24, 0.12],
      [0.33, 0.12],
      [0.35, 0.3],
      [0.22, 0.3],
    ],
    "#3f9d5a",
    "#205c32",
  );
}

/** @param {Painter} painter @param {string} team @param {string} skin */
function dressBrawler({ dot, line, ring }, team, skin) {
  line(-0.3, 0.06, -0.3, 0.24, 0.12, team);
  line(0.3, 0.06, 0.3, 0.24, 0.12, team);
  for (const side of [-1, 1]) {
    dot(0.31 * side, 0.25, 0.1, skin);
    ring(0.1, "rgba(0,0,0,.4)", 0.31 * side, 0.25, 0.02);
  }
  line(-0.12, 0, 0.06, 0.34, 0.035, "rgba(0,0,0,.5)");
  line(0.12, 0, -0.06, 0.34, 0.035, "rgba(0,0,0,.5)");
}

/** @param {Painter} painter @param {string} team */
function coverSharpshooter({ line, polygon }, team) {
  polygon(
    [
      [-0.14, -0.25],
      [-0.1, -0.44],
      [-0.02, -0.4],
      [0.06, -0.45],
      [0.13, -0.25],
    ],
    "#7a5230",
    "#2d1b0d",
  );
  polygon(
    [
      [-0.31, -0.27],
      [0, -0.2],
      [0.31, -0.27],
      [0.24, -0.2],
      [0, -0.15],
      [-0.24, -0.2],
    ],
    "#8a5e38",
    "#2d1b0d",
  );
  line(-0.135, -0.265, 0.13, -0.265, 0.05, team);
}

/** @param {Painter} painter */
function coverBartender({ arc, polygon }) {
  arc(0, -0.17, 0.155, 3.3, 6.12, "#3a2416");
  polygon(
    [
      [-0.1, -0.06],
      [0, -0.11],
      [0.1, -0.06],
      [0, -0.07],
    ],
    "#3a2416",
  );
}

/** @param {Painter} painter @param {string} team */
function coverBrawler({ arc, line }, team) {
  arc(0, -0.22, 0.15, Math.PI, 0, "#26221f");
  line(-0.21, -0.22, 0.21, -0.22, 0.05, "#26221f");
  line(-0.14, -0.255, 0.14, -0.255, 0.035, team);
  arc(0, -0.11, 0.115, 0.15, 2.99, "#6b3a1c");
}

/**
 * What the jobs wear, and what is on their heads. A Map, since a job in a file can be any value.
 * @type {Map<string, [(painter: Painter, team: string, skin: string) => void, (painter: Painter, team: string) =>
 * void]>}
 */
const OUTFITS = new Map([
  ["Sharpshooter", [dressSharpshooter, coverSharpshooter]],
  ["Bartender", [dressBartender, coverBartender]],
]);

/** @param {Painter} painter @param {Placed} piece */
export function drawYoungGun(painter, { thing: gun }) {
  const { badge, color, dot, polygon } = painter;
  drawBase(painter, gun.owner);
  polygon(
    [
      [-0.2, 0.34],
      [-0.24, 0],
      [0, -0.08],
      [0.24, 0],
      [0.2, 0.34],
    ],
    "#f2e6cf",
    "rgba(0,0,0,.5)",
  );
  polygon(
    [
      [-0.17, -0.04],
      [0, 0.18],
      [0.17, -0.04],
    ],
    color(gun.owner),
    "rgba(0,0,0,.4)",
  );
  dot(0, -0.14, 0.14, SKIN);
  for (const side of [-1, 1]) dot(0.05 * side, -0.13, 0.02, EYE);
  polygon(
    [
      [-0.13, -0.22],
      [-0.09, -0.42],
      [0.09, -0.42],
      [0.13, -0.22],
    ],
    "#f7f1e3",
    "#5b4a36",
  );
  polygon(
    [
      [-0.3, -0.25],
      [0, -0.19],
      [0.3, -0.25],
      [0, -0.13],
    ],
    "#f7f1e3",
    "#5b4a36",
  );
  if (!gun.can_call_in) badge(0.3, 0.3, "✓", "#44505e");
}
