"""Show on the page about security which tests keep each promise.

A hook of MkDocs. A promise is a row of a table in `docs/security.md` whose first cell is its name. A test that keeps it
has the mark `pytest.mark.promise("name")`. The hook replaces the line `<!-- promises -->` by the table of both.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
_PROMISE = re.compile(r"^\| `([a-z-]+)` \|", re.MULTILINE)
_PLACE = "<!-- promises -->"


def promised(text: str) -> list[str]:
    """Return the names of all promises of the page, in their order."""
    return _PROMISE.findall(text)


def kept() -> dict[str, list[str]]:
    """Return the tests of each promise, as pytest names them."""
    found: dict[str, list[str]] = {}
    for folder in ("tests", "replays/tests", "extras/*/tests", "games/*/tests", "clients/python/tests"):
        for path in sorted(ROOT.glob(f"{folder}/**/test_*.py")):
            for promise, test in _marks(path.read_text(encoding="utf-8")):
                found.setdefault(promise, []).append(f"{path.relative_to(ROOT).as_posix()}::{test}")
    return found


def _marks(source: str) -> Iterator[tuple[str, str]]:
    if "mark.promise(" not in source:
        return
    for node in ast.parse(source).body:
        for mark in node.decorator_list if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else []:
            if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.promise":
                for name in mark.args:
                    yield ast.literal_eval(name), node.name


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Put the table of promises and tests into the page about security."""
    if page.file.src_uri != "security.md":
        return markdown
    tests = kept()
    rows = [f"| `{name}` | {'<br>'.join(f'`{one}`' for one in tests[name])} |" for name in promised(markdown)]
    return markdown.replace(_PLACE, "\n".join(["| promise | tests |", "|---|---|", *rows]))
