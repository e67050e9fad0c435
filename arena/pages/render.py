"""Render the templates of all pages. Everything that is not `Markup` is shown as text."""

from functools import cache
from importlib.resources import files
from typing import Any

import jinja2
from markupsafe import Markup

from arena.pages import pictures
from arena.pages.policy import ALONE


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("arena.pages"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["zip"] = zip
    environment.filters["middle"] = pictures.middle
    environment.filters["short"] = lambda name: pictures.middle(name, 19)
    environment.filters["sign"] = pictures.sign
    environment.filters["g"] = "{:g}".format
    environment.filters["signed"] = "{:+z.0f}".format
    return environment


def render(template: str, **context: Any) -> str:
    return _environment().get_template(template).render(**context)


def render_alone(template: str, **context: Any) -> str:
    """Return a page that is one file, with the style sheet in it. Its template extends ``alone.html``."""
    return render(template, root="", sheets=(), policy=ALONE, style=Markup(style()), **context)


def render_source_alone(source: str, **context: Any) -> str:
    """Return a page that is one file, as `render_alone` does, from the text of a template of another distribution."""
    template = _environment().from_string(source)
    return template.render(root="", sheets=(), policy=ALONE, style=Markup(style()), **context)


def part(template: str, macro: str, *values: Any) -> Markup:
    made: Markup = getattr(_environment().get_template(template).module, macro)(*values)
    return made


def style(name: str = "page.css") -> str:
    """Return a style sheet: that of all pages, or ``plain.css`` for errors and the list of replays."""
    return (files("arena.pages") / name).read_text(encoding="utf-8")
