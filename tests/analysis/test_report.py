"""The words of an explanation."""

from __future__ import annotations

from itertools import pairwise

import pytest

from arena.analysis.report import fall_in_words


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([0.6, 0.2], "In turn 5 the win probability fell from 60 % to 20 %."),
        ([0.6, 0.5, 0.4, 0.3], "From turn 5 to 7 the win probability fell from 60 % to 30 %, 10.0 points a turn."),
        (
            [0.66, 0.64, 0.61, 0.0],
            "From turn 5 to 7 the win probability fell from 66 % to 0 %, most of it in turn 7 (61 % to 0 %).",
        ),
    ],
)
def test_a_fall_names_its_turns_and_how_steep_it_was(values: list[float], words: str) -> None:
    rows = [{"turn": turn, "before": pair[0], "after": pair[1]} for turn, pair in enumerate(pairwise(values), 5)]
    assert fall_in_words(rows) == words
