/** The result of both legs as one match, by legs won and then by scores, as in tournaments. */

import { clip, el, nameTag } from "arena/dom";
import { isVoid, scoreOf, whyOf, winnerOf } from "arena/outcome";
import { playersOf } from "arena/replay";

/** @typedef {import("arena/board").Board} Board */

/** @param {import("arena/legs").Legs} match @param {Board} board @returns {HTMLElement} */
export function matchCard(match, board) {
  const legs = match.all.map(({ content }) => content.footer);
  const people = playersOf(match.all[0].content).slice(0, 2);
  const points = [0, 1].map((who) => legs.map((footer, leg) => pointsOf(footer, seatOf(who, leg))));
  const scores = [0, 1].map((who) =>
    legs.map((footer, leg) => (isVoid(footer) ? 0 : scoreOf(footer, seatOf(who, leg)))),
  );
  const [title, why] = legs.every(isVoid)
    ? ["No result", "Both legs are void."]
    : verdictOf(people, points.map(sum), scores.map(sum), legs.every(Boolean));
  const head = legs.map((_, leg) =>
    el(
      "th",
      {},
      el("button.link", { onclick: () => match.show(leg), "aria-current": leg === match.number }, `Leg ${leg + 1}`),
    ),
  );
  const rows = people.map((one, who) => {
    const cells = legs.map((footer, leg) => {
      const seat = seatOf(who, leg);
      const role = clip(String(board.ask("roles")?.[seat] ?? `seat ${seat + 1}`), 20);
      return el(
        `td${footer && points[who][leg] === 1 ? ".won" : ""}`,
        {},
        el("b", {}, footer && !isVoid(footer) ? scores[who][leg] : "–"),
        el("small", {}, role),
      );
    });
    return el(
      "tr",
      {},
      el("th", {}, nameTag(one)),
      ...cells,
      el("td", {}, el("b", {}, sum(scores[who])), el("small", {}, `${sum(points[who])} won`)),
    );
  });
  const table = el(
    "table",
    {},
    el("thead", {}, el("tr", {}, el("td"), ...head, el("th", {}, "both"))),
    el("tbody", {}, ...rows),
  );
  const ends = legs.map((footer, leg) => {
    const why = whyOf(board, footer) || "not played to its end";
    return footer && `Leg ${leg + 1}: ${why}${isVoid(footer) ? "; void, does not count" : ""}`;
  });
  return el(
    "section.match",
    {},
    el("h2", {}, title),
    el("p.reason", {}, why),
    table,
    el("p.dim", {}, ends.filter(Boolean).join(" · ")),
  );
}

/** Contestant 0 is the player of seat 0 in the first leg. @param {number} who @param {number} leg */
const seatOf = (who, leg) => (leg % 2 ? 1 - who : who);

/** @param {number[]} values */
const sum = (values) => values.reduce((total, value) => total + value, 0);

/** @param {any} footer @param {number} seat @returns {number} 1 for a won leg, 0.5 for a draw, else 0 */
function pointsOf(footer, seat) {
  if (isVoid(footer)) return 0;
  const winner = winnerOf(footer);
  return winner < 0 ? 0.5 : Number(winner === seat);
}

/**
 * Returns two sentences: the winner, and the reason.
 * @param {{name: string}[]} people @param {number[]} points @param {number[]} scores @param {boolean} over
 */
function verdictOf(people, points, scores, over) {
  if (!over) return ["The match is not over", "One leg has no end yet."];
  const deciding = [points, scores].find(([one, other]) => one !== other);
  if (!deciding) return ["The match is drawn", "Equal legs and equal scores."];
  const best = deciding[0] > deciding[1] ? 0 : 1;
  const count = `${deciding[best]} to ${deciding[1 - best]}`;
  return [
    `${clip(people[best].name, 40)} wins the match`,
    deciding === points ? `By legs won, ${count}.` : `The legs are level; the scores of both decide, ${count}.`,
  ];
}
