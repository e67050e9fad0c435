"""Show the rules of a game: its rules text, and the documentation of its classes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from arena.game.docstrings import parse_docstring
from arena.match.lookup import find_game
from arena.web.pages import page


def rules_page(request: Request) -> Response:
    game = find_game(request.path_params["game"])
    return page(
        request,
        "rules.html",
        script="'self'",
        title=f"{game.title}: rules",
        sheets=["viewer/style.css", "editor/editor.css"],
        game=game,
        text=markdown(game.rules_text()),
        classes=game.schema()["classes"],
        lower=_lower,
        paragraphs=_paragraphs,
        summary=summary,
        wire=_wire,
    )


def markdown(text: str) -> Markup:
    """Convert Markdown to HTML. HTML tags in the Markdown are shown as text. Headings become one level lower."""
    parser = _parser()
    tokens = parser.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1]) + 1)}"
    return Markup(parser.renderer.render(tokens, parser.options, {}))


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.add_render_rule("table_open", lambda *_: '<div class="wide"><table>')
    parser.add_render_rule("table_close", lambda *_: "</table></div>")
    return parser


def _wire(name: str, action: Mapping[str, Any]) -> str:
    keys = [f'"{action["receiver"]}": …'] if action["receiver"] else []
    keys += [f'"{key}": …' for parameter in action["parameters"] for key in parameter["keys"]]
    return "{" + ", ".join([f'"type": "{name}"', *keys]) + "}"


def _paragraphs(doc: str) -> list[str]:
    """Return the paragraphs of a docstring before its first section, such as ``Args:``."""
    return [" ".join(part.split()) for part in parse_docstring(doc).text.split("\n\n") if part.strip()]


def summary(doc: str) -> str:
    """Return the first sentence of a docstring, without its period."""
    return " ".join(doc.split()).partition(". ")[0].removesuffix(".")


def _lower(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")
