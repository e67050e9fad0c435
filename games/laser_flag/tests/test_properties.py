"""Random games keep all invariants."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shortened import shortened

from arena.game import IllegalAction, Scripted, Seeded
from arena.testing import check_game
from arena_laser_flag import GAME
from arena_laser_flag.map_files import load_map, map_names
from arena_laser_flag.state import Game

pytestmark = pytest.mark.slow

GENERATED = (
    "generate:seed=1,width=11,height=11,turn_limit=6",
    "generate:seed=2,width=12,height=14,mode=assault,turn_limit=6",
    "generate:seed=3,width=13,height=11,mode=elimination,turn_limit=6,units=grunt+sniper+scout,ruleset=classic",
    "generate:seed=4,owned=true,ruleset=classic,units=scout+sniper,turn_limit=6,symmetry=mirror",
)
SETTINGS = st.tuples(
    st.sampled_from((*map_names(), *GENERATED)),
    st.fixed_dictionaries(
        {},
        optional={
            "fog_of_war": st.booleans(),
            "target_rule": st.sampled_from(("any", "active", "active_or_on_base")),
            "overwatch_style": st.sampled_from(("carried", "stance")),
            "checkmate": st.booleans(),
            "base_access": st.sampled_from(("any", "team")),
            "base_shooting": st.booleans(),
            "diagonal_margin": st.sampled_from((None, 0, 1, 3)),
        },
    ),
    st.integers(0, 2**32),
)


def start(case: tuple[str, dict[str, Any], int]) -> tuple[Game, Random, Seeded]:
    name, rules, seed = case
    game = GAME.start({"map": load_map(name), "rules": {"hard_turn_limit": 8, **rules}})
    assert isinstance(game, Game)
    return game, Random(seed), Seeded(seed)


def choose(game: Game, rng: Random) -> dict[str, Any]:
    """Pick an action, shots more often than moves."""
    actions = game.legal_actions()
    shots = [action for action in actions if action["type"].startswith("fire")]
    return rng.choice(shots if shots and rng.random() < 0.6 else actions)


@settings(max_examples=40, deadline=None)
@given(SETTINGS)
def test_invariants_hold_and_every_game_ends(case: tuple[str, dict[str, Any], int]) -> None:
    game, rng, chance = start(case)
    scores = [0, 0]
    for _ in range(2 * 8 * 30 * 4):
        if game.outcome() is not None:
            break
        game.push(game.active_player, choose(game, rng), chance)
        for unit in game.units:
            assert game.board.kind(unit.x, unit.y) in ".o"
            assert unit.ap == 0 or unit.overwatch == 0
            assert unit.ap == 0 or unit.player == game.active_player
            assert unit.overwatch == 0 or (unit.player != game.active_player and unit.laser == "charged")
            assert (unit.overwatch_mode is None) == (unit.overwatch == 0)
            assert unit.elevated == (game.board.kind(unit.x, unit.y) == "o")
        assert len({unit.place for unit in game.units}) == len(game.units)
        assert len(game.units) + len(game.eliminated) == len(game.options.map["units"])
        now = [player.score for player in game.players]
        assert all(new >= old for new, old in zip(now, scores, strict=True))
        scores = now
    assert game.outcome() is not None
    assert game.legal_actions() == []
    assert game.to_move() == ()


@settings(max_examples=25, deadline=None)
@given(SETTINGS)
def test_undo_is_exact_and_clones_are_independent(case: tuple[str, dict[str, Any], int]) -> None:
    game, rng, chance = start(case)
    for _ in range(60):
        if game.outcome() is not None:
            return
        before = (game.to_document(), game.view(), game.view(0))
        copy = game.clone()
        mark = game.push(game.active_player, choose(game, rng), chance)
        after = game.to_document()
        assert (copy.to_document(), copy.view(), copy.view(0)) == before
        game.pop(mark)
        assert (game.to_document(), game.view(), game.view(0)) == before
        game.push(game.active_player, choose(game, rng), chance)
        copy.push(copy.active_player, choose(copy, Random(0)), Seeded(1))
        assert game.clone().to_document() == game.to_document()
        assert after["turn"] >= before[0]["turn"]


@settings(max_examples=12, deadline=None)
@given(SETTINGS)
def test_legal_actions_are_exactly_those_accepted(case: tuple[str, dict[str, Any], int]) -> None:
    game, rng, chance = start(case)
    for _ in range(rng.randrange(25)):
        if game.outcome() is None:
            game.push(game.active_player, choose(game, rng), chance)
    if game.outcome() is not None:
        return
    listed = {tuple(action.values()) for action in game.legal_actions()}
    assert len(listed) == len(game.legal_actions())
    ids = [f"u{number}" for number in range(len(game.options.map["units"]))]
    tiles = [(x, y) for x in range(-1, game.width + 1) for y in range(-1, game.height + 1)]
    tried: list[dict[str, Any]] = [{"type": "end_turn"}]
    tried += [{"type": "fire", "unit": unit, "target": target} for unit in ids for target in ids]
    for unit in ids:
        tried += [{"type": kind, "unit": unit, "x": x, "y": y} for kind in ("move", "fire_at_base") for x, y in tiles]
    accepted = set()
    for action in tried:
        try:
            mark = game.push(game.active_player, action, Seeded(0))
        except IllegalAction:
            continue
        game.pop(mark)
        accepted.add(tuple(action.values()))
    assert accepted == listed


@pytest.mark.parametrize(
    "options",
    shortened(
        [
            {"map": "crossroads"},
            {"map": "relay"},
            {"map": "quarry", "rules": {"fog_of_war": True}},
            {"map": "dockyard", "rules": {"fog_of_war": True}},
        ],
        2,
    ),
    ids=str,
)
def test_contract(options: dict[str, Any]) -> None:
    check_game(GAME, games=1, options={**options, "rules": {"hard_turn_limit": 3, **options.get("rules", {})}})


def test_same_seed_same_game() -> None:
    digests = set()
    for _ in range(2):
        game, rng, chance = start(("granary", {}, 5))
        while game.outcome() is None:
            game.push(game.active_player, choose(game, rng), chance)
        digests.add(game.digest())
    assert len(digests) == 1


def test_refused_actions_draw_nothing() -> None:
    game = GAME.start({})
    script = Scripted([1, 1])
    with pytest.raises(IllegalAction):
        game.push(0, {"type": "fire", "unit": "u0", "target": "u99"}, script)
    assert script.left == 2


@settings(max_examples=30, deadline=None)
@given(SETTINGS)
def test_a_random_action_is_the_one_that_a_choice_from_the_list_gives(case: tuple[str, dict[str, Any], int]) -> None:
    game, rng, chance = start(case)
    for _ in range(60):
        if game.outcome() is not None:
            break
        listed = game.legal_actions()
        for seed in range(6):
            assert game.random_action(game.active_player, Random(seed)) == Random(seed).choice(listed)
        game.push(game.active_player, choose(game, rng), chance)
