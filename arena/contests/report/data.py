"""The tables of a tournament for programs."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from arena.matches.data import MATCHES, SEATS, Column, Kind, Table, match_row, seat_rows
from arena.contests.stages.stage import slot_of
from arena.tournament.run.organizer import Snapshot

_NAME: Final = Column("name", "text", "The bot.")
_STAGE: Final = Column("stage", "text", "The name of the stage.")
TOURNAMENT: Final = Kind(
    "tournament",
    "One row: the tournament.",
    (
        Column("id", "text", "The id of the tournament."),
        Column("name", "text", "Its name."),
        Column("game", "text", "The game."),
        Column("finished", "yes or no", "Whether all matches were played."),
        Column("matches", "whole number", "The number of results that count."),
        Column("different_games", "whole number", "The number of games that do not only repeat another one."),
    ),
)
BOTS: Final = Kind(
    "bots",
    "One row for each bot, the best one first.",
    (
        Column("place", "whole number", "The place in the final order, or in the order so far, from 1."),
        _NAME,
        Column("suspended", "text", "Why it was suspended; empty if it was not."),
        Column("remote", "yes or no", "Whether it played from another machine, where nobody isolated it."),
    ),
)
VERSIONS: Final = Kind(
    "versions",
    "One row for each version of a bot that has played or is about to play.",
    (
        _NAME,
        Column("version", "whole number", "The version, from 1, in the order in which they played."),
        Column("hash", "text", "The SHA-256 of its files."),
    ),
)
STANDINGS: Final = Kind(
    "standings",
    "One row for each bot in each stage.",
    (
        _STAGE,
        Column("place", "whole number", "The place, from 1."),
        _NAME,
        Column("points", "number", "The points of all matches of the stage."),
        Column("games", "whole number", "The number of its matches."),
        Column("wins", "whole number", "The number of matches that it won."),
        Column("draws", "whole number", "The number of draws."),
        Column("losses", "whole number", "The number of matches that it lost."),
        Column("byes", "whole number", "The number of encounters that gave points without a match."),
        Column("explained", "text", "What decided the place besides the points, such as a tie-break."),
    ),
)
TIEBREAKS: Final = Kind(
    "tiebreaks",
    "One row for each tie-break of each bot in each stage.",
    (
        _STAGE,
        _NAME,
        Column("tiebreak", "text", "The tie-break, such as buchholz."),
        Column("value", "number", "Its value; higher is better."),
    ),
)
ENCOUNTERS: Final = Kind(
    "encounters",
    "One row for each encounter; its matches are in the table matches.",
    (
        _STAGE,
        Column("round", "whole number", "The round, from 1."),
        Column("pairing", "whole number", "The encounter within the round, from 1."),
        Column("section", "text", "The group or the part of the bracket; empty if there is none."),
        Column("bracket_column", "whole number", "The column of the bracket, from 1; 0 if there is none."),
        Column("winner", "text", "The bot that won it; empty for a tie, or before it is decided."),
        Column("decided", "text", "What decided it, such as points; empty before that."),
    ),
)
RATINGS: Final = Kind(
    "ratings",
    "One row for each bot that has played, the strongest one first.",
    (
        _NAME,
        Column("elo", "number", "The rating in Elo points; the mean of all bots is 0."),
        Column("low", "number", "The lower end of its 95 % interval."),
        Column("high", "number", "The upper end of its 95 % interval."),
    ),
)
SUPERIORITY: Final = Kind(
    "superiority",
    "One row for each pair of bots that have played.",
    (
        Column("name", "text", "The bot with the higher rating."),
        Column("other", "text", "The other bot."),
        Column("likelihood", "number", "The likelihood that the first one is really stronger, 0 to 1."),
    ),
)
BEHAVIOUR: Final = Kind(
    "behaviour",
    "One row for each bot: failures and times of all its matches.",
    (
        _NAME,
        Column("matches", "whole number", "The number of its matches."),
        Column("refused", "whole number", "The number of its actions that were refused."),
        Column("voids", "whole number", "How often a match of it was void and was played again."),
        Column("mean_turn_seconds", "number", "The mean wall time of a turn, in seconds."),
        Column("mean_turn_cpu_seconds", "number", "The mean processor time of a turn; empty if not measured."),
        Column("worst_turn_seconds", "number", "The time of its longest turn, in seconds."),
        Column("cpu_seconds", "number", "The processor time of all turns, in seconds."),
        Column("last_failure", "text", "How it failed last; empty if it never did."),
    ),
)
KINDS: Final = (
    TOURNAMENT, BOTS, VERSIONS, STANDINGS, TIEBREAKS, ENCOUNTERS, RATINGS, SUPERIORITY, BEHAVIOUR, MATCHES, SEATS,
)  # fmt: skip


def tournament_tables(snapshot: Snapshot, document: Mapping[str, Any]) -> Iterator[Table]:
    """Yield all tables, in the order of `KINDS`.

    Args:
        document: The documents of standings and statistics of the same snapshot.
    """
    names = ("id", "tournament", "game", "finished", "matches", "different_games")
    yield Table(TOURNAMENT, [tuple(document[name] for name in names)])
    suspended, remote = document["suspended"], document["remote"]
    order = enumerate(document["final"], 1)
    yield Table(BOTS, [(place, name, suspended.get(name), name in remote) for place, name in order])
    versions = _versions(snapshot)
    yield Table(VERSIONS, [(name, number, content) for (name, content), number in sorted(versions.items(), key=_place)])
    stages = document["stages"]
    rows = [(stage["name"], row) for stage in stages for row in stage["standings"]]
    columns = [column.name for column in STANDINGS.columns[1:]]
    yield Table(STANDINGS, [(stage, *(row[name] for name in columns)) for stage, row in rows])
    yield Table(
        TIEBREAKS,
        [(stage, row["name"], name, value) for stage, row in rows for name, value in row["tiebreaks"].items()],
    )
    yield Table(
        ENCOUNTERS,
        [
            (stage["name"], one["round"], one["index"] + 1, one["section"], one["column"], one.get("winner"),
             one.get("decided", ""))
            for stage in stages for one in stage["encounters"]
        ],
    )  # fmt: skip
    ratings = document["ratings"]
    yield Table(RATINGS, [(one["name"], one["elo"], one["low"], one["high"]) for one in ratings])
    yield Table(
        SUPERIORITY,
        [
            (one["name"], other["name"], one["superiority"][other["name"]])
            for place, one in enumerate(ratings)
            for other in ratings[place + 1 :]
        ],
    )
    yield Table(BEHAVIOUR, [_behaviour(name, one) for name, one in document["statistics"].items()])
    schedule = snapshot.schedule
    played = [(*one, True) for one in schedule.matches()]
    played += [(spec, schedule.results[slot_of(spec)], False) for spec in schedule.uncounted()]
    at = snapshot.times
    yield Table(
        MATCHES,
        [
            match_row(
                spec, result, at.get(spec.match_id, ""), spec.names, counts=counts, spent=schedule.seed_is_spent(spec)
            )
            for spec, result, counts in played
        ],
    )
    yield Table(
        SEATS,
        [
            row
            for spec, result, _ in played
            for row in seat_rows(spec, result, spec.names, [versions[seat.name, seat.hash] for seat in spec.seats])
        ],
    )


def _place(item: tuple[tuple[str, str], int]) -> tuple[str, int]:
    return item[0][0], item[1]


def _versions(snapshot: Snapshot) -> dict[tuple[str, str], int]:
    """Return the number of each version of each bot, by name and content hash."""
    found: dict[str, dict[str, int]] = {}
    seats = [seat for _, game in snapshot.schedule.games for seat in game.spec.seats]
    for name, content in [(seat.name, seat.hash) for seat in seats] + [
        (one.name, one.hash) for one in snapshot.tournament.entrants
    ]:
        known = found.setdefault(name, {})
        known.setdefault(content, len(known) + 1)
    return {(name, content): number for name, known in found.items() for content, number in known.items()}


def _behaviour(name: str, one: Mapping[str, Any]) -> tuple[Any, ...]:
    times = ("mean_turn_seconds", "mean_turn_cpu_seconds", "worst_turn_seconds", "cpu_seconds")
    return (name, one["matches"], one["refusals"], one["voids"], *(one[key] for key in times), one["last_failure"])
