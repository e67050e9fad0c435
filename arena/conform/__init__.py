"""Conformance: recorded games of a specification, replayed against the rules of a game."""

from arena.conform.difference import Difference, first_difference
from arena.conform.files import conform_file, find_traces
from arena.conform.replay import conform
from arena.conform.report import Mismatch, TraceReport

__all__ = [
    "Difference",
    "Mismatch",
    "TraceReport",
    "conform",
    "conform_file",
    "find_traces",
    "first_difference",
]
