"""The HTML of the live page. Everything that a bot or its author may have written is escaped."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any
from urllib.parse import quote

from arena.match.result import MatchResult
from arena.tournament.plan.values import MatchSpec
from arena.tournament.report.drawings import bracket_drawing, rating_drawing
from arena.tournament.report.page import podium, shell, table
from arena.tournament.report.sheets import (
    Sheet,
    cross_sheet,
    final_sheet,
    matches_sheet,
    number,
    ratings_sheet,
    standings_sheet,
)

Document = Mapping[str, Any]
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'self'; connect-src 'self'; "
    "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
_SECTIONS = (("running", "Now"), ("standings", "Standings"), ("bracket", "Brackets"), ("recent", "Last matches"),
             ("ratings", "Ratings"))  # fmt: skip


def front(title: str, *, screen: bool) -> str:
    """The page itself; its sections are filled and kept up to date by the script."""
    mode = ' data-screen="true"' if screen else ""
    sections = "".join(
        f'<section id="{key}"><h2>{words}</h2>'
        + ('<div id="boards"></div>' if key == "running" else "")
        + '<div class="content"></div></section>'
        for key, words in _SECTIONS
    )
    body = f'<h1>{escape(title)}</h1><p class="sub" id="sub"></p><div id="sections"{mode}>{sections}</div>'
    return shell(title, body, '<script src="/live.js" defer></script>', "")


def fragments(document: Document, recent: Sequence[Document], running: Sequence[Document]) -> dict[str, str]:
    """What goes into the sections."""
    stages = list(reversed(document["stages"]))
    brackets = [stage for stage in stages if stage["format"].endswith("_elimination")]
    state = "finished" if document["finished"] else "running" if running else "waiting"
    return {
        "sub": escape(f"{document['game']}, {document['matches']} matches, {state}"),
        "standings": (_final(document) if document["finished"] else "")
        + "".join(f'<div class="stage"><h3>{escape(stage["name"])}</h3>{_standings(stage)}</div>' for stage in stages),
        "bracket": "".join(bracket_drawing(stage, match_address) for stage in brackets) or "There is none.",
        "recent": table(matches_sheet(recent), match_address) if recent else "None yet.",
        "ratings": rating_drawing(document) + table(ratings_sheet(document)),
        "running": "" if running else "Nothing is being played.",
    }


def match_address(match_id: str) -> str:
    """The address of a match's page."""
    return f"/match/{quote(match_id)}"


def bot_address(name: str) -> str:
    """The address of a bot's page."""
    return f"/bot/{quote(name, safe='')}"


def _final(document: Document) -> str:
    text = podium(document, bot_address)
    if len(document["final"]) > 3:
        text += f"<details><summary>All places</summary>{_bots(final_sheet(document))}</details>"
    return text


def _standings(stage: Document) -> str:
    text = _bots(standings_sheet(stage))
    if stage["format"] in ("round_robin", "swiss", "groups") and len(stage["standings"]) <= 40:
        text += f"<details><summary>Crosstable</summary>{table(cross_sheet(stage))}</details>"
    return text


def _bots(sheet: Sheet) -> str:
    """A table whose column of names leads to the bots' pages."""
    column = sheet.columns.index("Name")
    text = table(sheet)
    for row in sheet.rows:
        cell = f'<td class="left">{escape(row[column])}</td>'
        linked = f'<td class="left"><a href="{bot_address(row[column])}">{escape(row[column])}</a></td>'
        text = text.replace(cell, linked, 1)
    return text


def bot_page(
    title: str,
    name: str,
    document: Document,
    statistics: Document,
    matches: Sequence[tuple[MatchSpec, MatchResult]],
    history: Sequence[float],
    token: str = "",
) -> str:
    """Everything about one bot that everybody may see; with the owner's token also the way to its logs."""
    one = statistics[name]
    rating = next((row for row in document["ratings"] if row["name"] == name), None)
    words = f"{one['matches']} matches" + (
        f", {rating['elo']:+.0f} Elo ({rating['low']:+.0f} to {rating['high']:+.0f})" if rating else ""
    )
    endings = ", ".join(f"{count} {ending}" for ending, count in one["endings"].items()) or "none yet"
    facts = (
        f"<p>Endings: {escape(endings)}. Refused actions: {one['refusals']}. Mean turn "
        f"{1000 * one['mean_turn_seconds']:.1f} ms of wall time.</p>"
    )
    if reason := document["suspended"].get(name):
        facts += f"<p>Suspended: {escape(reason)}.</p>"
    rows = "".join(_match_row(spec, result, name, token) for spec, result in reversed(matches))
    body = (
        f'<p class="sub"><a href="/">{escape(title)}</a></p><h1>{escape(name)}</h1><p class="sub">{words}</p>'
        f"<section>{facts}{_history(history)}</section>"
        f"<section><h2>Matches</h2><table><tbody>{rows}</tbody></table></section>"
    )
    return shell(f"{name} – {title}", body, "", "")


def _match_row(spec: MatchSpec, result: MatchResult, name: str, token: str) -> str:
    seat = spec.names.index(name)
    others = ", ".join(other for other in spec.names if other != name)
    scores = " : ".join(number(one.score) for one in result.players)
    log = ""
    if token:
        address = f"/bot/{quote(name, safe='')}/log/{spec.match_id}?token={quote(token)}"
        log = f'<a href="{escape(address)}">log</a>'
    return (
        f'<tr><td class="left"><a href="{match_address(spec.match_id)}">{spec.match_id}</a></td>'
        f'<td class="left">{escape(spec.stage)} {spec.round}</td><td class="left">{escape(others)}</td>'
        f'<td>{escape(scores)}</td><td class="left">{escape(result.players[seat].ending)}</td><td>{log}</td></tr>'
    )


def _history(values: Sequence[float]) -> str:
    """The rating over time as a line."""
    if len(values) < 2:
        return ""
    low, high = min(values), max(values)
    span = max(high - low, 1.0)
    width, height = 620.0, 110.0
    points = " ".join(
        f"{width * index / (len(values) - 1):.1f},{height - 8 - (height - 16) * (value - low) / span:.1f}"
        for index, value in enumerate(values)
    )
    return (
        f'<svg width="{width + 70:g}" height="{height:g}" role="img"><title>Rating over time</title>'
        f'<polyline class="interval" fill="none" points="{points}"/>'
        f'<text class="axis" x="{width + 8:g}" y="14">{high:.1f}</text>'
        f'<text class="axis" x="{width + 8:g}" y="{height - 4:g}">{low:.1f}</text></svg>'
    )


def log_page(title: str, name: str, match_id: str, lines: Sequence[str], detail: str) -> str:
    """What a bot wrote in one match, for its owner."""
    text = escape("\n".join(lines)) or "It wrote nothing."
    body = f'<p class="sub"><a href="/">{escape(title)}</a></p><h1>{escape(name)} in {escape(match_id)}</h1>'
    body += f"<p>{escape(detail)}</p>" if detail else ""
    return shell(name, f"{body}<section><pre>{text}</pre></section>", "", "")


def sorry(sentence: str) -> str:
    """A page for what is not there."""
    return shell("Nothing here", f'<h1>{escape(sentence)}</h1><p><a href="/">To the tournament</a></p>', "", "")
