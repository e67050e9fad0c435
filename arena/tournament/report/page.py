"""One self-contained page of a tournament: tables, brackets, ratings, links to replays. No script, no network."""

from collections.abc import Mapping
from html import escape
from importlib import resources

from arena.tournament.report.drawings import Document, Link, bracket_drawing, rating_drawing
from arena.tournament.report.sheets import (
    Sheet,
    bracket_sheet,
    cross_sheet,
    final_sheet,
    matches_sheet,
    ratings_sheet,
    standings_sheet,
    statistics_sheet,
    superiority_sheet,
)

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
_MOST_CROSS = 40
_WITH_CROSS = ("round_robin", "swiss", "groups", "gauntlet", "free_for_all")


def no_link(name: str) -> str:  # noqa: ARG001 - a Link
    """Return "", which means that there is no page to link to."""
    return ""


def page_of(document: Document, links: Mapping[str, str]) -> str:
    """Return the whole page.

    Args:
        document: The result of `tournament_document`.
        links: The addresses of the matches' replays, by match id.
    """
    content = tournament_content(document, lambda match_id: links.get(match_id, ""))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<link rel="icon" href="data:,">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(document['tournament'])}</title><style>{style()}</style></head>"
        f"<body><main>{content}</main></body></html>"
    )


def tournament_content(document: Document, link: Link, bot: Link = no_link) -> str:
    """Return the content of the page.

    Args:
        document: The result of `tournament_document`.
        link: Returns the address of a match's replay for the match's id.
        bot: Returns the address of a bot's page for the bot's name.
    """
    rest = _fold("All places", table(final_sheet(document))) if len(document["final"]) > 3 else ""
    title = "Final order" if document["finished"] else "Order so far"
    sections = [("final", title, first_three(document, bot) + rest)]
    for stage in reversed(document["stages"]):
        sections += stage_sections(stage, link)
    sections += [
        ("ratings", "Ratings", rating_drawing(document) + _fold("Numbers", table(ratings_sheet(document)))),
        ("superiority", "Likelihood of superiority", table(superiority_sheet(document))),
        ("behaviour", "Behaviour", table(statistics_sheet(document))),
        ("matches", "Matches", table(matches_sheet(document["games"]), link)),
    ]
    body = "".join(
        f'<section id="{escape(key)}" tabindex="0"><h2>{escape(title)}</h2>{text}</section>'
        for key, title, text in sections
    )
    links = "".join(f'<a href="#{escape(key)}">{escape(title)}</a>' for key, title, _ in sections)
    state = "finished" if document["finished"] else "still running"
    sub = f"{document['game']}, {len(document['final'])} bots, {document['matches']} matches, {state}"
    return (
        f"<h1>{escape(document['tournament'])}</h1>"
        f'<p class="sub">{escape(sub)}</p><nav aria-label="Sections">{links}</nav>{body}'
    )


def style() -> str:
    """Return the style sheet of the pages of tournaments and seasons."""
    return (resources.files("arena.tournament.report") / "page.css").read_text(encoding="utf-8")


def first_three(document: Document, link: Link) -> str:
    """Return the first three places as HTML.

    Args:
        document: The result of `tournament_document`.
        link: Returns the address of a bot's page for the bot's name.
    """
    ratings = {row["name"]: row for row in document["ratings"]}
    places = []
    for place, name in enumerate(document["final"][:3], 1):
        row = ratings.get(name)
        words = f"{row['elo']:+z.0f} Elo" if row else "not rated"
        places.append(f"<div><span>{place}.</span><b>{_linked(name, link)}</b><span>{words}</span></div>")
    return f'<div class="first-three">{"".join(places)}</div>'


def stage_sections(stage: Document, link: Link) -> list[tuple[str, str, str]]:
    """Return the sections of one stage. Each section has a key, a title and a content."""
    sheet = standings_sheet(stage)
    content = table(sheet)
    if stage["format"] in ("single_elimination", "double_elimination"):
        content = bracket_drawing(stage, link) + content
    rounds = table(bracket_sheet(stage))
    content += crosstable(stage) + (
        rounds if stage["format"] == "elimination_tables" else _fold("All encounters", rounds)
    )
    return [(sheet.key, sheet.title, content)]


def crosstable(stage: Document) -> str:
    """Return the crosstable of a stage as a collapsed section; "" for other formats and for too many bots."""
    if 1 < len(stage["standings"]) <= _MOST_CROSS and stage["format"] in _WITH_CROSS:
        return _fold("Crosstable", table(cross_sheet(stage)))
    return ""


def _fold(title: str, content: str) -> str:
    return f"<details><summary>{escape(title)}</summary>{content}</details>"


def table(sheet: Sheet, link: Link = no_link) -> str:
    """Return a sheet as an HTML table.

    Args:
        sheet: The sheet.
        link: Returns the address for each cell of the column "Name", or of the first column if there is no such column.
    """
    linked = sheet.columns.index("Name") if "Name" in sheet.columns else 0
    head = "".join(f"<th{_class(sheet, index)}>{escape(name)}</th>" for index, name in enumerate(sheet.columns))
    lines = []
    for row in sheet.rows:
        texts = (_linked(cell, link) if index == linked else escape(cell) for index, cell in enumerate(row))
        cells = "".join(f"<td{_class(sheet, index)}>{text}</td>" for index, text in enumerate(texts))
        lines.append(f"<tr>{cells}</tr>")
    notes = "".join(f'<p class="note">{escape(note)}</p>' for note in sheet.notes)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>{notes}"


def _linked(text: str, link: Link) -> str:
    address = link(text)
    return f'<a href="{escape(address)}">{escape(text)}</a>' if address else escape(text)


def _class(sheet: Sheet, index: int) -> str:
    if sheet.columns[index] in ("Why here", "Last failure"):
        return ' class="left why"'
    return ' class="left"' if index in sheet.left else ""
