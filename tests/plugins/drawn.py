"""Results of playouts that are drawn, so that explanations of all kinds take no time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from arena.study.coach.questions import Question, Questions


class DrawnPool:
    """Draws the results of playouts instead of playing on: win probabilities that wander and jump."""

    processes = 1

    def __init__(self, questions: Questions, seed: int) -> None:
        self.questions = questions
        rng = Random(seed)
        self.size, self.better = rng.choice([0.02, 0.1]), rng.choice([0.0, 0.3, 0.6])
        self.levels = [rng.random()]
        for _ in questions.match.parts:
            step = rng.uniform(-1, 1) if rng.random() < 0.1 else rng.gauss(0, self.size)
            self.levels.append(min(1.0, max(0.0, self.levels[-1] + step)))

    def ask(self, questions: Sequence[Question], deadline: float = float("inf")) -> Iterator[tuple[int, Any]]:
        for number, (function, *arguments) in enumerate(questions):
            if function in (Questions.priced, Questions.habit):
                index, *_, seeds = arguments
                lines = (self.levels[index + 1], self.levels[index + 1] + self.better)
                yield number, [tuple(self.result(level, seed) for level in lines) for seed in seeds]
                continue
            if function is Questions.values:
                index, *_, seeds = arguments
                yield number, [self.result(self.levels[index], seed) for seed in seeds]
                continue
            yield number, function(self.questions, *arguments)

    def result(self, level: float, seed: int) -> tuple[float, ...]:
        players, drawn = self.questions.match.players, Random(seed).random()
        winner = 0 if drawn < level else 1 + seed % (players - 1)
        return tuple(float(player == winner) for player in range(players))
