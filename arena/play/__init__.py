"""One match is played.

`referee/` has the match as a state machine, and the process around it that starts programs and keeps their clocks: this
is how matches count. `memory/` drives the same state machine with objects of one process in the place of programs: for
tests, playouts and browsers, and only for trusted code. `seats/` lets people and bots of other machines take a seat;
for the referee, they are programs like any other.

A match comes in as a `Job` (`arena.match.job`), and leaves as a `MatchResult` and a replay. Nothing here knows
contests: who plays whom, and what is played again, is decided above.

The same job with the same answers gives the same match, also its replay, apart from measured times. So a replay can be
played again and compared (`arena.study.checks.rematch`), and a match in memory is one with processes.
"""
