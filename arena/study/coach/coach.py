"""A coach of one replay in one process, for whoever has no others: the Python of a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic
from typing import Any, Final

from arena.study.coach.answers import NotingPool
from arena.study.coach.explaining import Explainer, Explanation
from arena.study.coach.page import advantage
from arena.study.coach.report import document_of

__all__ = ["Coach", "advantage"]

_PAUSE: Final = 0.3
"""The least seconds between two documents: who shows them needs time too."""


class Coach:
    """Answers questions about a replay with its game's rules and built-in bots.

    Args:
        path: The replay. It can be a public copy, without the output of bots.
        answered: Called after each of many small pieces of work.

    Raises:
        ArenaError: The game is not installed in the version of the replay.
        ReplayError: The file is no complete replay.
    """

    def __init__(self, path: str | Path, answered: Callable[[], object] = lambda: None) -> None:
        self._pool = NotingPool(path, answered)

    def explain(self, budget: float) -> Iterator[dict[str, Any]]:
        """Explain the match, and yield what is known so far: at first, at once, why programs failed.

        Args:
            budget: The time limit, in seconds.

        Yields:
            Documents as of `arena explain --json`; all but the last one also with the ``share`` of the time.
        """
        explanation = Explanation(self._pool.questions.match)
        self._pool.answers.clear()
        yield document_of(explanation, budget) | {"share": 0.0}
        shown = monotonic()
        for share in Explainer(explanation, self._pool, budget).run():
            if monotonic() > shown + _PAUSE:
                yield document_of(explanation, budget) | {"share": share}
                shown = monotonic()
        yield document_of(explanation, budget)

    @property
    def answers(self) -> dict[str, Any]:
        """What the last explanation was computed from. A contest makes the same explanation of it, and checks it."""
        return self._pool.answers
