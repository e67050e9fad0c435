"""What pages, the terminal and tables show of a contest.

`shown` says what a reader may see: the stages with their rows and series, the ladder, the ratings. Everything else
reads these values themselves; there is no document between. `tables` declares each column once, `listings` and `data`
fill the tables, and `writers` writes them: for the terminal, as CSV, into SQLite. `views`, `drawings` and `details`
make what a page draws; `page` and `export` put pages together. `--json` of commands is made of the tables at the end.
"""
