/**
 * Draws any game without a board: what all players share on top, a card for each player with what they have, and
 * tables of everything else. What has changed since the turn before is highlighted.
 */

import { isNumber, ownerOf } from "arena/grid";
import { label, nameOf, numbersOf, sizesOf, words } from "arena/labels";
import { brush } from "arena/shapes";

/** @typedef {import("arena/states").State} State */
/** @typedef {import("arena/states").Thing} Thing */
/** @typedef {{text: string, id: string | null, changed: boolean}} Chip one card, coin or word of a list */
/**
 * @typedef {{name: string, text: string, by: string, changed: boolean, id: string, chips: Chip[] | null,
 *   cells: string[][] | null, picture: HTMLCanvasElement | null}} Row one field: a text, a list as chips, a table whose
 *   first line is its header, or an array of numbers as a picture
 */
/** @typedef {{title: string, color: string | null, id: string | null, rows: Row[]}} Block */
/**
 * @typedef {{size: number, columns: number, column: number, rows: number[], shared: number, below: number,
 *   height: number, empty: number}} Plan the places of the blocks; the unit of lengths is the size of the text
 */

const LIGHT = {
  panel: "#fffdf8",
  line: "#e2dacb",
  ink: "#221d18",
  dim: "#776d61",
  chip: "#f3eee2",
  mark: "#ffe3bd",
  edge: "#d98a3a",
  up: "#20744a",
  down: "#b53224",
};
const DARK = {
  panel: "#1f1b18",
  line: "#3a332d",
  ink: "#f3ece2",
  dim: "#a99d92",
  chip: "#322b26",
  mark: "#5b3a17",
  edge: "#eda35b",
  up: "#6ad79b",
  down: "#ff8d82",
};
const FONTS = "system-ui, sans-serif";
const SIZES = [64, 56, 48, 42, 36, 32, 28, 25, 22, 20, 18, 16, 14, 13, 12, 11, 10, 9, 8];
const [MOST_CHIPS, MOST_ROWS, MOST_CELLS] = [40, 24, 16];
/** Lengths; the unit is the size of the text. */
const [HEAD, LINE, CHIP, PAD, GAP, NARROW, WIDE, FOOT, PICTURE] = [2.3, 1.65, 2, 0.8, 0.7, 12, 24, 1.9, 14];

/** @param {HTMLCanvasElement} canvas @param {{players: {name: string, color: string}[], schema: any}} context */
export function createCards(canvas, { players, schema }) {
  const g = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const { rounded, dot } = brush(g);
  /** @type {Map<string, number>} */
  const widths = new Map();
  /** @type {{id: string, x: number, y: number, width: number, height: number}[]} */
  let shown = [];
  let tone = LIGHT;
  let size = 16;

  /** @param {State} before @param {State} after @param {number} _f @param {any[]} events @param {any} look */
  function draw(before, after, _f, events, look) {
    tone = look.dark ? DARK : LIGHT;
    shown = [];
    const since = look.since?.size ? look.since : before;
    const [shared, ...blocks] = blocksOf(after, since);
    const plan = fit(shared, blocks, look.width, look.height);
    size = plan.size;
    const across = plan.columns * plan.column + (plan.columns - 1) * GAP;
    const left = (look.width / size - across) / 2;
    let y = Math.max(GAP, (look.height / size - plan.height) / 2);
    g.save();
    g.scale(size, size);
    if (shared.rows.length) {
      drawShared(shared, left, y, across, plan.shared);
      y += plan.shared + GAP;
    }
    blocks.forEach((block, at) => {
      const row = Math.floor(at / plan.columns);
      const top = y + plan.rows.slice(0, row).reduce((sum, tall) => sum + tall + GAP, 0);
      const column = at % plan.columns;
      if (top * size < look.height)
        drawBlock(block, left + column * (plan.column + GAP), top, plan.column, plan.rows[row], look);
    });
    const said = events.map((event) => words(event)).join("  ·  ");
    if (said) text(clipped(said, across), left + across / 2, y + plan.below + FOOT / 2, { align: "center", dim: true });
    g.restore();
  }

  // -- what is shown -----------------------------------------------------------------------------------

  /** The shared block first, then one for each player, then the others. @param {State} state @param {State} since */
  function blocksOf(state, since) {
    /** @type {Block[]} */
    const cards = players.map(({ name, color }) => ({ title: name, color, id: null, rows: [] }));
    const root = rootOf(state);
    const shared = { title: "", color: null, id: "game", rows: root ? rowsOf(root, state, since) : [] };
    /** @type {Block[]} */
    const others = [];
    for (const [name, things] of Map.groupBy(state.values(), (thing) => thing.class)) {
      if (things[0] === root) continue;
      const owned = Map.groupBy(things, (thing) => seatOf(thing, state));
      const isOneEach = !owned.has(null) && [...owned.values()].every((mine) => mine.length === 1);
      for (const [seat, mine] of owned) {
        const card = seat === null ? null : cards[seat];
        if (card && isOneEach) card.rows.push(...rowsOf(mine[0], state, since));
        else if (card) card.rows.push(chipsRow(name, mine, state, since));
        else others.push(blockOf(name, mine, state, since));
        if (card && isOneEach) card.id ??= mine[0].id;
      }
    }
    if (root) splitOverPlayers(root, since.get(root.id), cards);
    return [shared, ...cards.filter(({ rows }) => rows.length), ...others.slice(0, MOST_ROWS)];
  }

  /** @param {State} state */
  function rootOf(state) {
    return state.get("game") ?? [...state.values()].find((thing) => thing.class === schema?.root);
  }

  /** @param {Thing} thing @param {State} state @returns {number | null} the player it belongs to */
  function seatOf(thing, state) {
    const seat = ownerOf(thing, state) ?? (isNumber(thing.index) ? thing.index : null);
    return seat !== null && players[seat] ? seat : null;
  }

  /** Whether a field of the root has one value per player: its description says "each player". @param {string} name */
  function isForPlayers(name) {
    const { type, doc } = schema?.classes?.[schema?.root]?.fields?.[name] ?? {};
    return /^\[(int|float|bool|str|any)/.test(String(type)) && /\b(each|every|per|all) players?\b/i.test(String(doc));
  }

  /** @param {Thing} root @param {Thing | undefined} was @param {Block[]} cards */
  function splitOverPlayers(root, was, cards) {
    for (const [name, value] of Object.entries(root)) {
      if (!Array.isArray(value) || value.length !== players.length || !isForPlayers(name)) continue;
      cards.forEach((card, at) => card.rows.push(row(name, value[at], was?.[name]?.[at], was !== undefined, root.id)));
    }
  }

  /** The name of the player whose object it is, or else the label of a thing. @param {Thing} thing */
  const called = (thing) => nameOf(thing, schema, players) || label(thing);

  /**
   * Whether a number is a player: its description begins with "Who" or "The player".
   * @param {any} kind @param {string} name
   */
  function saysWho(kind, name) {
    const { type, doc } = schema?.classes?.[kind]?.fields?.[name] ?? {};
    return /^int/.test(String(type)) && /^(who|the player)\b/i.test(String(doc));
  }

  /** @param {Thing} thing @param {State} state @param {State} since @returns {Row[]} */
  function rowsOf(thing, state, since) {
    const was = since.get(thing.id);
    const isRoot = thing.class === schema?.root || thing.id === "game";
    return Object.keys(thing)
      .filter((name) => !/^(id|class|index|owner|player)$/.test(name))
      .filter((name) => !(isRoot && (isForPlayers(name) || areAllOfAClass(thing[name], state))))
      .slice(0, MOST_ROWS)
      .map((name) => {
        const value = thing[name];
        if (value instanceof Uint8Array) return arrayRow(thing, name, was?.[name], rootOf(state));
        if (!Array.isArray(value) || !value.length)
          return row(name, value, was?.[name], was !== undefined, thing.id, state);
        return { ...blank(name, thing.id), chips: chipsOf(value, was?.[name], state, since) };
      });
  }

  /**
   * An array as a picture, from its least number (dark) to its greatest.
   * @param {Thing} thing @param {string} name @param {any} was @param {Thing | undefined} root @returns {Row}
   */
  function arrayRow(thing, name, was, root) {
    const field = schema?.classes?.[thing.class]?.fields?.[name] ?? {};
    const { numbers, columns, rows } = numbersOf(thing[name], field.dtype ?? "", sizesOf(field, thing, root));
    const row = { ...blank(name, thing.id), changed: was !== undefined && was !== thing[name] };
    if (!numbers.length) return { ...row, text: "empty" };
    let [least, most] = [Infinity, -Infinity];
    for (const one of numbers) [least, most] = [Math.min(least, one), Math.max(most, one)];
    if (rows < 2 && columns <= 8) return { ...row, text: Array.from(numbers, words).join(" ") };
    const text = `${field.dtype} ${rows} × ${columns}, ${words(least)} to ${words(most)}`;
    if (rows < 2 || columns < 2) return { ...row, text };
    const picture = document.createElement("canvas");
    [picture.width, picture.height] = [columns, rows];
    const to = /** @type {CanvasRenderingContext2D} */ (picture.getContext("2d"));
    const image = to.createImageData(columns, rows);
    for (let at = 0; at < columns * rows; at++) {
      const part = most > least ? (numbers[at] - least) / (most - least) : 0;
      image.data.set([40 + 215 * part, 30 + 190 * part ** 1.5, 70 + 60 * Math.sin(3 * part), 255], 4 * at);
    }
    to.putImageData(image, 0, 0);
    return { ...row, text, picture };
  }

  /**
   * Whether a list refers to all things of a class. Such a list is left out, because these things are shown anyway.
   * @param {any} value @param {State} state
   */
  function areAllOfAClass(value, state) {
    const first = Array.isArray(value) ? state.get(value[0]) : undefined;
    if (!first) return false;
    return [...state.values()].filter((thing) => thing.class === first.class).length === value.length;
  }

  /** @param {string} name @param {string} id @returns {Row} */
  function blank(name, id) {
    return {
      name: name.replaceAll("_", " "),
      text: "",
      by: "",
      changed: false,
      id,
      chips: null,
      cells: null,
      picture: null,
    };
  }

  /**
   * @param {string} name @param {any} value @param {any} was @param {boolean} known @param {string} id
   * @param {State} [state] @returns {Row}
   */
  function row(name, value, was, known, id, state) {
    const by = known && isNumber(value) && isNumber(was) ? value - was : 0;
    const changed = known && JSON.stringify(value) !== JSON.stringify(was);
    const found = typeof value === "string" ? state?.get(value) : undefined;
    const who = isNumber(value) && saysWho(state?.get(id)?.class, name) ? players[value]?.name : undefined;
    const said = who ?? (found ? called(found) : words(value));
    const step = who === undefined ? Number(by.toPrecision(6)) : 0;
    return { ...blank(name, id), text: said, by: step ? (step > 0 ? `+${step}` : `−${-step}`) : "", changed };
  }

  /** @param {any[]} value @param {any} was @param {State} state @param {State} since @returns {Chip[]} */
  function chipsOf(value, was, state, since) {
    const left = (Array.isArray(was) ? was : []).map((one) => JSON.stringify(one));
    return value.slice(0, MOST_CHIPS).map((one) => {
      const thing = typeof one === "string" ? state.get(one) : undefined;
      const at = left.indexOf(JSON.stringify(one));
      if (at >= 0) left.splice(at, 1);
      const changed = at < 0 || Boolean(thing && since.get(thing.id) && label(since.get(thing.id)) !== label(thing));
      return { text: thing ? called(thing) : words(one), id: thing?.id ?? null, changed: changed && was !== undefined };
    });
  }

  /** @param {string} name @param {Thing[]} things @param {State} state @param {State} since @returns {Row} */
  function chipsRow(name, things, state, since) {
    const was = [...since.values()].filter((thing) => thing.class === name).map(({ id }) => id);
    const ids = things.map(({ id }) => id);
    return { ...blank(`${name} × ${things.length}`, ids[0]), chips: chipsOf(ids, was, state, since) };
  }

  /** @param {string} name @param {Thing[]} things @param {State} state @param {State} since @returns {Block} */
  function blockOf(name, things, state, since) {
    const block = { title: name, color: null, id: things[0].id };
    if (things.length === 1) return { ...block, rows: rowsOf(things[0], state, since) };
    const fields = Object.keys(things[0]).filter(
      (field) => !/^(id|class)$/.test(field) && things.some((one) => one[field] !== null && one[field] !== ""),
    );
    if (fields.length < 3) return { ...block, rows: [chipsRow(name, things, state, since)], title: "" };
    const shownFields = fields.slice(0, 5);
    const lines = things.slice(0, MOST_CELLS).map((one) => [one.id, ...shownFields.map((field) => words(one[field]))]);
    const more = things.length > MOST_CELLS ? [[`+${things.length - MOST_CELLS}`, ...shownFields.map(() => "")]] : [];
    const cells = [["", ...shownFields.map((field) => field.replaceAll("_", " "))], ...lines, ...more];
    return { ...block, title: `${name} × ${things.length}`, rows: [{ ...blank("", things[0].id), cells }] };
  }

  // -- lengths; the unit is the size of the text -------------------------------------------------------

  /** @param {string} word @param {number} [weight] */
  function wide(word, weight = 600) {
    const key = `${weight} ${word}`;
    let width = widths.get(key);
    if (width === undefined) {
      g.font = `${weight} 100px ${FONTS}`;
      width = g.measureText(word).width / 100;
      if (widths.size > 5000) widths.clear();
      widths.set(key, width);
    }
    return width;
  }

  /** @param {string} word @param {number} most @returns {string} */
  function clipped(word, most) {
    if (wide(word) <= most) return word;
    let end = word.length;
    while (end > 1 && wide(`${word.slice(0, end)}…`) > most) end = Math.min(end - 1, Math.floor(end * 0.95));
    return `${word.slice(0, end).trimEnd()}…`;
  }

  /** @param {Chip} chip @param {number} most */
  const chipWidth = (chip, most) => Math.min(most, Math.max(1.45, wide(chip.text) + 0.8));

  /** Places of chips in lines. @param {Chip[]} chips @param {number} most */
  function flow(chips, most) {
    let [x, line] = [0, 0];
    return chips.map((chip) => {
      const width = chipWidth(chip, most);
      if (x > 0 && x + width > most) [x, line] = [0, line + 1];
      const place = { chip, x, line, width };
      x += width + 0.3;
      return place;
    });
  }

  /** @param {HTMLCanvasElement} picture @param {number} width */
  const pictureHeight = (picture, width) => Math.min(PICTURE, (width * picture.height) / picture.width);

  /** @param {HTMLCanvasElement} picture @param {number} x @param {number} y @param {number} width */
  function drawPicture(picture, x, y, width) {
    const tall = pictureHeight(picture, width);
    g.imageSmoothingEnabled = false;
    g.drawImage(picture, x, y, (tall * picture.width) / picture.height, tall);
  }

  /** @param {Row} one @param {number} most @returns {number} */
  function rowHeight(one, most) {
    if (one.cells) return one.cells.length * LINE;
    if (one.picture) return 2 * LINE + pictureHeight(one.picture, most) + 0.4;
    if (!one.chips) return wide(one.text) + wide(one.by) + wide(one.name, 400) + 1.4 > most ? 2 * LINE : LINE;
    const lines = (flow(one.chips, most).at(-1)?.line ?? 0) + 1;
    return LINE + (one.chips.length ? lines * (CHIP + 0.2) : 0);
  }

  /** @param {Block} block @param {number} width */
  const blockHeight = ({ rows, title }, width) =>
    rows.reduce((sum, one) => sum + rowHeight(one, width - 2 * PAD), (title ? HEAD : PAD) + PAD * 0.7);

  /** Tiles of the shared block: name above, value below. @param {Block} block @param {number} width */
  function tiles(block, width) {
    let [x, y, tall] = [PAD, PAD * 0.6, 0];
    return block.rows.map((one) => {
      const most = width - 2 * PAD;
      const chips = one.chips && flow(one.chips, most);
      const inside = chips
        ? Math.max(1.5, ...chips.map((place) => place.x + place.width))
        : one.picture
          ? Math.max(PICTURE, wide(one.text))
          : Math.min(most, 1.5 * wide(one.text) + (one.by ? wide(one.by) + 0.4 : 0));
      const across = Math.max(inside, wide(one.name, 400) * 0.85, 2.6) + 1.2;
      const down = 1.35 + (chips ? ((chips.at(-1)?.line ?? 0) + 1) * (CHIP + 0.2) : one.picture ? PICTURE + LINE : 2.1);
      if (x > PAD && x + across > width - PAD * 0.5) [x, y, tall] = [PAD, y + tall, 0];
      const place = { one, x, y, across, down };
      x += across;
      tall = Math.max(tall, down);
      return place;
    });
  }

  /** @param {Block} shared @param {number} width */
  const sharedHeight = (shared, width) =>
    shared.rows.length ? Math.max(...tiles(shared, width).map(({ y, down }) => y + down)) + PAD * 0.4 : 0;

  /**
   * The plan with the largest text that fits. If none fits, the plan with the smallest text and the least height.
   * @param {Block} shared @param {Block[]} blocks @param {number} width @param {number} height
   */
  function fit(shared, blocks, width, height) {
    /** @type {Plan | null} */
    let best = null;
    for (const tried of SIZES) {
      const room = width / tried - 2 * GAP;
      /** @type {Plan[]} */
      const fitting = [];
      for (let columns = Math.min(6, Math.max(1, blocks.length)); columns >= 1; columns--) {
        const column = Math.min(WIDE, (room - (columns - 1) * GAP) / columns);
        if (column < NARROW && columns > 1) continue;
        const across = columns * column + (columns - 1) * GAP;
        const rows = [];
        for (let at = 0; at < blocks.length; at += columns)
          rows.push(Math.max(...blocks.slice(at, at + columns).map((block) => blockHeight(block, column))));
        const below = rows.reduce((sum, tall) => sum + tall + GAP, 0);
        const top = sharedHeight(shared, across);
        const total = top + (top ? GAP : 0) + below + FOOT;
        const empty = rows.length * columns - blocks.length;
        const plan = { size: tried, columns, column, rows, shared: top, below, height: total, empty };
        if (total + GAP <= height / tried) fitting.push(plan);
        if (!best || tried < best.size || total < best.height) best = plan;
      }
      if (fitting.length) return fitting.reduce((one, other) => (other.empty < one.empty ? other : one));
    }
    return /** @type {Plan} */ (/** @type {unknown} */ (best));
  }

  // -- drawing -----------------------------------------------------------------------------------------

  /**
   * @param {string} said @param {number} x @param {number} y
   * @param {{align?: CanvasTextAlign, dim?: boolean, size?: number, weight?: number, fill?: string}} [how]
   */
  function text(said, x, y, { align = "left", dim = false, size: scale = 1, weight = dim ? 400 : 600, fill } = {}) {
    g.save();
    g.translate(x, y);
    g.scale(scale / 16, scale / 16);
    g.font = `${weight} 16px ${FONTS}`;
    g.textAlign = align;
    g.textBaseline = "middle";
    g.fillStyle = fill ?? (dim ? tone.dim : tone.ink);
    g.fillText(said, 0, 0);
    g.restore();
  }

  /** @param {string | null} id @param {number} x @param {number} y @param {number} width @param {number} height */
  function remember(id, x, y, width, height) {
    if (id) shown.push({ id, x: x * size, y: y * size, width: width * size, height: height * size });
  }

  /** @param {number} x @param {number} y @param {number} width @param {number} height @param {boolean} chosen */
  function panel(x, y, width, height, chosen) {
    rounded(x, y + 0.08, width, height, 0.7, "rgba(0,0,0,.10)");
    rounded(x, y, width, height, 0.7, tone.panel, chosen ? tone.edge : tone.line);
  }

  /** @param {Block} block @param {number} left @param {number} top @param {number} width @param {number} height */
  function drawShared(block, left, top, width, height) {
    panel(left, top, width, height, false);
    remember(block.id, left, top, width, height);
    const places = tiles(block, width);
    const used = Math.max(...places.map(({ x, across }) => x + across));
    const shift = (width - used - PAD * 0.2) / 2;
    for (const { one, x, y, across, down } of places) {
      const [at, middle] = [left + x + shift, top + y];
      if (one.changed) rounded(at - 0.1, middle + 0.1, across - 0.4, down - 0.25, 0.4, tone.mark);
      text(clipped(one.name, across * 1.1), at + 0.3, middle + 0.75, { dim: true, size: 0.85 });
      if (one.chips) drawChips(one.chips, at + 0.3, middle + 1.35, width - 2 * PAD);
      else if (one.picture) {
        drawPicture(one.picture, at + 0.3, middle + 1.35, PICTURE);
        text(one.text, at + 0.3, middle + down - LINE / 2 - 0.1, { dim: true, size: 0.85 });
      } else {
        text(clipped(one.text, (width - 2 * PAD) / 1.5), at + 0.3, middle + 2.2, { size: 1.5 });
        if (one.by) step(one.by, at + 0.3 + 1.5 * wide(one.text) + 0.35, middle + 2.25);
      }
    }
  }

  /**
   * @param {Block} block @param {number} x @param {number} y @param {number} width @param {number} height
   * @param {any} look
   */
  function drawBlock(block, x, y, width, height, look) {
    panel(x, y, width, height, block.id !== null && look.selected === block.id);
    remember(block.id, x, y, width, height);
    if (block.color) {
      g.save();
      g.beginPath();
      g.roundRect(x, y, width, height, 0.7);
      g.clip();
      g.fillStyle = block.color;
      g.fillRect(x, y, width, 0.32);
      g.globalAlpha = look.dark ? 0.16 : 0.1;
      g.fillRect(x, y, width, HEAD - 0.15);
      g.restore();
    }
    let top = y + PAD;
    if (block.title) {
      const indent = block.color ? 1.2 : 0;
      if (block.color) dot(x + PAD + 0.4, y + HEAD / 2 + 0.1, 0.4, block.color);
      text(clipped(block.title, width - 2 * PAD - indent), x + PAD + indent, y + HEAD / 2 + 0.1);
      top = y + HEAD;
    }
    for (const one of block.rows) {
      drawRow(one, x + PAD, top, width - 2 * PAD);
      top += rowHeight(one, width - 2 * PAD);
    }
  }

  /** @param {Row} one @param {number} x @param {number} y @param {number} width */
  function drawRow(one, x, y, width) {
    if (one.cells) return drawTable(one.cells, x, y, width);
    const height = rowHeight(one, width);
    remember(one.id, x, y, width, height);
    if (one.changed) rounded(x - 0.4, y + 0.08, width + 0.8, height - 0.16, 0.35, tone.mark);
    text(clipped(one.name, width), x, y + LINE / 2, { dim: true });
    if (one.chips) {
      if (!one.chips.length) text("none", x + width, y + LINE / 2, { align: "right", dim: true });
      return drawChips(one.chips, x, y + LINE, width);
    }
    if (one.picture) drawPicture(one.picture, x, y + LINE, width);
    const middle = y + height - LINE / 2;
    const after = one.by ? wide(one.by) * 0.85 + 0.35 : 0;
    text(clipped(one.text, width - after), x + width - after, middle, { align: "right" });
    if (one.by) step(one.by, x + width - after + 0.35, middle);
  }

  /** Draws by how much a number has changed. @param {string} by @param {number} x @param {number} y */
  function step(by, x, y) {
    text(by, x, y, { size: 0.85, fill: by.startsWith("+") ? tone.up : tone.down });
  }

  /** @param {Chip[]} chips @param {number} left @param {number} top @param {number} width */
  function drawChips(chips, left, top, width) {
    for (const { chip, x, line, width: across } of flow(chips, width)) {
      const y = top + line * (CHIP + 0.2);
      const hidden = chip.text === "?";
      rounded(
        left + x,
        y,
        across,
        CHIP - 0.1,
        0.3,
        chip.changed ? tone.mark : tone.chip,
        chip.changed ? tone.edge : tone.line,
      );
      text(clipped(chip.text, across - 0.5), left + x + across / 2, y + CHIP / 2, { align: "center", dim: hidden });
      remember(chip.id, left + x, y, across, CHIP);
    }
  }

  /** @param {string[][]} cells @param {number} x @param {number} y @param {number} width */
  function drawTable(cells, x, y, width) {
    const most = cells[0].map((_, at) => Math.max(...cells.map((line) => Math.min(10, wide(line[at])))) + 0.6);
    const scale =
      width /
      Math.max(
        1,
        most.reduce((sum, one) => sum + one, 0),
      );
    cells.forEach((line, number) => {
      let at = x;
      const middle = y + number * LINE + LINE / 2;
      if (number) remember(line[0], x, middle - LINE / 2, width, LINE);
      line.forEach((cell, column) => {
        const across = most[column] * scale;
        const dim = !number || !column;
        if (column) text(clipped(cell, across - 0.3), at + across, middle, { align: "right", dim });
        else text(clipped(cell, across - 0.3), at, middle, { dim });
        at += across;
      });
    });
  }

  /** @param {number} px @param {number} py @returns {string | null} */
  function pick(px, py) {
    const inside = shown.filter(({ x, y, width, height }) => px >= x && px <= x + width && py >= y && py <= y + height);
    return inside.at(-1)?.id ?? null;
  }

  return { draw, pick };
}
