"""Play the matches of contests and of measurements: many at once, each in a process of a referee.

    MatchSpec -> MatchQueue -> engine -> RefereeMatches: a job -> match process -> result and replay
        -> accepted (evidence) -> MatchQueue: counts, or is played again -> Ended

What it promises:

* A match ends, or its failure is named: one that fails, or is void (`arena.match.void`), is played again a few times
  only.
* A result counts only if its replay proves it, wherever the match was played.
* Bots are played from copies that nobody changes: two matches of a version are matches of the same files.
* Two matches do not slow each other down: one for each core, pinned there.

Which file to open: `queue.py` (what is played again, and the contract of engines), `local.py` (the engine of this
machine; another distribution can bring one, `arena.contests.engines`), `referee_match.py` (from a `MatchSpec` to a job,
and what comes back), `evidence.py` (what a replay proves), `copies.py` (bots in the folder of a contest), `remote.py`
(bots of other machines, each in one match at a time).

Nothing here knows a contest's schedule or journal: who plays next, and what a result means, is decided above.
"""
