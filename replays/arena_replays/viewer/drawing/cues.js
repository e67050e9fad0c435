/** What is heard and felt in a frame: sounds, and shakes of the board. */

/**
 * `at` is the part of the frame, from 0 to 1. `sound` is a name in `arena/synth`, `pitch` a factor of its frequency,
 * `shake` how far the board shakes, in pixels.
 * @typedef {{at?: number, sound?: string, pitch?: number, shake?: number}} Cue
 */

const MOST_CUES = 12;
const MOST_SHAKE = 8;
/** The part of a frame for which the board shakes. */
const SHAKEN = 0.5;

/** Cues for events of which nothing is known but their kind. @type {[RegExp, Cue][]} */
const GUESSES = [
  [/shot|shoot|fire|throw/, { sound: "shot" }],
  [/death|dead|dies|kill|destroy|eliminat|explo|crush/, { sound: "crash", shake: 3 }],
  [/break|broken|shatter/, { sound: "glass" }],
  [/hit|attack|punch|hurt|damage|bump|fight/, { sound: "thud", shake: 1.5 }],
  [/score|point|goal|eat|collect|win|capture|found/, { sound: "chime" }],
  [/roll|dice|deal|draw/, { sound: "dice" }],
  [/./, { sound: "tick" }],
];

/** @param {Record<string, any>} event @returns {Cue | undefined} */
const guess = ({ kind }) => GUESSES.find(([kinds]) => kinds.test(String(kind)))?.[1];

/**
 * The cues of a frame, as far as they make sense.
 * @param {any} given what the renderer says; if it says nothing, the cues follow from the kinds of the events
 * @param {Record<string, any>[]} events @returns {Required<Cue>[]}
 */
export function cuesOf(given, events) {
  const found = Array.isArray(given) ? given : events.slice(0, MOST_CUES).map(guess);
  const within = (/** @type {any} */ value, /** @type {number} */ usual, /** @type {number} */ most) =>
    Number.isFinite(value) ? Math.max(0, Math.min(most, value)) : usual;
  return found
    .filter(Boolean)
    .slice(0, MOST_CUES)
    .map((/** @type {Cue} */ { at, sound, pitch, shake }) => ({
      at: within(at, 0, 1),
      sound: String(sound ?? ""),
      pitch: within(pitch, 1, 4) || 1,
      shake: within(shake, 0, MOST_SHAKE),
    }));
}

/**
 * How far the board is from its place at a moment of a frame, in pixels; at the end of a frame it is at its place.
 * @param {Required<Cue>[]} cues @param {number} fraction @returns {[number, number]}
 */
export function shakeOf(cues, fraction) {
  let [x, y] = [0, 0];
  for (const { at, shake } of cues) {
    const part = (fraction - Math.min(at, 1 - SHAKEN)) / SHAKEN;
    if (!shake || part <= 0 || part >= 1) continue;
    const far = shake * (1 - part) ** 2;
    x += far * Math.sin(part * 31);
    y += far * Math.cos(part * 23) * 0.6;
  }
  return [x, y];
}
