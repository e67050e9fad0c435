/** The marks on the timeline: refusals, endings, what the game finds important, and lessons. */

import { signOf } from "arena/chances";
import { finite } from "arena/dom";

/** @typedef {import("arena/timeline").Mark} Mark */
/** @typedef {import("arena/position").Position} Position */
/** @typedef {import("arena/board").Board} Board */

const MOST_SHOWN = 5000;
const MOST_MARKS = 20000;
/** The events of longer matches are not searched for marks, since that would decode the whole match. */
const MOST_FRAMES = 20_000;

/**
 * Keeps the marks on the timeline up to date.
 * @param {Position} position @param {Board} board @param {import("arena/timeline").Timeline} timeline
 * @param {Mark | null} difference where two matches part
 */
export function keepMarks(position, board, timeline, difference) {
  /** @type {Mark[]} the marks of the match itself, without lessons */
  let known = [];
  const show = () => timeline.setMarks([...known, ...lessonMarks(position)]);
  const renew = () => {
    known = refusals(position);
    known.push(...gameMarks(position, board, MOST_MARKS - known.length), ...endings(position));
    if (difference) known.push(difference);
    show();
  };
  position.replay.addEventListener("grow", renew);
  position.replay.addEventListener("explained", show);
  position.addEventListener("eyes", renew);
}

/** @param {Position} position @returns {Mark[]} */
function refusals(position) {
  const { content } = position.replay;
  const shown = content.refusals.slice(0, MOST_SHOWN).filter(({ player }) => position.knows(player));
  return shown.map(({ turn, frame, player, code }) => {
    return {
      turn: content.turnAt(turn),
      frame,
      player,
      kind: "refusal",
      label: `refused: ${code.replaceAll("_", " ")}`,
    };
  });
}

/** @param {Position} position @param {Board} board @param {number} most */
function gameMarks(position, board, most) {
  /** @type {Mark[]} */
  const marks = [];
  const { states } = position;
  if (states.frames.length > MOST_FRAMES) return marks;
  states.frames.forEach((one, frame) => {
    for (const event of one.events) {
      const found = marks.length < most && board.ask("mark", event, () => states.at(frame - 1));
      if (!found) continue;
      const turn = position.turnOf(frame);
      marks.push({ turn, frame, player: found.player, kind: "game", label: String(found.label) });
    }
  });
  return marks;
}

/** @param {Position} position @returns {Mark[]} */
function endings(position) {
  const { content } = position.replay;
  const last = content.allTurns.length - 1;
  const failed = content.endings.map(({ turn, frame, player, ending }) => {
    const at = Math.min(content.turnAt(turn), last);
    return /** @type {Mark} */ ({ turn: at, frame, player, kind: "ending", label: ending.replaceAll("_", " ") });
  });
  return [...failed, ...eliminations(position)];
}

/**
 * The players who were out by the rules, as far as the end of the file says.
 * @param {Position} position @returns {Mark[]}
 */
function eliminations(position) {
  const { content } = position.replay;
  const players = Array.isArray(content.footer?.players) ? content.footer.players : [];
  return players.flatMap((/** @type {any} */ one, /** @type {number} */ player) => {
    const frame = finite(one?.out);
    if (frame === null || frame > position.last) return [];
    return [{ turn: Math.max(0, position.turnOf(frame)), frame, player, kind: "ending", label: "out" }];
  });
}

/** The turns of the lessons that cost much, as far as they are known. @param {Position} position @returns {Mark[]} */
export function lessonMarks(position) {
  const { content, explained } = position.replay;
  return (explained?.lessons ?? []).flatMap((lesson) => {
    const [turn, last] = [content.indexOf(lesson.from_turn), content.indexOf(lesson.to_turn)];
    const sign = signOf(lesson);
    if (!sign || !content.allTurns[turn] || !position.knows(lesson.player)) return [];
    const label = `${sign} ${Math.round(100 * lesson.price.value)} %: ${lesson.text}`;
    const { player } = lesson;
    return [{ turn, last, frame: content.allTurns[turn].first, player, kind: "lesson", sign, label }];
  });
}
