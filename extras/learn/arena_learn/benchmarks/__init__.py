"""Benchmarks with fixed rules, options, opponents and seeds, and what a perfect opponent gets in a small game.

`versions.py` says what each benchmark is, and never changes after its release. `measuring.py` plays it and makes the
table. `best_response.py` searches the whole tree of a small game with hidden information.
"""
