"""The explanation of a match in a file beside its replay, and what decided a match as far as its files say."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from arena.match.ending import REGULAR, ending_phrase
from arena.study.coach.advice import with_commands
from arena.study.coach.causes import causes_of, ending_of
from arena.study.coach.report import conclusion
from arena_player.version import __version__
from arena_replays import Reader
from arena_replays.errors import ReplayError
from arena_replays.files import replace_file

FORMAT = 16


@dataclass(frozen=True, slots=True)
class Decision:
    """What decided a match.

    Attributes:
        turn: The turn, from 1; None if no single turn decided, or a program failed before the first one.
        words: What happened in it.
    """

    turn: int | None
    words: str


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

    The causes, and the conclusions from them, are always computed from the given replay.

    Args:
        shown: The name of the replay in commands for a reader who is elsewhere; see `with_commands`.
    """
    document = stored(replay)
    if not document:
        return {}
    try:
        reader = Reader(replay)
        document["cause"] = [cause.to_document() for cause in causes_of(reader)]
        document["summary"] = [conclusion(document, player) for player in range(len(document["players"]))]
        return with_commands(document, reader, replay, shown)
    except (OSError, ReplayError, ValueError, LookupError, TypeError):
        return {}


def known_decision(replay: Path, seats: tuple[int, ...]) -> Decision | None:
    """Return what decided a finished match between some of its players; None if that was not computed.

    It is the turn in which the first of them failed, or else the dearest lesson in the stored explanation of the match.
    The answers for a few thousand matches are kept.

    Args:
        seats: The players whose turns count.

    Raises:
        ReplayError: The replay cannot be read.
    """
    times = tuple(path.stat().st_mtime_ns if path.exists() else 0 for path in (replay, cache_path(replay)))
    return _decision(replay, seats, times)


@lru_cache(maxsize=4096)
def _decision(replay: Path, seats: tuple[int, ...], times: tuple[int, ...]) -> Decision | None:
    reader = Reader(replay)
    names = [str(player["name"]) for player in reader.header.get("players", ())]
    failed = []
    for seat in seats:
        ending, _, turn = ending_of(reader, seat)
        if ending and ending not in REGULAR:
            failed.append((turn or 0, f"{names[seat]} {ending_phrase(ending)}"))
    if failed:
        turn, words = min(failed)
        return Decision(turn or None, words)
    if not times[1]:
        return None
    with suppress(KeyError, TypeError, ValueError):
        return _explained(stored(replay), names, seats)
    return None


def _explained(document: Mapping[str, Any], names: list[str], seats: tuple[int, ...]) -> Decision | None:
    if document["stage"] or not document["playouts"]["count"]:
        return None
    for lesson in document["lessons"]:
        if lesson["player"] in seats:
            cost = f"{100 * lesson['price']['value']:.0f} %"
            return Decision(lesson["from_turn"], f"a mistake of {names[lesson['player']]} cost {cost}")
    return Decision(None, "no single mistake decided")


def _key(replay: Path) -> dict[str, Any]:
    reader = Reader(replay)
    footer = reader.footer or {}
    players = [[player.get("name"), player.get("ending")] for player in footer.get("players", ())]
    match = [reader.header.get("game"), reader.header.get("version"), footer.get("course"), players]
    if not footer.get("course"):
        match = [hashlib.sha256(replay.read_bytes()).hexdigest()]  # an old or unfinished replay
    return {"format": FORMAT, "arena": __version__, "match": match}
