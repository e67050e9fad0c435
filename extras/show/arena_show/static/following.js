/**
 * Follows the show: asks the server for its state again and again, and goes on by itself after a restart of the server.
 *
 * @typedef {{path: string, color: string}} Sign the pattern of a team
 * @typedef {{name: string, sign: Sign, picture?: string | null, colour?: number, lines?: string[], record?: string,
 *   style?: string, score?: string | number | null, won?: boolean}} Player
 * @typedef {{title: string, players: Player[], at?: string | null}} Coming an encounter that comes next
 * @typedef {{place: number | string, name: string, sign: Sign, points: string | number, moved?: number,
 *   out?: boolean}} Row
 * @typedef {{id: string, kind: string, title?: string, text?: string, reason?: string, place?: any, match?: string,
 *   watch?: string, players?: Player[], between?: string, paused?: boolean, moment?: {title: string} | null,
 *   leads?: {player: number, share: number, shares?: number[], text: string, gained?: number} | null,
 *   claims?: {player: number, win: number}[], rows?: Row[], drawing?: any, focus?: string[], name?: string,
 *   sign?: Sign, picture?: string | null, until?: string | null, address?: string, qr?: string}} Scene
 * @typedef {{id: string, kind: string, title: string, minutes: number, done: boolean}} Step
 * @typedef {{revision: string, now: number, contest: string, game: string, logo?: string | null, step: number,
 *   steps: number | null, blank: boolean, ends?: string | null, role?: string | null, code?: string, scene: Scene,
 *   next?: Coming | null, queue?: Coming[], announcements?: string[], notes?: string[], moment?: boolean,
 *   applause?: number, predictions?: any}} State
 */

// The first pause is short since a server is back within a second or two; the longest one spares a server that is not.
const [FIRST, LONGEST] = [100, 1000]; // milliseconds
const SILENCE = 30_000; // milliseconds after which an answer does not come any more: the cable was pulled

let skew = 0; // milliseconds by which this machine's clock is behind the server's

export const now = () => new Date(Date.now() + skew);
export const sleep = (/** @type {number} */ time) => new Promise((resolve) => setTimeout(resolve, time));

/**
 * @param {string} address of the state, to which `after=REVISION` is appended
 * @param {(state: any) => void} show called with each new state
 * @param {(status: number) => void} lost called with 0 when the server does not answer, with the status of a refusal,
 *   and with 200 when all is well again
 */
export async function follow(address, show, lost) {
  let [revision, pause, status, waking] = ["", FIRST, 200, new AbortController()];
  const wake = () => document.hidden || waking.abort(); // the answer of before a phone slept does not come any more
  document.addEventListener("visibilitychange", wake);
  addEventListener("online", wake);
  for (;;) {
    const before = status;
    waking = new AbortController();
    const { signal } = waking;
    const timer = setTimeout(() => waking.abort(), SILENCE);
    try {
      const known = status === 200 ? revision : ""; // after an outage, the server says at once that it is there
      const answer = await fetch(`${address}after=${known}`, { signal });
      const state = answer.ok ? await answer.json() : null;
      if (state) skew = state.now - Date.now();
      status = answer.status;
      if (state && state.revision !== revision) shown(show, state);
      if (state) revision = state.revision;
    } catch {
      if (!signal.aborted) status = 0;
    }
    clearTimeout(timer);
    if (status !== before) lost(status);
    pause = status === 200 ? FIRST : Math.min(2 * pause, LONGEST);
    if (status !== 200) await sleep(pause * (0.75 + Math.random() / 2)); // not all screens at the same moment
  }
}

// A state that cannot be drawn does not keep a screen from drawing the next one.
function shown(/** @type {(state: any) => void} */ show, /** @type {any} */ state) {
  try {
    show(state);
  } catch (error) {
    reportError(error);
  }
}

/**
 * Sends a form.
 * @param {string} address @param {Record<string, string | number>} fields
 * @returns {Promise<string>} what went wrong, in words; empty if nothing did
 */
export async function post(address, fields) {
  const { csrf = "" } = document.body.dataset;
  const texts = Object.entries({ ...fields, csrf }).map(([name, value]) => [name, String(value)]);
  const init = { method: "POST", body: new URLSearchParams(texts), headers: { Accept: "application/json" } };
  const answer = await fetch(address, init).catch(() => null);
  if (!answer) return "The server does not answer.";
  if (answer.ok) return "";
  const { message, hint } = await answer.json().catch(() => ({}));
  return [message ?? `The server answered with status ${answer.status}.`, hint].filter(Boolean).join(" ");
}
