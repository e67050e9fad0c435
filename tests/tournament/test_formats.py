"""Formats over all sizes: who meets whom, how often, and who is out."""

import math
import random
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tournament_toys import by_strength, play, result_of, tournament_of

from arena.ratings.skill import Skill
from arena.tournament.plan.config import PairingRules, StageConfig
from arena.tournament.plan.encounters import Encounter, EncounterResult, RoundResult
from arena.tournament.plan.formats.elimination import first_column, seed_order
from arena.tournament.plan.formats.groups import divide, group_name
from arena.tournament.plan.formats.ladder import LadderState, ladder
from arena.tournament.plan.schedule import Schedule, next_matches, slot_of
from arena.tournament.plan.series import Series

SIZES = st.integers(2, 128)
SEEDS = st.integers(0, 10**6)
DRAWS = st.sampled_from([0.0, 0.3, 1.0])


def decide_with(draws, seed):
    return lambda spec: by_strength(spec, draws, seed)


def losses_by_player(results):
    return Counter(v.loser_name for v in results if v.loser_name and v.encounter.section != "third")


ROUND_ROBINS = {*range(2, 34), 63, 64, 101, 128}
LONG_ROUND_ROBINS = [pytest.param(size, marks=pytest.mark.kill) for size in range(34, 128) if size not in ROUND_ROBINS]


@pytest.mark.slow
@pytest.mark.parametrize("size", [*sorted(ROUND_ROBINS), *LONG_ROUND_ROBINS])
def test_round_robin_has_everybody_meet_everybody_once(size):
    schedule = Schedule(tournament_of(size, StageConfig("all", "round_robin", games=1)))
    specs = schedule.take()
    assert Counter(frozenset(spec.names) for spec in specs) == {
        frozenset(pair): 1 for pair in combinations(schedule.tournament.names, 2)
    }
    for number in {spec.round for spec in specs}:
        players = [name for spec in specs if spec.round == number for name in spec.names]
        assert len(players) == len(set(players)) == size - size % 2
    first = Counter(spec.names[0] for spec in specs)
    assert max(first.values()) - min(first[name] for name in schedule.tournament.names) <= 2


def test_pairs_swap_seats_on_one_seed_and_map():
    stage = StageConfig("all", "round_robin", games=4, rounds=2)
    specs = Schedule(tournament_of(4, stage, maps=("a", "b", "c"))).take()
    pairs = {}
    for spec in specs:
        pairs.setdefault((spec.round, spec.pairing, spec.number // 2), []).append(spec)
    for one, other in pairs.values():
        assert one.names == other.names[::-1]
        assert (one.seed, one.map) == (other.seed, other.map)
    assert len({pair[0].seed for pair in pairs.values()}) == len(pairs)
    assert {spec.map for spec in specs} == {"a", "b", "c"}


def test_seeds_cannot_be_derived_without_the_secret():
    from dataclasses import replace

    tournament = tournament_of(4, StageConfig("all", "round_robin"))
    one = Schedule(tournament).take()
    other = Schedule(replace(tournament, secret="another")).take()
    assert {spec.seed for spec in one}.isdisjoint({spec.seed for spec in other})


@given(size=SIZES, champions=st.integers(0, 3), seed=SEEDS)
@settings(max_examples=30, deadline=None)
def test_gauntlet_is_champions_against_others(size, champions, seed):
    names = tournament_of(size).names
    chosen = tuple(random.Random(seed).sample(names, min(champions, size - 1)))
    specs = Schedule(tournament_of(size, StageConfig("g", "gauntlet", champions=chosen, rounds=2, games=1))).take()
    run = set(chosen) or {names[0]}
    meetings = Counter(frozenset(spec.names) for spec in specs)
    assert set(meetings) == {frozenset((one, other)) for one in run for other in set(names) - run}
    assert set(meetings.values()) <= {2}


@pytest.mark.slow
@given(size=SIZES, seed=SEEDS, draws=DRAWS, rounds=st.integers(1, 9))
@settings(max_examples=40, deadline=None)
def test_swiss_never_repeats_before_it_is_forced(size, seed, draws, rounds):
    stage = StageConfig("swiss", "swiss", rounds=rounds, games=1)
    schedule, _ = play(tournament_of(size, stage), decide_with(draws, seed))
    assert schedule.finished
    encounters = [result.encounter for result in schedule.stages[0].results]
    for number in range(1, rounds + 1):
        players = [name for one in encounters if one.round == number for name in one.players]
        assert sorted(players) == sorted(schedule.tournament.names)
        assert sum(one.is_bye for one in encounters if one.round == number) == size % 2
    meetings = Counter(frozenset(one.players) for one in encounters if not one.is_bye)
    byes = Counter(one.players[0] for one in encounters if one.is_bye)
    if 2 * rounds <= size:
        # A graph in which everybody has at least half the others left always has a perfect matching (Dirac).
        assert max(meetings.values()) == 1
        assert max(byes.values(), default=0) <= 1


@given(size=st.integers(4, 40), seed=SEEDS, data=st.data())
@settings(max_examples=40, deadline=None)
def test_swiss_with_late_entries_and_withdrawals(size, seed, data):
    names = tournament_of(size).names
    late = data.draw(st.dictionaries(st.sampled_from(names), st.integers(2, 4), max_size=size // 3))
    gone = data.draw(st.dictionaries(st.sampled_from(names), st.integers(1, 5), max_size=size // 3))
    stage = StageConfig(
        "swiss", "swiss", rounds=5, late=tuple(sorted(late.items())), withdrawn=tuple(sorted(gone.items()))
    )
    schedule, _ = play(tournament_of(size, stage), decide_with(0.2, seed), random.Random(seed))
    assert schedule.finished
    for number in range(1, 6):
        playing = sorted(
            name
            for result in schedule.stages[0].results
            if result.encounter.round == number
            for name in result.encounter.players
        )
        expected = sorted(n for n in names if late.get(n, 1) <= number < gone.get(n, 99))
        assert playing == (expected if len(expected) > 1 else [])


@pytest.mark.parametrize("size", [2, 4, 8, 16, 32, 64, 128])
def test_the_first_two_seeds_can_meet_only_in_the_final(size):
    order = seed_order(size)
    assert sorted(order) == list(range(size))
    assert order.index(0) < size // 2 <= order.index(1)
    for one, other in zip(order[::2], order[1::2], strict=True):
        assert one + other == size - 1


@pytest.mark.parametrize("size", range(2, 129))
def test_byes_go_to_the_best_seeds_and_never_meet(size):
    names = [f"b{number}" for number in range(size)]
    column = first_column(names)
    pairs = list(zip(column[::2], column[1::2], strict=True))
    with_bye = {one or other for one, other in pairs if one is None or other is None}
    assert (None, None) not in pairs
    assert with_bye == set(names[: len(column) - size])


@given(size=SIZES, seed=SEEDS, draws=DRAWS, best_of=st.integers(1, 5), third=st.booleans())
@settings(max_examples=50, deadline=None)
def test_single_elimination_has_one_champion(size, seed, draws, best_of, third):
    stage = StageConfig("cup", "single_elimination", best_of=best_of, third_place=third)
    schedule, _ = play(tournament_of(size, stage), decide_with(draws, seed), random.Random(seed))
    run = schedule.stages[0]
    main = [result for result in run.results if result.encounter.section == "W"]
    assert schedule.finished
    losses = losses_by_player(main)
    champion = main[-1].winner_name
    assert losses == dict.fromkeys(set(run.names) - {champion}, 1)
    assert max(result.encounter.round for result in main) == math.ceil(math.log2(size))
    rows = run.rank()
    assert rows[0].name == champion
    assert rows[0].explained.startswith("champion")
    assert sorted(row.name for row in rows) == sorted(run.names)
    assert rows[1].place == 2
    if third and size > 3:
        small_final = next(v for v in run.results if v.encounter.section == "third")
        assert [row.name for row in rows[2:4]] == [small_final.winner_name, small_final.loser_name]
        assert [row.place for row in rows[2:4]] == [3, 4]


@pytest.mark.slow
@given(size=SIZES, seed=SEEDS, draws=DRAWS, reset=st.booleans())
@settings(max_examples=50, deadline=None)
def test_double_elimination_takes_two_losses(size, seed, draws, reset):
    stage = StageConfig("cup", "double_elimination", best_of=1, reset=reset)
    schedule, _ = play(tournament_of(size, stage), decide_with(draws, seed), random.Random(seed))
    run = schedule.stages[0]
    losses = losses_by_player(run.results)
    rows = run.rank()
    champion = rows[0].name
    assert schedule.finished
    assert rows[0].explained.startswith("champion")
    assert losses[champion] <= 1
    others = [losses[name] for name in run.names if name != champion]
    finals = [result for result in run.results if result.encounter.section == "F"]
    if reset:
        assert set(others) == {2}
        # The grand final is played again exactly when it gave the first one a first loss.
        assert len(finals) == 1 + (finals[0].winner == 1)
    else:
        assert len(finals) == 1
        assert sorted(set(others)) in ([2], [1, 2], [1])
    assert rows[1].name in finals[-1].encounter.players
    assert rows[1].place == 2


@pytest.mark.parametrize("size", [8, 16, 32, 64, 128])
def test_double_elimination_avoids_early_rematches(size):
    schedule, _ = play(tournament_of(size, StageConfig("cup", "double_elimination", best_of=1)), decide_with(0, 3))
    met = Counter()
    last = max(v.encounter.column for v in schedule.stages[0].results if v.encounter.section == "L")
    for result in schedule.stages[0].results:
        pair = frozenset(result.encounter.players)
        if result.encounter.section == "L" and result.encounter.column < min(last - 1, 4):
            assert met[pair] == 0, pair
        met[pair] += 1


@given(draws=st.lists(st.sampled_from([0, 1, None]), min_size=40, max_size=40), best_of=st.integers(1, 9))
@settings(max_examples=100, deadline=None)
def test_best_of_stops_exactly_when_it_is_decided(draws, best_of):
    results = iter(draws)
    stage = StageConfig("cup", "single_elimination", best_of=best_of, extra_pairs=0, sudden_death=0)
    lead, left = 0.0, best_of
    schedule = Schedule(tournament_of(2, stage))
    waiting = schedule.take()
    while waiting:
        assert abs(lead) <= left, "a game was asked for that nobody needed"
        spec = waiting.pop(0)
        winner = next(results)
        schedule.record(spec, result_of(winner))
        left -= 1
        if winner is not None:
            lead += 1 if spec.names[winner] == "bot001" else -1
        waiting += schedule.take()
    assert schedule.finished
    assert abs(lead) > left or left == 0


def test_a_level_knockout_is_played_on_then_decided_by_margin_then_by_seed():
    stage = StageConfig("cup", "single_elimination", best_of=2, extra_pairs=2, sudden_death=0)
    schedule, played = play(tournament_of(2, stage), lambda spec: result_of(None))
    assert len(played) == 6
    result = schedule.stages[0].results[0]
    assert (result.winner_name, result.decided) == ("bot001", "seed")
    scores = {"bot001": 1.0, "bot002": 2.0}
    schedule, _ = play(
        tournament_of(2, stage), lambda spec: result_of(None, scores=tuple(scores[name] for name in spec.names))
    )
    result = schedule.stages[0].results[0]
    assert (result.winner_name, result.decided) == ("bot002", "margin")


def test_two_legs_count_as_one_game_and_equal_legs_are_decided_by_scores():
    stage = StageConfig("all", "round_robin", games=1)
    # The first seat always wins; bot002 wins with more.
    schedule, played = play(
        tournament_of(2, stage, legs=2),
        lambda spec: result_of(0, scores=(1010.0 if spec.names[0] == "bot002" else 1000.0, 0.0)),
    )
    result = schedule.stages[0].results[0]
    assert len(played) == 2
    assert dict(zip(result.encounter.players, result.points, strict=True)) == {"bot001": 0.0, "bot002": 1.0}
    assert result.played == 1
    schedule, _ = play(tournament_of(2, stage, legs=2), lambda spec: result_of(0, scores=(1.0, 0.0)))
    assert schedule.stages[0].results[0].points == (0.5, 0.5)
    assert schedule.stages[0].results[0].draws == 1


def test_scores_of_a_void_match_decide_nothing():
    def decide(spec):
        if spec.number == 0:
            return result_of(None, ("void", "void"), scores=(9.0, 0.0), void="the host was late")
        return result_of(None, scores=(1.0, 1.0))

    stage = StageConfig("cup", "single_elimination", best_of=2, extra_pairs=1, sudden_death=0)
    for legs in (1, 2):
        schedule, _ = play(tournament_of(2, stage, legs=legs), decide)
        result = schedule.stages[0].results[0]
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
    StageConfig("s", "ladder", rounds=8, games=2),
    StageConfig("s", "king_of_the_hill", rounds=8, best_of=1),
]


@pytest.mark.parametrize("legs", [1, 2])
@pytest.mark.parametrize("stage", EVERY_FORMAT, ids=lambda stage: f"{stage.format}-{stage.games}")
def test_a_void_match_is_in_no_column_of_any_format(stage, legs):
    def decide(spec):
        return VOID if "bot001" in spec.names and spec.number < legs else by_strength(spec)

    schedule, _ = play(tournament_of(6, stage, legs=legs), decide)
    assert schedule.finished
    games = Counter()
    for spec, result in schedule.matches():
        if result.has_verdict and spec.number % legs == 0:
            games.update(spec.names)
    assert any(not result.has_verdict for _, result in schedule.matches())
    for row in schedule.stages[0].rank():
        assert row.games == games[row.name] == row.wins + row.draws + row.losses
        assert legs == 2 or row.draws == 0


@pytest.mark.parametrize("legs", [1, 2])
def test_a_void_encounter_has_not_met_and_is_no_walkover(legs):
    stage = StageConfig("all", "round_robin", games=1, tiebreaks=("head_to_head", "buchholz", "seed"))
    schedule, _ = play(tournament_of(2, stage, legs=legs), lambda _: VOID)
    result = schedule.stages[0].results[0]
    assert (result.points, result.played, result.draws, result.winner) == ((0.0, 0.0), 0, 0, None)
    assert result.decided == "games"
    rows = schedule.stages[0].rank()
    assert [(row.games, row.draws, row.losses, row.byes) for row in rows] == [(0, 0, 0, 0)] * 2


def test_void_matches_change_no_skill():
    stage = StageConfig("up", "ladder", rounds=3, games=1)
    schedule, _ = play(tournament_of(2, stage), lambda _: VOID)
    row = schedule.stages[0].rank()[0]
    assert dict(row.tiebreaks) == {"skill": round(Skill().mu, 6), "uncertainty": round(Skill().sigma, 6)}


@given(size=SIZES, groups=st.integers(1, 16))
@settings(max_examples=60, deadline=None)
def test_groups_are_even_and_hold_everybody(size, groups):
    names = [f"b{number}" for number in range(size)]
    divided = divide(names, groups)
    assert sorted(name for group in divided for name in group) == sorted(names)
    assert max(map(len, divided)) - min(map(len, divided)) <= 1
    assert min(map(len, divided)) >= 2


def test_groups_then_playoffs_do_not_repeat_the_group_in_the_first_round():
    stages = (StageConfig("groups", "groups", groups=4), StageConfig("cup", "single_elimination", advance=8))
    schedule, _ = play(tournament_of(16, *stages), decide_with(0.2, 5))
    members = {name: index for index, group in enumerate(divide(schedule.tournament.names, 4)) for name in group}
    first = [v.encounter for v in schedule.stages[1].results if v.encounter.column == 1]
    assert len(first) == 4
    for encounter in first:
        assert members[encounter.players[0]] != members[encounter.players[1]]
    assert [group_name(index) for index in (0, 25, 26, 701, 702)] == ["A", "Z", "AA", "ZZ", "AAA"]


@given(size=st.integers(2, 24), seed=SEEDS)
@settings(max_examples=20, deadline=None)
def test_a_ladder_finds_the_order(size, seed):
    def strongest_wins(spec):
        return result_of(0 if spec.names[0] < spec.names[1] else 1)

    stage = StageConfig("ladder", "ladder", rounds=12, games=1)
    schedule, _ = play(tournament_of(size, stage), strongest_wins, random.Random(seed))
    rows = schedule.stages[0].rank()
    assert rows[0].name == "bot001"
    played = Counter(name for result in schedule.stages[0].results for name in result.encounter.players)
    assert max(played.values()) - min(played.values()) <= 12 * (size % 2)


def test_a_ladder_runs_on_until_it_is_stopped():
    schedule, played = play(tournament_of(6, StageConfig("ladder", "ladder")), most=500)
    assert len(played) == 500
    assert not schedule.finished


def test_the_king_stays_until_beaten():
    stage = StageConfig("hill", "king_of_the_hill", rounds=30, best_of=1, extra_pairs=0)
    schedule, _ = play(tournament_of(7, stage), decide_with(0.0, 4))
    king = None
    for result in schedule.stages[0].results:
        if king is not None:
            assert result.encounter.players[0] == king
        king = result.winner_name
    assert schedule.stages[0].rank()[0].name == king
    challengers = [result.encounter.players[1] for result in schedule.stages[0].results]
    assert len(set(challengers)) > 3


CHAINS = [
    (StageConfig("all", "round_robin", rounds=2),),
    (StageConfig("swiss", "swiss", rounds=4), StageConfig("cup", "double_elimination", advance=4, best_of=3)),
    (StageConfig("groups", "groups", groups=3), StageConfig("cup", "single_elimination", advance=6, third_place=True)),
    (StageConfig("gauntlet", "gauntlet"), StageConfig("ladder", "ladder", rounds=5)),
    (StageConfig("hill", "king_of_the_hill", rounds=9),),
]


@pytest.mark.slow
@pytest.mark.parametrize("stages", CHAINS, ids=lambda stages: "-".join(stage.format for stage in stages))
@given(size=st.integers(4, 17), seed=SEEDS, suspend=st.integers(0, 3))
@settings(max_examples=15, deadline=None)
def test_neither_order_nor_restarts_change_anything(stages, size, seed, suspend):
    def decide(spec):
        outcome = by_strength(spec, 0.2, seed)
        if "bot003" in spec.names:
            # It crashes often, so that suspensions fall into the middle of rounds that are being played.
            seat = spec.names.index("bot003")
            if random.Random(spec.match_id).random() < 0.7:
                endings = ("crashed", "won") if seat == 0 else ("won", "crashed")
                return result_of(1 - seat, endings)
        return outcome

    tournament = tournament_of(size, *stages, suspend_after=suspend)
    rng = random.Random(seed)
    straight, _ = play(tournament, decide)
    mixed, played = play(tournament, decide, rng)
    ranks = [run.rank() for run in straight.stages]
    assert [run.rank() for run in mixed.stages] == ranks
    assert mixed.suspended == straight.suspended

    half = {slot_of(spec): decide(spec) for spec in played[: rng.randrange(len(played) + 1)]}
    waiting, resumed = next_matches(tournament, half)
    while waiting:
        spec = waiting.pop(0)
        if resumed.wanted(spec):
            resumed.record(spec, decide(spec))
            waiting += resumed.take()
    assert [run.rank() for run in resumed.stages] == ranks


def test_a_suspended_bot_plays_no_more_and_its_opponents_win():
    def decide(spec):
        if "bot002" not in spec.names:
            return result_of(0)
        seat = spec.names.index("bot002")
        return result_of(1 - seat, ("crashed", "won") if seat == 0 else ("won", "crashed"))

    schedule, played = play(tournament_of(6, StageConfig("all", "round_robin"), suspend_after=3), decide)
    assert sum("bot002" in spec.names for spec in played) == 3
    assert "3 crashes in a row" in schedule.suspended["bot002"]
    rows = {row.name: row for row in schedule.stages[0].rank()}
    assert rows["bot002"].points == 0
    assert sum(row.points for row in rows.values()) == 30


def test_nobody_withdrawn_or_suspended_advances():
    stages = (
        StageConfig("all", "round_robin", withdrawn=(("bot001", 2),)),
        StageConfig("cup", "single_elimination", advance=4),
    )
    schedule, _ = play(tournament_of(6, *stages), lambda spec: result_of(0 if spec.names[0] < spec.names[1] else 1))
    assert schedule.stages[1].names == ("bot002", "bot003", "bot004", "bot005")


def test_match_ids_say_what_is_played():
    from dataclasses import replace

    tournament = tournament_of(4, StageConfig("all", "round_robin"))
    specs = Schedule(tournament).take()
    assert len({spec.match_id for spec in specs}) == len(specs)
    again = Schedule(tournament).take()
    assert [spec.match_id for spec in specs] == [spec.match_id for spec in again]
    changed = Schedule(replace(tournament, config=replace(tournament.config, options=(("turns", 3),)))).take()
    assert {spec.match_id for spec in specs}.isdisjoint({spec.match_id for spec in changed})
    assert type(specs[0]).from_document(specs[0].to_document()) == specs[0]


def test_a_knockout_pairing_of_two_absent_players_goes_to_the_better_seed():
    encounter = Encounter("all", 1, 0, ("bot001", "bot002"), 1, knockout=True)
    series = Series(encounter, ("bot002", "bot001"), frozenset(encounter.players), 0, 0, PairingRules())
    result = series.result()
    assert (encounter.players[result.winner], result.decided, result.played) == ("bot002", "walkover", 0)


def test_a_walkover_on_a_ladder_changes_no_skill():
    state = LadderState({name: Skill() for name in ("bot001", "bot002")})
    encounter = Encounter("all", 1, 0, ("bot001", "bot002"), 1)
    state.add(EncounterResult(encounter, (1.0, 0.0), (0, 0), (0.0, 0.0), 0, "walkover", 0))
    assert state.skills["bot001"] == state.skills["bot002"] == Skill()
    assert not state.met


def test_a_ladder_of_tables_ends_with_too_few_players_for_one():
    rules = PairingRules(players=(3, 6))
    stage = StageConfig("all", "ladder", table=3, withdrawn=(("bot001", 2),))
    pairings = ladder(stage, ("bot001", "bot002", "bot003"), rules)
    (first,) = next(pairings)
    result = EncounterResult(first, (1.0, 0.5, 0.0), (1, 0, 0), (1.0, 0.0, -1.0), 0, "games", 1)
    with pytest.raises(StopIteration):
        pairings.send(RoundResult((result,), frozenset()))


@pytest.mark.parametrize(
    "form", ["round_robin", "groups", "swiss", "single_elimination", "double_elimination", "ladder", "king_of_the_hill"]
)
def test_nobody_plays_where_fewer_than_two_are_left(form):
    stage = StageConfig("all", form, **({"withdrawn": (("bot001", 1),)} if form in ("swiss", "ladder") else {}))
    schedule = Schedule(tournament_of(2 if stage.withdrawn else 1, stage))
    assert schedule.take() == []


def test_a_seed_is_public_when_both_matches_with_it_are_over():
    schedule = Schedule(tournament_of(2, StageConfig("all", "round_robin", games=4)))
    specs = schedule.take()
    assert [specs[number].seed == specs[0].seed for number in range(4)] == [True, True, False, False]
    spent = []
    for played in (None, *specs):
        if played is not None:
            schedule.record(played, by_strength(played))
        spent.append([schedule.seed_is_spent(spec) for spec in specs])
    assert spent == [
        [False] * 4, [False] * 4, [True, True, False, False], [True, True, False, False], [True] * 4,
    ]  # fmt: skip
