"""Compare what two versions do in their first match. All first matches of a contest have the same seed and opponent."""

from functools import lru_cache
from itertools import zip_longest
from pathlib import Path

from arena_replays import Reader, ReplayError
from arena_replays.documents import Entry


def _played(entry: Entry | None) -> Entry | None:
    """Return an entry of the truth without the times that a turn took."""
    return entry[:3] if entry and entry[0] == "turn" else entry


@lru_cache(maxsize=64)
def first_turn_apart(one: Path, other: Path) -> int | None:
    """Return the number of the turn in which two matches differ first; 0 if they are equal, None if unreadable."""
    try:
        reader = Reader(one)
        turn = 0
        for mine, theirs in zip_longest(reader.truth, Reader(other).truth):
            if _played(mine) != _played(theirs):
                return reader.number_of(turn)
            turn += mine[0] == "turn"
    except (OSError, ReplayError):
        return None
    return 0
