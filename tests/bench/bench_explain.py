"""Figures of `arena explain`, and of matches in this process beside sandboxed ones.

Run it with `python tests/bench/bench_explain.py [GAME...]`. Explanations use all cores, so nothing else should run.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from statistics import median

sys.path.insert(0, str(Path(__file__).parent / "figures"))
from figure import Figure

from arena.analysis.differences import documents_of
from arena.analysis.explaining import Explainer, Explanation
from arena.analysis.norms import compute
from arena.analysis.playouts import PlayoutPolicy
from arena.analysis.pool import Pool
from arena.analysis.recorded_match import RecordedMatch
from arena.analysis.report import document_of
from arena.analysis.worker import bot_class, required_bots
from arena.cli.output import print_table
from arena.game.chance import Sampled
from arena.match.lookup import find_game
from arena.memory import play_in_memory
from arena.testing.matches import play_match
from arena_replays import Reader

MATCHES = {
    "saloon": ["pianist", "sheriff"],
    "laser_flag": ["sergeant", "commander"],
    "derelict": ["veteran", "castaway"],
}
"""For each game the bots of the explained match."""
BUDGET = 20.0
ROUNDS = 5


def explanation_figures(name: str, folder: Path) -> Iterator[Figure]:
    """Explain a match of one game: what was different, the norms for the first time, and the whole explanation."""
    path, game = folder / f"{name}.arena", find_game(name)
    play_in_memory(name, [f"builtin:{bot}" for bot in MATCHES[name]], seed=3, replay=path)
    match = RecordedMatch.of_file(path)
    with Pool(path) as pool:
        begun = time.monotonic()
        *_, (_, norms) = compute(match.reader.header, game, required_bots(game), pool)
        yield Figure(f"{name}: norms, first time", time.monotonic() - begun, "s", 60.0, note=f"{norms.matches} matches")
        begun = time.monotonic()
        found = documents_of(Reader(path), norms)
        yield Figure(
            f"{name}: what was different", time.monotonic() - begun, "s", 1.0, note=f"{len(found)} differences"
        )
        explanation = Explanation(match)
        begun = time.monotonic()
        for _ in Explainer(explanation, pool, BUDGET).run():
            pass
        note = f"{match.turns} turns, {explanation.playouts} playouts"
        points = len(document_of(explanation)["turning_points"])
        yield Figure(
            f"{name}: explained", time.monotonic() - begun, "s", BUDGET, note=f"{note}, {points} turning points"
        )


def match_figures() -> Iterator[Figure]:
    """Play the same match of two built-in bots in this process and sandboxed."""
    game = find_game("saloon")
    for bot in ("rowdy", "sheriff"):
        policy = PlayoutPolicy(game, (bot_class(game, f"builtin:{bot}"),), noise=0)
        here, sandboxed = [], []
        for seed in range(ROUNDS):
            begun = time.perf_counter()
            result = play_match("saloon", [f"builtin:{bot}"] * 2, seed=seed)
            sandboxed.append((time.perf_counter() - begun) / result.actions)
            chance = Sampled(Random(seed))
            begun = time.perf_counter()
            state = game.start({}, chance)
            match = policy.match(state, chance, seed)
            match.play()
            here.append((time.perf_counter() - begun) / match.result().actions)
        floor = 1e6 * median(sandboxed)
        note = "floor: the whole match sandboxed, of which it must take a quarter at most"
        yield Figure(f"{bot} against {bot}, an action", 1e6 * median(here), "us", floor / 4, floor, note)


def main() -> None:
    """Measure and print."""
    chosen = sys.argv[1:] or [*MATCHES, "matches"]
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as folder:
        for name in chosen:
            figures += match_figures() if name == "matches" else explanation_figures(name, Path(folder))
    rows = [["figure", "median", "target", "x floor", ""]]
    for figure in figures:
        ratio = "" if figure.ratio is None else f"{figure.ratio:.2f}"
        mark = "" if figure.good else "MISSED  "
        limit = f"<= {figure.target:.4g}"
        rows.append([figure.name, f"{figure.value:.4g} {figure.unit}", limit, ratio, mark + figure.note])
    print_table(rows, right=(1, 2, 3))


if __name__ == "__main__":
    main()
