"""Measure how strong a bot is: compare two bots, climb a ladder, grade by a rubric.

Everything here stands on pairs of games: both games of a pair have the same seed and map, and the two bots swap seats
(`compare.Subject`). So neither the dice nor the seats favour one of them, and a pair is one sample of statistics. A
`Comparison` counts pairs in their order, also if later ones end first: otherwise an early stop would leave out slow
pairs. Identical games count once in intervals, since deterministic bots repeat themselves.

* `compare`: the pairs, and `Comparer`, which plays them with an engine until a test has decided.
* `comparison_report`: a comparison as rounded numbers, for ``--json`` and for people.
* `climb`: comparisons with bosses, one after the other, until the bot is promoted or held.
* `grade`: climbs and rubrics as points.

The statistics themselves are in `arena.contests.ratings.sequential`. Other distributions that play games of their own
count them with the names below.
"""

from arena.contests.ratings.sequential import PairScores, mean_and_margin
from arena.contests.strength.compare import Comparison, Subject
from arena.contests.strength.comparison_report import ComparisonReport

__all__ = ["Comparison", "ComparisonReport", "PairScores", "Subject", "mean_and_margin"]
