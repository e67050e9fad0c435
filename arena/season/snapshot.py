"""What the pages of a season show: its content after one of the entries of the journal."""

from __future__ import annotations

from dataclasses import dataclass

from arena.season.board import LadderRow
from arena.season.pairs import Pairs
from arena.season.state import SeasonState


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The content of a season up to an entry. It never changes, so that pages read it without a lock.

    Attributes:
        rows: The table of the ladder without the results that are held back.
        all_rows: The table of the ladder with all results.
        pairs: The results of pairs of teams, with those that are held back.
    """

    state: SeasonState
    rows: list[LadderRow]
    all_rows: list[LadderRow]
    pairs: Pairs

    def table(self, *, everything: bool = False) -> list[LadderRow]:
        return self.all_rows if everything else self.rows
