"""Join a replay (the parent) and a replay that starts from one of its positions (the child) to one whole match."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

from arena_replays import compact
from arena_replays.documents import Header
from arena_replays.errors import DamagedReplay
from arena_replays.reader import Reader


def splice(parent: Reader, child: Reader, frame: int) -> bytes:
    """Return a replay with the parent's turns up to a position, and the child's turns from there on.

    Args:
        parent: The replay that the child starts from.
        child: The replay that starts from a position of the parent.
        frame: The frame of the parent after which the child begins.

    Raises:
        DamagedReplay: A replay cannot be read, or the two do not belong together.
    """
    if parent.streams != child.streams or not 0 <= frame < parent.frame_count():
        raise DamagedReplay(f"{child.where} does not start from {parent.where}.")
    kept = _entries_up_to(parent, frame)
    entries = chain(parent.truth[:kept], child.truth[1:])
    views = [chain(parent.frames(stream, 0, frame + 1), child.frames(stream, 1)) for stream in range(parent.streams)]
    turns = refused = 0
    for entry in parent.truth[:kept]:
        turns += entry[0] == "turn"
        refused += entry[0] == "refuse"
    notes = [note for note in parent.notes if note.frame <= frame]
    notes += [
        replace(note, turn=note.turn + turns, frame=note.frame + frame, refused=note.refused + refused)
        for note in child.notes
    ]
    header: Header = {**child.header}
    header.pop("start", None)
    if "start" in parent.header:
        header["start"] = parent.header["start"]
    return compact.assemble(header, entries, views, notes, child.footer or {})


def _entries_up_to(reader: Reader, frame: int) -> int:
    """Return the number of entries up to the action of a frame, including ``turn`` entries directly after it."""
    frames = 0
    for at, entry in enumerate(reader.truth):
        acted = entry[0] in ("do", "leave")
        if frames == frame and at and (acted or entry[0] != "turn"):
            return at
        frames += acted
    return len(reader.truth)
