"""Explanations that a browser has sent: the same explanation is made of its playouts, and invented ones are found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from arena.study.coach.answers import NotingPool, SentAnswers, judged
from arena.study.coach.explaining import Explainer, Explanation
from arena.study.coach.questions import Questions
from arena.study.coach.report import document_of

SUICIDE = Path(__file__).parents[1] / "replays" / "suicide.arena"
BUDGET = 5.0


@pytest.fixture(scope="module")
def computed() -> tuple[dict[str, Any], dict[str, Any]]:
    """Return an explanation, and the answers that it was made of."""
    pool = NotingPool(SUICIDE)
    explanation = Explanation(pool.questions.match)
    for _ in Explainer(explanation, pool, BUDGET).run():
        pass
    return document_of(explanation, BUDGET), pool.answers


def sent(answers: Any, budget: Any = BUDGET) -> tuple[dict[str, Any] | None, str]:
    return judged(Questions(str(SUICIDE)), json.dumps({"budget": budget, "answers": answers}).encode())


def test_of_the_playouts_of_another_the_same_explanation_is_made(computed: Any) -> None:
    document, answers = computed
    made, problem = sent(answers)
    assert problem == ""
    assert made is not None
    assert made | {"seconds": 0} == json.loads(json.dumps(document)) | {"seconds": 0}
    assert made["playouts"]["count"] > 0


def test_a_question_that_was_answered_the_second_time_only_is_not_answered_the_first_time() -> None:
    pool = NotingPool(SUICIDE)
    question: Any = (Questions.values, 0, "builtin:constrictor", 4, [0, 1])
    assert list(pool.ask([question], deadline=0)) == []
    answered = list(pool.ask([question]))
    assert len(answered) == 1
    sender = SentAnswers(pool.questions, json.loads(json.dumps(pool.answers)))
    assert list(sender.ask([question])) == []
    assert list(sender.ask([question])) == answered


def won(answer: Any) -> Any:
    """Return the same playouts, all of them won by the first player."""
    if isinstance(answer[0], float):
        return [1.0, *[0.0] * (len(answer) - 1)]
    return [won(one) for one in answer]


def test_what_is_wrong_is_refused(computed: Any) -> None:
    _, answers = computed
    invented = {key: answer if isinstance(answer, float) else won(answer) for key, answer in answers.items()}
    assert sent(invented) == (None, "The explanation has other results than the same playouts have here.")
    assert sent({}) == (None, "The explanation is not complete.")
    for value in ("<b>", None, [["<b>"]], [[float("nan")] * 2], [], {"a": 1}):
        document, problem = sent(
            {key: answer if isinstance(answer, float) else value for key, answer in answers.items()}
        )
        assert document is None
        assert problem.startswith("The explanation has")
    for wrong in ([], "text", 3):
        assert sent(wrong)[0] is None
    for budget in (0, 1e9, "5", float("nan"), True):
        assert sent(answers, budget)[0] is None
    assert judged(Questions(str(SUICIDE)), b"[" * 100_000)[0] is None
