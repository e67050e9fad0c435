"""Parts of the rules that the worked examples do not cover."""

from collections.abc import Callable
from typing import Any

import pytest

Make = Callable[..., Any]
OPEN = ["############", *["#..........#"] * 5, "############"]


# -- turns, activation, command points ---------------------------------------------------------------------------------


def test_the_list_when_nothing_is_active(stage: Make, hall: list[str], new_unit: Make) -> None:
    play = stage("core", hall, [new_unit("marine", 3, 2, "North")], [new_unit("alien", 1, 3, "North")])
    assert play.game.legal_actions() == [
        {"type": "pass", "cost": 0},
        {"type": "activate", "x": 3, "y": 2, "cost": 0, "unit": "m1", "ap": 4},
    ]
    assert play.game.legal_actions(1) == []
    for kind in ("turn_left", "overwatch", "guard", "unjam", "command", "reveal"):
        assert play.refusal(kind) == "no active unit"
    for kind in ("move", "door", "shoot", "assault"):
        assert play.refusal(kind, 3, 1) == "no active unit"


def test_general_refusals_in_order(stage: Make, hall: list[str], new_unit: Make) -> None:
    play = stage("core", hall, [new_unit("marine", 3, 2, "North")], [new_unit("alien", 1, 3, "North")])
    assert play.refusal("nonsense", player=1) == "not your turn"
    assert play.refusal("nonsense") == play.refusal("move") == "malformed action"
    assert play.refusal("reroll") == play.refusal("deploy", 1, 1) == "choice not open now"
    for document in (None, 3, "pass", [], {}, {"type": 3}, {"type": "move", "x": 1.0, "y": 2}, {"type": ["pass"]}):
        with pytest.raises(Exception, match="malformed action"):
            play.game.push(0, document)
    with pytest.raises(Exception, match="malformed action"):
        play.game.push(0, {"type": "activate", "x": True, "y": 2})
    play.game.push(0, {"type": "activate", "x": 3, "y": 2, "unit": "nobody", "cost": 99})
    assert play.state["active"] == "m1"


def test_activation_refusals(stage: Make, hall: list[str], new_unit: Make) -> None:
    marines = [new_unit("marine", 3, 2, "North"), new_unit("marine", 1, 1, "North")]
    play = stage("core", hall, marines, [new_unit("alien", 1, 3, "North"), new_unit("alien", 5, 3, "North")])
    assert play.refusal("activate", 1, 3) == play.refusal("activate", 99, -4) == "no unit of yours there"
    play.do("activate", 3, 2)
    assert play.refusal("activate", 3, 2) == "already active"
    state = play.do("activate", 1, 1)
    assert (state["active"], state["ap"], play.unit("m1")["deactivated"]) == ("m2", 4, True)
    assert play.refusal("activate", 3, 2) == "already used this turn"
    play.do("pass")
    assert not play.unit("m1")["deactivated"]
    play.do("activate", 1, 3)
    play.do("activate", 5, 3)
    assert play.refusal("activate", 1, 3) == "already used this turn"


def test_reactivation_needs_command_points(stage: Make, hall: list[str], new_unit: Make) -> None:
    marines = [new_unit("marine", 3, 2, "North"), new_unit("marine", 1, 1, "North")]
    aliens = [new_unit("alien", 1, 3, "North")]
    play = stage("full", hall, marines, aliens, dice=[2], options={"reactivate_min": 2})
    assert play.state["command_points"] == 2
    play.do("activate", 3, 2)
    play.do("activate", 1, 1)
    assert play.listed("activate") == {(3, 2): 0}
    play.do("command")
    assert play.state["ap"] == 5
    assert play.listed("activate") == {}
    assert play.refusal("activate", 3, 2) == "no command points"
    play.do("command")
    assert play.refusal("command") == "no command points"
    assert "command" not in play.types()


def test_no_reactivation_in_core(stage: Make, hall: list[str], new_unit: Make) -> None:
    marines = [new_unit("marine", 3, 2, "North"), new_unit("marine", 1, 1, "North")]
    aliens = [new_unit("alien", 1, 3, "North")]
    play = stage("core", hall, marines, aliens, dice=[2], options={"command_points": True})
    play.do("activate", 3, 2)
    play.do("activate", 1, 1)
    assert play.listed("activate") == {}
    assert play.refusal("activate", 3, 2) == "already used this turn"
    assert play.do("command")["command_points"] == 1


def test_command_points_last_until_the_next_marine_turn(stage: Make, hall: list[str], new_unit: Make) -> None:
    play = stage("full", hall, [new_unit("marine", 3, 2, "North")], [new_unit("alien", 1, 3, "North")], dice=[4])
    play.do("pass")
    assert play.state["command_points"] == 4
    state = play.do("pass", dice=[1])
    assert (state["turn"], state["side"], state["command_points"]) == (2, "marine", 1)


def test_a_leader_may_accept(stage: Make, hall: list[str], new_unit: Make) -> None:
    for kind, asked in (("marine_hammer", True), ("marine_sarge", True), ("marine_axe", False)):
        play = stage("full", hall, [new_unit(kind, 3, 2, "North")], [new_unit("alien", 1, 3, "North")], dice=[4])
        assert (play.decision["kind"] == "command_reroll") == asked
        if asked:
            assert play.do("accept")["command_points"] == 4


def test_command_keeps_a_shot_free(stage: Make, corridor: list[str], new_unit: Make) -> None:
    play = stage("full", corridor, [new_unit("marine", 1, 1, "East")], [new_unit("alien", 6, 1, "West")], dice=[2])
    play.do("activate", 1, 1)
    play.do("move", 2, 1)
    play.do("command")
    assert play.listed("shoot") == {(6, 1): 0}
    play.do("shoot", 6, 1, dice=[1, 1])
    play.do("command")
    assert play.state["last_shot_target"] == "a1"
    play.do("shoot", 6, 1, dice=[5, 1])
    assert not play.has("a1")


def test_marks_of_the_mission_end_with_the_first_turn(stage: Make, hall: list[str], new_unit: Make) -> None:
    marines = [new_unit("marine", 3, 2, "North", guard=True, overwatch=True, jam=True)]
    aliens = [new_unit("alien", 1, 3, "North")]
    core = stage("core", hall, marines, aliens).unit("m1")
    assert (core["guard"], core["overwatch"], core["jam"]) == (False, False, True)
    full = stage("full", hall, marines, aliens, dice=[1]).unit("m1")
    assert (full["guard"], full["overwatch"], full["jam"]) == (False, False, False)


# -- steps, turns, doors -----------------------------------------------------------------------------------------------


def test_reasons_against_a_step(stage: Make, new_unit: Make) -> None:
    rows = ["######", "#....#", "#....#", "#....#", "######"]
    marines = [new_unit("marine", 2, 2, "East"), new_unit("marine", 3, 1, "East")]
    play = stage("core", rows, marines, [new_unit("alien", 1, 3, "North")], doors=[{"x": 3, "y": 3, "open": False}])
    play.do("activate", 2, 2)
    assert play.refusal("move", 2, 1) == play.refusal("move", 4, 2) == play.refusal("move", 2, 2)
    assert play.refusal("move", 2, 1) == "not a neighbouring step"
    assert play.refusal("move", 3, 1) == "occupied"
    assert play.refusal("move", 3, 3) == "closed door"
    assert play.refusal("move", 1, 3) == "occupied"
    play.do("move", 3, 2)
    play.do("move", 4, 2)
    assert play.refusal("move", 5, 2) == "wall"
    play.do("turn_left")
    play.do("turn_left")
    assert play.state["ap"] == 0
    assert play.refusal("move", 3, 2) == "not enough AP"
    assert play.refusal("turn_left") == play.refusal("guard") == play.refusal("overwatch") == "not enough AP"


def test_turning_costs(stage: Make, hall: list[str], new_unit: Make) -> None:
    expected = {
        "after_move": [1, 1, 0, 1],
        "after_move_or_turn": [1, 0, 0, 0],
        "after_move_or_paid_turn": [1, 0, 0, 1],
    }
    for option, costs in expected.items():
        play = stage(
            "core", hall, [new_unit("marine", 1, 1, "West")], [new_unit("alien", 3, 3, "North")],
            options={"alien_free_turn": option},
        )  # fmt: skip
        play.do("pass")
        play.do("activate", 3, 3)
        seen = [play.listed("turn_left")[None]]
        play.do("turn_left")
        seen.append(play.listed("turn_left")[None])
        play.do("move", 2, 3)
        seen.append(play.listed("turn_left")[None])
        play.do("turn_right")
        seen.append(play.listed("turn_left")[None])
        assert seen == costs, option


def test_doors(stage: Make, new_unit: Make) -> None:
    rows = ["######", "#....#", "#....#", "#....#", "######"]
    doors = [{"x": 3, "y": 1, "open": True}, {"x": 3, "y": 2, "open": True}, {"x": 2, "y": 1, "open": False}]
    marines = [new_unit("marine", 2, 2, "East"), new_unit("marine", 3, 1, "East")]
    play = stage("core", rows, marines, [new_unit("alien", 1, 3, "North")], doors=doors)
    play.do("activate", 2, 2)
    (entry,) = (one for one in play.game.legal_actions() if one["type"] == "door")
    assert entry == {"type": "door", "x": 3, "y": 2, "cost": 1, "to": "closed"}
    assert play.refusal("door", 3, 1) == "door blocked"
    assert play.refusal("door", 2, 1) == "out of reach"
    assert play.refusal("door", 3, 3) == play.refusal("door", -1, 70) == "no door there"
    play.do("door", 3, 2)
    assert play.state["last_action"] is None
    assert play.refusal("move", 3, 2) == "closed door"


def test_diagonal_steps_pass_corners_and_closed_doors(stage: Make, new_unit: Make) -> None:
    rows = ["#####", "#.#.#", "#..##", "#####"]
    doors = [{"x": 2, "y": 2, "open": False}]
    play = stage("core", rows, [new_unit("marine", 1, 2, "North")], [new_unit("alien", 3, 1, "West")], doors=doors)
    play.do("pass")
    play.do("activate", 3, 1)
    assert (2, 2) not in play.listed("move")
    rows = ["#####", "#.#.#", "#...#", "#####"]
    doors = [{"x": 2, "y": 2, "open": True}, {"x": 3, "y": 2, "open": False}]
    play = stage("core", rows, [new_unit("marine", 1, 1, "North")], [new_unit("alien", 3, 1, "West")], doors=doors)
    play.do("pass")
    play.do("activate", 3, 1)
    assert play.listed("move") == {(2, 2): 1}


def test_a_blip_in_sight_stays_in_core(stage: Make, corridor: list[str], new_unit: Make) -> None:
    play = stage("core", corridor, [new_unit("marine", 1, 1, "East")], [new_unit("blip_3", 3, 1, "West")])
    play.do("activate", 1, 1)
    assert play.refusal("shoot", 3, 1) == "no target there"
    play.do("move", 2, 1)
    assert play.refusal("assault", 3, 1) == "no target there"
    assert play.refusal("move", 3, 1) == "occupied"
    assert play.unit("a1")["kind"] == "blip"
    play.do("pass")
    play.do("activate", 3, 1)
    assert play.refusal("assault", 2, 1) == "blips cannot assault"
    assert play.refusal("overwatch") == play.refusal("guard") == play.refusal("command") == "not a marine"
    assert play.refusal("shoot", 2, 1) == "no ranged weapon"
    assert play.refusal("unjam") == "not jammed"


def test_entry_moves(stage: Make, new_unit: Make) -> None:
    """A unit enters by the nearest free entry cell, ties by y and then x. An ordinary step there has precedence."""
    rows = ["#########", "#########", "#########", "#.......#", "#.......#", "#########"]
    common = {
        "lurk_cells": [[4, 1]],
        "entry_cells": [[2, 3], [6, 3], [4, 4]],
        "reinforcements": {"first": 0, "later": 0},
    }
    marines = [new_unit("marine", 1, 4, "West")]
    blip = new_unit("blip", 4, 1, "South")
    play = stage("full", rows, marines, [blip], dice=[1], **common)
    play.do("pass")
    play.do("activate", 4, 1)
    assert play.listed("move") == {(2, 3): 1}
    taken = stage("full", rows, marines, [blip, new_unit("alien", 2, 3, "South")], dice=[1], **common)
    taken.do("pass")
    taken.do("activate", 4, 1)
    assert taken.listed("move") == {(6, 3): 1}
    taken.do("move", 6, 3)
    assert (taken.unit("a1")["x"], taken.unit("a1")["kind"]) == (6, "blip")


def test_an_entry_move_to_a_neighbour_has_the_name_of_the_step(stage: Make, new_unit: Make) -> None:
    rows = ["#######", "#######", "#.....#", "#.....#", "#######"]
    play = stage(
        "full", rows, [new_unit("marine", 4, 2, "East")], [new_unit("blip", 3, 1, "North")], dice=[1],
        lurk_cells=[[3, 1]], entry_cells=[[3, 2]], reinforcements={"first": 0, "later": 0},
    )  # fmt: skip
    play.do("pass")
    play.do("activate", 3, 1)
    # An ordinary step there would be next to a marine.
    assert {"type": "move", "x": 3, "y": 2, "cost": 1, "step": "backward"} in play.game.legal_actions()
    assert set(play.listed("move")) == {(2, 2), (3, 2)}
    assert play.refusal("move", 4, 2) == "occupied"


def test_an_alien_backs_out_of_a_lurk_cell(stage: Make, new_unit: Make) -> None:
    """The ordinary step costs 2. The entry move for 1 is listed only if the ordinary step is not."""
    rows = ["#######", "#######", "#.....#", "#.....#", "#######"]
    for points, cost in ((2, 2), (1, 1)):
        play = stage(
            "full", rows, [new_unit("marine", 1, 3, "West")], [new_unit("alien", 3, 1, "North")], dice=[1],
            lurk_cells=[[3, 1]], entry_cells=[[3, 2]], reinforcements={"first": 0, "later": 0},
            options={"ap_alien": points},
        )  # fmt: skip
        play.do("pass")
        play.do("activate", 3, 1)
        assert play.listed("move")[3, 2] == cost
        assert play.do("move", 3, 2)["ap"] == 0


# -- shooting ----------------------------------------------------------------------------------------------------------


def test_reasons_against_a_shot(stage: Make, new_unit: Make) -> None:
    aliens = [new_unit("alien", 5, 3, "West"), new_unit("alien", 1, 5, "West"), new_unit("alien", 8, 3, "West")]
    marines = [new_unit("marine", 2, 3, "East"), new_unit("marine_claws", 2, 1, "East")]
    play = stage("full", OPEN, marines, aliens, doors=[{"x": 4, "y": 2, "open": True}], dice=[1])
    play.do("activate", 2, 3)
    assert play.listed("shoot") == {(5, 3): 1}
    assert play.refusal("shoot", 1, 5) == play.refusal("shoot", 8, 3) == "not visible"
    assert play.refusal("shoot", 4, 2) == play.refusal("shoot", 7, 1) == play.refusal("shoot", 90, 1)
    assert play.refusal("shoot", 4, 2) == "no target there"
    play.do("activate", 2, 1)
    assert play.refusal("shoot", 5, 3) == "no ranged weapon"
    assert play.refusal("overwatch") == "no suitable weapon"
    assert "guard" in play.types()


def test_a_shot_may_destroy_a_door(stage: Make, corridor: list[str], new_unit: Make) -> None:
    doors = [{"x": 4, "y": 1, "open": False}]
    marines = [new_unit("marine_cannon", 1, 1, "East")]
    play = stage("full", corridor, marines, [new_unit("blip", 6, 1, "West")], doors=doors, dice=[1])
    play.do("activate", 1, 1)
    state = play.do("shoot", 4, 1, dice=[4, 4, 4])
    assert state["last_shot_target"] == "d1"
    state = play.do("shoot", 4, 1, dice=[1, 4, 1])
    assert state["doors"] == []
    assert state["last_shot_target"] == "d1"
    assert play.decision["kind"] == "forced_orient"
    play.do("pass")
    play.do("shoot", 6, 1, dice=[5, 1, 1])
    assert not play.has("a1")


def test_a_unit_in_the_line_blocks_it(stage: Make, corridor: list[str], new_unit: Make) -> None:
    marines = [new_unit("marine", 1, 1, "East"), new_unit("marine", 3, 1, "East")]
    play = stage("core", corridor, marines, [new_unit("alien", 6, 1, "West")])
    play.do("activate", 1, 1)
    assert play.listed("shoot") == {}
    play.do("activate", 3, 1)
    assert play.listed("shoot") == {(6, 1): 1}


def test_the_flamer_and_its_sections(stage: Make, new_unit: Make) -> None:
    sections = [
        "............",
        ".AAAABBBBBB.",
        ".AAAABBBBBB.",
        ".AAAABBBBBB.",
        ".AAAACC.BBB.",
        ".AAAACCCBBB.",
        "." * 12,
    ]
    play = stage(
        "full", OPEN, [new_unit("marine_flame", 2, 3, "East"), new_unit("marine", 1, 1, "North")],
        [new_unit("alien", 9, 1, "West"), new_unit("blip", 1, 5, "West")],
        sections=sections, dice=[1], flamer_fuel=1,
    )  # fmt: skip
    play.do("activate", 2, 3)
    targets = set(play.listed("shoot"))
    # The marine's section by its own cell; B and C by their nearest cells; (7, 4) alone, since it has no section.
    assert targets == {(2, 3), (5, 1), (5, 4), (7, 4)}
    assert play.refusal("shoot", 6, 3) == "no target there"
    state = play.do("shoot", 2, 3, dice=[1, 1, 1])
    assert len(state["flames"]) == 20
    assert state["flames"] == sorted(state["flames"], key=lambda cell: (cell[1], cell[0]))
    assert (state["ap"], state["flamer_fuel"], state["last_action"], state["last_shot_target"]) == (2, 0, "shoot", None)
    assert play.listed("shoot") == {}
    assert play.refusal("shoot", 2, 3) == "no fuel"
    play.do("move", 3, 3, dice=[1])
    play.do("move", 4, 3, dice=[2])
    assert not play.has("m1")
    assert play.state["active"] is None
    play.do("pass")
    assert len(play.state["flames"]) == 20
    play.do("activate", 9, 1)
    play.do("move", 8, 1)
    play.do("move", 7, 1)
    play.do("move", 6, 1)
    play.do("move", 5, 1)
    assert play.refusal("move", 4, 1) == "fire"
    play.do("pass", dice=[3])
    assert play.state["flames"] == []


def test_the_last_marine_in_the_fire_on_the_objective(stage: Make, corridor: list[str], new_unit: Make) -> None:
    play = stage(
        "full", corridor, [new_unit("marine_flame", 1, 1, "East")], [new_unit("alien", 8, 1, "West")],
        sections=["..........", ".AAAAAAAA.", ".........."], objectives=[[3, 1]], dice=[1],
    )  # fmt: skip
    play.do("activate", 1, 1)
    play.do("shoot", 1, 1, dice=[6, 1])
    assert play.ended == {"winner": 1, "reason": "marines_eliminated"}


def test_without_fuel_or_flamer_the_objective_is_lost(stage: Make, corridor: list[str], new_unit: Make) -> None:
    marines = [new_unit("marine_flame", 1, 1, "East"), new_unit("marine", 2, 1, "West")]
    sections = ["..........", ".ABBBBBBC.", ".........."]
    common = {"sections": sections, "objectives": [[8, 1]], "dice": [1]}
    alien = [new_unit("alien", 7, 1, "West")]
    play = stage("full", corridor, marines, alien, flamer_fuel=1, **common)
    play.do("activate", 1, 1)
    play.do("shoot", 1, 1, dice=[1])
    assert play.ended == {"winner": 1, "reason": "fuel_exhausted"}
    play = stage("full", corridor, marines, alien, flamer_fuel=2, **common)
    play.do("activate", 1, 1)
    play.do("shoot", 1, 1, dice=[2])
    assert play.ended == {"winner": 1, "reason": "flamer_lost"}


# -- overwatch ---------------------------------------------------------------------------------------------------------


def test_all_watching_marines_fire_even_at_a_destroyed_alien(stage: Make, new_unit: Make) -> None:
    marines = [new_unit("marine", 1, 2, "East"), new_unit("marine_cannon", 1, 4, "East")]
    aliens = [new_unit("alien", 9, 3, "West"), new_unit("alien", 10, 5, "West")]
    play = stage("full", OPEN, marines, aliens, dice=[1])
    for y in (2, 4):
        play.do("activate", 1, y)
        play.do("overwatch")
    play.do("pass")
    play.do("activate", 9, 3)
    play.do("move", 8, 3, dice=[6, 1, 1, 1, 1])
    assert not play.has("a1")
    assert [play.unit(f"m{number}")["overwatch_target"] for number in (1, 2)] == ["a1", "a1"]
    assert play.state["active"] is None
    play.do("activate", 10, 5)
    play.do("turn_left", dice=[5, 4, 3, 3, 3])
    assert play.has("a2")
    # The cannon never jams. After a miss, second shots need one less.
    assert not play.unit("m2")["jam"]
    play.do("turn_right", dice=[4, 1, 4, 1, 1])
    assert not play.has("a2")


def test_overwatch_has_a_range(stage: Make, new_unit: Make) -> None:
    rows = ["#" * 18, "#" + "." * 16 + "#", "#" * 18]
    play = stage("core", rows, [new_unit("marine", 1, 1, "East")], [new_unit("alien", 16, 1, "West")])
    play.do("activate", 1, 1)
    play.do("overwatch")
    play.do("pass")
    play.do("activate", 16, 1)
    play.do("move", 15, 1)
    play.do("move", 14, 1)
    play.do("move", 13, 1, dice=[5, 1])
    play.do("turn_left", dice=[5, 1])
    assert not play.has("a1")


def test_a_blip_forced_into_sight_draws_fire(stage: Make, new_unit: Make) -> None:
    rows = ["########", "#......#", "#.####.#", "#......#", "########"]
    play = stage(
        "full", rows, [new_unit("marine", 1, 1, "East")], [new_unit("blip_2", 6, 3, "North")], dice=[1],
        lurk_cells=[[6, 3]], entry_cells=[[5, 1]], reinforcements={"first": 0, "later": 0},
    )  # fmt: skip
    play.do("activate", 1, 1)
    play.do("overwatch")
    play.do("pass")
    play.do("activate", 6, 3)
    state = play.do("move", 5, 1)
    assert (state["active"], state["ap"], state["last_action"]) == ("a1", 5, "move")
    assert play.decision["kind"] == "forced_orient"
    play.do("turn_left")
    play.do("pass")
    play.do("deploy", 4, 1)
    assert not play.unit("a2")["deactivated"]
    play.do("turn_left")
    play.do("pass", dice=[])
    # The new alien now blocks the line to the alien that moved, so nobody fires at it.
    assert play.decision == {"kind": "turn", "player": 1}


def test_a_jam_without_command_points(stage: Make, corridor: list[str], new_unit: Make) -> None:
    play = stage("full", corridor, [new_unit("marine", 1, 1, "East")], [new_unit("alien", 8, 1, "West")], dice=[1])
    play.do("activate", 1, 1)
    play.do("command")
    play.do("overwatch")
    play.do("pass")
    play.do("activate", 8, 1)
    play.do("move", 7, 1, dice=[6, 6])
    assert play.ended == {"winner": 0, "reason": "aliens_eliminated"}


def test_declining_leaves_the_jam(stage: Make, corridor: list[str], new_unit: Make) -> None:
    play = stage("full", corridor, [new_unit("marine", 1, 1, "East")], [new_unit("alien", 8, 1, "West")], dice=[2])
    play.do("activate", 1, 1)
    play.do("overwatch")
    play.do("pass")
    play.do("activate", 8, 1)
    play.do("move", 7, 1, dice=[3, 3])
    state = play.do("decline")
    assert (state["command_points"], play.unit("m1")["jam"], play.unit("m1")["overwatch"]) == (2, True, False)
    play.do("pass", dice=[1])
    assert not play.unit("m1")["jam"]


def test_the_end_comes_before_a_jam_is_asked_about(stage: Make, corridor: list[str], new_unit: Make) -> None:
    play = stage("full", corridor, [new_unit("marine", 1, 1, "East")], [new_unit("alien", 8, 1, "West")], dice=[3])
    play.do("activate", 1, 1)
    play.do("overwatch")
    play.do("pass")
    play.do("activate", 8, 1)
    play.do("move", 7, 1, dice=[6, 6])
    assert play.ended == {"winner": 0, "reason": "aliens_eliminated"}
    assert play.decision is None
    assert play.game.legal_actions() == []
    assert play.game.to_move() == ()
    assert play.game.clone().to_document() == play.game.to_document()


# -- assaults ----------------------------------------------------------------------------------------------------------

PAIR = ["#####", "#...#", "#...#", "#####"]


def duel(stage: Make, new_unit: Make, kind: str, facing: str = "East", **more: Any) -> Any:
    """Set up a marine on the left and an alien on the right, with the alien to move."""
    marines = [new_unit(kind, 1, 1, facing), new_unit("marine", 3, 2, "East")]
    play = stage("full", PAIR, marines, [new_unit("alien", 2, 1, "West")], dice=[1], **more)
    if play.decision["kind"] == "command_reroll":
        play.do("accept")
    play.do("pass")
    play.do("activate", 2, 1)
    return play


@pytest.mark.parametrize(
    ("kind", "dice", "survivor"),
    [
        ("marine", [5, 1, 1, 6], "m1"),
        ("marine_axe", [5, 1, 6, 5], "a1"),
        ("marine_claws", [5, 1, 6, 6, 1], "m1"),
        ("marine_claws", [6, 1, 6, 4, 5], "both"),
        ("marine_sarge", [5, 1, 1, 5], "m1"),
        ("marine_hammer", [6, 6, 5], "m1"),
    ],
)
def test_modifiers_of_marines_that_face_the_alien(
    stage: Make, new_unit: Make, kind: str, dice: list[int], survivor: str
) -> None:
    play = duel(stage, new_unit, kind)
    play.do("assault", 1, 1, dice=dice)
    alive = {identity for identity in ("m1", "a1") if play.has(identity)}
    assert alive == ({"m1", "a1"} if survivor == "both" else {survivor})


def test_no_modifiers_from_behind(stage: Make, new_unit: Make) -> None:
    play = duel(stage, new_unit, "marine_hammer", "North")
    play.do("assault", 1, 1, dice=[4, 4, 4, 4])
    assert play.decision == {"kind": "face_attacker", "player": 0, "attacker": "a1", "defender": "m1"}
    play.do("accept")
    assert play.unit("m1")["facing"] == "North"
    assert play.decision == {"kind": "turn", "player": 1}


def test_the_best_die_of_the_alien_is_rolled_again(stage: Make, new_unit: Make) -> None:
    play = duel(stage, new_unit, "marine_sarge")
    play.do("assault", 1, 1, dice=[6, 2, 5, 3])
    assert play.decision == {
        "kind": "alien_die_reroll",
        "player": 0,
        "attacker": "a1",
        "defender": "m1",
        "marine_dice": [4],
        "alien_dice": [6, 5, 2],
    }
    play.do("reroll", dice=[1])
    assert not play.has("m1")
    play = duel(stage, new_unit, "marine_hammer")
    play.do("assault", 1, 1, dice=[6, 2, 3])
    assert play.decision["marine_dice"] == [5]
    assert play.decision["alien_dice"] == [6, 2]
    play.do("reroll", dice=[3])
    assert not play.has("a1")


def test_both_rerolls_one_after_the_other(stage: Make, new_unit: Make) -> None:
    marines = [new_unit("marine_sarge", 1, 1, "East"), new_unit("marine", 3, 2, "East")]
    play = stage("full", PAIR, marines, [new_unit("alien", 2, 1, "West"), new_unit("alien", 1, 2, "West")], dice=[1])
    play.do("accept")
    play.do("activate", 1, 1)
    play.do("guard")
    play.do("pass")
    play.do("activate", 2, 1)
    play.do("assault", 1, 1, dice=[6, 6, 6, 1])
    play.do("reroll", dice=[3])
    assert play.decision["kind"] == "guard_reroll"
    assert play.decision["alien_dice"] == [6, 6, 3]
    play.do("reroll", dice=[6])
    assert not play.has("a1")
    assert play.has("m1")


def test_an_assaulted_marine_loses_overwatch_but_not_guard(stage: Make, new_unit: Make) -> None:
    for mark in ("overwatch", "guard"):
        marines = [new_unit("marine", 1, 1, "North"), new_unit("marine", 3, 2, "East")]
        play = stage("full", PAIR, marines, [new_unit("alien", 2, 1, "West")], dice=[1])
        play.do("activate", 1, 1)
        play.do(mark)
        play.do("pass")
        play.do("activate", 2, 1)
        play.do("assault", 1, 1, dice=[4, 1, 1, 4])
        if mark == "guard":
            play.do("accept")
        assert play.decision["kind"] == "face_attacker"
        assert play.unit("m1")[mark] == (mark == "guard")


def test_a_marine_attacks(stage: Make, new_unit: Make) -> None:
    """The attacker's dice are drawn first. A defender that does not face its attacker may turn."""
    marines = [new_unit("marine", 1, 1, "East"), new_unit("marine", 3, 2, "East")]
    play = stage("full", PAIR, marines, [new_unit("alien", 2, 1, "North")], dice=[1])
    play.do("activate", 1, 1)
    assert play.refusal("assault", 2, 2) == play.refusal("assault", 1, 1) == "not straight ahead"
    play.do("assault", 2, 1, dice=[3, 6, 2, 2])
    assert play.decision == {"kind": "face_attacker", "player": 1, "attacker": "m1", "defender": "a1"}
    play.do("face")
    assert play.unit("a1")["facing"] == "West"
    assert play.state["last_action"] is None
    play.do("assault", 2, 1, dice=[3, 6, 2, 2])
    assert not play.has("m1")
    assert play.state["active"] is None


def test_doors_are_assaulted_if_no_enemy_is_there(stage: Make, new_unit: Make) -> None:
    doors = [{"x": 2, "y": 1, "open": True}]
    marines = [new_unit("marine", 1, 1, "East"), new_unit("marine_chain", 2, 1, "East")]
    play = stage("full", PAIR, marines, [new_unit("alien", 3, 2, "East")], doors=doors, dice=[1])
    play.do("activate", 1, 1)
    (entry,) = (one for one in play.game.legal_actions() if one["type"] == "assault")
    assert entry == {"type": "assault", "x": 2, "y": 1, "cost": 1, "target": "d1"}
    play.do("assault", 2, 1, dice=[5])
    assert play.state["doors"]
    play.do("assault", 2, 1, dice=[6])
    assert play.state["doors"] == []
    assert play.has("m2")
    with_alien = stage("full", PAIR, marines[:1], [new_unit("alien", 2, 1, "East")], doors=doors, dice=[1])
    with_alien.do("activate", 1, 1)
    assert [one["target"] for one in with_alien.game.legal_actions() if one["type"] == "assault"] == ["a1"]


def test_a_chain_saw_needs_no_roll(stage: Make, new_unit: Make) -> None:
    doors = [{"x": 2, "y": 1, "open": False}]
    marines = [new_unit("marine_chain", 1, 1, "East")]
    play = stage("full", PAIR, marines, [new_unit("blip", 3, 1, "East")], doors=doors, dice=[1])
    play.do("activate", 1, 1)
    play.do("assault", 2, 1)
    assert play.state["doors"] == []
    assert play.decision["kind"] == "forced_orient"


def test_an_alien_at_a_door_rolls_three_dice_and_draws_fire(stage: Make, new_unit: Make) -> None:
    doors = [{"x": 1, "y": 1, "open": False}]
    marines = [new_unit("marine", 2, 2, "North")]
    play = stage("full", PAIR, marines, [new_unit("alien", 2, 1, "West")], doors=doors, dice=[1])
    play.do("activate", 2, 2)
    play.do("overwatch")
    play.do("pass")
    play.do("activate", 2, 1)
    play.do("assault", 1, 1, dice=[1, 2, 3, 4, 5])
    assert play.has("a1")
    play.do("assault", 1, 1, dice=[1, 2, 6, 5, 1])
    assert not play.has("a1")


# -- reveals -----------------------------------------------------------------------------------------------------------


def test_a_voluntary_reveal_stops_at_the_cap(stage: Make, hall: list[str], new_unit: Make) -> None:
    aliens = [new_unit("blip_3", 5, 3, "West"), new_unit("alien", 5, 1, "West")]
    for cap, remaining in ((2, 0), (3, 1), (22, 2)):
        play = stage("core", hall, [new_unit("marine", 1, 1, "West")], aliens, options={"alien_cap": cap})
        play.do("pass")
        play.do("activate", 5, 3)
        play.do("reveal")
        assert play.decision["remaining"] == remaining
    full = stage("core", hall, [new_unit("marine", 1, 1, "West")], aliens, options={"alien_cap": 1})
    full.do("pass")
    full.do("activate", 5, 3)
    assert "reveal" not in full.types()
    assert full.refusal("reveal") == "too many aliens"
    full.do("move", 5, 2)
    assert full.refusal("reveal") == "not enough AP"


def test_no_open_cell_for_the_others(stage: Make, new_unit: Make) -> None:
    rows = ["#####", "#.###", "###.#", "#####"]
    play = stage("core", rows, [new_unit("marine", 1, 1, "West")], [new_unit("blip_3", 3, 2, "West")])
    play.do("pass")
    play.do("activate", 3, 2)
    play.do("reveal")
    assert play.decision["remaining"] == 2
    assert play.types() == {"pass", "turn_left", "turn_right"}
    assert play.refusal("deploy", 2, 2) == "choice not open now"
    state = play.do("pass")
    assert (state["side"], state["turn"]) == ("marine", 2)


def test_others_are_placed_out_of_sight(stage: Make, corridor: list[str], new_unit: Make) -> None:
    rows = ["#########", "#.......#", "######.##", "#########"]
    play = stage("core", rows, [new_unit("marine", 1, 1, "East")], [new_unit("blip_2", 6, 2, "West")])
    play.do("pass")
    play.do("activate", 6, 2)
    play.do("reveal")
    # (5, 1), (6, 1) and (7, 1) are in the marine's sight.
    assert "deploy" not in play.types()


def test_aliens_placed_by_force_share_the_fate_of_the_first(stage: Make, new_unit: Make) -> None:
    rows = ["########", "#......#", "#......#", "########"]
    play = stage(
        "full", rows, [new_unit("marine", 1, 1, "West"), new_unit("marine", 1, 2, "West")],
        [new_unit("blip_3", 6, 1, "West"), new_unit("alien", 4, 2, "East")], dice=[1],
    )  # fmt: skip
    play.do("activate", 1, 1)
    play.do("turn_left")
    play.do("turn_left")
    assert play.decision["unit"] == "a1"
    play.do("pass")
    play.do("deploy", 5, 1)
    play.do("turn_left")
    play.do("pass")
    play.do("deploy", 5, 2)
    # The third alien faces as the second does.
    assert play.unit("a4")["facing"] == play.unit("a3")["facing"] == "South"
    assert not play.unit("a4")["deactivated"]
    play.do("pass")
    assert play.decision == {"kind": "turn", "player": 0}


def test_a_check_at_the_start_of_the_marine_turn(stage: Make, new_unit: Make) -> None:
    """Fire hides a blip until it goes out."""
    rows = ["##########", "#........#", "##########"]
    play = stage(
        "full", rows, [new_unit("marine_flame", 1, 1, "East"), new_unit("marine", 2, 1, "East")],
        [new_unit("blip", 8, 1, "West")], sections=["." * 10, "..ABCDEFG.", "." * 10],
        doors=[{"x": 7, "y": 1, "open": False}], dice=[1],
    )  # fmt: skip
    play.do("activate", 2, 1)
    play.do("move", 3, 1)
    play.do("activate", 1, 1)
    play.do("move", 2, 1)
    play.do("pass")
    play.do("activate", 8, 1)
    play.do("door", 7, 1)
    assert play.decision == {"kind": "forced_orient", "player": 1, "unit": "a1", "origin": [8, 1], "remaining": 0}
    assert play.state["ap"] == 5


def test_reinforcements_in_sight_are_revealed(stage: Make, new_unit: Make) -> None:
    rows = ["########", "#......#", "########"]
    play = stage(
        "full", rows, [new_unit("marine", 1, 1, "East")], [], dice=[1],
        lurk_cells=[[6, 1], [7, 2]], entry_cells=[[5, 1]], reinforcements={"first": 2, "later": 0},
    )  # fmt: skip
    play.do("pass")
    play.do("deploy", 6, 1, dice=[10])
    assert play.decision == {"kind": "forced_orient", "player": 1, "unit": "a1", "origin": [6, 1], "remaining": 1}
    play.do("pass")
    play.do("deploy", 5, 1)
    play.do("pass")
    assert play.decision == {"kind": "reinforce", "player": 1, "remaining": 1}
    assert play.listed("deploy") == {(7, 2): 0}


def test_deployment(stage: Make, new_unit: Make) -> None:
    rows = ["########", "#......#", "#......#", "########", "########"]
    play = stage(
        "full", rows, [new_unit("marine", x, 3, "North") for x in (1, 2, 3)], [new_unit("blip", 6, 1, "West")],
        drop_cells=[[1, 3], [2, 3], [3, 3]],
        start_cells=[{"x": 1, "y": 2, "facing": "South"}, {"x": 1, "y": 1, "facing": "East"}],
    )  # fmt: skip
    assert play.refusal("activate", 6, 1) == "no unit of yours there"
    play.do("activate", 2, 3)
    assert play.listed("move") == {(1, 1): 0, (1, 2): 0}
    assert play.refusal("move", 3, 1) == "not a start cell"
    play.do("move", 1, 1)
    assert play.decision["kind"] == "forced_orient"
    play.do("pass")
    play.do("activate", 1, 3)
    assert play.refusal("move", 1, 1) == "occupied"
    play.do("move", 1, 2, dice=[2])
    assert play.unit("m1")["facing"] == "South"
    assert (play.unit("m3")["x"], play.unit("m3")["y"]) == (3, 3)
    assert play.decision == {"kind": "turn", "player": 0}
    assert play.listed("activate")[3, 3] == 0


# -- the end -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("winner", "player"), [("marine", 0), ("alien", 1), ("draw", None)])
def test_the_turn_limit(stage: Make, hall: list[str], new_unit: Make, winner: str, player: int | None) -> None:
    play = stage(
        "core", hall, [new_unit("marine", 3, 2, "North")], [new_unit("alien", 1, 3, "North")],
        options={"turn_limit": 2, "limit_winner": winner},
    )  # fmt: skip
    play.do("pass")
    play.do("pass")
    assert play.ended is None
    play.do("pass")
    state = play.do("pass")
    assert state["turn"] == 2
    assert play.ended == {"winner": player, "reason": "turn_limit"}


def test_an_alien_side_without_units_loses_in_its_own_turn(stage: Make, new_unit: Make) -> None:
    rows = ["########", "#......#", "########", "########"]
    play = stage(
        "full", rows, [new_unit("marine", 1, 1, "East")], [], dice=[1],
        lurk_cells=[[6, 3]], entry_cells=[[5, 1]], reinforcements={"first": 0, "later": 1},
    )  # fmt: skip
    play.do("activate", 1, 1)
    play.do("pass")
    assert play.ended == {"winner": 0, "reason": "no_units"}


def test_a_game_may_be_over_before_it_begins(stage: Make, new_unit: Make) -> None:
    """The marines have no fuel for the objective, so the game is over at the start."""
    play = stage(
        "full", ["#####", "#...#", "#####"], [new_unit("marine_flame", 1, 1, "East")],
        [new_unit("alien", 3, 1, "East")], objectives=[[2, 1]], flamer_fuel=0, dice=[1],
    )  # fmt: skip
    assert play.ended == {"winner": 1, "reason": "fuel_exhausted"}
    assert play.refusal("pass") == "game over"


def test_the_choice_limit(stage: Make, hall: list[str], new_unit: Make) -> None:
    play = stage(
        "core", hall, [new_unit("marine", 1, 1, "West")], [new_unit("blip_2", 5, 3, "West")],
        options={"choice_limit": 3},
    )  # fmt: skip
    play.do("activate", 1, 1)
    play.do("turn_left")
    assert len(play.game.legal_actions()) > 1
    play.do("turn_right")
    assert play.game.legal_actions() == [{"type": "pass", "cost": 0}]
    assert play.refusal("turn_left") == "choice limit reached"
    play.do("pass")
    play.do("activate", 5, 3)
    play.do("reveal")
    play.do("turn_left")
    assert play.types() == {"deploy"}
    assert play.refusal("turn_left") == "choice limit reached"
    play.do("deploy", 4, 3)
    assert play.types() == {"pass", "activate"}
    play.do("activate", 4, 3)
    assert play.types() == {"pass"}


def test_movement_only(stage: Make, corridor: list[str], new_unit: Make) -> None:
    play = stage(
        "core", corridor, [new_unit("marine", 1, 1, "East", jam=True)], [new_unit("alien", 2, 1, "West")],
        options={"combat": False},
    )  # fmt: skip
    play.do("activate", 1, 1)
    assert play.types() == {"pass", "turn_left", "turn_right"}
    for kind in ("overwatch", "guard", "unjam"):
        assert play.refusal(kind) == "choice not open now"
    play.do("pass")
    play.do("activate", 2, 1)
    assert "assault" not in play.types()
    assert play.refusal("assault", 1, 1) == "choice not open now"
