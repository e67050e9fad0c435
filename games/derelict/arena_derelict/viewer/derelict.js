/**
 * Draws Derelict: the wreck from above, marines and aliens with their facings and marks, contacts as on a radar screen,
 * what the marines see, and every roll with its dice.
 * @module
 */

import { darkness, effects, pulse } from "arena/effects";
import { backdrop, between, ease, Grid, isNumber, placed, SMALL } from "arena/grid";
import { dice, inTurn, ROLL, room } from "arena/rolls";
import { brush } from "arena/shapes";

/** @typedef {Map<string, any>} State */
/**
 * @typedef {{width: number, height: number, dark: boolean, still: boolean, selected: string | null, hovered?: string |
 * null}} Look
 */
/** @typedef {{kind: string, [name: string]: any}} GameEvent */

const FACINGS = { North: [0, -1], East: [1, 0], South: [0, 1], West: [-1, 0] };
const BAD = "#e5484d";
const FIRE = ["#ff5a1f", "#ff9a2e", "#ffe08a"];
const SHIP = {
  dark: {
    hull: "#0a0d12",
    wall: "#3b4757",
    rim: "#596a80",
    floor: ["#313d4c", "#364354"],
    seam: "#455466",
    ink: "#e6edf5",
    dim: "#93a1b3",
    card: "#0d1219",
    dusk: "rgba(3,5,10,.58)",
    armour: "#d9e2ec",
  },
  light: {
    hull: "#d9dde4",
    wall: "#5d6a7d",
    rim: "#b3bcc9",
    floor: ["#f2f4f7", "#e9edf2"],
    seam: "#d3dae3",
    ink: "#1c242e",
    dim: "#5d6978",
    card: "#ffffff",
    dusk: "rgba(40,50,66,.3)",
    armour: "#ffffff",
  },
};
/** The extra time for which the board shows an event, in milliseconds. @type {Record<string, number>} */
const PAUSES = { revealed: 500, destroyed: 250, turn: 500, jam: 400, flames: 400 };
/** What is heard and felt of events. @type {Record<string, {sound: string, pitch?: number, shake?: number}>} */
const CUES = {
  destroyed: { sound: "crash", shake: 4 },
  door: { sound: "door" },
  flames: { sound: "fire", shake: 2 },
  jam: { sound: "tick", pitch: 0.5 },
  revealed: { sound: "blip", shake: 2 },
  placed: { sound: "blip", pitch: 0.7 },
  turn: { sound: "gong" },
};
/** The sounds of rolls of a weapon; other rolls sound like dice. @type {Record<string, string>} */
const NOISES = { shoot: "shot", overwatch: "shot", assault_door: "thud", flame_hit: "fire" };
const ROLLED = {
  command_points: "for command points",
  command_reroll: "again for command points",
  blip_type: "for what is behind a contact",
  flame_move: "to pass the flames",
  flame_hit: "in the flames",
  assault_door: "against a door",
  shoot: "to hit",
  overwatch: "to hit",
};
const ASKED = {
  deploy_pick: "picks a marine to deploy",
  deploy_place: "deploys a marine",
  command_reroll: "may roll command points again",
  reinforce: "places reinforcements",
  reveal: "reveals a contact",
  forced_orient: "turns a revealed alien",
  forced_place: "places the aliens of a contact",
  alien_die_reroll: "may have a die rolled again",
  guard_reroll: "may roll again, on guard",
  face_attacker: "may face the attacker",
  unjam_now: "may clear the jam",
};
const ENDS = {
  marines_eliminated: "no marine is left",
  objective_burned: "the objective burns",
  flamer_lost: "the flamer is lost",
  fuel_exhausted: "the fuel is used up",
  aliens_eliminated: "no alien is left",
  no_units: "nobody is left to move",
  turn_limit: "the turns are over",
};

/** @param {HTMLCanvasElement} canvas @param {{players: {name: string, color: string}[], header: any}} context */
export function createRenderer(canvas, { players, header }) {
  const g = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const options = header?.options ?? {};
  const { polygon, dot, oval, ring, rounded, line, arrow, text, spray, eye, banner } = brush(g);
  const { glow, hit, shards, smoke, sparks, wave } = effects(g);
  const darken = darkness(canvas);
  const { card, word, die } = dice(g);
  const grid = new Grid();
  /** The visible cells of a state, computed once: states never change. @type {WeakMap<State, Sight>} */
  const sights = new WeakMap();
  const ground = backdrop(canvas);
  let shown = /** @type {any[]} */ ([]);
  let beat = 0;
  let doors = /** @type {any[]} */ ([]);
  const color = (player) => players[player]?.color ?? "#999999";
  const sideOf = (unit) => (unit.kind === "marine" ? 0 : 1);

  /**
   * @param {State} before @param {State} after @param {number} fraction @param {GameEvent[]} events @param {Look} look
   */
  function draw(before, after, fraction, events, look) {
    const game = after.get("game");
    if (!game) return;
    const paint = SHIP[look.dark ? "dark" : "light"];
    const small = look.width < SMALL;
    const strip = small ? 0 : Math.max(32, Math.min(54, look.height * 0.11), look.height * 0.075);
    grid.fit(look.width, look.height - strip, game.width, game.height, 0.15);
    grid.top += strip;
    const at = look.still ? 1 : fraction;
    beat = look.beat;
    const plan = schedule(events, before, after);
    shown = unitsOf(after);
    ground(look, game.cells, (to) => paintGround(to, game, paint));
    const sight = sightOf(after);
    const arrived = Math.min(1, at / plan.arrives);
    const things = placed(before, after, at < 1 ? Math.min(0.9999, arrived) : 1).filter(
      ({ thing }) => thing.class === "Unit",
    );
    shade(things, before, after, arrived, paint);
    watched(sight, look);
    doors = [...after.values()].filter((thing) => thing.class === "Door");
    for (const thing of doors) door(thing, before.get(thing.id), game, arrived, look);
    for (const [x, y] of game.flames ?? []) grid.inTile(g, x, y, () => flame(at, x * 3 + y * 5));
    for (const unit of shown) if (unit.id === look.selected || unit.id === look.hovered) rays(unit, sight);
    for (const one of things) {
      const due = plan.due.get(one.thing.id) ?? 0;
      if (one.gone) {
        const there = plan.places.get(one.thing.id) ?? one;
        const way = ease(arrived);
        [one.x, one.y, one.gone] = [
          between(one.x, there.x, way),
          between(one.y, there.y, way),
          Math.max(0.001, (at - due) / (1.001 - due)),
        ];
      }
      drawUnit(one, game, at, look, paint);
    }
    for (const { event, from, to } of plan.slots)
      action(event, (at - from) / (to - from), (id) => whereIs(id, plan, before, after), look);
    if (at < 1) for (const event of events) effect(event, plan, at, after);
    cards(plan, at, before, after, paint, look);
    if (!small) head(game, after, look, paint, strip);
  }

  // -- the ship ------------------------------------------------------------------------------------------------------

  function paintGround(to, game, paint) {
    const { tile } = grid;
    const there = brush(to);
    const open = (x, y) =>
      x >= 0 && y >= 0 && x < grid.columns && y < grid.rows && game.cells[y * game.width + x] === ".";
    there.rounded(grid.left, grid.top, tile * grid.columns, tile * grid.rows, tile * 0.5, paint.hull);
    const each = (visit) => {
      for (let y = 0; y < grid.rows; y++)
        for (let x = 0; x < grid.columns; x++) if (open(x, y)) visit(x, y, ...grid.place(x, y));
    };
    const edge = tile * 0.24;
    each((_x, _y, px, py) =>
      there.rounded(px - edge, py - edge, tile + 2 * edge, tile + 2 * edge, edge * 0.7, paint.rim),
    );
    each((_x, _y, px, py) =>
      there.rounded(px - edge * 0.7, py - edge * 0.7, tile + edge * 1.4, tile + edge * 1.4, edge * 0.5, paint.wall),
    );
    each((x, y, px, py) => {
      to.fillStyle = paint.seam;
      to.fillRect(px, py, tile + 0.5, tile + 0.5);
      there.rounded(
        px + tile * 0.03,
        py + tile * 0.03,
        tile * 0.94,
        tile * 0.94,
        tile * 0.08,
        paint.floor[(x + y) % 2],
      );
      // The walls throw shadows on the floor.
      for (const far of [0.12, 0.24, 0.36]) {
        to.fillStyle = "rgba(0,0,0,.09)";
        if (!open(x, y - 1)) to.fillRect(px, py, tile, tile * far);
        if (!open(x - 1, y)) to.fillRect(px, py, tile * far * 0.7, tile);
      }
      if (tile > 18)
        for (const [dx, dy] of [
          [0.1, 0.1],
          [0.9, 0.1],
          [0.1, 0.9],
          [0.9, 0.9],
        ])
          there.dot(px + dx * tile, py + dy * tile, tile * 0.02, paint.seam);
    });
    const name = (x, y) => (open(x, y) ? game.sections?.[y * game.width + x] : null);
    to.setLineDash([tile * 0.08, tile * 0.12]);
    each((x, y, px, py) => {
      if (open(x + 1, y) && name(x + 1, y) !== name(x, y))
        there.line(px + tile, py, px + tile, py + tile, Math.max(1, tile * 0.03), paint.dim);
      if (open(x, y + 1) && name(x, y + 1) !== name(x, y))
        there.line(px, py + tile, px + tile, py + tile, Math.max(1, tile * 0.03), paint.dim);
    });
    to.setLineDash([]);
    const marks = [
      [game.lurk_cells, lurk],
      [game.entry_cells, entry],
      [game.start_cells, start],
      [game.objectives, objective],
    ];
    for (const [tiles, sign] of marks) {
      for (const [x, y] of tiles ?? []) {
        grid.inTile(to, x, y, () => sign(there, to, paint));
      }
    }
  }

  /** Draws a lurk cell, where reinforcements appear, as a grating. */
  function lurk(there) {
    there.rounded(-0.44, -0.44, 0.88, 0.88, 0.1, "#0b0710", color(1));
    for (const y of [-0.26, -0.09, 0.08, 0.25]) there.line(-0.32, y, 0.32, y, 0.06, `${color(1)}99`);
  }

  function entry(there) {
    for (const [dx, dy] of Object.values(FACINGS)) there.arrow([-dx, -dy], -0.3, 0.13, `${color(1)}cc`);
  }

  function start(there) {
    for (const [sx, sy] of [
      [-1, -1],
      [1, -1],
      [1, 1],
      [-1, 1],
    ]) {
      there.line(sx * 0.4, sy * 0.42, sx * 0.2, sy * 0.42, 0.05, `${color(0)}cc`);
      there.line(sx * 0.4, sy * 0.42, sx * 0.4, sy * 0.22, 0.05, `${color(0)}cc`);
    }
  }

  /** Draws the objective that the marines must burn, as a core inside a striped frame. */
  function objective(there, to) {
    there.rounded(-0.47, -0.47, 0.94, 0.94, 0.08, "#16130a", "#f4c430");
    to.save();
    to.beginPath();
    to.rect(-0.47, -0.47, 0.94, 0.94);
    to.clip();
    for (let at = -0.9; at < 1; at += 0.3) there.line(at - 0.5, 0.5, at + 0.5, -0.5, 0.1, "#f4c430");
    to.restore();
    there.rounded(-0.33, -0.33, 0.66, 0.66, 0.06, "#16130a");
    there.dot(0, 0, 0.24, "#c2185b");
    there.dot(0, 0, 0.15, "#ff6f9d");
    there.dot(-0.04, -0.05, 0.06, "#ffe3ec");
  }

  /** @param {State} state @returns {Sight} */
  function sightOf(state) {
    const found = sights.get(state) ?? new Sight(state.get("game") ?? {}, state);
    sights.set(state, found);
    return found;
  }

  /**
   * Darkens the ship: least what marines see ahead, in the light of their lamps, and most what no marine sees. Fire
   * gives light, too. While a unit moves, `part` goes from 0 to 1, and the light changes from one state to the other.
   */
  function shade(things, before, after, part, paint) {
    const now = sightOf(after);
    const { width, cells } = now;
    const fill = (to, cell) => to.rect(cell % width, Math.floor(cell / width), 1, 1);
    const [old, fresh] = [before, after].map((state) => sightOf(state).all(state));
    const pool = (to, x, y, radius, strength) => {
      const light = to.createRadialGradient(x, y, 0, x, y, radius);
      light.addColorStop(0, `rgba(0,0,0,${strength})`);
      light.addColorStop(1, "rgba(0,0,0,0)");
      to.fillStyle = light;
      to.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
    };
    const dark = (to) => {
      to.fillStyle = paint.dusk;
      to.beginPath();
      for (let cell = 0; cell < cells.length; cell++) if (cells[cell] === ".") fill(to, cell);
      to.fill();
    };
    darken(grid, dark, (to) => {
      for (const [seen, other, strength] of [
        [fresh, null, 1],
        [fresh, old, part],
        [old, fresh, 1 - part],
      ]) {
        to.beginPath();
        for (const cell of seen) if (other ? !other.has(cell) : old.has(cell)) fill(to, cell);
        to.fillStyle = `rgba(0,0,0,${0.6 * strength})`;
        to.fill();
      }
      for (const { thing, x, y, gone } of things) {
        if (thing.kind !== "marine" || gone) continue;
        const [dx, dy] = FACINGS[thing.facing] ?? [0, 0];
        to.save();
        to.beginPath();
        for (const cell of now.seen(thing)) fill(to, cell);
        to.clip();
        pool(to, x + 0.5 + 1.7 * dx, y + 0.5 + 1.7 * dy, 5, thing.deactivated ? 0.7 : 1);
        to.restore();
      }
      for (const [x, y] of after.get("game")?.flames ?? [])
        pool(to, x + 0.5, y + 0.5, 2.4 + 0.5 * pulse(beat, 3, (x * 3 + y) / 7), 0.9);
    });
  }

  /** Tints the cells that marines on overwatch watch, and those that the chosen marine sees. */
  function watched(sight, look) {
    const path = { watch: new Path2D(), chosen: new Path2D() };
    const add = (to, cell) =>
      to.rect(...grid.place(cell % sight.width, Math.floor(cell / sight.width)), grid.tile + 0.4, grid.tile + 0.4);
    const reach = isNumber(options.overwatch_range) ? options.overwatch_range : 12;
    const watch = new Set();
    for (const unit of shown) {
      if (unit.kind !== "marine") continue;
      for (const cell of sight.seen(unit)) {
        if (unit.overwatch && sight.far(unit, cell) <= reach) watch.add(cell);
        if (unit.id === look.selected || unit.id === look.hovered) add(path.chosen, cell);
      }
    }
    for (const cell of watch) add(path.watch, cell);
    g.fillStyle = `${color(0)}38`;
    g.fill(path.watch);
    g.fillStyle = "rgba(255,214,64,.3)";
    g.fill(path.chosen);
  }

  /** Draws the lines of sight between a unit and the units of the other side. Only the sight of marines counts. */
  function rays(unit, sight) {
    for (const other of shown) {
      if (sideOf(other) === sideOf(unit)) continue;
      const [marine, target] = unit.kind === "marine" ? [unit, other] : [other, unit];
      if (!sight.seen(marine).includes(sight.at(target.x, target.y))) continue;
      const ends = [...grid.place(marine.x + 0.5, marine.y + 0.5), ...grid.place(target.x + 0.5, target.y + 0.5)];
      const [x, y, tx, ty] = ends;
      line(x, y, tx, ty, Math.max(2.5, grid.tile * 0.12), "rgba(0,0,0,.45)");
      line(x, y, tx, ty, Math.max(1.2, grid.tile * 0.05), "#ffe14d");
      ring(grid.tile * 0.46, "#ffe14d", tx, ty, Math.max(1.5, grid.tile * 0.06));
    }
  }

  /** Draws a door, whose leaves slide into the walls beside it. */
  function door(thing, was, game, fraction, look) {
    const beside = [-1, 1].some((step) => game.cells[thing.y * game.width + thing.x + step] === ".");
    const open = between(was ? Number(was.open) : Number(thing.open), Number(thing.open), ease(fraction));
    grid.inTile(g, thing.x, thing.y, () => {
      if (beside) g.rotate(Math.PI / 2);
      if (look.selected === thing.id) ring(0.5, "#ffe14d", 0, 0, 0.06);
      for (const side of [-1, 1]) {
        const from = side * (0.5 - 0.5 * (1 - 0.72 * open));
        rounded(Math.min(from, side * 0.5), -0.15, Math.abs(side * 0.5 - from), 0.3, 0.04, "#8795a8", "#1b222c");
        const end = from + side * 0.05;
        line(end, -0.14, end, 0.14, 0.07, open > 0.5 ? "#54d18c" : "#f4b630");
      }
      glow(0.42, open > 0.5 ? "84, 209, 140" : "244, 182, 48", 0.25 + 0.2 * pulse(beat, 10, thing.x / 5));
      if (open < 0.5) line(0, -0.15, 0, 0.15, 0.025, "#1b222c");
    });
  }

  function flame(fraction, seed) {
    const sway = 0.06 * Math.sin(seed + fraction * 6.283);
    glow(1.3, "255, 130, 40", 0.35 + 0.25 * pulse(beat, 3, seed / 7));
    rounded(-0.48, -0.48, 0.96, 0.96, 0.1, "rgba(255,90,20,.34)");
    [0.42, 0.3, 0.17].forEach((size, at) => {
      polygon(
        [
          [-size * 0.8, 0.36],
          [-size, 0.02],
          [-size * 0.45, -size * 0.2],
          [sway - size * 0.25, -size * 1.05],
          [size * 0.35, -size * 0.35],
          [size * 0.5 + sway, -size * 0.75],
          [size, 0.05],
          [size * 0.75, 0.36],
        ],
        FIRE[at],
      );
    });
  }

  // -- units ----------------------------------------------------------------------------------------------------------

  function drawUnit(one, game, fraction, look, paint) {
    const unit = one.thing;
    const active = game.active === unit.id;
    grid.inTile(g, one.x, one.y, () => {
      g.globalAlpha = one.gone ? 1 - one.gone : Math.min(1, 0.15 + one.born);
      if (active) {
        ring(0.49, "#ffffff", 0, 0, 0.05);
        oval(0, 0, 0.47, 0.47, `${color(sideOf(unit))}55`);
      }
      if (look.selected === unit.id) ring(0.52, "#ffe14d", 0, 0, 0.07);
      g.save();
      g.scale(1.22, 1.22);
      if (unit.kind === "blip") blip(unit);
      else {
        g.rotate(angle(one.before ?? unit, unit, fraction));
        if (unit.deactivated && !one.gone) g.globalAlpha *= 0.62;
        if (unit.kind === "marine") marine(unit, paint);
        else alien();
      }
      g.restore();
      if (one.gone) return;
      if (unit.overwatch) badge(-0.36, -0.36, color(0), () => eye(0, 0, 0.12, "#ffffff"));
      if (unit.guard)
        badge(-0.36, -0.36, "#2f8f5b", () =>
          polygon(
            [
              [0, -0.11],
              [0.1, -0.07],
              [0.08, 0.04],
              [0, 0.12],
              [-0.08, 0.04],
              [-0.1, -0.07],
            ],
            "#ffffff",
          ),
        );
      if (unit.jam)
        badge(0.36, -0.36, BAD, () =>
          [-1, 1].forEach((side) => line(-0.07, -0.07 * side, 0.07, 0.07 * side, 0.05, "#ffffff")),
        );
      if (unit.deactivated)
        badge(0.36, 0.36, "#555f6e", () => [-0.045, 0.045].forEach((x) => line(x, -0.08, x, 0.08, 0.045, "#ffffff")));
      if (active) badge(0.36, 0.36, "#101820", () => text(String(game.ap), 0, 0.015, 0.24, "#ffe14d"));
    });
  }

  /** Returns a unit's facing between two states, in radians from north. The unit turns by the smaller angle. */
  function angle(before, unit, fraction) {
    const names = Object.keys(FACINGS);
    const [from, to] = [names.indexOf(before.facing), names.indexOf(unit.facing)];
    if (from < 0 || to < 0) return 0;
    const turn = ((to - from + 5) % 4) - 1;
    return ((from + turn * ease(Math.min(1, fraction * 1.5))) * Math.PI) / 2;
  }

  function badge(x, y, fill, sign) {
    g.save();
    g.translate(x, y);
    dot(0, 0, 0.19, "#ffffff");
    dot(0, 0, 0.165, fill);
    sign();
    g.restore();
  }

  /** Draws a marine from above, facing north. */
  function marine(unit, paint) {
    const team = color(0);
    const type = String(unit.marine_type ?? "").replace("marine_", "");
    oval(0.02, 0.06, 0.4, 0.3, "rgba(0,0,0,.4)");
    arms[type in arms ? type : "marine"]();
    rounded(-0.24, 0.04, 0.48, 0.24, 0.07, "#3a4350", "#10151c");
    for (const side of [-1, 1]) oval(side * 0.25, 0.02, 0.14, 0.18, team, "#ffffff", 0.035);
    rounded(-0.2, -0.13, 0.4, 0.3, 0.12, team, "#10151c");
    const leads = type === "sarge" || type === "hammer";
    dot(0, 0, 0.155, leads ? "#ffd34d" : paint.armour);
    ring(0.155, "#10151c", 0, 0, 0.03);
    g.beginPath();
    g.arc(0, 0, 0.105, -2.5, -0.64);
    g.strokeStyle = "#0f7f95";
    g.lineWidth = 0.06;
    g.stroke();
  }

  const bolter = () => {
    line(0.2, 0.1, 0.2, -0.42, 0.11, "#11161d");
    line(0.2, -0.1, 0.2, -0.4, 0.045, "#8795a8");
  };
  /** What a type of marine carries. @type {Record<string, () => void>} */
  const arms = {
    marine: bolter,
    sarge: bolter,
    axe: () => {
      bolter();
      line(-0.26, 0.2, -0.26, -0.36, 0.05, "#8a5a2b");
      polygon(
        [
          [-0.26, -0.42],
          [-0.42, -0.38],
          [-0.4, -0.2],
          [-0.26, -0.24],
        ],
        "#d5dde7",
        "#10151c",
      );
    },
    chain: () => {
      bolter();
      for (let y = -0.42; y < 0; y += 0.1) line(-0.36, y, -0.16, y + 0.03, 0.05, "#f4b630");
      rounded(-0.32, -0.45, 0.12, 0.5, 0.05, "#c3ccd8", "#10151c");
    },
    hammer: () => {
      line(0.22, 0.25, 0.22, -0.3, 0.06, "#8a5a2b");
      rounded(0.06, -0.46, 0.32, 0.19, 0.04, "#c3ccd8", "#10151c");
    },
    claws: () => {
      for (const x of [-0.34, -0.26, -0.18, 0.18, 0.26, 0.34]) line(x, 0, x * 1.08, -0.42, 0.05, "#e8eef5");
    },
    flame: () => {
      for (const x of [-0.12, 0.12]) rounded(x - 0.1, 0.14, 0.2, 0.28, 0.09, "#e2571e", "#10151c");
      line(0.2, 0.15, 0.2, -0.38, 0.13, "#11161d");
      dot(0.2, -0.4, 0.085, FIRE[1]);
      dot(0.2, -0.4, 0.045, FIRE[2]);
    },
    cannon: () => {
      rounded(0.08, -0.2, 0.26, 0.4, 0.05, "#2a323d", "#10151c");
      for (const x of [0.14, 0.21, 0.28]) line(x, -0.15, x, -0.46, 0.05, "#aab6c5");
    },
  };

  /** Draws an alien from above, facing north. */
  function alien() {
    const team = color(1);
    oval(0.02, 0.08, 0.34, 0.3, "rgba(0,0,0,.4)");
    for (const side of [-1, 1]) {
      for (const [y, far] of [
        [-0.06, 0.42],
        [0.08, 0.44],
        [0.2, 0.38],
      ]) {
        line(side * 0.12, y, side * far * 0.75, y - 0.08, 0.06, `${team}cc`);
        line(side * far * 0.75, y - 0.08, side * far, y + 0.1, 0.045, `${team}99`);
      }
      polygon(
        [
          [side * 0.12, -0.16],
          [side * 0.32, -0.2],
          [side * 0.34, -0.46],
          [side * 0.25, -0.27],
          [side * 0.1, -0.24],
        ],
        team,
        "#2a1420",
        0.03,
      );
    }
    polygon(
      [
        [-0.08, 0.2],
        [0.08, 0.2],
        [0.03, 0.46],
        [-0.03, 0.46],
      ],
      team,
      "#2a1420",
      0.03,
    );
    oval(0, 0.1, 0.19, 0.19, team, "#2a1420", 0.035);
    for (const y of [0.04, 0.14]) line(-0.12, y, 0.12, y, 0.025, "#2a1420");
    oval(0, -0.17, 0.135, 0.21, team, "#2a1420", 0.035);
    oval(0, -0.12, 0.06, 0.13, "rgba(255,255,255,.3)");
    for (const side of [-1, 1]) dot(side * 0.06, -0.29, 0.035, "#fff6a8");
  }

  /** Draws a contact on the radar, with the number of aliens behind it if that is known. */
  function blip(unit) {
    const team = color(1);
    dot(0, 0, 0.36, "#0a1710");
    ring(0.36, team, 0, 0, 0.05);
    ring(0.22, `${team}88`, 0, 0, 0.025);
    // Its echo on the radar: a ring that runs outwards, and a beam that turns.
    const turn = beat / 8 + (unit.x + unit.y) / 7;
    const echo = beat ? turn % 1 : 0;
    const faint = Math.round(255 * (1 - echo));
    ring(0.36 + 0.2 * echo, `${team}${faint.toString(16).padStart(2, "0")}`, 0, 0, 0.04);
    line(0, 0, 0.34 * Math.cos(6.283 * turn), 0.34 * Math.sin(6.283 * turn), 0.05, `${team}aa`);
    line(-0.34, 0, 0.34, 0, 0.018, `${team}66`);
    line(0, -0.34, 0, 0.34, 0.018, `${team}66`);
    arrow(FACINGS[unit.facing] ?? [0, -1], 0.38, 0.09, team);
    text(isNumber(unit.count) ? String(unit.count) : "?", 0, 0.02, 0.44, "#ffffff");
  }

  // -- what happens ---------------------------------------------------------------------------------------------------

  /** Returns the part of a frame in which each event is shown: steps first, then one roll after the other. */
  function schedule(events, before, after) {
    const places = new Map();
    for (const { kind, unit, target, x, y } of events) {
      if (isNumber(x) && isNumber(y))
        places.set(kind === "shot" || kind === "overwatch_shot" ? target : unit, { x, y });
    }
    const list = events.filter(isRoll);
    const stirs = ({ id, x, y, facing }) => {
      const now = after.get(id) ?? { facing, ...(places.get(id) ?? { x, y }) };
      return now.x !== x || now.y !== y || now.facing !== facing;
    };
    const { arrives, slots } = inTurn(list, unitsOf(before).some(stirs));
    const due = new Map();
    for (const { event, from, to } of slots)
      for (const id of [event.target, event.attacker, event.defender]) if (id) due.set(id, between(from, to, 0.5));
    return { arrives, slots, due, places };
  }

  const whereIs = (id, plan, before, after) => after.get(id) ?? plan.places.get(id) ?? before.get(id);

  /** Draws shots as tracers and assaults as a clash. A faint line of a shot remains and shows its target. */
  function action(event, part, find, look) {
    if (part <= 0) return;
    const [unit, target] = [find(event.unit ?? event.attacker), find(event.target ?? event.defender)];
    if (!isNumber(unit?.x) || !isNumber(target?.x)) return;
    const [x, y, tx, ty] = [...grid.place(unit.x + 0.5, unit.y + 0.5), ...grid.place(target.x + 0.5, target.y + 0.5)];
    if (event.label === "shoot" || event.label === "overwatch") {
      const wide = Math.max(2, grid.tile * 0.09);
      g.save();
      g.lineCap = "round";
      g.globalAlpha = part < 1 ? 1 - 0.5 * part : 0.55;
      if (part < 1) {
        g.setLineDash([grid.tile * 0.5, grid.tile * 0.35]);
        g.lineDashOffset = -part * grid.tile * 6;
      } else if (!event.result) g.setLineDash([wide, wide * 1.6]);
      line(x, y, tx, ty, wide * 1.5, color(0));
      line(x, y, tx, ty, wide * 0.6, "#fff8d6");
      g.restore();
    }
    if (part >= 1 || look.still) return;
    if (event.label === "shoot" || event.label === "overwatch")
      grid.inTile(g, unit.x, unit.y, () => {
        if (part < 0.5) glow(0.8, "255, 220, 140", pulse(part, 0.16));
        smoke(part, 4);
      });
    const clash = event.kind === "assault" || event.label === "assault_door";
    const [mx, my] = clash ? [(x + tx) / 2, (y + ty) / 2] : [tx, ty];
    grid.inTile(g, (mx - grid.left) / grid.tile - 0.5, (my - grid.top) / grid.tile - 0.5, () => {
      g.globalAlpha = 1 - part * part;
      if (clash || event.result) hit(part, "#fff3c4", clash ? BAD : "#d8791f");
      else sparks(part, 7, "#c5cfdb", 0.45);
    });
  }

  function effect(event, plan, fraction, after) {
    const due = plan.due.get(event.unit) ?? 0;
    const part = (fraction - due) / (1 - due);
    const unit = after.get(event.unit);
    const [x, y] = isNumber(event.x) ? [event.x, event.y] : [unit?.x, unit?.y];
    if (event.kind === "turn")
      banner(
        grid,
        `Game turn ${event.turn}: ${event.side === "marine" ? "marines" : "aliens"}`,
        color(event.side === "marine" ? 0 : 1),
        Math.max(16, Math.min(34, grid.tile * grid.columns * 0.045)),
        fraction,
      );
    if (event.kind === "flames")
      for (const [fx, fy] of event.cells ?? [])
        grid.inTile(g, fx, fy, () => ring(0.6 * fraction, FIRE[1], 0, 0, 0.12 * (1 - fraction)));
    if (!isNumber(x) || part < 0) return;
    grid.inTile(g, x, y, () => {
      g.globalAlpha = 1 - part * part;
      if (event.kind === "destroyed") {
        const tone = { alien: "#a6e05a", door: "#8795a8" }[event.what] ?? color(0);
        wave(part, event.by === "flames" ? FIRE[1] : tone, 1);
        shards(part, 16, event.by === "flames" ? FIRE[0] : tone, 1.1);
        if (event.what === "alien") spray(part, 10, tone, 0.8);
        smoke(part, 7);
      } else if (event.kind === "revealed") {
        for (const late of [0, 0.3]) ring(1.1 * Math.max(0, part - late), color(1), 0, 0, 0.09);
        text("!", 0, -0.6 - 0.3 * part, 0.6, color(1));
      } else if (event.kind === "placed")
        ring(0.9 - 0.5 * part, event.what === "marine" ? color(0) : color(1), 0, 0, 0.06);
      else if (event.kind === "jam") text("jam!", 0, -0.5 - 0.4 * part, 0.5, BAD);
    });
  }

  /** Draws every roll: its dice, the value needed, and the result. */
  function cards(plan, fraction, before, after, paint, view) {
    const size = Math.max(13, Math.min(24, grid.tile * 0.5));
    const taken = [[0, 0, view.width, Math.max(0, grid.top - grid.tile * 0.15)]]; // the line above the ship
    const find = (id) => whereIs(id, plan, before, after);
    for (const { event } of plan.slots)
      for (const one of [event.unit, event.target, event.attacker, event.defender].map(find))
        if (isNumber(one?.x)) taken.push([...grid.place(one.x, one.y), grid.tile, grid.tile]);
    for (const { event, from, to } of plan.slots) {
      const place = find(event.target ?? event.defender ?? event.unit);
      if (fraction < between(from, to, 0.15)) continue;
      const parts = rollParts(event, paint);
      const width = parts.reduce((sum, { value, text }) => sum + (value ? 1.06 : 0.3 + 0.62 * text.length), 0.3) * size;
      const [x, y] = isNumber(place?.x) ? grid.place(place.x + 0.5, place.y) : [view.width / 2, grid.top + size * 2];
      const left = Math.max(3, Math.min(view.width - width - 3, x - width / 2));
      const top = room(taken, left, y - size * 1.5, width, size * 1.45, y + grid.tile * 1.1);
      card(left, top, width, size * 1.28, size * 0.3, paint.card, event.result === false ? "#7b869b" : toneOf(event));
      let far = left + size * 0.15;
      for (const { value, text: said, tone } of parts) {
        if (value) die(far + size * 0.05, top + size * 0.17, size * 0.94, value, tone);
        else word(said, far + size * (0.15 + 0.31 * said.length), top + size * 0.67, size * 0.74, tone);
        far += (value ? 1.06 : 0.3 + 0.62 * said.length) * size;
      }
    }
  }

  const toneOf = (event) =>
    event.kind === "assault"
      ? event.result === "tie"
        ? "#7b869b"
        : color(event.result === "marine" ? 0 : 1)
      : event.result === true
        ? "#1f9d63"
        : "#f4b630";

  /** @returns {{value?: number, text: string, tone: string}[]} */
  function rollParts(event, paint) {
    const rolled = (list, tone) => (list ?? []).slice(0, 6).map((value) => ({ value, text: "", tone }));
    if (event.kind === "assault")
      return [
        ...rolled(event.marine_dice, color(0)),
        { text: event.result === "tie" ? "=" : event.result === "marine" ? ">" : "<", tone: paint.ink },
        ...rolled(event.alien_dice, color(1)),
      ];
    const rest = isNumber(event.needed)
      ? [
          { text: `≥${event.needed}`, tone: paint.ink },
          { text: event.result ? "✓" : "✗", tone: event.result ? "#1f9d63" : BAD },
        ]
      : [{ text: "command", tone: paint.dim }];
    return [...rolled(event.dice, "#ffffff"), ...rest];
  }

  // -- the strip above the ship ---------------------------------------------------------------------------------------

  function head(game, after, view, paint, strip) {
    const size = Math.max(11, Math.min(22, strip * 0.29, view.width / 36));
    const width = Math.min(view.width - 12, Math.max(grid.tile * grid.columns, 330));
    const limit = options.turn_limit > 0 ? ` / ${options.turn_limit}` : "";
    const count = (kind) => shown.filter((unit) => unit.kind === kind).length;
    const some = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
    const full = game.ruleset === "full";
    const row = (word, x, y, align, fill, weight, scale = 1) => {
      g.font = `${weight} ${size * scale}px system-ui, sans-serif`;
      g.textAlign = align;
      g.textBaseline = "middle";
      g.fillStyle = fill;
      g.fillText(word, x, y, width * 0.42);
    };
    const [left, right] = [(view.width - width) / 2, (view.width + width) / 2];
    // The colours of players are too light for words on a light ground.
    const ink = (player) => (view.dark ? color(player) : `color-mix(in srgb, ${color(player)} 55%, ${paint.ink})`);
    row(some(count("marine"), "marine"), left, size, "left", ink(0), 700, 1.1);
    row(
      full ? `command ${game.command_points}   fuel ${game.flamer_fuel}` : "core rules",
      left,
      size * 2.5,
      "left",
      paint.dim,
      500,
      0.86,
    );
    row(some(count("alien"), "alien"), right, size, "right", ink(1), 700, 1.1);
    row(some(count("blip"), "contact"), right, size * 2.5, "right", paint.dim, 500, 0.86);
    const decision = after.get(game.decision);
    row(`game turn ${game.turn}${limit}`, view.width / 2, size, "center", paint.ink, 700);
    const who = (player) => (player === 0 ? "marines" : "aliens");
    const active = after.get(game.active);
    const doing = active
      ? `${active.marine_type?.replace("marine_", "") ?? active.kind} ${active.id}: ${some(game.ap, "point")}`
      : `${game.side === "marine" ? "marines" : "aliens"} to move`;
    const asked = decision && ASKED[decision.kind] ? `${who(decision.player)}: ${ASKED[decision.kind]}` : doing;
    const over = game.ended
      ? `${isNumber(game.winner) ? `${who(game.winner)} win` : "drawn"}: ${ENDS[game.ended] ?? game.ended}`
      : asked;
    row(
      over,
      view.width / 2,
      size * 2.5,
      "center",
      game.ended ? (isNumber(game.winner) ? ink(game.winner) : paint.ink) : paint.dim,
      game.ended ? 700 : 500,
      0.9,
    );
  }

  const total = (state, test) => unitsOf(state).filter(test).length;
  return {
    draw,
    place: (x, y) => grid.place(x, y),
    pick(px, py) {
      const [x, y] = grid.tileAt(px, py);
      return (
        shown.find((thing) => thing.x === x && thing.y === y)?.id ??
        doors.find((thing) => thing.x === x && thing.y === y)?.id ??
        null
      );
    },
    series: () => [
      {
        name: "units",
        title: "units on board",
        standing: false,
        value: (state, at) => total(state, (unit) => sideOf(unit) === at),
      },
      { name: "contacts", value: (state, at) => (at === 1 ? total(state, (unit) => unit.kind === "blip") : null) },
      {
        name: "overwatch",
        title: "marines on overwatch",
        value: (state, at) => (at === 0 ? total(state, (unit) => unit.overwatch === true) : null),
      },
      { name: "command points", value: (state, at) => (at === 0 ? (state.get("game")?.command_points ?? null) : null) },
      { name: "fuel", value: (state, at) => (at === 0 ? (state.get("game")?.flamer_fuel ?? null) : null) },
    ],
    roles: () => ["marines", "aliens"],
    action: ({ type, x, y }) => (type === "door" ? `Works the door at (${x}, ${y})` : undefined),
    reason: ({ reason }) => ENDS[reason] && `${ENDS[reason][0].toUpperCase()}${ENDS[reason].slice(1)}.`,
    mark,
    describe,
    tip,
    tell,
    /** @param {GameEvent[]} events @param {State} before @param {State} after */
    cues(events, before, after) {
      const { slots, due } = schedule(events, before, after);
      const rolls = slots.map(({ event, from }) => {
        const sound = event.kind === "assault" ? "thud" : (NOISES[event.label] ?? "dice");
        return { at: from, sound, shake: event.kind === "assault" ? 2 : 0 };
      });
      return [...rolls, ...events.map(({ kind, unit }) => CUES[kind] && { at: due.get(unit) ?? 0, ...CUES[kind] })];
    },
    duration: ({ kind, label }) => (isRoll({ kind, label }) ? ROLL : (PAUSES[kind] ?? 0)),
  };
}

/** Returns whether an event is shown as dice. @param {any} event */
const isRoll = ({ kind, label }) => (kind === "roll" && label !== "blip_type") || kind === "assault";

/** Names a unit by its kind and its id. @param {any} unit @param {string} id */
function called(unit, id) {
  if (!unit) return id;
  return unit.kind === "blip"
    ? `contact ${id}`
    : `${String(unit.marine_type ?? unit.kind ?? unit.class)
        .replace("marine_", "")
        .toLowerCase()} ${id}`;
}

/** @param {string} id @param {State} state */
function tip(id, state) {
  const thing = state.get(id);
  const game = state.get("game");
  if (thing.class === "Door") return `door ${id}, ${thing.open ? "open" : "closed"}`;
  const marks = ["overwatch", "guard", "jam", "deactivated"]
    .filter((name) => thing[name])
    .map((name) => ({ overwatch: "on overwatch", guard: "on guard", jam: "weapon jammed" })[name] ?? name);
  const behind =
    thing.kind === "blip" && (isNumber(thing.count) ? `${thing.count} behind it` : "nobody knows how many");
  const active = game?.active === id && `${game.ap} action ${game.ap === 1 ? "point" : "points"} left`;
  return [called(thing, id), thing.facing && `looks ${thing.facing}`, behind, active, ...marks]
    .filter(Boolean)
    .join(" · ");
}

/**
 * Describes an event in one sentence. Returns "" for a shot, since the event of its roll says the same.
 * @param {GameEvent} event @param {() => State} before
 */
function tell(event, before) {
  const unit = (id) => called(before().get(id), id);
  const { kind } = event;
  if (kind === "roll") {
    const against = event.target && event.unit ? ` at ${unit(event.target)}` : "";
    const need = isNumber(event.needed) ? `, needs ${event.needed}: ${event.result ? "success" : "failure"}` : "";
    const who = event.unit ?? event.target;
    const dice = (event.dice ?? []).join(", ");
    const label = ROLLED[event.label] ?? event.label;
    return `${who ? `${unit(who)} rolls` : "Rolled"} ${dice} ${label}${against}${need}.`;
  }
  if (kind === "assault") {
    const won = event.result === "tie" ? "a tie" : `the ${event.result} wins`;
    const dice = `marine ${event.marine_dice.join(", ")} against alien ${event.alien_dice.join(", ")}`;
    return `${unit(event.attacker)} assaults ${unit(event.defender)}: ${dice}, ${won}.`;
  }
  if (kind === "shot" || kind === "overwatch_shot") return "";
  if (kind === "destroyed") {
    const what = event.what === "door" ? `door ${event.unit}` : unit(event.unit);
    return `${what} is destroyed by ${String(event.by).replaceAll("_", " ")}.`;
  }
  if (kind === "revealed") return `Contact ${event.unit} is turned over${event.forced ? ": a marine sees it" : ""}.`;
  if (kind === "placed") return `${event.what === "blip" ? "Contact" : event.what} ${event.unit} appears.`;
  if (kind === "door") return `${unit(event.unit)} ${event.open ? "opens" : "closes"} door ${event.door}.`;
  if (kind === "flames") return `${unit(event.unit)} sets ${(event.cells ?? []).length} cells on fire.`;
  if (kind === "jam") return `The weapon of ${unit(event.unit)} jams.`;
  if (kind === "command_points")
    return `The marines have ${event.points} command ${event.points === 1 ? "point" : "points"}.`;
  if (kind === "turn") return `Game turn ${event.turn}: the ${event.side}s move.`;
  return kind === "ended" ? `The game is over: ${ENDS[event.reason] ?? event.reason}.` : undefined;
}

/** @param {State} state */
const unitsOf = (state) =>
  [...state.values()].filter((thing) => thing.class === "Unit" && isNumber(thing.x) && isNumber(thing.y));

/** What the marines see in one state. */
export class Sight {
  /** @param {any} game @param {State} state */
  constructor(game, state) {
    this.width = game.width;
    this.height = game.height;
    this.cells = String(game.cells ?? "");
    this.blocked = Array.from(this.cells, (cell) => cell !== ".");
    for (const [x, y] of game.flames ?? []) this.blocked[this.at(x, y)] = true;
    for (const thing of state.values())
      if (thing.class === "Unit" || (thing.class === "Door" && !thing.open))
        this.blocked[this.at(thing.x, thing.y)] = true;
    this.fields = new Map();
  }

  at(x, y) {
    return x >= 0 && y >= 0 && x < this.width && y < this.height ? y * this.width + x : -1;
  }

  /** @param {Map<string, any>} state the state of this sight @returns {Set<number>} the cells that any marine sees */
  all(state) {
    const marines = () => unitsOf(state).filter(({ kind }) => kind === "marine");
    this.lit ??= new Set(marines().flatMap((unit) => this.seen(unit)));
    return this.lit;
  }

  /** The distance between a unit and a cell, in steps. */
  far(unit, cell) {
    return Math.max(Math.abs((cell % this.width) - unit.x), Math.abs(Math.floor(cell / this.width) - unit.y));
  }

  /** @returns {number[]} the corridor cells that a marine sees */
  seen(unit) {
    const known = this.fields.get(unit.id);
    if (known) return known;
    const [fx, fy] = FACINGS[unit.facing] ?? [0, 0];
    const found = [];
    for (let cell = 0; cell < this.cells.length; cell++) {
      const [dx, dy] = [(cell % this.width) - unit.x, Math.floor(cell / this.width) - unit.y];
      const ahead = dx * fx + dy * fy;
      const inField = (!dx && !dy) || (ahead > 0 && Math.abs(dx * fy - dy * fx) <= ahead);
      if (this.cells[cell] === "." && inField && this.clear(unit.x, unit.y, unit.x + dx, unit.y + dy)) found.push(cell);
    }
    this.fields.set(unit.id, found);
    return found;
  }

  clear(x, y, tx, ty) {
    return this.oneWay(x, y, tx, ty) && this.oneWay(tx, ty, x, y);
  }

  shut(x, y) {
    const cell = this.at(x, y);
    return cell < 0 || this.blocked[cell];
  }

  oneWay(x, y, tx, ty) {
    const [dx, dy, sx, sy] = [Math.abs(tx - x), Math.abs(ty - y), Math.sign(tx - x), Math.sign(ty - y)];
    let error = dx - dy;
    while (x !== tx || y !== ty) {
      const [px, py, twice] = [x, y, 2 * error];
      if (twice > -dy) {
        error -= dy;
        x += sx;
      }
      if (twice < dx) {
        error += dx;
        y += sy;
      }
      if ((x !== tx || y !== ty) && this.shut(x, y)) return false;
      if (x !== px && y !== py && this.shut(x, py) && this.shut(px, y)) return false;
    }
    return true;
  }
}

/** Returns the mark of an event on the timeline; null for none. @param {GameEvent} event */
function mark(event) {
  const { kind, unit, what } = event;
  if (kind === "destroyed" && what !== "door")
    return { player: what === "marine" ? 1 : 0, label: `${what} ${unit} is destroyed` };
  if (kind === "revealed") return { player: 1, label: `contact ${unit} is revealed` };
  return kind === "jam" ? { player: 1, label: `the weapon of ${unit} jams` } : null;
}

/** Describes a turn in a few sentences. */
function describe({ name, actions, after, events, player }) {
  const times = (number) => ["", "once", "twice"][number] ?? `${number} times`;
  const list = (parts) => (parts.length > 1 ? `${parts.slice(0, -1).join(", ")}, and ${parts.at(-1)}` : parts[0]);
  const some = (number, word) => `${number === 1 ? "one" : number} ${word}${number === 1 ? "" : "s"}`;
  const did = (type) => actions.filter((action) => action?.type === type).length;
  const of = (kind, test = (/** @type {GameEvent} */ _event) => true) =>
    events.filter((event) => event.kind === kind && test(event)).length;
  const say = (number, words) => (number ? [words(number)] : []);
  const gone = (what) => of("destroyed", (event) => event.what === what);
  const fell = [
    ["marine", gone("marine")],
    ["alien", gone("alien")],
    ["contact", gone("blip")],
    ["door", gone("door")],
  ].filter(([, number]) => number);
  const parts = [
    ...say(did("activate"), (number) => (number === 1 ? "activates one unit" : `activates units ${times(number)}`)),
    ...say(did("move"), (number) => `moves ${times(number)}`),
    ...say(did("door"), (number) => `works ${some(number, "door")}`),
    ...say(did("shoot"), (number) => `shoots ${times(number)}`),
    ...say(of("assault"), (number) => `fights hand to hand ${times(number)}`),
    ...say(of("overwatch_shot"), (number) => `comes under overwatch fire ${times(number)}`),
    ...say(
      of("revealed"),
      (number) =>
        `${player === 0 ? "uncovers" : "has"} ${some(number, "contact")}${player === 0 ? "" : " turned over"}`,
    ),
    ...say(did("overwatch"), (number) => `puts ${some(number, "marine")} on overwatch`),
    ...say(did("guard"), (number) => `puts ${some(number, "marine")} on guard`),
  ];
  const game = after.get("game");
  const left = (kind) => unitsOf(after).filter((unit) => unit.kind === kind).length;
  const sentences = [`${name}, the ${player === 0 ? "marines" : "aliens"}, ${parts.length ? list(parts) : "waits"}.`];
  if (of("jam")) sentences.push(of("jam") === 1 ? "A weapon jams." : `${of("jam")} weapons jam.`);
  if (fell.length) sentences.push(`Destroyed: ${fell.map(([what, number]) => some(number, what)).join(", ")}.`);
  sentences.push(
    `Left: ${some(left("marine"), "marine")}, ${some(left("alien"), "alien")}, ${some(left("blip"), "contact")}.`,
  );
  if (game?.ended) {
    const winners = game.winner === 0 ? "marines" : "aliens";
    const result = isNumber(game.winner) ? `The ${winners} win` : "The game is drawn";
    sentences.unshift(`${result}: ${ENDS[game.ended] ?? game.ended}.`);
  }
  return sentences.join(" ");
}
