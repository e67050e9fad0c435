"""Render the templates of all pages. Everything that is not `Markup` is shown as text."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final

import jinja2
from markupsafe import Markup

from arena.pages import pictures
from arena_replays.page import ICON, source_hash, without_comments

__all__ = ["render_source_alone"]

# The content security policies of all pages, and the headers of all answers.

ALONE: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
"""The policy of a page that is one file: no script, no network."""
NO_PAGE: Final = "default-src 'none'; frame-ancestors 'none'"
"""The policy of every answer that is not a page."""
WORKER: Final = "default-src 'none'; connect-src 'self'; frame-ancestors 'none'"
"""The policy of a script: it applies to a service worker."""
HEADERS: Final = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def served(script: str = "", style: str = "", *, forms: bool = False, frames: str = "'self'") -> str:
    """Return the policy of a page of a server.

    Args:
        script: Scripts that the page is allowed to run: ``'self'``, and hashes of inline scripts; empty for none.
        frames: Which sites may show the page inside of theirs.
    """
    active = f"script-src {script}; connect-src 'self'; frame-src 'self'; " if script else ""
    target = "'self'" if forms else "'none'"
    return (
        f"default-src 'none'; {active}style-src 'self' {style}; img-src 'self' data: blob:; "
        f"base-uri 'none'; form-action {target}; frame-ancestors {frames}"
    )


def alone(script: str, style: str) -> str:
    """Return the policy of a page that is one file with scripts, and needs no network."""
    rest = "img-src data:; base-uri 'none'; form-action 'none'"
    return f"default-src 'none'; script-src {script}; style-src {style}; {rest}"


@cache
def _environment(package: str = "") -> jinja2.Environment:
    packages = [package, "arena.pages"] if package else ["arena.pages"]
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader(name) for name in packages]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["zip"] = zip
    environment.globals["icon"] = ICON
    environment.filters["middle"] = pictures.middle
    environment.filters["sign"] = pictures.sign
    environment.filters["g"] = "{:g}".format
    return environment


def render(template: str, templates: str = "", /, **context: Any) -> str:
    """Return what a template makes of values. A package of another distribution can have templates of its own."""
    return _environment(templates).get_template(template).render(**context)


def render_alone(template: str, *, scripts: Sequence[tuple[str, str]] = (), **context: Any) -> str:
    """Return a page that is one file, with the style sheet in it. Its template extends ``alone.html``.

    Args:
        scripts: Kind (``importmap`` or ``module``) and text of each script of the page. A page with scripts can also
            load scripts that lie beside it.
    """
    return render(template, **_alone(scripts), **context)


def render_source_alone(source: str, **context: Any) -> str:
    """Return a page that is one file: without scripts, and with the style sheet in it.

    Args:
        source: The text of a template for Jinja that extends ``alone.html``.
        **context: The values of the template. Texts are escaped.
    """
    return _environment().from_string(source).render(**_alone(()), **context)


def _alone(scripts: Sequence[tuple[str, str]]) -> dict[str, Any]:
    allowed = " ".join([*(source_hash(text) for _, text in scripts), "data: 'self' file:"])
    policy = alone(allowed, "'unsafe-inline'") if scripts else ALONE
    marked = [(script_type, Markup(text)) for script_type, text in scripts]
    return {"root": "", "sheets": (), "policy": policy, "style": Markup(style()), "scripts": marked}


def part(template: str, macro: str, *values: Any) -> Markup:
    """Return what one macro of a template makes of values, for a piece of a page."""
    made: Markup = getattr(_environment().get_template(template).module, macro)(*values)
    return made


def script(name: str) -> str:
    """Return a script of pages, for a page that is one file."""
    return without_comments((files("arena.pages") / "scripts" / name).read_text(encoding="utf-8"))


def style() -> str:
    """Return the style sheet of all pages."""
    return (files("arena.pages") / "page.css").read_text(encoding="utf-8")
