"""Contests: many matches between the same entrants, in stages, with or without people.

A contest is a folder: `contest.toml`, one journal, replays and copies of bots. The journal is the only record. A
`Contest` (`state`) is what it says; `scheduler` decides from it what comes next; the loop plays that and writes what
happened as new entries; reports and pages show a `Contest` and change nothing. Whatever can be computed again has no
entry, and nothing is shown or decided that does not follow from entries. So a contest survives a kill at any moment,
each act of an organizer can be undone, and a rebuild from replays gives the same contest.

Which module to open, from the file to the page:

* `config`, `config_file`, `config_bots`, `roster`: `contest.toml`, its bots, and how they enter.
* `values`, `entries`: what a contest is made of, and the kinds of entries. `contest_journal`: how they get to the disk.
* `state`: entries in, meaning out. `orders`: what acts do. `visibility`: what is public while results are held back.
* `stages` (and `tiebreaks`): who meets whom, and tables. `ladder`: ratings and the next match of the ladder.
* `scheduler`, `loop`, `run`: what comes next, the loop that obeys, and one run from start to end with its signals.
* `open_contest`: the contest in the process that runs it: its lock, its snapshots. `status_file`: for other processes.
* `people`: accounts, uploads and their checks, what teams and organizers do.
* `report`: tables, pages and the terminal. `suspicions`: what an organizer should look at.
* `verify`, `rebuild`, `backup`: damage. `png`: pictures from outside.

Four subpackages serve every loop over many matches, also a comparison: `queue` (what is played, and again), `journal`
(an append-only record), `ratings` and `strength` (what results say). `engines` is for engines of other distributions.
"""
