/** The people of Saloon, from the front, higher than a tile: cowboys by their jobs, and young guns. */

import { pulse } from "arena/effects";
import { stepOf } from "arena/grid";
import * as figures from "./figures.js";

/** @typedef {import("arena/grid").Placed} Placed */
/** @typedef {import("arena/painter").Look} Look */
/** @typedef {import("arena/painter").Painter} Painter */
/** @typedef {import("arena/states").Thing} Thing */

const SKIN = "#efc39a";
const EYE = "#24130a";
/** Where people stand in their tile, and the size of 100 units of a figure. */
const FEET = 0.34;
const SIZE = 1.28;
const YOUNG = 1.12;

/**
 * The figure of each job, and the height of its eyes. A Map, since a job in a file can be any value.
 * @type {Map<string, [import("./figures.js").Figure, number]>}
 */
const JOBS = new Map([
  ["Sharpshooter", [figures.SHARPSHOOTER, -51]],
  ["Bartender", [figures.BARTENDER, -69]],
  ["Brawler", [figures.BRAWLER, -70]],
]);

/** Whether somebody naps: drunk, and does not stagger. @param {Thing} thing */
const naps = (thing) => thing.is_drunk && thing.drunk_direction === "";

/** How many own turns a cowboy is still busy; 0 for the dead, who are busy for ever. @param {Thing} thing */
const busyFor = ({ turns_busy: busy }) => (busy > 0 && busy < 100 ? busy : 0);

/** @param {Painter} painter @param {Placed} piece @param {number} fraction @param {Look} look */
export function drawCowboy(painter, { thing, moved }, fraction, look) {
  const { color, g } = painter;
  const nap = naps(thing);
  const drunk = thing.is_drunk && !nap;
  const [figure, eyes] = JOBS.get(thing.job) ?? [figures.BRAWLER, -70];
  const skin = drunk ? "#b7d08a" : nap ? "#d3ad97" : SKIN;
  g.save();
  if (nap) g.translate(0, 0.12); // who lies would hide it
  drawBase(painter, thing.owner);
  g.restore();
  g.save();
  g.translate(nap ? 0.55 : 0, FEET);
  if (nap) g.rotate(-1.36);
  else if (drunk) g.rotate(0.2 * Math.sin(fraction * 6.283) + 0.17);
  else if (moved) g.rotate(0.08 * Math.sin(fraction * 12.566));
  figures.paintFigure(g, figure, SIZE, color(thing.owner), skin);
  if (figure === figures.BARTENDER) {
    const hand = busyFor(thing) || thing.is_drunk ? figures.EMPTY_HAND : figures.BOTTLE_HAND;
    figures.paintFigure(g, hand, SIZE, "", skin);
  }
  drawEyes(painter, (eyes * SIZE) / 100, nap ? "shut" : drunk ? "crossed" : "open");
  g.restore();
  if (drunk) drawStars(painter, look.beat);
}

/** @param {Painter} painter @param {Placed} piece */
export function drawYoungGun(painter, { thing: gun }) {
  const { color, g } = painter;
  drawBase(painter, gun.owner);
  g.save();
  g.translate(0, FEET);
  figures.paintFigure(g, figures.YOUNG_GUN, YOUNG, color(gun.owner), SKIN);
  figures.paintFigure(g, gun.can_call_in ? figures.WAVING : figures.WAITING, YOUNG, "", SKIN);
  drawEyes(painter, -0.44 * YOUNG, "open");
  g.restore();
}

/**
 * A disc under people of player 0, and a diamond under people of player 1: they differ without colour too.
 * @param {Painter} painter @param {number} owner
 */
function drawBase({ color, oval, polygon }, owner) {
  oval(0.05, FEET + 0.05, 0.5, 0.2, "rgba(0,0,0,.32)");
  const tone = color(owner);
  if (owner === 0) {
    oval(0, FEET, 0.48, 0.2, "#ffffff");
    oval(0, FEET, 0.42, 0.15, tone);
    return;
  }
  const diamond = (/** @type {number} */ wide, /** @type {number} */ high) => [
    [-wide, FEET],
    [0, FEET - high],
    [wide, FEET],
    [0, FEET + high],
  ];
  polygon(diamond(0.56, 0.24), "#ffffff");
  polygon(diamond(0.46, 0.18), tone);
}

/** @param {Painter} painter @param {number} y @param {"open" | "shut" | "crossed"} how */
function drawEyes({ dot, line }, y, how) {
  for (const side of [-1, 1]) {
    const x = 0.085 * side;
    if (how === "open") dot(x, y, 0.034, EYE);
    else line(x - 0.045, y - (how === "crossed" ? 0.04 : 0), x + 0.045, y + (how === "crossed" ? 0.04 : 0), 0.03, EYE);
    if (how === "crossed") line(x - 0.045, y + 0.04, x + 0.045, y - 0.04, 0.03, EYE);
  }
}

/** Stars around the head of a drunk. @param {Painter} painter @param {number} beat */
function drawStars({ g, star }, beat) {
  for (let at = 0; at < 3; at++) {
    const angle = beat * 0.5 + at * 2.094;
    g.save();
    g.translate(0.16 + 0.34 * Math.cos(angle), -0.72 + 0.1 * Math.sin(angle));
    star(0.085, "#ffd84d", EYE);
    g.restore();
  }
}

/**
 * What must be read of a cowboy, above all figures: his health, how long he is busy, his focus, and where he staggers.
 * @param {Painter} painter @param {Placed} piece @param {number} part of his full health @param {Look} look
 */
export function drawMarks(painter, { thing }, part, look) {
  const { arrow, bar, text } = painter;
  if (naps(thing)) {
    const up = 0.1 * pulse(look.beat, 10);
    const tone = look.dark ? "#cfdcff" : "#4353b0";
    text("z", -0.3, -0.2 - up, 0.4, tone);
    text("z", -0.06, -0.48 - up, 0.3, tone);
  } else if (thing.is_drunk) arrow(stepOf(thing.drunk_direction), 0.56, 0.19, "#ffd23f", EYE);
  const busy = busyFor(thing);
  if (busy > 1 && !naps(thing)) drawNumber(painter, 0.36, busy, thing.is_drunk ? "#6d58b8" : "#44505e");
  if (thing.focus > 0) drawNumber(painter, -0.36, thing.focus, "#b3261e");
  bar(part, FEET + 0.08);
}

/** @param {Painter} painter @param {number} x @param {number} number @param {string} fill */
function drawNumber({ badge, g }, x, number, fill) {
  g.save();
  g.translate(x, 0.2);
  g.scale(1.3, 1.3);
  badge(0, 0, String(number), fill);
  g.restore();
}
