import { Grid, placed } from "arena/grid";
import { brush } from "arena/shapes";

export function createRenderer(canvas, { players }) {
  const g = canvas.getContext("2d");
  const grid = new Grid();
  const { dot } = brush(g);
  let shown = new Map();
  return {
    draw(before, after, fraction, _events, look) {
      shown = after;
      const game = after.get("game");
      grid.fit(look.width, look.height, game.width, game.height);
      for (const { thing, x, y } of placed(before, after, fraction)) {
        dot(...grid.place(x + 0.5, y + 0.5), grid.tile * 0.4, players[thing.owner]?.color ?? "gray");
      }
    },
    place: (x, y) => grid.place(x, y),
    pick(px, py) {
      const [x, y] = grid.tileAt(px, py);
      return [...shown.values()].find((thing) => thing.x === x && thing.y === y)?.id ?? null;
    },
    series: () => [{ name: "score", value: (state, player) => state.get(`p${player}`)?.score ?? null }],
    describe: (turn) => `${turn.name} did ${turn.actions.length} things`,
  };
}
