/** Charts over turns: the game's series, the numbers that bots logged, and the clocks. */

import { el, fill, finite, textScale } from "arena/dom";
import uPlot from "uplot";

const AT_ONCE = 2;
const HEIGHT = 118;
const NUMBERS_WIDTH = 50; // the room for the numbers at the left
/** Of a match with more turns, the charts show only some. */
const MOST_TURNS = 2000;
const SHOWN_TURNS = 200;
/** The steps between numbers of turns on an axis. */
const WHOLE = [0, 1, 2, 3, 4, 5].flatMap((zeros) => [1, 2, 5].map((step) => step * 10 ** zeros));

/**
 * @typedef {{title: string, track?: string, lines: {label: string, color: string, values: (number | null)[]}[]}} Chart
 * `track` is the name of logged numbers, which the timeline can show as well
 */

export class Charts {
  /**
   * @param {import("arena/position").Position} position @param {import("arena/board").Board} board
   * @param {import("arena/look").Look} look @param {import("arena/timeline").Timeline} timeline
   * @param {import("arena/thoughts").LoggedNumbers} logged
   */
  constructor(position, board, look, timeline, logged) {
    this.position = position;
    this.replay = position.replay;
    this.board = board;
    this.look = look;
    this.timeline = timeline;
    this.logged = logged;
    this.node = el("div.charts");
    /** @type {uPlot[]} */
    this.plots = [];
    /** @type {Map<uPlot, HTMLElement>} the line at the turn that is shown; it moves without drawing a chart again */
    this.lines = new Map();
    /** @type {{chart: Chart, box: HTMLElement}[]} the charts that are not drawn yet */
    this.left = [];
    this.made = "";
    /** @type {import("arena/reader").Turn[]} the turns in the charts */
    this.turns = [];
    new ResizeObserver(() => this.resize()).observe(this.node);
  }

  /** Draws the charts if they are visible. Draws them again after new turns or a change of colours. */
  show() {
    const { content } = this.replay;
    const { stream } = this.position;
    const key = `${content.allTurns.length}-${content.noted}-${this.look.dark}-${stream}-${content.ended}`;
    if (!this.node.clientWidth) return;
    if (key !== this.made) {
      this.made = key;
      this.build();
    }
    for (const plot of this.plots) if (plot.status === 1) this.mark(plot); // the others are not drawn yet
  }

  /** Moves a chart's line to the turn that is shown. @param {uPlot} plot */
  mark(plot) {
    const turn = this.replay.content.numberOf(Math.max(0, this.position.turn));
    const moved = `${Math.round(plot.valToPos(turn, "x"))}px`;
    const { style } = /** @type {HTMLElement} */ (this.lines.get(plot));
    if (style.translate !== moved) style.translate = moved;
  }

  clear() {
    for (const plot of this.plots) plot.destroy();
    this.plots = [];
    this.lines.clear();
    this.left = [];
  }

  build() {
    this.clear();
    const { timeline } = this;
    const { content } = this.replay;
    this.turns = shownOf(content.allTurns);
    if (!content.allTurns.length) return fill(this.node, el("p.empty", {}, "No turn has been played yet."));
    const charts = [...this.gameCharts(), ...this.loggedCharts(), ...this.clockCharts()];
    const boxes = charts.map(({ title, track }) => {
      const pin = () => {
        timeline.showTrack(timeline.track === track ? "" : String(track));
        this.build();
      };
      const on = timeline.track === track;
      const button = track && el("button.pin", { "aria-pressed": String(on), onclick: pin }, "on the timeline");
      return el("figure", {}, el("figcaption", {}, title, button, el("output.values"), el("span.files")));
    });
    fill(this.node, ...boxes);
    const several = this.turns.length > 1;
    const flat = charts.map(({ lines }) => (several ? constantOf(lines.flatMap(({ values }) => values)) : undefined));
    flat.forEach((value, at) => {
      const text = value === null || value === undefined ? "no values" : `always ${tickText(value)}`;
      if (value !== undefined) fill(boxes[at].querySelector("output"), document.createTextNode(text));
      boxes[at].classList.toggle("flat", value !== undefined);
    });
    this.left = charts.map((chart, at) => ({ chart, box: boxes[at] })).filter((_, at) => flat[at] === undefined);
    this.plotNext(AT_ONCE);
  }

  /** Draws the next charts. Each animation frame draws one, since all at once would stop the page for a moment. */
  plotNext(count = 1) {
    const now = this.left.splice(0, count);
    this.plots.push(...now.map(({ chart, box }) => this.plot(chart, box)));
    const { left } = this;
    if (left.length) requestAnimationFrame(() => left === this.left && this.plotNext());
  }

  /** @returns {Chart[]} */
  gameCharts() {
    const { players } = this.replay;
    const series = (this.board.renderer.series?.() ?? []).slice(0, 12);
    const rows = this.position.states.visit(
      this.turns.map((turn) => turn.last - 1),
      (state) => series.map((/** @type {any} */ one) => players.map((_, at) => finite(one.value(state, at)))),
    );
    return series.map((/** @type {any} */ one, /** @type {number} */ which) => ({
      title: one.title ?? String(one.name).replaceAll("_", " "),
      lines: players.map((player, at) => ({
        label: player.name,
        color: player.color,
        values: rows.map((row) => row[which][at]),
      })),
    }));
  }

  /** Charts of the numbers that bots logged. @returns {Chart[]} */
  loggedCharts() {
    return this.logged.all.map(({ name, values }) => ({
      title: `“${name}”, logged by the bots`,
      track: name,
      lines: this.replay.players.flatMap((player, at) =>
        values[at].some((value) => value !== null)
          ? [{ label: player.name, color: player.color, values: this.turns.map(({ index }) => values[at][index]) }]
          : [],
      ),
    }));
  }

  /** @returns {Chart[]} */
  clockCharts() {
    const { players, content } = this.replay;
    const { turns } = this;
    /** @param {"wall" | "cpu" | "bank"} field @param {number} unit */
    const line = (field, unit) =>
      players.map((player, at) => ({
        label: player.name,
        color: player.color,
        values: turns.map((turn) => valueIn(turn.times.find((time) => time.player === at)?.[field], unit)),
      }));
    const some = (/** @type {"cpu" | "bank"} */ field) =>
      turns.some(({ times }) => times.some((time) => time[field] !== null));
    const used = { title: "time used per turn, ms", lines: line("wall", 1000) };
    const limit = finite(content.header.clock?.turn);
    const most = turns.flatMap(({ times }) => times).reduce((high, { wall }) => Math.max(high, wall ?? 0), 0);
    // a distant limit would make the other lines flat
    if (limit !== null && most > limit * 1e5)
      used.lines.push({ label: "limit", color: "#e5484d", values: turns.map(() => limit * 1000) });
    else if (limit !== null) used.title += ` (limit ${limit} s)`;
    return [
      used,
      ...(some("cpu") ? [{ title: "processor time per turn, ms", lines: line("cpu", 1000) }] : []),
      ...(some("bank") ? [{ title: "time left on the clock, s", lines: line("bank", 1e6) }] : []),
    ];
  }

  /** @param {Chart} chart @param {HTMLElement} host */
  plot(chart, host) {
    const style = getComputedStyle(this.node);
    const scale = textScale();
    const axis = {
      stroke: style.color,
      grid: { stroke: style.outlineColor, width: 1 },
      ticks: { show: false },
      font: `${11 * scale}px system-ui, sans-serif`,
    };
    const { content } = this.replay;
    const turns = this.turns.map((turn) => turn.number);
    const plot = new uPlot(
      {
        width: Math.max(120, this.node.clientWidth - 4),
        height: HEIGHT * scale,
        legend: { show: false },
        // the pointer over one chart shows the values of all charts
        cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false }, sync: { key: "turns" } },
        scales: {
          x: {
            time: false,
            range: (_plot, low, high) => (turns.length > 1 ? [low, high] : [turns[0] - 1, turns[0] + 1]),
          },
          y: { range: (_plot, low, high) => rangeOf(low, high) },
        },
        axes: [
          {
            ...axis,
            size: 22 * scale,
            space: 60 * scale,
            incrs: WHOLE,
            values: (_plot, ticks) => ticks.map((at) => (turns[0] <= at && at <= content.lastTurn ? at : "")),
          },
          {
            ...axis,
            size: scale * NUMBERS_WIDTH, // the same for all charts, so that equal turns are below each other
            space: 24 * scale,
            values: (_plot, ticks) => ticks.map(tickText),
          },
        ],
        series: [
          {},
          ...chart.lines.map((line) => ({
            label: "",
            stroke: line.color,
            width: 1.75 * scale,
            spanGaps: true,
            points: { show: line.values.filter((value) => value !== null).length === 1, size: 7 * scale },
          })),
        ],
        hooks: {
          draw: [(/** @type {uPlot} */ drawn) => this.mark(drawn)],
          setCursor: [(/** @type {any} */ drawn) => this.showValues(chart, drawn.cursor.idx ?? null, host)],
        },
      },
      /** @type {any} */ ([turns, ...chart.lines.map((line) => line.values)]),
      host,
    );
    this.offer(chart, plot, host);
    this.lines.set(plot, el("i.now"));
    plot.over.append(/** @type {HTMLElement} */ (this.lines.get(plot)));
    plot.over.addEventListener("click", () => {
      const turn = this.turns[plot.cursor.idx ?? -1];
      if (turn) this.position.seekTurn(turn.index);
    });
    return plot;
  }

  /** Shows the values under the pointer. @param {Chart} chart @param {number | null} at @param {HTMLElement} host */
  showValues(chart, at, host) {
    const output = /** @type {HTMLElement} */ (host.querySelector("output"));
    const turn = at === null ? undefined : this.turns[at];
    if (!turn || at === null) return fill(output);
    const values = chart.lines.map(({ values: line, color }) => {
      const node = el("b", {}, finite(line[at]) === null ? "–" : tickText(Number(line[at])));
      node.style.setProperty("--team", color);
      return node;
    });
    fill(output, document.createTextNode(`turn ${turn.number}: `), ...values);
  }

  /**
   * Offers the values of a chart as a file, and its picture.
   * @param {Chart} chart @param {any} plot @param {HTMLElement} host
   */
  offer(chart, plot, host) {
    const name = chart.title.replace(/\W+/g, "-").toLowerCase();
    const csv = () => save(`${name}.csv`, new Blob([csvOf(chart, this.turns)], { type: "text/csv" }));
    const png = () => plot.ctx.canvas.toBlob((/** @type {Blob} */ picture) => save(`${name}.png`, picture));
    const files = /** @type {HTMLElement} */ (host.querySelector(".files"));
    const kind = (/** @type {string} */ face, /** @type {() => void} */ onclick) =>
      el("button.save", { onclick, "aria-label": `${chart.title} as ${face}`, title: `Save as ${face}` }, face);
    fill(files, kind("CSV", csv), kind("PNG", png));
  }

  resize() {
    this.show();
    const size = { width: Math.max(120, this.node.clientWidth - 4), height: HEIGHT * textScale() };
    for (const plot of this.plots) plot.setSize(size);
  }
}

/** The turns to show: all, or some of very many. @param {import("arena/reader").Turn[]} turns */
function shownOf(turns) {
  if (turns.length <= MOST_TURNS) return turns;
  return Array.from(
    { length: SHOWN_TURNS },
    (_, at) => turns[Math.floor((at * (turns.length - 1)) / (SHOWN_TURNS - 1))],
  );
}

/** @param {number | null | undefined} value @param {number} unit */
const valueIn = (value, unit) => (typeof value === "number" ? value / unit : null);

/**
 * The only value of a chart; null for a chart without values, undefined for one with several.
 * @param {(number | null)[]} values
 */
function constantOf(values) {
  const known = new Set(values.filter((value) => value !== null));
  return known.size > 1 ? undefined : (known.values().next().value ?? null);
}

/**
 * The lowest and the highest value of an axis. If all values are equal, their line is in the middle.
 * @param {number | null} low @param {number | null} high
 */
function rangeOf(low, high) {
  const [from, to] = [low ?? 0, high ?? 0];
  const room = to > from ? (to - from) * 0.06 : Math.max(1, Math.abs(from) * 0.1);
  return /** @type {[number, number]} */ ([from >= 0 && from < room && to > from ? 0 : from - room, to + room]);
}

/** @param {number} value */
const tickText = (value) =>
  Math.abs(value) >= 1e4 ? value.toLocaleString("en", { notation: "compact" }) : String(Number(value.toPrecision(6)));

/** The values of a chart as a CSV file. @param {Chart} chart @param {import("arena/reader").Turn[]} turns */
function csvOf({ lines }, turns) {
  const rows = turns.map(({ number }, at) => [number, ...lines.map(({ values }) => values[at] ?? "")].map(String));
  const all = [["turn", ...lines.map(({ label }) => label)], ...rows];
  return `${all.map((row) => row.map(cell).join(",")).join("\n")}\n`;
}

/** A cell of a CSV file. A spreadsheet must not take it for a formula. @param {string} text */
function cell(text) {
  const safe = /^[=+@\t\r]|^-(?![\d.]+$)/.test(text) ? `'${text}` : text;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Lets the browser save a file. @param {string} name @param {Blob} content */
function save(name, content) {
  const href = URL.createObjectURL(content);
  el("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}
