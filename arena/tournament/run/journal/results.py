"""Results as the journal keeps them, and as version 0.1.0 kept them."""

from collections.abc import Mapping
from typing import Any

from arena.game import Outcome
from arena.match.isolation import Isolation, Level
from arena.match.result import MatchResult, PlayerResult, Seconds, TimeUsed


def read_result(document: Mapping[str, Any]) -> MatchResult:
    """Return the result in a document, as this version or version 0.1.0 wrote it."""
    return _of_version_0_1(document) if "seats" in document else MatchResult.from_document(document)


def _of_version_0_1(document: Mapping[str, Any]) -> MatchResult:
    level = next((level for level in Level if level.title == document["isolation"]), Level.NONE)
    same = ("turns", "replay", "replay_hash", "void", "host", "lateness", "pressure", "clock_factor")
    return MatchResult(
        players=tuple(_player_of_version_0_1(seat, Isolation(level)) for seat in document["seats"]),
        outcome=Outcome(document["winner"], document["reason"]),
        seconds=Seconds(total=document["seconds"]),
        **{name: document[name] for name in same if name in document},
    )


def _player_of_version_0_1(seat: Mapping[str, Any], isolation: Isolation) -> PlayerResult:
    clock = TimeUsed(
        wall=seat["wall_seconds"],
        cpu=seat["cpu_seconds"],
        turns=seat["turns"],
        worst_turn=seat["worst_turn_seconds"],
    )
    return PlayerResult(
        ending=seat["ending"],
        detail=seat["detail"],
        score=seat["score"],
        refusals={"": seat["refusals"]} if seat["refusals"] else {},
        clock=clock,
        isolation=isolation,
        stderr=seat.get("said", ""),
    )
