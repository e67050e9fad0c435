"""Tables of more than two players: pairings, points, tie-breaks, ratings, and what a contest refuses."""

import itertools
import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest
from contests_toys import (
    at_table,
    do,
    finished,
    in_memory,
    late_entry,
    play,
    played,
    ranked_result,
    run_of,
    tables,
    void_result,
)

from arena.contests.config import PairingRules, StageConfig
from arena.contests.config_file import defect_of, read_config, read_config_file
from arena.contests.ratings.plackett_luce import units
from arena.contests.stages.encounters import Encounter, EncounterResult
from arena.contests.stages.standings import rank_table
from arena.contests.stages.tables import table_sizes
from arena.contests.tiebreaks import AT_TABLES
from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec, Outcome, State
from arena.match.lookup import find_game


def stage(name="tables", stage_format="free_for_all", **settings):
    usual = {"table": 4, "games": 1, "winners": 2, "extra_games": 3, "tiebreaks": AT_TABLES}
    return StageConfig(name, stage_format, **usual | settings)


def snakes(count, *stages, result=at_table, rng=None, **settings):
    """The first stage of a contest of tables that was played."""
    return run_of(played(count, *stages, result=result, rng=rng, players=(2, 8), **settings))


def encounters(run):
    return [result.encounter for result in run.decided()]


def meetings(found):
    return Counter(pair for one in found for pair in map(frozenset, itertools.combinations(one.players, 2)))


@pytest.mark.parametrize(
    ("bots", "size", "players", "expected"),
    [
        (12, 4, (2, 8), [4, 4, 4]), (11, 4, (2, 8), [4, 4, 3]), (9, 4, (2, 8), [3, 3, 3]), (5, 4, (2, 8), [4]),
        (3, 4, (2, 8), [3]), (2, 4, (2, 8), [2]), (11, 4, (4, 4), [4, 4]), (3, 4, (4, 4), []), (1, 4, (2, 8), []),
        (7, 3, (3, 5), [3, 3]), (7, 3, (2, 5), [3, 2, 2]),
    ],
)  # fmt: skip
def test_tables_have_one_size_or_one_less(bots, size, players, expected):
    assert table_sizes(bots, size, PairingRules(players=players)) == expected


@pytest.mark.parametrize(("bots", "rounds", "most"), [(12, 6, 3), (16, 5, 3), (40, 8, 3)])
def test_free_for_all_repeats_few_meetings_and_gives_each_bot_each_seat_equally_often(bots, rounds, most):
    run = snakes(bots, stage(rounds=rounds))
    found = encounters(run)
    assert len(found) == rounds * bots // 4
    assert max(meetings(found).values()) <= most
    for name in run.names:
        seats = Counter(one.players.index(name) for one in found if name in one.players)
        assert max(seats.values()) - min(seats[seat] for seat in range(4)) <= 1 + (rounds % 4 == 0 and rounds > 4)


def test_later_tables_have_bots_of_similar_strength():
    points, ranges = Counter(), []
    for result in snakes(40, stage(rounds=6)).decided():
        if result.encounter.round == 6:
            values = [points[name] for name in result.encounter.players]
            ranges.append(max(values) - min(values))
        else:
            points.update(dict(zip(result.encounter.players, result.points, strict=True)))
    drawn = random.Random(1)
    by_chance = [drawn.sample(sorted(points.values()), 4) for _ in range(1000)]
    assert sum(ranges) / len(ranges) < 0.6 * sum(max(four) - min(four) for four in by_chance) / 1000


def test_byes_go_round_and_a_full_rotation_shares_its_seed():
    run = snakes(5, stage(rounds=5, games=4))
    assert Counter(one.players[0] for one in encounters(run) if one.is_bye) == Counter(run.names)
    first = [spec for spec, _ in run.matches() if (spec.round, spec.pairing) == (1, 0)]
    assert len({spec.seed for spec in first}) == 1
    assert [spec.leg for spec in first] == [0, 1, 2, 3]
    assert {spec.names.index(first[0].names[0]) for spec in first} == {0, 1, 2, 3}


def test_the_order_in_which_matches_end_and_a_restart_change_nothing():
    stages = (stage(rounds=4), stage("cup", "elimination_tables", games=4, advance=9))
    found = set()
    for seed in range(2):
        contest, rng = in_memory(13, *stages, players=(2, 8)), random.Random(seed)
        while not finished(contest):
            play(contest, at_table, rng, most=11)  # what runs at the stop is played again
        found.add(tables(contest))
    assert len(found) == 1


def test_equal_points_at_a_table_are_equal():
    """1/6 + 1 and 2/3 + 1/2 differ as sums of floats."""
    names = [f"bot00{number}" for number in (1, 2, 3, 4)]
    ranks = [dict(zip(names, one, strict=True)) for one in ((3, 2, 3, 1), (1, 2, 2, 4))]
    run = snakes(4, stage(rounds=1, games=2),
                 result=lambda spec: ranked_result([ranks[spec.number][name] for name in spec.names]))  # fmt: skip
    (result,) = run.decided()
    points = dict(zip(result.encounter.players, result.points, strict=True))
    assert points["bot001"] == points["bot002"] == max(points.values()) == Fraction(7, 6)
    assert result.winner is None


def test_who_enters_and_who_withdraws_while_tables_are_played():
    contest = in_memory(12, stage(rounds=5), players=(2, 8))
    play(contest, at_table, most=7)
    late_entry(contest, "bot900")
    do(contest, "withdraw", "bot002")
    play(contest, at_table)
    found = encounters(run_of(contest))
    rounds = {name: {one.round for one in found if name in one.players} for name in ("bot900", "bot002")}
    assert rounds == {"bot900": {4, 5}, "bot002": {1, 2, 3}}


def test_a_bot_that_leaves_an_elimination_does_not_end_it():
    contest = in_memory(16, stage("cup", "elimination_tables", games=2), players=(2, 8))
    play(contest, at_table, most=8)
    first = [one for one in run_of(contest).decided() if one.encounter.round == 1]
    survivors = {one.encounter.players[index] for one in first for index in one.order[:2]}
    gone = first[0].encounter.players[first[0].order[0]]
    do(contest, "withdraw", gone)
    play(contest, at_table)
    assert finished(contest)
    second = [one for one in encounters(run_of(contest)) if one.round == 2]
    assert sorted(name for one in second for name in one.players) == sorted(survivors - {gone})


def test_elimination_sends_the_best_of_each_table_on():
    run = snakes(16, stage("cup", "elimination_tables", games=4))
    by_round = [[r for r in run.decided() if r.encounter.round == number] for number in (1, 2, 3)]
    assert [len(results) for results in by_round] == [4, 2, 1]
    for before, after in itertools.pairwise(by_round):
        passed = {r.encounter.players[index] for r in before for index in r.order[:2]}
        assert {name for r in after for name in r.encounter.players} == passed
    rows = run.rank()
    final = by_round[2][0]
    assert [row.name for row in rows[:4]] == [final.encounter.players[index] for index in final.order]
    assert rows[0].explained == "champion"
    assert [row.place for row in rows[4:]] == [5, 5, 7, 7, 9, 9, 9, 9, 13, 13, 13, 13]
    assert rows[-1].explained.startswith("place 4 at a table of round 1")


def test_a_tie_for_the_last_place_that_goes_on_is_played_off():
    def level(spec):
        return ranked_result([1, 1, 1, 1]) if spec.number < 5 else at_table(spec)

    run = snakes(4, stage("cup", "elimination_tables", games=4), result=level)
    assert len(run.matches()) == 6
    assert run.decided()[0].decided == "games"
    run = snakes(4, stage("cup", "elimination_tables", games=4), result=lambda _: ranked_result([1] * 4))
    assert len(run.matches()) == 7
    assert run.rank()[0].explained == "champion, decided by seed"


@pytest.mark.parametrize("stage_format", ["free_for_all", "elimination_tables"])
def test_a_void_game_at_a_table_is_in_no_column(stage_format):
    rounds = 0 if stage_format == "elimination_tables" else 3
    decide = lambda spec: void_result(len(spec.names)) if "bot002" in spec.names else at_table(spec)  # noqa: E731
    run = snakes(8, stage("s", stage_format, rounds=rounds), result=decide)
    row = next(row for row in run.rank() if row.name == "bot002")
    assert (row.games, row.wins, row.draws, row.losses, sum(row.places)) == (0, 0, 0, 0, 0)


def test_a_suspended_bot_does_not_take_the_table_with_it():
    def decide(spec):
        result = at_table(spec)
        players = [replace(p, ending="crashed") if name == "bot003" else p
                   for name, p in zip(spec.names, result.players, strict=True)]  # fmt: skip
        return replace(result, players=tuple(players))

    run = snakes(8, stage(rounds=3, games=4), result=decide, suspend_after=2)
    assert "bot003" in run.suspended
    specs = [spec for spec, _ in run.matches()]
    assert sum("bot003" in spec.names for spec in specs) == 4
    assert {len(spec.names) for spec in specs if spec.round > 1} == {3, 4}


def outcome_result(names, *outcomes):
    points = tuple(sum(one.points(index) for one in outcomes) for index in range(len(names)))
    zero = (0,) * len(names)
    encounter = Encounter("s", 1, 0, names, len(outcomes))
    return EncounterResult(
        encounter, points, zero, (0.0,) * len(names), None, "games", len(outcomes), outcomes=outcomes
    )


def test_points_places_and_tie_breaks_of_a_table():
    names = ("a", "b", "c", "d", "e", "f", "g")
    results = [
        outcome_result(("a", "b", "c", "d"), Outcome(None, "", (1, 2, 3, 4))),
        outcome_result(("e", "f", "g"), Outcome(None, "", (1, 2, 3))),
        outcome_result(("a", "e", "b"), Outcome(None, "", (2, 1, 3))),
        outcome_result(("f", "c", "g", "d"), Outcome(None, "", (1, 2, 2, 4))),
    ]
    rows = {row.name: row for row in rank_table(stage(), names, results)}
    assert rows["e"].points == 2.0
    assert rows["a"].points == rows["f"].points == 1.5
    # They have not met, so the strength of their opponents decides: b, c, d, e, b against e, g, c, g, d.
    assert rows["a"].place == 2
    assert rows["f"].explained == "tied with a; opponents 0.77 against 0.83"
    assert rows["c"].places == (0, 1, 1, 0)
    assert rows["c"].points == pytest.approx(1 / 3 + 0.5)
    assert rows["c"].draws == 0


def test_head_to_head_among_those_who_are_level_at_shared_tables():
    names = ("a", "b", "c", "d")
    results = [
        outcome_result(("a", "b", "c"), Outcome(None, "", (2, 1, 3))),
        outcome_result(("a", "d", "c"), Outcome(None, "", (1, 3, 2))),
        outcome_result(("b", "d", "c"), Outcome(None, "", (2, 1, 3))),
    ]
    rows = rank_table(stage(tiebreaks=("head_to_head", "seed")), names, results)
    assert [(row.name, row.points) for row in rows] == [("b", 1.5), ("a", 1.5), ("d", 1.0), ("c", 0.5)]
    assert rows[1].explained == "tied with b; head to head 0 against 1"


def test_payoffs_are_a_column_and_the_first_tie_break():
    names = ("a", "b", "c")
    one = Outcome(None, "", payoffs=(1.0, 3.0, -4.0))
    other = Outcome(None, "", payoffs=(9.0, 1.0, -10.0))
    rows = rank_table(stage(), names, [outcome_result(names, one), outcome_result(names, other)])
    assert [(row.name, row.points, row.payoffs) for row in rows] == [
        ("a", 1.5, 10.0),
        ("b", 1.5, 4.0),
        ("c", 0.0, -14.0),
    ]
    assert rows[1].explained == "tied with a; payoffs 4 against 10"


def test_members_of_a_team_are_no_opponents():
    teams = Outcome.of_teams("", [[0, 2], [1, 3]], [1, 2])
    result = outcome_result(("a", "b", "c", "d"), teams)
    assert result.points == (1.0, 0.0, 1.0, 0.0)
    assert [result.against(0, other) for other in (1, 2, 3)] == [1.0, 0.0, 1.0]


def test_seats_teams_and_payoffs_return_to_the_order_of_the_encounter():
    teams = Outcome.of_teams("toy", [[0, 1], [2, 3]], [1, 2])
    payoffs = replace(teams, payoffs=(2.0, 1.0, -1.0, -2.0))
    run = snakes(4, stage(rounds=1, games=4), result=lambda spec: replace(ranked_result([1, 1, 2, 2]), outcome=payoffs))
    result = run.decided()[0]
    assert [one.teams for one in result.outcomes[:2]] == [((0, 1), (2, 3)), ((1, 2), (3, 0))]
    assert [one.payoffs for one in result.outcomes[:2]] == [(2.0, 1.0, -1.0, -2.0), (-2.0, 2.0, 1.0, -1.0)]
    assert result.points == (2.0,) * 4
    assert [row.payoffs for row in run.rank()] == [0.0] * 4


def test_rotations_are_the_units_of_ratings():
    assert len(units(snakes(4, stage(rounds=2, games=4)).matches())) == 2


# -- what is refused ---------------------------------------------------------------------------------

LEAGUE = """
[contest]
name = "x"
game = "snakes"
[[bots]]
path = "x"
[[stages]]
"""


@pytest.mark.parametrize(
    ("text", "players", "message"),
    [
        ('format = "swiss"\nrounds = 3', 4, "Stage 'swiss': swiss is for two players, and toys is for 4 players. "
         "Use free_for_all with table = 4."),
        ('format = "double_elimination"', 3, "Use elimination_tables with table = 3."),
        ('format = "ladder"', 4, "Use ladder with table = 4."),
        ('format = "free_for_all"\nrounds = 3\ntable = 4', 2, "free_for_all is for three players or more, and toys "
         "is for 2 players. Use swiss."),
        ('format = "elimination_tables"\ntable = 4', 2, "Use single_elimination."),
        ('format = "free_for_all"\nrounds = 3\ntable = 9', None, "table is 9, and snakes is for 2 to 8 players."),
        ('format = "swiss"\nrounds = 3', None, ""),
        ('format = "ladder"\ntable = 3', None, ""),
    ],
)  # fmt: skip
def test_a_format_that_does_not_fit_the_game_names_another_one(text, players, message):
    game = GameSpec("toys", "Toys", "1", State, players=players) if players else find_game("snakes")
    found = defect_of(read_config(LEAGUE + text).stages[0], game)
    assert message in found
    assert len(found.splitlines()) == bool(message)


def test_the_option_players_is_refused_at_tables(tmp_path):
    (tmp_path / "x.toml").write_text(LEAGUE + 'format = "free_for_all"\nrounds = 3\ntable = 4\n[options]\nplayers = 4')
    with pytest.raises(ArenaError, match="Remove the option players") as caught:
        read_config_file(tmp_path / "x.toml")
    assert caught.value.exit_code == ExitCode.BAD_LEAGUE


def test_more_winners_than_a_table_can_send_on_are_a_defect():
    with pytest.raises(ArenaError, match=r"stages\[0\]\.winners must be 2 at most"):
        read_config(LEAGUE + 'format = "elimination_tables"\ntable = 4\nwinners = 3')
