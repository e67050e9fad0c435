"""Describe the error that ends a task which a page follows: a match, an explanation or an estimate."""

from __future__ import annotations

from arena.errors import ArenaError
from arena.text.printable import print_traceback
from arena_replays import ReplayError


def failure(error: Exception, what: str) -> dict[str, str]:
    """Return the ``message`` and the ``hint`` that a page shows. For a fault of Arena, print the traceback."""
    if isinstance(error, ArenaError | ReplayError):
        return {"message": str(error), "hint": error.hint}
    if isinstance(error, OSError) and error.strerror:  # for example, the system has no free socket or process
        return {"message": f"{what} failed: {error.strerror}.", "hint": ""}
    print_traceback(error)
    hint = "The output of the server has a traceback. Please report it."
    return {"message": f"{what} failed because of a fault of Arena.", "hint": hint}
