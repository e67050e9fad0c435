"""The ladder: a stage without rounds, in which everybody who has a version can play at any time.

It promises three things, and each has a module:

* **The rating is that of the team**, not of a version (`board`): it is computed again from the results that count, so
  that an act which is undone leaves no trace. Nobody gains by going back to a version that was lucky.
* **Two teams cannot agree on a winner** (`collusion`): results of one pair that the other matches of both do not
  explain count less and less.
* **A slow bot costs its own team** (`slot_shares`): teams share the seconds of the slots, not the number of matches.

The way of a match: `matchmaking` chooses the players from whom most is learned, among those who have time left;
`encounters` makes the entry and the matches of it, also those of checks and challenges; the loop plays them; `board`
reads the results from `Contest.timeline`, in the order of the journal. `arena.contests.scheduler` says when each
happens.

No rating and no choice of players may depend on a clock or a file: a rebuilt journal must give the same ratings and
the same next match. The only time is the stamp `at` of a new entry.
"""
