"""Contests on many machines: the engine `dask`, its scheduler, its workers and their keys.

Dask decides which worker plays a match, moves the bots to it, and plays a match again whose worker is lost. Ours are
a match and its answer as bytes (`playing`), and what no process unpickles (`pickles`). The organizer's journal is the
only record of results.
"""
