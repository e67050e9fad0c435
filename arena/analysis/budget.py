"""The limits for the time and the playouts of an explanation."""

from __future__ import annotations

from math import inf
from time import monotonic
from typing import Any

from arena.analysis.explanation import Explanation
from arena.analysis.pool import Pool, Question

CHUNK_SECONDS = 0.15
"""The time that one question should take, in seconds. Long questions could exceed the budget."""
FIRST_PLAYOUT_SECONDS = 0.02
"""The assumed time of one playout, in seconds, before it is measured."""


class Budget:
    """Limits the time and the playouts of an explanation, and asks the pool within these limits.

    Args:
        seconds: The time limit in seconds, including the time that earlier calls used for this explanation.
        most: The limit for the number of playouts. A playout that stops before the end counts as a fraction of 1.

    Attributes:
        playout_seconds: The measured time of a playout of the whole match, in seconds. Before the measurement, it is
            `FIRST_PLAYOUT_SECONDS`.
    """

    def __init__(self, found: Explanation, pool: Pool, seconds: float, most: int) -> None:
        self._found = found
        self._pool = pool
        self._most = most
        self._work = float(found.playouts)  # counted in playouts to the end of the match
        self._begun = monotonic() - found.seconds
        self.seconds = seconds
        self.processes = pool.processes
        self.playout_seconds = FIRST_PLAYOUT_SECONDS

    @property
    def used(self) -> float:
        return monotonic() - self._begun

    @property
    def processor_seconds(self) -> float:
        """Return the time limit in seconds, multiplied by the number of processes."""
        return self.seconds * self.processes

    @property
    def chunk(self) -> int:
        """Return how many playouts one question should ask for."""
        return max(1, round(CHUNK_SECONDS / self.playout_seconds))

    def is_over(self, part: float) -> bool:
        """Return whether this share of the time, or of the number of playouts, is used up."""
        return self.used >= part * self.seconds or self._work >= part * self._most

    def affordable_pairs(self, until: float, ahead: int | None) -> int:
        """Return about how many pairs of playouts can still be played before a share of the budget is used up.

        Args:
            ahead: The number of turns after which a playout stops and the state is evaluated; None to play to the end.
        """
        seconds = (until * self.seconds - self.used) * self.processes
        turns = self._found.match.turns
        # On average, a playout starts in the middle of the match, and takes half as long as one from the start.
        playouts = min(until * self._most - self._work, 2 * seconds / self.playout_seconds)
        return max(0, round(playouts / 2 / self.cost_of_playout(ahead, turns - turns // 2)))

    @staticmethod
    def cost_of_playout(ahead: int | None, left: int) -> float:
        """Return the cost of a playout of `ahead` turns, with `left` turns to the end. A playout to the end costs 1."""
        return 1 if ahead is None else min(1, ahead / max(1, left))

    def count(self, playouts: int, cost: float = 1) -> None:
        """Record that playouts were played. Each has this cost; a playout to the end costs 1."""
        self._found.playouts += playouts
        self._work += playouts * cost

    def answers(self, questions: list[Question], until: float = inf) -> list[Any]:
        """Return the answers in the order of the questions.

        Args:
            until: The share of the time limit after which no question is submitted. Questions that were not submitted
                have the answer None.
        """
        answers: list[Any] = [None] * len(questions)
        for at, answer in self._pool.ask(questions, self._begun + until * self.seconds):
            answers[at] = answer
        return answers
