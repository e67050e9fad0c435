/**
 * The looks of all that stands in a saloon, as layers from back to front: an SVG path, its colour, and whether it lies
 * flat, without an outline. The origin is between the feet, and 100 units are about the height.
 */

/** @typedef {[path: string, fill: string, flat?: boolean]} Layer */
/**
 * With pictures of it, in the sizes and colours that were painted last: a copy costs less than ten paths.
 * @typedef {{layers: {path: Path2D, fill: string, flat: boolean}[], pictures: Map<string, HTMLCanvasElement>}} Figure
 */

const INK = "#24130a";
/** A dot of a path. @param {number} x @param {number} y @param {number} r */
const disc = (x, y, r) => `M${x + r} ${y}a${r} ${r} 0 1 1 ${-2 * r} 0a${r} ${r} 0 1 1 ${2 * r} 0z`;

/** @param {Layer[]} layers @returns {Figure} */
const figure = (...layers) => ({
  layers: layers.map(([path, fill, flat = false]) => ({ path: new Path2D(path), fill, flat })),
  pictures: new Map(),
});

/** Who carries a gun: a poncho, a wide hat, and the rifle over his shoulder. */
export const SHARPSHOOTER = figure(
  ["M17-24l6 2L45-97l-6-2z", "#4b525e"],
  ["M11-4l10 3 9-26-10-4z", "#7a4a24"],
  ["M-17-13h13v13h-15zM4-13h13l2 13H4z", "#3a281b"],
  ["M-9-52Q-28-36-34-13Q-15-2 0-5Q15-2 34-13Q28-36 9-52z", "team"],
  ["M-29-27Q0-10 29-27l2 7Q0-3-31-20z", "rgba(255,255,255,.62)", true],
  ["M-12-52L0-36 12-52z", "#fbf1dc"],
  [disc(0, -60, 18), "skin"],
  ["M-18-70Q-19-95-9-96Q0-89 9-97Q19-95 18-70z", "#8f5d35"],
  ["M-18-77Q0-71 18-77v7Q0-64-18-70z", "team", true],
  ["M-39-76Q-28-66 0-66Q28-66 39-76Q33-57 0-56Q-33-57-39-76z", "#7b4e2b"],
);

/** Who serves: an apron, a bow tie, and a moustache. */
export const BARTENDER = figure(
  ["M-16-15h14v15h-16zM2-15h14l2 15H2z", "#2b2622"],
  ["M-19-50Q-34-42-33-24l9 2Q-22-36-12-42z", "#f6f1e6"],
  [disc(-28, -20, 6), "skin"],
  ["M-20-50Q0-57 20-50L19-10H-19z", "team"],
  ["M-8-52L0-34 8-52z", "#ffffff", true],
  ["M-14-32H14L18-4Q0-1-18-4z", "#fffaf0"],
  ["M-10-52l10 5 10-5v10l-10-5-10 5z", "#1d1d1f", true],
  [disc(0, -68, 18), "skin"],
  ["M-18-70Q-21-90 0-90Q21-90 18-70Q12-81-1-81Q-13-81-18-70z", "#35210f"],
  ["M0-62q-6-5-15 1q7 6 15 2q8 4 15-2q-9-6-15-1z", "#35210f", true],
);
/** The hand of a Bartender with a bottle, and his hand while he has none. */
export const BOTTLE_HAND = figure(
  ["M25-74v-16q0-4 4-6v-13h8v13q4 2 4 6v16z", "#2f9b57"],
  ["M25-88h16v9H25z", "#fff3cf", true],
  ["M15-51Q37-50 40-69l-13-3Q23-59 14-37z", "#f6f1e6"],
  [disc(33, -72, 7), "skin"],
);
export const EMPTY_HAND = figure(["M19-50Q34-42 33-24l-9 2Q22-36 12-42z", "#f6f1e6"], [disc(28, -20, 6), "skin"]);

/** Who hits: broad, with a beard and two fists. */
export const BRAWLER = figure(
  ["M-22-15h18v15h-20zM4-15h18l2 15H4z", "#3c4656"],
  ["M-33-52Q0-62 33-52Q31-28 25-12H-25Q-31-28-33-52z", "team"],
  ["M-18-55l7-1 2 44h-7zM18-55l-7-1-2 44h7z", "rgba(20,10,0,.5)", true],
  ["M-25-17h50v7h-50z", "#2b211a", true],
  ["M-5-18h10v9h-10z", "#f2c14e", true],
  ["M-30-53Q-50-46-49-32l15 3Q-34-36-24-42zM30-53Q50-46 49-32l-15 3Q34-36 24-42z", "skin"],
  [`${disc(-41, -28, 13)}${disc(41, -28, 13)}`, "skin"],
  [disc(0, -68, 18), "skin"],
  ["M-18-68Q-19-46 0-45Q19-46 18-68Q9-60 0-62Q-9-60-18-68z", "#5b3015"],
  ["M-19-74Q-20-92 0-92Q20-92 19-74Q0-82-19-74zM17-77l13-5-4 8 5 6-14-3z", "team"],
);

/** Who calls: small under a tall white hat, with a star. */
export const YOUNG_GUN = figure(
  ["M-14-12h12v12h-14zM2-12h12l2 12H2z", "#4a3322"],
  ["M-18-40Q0-47 18-40L19-10H-19z", "team"],
  ["M-6-42L0-12 6-42z", "#fff7e6", true],
  ["M-16-42L0-26 16-42Q0-36-16-42z", "#e9c46a"],
  [disc(0, -54, 17), "skin"],
  ["M-19-63Q-22-100-9-101Q0-94 9-102Q22-100 19-63z", "#fffdf6"],
  ["M-19-70Q0-63 19-70v7Q0-56-19-63z", "team", true],
  ["M-41-70Q-29-58 0-58Q29-58 41-70Q36-49 0-49Q-36-49-41-70z", "#fffdf6"],
);
/** The arms of a young gun who waves, and of one who has called somebody in. */
export const WAVING = figure(["M15-41Q37-45 43-62l-9-4Q27-52 12-30z", "#fff7e6"], [disc(40, -67, 6.5), "skin"]);
export const WAITING = figure(["M16-40Q28-32 26-17l-8 1Q17-27 11-32z", "#fff7e6"], [disc(22, -14, 5), "skin"]);

/** What everybody wants: mahogany, brass, candles, and keys that are seen from far. */
export const PIANO = figure(
  ["M-46-10h12v10h-12zM34-10h12v10H34z", "#4a210e"],
  ["M-48-90Q0-95 48-90V-7H-48z", "#a5512a"],
  ["M-39-83Q0-87 39-83v31H-39z", "#6e3117"],
  ["M-36-80Q-18-83-18-67Q-18-56-36-55zM36-80Q18-83 18-67Q18-56 36-55z", "#8d4624", true],
  ["M-16-84l15 3h2l15-3v27l-15 3h-2l-15-3z", "#fff6dd", true],
  [
    "M-12-77l9 1.500v2l-9-1.500zM-12-71l9 1.500v2l-9-1.500zM12-77l-9 1.500v2l9-1.500zM12-71l-9 1.500v2l9-1.500z",
    "#9a7f5a",
    true,
  ],
  ["M-54-97Q0-102 54-97v10Q0-92-54-87z", "#c9713a"],
  ["M-54-90Q0-95 54-90v3Q0-92-54-87z", "#f6cf6b", true],
  ["M-41-30h82v20h-82z", "#6e3117"],
  ["M-9-14h6v5h-6zM3-14h6v5H3z", "#f2c14e", true],
  ["M-55-52h110v23h-110z", "#c9713a"],
  ["M-50-50h100v15h-100z", "#fffdf5"],
  ["M-44-50h7v9h-7zM-31-50h7v9h-7zM-9-50h7v9h-7zM3-50h7v9H3zM16-50h7v9h-7zM38-50h7v9h-7z", "#1c120c", true],
);

export const TABLE = figure(
  ["M-5-30h10v24h14v6h-38v-6h14z", "#5a3a22"],
  ["M-46-36a46 23 0 1 1 92 0v5a46 23 0 1 1-92 0z", "#8a5a34"],
  ["M-39-37a39 18 0 1 1 78 0a39 18 0 1 1-78 0z", "#4b7f66", true],
  ["M-22-42l11-4 4 8-11 4zM-8-37l11-3 3 8-11 3z", "#f4efe0", true],
  [`${disc(17, -40, 4)}${disc(24, -34, 4)}`, "#d9a441", true],
);

/** A bottle that flies to the right; its middle is the origin. */
export const BOTTLE = figure(
  ["M-28-12h27Q7-12 10-5H27V5H10Q7 12-1 12h-27Q-33 12-33 7V-7Q-33-12-28-12z", "#2f9b57"],
  ["M-22-12h16v24h-16z", "#fff3cf", true],
  ["M25-6h8v12h-8z", "#d9b07a"],
  ["M-28-8h34v4h-34z", "rgba(255,255,255,.45)", true],
);

/** The room of every figure: from the left, from above, and its width and height. */
const [LEFT, TOP, WIDE, HIGH] = [-64, -120, 128, 134];
const MOST_PICTURES = 24;

/**
 * @param {CanvasRenderingContext2D} g scaled to tiles @param {Figure} figure
 * @param {number} size of 100 units, in tiles @param {string} [team] @param {string} [skin]
 */
export function paintFigure(g, figure, size, team = "", skin = "") {
  const seen = g.getTransform();
  const scale = (Math.hypot(seen.a, seen.b) * size) / 100;
  const key = `${scale.toFixed(3)} ${team} ${skin}`;
  const picture = figure.pictures.get(key) ?? paintPicture(figure, scale, team, skin);
  if (figure.pictures.size >= MOST_PICTURES) figure.pictures.clear();
  figure.pictures.set(key, picture);
  g.save();
  g.scale(size / 100, size / 100);
  g.translate(LEFT, TOP);
  const { e, f } = g.getTransform();
  if (seen.b === 0)
    g.setTransform(1, 0, 0, 1, Math.round(e), Math.round(f)); // sharp
  else g.scale(1 / scale, 1 / scale);
  g.drawImage(picture, 0, 0);
  g.restore();
}

/** @param {Figure} figure @param {number} scale @param {string} team @param {string} skin */
function paintPicture({ layers }, scale, team, skin) {
  const picture = document.createElement("canvas");
  [picture.width, picture.height] = [WIDE, HIGH].map((units) => Math.max(1, Math.ceil(units * scale)));
  const to = /** @type {CanvasRenderingContext2D} */ (picture.getContext("2d"));
  to.scale(scale, scale);
  to.translate(-LEFT, -TOP);
  to.lineJoin = "round";
  to.lineWidth = 4.5;
  to.strokeStyle = INK;
  for (const { path, fill, flat } of layers) {
    if (!flat) to.stroke(path);
    to.fillStyle = fill === "team" ? team : fill === "skin" ? skin : fill;
    to.fill(path);
  }
  return picture;
}
