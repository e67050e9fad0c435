"""What the page of a replay shows of its study: why it was lost, and who was ahead in each turn."""

from __future__ import annotations

from bisect import bisect_left
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from arena.errors import ArenaError
from arena.study.coach.causes import causes_of
from arena.study.coach.probability import estimated
from arena.study.coach.recorded_match import RecordedMatch
from arena.study.coach.stored import explanation_of
from arena_replays import Reader, ReplayError


def explained(replay: Path, shown: str = "") -> dict[str, Any]:
    """Return the saved explanation of a replay (see `explanation_of`), or its causes, which cost nothing."""
    found = explanation_of(replay, shown)
    if not found:
        with suppress(OSError, ReplayError, LookupError, ValueError, TypeError):
            found = {"cause": [cause.to_document() for cause in causes_of(Reader(replay))]}
    return found


def advantage(replay: Path) -> list[list[float]] | None:
    """Return the game's estimates for a finished replay (see `advantage_of`), also before turns without actions.

    Return None also for a match that cannot be played again here. The estimates of a few hundred replays are kept,
    rounded to thousandths.
    """
    try:
        return _advantage(replay, replay.stat().st_mtime_ns)
    except (OSError, ReplayError, ArenaError):
        return None


def embedded(replay: Path, document: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return both for a page that opens from a file: the explanation, the saved one by default, with ``advantage``."""
    return (explained(replay) if document is None else document) | {"advantage": advantage(replay)}


def advantage_of(match: RecordedMatch) -> list[list[float]] | None:
    """Return for each player the win probabilities before each turn of the match and at its end.

    They add up to 1. The last is the result of the match; that of a match without one is an estimate too. Return None
    if the game has no estimates under these options.
    """
    found = [estimated(match.game, match.parts[index].state) for index in match.starts[:-1]]
    found.append(match.result if match.result is not None else estimated(match.game, match.end))
    rows = [row for row in found if row is not None]
    if len(rows) < len(found):
        return None
    return [list(column) for column in zip(*rows, strict=True)]


@lru_cache(maxsize=256)
def _advantage(replay: Path, changed: int) -> list[list[float]] | None:
    del changed  # only a key: another file has another time
    match = RecordedMatch.of_file(replay)
    found = advantage_of(match)
    if found is None:
        return None
    acted = [match.parts[index].turn for index in match.starts[:-1]]
    turns = dict.fromkeys(match.reader.number_of(turn.index) for turn in match.reader.turns)
    # The position before a turn without actions is that before the next turn with some.
    places = [*(bisect_left(acted, turn) for turn in turns), len(acted)]
    return [[round(values[place], 3) for place in places] for values in found]
