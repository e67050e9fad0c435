"""The journal, which is the only record of a contest, and the files beside the journal.

A journal is a chain of entries in one SQLite file. Whatever else a contest shows is computed from the entries, one
after the other, by a `Fold`: here its interface, and in `arena.contests.state` the one that knows the kinds of entries.

What it promises:

* What was written is not changed unnoticed: each entry has a hash over the one before. Neither is its end cut off:
  backups and replays are witnesses (docs/decisions/017-one-chain-of-entries.md).
* An entry that was written survives a crash of the machine: each transaction is synchronised, and a replay is on the
  disk before the entry of its result.
* A contest has one writer (`FolderLock`); others read at any time.
* A journal may come from a stranger. It is read within limits, and it can only name files of its own folder.
* Full disks and lost permissions are errors with a hint (`DiskError`); damage is another one (`DamagedJournalError`).

Which file to open: `chain.py` (entries, hashes, the fold), `database.py` (SQLite and its limits), `store.py` (the
journal: read, write, back up), `sources.py` (what a damaged journal still says), `files.py` (lock, replays and
temporary files).
"""
