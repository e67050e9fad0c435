/** How a match ended: what its footer says, in words. */

import { clip, finite } from "arena/dom";

/** @typedef {import("arena/board").Board} Board */

const WORDS = {
  won: "won",
  lost: "lost",
  drawn: "draw",
  timed_out: "ran out of time",
  crashed: "crashed",
  no_start: "did not start",
  no_build: "could not be built",
  bad_message: "sent a bad message",
  out_of_memory: "ran out of memory",
  refused_too_often: "was refused too often",
  resigned: "resigned",
  disqualified: "was disqualified",
  void: "void",
};

/** @param {any} footer @returns {boolean} whether the match is void, that is, does not count */
export const isVoid = (footer) => Array.from(footer?.players ?? [], (one) => one?.ending).includes("void");

/** @param {any} footer @param {number} seat @returns {number} */
export function scoreOf(footer, seat) {
  return finite(footer?.players?.[seat]?.score) ?? 0;
}

/** @param {any} footer @returns {number} the seat that won; -1 for none */
export function winnerOf(footer) {
  const winner = footer?.outcome?.winner;
  if (typeof winner === "number") return winner;
  const won = Array.from(footer?.players ?? [], (one, at) => (one?.ending === "won" ? at : -1)).filter((at) => at >= 0);
  return won.length === 1 ? won[0] : -1;
}

/** Whether a program played to the end of its match. @param {string} ending */
export const isRegular = (ending) => /^(won|lost|drawn|void|)$/.test(ending);

/** @param {string} ending @returns {string} */
export const endingWords = (ending) => /** @type {Record<string, string>} */ (WORDS)[ending] ?? ending;

/** The reason of an outcome in the words of the game. @param {Board} board @param {any} footer */
export const whyOf = (board, footer) =>
  clip(String(board.ask("reason", footer?.outcome ?? {}) ?? reasonOf(board, footer)), 200);

/** @param {Board} board @param {any} footer */
function reasonOf({ players }, footer) {
  const reason = footer?.outcome?.reason;
  if (reason !== "forfeit") return inWords(typeof reason === "string" ? reason : "");
  const failed = Array.from(footer.players ?? [], (one, at) => [players[at]?.name, String(one?.ending ?? "")]);
  const ends = failed.filter(([, ending]) => !isRegular(ending));
  return ends.length
    ? `${ends.map(([name, ending]) => `${clip(name, 40)} ${endingWords(ending)}`).join(", ")}.`
    : "The other side's program did not play to the end.";
}

/** @param {string} reason */
const inWords = (reason) => clip(reason, 200).replaceAll("_", " ").replaceAll("/", " – ");
