"""The content of a tournament's pages: sections as HTML, and the record of one bot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from markupsafe import escape

from arena.analysis.deciding import Decision
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec
from arena.pages.render import part
from arena.text.printable import command_line
from arena.tournament.plan.config import TABLE_FORMATS
from arena.contests.report.details import details_of, endings
from arena.contests.report.documents import match_document
from arena.contests.report.drawings import Link, history_of
from arena.contests.report.form import Course, how_it_ended
from arena.contests.report.page import stage_parts
from arena.contests.report.sheets import final_sheet
from arena.contests.report.titles import Titles
from arena.contests.report.views import MatchLine, match_lines, podium, rating_notes, ratings_of

Document = Mapping[str, Any]
_LIVE = "tournament/live.html"


def progress(document: Document, running: Sequence[Document]) -> dict[str, str]:
    """Return the sections of the live page that depend on the running matches."""
    state = "finished" if document["finished"] else "running" if running else "waiting"
    return {
        "sub": escape(f"{document['game']}, {document['matches']} matches, {state}"),
        "running": "" if running else "No match is running.",
    }


def match_address(match_id: str) -> str:
    return f"/match/{quote(match_id)}"


def still_address(match_id: str) -> str:
    return f"/still/{quote(match_id)}"


def bot_address(name: str) -> str:
    return f"/bot/{quote(name, safe='')}"


def versus_address(one: str, other: str) -> str:
    return f"{bot_address(one)}/against/{quote(other, safe='')}"


def fragments(
    document: Document,
    recent: Sequence[Document],
    course: Course,
    match: Link = match_address,
    bot: Link = bot_address,
    versus: Callable[[str, str], str] | None = None,
    still: Link | None = None,
) -> dict[str, str]:
    """Return the sections of the live page that change with each result.

    Args:
        match: Returns the address of a match's page for the match's id.
        bot: Returns the address of a bot's page for the bot's name.
        versus: Returns the address of the page of all matches of two bots.
        still: Returns the address of the last position of a match, for its picture.
    """
    stages = [stage_parts(stage, document, match, course) for stage in reversed(document["stages"])]
    first, tie = podium(document, course)
    final = {"first": first, "tie": tie, "sheet": final_sheet(document)} if document["finished"] else None
    found = {
        "standings": part(_LIVE, "standings", final, stages, document["excluded"], TABLE_FORMATS, bot, versus),
        "bracket": part(_LIVE, "brackets", stages),
        "recent": part(_LIVE, "recent", match_lines(recent, Titles(document)), match, bot, still),
        "details": part(_LIVE, "details", details_of(document, course), "/data/" if still else ""),
        "ratings": part(_LIVE, "ratings", ratings_of(document, course), rating_notes(document), bot),
    }
    return {key: text.strip() for key, text in found.items()}


def bot_record(
    name: str,
    document: Document,
    statistics: Document,
    played: Sequence[tuple[MatchSpec, MatchResult]],
    course: Course,
) -> dict[str, Any]:
    """Return the content of the page of a bot.

    Args:
        played: The matches of this bot, in the order in which they ended.
        course: The course of all bots.
    """
    lines = match_lines((match_document(spec, result) for spec, result in reversed(played)), Titles(document))
    rating = next((one for one in ratings_of(document, course) if one.name == name), None)
    return {
        "address": bot_address(name),
        "facts": statistics[name],
        "rating": rating,
        "suspended": document["suspended"].get(name),
        "history": history_of(course.bots[name].history if name in course.bots else []),
        "matches": lines,
        "opponents": opponents_of(name, lines),
    }


def versus_record(
    one: str,
    other: str,
    document: Document,
    played: Sequence[tuple[MatchSpec, MatchResult]],
    decide: Callable[[MatchSpec, MatchResult, set[str]], Decision | None],
    league: str,
) -> Document:
    """Return all matches of two bots, the newest first, how they ended, and what decided them.

    Args:
        decide: Returns what decided a match between two of its players, if that is known.
        league: The path of the tournament in commands.
    """
    both = [(spec, result) for spec, result in reversed(played) if {one, other} <= set(spec.names)]
    lines = match_lines((match_document(*match) for match in both), Titles(document))
    results = [line.result(one, other) for line in lines]
    decisions = {spec.match_id: decide(spec, result, {one, other}) for spec, result in both}
    return {
        "one": one,
        "other": other,
        "matches": lines,
        "endings": endings(Counter(how_it_ended(result) for _, result in both)),
        "decisions": decisions,
        "unknown": any(line.counts and not decisions[line.id] for line in lines),
        "commands": [command_line("arena", "explain", "losses", league, "--bot", name) for name in (one, other)],
        "won": results.count("W"),
        "lost": results.count("L"),
        "drawn": results.count("D"),
    }


def opponents_of(name: str, lines: Sequence[MatchLine]) -> list[dict[str, Any]]:
    """Return how a bot did against each opponent in matches of two, the most frequent first."""
    found: dict[str, list[str]] = {}
    for line in reversed(lines):
        if len(line.sides) == 2:
            _, other = sorted((side.name for side in line.sides), key=lambda one: one != name)
            if result := line.result(name, other):
                found.setdefault(other, []).append(result)
    rows = [
        {"name": other, "last": results[-12:], "won": results.count("W"), "drawn": results.count("D"),
         "lost": results.count("L")}
        for other, results in found.items()
    ]  # fmt: skip
    return sorted(rows, key=lambda row: (-row["won"] - row["drawn"] - row["lost"], row["name"]))
