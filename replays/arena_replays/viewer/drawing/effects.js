/**
 * For renderers: what flies, falls, burns and breaks. An effect is a function of `part`, from 0 to 1 while it lasts:
 * nothing is kept between two calls, so that it can be shown at any moment, in any order, and leaves nothing behind.
 */

import { brush } from "arena/shapes";

const TURN = 2 * Math.PI;

/**
 * A number from 0 to 1 that looks random. Equal arguments give equal numbers.
 * @param {number} seed @param {number} at
 */
export function scatter(seed, at) {
  const value = Math.sin(seed * 127.1 + at * 311.7) * 43758.5453;
  return value - Math.floor(value);
}

/**
 * A value that swings from 0 to 1 and back.
 * @param {number} [beat] `look.beat`: how many frames of the match were shown @param {number} [frames] of one swing
 * @param {number} [shift] a part of a swing
 */
export const pulse = (beat = 0, frames = 6, shift = 0) => 0.5 - 0.5 * Math.cos(TURN * (beat / frames + shift));

/**
 * How far a thing that was hit shakes to the side.
 * @param {number} part 0 to 1 @param {number} [far]
 */
export const shudder = (part, far = 0.09) =>
  part > 0 && part < 1 ? far * Math.sin(part * 5 * TURN) * (1 - part) ** 2 : 0;

/**
 * How high something is that is thrown or jumps.
 * @param {number} part 0 to 1 @param {number} high at the middle of the flight
 */
export const lift = (part, high) => 4 * high * part * (1 - part);

/**
 * The functions draw around the origin, in tiles if the canvas is scaled to tiles.
 * @param {CanvasRenderingContext2D} g
 */
export function effects(g) {
  const { dot, line, polygon, ring, star, text } = brush(g);
  const out = (/** @type {number} */ part) => 1 - (1 - part) ** 2;

  /** A soft light. @param {number} radius @param {string} rgb as `255, 220, 140` @param {number} [strength] 0 to 1 */
  function glow(radius, rgb, strength = 1) {
    if (radius <= 0 || strength <= 0) return;
    const light = g.createRadialGradient(0, 0, 0, 0, 0, radius);
    light.addColorStop(0, `rgba(${rgb}, ${strength})`);
    light.addColorStop(0.4, `rgba(${rgb}, ${0.4 * strength})`);
    light.addColorStop(1, `rgba(${rgb}, 0)`);
    g.fillStyle = light;
    g.fillRect(-radius, -radius, 2 * radius, 2 * radius);
  }

  /**
   * Pieces that turn, fly apart and fall to the floor: glass, wood, armour.
   * @param {number} part @param {number} count @param {string} fill @param {number} [far] @param {number} [seed]
   */
  function shards(part, count, fill, far = 0.8, seed = 1) {
    for (let at = 0; at < count; at++) {
      const [angle, reach] = [TURN * scatter(seed, at), far * out(part) * (0.35 + 0.65 * scatter(seed, at + 40))];
      const size = (0.05 + 0.07 * scatter(seed, at + 80)) * (1 - 0.5 * part);
      g.save();
      g.translate(reach * Math.cos(angle), reach * 0.75 * Math.sin(angle) + 0.3 * part * part - lift(part, 0.15));
      g.rotate(angle + 9 * part * (scatter(seed, at + 120) - 0.5));
      polygon(
        [
          [-size, -size * 0.5],
          [size, 0],
          [-size * 0.4, size * 0.8],
        ],
        fill,
      );
      g.restore();
    }
  }

  /** Short lines of light that fly apart. @param {number} part @param {number} count @param {string} stroke */
  function sparks(part, count, stroke, far = 0.6, seed = 2) {
    for (let at = 0; at < count; at++) {
      const angle = TURN * ((at + 0.6 * scatter(seed, at)) / count);
      const reach = far * out(part) * (0.5 + 0.5 * scatter(seed, at + 40));
      const [x, y] = [Math.cos(angle), Math.sin(angle)];
      const tail = Math.max(0.05, reach - 0.22 * (1 - part));
      line(x * tail, y * tail, x * reach, y * reach, 0.05 * (1 - part) + 0.01, stroke);
    }
  }

  /** Puffs that rise, grow and vanish. @param {number} part @param {number} [count] @param {string} [rgb] */
  function smoke(part, count = 5, rgb = "128, 130, 136", seed = 3) {
    for (let at = 0; at < count; at++) {
      const age = part * 1.5 - (0.5 * at) / count;
      if (age <= 0 || age >= 1) continue;
      const side = scatter(seed, at) - 0.5;
      dot(side * (0.2 + 0.5 * age), -0.65 * age, 0.07 + 0.17 * age, `rgba(${rgb}, ${0.4 * (1 - age)})`);
    }
  }

  /** A ring that runs outwards. @param {number} part @param {string} stroke @param {number} [far] */
  function wave(part, stroke, far = 0.8) {
    ring(far * out(part), stroke, 0, 0, 0.12 * (1 - part));
  }

  /** A hit: a flash, a star and sparks. @param {number} part @param {string} [fill] @param {string} [edge] */
  function hit(part, fill = "#fff3c4", edge = "#d8791f") {
    glow(0.7, "255, 236, 190", 0.8 * (1 - part));
    if (part < 0.7) star(0.15 + 0.3 * out(part), fill, edge);
    sparks(part, 9, fill, 0.75);
  }

  /** What was lost, rising: `−3`. @param {number} part @param {number} lost @param {string} [fill] */
  function loss(part, lost, fill = "#ff5c4d") {
    g.lineWidth = 0.09;
    g.strokeStyle = "rgba(0,0,0,.7)";
    g.font = "700 0.36px Georgia, serif";
    g.textAlign = "center";
    g.textBaseline = "middle";
    g.lineJoin = "round";
    const [word, y] = [`−${Math.round(lost)}`, -0.5 - 0.35 * out(part)];
    g.strokeText(word, 0, y);
    text(word, 0, y, 0.36, fill);
  }

  /**
   * Turns what is painted next, as a body that falls to its side, and lets it vanish.
   * @param {number} part @param {number} [side] 1 or -1 @param {number} [feet] where they stand, below the origin
   */
  function fall(part, side = 1, feet = 0.36) {
    const down = Math.min(1, part / 0.55);
    const bounce = down < 1 ? down * down : 1 - 0.08 * Math.sin(Math.PI * Math.min(1, (part - 0.55) / 0.2));
    g.translate(0, feet);
    g.rotate(side * 1.45 * bounce);
    g.translate(0, -feet);
    g.globalAlpha *= 1 - Math.max(0, (part - 0.65) / 0.35);
  }

  /**
   * A beam of light along some points: three lines, one over the other.
   * @param {number[][]} points @param {number} wide @param {string} tone @param {string} middle
   * @param {number} strength 0 to 1
   */
  function beam(points, wide, tone, middle, strength) {
    for (const [width, style, alpha] of /** @type {[number, string, number][]} */ ([
      [2.6, tone, 0.4],
      [1.2, middle, 1],
      [0.5, "#ffffff", 1],
    ])) {
      [g.lineWidth, g.strokeStyle, g.globalAlpha] = [wide * width, style, strength * alpha];
      g.beginPath();
      for (const [x, y] of points) g.lineTo(x, y);
      g.stroke();
    }
  }

  return { glow, shards, sparks, smoke, wave, hit, loss, fall, beam };
}

/**
 * Returns a function that darkens a board, except where there is light. It paints a small picture and enlarges it, so
 * that all edges are soft.
 * @param {HTMLCanvasElement} canvas of the renderer
 */
export function darkness(canvas) {
  const g = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const small = document.createElement("canvas");
  const to = /** @type {CanvasRenderingContext2D} */ (small.getContext("2d"));
  const dots = 6; // for each tile
  /**
   * @param {import("arena/grid").Grid} grid @param {(to: CanvasRenderingContext2D) => void} dark paints what is dark
   * @param {(to: CanvasRenderingContext2D) => void} lit paints what has light, in tiles; more opaque is more light
   */
  return (grid, dark, lit) => {
    [small.width, small.height] = [grid.columns * dots, grid.rows * dots]; // this clears it, too
    to.setTransform(dots, 0, 0, dots, 0, 0);
    dark(to);
    to.globalCompositeOperation = "destination-out";
    lit(to);
    g.drawImage(small, ...grid.place(0, 0), grid.tile * grid.columns, grid.tile * grid.rows);
  };
}
