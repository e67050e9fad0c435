/** Converts columns to entries: see replays/arena_replays/columns.py, truth.py and frames.py. */

/** @typedef {import("arena/limits").Budget} Budget */

/** @param {any} column @param {number} count @param {Budget} budget @returns {any[]} */
function columnOf(column, count, budget) {
  const values = unfold(column, count, budget);
  must(values.length === count);
  return values;
}

/** @param {any} column @param {number} count @param {Budget} budget @returns {any[]} */
function unfold(column, count, budget) {
  const [form, first, second] = column;
  if (form === 2) return first;
  budget.take(form === 0 ? count : form === 1 ? second.length : form === 3 ? first.length : second.length / first);
  if (form === 0) return new Array(count).fill(first);
  if (form === 1) return Array.from(second, (/** @type {number} */ index) => first[index]);
  if (form === 3) {
    let last = 0;
    return first.map((/** @type {number | null} */ step) => {
      last += step ?? 0;
      return step === null ? null : last;
    });
  }
  must(form === 4 && first > 0);
  return Array.from({ length: second.length / first }, (_, at) => second.subarray(at * first, (at + 1) * first));
}

/** @param {any} packed @param {number} count @param {Budget} budget @returns {Record<string, any>[]} */
function mapsOf([shapes, which, columns], count, budget) {
  budget.takeEntries(count);
  which = columnOf(which, count, budget);
  const sizes = new Array(shapes.length).fill(0);
  for (const shape of which) sizes[shape]++;
  for (const [at, keys] of shapes.entries()) budget.take(2 * keys.length * sizes[at]);
  const values = shapes.map((/** @type {string[]} */ keys, /** @type {number} */ shape) =>
    keys.map((_, at) => columnOf(columns[shape][at], sizes[shape], budget)),
  );
  const at = new Array(shapes.length).fill(0);
  return which.map((/** @type {number} */ shape) => {
    const map = Object.create(null);
    shapes[shape].forEach(
      (/** @type {string} */ key, /** @type {number} */ k) => (map[key] = values[shape][k][at[shape]]),
    );
    at[shape]++;
    return map;
  });
}

/** @param {any} packed @param {number} count @param {Budget} budget @returns {any[][]} */
export function truthOf(packed, count, budget) {
  const kinds = columnOf(packed.kinds, count, budget);
  /** @type {Record<string, any[][]>} */
  const rowsOf = {};
  for (const kind of ["setup", "position", "do", "leave", "refuse", "turn", "seat"]) {
    const number = kinds.filter((other) => other === kind).length;
    if (number) rowsOf[kind] = truthRows[kind](packed[kind], number, budget).reverse();
  }
  return kinds.map((kind) => [kind, .../** @type {any[]} */ (rowsOf[kind].pop())]);
}

/** @type {Record<string, (packed: any, count: number, budget: Budget) => any[][]>} */
const truthRows = {
  setup: (packed, count, budget) => zip(packed, ["draws"], count, budget),
  position: (packed, count, budget) => zip(packed, ["state"], count, budget),
  do: (packed, count, budget) => zip(withActions(packed, count, budget), ["player", "actions", "draws"], count, budget),
  leave: (packed, count, budget) => zip(packed, ["player", "draws"], count, budget),
  refuse: (packed, count, budget) =>
    zip(withActions(packed, count, budget), ["player", "actions", "code", "message"], count, budget),
  seat: (packed, count, budget) =>
    zip({ skipped: [0, false], ...packed }, ["player", "ending", "detail", "skipped"], count, budget),
  turn: (packed, count, budget) => {
    const turns = zip(packed, ["number", "player", "wall", "cpu", "bank", "digest"], count, budget);
    const banks = new Map();
    for (const turn of turns) {
      if (turn[4] !== null) turn[4] += (banks.get(turn[1]) ?? 0) - turn[2];
      banks.set(turn[1], turn[4]);
    }
    return turns;
  },
};

/** @param {any} packed @param {number} count @param {Budget} budget */
function withActions(packed, count, budget) {
  const actions = mapsOf(packed.actions, count, budget).map((action) => {
    const keys = Object.keys(action);
    return keys.length === 1 && keys[0] === "" ? action[""] : action;
  });
  return { ...packed, actions: [2, actions] };
}

/** @param {any} packed @param {string[]} names @param {number} count @param {Budget} budget */
function zip(packed, names, count, budget) {
  const columns = names.map((name) => columnOf(packed[name], count, budget));
  return Array.from({ length: count }, (_, at) => columns.map((column) => column[at]));
}

/** @param {any} packed @param {number} count @param {Budget} budget */
export const notesOf = (packed, count, budget) =>
  zip({ refused: [0, 0], ...packed }, ["turn", "frame", "player", "kind", "payload", "refused"], count, budget);

/** @param {any} packed @param {number} count @param {Budget} budget @returns {any[][]} */
export function framesOf(packed, count, budget) {
  const changes = columnOf(packed.changes, count, budget);
  const triples = sum(changes);
  budget.take(3 * triples);
  const ids = columnOf(packed.ids, triples, budget);
  const which = columnOf(packed.which, triples, budget);
  const values = valuesOf(packed.values, ids, which, packed.fields.length, budget);
  const happened = columnOf(packed.events, count, budget);
  const effects = mapsOf(packed.effects, sum(happened), budget);
  let at = 0;
  let effect = 0;
  return changes.map((size, frame) => {
    const delta = [];
    for (const end = at + size; at < end; at++) delta.push(ids[at], packed.fields[which[at]], values[at]);
    effect += happened[frame];
    return [delta, effects.slice(effect - happened[frame], effect)];
  });
}

/**
 * @param {any[]} columns @param {string[]} ids @param {number[]} which @param {number} fields
 * @param {Budget} budget
 */
function valuesOf(columns, ids, which, fields, budget) {
  /** @type {number[][]} */
  const positions = Array.from({ length: fields }, () => []);
  which.forEach((field, at) => positions[field].push(at));
  const values = new Array(ids.length);
  positions.forEach((places, field) => {
    const column = columns[field];
    if (column[0] !== 3) {
      columnOf(column, places.length, budget).forEach((value, at) => (values[places[at]] = value));
      return;
    }
    must(column[1].length === places.length);
    const last = new Map();
    places.forEach((place, at) => {
      const step = column[1][at];
      const value = step === null ? null : (last.get(ids[place]) ?? 0) + step;
      if (value !== null) last.set(ids[place], value);
      values[place] = value;
    });
  });
  return values;
}

/** @param {number[]} sizes */
function sum(sizes) {
  must(sizes.every((size) => Number.isInteger(size) && size >= 0));
  return sizes.reduce((one, other) => one + other, 0);
}

/** @param {boolean} condition */
export function must(condition) {
  if (!condition) throw new Error("makes no sense");
}
