/** Draws better orders over the board, as dashed arrows: those that name a unit, and a tile, a thing or a direction. */

/** @typedef {import("arena/states").State} State */
/** @typedef {[number, number, number, number]} Arrow from the middle of one tile to that of another */

const MOST_ARROWS = 40;
const BETTER_COLOR = "#2fbf71";
/** @type {Record<string, [number, number]>} */
const DIRECTIONS = { up: [0, -1], north: [0, -1], right: [1, 0], east: [1, 0], down: [0, 1], south: [0, 1] };
Object.assign(DIRECTIONS, { left: [-1, 0], west: [-1, 0] });

/** @param {any} thing @returns {[number, number] | null} where it is; of a body, where its head is */
function tileOf(thing) {
  if (typeof thing?.x === "number" && typeof thing.y === "number") return [thing.x, thing.y];
  const head = Array.isArray(thing?.body) ? thing.body[0] : null;
  return Array.isArray(head) && head.every((one) => typeof one === "number") ? [head[0], head[1]] : null;
}

/** @param {any[]} actions of one turn @param {State} state before it @returns {Arrow[]} */
export function arrowsOf(actions, state) {
  /** @type {Map<string, [number, number]>} where units have moved */
  const moved = new Map();
  return actions.slice(0, MOST_ARROWS).flatMap((action) => {
    const words = Object.values(action ?? {}).filter((value) => typeof value === "string");
    const [unit, target] = words.filter((word) => state.has(word));
    const from = moved.get(unit) ?? tileOf(state.get(unit));
    if (!from) return [];
    const towards = words.map((word) => DIRECTIONS[word.toLowerCase()]).find(Boolean);
    const tile = tileOf(action) ?? tileOf(state.get(target));
    const to = tile ?? (towards && [from[0] + towards[0], from[1] + towards[1]]);
    if (!to || (to[0] === from[0] && to[1] === from[1])) return [];
    if (/^(move|walk|go)/.test(String(action.type))) moved.set(unit, [to[0], to[1]]);
    return [[from[0], from[1], to[0], to[1]]];
  });
}

/**
 * The better orders at a position, if it is in the turn of a lesson or just before it.
 * @param {import("arena/position").Position} position @returns {Arrow[]}
 */
export function adviceAt(position) {
  const { frame, replay, states } = position;
  const { content, explained } = replay;
  for (const { player, from_turn: number, better, instead } of explained?.lessons ?? []) {
    const turn = content.allTurns[content.indexOf(number)];
    const actions = instead?.actions ?? better;
    if (actions && turn && frame >= turn.first - 1 && frame < turn.last && position.knows(player))
      return arrowsOf(actions, states.at(turn.first - 1));
  }
  return [];
}

/**
 * @param {CanvasRenderingContext2D} g @param {(x: number, y: number) => [number, number]} place @param {Arrow[]} arrows
 */
export function drawArrows(g, place, arrows) {
  const unit = place(1, 0)[0] - place(0, 0)[0];
  const head = Math.max(7, unit * 0.26);
  [g.lineCap, g.lineJoin] = ["round", "round"];
  for (const [width, color] of /** @type {[number, string][]} */ ([
    [unit * 0.16, "rgb(0 0 0 / 65%)"],
    [unit * 0.09, BETTER_COLOR],
  ])) {
    [g.strokeStyle, g.fillStyle, g.lineWidth] = [color, color, Math.max(2, width)];
    for (const [fromX, fromY, toX, toY] of arrows) {
      const [x, y] = place(fromX + 0.5, fromY + 0.5);
      const [tipX, tipY] = place(toX + 0.5, toY + 0.5);
      const angle = Math.atan2(tipY - y, tipX - x);
      const at = (/** @type {number} */ back, /** @type {number} */ aside) =>
        /** @type {[number, number]} */ ([
          tipX - back * Math.cos(angle) - aside * Math.sin(angle),
          tipY - back * Math.sin(angle) + aside * Math.cos(angle),
        ]);
      g.setLineDash([unit * 0.22, unit * 0.2]);
      g.beginPath();
      g.moveTo(x, y);
      g.lineTo(...at(head, 0));
      g.stroke();
      g.setLineDash([]);
      g.beginPath();
      g.lineTo(tipX, tipY);
      g.lineTo(...at(head, head * 0.55));
      g.lineTo(...at(head, -head * 0.55));
      g.closePath();
      g.fill();
      if (color !== BETTER_COLOR) g.stroke();
    }
  }
}
