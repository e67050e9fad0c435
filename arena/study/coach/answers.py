"""Explanations that a reader's browser has computed, checked before others see them.

Who sends one sends neither texts nor probabilities, only the results of playouts: what a pool answered to questions.
Here the explanation is made again: rules, detectors and arithmetic run on this machine, and take the results of
playouts from the sender. Playouts depend on nothing but their seeds, so that a random sample of them is played here,
and must have the same results. What is no list of numbers is never taken over.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import inf
from pathlib import Path
from random import SystemRandom
from typing import Any, Final

from arena.errors import ArenaError
from arena.study.coach.explaining import Explainer, Explanation
from arena.study.coach.questions import InProcessPool, Question, Questions
from arena.study.coach.report import document_of

LARGEST: Final = 1_000_000
"""The limit for the size of what is sent, in bytes: some ten thousand playouts."""
BUDGETS: Final = (5.0, 60.0)
"""The least and the largest time of an explanation that is taken over, in seconds."""
SAMPLED, LEAST_SAMPLED, SECONDS = 12, 4, 6.0
"""So many answers are checked, in at most these seconds, and never fewer than `LEAST_SAMPLED`. If a fifth of the
answers is invented, one of twelve is found with a probability of 93 %."""
SEEDS: Final = 2
"""So many playouts, or pairs of them, of each of these answers are played here."""
_SAME: Final = 1e-6
"""Results that differ by less are the same: the last digits of a logarithm depend on the machine."""
_PLAYED: Final = {one.__name__ for one in (Questions.values, Questions.priced, Questions.habit)}
_TAKEN: Final = {*_PLAYED, Questions.cost.__name__}
"""The questions whose answers are taken over. The last argument of the played ones are the seeds."""


class UncheckedError(ArenaError):
    """What somebody has sent is not what this replay gives."""


class _Keys:
    """Names questions by their text, and by how often they were asked.

    The same one can be asked in vain, for lack of time, and answered later for another mistake.
    """

    def __init__(self) -> None:
        self._asked: Counter[str] = Counter()

    def of(self, question: Question) -> tuple[str, str]:
        function, *arguments = question
        name = str(function.__name__)
        if name == Questions.cost.__name__:
            arguments = arguments[:1]  # the limit depends on the machine
        text = json.dumps([name, *arguments], default=list, separators=(",", ":"), sort_keys=True)
        self._asked[text] += 1
        return name, f"{text}{self._asked[text]}"


class NotingPool(InProcessPool):
    """Keeps the answers that can be sent."""

    def __init__(self, path: str | Path, *more: Any) -> None:
        super().__init__(path, *more)
        self.answers: dict[str, Any] = {}
        self._keys = _Keys()

    def ask(self, questions: Sequence[Question], deadline: float = inf) -> Iterator[tuple[int, Any]]:
        keys = [self._keys.of(question) for question in questions]
        for number, answer in super().ask(questions, deadline):
            name, key = keys[number]
            if name in _TAKEN:
                self.answers[key] = answer
            yield number, answer


class SentAnswers(InProcessPool):
    """Takes the results of playouts from a sender, and answers all other questions itself."""

    def __init__(self, questions: Questions, answers: Mapping[str, Any]) -> None:
        self.questions = questions
        self.used: list[tuple[Question, Any]] = []
        self._answers = answers
        self._keys = _Keys()

    def ask(self, questions: Sequence[Question], deadline: float = inf) -> Iterator[tuple[int, Any]]:
        del deadline  # nothing here takes long
        for number, question in enumerate(questions):
            name, key = self._keys.of(question)
            if name not in _TAKEN:
                function, *arguments = question
                yield number, function(self.questions, *arguments)
            elif key in self._answers:
                answer = self._checked(name, question, self._answers[key])
                yield number, answer

    def _checked(self, name: str, question: Question, answer: Any) -> Any:
        if name not in _PLAYED:
            if not _is_number(answer, 1e6):
                raise UncheckedError("The explanation has a time that is no number.")
            return answer
        players, count = self.questions.match.players, len(question[-1])
        lines = 1 if name == Questions.values.__name__ else 2
        if not isinstance(answer, list) or len(answer) != count:
            raise UncheckedError("The explanation has another number of playouts than it says.")
        found = []
        for row in answer:
            results = [row] if lines == 1 else row
            if not isinstance(results, list) or len(results) != lines:
                raise UncheckedError("The explanation has results that are no pairs.")
            if not all(_is_result(one, players) for one in results):
                raise UncheckedError("The explanation has results that are no shares of a win.")
            found.append(tuple(row) if lines == 1 else tuple(map(tuple, row)))
        self.used.append((question, found))
        return found


def judged(questions: Questions, body: bytes) -> tuple[dict[str, Any] | None, str]:
    """Return the explanation that somebody has sent, if a sample of it is right; otherwise None, and what is wrong.

    This is a question, so that a process of its own answers it.

    Args:
        body: JSON with the ``budget`` of the explanation in seconds, and its ``answers`` as `NotingPool` keeps them.
    """
    try:
        return _explained(questions, body), ""
    except UncheckedError as error:
        return None, error.message


def _explained(questions: Questions, body: bytes) -> dict[str, Any]:
    try:
        sent = json.loads(body)
        answers, budget = sent["answers"], sent["budget"]
    except (ValueError, RecursionError, LookupError, TypeError):
        raise UncheckedError("The explanation cannot be read.") from None
    if not isinstance(answers, dict) or not _is_number(budget, BUDGETS[1]) or budget < BUDGETS[0]:
        raise UncheckedError("The explanation cannot be read.")
    pool, explanation = SentAnswers(questions, answers), Explanation(questions.match)
    try:
        for _ in Explainer(explanation, pool, budget).run():
            pass
    except LookupError:
        raise UncheckedError("The explanation is not complete.") from None
    _check_sample(questions, pool.used)
    return document_of(explanation, budget)


def _check_sample(questions: Questions, used: Sequence[tuple[Question, Any]]) -> None:
    rng, end, count = SystemRandom(), time.monotonic() + SECONDS, 0
    for (function, *arguments, seeds), answer in rng.sample(used, min(SAMPLED, len(used))):
        if count >= LEAST_SAMPLED and time.monotonic() > end:
            break
        places = rng.sample(range(len(seeds)), min(SEEDS, len(seeds)))
        again = function(questions, *arguments, [seeds[place] for place in places])
        if not all(_are_same(one, answer[place]) for one, place in zip(again, places, strict=True)):
            raise UncheckedError("The explanation has other results than the same playouts have here.")
        count += 1
    if count < min(LEAST_SAMPLED, len(used)) or not used:
        raise UncheckedError("The explanation has too few playouts.")


def _is_number(value: object, most: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= most


def _is_result(value: object, players: int) -> bool:
    return isinstance(value, list) and len(value) == players and all(_is_number(one, 1) for one in value)


def _are_same(one: Any, other: Any) -> bool:
    if isinstance(one, int | float):
        return bool(abs(one - other) < _SAME)
    return all(map(_are_same, one, other))
