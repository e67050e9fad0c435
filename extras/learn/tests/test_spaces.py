from random import Random

import muster_game as muster
import numpy as np
import pytest
from learn_games import HOUSE, NAMES, ORDERS, game

import arena_learn
from arena.errors import ArenaError
from arena.game import Seeded
from arena.play.memory import MatchInMemory
from arena_learn.spaces import Actions, Layout, Tracker, features
from arena_learn.spaces.features import bounds_of, names_of
from arena_learn.spaces.making import layout_of
from arena_learn.spaces.planes import Planes


@pytest.mark.parametrize("name", NAMES)
def test_numbers_of_actions_stand_for_one_action_each_and_go_both_ways(name: str) -> None:
    spec = game(name)
    layout = layout_of(spec)
    state = spec.start(chance=Seeded("1/setup"))
    rng, dice = Random(1), Seeded("1/play")
    trackers = [Tracker(layout, player) for player in range(layout.players)]
    acting = [Actions(tracker) for tracker in trackers]
    for tracker in trackers:
        tracker.start(state.view(tracker.player))
    for _ in range(150):
        if not (to_move := state.to_move()):
            break
        player = to_move[0]
        actions = acting[player]
        documents = state.legal_actions(player)
        legal = actions.note(documents)
        assert len(legal) == len(documents) - actions.cut_off
        assert actions.cut_off == 0
        mask = actions.mask()
        assert mask.sum() == len(legal)
        actions.legal = {}  # so that the number alone says which action it is
        for number, document in legal.items():
            assert 0 < number < layout.action_count
            made = actions.action(number)
            assert made is not None
            assert state.decode(made)[1:] == state.decode(document)[1:]
            assert actions.numbers(made) == (number,)
        mark = state.push(player, rng.choice(documents), dice)
        for tracker in trackers:
            tracker.apply(state.delta(mark, tracker.player))
        state.commit()
    for tracker in trackers:
        assert np.abs(tracker.numbers).max() <= 1
        fresh = Tracker(layout, tracker.player)
        fresh.start(state.view(tracker.player))
        assert sorted(map(tuple, blocks(fresh))) == sorted(map(tuple, blocks(tracker)))


def blocks(tracker: Tracker) -> list[list[float]]:
    """Return the rows of all tables. After a while, objects are in other rows than in a tracker that starts now."""
    rows = []
    for number, table in enumerate(tracker.layout.tables):
        references = {offset for (name, _), (offset, _) in tracker._references.items() if name == table.name}
        for row in range(table.rows):
            base = table.first + row * table.width
            found = tracker.numbers[base : base + table.width].tolist()
            side = float(row < table.own)
            rows.append([number, side, *(0.0 if place in references else one for place, one in enumerate(found))])
    return rows


@pytest.mark.parametrize("name", NAMES)
def test_every_number_has_a_name(name: str) -> None:
    layout = layout_of(game(name))
    names = layout.observation_names()
    assert len(names) == len(set(names)) == layout.observation_size
    actions = layout.action_names()
    assert len(actions) == len(set(actions)) == layout.action_count


def test_a_layout_is_plain_json_and_comes_back() -> None:
    layout = layout_of("saloon")
    assert Layout.from_document(layout.to_document()) == layout
    assert layout_of("saloon") is layout
    assert layout.hash != layout_of("saloon", cowboy_health=5).hash


def test_names_of_numbers() -> None:
    layout = layout_of("saloon")
    tracker = Tracker(layout, 1)
    state = game("saloon").start(chance=Seeded("7/setup"))
    tracker.start(state.view(1))
    named = dict(zip(layout.observation_names(), tracker.numbers.tolist(), strict=True))
    gun = next(one for one in state.entities() if type(one).__name__ == "YoungGun" and one.owner == 1)
    assert named["YoungGun[own 0].x"] == pytest.approx(gun.x / 22)
    assert named["YoungGun[own 0].owner is seat +0"] == 1
    assert named["YoungGun[other 0].owner is seat +1"] == 1
    assert "move Cowboy[own 2] +1,+0" in layout.action_names()


@pytest.mark.parametrize("name", ORDERS)
def test_an_order_is_a_unit_and_what_it_does(name: str) -> None:
    spec = game(name)
    layout = layout_of(spec)
    tracker = Tracker(layout, 1)
    state = spec.start(chance=Seeded("1/setup"))
    tracker.start(state.view(1))
    actions = Actions(tracker)
    (form,) = state.legal_actions(0 if name == "frontier" else 1)
    actions.note([form])
    names, orders = layout.action_names(), layout.orders
    assert orders is not None
    if name == "frontier":  # those are the units of the other player, who have no numbers here
        assert (list(actions.legal), actions.cut_off) == ([0], sum(map(len, form["orders"]["choices"])))
        return
    groups = form["orders"]["choices"]
    assert actions.cut_off == 0
    assert names[0] == "end of the list"
    before = tracker.numbers.copy()
    wanted = [groups[7][2], groups[0][0], groups[3][4]]
    numbers = actions.numbers(form | {"orders": wanted})
    assert [names[number] for number in numbers] == [
        "command Robot[own 7] what=east",
        "command Robot[own 0] what=dig",
        "command Robot[own 3] what=west",
        "end of the list",
    ]
    for place, number in enumerate(numbers[:-1]):
        assert actions.mask()[number]
        assert actions.take(number) is None
        assert actions.mask().sum() == 1 + sum(map(len, groups)) - 5 * (place + 1)
    changed = np.flatnonzero(tracker.numbers != before)
    assert [layout.observation_names()[place] for place in changed] == [f"Robot[own {row}].order" for row in (0, 3, 7)]
    assert actions.take(0) == form | {"orders": wanted}
    actions.note([form])
    assert (tracker.numbers == before).all()
    rows = actions.rows()
    assert rows.shape == (len(groups), 6)
    assert rows.all()
    chosen = [0] * len(groups)
    chosen[7], chosen[0], chosen[3] = 3, 1, 5
    assert actions.together(chosen) == form | {"orders": sorted(wanted, key=lambda order: int(order[0][1:]))}
    assert actions.together([6] * len(groups)) is None
    state.push(1, actions.together(chosen) or {}, Seeded("1/play"))


def test_lists_whose_units_all_need_an_order_and_other_actions_beside() -> None:
    spec = muster.spec()
    layout = layout_of(spec)
    state = spec.start(chance=Seeded("1/setup"))
    tracker = Tracker(layout, 0)
    tracker.start(state.view(0))
    actions = Actions(tracker)
    legal = actions.note(state.legal_actions(0))
    names = layout.action_names()
    assert 0 not in legal, "a list without orders is illegal"
    assert {names[number] for number in legal} == {
        "pass",
        *(f"send Band[own {row}] {move}" for row in (0, 1) for move in ("+1,+0", "+0,+1")),
    }
    rows = actions.rows()
    assert rows[:, :3].tolist() == [[1, 1, 0], [0, 0, 1], [0, 0, 1]] or rows[0].tolist()[:2] == [1, 1]
    first = next(number for number in legal if names[number].startswith("send"))
    assert actions.take(first) is None
    assert 0 not in actions.legal
    assert actions.take(next(iter(actions.legal))) is None
    assert list(actions.legal) == [0]
    action = actions.take(0)
    assert action is not None
    state.push(0, action)


def test_an_array_for_the_grid_is_a_layer() -> None:
    layout = layout_of(game("harvest"))
    state = game("harvest").start(chance=Seeded("1/setup"))
    tracker = Tracker(layout, 0)
    tracker.start(state.view(0))
    drawn = Planes(tracker).draw()[0]
    ore = np.frombuffer(state.ore, np.uint8).reshape(24, 24)
    assert "Harvest.ore" not in layout.left_out
    assert (drawn == ore / layout.planes[0].scale).all()
    assert drawn.max() > 0


def test_small_lists_have_fixed_numbers() -> None:
    spec = muster.spec()
    layout = layout_of(spec, hands=True)
    names = layout.action_names()
    assert [name for name in names if name.startswith("show")] == [
        f"show cards={cards}" for cards in ((), (1,), (2,), (1, 1), (1, 2), (2, 1), (2, 2))
    ]
    state = spec.start({"hands": True}, Seeded("1/setup"))
    tracker = Tracker(layout, 0)
    tracker.start(state.view(0))
    actions = Actions(tracker)
    actions.note(state.legal_actions(0))
    shown = {"type": "show", "cards": [2, 1]}
    (number,) = actions.numbers(shown)
    assert names[number] == "show cards=(2, 1)"
    assert actions.action(number) == actions.legal[number] == shown


@pytest.mark.parametrize("name", HOUSE)
def test_numbers_stay_within_the_bounds_that_their_game_declares(name: str) -> None:
    """Three matches of built-in bots, who get further than the random play of the probe."""
    spec = game(name)
    layout = layout_of(spec)
    declared = bounds_of(name, spec.resolve_options({}))
    scales = {f"{table.name}.{one.field}": one.scale for table in layout.tables for one in table.columns}
    assert declared
    assert {field: scales[field] for field in declared} == declared
    for seed in range(3):
        match = MatchInMemory(spec, [f"builtin:{spec.bots[1].name}"] * layout.players, seed=seed, raises=True)
        for _ in match.turns():
            for field, most in declared.items():
                kind, _, attribute = field.partition(".")
                values = [getattr(one, attribute) for one in match.state.entities() if type(one).__name__ == kind]
                values += [getattr(match.state, attribute)] if kind == type(match.state).__name__ else []
                assert all(value is None or abs(value) <= most for value in values), field


def test_features_of_a_game() -> None:
    env = arena_learn.seat("snakes", "builtin:hatchling", players=2, features=True)
    observation, _ = env.reset(seed=3)
    names = names_of("snakes")
    assert env.observation_space.contains(observation)
    seen = 0
    while observation["action_mask"][1:].any():
        found = dict(zip(names, observation["features"].tolist(), strict=True))
        tracker = env._actions[0].tracker
        head, neck = next(one.values["body"] for one in tracker.things.values() if one.values.get("owner") == 0)[:2]
        for direction, (x, y) in {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}.items():
            place = [head[0] + x, head[1] + y]
            if place == list(neck) != list(head) or not all(0 <= one < 11 for one in place):
                assert found[f"{direction}.deadly"] == 1
                assert found[f"{direction}.space"] == 0
                seen += 1
            elif not found[f"{direction}.deadly"]:
                assert 0 < found[f"{direction}.space"] <= 1
                assert 0 < found[f"{direction}.own_space"] <= 1
        moves = np.flatnonzero(observation["action_mask"])
        safe = [move for move in moves if not found[f"{('up', 'down', 'left', 'right')[move - 1]}.deadly"]]
        observation, _, done, _, _ = env.step(int((safe or moves)[0]))
        if done:
            break
    assert seen > 5
    with pytest.raises(ArenaError, match="saloon has no features"):
        arena_learn.seat("saloon", features=True)


@pytest.mark.parametrize("value", [[0.5], [0.5, "x"], [float("nan"), 0], None])
def test_features_that_are_no_numbers(monkeypatch: pytest.MonkeyPatch, value: object) -> None:
    class Wrong:
        NAMES = ("one", "two")

        @staticmethod
        def features(_things: object, _player: int) -> object:
            return value

    monkeypatch.setattr(features, "module_of", lambda _game: Wrong)
    drawn = features.Features(Tracker(layout_of("saloon"), 0))
    with pytest.raises(features.FeaturesError, match="The features of saloon are no 2 numbers"):
        drawn.draw()
    with pytest.raises(features.FeaturesError, match="other features"):
        features.Features(Tracker(layout_of("saloon"), 0), ("three",))


def test_what_a_player_does_not_see_changes_no_number() -> None:
    spec = game("kuhn_poker")
    layout = layout_of(spec)
    seen = set()
    for seed in range(40):
        state = spec.start(chance=Seeded(f"{seed}/setup"))
        if state.seats[0].card != 2:
            continue
        tracker = Tracker(layout, 0)
        tracker.start(state.view(0))
        seen.add((state.seats[1].card, tracker.numbers.tobytes()))
    assert len({card for card, _ in seen}) == 2
    assert len({numbers for _, numbers in seen}) == 1
