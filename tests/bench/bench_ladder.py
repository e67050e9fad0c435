"""Simulate attacks on the ladder of a season: real ratings and pairings, results by chance.

A season has ten teams and 1,200 encounters of two matches. The first table: how often is the attacker first? Among
honest equal teams that is every tenth run. The second table: how well is the order of ten honest teams found?
"""

import argparse
import math
import random
import statistics
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from arena.journal.store import now
from arena.season.board import Board, next_players, window
from arena.season.state import SeasonState
from arena.season.values import Pairing, Played

ENCOUNTERS, TEAMS, REST = 1200, 10, 0
SPREAD = 25.0 / 6.0 * math.sqrt(2.0)
"""The scale of the chance to win, as the model of the ratings assumes it."""
NAMES = [f"Team {number}" for number in range(TEAMS)]
ATTACKER = NAMES[0]


@dataclass
class Ladder:
    """A season in memory. `throws` maps (thrower, winner) to the share of the matches that are thrown."""

    strengths: dict[str, float]
    rng: random.Random
    throws: dict[tuple[str, str], float] = field(default_factory=dict)

    def __post_init__(self):
        self.state = SeasonState(Path("journal"))
        self.board = Board(self.state)
        self._shares = []
        for team in self.strengths:
            self.state._add("team", team, {"at": ""}, 0)
            self.upload(team)

    def upload(self, team, gain=0.0):
        number = len(self.state.versions[team]) + 1
        fields = {"team": team, "number": number, "hash": f"{team}/{number}", "path": "", "by": "", "at": "",
                  "size": 1, "file": "", "late": False}  # fmt: skip
        self.state._add("version", f"{team}/{number}", fields, 0)
        self.state._add("report", f"{team}/{number}", {"passed": True, "at": now(), "seconds": 0.0}, 0)
        self.activate(team, number)
        self.strengths[team] += gain

    def activate(self, team, number):
        self.state._add("activate", f"{team}/{number}", {}, 0)
        self.board.advance()

    def encounter(self):
        """Play the next encounter; return whether there was one."""
        self.board.advance()
        shares = self._shares[-2 * window(TEAMS) :]
        players = next_players(self.board, shares, 2, REST)
        if not players:
            return False
        self._shares += players
        number = len(self.state.encounters) + 1
        self.state._pair(Pairing(number, "ladder", players, 2, "", ""))
        for seats in (players, players[::-1]):
            won = self._wins(*[name for name, _ in seats])
            index = len(self.state.played)
            points = (1.0, 0.0) if won else (0.0, 1.0)
            self.state._played(Played(str(index), number, "ladder", seats, points, ("won", "lost"), points, (), "", "",
                                      index))  # fmt: skip
        self.board.advance()
        return True

    def _wins(self, one, other):
        if self.rng.random() < self.throws.get((one, other), 0.0):
            return False
        if self.rng.random() < self.throws.get((other, one), 0.0):
            return True
        gap = self.strengths[one] - self.strengths[other]
        return self.rng.random() < 1.0 / (1.0 + math.exp(-gap / SPREAD))

    def run(self, encounters=ENCOUNTERS):
        for _ in range(encounters):
            self.encounter()

    def leader(self):
        return self.board.table()[0].team


def equal(seed):
    return Ladder(dict.fromkeys(NAMES, 25.0), random.Random(seed))


def spread(seed, gap):
    """Teams of different strength, the attacker in the middle."""
    order = [*NAMES[1:6], ATTACKER, *NAMES[6:]]
    return Ladder({team: 25.0 + gap * (place - 4.5) for place, team in enumerate(order)}, random.Random(seed))


def honest(seed):
    ladder = equal(seed)
    ladder.run()
    return ladder


def luckiest(seed, versions=30):
    """Hand in equal versions, and return to the one with the highest rating at the end."""
    ladder, best = equal(seed), (-math.inf, 0)
    for number in range(1, versions + 1):
        if number > 1:
            ladder.upload(ATTACKER)
        ladder.run(ENCOUNTERS // versions)
        row = next(row for row in ladder.board.table() if row.team == ATTACKER)
        best = max(best, (row.rating, number))
    ladder.activate(ATTACKER, best[1])
    return ladder


def stopping(seed, versions=30):
    """Hand in an equal version whenever the team is not first."""
    ladder = equal(seed)
    for _ in range(versions):
        ladder.run(ENCOUNTERS // versions)
        if ladder.leader() != ATTACKER:
            ladder.upload(ATTACKER)
    ladder.run(ENCOUNTERS // versions)
    return ladder


def toggling(seed, versions=30):
    """Have a good and a bad bot: let the bad one lose while the opponents gain nothing, and change back."""
    ladder = equal(seed)
    for number in range(versions):
        ladder.strengths[ATTACKER] = 15.0 if number % 3 == 0 and number < versions - 6 else 25.0
        if number < versions - 6:
            ladder.upload(ATTACKER)
        ladder.run(ENCOUNTERS // versions)
    return ladder


def thrown(seed, throwers, share=1.0, begin=0):
    """Let other teams throw their matches to the attacker."""
    ladder = equal(seed)
    ladder.run(begin)
    ladder.throws = {(one, ATTACKER): share for one in throwers}
    ladder.run(ENCOUNTERS - begin)
    return ladder


def colluding(seed):
    return thrown(seed, NAMES[1:2])


def sometimes(seed):
    return thrown(seed, NAMES[1:3], 0.4)


def late(seed):
    return thrown(seed, NAMES[1:3], begin=ENCOUNTERS * 4 // 5)


def strong_throwers(seed, gap=1.0):
    ladder = spread(seed, gap)
    ladder.throws = {(one, ATTACKER): 1.0 for one in NAMES[8:]}
    ladder.run()
    return ladder


def strong_honest(seed, gap=1.0):
    ladder = spread(seed, gap)
    ladder.run()
    return ladder


SCENES = [honest, luckiest, colluding, strong_honest, strong_throwers, stopping, toggling, sometimes, late]


def first(scene, seed):
    return scene(seed).leader() == ATTACKER


def order(seed, gap, updates=0):
    """Return the mean error of a rank, whether each interval holds the true skill, and the error of a skill."""
    rng = random.Random(seed)
    ladder = Ladder({team: 25.0 + rng.gauss(0, gap) for team in NAMES}, random.Random(seed + 1000))
    for number in range(ENCOUNTERS):
        ladder.encounter()
        if updates and number % (ENCOUNTERS // updates) == 0 and number < ENCOUNTERS * 0.8:
            ladder.upload(rng.choice(NAMES), abs(rng.gauss(0, 3)))
    true = sorted(NAMES, key=lambda team: -ladder.strengths[team])
    rows = ladder.board.table()
    error = statistics.fmean(abs(row.place - 1 - true.index(row.team)) for row in rows)
    shift = statistics.fmean(row.skill - ladder.strengths[row.team] for row in rows)
    gaps = [abs(row.skill - shift - ladder.strengths[row.team]) for row in rows]
    return error, [gap <= 1.96 * row.uncertainty for gap, row in zip(gaps, rows, strict=True)], gaps


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=40)
    runs = parser.parse_args().runs
    with ProcessPoolExecutor(2) as pool:
        for scene in SCENES:
            count = sum(pool.map(first, [scene] * runs, range(runs)))
            print(f"{scene.__name__:20} first in {count:3} of {runs}", flush=True)
        for gap in (2.0, 5.0):
            for updates in (0, 20):
                found = list(pool.map(order, range(runs), [gap] * runs, [updates] * runs))
                held = [one for _, all_of, _ in found for one in all_of]
                rank, held = (statistics.fmean(values) for values in ([one for one, _, _ in found], held))
                wrong = statistics.fmean(one for _, _, gaps in found for one in gaps)
                print(f"spread {gap:g}, {updates:2} new versions: mean rank error {rank:.2f}, "
                      f"95 % intervals hold {100 * held:.0f} %, error of a skill {wrong:.2f}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
