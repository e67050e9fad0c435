"""The options of the game. Order of priority: given values, the mission's, the ruleset's."""

from __future__ import annotations

from typing import Any

from arena.game import Option, OptionError
from arena_derelict.map_files import DEFAULT, check, supplied
from arena_derelict.rulesets import RULESETS

MISSION_OPTION = "mission"
_FREE_TURNS = ("after_move", "after_move_or_turn", "after_move_or_paid_turn")

OPTIONS: tuple[Option, ...] = (
    Option(MISSION_OPTION, "json", DEFAULT, "The mission: its name, the path of its file, or the content of the file."),
    Option(
        "ruleset", "choice", None, "The set of defaults. The mission's ruleset if not given.", choices=tuple(RULESETS)
    ),
    Option("combat", "bool", None, "If false, nobody can shoot, attack, go on overwatch, go on guard or clear a jam."),
    Option("ap_marine", "int", None, "Action points of a marine at activation.", 0, 1000),
    Option("ap_alien", "int", None, "Action points of an alien at activation.", 0, 1000),
    Option("ap_blip", "int", None, "Action points of a blip at activation.", 0, 1000),
    Option("alien_cap", "int", None, "Limit of aliens on the board; blips do not count.", 0, 4096),
    Option(
        "alien_free_turn",
        "choice",
        None,
        "The actions after which an alien turns by 90 degrees without cost.",
        choices=_FREE_TURNS,
    ),
    Option("involuntary_reveal", "bool", None, "Blips in a marine's sight are revealed at once."),
    Option("jam_cleared", "bool", None, "Jams vanish at the start of the marine turn."),
    Option("command_points", "bool", None, "The marines get command points."),
    Option("reactivate_min", "int", None, "Command points needed to activate a marine again.", 0, 1000),
    Option("deployment", "bool", None, "Marines on drop cells are placed on start cells first."),
    Option("flamer_fuel", "int", None, "Number of shots of all flamers together.", 0, 1000),
    Option("overwatch_range", "int", None, "Range of overwatch, in steps.", 0, 1000),
    Option("flamer_range", "int", None, "Range of flamers, in steps.", 0, 1000),
    Option("turn_limit", "int", None, "The last turn; 0 for no limit.", 0, 100_000),
    Option("limit_winner", "choice", None, "The winner at the turn limit.", choices=("marine", "alien", "draw")),
    Option("choice_limit", "int", None, "Limit of choices in one side's turn; 0 for no limit.", 0, 1_000_000),
    Option("reinforcements_first", "int", None, "Blips at the start of the first alien turn.", 0, 4096),
    Option("reinforcements_later", "int", None, "Blips at the start of each later alien turn.", 0, 4096),
)
RULE_OPTIONS = tuple(option.name for option in OPTIONS if option.name != MISSION_OPTION)


def resolve(given: dict[str, Any]) -> dict[str, Any]:
    """Fill in all options.

    Args:
        given: The options given explicitly; None counts as not given.

    Raises:
        OptionError: The mission cannot be loaded or has errors under these options, or the ruleset is unknown.
    """
    given = {name: value for name, value in given.items() if value is not None}
    mission = given.pop(MISSION_OPTION, DEFAULT)
    if isinstance(mission, str):
        mission = supplied(mission)
    check(mission, given)
    ruleset = given.get("ruleset") or mission.get("ruleset") or "full"
    if ruleset not in RULESETS:
        raise OptionError(f"There is no ruleset {ruleset}. There are {', '.join(RULESETS)}.")
    defaults = {"ruleset": ruleset, **RULESETS[ruleset]}
    if ruleset == "full" and mission.get("objectives"):
        defaults["limit_winner"] = "alien"
    values = defaults | _of_mission(mission) | given
    return {MISSION_OPTION: mission} | {name: values[name] for name in RULE_OPTIONS}


def _of_mission(mission: dict[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = {
        name: mission[name] for name in ("turn_limit", "limit_winner", "flamer_fuel") if name in mission
    }
    for name, number in mission.get("reinforcements", {}).items():
        values[f"reinforcements_{name}"] = number
    return values
