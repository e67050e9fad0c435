"""Figures of `arena explain`, and of matches in this process beside sandboxed ones.

Run it with `python tests/bench/bench_explain.py [GAME...]`. Explanations use all cores, so nothing else should run.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from statistics import median

sys.path.insert(0, str(Path(__file__).parent / "figures"))
from figure import Figure

from arena.analysis.explaining import Explainer
from arena.analysis.explanation import Explanation
from arena.analysis.playouts import PlayoutPolicy
from arena.analysis.pool import Pool
from arena.analysis.recorded_match import RecordedMatch
from arena.analysis.report import document_of
from arena.analysis.worker import bot_class
from arena.cli.output import print_table
from arena.game.chance import Sampled
from arena.match.lookup import find_game
from arena.testing.matches import play_match

MATCHES = {
    # By the usual options the lead is out of reach long before the last turn; this game lasts the usual 192 turns.
    "saloon": (["pianist", "sheriff"], {"piano_health": 300, "max_turns": 192}, 30.0),
    "laser_flag": (["sergeant", "sergeant"], {}, 45.0),
    "derelict": (["veteran", "veteran"], {}, 45.0),
}
"""For each game the bots, the options and the target for a whole explanation in seconds."""
BUDGET = 30.0
ROUNDS = 5


def explanation_figures(name: str, folder: Path) -> Iterator[Figure]:
    """Explain a match of one game, both legs if it has two."""
    bots, options, target = MATCHES[name]
    legs = find_game(name).legs
    replays = []
    for leg in range(legs):
        path = folder / f"{name}-{leg}.arena"
        order = bots[::-1] if leg else bots
        play_match(name, [f"builtin:{bot}" for bot in order], seed=3, options=options, replay=path)
        replays.append(path)
    begun = time.monotonic()
    first = 0.0
    notes = []
    for path in replays:
        match = RecordedMatch.of_file(path)
        explanation = Explanation(match)
        with Pool(path) as pool:
            for _ in Explainer(explanation, pool, BUDGET / legs).run():
                first = first or time.monotonic() - begun
        document = json.loads(json.dumps(document_of(explanation)))
        decisions = [
            one for player, count in explanation.tested.items() for one in explanation.decisions[player][:count]
        ]
        pairs = [len(one.done) for one in decisions]
        notes.append(
            f"{match.turns} turns, {explanation.playouts} playouts by {explanation.bot}, compared with "
            f"{explanation.adviser}, {len(pairs)} candidates with {min(pairs, default=0)} pairs or more, "
            f"{len(document['turning_points'])} turning points"
        )
    yield Figure(f"{name}: first curve", first, "s", 3.0)
    yield Figure(f"{name}: explained", time.monotonic() - begun, "s", target, note="; ".join(notes))


def match_figures() -> Iterator[Figure]:
    """Play the same match of two built-in bots in this process and sandboxed."""
    game = find_game("saloon")
    for bot in ("rowdy", "sheriff"):
        policy = PlayoutPolicy(game, bot_class(game, bot), noise=0)
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
