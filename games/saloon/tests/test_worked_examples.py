"""The fifteen worked examples of the rules."""

from typing import Any

import pytest


def test_01_five_walks_and_the_cooldown(kit: Any) -> None:
    stage = kit.Stage([kit.cowboy(0, "Bartender", 2, 3), kit.cowboy(1, "Sharpshooter", 4, 3, focus=3)])
    stage.do("act", cowboy="c1", x=3, y=3, drunk_direction="South")
    assert stage.place("b50") == (3, 3)
    assert (stage["b50"].direction, stage["b50"].drunk_direction) == ("East", "South")
    assert stage["c1"].turns_busy == 5
    assert stage.refusal("act", cowboy="c1", x=3, y=3, drunk_direction="South") == "busy"
    stage.end()
    assert stage["b50"] is None
    hit = stage["c2"]
    assert (hit.is_drunk, hit.drunk_direction, hit.turns_busy, hit.focus) == (True, "South", 5, 0)
    assert stage.state.players[1].rowdiness == 1
    assert stage["c1"].turns_busy == 4
    for action in ("move", "act"):
        assert stage.refusal(action, cowboy="c2", x=4, y=4) == "drunk"
    busy = {2: ((4, 4), 4), 4: ((4, 5), 3), 6: ((4, 6), 2)}
    for turn in range(2, 8):
        stage.end()
        assert stage.state.current_turn == turn
        if turn in busy:
            assert (stage.place("c2"), hit.turns_busy) == busy[turn]
    stage.end()
    assert (stage.place("c2"), hit.health, hit.turns_busy) == ((4, 6), 9, 1)
    assert stage.state.current_turn == 8
    assert stage["c1"].turns_busy == 1
    assert stage.refusal("act", cowboy="c1", x=3, y=3, drunk_direction="South") == "busy"
    stage.end(2)
    assert (hit.health, hit.is_drunk, hit.can_move) == (8, False, True)
    stage.do("act", cowboy="c1", x=3, y=3, drunk_direction="South")


def siesta(kit: Any) -> Any:
    stage = kit.Stage(
        [
            kit.cowboy(1, "Brawler", 5, 3),
            kit.cowboy(1, "Sharpshooter", 7, 3, focus=2),
            kit.cowboy(0, "Bartender", 4, 3),
        ],
        players=({}, {"rowdiness": 7}),
    )
    stage.do("act", cowboy="c3", x=5, y=3, drunk_direction="West")
    assert (stage.state.players[1].rowdiness, stage.state.players[1].siesta) == (0, 8)
    for id_ in ("c1", "c2"):
        assert stage[id_].is_napping
        assert (stage[id_].turns_busy, stage[id_].focus) == (8, 0)
    stage.end()
    assert stage.refusal("move", cowboy="c1", x=5, y=4) == "drunk"
    stage.do("call_in", young_gun="g1", job="Bartender")
    assert stage.place("c50") == (10, 6)
    stage.do("move", cowboy="c50", x=9, y=6)
    stage.end()
    assert (stage.state.players[1].siesta, stage["c1"].turns_busy, stage["c2"].turns_busy) == (7, 7, 7)
    return stage


def test_02_siesta_and_a_newcomer(kit: Any) -> None:
    stage = siesta(kit)
    stage.end()
    stage.do("act", cowboy="c50", x=8, y=6, drunk_direction="North")
    stage.do("move", cowboy="c50", x=8, y=6)
    assert (stage["c50"].is_drunk, stage["c50"].drunk_direction) == (True, "North")
    assert stage.state.players[1].rowdiness == 1
    player = stage.state.players[1]
    for clock in (6, 5, 4, 3, 2, 1, 0):
        stage.end()
        assert player.siesta == clock
        assert stage["c1"].turns_busy == clock
        assert (stage["c1"].is_napping, stage["c2"].is_napping) == (clock > 0, clock > 0)
        stage.end()
    assert stage.state.current_turn == 17
    stage.do("move", cowboy="c1", x=5, y=4)
    stage.do("move", cowboy="c2", x=7, y=4)


def test_03_a_hit_on_a_napper_and_a_punch_in_sleep(kit: Any) -> None:
    stage = siesta(kit)
    stage.do("move", cowboy="c3", x=4, y=4)  # out of reach of the napping Brawler
    stage.end()
    stage.do("act", cowboy="c50", x=8, y=6, drunk_direction="North")
    stage.do("move", cowboy="c50", x=8, y=6)
    stage.end(7)
    assert stage.state.current_turn == 10
    health = stage["c3"].health
    stage.do("move", cowboy="c3", x=4, y=3)
    stage.do("act", cowboy="c3", x=5, y=3, drunk_direction="East")
    player = stage.state.players[1]
    assert player.rowdiness == 2
    assert stage["c1"].is_napping
    assert stage["c1"].turns_busy == player.siesta == 3
    stage.end(2)
    assert stage["c3"].health == health - 1


def test_04_flight(kit: Any) -> None:
    stage = kit.Stage(
        [kit.cowboy(1, "Bartender", 5, 5)],
        bottles=[
            kit.bottle(2, 1, "East"),
            kit.bottle(3, 1, "West"),
            kit.bottle(5, 1, "East"),
            kit.bottle(7, 1, "West"),
            kit.bottle(4, 5, "East", "South"),
            kit.bottle(6, 5, "West", "West"),
            kit.bottle(2, 3, "East", id="b9"),
            kit.bottle(3, 3, "East", id="b10"),
            kit.bottle(6, 3, "South", id="b11"),
            kit.bottle(7, 4, "West", id="b12"),
        ],
    )
    events = stage.end()
    assert stage.place("b1") == (3, 1)
    assert stage.place("b2") == (2, 1)
    assert (stage.place("b9"), stage.place("b10")) == ((3, 3), (4, 3))
    assert [bottle.id for bottle in stage.state.bottles] == ["b1", "b2", "b9", "b10"]
    hit = stage["c1"]
    assert (hit.is_drunk, hit.drunk_direction, hit.turns_busy) == (True, "West", 5)
    assert stage.state.players[1].rowdiness == 2
    broken = {event["bottle"]: event["on"] for event in events if event["kind"] == "bottle_broken"}
    assert broken == {"b5": "cowboy", "b6": "cowboy", "b3": "bottle", "b4": "bottle", "b11": "bottle", "b12": "bottle"}


def test_05_shot(kit: Any) -> None:
    stage = kit.Stage(
        [
            kit.cowboy(0, "Sharpshooter", 2, 3, focus=4),
            kit.cowboy(1, "Brawler", 3, 3, health=4),
            kit.cowboy(0, "Bartender", 4, 3),
        ],
        [kit.piano(10, 1), kit.furnishing(5, 3, 3), kit.furnishing(7, 3)],
        [kit.bottle(6, 3, "East")],
    )
    events = stage.do("act", cowboy="c1", x=3, y=3)
    assert stage["c2"].is_dead
    assert stage.state.players[0].kills == 1
    assert stage["c3"].health == 6
    assert stage["f2"].is_destroyed
    assert stage.state.bottles == ()
    assert stage["f3"].health == 16
    assert (stage["c1"].focus, stage["c1"].turns_busy) == (0, 1)
    assert not stage["c3"].is_drunk
    shot = events[0]
    assert shot["tiles"] == [[3, 3], [4, 3], [5, 3], [6, 3]]
    assert shot["hits"] == ["c2", "c3", "f2", "b1"]
    stage.do("move", cowboy="c1", x=2, y=2)


def test_06_shot_at_the_balcony(kit: Any) -> None:
    stage = kit.Stage([kit.cowboy(0, "Sharpshooter", 1, 1, focus=5)])
    events = stage.do("act", cowboy="c1", x=0, y=1)
    assert events == [{"kind": "shot", "cowboy": "c1", "direction": "West", "tiles": [], "hits": []}]
    assert (stage["c1"].focus, stage["c1"].turns_busy) == (0, 1)


def test_07_bumps_and_the_order_of_the_list(kit: Any) -> None:
    stage = kit.Stage(
        [
            kit.cowboy(0, "Sharpshooter", 5, 3, focus=2),
            kit.drunk(0, "Bartender", 4, 3, "East"),
            kit.drunk(0, "Bartender", 4, 5, "East"),
            kit.cowboy(0, "Sharpshooter", 5, 5, focus=2),
        ]
    )
    stage.end()
    assert [stage.place(id_) for id_ in ("c1", "c2", "c3", "c4")] == [(5, 3), (4, 3), (4, 5), (5, 5)]
    assert (stage["c1"].focus, stage["c4"].focus) == (0, 1)


def test_08_drunken_brawler(kit: Any) -> None:
    stage = kit.Stage(
        [kit.drunk(0, "Brawler", 8, 2, "South", 2), kit.cowboy(1, "Sharpshooter", 9, 3, health=1)],
        [kit.piano(1, 6), kit.furnishing(8, 4)],
    )
    stage.end()
    assert stage.place("c1") == (8, 3)
    assert stage["f2"].health == 15
    assert stage["c2"] is None
    assert stage.state.players[0].kills == 1
    stage.end(2)
    assert (stage["c1"].health, stage["c1"].is_drunk) == (9, False)
    assert stage["f2"].health == 14


def test_09_walk_onto_a_bottle(kit: Any) -> None:
    stage = kit.Stage([kit.drunk(0, "Bartender", 3, 4, "East", 1)], bottles=[kit.bottle(4, 4, "North", "East")])
    stage.end()
    assert (stage.place("c1"), stage["c1"].drunk_direction, stage["c1"].turns_busy) == ((4, 4), "East", 5)
    for _ in range(5):
        assert stage["c1"].is_drunk
        stage.end(2)
    assert stage.place("c1") == (9, 4)
    assert not stage["c1"].is_drunk


def test_10_a_siesta_born_in_the_walk_step(kit: Any) -> None:
    stage = kit.Stage(
        [
            kit.cowboy(0, "Sharpshooter", 2, 2, focus=1),
            kit.drunk(0, "Bartender", 4, 4, "East"),
            kit.cowboy(0, "Sharpshooter", 2, 6, focus=1),
        ],
        bottles=[kit.bottle(5, 4, "North")],
        players=({"rowdiness": 3}, {}),
        options={"rowdiness_to_siesta": 4, "siesta_length": 3},
    )
    stage.end()
    player = stage.state.players[0]
    assert (player.siesta, player.rowdiness) == (3, 0)
    for id_ in ("c1", "c2", "c3"):
        assert stage[id_].is_napping
        assert (stage[id_].turns_busy, stage[id_].focus) == (3, 0)
    assert stage.place("c2") == (5, 4)
    for _ in range(3):
        assert all(stage[id_].is_napping for id_ in ("c1", "c2", "c3"))
        stage.end(2)
    assert not any(stage[id_].is_drunk for id_ in ("c1", "c2", "c3"))


def test_11_call_in(kit: Any) -> None:
    stage = kit.Stage(
        [kit.cowboy(0, "Sharpshooter", 3, 1, focus=3), kit.cowboy(1, "Brawler", 1, 1, health=4)],
        options={"cowboy_health": 4},
    )
    stage.do("call_in", young_gun="g0", job="Sharpshooter")
    assert stage["c2"].is_dead
    assert stage.state.players[0].kills == 1
    assert stage.place("c50") == (1, 1)
    assert stage.state.value is stage["c50"]
    stage.do("move", cowboy="c50", x=2, y=1)
    stage.do("act", cowboy="c1", x=2, y=1)
    assert stage["c50"].is_dead
    assert stage.state.arrivals == (stage["c50"],)
    assert stage.state.players[1].kills == 1
    assert stage.refusal("move", cowboy="c50", x=2, y=2) == "dead"
    assert stage.refusal("call_in", young_gun="g0", job="Bartender") == "already_called_in"
    stage.end()
    assert [one.id for one in stage.state.cowboys] == ["c1"]
    assert stage.state.arrivals == ()


def test_11_no_third_brawler(kit: Any) -> None:
    stage = kit.Stage([kit.cowboy(0, "Brawler", 3, 3), kit.cowboy(0, "Brawler", 5, 5)])
    assert stage.refusal_and_message("call_in", young_gun="g0", job="Brawler") == (
        "job_limit",
        "no more than 2 of that job",
    )
    stage.do("call_in", young_gun="g0", job="Bartender")


@pytest.mark.parametrize("winner", [0, 1])
def test_12_coin_flip(kit: Any, winner: int) -> None:
    stage = kit.Stage([], [kit.piano(1, 1)], players=({"score": 3, "kills": 1}, {"score": 3, "kills": 1}))
    stage.do("call_in", [winner], young_gun="g0", job="Brawler")
    assert stage.state.outcome().to_document() == {"winner": winner, "reason": "pianos_destroyed/coin_flip"}
    assert stage.place("c50") == (1, 1)
    assert stage["f1"].health == 0
    assert stage.state.to_move() == ()
    assert stage.state.legal_actions() == []
    assert stage.refusal_and_message("end_turn") == ("game_over", "the game is over")


def test_13_between_the_turns(kit: Any) -> None:
    stage = kit.Stage(
        [
            kit.cowboy(0, "Brawler", 5, 3),
            kit.cowboy(0, "Brawler", 7, 3),
            kit.cowboy(1, "Sharpshooter", 8, 3, health=1),
        ],
        [kit.piano(6, 3, 2)],
        players=({"score": 2}, {"score": 2}),
    )
    stage.end()
    assert stage.state.outcome().to_document() == {"winner": 0, "reason": "pianos_destroyed/kills"}
    assert (stage.state.current_turn, stage.state.current_player) == (0, 0)
    assert stage.state.furnishings == ()


def test_14_out_of_reach(kit: Any) -> None:
    stage = kit.Stage([], turn=10, players=({"score": 5}, {}), options={"max_turns": 20})
    stage.end(2)
    assert stage.state.outcome() is None
    stage.end()
    assert stage.state.outcome().to_document() == {"winner": 0, "reason": "out_of_reach/score"}
    assert stage.state.current_turn == 12


def test_15_young_guns(kit: Any) -> None:
    stage = kit.Stage([], [kit.piano(10, 5)], options={"width": 22, "height": 12})
    gun = stage["g0"]
    places = {1: ((1, 0), (1, 1)), 21: ((21, 0), (20, 1)), 22: ((21, 1), (20, 1)), 64: ((0, 0), (1, 1))}
    for number in range(1, 65):
        stage.end(2)
        if number in places:
            assert ((gun.x, gun.y), tuple(gun.call_in_tile)) == places[number]


def test_15_the_first_newcomer_is_crushed_by_the_second(kit: Any) -> None:
    stage = kit.Stage([], [kit.piano(10, 5)], options={"width": 22, "height": 12})
    stage.do("call_in", young_gun="g0", job="Brawler")
    stage.end(2)
    events = stage.do("call_in", young_gun="g0", job="Brawler")
    assert stage["c50"].is_dead
    assert stage.state.players[1].kills == 1
    assert [event["kind"] for event in events] == ["crush", "death"]
