"""Check a tournament: its journal, replays and bots."""

from collections.abc import Callable
from pathlib import Path

from arena.matches import verify as checking
from arena.matches.verify import Findings
from arena.tournament.run.history import History


def verify(
    folder: Path, *, rules: bool = False, head: str = "", report: Callable[[str], None] = lambda _problem: None
) -> Findings:
    """Check a tournament; see `arena.matches.verify.verify`."""
    return checking.verify(folder, History, rules=rules, head=head, report=report)
