"""The content of a tournament's pages: sections as HTML, and the record of one bot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from markupsafe import escape

from arena.match.ending import in_words
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec
from arena.pages.render import part
from arena.ratings.skill import MU, Skill, updated
from arena.tournament.plan.config import TABLE_FORMATS
from arena.tournament.report.drawings import Link, history_of, ratings_of
from arena.tournament.report.page import first_three, stage_parts
from arena.tournament.report.sheets import final_sheet, matches_sheet, number, ratings_sheet

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


def bot_address(name: str) -> str:
    return f"/bot/{quote(name, safe='')}"


def fragments(
    document: Document, recent: Sequence[Document], match: Link = match_address, bot: Link = bot_address
) -> dict[str, str]:
    """Return the sections of the live page that change with each result.

    Args:
        match: Returns the address of a match's page for the match's id.
        bot: Returns the address of a bot's page for the bot's name.
    """
    stages = [stage_parts(stage, match) for stage in reversed(document["stages"])]
    final = {"first": first_three(document), "sheet": final_sheet(document)} if document["finished"] else None
    return {
        "standings": part(_LIVE, "standings", final, stages, document["excluded"], TABLE_FORMATS, bot),
        "bracket": part(_LIVE, "brackets", stages),
        "recent": part(_LIVE, "recent", matches_sheet(recent), match),
        "ratings": part(_LIVE, "ratings", ratings_of(document), ratings_sheet(document)),
    }


def bot_record(
    name: str, document: Document, statistics: Document, played: Sequence[tuple[MatchSpec, MatchResult]]
) -> dict[str, Any]:
    return {
        "address": bot_address(name),
        "facts": statistics[name],
        "rating": next((row for row in document["ratings"] if row["name"] == name), None),
        "suspended": document["suspended"].get(name),
        "history": history_of(rating_history(name, played)),
        "matches": [_row(spec, result, name) for spec, result in reversed(played)],
    }


def _row(spec: MatchSpec, result: MatchResult, name: str) -> dict[str, str]:
    seat = spec.names.index(name)
    return {
        "id": spec.match_id,
        "round": f"{spec.stage} {spec.round}",
        "others": ", ".join(other for other in spec.names if other != name),
        "scores": " : ".join(number(one.score) for one in result.players),
        "ending": in_words(result.players[seat].ending, result.place(seat)),
    }


def rating_history(name: str, played: Sequence[tuple[MatchSpec, MatchResult]]) -> list[float]:
    """Return a bot's rating at the start and after each of its matches that counts.

    The ratings come only from these matches. So each opponent starts with the rating of a new bot.
    """
    history = [MU]
    known: dict[str, Skill] = {}
    for spec, result in played:
        if not result.has_verdict or result.outcome.common is not None:
            continue
        skills = [known.setdefault(other, Skill()) for other in spec.names]
        after = updated(skills, [result.points(seat) for seat in range(len(spec.names))], result.outcome.teams)
        known.update(zip(spec.names, after, strict=True))
        history.append(known[name].mu)
    return history
