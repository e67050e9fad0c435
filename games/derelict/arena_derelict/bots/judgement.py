"""Estimate the value of choices, for the better bots of Derelict.

A table has a function for each kind of decision, and for the turns of both sides one for each type of choice. A
function gets the `Situation` and the choice, and returns its value. Values only order the choices of one list: what a
good player does first has the highest value, 0 is that of passing, and a choice below 0 is worse than none. The numbers
were chosen, not fitted: tests show that they beat chance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from arena_derelict.board import Board
from arena_derelict.pieces import Pieces
from arena_derelict.rulesets import FACING_INDEX, VECTORS
from arena_derelict.situation import (
    FAR,
    Situation,
    ahead_of,
    cell_of,
    quarters_to,
)

Document = dict[str, Any]
Weigh = Callable[[Situation, Document], float]
NEVER = -4.0
"""The value of a choice that only costs points. Choices that are nearly as bad have -1 to -5."""


class Judgement:
    """Evaluates choices on one map.

    Args:
        options: The options of the game.
        board: The map of the game.
    """

    def __init__(self, options: Any, board: Board) -> None:
        self.options = options
        self.board = board

    def situation(self, game: Any, pieces: Pieces) -> Situation:
        """Return a position, which can be a bot's game object or, in a search, a state of the rules."""
        return Situation(self.options, self.board, game, pieces)

    def choose(self, game: Any, pieces: Pieces, listed: list[Document]) -> Document:
        """Return the choice with the highest value."""
        situation = self.situation(game, pieces)
        return max(listed, key=lambda choice: worth(situation, choice))


def worth(situation: Situation, choice: Document) -> float:
    """Return the value of a choice. Compare it only with values of other choices in the same list of choices."""
    weigh = DECISIONS.get(situation.decision.kind)
    if weigh is None:
        turn = MARINE_TURN if situation.game.side == "marine" else ALIEN_TURN
        weigh = turn[choice["type"]]
    return weigh(situation, choice)


def _always(value: float) -> Weigh:
    return lambda _situation, _choice: value


def _target(choice: Document) -> tuple[int, int]:
    return choice["x"], choice["y"]


# -- the small decisions ---------------------------------------------------------------------------------------------

DEPLOYED_FIRST = ("marine_hammer", "marine_sarge", "marine_flame", "marine_cannon", "marine_chain")


def _deploy_pick(situation: Situation, choice: Document) -> float:
    types = {unit.id: unit.marine_type for unit in situation.game.units}
    marine_type = types[choice["unit"]]
    if marine_type not in DEPLOYED_FIRST:
        return -float(len(DEPLOYED_FIRST))
    return -float(DEPLOYED_FIRST.index(marine_type))


def _deploy_place(situation: Situation, choice: Document) -> float:
    board = situation.board
    goals = board.objectives or [cell_of(unit) for unit in situation.contacts] or board.entry_cells
    return -float(min(situation.distances.between(_target(choice), goal) for goal in goals))


def _command_reroll(situation: Situation, choice: Document) -> float:
    return float((choice["type"] == "reroll") == (situation.decision.rolled <= 3))


def _alien_die_reroll(situation: Situation, choice: Document) -> float:
    best, second = situation.decision.alien_dice[0], situation.decision.alien_dice[1]
    mine = situation.decision.marine_dice[0]
    return float((choice["type"] == "reroll") == (mine < best or second < mine))


def _guard_reroll(situation: Situation, choice: Document) -> float:
    best, mine = situation.decision.alien_dice[0], situation.decision.marine_dice[0]
    return float((choice["type"] == "reroll") == (mine < best or best <= 3))


def _face_attacker(_situation: Situation, choice: Document) -> float:
    return float(choice["type"] == "face")


def _unjam_now(_situation: Situation, choice: Document) -> float:
    return float(choice["type"] == "unjam")


def _reinforce(situation: Situation, choice: Document) -> float:
    return -float(situation.nearest(_target(choice), situation.pieces.marines))


def _forced_place(situation: Situation, choice: Document) -> float:
    return float(situation.nearest(_target(choice), situation.pieces.marines))


def _forced_orient(situation: Situation, choice: Document) -> float:
    quarters = situation.quarters_to_nearest(situation.decision.unit, situation.pieces.marines)
    best = ("pass", "turn_right", "turn_right", "turn_left")[quarters]
    if choice["type"] == best:
        return 1.0
    return 0.5 if choice["type"] == "pass" else 0.0


def _reveal(situation: Situation, choice: Document) -> float:
    if choice["type"] == "deploy":
        return 500.0 - situation.nearest(_target(choice), situation.pieces.marines)
    if choice["type"] == "activate":
        return 400.0 - situation.nearest(_target(choice), situation.pieces.marines)
    return 1.0 if choice["type"] == "pass" else 0.0


DECISIONS: Mapping[str, Weigh] = {
    "deploy_pick": _deploy_pick,
    "deploy_place": _deploy_place,
    "command_reroll": _command_reroll,
    "alien_die_reroll": _alien_die_reroll,
    "guard_reroll": _guard_reroll,
    "face_attacker": _face_attacker,
    "unjam_now": _unjam_now,
    "reinforce": _reinforce,
    "forced_place": _forced_place,
    "forced_orient": _forced_orient,
    "reveal": _reveal,
}
"""All kinds of decisions but a side's turn."""

# -- a turn of the marines -------------------------------------------------------------------------------------------

FIGHTERS = ("marine_hammer", "marine_claws")


def _is_flamer(marine: Any) -> bool:
    return bool(marine.marine_type == "marine_flame")


def _marine_activation(situation: Situation, choice: Document) -> float:
    cell = _target(choice)
    marine = situation.pieces.unit_at(*cell)
    if choice["ap"] == 0 or marine is None:
        return -1.0
    aliens = [unit for unit in situation.contacts if unit.kind == "alien"]
    sees = any(situation.pieces.is_seen(marine, alien.x, alien.y) for alien in aliens)
    # Good choices of the active unit have higher values: the active unit acts first.
    return 10.0 + (5.0 if sees else 0.0) + (1.0 - situation.goal_distance(cell) / FAR)


def _shoot(situation: Situation, choice: Document) -> float:
    game, marine = situation.game, situation.active
    if choice["target"] == "section":
        return _burn(situation, choice)
    if choice["target"].startswith("d"):  # a door
        return -1.0
    close = min(situation.distances.between(cell_of(marine), _target(choice)), 20)
    again = 5.0 if game.last_action == "shoot" and game.last_shot_target == choice["target"] else 0.0
    free = 30.0 if choice["cost"] == 0 else 0.0
    # Keep two action points for overwatch, unless the alien is so near that overwatch would come too late.
    spare = game.ap - choice["cost"] >= 2 or close <= 2 or marine.overwatch
    return (70.0 if spare or free else 20.0) + again + free - close


def _burn(situation: Situation, choice: Document) -> float:
    board = situation.board
    burning = set(board.sections[board.section[board.number(*_target(choice))]])
    if any(board.number(*goal) in burning for goal in board.objectives):
        return 1000.0  # this wins
    if any(board.number(*cell_of(marine)) in burning for marine in situation.pieces.marines):
        return -100.0
    victims = sum(board.number(*cell_of(unit)) in burning for unit in situation.contacts)
    spare = situation.game.flamer_fuel > 2
    return 60.0 + 10 * victims if victims and spare else -5.0


def _marine_assault(situation: Situation, choice: Document) -> float:
    marine = situation.active
    if choice["target"].startswith("d"):  # a door
        return -1.0
    alien = situation.pieces.unit_at(*_target(choice))
    is_strong = marine.marine_type in (*FIGHTERS, "marine_sarge")
    is_safe = alien is not None and ahead_of(alien) != cell_of(marine)
    return 75.0 if is_strong or is_safe else 15.0


def _mark(situation: Situation, choice: Document) -> float:
    """Weigh overwatch and guard."""
    marine, danger, ap = situation.active, situation.danger, situation.game.ap
    if marine.overwatch or marine.guard:
        return -1.0
    usual = "guard" if marine.marine_type in FIGHTERS or _is_flamer(marine) else "overwatch"
    if choice["type"] != usual and not (choice["type"] == "guard" and marine.jam):
        return 1.0 if danger <= 8 else -2.0
    if not situation.board.objectives:
        return 40.0
    if _is_flamer(marine):
        return 2.0
    if danger <= 7 and ap <= 3:
        return 48.0
    return 40.0 if danger <= 9 and ap <= 2 else 1.0


def _command(situation: Situation, _choice: Document) -> float:
    game = situation.game
    if _is_flamer(situation.active):
        return 12.0 if game.command_points > 1 else -1.0
    return 85.0 if game.ap == 0 and situation.targets and game.last_action == "shoot" else -1.0


def _marine_rotation(situation: Situation, choice: Document) -> float:
    marine, ap = situation.active, situation.game.ap
    has_objectives = bool(situation.board.objectives)
    if marine.overwatch or (ap < 3 and not has_objectives):
        return -3.0
    if situation.targets and not _is_flamer(marine):
        return -3.0
    if has_objectives and (_is_flamer(marine) or situation.danger > 7):
        return _rotation_to_goal(situation, choice)
    if has_objectives and ap == 4:
        return -3.0
    return _rotation_to_lane(situation, choice)


def _is_towards(quarters: int, choice: Document) -> bool:
    """Return whether a quarter turn leads to a facing. For a half turn, it is the one to the right."""
    return quarters != 0 and choice["type"] == ("turn_left" if quarters == 3 else "turn_right")


def _rotation_to_lane(situation: Situation, choice: Document) -> float:
    lanes, now = situation.lanes, FACING_INDEX[situation.active.facing]
    best = max(range(4), key=lambda facing: (lanes[facing], facing == now))
    if best == now or lanes[best] <= lanes[now] * 1.2 + 0.02:
        return -3.0
    quarters = (best - now) % 4
    if quarters == 2 and situation.game.ap < 4:
        return -3.0
    return 50.0 if _is_towards(quarters, choice) else -3.0


def _rotation_to_goal(situation: Situation, choice: Document) -> float:
    """Weigh a quarter turn by whether the marine needs it to face the next cell on its way to the objective."""
    marine = situation.active
    here = situation.goal_distance(cell_of(marine))
    free = [cell for cell in situation.board.neighbours(*cell_of(marine)) if situation.pieces.unit_at(*cell) is None]
    better = [cell for cell in free if situation.goal_distance(cell) < here]
    if not better or any(_is_in_front(marine, cell) for cell in better):
        return -3.0
    cell = min(better, key=lambda cell: abs(cell[0] - marine.x) + abs(cell[1] - marine.y))
    turns_left = quarters_to(marine, cell) == 3
    return 44.0 if turns_left == (choice["type"] == "turn_left") else -3.0


def _is_in_front(unit: Any, cell: tuple[int, int]) -> bool:
    dx, dy = VECTORS[FACING_INDEX[unit.facing]]
    return bool((cell[0] - unit.x) * dx + (cell[1] - unit.y) * dy > 0)


def _marine_door(situation: Situation, choice: Document) -> float:
    if not situation.board.objectives or choice["to"] == "closed":
        return NEVER
    is_ahead = situation.goal_distance(_target(choice)) < situation.goal_distance(cell_of(situation.active))
    return 30.0 if is_ahead and situation.danger > 3 else NEVER


def _marine_step(situation: Situation, choice: Document) -> float:
    marine, ap, danger = situation.active, situation.game.ap, situation.danger
    cell = _target(choice)
    if not situation.board.objectives or marine.overwatch or marine.guard:
        return NEVER
    gain = situation.goal_distance(cell_of(marine)) - situation.goal_distance(cell)
    if gain <= 0 or choice["cost"] > 1:
        return NEVER
    hurries = _is_flamer(marine) or danger > 8 or situation.pressed
    if (situation.targets or (danger <= 5 and ap <= 2)) and not hurries:
        return 3.0
    if _is_flamer(marine) and not situation.pressed and situation.leads(marine, cell):
        return 3.0
    straight = 0.5 if choice["step"] == "forward" else 0.0
    return (45.0 if ap > 2 or hurries else 25.0) + gain + straight


MARINE_TURN: Mapping[str, Weigh] = {
    "pass": _always(0.0),
    "activate": _marine_activation,
    "shoot": _shoot,
    "assault": _marine_assault,
    "overwatch": _mark,
    "guard": _mark,
    "unjam": _always(95.0),
    "command": _command,
    "turn_left": _marine_rotation,
    "turn_right": _marine_rotation,
    "door": _marine_door,
    "move": _marine_step,
}

# -- a turn of the aliens --------------------------------------------------------------------------------------------


def _alien_activation(situation: Situation, choice: Document) -> float:
    cell = _target(choice)
    unit = situation.pieces.unit_at(*cell)
    alien = 3.0 if unit is not None and unit.kind == "alien" else 0.0
    return 10.0 + alien - situation.nearest(cell, situation.pieces.marines) / FAR


def _alien_assault(_situation: Situation, choice: Document) -> float:
    return -1.0 if choice["target"].startswith("d") else 200.0


def _alien_step(situation: Situation, choice: Document) -> float:
    alien = situation.active
    cell, here = _target(choice), cell_of(alien)
    if choice["step"] == "entry":
        return 50.0
    marines = {cell_of(marine) for marine in situation.pieces.marines}
    if here in situation.goals and ahead_of(alien) in marines:
        return -5.0
    is_watched = situation.is_watched(cell)
    if is_watched and not situation.rushing:
        return -5.0
    gain = situation.way(here) - situation.way(cell)
    if gain <= 0.05:
        return -2.0 + gain
    cost = 0.6 * (choice["cost"] - 1)
    exposed = 0.3 if is_watched else 0.0
    return float(20 + gain - cost - exposed)


def _alien_rotation(situation: Situation, choice: Document) -> float:
    alien, marines = situation.active, situation.pieces.marines
    near = [marine for marine in marines if abs(marine.x - alien.x) + abs(marine.y - alien.y) == 1]
    if not near or ahead_of(alien) in {cell_of(marine) for marine in near}:
        return -3.0
    prey = max(near, key=lambda marine: (ahead_of(marine) != cell_of(alien), not marine.guard, marine.id))
    leaves_a_point = situation.game.ap - choice["cost"] >= 1
    return 150.0 if _is_towards(quarters_to(alien, cell_of(prey)), choice) and leaves_a_point else -3.0


def _alien_door(situation: Situation, choice: Document) -> float:
    if choice["to"] == "closed":
        return NEVER
    is_ahead = situation.way(_target(choice)) < situation.way(cell_of(situation.active))
    return 22.5 if is_ahead and situation.rushing else NEVER


def _blip_step(situation: Situation, choice: Document) -> float:
    if choice["step"] == "entry":
        return 50.0
    marines = situation.pieces.marines
    gain = situation.nearest(cell_of(situation.active), marines) - situation.nearest(_target(choice), marines)
    return float(20 + gain) if gain > 0 else -3.0


def _blip_reveal(situation: Situation, _choice: Document) -> float:
    distance = situation.nearest(cell_of(situation.active), situation.pieces.marines)
    return 19.0 if distance <= 8 or (situation.late and distance <= 14) else -1.0


def _blip_door(situation: Situation, choice: Document) -> float:
    marines = situation.pieces.marines
    is_ahead = situation.nearest(_target(choice), marines) < situation.nearest(cell_of(situation.active), marines)
    if choice["to"] == "closed" or not is_ahead:
        return NEVER
    return 15.0 if situation.game.ap < 6 else 18.0


def _by_kind(alien: Weigh, blip: Weigh) -> Weigh:
    def weigh(situation: Situation, choice: Document) -> float:
        return (blip if situation.active.kind == "blip" else alien)(situation, choice)

    return weigh


ALIEN_TURN: Mapping[str, Weigh] = {
    "pass": _always(0.0),
    "activate": _alien_activation,
    "assault": _alien_assault,  # blips cannot
    "move": _by_kind(_alien_step, _blip_step),
    "turn_left": _by_kind(_alien_rotation, _always(NEVER)),
    "turn_right": _by_kind(_alien_rotation, _always(NEVER)),
    "door": _by_kind(_alien_door, _blip_door),
    "reveal": _blip_reveal,
}
