"""A short run of the matches of the templates; `make stats` plays all of them."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from kit_templates import Row, rows

pytestmark = [pytest.mark.process, pytest.mark.slow]


@pytest.mark.parametrize(
    ("endings", "good"),
    [({"won": 3, "lost": 2}, True), ({"won": 1, "lost": 1}, False), ({"won": 9, "crashed": 1}, False)],
)
def test_a_template_is_good_if_it_wins_and_never_fails(endings: dict[str, int], good: bool) -> None:
    row = Row("saloon", "cpp", "L3", Counter(endings))
    assert row.good == good
    assert ("MISSED" in str(row)) != good


def test_a_few_matches(need_program: Callable[[str], str]) -> None:
    need_program("node")
    found = list(rows(["derelict", "snakes"], ["javascript"], 2, [3, 2]))
    assert [(row.game, row.endings.total(), row.failures) for row in found] == [
        *(("derelict", 2, {}), ("snakes", 2, {})),
        *(("derelict", 2, {}), ("snakes", 2, {})),
    ]
    assert found[0].endings == found[2].endings == {"won": 2}
