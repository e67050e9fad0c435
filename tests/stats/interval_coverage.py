"""How often the 95 % interval of a rating holds the true value, for each format, by simulation.

Run it as a program for the whole table (`make stats`, some minutes).
"""

import math
import random
import sys
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "contests"))
from contests_toys import played, ranked_result, result_of

from arena.contests.config import StageConfig
from arena.contests.ratings.plackett_luce import ELO, plackett_luce, units
from arena.contests.tiebreaks import AT_TABLES


@dataclass(frozen=True)
class Case:
    """A contest whose results follow the model.

    Attributes:
        bots: How many there are.
        stages: What they play.
        spread: Standard deviation of the true ratings, in Elo.
        draws: Share of draws between equals. At a table: the chance that neighbours share a place.
        together: How often both games of a pair are decided by the same luck. At a table: how often a rotation is.
    """

    bots: int
    stages: tuple[StageConfig, ...]
    spread: float = 200.0
    draws: float = 0.2
    together: float = 0.0

    def __str__(self):
        formats = ", ".join(stage.format.replace("_", " ") for stage in self.stages)
        rounds = self.stages[0].rounds
        size = f" of {self.stages[0].table}" if self.stages[0].table else ""
        return f"{formats}{size}{f' {rounds} rounds' if rounds else ''}, {self.bots} bots"


SWISS, ROBIN = StageConfig("swiss", "swiss", rounds=6), StageConfig("all", "round_robin")
FORMATS = (
    Case(12, (ROBIN,)),
    Case(24, (ROBIN,)),
    Case(12, (StageConfig("all", "gauntlet", rounds=4),)),
    Case(24, (SWISS,)),
    Case(40, (StageConfig("swiss", "swiss", rounds=5),)),
    Case(16, (StageConfig("groups", "groups", groups=4),)),
    Case(16, (StageConfig("cup", "single_elimination"),)),
    Case(16, (StageConfig("cup", "double_elimination"),)),
    Case(16, (StageConfig("cup", "triple_elimination"),)),
    Case(24, (SWISS, StageConfig("cup", "double_elimination", advance=8))),
    Case(16, (StageConfig("groups", "groups", groups=4), StageConfig("cup", "single_elimination", advance=8))),
)


def tables(name="tables", stage_format="free_for_all", **settings):
    """A stage of tables of more than two."""
    usual = {"table": 4, "games": 1, "winners": 2, "tiebreaks": AT_TABLES}
    return StageConfig(name, stage_format, **usual | settings)


TABLES = (
    Case(12, (tables(rounds=6),)),
    Case(24, (tables(rounds=6),)),
    Case(24, (tables(rounds=4, games=4),)),
    Case(13, (tables(rounds=6, table=3),)),
    Case(24, (tables(rounds=5, table=8),)),
    Case(32, (tables("cup", "elimination_tables", games=4),)),
    Case(12, (tables(rounds=6), tables("final", "elimination_tables", advance=4, games=4))),
)


def order_at_table(names, true, draws, rng):
    """Draw the ranks at a table: one after the other is chosen; neighbours may share a place.

    A shared place is as likely from either order of the two, so that the mean of the orders is right.
    """
    left = {name: math.exp(true[name] / ELO) for name in names}
    order, rests = [], []
    while left:
        rests.append(sum(left.values()))
        order.append(rng.choices(list(left), list(left.values()))[0])
        del left[order[-1]]
    ranks = {name: place for place, name in enumerate(order, 1)}
    for place in range(len(order) - 1):
        one, other = (math.exp(true[name] / ELO) for name in order[place : place + 2])
        likelier = (rests[place] - other) / (rests[place] - one)  # this order against the other one
        if ranks[order[place]] == place + 1 and rng.random() < draws * min(1.0, 1.0 / likelier):
            ranks[order[place + 1]] = place + 1
    return ranks


def one_contest(case, seed):
    """Return how many intervals there are, how many of them hold the true rating, and the sum of their widths."""
    rng = random.Random(seed)
    entrants = [f"bot{number:03}" for number in range(1, case.bots + 1)]
    true = {name: rng.gauss(0.0, case.spread) for name in entrants}
    luck = {}

    def at_table(spec):
        ranks = order_at_table(spec.names, true, case.draws, rng)
        if rng.random() < case.together:
            ranks = luck.setdefault((spec.stage, spec.round, spec.pairing, spec.number // len(spec.names)), ranks)
        return ranked_result([ranks[name] for name in spec.names])

    def decide(spec):
        if len(spec.names) > 2:
            return at_table(spec)
        first, second = spec.names
        expected = 1.0 / (1.0 + math.exp((true[second] - true[first]) / ELO))
        half = case.draws * min(expected, 1.0 - expected)
        toss = rng.random()
        if rng.random() < case.together:
            # The set-up favours one of the two, in both games of a pair.
            best = min(first, second)
            toss = luck.setdefault((spec.stage, spec.round, spec.pairing, spec.number // 2), toss)
            toss = toss if best == first else 1.0 - toss
        return result_of(0 if toss < expected - half else None if toss < expected + half else 1)

    stages = played(entrants, *case.stages, result=decide, players=(2, 8)).state.stages
    found = units([match for run in stages.values() for match in run.matches()])
    met = {name for unit in found for name in unit.wins}
    names = [name for name in entrants if name in met]
    ratings = plackett_luce(names, found)
    mean = sum(true[name] for name in names) / len(names)
    intervals = [ratings.interval(index) for index in range(len(names))]
    held = sum(low <= true[name] - mean <= high for name, (low, high) in zip(names, intervals, strict=True))
    return len(names), held, sum(high - low for low, high in intervals)


def coverage(case, trials, first=0):
    """Return the share of intervals that hold the true rating, its standard error, and the mean width in Elo."""
    counts = [one_contest(case, seed) for seed in range(first, first + trials)]
    total = sum(count for count, _, _ in counts)
    shares = [held / count for count, held, _ in counts]
    share = sum(held for _, held, _ in counts) / total
    error = math.sqrt(sum((one - share) ** 2 for one in shares)) / trials
    return share, error, sum(width for _, _, width in counts) / total


def main(trials):
    """Print the table."""
    print(f"Coverage of 95 % intervals, percent (width in Elo); {trials} contests each")
    print(f"{'format':58} {'sd 200':>17} {'sd 800':>17} {'half draws':>17}")
    for case in (*FORMATS, *TABLES):
        cells = []
        for one in (case, replace(case, spread=800.0), replace(case, draws=0.5, together=0.3)):
            share, error, width = coverage(one, trials)
            cells.append(f"{100 * share:5.1f} ±{100 * error:3.1f} ({width:4.0f})")
        print(f"{case!s:58} {'  '.join(cells)}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
