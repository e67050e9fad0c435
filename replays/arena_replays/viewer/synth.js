/** Sounds, made of oscillators and noise: there are no files. */

/**
 * A part of a sound. `wave` is an oscillator's or noise; its frequency goes from `from` to `to`, in Hz. It lasts `time`
 * seconds and begins after `after` seconds.
 * @typedef {{wave: OscillatorType | "noise", from: number, to?: number, time: number, loud: number, after?: number}}
 *   Voice
 */

/** @param {number[]} tones @param {number} time @param {number} [step] @returns {Voice[]} */
const chord = (tones, time, step = 0) =>
  tones.map((from, at) => ({ wave: "triangle", from, time, loud: 0.2, after: at * step }));

/** @type {Record<string, Voice[]>} */
export const SOUNDS = {
  tick: [{ wave: "noise", from: 2600, time: 0.025, loud: 0.15 }],
  thud: [
    { wave: "sine", from: 170, to: 60, time: 0.14, loud: 0.6 },
    { wave: "noise", from: 900, to: 300, time: 0.06, loud: 0.4 },
  ],
  shot: [
    { wave: "noise", from: 2800, to: 300, time: 0.24, loud: 0.8 },
    { wave: "sine", from: 200, to: 45, time: 0.16, loud: 0.5 },
  ],
  beam: [
    { wave: "sawtooth", from: 1900, to: 180, time: 0.24, loud: 0.16 },
    { wave: "sine", from: 950, to: 90, time: 0.24, loud: 0.2 },
  ],
  glass: [
    { wave: "noise", from: 6500, to: 3500, time: 0.14, loud: 0.5 },
    { wave: "triangle", from: 3150, time: 0.22, loud: 0.09 },
    { wave: "triangle", from: 4380, time: 0.2, loud: 0.08, after: 0.04 },
    { wave: "triangle", from: 2640, time: 0.25, loud: 0.07, after: 0.09 },
  ],
  splash: [{ wave: "noise", from: 1400, to: 350, time: 0.3, loud: 0.6 }],
  chord: chord([262, 330, 392], 0.6, 0.03),
  crash: [
    { wave: "noise", from: 1300, to: 90, time: 0.6, loud: 0.9 },
    { wave: "sine", from: 95, to: 32, time: 0.5, loud: 0.6 },
  ],
  fall: [
    { wave: "sine", from: 240, to: 90, time: 0.2, loud: 0.25 },
    { wave: "noise", from: 380, to: 110, time: 0.18, loud: 0.8, after: 0.16 },
  ],
  door: [
    { wave: "noise", from: 500, to: 1500, time: 0.26, loud: 0.35 },
    { wave: "sine", from: 90, time: 0.08, loud: 0.5, after: 0.24 },
  ],
  fire: [{ wave: "noise", from: 900, to: 260, time: 0.6, loud: 0.7 }],
  pop: [{ wave: "sine", from: 320, to: 760, time: 0.09, loud: 0.35 }],
  bite: [
    { wave: "noise", from: 2200, to: 1400, time: 0.05, loud: 0.5 },
    { wave: "noise", from: 1700, to: 1000, time: 0.06, loud: 0.45, after: 0.08 },
  ],
  chime: [
    { wave: "sine", from: 880, time: 0.25, loud: 0.22 },
    { wave: "sine", from: 1320, time: 0.4, loud: 0.2, after: 0.08 },
  ],
  blip: [{ wave: "sine", from: 1250, to: 1180, time: 0.12, loud: 0.22 }],
  gong: [
    { wave: "sine", from: 196, time: 1.1, loud: 0.4 },
    { wave: "sine", from: 295, time: 0.9, loud: 0.2 },
    { wave: "sine", from: 417, time: 0.6, loud: 0.12 },
  ],
  dice: [0, 0.06, 0.11].map((after) => ({ wave: "noise", from: 3200, time: 0.03, loud: 0.35, after })),
  fanfare: chord([392, 523, 659, 784], 0.5, 0.12),
};

/**
 * A second of noise, the same each time.
 * @param {BaseAudioContext} context
 */
export function noiseOf(context) {
  const noise = context.createBuffer(1, context.sampleRate, context.sampleRate);
  const data = noise.getChannelData(0);
  let seed = 1;
  for (let at = 0; at < data.length; at++) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    data[at] = seed / 0x80000000 - 1;
  }
  return noise;
}

/**
 * Plays a sound now. An unknown name is silent.
 * @param {BaseAudioContext} context @param {AudioBuffer} noise @param {AudioNode} to @param {string} name
 * @param {number} [pitch] a factor of all frequencies
 */
export function play(context, noise, to, name, pitch = 1) {
  for (const voice of Object.hasOwn(SOUNDS, name) ? SOUNDS[name] : []) {
    const from = context.currentTime + (voice.after ?? 0);
    const until = from + voice.time;
    const gain = context.createGain();
    gain.gain.setValueAtTime(0.0001, from);
    gain.gain.exponentialRampToValueAtTime(voice.loud, from + 0.004);
    gain.gain.exponentialRampToValueAtTime(0.0001, until);
    gain.connect(to);
    const source = voice.wave === "noise" ? noisy(context, noise, gain) : tone(context, voice.wave, gain);
    source.frequency.setValueAtTime(voice.from * pitch, from);
    source.frequency.exponentialRampToValueAtTime((voice.to ?? voice.from) * pitch, until);
    source.node.start(from);
    source.node.stop(until);
  }
}

/** @param {BaseAudioContext} context @param {AudioBuffer} noise @param {AudioNode} to */
function noisy(context, noise, to) {
  const [node, band] = [context.createBufferSource(), context.createBiquadFilter()];
  [node.buffer, node.loop, band.type, band.Q.value] = [noise, true, "bandpass", 0.9];
  node.connect(band).connect(to);
  return { node, frequency: band.frequency };
}

/** @param {BaseAudioContext} context @param {OscillatorType} wave @param {AudioNode} to */
function tone(context, wave, to) {
  const node = context.createOscillator();
  node.type = wave;
  node.connect(to);
  return { node, frequency: node.frequency };
}
