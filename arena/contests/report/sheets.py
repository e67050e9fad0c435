"""Make sheets (plain tables) from the document of a tournament. Other modules write the sheets in several formats."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.game import Outcome
from arena.game.outcome import ordinal
from arena.match.ending import REGULAR, in_words, is_void
from arena.match.wording import reason_in_words
from arena.contests.report.titles import stage_title

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A plain table.

    Attributes:
        left: The columns of words; the others hold numbers.
        optional: The columns that a narrow terminal does without, in the order in which it leaves them out.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: frozenset[int]
    notes: tuple[str, ...] = ()
    key: str = ""
    optional: tuple[int, ...] = ()


_SHORT = {
    "buchholz": "Buch", "buchholz_cut1": "Cut1", "buchholz_median": "Med", "sonneborn_berger": "SB",
    "wins": "Wins", "margin": "Margin", "seed": "Seed", "skill": "Skill", "uncertainty": "±", "opponents": "Opp",
    "plus_minus": "±",
}  # fmt: skip


def short_names(tiebreak: str) -> str:
    """Return the short name of a tie-break, for the head of a column."""
    return _SHORT.get(tiebreak, tiebreak)


def number(value: float) -> str:
    """Return a number, rounded to two decimals and without zeros at the end."""
    return f"{value:z.2f}".rstrip("0").rstrip(".")


def standings_sheet(stage: Document) -> Sheet:
    rows = stage["standings"]
    breaks = list(rows[0]["tiebreaks"]) if rows else []
    at_table = max((len(row.get("places", ())) for row in rows), default=0)
    counts = tuple(ordinal(place) for place in range(1, at_table + 1)) or ("W", "D", "L")
    payoffs = ("Payoffs",) if any("payoffs" in row for row in rows) else ()
    columns = (
        "#",
        "Name",
        "Points",
        "Games",
        *counts,
        "Byes",
        *payoffs,
        *(_SHORT.get(b, b) for b in breaks),
        "Why here",
    )
    lines = tuple(
        (
            str(row["place"]), row["name"], number(row["points"]), str(row["games"]),
            *(map(str, row.get("places", (0,) * at_table) if at_table else (row["wins"], row["draws"], row["losses"]))),
            str(row["byes"]), *(number(row.get("payoffs", 0.0)) for _ in payoffs),
            *(number(row["tiebreaks"][name]) for name in breaks), row["explained"],
        )
        for row in rows
    )  # fmt: skip
    notes = tuple(f"{_SHORT.get(name, name)}: {text}." for name, text in stage["tiebreaks"].items() if name in breaks)
    left, optional = frozenset({1, len(columns) - 1}), tuple(reversed(range(4 + len(counts), len(columns) - 1)))
    return Sheet(stage_title(stage), columns, lines, left, notes, f"standings-{stage['name']}", optional)


_USUAL = "93 to 97"
_COVERAGE = {
    "groups": "96 to 98",
    "single_elimination": "97 to 98",
    "king_of_the_hill": "97 to 98",
    "swiss": "92 to 95",
    "elimination_tables": "91 to 97",
}
"""Percentage of 95 % intervals that really contain the true rating, by format (measured by `make stats`)."""


def ratings_sheet(document: Document) -> Sheet:
    rows = tuple(
        (str(place), row["name"], f"{row['elo']:+z.0f}", f"{row['low']:+z.0f}", f"{row['high']:+z.0f}")
        for place, row in enumerate(document["ratings"], 1)
    )
    formats = {stage["format"] for stage in document["stages"]}
    cases = _COVERAGE.get(next(iter(formats)), _USUAL) if len(formats) == 1 else _USUAL
    notes: tuple[str, ...] = (
        "Bradley-Terry (at tables Plackett-Luce) in Elo points, mean 0; the true rating lies between low and high in "
        f"{cases} of 100 cases.",
    )
    different, games = document["different_games"], document["matches"]
    if different < games:
        notes += (f"{different} of {games} games are different. Repeated games count once here.",)
    notes += (*(_versions(name, versions) for name, versions in document["versions"].items()),)
    return Sheet("Ratings", ("#", "Name", "Elo", "Low", "High"), rows, frozenset({1}), notes, "ratings")


def _versions(name: str, versions: Mapping[str, int]) -> str:
    parts = ", ".join(f"{content[:8]} in {count} matches" for content, count in versions.items())
    return f"{name} has played with {len(versions)} versions: {parts}."


def superiority_sheet(document: Document) -> Sheet:
    """Return the table with the probability, for each pair of bots, that the first bot is stronger."""
    names = [row["name"] for row in document["ratings"]]
    rows = tuple(
        (
            row["name"],
            *("" if other == row["name"] else f"{100 * row['superiority'][other]:.0f}" for other in names),
        )
        for row in document["ratings"]
    )
    note = "Likelihood, in percent, that the bot of the row is really stronger than the bot of the column."
    return Sheet("Likelihood of superiority", ("", *names), rows, frozenset({0}), (note,), "superiority")


def statistics_sheet(document: Document) -> Sheet:
    """Return the table of bots with bad endings, refusals, void matches, times and the last failure."""
    rows = []
    for name, one in document["statistics"].items():
        voids = one["voids"] + one["endings"].get("void", 0)
        bad = {ending: count for ending, count in one["endings"].items() if ending not in (*REGULAR, "void")}
        rows.append(
            (
                name, str(one["matches"]), ", ".join(f"{count} {ending}" for ending, count in bad.items()),
                str(one["refusals"]), str(voids), _milliseconds(one["mean_turn_seconds"]),
                _milliseconds(one["mean_turn_cpu_seconds"]), _milliseconds(one["worst_turn_seconds"]),
                one["last_failure"],
            )
        )  # fmt: skip
    columns = ("Name", "Matches", "Bad endings", "Refused", "Void", "Wall ms", "CPU ms", "Longest", "Last failure")
    notes: tuple[str, ...] = (
        "Wall and CPU are means per turn. The longest turn is in CPU time where it is measured, else in wall time.",
        "A match is void if the machine was too slow, if its process was asked to end, or if another program killed "
        "the sandbox of a bot. It is repeated at most as often as void_replays says.",
    )
    notes += tuple(f"{name} is suspended: {reason}." for name, reason in document["suspended"].items())
    notes += tuple(filter(None, (uncounted_note(document["uncounted"]),)))
    notes += tuple(f"Excluded before the start: {reason}." for reason in document["excluded"])
    notes += tuple(remote_notes(document))
    if document["conflicts"]:
        notes += (f"Played twice with different outcomes: {', '.join(document['conflicts'])}.",)
    return Sheet("Behaviour", columns, tuple(rows), frozenset({0, 2, 8}), notes, "behaviour")


def uncounted_note(matches: Sequence[str]) -> str:
    """Return why played matches are in no table; empty if all are."""
    if not matches:
        return ""
    what = "1 played match does" if len(matches) == 1 else f"{len(matches)} played matches do"
    return (
        f"{what} not count: a bot was suspended by crashes that come earlier in the schedule, and its opponent has the "
        f"points: {', '.join(matches)}."
    )


def remote_notes(document: Document) -> list[str]:
    """Return one line for each remote bot. It says that the bot was not isolated, and that its wall time counted."""
    return [
        f"{name} played from another machine: the organizer did not isolate it, and its wall time counted."
        for name in document["remote"]
    ]


def _milliseconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{1000 * seconds:.1f}"


def matches_sheet(games: Sequence[Document]) -> Sheet:
    rows = []
    for game in games:
        outcome = game["outcome"]
        seats = list(zip(game["seats"], outcome["seats"], strict=True))
        winners = [game["seats"][seat]["name"] for seat in Outcome.from_document(outcome).winners]
        drawn = "void" if is_void(one["ending"] for _, one in seats) else "draw"
        winner = ", ".join(winners) if 0 < len(winners) < len(seats) else drawn
        if winners and winner != drawn and len({one["score"] for _, one in seats}) == 1:
            winner += f" ({reason_in_words(outcome['reason'])})"
        endings = ", ".join(in_words(one["ending"], one.get("place", "")) for _, one in seats)
        rows.append(
            (
                game["match_id"], f"{game['stage']} {game['round']}.{game['pairing'] + 1}.{game['number'] + 1}",
                " – ".join(seat["name"] for seat, _ in seats), " : ".join(number(one["score"]) for _, one in seats),
                winner, endings, str(outcome["turns"]), game["map"],
            )
        )  # fmt: skip
    columns = ("Match", "Place", "Seats", "Score", "Winner", "Endings", "Turns", "Map")
    optional = tuple(columns.index(name) for name in ("Map", "Turns", "Place", "Endings"))
    return Sheet("Matches", columns, tuple(rows), frozenset({0, 1, 2, 4, 5, 7}), (), "matches", optional)


_PARTS = {"L": "losers", "F": "grand final", "third": "third place"}
"""Words for the sections of a bracket."""


def bracket_sheet(stage: Document) -> Sheet:
    rows = []
    for encounter in stage["encounters"]:
        column, section = encounter["column"], encounter["section"]
        part = _PARTS.get(section, "") if column else section  # without columns, it is a group, not a bracket
        place = f"{part} {column or encounter['round']}".lstrip()
        if section == "F" and stage["format"] == "elimination_tables":
            place = "final table"
        players, points = encounter["players"], encounter.get("points")
        if points is not None and len(players) > 2:
            order = sorted(range(len(players)), key=lambda index: -points[index])
            order = [players.index(name) for name in encounter.get("order", ())] or order
            players, points = [players[index] for index in order], [points[index] for index in order]
        result = "" if points is None else " : ".join(number(value) for value in points)
        if len(players) == 1:
            result = "bye"
        decided = encounter.get("decided", "to be played")
        winner = ", ".join(encounter.get("order", ())[: encounter.get("advance", 1)]) or encounter.get("winner") or ""
        rows.append((place, " – ".join(players), result, winner, decided))
    columns = ("Round", "Players", "Points", "Winner", "Decided by")
    return Sheet(
        f"{stage['name']}: encounters", columns, tuple(rows), frozenset({0, 1, 3, 4}), (), f"bracket-{stage['name']}"
    )


def final_sheet(document: Document) -> Sheet:
    """Return the table with the final order of all entrants, or with the order so far."""
    rows = tuple((str(place), name) for place, name in enumerate(document["final"], 1))
    title = "Final order" if document["finished"] else "Order so far"
    return Sheet(title, ("#", "Name"), rows, frozenset({1}), (), "final")
