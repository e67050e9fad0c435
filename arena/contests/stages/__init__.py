"""The stages of a contest: who meets whom, from what was played. Pure functions and values, without files or clocks.

From the outside in:

* `stage`: one stage that runs. It takes rounds and results, says which matches wait, and what the order is.
* `formats`: the table of formats. A format is a generator that yields the encounters of a round, and receives the round
  with its results; and a function that ranks. The formats are in `round_robin` (with gauntlets), `groups`, `swiss`,
  `elimination` (brackets, and elimination without one) and `tables` (more than two players). A new format is a pair of
  such functions in `formats.FORMATS`, and a table of its settings in `arena.contests.config`.
* `encounters`: the values that go in and out of a format. `series`: the games of one encounter, how many it needs, and
  when it is decided. `standings`: tables of points; what the tie-breaks are is in `arena.contests.tiebreaks`.
* `pairing`: cheapest matchings and balanced seats, for the formats that pair round by round.

What must hold: the same rounds and results give the same encounters, tables and seeds, on every machine and in every
version of a library, whatever the order in which matches end. So results are settled in the order of the schedule,
points are fractions, and ties are broken by fixed random numbers. Rounds are stored once they are paired, and a format
must accept them as they were stored: players enter and withdraw between rounds.
"""
