"""Recorded matches: carry them out again with the rules, start from their positions, and rerun them with a bot.

A replay holds the set-up and every accepted and refused action with its draws (`Reader.truth`). That is enough to
compute everything else, so whatever is said about a match later is computed here from the rules, and not from the views
in the replay. This room promises that a state that it returns is the one that the match had: each recorded action must
be accepted, each refused one refused with the same code, no draw may be missing or left, and the digests of turns must
agree. Where they do not, it raises `Disagreement` or an `ArenaError`, and returns no state. The game must be installed
in the version of the replay: other rules give another match.

A record is read in two ways:

* `course.py`: a `Course` carries out the entries one after another and yields a `Step` for each. Positions, the
  analysis and traces use it. It trusts the record about who moves when.
* `checks/rematch.py` trusts nothing: there the state machine of the referee derives all entries again.

What is here, from the ground up:

* `difference.py`: the first difference of two JSON values.
* `recorded.py`: ask the rules one question, and turn each unexpected answer into a `Disagreement`.
* `course.py`: the entries of a record, one after another.
* `positions.py`: a position of a replay or a file, from which a match can start; the parent of a replay.
* `rerun.py` with `rerun_match.py` and `record_guide.py`: play a record with a bot in a player's place, and compare.
* `pinned.py` and `debugging.py`: keep one turn of a record as a test, and debug it.
* `presentation.py`: what the viewer needs to show a replay: the renderer, the number of legs, and the result in words.
"""
