"""The scenarios are modules beside the tests, and what looks for left-overs is beside those of the bots."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "bots")]


@pytest.fixture(scope="session")
def hostile_server() -> Iterator[None]:
    import playing

    playing.server()
    yield
    playing.close()
