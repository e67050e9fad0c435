"""The pages of a contest: one application for everybody, teams and organizers.

Pages only show and ask: what may happen is decided in `arena.contests`, and each form calls one function of it. A page
is made of one snapshot of the contest, and no request waits for a lock that is held while the journal writes
(docs/decisions/034-pages-read-snapshots.md).

The way of a request: `requests` finds out who sends it, `site` makes a `matches.Views` for this reader, and a page
takes all matches and tables from it. `Views` knows which results are held back (`arena.contests.visibility`), and whose
logs and versions the reader may see. `results` computes the tables of stages beside the requests, since with many
results that takes seconds. Pages without a form are kept for all visitors (`arena.web.computing`).

What must not happen: a result, a log or a version is shown to somebody who may not see it; a form of another site or of
another person is obeyed (`requests`); the address of a replay shows what its page hides (`arena.web.match_pages`).

* `app`: begin here. All routes, signing in, and what runs as long as the contest is served.
* `opening`: what visitors get before the contest opens.
* `public`: the front page, matches, tables. `entrants`: the page of a team or bot, and of two of them.
* `team`: what teams send: uploads, pictures, challenges; their logs, and `my_data`. `versions`: the page of a version.
* `desk`: the organizers: acts, invitations, the queue, sources.
* `extending`: pages of other distributions, such as a show.
* `following`: a contest that another process runs, which is only shown.

Scripts: `contest.js` renews the parts of a page, uploads and sends pictures; `boards.js` shows running matches,
`times.js` shows times in the reader's zone.
"""
