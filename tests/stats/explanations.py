"""How well explanations find a planted blunder, and how well win probabilities are calibrated.

Run it as a program for the tables (part of `make stats`, some hours on two cores). For each game it plays matches with
one planted blunder, matches without, and matches whose results are compared with the win probability at random turns.

    python tests/stats/explanations.py saloon --matches 60 --calibration 500
"""

from __future__ import annotations

import os
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from random import Random
from statistics import fmean

import click
from recorded_games import BOTS, Planted, Planter, Recorder, final_shares

from arena.analysis.explaining import Explainer, Explanation
from arena.analysis.playouts import play_on
from arena.analysis.report import turning_points
from arena.analysis.worker import Worker
from arena.cli.output import print_table

PLAYOUTS = {"saloon": 900, "laser_flag": 900, "derelict": 900, "snakes": 1500}
"""What a budget of 30 to 45 seconds buys on two cores."""
SMALL = {"saloon": {"width": 12, "height": 8, "max_turns": 60}}
"""Options of a short match."""
TURNS = 8
"""Turns of a match at which its result is compared with the win probability."""
TRIES = 40


class HerePool:
    """Answers questions in this process, one after the other: the same answers as `Pool`."""

    processes = 1

    def __init__(self, path):
        self.worker = Worker(str(path))

    def ask(self, questions, deadline=float("inf")):
        del deadline
        for number, (name, *arguments) in enumerate(questions):
            yield number, getattr(self.worker, name)(*arguments)


@dataclass(frozen=True)
class Found:
    """What an explanation says about one match.

    Attributes:
        planted: The planted blunder; None without one.
        claims: Player and turn of each turning point, with its gain.
        refuted: How many claims have no gain by many more playouts.
    """

    planted: Planted | None
    claims: tuple[tuple[int, int, float], ...]
    refuted: int

    @property
    def named(self) -> bool:
        """Whether the planted turn is among the turning points."""
        return any((player, turn) == (self.planted.player, self.planted.turn) for player, turn, _ in self.claims)

    @property
    def blamed_the_other(self) -> bool:
        """Whether the planted turn is not named, and a turn of the other player is."""
        return not self.named and any(player != self.planted.player for player, _, _ in self.claims)


def explain(path, most, bot=""):
    """Return an explanation with a number of playouts."""
    pool = HerePool(path)
    explanation = Explanation(pool.worker.match)
    explanation.bot = explanation.adviser = bot or BOTS[explanation.match.game.name]
    for _ in Explainer(explanation, pool, 1e9, most=most).run():
        if explanation.tested and explanation.stage == "curve":
            break  # the rest refines the curve, on which no claim depends
    return explanation, pool.worker


def examine(name, seed, plants, most, options=None):
    """Play one match, explain it, and test its claims again with many playouts."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "match.arena"
        planter = None
        for again in range(20):
            recorder = Recorder(name, 1000 * seed + again, options)
            planter = Planter(1000 * seed + again, expected_parts(name)) if plants else None
            recorder.play(planter)
            if planter is None or planter.planted:
                break
        recorder.save(path)
        explanation, worker = explain(path, most)
        points = [point for player in explanation.decisions for point in turning_points(explanation, player)]
        refuted = sum(gain_of(explanation, worker, point) <= 0 for point in points) if not plants else 0
        claims = tuple((point["player"], point["turn"], point["gain"]) for point in points)
        return Found(planter.planted if planter else None, claims, refuted)


def gain_of(explanation, worker, point, pairs=400):
    """Return the gain of a turning point by playouts with other seeds."""
    decision = next(
        one
        for one in explanation.decisions[point["player"]]
        if one.part.turn == point["turn"] and one.part.player == point["player"]
    )
    hides = explanation.match.end.hides_information()
    seeds = range(9_000_000, 9_000_000 + pairs)
    found = worker.pairs(
        explanation.bot, decision.part.index, decision.actions, seeds, point["player"] if hides else None
    )
    return fmean(instead[point["player"]] - done[point["player"]] for done, instead in found)


def expected_parts(name):
    """Return about how many parts a match has."""
    return {"saloon": 100, "laser_flag": 8, "derelict": 12, "snakes": 600}[name]


def predict(name, seed, options=None, tries=TRIES):
    """Play one match; return pairs of win probability and result at random turns, of one player each."""
    recorder = Recorder(name, 77_000_000 + seed, options)
    states = []
    turn = None

    def remember(recorder, player):
        nonlocal turn
        if recorder.state.turn_number() != turn:
            turn = recorder.state.turn_number()
            states.append(recorder.state.clone())

    recorder.play(remember)
    result = final_shares(recorder)
    rng = Random(seed)
    found = []
    for state in rng.sample(states, min(TURNS, len(states))):
        player = rng.randrange(recorder.players)
        values = [play_on(recorder.policy, state.clone(), 3_000_000 + one)[player] for one in range(tries)]
        found.append((fmean(values), result[player]))
    return found


def bins(pairs, count=10):
    """Return for each bin how many pairs are in it, the mean probability and the mean result."""
    rows = []
    for at in range(count):
        inside = [pair for pair in pairs if min(count - 1, int(pair[0] * count)) == at]
        if inside:
            rows.append((at, len(inside), fmean(one for one, _ in inside), fmean(one for _, one in inside)))
    return rows


@click.command()
@click.argument("games", nargs=-1)
@click.option("--matches", default=60, help="Matches with a planted blunder, and as many without.")
@click.option("--calibration", default=500, help="Matches for the calibration.")
@click.option("--playouts", type=int, help="Playouts of each explanation.")
@click.option("--small", is_flag=True, help="Play short matches, where the game has options for that.")
def command(games, matches, calibration, playouts, small):
    """Print the tables for GAMES; for all if none is named."""
    with ProcessPoolExecutor(len(os.sched_getaffinity(0)), get_context("forkserver")) as pool:
        for name in games or BOTS:
            most = playouts or PLAYOUTS[name]
            options = SMALL.get(name) if small else None
            rows = [["", "matches", "named", "blamed the other", "claims", "refuted"]]
            for plants in (True, False):
                jobs = [pool.submit(examine, name, seed, plants, most, options) for seed in range(matches)]
                found = []
                for job in jobs:
                    found.append(job.result())
                    print(found[-1], file=sys.stderr, flush=True)
                planted = [one for one in found if one.planted]
                rows.append(
                    [
                        f"{name}, {'planted' if plants else 'not planted'}",
                        str(len(planted) if plants else len(found)),
                        str(sum(one.named for one in planted)),
                        str(sum(one.blamed_the_other for one in planted)),
                        str(sum(len(one.claims) for one in found)),
                        str(sum(one.refuted for one in found)),
                    ]
                )
            print_table(rows, right=(1, 2, 3, 4, 5))
            pairs = [
                pair
                for job in [pool.submit(predict, name, seed, options) for seed in range(calibration)]
                for pair in job.result()
            ]
            table = [["win probability", "positions", "mean", "result"]]
            table += [
                [f"{at / 10:.1f} to {at / 10 + 0.1:.1f}", str(count), f"{mean:.3f}", f"{result:.3f}"]
                for at, count, mean, result in bins(pairs)
            ]
            print_table(table, right=(1, 2, 3))


if __name__ == "__main__":
    command()
