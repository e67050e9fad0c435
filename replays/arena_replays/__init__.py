"""Replays of Arena: a file format with writer and reader, and a viewer in the browser."""

from arena_replays.entries import Ending, Note, Refusal, Turn
from arena_replays.errors import CannotWrite, DamagedReplay, NoBrowser, NotAReplay, ReplayError, UnknownVersion
from arena_replays.export import export_html, show
from arena_replays.reader import Reader
from arena_replays.state import fold
from arena_replays.tools import expand, info, log, strip
from arena_replays.writer import Writer

__all__ = [
    "CannotWrite",
    "DamagedReplay",
    "Ending",
    "NoBrowser",
    "NotAReplay",
    "Note",
    "Reader",
    "Refusal",
    "ReplayError",
    "Turn",
    "UnknownVersion",
    "Writer",
    "expand",
    "export_html",
    "fold",
    "info",
    "log",
    "show",
    "strip",
]
