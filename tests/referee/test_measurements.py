"""What the referee measures of itself."""

from __future__ import annotations

import resource
import sys
from types import SimpleNamespace

import pytest

from arena.play.referee.load import peak_memory
from arena.play.referee.played import counts_of


@pytest.mark.parametrize(("platform", "unit"), [("linux", 1024), ("darwin", 1)])
def test_the_peak_memory_is_in_bytes(monkeypatch: pytest.MonkeyPatch, platform: str, unit: int) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(resource, "getrusage", lambda who: SimpleNamespace(ru_maxrss=40_000))
    assert peak_memory() == 40_000 * unit


def test_counts_that_are_no_numbers_do_not_end_the_referee() -> None:
    for text in ("", "5", "[" * 100_000, '{"cost": "much"}', f'{{"tokens_in": 1{"0" * 400}}}'):
        assert counts_of(text) == {}
    assert counts_of('{"cost": Infinity, "seconds": NaN, "requests": 2}') == {"requests": 2.0}
