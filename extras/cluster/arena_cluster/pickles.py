"""Keep Dask from running code that a worker has sent.

Dask reads a pickle wherever a message contains one, whatever serializers it is configured for: in results, exceptions,
tracebacks, events, and any message between two processes. A pickle runs code by naming a class or function, and Python
raises an audit event for each name. Here, a hook refuses all names but those that are known to do nothing. Without a
name, a pickle holds only numbers, texts and the like.
"""

import sys
from functools import cache
from types import FrameType
from typing import Any, Final

_OF_RESULTS: Final = frozenset({("builtins", "bytes")})
_OF_GRAPHS: Final = frozenset(
    {
        ("arena_cluster.playing", "answer"), ("arena_cluster.playing", "keep"), ("dask._expr", "Expr._reconstruct"),
        ("dask._expr", "LLGExpr"), ("dask._task_spec", "Alias"), ("dask._task_spec", "Task"),
    }
)  # fmt: skip
"""What is in the graph of a match. The scheduler builds these objects, and calls none of their functions."""


class RefusedPickleError(AttributeError):
    """A pickle names something that is not allowed. Dask treats it like a name that does not exist."""


@cache
def guard_organizer() -> None:
    """From now on, let Dask make nothing but bytes of pickles in this process. Other code can use pickles."""
    sys.addaudithook(lambda event, args: _check(event, args, _OF_RESULTS, everywhere=False))


@cache
def guard_scheduler() -> None:
    """From now on, let nothing in this process make anything of pickles but the graph of a match."""
    sys.addaudithook(lambda event, args: _check(event, args, _OF_GRAPHS, everywhere=True))


def _check(event: str, args: tuple[Any, ...], allowed: frozenset[tuple[str, str]], *, everywhere: bool) -> None:
    if event == "pickle.find_class" and args not in allowed and (everywhere or _dask_reads(sys._getframe(2))):
        raise RefusedPickleError(f"A pickle of another machine names {args!r}, which is not allowed.")


def _dask_reads(frame: FrameType | None) -> bool:
    if frame is not None and frame.f_globals.get("__name__") == "dask.tokenize":
        return False
    while frame is not None:
        if str(frame.f_globals.get("__name__")).partition(".")[0] == "distributed":
            return True
        frame = frame.f_back
    return False
