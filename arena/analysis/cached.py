"""Save the explanation of a match in a file beside its replay, so that a later call continues it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from arena.analysis.causes import causes_of
from arena.analysis.explanation import Decision, Explanation
from arena.analysis.playouts import Result
from arena_player.version import __version__
from arena_replays import Reader
from arena_replays.errors import ReplayError
from arena_replays.files import replace_file

FORMAT = 9


def cache_path(replay: Path) -> Path:
    """Return the path of the file: ``match.arena.explain.json`` for ``match.arena``."""
    return replay.with_name(f"{replay.name}.explain.json")


def save(explanation: Explanation, replay: Path, document: dict[str, Any]) -> None:
    """Write the document of an explanation, and the results that it was computed from. Ignore errors of writing."""
    found = explanation
    work = {
        "bot": found.bot,
        "adviser": found.adviser,
        "samples": {str(index): rows for index, rows in found.samples.items()},
        "known": [{str(index): rows for index, rows in found.known[player].items()} for player in found.known],
        "decisions": {
            player: [[one.part.index, one.bot, one.actions, one.screening, one.done, one.instead] for one in decisions]
            for player, decisions in found.decisions.items()
        },
        "tested": found.tested,
        "luck": {str(index): rows for index, rows in found.luck.items()},
        "playouts": found.playouts,
        "seconds": found.seconds,
        "stage": found.stage,
    }
    kept = {**document, "key": _key(replay), "work": work}
    with suppress(OSError):
        replace_file(cache_path(replay), json.dumps(kept, separators=(",", ":")).encode())


def explanation_of(replay: Path) -> dict[str, Any]:
    """Return the document that `arena explain` has saved beside a replay; an empty document if none is usable.

    The causes are always computed from the given replay. If it is a stripped copy, the causes contain no logs.
    """
    try:
        document: dict[str, Any] = json.loads(cache_path(replay).read_bytes())
        if document["key"] != _key(replay):
            return {}
        document["cause"] = [cause.to_document() for cause in causes_of(Reader(replay))]
    except (OSError, ReplayError, ValueError, KeyError, TypeError, RecursionError):
        return {}
    return {name: value for name, value in document.items() if name not in ("key", "work")}


def load(explanation: Explanation, replay: Path) -> None:
    """Load the results that an earlier call has saved for the same replay, if they are usable."""
    try:
        document = json.loads(cache_path(replay).read_bytes())
        if document["key"] != _key(replay):
            return
        _take_over(explanation, document["work"])
    except (OSError, ReplayError, ValueError, KeyError, TypeError, IndexError, RecursionError):
        explanation.clear()


def _take_over(found: Explanation, work: dict[str, Any]) -> None:
    parts = found.match.parts
    found.bot, found.adviser = str(work["bot"]), str(work["adviser"])
    found.samples = _samples(work["samples"])
    for player, rows in enumerate(work["known"]):
        found.known[player] = _samples(rows)
    for player, rows in work["decisions"].items():
        found.decisions[int(player)] = [
            Decision(parts[index], bot, actions, screening, _results(done), _results(instead))
            for index, bot, actions, screening, done, instead in rows
        ]
    found.tested = {int(player): int(count) for player, count in work["tested"].items()}
    found.luck = {
        int(index): [(usual, real) for usual, real in map(_results, pairs)] for index, pairs in work["luck"].items()
    }
    found.playouts, found.seconds, found.stage = int(work["playouts"]), float(work["seconds"]), str(work["stage"])


def _samples(rows: dict[str, Any]) -> dict[int, list[Result]]:
    return {int(index): _results(values) for index, values in rows.items()}


def _results(rows: Iterable[Sequence[float]]) -> list[Result]:
    return [tuple(map(float, row)) for row in rows]


def _key(replay: Path) -> dict[str, Any]:
    reader = Reader(replay)
    footer = reader.footer or {}
    players = [[player.get("name"), player.get("ending")] for player in footer.get("players", ())]
    match = [reader.header.get("game"), reader.header.get("version"), footer.get("course"), players]
    if not footer.get("course"):
        match = [hashlib.sha256(replay.read_bytes()).hexdigest()]  # an old or unfinished replay
    return {"format": FORMAT, "arena": __version__, "match": match}
