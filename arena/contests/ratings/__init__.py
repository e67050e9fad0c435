"""Ratings: estimates of strength, with their uncertainty. All of it is computation: results in, numbers out.

Four questions, four methods:

* Who of a field is how strong, given all results of a contest? `plackett_luce.py`: one fit of all results, with
  intervals that hold although games of a pair and later pairings are not independent
  (docs/decisions/010-intervals-from-pairs.md).
* How strong is a player now, after one more match of a ladder? `skill.py`: a skill for each player, updated after each
  match. It is cheap and depends on the order; `form.py` is the same over time, for people.
* Is one of two bots stronger, and have enough games been played? `sequential.py`: two tests that decide while games are
  played, and the mean of a score with its interval.

All intervals are 95 %, all methods count a draw as half a win, and none counts a void match. Bots that repeat a game
give no new evidence by that: callers count equal games once (`arena.match.result.different_games`).

The constants of `plackett_luce.py` were found by simulation; `make stats` measures again whether the intervals hold
(tests/stats/interval_coverage.py) and how often a test is wrong (tests/stats/promotions.py).
"""
