"""The values that everybody passes around: what is to be played, under which limits, and the result.

Nothing here reads or writes anything. Games are below this package; the referee, the bots' processes, tournaments,
the pages and the commands are above it.
"""
