"""Check the rules of games against recorded games and against the contract, and check bots."""

from arena.study.checks.traces import Mismatch, TraceReport, conform, conform_file, find_traces
from arena.study.replaying.difference import Difference, first_difference

__all__ = [
    "Difference",
    "Mismatch",
    "TraceReport",
    "conform",
    "conform_file",
    "find_traces",
    "first_difference",
]
