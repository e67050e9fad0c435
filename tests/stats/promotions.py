"""Simulate climbs: how often `arena climb` promotes a bot that is not stronger, and how often it repeats its result.

Run it as a program for the whole table (`make stats`, a minute).
"""

import random
import sys
from collections import Counter

from arena.contests.ratings.sequential import PROMOTED, PairScores, PromotionTest
from arena.contests.strength.climb import MOST_GAMES

# True mean score against each boss, the weakest first; share of draws; how often both games of a pair end alike, for
# example since the map favours one seat.
NOT_STRONGER = {
    "a copy of the first boss": ((0.5, 0.1, 0.0), 0.0, 0.0),
    "a copy of the second boss": ((0.95, 0.5, 0.1), 0.0, 0.0),
    "a copy of the third boss": ((0.98, 0.9, 0.5), 0.0, 0.0),
    "equal to all bosses": ((0.5, 0.5, 0.5), 0.0, 0.0),
    "equal, half of the games drawn": ((0.5, 0.5, 0.5), 0.5, 0.0),
    "equal, one seat wins": ((0.5, 0.5, 0.5), 0.1, 0.9),
    "a little weaker": ((0.48, 0.48, 0.48), 0.1, 0.0),
}
# Mean scores that `arena climb` measured for the built-in bots of the four games.
BUILT_IN = {
    "saloon, rowdy": ((0.5, 0.01, 0.01), 0.0, 0.0),
    "saloon, pianist": ((0.99, 0.5, 0.06), 0.0, 0.0),
    "saloon, sheriff": ((0.99, 0.97, 0.5), 0.0, 0.0),
    "snakes, hatchling": ((0.5, 0.05, 0.02), 0.0, 0.0),
    "snakes, forager": ((0.96, 0.5, 0.2), 0.0, 0.0),
    "snakes, constrictor": ((0.98, 0.82, 0.5), 0.0, 0.0),
}
TEST = PromotionTest()


def pair(rng, mean, draws, together):
    """Return the score of one pair of games with swapped seats."""
    half = draws * min(mean, 1.0 - mean)

    def score(toss):
        return 1.0 if toss < mean - half else 0.5 if toss < mean + half else 0.0

    first = rng.random()
    # One seat wins both games of the pair: what the bot wins on one seat, it loses on the other.
    second = 1.0 - first if rng.random() < together else rng.random()
    return (score(first) + score(second)) / 2


def rung(rng, mean, draws, together):
    """Return the decision of one rung, and the number of its games."""
    pairs = PairScores()
    while 2 * pairs.pairs < MOST_GAMES:
        pairs.add(pair(rng, mean, draws, together))
        if decision := TEST.decide(pairs):
            return decision, 2 * pairs.pairs
    return "", MOST_GAMES


def climb(rng, means, draws, together):
    """Return the number of bosses that were beaten, and the number of games."""
    beaten = games = 0
    for mean in means:
        decision, played = rung(rng, mean, draws, together)
        games += played
        if decision != PROMOTED:
            break
        beaten += 1
    return beaten, games


def climbs(case, count, seed=0):
    """Return how often each rung was reached, and the mean number of games."""
    reached, games = Counter(), 0
    for number in range(count):
        beaten, played = climb(random.Random(f"{seed} {number}"), *case)
        reached[beaten] += 1
        games += played
    return reached, games / count


def false_promotions(case, count):
    """Return the share of climbs that pass a boss to which the bot is not superior."""
    reached, _ = climbs(case, count)
    right = next(number for number, mean in enumerate(case[0]) if mean <= TEST.equal)
    return sum(times for beaten, times in reached.items() if beaten > right) / count


def main(count):
    """Print both tables."""
    print(f"False promotions in {count} climbs, percent (at most {100 * TEST.alpha:g})")
    for name, case in NOT_STRONGER.items():
        print(f"  {name:34} {100 * false_promotions(case, count):5.2f}", flush=True)
    print(f"The same rung, percent of {count} climbs with other seeds, and mean games of a climb")
    for name, case in BUILT_IN.items():
        reached, games = climbs(case, count)
        beaten, times = reached.most_common(1)[0]
        print(f"  {name:34} {100 * times / count:6.2f}  beats {beaten} of {len(case[0])}  {games:4.0f}", flush=True)
    print(f"Promoted by true score, percent of {count} rungs")
    for score in (0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8, 0.9):
        reached, games = climbs(((score,), 0.1, 0.0), count)
        print(f"  {score:4.2f} {100 * reached[1] / count:6.2f}  {games:4.0f} games", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
