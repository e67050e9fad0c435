"""Formats over all sizes: who meets whom, how often, and who is out."""

import math
import random
from collections import Counter
from itertools import combinations

import pytest
from contests_toys import (
    begin,
    by_strength,
    crashing,
    do,
    finished,
    in_memory,
    play,
    played,
    result_of,
    run_of,
    stage_played,
    tables,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.contests.config import PairingRules, StageConfig
from arena.contests.stages.elimination import first_column, rank_losses
from arena.contests.stages.encounters import Encounter
from arena.contests.stages.groups import divide, group_name
from arena.contests.stages.series import Series
from arena.match.spec import MatchSpec

SIZES = st.integers(2, 40)
SEEDS = st.integers(0, 10**6)
DRAWS = st.sampled_from([0.0, 0.3, 1.0])


def decide_with(draws, seed):
    return lambda spec: by_strength(spec, draws, seed)


def begun(size, stage, **settings):
    """A stage that has begun: the contest, and the matches of all rounds that can be paired without results."""
    contest = in_memory(size, stage, **settings)
    return contest, begin(contest)


def surpluses(specs):
    """The most that anybody has had more games in one seat than in the other, after the last match."""
    surplus = Counter(spec.names[0] for spec in specs)
    surplus.subtract(spec.names[1] for spec in specs)
    return max(map(abs, surplus.values()))


def losses_by_player(results):
    return Counter(v.loser_name for v in results if v.loser_name and v.encounter.section != "third")


@pytest.mark.slow
@pytest.mark.parametrize("size", [*range(2, 12), 16, 33])
def test_round_robin_has_everybody_meet_everybody_once_in_balanced_seats(size):
    for cycles in (1, 2, 3) if size < 20 else (1,):
        contest, specs = begun(size, StageConfig("all", "round_robin", games=1, rounds=cycles))
        assert Counter(frozenset(spec.names) for spec in specs) == {
            frozenset(pair): cycles for pair in combinations(contest.state.entrants, 2)
        }
        for number in {spec.round for spec in specs}:
            players = [name for spec in specs if spec.round == number for name in spec.names]
            assert len(players) == len(set(players)) == size - size % 2
        assert surpluses(specs) <= 1


def test_pairs_swap_seats_on_one_seed_and_map():
    stage = StageConfig("all", "round_robin", games=4, rounds=2)
    _, specs = begun(4, stage, maps=("a", "b", "c"))
    pairs = {}
    for spec in specs:
        pairs.setdefault((spec.round, spec.pairing, spec.number // 2), []).append(spec)
    for one, other in pairs.values():
        assert one.names == other.names[::-1]
        assert (one.seed, one.map) == (other.seed, other.map)
    assert len({pair[0].seed for pair in pairs.values()}) == len(pairs)
    assert {spec.map for spec in specs} == {"a", "b", "c"}


def test_seeds_cannot_be_derived_without_the_secret():
    one, other = (begun(4, StageConfig("all", "round_robin"), seed=seed)[1] for seed in ("secret", "another"))
    assert {spec.seed for spec in one}.isdisjoint({spec.seed for spec in other})


@given(size=SIZES, champions=st.integers(0, 3), seed=SEEDS)
@settings(max_examples=15, deadline=None)
def test_gauntlet_is_champions_against_others(size, champions, seed):
    names = list(in_memory(size).state.entrants)
    chosen = tuple(random.Random(seed).sample(names, min(champions, size - 1)))
    _, specs = begun(size, StageConfig("g", "gauntlet", champions=chosen, rounds=2, games=1))
    run = set(chosen) or {names[0]}
    meetings = Counter(frozenset(spec.names) for spec in specs)
    assert set(meetings) == {frozenset((one, other)) for one in run for other in set(names) - run}
    assert set(meetings.values()) <= {2}
    assert surpluses(specs) <= 1


@pytest.mark.slow
@given(size=SIZES, seed=SEEDS, draws=DRAWS, rounds=st.integers(1, 9))
@settings(max_examples=30, deadline=None)
def test_swiss_never_repeats_before_it_is_forced_and_balances_seats(size, seed, draws, rounds):
    stage = StageConfig("swiss", "swiss", rounds=rounds, games=1)
    contest = played(size, stage, result=decide_with(draws, seed))
    assert finished(contest)
    run = run_of(contest)
    encounters = [result.encounter for result in run.decided()]
    for number in range(1, rounds + 1):
        players = [name for one in encounters if one.round == number for name in one.players]
        assert sorted(players) == sorted(run.names)
        assert sum(one.is_bye for one in encounters if one.round == number) == size % 2
        if 3 * rounds <= size:
            assert surpluses([spec for spec, _ in run.matches() if spec.round <= number]) <= 1
    meetings = Counter(frozenset(one.players) for one in encounters if not one.is_bye)
    byes = Counter(one.players[0] for one in encounters if one.is_bye)
    if 2 * rounds <= size:
        # A graph in which everybody has at least half the others left always has a perfect matching (Dirac).
        assert max(meetings.values()) == 1
        assert max(byes.values(), default=0) <= 1


@pytest.mark.parametrize("size", [*range(2, 20), 32, 33, 63, 64, 127, 128])
def test_byes_go_to_the_best_seeds_and_the_first_two_can_meet_only_in_the_final(size):
    names = [f"b{number}" for number in range(size)]
    column = first_column(names)
    pairs = list(zip(column[::2], column[1::2], strict=True))
    with_bye = {one or other for one, other in pairs if one is None or other is None}
    assert (None, None) not in pairs
    assert sorted(filter(None, column)) == sorted(names)
    assert with_bye == set(names[: len(column) - size])
    assert column.index("b0") < len(column) // 2 <= column.index("b1")
    for one, other in pairs:
        assert None in (one, other) or names.index(one) + names.index(other) == len(column) - 1


@given(size=SIZES, seed=SEEDS, draws=DRAWS, best_of=st.integers(1, 5), third=st.booleans())
@settings(max_examples=15, deadline=None)
def test_single_elimination_has_one_champion(size, seed, draws, best_of, third):
    stage = StageConfig("cup", "single_elimination", best_of=best_of, third_place=third)
    contest = played(size, stage, result=decide_with(draws, seed), rng=random.Random(seed))
    run = run_of(contest)
    main = [result for result in run.decided() if result.encounter.section == "W"]
    assert finished(contest)
    losses = losses_by_player(main)
    champion = main[-1].winner_name
    before = rank_losses(stage, run.names, [result for result in run.decided() if result is not main[-1]])
    assert {row.name for row in before[:2]} == {*main[-1].encounter.players}, "also after the match for third place"
    assert losses == dict.fromkeys(set(run.names) - {champion}, 1)
    assert max(result.encounter.round for result in main) == math.ceil(math.log2(size))
    rows = run.rank()
    assert rows[0].name == champion
    assert rows[0].explained.startswith("champion")
    assert sorted(row.name for row in rows) == sorted(run.names)
    assert rows[1].place == 2
    if third and size > 3:
        small_final = next(v for v in run.decided() if v.encounter.section == "third")
        assert [row.name for row in rows[2:4]] == [small_final.winner_name, small_final.loser_name]
        assert [row.place for row in rows[2:4]] == [3, 4]


@pytest.mark.slow
@given(size=SIZES, seed=SEEDS, draws=DRAWS, reset=st.booleans())
@settings(max_examples=15, deadline=None)
def test_double_elimination_takes_two_losses(size, seed, draws, reset):
    stage = StageConfig("cup", "double_elimination", best_of=1, reset=reset)
    contest = played(size, stage, result=decide_with(draws, seed), rng=random.Random(seed))
    run = run_of(contest)
    losses = losses_by_player(run.decided())
    rows = run.rank()
    champion = rows[0].name
    assert finished(contest)
    assert rows[0].explained.startswith("champion")
    assert losses[champion] <= 1
    others = [losses[name] for name in run.names if name != champion]
    finals = [result for result in run.decided() if result.encounter.section == "F"]
    if reset:
        assert set(others) == {2}
        # The grand final is played again exactly when it gave the first one a first loss.
        assert len(finals) == 1 + (finals[0].winner == 1)
    else:
        assert len(finals) == 1
        assert sorted(set(others)) in ([2], [1, 2], [1])
    assert rows[1].name in finals[-1].encounter.players
    assert rows[1].place == 2


@pytest.mark.parametrize("size", [8, 32, 64])
def test_double_elimination_avoids_early_rematches(size):
    results = stage_played(size, StageConfig("cup", "double_elimination", best_of=1), decide_with(0, 3)).decided()
    met = Counter()
    last = max(v.encounter.column for v in results if v.encounter.section == "L")
    for result in results:
        pair = frozenset(result.encounter.players)
        if result.encounter.section == "L" and result.encounter.column < min(last - 1, 4):
            assert met[pair] == 0, pair
        met[pair] += 1


@given(draws=st.lists(st.sampled_from([0, 1, None]), min_size=40, max_size=40), best_of=st.integers(1, 9))
@settings(max_examples=40, deadline=None)
def test_best_of_stops_exactly_when_it_is_decided(draws, best_of):
    results = iter(draws)
    stage = StageConfig("cup", "single_elimination", best_of=best_of, extra_pairs=0, sudden_death=0)
    state = {"lead": 0.0, "left": best_of}

    def decide(spec):
        assert abs(state["lead"]) <= state["left"], "a game was asked for that nobody needed"
        winner = next(results)
        state["left"] -= 1
        if winner is not None:
            state["lead"] += 1 if spec.names[winner] == "bot001" else -1
        return result_of(winner)

    assert finished(played(2, stage, result=decide))
    assert abs(state["lead"]) > state["left"] or state["left"] == 0


def test_two_legs_count_as_one_game_and_equal_legs_are_decided_by_scores():
    stage = StageConfig("all", "round_robin", games=1)
    # The first seat always wins; bot002 wins with more.
    contest = played(
        2, stage, legs=2,
        result=lambda spec: result_of(0, scores=(1010.0 if spec.names[0] == "bot002" else 1000.0, 0.0)),
    )  # fmt: skip
    [result] = run_of(contest).decided()
    assert len(contest.state.played) == 2
    assert dict(zip(result.encounter.players, result.points, strict=True)) == {"bot001": 0.0, "bot002": 1.0}
    assert result.played == 1
    [result] = stage_played(2, stage, lambda spec: result_of(0, scores=(1.0, 0.0)), legs=2).decided()
    assert (result.points, result.draws) == ((0.5, 0.5), 1)


def test_scores_of_a_void_match_decide_nothing():
    def decide(spec):
        if spec.number == 0:
            return result_of(None, ("void", "void"), scores=(9.0, 0.0), void="the host was late")
        return result_of(None, scores=(1.0, 1.0))

    stage = StageConfig("cup", "single_elimination", best_of=2, extra_pairs=1, sudden_death=0)
    for legs in (1, 2):
        [result] = stage_played(2, stage, decide, legs=legs).decided()
        assert (result.margin, result.decided) == ((0.0, 0.0), "seed")
        assert result.points[0] == result.points[1]


VOID = result_of(None, ("void", "void"), scores=(9.0, 0.0), void="the match has no result")
EVERY_FORMAT = [
    StageConfig("s", "round_robin", games=1),
    StageConfig("s", "round_robin", games=2),
    StageConfig("s", "gauntlet", games=2, champions=("bot001",)),
    StageConfig("s", "swiss", rounds=3, games=1),
    StageConfig("s", "groups", groups=2, games=2),
    StageConfig("s", "single_elimination", best_of=1),
    StageConfig("s", "double_elimination", best_of=3),
    StageConfig("s", "triple_elimination", best_of=2),
]


@pytest.mark.parametrize("legs", [1, 2])
@pytest.mark.parametrize("stage", EVERY_FORMAT, ids=lambda stage: f"{stage.format}-{stage.games}")
def test_a_void_match_is_in_no_column_of_any_format(stage, legs):
    def decide(spec):
        return VOID if "bot001" in spec.names and spec.number < legs else by_strength(spec)

    contest = played(6, stage, result=decide, legs=legs)
    assert finished(contest)
    games, matches = Counter(), run_of(contest).matches()
    for spec, result in matches:
        if result.has_verdict and spec.number % legs == 0:
            games.update(spec.names)
    assert any(not result.has_verdict for _, result in matches)
    for row in run_of(contest).rank():
        assert row.games == games[row.name] == row.wins + row.draws + row.losses
        assert legs == 2 or row.draws == 0


@pytest.mark.parametrize("legs", [1, 2])
def test_a_void_encounter_has_not_met_and_is_no_walkover(legs):
    stage = StageConfig("all", "round_robin", games=1, tiebreaks=("head_to_head", "buchholz", "seed"))
    run = stage_played(2, stage, lambda _: VOID, legs=legs)
    [result] = run.decided()
    assert (result.points, result.played, result.draws, result.winner) == ((0.0, 0.0), 0, 0, None)
    assert result.decided == "games"
    assert [(row.games, row.draws, row.losses, row.byes) for row in run.rank()] == [(0, 0, 0, 0)] * 2


@given(size=SIZES, groups=st.integers(1, 16))
@settings(max_examples=30, deadline=None)
def test_groups_are_even_and_hold_everybody(size, groups):
    names = [f"b{number}" for number in range(size)]
    divided = divide(names, groups)
    assert sorted(name for group in divided for name in group) == sorted(names)
    assert max(map(len, divided)) - min(map(len, divided)) <= 1
    assert min(map(len, divided)) >= 2


def test_names_of_groups():
    assert [group_name(index) for index in (0, 25, 26, 701, 702)] == ["A", "Z", "AA", "ZZ", "AAA"]


CHAINS = [
    (StageConfig("all", "round_robin"),),
    (StageConfig("swiss", "swiss", rounds=4), StageConfig("cup", "double_elimination", advance=4, best_of=3)),
    (StageConfig("groups", "groups", groups=3), StageConfig("cup", "single_elimination", advance=6, third_place=True)),
    (StageConfig("gauntlet", "gauntlet"), StageConfig("cup", "triple_elimination", advance=6)),
]


@pytest.mark.slow
@pytest.mark.parametrize("stages", CHAINS, ids=lambda stages: "-".join(stage.format for stage in stages))
@given(size=st.integers(4, 17), seed=SEEDS, suspend=st.integers(0, 3))
@settings(max_examples=6, deadline=None)
def test_neither_order_nor_restarts_change_anything(stages, size, seed, suspend):
    # A bot crashes often, so that suspensions fall into the middle of rounds that are being played.
    decide = crashing("bot003", decide_with(0.2, seed), lambda spec: random.Random(spec.match_id).random() < 0.7)
    straight = played(size, *stages, result=decide, suspend_after=suspend)
    rng = random.Random(seed)
    mixed = in_memory(size, *stages, suspend_after=suspend)
    while not finished(mixed):
        # What is running at a stop is played again, and gives the same result.
        assert play(mixed, decide, rng, most=rng.randrange(1, 40))
    assert tables(mixed) == tables(straight)


def test_a_suspended_bot_plays_no_more_and_its_opponents_win():
    decide = crashing("bot002", lambda _: result_of(0))
    contest = played(6, StageConfig("all", "round_robin"), result=decide, suspend_after=3)
    assert sum("bot002" in one.names for one in contest.state.played.values()) == 3
    assert "3 crashes in a row" in run_of(contest).suspended["bot002"]
    rows = {row.name: row for row in run_of(contest).rank()}
    assert rows["bot002"].points == 0
    assert sum(row.points for row in rows.values()) == 30


def test_nobody_withdrawn_or_suspended_advances():
    stages = (StageConfig("all", "round_robin", games=1), StageConfig("cup", "single_elimination", advance=3))
    contest = in_memory(7, *stages, suspend_after=2)
    decide = crashing("bot002", lambda spec: result_of(0 if spec.names[0] < spec.names[1] else 1),
                      lambda spec: spec.round > 4)  # fmt: skip
    play(contest, decide, most=8)
    do(contest, "withdraw", "bot001")
    play(contest, decide)
    assert run_of(contest, 1).names == ("bot003", "bot004", "bot005")


def test_match_ids_say_what_is_played():
    stage = StageConfig("all", "round_robin")
    specs, again, changed = (begun(4, stage, options=options)[1] for options in ((), (), (("turns", 3),)))
    assert len({spec.match_id for spec in specs}) == len(specs)
    assert [spec.match_id for spec in specs] == [spec.match_id for spec in again]
    assert {spec.match_id for spec in specs}.isdisjoint({spec.match_id for spec in changed})
    assert MatchSpec.from_document(specs[0].to_document()) == specs[0]


def test_a_knockout_pairing_of_two_absent_players_goes_to_the_better_seed():
    encounter = Encounter("all", 1, 0, ("bot001", "bot002"), 1, knockout=True)
    series = Series(encounter, ("bot002", "bot001"), frozenset(encounter.players), 0, 0, PairingRules())
    result = series.result()
    assert (encounter.players[result.winner], result.decided, result.played) == ("bot002", "walkover", 0)


@pytest.mark.parametrize("form", ["round_robin", "groups", "swiss", *(f"{n}_elimination" for n in ("single", "double",
                         "triple", "quadruple"))])  # fmt: skip
def test_nobody_plays_where_fewer_than_two_are_left(form):
    stage = StageConfig("all", form)
    assert begun(1, stage)[1] == []
    contest = in_memory(3, stage)
    play(contest, most=1)
    for name in ("bot001", "bot002"):
        do(contest, "withdraw", name)
    play(contest)
    assert finished(contest)
    assert {frozenset(one.names) for one in contest.state.played.values()} <= {
        frozenset(names) for names in combinations(contest.state.entrants, 2)
    }
