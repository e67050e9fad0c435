"""Replays of Arena: a file format with writer and reader, and a viewer in the browser."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena_replays.documents import Footer, Header
    from arena_replays.entries import Ending, Note, Refusal, Turn
    from arena_replays.errors import CannotWrite, DamagedReplay, NoBrowser, NotAReplay, ReplayError, UnknownVersion
    from arena_replays.export import export_html
    from arena_replays.notebook import Replay, show
    from arena_replays.reader import Reader, header_of
    from arena_replays.state import fold
    from arena_replays.tools import info, log, printed
    from arena_replays.writer import Writer

__all__ = [
    "CannotWrite",
    "DamagedReplay",
    "Ending",
    "Footer",
    "Header",
    "NoBrowser",
    "NotAReplay",
    "Note",
    "Reader",
    "Refusal",
    "Replay",
    "ReplayError",
    "Turn",
    "UnknownVersion",
    "Writer",
    "export_html",
    "fold",
    "header_of",
    "info",
    "log",
    "printed",
    "show",
]

_MODULES = {
    "documents": ("Footer", "Header"),
    "entries": ("Ending", "Note", "Refusal", "Turn"),
    "errors": ("CannotWrite", "DamagedReplay", "NoBrowser", "NotAReplay", "ReplayError", "UnknownVersion"),
    "export": ("export_html",),
    "notebook": ("Replay", "show"),
    "reader": ("Reader", "header_of"),
    "state": ("fold",),
    "tools": ("info", "log", "printed"),
    "writer": ("Writer",),
}
"""The names of each module. Names are imported on first use: a program that only writes replays needs no reader."""


def __getattr__(name: str) -> Any:
    """Import a name when it is first used."""
    for module, names in _MODULES.items():
        if name in names:
            value = globals()[name] = getattr(import_module(f"{__name__}.{module}"), name)
            return value
    raise AttributeError(f"The module {__name__!r} has no attribute {name!r}.")
