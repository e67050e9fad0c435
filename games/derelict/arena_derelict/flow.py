"""The control flow of the rules from one choice to the next.

The unfinished part of an action is an agenda: a list of steps, each a plain tuple. The last step is done first. A step
can add steps to the agenda. A step can also ask a player for a decision. The rest of the agenda then waits.
"""

from __future__ import annotations

from typing import Any

from arena_derelict import ending
from arena_derelict.entities import Unit
from arena_derelict.position import Position
from arena_derelict.rulesets import SIDES, LastAction

Todo = list[tuple[Any, ...]]


def proceed(game: Position, *steps: tuple[Any, ...]) -> None:
    """Count the accepted choice for the choice limit, and run the rules until the next choice.

    Args:
        game: The game.
        *steps: The steps of the choice; the last is done first.
    """
    game.choices_made += 1
    run(game, *steps)


def run(game: Position, *steps: tuple[Any, ...]) -> None:
    """Do all steps on the agenda until a player has to choose, then check whether the game is over."""
    todo: Todo = [*game.agenda, *steps]
    asked = False
    while todo and not asked:
        name, *arguments = todo.pop()
        asked = game.steps[name](game, todo, *arguments)
    game.agenda = tuple(todo)
    if not asked:
        ask(game, "turn", SIDES.index(game.side))
    ending.judge(game)


def ask(game: Position, kind: str, player: int, **details: Any) -> bool:
    """Ask a player for a decision.

    Args:
        game: The game.
        kind: The kind of the decision.
        player: The player who decides.
        **details: The other fields of the decision.

    Returns:
        Always True: what a step returns when it waits for a player.
    """
    decision = game.decision
    assert decision is not None
    decision.player = player
    if decision.kind == kind == "turn":
        return True
    decision.kind = kind  # type: ignore[assignment]
    for name in ending.DECISION_DETAILS:
        setattr(decision, name, details.get(name))
    return True


def pay(game: Position, cost: int, last_action: LastAction | None = None) -> None:
    """Take action points from the active unit, record its last action, and forget the target of its last shot."""
    game.ap -= cost
    game.last_action = last_action
    game.last_shot_target = None


def rest(game: Position) -> None:
    """End the activation: no unit is active."""
    game.active = None
    game.ap = 0
    game.last_action = None
    game.last_shot_target = None


def destroy(game: Position, unit: Unit, by: str) -> None:
    """Remove a unit from the board.

    Args:
        game: The game.
        unit: The unit.
        by: The cause of its destruction, for viewers.
    """
    game.event("destroyed", unit=unit.id, what=unit.kind, x=unit.x, y=unit.y, by=by)
    game.units = tuple(other for other in game.units if other is not unit)
    if game.active is unit:
        rest(game)
    game.remove(unit)


def destroy_door(game: Position, door: Any, by: str) -> None:
    """Remove a door from the game."""
    game.event("destroyed", unit=door.id, what="door", x=door.x, y=door.y, by=by)
    game.doors = tuple(other for other in game.doors if other is not door)
    game.remove(door)
