"""The JSON documents of commands: the tables by name, and a match with all of its result."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from arena.contests.report.tables import Table, Value
from arena.match.result import MatchResult, PlayerResult
from arena.match.spec import MatchSpec


def tables_document(tables: Iterable[Table]) -> dict[str, list[dict[str, Value]]]:
    """Return the rows of tables, with the names of the columns, by the names of the tables."""
    return {table.kind.name: table.documents for table in tables}


def match_document(spec: MatchSpec, result: MatchResult) -> dict[str, Any]:
    """Return one match with its result, with what is for the organizer only: seed, host, output of failed bots."""
    document = spec.to_document()
    del document["tournament"]
    document["seats"] = [{"name": name} for name in spec.names]
    same = ("turns", "replay", "replay_hash", "void", "lateness", "pressure", "host")
    document["outcome"] = {
        "seats": [
            _seat_document(player) | ({"place": place} if (place := result.place(seat)) else {})
            for seat, player in enumerate(result.players)
        ],
        **result.outcome.to_document(),
        "isolation": result.isolation.name,
        "seconds": result.seconds.total,
        **{name: getattr(result, name) for name in same},
    }
    return document


def _seat_document(player: PlayerResult) -> dict[str, Any]:
    clock = player.clock
    return {
        "ending": player.ending,
        "score": player.score,
        "turns": clock.turns,
        "refusals": sum(player.refusals.values()),
        "wall_seconds": clock.wall,
        "cpu_seconds": clock.cpu,
        "worst_turn_seconds": clock.worst_turn,
        "detail": player.explanation,
        "said": player.last_words,
    }
