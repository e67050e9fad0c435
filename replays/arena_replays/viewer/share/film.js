/** Makes pictures and animated pictures of a match, on a board of their own: what the page shows stays as it is. */

import { Board } from "arena/board";
import { finite } from "arena/dom";
import { Gif } from "arena/gif";
import { Position } from "arena/position";
import { gridOf } from "arena/rulers";
import { standing } from "arena/scores";

/** @typedef {{frame: number, fraction: number, time: number}} Shot `time` in hundredths of a second */
/**
 * @typedef {{position: Position, playback: import("arena/playback").Playback, board: Board,
 *   look: import("arena/look").Look, replay: import("arena/replay").Replay, legs: import("arena/legs").Legs,
 *   links: import("arena/links").Links | null,
 *   createRenderer: (canvas: HTMLCanvasElement, context: any) => any}} Filmed what the page shows
 */

/** Width of a film and of a single picture, in pixels. */
const [FILM, PICTURE] = [560, 1200];
const HEAD = 34;
/** The longest film of a stretch in seconds; longer stretches are filmed faster. Some programs stop films then. */
export const LONGEST = 20;
/** Hundredths of a second for a picture of a stretch: smooth, and no program shows it more slowly. */
const STEP = 8;
/** Hundredths of a second for a picture of a turn in the film of a whole match, and for the last picture of each. */
const [TURN, LAST] = [12, 150];
/** The number of pictures whose colours become those of a film. */
const SAMPLES = 6;

/** A board that nobody sees, with the names, scores and the turn above it. */
class Stage {
  /** @param {Filmed} app @param {number} width */
  constructor(app, width) {
    const { position, replay } = app;
    this.position = new Position(replay);
    this.position.grow();
    Object.assign(this.position, { drawn: position.drawn, selected: position.selected, stream: position.stream });
    this.look = { dark: app.look.dark, still: false };
    const [columns, rows] = gridOf(replay.streams[0].at(0), replay.schema) ?? [16, 10];
    const host = document.createElement("div");
    host.className = "stage studio";
    host.style.width = `${width}px`;
    host.style.height = `${Math.round(width * Math.max(0.5, Math.min(1, rows / columns)))}px`;
    document.body.append(host);
    this.board = new Board(host, app.createRenderer, replay);
    this.board.zoom.place = app.board.zoom.place;
    this.head = Math.round((HEAD * width) / FILM);
    this.canvas = document.createElement("canvas");
    [this.canvas.width, this.canvas.height] = [width, host.clientHeight + this.head];
    this.paper = /** @type {CanvasRenderingContext2D} */ (
      this.canvas.getContext("2d", { willReadFrequently: width === FILM })
    );
    this.series = standing(this.board.ask("series"));
  }

  /** @param {number} frame @param {number} [fraction] */
  draw(frame, fraction = 1) {
    const { board, canvas, head, look, paper, position } = this;
    Object.assign(position, { frame, fraction });
    board.show(position, look);
    paper.fillStyle = getComputedStyle(document.body).backgroundColor;
    paper.fillRect(0, 0, canvas.width, canvas.height);
    paper.drawImage(board.canvas, 0, head, canvas.width, canvas.height - head);
    this.heading();
  }

  /** @param {Shot} shot @returns {Uint8ClampedArray} */
  shoot({ frame, fraction }) {
    this.draw(frame, fraction);
    return this.paper.getImageData(0, 0, this.canvas.width, this.canvas.height).data;
  }

  /** Writes names, scores and the turn above the board. */
  heading() {
    const { canvas, head, paper, position, series } = this;
    const { content, players } = position.replay;
    const unit = head / HEAD;
    const middle = head / 2;
    const turn = `${content.numberOf(position.turn)}/${content.lastTurn}`;
    const room = (canvas.width - 70 * unit) / Math.max(1, players.length);
    paper.font = `600 ${(room > 150 * unit ? 15 : 11) * unit}px system-ui, sans-serif`;
    paper.textBaseline = "middle";
    paper.textAlign = "left";
    const ink = getComputedStyle(document.body).color;
    players.forEach((player, at) => {
      const value = finite(series?.value(position.state, at));
      const score = value === null ? "" : ` ${value}`;
      const left = 8 * unit + at * room;
      paper.fillStyle = player.color;
      paper.beginPath();
      paper.arc(left + 5 * unit, middle, 5 * unit, 0, 7);
      paper.fill();
      paper.fillStyle = ink;
      const fits = (/** @type {string} */ text) => paper.measureText(`${text}${score}`).width <= room - 24 * unit;
      let { name } = player;
      for (let most = name.length - 1; most > 0 && !fits(name); most--) name = `${player.name.slice(0, most)}…`;
      paper.fillText(`${name}${score}`, left + 15 * unit, middle);
    });
    paper.textAlign = "right";
    paper.fillText(turn, canvas.width - 8 * unit, middle);
  }

  close() {
    this.board.host.remove();
  }
}

/** A picture of the moment that the page shows. @param {Filmed} app @returns {Promise<Blob>} */
export async function picture(app) {
  const stage = new Stage(app, PICTURE);
  try {
    stage.draw(app.position.frame, app.position.fraction);
    return await new Promise((resolve, reject) =>
      stage.canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The browser made no picture.")))),
    );
  } finally {
    stage.close();
  }
}

/**
 * An animated picture.
 * @param {Filmed} app @param {Shot[]} shots @param {(share: number) => void} [progress] from 0 to 1
 */
export async function film(app, shots, progress = () => undefined) {
  const stage = new Stage(app, FILM);
  try {
    const apart = (shots.length - 1) / (SAMPLES - 1);
    const samples = Array.from({ length: SAMPLES }, (_, at) => stage.shoot(shots[Math.round(at * apart)]));
    const gif = new Gif(stage.canvas.width, stage.canvas.height, samples);
    for (const [at, shot] of shots.entries()) {
      gif.add(stage.shoot(shot), shot.time);
      progress((at + 1) / shots.length);
      await new Promise((resolve) => setTimeout(resolve)); // the page answers meanwhile
    }
    return gif.end();
  } finally {
    stage.close();
  }
}

/** A picture of the start, and one of each turn. @param {Filmed} app @returns {Shot[]} */
export function turns({ position }) {
  const ends = [0, ...position.turns.map(({ index }) => position.endOf(index))];
  return held(ends.map((frame) => ({ frame, fraction: 1, time: TURN })));
}

/**
 * The movements of some turns.
 * @param {Filmed} app @param {number} first the index of a turn @param {number} last
 * @returns {Shot[]}
 */
export function stretch({ playback, position }, first, last) {
  const frames = [];
  for (let frame = position.turns[first].first; frame <= position.endOf(last); frame++) frames.push(frame);
  const speed = speedOf(playback, frames);
  const shots = [];
  let late = 0; // milliseconds of the film since the last picture
  for (const frame of frames) {
    const length = playback.lengthOf(frame) / speed;
    for (; late < length; late += 10 * STEP) shots.push({ frame, fraction: late / length, time: STEP });
    late -= length;
  }
  return held([...shots, { frame: position.endOf(last), fraction: 1, time: STEP }]);
}

/** The length of a film of some turns, in seconds. @param {Shot[]} shots */
export const lengthOf = (shots) => shots.reduce((sum, { time }) => sum + time, 0) / 100;

/** @param {import("arena/playback").Playback} playback @param {number[]} frames */
function speedOf(playback, frames) {
  const all = frames.reduce((sum, frame) => sum + playback.lengthOf(frame), 0);
  return Math.max(playback.speed, all / (1000 * LONGEST - 10 * (LAST + STEP)));
}

/** Holds the last picture. @param {Shot[]} shots */
const held = (shots) => shots.map((shot, at) => (at === shots.length - 1 ? { ...shot, time: LAST } : shot));
