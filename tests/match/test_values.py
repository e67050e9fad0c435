"""The values of a match: what they compute, and that they come back from their documents."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from arena.errors import ArenaError
from arena.game import Clock, Outcome
from arena.match.ending import column_of, ending_and_place, reason_in_words
from arena.match.isolation import IN_MEMORY, NOT_A_BOT, Isolation, Level, Missing, check_level
from arena.match.job import Job, SeatAssignment, remote_identity
from arena.match.limits import Limits, Policy, changed_limits
from arena.match.position import Parent, Position
from arena.match.result import MatchResult, PlayerResult, decide
from arena.match.void import policy_voids

SEATS = (SeatAssignment("builtin:a", "a"), SeatAssignment("builtin:b", "b"))


def result(winner: int | None, scores: tuple[float, float] = (0.0, 0.0), names: str = "ab") -> MatchResult:
    players = tuple(PlayerResult("won", name, score=score) for name, score in zip(names, scores, strict=True))
    return MatchResult(players, Outcome(winner, "score"))


@pytest.mark.parametrize(
    "job",
    [
        Job("saloon", SEATS),
        Job("saloon", SEATS, seed=3, clock=Clock(turn=2.0), policy=Policy(strikes=2), limits=Limits(processes=9)),
        Job(
            "saloon", SEATS, start=Position("saloon", "1", {}, {"turn": 3}, 4, parent=Parent("aa", 4, 1, "first.arena"))
        ),
    ],
)
def test_a_job_comes_back_from_its_document(job: Job) -> None:
    assert Job.from_document(json.loads(json.dumps(job.to_document()))) == job


@pytest.mark.parametrize("document", [{}, {"game": "g", "seats": [{"seat": 1}]}, {"game": "g", "seats": [], "new": 1}])
def test_a_job_that_cannot_be_read_is_one_message(document: dict[str, Any]) -> None:
    with pytest.raises(ArenaError, match="The job for the match process cannot be read"):
        Job.from_document(document)


def test_a_job_without_seed_draws_one_and_each_leg_has_its_own_dice() -> None:
    job = Job("saloon", SEATS)
    drawn = job.seeded()
    assert isinstance(drawn.seed, int)
    assert drawn.seeded() is drawn
    assert drawn.play_seed == f"{drawn.seed}/play"
    assert replace(drawn, leg=1).play_seed == f"{drawn.seed}/play/1"


def test_a_clock_for_debugging_has_no_limits() -> None:
    clock = Job("saloon", SEATS).untimed(Clock(bank=10.0, turn=1.0))
    assert (clock.bank, clock.turn) == (None, None)
    assert clock.startup >= 3600


def test_isolation_below_the_required_level_is_refused_with_its_reasons() -> None:
    isolation = Isolation(
        Level.LIMITS, ("limits",), (Missing("bwrap", "it is not installed", "apt install bubblewrap"),)
    )
    check_level(isolation, Level.LIMITS)
    with pytest.raises(ArenaError, match=r"level 2 is required.*L1 limits \(bwrap: it is not installed\)"):
        check_level(isolation, Level.BWRAP)
    assert Isolation.from_document(json.loads(json.dumps(isolation.to_document()))) == isolation
    assert not isolation.is_of_player_outside
    outside = Isolation(Level.NONE, (), (Missing(NOT_A_BOT, "a person plays", ""),))
    assert outside.is_of_player_outside
    assert isolation.brief() == Isolation(Level.LIMITS, ("limits",))
    assert (outside.brief(), IN_MEMORY.brief()) == (outside, IN_MEMORY), "they say how a match was played"


def test_a_policy_is_written_as_plain_values() -> None:
    assert json.loads(json.dumps(Policy(strikes=1).to_document()))["strikes"] == 1


def test_a_result_comes_back_from_its_document() -> None:
    whole = result(0, (3.0, 1.0))
    assert MatchResult.from_document(json.loads(json.dumps(whole.to_document()))) == whole
    assert whole.brief() == whole


def test_a_bad_ending_is_explained_by_its_detail_its_exit_and_the_last_line() -> None:
    player = PlayerResult("crashed", detail="It ended", exit="exit code 3", stderr="first\nlast\n\n")
    assert player.explanation == "It ended; exit code 3"
    assert player.explained == "It ended; exit code 3; last"
    assert replace(player, ending="lost").explained == ""


@pytest.mark.parametrize(
    ("first", "second", "winner", "points"),
    [
        (result(0), result(1, names="ba"), 0, (2.0, 0.0)),
        (result(1), result(0, names="ba"), 1, (0.0, 2.0)),
        (result(0, (5.0, 2.0)), result(0, (2.0, 0.0), "ba"), 0, (1.0, 1.0)),
        (result(0, (3.0, 2.0)), result(0, (4.0, 0.0), "ba"), 1, (1.0, 1.0)),
        (result(None), result(None, names="ba"), None, (1.0, 1.0)),
    ],
)
def test_two_legs_are_decided_by_points_and_then_by_scores(
    first: MatchResult, second: MatchResult, winner: int | None, points: tuple[float, float]
) -> None:
    legs = decide(first, second)
    assert (legs.winner, legs.points, legs.names) == (winner, points, ("a", "b"))
    assert legs.to_document()["points"] == points


def test_a_void_leg_does_not_count() -> None:
    void = MatchResult(
        tuple(PlayerResult("void", name, score=score) for name, score in zip("ab", (9.0, 0.0), strict=True)),
        Outcome(None, "host_late"),
    )
    drawn = result(None, (1.0, 1.0), "ba")
    legs = decide(void, drawn)
    assert (legs.winner, legs.points, legs.scores, legs.void) == (None, (0.5, 0.5), (1.0, 1.0), (1,))
    legs = decide(drawn, void)
    assert (legs.winner, legs.points, legs.scores, legs.void) == (None, (0.5, 0.5), (1.0, 1.0), (2,))
    assert decide(void, result(0, (1.0, 8.0), "ba")).winner == 1
    legs = decide(void, void)
    assert (legs.winner, legs.points, legs.scores, legs.void) == (None, (0.0, 0.0), (0.0, 0.0), (1, 2))
    assert [void.margin(seat) for seat in (0, 1)] == [0.0, 0.0]
    assert [one.headline(("a", "b")) for one in (void, drawn, result(1))] == ["No result", "A draw", "b wins"]


def test_endings_in_words() -> None:
    assert ending_and_place("won", "") == "won"
    assert ending_and_place("lost", "2nd of 3") == "2nd of 3"
    assert ending_and_place("crashed", "3rd of 3") == "crashed, 3rd of 3"


@pytest.mark.promise("own-dice")
def test_every_bot_has_a_seed_of_its_own_in_every_leg() -> None:
    seeds = {replace(Job("saloon", SEATS, seed=3), leg=leg).bot_seed(player) for leg in (0, 1) for player in (0, 1)}
    assert len(seeds) == 4
    assert {len(seed) for seed in seeds} == {32}


def test_more_memory_lets_processes_map_more() -> None:
    limits = changed_limits({"memory": "2 GiB", "processes": 7})
    assert (limits.memory, limits.processes) == (2 << 30, 7)
    assert limits.address_space >= 2 * limits.private_memory > limits.memory
    assert changed_limits({"memory": 2 << 30, "private_memory": "1 GiB"}).private_memory == 1 << 30
    assert changed_limits({}) == Limits()


def test_penalties_for_failing_programs() -> None:
    policy = Policy(crash="void")
    assert policy_voids(policy, "crashed")
    assert not policy_voids(policy, "no_start")
    assert not policy_voids(policy, "timed_out")
    assert policy.to_document()["crash"] == "void"
    assert "no_start" not in policy.to_document()


def test_a_reason_is_written_in_words() -> None:
    assert reason_in_words("out_of_reach/score") == "out of reach, by score"
    assert reason_in_words("last_snake") == "last snake"


def test_only_a_remote_bot_with_a_name_has_an_identity() -> None:
    assert SeatAssignment("remote", "red").identity == remote_identity("red") != remote_identity("blue")
    assert SeatAssignment("remote", "").identity == SeatAssignment("builtin:a", "red").identity == ""


@pytest.mark.parametrize(
    ("ending", "verdict", "column"),
    [
        ("won", "won", "won"),
        ("drawn", "drawn", "drawn"),
        ("lost", "lost", "lost_by_play"),
        ("resigned", "lost", "lost_by_form"),
        ("crashed", "drawn", "lost_by_form"),
        ("finished", "finished", "finished"),
        ("void", "lost", "void"),
    ],
)
def test_a_match_counts_in_one_column(ending: str, verdict: str, column: str) -> None:
    assert column_of(ending, verdict) == column
