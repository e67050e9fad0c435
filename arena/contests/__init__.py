"""Contests: many matches between the same entrants, in stages, with or without people.

A contest is a folder: `contest.toml`, one journal, replays and copies of bots. One class folds the journal
(`arena.contests.state`), one loop plays (`arena.contests.running`), and pages and commands read what was folded.
"""
