"""Contests: many matches between the same entrants, in stages, with or without people.

A contest is a folder: `contest.toml`, one journal, replays and copies of bots. Read in this order:

* `config` and `values`: the file, and what a contest is made of. `entries`: the kinds of entries of the journal.
* `state`: the one class that reads entries. `stages`: who meets whom. `board`, `pairs`, `shares`, `ladder`: the ladder.
* `deciding`: what comes next, without I/O. `running`: the loop that obeys. `session`: one run, from start to end.
* `opening`, `status`: a contest on the disk. `entrants`: the bots of the file. `people`, `handing_in`, `checking`,
  `check`, `png`: people and their versions. `acts`: what organizers do. `released`: what is public.
* `report`: what is shown. `verify`, `rebuild`, `backup`: damage. `suspicions`: fairness.

Four rooms serve every loop over many matches, also a comparison: `queue` (what is played, and again), `journal` (an
append-only record), `ratings` and `strength` (what results say). `engines` is for distributions that play elsewhere.
"""
