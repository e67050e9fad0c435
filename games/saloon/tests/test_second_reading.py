"""The game agrees with a second implementation of its rules, in crowded random positions with random options."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from random import Random
from typing import Any

import pytest

from arena.game import IllegalAction, Scripted
from arena_saloon import GAME
from arena_saloon.words import DIRECTIONS, JOBS

Document = dict[str, Any]


@pytest.fixture(scope="module")
def second() -> Any:
    spec = spec_from_file_location("saloon_second_reading", Path(__file__).with_name("second_reading.py"))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def random_options(rng: Random) -> Document:
    return {
        "width": rng.choice([6, 8, 10, 12]),
        "height": rng.choice([6, 8, 10]),
        "max_turns": rng.choice([3, 20, 40, 60]),
        "cowboy_health": rng.choice([1, 3, 10]),
        "max_cowboys_per_job": rng.choice([1, 2, 3]),
        "sharpshooter_damage": rng.choice([0, 2, 4]),
        "brawler_damage": rng.choice([0, 1, 2]),
        "hazard_damage": rng.choice([0, 1, 2]),
        "collision_damage": rng.choice([0, 1, 3]),
        "turns_drunk": rng.choice([1, 2, 5]),
        "bartender_cooldown": rng.choice([1, 2, 5]),
        "rowdiness_to_siesta": rng.choice([1, 2, 3, 8]),
        "siesta_length": rng.choice([1, 2, 3, 8]),
    }


def random_position(rng: Random, options: Document) -> Document:
    """Return a random position with many objects."""
    width, height = options["width"], options["height"]
    tiles = [(x, y) for x in range(1, width - 1) for y in range(1, height - 1)]
    rng.shuffle(tiles)
    ring = [(x, y) for x in range(width) for y in range(height) if x in (0, width - 1) or y in (0, height - 1)]
    players = []
    for index in range(2):
        x, y = rng.choice(ring)
        call_in = [min(max(x, 1), width - 2), min(max(y, 1), height - 2)]
        gun = {"id": f"g{index}", "x": x, "y": y, "can_call_in": True, "call_in": call_in}
        siesta = rng.choice([0, 0, rng.randint(0, options["siesta_length"])])
        rowdiness = rng.randrange(options["rowdiness_to_siesta"])
        score, kills = rng.randint(0, 3), rng.randint(0, 1)
        player = {"index": index, "score": score, "kills": kills, "rowdiness": rowdiness, "siesta": siesta}
        players.append({**player, "young_gun": gun})
    cowboys = [
        random_cowboy(rng, f"c{number}", tiles.pop(), options, players) for number in range(1, rng.randint(2, 11))
    ]
    furnishings = []
    for number in range(1, rng.randint(2, 6)):
        x, y = tiles.pop() if len(tiles) > 1 else (None, None)
        if x is None:
            break
        is_piano = number == 1 or rng.random() < 0.5
        piece = {"id": f"f{number}", "x": x, "y": y, "health": rng.randint(1, 6), "is_piano": is_piano}
        furnishings.append({**piece, "is_playing": False, "is_destroyed": False})
    bottles = []
    while len(tiles) > 4 and rng.random() < 0.7:
        x, y = tiles.pop()
        number = len(bottles) + 1
        ways = {"direction": rng.choice(DIRECTIONS), "drunk_direction": rng.choice(DIRECTIONS)}
        bottles.append({"id": f"b{number}", "x": x, "y": y, **ways})
    hazards = rng.sample([[x, y] for x in range(1, width - 1) for y in range(1, height - 1)], 5)
    turn = rng.randrange(options["max_turns"])
    return {
        "game": "saloon",
        "current_turn": turn,
        "current_player": turn % 2,
        "next_id": {"cowboy": 20, "furnishing": 20, "bottle": 200},
        "width": width,
        "height": height,
        "hazards": sorted(hazards, key=lambda tile: (tile[1], tile[0])),
        "players": players,
        "cowboys": cowboys,
        "arrivals": [],
        "furnishings": furnishings,
        "bottles": bottles,
    }


def random_cowboy(rng: Random, id_: str, tile: tuple[int, int], options: Document, players: list[Any]) -> Document:
    owner = rng.randrange(2)
    job = rng.choice(JOBS)
    siesta = players[owner]["siesta"]
    state: Document = {"can_move": True, "is_drunk": False, "drunk_direction": "", "turns_busy": 0, "focus": 0}
    fate = rng.random()
    if fate < 0.25:
        busy = rng.randint(1, options["turns_drunk"])
        state.update(can_move=False, is_drunk=True, drunk_direction=rng.choice(DIRECTIONS), turns_busy=busy)
    elif fate < 0.5 and siesta:
        state.update(can_move=False, is_drunk=True, turns_busy=siesta)
    else:
        state["turns_busy"] = rng.choice([0, 0, 0, rng.randint(0, 5)])
        state["focus"] = rng.randint(0, 6) if job == "Sharpshooter" else 0
    health = rng.randint(1, options["cowboy_health"])
    return {
        "id": id_,
        "owner": owner,
        "job": job,
        "x": tile[0],
        "y": tile[1],
        "health": health,
        "is_dead": False,
    } | state


def random_action(rng: Random, state: Any, listed: list[Document]) -> Document:
    """Return a random action, which is mostly legal."""
    if listed and rng.random() < 0.8:
        return listed[0] if rng.random() < 0.15 else rng.choice(listed)
    ids = [*sorted(id_ for id_ in state._entities if id_[0] in "cf"), "c99", "f99", "g0"]
    x, y = rng.randint(-1, state.width), rng.randint(-1, state.height)
    near = [one for one in state.cowboys if one.x is not None]
    if near and rng.random() < 0.8:
        one = rng.choice(near)
        dx, dy = rng.choice([(0, 1), (1, 0), (0, -1), (-1, 0), (0, 0), (1, 1)])
        x, y = one.x + dx, one.y + dy
    kind = rng.choice(["move", "act", "play", "call_in"])
    if kind == "call_in":
        return {"type": kind, "young_gun": rng.choice(["g0", "g1"]), "job": rng.choice([*JOBS, "brawler", "Cook"])}
    if kind == "play":
        return {"type": kind, "cowboy": rng.choice(ids), "furnishing": rng.choice(ids)}
    action = {"type": kind, "cowboy": rng.choice(ids), "x": x, "y": y}
    if kind == "act" and rng.random() < 0.7:
        action["drunk_direction"] = rng.choice([*DIRECTIONS, "east", "", "Up"])
    return action


def compare(second: Any, seed: int, *, with_listing: bool) -> int:
    """Play one game with both implementations, and return the number of submitted actions."""
    rng = Random(seed)
    given = random_options(rng)
    options = GAME.resolve_options(given)
    position = random_position(rng, given)
    state: Any = GAME.load(position, options)
    coin = rng.randrange(2)
    reading = second.Reading(position, options, [coin])
    submitted = 0
    while state.to_move() and submitted < 400:
        listed = state.legal_actions()
        if with_listing:
            assert sorted(map(str, (sorted(one.items()) for one in listed))) == sorted(
                map(str, (sorted(one.items()) for one in reading.legal()))
            )
        action = random_action(rng, state, listed)
        player = state.current_player if rng.random() < 0.95 else 1 - state.current_player
        submitted += 1
        chance = Scripted([coin])
        try:
            state.push(player, action, chance)
            answer = "accepted"
        except IllegalAction as refusal:
            answer = refusal.code
        try:
            reading.push(player, action)
            expected = "accepted"
        except second.Refused as refusal:
            expected = refusal.args[0]
        assert (answer, action) == (expected, action)
        assert state.to_document() == reading.s, (seed, action)
        outcome = state.outcome()
        assert (outcome and (outcome.winner, outcome.reason)) == reading.outcome, (seed, action)
    assert state.to_move() == () or submitted == 400
    return submitted


@pytest.mark.parametrize("seed", range(60))
def test_both_readings_agree(second: Any, seed: int) -> None:
    assert compare(second, seed, with_listing=False) > 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1006))
def test_both_readings_list_the_same_actions(second: Any, seed: int) -> None:
    assert compare(second, seed, with_listing=True) > 0
