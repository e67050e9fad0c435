"""The tables that people read, in the terminal and on pages, and from which those for programs are made.

They have the columns of `arena.contests.report.columns`, and further ones that depend on a stage, such as tie-breaks.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from arena.contests.people.organizer_acts import public_log
from arena.contests.report import columns
from arena.contests.report.bot_statistics import BotStatistics, bot_statistics
from arena.contests.report.columns import Column, PublishedTable, Row, number
from arena.contests.report.history import decided_by
from arena.contests.report.titles import round_title
from arena.contests.report.visible_contest import VisibleContest
from arena.contests.stages.series import Match, Series
from arena.contests.stages.stage import StageRun
from arena.contests.state import Contest
from arena.contests.tiebreaks import HEADS, MEANINGS
from arena.game.outcome import ordinal
from arena.match.ending import FAILURES, ending_and_place
from arena.match.result import counts_in_words

_USUAL: Final = "93 to 97"
_COVERAGE: Final = {
    "groups": "96 to 98",
    "single_elimination": "97 to 98",
    "swiss": "92 to 95",
    "elimination_tables": "91 to 97",
}
"""Percentage of 95 % intervals that really contain the true rating, by format (measured by `make stats`)."""


def tiebreaks(run: StageRun) -> list[str]:
    """Return the tie-breaks of a stage that have a column."""
    return [name for row in run.rank()[:1] for name, _ in row.tiebreaks]


def standings(contest: VisibleContest, run: StageRun) -> PublishedTable:
    """Return the standings of a stage, with columns for its tie-breaks, payoffs and places at tables."""
    ranked, breaks = run.rank(), tiebreaks(run)
    notes = [*(f"{HEADS[name]}: {MEANINGS[name]}." for name in breaks), *_waiting(contest, run)]
    title, key = contest.title_of(run), f"standings-{run.config.name}"
    table = PublishedTable.of(columns.STANDINGS, standing_rows(contest, run), title, notes, key)
    if any(row.payoffs is not None for row in ranked):
        payoffs = Column("payoffs", "number", "What it won and lost in the games.", "Payoffs", "", True)
        table = table.inserted("explained", [payoffs], [(row.payoffs,) for row in ranked])
    more = [Column(f"tiebreak_{name}", "number", MEANINGS[name], HEADS[name], "", True) for name in breaks]
    table = table.inserted("explained", more, [tuple(value for _, value in row.tiebreaks) for row in ranked])
    most = max((len(row.places) for row in ranked), default=0)
    if not most:
        return table
    places = [
        Column(f"places_{place}", "whole number", f"How often it had place {place}.", ordinal(place))
        for place in range(1, most + 1)
    ]
    return table.inserted("byes", places, [row.places for row in ranked]).without(("wins", "draws", "losses"))


def _waiting(contest: VisibleContest, run: StageRun) -> Iterator[str]:
    """Say which match those wait for that were played, and do not count yet."""
    early, awaited = run.early(), run.awaited
    if early and awaited is not None:
        what = "1 played match counts" if len(early) == 1 else f"{len(early)} played matches count"
        yield f"{what} later, in the order of the schedule. This one has no result yet: {contest.titles.of(awaited)}."


def standing_rows(contest: VisibleContest, run: StageRun) -> list[Row]:
    rows: list[Row] = []
    for row in run.rank():
        counts = row.games, row.wins, row.draws, row.losses, row.byes
        rows.append((run.config.name, row.place, row.name, row.points, *counts, contest.why(row)))
    return rows


def ladder(contest: VisibleContest) -> PublishedTable:
    rows: list[Row] = []
    for row in contest.ladder:
        numbers = row.rating, row.skill, row.uncertainty, row.matches, row.points
        rows.append((row.place, row.team, *numbers, row.version, row.is_anchor))
    return PublishedTable.of(
        columns.LADDER, rows, "Ladder", ["Rating: the skill minus three times its uncertainty (±)."]
    )


def encounters(run: StageRun) -> PublishedTable:
    name = run.config.name
    rows = [_encounter(run, series) for series in run.series]
    return PublishedTable.of(columns.ENCOUNTERS, rows, f"{name}: encounters", key=f"bracket-{name}")


def _encounter(run: StageRun, series: Series) -> Row:
    encounter = series.encounter
    result = series.result() if series.is_decided else None
    players, points, winner = encounter.players, "", ""
    if result is not None:
        order: Sequence[int] = range(len(players))
        if len(players) > 2:
            order = result.order or sorted(order, key=lambda index: -result.points[index])
        winners = [players[index] for index in result.order[: encounter.advance]]
        winner = ", ".join(winners) or result.winner_name or ""
        players = tuple(players[index] for index in order)
        points = "" if encounter.is_bye else " : ".join(number(float(result.points[index])) for index in order)
    decided = "bye" if encounter.is_bye else result.decided if result else ""
    place = encounter.round, encounter.index + 1, encounter.section, encounter.column, round_title(run, encounter)
    return (run.config.name, *place, " – ".join(players), points, winner, decided)


def ratings(contest: VisibleContest) -> PublishedTable:
    rows = [(row.place, row.name, row.elo, row.low, row.high) for row in contest.ratings]
    formats = {run.config.format for run in contest.stages.values()}
    cases = _COVERAGE.get(next(iter(formats)), _USUAL) if len(formats) == 1 else _USUAL
    notes = [
        "Bradley-Terry (at tables Plackett-Luce) in Elo points, mean 0; the true rating lies between low and high in "
        f"{cases} of 100 cases."
    ]
    different, games = len(contest.different), len(contest.of_stages)
    if different < games:
        notes.append(f"{different} of {games} games are different. Repeated games count once here.")
    return PublishedTable.of(columns.RATINGS, rows, "Ratings", [*notes, *_versions(contest)])


def _versions(contest: VisibleContest) -> Iterator[str]:
    """Say of who has played in stages with several versions, in how many matches with each."""
    matches_by_version: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for spec, _ in contest.of_stages:
        for player in contest.state.players_of(spec):
            matches_by_version[player[0]][contest.state.by_player[player].number] += 1
    for name, versions in matches_by_version.items():
        if len(versions) > 1:
            parts = ", ".join(f"version {version} in {count} matches" for version, count in versions.items())
            yield f"{name} has played with {len(versions)} versions: {parts}."


def superiority(contest: VisibleContest) -> PublishedTable:
    """Return the crosstable with the probability, for each pair of bots, that the first bot is stronger."""
    names = [row.name for row in contest.ratings]
    shown_columns = (
        Column("name", "text", "The bot.", "Name"),
        *(Column(name, "number", f"The likelihood that it is stronger than {name}.", name, ".0%") for name in names),
    )
    rows = [(row.name, *(row.superiority.get(name) for name in names)) for row in contest.ratings]
    note = "Likelihood that the bot of the row is really stronger than the bot of the column."
    return PublishedTable(columns.SUPERIORITY, rows, shown_columns, "Likelihood of superiority", (note,), "superiority")


def behaviour(contest: VisibleContest, *, private: bool = False, named: bool = False) -> PublishedTable:
    """Return the table of the endings, refusals, void matches, times and the last failure of each bot.

    Args:
        private: Whether to include the last output of the bots, which is for the organizer only.
        named: Whether the match of a failure has its name; otherwise it has its id.
    """
    # A match that does not count yet has costs and endings already.
    state, matches = contest.state, [*contest.matches(), *contest.early]
    places = {spec.match_id: contest.titles.place(spec) for spec, _ in matches} if named else {}
    notes = [
        "Turn and CPU are means per turn. The longest turn is in CPU time where it is measured, else in wall time.",
        "A match is void if the machine was too slow, if its process was asked to end, if another program killed the "
        "sandbox of a bot, or if the provider of a model failed. It is repeated at most as often as void_replays says.",
        *remarks(contest),
        *(
            f"{name} played from another machine: the organizer did not isolate it, and its wall time counted."
            for name in state.entrants
            if _is_remote(state, name)
        ),
    ]
    conflicts = [match_id for match_id in state.conflicts if contest.visibility.shows(state.played[match_id])]
    if conflicts:
        notes.append(f"Played twice with different outcomes: {', '.join(conflicts)}.")
    rows: list[Row] = []
    for name, counts in bot_statistics(state.entrants, matches, state.voids).items():
        cpu = counts.mean_turn_cpu_seconds
        seconds = counts.mean_turn_seconds, cpu, counts.worst_turn_seconds, counts.cpu_seconds
        rows.append(
            (
                name,
                counts.matches,
                _failures(counts),
                counts.refusals,
                counts.endings["won"],
                counts.endings["lost"],
                sum(counts.endings[ending] for ending in FAILURES),
                counts.voids + counts.endings["void"],
                counts_in_words(counts.counts),
                *(None if value is None else round(value, 6) for value in seconds),
                _last_failure(counts, places, private=private),
            )
        )
    table = PublishedTable.of(columns.BEHAVIOUR, rows, "Behaviour", notes)
    counted = any(row["counts"] for row in table.documents)
    return table if counted else table.without(("won", "lost_by_play", "lost_by_form", "counts"))


def _failures(counts: BotStatistics) -> str:
    return ", ".join(f"{count} {ending}" for ending, count in counts.endings.items() if ending in FAILURES)


def _last_failure(counts: BotStatistics, places: Mapping[str, str], *, private: bool) -> str:
    if not counts.last_failure:
        return ""
    words = counts.last_failure + (f"; {counts.last_words}" if private and counts.last_words else "")
    if counts.failed_match in places:
        return f"{places[counts.failed_match]}: {words.replace('_', ' ')}"
    return f"{counts.failed_match} {words}"


def remarks(contest: VisibleContest) -> Iterator[str]:
    """Say who is suspended, which matches are therefore in no table, and who was excluded."""
    for name, reason in contest.suspended.items():
        yield f"{name} is suspended: {reason}."
    matches = contest.uncounted
    if matches:
        what = "1 played match does" if len(matches) == 1 else f"{len(matches)} played matches do"
        yield (
            f"{what} not count: a bot was suspended by crashes that come earlier in the schedule, and its opponent has "
            f"the points: {', '.join(matches)}."
        )
    for run in contest.stages.values():
        yield from _waiting(contest, run)
    for reason in contest.state.excluded:
        yield f"Excluded before the start: {reason}."


def final(contest: VisibleContest) -> PublishedTable:
    """Return the table with the final order of all entrants, or with the order so far."""
    state, suspended = contest.state, contest.suspended
    rows: list[Row] = []
    for place, name in enumerate(contest.final_order(), 1):
        orders, entrant = state.orders, state.entrants[name]
        out = "disqualified" if name in orders.disqualified else "withdrawn" if name in orders.withdrawn else None
        groups = " ".join(state.groups_of(name))
        rows.append((place, name, entrant.is_team, groups, out, suspended.get(name), _is_remote(state, name)))
    title = "Final order" if contest.finished else "Order so far"
    table = PublishedTable.of(columns.ENTRANTS, rows, title, key="final")
    if not state.settings.without_prizes:
        return table
    prize = Column("prize", "whole number", "Its place among those who can win a prize; empty for others.", "Prize")
    winners = [name for name in contest.final_order() if state.wins_prizes(name)]
    places = {name: place for place, name in enumerate(winners, 1)}
    return table.inserted("team", [prize], [(places.get(str(row[1])),) for row in rows])


def _is_remote(state: Contest, name: str) -> bool:
    active = state.active(name)
    return active is not None and active.is_remote


def acts(contest: VisibleContest) -> PublishedTable:
    log = public_log(contest.state, everything=contest.everything)
    keys = "id", "at", "author", "text", "reason", "undone"
    rows = [tuple(act[key] for key in keys) for act in log]
    return PublishedTable.of(columns.ACTS, rows, "Acts")


_OF_MATCHES: Final = (
    Column("where", "text", "Stage, round, encounter and match.", "Where", "", True),
    Column("players", "text", "The players on the seats.", "Seats"),
    Column("scores", "text", "Their scores.", "Score"),
    Column("headline", "text", "Who won, and why if the scores are equal.", "Result"),
    Column("endings", "text", "How the match ended for each.", "Endings", "", True),
)
"""What a list of matches says of their seats: the table of the seats has it in columns."""


def matches(played: Iterable[Match], rows: Iterable[Row]) -> PublishedTable:
    """Return a list of matches.

    Args:
        rows: The rows of the table `matches`, see `arena.contests.report.rows`.
    """
    return PublishedTable.of(columns.MATCHES, rows, "Matches").inserted("map", _OF_MATCHES, map(_of_match, played))


def _of_match(match: Match) -> Row:
    spec, result = match
    players = result.players
    decided = decided_by(result.outcome, [player.score for player in players]) if result.has_verdict else ""
    return (
        f"{spec.stage} {spec.round}.{spec.pairing + 1}.{spec.number + 1}",
        " – ".join(spec.names),
        " : ".join(number(player.score) for player in players),
        result.headline(spec.names) + (f" ({decided})" if decided not in ("", "draw") else ""),
        ", ".join(ending_and_place(one.ending, result.place(seat)) for seat, one in enumerate(players)),
    )
