"""The content security policies of all pages, and the headers of all answers."""

from typing import Final

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


def served(script: str = "", style: str = "", *, forms: bool = False) -> str:
    """Return the policy of a page of a server.

    Args:
        script: Scripts that the page is allowed to run: ``'self'``, and hashes of inline scripts; empty for none.
    """
    active = f"script-src {script}; connect-src 'self'; frame-src 'self'; " if script else ""
    target = "'self'" if forms else "'none'"
    return (
        f"default-src 'none'; {active}style-src 'self' {style}; img-src 'self' data: blob:; "
        f"base-uri 'none'; form-action {target}; frame-ancestors 'self'"
    )


def alone(script: str, style: str) -> str:
    """Return the policy of a page that is one file with scripts, and needs no network."""
    rest = "img-src data:; base-uri 'none'; form-action 'none'"
    return f"default-src 'none'; script-src {script}; style-src {style}; {rest}"
