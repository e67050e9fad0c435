"""The parent of a replay: the replay from a position of which the match started."""

from __future__ import annotations

import os.path
from pathlib import Path
from typing import NamedTuple

from arena.errors import ArenaError
from arena.match.position import Parent
from arena.replaying.difference import first_difference
from arena.replaying.places import step_at
from arena_replays import Reader, ReplayError


class ParentCheck(NamedTuple):
    """The result of comparing a replay with its parent, the replay from which the match starts.

    Attributes:
        known: "verified"; "differs"; "missing" if the parent was not found; "" if the match starts from no replay.
        problem: What differs; empty if nothing does.
        file: The parent; None if it was not found.
    """

    known: str = ""
    problem: str = ""
    file: Path | None = None


def check_parent(reader: Reader, parent: Path | None = None) -> ParentCheck:
    """Check that a replay starts with the position of its parent.

    Args:
        parent: The path of the parent; by default the file beside the replay that has the name in the replay's header.
    """
    named = Parent.from_document(reader.header.get("parent"))
    if named is None or not reader.truth or reader.truth[0][0] != "position":
        return ParentCheck()
    path = parent or beside(Path(reader.where), named)
    if path is None or not os.path.isfile(path):
        return ParentCheck("missing")
    try:
        found = Reader(path)
        if named.chain and (found.chain != named.chain or found.check()):
            return ParentCheck("differs", f"its parent {path} was changed, or is another match")
        state = step_at(found, named.turn, named.action).state
    except (ArenaError, ReplayError) as error:
        return ParentCheck("differs", f"its parent {path} has no such position: {error.message.rstrip('.')}")
    difference = first_difference(state.to_document(), reader.truth[0][1])
    if difference is not None:
        return ParentCheck("differs", f"its position is not that of its parent {path}: {difference}")
    return ParentCheck("verified", file=path)


def beside(path: Path, parent: Parent) -> Path | None:
    """Return the file beside another file that has the name of a parent; None if there is none.

    Only the name counts, and no link is followed: a file must not choose which other files are opened.
    """
    name = os.path.basename(parent.file)
    file = path.absolute().parent / name
    return file if os.path.isfile(file) and not file.is_symlink() else None
