"""The tables that people read, in the terminal and on pages, from the documents of a contest.

They have the columns of `arena.contests.report.tables`, and further ones that depend on a stage, such as tie-breaks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from arena.contests.report import tables
from arena.contests.report.form import decided_by
from arena.contests.report.tables import Column, Table, inserted, number
from arena.contests.report.titles import Titles, round_title, stage_title
from arena.game.outcome import ordinal
from arena.match.ending import in_words
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec

Document = Mapping[str, Any]
_SHORT: Final = {
    "buchholz": "Buch", "buchholz_cut1": "Cut1", "buchholz_median": "Med", "sonneborn_berger": "SB",
    "wins": "Wins", "margin": "Margin", "seed": "Seed", "opponents": "Opp", "plus_minus": "±",
}  # fmt: skip
_USUAL: Final = "93 to 97"
_COVERAGE: Final = {
    "groups": "96 to 98",
    "single_elimination": "97 to 98",
    "swiss": "92 to 95",
    "elimination_tables": "91 to 97",
}
"""Percentage of 95 % intervals that really contain the true rating, by format (measured by `make stats`)."""


def short_name(tiebreak: str) -> str:
    """Return the short name of a tie-break, for the head of a column."""
    return _SHORT.get(tiebreak, tiebreak)


def standings(stage: Document) -> Table:
    rows = stage["standings"]
    breaks = list(rows[0]["tiebreaks"]) if rows else []
    meanings = stage["tiebreaks"]
    most = max((len(row.get("places", ())) for row in rows), default=0)
    places = [
        Column(f"places_{place}", "whole number", f"How often it had place {place}.", ordinal(place))
        for place in range(1, most + 1)
    ]
    more = [
        Column(f"tiebreak_{name}", "number", meanings.get(name, name), short_name(name), "", True) for name in breaks
    ]
    if any("payoffs" in row for row in rows):
        more.insert(0, Column("payoffs", "number", "What it won and lost in the games.", "Payoffs", "", True))
    columns = inserted(inserted(tables.STANDINGS.columns, "byes", *places), "explained", *more)
    counted = [
        row
        | {f"tiebreak_{name}": value for name, value in row["tiebreaks"].items()}
        | {f"places_{place}": count for place, count in enumerate(row.get("places", ()), 1)}
        for row in rows
    ]
    notes = [f"{short_name(name)}: {text}." for name, text in meanings.items() if name in breaks]
    table = Table.of(
        tables.STANDINGS, [{"stage": stage["name"], **row} for row in counted], stage_title(stage), notes, columns,
        f"standings-{stage['name']}",
    )  # fmt: skip
    return table.without(("wins", "draws", "losses")) if places else table


def ladder(document: Document) -> Table:
    note = "Rating: the skill minus three times its uncertainty (±)."
    return Table.of(tables.LADDER, document["ladder"] or [], "Ladder", [note])


def encounters(stage: Document) -> Table:
    title, key = f"{stage['name']}: encounters", f"bracket-{stage['name']}"
    rows = [_encounter(stage, one) for one in stage["encounters"]]
    return Table.of(tables.ENCOUNTERS, rows, title, key=key)


def _encounter(stage: Document, encounter: Document) -> dict[str, Any]:
    players, order = encounter["players"], encounter.get("order", ())
    points = encounter.get("points") or ()
    if points and len(players) > 2:
        worst_last = sorted(range(len(players)), key=lambda index: -points[index])
        places = [players.index(name) for name in order] or worst_last
        players, points = [players[index] for index in places], [points[index] for index in places]
    is_bye = len(players) == 1
    return {
        "stage": stage["name"], "round": encounter["round"], "pairing": encounter["index"] + 1,
        "section": encounter["section"], "bracket_column": encounter["column"],
        "title": round_title(stage, encounter), "players": " – ".join(players),
        "points": "" if is_bye else " : ".join(number(value) for value in points),
        "winner": ", ".join(order[: encounter.get("advance", 1)]) or encounter.get("winner") or "",
        "decided": "bye" if is_bye else encounter.get("decided", ""),
    }  # fmt: skip


def ratings(document: Document) -> Table:
    rows = [{"place": place, **row} for place, row in enumerate(document["ratings"], 1)]
    formats = {stage["format"] for stage in document["stages"]}
    cases = _COVERAGE.get(next(iter(formats)), _USUAL) if len(formats) == 1 else _USUAL
    notes = [
        "Bradley-Terry (at tables Plackett-Luce) in Elo points, mean 0; the true rating lies between low and high in "
        f"{cases} of 100 cases."
    ]
    different, games = document["different_games"], document["matches_of_stages"]
    if different < games:
        notes.append(f"{different} of {games} games are different. Repeated games count once here.")
    notes += [_versions(name, versions) for name, versions in document["versions"].items()]
    return Table.of(tables.RATINGS, rows, "Ratings", notes)


def _versions(name: str, versions: Mapping[int, int]) -> str:
    parts = ", ".join(f"version {version} in {count} matches" for version, count in versions.items())
    return f"{name} has played with {len(versions)} versions: {parts}."


def superiority(document: Document) -> Table:
    """Return the crosstable with the probability, for each pair of bots, that the first bot is stronger."""
    names = [row["name"] for row in document["ratings"]]
    columns = (
        Column("name", "text", "The bot.", "Name"),
        *(Column(name, "number", f"The likelihood that it is stronger than {name}.", name, ".0%") for name in names),
    )
    rows = [(row["name"], *(row["superiority"].get(other) for other in names)) for row in document["ratings"]]
    note = "Likelihood that the bot of the row is really stronger than the bot of the column."
    return Table(tables.SUPERIORITY, rows, columns, "Likelihood of superiority", (note,), "superiority")


def behaviour(document: Document, titles: Titles | None = None) -> Table:
    """Return the table of the endings, refusals, void matches, times and the last failure of each bot.

    Args:
        titles: Names the match of a failure; None for its id.
    """
    places = {game["match_id"]: titles.place(game) for game in document["games"]} if titles else {}

    def named(failure: str) -> str:
        match, _, what = failure.partition(" ")
        return f"{places[match]}: {what.replace('_', ' ')}" if match in places else failure

    rows = [
        {"name": name, **one, "last_failure": named(one["last_failure"])}
        for name, one in document["statistics"].items()
    ]
    notes = [
        "Turn and CPU are means per turn. The longest turn is in CPU time where it is measured, else in wall time.",
        "A match is void if the machine was too slow, if its process was asked to end, or if another program killed "
        "the sandbox of a bot. It is repeated at most as often as void_replays says.",
        *(f"{name} is suspended: {reason}." for name, reason in document["suspended"].items()),
        *filter(None, (uncounted_note(document["uncounted"]),)),
        *(f"Excluded before the start: {reason}." for reason in document["excluded"]),
        *(
            f"{name} played from another machine: the organizer did not isolate it, and its wall time counted."
            for name in document["remote"]
        ),
    ]
    if document["conflicts"]:
        notes.append(f"Played twice with different outcomes: {', '.join(document['conflicts'])}.")
    return Table.of(tables.BEHAVIOUR, rows, "Behaviour", notes)


def uncounted_note(matches: Sequence[str]) -> str:
    """Return why played matches are in no table; empty if all are."""
    if not matches:
        return ""
    what = "1 played match does" if len(matches) == 1 else f"{len(matches)} played matches do"
    return (
        f"{what} not count: a bot was suspended by crashes that come earlier in the schedule, and its opponent has the "
        f"points: {', '.join(matches)}."
    )


def final(document: Document) -> Table:
    """Return the table with the final order of all entrants, or with the order so far."""
    rows = [{"place": place, "name": name} for place, name in enumerate(document["final"], 1)]
    return Table.of(tables.ENTRANTS, rows, "Final order" if document["finished"] else "Order so far", key="final")


def acts(document: Document) -> Table:
    return Table.of(tables.ACTS, document["acts"], "Acts")


_OF_MATCHES: Final = (
    Column("where", "text", "Stage, round, encounter and match.", "Where", "", True),
    Column("players", "text", "The players on the seats.", "Seats"),
    Column("scores", "text", "Their scores.", "Score"),
    Column("headline", "text", "Who won, and why if the scores are equal.", "Result"),
    Column("endings", "text", "How the match ended for each.", "Endings", "", True),
)
"""What a list of matches says of their seats: the table of the seats has it in columns."""


def matches(found: Iterable[tuple[MatchSpec, MatchResult]], rows: Iterable[Document]) -> Table:
    """Return a list of matches.

    Args:
        rows: The rows of the table `matches`, see `arena.contests.report.data`.
    """
    more = list(_of_matches(found))
    columns = inserted(tables.MATCHES.columns, "map", *_OF_MATCHES)
    return Table.of(
        tables.MATCHES, [{**row, **one} for row, one in zip(rows, more, strict=True)], "Matches", columns=columns
    )


def _of_matches(found: Iterable[tuple[MatchSpec, MatchResult]]) -> Iterator[dict[str, str]]:
    for spec, result in found:
        players = result.players
        decided = decided_by(result.outcome, [one.score for one in players]) if result.has_verdict else ""
        yield {
            "where": f"{spec.stage} {spec.round}.{spec.pairing + 1}.{spec.number + 1}",
            "players": " – ".join(spec.names),
            "scores": " : ".join(number(one.score) for one in players),
            "headline": result.headline(spec.names) + (f" ({decided})" if decided not in ("", "draw") else ""),
            "endings": ", ".join(in_words(one.ending, result.place(seat)) for seat, one in enumerate(players)),
        }
