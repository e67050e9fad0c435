"""Check the rules of games against recorded games and against the contract, and check bots."""

from arena.checks.conformance import conform, conform_file
from arena.checks.trace_files import find_traces
from arena.checks.trace_report import Mismatch, TraceReport
from arena.replaying.difference import Difference, first_difference

__all__ = [
    "Difference",
    "Mismatch",
    "TraceReport",
    "conform",
    "conform_file",
    "find_traces",
    "first_difference",
]
