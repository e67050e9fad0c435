"""The options of the game."""

from __future__ import annotations

from arena.game import Document, Option, OptionError

OPTIONS = (
    Option("players", "int", 4, "Number of snakes.", 2, 8),
    Option("size", "int", 11, "Columns and rows of the board, an odd number.", 7, 25),
    Option("minimum_food", "int", 1, "Minimum number of tiles with food after each turn.", 0, 50),
    Option(
        "food_spawn_chance", "int", 15, "The chance of one more food after a turn with enough food, in percent.", 0, 100
    ),
)


def resolve_options(given: Document) -> Document:
    """Fill in the defaults.

    Raises:
        OptionError: The size is even.
    """
    values = {option.name: option.default for option in OPTIONS} | given
    if values["size"] % 2 == 0:
        raise OptionError(f"The option size must be an odd number, not {values['size']}.")
    return values
