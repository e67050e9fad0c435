"""Put tables into pages that would repeat what stands elsewhere: in tests, in definitions, in other pages.

A hook of MkDocs. A page has a comment such as `<!-- promises -->` where its table belongs:

* `promises`: a promise is a row of a table in `docs/security.md` whose first cell is its name. A test that keeps it has
  the mark `pytest.mark.promise("name")`. The table shows the tests of each promise.
* `data`: the tables for programs that Arena writes, with all columns, from their definitions.
* `entries`: the kinds of entries of a contest's journal, from the docstrings of their documents.
* `decisions`: the pages in `docs/decisions`, by number.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from arena.contests import entries
from arena.contests.report.columns import described

ROOT = Path(__file__).parents[1]
_PROMISE = re.compile(r"^\| `([a-z-]+)` \|", re.MULTILINE)
_PLACE = re.compile(r"<!-- (promises|data|entries|decisions) -->")


def on_page_markdown(markdown: str, **_: object) -> str:
    """Put tables into the places of a page."""
    makers = {
        "promises": lambda: _promises(markdown), "data": described, "entries": _entries, "decisions": _decisions,
    }  # fmt: skip
    return _PLACE.sub(lambda place: makers[place[1]](), markdown)


def promised(text: str) -> list[str]:
    """Return the names of all promises of the page about security, in their order."""
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


def _promises(page: str) -> str:
    tests = kept()
    rows = [f"| `{name}` | {'<br>'.join(f'`{one}`' for one in tests[name])} |" for name in promised(page)]
    return "\n".join(["| promise | tests |", "|---|---|", *rows])


def _entries() -> str:
    rows = [f"| `{kind}` | {' '.join((one.__doc__ or '').split())} |" for kind, one in entries.KINDS.items()]
    return "\n".join(["| kind | what it records |", "|---|---|", *rows])


def _decisions() -> str:
    pages = sorted((ROOT / "docs" / "decisions").glob("0*.md"))
    titles = [page.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ") for page in pages]
    return "\n".join(f"- [{page.name[:3]}]({page.name}) {title}" for page, title in zip(pages, titles, strict=True))
