"""Keep the explanation of a match in a file beside its replay."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from arena.analysis.advice import with_commands
from arena.analysis.causes import causes_of
from arena_player.version import __version__
from arena_replays import Reader
from arena_replays.errors import ReplayError
from arena_replays.files import replace_file

FORMAT = 14


def cache_path(replay: Path) -> Path:
    """Return the path of the file: ``match.arena.explain.json`` for ``match.arena``."""
    return replay.with_name(f"{replay.name}.explain.json")


def save(document: dict[str, Any], replay: Path) -> None:
    """Write the document of an explanation. Ignore errors of writing."""
    with suppress(OSError):
        text = json.dumps({**document, "key": _key(replay)}, separators=(",", ":"))
        replace_file(cache_path(replay), text.encode())


def stored(replay: Path) -> dict[str, Any]:
    """Return the document of an explanation as `save` has written it; an empty document if none is usable.

    Its causes can contain logs. Show them only to the bots' owners.
    """
    try:
        document: dict[str, Any] = json.loads(cache_path(replay).read_bytes())
        return document if document.pop("key") == _key(replay) else {}
    except (OSError, ReplayError, ValueError, KeyError, TypeError, RecursionError, AttributeError):
        return {}


def explanation_of(replay: Path, shown: str = "") -> dict[str, Any]:
    """Return the document that `arena explain` has saved beside a replay; an empty document if none is usable.

    The causes are always computed from the given replay.

    Args:
        shown: The name of the replay in commands for a reader who is elsewhere; see `with_commands`.
    """
    document = stored(replay)
    if not document:
        return {}
    try:
        reader = Reader(replay)
        document["cause"] = [cause.to_document() for cause in causes_of(reader)]
        return with_commands(document, reader, replay, shown)
    except (OSError, ReplayError, ValueError, LookupError, TypeError):
        return {}


def _key(replay: Path) -> dict[str, Any]:
    reader = Reader(replay)
    footer = reader.footer or {}
    players = [[player.get("name"), player.get("ending")] for player in footer.get("players", ())]
    match = [reader.header.get("game"), reader.header.get("version"), footer.get("course"), players]
    if not footer.get("course"):
        match = [hashlib.sha256(replay.read_bytes()).hexdigest()]  # an old or unfinished replay
    return {"format": FORMAT, "arena": __version__, "match": match}
