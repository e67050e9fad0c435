"""Checks: of games, of recorded games, of replays, and of bots.

Each check compares two independent sources of the same fact, and reports the first place where they differ. None of
them plays for a result, and none changes what it looks at.

* `contract/`: a game against the contract of games, in random games (`arena game check`).
* `rulebook.py`: a game against the examples in its own rules.
* `traces.py`: a game against games that another implementation has recorded (`arena conform`).
* `verification.py` with `rematch.py`: a replay against the rules (`arena replay verify`). Nothing in the replay is
  trusted: the state machine of the referee derives every entry again.
* `client.py`: a bot against the protocol (`arena bot check`).

A report is a value with `to_document`; commands and tests print it or raise it.
"""

from arena.study.checks.traces import Mismatch, TraceReport, conform, conform_file, find_traces
from arena.study.replaying.difference import Difference, first_difference

__all__ = [
    "Difference",
    "Mismatch",
    "TraceReport",
    "conform",
    "conform_file",
    "find_traces",
    "first_difference",
]
