"""How well explanations find a planted blunder, and how well win probabilities are calibrated.

Run it as a program for the tables (part of `make stats`, some hours on two cores). For each game it plays matches with
one planted blunder, matches without, and matches whose curve is compared with their result. Each match is one line of
the file of results; a second call goes on from there.

    python tests/stats/explanations.py saloon --matches 60 --calibration 500 --results found.jsonl
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from math import log
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean

import click
from recorded_games import BOTS, PARTS, Planter, Recorder

from arena.analysis.estimates import share
from arena.analysis.explaining import EVALUATED_SHARES, Explainer, Shares
from arena.analysis.explanation import Explanation
from arena.analysis.probability import win_probability
from arena.analysis.recorded_match import RecordedMatch
from arena.analysis.report import turning_points
from arena.analysis.worker import Worker
from arena.cli.output import print_table
from arena.match.lookup import find_game
from arena.referee.affinity import usable_processors

ADVISERS = {"saloon": "sheriff", "laser_flag": "commander", "derelict": "veteran", "snakes": "constrictor"}
"""The stronger bot whose choices are compared: the one that `arena explain` takes with its usual budget."""
PLAYOUTS = {"saloon": 1500, "laser_flag": 900, "derelict": 900, "snakes": 1500}
"""What a budget of 30 to 45 seconds buys on two cores."""
CURVE_PLAYOUTS = 90
"""Playouts of a curve that is compared with the result of its match: what a budget of 15 seconds buys."""
CURVE_SEEDS = 78_000_000
"""The first seed of these matches. Constants were fitted to other matches."""
SMALL = {"saloon": {"width": 12, "height": 8, "max_turns": 60}}
"""Options of a short match."""
KINDS = ("planted", "plain", "curve")


class HerePool:
    """Answers questions in this process, one after the other: the same answers as `Pool`."""

    processes = 1

    def __init__(self, path):
        self.worker = Worker(str(path))

    def ask(self, questions, deadline=float("inf")):
        del deadline
        for number, (name, *arguments) in enumerate(questions):
            yield number, getattr(self.worker, name)(*arguments)


def explain(path, most, stage, adviser=""):
    """Return an explanation with a number of playouts, and who computed it, at the end of a stage."""
    pool = HerePool(path)
    explanation = Explanation(pool.worker.match)
    game = explanation.match.game.name
    explanation.bot, explanation.adviser = BOTS[game], adviser or ADVISERS[game]
    rounds = Explainer(explanation, pool, 1e9, most=most).run()
    begun = False
    for _ in rounds:
        begun = begun or explanation.stage == stage
        if begun and explanation.stage != stage:
            break
    return explanation, pool.worker


def examine(name, seed, kind, options=None, most=None, adviser=""):
    """Play one match, explain it, and return what was found as plain values."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "match.arena"
        if kind == "curve":
            recorder = Recorder(name, CURVE_SEEDS + seed, options)
            recorder.play()
            recorder.save(path)
            return curve_of(path)
        planter = None
        for again in range(20):
            recorder = Recorder(name, 1000 * seed + again, options)
            planter = Planter(1000 * seed + again, PARTS[name]) if kind == "planted" else None
            recorder.play(planter)
            if planter is None or planter.planted:
                break
        recorder.save(path)
        explanation, worker = explain(path, most or PLAYOUTS[name], "decisions", adviser)
        points = [point for player in explanation.decisions for point in turning_points(explanation, player)]
        found = {"claims": [[point["player"], point["turn"], point["gain"]] for point in points]}
        if planter is None:
            found["gains"] = [gain_of(explanation, worker, point) for point in points]
        elif planter.planted:
            planted = planter.planted
            mine = [decision.part.turn for decision in explanation.decisions[planted.player]]
            found |= {
                "planted": [planted.player, planted.turn, planted.loss, planted.spared],
                "rank": mine.index(planted.turn) if planted.turn in mine else -1,
                "named": any(point[:2] == [planted.player, planted.turn] for point in found["claims"]),
                "blamed_the_other": any(player != planted.player for player, _, _ in found["claims"]),
            }
        return found


def curve_of(path):
    """Return all players' shares of playouts before each turn of a match, and the result of the match."""
    evaluated = RecordedMatch.of_file(path).estimates
    part = EVALUATED_SHARES.curve if evaluated else Shares().curve
    explanation, _ = explain(path, CURVE_PLAYOUTS / part, "curve")
    match = explanation.match
    players = range(match.players)
    shares = [[round(explanation.share(at, player).value, 4) for player in players] for at in match.starts[:-1]]
    return {"shares": shares, "result": match.result}


def pairs_of(curve, power):
    """Return the win probability of each player before each turn, with the player's result."""
    return [
        (win_probability(shares, player, power), result)
        for shares in curve["shares"]
        for player, result in enumerate(curve["result"])
    ]


def likeliest_power(curves):
    """Return the `GameSpec.playout_power` with which the results of these matches are likeliest."""

    def surprise(power):
        return fmean(
            -fmean(log(max(0.005, probability)) * result for probability, result in pairs_of(curve, power))
            for curve in curves
        )

    return min((at / 10 for at in range(5, 41)), key=surprise)


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


def bins(matches, count=10):
    """Return for each bin of the win probability its number, the values and matches in it, the mean, the result and the
    standard error of their difference. Values of one match have one result: only matches are independent.
    """
    rows = []
    for at in range(count):
        inside = [[pair for pair in pairs if min(count - 1, int(pair[0] * count)) == at] for pairs in matches]
        inside = [pairs for pairs in inside if pairs]
        turns = [pair for pairs in inside for pair in pairs]
        if not turns:
            continue
        mean, result = (fmean(pair[column] for pair in turns) for column in (0, 1))
        sums = [sum(pair[1] - pair[0] - (result - mean) for pair in pairs) for pairs in inside]
        error = sum(one * one for one in sums) ** 0.5 / len(turns)
        rows.append((at, len(turns), len(inside), mean, result, error))
    return rows


def of_kind(found, name, kind):
    return [row["found"] for row in found if (row["game"], row["kind"]) == (name, kind)]


def tables(found, name):
    """Print what was found about a game."""
    planted = [one for one in of_kind(found, name, "planted") if "planted" in one]
    plain = of_kind(found, name, "plain")
    if planted:
        named = share([float(one["named"]) for one in planted])
        spared = sum(one["planted"][3] for one in planted)
        instead = sum(one["blamed_the_other"] and not one["named"] for one in planted)
        print(
            f"{name}: {sum(one['named'] for one in planted)} of {len(planted)} planted blunders named "
            f"({100 * named.low:.0f} to {100 * named.high:.0f} %), the other player blamed in {instead} instead. "
            f"Mean loss {fmean(one['planted'][2] for one in planted):.2f}; {spared} undecided turns had no line that "
            "costs enough."
        )
    if plain:
        gains = [gain for one in plain for gain in one["gains"]]
        print(
            f"{name}: {len(gains)} turning points in {len(plain)} matches without a planted blunder; "
            f"{sum(gain <= 0 for gain in gains)} have no gain by 400 more pairs, in "
            f"{sum(min(one['gains'], default=1) <= 0 for one in plain)} matches."
        )
    curves = of_kind(found, name, "curve")
    if curves:
        power = find_game(name).playout_power
        likeliest = likeliest_power(curves)
        print(f"{name}: with a playout_power of {power}; {likeliest} would make these results the likeliest")
        matches = [pairs_of(curve, power) for curve in curves]
        table = [["win probability", "values", "matches", "mean", "result", "difference", "standard error"]]
        table += [
            [f"{at / 10:.1f} to {at / 10 + 0.1:.1f}", str(turns), str(count), f"{mean:.3f}", f"{result:.3f}",
             f"{result - mean:+.3f}", f"{error:.3f}"]
            for at, turns, count, mean, result, error in bins(matches)
        ]  # fmt: skip
        print_table(table, right=(1, 2, 3, 4, 5, 6))


def jobs(games, matches, calibration) -> Iterator[tuple[str, int, str]]:
    """Yield all matches, so that at any time about the same share of each table is done."""
    for number in range(matches):
        for kind in KINDS[:2]:
            yield from ((name, number, kind) for name in games)
        curves = range(number * calibration // matches, (number + 1) * calibration // matches)
        yield from ((name, seed, "curve") for seed in curves for name in games)


@click.command()
@click.argument("games", nargs=-1)
@click.option("--matches", default=60, help="Matches with a planted blunder, and as many without.")
@click.option("--calibration", default=500, help="Matches for the calibration.")
@click.option("--results", type=click.Path(path_type=Path), help="The file of results, which is continued.")
@click.option("--small", is_flag=True, help="Play short matches, where the game has options for that.")
def command(games, matches, calibration, results, small):
    """Print the tables for GAMES; for all if none is named."""
    games = games or tuple(BOTS)
    found = []
    if results and results.exists():
        found = [json.loads(line) for line in results.read_text().splitlines()]
    known = {(row["game"], row["seed"], row["kind"]) for row in found}
    with ProcessPoolExecutor(len(usable_processors()), get_context("forkserver")) as pool:
        waiting = {
            pool.submit(examine, *job, SMALL.get(job[0]) if small else None): job
            for job in jobs(games, matches, calibration)
            if job not in known
        }
        for future in as_completed(waiting):
            name, seed, kind = waiting[future]
            found.append({"game": name, "seed": seed, "kind": kind, "found": future.result()})
            if results:
                with results.open("a") as file:
                    file.write(json.dumps(found[-1]) + "\n")
    for name in games:
        tables(found, name)


if __name__ == "__main__":
    command()
