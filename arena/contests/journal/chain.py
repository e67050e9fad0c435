"""The hash chain of the journal.

The hash of an entry is over the hash before, and over its kind, key and the digest of its document: `link`. So a
document can be lost or erased, and the chain still shows that nothing else is missing.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from typing import Any

from arena.errors import ArenaError, ExitCode

RESULT = "result"
"""The kind of the entries for results."""
LOST = "lost"
"""The kind of the entries that replace entries that could not be restored, so that the others keep their numbers."""
TEXT = "text"
"""The kind of the entries whose documents can be erased."""
ACT, ERASE = "act", "erase"
"""The kind of the entries for acts, and the name of the act that erases documents."""


class Erased(str):
    """The digest of a document that was erased, in place of its text."""

    __slots__ = ()


class DamagedJournalError(ArenaError):
    """The journal, or a file beside it, is missing or damaged, or was changed."""

    exit_code = ExitCode.DAMAGED_JOURNAL

    def __init__(self, message: str) -> None:
        super().__init__(
            message,
            hint="`arena contest verify` lists all defects. `arena contest rebuild` restores the journal from the "
            "backups and the replays.",
        )


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the journal.

    Attributes:
        kind: "result", "lost" for an entry that a rebuild could not restore, or another one of
            `arena.contests.entries`.
        key: Its subject, such as the id of a match or the name of a stage; empty if the entry has none.
        text: The document, as JSON; None if it was erased, or a damaged file has lost it.
        value: What this process has written: the document; None for an entry that was read.
    """

    number: int
    kind: str
    key: str
    text: str | None
    digest: str
    hash: str
    value: Any = field(default=None, compare=False)

    @property
    def name(self) -> str:
        return f"entry {self.number} ({self.kind} {self.key})" if self.key else f"entry {self.number} ({self.kind})"

    def follows(self, number: int, chain: str) -> bool:
        digest = self.digest if self.text is None else digest_of(self.text)
        return (
            self.number == number + 1
            and self.digest == digest
            and self.hash == link(chain, self.kind, self.key, digest)
        )


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def link(before: str, kind: str, key: str, digest: str) -> str:
    """Return the chain hash of an entry. `before` is the chain hash of the previous entry."""
    return hashlib.sha256(f"{before}\n{kind}\n{key}\n{digest}".encode()).hexdigest()


def erasures(entries: Iterable[Entry]) -> dict[int, str]:
    """Return which documents were erased: the numbers of the entries, and the keys of the acts that erased them."""
    found: dict[int, str] = {}
    for entry in entries:
        if entry.kind == ACT and entry.text and entry.digest == digest_of(entry.text):
            with suppress(ValueError, LookupError, TypeError):  # a stranger's journal
                document = json.loads(entry.text)
                if document["act"] == ERASE:
                    found |= dict.fromkeys(document["more"]["entries"], entry.key)
    return found


def chained(
    written: Iterable[tuple[str, str, str]], number: int = 0, chain: str = "", values: Iterable[Any] = repeat(None)
) -> Iterator[Entry]:
    """Yield an entry for each (kind, key, text), chained to the entry with this number and hash.

    By default, the entries begin a new chain. A text can be `Erased`.
    """
    for (kind, key, text), value in zip(written, values, strict=False):
        is_erased = isinstance(text, Erased)
        digest = str(text) if is_erased else digest_of(text)
        number, chain = number + 1, link(chain, kind, key, digest)
        yield Entry(number, kind, key, None if is_erased else text, digest, chain, value)


# What a journal says: a value that is computed from its entries, one after the other.


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
