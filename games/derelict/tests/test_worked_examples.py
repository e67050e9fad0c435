"""The worked examples of the rules, one by one."""

from collections.abc import Callable
from typing import Any

Make = Callable[..., Any]


def test_1_choices_of_a_marine_in_a_hall(stage: Make, hall: list[str], new_unit: Make) -> None:
    play = stage("core", hall, [new_unit("marine", 3, 2, "North")], [new_unit("blip", 1, 3, "North")])
    assert play.do("activate", 3, 2)["ap"] == 4
    assert play.listed("move") == {(3, 1): 1, (2, 1): 1, (4, 1): 1, (3, 3): 2, (2, 3): 2, (4, 3): 2}
    assert play.listed("turn_left") == play.listed("turn_right") == {None: 1}
    assert play.listed("overwatch") == play.listed("guard") == {None: 2}
    assert len(play.game.legal_actions()) == 11


def test_2_free_turns_of_an_alien(stage: Make, hall: list[str], new_unit: Make) -> None:
    for ruleset, second in (("core", 1), ("full", 0)):
        play = stage(ruleset, hall, [new_unit("marine", 1, 1, "West")], [new_unit("alien", 3, 3, "North")], dice=[3])
        if ruleset == "core":
            play = stage(ruleset, hall, [new_unit("marine", 1, 1, "West")], [new_unit("alien", 3, 3, "North")])
        play.do("pass")
        play.do("activate", 3, 3)
        assert play.do("move", 3, 2)["ap"] == 5
        assert play.listed("turn_left") == {None: 0}
        assert play.do("turn_left")["last_action"] == "free_turn"
        assert play.listed("turn_left") == {None: second}
        state = play.do("turn_left")
        assert state["ap"] == 5 - second
        assert state["last_action"] == ("turn" if second else "free_turn")
        assert play.unit("a1")["facing"] == "South"
        steps = {(entry["x"], entry["y"]): entry for entry in play.game.legal_actions() if entry["type"] == "move"}
        assert (steps[2, 2]["step"], steps[2, 2]["cost"]) == ("right", 1)
        assert (steps[4, 2]["step"], steps[4, 2]["cost"]) == ("left", 1)
        assert play.listed("turn_right") == {None: second}


def test_3_a_blip_keeps_out_of_sight(stage: Make, new_unit: Make) -> None:
    rows = ["#########", *["#.......#"] * 4, "#########"]
    play = stage("core", rows, [new_unit("marine", 1, 2, "East")], [new_unit("blip", 2, 4, "North")])
    play.do("pass")
    play.do("activate", 2, 4)
    (step,) = (entry for entry in play.game.legal_actions() if entry["type"] == "move")
    assert step == {"type": "move", "x": 1, "y": 4, "cost": 1, "step": "left"}
    assert play.listed("turn_left") == play.listed("turn_right") == {None: 0}
    assert play.listed("reveal") == {None: 6}
    assert play.refusal("move", 1, 3) == play.refusal("move", 2, 3) == "next to a marine"
    assert play.refusal("move", 3, 3) == play.refusal("move", 3, 4) == "in sight of a marine"


def test_5_a_voluntary_reveal(stage: Make, hall: list[str], new_unit: Make) -> None:
    aliens = [new_unit("blip_2", 5, 3, "West"), new_unit("alien", 5, 1, "West")]
    play = stage("core", hall, [new_unit("marine", 1, 1, "West")], aliens)
    play.do("pass")
    play.do("activate", 5, 3)
    assert play.do("reveal")["ap"] == 0
    assert play.unit("a1")["kind"] == "alien"
    assert play.decision == {"kind": "reveal", "player": 1, "unit": "a1", "origin": [5, 3], "remaining": 1}
    assert "pass" not in play.types()
    assert play.refusal("pass") == "choice not open now"
    play.do("turn_left")
    assert play.unit("a1")["facing"] == "South"
    play.do("deploy", 4, 3)
    assert play.unit("a3") == {
        "id": "a3", "kind": "alien", "x": 4, "y": 3, "facing": "South", "deactivated": False
    }  # fmt: skip
    assert play.decision == {"kind": "reveal", "player": 1, "unit": "a3", "origin": [5, 3], "remaining": 0}
    play.do("turn_right")
    assert play.unit("a3")["facing"] == "West"
    state = play.do("activate", 4, 3)
    assert (state["active"], state["ap"]) == ("a3", 6)
    assert play.unit("a1")["deactivated"]
    assert set(play.listed("activate")) == {(5, 1)}


def test_6_repeated_shots(stage: Make, corridor: list[str], new_unit: Make) -> None:
    play = stage("core", corridor, [new_unit("marine", 1, 1, "East")], [new_unit("alien", 6, 1, "West")])
    play.do("activate", 1, 1)
    assert play.do("shoot", 6, 1, dice=[5, 4])["ap"] == 3
    assert play.do("shoot", 6, 1, dice=[4, 3])["ap"] == 2
    assert play.do("move", 2, 1)["ap"] == 1
    assert play.listed("shoot") == {(6, 1): 0}
    assert play.do("shoot", 6, 1, dice=[5, 2])["ap"] == 1
    assert play.has("a1")
    play.do("shoot", 6, 1, dice=[5, 2])
    assert not play.has("a1")


def test_after_a_turn_a_shot_at_the_same_target_is_a_first_shot(
    stage: Make, corridor: list[str], new_unit: Make
) -> None:
    play = stage("full", corridor, [new_unit("marine", 1, 1, "East")], [new_unit("alien", 6, 1, "West")], dice=[6])
    play.do("activate", 1, 1)
    play.do("shoot", 6, 1, dice=[1, 2])
    for turn in ("turn_left", "turn_right"):
        play.do(turn)
    play.do("shoot", 6, 1, dice=[5, 2])
    assert play.has("a1")
    play.do("command")
    play.do("shoot", 6, 1, dice=[5, 2])
    assert not play.has("a1")


def test_7_an_assault_from_behind(stage: Make, corridor: list[str], new_unit: Make) -> None:
    play = stage("core", corridor, [new_unit("marine", 4, 1, "West")], [new_unit("alien", 6, 1, "West")])
    play.do("pass")
    play.do("activate", 6, 1)
    play.do("move", 5, 1)
    play.do("assault", 4, 1, dice=[4, 2, 1, 4])
    assert play.decision == {"kind": "face_attacker", "player": 0, "attacker": "a1", "defender": "m1"}
    play.do("face")
    assert play.unit("m1")["facing"] == "East"
    play.do("assault", 4, 1, dice=[3, 2, 2, 6])
    assert not play.has("a1")
    assert play.ended == {"winner": 0, "reason": "aliens_eliminated"}
    assert play.refusal("pass") == "game over"


def test_8_a_guard_rolls_again(stage: Make, corridor: list[str], new_unit: Make) -> None:
    marines = [new_unit("marine", 4, 1, "East"), new_unit("marine", 1, 1, "East")]
    play = stage("core", corridor, marines, [new_unit("alien", 6, 1, "West")])
    play.do("activate", 4, 1)
    play.do("guard")
    play.do("pass")
    play.do("activate", 6, 1)
    play.do("move", 5, 1)
    play.do("assault", 4, 1, dice=[4, 2, 1, 3])
    assert play.decision == {
        "kind": "guard_reroll",
        "player": 0,
        "attacker": "a1",
        "defender": "m1",
        "marine_dice": [3],
        "alien_dice": [4, 2, 1],
    }
    play.do("reroll", dice=[5])
    assert not play.has("a1")
    assert play.ended == {"winner": 0, "reason": "aliens_eliminated"}


def test_9_overwatch_and_a_lasting_jam(stage: Make, corridor: list[str], new_unit: Make) -> None:
    play = stage("core", corridor, [new_unit("marine", 1, 1, "East")], [new_unit("alien", 8, 1, "West")])
    play.do("activate", 1, 1)
    play.do("overwatch")
    play.do("pass")
    play.do("activate", 8, 1)
    play.do("move", 7, 1, dice=[5, 3])
    assert play.unit("m1")["overwatch_target"] == "a1"
    play.do("move", 6, 1, dice=[2, 2])
    marine = play.unit("m1")
    assert (marine["overwatch"], marine["jam"], marine["overwatch_target"]) == (False, True, None)
    play.do("pass")
    assert play.unit("m1")["jam"]
    play.do("activate", 1, 1)
    assert not play.types() & {"shoot", "overwatch"}
    assert play.refusal("shoot", 6, 1) == play.refusal("overwatch") == "weapon jammed"
    assert play.do("unjam")["ap"] == 3
    assert play.listed("shoot") == {(6, 1): 1}


def test_10_a_jam_cleared_at_once(stage: Make, corridor: list[str], new_unit: Make) -> None:
    play = stage("full", corridor, [new_unit("marine", 1, 1, "East")], [new_unit("alien", 8, 1, "West")], dice=[3])
    play.do("activate", 1, 1)
    play.do("overwatch")
    play.do("pass")
    play.do("activate", 8, 1)
    play.do("move", 7, 1, dice=[5, 3])
    play.do("move", 6, 1, dice=[4, 4])
    assert play.decision == {"kind": "unjam_now", "player": 0, "unit": "m1"}
    assert play.state["side"] == "alien"
    assert play.do("unjam")["command_points"] == 2
    marine = play.unit("m1")
    assert (marine["overwatch"], marine["jam"], marine["overwatch_target"]) == (True, False, None)
    play.do("move", 5, 1, dice=[6, 5])
    assert not play.has("a1")


def test_11_a_forced_reveal(stage: Make, new_unit: Make) -> None:
    rows = ["########", "#...#..#", "#......#", "#...#..#", "########"]
    play = stage(
        "full",
        rows,
        [new_unit("marine", 3, 2, "East")],
        [new_unit("blip_2", 6, 2, "West")],
        doors=[{"x": 4, "y": 2, "open": False}],
        dice=[1],
    )
    play.do("activate", 3, 2)
    assert play.do("door", 4, 2)["ap"] == 3
    assert play.decision == {"kind": "forced_orient", "player": 1, "unit": "a1", "origin": [6, 2], "remaining": 1}
    play.do("pass")
    assert play.decision == {"kind": "forced_place", "player": 0, "origin": [6, 2], "remaining": 1}
    play.do("deploy", 5, 1)
    assert play.decision == {"kind": "forced_orient", "player": 1, "unit": "a2", "origin": [6, 2], "remaining": 0}
    assert play.unit("a2")["facing"] == "West"
    play.do("turn_left")
    assert play.unit("a2")["facing"] == "South"
    assert play.do("pass")["ap"] == 3
    assert play.decision == {"kind": "turn", "player": 0}
    assert play.listed("shoot") == {(6, 2): 1}


def test_12_the_objective_burns(stage: Make, new_unit: Make) -> None:
    rows = ["#########", "#######.#", "#.......#", "#######.#", "#########"]
    sections = [".........", ".......A.", ".......A.", ".......A.", "........."]
    play = stage(
        "full",
        rows,
        [new_unit("marine_flame", 3, 2, "East")],
        [new_unit("alien", 7, 1, "West"), new_unit("alien", 7, 2, "West")],
        sections=sections,
        objectives=[[7, 3]],
        dice=[1],
    )
    play.do("activate", 3, 2)
    state = play.do("shoot", 7, 2, dice=[1, 4])
    assert state["flames"] == [[7, 1], [7, 2], [7, 3]]
    assert play.has("a1")
    assert not play.has("a2")
    assert state["flamer_fuel"] == 5
    assert play.ended == {"winner": 0, "reason": "objective_burned"}


def test_13_reinforcements_come_in(stage: Make, new_unit: Make) -> None:
    rows = ["#######", "#######", "#######", "#.....#", "#.....#", "#.....#", "#######"]
    play = stage(
        "full",
        rows,
        [new_unit("marine", 1, 5, "South")],
        [],
        lurk_cells=[[1, 1], [5, 1]],
        entry_cells=[[3, 3], [5, 3]],
        reinforcements={"first": 3, "later": 0},
        dice=[1],
    )
    play.do("pass")
    assert play.decision == {"kind": "reinforce", "player": 1, "remaining": 3}
    play.do("deploy", 1, 1, dice=[15])
    assert play.unit("a1")["count"] == 3
    play.do("deploy", 5, 1, dice=[3])
    assert play.unit("a2")["count"] == 1
    assert play.decision == {"kind": "turn", "player": 1}
    play.do("activate", 5, 1)
    (step,) = (entry for entry in play.game.legal_actions() if entry["type"] == "move")
    assert step == {"type": "move", "x": 3, "y": 3, "cost": 1, "step": "entry"}
    assert play.refusal("move", 5, 3) == "not a neighbouring step"


def test_14_command_points(stage: Make, hall: list[str], new_unit: Make) -> None:
    play = stage("full", hall, [new_unit("marine_sarge", 3, 2, "North")], [new_unit("alien", 1, 3, "North")], dice=[5])
    assert play.decision == {"kind": "command_reroll", "player": 0, "rolled": 5}
    assert play.state["command_points"] == 0
    assert play.do("reroll", dice=[2])["command_points"] == 2
    play.do("activate", 3, 2)
    play.do("overwatch")
    state = play.do("activate", 3, 2)
    assert (state["ap"], play.unit("m1")["deactivated"], play.unit("m1")["overwatch"]) == (0, False, True)
    state = play.do("command")
    assert (state["ap"], state["command_points"], play.unit("m1")["overwatch"]) == (1, 1, True)
    assert play.do("turn_left")["ap"] == 0
    assert not play.unit("m1")["overwatch"]


def test_15_the_board_is_full_of_aliens(stage: Make, new_unit: Make) -> None:
    rows = ["##########", "#........#", "####.#####", "#........#", "#........#", "#........#", "##########"]
    lower = [(x, y) for y in (3, 4, 5) for x in range(1, 9)]
    for aliens, left in ((22, False), (21, True)):
        play = stage(
            "full",
            rows,
            [new_unit("marine", 1, 1, "East")],
            [*(new_unit("alien", x, y, "North") for x, y in lower[:aliens]), new_unit("blip_3", 6, 1, "West")],
            doors=[{"x": 2, "y": 1, "open": False}],
            dice=[1],
        )
        play.do("activate", 1, 1)
        play.do("door", 2, 1)
        assert play.has(f"a{aliens + 1}") == left
        if left:
            assert play.decision["kind"] == "forced_orient"
            assert play.decision["remaining"] == 0
            play.do("pass")
        assert play.decision == {"kind": "turn", "player": 0}
        assert sum(one["kind"] == "alien" for one in play.state["units"]) == 22
