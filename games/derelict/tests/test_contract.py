"""Random games keep all invariants, with all missions and options."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.game import IllegalAction, Sampled
from arena.testing import check_game
from arena_derelict import GAME, Game, decide, leg_score
from arena_derelict.hidden import redacted_mission
from arena_derelict.legal_actions import OPEN
from arena_derelict.map_files import MISSIONS

TYPES = "marine", "marine_sarge", "marine_hammer", "marine_claws", "marine_flame", "marine_cannon", "marine_chain"
BRAWL: dict[str, Any] = {
    "format": "derelict_mission",
    "version": 1,
    "name": "brawl",
    "rows": ["#" * 12, *["#....#.....#", "#..........#", "#....#.....#"] * 2, "#" * 12, "#" * 12],
    "sections": ["." * 12, *[".AAAA.BBBBB.", ".AAAADBBBBB.", ".AAAA.CCCCC."] * 2, "." * 12, "." * 12],
    "doors": [{"x": 5, "y": 2, "open": False}, {"x": 5, "y": 5, "open": True}],
    "marines": [
        {"type": kind, "x": 1 + number % 4, "y": 2 + 3 * (number // 4), "facing": "East"}
        for number, kind in enumerate(TYPES)
    ],
    "aliens": [
        {"type": kind, "x": x, "y": y, "facing": "West"}
        for kind, x, y in (("blip_3", 6, 1), ("blip_2", 7, 2), ("alien", 6, 4), ("alien", 8, 5), ("blip_3", 6, 6))
    ],
    "lurk_cells": [[3, 8], [8, 8]],
    "entry_cells": [[6, 5], [10, 6]],
    "objectives": [[10, 1]],
    "turn_limit": 4,
}
"""A mission with all types of units close together, in which all kinds of decisions occur."""
DUEL = {key: value for key, value in BRAWL.items() if key != "objectives"} | {
    "name": "duel",
    "marines": [entry for entry in BRAWL["marines"] if entry["type"] != "marine_flame"],
}
"""The same mission without fire."""

OPTIONS = st.fixed_dictionaries(
    {"mission": st.sampled_from([*MISSIONS, BRAWL, DUEL, DUEL])},
    optional={
        "choice_limit": st.sampled_from([1, 5, 40]),
        "alien_cap": st.sampled_from([2, 4]),
        "involuntary_reveal": st.booleans(),
        "jam_cleared": st.booleans(),
        "command_points": st.booleans(),
        "reactivate_min": st.sampled_from([0, 3]),
        "alien_free_turn": st.sampled_from(["after_move", "after_move_or_turn", "after_move_or_paid_turn"]),
        "combat": st.booleans(),
        "turn_limit": st.sampled_from([1, 4]),
        "ap_alien": st.sampled_from([1, 9]),
        "reinforcements_later": st.sampled_from([0, 3]),
    },
)


BOLD = ("assault", "shoot", "reveal", "overwatch", "guard", "move", "door")


def play(options: dict[str, Any], seed: int) -> Iterator[tuple[Game, Random]]:
    """Play a random game in which units shoot and attack whenever they can."""
    rng = Random(seed)
    game = GAME.start(options, Sampled(rng))
    assert isinstance(game, Game)
    yield game, rng
    while game.decision is not None:
        listed = game.legal_actions()
        bold = [one for one in listed if one["type"] in BOLD] if rng.random() < 0.6 else []
        patient = [one for one in listed if one["type"] != "pass"] if rng.random() < 0.8 else []
        game.push(game.decision.player, rng.choice(bold or patient or listed), Sampled(rng))
        yield game, rng


@pytest.mark.slow
def test_the_contract() -> None:
    check_game(GAME, games=2)


@settings(max_examples=25, deadline=None)
@given(OPTIONS, st.integers(0, 10**6))
def test_invariants(options: dict[str, Any], seed: int) -> None:
    ids: set[str] = set()
    gone: set[str] = set()
    for game, _ in play(options, seed):
        present = {unit.id for unit in game.units}
        assert not present & gone, "an id came back"
        gone |= ids - present
        ids |= present
        assert game.ap >= 0
        assert 0 <= game.command_points <= 6
        assert game.flamer_fuel >= 0
        assert game.active is not None or (game.ap, game.last_action, game.last_shot_target) == (0, None, None)
        assert game.active is None or (game.active in game.units and not game.active.deactivated)
        assert len({(unit.x, unit.y) for unit in game.units}) == len(game.units)
        closed = {(door.x, door.y) for door in game.doors if not door.open}
        assert not closed & {(unit.x, unit.y) for unit in game.units}
        for unit in game.units:
            marks = unit.guard + unit.overwatch
            assert marks <= (unit.kind == "marine")
            assert not (unit.overwatch and unit.jam)
            assert unit.overwatch or unit.overwatch_target is None
            assert (unit.count in (1, 2, 3)) if unit.kind == "blip" else unit.count is None
        assert sum(unit.kind == "alien" for unit in game.units) <= game.options.alien_cap
        if game.decision is not None and game.decision.kind == "turn":
            assert game.agenda == ()
    assert game.outcome() is not None
    assert game.agenda == ()


def accepts(game: Game, player: int, action: dict[str, Any], rng: Random) -> bool:
    """Return whether an action is accepted, and undo it."""
    try:
        mark = game.push(player, action, Sampled(rng))
    except IllegalAction:
        return False
    game.pop(mark)
    return True


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(OPTIONS, st.integers(0, 10**6))
def test_the_list_is_what_is_accepted(options: dict[str, Any], seed: int) -> None:
    """Each listed choice is accepted and can be undone. All others are refused and change nothing."""
    for game, rng in play(options, seed):
        if game.decision is None or rng.random() < 0.9:
            continue
        before, player = game.to_document(), game.decision.player
        listed = {(one["type"], one.get("x"), one.get("y")) for one in game.legal_actions()}
        assert len(listed) == len(game.legal_actions())
        for kind in set().union(*OPEN.values()):
            cells = [(None, None)]
            if kind in ("activate", "move", "door", "shoot", "assault", "deploy"):
                cells = [(x, y) for x in range(-1, game.width + 1) for y in range(-1, game.height + 1)]
            for x, y in cells:
                action = {"type": kind} if x is None else {"type": kind, "x": x, "y": y}
                assert accepts(game, player, action, rng) == ((kind, x, y) in listed), action
        assert game.to_document() == before


@settings(max_examples=10, deadline=None)
@given(OPTIONS, st.integers(0, 10**6))
def test_a_random_action_is_the_one_that_a_choice_from_the_list_gives(options: dict[str, Any], seed: int) -> None:
    for game, rng in play(options, seed):
        if game.decision is not None:
            state = rng.getstate()
            chosen = game.random_action(game.decision.player, rng)
            rng.setstate(state)
            assert chosen == rng.choice(game.legal_actions())


@settings(max_examples=10, deadline=None)
@given(OPTIONS, st.integers(0, 10**6))
def test_saved_and_cloned_games_go_on_alike(options: dict[str, Any], seed: int) -> None:
    for game, rng in play(options, seed):
        if game.decision is None or rng.random() < 0.8:
            continue
        document = json.loads(json.dumps(game.to_document()))
        copies = [
            game.clone(),
            Game.from_document(document, game.options),
            Game.from_view(json.loads(json.dumps(game.view())), game.options),
        ]
        choice = rng.choice(game.legal_actions())
        luck = rng.random()
        for copy in copies:
            assert copy.to_document() == document
            assert copy.legal_actions() == game.legal_actions()
        ends = []
        for copy in copies:
            copy.push(game.decision.player, choice, Sampled(Random(luck)))
            ends.append(copy.to_document())
        assert ends[0] == ends[1] == ends[2]
        assert game.to_document() == document


@settings(max_examples=10, deadline=None)
@given(OPTIONS, st.integers(0, 10**6))
def test_the_marines_never_learn_a_number(options: dict[str, Any], seed: int) -> None:
    """Views, deltas, events and options of the marines do not depend on the numbers in blips."""
    mark = 0
    for game, _ in play(options, seed):
        blips = {unit.id for unit in game.units if unit.kind == "blip"}
        delta = game.delta(mark, 0)
        for flat in (game.view(0), delta):
            counts = [flat[at + 2] for at in range(0, len(flat), 3) if flat[at + 1] == "count"]
            assert set(counts) <= {None}
        for event in game.events(mark, 0):
            assert event.get("label") != "blip_type"
        full = game.view(1)
        shown = {full[at] for at in range(0, len(full), 3) if full[at + 1] == "count" and full[at + 2] is not None}
        assert shown == blips
        mark = game.mark
    for alien in game.options_for(0)["mission"].get("aliens", []):
        assert alien["type"] in ("alien", "blip")
    assert game.options_for(1) == game.options_for(None) == dict(game.options)


def test_the_copy_of_the_mission_for_the_marines_plays() -> None:
    for name in MISSIONS:
        options = GAME.resolve_options({"mission": name})
        copy = redacted_mission(options.mission)
        assert "rendering" not in copy
        assert GAME.resolve_options({**options, "mission": copy}).mission == copy


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10**6))
def test_sampled_worlds_agree_with_what_was_seen(seed: int) -> None:
    numbers: set[int] = set()
    for game, rng in play({"mission": "pump_station"}, seed):
        if rng.random() < 0.9:
            continue
        options = GAME.resolve_options(game.options_for(0))
        world = Game.determinize(game.view(0), 0, rng, options)
        assert world.view(0) == game.view(0)
        assert world.legal_actions() == game.legal_actions()
        numbers |= {unit.count for unit in world.units if unit.count is not None}
        same = Game.determinize(game.view(1), 1, rng, game.options)
        assert same.to_document() == game.to_document()
    assert numbers <= {1, 2, 3}


def test_draws_of_blips_are_not_public() -> None:
    chance = Sampled(Random(3))
    game = GAME.start({"mission": "pump_station"}, chance)
    draws = []
    rng = Random(1)
    while game.outcome() is None:
        game.push(game.to_move()[0], rng.choice(game.legal_actions()), chance)
        draws += chance.take()
    assert {draw.label for draw in draws if not draw.public} == {"blip_type"}
    assert {draw.label for draw in draws} >= {"blip_type", "command_points"}
    assert all(not draw.public for draw in draws if draw.label == "blip_type")


def test_who_wins_a_match_of_two_legs() -> None:
    games = []
    for winner, ended, turn, marines in ((0, "aliens_eliminated", 3, 2), (0, "turn_limit", 8, 4)):
        game = GAME.start({"mission": "crossways"})
        assert isinstance(game, Game)
        game.winner, game.ended, game.turn = winner, ended, turn
        game.units = tuple(unit for unit in game.units if unit.kind != "marine" or int(unit.id[1:]) <= marines)
        games.append(game)
    assert [leg_score(game) for game in games] == [1000 + 20 + 5, 1000 + 40]
    assert games[0].scores() == (1025.0, 0.0)
    assert decide(games) == 1
    assert decide(games[:1] * 2) is None
    games[0].winner = 1
    assert leg_score(games[0]) == 20
    assert decide(games) == 1
    games[0].winner = None
    assert decide([games[0], games[0]]) is None


def test_without_a_turn_limit_an_earlier_win_scores_more() -> None:
    games = []
    for turn in (30, 5):
        game = GAME.start({"mission": "crossways", "turn_limit": 0})
        assert isinstance(game, Game)
        game.winner, game.ended, game.turn = 0, "aliens_eliminated", turn
        game.units = tuple(unit for unit in game.units if unit.kind != "marine" or int(unit.id[1:]) <= 2)
        games.append(game)
    assert [leg_score(game) for game in games] == [1000 + 20 - 30, 1000 + 20 - 5]
    assert decide(games) == 1
