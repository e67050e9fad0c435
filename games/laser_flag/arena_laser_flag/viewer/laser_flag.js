/**
 * Draws Laser Flag: the hall from above, units as tokens, and beams with their dice. Around the selected unit it shows
 * where the unit can go, what it sees, and which number it needs for a hit.
 * @module
 */

import { effects, pulse, shudder } from "arena/effects";
import { backdrop, between, ease, Grid, isNumber, placed, SMALL } from "arena/grid";
import { dice, inTurn, ROLL, room } from "arena/rolls";
import { brush } from "arena/shapes";

/** @typedef {Map<string, any>} State */
/**
 * @typedef {{width: number, height: number, dark: boolean, still: boolean, selected: string | null, player?: number |
 * null}} Look
 */
/** @typedef {{kind: string, [name: string]: any}} GameEvent */

const SIDES = { North: [0, -1], East: [1, 0], South: [0, 1], West: [-1, 0] };
const CHANCES = [36, 35, 33, 30, 26, 21, 15, 10, 6, 3, 1];
const REASONS = {
  score: "on points",
  elimination: "by elimination",
  checkmate: "by checkmate",
  turn_limit: "at the turn limit",
};
const ENDS = {
  score: "The score decides.",
  elimination: "One team is eliminated.",
  checkmate: "All lasers of one team are off, and its bases are blocked.",
  turn_limit: "The turns are over.",
};
const RANGE = ["#9aa5b8", "#ff9d4d", "#ffd84d", "#57e0a5"];
const DANGER = "#ff4d6a";
const HALL = {
  dark: {
    floor: ["#1b2231", "#1f2738"],
    seam: "#2b3549",
    cover: "#44536f",
    top: "#5b6d8e",
    edge: "#0c1018",
    wall: "#8491aa",
    side: "#39435a",
    face: "#6f7d98",
    ink: "#e8edf6",
    dim: "#97a3b8",
    plate: "#0d121c",
    base: "#3fe0d2",
    fog: "#05070cb0",
  },
  light: {
    floor: ["#f3f5f9", "#e9edf3"],
    seam: "#d6dce6",
    cover: "#aab6cb",
    top: "#c8d1e0",
    edge: "#7c899f",
    wall: "#5a667d",
    side: "#364055",
    face: "#6c7991",
    ink: "#1d2534",
    dim: "#5f6b80",
    plate: "#ffffff",
    base: "#0d857b",
    fog: "#3c465ba0",
  },
};

/** What is heard and felt of events. @type {Record<string, {sound: string, pitch?: number, shake?: number}>} */
const CUES = {
  deactivated: { sound: "thud", shake: 2 },
  eliminated: { sound: "crash", shake: 4 },
  charged: { sound: "chime" },
  bump: { sound: "thud" },
  checkmate: { sound: "gong" },
};

/** @param {HTMLCanvasElement} canvas @param {{players: {name: string, color: string}[], header: any}} context */
export function createRenderer(canvas, { players, header }) {
  const g = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const rules = header?.options?.rules ?? {};
  const { polygon, dot, arc, ring, rounded, line, text, star, eye, banner } = brush(g);
  const { beam: light, fall, glow, hit, shards, smoke, sparks, wave } = effects(g);
  const { card, word, die } = dice(g);
  const grid = new Grid();
  const halls = new Map();
  const ground = backdrop(canvas);
  let shown = /** @type {any[]} */ ([]);
  let pads = /** @type {any[]} */ ([]);
  let button = { x: 0, y: 0, width: 0, height: 0, on: false };
  const color = (player) => players[player]?.color ?? "#999999";
  const hallOf = (game) => {
    const key = (game.terrain ?? []).join("\n");
    if (!halls.has(key)) halls.set(key, new Hall(game.terrain ?? []));
    return halls.get(key);
  };

  /**
   * @param {State} before @param {State} after @param {number} fraction @param {GameEvent[]} events @param {Look} look
   */
  function draw(before, after, fraction, events, look) {
    const game = after.get("game");
    if (!game) return;
    const paint = HALL[look.dark ? "dark" : "light"];
    const small = look.width < SMALL;
    const strip = small ? 0 : Math.max(34, Math.min(58, look.height * 0.12), look.height * 0.08);
    grid.fit(look.width, look.height - strip, game.width, game.height, 0.25);
    grid.top += strip;
    const hall = hallOf(game);
    ground(look, hall.key, (to) => paintGround(to, hall, after, paint));
    shown = unitsOf(after);
    pads = [...after.values()].filter((thing) => thing.class === "Base");
    const chosen = look.selected === null ? null : shown.find(({ id }) => id === look.selected);
    const viewer = viewerOf(after, look);
    if (viewer !== null)
      fog(
        hall,
        shown.filter((unit) => unit.player === viewer),
        paint.fog,
      );
    if (look.selected === "game")
      watched(
        hall,
        shown.filter((unit) => unit.player !== game.active_player),
        null,
      );
    if (chosen) around(chosen, hall, paint);
    const plan = schedule(events, before, after);
    const at = look.still ? 1 : fraction;
    for (const one of placed(before, after, at < 1 ? Math.min(0.9999, at / plan.arrives) : 1)) {
      if (one.thing.class !== "Unit") continue;
      const due = plan.due.get(one.thing.id) ?? 0;
      if (one.gone) {
        const there = plan.places.get(one.thing.id) ?? one.thing;
        const way = { ...one, thing: { ...one.thing, x: there.x, y: there.y } };
        walk(way, before, hall, ease(Math.min(1, at / plan.arrives)));
        [one.x, one.y, one.gone] = [way.x, way.y, Math.max(0.001, (at - due) / (1.001 - due))];
      }
      if (one.moved) walk(one, before, hall, ease(Math.min(1, at / plan.arrives)));
      if (due && at > due) one.x += shudder((at - due) / (1 - due), 0.07);
      token(at < due && one.before ? one.before : one.thing, one, look, paint);
    }
    const taken = [[0, 0, look.width, strip]]; // cards do not cover the scores
    const keepClear = ({ x, y }) => taken.push([...grid.place(x + 0.1, y + 0.1), grid.tile * 0.8, grid.tile * 0.8]);
    for (const unit of shown) if (unit === chosen || plan.slots.length) keepClear(unit);
    if (chosen) aims(chosen, hall, taken, paint, look);
    for (const { event, from, to } of plan.slots) beam(event, (at - from) / (to - from), plan, look, before, after);
    if (at < 1) for (const event of events) effect(event, plan, at, before, after);
    plates(plan, at, before, after, taken, paint, look);
    if (!small) score(game, before, after, at, look, paint, strip);
  }

  // -- the hall ------------------------------------------------------------------------------------------------------

  function paintGround(to, hall, state, paint) {
    const { tile } = grid;
    const box = (x, y, inset, fill, radius = 0, dy = 0) => {
      const [px, py] = grid.place(x + inset, y + inset + dy);
      brush(to).rounded(
        px,
        py,
        tile * (1 - 2 * inset) + (inset ? 0 : 0.5),
        tile * (1 - 2 * inset) + (inset ? 0 : 0.5),
        tile * radius,
        fill,
      );
    };
    hall.each((x, y, kind) => {
      if (kind === "_") return;
      box(x, y, 0, paint.seam);
      box(x, y, 0.02, paint.floor[(x + y) % 2]);
      if (kind === "o") {
        box(x, y, 0.05, paint.edge, 0.12, 0.035);
        box(x, y, 0.07, paint.cover, 0.11);
        box(x, y, 0.14, paint.top, 0.08);
      }
    });
    hall.each((x, y, kind) => kind === "#" && box(x, y, 0, "rgba(0,0,0,.28)", 0, 0.14));
    hall.each((x, y, kind) => kind === "#" && box(x, y, 0, paint.side));
    hall.each((x, y, kind) => {
      if (kind !== "#") return;
      const [px, py] = grid.place(x, y);
      const low = hall.kind(x, y + 1) === "#" ? 1 : 0.8;
      to.fillStyle = paint.wall;
      to.fillRect(px, py, tile + 0.5, tile * low + 0.5);
      to.fillStyle = paint.face;
      const [left, up] = [hall.kind(x - 1, y) === "#" ? 0 : 0.1, hall.kind(x, y - 1) === "#" ? 0 : 0.1];
      const [right, down] = [hall.kind(x + 1, y) === "#" ? 1 : 0.9, low === 1 ? 1 : 0.7];
      to.fillRect(px + left * tile, py + up * tile, (right - left) * tile + 0.5, (down - up) * tile + 0.5);
    });
    for (const base of state.values()) if (base.class === "Base") pad(to, base, paint);
  }

  /** Draws a base as a frame with a bolt in its owner's colour. A shared base has another colour. */
  function pad(to, { x, y, owner }, paint) {
    const tone = isNumber(owner) ? color(owner) : paint.base;
    const { polygon: area, ring: circle, rounded: block } = brush(to);
    to.save();
    to.translate(...grid.place(x + 0.5, y + 0.5));
    to.scale(grid.tile, grid.tile);
    block(-0.47, -0.47, 0.94, 0.94, 0.16, `${tone}44`);
    to.strokeStyle = tone;
    to.lineWidth = 0.075;
    for (const [sx, sy] of [
      [-1, -1],
      [1, -1],
      [1, 1],
      [-1, 1],
    ]) {
      to.beginPath();
      for (const [px, py] of [
        [0.46, 0.2],
        [0.46, 0.46],
        [0.2, 0.46],
      ])
        to.lineTo(sx * px, sy * py);
      to.stroke();
    }
    circle(0.31, tone, 0, 0, 0.035);
    area(
      [
        [0.06, -0.26],
        [-0.15, 0.05],
        [-0.02, 0.05],
        [-0.06, 0.26],
        [0.15, -0.06],
        [0.02, -0.06],
      ],
      tone,
    );
    to.restore();
  }

  function cells(mask, hall, fill, only = (/** @type {number} */ value) => value > 0) {
    const path = new Path2D();
    hall.each((x, y, kind, at) => {
      if (kind === "_" || !only(mask[at])) return;
      const [px, py] = grid.place(x, y);
      path.rect(px, py, grid.tile + 0.4, grid.tile + 0.4);
    });
    g.fillStyle = fill;
    g.fill(path);
  }

  function fog(hall, units, fill) {
    const seen = hall.seenBy(units);
    cells(seen, hall, fill, (value) => !value);
  }

  /**
   * Colours the tiles that reaction shots can hit: more shots give more red. If a set of tiles `inside` is given, marks
   * only these tiles, each at one corner.
   */
  function watched(hall, units, inside) {
    const shots = hall.shots(units);
    g.globalAlpha = 0.13;
    for (const least of inside ? [] : [1, 3, 7, 13]) cells(shots, hall, DANGER, (value) => value >= least);
    g.globalAlpha = 1;
    hall.each((x, y, _kind, at) => {
      if (!shots[at] || (inside && !inside[at])) return;
      const size = grid.tile * (inside ? 0.36 : 0);
      const [px, py] = grid.place(x + 1, y);
      polygon(
        [
          [px, py],
          [px - size, py],
          [px, py + size],
        ],
        DANGER,
      );
      if (grid.tile > 24)
        text(
          String(shots[at]),
          px - grid.tile * 0.12,
          py + grid.tile * 0.14,
          grid.tile * 0.2,
          inside ? "#ffffff" : DANGER,
        );
    });
  }

  // -- what is looked at ----------------------------------------------------------------------------------------------

  /** Returns the player whose view is shown. Returns null without fog, and for a view of everything. */
  function viewerOf(state, look) {
    if (!rules.fog_of_war) return null;
    if (isNumber(look.player)) return look.player;
    const listed = header.options.map?.units ?? [];
    const gone = new Set(state.get("game").eliminated ?? []);
    const missing = listed.findIndex((_, at) => !gone.has(`u${at}`) && !state.has(`u${at}`));
    return missing < 0 ? null : 1 - listed[missing].player;
  }

  function around(unit, hall, paint) {
    cells(hall.seen(unit.x, unit.y), hall, `${paint.fog.slice(0, 7)}66`, (value) => !value);
    if (unit.overwatch > 0) {
      g.globalAlpha = 0.2;
      cells(hall.seen(unit.x, unit.y), hall, color(unit.player));
      g.globalAlpha = 1;
    }
    if (!numbersOf(unit)) return;
    const range = reach(unit, hall, shown, rules);
    const mask = new Uint8Array(hall.width * hall.height);
    for (const at of range.keys()) mask[at] = 1;
    const tint = RANGE[Math.min(3, unit.ap ?? 0)] ?? RANGE[0];
    g.globalAlpha = unit.ap > 0 && canMove(unit) ? 0.34 : 0.13;
    cells(mask, hall, tint);
    g.globalAlpha = 1;
    outline(mask, hall, tint);
    const enemies = shown.filter((other) => other.player !== unit.player);
    if (unit.ap > 0) watched(hall, enemies, mask);
  }

  function outline(mask, hall, stroke) {
    g.beginPath();
    hall.each((x, y, _kind, at) => {
      if (!mask[at]) return;
      for (const [dx, dy] of Object.values(SIDES)) {
        const there = hall.at(x + dx, y + dy);
        if (there >= 0 && mask[there]) continue;
        const [mx, my] = [x + 0.5 + dx * 0.5, y + 0.5 + dy * 0.5];
        g.moveTo(...grid.place(mx - dy * 0.5, my - dx * 0.5));
        g.lineTo(...grid.place(mx + dy * 0.5, my + dx * 0.5));
      }
    });
    g.strokeStyle = stroke;
    g.lineWidth = Math.max(1.2, grid.tile * 0.05);
    g.stroke();
  }

  /** Draws rings around the enemies in sight, with the number needed for a hit, its parts, and the chance. */
  function aims(unit, hall, taken, paint, look) {
    const seen = hall.seen(unit.x, unit.y);
    for (const other of shown) {
      if (other.player === unit.player || !seen[hall.at(other.x, other.y)]) continue;
      const [x, y] = grid.place(other.x + 0.5, other.y + 0.5);
      g.setLineDash([grid.tile * 0.1, grid.tile * 0.1]);
      line(...grid.place(unit.x + 0.5, unit.y + 0.5), x, y, Math.max(1, grid.tile * 0.04), `${color(unit.player)}aa`);
      g.setLineDash([]);
      ring(grid.tile * 0.48, "#ffffff", x, y, Math.max(2, grid.tile * 0.1));
      ring(grid.tile * 0.48, DANGER, x, y, Math.max(1.2, grid.tile * 0.06));
      const parts = partsOf(unit, other, rules);
      if (!parts) continue;
      const needed = parts.reduce((sum, [value]) => sum + value, 0);
      const words = [`${needed}+  ${chance(needed)} %`];
      if (grid.tile > 26 && parts.length > 1)
        words.push(
          parts
            .map(([value, name], at) => (at ? `${value < 0 ? "−" : "+"}${Math.abs(value)} ${name}` : value))
            .join(" "),
        );
      label(words, x, y, taken, paint, look);
    }
  }

  function label(words, x, y, taken, paint, look) {
    const size = Math.max(9, Math.min(15, grid.tile * 0.28));
    g.font = `700 ${size}px system-ui, sans-serif`;
    const width = Math.max(...words.map((word) => g.measureText(word).width)) + size;
    const height = size * 1.25 * words.length + size * 0.3;
    const left = Math.max(2, Math.min(look.width - width - 2, x - width / 2));
    const top = room(taken, left, y - grid.tile * 0.55 - height, width, height + 3, y + grid.tile * 0.6);
    card(left, top, width, height, size * 0.4, paint.plate, DANGER);
    words.forEach((one, at) =>
      word(
        one,
        left + width / 2,
        top + size * (0.8 + 1.25 * at),
        at ? size * 0.8 : size,
        at ? paint.dim : paint.ink,
        at ? 500 : 700,
      ),
    );
  }

  // -- units ----------------------------------------------------------------------------------------------------------

  const numbersOf = (unit) => rules.classes?.[unit.unit_class];
  const canMove = (unit) => !unit.shots_fired || numbersOf(unit)?.move_after_fire === true;

  /** Moves a token along the path of its unit, not through walls. */
  function walk(one, before, hall, part) {
    if (!numbersOf(one.thing) || !one.before) return;
    const range = reach(one.before, hall, unitsOf(before), rules);
    const start = hall.at(one.before.x, one.before.y);
    const way = [];
    for (let at = hall.at(one.thing.x, one.thing.y); at !== start; at = range.get(at)) {
      if (at === undefined || way.length > 60) return;
      way.unshift(at);
    }
    way.unshift(start);
    const far = part * (way.length - 1);
    const step = Math.min(way.length - 2, Math.floor(far));
    if (step < 0) return;
    const [from, to] = [way[step], way[step + 1]];
    one.x = between(from % hall.width, to % hall.width, far - step);
    one.y = between(Math.floor(from / hall.width), Math.floor(to / hall.width), far - step);
  }

  function token(unit, one, look, paint) {
    g.save();
    g.translate(...grid.place(one.x + 0.5, one.y + 0.5));
    g.scale(grid.tile, grid.tile);
    g.globalAlpha = one.gone ? 1 : Math.min(1, one.born);
    if (one.gone) fall(one.gone, unit.player ? 1 : -1);
    if (look.selected === unit.id) ring(0.5, look.dark ? "#ffffff" : "#10151f", 0, 0, 0.07);
    const off = unit.laser !== "charged";
    const team = color(unit.player);
    if (unit.elevated) plate(unit.player, 0.43, 0.1, "rgba(0,0,0,.5)", "transparent");
    plate(unit.player, unit.elevated ? 0.41 : 0.37, unit.elevated ? 0.03 : 0.05, "rgba(0,0,0,.45)", "transparent");
    const lift = unit.elevated ? -0.06 : 0;
    plate(
      unit.player,
      unit.elevated ? 0.385 : 0.36,
      lift,
      off ? (look.dark ? "#2c3240" : "#c9cfda") : team,
      off ? team : "#ffffff",
    );
    g.save();
    g.translate(0, lift);
    icon(unit.unit_class, off ? (look.dark ? "#7d879a" : "#8791a3") : "#ffffff", off ? "#2c3240" : team);
    if (unit.laser === "deactivated") {
      for (const [width, stroke] of [
        [0.13, "rgba(0,0,0,.6)"],
        [0.075, "#ff5c5c"],
      ]) {
        line(-0.2, -0.2, 0.2, 0.2, /** @type {number} */ (width), /** @type {string} */ (stroke));
        line(0.2, -0.2, -0.2, 0.2, /** @type {number} */ (width), /** @type {string} */ (stroke));
      }
    } else if (unit.laser === "charging") {
      glow(0.45, "255, 216, 77", 0.7 * pulse(look.beat, 8));
      polygon(
        [
          [0.08, -0.3],
          [-0.17, 0.05],
          [-0.02, 0.05],
          [-0.08, 0.3],
          [0.17, -0.07],
          [0.02, -0.07],
        ],
        "#ffd84d",
        "#3a2c00",
        0.035,
      );
    }
    g.restore();
    for (const side of unit.cover ?? []) shelter(SIDES[side], paint);
    if (unit.elevated)
      polygon(
        [
          [-0.47, 0.47],
          [-0.33, 0.22],
          [-0.19, 0.47],
        ],
        "#ffe08a",
        "#3a2c00",
        0.03,
      );
    if (unit.ap > 0) points(unit);
    if (unit.overwatch > 0) eyes(unit.overwatch, unit.overwatch_mode === "regular");
    // A laser that is off smokes; the time of the smoke differs from unit to unit.
    if (unit.laser === "deactivated" && look.beat) smoke(((look.beat + unit.x * 3 + unit.y * 5) / 12) % 1, 3);
    g.restore();
  }

  /** Draws a disc for a unit of player 0, a diamond for a unit of player 1. So the teams differ without colour too. */
  function plate(player, size, y, fill, stroke) {
    g.beginPath();
    if (player === 0) g.arc(0, y, size, 0, 7);
    else
      for (const [x, down] of [
        [0, -1.2],
        [1.2, 0],
        [0, 1.2],
        [-1.2, 0],
      ])
        g.lineTo(x * size, y + down * size);
    g.closePath();
    g.fillStyle = fill;
    g.fill();
    g.lineJoin = "round";
    g.lineWidth = 0.045;
    g.strokeStyle = stroke;
    if (stroke !== "transparent") g.stroke();
  }

  function icon(name, ink, team) {
    if (name === "grunt") {
      polygon(
        [
          [0, -0.22],
          [0.18, -0.15],
          [0.16, 0.06],
          [0, 0.22],
          [-0.16, 0.06],
          [-0.18, -0.15],
        ],
        ink,
      );
      polygon(
        [
          [0, -0.12],
          [0.09, -0.08],
          [0.08, 0.03],
          [0, 0.11],
          [-0.08, 0.03],
          [-0.09, -0.08],
        ],
        team,
      );
    } else if (name === "sniper") {
      ring(0.135, ink, 0, 0, 0.05);
      for (const [dx, dy] of Object.values(SIDES)) line(dx * 0.08, dy * 0.08, dx * 0.235, dy * 0.235, 0.05, ink);
    } else if (name === "scout") {
      for (const x of [-0.17, 0.02])
        polygon(
          [
            [x, -0.18],
            [x + 0.16, 0],
            [x, 0.18],
            [x - 0.03, 0.18],
            [x + 0.05, 0],
            [x - 0.03, -0.18],
          ],
          ink,
          ink,
          0.04,
        );
    } else {
      dot(0, -0.1, 0.09, ink);
      arc(0, 0.19, 0.175, Math.PI, 0, ink);
    }
  }

  function shelter([dx, dy], paint) {
    const [x, y, ax, ay] = [dx * 0.455, dy * 0.455, Math.abs(dy) * 0.27, Math.abs(dx) * 0.27];
    g.lineCap = "round";
    line(x - ax, y - ay, x + ax, y + ay, 0.11, paint.edge);
    line(x - ax, y - ay, x + ax, y + ay, 0.06, "#6fe3ff");
    g.lineCap = "butt";
  }

  /** Draws action points. They are crossed out if the unit cannot move any more. */
  function points(unit) {
    const most = Math.min(9, unit.ap);
    const width = most * 0.15 + 0.08;
    rounded(-width / 2, 0.29, width, 0.19, 0.09, "#0b0f18");
    for (let at = 0; at < most; at++) dot((at - (most - 1) / 2) * 0.15, 0.385, 0.058, "#ffe14d");
    if (!canMove(unit)) line(-width / 2, 0.47, width / 2, 0.3, 0.045, "#ff5c5c");
  }

  function eyes(shots, steady) {
    const most = Math.min(3, shots);
    const width = most * 0.24 + 0.06;
    rounded(-width / 2, -0.5, width, 0.2, 0.1, "#0b0f18");
    for (let at = 0; at < most; at++)
      eye((at - (most - 1) / 2) * 0.24, -0.4, 0.1, steady ? "#8cf5b0" : "#ffffff", "#c81e4a");
    if (shots > 3) text(String(shots), 0.3, -0.4, 0.2, "#ffffff");
  }

  // -- what happens ---------------------------------------------------------------------------------------------------

  /** Returns the part of a frame in which each event is shown: the path first, then one shot after the other. */
  function schedule(events, before, after) {
    const list = events.filter((event) => event.kind === "shot");
    const places = new Map(events.filter(({ kind }) => kind === "eliminated").map((event) => [event.unit, event]));
    const moved = unitsOf(before).some(({ id, x, y }) => {
      const now = after.get(id) ?? places.get(id);
      return now && (now.x !== x || now.y !== y);
    });
    const { arrives, slots } = inTurn(list, moved);
    const due = new Map();
    for (const { event, from, to } of slots)
      if (event.hit && event.target) due.set(event.target, between(from, to, 0.5));
    return { arrives, slots, due, places };
  }

  /** Returns the middle of a thing if the point (x, y) is on its tile, else the point itself; in pixels. */
  function middleOf(thing, x, y) {
    const [cx, cy] = [thing?.x + 0.5, thing?.y + 0.5];
    return Math.abs(cx - x) <= 0.5 && Math.abs(cy - y) <= 0.5 ? grid.place(cx, cy) : grid.place(x, y);
  }

  function whereIs(shot, plan, before, after) {
    if (shot.base) return { x: shot.base[0], y: shot.base[1] };
    return after.get(shot.target) ?? plan.places.get(shot.target) ?? before.get(shot.target);
  }

  /**
   * Draws a beam as three lines, one on the other. A faint beam remains. The beam starts in the middle of the shooter
   * and follows the line of sight. If it hits, it ends in the middle of the target.
   */
  function beam(shot, part, plan, look, before, after) {
    const path = shot.line;
    if (!Array.isArray(path) || !path.every(isNumber) || part <= 0) return;
    const shooter = before.get(shot.shooter) ?? after.get(shot.shooter);
    const team = color(shooter?.player);
    const [x, y] = grid.place(path[0], path[1]);
    const [cx, cy] = grid.place(path[2], path[3]);
    const [ex, ey] = shot.hit ? middleOf(whereIs(shot, plan, before, after), path[2], path[3]) : [cx, cy];
    const head = Math.min(1, part * 3.5);
    const points = [middleOf(shooter, path[0], path[1]), [x, y], [between(x, cx, head), between(y, cy, head)]];
    if (head >= 1) points.push([ex, ey]);
    const strength = part >= 1 ? 0.5 : 1 - 0.5 * part;
    const wide = Math.max(2.4, grid.tile * 0.1);
    g.save();
    g.lineCap = g.lineJoin = "round";
    if (!shot.hit && part >= 1) {
      g.lineCap = "butt"; // round ends would close the gaps
      g.setLineDash([wide * 1.6, wide * 1.6]);
    }
    light(points, wide, team, look.dark ? "#ffd6f2" : team, strength);
    g.restore();
    if (head < 1 || part >= 1 || look.still) return;
    g.save();
    g.translate(ex, ey);
    g.scale(grid.tile, grid.tile);
    const flash = (part - 1 / 3.5) * 1.4; // from the moment in which the beam arrives
    g.globalAlpha = 1 - part;
    if (shot.hit) hit(flash, "#fff3c4", DANGER);
    else sparks(flash, 8, look.dark ? "#e4ecff" : "#5a667d", 0.5);
    g.globalAlpha = 1;
    smoke(flash, shot.hit ? 7 : 4);
    g.restore();
  }

  /** Draws both dice, the number needed, and hit or miss above the target. The latest roll is on top. */
  function plates(plan, fraction, before, after, taken, paint, look) {
    const size = Math.max(13, Math.min(24, grid.tile * 0.42));
    for (const { event: shot, from, to } of plan.slots) {
      const place = whereIs(shot, plan, before, after);
      const [x, y] = grid.place(place?.x + 0.5, place?.y + 0.5);
      if (fraction < between(from, to, 0.2) || !isNumber(x) || !Array.isArray(shot.dice)) continue;
      const width = size * (isNumber(shot.needed) ? 5.1 : 3.4);
      const left = Math.max(2, Math.min(look.width - width - 2, x - width / 2));
      const top = room(taken, left, y - grid.tile * 0.55 - size * 1.4, width, size * 1.4, y + grid.tile * 0.6);
      plateOf(shot, left, top, size, width, paint);
    }
  }

  function plateOf(shot, left, top, size, width, paint) {
    const tone = shot.hit ? "#1f9d63" : "#7b869b";
    card(left, top, width, size * 1.25, size * 0.3, paint.plate, tone);
    shot.dice
      .slice(0, 2)
      .forEach((value, at) => die(left + size * (0.2 + 1.05 * at), top + size * 0.16, size * 0.93, value));
    if (isNumber(shot.needed)) word(`≥${shot.needed}`, left + size * 3.05, top + size * 0.66, size * 0.72, paint.ink);
    const [x, y, r] = [left + width - size * 0.62, top + size * 0.62, size * 0.4];
    dot(x, y, r, tone);
    const tick = shot.hit
      ? [
          [-0.5, 0],
          [-0.1, 0.4],
          [0.5, -0.4],
        ]
      : null;
    if (tick) {
      line(x + tick[0][0] * r, y, x + tick[1][0] * r, y + tick[1][1] * r, r * 0.28, "#ffffff");
      line(x + tick[1][0] * r, y + tick[1][1] * r, x + tick[2][0] * r, y + tick[2][1] * r, r * 0.28, "#ffffff");
    } else
      for (const side of [-1, 1])
        line(x - r * 0.4, y - side * r * 0.4, x + r * 0.4, y + side * r * 0.4, r * 0.28, "#ffffff");
  }

  function effect(event, plan, fraction, before, after) {
    const due = plan.due.get(event.unit) ?? 0.2;
    const part = (fraction - due) / (1 - due);
    if (event.kind === "checkmate" && part > 0)
      banner(grid, "Checkmate", color(1 - event.player), Math.max(22, grid.tile), part);
    const unit = before.get(event.unit) ?? after.get(event.unit);
    if (!unit || part < 0) return;
    g.save();
    g.translate(
      ...grid.place(
        (event.x ?? after.get(event.unit)?.x ?? unit.x) + 0.5,
        (event.y ?? after.get(event.unit)?.y ?? unit.y) + 0.5,
      ),
    );
    g.scale(grid.tile, grid.tile);
    g.globalAlpha = 1 - part * part;
    if (event.kind === "deactivated") wave(part, DANGER);
    else if (event.kind === "eliminated") {
      wave(part, color(unit.player), 1.2);
      shards(part, 18, color(unit.player), 1.2);
      smoke(part, 9);
    } else if (event.kind === "charged") {
      glow(0.8, "255, 216, 77", 0.8 * (1 - part));
      ring(0.6 - 0.25 * part, "#ffd84d", 0, 0, 0.09);
      star(0.2 * (1 - part), "#fff3c4", "#e0a800");
    } else if (event.kind === "bump") star(0.2 + 0.2 * part, "#ffffff", DANGER);
    g.restore();
  }

  // -- the strip above the hall ---------------------------------------------------------------------------------------

  function score(game, before, after, fraction, look, paint, strip) {
    const size = Math.max(11, Math.min(22, strip * 0.28, look.width / 34));
    const width = Math.min(look.width - 12, Math.max(grid.tile * grid.columns, 340));
    const [left, right] = [(look.width - width) / 2, (look.width + width) / 2];
    const over = game.reason ?? null;
    for (const at of [0, 1]) sideLine(at, before, after, fraction, at ? right : left, width * 0.27, size, paint);
    g.textAlign = "center";
    g.textBaseline = "middle";
    g.fillStyle = over && isNumber(game.winner) ? color(game.winner) : paint.ink;
    g.font = `700 ${size}px system-ui, sans-serif`;
    const name = isNumber(game.winner) ? `${String(players[game.winner]?.name ?? "").slice(0, 14)} wins` : "A draw";
    const more = Math.max(0, game.last_turn - game.turn + 1);
    const text = over ? `${name} ${REASONS[over] ?? ""}` : `at most ${more} more turn${more === 1 ? "" : "s"}`;
    g.fillText(text, look.width / 2, size * 0.9, width * 0.44);
    watchButton(look, size, paint, look.selected === "game");
  }

  function watchButton(look, size, paint, on) {
    g.font = `600 ${size * 0.85}px system-ui, sans-serif`;
    const wide = g.measureText("watched tiles").width + size * 2.8;
    button = { x: look.width / 2 - wide / 2, y: size * 1.65, width: wide, height: size * 1.6, on };
    rounded(button.x, button.y, wide, button.height, size * 0.8, on ? DANGER : paint.floor[1], on ? DANGER : paint.dim);
    eye(button.x + size * 1.05, button.y + button.height / 2, size * 0.5, on ? "#ffffff" : paint.dim, "#c81e4a");
    g.textAlign = "left";
    g.textBaseline = "middle";
    g.fillStyle = on ? "#ffffff" : paint.ink;
    g.font = `600 ${size * 0.85}px system-ui, sans-serif`;
    g.fillText("watched tiles", button.x + size * 1.9, button.y + button.height / 2);
  }

  function sideLine(at, before, after, fraction, x, width, size, paint) {
    const side = after.get(`p${at}`);
    if (!side) return;
    const units = unitsOf(after).filter((unit) => unit.player === at);
    const charged = units.filter((unit) => unit.laser === "charged").length;
    const target = side.target_score;
    g.textAlign = at ? "right" : "left";
    g.textBaseline = "middle";
    g.font = `700 ${size * 1.25}px system-ui, sans-serif`;
    g.fillStyle = color(at);
    g.fillText(
      isNumber(target) ? `${side.score} / ${target}` : `${side.score} ${side.score === 1 ? "point" : "points"}`,
      x,
      size * 0.9,
    );
    const from = at ? x - width : x;
    rounded(from, size * 1.75, width, size * 0.38, size * 0.19, paint.seam);
    const now = between(before.get(`p${at}`)?.score ?? side.score, side.score, fraction);
    const most = isNumber(target) ? target : Math.max(10, side.score, after.get(`p${1 - at}`)?.score ?? 0);
    const part = Math.max(0, Math.min(1, now / Math.max(1, most))) * width;
    rounded(at ? x - part : x, size * 1.75, part, size * 0.38, size * 0.19, color(at));
    g.font = `500 ${size * 0.82}px system-ui, sans-serif`;
    g.fillStyle = paint.dim;
    g.fillText(`${charged} of ${units.length} ${units.length === 1 ? "laser" : "lasers"}`, x, size * 2.75);
  }

  // -- in words -------------------------------------------------------------------------------------------------------

  const named = (player) => String(players[player]?.name ?? "nobody").slice(0, 40);

  /** @param {string} id @param {State} state */
  function tip(id, state) {
    const thing = state.get(id);
    if (thing.class === "Base") return isNumber(thing.owner) ? `base of ${named(thing.owner)}` : "base of both teams";
    if (thing.class !== "Unit") return "all tiles that the other side watches";
    const some = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
    const parts = [
      `${thing.unit_class} ${id} of ${named(thing.player)}`,
      thing.laser === "charged" ? some(thing.ap, "action point") : `laser ${thing.laser}`,
      thing.overwatch > 0 && `${some(thing.overwatch, "reaction shot")} (${thing.overwatch_mode})`,
      thing.ap > 0 && !canMove(thing) && "cannot move any more",
      thing.cover?.length && `sheltered towards ${thing.cover.join(" and ")}`,
      thing.elevated && "on high ground",
    ];
    return parts.filter(Boolean).join(" · ");
  }

  /** Describes an event in one sentence. @param {GameEvent} event @param {() => State} before */
  function tell(event, before) {
    const unit = (id) => (before().get(id) ? `${before().get(id).unit_class} ${id}` : "a unit out of sight");
    const { kind, player } = event;
    if (kind === "shot") {
      const parts = Object.entries(event.parts ?? {}).map(([name, value]) => `${name.replaceAll("_", " ")} ${value}`);
      const need = isNumber(event.needed)
        ? `needs ${event.needed}${parts.length > 1 ? ` (${parts.join(", ")})` : ""}, `
        : "";
      const at = event.target ? unit(event.target) : "a base";
      const rolled = `${need}rolls ${event.dice.join(" + ")}: ${event.hit ? "hit" : "miss"}`;
      return `${event.reaction ? "Reaction: " : ""}${unit(event.shooter)} shoots at ${at}, ${rolled}.`;
    }
    if (kind === "reaction_round") return `${unit(event.unit)} draws fire from ${event.order.map(unit).join(", ")}.`;
    if (kind === "score") return `${named(player)} scores ${event.points}, and has ${event.score}.`;
    if (kind === "deactivated") return `The laser of ${unit(event.unit)} is switched off.`;
    if (kind === "eliminated") return `${unit(event.unit)} is eliminated.`;
    if (kind === "charged") return `The laser of ${unit(event.unit)} is charged.`;
    if (kind === "bump") return `${unit(event.unit)} bumps into a unit that it had not seen.`;
    return kind === "checkmate" ? `Checkmate: no unit of ${named(player)} can act any more.` : undefined;
  }

  return {
    draw,
    place: (x, y) => grid.place(x, y),
    pick(px, py) {
      if (px >= button.x && px <= button.x + button.width && py >= button.y && py <= button.y + button.height)
        return button.on ? null : "game";
      const [x, y] = grid.tileAt(px, py);
      return (
        shown.find((unit) => unit.x === x && unit.y === y)?.id ??
        pads.find((base) => base.x === x && base.y === y)?.id ??
        null
      );
    },
    series: () => [
      { name: "score", unit: "points", value: (state, at) => state.get(`p${at}`)?.score ?? null },
      { name: "units", value: (state, at) => unitsOf(state).filter((unit) => unit.player === at).length },
      {
        name: "lasers",
        title: "charged lasers",
        value: (state, at) => unitsOf(state).filter((unit) => unit.player === at && unit.laser === "charged").length,
      },
      {
        name: "reaction shots",
        value: (state, at) => unitsOf(state).reduce((sum, unit) => sum + (unit.player === at ? unit.overwatch : 0), 0),
      },
    ],
    mark,
    describe: (story) => describe(story, named),
    tip,
    tell,
    reason: ({ reason }) => ENDS[reason],
    roles() {
      const map = header?.options?.map ?? {};
      if (map.mode !== "assault") return [];
      return [0, 1].map((player) => (map.bases?.some((base) => base.owner === player) ? "defender" : "attacker"));
    },
    /** @param {GameEvent[]} events @param {State} before @param {State} after */
    cues(events, before, after) {
      const { slots, due } = schedule(events, before, after);
      const shots = slots.map(({ event, from }) => ({ at: from, sound: "beam", pitch: event.reaction ? 1.3 : 1 }));
      return [...shots, ...events.map(({ kind, unit }) => CUES[kind] && { at: due.get(unit) ?? 0.2, ...CUES[kind] })];
    },
    duration: (event) => (event.kind === "shot" ? ROLL : event.kind === "checkmate" ? 900 : 0),
  };
}

/** @param {State} state */
const unitsOf = (state) =>
  [...state.values()].filter((thing) => thing.class === "Unit" && isNumber(thing.x) && isNumber(thing.y));

/** @param {number} needed @returns {number} the chance of two dice, in percent */
const chance = (needed) => Math.round(((needed <= 2 ? 36 : (CHANCES[needed - 2] ?? 0)) * 100) / 36);

/** Returns the parts of the number that a unit needs to hit another unit: value and name of each part, or null. */
export function partsOf(unit, other, rules) {
  const [own, its] = [unit, other].map((one) => rules.classes?.[one.unit_class]);
  if (!own || !its) return null;
  const toward = [
    other.y > unit.y && "North",
    other.x < unit.x && "East",
    other.y < unit.y && "South",
    other.x > unit.x && "West",
  ];
  const parts = [[own.to_hit, ""]];
  if (unit.elevated) parts.push([own.elevated_attack, "high ground"]);
  if (toward.some((side) => side && other.cover?.includes(side))) parts.push([its.cover, "cover"]);
  if (other.elevated) parts.push([its.elevated_defense, "raised"]);
  if (unit.overwatch_mode === "snap") parts.push([own.overwatch_penalty + (rules.snap_penalty ?? 0), "reaction"]);
  if (unit.overwatch_mode === "regular") parts.push([rules.regular_penalty ?? 0, "reaction"]);
  return /** @type {[number, string][]} */ (parts.filter(([value], at) => !at || value));
}

/** Returns the tiles in range of one action point, each with the tile before it. @returns {Map<number, number>} */
export function reach(unit, hall, others, rules) {
  const { speed, free_climb: climbs } = rules.classes[unit.unit_class];
  const margin = rules.diagonal_margin;
  const far = isNumber(margin) ? (speed < margin ? -1 : (speed - margin) ** 2) : Infinity;
  const taken = new Set(others.filter((other) => other.id !== unit.id).map((other) => hall.at(other.x, other.y)));
  const start = hall.at(unit.x, unit.y);
  const [range, walked] = [new Map(), new Set([start])];
  let edge = [start];
  for (let step = 0; step < Math.min(40, speed); step++) {
    const next = [];
    for (const from of edge) {
      const [x, y] = [from % hall.width, Math.floor(from / hall.width)];
      for (const [dx, dy] of [
        [0, -1],
        [1, 0],
        [0, 1],
        [-1, 0],
        [1, -1],
        [1, 1],
        [-1, 1],
        [-1, -1],
      ]) {
        const to = hall.at(x + dx, y + dy);
        if (to < 0 || walked.has(to) || taken.has(to) || hall.opaque(x + dx, y + dy)) continue;
        if (
          dx &&
          dy &&
          (hall.opaque(x + dx, y) || hall.opaque(x, y + dy) || (x + dx - unit.x) ** 2 + (y + dy - unit.y) ** 2 > far)
        )
          continue;
        if (!range.has(to)) range.set(to, from);
        if (!climbs && hall.kind(x + dx, y + dy) === "o" && hall.kind(x, y) !== "o") continue;
        walked.add(to);
        range.set(to, from);
        next.push(to);
      }
    }
    edge = next;
  }
  range.delete(start);
  return range;
}

/** Walls and sight of one map. A tile sees another if one of the 25 segments between their points touches no wall. */
export class Hall {
  /** @param {string[]} rows */
  constructor(rows) {
    this.rows = rows;
    this.key = rows.join("\n");
    this.width = rows[0]?.length ?? 0;
    this.height = rows.length;
    this.fields = new Map();
    this.walls = [];
    this.each((x, y, kind) => (kind === "#" || kind === "_") && this.walls.push([2 * x, 2 * y]));
  }

  kind(x, y) {
    return this.rows[y]?.[x] ?? "_";
  }

  opaque(x, y) {
    return this.kind(x, y) === "#" || this.kind(x, y) === "_";
  }

  /** @returns {number} the number of a tile; -1 off the map */
  at(x, y) {
    return x >= 0 && y >= 0 && x < this.width && y < this.height ? y * this.width + x : -1;
  }

  each(visit) {
    for (let y = 0; y < this.height; y++)
      for (let x = 0; x < this.width; x++) visit(x, y, this.rows[y][x], y * this.width + x);
  }

  /** @returns {Uint8Array} 1 for every tile seen from a tile */
  seen(x, y) {
    const key = this.at(x, y);
    const known = this.fields.get(key);
    if (known) return known;
    const field = new Uint8Array(this.width * this.height);
    this.fields.set(key, field);
    this.each((tx, ty, _kind, at) => (field[at] = this.sees(x, y, tx, ty) ? 1 : 0));
    return field;
  }

  sees(x, y, tx, ty) {
    if (x === tx && y === ty) return true;
    const [l, r, u, d] = [2 * Math.min(x, tx), 2 * Math.max(x, tx) + 2, 2 * Math.min(y, ty), 2 * Math.max(y, ty) + 2];
    const near = this.walls.filter(
      ([wx, wy]) => wx <= r && wx + 2 >= l && wy <= d && wy + 2 >= u && (wx !== 2 * tx || wy !== 2 * ty),
    );
    if (!near.length) return true;
    const ends = pointsOf(tx, ty);
    return pointsOf(x, y).some(([ax, ay]) =>
      ends.some(([bx, by]) => !near.some((wall) => touches(ax, ay, bx, by, wall))),
    );
  }

  seenBy(units) {
    const sum = new Uint8Array(this.width * this.height);
    for (const unit of units) this.seen(unit.x, unit.y).forEach((value, at) => (sum[at] |= value));
    return sum;
  }

  /** @returns {Uint8Array} the number of reaction shots that can hit each tile */
  shots(units) {
    const sum = new Uint8Array(this.width * this.height);
    for (const unit of units) {
      if (unit.overwatch > 0)
        this.seen(unit.x, unit.y).forEach(
          (value, at) =>
            (sum[at] += this.opaque(at % this.width, Math.floor(at / this.width)) ? 0 : value * unit.overwatch),
        );
    }
    return sum;
  }
}

const pointsOf = (x, y) => [
  [2 * x + 1, 2 * y + 1],
  [2 * x, 2 * y],
  [2 * x + 2, 2 * y],
  [2 * x, 2 * y + 2],
  [2 * x + 2, 2 * y + 2],
];

/** Whether a segment has a point in common with a wall's square. */
function touches(ax, ay, bx, by, [l, u]) {
  if (Math.max(ax, bx) < l || Math.min(ax, bx) > l + 2 || Math.max(ay, by) < u || Math.min(ay, by) > u + 2)
    return false;
  const [across, down] = [2 * (by - ay), 2 * (bx - ax)];
  const turn = (bx - ax) * (u - ay) - (by - ay) * (l - ax);
  const [right, low, both] = [turn - across, turn + down, turn - across + down];
  return Math.min(turn, right, low, both) <= 0 && Math.max(turn, right, low, both) >= 0;
}

/** Returns the mark of an event on the timeline; null for none. @param {GameEvent} event @param {() => State} before */
function mark(event, before) {
  const { kind, unit, player } = event;
  if (kind === "checkmate") return { player: 1 - player, label: "checkmate" };
  if (kind === "shot" && event.base && event.hit && event.shooter)
    return { player: before().get(event.shooter)?.player ?? -1, label: "a base is hit" };
  if (kind !== "deactivated" && kind !== "eliminated") return null;
  const owner = before().get(unit)?.player;
  return {
    player: isNumber(owner) ? 1 - owner : -1,
    label: `${unit} is ${kind === "eliminated" ? "eliminated" : "switched off"}`,
  };
}

/** Describes a turn in a few sentences. @param {any} story @param {(player: number) => string} named */
function describe({ name, actions, before, after, events, player }, named) {
  const times = (number) => ["", "once", "twice"][number] ?? `${number} times`;
  const called = (id) => (before.get(id) ? `${before.get(id).unit_class} ${id}` : "a unit out of sight");
  const list = (parts, last = " and ") =>
    parts.length > 1 ? `${parts.slice(0, -1).join(", ")}${last}${parts.at(-1)}` : (parts[0] ?? "");
  const of = (kind) => events.filter((event) => event.kind === kind);
  const hits = (shots) =>
    shots.some((shot) => shot.hit) ? `hits ${times(shots.filter((shot) => shot.hit).length)}` : "misses";
  const [own, reactions] = [false, true].map((wanted) => of("shot").filter((shot) => shot.reaction === wanted));
  const moves = actions.filter((action) => action?.type === "move").length;
  const [shot] = own;
  const aimed = (shot) => {
    const needing = isNumber(shot.needed) ? `, needing ${shot.needed}` : "";
    return ` with ${called(shot.shooter)} at ${shot.target ? called(shot.target) : "a base"}${needing},`;
  };
  const against = own.length === 1 ? aimed(shot) : ` ${times(own.length)}`;
  const hurt = reactions.filter((reaction) => reaction.hit).length;
  const watching = unitsOf(after).filter((unit) => unit.player === player && unit.overwatch > 0).length;
  const parts = [
    ...(moves ? [`moves ${times(moves)}`] : []),
    ...(own.length ? [`shoots${against} and ${hits(own)}`] : []),
    ...(reactions.length
      ? [`is shot at ${times(reactions.length)} on the way and ${hurt ? `hit ${times(hurt)}` : "not hit"}`]
      : []),
    ...(of("charged").length
      ? [`charges ${of("charged").length === 1 ? "a laser" : `${of("charged").length} lasers`}`]
      : []),
    ...(watching ? [`leaves ${watching === 1 ? "one unit" : `${watching} units`} on overwatch`] : []),
  ];
  const gone = of("eliminated").map((event) => event.unit);
  const off = [...new Set(of("deactivated").map((event) => event.unit))].filter((id) => !gone.includes(id));
  const fate = (ids, word) =>
    ids.length ? [`${list(ids.map(called))} ${ids.length > 1 ? "are" : "is"} ${word}.`] : [];
  const game = after.get("game");
  const end = game?.reason
    ? [isNumber(game.winner) ? `${named(game.winner)} wins ${REASONS[game.reason] ?? ""}.` : "The game is drawn."]
    : [];
  const score = `Score ${after.get("p0")?.score ?? 0} to ${after.get("p1")?.score ?? 0}.`;
  const fates = [...fate(gone, "eliminated"), ...fate(off, "switched off")].map(
    (one) => one.charAt(0).toUpperCase() + one.slice(1),
  );
  return [...end, `${name} ${list(parts, ", and ") || "waits"}.`, ...fates, score].join(" ");
}
