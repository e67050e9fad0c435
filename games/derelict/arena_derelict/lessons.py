"""What both sides can learn from a lost match: points that were left, lanes, fights, and steps not taken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

from arena.game import IllegalAction, Mistake, PlayerTurn, Seeded
from arena_derelict.commands import MARK_COST
from arena_derelict.entities import Unit
from arena_derelict.moving import doors_in_reach, is_blocked
from arena_derelict.situation import Situation, cell_of, quarters_to

if TYPE_CHECKING:
    from arena_derelict.state import Game

Turn = PlayerTurn["Game"]
Turns = Sequence[PlayerTurn["Game"]]
Document = dict[str, Any]

_BLOCKED = {"occupied", "in_sight_of_a_marine", "next_to_a_marine", "not_a_neighbouring_step", "door_blocked"}
"""The refusals that depend on where units stand."""
HIDDEN_CELLS = 3
"""A marine is in the lane of another one if it hides at least this many cells from it."""

FAR_MORE = 2
"""A way with so many times the cells is better to watch."""
NEAR = 8
"""Contacts within so many steps of a door come through it soon."""


def no_overwatch(turns: Turns) -> Iterator[Mistake]:
    """Find turns in which marines had points left for overwatch, and did not use them."""
    for turn, following in _marine_turns(turns):
        idle = [spare for spare in _spares(turn) if spare.points >= MARK_COST and _can_watch(turn, spare.marine)]
        better, ids = list(turn.actions), [spare.marine.id for spare in idle]
        for spare in sorted(idle, key=lambda one: (-one.place, one.is_active)):
            better[spare.place : spare.place] = spare.orders({"type": "overwatch"})
        if idle:
            killed = [id_ for id_ in ids if following.entity(id_) is None]
            unused = _count(sum(spare.points for spare in idle), "action point")
            text = (
                f"You left marine {' and '.join(ids)} without overwatch, with {unused} unused. Overwatch costs "
                f"{MARK_COST}, and shoots at each alien that acts in sight."
            )
            if killed:
                text += f" Before your next turn, {' and '.join(killed)} was killed."
            yield Mistake(text, [turn.number], better=better, units=ids, part=turn.part)


def fought_hand_to_hand(turns: Turns) -> Iterator[Mistake]:
    """Find marines that attacked an alien hand to hand, although their weapon worked."""
    for turn in turns:
        for place, action, game, _ in _replayed(turn):
            marine = game.active
            if turn.player or action["type"] != "assault" or marine is None or not _can_watch(turn, marine):
                continue
            alien = game.pieces.unit_at(action["x"], action["y"])
            if alien is not None and alien.kind == "alien":
                text = (
                    f"You attacked alien {alien.id} hand to hand with marine {marine.id}: your die against three, and "
                    f"the loser dies. A shot costs the same, and a miss does not kill the marine."
                )
                shot = {"type": "shoot", "x": alien.x, "y": alien.y}
                better = [*turn.actions[:place], shot, *turn.actions[place + 1 :]]
                yield Mistake(text, [turn.number], better=better, units=[marine.id, alien.id], part=turn.part)


def shot_own_men(turns: Turns) -> Iterator[Mistake]:
    """Find shots without which own marines would have lived: a flamer burns a whole section."""
    for turn in turns:
        dead = [one.id for one in turn.before.pieces.marines if turn.after.entity(one.id) is None]
        for shot in turn.actions if dead and turn.before.side == "marine" else ():
            if turn.player or shot["type"] != "shoot":
                continue
            game, better = turn.played(turn.without(shot), _BLOCKED)
            spared = [id_ for id_ in dead if game.entity(id_) is not None]
            if spared:
                text = (
                    f"Your shot at ({shot['x']}, {shot['y']}) killed your own {', '.join(spared)}. A flamer burns "
                    f"all in the section that it hits: shoot only where none of yours stands."
                )
                yield Mistake(text, [turn.number], better=better, units=spared, part=turn.part)


def stood_in_the_lane(turns: Turns) -> Iterator[Mistake]:
    """Find marines that walked into the lane of fire of a marine on overwatch, before one of the two was killed."""
    for turn, following in _marine_turns(turns):
        pieces = turn.after.pieces
        for marine in pieces.marines:
            start = turn.before.entity(marine.id)
            if start is None or (start.x, start.y) == (marine.x, marine.y):
                continue
            for watcher in pieces.marines:
                lost = next((one for one in (marine, watcher) if following.entity(one.id) is None), None)
                if watcher is marine or not watcher.overwatch or lost is None:
                    continue
                cell = watcher.y * turn.after.width + watcher.x
                free = pieces.board.seen(cell, watcher.facing, pieces.obstructed_without(marine))
                hidden = (free & ~pieces.visible_cells(watcher)).bit_count()
                if hidden >= HIDDEN_CELLS:
                    text = (
                        f"You moved marine {marine.id} into the lane of marine {watcher.id} on overwatch, and hid "
                        f"{hidden} cells from it. Then marine {lost.id} was killed."
                    )
                    better = _without_moves(turn, marine.id)
                    yield Mistake(text, [turn.number], better=better, units=[marine.id, watcher.id], part=turn.part)


def watched_a_wall(turns: Turns) -> Iterator[Mistake]:
    """Find marines that went on overwatch where they see few cells, and could have faced a way with far more."""
    for turn, _ in _marine_turns(turns):
        better, told = turn, []
        units: list[str] = []
        for marine in turn.after.pieces.marines:
            cells = turn.after.pieces.visible_cells(marine).bit_count()
            seen, facing, actions = max(_facings(better, marine), key=lambda one: one[0], default=(0, "", []))
            if seen >= max(1, FAR_MORE * cells):
                told.append(
                    f"marine {marine.id} facing {marine.facing.lower()}, where it sees {_count(cells, 'cell')}, and "
                    f"{facing.lower()} {seen}"
                )
                better, units = replace(better, actions=actions), [*units, marine.id]
        if told:
            text = f"You put on overwatch {'; '.join(told)}. Turn to the open side first."
            yield Mistake(text, [turn.number], better=better.actions, units=units, part=turn.part)


def left_a_door_open(turns: Turns) -> Iterator[Mistake]:
    """Find doors near contacts that a marine opened, or could have closed with points that it did not use."""
    for turn, _ in _marine_turns(turns):
        pieces = turn.after.pieces
        doors = {cell_of(one): one for one in pieces.doors.values() if one.open and not is_blocked(pieces, one)}
        near = {cell for cell in doors if _steps_to_contacts(turn.after, cell) <= NEAR}
        for order in turn.actions:
            if order["type"] == "door" and (order["x"], order["y"]) in near:
                _, better = turn.played(turn.without(order), _BLOCKED)
                text = f"You opened the door on ({order['x']}, {order['y']}) with contacts behind it. Leave it closed."
                yield Mistake(text, [turn.number], better=better, part=turn.part)
        for spare in _spares(turn):
            for door in doors_in_reach(pieces, spare.marine) if spare.points else ():
                if cell_of(door) in near:
                    better = list(turn.actions)
                    better[spare.place : spare.place] = spare.orders({"type": "door", "x": door.x, "y": door.y})
                    text = (
                        f"You left the door on ({door.x}, {door.y}) open before marine {spare.marine.id}, with "
                        f"{_count(spare.points, 'action point')} unused. Closed, it costs each contact that comes a "
                        f"point."
                    )
                    yield Mistake(text, [turn.number], better=better, units=[spare.marine.id], part=turn.part)


def came_no_nearer(turns: Turns) -> Iterator[Mistake]:
    """Find turns in which contacts came no nearer to the marines, although there was a way out of their fire."""
    for turn in turns:
        if turn.player == 0 or turn.before.side != "alien" or turn.after.side == "alien":
            continue
        better = list(takewhile(lambda one: one["type"] == "deploy", turn.actions))
        rest, away, steps = turn.actions[len(better) :], [], 0
        game, _ = turn.played(better)
        for unit in sorted(turn.before.units, key=lambda one: _steps_to_marines(turn.before, one)):
            if unit.player and _stayed_away(turn, unit) and (orders := _approach(game, unit)):
                given = {id(one) for one in _orders_of(turn, unit.id)}
                rest = [one for one in rest if id(one) not in given]
                better += orders
                away.append(unit)
                steps += sum(one["type"] == "move" for one in orders)
        if away:
            _, better = turn.played([*better, *rest])
            text = (
                f"You brought {' and '.join(f'{one.kind} {one.id}' for one in away)} no nearer to the marines, with "
                f"{steps} free steps that none on overwatch sees. Gather near them out of sight, and attack together."
            )
            units = [one.id for one in away]
            yield Mistake(text, [turn.number], better=better, units=units, part=turn.part)


def overwatch_too_early(turns: Turns) -> Iterator[Mistake]:
    """Find marines that went on overwatch with an alien in sight, and with points for shots before it."""
    for turn, _ in _marine_turns(turns):
        for place, action, game, refused in _replayed(turn):
            marine, shots = game.active, game.ap - MARK_COST
            if action["type"] != "overwatch" or refused or marine is None or shots < 1:
                continue
            alien = _nearest_in_sight(game, marine)
            if alien is not None and _can_watch(turn, marine):
                text = (
                    f"You put marine {marine.id} on overwatch with {_count(game.ap, 'action point')}, and alien "
                    f"{alien.id} in sight. Overwatch costs {MARK_COST}: shoot first, and watch with what is left."
                )
                shot = {"type": "shoot", "x": alien.x, "y": alien.y}
                better = [*turn.actions[:place], *[shot] * shots, *turn.actions[place:]]
                yield Mistake(text, [turn.number], better=better, units=[marine.id, alien.id], part=turn.part)


LESSONS = (
    no_overwatch,
    watched_a_wall,
    stood_in_the_lane,
    overwatch_too_early,
    shot_own_men,
    left_a_door_open,
    fought_hand_to_hand,
    came_no_nearer,
)


class _Spare(NamedTuple):
    """A marine, as it ended the turn, with the points that it did not use, and where in the turn it had them."""

    marine: Unit
    points: int
    place: int
    is_active: bool

    def orders(self, order: Document) -> list[Document]:
        """Return an order, after the activation of the marine if it needs one."""
        activation = {"type": "activate", "x": self.marine.x, "y": self.marine.y}
        return [order] if self.is_active else [activation, order]


def _can_watch(turn: Turn, marine: Unit) -> bool:
    """Return whether a marine has a weapon that works, and marines fight at all."""
    return bool(marine.weapons.weapon is not None and not marine.jam and turn.before.options.combat)


def _nearest_in_sight(game: Game, marine: Unit) -> Unit | None:
    seen = [one for one in game.units if one.kind == "alien" and game.pieces.is_seen(marine, one.x, one.y)]
    return min(seen, key=lambda one: (_distance(one, marine), one.id), default=None)


def _count(number: int, what: str) -> str:
    return f"1 {what}" if number == 1 else f"{number} {what}s"


def _distance(unit: Unit, other: Unit) -> int:
    return max(abs(unit.x - other.x), abs(unit.y - other.y))


def _marine_turns(turns: Turns) -> Iterator[tuple[Turn, Game]]:
    """Yield the last part of each turn of the marines, and the state in which their next turn begins.

    The aliens' player can answer within the turn, which divides it. Between the two turns are the answers of the
    marine player in the aliens' turn, which are parts of that one.
    """
    for number, turn in enumerate(turns):
        if turn.player == 0 and turn.before.side == "marine" and turn.after.side == "alien":
            states = [one.before for one in turns[number + 1 :] if one.before.side == "marine"]
            yield turn, states[0] if states else turns[-1].later


def _replayed(turn: Turn) -> Iterator[tuple[int, Document, Game, int]]:
    """Yield each action with its place, the state before it, and how many were refused so far: new dice differ."""
    game, refused, dice = turn.before.clone(), 0, Seeded("lessons")
    for place, action in enumerate(turn.actions):
        yield place, action, game, refused
        try:
            game.push(turn.player, action, dice)
        except IllegalAction:
            refused += 1


def _spares(turn: Turn) -> Iterator[_Spare]:
    """Yield the marines that ended the turn with points left, not on overwatch or guard."""
    used: dict[str, tuple[int, int]] = {}
    last, already = len(turn.actions), 0
    for place, action, game, refused in _replayed(turn):
        if action["type"] in ("activate", "pass") and game.active is not None:
            # A refused action has cost nothing here, but may have cost a point in the match.
            used[game.active.id] = (game.ap - (refused - already), place)
        if action["type"] == "activate":
            already = refused
        if action["type"] == "pass":
            last = place
    for marine in turn.after.pieces.marines:
        start = turn.before.entity(marine.id)
        if start is None or marine.overwatch or marine.guard:
            continue
        if marine.id in used:
            yield _Spare(marine, max(0, used[marine.id][0]), used[marine.id][1], is_active=True)
        elif not start.deactivated and not _orders_of(turn, marine.id):
            yield _Spare(marine, turn.before.options.ap_marine, last, is_active=False)


def _facings(turn: Turn, marine: Unit) -> Iterator[tuple[int, str, list[Document]]]:
    """Yield the cells that a marine on overwatch can see, with its facing, if it turns as it likes before overwatch."""
    own = {id(one) for one in _orders_of(turn, marine.id)}
    kept = [one for one in turn.actions if id(one) not in own or one["type"] not in ("turn_left", "turn_right")]
    place = next((at for at, one in enumerate(kept) if id(one) in own and one["type"] == "overwatch"), None)
    for turns in ([], ["turn_right"], ["turn_left"], ["turn_left", "turn_left"]) if place is not None else ():
        game, better = turn.played([*kept[:place], *({"type": one} for one in turns), *kept[place:]], _BLOCKED)
        turned = game.entity(marine.id)
        if turned is not None and turned.overwatch and cell_of(turned) == cell_of(marine):
            yield game.pieces.visible_cells(turned).bit_count(), turned.facing, better


def _orders_of(turn: Turn, unit: str) -> list[Document]:
    """Return the actions of a turn in which a unit is active, with its activation."""
    cells = {(one.x, one.y): one.id for one in turn.before.units}
    active = None if turn.before.active is None else turn.before.active.id
    orders = []
    for action in turn.actions:
        if action["type"] == "activate":
            active = cells.get((action["x"], action["y"]))
        elif action["type"] == "move" and active is not None:
            cells = {cell: one for cell, one in cells.items() if one != active} | {(action["x"], action["y"]): active}
        if active == unit and action["type"] != "pass":
            orders.append(action)
    return orders


def _without_moves(turn: Turn, unit: str) -> list[Document] | None:
    """Return the actions without those of a unit; None if others then cannot move, so that a bot has to choose."""
    orders = {id(one) for one in _orders_of(turn, unit)}
    better = [one for one in turn.actions if id(one) not in orders]
    _, left = turn.played(better, _BLOCKED)
    return better if len(left) == len(better) else None


def _stayed_away(turn: Turn, unit: Unit) -> bool:
    """Return whether a contact that still had to act then came no nearer to the marines, and did not fight."""
    end = turn.after.entity(unit.id)
    if end is None or unit.deactivated or unit is turn.before.active:
        return False
    fought = any(one["type"] in ("assault", "reveal") for one in _orders_of(turn, unit.id))
    return not fought and _steps_to_marines(turn.after, end) >= _steps_to_marines(turn.before, unit)


def _approach(game: Game, unit: Unit) -> list[Document]:
    """Carry out all steps of a contact towards the marines that none on overwatch sees. Return its orders, if any."""
    order: Document | None = {"type": "activate", "x": unit.x, "y": unit.y}
    orders: list[Document] = []
    while order is not None:
        try:
            game.push(1, order, Seeded("lessons"))
        except IllegalAction:
            break
        orders.append(order)
        order = None if order["type"] == "assault" else _next_order(game, unit)
    return orders if len(orders) > 1 else []


def _next_order(game: Game, unit: Unit) -> Document | None:
    active, best = game.active, None
    if game.decision is None or game.decision.kind != "turn" or active is None or active.id != unit.id:
        return None
    beside = [one for one in game.pieces.marines if abs(one.x - active.x) + abs(one.y - active.y) == 1]
    if beside and active.kind == "alien":
        attack = {"type": "assault", "x": beside[0].x, "y": beside[0].y}
        quarters = quarters_to(active, cell_of(beside[0]))
        return attack if not quarters else {"type": "turn_left" if quarters == 3 else "turn_right"}
    situation = Situation(game.options, game.board, game, game.pieces)
    here = situation.way(cell_of(active))
    for one in game.legal_actions(1):
        if one["type"] == "move" or one.get("to") == "open":
            cell = (one["x"], one["y"])
            if situation.way(cell) < here and not situation.is_watched(cell):
                here, best = situation.way(cell), {"type": one["type"], "x": one["x"], "y": one["y"]}
    return best


def _steps_to_contacts(game: Game, cell: tuple[int, int]) -> int:
    situation = Situation(game.options, game.board, game, game.pieces)
    return situation.nearest(cell, situation.contacts)


def _steps_to_marines(game: Game, unit: Unit) -> int:
    return Situation(game.options, game.board, game, game.pieces).nearest(cell_of(unit), game.pieces.marines)
