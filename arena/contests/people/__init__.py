"""People in a contest: how they come in, hand in bots, and what they may do.

The way of a version, from a file to the ladder:

1. An organizer invites a person, who joins a team and gets a token (`accounts`).
2. An upload becomes a stored version (`uploads`). Its author has the answer before anything of it is run.
3. The versions that wait are checked, each in a separate process (`version_checks` starts `check_process`), so that a
   bot can neither stop nor read the server. The last part of a check is a match, the trial, which the loop plays.
4. A version that passes becomes active, at once or when its team says so (`team_actions`; challenges are there too).

What a team may do in 24 hours is limited (`daily_limits`): checks and matches take time from the others.

What organizers do are acts, in `organizer_acts`: one table, each with a reason, each can be undone. Everything here
writes entries and nothing else: who is signed in, what waits and what plays is read from `arena.contests.state`. Names
and free texts of people are entries of their own, so that they can be erased (`erasure`), which no act undoes.
"""
