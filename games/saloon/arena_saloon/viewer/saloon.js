/**
 * Draws Saloon: the floor from above, people and furniture from the front, and effects of recorded events.
 * @module
 */

import { effects, lift, pulse, shudder } from "arena/effects";
import { backdrop, between, ease, Grid, isNumber, placed, SMALL } from "arena/grid";
import { brush } from "arena/shapes";

const STEPS = { North: [0, -1], South: [0, 1], East: [1, 0], West: [-1, 0] };
const stepOf = (direction) => STEPS[direction] ?? [0, 0];
const SKIN = "#e9b98f";
const WOOD = {
  dark: ["#4a3322", "#523927", "#33231a", "#241811"],
  light: ["#c79c6b", "#cfa677", "#8d643d", "#6d4a2b"],
};

/**
 * The part of a frame, from 0 to 1, that shows each kind of effect: people first, then bottles, then the floor. All
 * other effects show for the whole frame.
 */
const WHEN = {
  punch: [0.05, 0.6],
  bump: [0.1, 0.6],
  obstacle: [0.2, 0.75],
  sober: [0.3, 0.9],
  bottle_broken: [0.45, 1],
  hazard: [0.6, 1],
  death: [0.2, 1],
  siesta_begins: [0, 1],
  siesta_ends: [0, 1],
  piano_destroyed: [0.2, 1],
};

/** What is heard and felt of events. */
const CUES = {
  punch: { sound: "thud", shake: 1 },
  bump: { sound: "thud", pitch: 1.3 },
  obstacle: { sound: "thud", pitch: 0.8 },
  splash: { sound: "splash" },
  bottle_broken: { sound: "glass" },
  crush: { sound: "crash", shake: 5 },
  hazard: { sound: "fire", pitch: 2 },
  death: { sound: "fall", at: 0.4 },
  sober: { sound: "pop" },
  play: { sound: "chord" },
  shot: { sound: "shot", shake: 1.5 },
  siesta_begins: { sound: "gong" },
  siesta_ends: { sound: "chime" },
  piano_destroyed: { sound: "crash", pitch: 0.7, shake: 6 },
};

/** @param {HTMLCanvasElement} canvas @param {{players: {name: string, color: string}[], header: any}} context */
export function createRenderer(canvas, { players, header }) {
  const g = canvas.getContext("2d");
  const options = header?.options ?? {};
  const option = (name, usual) => (isNumber(options[name]) ? options[name] : usual);
  const grid = new Grid();
  const { polygon, dot, arc, oval, ring, rounded, line, arrow, text, badge, bar, star, spray, note, banner } = brush(g);
  const { fall, glow, hit, loss, shards, smoke, sparks, wave } = effects(g);
  const floor = backdrop(canvas);
  let shown = [];
  let beat = 0;
  const color = (owner) => players[owner]?.color ?? "#999999";

  function draw(before, after, fraction, events, look) {
    const game = after.get("game") ?? [...after.values()].find((thing) => thing.class === "Game");
    if (!game) return;
    const small = look.width < SMALL;
    beat = look.beat;
    const strip = small ? 0 : Math.min(Math.max(46, look.height * 0.075), look.height * 0.11);
    grid.fit(look.width, look.height - strip, game.width, game.height, 0.05);
    grid.top += strip;
    floor(look, [game.width, game.height, game.hazards?.length], (to) =>
      paintFloor(to, game, WOOD[look.dark ? "dark" : "light"]),
    );
    const things = placed(before, after, fraction);
    shown = [...after.values()].filter((thing) => isNumber(thing.x));
    for (const one of things) if (one.thing.class === "YoungGun") callInTile(one.thing, look);
    for (const one of things) if (one.thing.focus > 0 && !one.gone) focusLines(one, look);
    const lunges = lungesOf(events, after, before);
    const order = ["Furnishing", "Bottle", "Cowboy", "YoungGun"];
    things.sort((a, b) => order.indexOf(a.thing.class) - order.indexOf(b.thing.class) || a.y - b.y);
    const moves = fraction < 1 && !look.still;
    if (moves) for (const one of things) if (one.thing.class === "Bottle") throwBottle(one, events, fraction);
    for (const one of things) drawThing(one, moves ? fraction : 1, lunges, look);
    if (moves) for (const event of events) effect(event, before, after, fraction);
    if (!small) score(game, before, after, fraction, look, strip);
  }

  function paintFloor(to, game, wood) {
    const { tile, left, top, columns, rows } = grid;
    const paint = brush(to);
    const seam = Math.max(0.6, tile * 0.022);
    paint.rounded(left, top, tile * columns, tile * rows, tile * 0.3, wood[3]);
    to.save();
    to.clip();
    for (let y = 0; y < rows; y++) {
      for (let x = 0; x < columns; x++) {
        const rim = x === 0 || y === 0 || x === columns - 1 || y === rows - 1;
        const [px, py] = grid.place(x, y);
        to.fillStyle = rim ? wood[2] : wood[(x * 7 + y * 13) % 3 === 0 ? 1 : 0];
        to.fillRect(px, py, tile + 0.5, tile + 0.5);
        to.fillStyle = "rgba(0,0,0,.13)";
        for (const at of rim ? [0.5] : [0, 0.34, 0.67]) to.fillRect(px, py + tile * at, tile, seam);
        const end = px + tile * (((x * 5 + y * 3) % 4) / 4);
        if (!rim) to.fillRect(end, py + tile * 0.34 * ((x + y) % 3), seam, tile * 0.34);
      }
    }
    to.restore();
    for (const [x, y] of game.hazards ?? []) hole(paint, x, y);
    for (const [stroke, width] of [
      ["rgba(0,0,0,.45)", 0.16],
      [wood[1], 0.07],
    ]) {
      to.strokeStyle = stroke;
      to.lineWidth = tile * width;
      to.strokeRect(left + tile, top + tile, tile * (columns - 2), tile * (rows - 2));
    }
    const post = (x, y) => paint.dot(...grid.place(x, y), tile * 0.075, wood[1]);
    for (let x = 1; x < columns; x++) {
      post(x, 1);
      post(x, rows - 1);
    }
    for (let y = 1; y < rows; y++) {
      post(1, y);
      post(columns - 1, y);
    }
  }

  /** Draws a hazard as broken boards. */
  function hole(paint, x, y) {
    const [px, py] = grid.place(x + 0.5, y + 0.5);
    const r = grid.tile * 0.42;
    const far = (at) => r * (at % 2 ? 0.55 : 0.8 + 0.2 * (((x * 3 + y * 5 + at * 7) % 5) / 5));
    const edge = (at) => [px + far(at) * Math.cos((at / 14) * 6.283), py + far(at) * Math.sin((at / 14) * 6.283)];
    paint.polygon(
      Array.from({ length: 14 }, (_, at) => edge(at)),
      "#160c08",
      "#c8472b",
      grid.tile * 0.045,
    );
    for (const [dx, dy] of [
      [-0.3, 0.1],
      [0.15, -0.25],
      [0.2, 0.3],
    ])
      paint.dot(px + dx * r, py + dy * r, r * 0.1, "#e9692f");
  }

  /** Moves a bottle: it flies in a curve, from the hand that throws it or to the thing on which it breaks. */
  function throwBottle(one, events, fraction) {
    if (!one.moved && !one.gone && one.born === 1) return;
    const broken = one.gone && events.find(({ kind, bottle }) => kind === "bottle_broken" && bottle === one.thing.id);
    const [dx, dy] = stepOf(one.thing.direction);
    const part = ease(Math.min(1, broken ? fraction / WHEN.bottle_broken[0] : fraction));
    if (Array.isArray(broken?.tile)) {
      one.x = between(one.x, broken.tile[0], part);
      one.y = between(one.y, broken.tile[1], part);
      one.gone = part < 1 ? 0.001 : 1;
    } else if (one.born < 1) [one.x, one.y, one.born] = [one.x - dx * (1 - part), one.y - dy * (1 - part), 1];
    one.high = lift(part, 0.4);
  }

  function drawThing(one, fraction, lunges, look) {
    const { thing } = one;
    const [dx, dy] = lunges.get(thing.id) ?? [0, 0];
    const reach = 0.32 * Math.sin(Math.PI * Math.min(1, fraction * 1.7));
    const person = thing.class === "Cowboy" || thing.class === "YoungGun";
    const drop = thing.class === "Cowboy" && one.born < 1 ? 0.8 - 0.8 * ease(one.born) : 0;
    const hurt = (fraction - 0.35) / 0.65;
    const lost = hurt > 0 && hurt < 1 ? (one.before?.health ?? 0) - thing.health : 0;
    const [x, y] = person && one.moved ? stride(one, fraction) : [0, 0];
    grid.inTile(g, one.x + x + dx * reach + (lost > 0 ? shudder(hurt) : 0), one.y + y + dy * reach - drop, () => {
      if (person) g.scale(1.12, 1.12);
      const falls = one.gone > 0 && thing.class === "Cowboy";
      g.globalAlpha = falls ? 1 : one.gone ? 1 - one.gone : Math.min(1, 0.2 + 2 * one.born);
      if (falls) fall(one.gone, thing.x % 2 ? 1 : -1);
      if (look.selected === thing.id || look.hovered === thing.id) ring(0.49, look.dark ? "#ffffff" : "#1b1208");
      ({ Cowboy: cowboy, Furnishing: furnishing, Bottle: bottle, YoungGun: youngGun })[thing.class]?.(one, fraction);
    });
    if (lost > 0) grid.inTile(g, one.x, one.y, () => loss(hurt, lost));
  }

  /** How a person on the way is beside the straight line: steps go up and down, and who is drunk sways. */
  function stride({ thing, before }, fraction) {
    const [dx, dy] = [thing.x - before.x, thing.y - before.y];
    const sway = thing.is_drunk || before.is_drunk ? 0.14 * Math.sin(2 * Math.PI * fraction) : 0;
    return [-dy * sway, dx * sway - 0.07 * Math.abs(Math.sin(2 * Math.PI * fraction))];
  }

  function cowboy({ thing, before, moved }, fraction) {
    const nap = thing.is_drunk && thing.drunk_direction === "";
    const drunk = thing.is_drunk && !nap;
    base(thing.owner);
    g.save();
    if (nap) g.rotate(-1.35);
    else if (drunk) g.rotate(0.22 * Math.sin(fraction * 6.283) + 0.16);
    else if (moved) g.rotate(0.08 * Math.sin(fraction * 12.566));
    figure(thing.job, color(thing.owner), drunk ? "#b9cf86" : nap ? "#c9a99a" : SKIN, !thing.is_drunk);
    g.restore();
    if (nap) {
      text("z", 0.2, -0.24, 0.26, "#dfe8ff");
      text("z", 0.34, -0.4, 0.18, "#dfe8ff");
    }
    if (drunk) arrow(stepOf(thing.drunk_direction), 0.47, 0.15, "#ffd23f", "#3a2a00");
    const busy = thing.turns_busy;
    if (busy > 0 && busy < 100) badge(0.32, 0.33, String(busy), thing.is_drunk ? "#8f7bd6" : "#44505e");
    if (thing.focus > 0) badge(-0.33, 0.33, String(thing.focus), "#b3261e");
    bar(between(before?.health ?? thing.health, thing.health, fraction) / option("cowboy_health", 10), -0.47);
  }

  /** Draws a disc under people of player 0, and a diamond under people of player 1. They differ without colour too. */
  function base(owner) {
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

  /** Draws one person, about a tile high. */
  function figure(job, team, skin, awake) {
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
    if (job === "Sharpshooter") {
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
    } else if (job === "Bartender") {
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
    } else {
      line(-0.3, 0.06, -0.3, 0.24, 0.12, team);
      line(0.3, 0.06, 0.3, 0.24, 0.12, team);
      for (const side of [-1, 1]) {
        dot(0.31 * side, 0.25, 0.1, skin);
        ring(0.1, "rgba(0,0,0,.4)", 0.31 * side, 0.25, 0.02);
      }
      line(-0.12, 0, 0.06, 0.34, 0.035, "rgba(0,0,0,.5)");
      line(0.12, 0, -0.06, 0.34, 0.035, "rgba(0,0,0,.5)");
    }
    dot(0, -0.15, 0.15, skin);
    ring(0.15, "rgba(0,0,0,.35)", 0, -0.15, 0.02);
    for (const side of [-1, 1]) {
      if (awake) dot(0.055 * side, -0.15, 0.02, "#2a1a10");
      else line(0.03 * side, -0.14, 0.085 * side, -0.14, 0.02, "#2a1a10");
    }
    if (job === "Sharpshooter") {
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
    } else if (job === "Bartender") {
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
    } else {
      arc(0, -0.22, 0.15, Math.PI, 0, "#26221f");
      line(-0.21, -0.22, 0.21, -0.22, 0.05, "#26221f");
      line(-0.14, -0.255, 0.14, -0.255, 0.035, team);
      arc(0, -0.11, 0.115, 0.15, 2.99, "#6b3a1c");
    }
  }

  function youngGun({ thing: gun }) {
    base(gun.owner);
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
    for (const side of [-1, 1]) dot(0.05 * side, -0.13, 0.02, "#2a1a10");
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

  function furnishing({ thing, before }, fraction) {
    const full = option(thing.is_piano ? "piano_health" : "furnishing_health", thing.is_piano ? 48 : 16);
    oval(0, 0.33, 0.44, 0.13, "rgba(0,0,0,.35)");
    if (thing.is_piano) piano(thing.is_playing, fraction);
    else {
      line(0, 0, 0, 0.32, 0.12, "#4d2f19");
      line(-0.2, 0.35, 0.2, 0.35, 0.07, "#4d2f19");
      oval(0, -0.02, 0.4, 0.24, "#2f6b4a", "#7b4b27", 0.07);
      polygon(
        [
          [-0.2, -0.06],
          [-0.08, -0.12],
          [-0.03, 0.03],
          [-0.15, 0.08],
        ],
        "#faf6ea",
      );
      dot(0.14, -0.03, 0.055, "#d8463c");
      dot(0.22, 0.05, 0.055, "#3b6fd1");
    }
    bar(between(before?.health ?? thing.health, thing.health, fraction) / full, -0.48);
  }

  function piano(playing, fraction) {
    if (playing) glow(0.75, "255, 214, 90", 0.35 + 0.35 * pulse(beat, 8));
    if (playing) ring(0.5, "rgba(255,214,90,.85)", 0, 0, 0.05);
    rounded(-0.4, -0.34, 0.8, 0.66, 0.06, "#5d3216", "#22100a");
    rounded(-0.34, -0.29, 0.68, 0.2, 0.03, "#7c4721");
    rounded(-0.44, 0.0, 0.88, 0.2, 0.03, "#faf5ea", "#22100a");
    for (let key = 0; key < 8; key++) {
      line(-0.33 + key * 0.11, 0.01, -0.33 + key * 0.11, 0.19, 0.012, "#8c8378");
      if (key % 4 !== 2 && key < 7) line(-0.28 + key * 0.11, 0.01, -0.28 + key * 0.11, 0.11, 0.05, "#17110d");
    }
    line(-0.36, 0.3, -0.36, 0.4, 0.08, "#3a1d0d");
    line(0.36, 0.3, 0.36, 0.4, 0.08, "#3a1d0d");
    if (playing) for (const x of [-0.24, 0.22]) note(x, -0.42 - 0.12 * ((fraction + x * x * 7) % 1), 0.85, "#ffd65a");
  }

  function bottle({ thing, high = 0 }, fraction) {
    const [dx, dy] = stepOf(thing.direction);
    oval(0, 0.28, 0.16, 0.06, "rgba(0,0,0,.3)");
    g.translate(0, -high);
    if (high)
      for (const back of [0.2, 0.34, 0.46])
        dot(-dx * back, -dy * back + 0.3 * high * back, 0.05, "rgba(255,255,255,.3)");
    arrow(stepOf(thing.direction), 0.42, 0.13, "#ffffff", "rgba(0,0,0,.7)");
    g.save();
    g.rotate(0.5 + (high ? ease(fraction) * 12.566 : 0));
    const half = [
      [0.04, -0.25],
      [0.04, -0.12],
      [0.1, -0.04],
      [0.1, 0.22],
    ];
    polygon([...half, ...half.toReversed().map(([x, y]) => [-x, y])], "#3fa563", "#123d22");
    rounded(-0.085, 0.02, 0.17, 0.11, 0.01, "#f5ecd2");
    line(-0.06, -0.02, -0.06, 0.18, 0.025, "rgba(255,255,255,.5)");
    g.restore();
    dot(0.27, 0.27, 0.16, "#ffd23f");
    g.save();
    g.translate(0.27, 0.27);
    arrow(stepOf(thing.drunk_direction), 0.06, 0.12, "#3a2a00");
    g.restore();
  }

  function callInTile(gun, look) {
    const tile = gun.call_in_tile ?? gun.call_in;
    if (!Array.isArray(tile)) return;
    const [x, y] = grid.place(tile[0] + 0.5, tile[1] + 0.5);
    const size = grid.tile;
    g.globalAlpha = gun.can_call_in ? 0.95 : 0.4;
    g.strokeStyle = g.fillStyle = color(gun.owner);
    g.lineWidth = size * 0.06;
    g.setLineDash([size * 0.16, size * 0.11]);
    g.strokeRect(x - size * 0.44, y - size * 0.44, size * 0.88, size * 0.88);
    g.setLineDash([]);
    g.globalAlpha *= look.dark ? 0.22 : 0.3;
    g.fillRect(x - size * 0.44, y - size * 0.44, size * 0.88, size * 0.88);
    g.globalAlpha = 1;
  }

  /** Draws lines over the tiles that a Sharpshooter could hit. */
  function focusLines(one, look) {
    const { thing, x, y } = one;
    const chosen = look.selected === thing.id || look.hovered === thing.id;
    g.fillStyle = color(thing.owner);
    g.globalAlpha = chosen ? 0.95 : 0.38;
    for (const [dx, dy] of Object.values(STEPS)) {
      const room = dx > 0 ? grid.columns - 2 - x : dx < 0 ? x - 1 : dy > 0 ? grid.rows - 2 - y : y - 1;
      const reach = Math.min(thing.focus, room);
      if (reach <= 0) continue;
      const [tx, ty] = grid.place(x + 0.5 + dx * (reach + 0.35), y + 0.5 + dy * (reach + 0.35));
      g.setLineDash([grid.tile * 0.07, grid.tile * 0.13]);
      const from = grid.place(x + 0.5 + dx * 0.5, y + 0.5 + dy * 0.5);
      line(...from, tx, ty, grid.tile * (chosen ? 0.07 : 0.04), color(thing.owner));
      g.setLineDash([]);
      const [across, down] = [grid.tile * (dy ? 0.12 : 0.025), grid.tile * (dx ? 0.12 : 0.025)];
      g.fillRect(tx - across, ty - down, 2 * across, 2 * down);
    }
    g.globalAlpha = 1;
  }

  /** Returns the direction in which each person leans in this frame. */
  function lungesOf(events, after, before) {
    const lunges = new Map();
    for (const { kind, cowboy, tile } of events) {
      const who = after.get(cowboy)?.x != null ? after.get(cowboy) : before.get(cowboy);
      if (!who || !Array.isArray(tile) || !["punch", "play", "obstacle", "bump", "splash"].includes(kind)) continue;
      lunges.set(cowboy, [Math.sign(tile[0] - who.x), Math.sign(tile[1] - who.y)]);
    }
    return lunges;
  }

  /** The functions that draw events, in units of tiles around the event's tile. `f` grows from 0 to 1. */
  const pictures = {
    punch: (f) => hit(f),
    splash: (f) => spray(f, 16, "#ffc83d", 0.7),
    bottle_broken: (f) => {
      glow(0.5, "160, 255, 190", 0.5 * (1 - f));
      shards(f, 13, "#7fe0a0", 0.8);
      spray(f, 6, "#ffc83d", 0.5);
    },
    crush: (f) => {
      wave(f, "#fff0d0", 1.1);
      smoke(f, 9, "205, 178, 138");
      shards(f, 9, "#d9b98c", 0.9);
    },
    piano_destroyed: (f) => {
      glow(1.3, "255, 190, 90", 0.9 * (1 - f));
      shards(f, 22, "#8a5128", 1.4, 5);
      shards(f, 8, "#faf5ea", 1.1, 6);
      smoke(f, 9, "150, 120, 90");
      for (const x of [-0.4, 0, 0.4]) note(x, -0.4 - f, 1.2, "#ffd65a");
    },
    bump: (f) => star(0.1 + 0.2 * f, "#ffffff", "#8f7bd6"),
    obstacle: (f) => star(0.1 + 0.2 * f, "#ffffff", "#d65a4a"),
    hazard: (f) => ring(0.25 + 0.25 * f, "#ff5a36", 0, 0, 0.09),
    sober: (f) => text("!", 0, -0.5 - 0.3 * f, 0.42, "#ffffff"),
    play: (f) => [-0.25, 0.05, 0.3].forEach((x) => note(x, -0.3 - (0.5 + x) * f, 1.1, "#ffd65a")),
    death: (f) => {
      text("✝", 0, -0.1 - 0.6 * f, 0.7, "#ffffff");
      ring(0.2 + 0.4 * f, "#ff4d3d", 0, 0, 0.06);
    },
    shot,
  };

  function effect(event, before, after, fraction) {
    const [from, to] = WHEN[event.kind] ?? [0, 1];
    const f = (fraction - from) / (to - from);
    if (f < 0 || f > 1) return;
    const name = String(players[event.player]?.name ?? "").slice(0, 24);
    const word = { siesta_begins: `☾ Siesta for ${name}`, siesta_ends: `☼ ${name} is awake again` }[event.kind];
    if (word) banner(grid, word, color(event.player), grid.tile * 0.8, f);
    const who = [before.get(event.cowboy), after.get(event.cowboy)].find((thing) => isNumber(thing?.x));
    const tile = event.tile ?? (who ? [who.x, who.y] : null);
    if (!Array.isArray(tile) || !tile.every(isNumber) || !Object.hasOwn(pictures, event.kind)) return;
    grid.inTile(g, tile[0], tile[1], () => {
      g.globalAlpha = 1 - f * f;
      pictures[event.kind](f, event, before, tile);
    });
  }

  function shot(f, event, before, tile) {
    const [dx, dy] = stepOf(event.direction);
    const reach = event.tiles?.length ?? 0;
    const head = 0.4 + Math.min(1, f * 2.5) * reach;
    const tail = Math.max(0.4, head - 1.8);
    line(dx * 0.4, dy * 0.4, dx * head, dy * head, 0.1, "rgba(255,214,90,.55)");
    line(dx * tail, dy * tail, dx * head, dy * head, 0.06, "#fff8dd");
    g.save();
    g.translate(dx * 0.45, dy * 0.45);
    if (f < 0.4) glow(0.6, "255, 214, 120", 1 - 2.5 * f);
    smoke(f, 4);
    g.restore();
    for (const hit of (event.hits ?? []).map((id) => before.get(id))) {
      const far = hit ? Math.abs(hit.x - tile[0]) + Math.abs(hit.y - tile[1]) : Infinity;
      if (head < far) continue;
      g.save();
      g.translate(dx * far, dy * far);
      star(0.42 * Math.min(1, f * 1.6), "#ffe3d8", "#d92b1c");
      sparks(f, 8, "#ffe3d8", 0.8);
      g.restore();
    }
  }

  function score(game, before, after, fraction, look, strip) {
    const gangs = [gang(after, 0), gang(after, 1)];
    const y = grid.top - strip * 0.42;
    const size = Math.max(11, Math.min(22, strip * 0.32, (grid.tile * grid.columns) / 52));
    const ink = look.dark ? "#e9dfd0" : "#3a2c1c";
    g.textBaseline = "middle";
    gangs.forEach((one, at) => one && gangLine(one, at, y, size, ink));
    if (!gangs[0] || !gangs[1]) return;
    const pianos = [...after.values()].filter((thing) => thing.is_piano && !thing.is_destroyed).length;
    const bound = Math.ceil((pianos * (option("max_turns", 192) - game.current_turn)) / 2);
    const now = gangs[0].score - gangs[1].score;
    const lead = between((gang(before, 0)?.score ?? 0) - (gang(before, 1)?.score ?? 0), now, fraction);
    const width = Math.min(look.width * 0.3, grid.tile * 7);
    const middle = look.width / 2;
    rounded(middle - width / 2, y + size * 0.55, width, size * 0.4, size * 0.2, look.dark ? "#3a312a" : "#ddd0bb");
    const part = (Math.max(-1, Math.min(1, bound ? lead / (bound + 1) : Math.sign(lead))) * width) / 2;
    g.fillStyle = color(lead >= 0 ? 0 : 1);
    g.fillRect(lead >= 0 ? middle - part : middle, y + size * 0.55, Math.abs(part), size * 0.4);
    g.fillStyle = ink;
    g.fillRect(middle - 1, y + size * 0.4, 2, size * 0.7);
    g.font = `${size * 0.86}px system-ui, sans-serif`;
    g.textAlign = "center";
    const left = `${pianos} ${pianos === 1 ? "piano" : "pianos"} left`;
    const words =
      Math.abs(now) > bound && pianos ? "the lead cannot be made up" : now ? `lead of ${Math.abs(now)}` : "level";
    const room = grid.columns * grid.tile * 0.38;
    g.fillText(fitting(room, `${words} · ${left}`, words), middle, y - size * 0.25, room);
  }

  /** Draws the kills, the rowdiness, and the turns that a siesta still lasts. */
  function gangLine(one, at, y, size, ink) {
    const side = at === 0 ? 1 : -1;
    const edge = at === 0 ? grid.left + 4 : grid.left + grid.columns * grid.tile - 4;
    const most = Math.min(40, option("rowdiness_to_siesta", 8));
    for (let pip = 0; pip < most; pip++) {
      const x = edge + side * pip * size * 0.72 - (side < 0 ? size * 0.55 : 0);
      const fill = pip < one.rowdiness ? color(at) : "rgba(128,118,105,.35)";
      rounded(x, y + size * 0.45, size * 0.55, size * 0.55, size * 0.14, fill);
    }
    g.font = `600 ${size}px system-ui, sans-serif`;
    g.textAlign = at === 0 ? "left" : "right";
    g.fillStyle = ink;
    const mood = one.siesta > 0 ? `☾ asleep for ${one.siesta} turns` : `rowdiness ${one.rowdiness} of ${most}`;
    const room = grid.columns * grid.tile * 0.28;
    const kills = `${one.kills} ${one.kills === 1 ? "kill" : "kills"}`;
    g.fillText(fitting(room, `${kills} · ${mood}`, kills), edge, y - size * 0.25, room);
  }

  /** The long text if there is room for it; the pips and the pianos on the board say the rest. */
  function fitting(room, long, short) {
    return g.measureText(long).width > room * 1.15 ? short : long;
  }

  return {
    draw,
    place: (x, y) => grid.place(x, y),
    pick(px, py) {
      const [x, y] = grid.tileAt(px, py);
      return shown.find((thing) => thing.x === x && thing.y === y)?.id ?? null;
    },
    series: () => [
      ...["score", "kills", "rowdiness"].map((name) => ({
        name,
        unit: "points",
        value: (state, at) => gang(state, at)?.[name] ?? null,
      })),
      {
        name: "cowboys",
        value: (state, at) => [...state.values()].filter((one) => one.job && one.owner === at).length,
      },
    ],
    mark,
    describe,
    action,
    reason: (outcome) => reason(outcome, (at) => players[at]?.name ?? `Player ${at + 1}`),
    tip: (id, state) => tip(state.get(id), (owner) => String(players[owner]?.name ?? "").slice(0, 40)),
    tell: (event) => SENTENCES[event.kind]?.(event, String(players[event.player]?.name ?? "").slice(0, 40)),
    duration: ({ kind }) => PAUSES[kind] ?? 0,
    cues: (events, before) =>
      events.map(({ kind, cowboy }) => {
        const [at] = WHEN[kind] ?? [0];
        const pitch = kind === "play" && before.get(cowboy)?.owner === 1 ? 0.75 : 1; // each gang has its own tune
        return CUES[kind] && { at, pitch, ...CUES[kind] };
      }),
  };
}

/** The extra time for which the board shows an event, in milliseconds. */
const PAUSES = {
  shot: 350,
  crush: 350,
  splash: 200,
  death: 300,
  punch: 100,
  siesta_begins: 700,
  siesta_ends: 500,
  piano_destroyed: 500,
};

const SENTENCES = {
  shot: ({ cowboy, direction, hits }) => `${cowboy} shoots ${direction} and hits ${hits.join(", ") || "nothing"}.`,
  punch: ({ cowboy, target }) => `${cowboy} punches ${target}.`,
  play: ({ cowboy, piano }) => `${cowboy} plays piano ${piano}.`,
  splash: ({ cowboy, target, drunk_direction: way }) =>
    `${cowboy} pours a drink over ${target}, who will stagger ${way}.`,
  bottle_broken: ({ bottle, on, target }) => {
    const where = on === "shot" ? "in a shot" : `on ${target ?? `the ${on}`}`;
    return `${bottle ? `Bottle ${bottle}` : "A bottle"} breaks ${where}.`;
  },
  crush: ({ young_gun: gun, target }) => `A newcomer of ${gun} crushes ${target}.`,
  hazard: ({ cowboy }) => `${cowboy} is hurt by a hazard.`,
  obstacle: ({ cowboy, target }) => `${cowboy} staggers into ${target ?? "the balcony"}.`,
  bump: ({ cowboy, target }) => `${cowboy} bumps into ${target}.`,
  sober: ({ cowboy }) => `${cowboy} is sober again.`,
  death: ({ cowboy, cause }) => `${cowboy} dies (${cause}).`,
  piano_destroyed: ({ piano }) => `Piano ${piano} is destroyed.`,
  siesta_begins: ({ turns }, name) => `A siesta of ${turns} turns begins for ${name}.`,
  siesta_ends: (_event, name) => `The siesta of ${name} is over.`,
};

function tip(thing, name) {
  const { id, health, focus, turns_busy: busy, drunk_direction: way } = thing;
  if (thing.class === "Bottle") return `bottle ${id}, flies ${thing.direction}; whom it hits staggers ${way}`;
  if (thing.class === "YoungGun") {
    const call = thing.can_call_in ? "can call somebody in" : "has called somebody in";
    return `young gun of ${name(thing.owner)}, ${call}`;
  }
  if (thing.class === "Furnishing")
    return `${thing.is_piano ? "piano" : "table"} ${id} · health ${health}${thing.is_playing ? " · played" : ""}`;
  const mood = !thing.is_drunk ? "" : way ? `drunk, staggers ${way}` : "having a nap";
  return [
    `${thing.job} ${id} of ${name(thing.owner)}`,
    `health ${health}`,
    mood,
    busy > 0 && busy < 100 && `busy for ${busy}`,
    focus > 0 && `focus ${focus}`,
  ]
    .filter(Boolean)
    .join(" · ");
}

const gang = (state, at) => state.get(`p${at}`);

/** Returns the mark of an event on the timeline; null for none. */
function mark(event, before) {
  const { kind, cowboy, cause, player } = event;
  if (kind === "death") return { player: 1 - before().get(cowboy)?.owner, label: `${cowboy} dies (${cause})` };
  if (kind === "siesta_begins") return { player: 1 - player, label: "a siesta begins" };
  return kind === "piano_destroyed" ? { player: -1, label: "a piano is destroyed" } : null;
}

/** Describes an action in one sentence. */
function action({ type, cowboy, young_gun: gun, furnishing, job, drunk_direction: way, x, y }, before) {
  const who = `${before.get(cowboy)?.job ?? "Cowboy"} ${cowboy}`;
  if (type === "move") return `${who} moves to (${x}, ${y})`;
  if (type === "play") return `${who} plays piano ${furnishing}`;
  if (type === "act") {
    const aimed = [...before.values()].find((one) => one.job && one.x === x && one.y === y);
    const target = aimed ? `${aimed.job} ${aimed.id}` : `(${x}, ${y})`;
    const verb = { Sharpshooter: "shoots at", Bartender: "throws a bottle at", Brawler: "punches" };
    return `${who} ${verb[before.get(cowboy)?.job] ?? "acts on"} ${target}${way ? `, to stagger ${way}` : ""}`;
  }
  if (type === "call_in") return `Young gun ${gun} calls in a ${job}`;
  return type === "end_turn" ? "Ends the turn" : undefined;
}

const CAUSES = {
  max_turns: "The turns are over",
  pianos_destroyed: "No piano is left",
};
const CRITERIA = {
  score: "the higher score decides",
  kills: "the scores are equal, and the kills decide",
  coin_flip: "scores and kills are equal, and a coin decides",
};

/** Describes why a game is over. @param {any} outcome @param {(at: number) => string} name */
function reason({ reason: text, winner }, name) {
  const [cause, criterion] = String(text ?? "").split("/");
  if (cause === "out_of_reach" && isNumber(winner)) return `${name(1 - winner)} cannot catch up.`;
  return CAUSES[cause] && CRITERIA[criterion] ? `${CAUSES[cause]}: ${CRITERIA[criterion]}.` : undefined;
}

function describe(turn) {
  const some = (number, one, many) => (number ? [number === 1 ? one : many.replace("#", String(number))] : []);
  const count = (kind) => turn.events.filter((event) => event.kind === kind).length;
  const hits = turn.events.filter((event) => event.kind === "splash" || event.on === "cowboy").length;
  const called = turn.actions.filter((action) => action?.type === "call_in");
  const parts = [
    ...called.map(({ job }) => `calls in a ${String(job).slice(0, 20)}`),
    ...some(turn.actions.filter((action) => action?.type === "move").length, "moves once", "moves #"),
    ...some(count("play"), "plays a piano", "plays # pianos"),
    ...some(count("shot"), "shoots", "shoots # times"),
    ...some(count("punch"), "a punch lands", "# punches land"),
    ...some(hits, "a bottle hits", "# bottles hit"),
    ...some(count("crush"), "somebody is crushed", "# are crushed"),
    ...some(count("death"), "one dies", "# die"),
    ...some(count("siesta_begins"), "a siesta begins", "# siestas begin"),
    ...some(count("piano_destroyed"), "a piano is destroyed", "# pianos are destroyed"),
  ];
  const score = `Score ${gang(turn.after, 0)?.score ?? 0} to ${gang(turn.after, 1)?.score ?? 0}.`;
  return `${turn.name}: ${parts.length ? parts.join(", ") : "waits"}. ${score}`;
}
