"""What a journal says: a value that is computed from its entries, one after the other."""

from dataclasses import dataclass
from pathlib import Path

from arena.journal.chain import DamagedJournalError, Entry


@dataclass(slots=True)
class Fold:
    """The content of a journal up to an entry. Subclasses define the kinds of entries."""

    where: Path
    number: int = 0
    hash: str = ""

    def add(self, entry: Entry) -> None:
        if not entry.follows(self.number, self.hash):
            text = f"The journal {self.where} was changed: {entry.name} is not what was written."
            raise DamagedJournalError(text)
        self.take(entry)
        self.number, self.hash = entry.number, entry.hash

    def wrote(self, entry: Entry) -> None:
        """Add the next entry, which this process has just chained and written."""
        self.read(entry)
        self.number, self.hash = entry.number, entry.hash

    def take(self, entry: Entry) -> None:
        """Add an entry without checking the chain."""
        try:
            self.read(entry)
        except Exception as error:  # the document can be anything
            text = f"The journal {self.where} cannot be read at {entry.name}: {error!r}."
            raise DamagedJournalError(text) from error

    def read(self, entry: Entry) -> None:
        raise NotImplementedError
