"""Read results from the journal, in the current format and in that of version 0.1.0."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from arena.game import Outcome
from arena.match.isolation import Isolation, Level
from arena.match.result import MatchResult, PlayerResult, Seconds, TimeUsed
from arena.tournament.plan.values import MatchSpec


@dataclass(frozen=True, slots=True)
class _Played:
    spec: MatchSpec
    outcome: MatchResult


# Long tournaments have tens of thousands of results. msgspec reads them five times faster than `from_document`.
_played = msgspec.json.Decoder(_Played)


def read_played(text: str) -> tuple[MatchSpec, MatchResult]:
    """Return the match and the result in the document of an entry.

    Raises:
        ValueError, KeyError, TypeError: The document is not that of a result.
    """
    try:
        played = _played.decode(text)
    except msgspec.DecodeError:
        document = json.loads(text)
        return MatchSpec.from_document(document["spec"]), read_result(document["outcome"])
    return played.spec, played.outcome


def read_result(document: Mapping[str, Any]) -> MatchResult:
    """Return the result in a document of this version or of version 0.1.0."""
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
