"""The constants of the rules, which are options of the game."""

from __future__ import annotations

from typing import Any

from arena.game import Option, OptionError
from arena.game.options import resolve

GREATEST = 1_000_000


def _duration(name: str, default: int, doc: str) -> Option:
    return Option(name, "int", default, doc, 1, GREATEST)


def _amount(name: str, default: int, doc: str) -> Option:
    return Option(name, "int", default, doc, 0, GREATEST)


OPTIONS = (
    Option("width", "int", 22, "Columns of the map, balcony included; even.", 6, 200),
    Option("height", "int", 12, "Rows of the map, balcony included; even.", 6, 200),
    _duration("max_turns", 192, "Turns of both players together."),
    _duration("cowboy_health", 10, "Health of a newcomer."),
    _duration("piano_health", 48, "Health of a piano; each play takes 1."),
    _duration("furnishing_health", 16, "Health of furnishings that are not pianos."),
    _amount("max_cowboys_per_job", 2, "Limit of living cowboys of one job per player."),
    _amount("sharpshooter_damage", 4, "Damage of a shot to everything on its line."),
    _amount("brawler_damage", 1, "Damage of a punch."),
    _amount("hazard_damage", 1, "Damage of a hazard at the end of every turn."),
    _amount("collision_damage", 1, "Damage to a drunk who walks against a furnishing or the balcony."),
    _duration("turns_drunk", 5, "Number of drunken walks after a hit."),
    _duration(
        "bartender_cooldown", 5, "Own turns in which a Bartender is busy after a throw, the turn of the throw included."
    ),
    _duration("rowdiness_to_siesta", 8, "Bottle hits that send a gang to sleep."),
    _duration("siesta_length", 8, "Own turns that a siesta lasts."),
    Option("max_furnishing_pairs", "int", 5, "Largest number of pairs of plain furnishings on a new map.", 0, 40),
    Option("max_hazard_pairs", "int", 12, "Largest number of pairs of hazards on a new map.", 0, 1000),
    Option("piano_pair_chances", "numbers", (0.80, 0.15, 0.05), "Chances of 2, 3 and 4 pairs of pianos."),
)


def resolve_options(given: dict[str, Any]) -> dict[str, Any]:
    """Fill in the defaults, and check the values that depend on each other.

    Raises:
        OptionError: A value is impossible, the width or the height is odd, or the chances of pianos do not add up to 1.
    """
    values = resolve(OPTIONS, given)
    for name in ("width", "height"):
        if values[name] % 2:
            raise OptionError(f"The option {name} must be an even number, not {values[name]}.")
    chances = values["piano_pair_chances"]
    if len(chances) != 3 or min(chances) < 0 or abs(sum(chances) - 1) > 1e-6:
        raise OptionError(f"The option piano_pair_chances must be three chances that add up to 1, not {list(chances)}.")
    return values
