/** For renderers: functions that draw simple shapes. The unit is that of the scaled canvas, for example a tile. */

/** @param {CanvasRenderingContext2D} g */
export function brush(g) {
  /** @param {string} fill @param {string} [stroke] @param {number} [width] */
  function paint(fill, stroke, width = 0.025) {
    g.fillStyle = fill;
    g.fill();
    if (!stroke) return;
    g.strokeStyle = stroke;
    g.lineWidth = width;
    g.stroke();
  }

  /** @param {number[][]} points @param {string} fill @param {string} [stroke] @param {number} [width] */
  function polygon(points, fill, stroke, width) {
    g.beginPath();
    for (const [x, y] of points) g.lineTo(x, y);
    g.closePath();
    paint(fill, stroke, width);
  }

  /** @param {number} x @param {number} y @param {number} radius @param {string} fill */
  function dot(x, y, radius, fill) {
    g.beginPath();
    g.arc(x, y, Math.max(0, radius), 0, 7);
    paint(fill);
  }

  /**
   * A part of a disc: hair, a hat.
   * @param {number} x @param {number} y @param {number} radius @param {number} from @param {number} to
   * @param {string} fill
   */
  function arc(x, y, radius, from, to, fill) {
    g.beginPath();
    g.arc(x, y, radius, from, to);
    paint(fill);
  }

  /**
   * @param {number} x @param {number} y @param {number} across @param {number} down @param {string} fill
   * @param {string} [stroke] @param {number} [width]
   */
  function oval(x, y, across, down, fill, stroke, width) {
    g.beginPath();
    g.ellipse(x, y, across, down, 0, 0, 7);
    paint(fill, stroke, width);
  }

  /** @param {number} radius @param {string} stroke @param {number} [x] @param {number} [y] @param {number} [width] */
  function ring(radius, stroke, x = 0, y = 0, width = 0.045) {
    g.beginPath();
    g.arc(x, y, Math.max(0, radius), 0, 7);
    g.strokeStyle = stroke;
    g.lineWidth = Math.max(0.001, width);
    g.stroke();
  }

  /**
   * @param {number} x @param {number} y @param {number} width @param {number} height @param {number} radius
   * @param {string} fill @param {string} [stroke]
   */
  function rounded(x, y, width, height, radius, fill, stroke) {
    g.beginPath();
    g.roundRect(x, y, Math.max(0, width), Math.max(0, height), radius);
    paint(fill, stroke, 0.03);
  }

  /**
   * @param {number} x @param {number} y @param {number} x2 @param {number} y2 @param {number} width
   * @param {string} stroke
   */
  function line(x, y, x2, y2, width, stroke) {
    g.strokeStyle = stroke;
    g.lineWidth = width;
    g.beginPath();
    g.moveTo(x, y);
    g.lineTo(x2, y2);
    g.stroke();
  }

  /**
   * An arrow head at the distance `far` from the middle.
   * @param {[number, number]} step @param {number} far @param {number} size @param {string} fill
   * @param {string} [stroke]
   */
  function arrow([dx, dy], far, size, fill, stroke) {
    const [x, y] = [dx * far, dy * far];
    const [bx, by] = [x - dx * size * 0.5, y - dy * size * 0.5];
    polygon(
      [
        [x + dx * size, y + dy * size],
        [bx - dy * size, by + dx * size],
        [bx + dy * size, by - dx * size],
      ],
      fill,
      stroke,
    );
  }

  /** @param {string} word @param {number} x @param {number} y @param {number} size @param {string} fill */
  function text(word, x, y, size, fill) {
    g.font = `700 ${size}px Georgia, serif`;
    g.textAlign = "center";
    g.textBaseline = "middle";
    g.fillStyle = fill;
    g.fillText(word, x, y);
  }

  /**
   * A text in the font of the pages, for panels.
   * @param {string} word @param {number} x @param {number} y @param {number} size @param {string} fill
   * @param {{align?: CanvasTextAlign, weight?: number, room?: number}} [how] `room`: the most it can be wide
   */
  function caption(word, x, y, size, fill, { align = "center", weight = 700, room } = {}) {
    g.font = `${weight} ${size}px system-ui, sans-serif`;
    g.textAlign = align;
    g.textBaseline = "middle";
    g.fillStyle = fill;
    g.fillText(word, x, y, room);
  }

  /** A number in a small disc. @param {number} x @param {number} y @param {string} word @param {string} fill */
  function badge(x, y, word, fill) {
    dot(x, y, 0.15, fill);
    ring(0.15, "rgba(255,255,255,.8)", x, y, 0.02);
    text(word, x, y + 0.012, word.length > 1 ? 0.17 : 0.22, "#ffffff");
  }

  /** A bar for the health of a thing; nothing at full health. @param {number} part 0 to 1 @param {number} y */
  function bar(part, y) {
    if (!(part < 1)) return;
    rounded(-0.36, y, 0.72, 0.09, 0.03, "rgba(0,0,0,.65)");
    const fill = part > 0.5 ? "#62c370" : part > 0.25 ? "#f0b429" : "#ef4e3c";
    rounded(-0.345, y + 0.015, 0.69 * Math.max(0, part), 0.06, 0.02, fill);
  }

  /** @param {number} size @param {string} fill @param {string} stroke */
  function star(size, fill, stroke) {
    const far = (/** @type {number} */ at) => size * (at % 2 ? 0.5 : 1);
    polygon(
      Array.from({ length: 16 }, (_, at) => [far(at) * Math.cos(at * 0.3927), far(at) * Math.sin(at * 0.3927)]),
      fill,
      stroke,
    );
  }

  /**
   * Particles that fly apart and fall.
   * @param {number} part 0 to 1 @param {number} count @param {string} fill @param {number} far
   */
  function spray(part, count, fill, far) {
    for (let at = 0; at < count; at++) {
      const reach = far * (1 - (1 - part) ** 2) * (0.5 + 0.5 * (((at * 37) % 11) / 11));
      dot(reach * Math.cos(at * 2.4), reach * Math.sin(at * 2.4) + 0.25 * part * part, 0.07 * (1 - 0.6 * part), fill);
    }
  }

  /**
   * An eye that watches.
   * @param {number} x @param {number} y @param {number} size @param {string} fill @param {string} [pupil]
   */
  function eye(x, y, size, fill, pupil = "#101820") {
    g.beginPath();
    g.moveTo(x - size, y);
    g.quadraticCurveTo(x, y - size * 1.25, x + size, y);
    g.quadraticCurveTo(x, y + size * 1.25, x - size, y);
    paint(fill);
    dot(x, y, size * 0.4, pupil);
  }

  /**
   * A banner across the board.
   * @param {import("arena/grid").Grid} grid @param {string} word @param {string} tone @param {number} size
   * @param {number} part 0 to 1
   */
  function banner(grid, word, tone, size, part) {
    const [x, y] = grid.place(grid.columns / 2, grid.rows / 2);
    g.globalAlpha = Math.max(0, Math.min(1, 4 * part, 4 * (1 - part)));
    g.fillStyle = "rgba(10,11,20,.8)";
    g.fillRect(grid.left, y - size, grid.tile * grid.columns, size * 2);
    text(word, x, y, size, tone);
    g.globalAlpha = 1;
  }

  /** A note of music. @param {number} x @param {number} y @param {number} size @param {string} fill */
  function note(x, y, size, fill) {
    dot(x, y, 0.07 * size, fill);
    line(x + 0.06 * size, y, x + 0.06 * size, y - 0.24 * size, 0.03 * size, fill);
    line(x + 0.05 * size, y - 0.23 * size, x + 0.16 * size, y - 0.16 * size, 0.045 * size, fill);
  }

  return {
    ...{ polygon, dot, arc, oval, ring, rounded, line, arrow, star, spray, eye, note },
    ...{ text, caption, badge, bar, banner },
  };
}
