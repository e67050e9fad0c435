"""All refusal codes, their messages, and their order."""

from typing import Any

import pytest


@pytest.fixture
def stage(kit: Any) -> Any:
    """Set up a position with one obstacle of each kind."""
    return kit.Stage(
        [
            kit.cowboy(0, "Sharpshooter", 2, 2, focus=1),
            kit.cowboy(0, "Bartender", 4, 2),
            kit.cowboy(0, "Brawler", 6, 2),
            kit.cowboy(1, "Brawler", 2, 3),
            kit.drunk(0, "Bartender", 8, 2, "North"),
            kit.drunk(0, "Sharpshooter", 8, 5, "", 3),
            kit.cowboy(0, "Brawler", 1, 6),
        ],
        [kit.piano(3, 2), kit.furnishing(4, 3), kit.piano(6, 3, is_playing=True), kit.piano(10, 1)],
        players=({"siesta": 3}, {}),
    )


GARBAGE = [
    (None, "type"),
    ("end_turn", "type"),
    ({}, "type"),
    ({"type": "dance"}, "type"),
    ({"type": ["move"]}, "type"),
    ({"type": "move"}, "cowboy"),
    ({"type": "move", "cowboy": 1, "x": 2, "y": 1}, "cowboy"),
    ({"type": "move", "cowboy": "c99", "x": 2, "y": 1}, "cowboy"),
    ({"type": "move", "cowboy": "f1", "x": 2, "y": 1}, "cowboy"),
    ({"type": "move", "cowboy": "game", "x": 2, "y": 1}, "cowboy"),
    ({"type": "move", "cowboy": "c1", "y": 1}, "x"),
    ({"type": "move", "cowboy": "c1", "x": 2}, "y"),
    ({"type": "move", "cowboy": "c1", "x": 2.0, "y": 1}, "x"),
    ({"type": "move", "cowboy": "c1", "x": True, "y": 1}, "x"),
    ({"type": "move", "cowboy": "c1", "x": None, "y": 1}, "x"),
    ({"type": "move", "cowboy": "c1", "x": -1, "y": 1}, "x"),
    ({"type": "move", "cowboy": "c1", "x": 12, "y": 1}, "x"),
    ({"type": "move", "cowboy": "c1", "x": 2, "y": 8}, "y"),
    ({"type": "play", "cowboy": "c1"}, "furnishing"),
    ({"type": "play", "cowboy": "c1", "furnishing": "c2"}, "furnishing"),
    ({"type": "act", "cowboy": "c2", "x": 4, "y": 1, "drunk_direction": "Up"}, "drunk_direction"),
    ({"type": "act", "cowboy": "c1", "x": 2, "y": 1, "drunk_direction": None}, "drunk_direction"),
    ({"type": "call_in", "young_gun": "g0"}, "job"),
    ({"type": "call_in", "young_gun": "g0", "job": "Barber"}, "job"),
    ({"type": "call_in", "young_gun": "c1", "job": "Brawler"}, "young_gun"),
    ({"type": "call_in", "job": "Brawler"}, "young_gun"),
]


@pytest.mark.parametrize(("action", "key"), GARBAGE, ids=str)
@pytest.mark.parametrize("player", [0, 1])
def test_bad_arguments_come_before_the_turn(stage: Any, action: Any, key: str, player: int) -> None:
    from arena.game import IllegalAction

    with pytest.raises(IllegalAction) as refusal:
        stage.state.push(player, action)
    assert (refusal.value.code, refusal.value.message) == ("bad_argument", f"bad value for {key}")


def test_not_your_turn_comes_before_not_yours(stage: Any) -> None:
    message = ("not_your_turn", "it is not your turn")
    assert stage.refusal_and_message("end_turn", 1) == message
    assert stage.refusal_and_message("move", 1, cowboy="c1", x=2, y=1) == message
    assert stage.refusal_and_message("call_in", 1, young_gun="g1", job="Brawler") == message


def test_game_over_comes_first(kit: Any) -> None:
    stage = kit.Stage([], turn=5, players=({"score": 1}, {}), options={"max_turns": 6})
    stage.end()
    for player in (0, 1):
        assert stage.refusal_and_message("nonsense", player) == ("game_over", "the game is over")


def test_call_in(stage: Any) -> None:
    assert stage.refusal_and_message("call_in", young_gun="g1", job="Brawler") == ("not_yours", "not your young gun")
    assert stage.refusal_and_message("call_in", young_gun="g0", job="Brawler") == (
        "job_limit",
        "no more than 2 of that job",
    )
    assert stage.refusal("call_in", young_gun="g0", job="Bartender") == "job_limit"


def test_already_called_in_comes_before_the_limit(kit: Any) -> None:
    stage = kit.Stage([kit.cowboy(0, "Brawler", 5, 5)], options={"max_cowboys_per_job": 1})
    stage.do("call_in", young_gun="g0", job="Bartender")
    assert stage.refusal_and_message("call_in", young_gun="g0", job="Brawler") == (
        "already_called_in",
        "only one call-in per turn",
    )


def test_one_who_died_this_turn_frees_his_place(kit: Any) -> None:
    shooter = kit.cowboy(0, "Sharpshooter", 4, 5, focus=1)
    stage = kit.Stage(
        [kit.cowboy(0, "Brawler", 5, 5, health=1), shooter],
        options={"max_cowboys_per_job": 1},
    )
    assert stage.refusal("call_in", young_gun="g0", job="Brawler") == "job_limit"
    stage.do("act", cowboy="c2", x=5, y=5)
    stage.do("call_in", young_gun="g0", job="brawler")


def test_one_about_to_be_crushed_still_counts(kit: Any) -> None:
    stage = kit.Stage([kit.cowboy(0, "Brawler", 1, 1)], options={"max_cowboys_per_job": 1})
    assert stage.refusal("call_in", young_gun="g0", job="Brawler") == "job_limit"


COMMANDS = [
    ("move", {"x": 2, "y": 2}),
    ("act", {"x": 2, "y": 2, "drunk_direction": "East"}),
    ("play", {"furnishing": "f2"}),
]


@pytest.mark.parametrize(("action", "arguments"), COMMANDS, ids=str)
def test_all_commands(stage: Any, action: str, arguments: dict[str, Any]) -> None:
    assert stage.refusal_and_message(action, cowboy="c4", **arguments) == ("not_yours", "not your cowboy")
    assert stage.refusal_and_message(action, cowboy="c5", **arguments) == ("drunk", "he is drunk")
    assert stage.refusal_and_message(action, cowboy="c6", **arguments) == ("drunk", "he is drunk")


@pytest.mark.parametrize(("action", "arguments"), COMMANDS, ids=str)
def test_the_dead(kit: Any, action: str, arguments: dict[str, Any]) -> None:
    stage = kit.Stage(
        [kit.cowboy(0, "Sharpshooter", 4, 4, focus=1), kit.cowboy(0, "Bartender", 5, 4, health=4)],
        [kit.piano(10, 1), kit.furnishing(6, 6)],
    )
    stage.do("act", cowboy="c1", x=5, y=4)
    assert stage.refusal_and_message(action, cowboy="c2", **arguments) == ("dead", "he is dead")
    stage.end(2)
    assert stage.refusal(action, cowboy="c2", **arguments) == "bad_argument"


def test_move(stage: Any) -> None:
    assert stage.refusal_and_message("move", cowboy="c1", x=3, y=3) == ("not_adjacent", "not adjacent")
    assert stage.refusal("move", cowboy="c1", x=2, y=2) == "not_adjacent"
    assert stage.refusal("move", cowboy="c1", x=0, y=0) == "not_adjacent"
    assert stage.refusal_and_message("move", cowboy="c7", x=0, y=6) == ("balcony", "no cowboys on the balcony")
    assert stage.refusal_and_message("move", cowboy="c1", x=2, y=3) == ("occupied_by_cowboy", "tile is occupied")
    assert stage.refusal_and_message("move", cowboy="c1", x=3, y=2) == ("occupied_by_furnishing", "tile is occupied")
    stage.do("move", cowboy="c1", x=2, y=1)
    assert stage.refusal_and_message("move", cowboy="c1", x=9, y=5) == ("already_moved", "he has moved already")


def test_play(stage: Any) -> None:
    assert stage.refusal_and_message("play", cowboy="c2", furnishing="f2")[0] == "not_a_piano"
    assert stage.refusal_and_message("play", cowboy="c3", furnishing="f3") == (
        "already_playing",
        "already played this turn",
    )
    assert stage.refusal("play", cowboy="c1", furnishing="f3") == "already_playing"
    assert stage.refusal_and_message("play", cowboy="c1", furnishing="f4") == ("not_adjacent", "not adjacent")
    stage.do("play", cowboy="c1", furnishing="f1")
    assert stage.refusal_and_message("play", cowboy="c1", furnishing="f2") == ("busy", "he is busy")
    assert stage.refusal("play", cowboy="c2", furnishing="f1") == "already_playing"
    stage.do("move", cowboy="c1", x=2, y=1)


def test_play_a_destroyed_piano(kit: Any) -> None:
    stage = kit.Stage(
        [kit.cowboy(0, "Brawler", 4, 4), kit.cowboy(0, "Brawler", 6, 4)],
        [kit.piano(5, 4, 1), kit.piano(10, 1)],
    )
    stage.do("play", cowboy="c1", furnishing="f1")
    assert stage["f1"].is_destroyed
    assert stage.refusal("play", cowboy="c2", furnishing="f1") == "destroyed"
    stage.do("move", cowboy="c2", x=5, y=4)


def test_act(stage: Any) -> None:
    assert stage.refusal_and_message("act", cowboy="c3", x=9, y=9 - 2)[0] == "brawler_cannot_act"
    assert stage.refusal_and_message("act", cowboy="c3", x=6, y=1) == ("brawler_cannot_act", "brawlers cannot act")
    assert stage.refusal_and_message("act", cowboy="c2", x=9, y=5) == ("no_direction", "a direction is needed")
    assert stage.refusal("act", cowboy="c2", x=4, y=1, drunk_direction="") == "no_direction"
    assert stage.refusal("act", cowboy="c2", x=9, y=5, drunk_direction="East") == "not_adjacent"
    assert stage.refusal("act", cowboy="c1", x=9, y=5) == "not_adjacent"
    stage.do("act", cowboy="c1", x=2, y=1, drunk_direction="West")
    assert stage.refusal_and_message("act", cowboy="c1", x=2, y=1) == ("busy", "he is busy")
    stage.end(2)
    assert stage.refusal_and_message("act", cowboy="c1", x=9, y=5) == ("no_focus", "no focus")


def test_a_busy_brawler_is_busy_first(kit: Any) -> None:
    stage = kit.Stage([kit.cowboy(0, "Brawler", 2, 2, turns_busy=1)])
    assert stage.refusal("act", cowboy="c1", x=9, y=6) == "busy"


def test_words_in_any_case(kit: Any) -> None:
    stage = kit.Stage([kit.cowboy(0, "Bartender", 4, 4)])
    stage.do("act", cowboy="c1", x=5, y=4, drunk_direction="nOrTh")
    assert stage["b50"].drunk_direction == "North"
    stage.do("call_in", young_gun="g0", job="SHARPSHOOTER")
    assert stage["c50"].job == "Sharpshooter"
