"""The queue of matches: how often a match that fails or is void is played again."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace

from arena.contests.queue.queue import Ended, MatchQueue, repeat_late
from arena.game import Outcome
from arena.match.result import MatchResult, PlayerResult
from arena.match.spec import MatchSpec, Participant
from arena.match.void import CHARGED, HOST_LATE, RETRIES

SPEC = MatchSpec("t", "s", 1, 0, 0, "toy", "", (), (Participant("a", "1"), Participant("b", "2")), 7)
PLAYED = MatchResult(
    players=(PlayerResult("won", name="a"), PlayerResult("lost", name="b")), outcome=Outcome(0, "toy"), game="toy"
)
UNDECIDED = (PlayerResult("void", name="a"), PlayerResult("void", name="b"))
VOID = replace(PLAYED, players=UNDECIDED, outcome=Outcome(None, "void"), void="the host was late")


class Answers:
    """An engine that answers at once, with the next of the given results and errors."""

    window = 2

    def __init__(self, *answers: MatchResult | Exception | None) -> None:
        self.answers = list(answers)
        self.attempts: list[int] = []

    def submit(self, spec: MatchSpec, attempt: int) -> Future[MatchResult]:
        del spec
        self.attempts.append(attempt)
        future: Future[MatchResult] = Future()
        answer = self.answers.pop(0)
        if answer is None:
            future.cancel()
            future.set_running_or_notify_cancel()  # as an executor does
        elif isinstance(answer, Exception):
            future.set_exception(answer)
        else:
            future.set_result(answer)
        return future

    def kill(self) -> None: ...

    def close(self) -> None: ...


def tries(*answers: MatchResult | Exception | None, **settings: object) -> tuple[list[Ended[MatchSpec]], Answers]:
    engine = Answers(*answers)
    queue = MatchQueue(engine, **settings)  # type: ignore[arg-type]
    found = []
    while engine.answers and (not found or found[-1].again):
        queue.start(SPEC)
        found += queue.wait()
    assert not queue.running
    return found, engine


def test_a_match_that_fails_is_played_again_twice() -> None:
    found, engine = tries(*[RuntimeError("no room")] * 9)
    assert [one.again for one in found] == [True] * RETRIES + [False]
    assert engine.attempts == [0, 1, 2]
    assert (found[-1].result, found[-1].reason) == (None, "no room")


def test_a_match_that_the_engine_cancelled_has_failed() -> None:
    found, _ = tries(None, PLAYED)
    assert [one.reason for one in found] == ["cancelled", ""]
    assert found[-1].result == PLAYED


def test_a_void_match_is_played_again_twice_and_does_not_count_before() -> None:
    found, engine = tries(*[VOID] * 9)
    assert [(one.again, one.result, one.reason) for one in found[:-1]] == [(True, None, VOID.void)] * RETRIES
    assert not found[-1].again
    assert found[-1].result == VOID  # nobody was the cause
    assert engine.attempts == [0, 0, 0]  # the tries before did not fail


def test_the_last_void_match_counts_against_the_player_who_made_it_void() -> None:
    cause = next(iter(CHARGED))
    guilty = PlayerResult("void", name="b", detail="its program was killed")
    killed = replace(VOID, outcome=Outcome(None, cause), players=(UNDECIDED[0], guilty))
    found, _ = tries(killed, voids=0)
    result = found[-1].result
    assert result is not None
    assert (result.outcome.winner, result.void) == (0, "")
    assert found[-1].played == killed


def test_failures_and_voids_are_counted_apart() -> None:
    found, _ = tries(RuntimeError("x"), VOID, RuntimeError("x"), VOID, PLAYED)
    assert [one.again for one in found] == [True, True, True, True, False]
    assert found[-1].result == PLAYED


def test_matches_end_in_the_given_order_and_leave_room() -> None:
    queue = MatchQueue(Answers(PLAYED, PLAYED))
    specs = [replace(SPEC, number=number) for number in (5, 3)]
    for spec in specs:
        assert queue.has_room
        queue.start(spec)
    assert not queue.has_room
    assert [one.match.number for one in queue.wait(lambda spec: spec.number)] == [3, 5]
    assert queue.has_room


def test_a_match_is_played_until_its_result_counts() -> None:
    engine = Answers(VOID, RuntimeError("x"), PLAYED)
    queue = MatchQueue(engine)
    seen: list[str] = []

    def again(ended: Ended[MatchSpec]) -> bool:
        seen.append(ended.reason)
        return True

    assert queue.finish(queue.start(SPEC), again).result == PLAYED
    assert seen == [VOID.void, "x"]


def test_the_caller_can_decide_against_another_try() -> None:
    engine = Answers(VOID, PLAYED)
    queue = MatchQueue(engine)
    assert queue.finish(queue.start(SPEC), lambda _ended: False).played == VOID
    assert engine.answers == [PLAYED]


def test_where_somebody_waits_only_a_late_machine_is_a_reason_to_play_again() -> None:
    late = replace(VOID, outcome=Outcome(None, HOST_LATE))
    found, _ = tries(late, late, PLAYED, repeats=repeat_late, failures=0)
    assert [one.again for one in found] == [True, True, False]
    assert [one.again for one in tries(VOID, repeats=repeat_late, failures=0)[0]] == [False]
    assert [one.again for one in tries(RuntimeError("x"), repeats=repeat_late, failures=0)[0]] == [False]
