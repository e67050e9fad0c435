"""Contests: many matches between the same entrants, in stages, with or without people.

A contest is a folder: `contest.toml`, one journal, replays and copies of bots. Read the modules in this order:

* `config` and `values`: the file, and what a contest is made of. `entries`: the kinds of entries of the journal.
* `state`: the one class that reads entries. `stages`: who meets whom. `board`, `pairs`, `shares`, `ladder`: the ladder.
* `deciding`: what comes next, without I/O. `running`: the loop that obeys. `session`: one run, from start to end.
* `opening`, `journal`, `status`: a contest on the disk. `entrants`: the bots of the file. `people`, `handing_in`,
  `checking`, `check`, `png`: people and their versions. `acts`: what organizers do. `released`: what is public.
* `report`: what is shown. `verify`, `rebuild`, `backup`: damage. `suspicions`, `differences`, `sources`: fairness.
"""
