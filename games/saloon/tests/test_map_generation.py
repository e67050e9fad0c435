"""Map generation makes the draws of the rules, and symmetric maps."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.game import OptionError, ScriptError, Seeded
from arena_saloon import GAME


def start(draws: dict[str, Any], **options: Any) -> Any:
    first = {"options": options, "setup_draws": draws}
    return GAME.trace.start(GAME, GAME.resolve_options(GAME.trace.options(first)), first)


def draws(plain: int, value: float, hazards: int, *placements: tuple[float, float]) -> dict[str, Any]:
    return {
        "furnishing_pairs": plain,
        "piano_chance": value,
        "hazard_pairs": hazards,
        "placements": [list(placement) for placement in placements],
    }


def test_a_map_drawn_by_hand() -> None:
    state = start(
        draws(
            1,
            0.5,
            2,
            (4.4, 3.5),  # hazard at (4, 4)
            (9.5, 3.2),  # hazard at (10, 3): on the right, so its image (1, 4)
            (0.4, 3.0),  # balcony
            (-3.0, 3.0),  # off the map
            (5.0, 99.0),  # off the map
            (4.0, 4.0),  # piano on the hazard
            (6.0, 2.0),  # piano at (6, 2): image (5, 5)
            (7.0, 3.0),  # taken: the image of (4, 4)
            (5.5, 1.49),  # x is 6: plain furnishing, image (5, 6)
        ),
        width=12,
        height=8,
    )
    assert state.to_document()["hazards"] == [[7, 3], [10, 3], [1, 4], [4, 4]]
    placed = [(thing.id, thing.x, thing.y, thing.is_piano, thing.health) for thing in state.furnishings]
    assert placed == [
        ("f1", 4, 4, True, 48),
        ("f2", 7, 3, True, 48),
        ("f3", 5, 5, True, 48),
        ("f4", 6, 2, True, 48),
        ("f5", 5, 6, False, 16),
        ("f6", 6, 1, False, 16),
    ]
    assert state.to_document()["next_id"] == {"cowboy": 1, "furnishing": 7, "bottle": 1}


def test_a_hazard_drawn_twice_is_used_up() -> None:
    state = start(draws(0, 0.0, 2, (4, 4), (4, 4), (3, 3), (2, 2)), width=12, height=8)
    assert state.to_document()["hazards"] == [[7, 3], [4, 4]]
    assert len(state.furnishings) == 4


@pytest.mark.parametrize(("value", "pianos"), [(0.0, 4), (0.7999, 4), (0.8, 6), (0.9499, 6), (0.95, 8), (0.9999, 8)])
def test_the_number_of_pianos(value: float, pianos: int) -> None:
    places = [(number, number) for number in range(1, 1 + pianos // 2)]
    state = start(draws(0, value, 0, *places))
    assert len(state.furnishings) == pianos == state.piano_count()


def test_a_draw_too_few_is_an_error() -> None:
    with pytest.raises(ScriptError):
        start(draws(0, 0.0, 0, (4, 4)))


@given(
    seed=st.integers(0, 10**9),
    width=st.integers(3, 20).map(lambda half: 2 * half),
    height=st.integers(3, 20).map(lambda half: 2 * half),
    pairs=st.integers(0, 40),
)
def test_every_map_is_symmetric(seed: int, width: int, height: int, pairs: int) -> None:
    chance = Seeded(seed)
    options = {"width": width, "height": height, "max_furnishing_pairs": pairs}
    state: Any = GAME.start(options, chance)
    values = [draw.value for draw in chance.take()]
    document = state.to_document()
    places = {(thing["x"], thing["y"]): thing["is_piano"] for thing in document["furnishings"]}
    assert len(places) == len(document["furnishings"])
    assert {(width - 1 - x, height - 1 - y): piano for (x, y), piano in places.items()} == places
    hazards = [tuple(tile) for tile in document["hazards"]]
    assert hazards == sorted(hazards, key=lambda tile: (tile[1], tile[0]))
    assert {(width - 1 - x, height - 1 - y) for x, y in hazards} == set(hazards)
    assert not any(state.is_balcony(x, y) for x, y in (*places, *hazards))
    for left, right in zip(document["furnishings"][::2], document["furnishings"][1::2], strict=True):
        assert left["x"] < width / 2
        assert (right["x"], right["y"]) == (width - 1 - left["x"], height - 1 - left["y"])
    placements = list(zip(values[3::2], values[4::2], strict=True))
    again = start(draws(values[0], values[1], values[2], *placements), **options)
    assert again.to_document() == document


@pytest.mark.parametrize(
    "options",
    [
        {"width": 7},
        {"height": 9},
        {"width": 4},
        {"max_turns": 0},
        {"turns_drunk": 0},
        {"hazard_damage": -1},
        {"cowboy_health": 1.5},
        {"piano_pair_chances": [0.5, 0.5]},
        {"piano_pair_chances": [0.5, 0.5, 0.5]},
        {"piano_pair_chances": [1.5, -0.5, 0]},
        {"pianos": 3},
    ],
    ids=str,
)
def test_impossible_options(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        GAME.resolve_options(options)


def test_defaults() -> None:
    options = GAME.resolve_options()
    assert (options.width, options.height, options.max_turns, options.sharpshooter_damage) == (22, 12, 192, 4)
    state: Any = GAME.start(options, Seeded(1))
    assert state.jobs == ("Sharpshooter", "Bartender", "Brawler")
    assert state.to_move() == (0,)
    assert [(gun.x, gun.y, tuple(gun.call_in_tile)) for gun in (one.young_gun for one in state.players)] == [
        (0, 0, (1, 1)),
        (21, 11, (20, 10)),
    ]
