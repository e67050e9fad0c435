"""Pages read snapshots: each is the content of the journal up to one entry, whatever is written meanwhile."""

import copy
import random
import threading

import pytest
from contests_toys import (
    add_team,
    add_version,
    crashing,
    do,
    for_any,
    in_memory,
    play,
    record,
    result_of,
)

from arena.contests.append_only import AppendOnly
from arena.contests.config import StageConfig
from arena.contests.ladder.board import Board
from arena.contests.people import accounts
from arena.contests.people.organizer_acts import public_log
from arena.contests.people.team_actions import challenge
from arena.contests.state import Contest
from arena.contests.suspicions import alike, improbable_pairs
from arena.contests.values import RATED
from arena.contests.visibility import visibility_of

pytestmark = pytest.mark.slow

TEAMS = ("Red", "Blue", "Green")


@pytest.fixture
def contest(contest):
    for team in TEAMS:
        add_team(contest, team)
        add_version(contest, team)
    return contest


def a_result(contest, rng):
    one, other = (contest.state.active(team).player for team in rng.sample(TEAMS, 2))
    return record(
        contest, one, other, points=rng.choice([(1.0, 0.0), (0.0, 1.0)]), kind=rng.choice(["ladder", "challenge"])
    )


def shown(state):
    """What the pages take from a state."""
    teams = {
        team: ([one.id for one in state.newest(team)], state.active(team), state.versions.get(team)) for team in TEAMS
    }
    public = [one.id for one in state.newest() if visibility_of(state).shows(one)]
    counting = [one.id for one in state.played.values() if state.counts(one)]
    return copy.deepcopy((
        state.number, public, counting, teams, state.matches_left, state.encounters.values(), state.members,
        state.invitations, state.tokens, state.by_player, alike(state, lambda version: False),
        public_log(state), public_log(state, everything=True),
        state.orders,
    ))  # fmt: skip


def test_a_snapshot_never_changes(contest):
    rng = random.Random(1)
    matches = [a_result(contest, rng) for _ in range(10)]
    rated = [one for one in matches if contest.state.played[one].is_rated]
    before = contest.snapshot
    known = shown(before.state), copy.deepcopy((before.rows, before.all_rows, before.pairs))
    hold = do(contest, "hold")
    for _ in range(10):
        a_result(contest, rng)
    challenge(contest, "Red", "Blue")
    add_version(contest, "Red")
    add_version(contest, "Blue", content="f" * 64)
    add_version(contest, "Green", content="f" * 64, active=False)
    _, token = add_team(contest, "White")
    accounts.revoke(contest, accounts.member_of_token(contest, token)[0].id)
    do(contest, "void", rated[0])
    do(contest, "correct", rated[1], points="0.5 0.5")
    do(contest, "disqualify", "Green")
    do(contest, "announce")
    do(contest, "undo", hold)
    assert shown(contest.snapshot.state) != known[0]
    assert contest.snapshot.rows != known[1][0]
    assert (shown(before.state), (before.rows, before.all_rows, before.pairs)) == known


def test_a_snapshot_has_no_conflict_of_a_later_match(contest):
    before = contest.snapshot.state
    match = contest.state.played[a_result(contest, random.Random(1))]
    contest.commit(match.spec, result_of(1 - int(match.points[1] > match.points[0])))
    assert contest.state.conflicts == [match.id]
    assert not before.conflicts, "a page looks up the matches of conflicts"


def test_each_snapshot_is_the_journal_up_to_an_entry(contest):
    found, ended = {}, threading.Event()

    def read():
        while not ended.is_set():
            snapshot = contest.snapshot
            number = snapshot.state.number
            if number not in found:
                found[number] = shown(snapshot.state), snapshot.rows, snapshot.all_rows, improbable_pairs(snapshot)

    contest.snapshot  # noqa: B018 - from now on, each write makes one
    reader = threading.Thread(target=read)
    reader.start()
    rng, acts = random.Random(2), []
    try:
        for turn in range(60):
            match = a_result(contest, rng)
            if turn % 7 == 3:
                acts.append(
                    do(contest, "void", match) if contest.state.played[match].is_rated else do(contest, "announce")
                )
            if turn % 11 == 5:
                held = contest.state.orders.limit is not None
                acts.append(do(contest, "release", count=rng.choice(["", "1", "3"])) if held else do(contest, "hold"))
            if turn % 13 == 8:
                do(contest, "undo", acts.pop(rng.randrange(len(acts))))
            if turn % 17 == 9:
                add_version(contest, rng.choice(TEAMS))
    finally:
        ended.set()
        reader.join()
    assert len(found) > 15
    assert any(rows is not whole and rows != whole for _, rows, whole, _ in found.values()), "results were held back"
    state = Contest(contest.folder)
    for entry in contest._journal.entries():
        state.add(entry)
        if entry.number in found:
            content, rows, whole, pairs = found[entry.number]
            assert content == shown(state)
            board, public = Board(state), Board(state)
            board.advance()
            public.advance(state.orders.limit)
            assert (whole, rows) == (board.table(), public.table())
            assert [(one.winner, one.loser, one.matches) for one in pairs] == [
                (one, other, met.count) for one, other, met in board.pairs.improbable()
            ]
            held = [one for one in state.played.values() if one.kind in RATED and not visibility_of(state).shows(one)]
            assert not {one.id for one in held} & {*content[1]}


def test_a_copy_of_an_append_only_mapping_has_what_was_there():
    growing = AppendOnly()
    growing.add("a", 1)
    before = copy.copy(growing)
    growing.add("b", 2)
    assert ([*before], before.values(), len(before), [*before.newest()]) == (["a"], [1], 1, [1])
    assert ("b" in before, before.get("b"), "b" in growing, growing["b"]) == (False, None, True, 2)
    with pytest.raises(KeyError):
        before["b"]
    with pytest.raises(ValueError, match="a was added before"):
        growing.add("a", 3)
    assert before == copy.copy(before) != growing


@pytest.mark.parametrize("form", ["swiss", "triple_elimination", "round_robin"])
def test_copies_of_stages_never_change_and_a_snapshot_can_compute_them(form):
    contest, rng, taken = in_memory(6, StageConfig("all", form, rounds=4), suspend_after=2), random.Random(form), []

    def meaning(run):
        return run.rank(), run.matches(), run.uncounted(), {**run.suspended}, [*run.rounds], run.decided()

    def look(contest):
        run = contest.state.stages["all"]
        taken.append((run.until_now(), contest.snapshot.state, meaning(run)))

    play(contest, crashing("bot003", for_any, lambda spec: spec.round > 1), rng, then=look)
    assert len(taken) >= 20
    for copied, state, then in taken:
        assert meaning(copied) == then
        assert meaning(state.stages_with()["all"]) == then
