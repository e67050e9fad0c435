"""Put the tables for programs, with all their columns, into the page about data.

A hook of MkDocs. The tables come from the definitions with which Arena writes them.
"""

from __future__ import annotations

from mkdocs.structure.pages import Page

from arena.matches.data import described
from arena.season import data as season
from arena.tournament.report import data as tournament

PLACE = "<!-- tables -->"


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Put the tables into their place."""
    if page.file.src_uri != "data.md":
        return markdown
    own = [kind for kind in season.KINDS if kind not in tournament.KINDS]
    tables = described({"Tables of a tournament": tournament.KINDS, "Tables of a season": own})
    return markdown.replace(PLACE, tables)
