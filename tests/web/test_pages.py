"""All pages come from the same templates, and no module writes markup, escapes text or makes a policy by itself."""

import re
from pathlib import Path

import pytest

from arena.pages import render
from arena.pages.render import part

ARENA = Path(render.__file__).parents[1]
EVIL = "<script>alert(1)</script>\"'&"


@pytest.mark.parametrize(
    ("what", "places"),
    [
        (r"default-src 'none'", {"pages/render.py"}),
        (
            r"jinja2\.Environment|import Environment",
            {"pages/render.py", "sdk/languages.py", "contests/config_file.py"},
        ),  # kits and the file of a contest: source code, and no pages
        # For the own team only, and for the organizers' announcer.
        (r"\bown_notes\(", {"web/match_pages.py", "web/contests/my_data.py", "web/contests/extending.py"}),
        (r"partial\(public_copy", {"web/match_pages.py"}),  # the one way of a replay to visitors
        (r"(from|import) html\b(?!\.parser)|html\.escape", set()),
        (
            r"""["']\s*<(!doctype|table|svg|section|div|p|a|td|text|path)\b""",
            {"web/rulebook.py"},
        ),  # tables of Markdown scroll
    ],
)
def test_there_is_one_place_for(what, places):
    found = {
        str(path.relative_to(ARENA))
        for path in ARENA.rglob("*.py")
        if re.search(what, path.read_text(encoding="utf-8"))
    }
    assert found == places


def test_there_is_one_macro_for_tables():
    templates = ARENA / "pages" / "templates"
    found = {str(path.relative_to(templates)) for path in templates.rglob("*.html") if "<table" in path.read_text()}
    assert found == {"parts/tables.html"}


def test_what_a_macro_gets_is_shown_as_text():
    made = part("parts/components.html", "bot", EVIL, lambda name: f"/bot/{name}", 99)
    assert "<script" not in made
    assert made.count("&lt;script&gt;alert(1)&lt;/script&gt;&#34;&#39;&amp;") == 3
