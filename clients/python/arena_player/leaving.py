"""End the process of a bot without the teardown of the interpreter, which takes longer than a short match.

The teardown stays for a bot to which it can matter: one with threads, with functions to call at the end, with a file
that is still open, or with libraries in C.
"""

import _io as io  # `io` takes longer
import gc
import os
import sys
from collections.abc import Iterable

NEED_TEARDOWN = frozenset(("_ctypes", "atexit", "threading"))
IN_MEMORY = (io.BytesIO, io.StringIO)


def leave(code: int, own_libraries: Iterable[str]) -> int:
    """End the process now if nothing can be lost. Else return the exit code, for an end by `sys.exit`.

    Args:
        code: The exit code of the process.
        own_libraries: The names of all modules that were loaded before the bot's.
    """
    if NEED_TEARDOWN.isdisjoint(sys.modules) and not _has_libraries(own_libraries) and _flush():
        os._exit(code)
    return code


def _has_libraries(own: Iterable[str]) -> bool:
    """Return whether the bot loaded a library in C that does not come with Python."""
    part_of_python = os.path.dirname(os.__file__) + os.sep
    for name in sys.modules.keys() - set(own):
        file = getattr(sys.modules[name], "__file__", None) or ""
        if file.endswith((".so", ".dylib", ".pyd")) and (
            not file.startswith(part_of_python) or "-packages" + os.sep in file
        ):
            return True
    return False


def _flush() -> bool:
    """Flush the standard streams. Return False if another file is open, or if not all objects can be found."""
    if gc.get_freeze_count():
        return False
    for thing in gc.get_objects():
        if isinstance(thing, io._IOBase) and not isinstance(thing, IN_MEMORY) and not _is_flushed(thing):
            return False
    return True


def _is_flushed(file: io._IOBase) -> bool:
    try:
        if file.fileno() > 2:
            return not file.writable()
        file.flush()
    except io.UnsupportedOperation:
        return False
    except (OSError, ValueError):  # closed, or the stream's reader is gone
        return True
    return True
