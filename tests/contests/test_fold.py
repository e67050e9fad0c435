"""Everything about a contest is a fold of its journal: tables, acts, what is held back, what is undone."""

import copy
import itertools
import random
import shutil
from dataclasses import replace

import pytest
from contests_toys import (
    add_team,
    add_version,
    anchor,
    do,
    ladder_bytes,
    opened,
    player,
    pointed_result,
    record,
    result_of,
    void_result,
    write_config,
)

from arena.contests import entries
from arena.contests.journal.chain import DamagedJournalError, chained
from arena.contests.journal.store import now
from arena.contests.ladder.board import Board
from arena.contests.ladder.encounters import pair, specs_of
from arena.contests.ladder.matchmaking import next_players
from arena.contests.people.organizer_acts import public_log
from arena.contests.people.team_actions import activate, challenge
from arena.contests.ratings.skill import SIGMA
from arena.contests.report.visible_contest import VisibleContest
from arena.contests.state import Contest
from arena.contests.suspicions import alike, improbable_pairs, twins
from arena.contests.values import LadderEncounter
from arena.contests.visibility import visibility_of
from arena.errors import ArenaError

TEAMS = ("Red", "Blue", "Green")


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A season with three teams and 30 results; each test gets a copy."""
    folder = tmp_path_factory.mktemp("played")
    with opened(write_config(folder)) as season:
        for team in TEAMS:
            add_team(season, team)
            add_version(season, team)
        rng = random.Random(7)
        for _ in range(30):
            one, other = rng.sample(TEAMS, 2)
            record(season, player(season, one), player(season, other), points=rng.choice([(1.0, 0.0), (0.0, 1.0)]))
    return folder


@pytest.fixture
def season(played, tmp_path):
    shutil.copytree(played, tmp_path / "copy")
    with opened(tmp_path / "copy" / "contest.toml") as season:
        yield season


MATCH = "match"


def test_a_repeated_match_counts_instead_of_the_first(season):
    first = next(one for one in season.state.played.values())
    number = do(season, "replay", first.id)
    encounter = next(iter(season.state.encounters.newest()))
    assert (encounter.kind, encounter.players, encounter.act) == ("replay", first.players, number)
    assert not season.state.counts(first)
    do(season, "undo", number)
    assert season.state.counts(first)
    assert number in season.state.undone


@pytest.mark.parametrize(
    "steps",
    [
        [("hold", 0), ("play", 0), ("release 2", 2), ("release", None)],
        [("hold", 0), ("play", 0), ("release 1", 1), ("undo hold", None), ("hold", 6)],
        [("hold", 0), ("play", 0), ("release", None), ("hold", 6), ("undo release", 0)],
        [("hold", 0), ("play", 0), ("release 2", 2), ("release 3", 5), ("undo release 2", 3), ("release 1", 4),
         ("undo release 3", 1), ("release", None), ("hold", 6), ("play", 6), ("release 1", 7), ("undo release", 2)],
    ],
)  # fmt: skip
def test_results_are_held_back_until_they_are_released(season, steps):
    """After each step, so many of the results of this test are public; None are all, of which none is held back."""
    first, known, acts, held = len(season.state.played), ladder_bytes(season, everything=False), {}, []
    for step, limit in steps:
        kind, _, more = step.partition(" ")
        if kind == "play":
            held += [record(season, player(season, "Red"), player(season, "Green")) for _ in range(6)]
        else:
            acts[step] = do(season, kind, acts.get(more, ""), count=more if kind == "release" else "")
        assert season.state.orders.limit == (None if limit is None else first + limit)
        shown = [visibility_of(season.state).shows(season.state.played[one]) for one in held]
        assert shown == [limit is None or place < limit for place in range(len(held))]
        assert (ladder_bytes(season, everything=False) == known) == (limit == 0 or not held)
        assert (ladder_bytes(season, everything=False) == ladder_bytes(season)) == (limit is None or limit >= len(held))
        if limit is None:
            with pytest.raises(ArenaError, match="No results are held back"):
                do(season, "release")


def test_a_void_match_changes_no_table_until_an_organizer_gives_it_a_result(season):
    known = ladder_bytes(season), ladder_bytes(season, everything=False)
    ladder = season.board(everything=True)
    pairs, rated = copy.deepcopy(ladder.pairs), ladder.rated.copy()
    match = record(season, player(season, "Red"), player(season, "Blue"), result=void_result())
    assert (ladder_bytes(season), ladder_bytes(season, everything=False)) == known
    ladder = season.board(everything=True)
    assert (ladder.pairs, ladder.rated) == (pairs, rated)
    number = do(season, "correct", match, points="1 0")
    assert ladder_bytes(season) != known[0]
    do(season, "undo", number)
    assert ladder_bytes(season) == known[0]


def test_a_new_version_starts_from_its_team_with_more_uncertainty(season):
    before = season.board(everything=True).skills["Red"]
    add_version(season, "Red")
    after = season.board(everything=True).skills["Red"]
    assert after.mu == before.mu
    assert before.sigma < after.sigma <= SIGMA


@pytest.mark.promise("lucky-versions")
def test_a_version_that_is_active_again_has_the_skill_of_its_team_now(season):
    lucky = season.board(everything=True).skills["Red"]
    add_version(season, "Red")
    for _ in range(6):
        record(season, player(season, "Red"), player(season, "Blue"), points=(0.0, 1.0))
    before = season.board(everything=True).skills["Red"]
    assert before.mu < lucky.mu
    first = season.state.version("Red", 1)
    activate(season, first)
    after = season.board(everything=True).skills["Red"]
    assert season.state.active("Red") is first
    assert after.mu == before.mu
    assert after.sigma > before.sigma


def test_a_match_that_ends_after_a_change_of_versions_counts_for_the_team(season):
    losing = player(season, "Red")
    add_version(season, "Red")
    before = season.board(everything=True).skills["Red"]
    record(season, losing, player(season, "Blue"), points=(0.0, 1.0))
    assert season.board(everything=True).skills["Red"].mu < before.mu


def test_a_disqualified_version_is_replaced_by_the_one_before(season):
    add_version(season, "Red")
    number = do(season, "disqualify", "Red/2")
    assert season.state.active("Red").number == 1
    with pytest.raises(ArenaError, match="disqualified"):
        activate(season, season.state.version("Red", 2))
    do(season, "undo", number)
    assert season.state.active("Red").number == 2


def test_frozen_versions_cannot_be_activated(season):
    add_version(season, "Red", active=False)
    do(season, "freeze")
    with pytest.raises(ArenaError, match="frozen"):
        activate(season, season.state.version("Red", 2))


def test_anchors_never_change(season):
    name, _ = anchor(season)
    before = season.board(everything=True).skills[name]
    record(season, player(season, "Red"), anchor(season))
    assert season.board(everything=True).skills[name] == before


def test_another_skill_of_an_anchor_counts_for_all_results(season):
    name, _ = anchor(season)
    record(season, player(season, "Red"), anchor(season))
    before = season.board(everything=True).skills
    skills = {season.state.id_of(one): skill + 10 for one, skill in season.state.anchors.items()}
    season.write(("", entries.Config(settings=season.config.stored(), anchors=skills, at=now())))
    after = season.board(everything=True).skills
    assert after[name].mu == before[name].mu + 10
    assert after["Red"].mu > before["Red"].mu, "it has won against a stronger bot"


def test_equal_files_of_two_teams_are_flagged(season):
    one = add_version(season, "Red", content="f" * 64)
    two = add_version(season, "Blue", content="f" * 64)
    assert twins(season.state, lambda version: False) == [[one, two]], "once, not from both sides"
    assert twins(season.state, lambda version: True) == []


def test_challenges_are_not_rated_and_have_a_quota(season):
    known = ladder_bytes(season)
    for _ in range(season.config.visible.challenges_per_day):
        challenge(season, "Red", "Blue")
    with pytest.raises(ArenaError, match="challenges of 24 hours"):
        challenge(season, "Red", "Blue")
    record(season, player(season, "Red"), player(season, "Blue"), kind="challenge", team="Red")
    assert ladder_bytes(season) == known


@pytest.mark.parametrize(
    ("kind", "subject", "more", "message"),
    [
        ("void", "x", {}, "no match"),
        ("correct", MATCH, {"points": "2 0"}, "2 numbers from 0 to 1"),
        ("correct", MATCH, {"points": "a"}, "2 numbers from 0 to 1"),
        ("disqualify", "Red/9", {}, "no version"),
        ("disqualify", "Nobody", {}, "no team"),
        ("undo", "1", {}, "no act"),
        ("undo", "x", {}, "no act"),
        ("rule", "", {}, "does not exist"),
        ("pause", "", {"reason": " "}, "Give a reason"),
        ("pause", "", {"reason": "x" * 501}, "Give a reason"),
    ],
)
def test_impossible_acts_write_nothing(season, kind, subject, more, message):
    subject = next(iter(season.state.played)) if subject is MATCH else subject
    before = season.state.number
    with pytest.raises(ArenaError, match=message):
        do(season, kind, subject, **more)
    assert season.state.number == before


def test_pairing_gives_each_team_a_fair_share_and_new_versions_more(season):
    board, shares = season.board(everything=True), []
    for _ in range(45):
        players = next_players(board, shares[-2 * 12 :], 2, 0)
        shares += players
        record(season, *players, points=random.Random(len(shares)).choice([(1.0, 0.0), (0.0, 1.0)]))
        board = season.board(everything=True)
    counts = [sum(name == team for name, _ in shares) for team in TEAMS]
    assert min(counts) > 0
    assert max(counts) - min(counts) <= 4
    assert any(name not in TEAMS for name, _ in shares), "the built-in bots play as well"


def test_versions_rest_after_their_matches(season):
    assert next_players(season.board(everything=True), [], 2, 5) == ()
    assert next_players(Board(season.state), [], 2, 0) == ()


def test_a_changed_configuration_is_recorded(tmp_path):
    path = write_config(tmp_path)
    with opened(path):
        pass
    path = write_config(tmp_path, ("per_day = 20", "per_day = 3"))
    with opened(path) as season:
        assert season.state.settings.people.per_day == 3
        number = season.state.number
    with opened(path) as season:
        assert season.state.number == number


def test_a_player_with_several_seats_has_distinct_names_in_the_match_and_one_in_the_tables(tmp_path):
    with opened(write_config(tmp_path, game="snakes")) as season:
        add_team(season, "Red")
        add_version(season, "Red")
        weak = anchor(season)
        match = record(season, player(season, "Red"), weak, weak, points=(1.0, 0.0, 0.0), kind="trial", team="Red")
        spec = season.state.played[match].spec
        assert spec.names == ("Red", weak[0], f"{weak[0]} (2)")
        assert season.state.played[match].players == (player(season, "Red"), weak, weak)


HANDED = {"hash": "a" * 64, "path": "", "at": ""}


@pytest.mark.parametrize("change", [{"path": "/etc"}, {"hash": "../..", "path": "bots/../.."}, {"path": "../x"}])
@pytest.mark.promise("journal-paths")
def test_paths_of_a_strangers_journal_stay_in_its_folder(tmp_path, change):
    state = Contest(tmp_path)
    entered = entries.Entered(team=True, groups=[], at="")
    written = [("e1", entered), ("e1/1", entries.Handed(**HANDED | change))]
    *known, strange = chained([(document.kind, key, entries.text_of(document)) for key, document in written])
    for entry in known:
        state.add(entry)
    with pytest.raises(DamagedJournalError, match="cannot be read at"):
        state.add(strange)


def test_versions_that_play_alike_and_improbable_pairs_are_found(season):
    def tried(team, course):
        version = add_version(season, team)
        result = replace(pointed_result((1.0, 0.0)), course=course)
        match = record(season, version.player, anchor(season), kind="trial", team=team, result=result)
        key = f"{season.state.id_of(team)}/{version.number}"
        season.write((key, entries.Checked(passed=True, match=match, at=now(), seconds=1.0)))
        return season.state.version(team, version.number)

    one, other, _ = tried("Red", "same"), tried("Blue", "same"), tried("Green", "different")
    assert alike(season.state, lambda version: False) == [[one, other]]
    assert alike(season.state, lambda version: version == other) == []
    assert improbable_pairs(season.snapshot) == []
    others = ("White", "Black", "Grey")
    for team in others:
        add_team(season, team)
        add_version(season, team)
    for turn in range(40):
        record(season, player(season, "Red"), player(season, "Blue"))
        for one, other in itertools.product(("Red", "Blue"), ("Green", *others)) if turn < 10 else ():
            record(season, player(season, one), player(season, other), points=(turn % 2, 1 - turn % 2))
    ((winner, loser, met),) = improbable_pairs(season.snapshot)
    assert (winner, loser) == ("Red", "Blue")
    assert met.points > 38 > 32 > met.expected


def test_all_first_matches_have_the_same_seed_and_others_do_not(season):
    seeds = {
        kind: {
            specs_of(season.state, LadderEncounter(number, kind, (player(season, "Red"),) * 2, 1, ""))[0].seed
            for number in range(9)
        }
        for kind in ("trial", "ladder")
    }
    assert [len(one) for one in seeds.values()] == [1, 9]


def test_acts_about_held_results_leave_no_gaps_in_the_public_log(season):
    do(season, "hold")
    for one in (0, 1):
        held = record(season, player(season, TEAMS[0]), player(season, TEAMS[1]))
        first = do(season, "void", held, reason=f"secret {one}")
    last = do(season, "pause")
    do(season, "undo", last)
    do(season, "undo", first)
    public, all_acts = public_log(season.state), public_log(season.state, everything=True)
    assert [one["text"] for one in public] == ["undid the act: paused the ladder", "paused the ladder",
                                               "held back new results"]  # fmt: skip
    assert {one["id"] for one in public} == {""}
    assert {one["id"] for one in all_acts} == {f"a{number}" for number in range(1, 7)}
    assert all_acts[1]["text"] == f"undid {last}"
    do(season, "release")
    assert public_log(season.state) == public_log(season.state, everything=True)


def test_the_seed_of_an_encounter_is_shown_after_all_its_results_are_released(season):
    players = player(season, TEAMS[0]), player(season, TEAMS[1])
    season.write(pair(season.state, "ladder", players, 2))
    first, second = specs_of(season.state, next(season.state.encounters.newest()))
    assert first.seed == second.seed

    def spent():
        return VisibleContest.of(season.state).seed_is_spent(first)

    season.commit(first, result_of(0))
    assert not spent(), "a match is left to play"
    do(season, "hold")
    season.commit(second, result_of(0))
    assert not spent(), "it is over, but its result is held back"
    assert VisibleContest.of(season.state, everything=True).seed_is_spent(first)
    do(season, "release")
    assert spent()
