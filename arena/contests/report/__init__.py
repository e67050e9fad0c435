"""What pages, the terminal and tables show of a contest.

Everything begins with a `VisibleContest` (`visible_contest`): a contest as one reader sees it, without the results that
are held back from them. It computes each thing once, when it is needed: stages, ladder, results, ratings. All else here
only reads it. There is no document between: who needs the place of a bot reads the row of the standings.

From there, two ways lead out:

* **Tables**, for programs and for people. `columns` declares each column of each published table, once; `rows` fills
  the tables for programs, and `listings` those that people read too, with columns that depend on a stage. `writers`
  writes them: for the terminal, as CSV, into SQLite; `--json` of commands is made of them. A new column is a `Column`
  in `columns`, and a value at the same position in the function that makes the row: for matches, `rows.match_row`.
* **Pages**. `views` makes standings with pictures, lists of matches, ratings and crosstables; `bracket` the drawings of
  brackets, `details` what is folded; `history` and `bot_statistics` count what they show. `page` and `export` put the
  pages of an export together. Served pages (`arena.web.contests`) are made of the same parts.

`progress` and `forecast` are for the terminal of a run. `titles` names matches and rounds everywhere.

No module here writes entries, and none reads `Contest.played` without asking what the reader may see.
"""
