"""Pages in the browser: start page, viewer, map editor, seats of people, contests.

There is one web stack for all of them (docs/decisions/013-one-web-stack.md). A `server.Server` listens on one port, the
`guard.Guard` sees every request before an application does, and `pages` makes all answers from the templates of
`arena.pages`. There are two kinds of servers:

* A server of this machine (`local_pages`: `arena view`, `arena map edit`, a match that is watched or played). Its
  address has a random key. Whoever knows it may read and write everything, and sees replays as they are, with all logs.
* The server of a contest (`contests/`), for everybody. What a reader may see is decided for each reader and each match,
  and replays are sent as public copies (`public_replays`), which have no logs.

What must not happen: that a page of another site reads or changes something through the browser of a user (`guard`);
that what bots wrote is run by a browser, since templates escape everything and policies forbid scripts (`pages`); and
that visitors take the server from others, by connections (`server`), computations (`computing`) or waiting (`growing`).

Which file to open:

* `start_page`, `viewing`, `what_if` with `analyses`, `editor/`, `rulebook`: the pages of this machine.
* `people` with `playing/`: the page of a person who plays. `page_matches`: the matches that pages start.
* `match_pages`, `public_replays`, `stills`: matches for visitors: the viewer, the replay, the log of a bot, pictures.
* `contests/`: the pages of a contest, by audience.

Scripts and style sheets lie beside the Python that serves them, in `editor/`, `playing/` and `contests/`; the viewer's
own, with the colours of the players, are in `replays/arena_replays/viewer/`.
"""
