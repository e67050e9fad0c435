"""The rulings in the rules, and effects that the worked examples do not cover."""

from typing import Any

import pytest


def kinds(events: list[dict[str, Any]]) -> list[str]:
    return [event["kind"] for event in events]


def test_playing_does_not_touch_focus(kit: Any) -> None:
    stage = kit.Stage([kit.cowboy(0, "Sharpshooter", 4, 4, focus=3)], [kit.piano(5, 4)])
    events = stage.do("play", cowboy="c1", furnishing="f1")
    assert (stage["c1"].focus, stage["c1"].turns_busy, stage["f1"].health) == (3, 1, 47)
    assert (stage["f1"].is_playing, stage.state.players[0].score) == (True, 1)
    assert events == [{"kind": "play", "cowboy": "c1", "piano": "f1", "tile": [5, 4]}]
    stage.end()
    assert (stage["c1"].focus, stage["c1"].turns_busy, stage["f1"].is_playing) == (3, 0, False)


def test_focus_rises_only_in_own_turns_without_any_action(kit: Any) -> None:
    stage = kit.Stage([kit.cowboy(0, "Sharpshooter", 4, 4)])
    stage.end()
    assert stage["c1"].focus == 1
    stage.end()
    assert stage["c1"].focus == 1
    stage.do("move", cowboy="c1", x=4, y=5)
    assert stage["c1"].focus == 0
    stage.end()
    assert (stage["c1"].focus, stage["c1"].can_move) == (0, True)


def test_drunk_in_own_turn_walks_at_once(kit: Any) -> None:
    stage = kit.Stage([kit.cowboy(0, "Bartender", 4, 4), kit.cowboy(0, "Brawler", 5, 4)])
    events = stage.do("act", cowboy="c1", x=5, y=4, drunk_direction="South")
    assert events == [
        {"kind": "splash", "cowboy": "c1", "target": "c2", "tile": [5, 4], "drunk_direction": "South"},
    ]
    stage.end()
    assert (stage.place("c2"), stage["c2"].turns_busy) == ((5, 5), 4)


def test_a_newcomer_hit_while_a_siesta_begins_gets_drunk(kit: Any) -> None:
    stage = kit.Stage(
        [kit.cowboy(0, "Bartender", 4, 4)],
        bottles=[kit.bottle(1, 1, "West", "East")],
        players=({"rowdiness": 7}, {}),
    )
    events = stage.do("call_in", young_gun="g0", job="Sharpshooter")
    assert stage["c1"].is_napping
    newcomer = stage["c50"]
    assert (newcomer.drunk_direction, newcomer.turns_busy, newcomer.can_move) == ("East", 5, False)
    assert kinds(events) == ["bottle_broken", "siesta_begins"]
    stage.end()
    assert (stage.place("c50"), newcomer.turns_busy) == ((2, 1), 4)
    assert (stage["c1"].turns_busy, stage.state.players[0].siesta) == (7, 7)


def test_a_newcomer_who_is_not_hit_stays_awake(kit: Any) -> None:
    stage = kit.Stage(
        [kit.cowboy(0, "Bartender", 4, 4), kit.cowboy(0, "Brawler", 5, 4)],
        players=({"rowdiness": 7}, {}),
    )
    stage.do("call_in", young_gun="g0", job="Sharpshooter")
    stage.do("act", cowboy="c1", x=5, y=4, drunk_direction="South")
    assert not stage["c50"].is_drunk
    assert stage["c1"].is_napping
    assert stage["c1"].turns_busy == 5, "the cool-down comes last; the end of the turn sets the siesta's count"
    stage.do("move", cowboy="c50", x=2, y=1)
    stage.end()
    assert stage["c1"].turns_busy == stage.state.players[0].siesta == 7


def test_the_siesta_starts_anew(kit: Any) -> None:
    stage = kit.Stage(
        [kit.drunk(1, "Brawler", 5, 4, "", 2), kit.cowboy(0, "Bartender", 4, 4)],
        players=({}, {"rowdiness": 7, "siesta": 2}),
    )
    stage.do("act", cowboy="c2", x=5, y=4, drunk_direction="South")
    assert (stage.state.players[1].siesta, stage["c1"].turns_busy, stage["c1"].drunk_direction) == (8, 8, "")


def test_throw_onto_a_bottle_breaks_it(kit: Any) -> None:
    stage = kit.Stage([kit.cowboy(0, "Bartender", 4, 4)], bottles=[kit.bottle(5, 4, "North")])
    events = stage.do("act", cowboy="c1", x=5, y=4, drunk_direction="South")
    assert stage.state.bottles == ()
    assert stage["c1"].turns_busy == 5
    assert events == [{"kind": "bottle_broken", "bottle": "b1", "tile": [5, 4], "on": "throw", "target": None}]


@pytest.mark.parametrize(("x", "y", "on"), [(5, 1, "furnishing"), (4, 0, "balcony")])
def test_throw_against_something_solid(kit: Any, x: int, y: int, on: str) -> None:
    stage = kit.Stage([kit.cowboy(0, "Bartender", 4, 1)], [kit.piano(10, 1), kit.furnishing(5, 1)])
    events = stage.do("act", cowboy="c1", x=x, y=y, drunk_direction="South")
    assert (stage.state.bottles, stage["c1"].turns_busy, stage["f2"].health) == ((), 5, 16)
    assert (kinds(events), events[0]["on"]) == (["bottle_broken"], on)


def test_two_throws_onto_one_tile(kit: Any) -> None:
    stage = kit.Stage([kit.cowboy(0, "Bartender", 4, 4), kit.cowboy(0, "Bartender", 6, 4)])
    stage.do("act", cowboy="c1", x=5, y=4, drunk_direction="South")
    stage.do("act", cowboy="c2", x=5, y=4, drunk_direction="South")
    assert stage.state.bottles == ()


def test_bottles_fly_at_the_end_of_every_turn_and_break(kit: Any) -> None:
    stage = kit.Stage(
        [], [kit.piano(10, 1), kit.furnishing(5, 4)], [kit.bottle(3, 4, "East"), kit.bottle(2, 2, "North")]
    )
    stage.end()
    assert (stage.place("b1"), stage.place("b2")) == ((4, 4), (2, 1))
    events = stage.end()
    assert stage.state.bottles == ()
    assert stage["f2"].health == 16
    assert [(event["on"], event["target"]) for event in events] == [("furnishing", "f2"), ("balcony", None)]


def test_three_bottles_on_one_tile(kit: Any) -> None:
    stage = kit.Stage(
        [],
        bottles=[
            kit.bottle(3, 4, "East"),
            kit.bottle(5, 4, "West"),
            kit.bottle(4, 3, "South"),
            kit.bottle(7, 4, "West"),
        ],
    )
    stage.end()
    assert [bottle.id for bottle in stage.state.bottles] == ["b4"]


def test_a_bottle_that_breaks_on_a_cowboy_meets_no_other(kit: Any) -> None:
    stage = kit.Stage(
        [kit.cowboy(1, "Brawler", 4, 4)], bottles=[kit.bottle(3, 4, "East", "East"), kit.bottle(4, 3, "South", "North")]
    )
    stage.end()
    assert (stage["c1"].drunk_direction, stage.state.players[1].rowdiness) == ("North", 2)


def test_a_bump_costs_an_enemy_his_focus_too(kit: Any) -> None:
    stage = kit.Stage([kit.drunk(0, "Brawler", 4, 4, "East"), kit.cowboy(1, "Sharpshooter", 5, 4, focus=4)])
    events = stage.end()
    assert (stage["c2"].focus, stage["c2"].health, stage.place("c1")) == (0, 9, (4, 4))
    assert kinds(events) == ["bump", "punch"]


def test_walking_to_death(kit: Any) -> None:
    stage = kit.Stage(
        [kit.drunk(0, "Brawler", 1, 4, "West", health=1), kit.cowboy(1, "Brawler", 2, 4)],
    )
    events = stage.end()
    assert stage["c1"] is None
    assert stage.state.players[1].kills == 1
    assert stage["c2"].health == 10, "the dead do not punch"
    assert events == [
        {"kind": "obstacle", "cowboy": "c1", "target": None, "tile": [0, 4]},
        {"kind": "death", "cowboy": "c1", "tile": [1, 4], "cause": "collision"},
    ]


def test_hazards_hurt_everybody_at_the_end_of_every_turn(kit: Any) -> None:
    stage = kit.Stage(
        [kit.cowboy(0, "Brawler", 4, 4), kit.cowboy(1, "Brawler", 8, 4)], hazards=[[4, 4], [8, 4], [9, 4]]
    )
    events = stage.end()
    assert (stage["c1"].health, stage["c2"].health) == (9, 9)
    assert kinds(events) == ["hazard", "hazard"]
    stage.do("move", cowboy="c2", x=9, y=4)
    assert stage["c2"].health == 9
    stage.end()
    assert (stage["c1"].health, stage["c2"].health) == (8, 8)


def test_dying_on_a_hazard_counts_for_the_opponent(kit: Any) -> None:
    stage = kit.Stage([kit.cowboy(0, "Brawler", 4, 4, health=1)], hazards=[[4, 4]])
    events = stage.end()
    assert stage.state.players[1].kills == 1
    assert events[-1] == {"kind": "death", "cowboy": "c1", "tile": [4, 4], "cause": "hazard"}


def test_punches_of_the_owner_only(kit: Any) -> None:
    stage = kit.Stage([kit.cowboy(0, "Brawler", 4, 4), kit.cowboy(1, "Brawler", 5, 4)])
    stage.end()
    assert (stage["c1"].health, stage["c2"].health) == (10, 9)
    stage.end()
    assert (stage["c1"].health, stage["c2"].health) == (9, 9)


def test_the_dead_keep_their_mark_until_the_clean_up(kit: Any) -> None:
    stage = kit.Stage(
        [kit.cowboy(0, "Sharpshooter", 4, 4, focus=2), kit.cowboy(1, "Sharpshooter", 5, 4, health=4, focus=6)]
    )
    stage.do("act", cowboy="c1", x=5, y=4)
    dead = stage["c2"]
    assert (dead.x, dead.y, dead.health, dead.can_move, dead.turns_busy, dead.focus) == (None, None, 0, False, 192, 6)


def test_the_last_piano_in_the_middle_of_a_shot(kit: Any) -> None:
    stage = kit.Stage(
        [kit.cowboy(0, "Sharpshooter", 2, 4, focus=3), kit.cowboy(1, "Brawler", 4, 4, health=1)],
        [kit.piano(3, 4, 1)],
        players=({"score": 1}, {"score": 1, "kills": 1}),
    )
    stage.do("act", cowboy="c1", x=3, y=4)
    assert stage.state.outcome().to_document() == {"winner": 1, "reason": "pianos_destroyed/kills"}
    assert stage["c2"].is_dead
    assert stage.state.players[0].kills == 1


def test_the_first_outcome_stands(kit: Any) -> None:
    stage = kit.Stage(
        [kit.cowboy(0, "Brawler", 5, 3)],
        [kit.piano(6, 3, 1)],
        players=({"score": 1}, {"score": 2}),
        turn=5,
        options={"max_turns": 6},
    )
    stage.end()
    assert stage.state.outcome().to_document() == {"winner": 1, "reason": "pianos_destroyed/score"}


def test_a_game_without_pianos_ends_with_the_first_turn(kit: Any) -> None:
    stage = kit.Stage([], [kit.furnishing(3, 3)], players=({}, {"kills": 1}))
    stage.end()
    assert stage.state.outcome().to_document() == {"winner": 1, "reason": "pianos_destroyed/kills"}
    assert stage.state.current_turn == 0


@pytest.mark.parametrize(
    ("players", "draws", "expected"),
    [
        (({"score": 2}, {"score": 1, "kills": 9}), [], (0, "max_turns/score")),
        (({"score": 2}, {"score": 2, "kills": 9}), [], (1, "max_turns/kills")),
        (({"score": 2}, {"score": 2}), [1], (1, "max_turns/coin_flip")),
        (({"score": 2}, {"score": 2}), [0], (0, "max_turns/coin_flip")),
    ],
)
def test_the_turn_limit(kit: Any, players: Any, draws: list[int], expected: tuple[int, str]) -> None:
    stage = kit.Stage([], players=players, turn=9, player=1, options={"max_turns": 10})
    stage.do("end_turn", draws)
    outcome = stage.state.outcome()
    assert (outcome.winner, outcome.reason) == expected
    assert (stage.state.current_turn, stage.state.current_player) == (9, 1)


def test_a_crushed_plain_furnishing(kit: Any) -> None:
    stage = kit.Stage([], [kit.piano(10, 1), kit.furnishing(1, 1)])
    events = stage.do("call_in", young_gun="g0", job="Brawler")
    assert (stage["f2"].is_destroyed, stage["f2"].health, stage["f2"].x) == (True, 0, None)
    assert events == [{"kind": "crush", "young_gun": "g0", "target": "f2", "tile": [1, 1]}]
    stage.end()
    assert stage["f2"] is None


def test_no_damage_at_all_is_allowed(kit: Any) -> None:
    stage = kit.Stage([kit.cowboy(0, "Brawler", 4, 4), kit.cowboy(1, "Brawler", 5, 4)], options={"brawler_damage": 0})
    stage.end()
    assert stage["c2"].health == 10


def test_events_of_a_siesta_that_ends(kit: Any) -> None:
    stage = kit.Stage([kit.drunk(0, "Sharpshooter", 4, 4, "", 1)], players=({"siesta": 1}, {}))
    events = stage.end()
    assert events == [{"kind": "siesta_ends", "player": 0}, {"kind": "sober", "cowboy": "c1"}]
    assert (stage["c1"].can_move, stage["c1"].focus) == (True, 0)
