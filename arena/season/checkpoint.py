"""The checkpoint: a file with values that a season has computed from its journal. It makes the next start faster.

The file can be deleted at any time. A file from another version of the software, or from another journal, is ignored.
All hashes of the journal are checked even with a checkpoint. The file contains values of fixed types and no code.
"""

import contextlib
import hashlib
import platform
import sqlite3
import sys
from pathlib import Path

import msgspec

from arena.errors import ArenaError
from arena.journal.database import Database
from arena.journal.store import FILE
from arena.ratings import form, skill
from arena.season import board, pairs, shares, state, values
from arena.season.board import Board, Ratings
from arena.season.state import SeasonState
from arena.season.values import Pairing, Played
from arena_replays.files import replace_file

NAME = "checkpoint"
_DIGEST = hashlib.sha256().digest_size


class Checkpoint(msgspec.Struct, array_like=True):
    """The content of the checkpoint file.

    Attributes:
        ratings: Two values: the ratings after all results, and those after the results that everybody may see.
    """

    number: int
    hash: str
    encounters: list[Pairing]
    played: list[Played]
    ratings: list[Ratings]


def save(folder: Path, season: SeasonState, boards: list[Board]) -> None:
    """Write the checkpoint of a season atomically. If the process is killed before the end, the old file stays."""
    ratings = [one.ratings() for one in boards]
    known = Checkpoint(season.number, season.hash, [*season.encounters.values()], [*season.played.values()], ratings)
    content = msgspec.msgpack.encode(known)
    with contextlib.suppress(OSError):  # for example, the disk is full; the next start then takes longer
        replace_file(folder / NAME, _digest(content) + content, sync=False)


def load(folder: Path) -> Checkpoint | None:
    """Return the checkpoint of a season; None if it is missing, damaged, or from another journal or other software."""
    try:
        data = (folder / NAME).read_bytes()
        if data[:_DIGEST] != _digest(data[_DIGEST:]):
            return None
        known = msgspec.msgpack.decode(data[_DIGEST:], type=Checkpoint)
        with contextlib.closing(Database.open(folder / FILE, "ro")) as journal:
            entries = list(journal.entries("where number = ?", (known.number,)))
    except (OSError, sqlite3.Error, ValueError, ArenaError):
        return None
    return known if [entry.hash for entry in entries] == [known.hash] else None


def _digest(content: bytes) -> bytes:
    # `platform.platform` would start a process.
    system = platform.system(), platform.release(), platform.machine(), *platform.libc_ver()
    found = hashlib.sha256(f"{sys.version} {system}".encode())
    for module in (board, pairs, shares, state, values, form, skill, sys.modules[__name__]):
        found.update(Path(str(module.__file__)).read_bytes())
    found.update(content)
    return found.digest()
