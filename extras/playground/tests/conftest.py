from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from term import Term, begun
from visit import SIZE, Noting, Playground, served

from arena_playground import pyodide
from arena_playground.export import export

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)
            if not pyodide.is_there():
                item.add_marker(pytest.mark.skip(reason="needs Pyodide, which could not be downloaded"))


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("playground")
    export(found)
    return found


@pytest.fixture(scope="session")
def site(folder: Path) -> Iterator[str]:
    """The address of a plain web server without special headers."""
    with served(folder) as address:
        yield address


@pytest.fixture
def asked(site: str) -> list[str]:
    """The paths for which the server was asked."""
    return Noting.asked


@pytest.fixture
def playground(browser: Any, site: str) -> Iterator[Callable[..., Playground]]:
    """Open pages, each with a browser profile and a Python of its own."""
    contexts = []

    def start(address: str = "", **settings: Any) -> Playground:
        contexts.append(browser.new_context(**({"viewport": SIZE} | settings)))
        return Playground(contexts[-1].new_page()).open(site + address)

    yield start
    for context in contexts:
        context.close()


KEPT: list[Playground] = []
"""The page that the tests of a worker share, since Python takes seconds to start; none after a test that failed."""


@pytest.fixture
def shared(browser: Any, site: str) -> Iterator[Callable[[str], Playground]]:
    """Show a game in the shared page, as a first visitor sees it. For tests that leave Python as they found it."""

    def start(game: str) -> Playground:
        if not KEPT or not KEPT[0].page.context.browser.is_connected():
            KEPT[:] = [Playground(browser.new_page(viewport=SIZE)).open(site)]
        return KEPT[0].forget(game)

    yield start
    if KEPT and (KEPT[0].faults or KEPT[0].do("page.python.busy || !page.python.runs")):
        KEPT.pop().page.close()


@pytest.fixture
def term(tmp_path: Path) -> Iterator[Term]:
    with begun(tmp_path) as found:
        yield found
