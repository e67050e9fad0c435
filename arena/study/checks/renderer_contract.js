/**
 * What docs/writing-a-renderer.md promises about a renderer, tried in the page of a replay. The value of this script
 * is a promise of what is broken, in words.
 */
async function tryRenderer() {
  if (document.documentElement.dataset.ready !== "true") return [document.body.innerText.slice(0, 300)];
  const { SOUNDS } = await import("arena/synth");
  const { board, position, replay, caption } = arena;
  const { renderer } = board;
  const { states } = position;
  const { frames } = states;
  const look = { dark: true, still: false, selected: null, width: board.width, height: board.height };
  const g = board.canvas.getContext("2d");
  const problems = [];
  const must = (fine, what) => fine || problems.push(what);
  const isWord = (value) => typeof value === "string" && value.length <= 300;

  // What draws gets frozen copies: a change that the viewer's own drawing has made before would not be seen otherwise.
  const copies = new WeakMap();
  const frozen = (thing) => {
    if (!copies.has(thing)) {
      const fields = Object.entries(thing).map(([name, value]) => [
        name,
        Array.isArray(value) ? Object.freeze([...value]) : value,
      ]);
      copies.set(thing, Object.freeze(Object.fromEntries(fields)));
    }
    return copies.get(thing);
  };
  const guarded = (state) => {
    const copy = new Map(Array.from(state, ([id, thing]) => [id, frozen(thing)]));
    const refuse = () => {
      throw new Error("draw changes the state");
    };
    return Object.assign(copy, { set: refuse, delete: refuse, clear: refuse });
  };

  const picture = (at, fraction) => {
    g.setTransform(board.ratio, 0, 0, board.ratio, 0, 0);
    g.clearRect(0, 0, look.width, look.height);
    const [before, after] = [guarded(states.at(at - 1)), guarded(states.at(at))];
    renderer.draw(before, after, fraction, frames[at].events, { ...look, beat: at + fraction });
    return board.canvas.toDataURL();
  };
  for (let at = 1; at < frames.length; at += Math.max(1, Math.floor(frames.length / 40))) {
    const one = picture(at, 0.4);
    picture(Math.max(1, frames.length - at), 0.9);
    must(picture(at, 0.4) === one, `draw: frame ${at}, drawn twice, gives two pictures`);
  }
  if (frames.length > 1) picture(frames.length - 1, 1);

  const last = states.at(frames.length - 1);
  for (const thing of renderer.place ? last.values() : []) {
    if (!Number.isFinite(thing.x) || !Number.isFinite(thing.y)) continue;
    const found = last.get(renderer.pick(...renderer.place(thing.x + 0.5, thing.y + 0.5)));
    must(found && found.x === thing.x && found.y === thing.y, `pick: ${thing.id} is not found where it stands`);
    const tip = renderer.tip?.(thing.id, last) ?? "";
    must(isWord(tip), `tip: ${thing.id} has ${tip}`);
  }
  must(renderer.pick(-50, -50) === null, "pick: there is something outside of the board");

  frames.forEach(({ events }, at) => {
    for (const event of events) {
      const told = renderer.tell?.(event, () => states.at(at - 1)) ?? "";
      must(isWord(told) && !/undefined|null|NaN|\[object/.test(told), `tell: ${event.kind} is described as ${told}`);
      const time = renderer.duration?.(event) ?? 0;
      must(time >= 0 && time <= 6000, `duration: ${event.kind} lasts ${time} ms`);
    }
    for (const { sound } of board.cuesOf(states, at))
      must(!sound || sound in SOUNDS, `cues: there is no sound ${sound}`);
  });
  const roles = renderer.roles?.() ?? [];
  must(Array.isArray(roles) && roles.every((role) => typeof role === "string"), `roles: they are ${roles}`);
  for (const series of renderer.series()) {
    must(typeof series.name === "string", "series: one has no name");
    for (const state of [states.at(0), last]) {
      for (const player of replay.players) {
        const value = series.value(state, player.index);
        must(value === null || Number.isFinite(value), `series: ${series.name} of player ${player.index} is ${value}`);
      }
    }
  }
  for (const turn of [0, replay.content.turns.length - 1]) {
    caption.describe(turn);
    must(caption.node.textContent.length > 10, `describe: turn ${turn + 1} is not described`);
  }

  const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  for (let stream = 0; stream < replay.streams.length; stream++) {
    position.setStream(stream);
    for (const part of [0.3, 0.7, 1]) {
      position.seek(position.last * part);
      await drawn();
    }
    must(!board.failure, `draw: ${board.failure}${stream ? ` (in the view of player ${stream - 1})` : ""}`);
  }
  return [...new Set(problems)];
}

tryRenderer().catch((error) => [`it fails: ${error}`]);
