/** Marines from above, facing north: their armour, and what each type carries. */

import { FIRE } from "./scene.js";

/** @typedef {import("./scene.js").Painter} Painter */

const EDGE = "#10151c";

/** @param {Painter} painter @param {string} type @param {string} armour the colour of the helmet */
export function drawMarine(painter, type, armour) {
  const { color, dot, g, oval, ring, rounded } = painter;
  const team = color(0);
  oval(0.02, 0.06, 0.4, 0.3, "rgba(0,0,0,.4)");
  (Object.hasOwn(ARMS, type) ? ARMS[type] : drawBolter)(painter);
  rounded(-0.24, 0.04, 0.48, 0.24, 0.07, "#3a4350", EDGE);
  for (const side of [-1, 1]) oval(side * 0.25, 0.02, 0.14, 0.18, team, "#ffffff", 0.035);
  rounded(-0.2, -0.13, 0.4, 0.3, 0.12, team, EDGE);
  const leads = type === "sarge" || type === "hammer";
  dot(0, 0, 0.155, leads ? "#ffd34d" : armour);
  ring(0.155, EDGE, 0, 0, 0.03);
  g.beginPath();
  g.arc(0, 0, 0.105, -2.5, -0.64);
  g.strokeStyle = "#0f7f95";
  g.lineWidth = 0.06;
  g.stroke();
}

/** @param {Painter} painter */
function drawBolter({ line }) {
  line(0.2, 0.1, 0.2, -0.42, 0.11, "#11161d");
  line(0.2, -0.1, 0.2, -0.4, 0.045, "#8795a8");
}

/** What a type of marine carries; all others a bolter. @type {Record<string, (painter: Painter) => void>} */
const ARMS = {
  axe: (painter) => {
    drawBolter(painter);
    painter.line(-0.26, 0.2, -0.26, -0.36, 0.05, "#8a5a2b");
    painter.polygon(
      [
        [-0.26, -0.42],
        [-0.42, -0.38],
        [-0.4, -0.2],
        [-0.26, -0.24],
      ],
      "#d5dde7",
      EDGE,
    );
  },
  chain: (painter) => {
    drawBolter(painter);
    for (let y = -0.42; y < 0; y += 0.1) painter.line(-0.36, y, -0.16, y + 0.03, 0.05, "#f4b630");
    painter.rounded(-0.32, -0.45, 0.12, 0.5, 0.05, "#c3ccd8", EDGE);
  },
  hammer: ({ line, rounded }) => {
    line(0.22, 0.25, 0.22, -0.3, 0.06, "#8a5a2b");
    rounded(0.06, -0.46, 0.32, 0.19, 0.04, "#c3ccd8", EDGE);
  },
  claws: ({ line }) => {
    for (const x of [-0.34, -0.26, -0.18, 0.18, 0.26, 0.34]) line(x, 0, x * 1.08, -0.42, 0.05, "#e8eef5");
  },
  flame: ({ dot, line, rounded }) => {
    for (const x of [-0.12, 0.12]) rounded(x - 0.1, 0.14, 0.2, 0.28, 0.09, "#e2571e", EDGE);
    line(0.2, 0.15, 0.2, -0.38, 0.13, "#11161d");
    dot(0.2, -0.4, 0.085, FIRE[1]);
    dot(0.2, -0.4, 0.045, FIRE[2]);
  },
  cannon: ({ line, rounded }) => {
    rounded(0.08, -0.2, 0.26, 0.4, 0.05, "#2a323d", EDGE);
    for (const x of [0.14, 0.21, 0.28]) line(x, -0.15, x, -0.46, 0.05, "#aab6c5");
  },
};
