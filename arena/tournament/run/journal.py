"""The journal of a tournament."""

from collections.abc import Iterable
from pathlib import Path

from arena.journal.chain import RESULT
from arena.journal.store import FILE
from arena.matches.results import MatchJournal, read_result
from arena.contests.stages.encounters import PairedRound
from arena.tournament.run.history import History


class Journal(MatchJournal[History]):
    """The journal of one tournament.

    Args:
        read_only: Whether to open the journal for reading only. Only the process that runs the tournament writes.
    """

    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        super().__init__(folder, History(folder / FILE), read_only=read_only)

    def read_kinds(self, *kinds: str) -> History:
        """Return a history with the entries of these kinds only. Do not check the chain."""
        history = History(self.path)
        with self.errors():
            where = f"where +kind in ({', '.join('?' * len(kinds))})"  # without an index, nothing must be sorted
            for entry in self._connection.entries(where, kinds):
                history.take(entry)
        return history

    def read_until(self, at: str) -> History:
        """Return a history with the entries before the first result that was recorded after a time."""
        history = History(self.path)
        with self.errors():
            for entry in self._connection.entries():
                if entry.kind == RESULT and read_result(entry).at > at:
                    break
                history.add(entry)
        return history

    def pair(self, rounds: Iterable[PairedRound]) -> None:
        """Write paired rounds, and make a backup if one is due. Call this before a match of these rounds is played."""
        written = [("round", paired.stage, paired.to_document()) for paired in rounds]
        if written:
            self.append(*written)
            self.back_up()
