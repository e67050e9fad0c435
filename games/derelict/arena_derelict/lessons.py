"""What both sides can learn from a lost match: points that were left, doors and lanes, and walks into fire."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from arena.game import IllegalAction, Mistake, PlayerTurn, Seeded
from arena_derelict.commands import MARK_COST
from arena_derelict.entities import Unit
from arena_derelict.moving import doors_in_reach, is_blocked

if TYPE_CHECKING:
    from arena_derelict.state import Game

Turn = PlayerTurn["Game"]
Turns = Sequence[PlayerTurn["Game"]]
Document = dict[str, Any]

_BLOCKED = {"occupied", "in_sight_of_a_marine", "next_to_a_marine", "not_a_neighbouring_step", "door_blocked"}
"""The refusals that depend on where units stand."""
HIDDEN_CELLS = 3
"""A marine is in the lane of another one if it hides at least this many cells from it."""


def no_overwatch(turns: Turns) -> Iterator[Mistake]:
    """Find marines that had points left for overwatch, did not use them, and were killed."""
    for turn, following in _marine_turns(turns):
        for spare in _spares(turn):
            marine = spare.marine
            can_watch = marine.weapons.weapon is not None and not marine.jam and turn.before.options.combat
            if spare.points >= MARK_COST and can_watch and following.entity(marine.id) is None:
                text = (
                    f"You left marine {marine.id} without overwatch, with {_points(spare.points)} unused, and it was "
                    f"killed. Overwatch costs {MARK_COST}."
                )
                yield spare.mistake(turn, text, {"type": "overwatch"})


def no_shot(turns: Turns) -> Iterator[Mistake]:
    """Find marines that had a point left for a shot at an alien in sight, and did not shoot."""
    for turn, _ in _marine_turns(turns):
        pieces = turn.after.pieces
        for spare in _spares(turn):
            marine = spare.marine
            if not spare.points or marine.weapons.weapon is None or marine.jam or not turn.before.options.combat:
                continue
            seen = [one for one in turn.after.units if one.kind == "alien" and pieces.is_seen(marine, one.x, one.y)]
            if seen:
                alien = min(seen, key=lambda one: (_distance(one, marine), one.id))
                text = (
                    f"You did not shoot with marine {marine.id} at alien {alien.id} in sight, with "
                    f"{_points(spare.points)} unused. A shot costs at most 1."
                )
                yield spare.mistake(turn, text, {"type": "shoot", "x": alien.x, "y": alien.y}, alien)


def door_left_open(turns: Turns) -> Iterator[Mistake]:
    """Find open doors that a marine with a point left could have closed before aliens reached the marine."""
    for turn, following in _marine_turns(turns):
        pieces = turn.after.pieces
        for spare in _spares(turn):
            marine = spare.marine
            doors = [one for one in doors_in_reach(pieces, marine) if one.open and not is_blocked(pieces, one)]
            near = [one for one in turn.after.units if one.player and _distance(one, marine) <= 1]
            came = [one for one in following.units if one.kind == "alien" and _distance(one, marine) <= 1]
            killed = following.entity(marine.id) is None
            if spare.points and doors and not near and (came or killed):
                door = doors[0]
                text = (
                    f"You left the door on ({door.x}, {door.y}) open in front of marine {marine.id}, with "
                    f"{_points(spare.points)} unused. Then an alien {'killed' if killed else 'reached'} it."
                )
                yield spare.mistake(turn, text, {"type": "door", "x": door.x, "y": door.y})


def left_jammed(turns: Turns) -> Iterator[Mistake]:
    """Find marines whose weapon was jammed for the whole turn, although they had a point left to clear it."""
    for turn, _ in _marine_turns(turns):
        for spare in _spares(turn):
            marine = spare.marine
            if marine.jam and spare.points:
                text = f"You left the weapon of marine {marine.id} jammed, with {_points(spare.points)} unused. "
                if spare.points > MARK_COST:
                    text += "They are enough to clear the jam and for overwatch."
                    yield spare.mistake(turn, text, {"type": "unjam"}, overwatch=True)
                else:
                    yield spare.mistake(turn, f"{text}Clearing the jam costs 1.", {"type": "unjam"})


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
                    yield Mistake(text, [turn.number], better=better, units=[marine.id, watcher.id])


def walked_into_fire(turns: Turns) -> Iterator[Mistake]:
    """Find aliens that moved in the sight of marines on overwatch, reached none, and were destroyed."""
    for number, turn in enumerate(turns):
        is_first = not number or turns[number - 1].number != turn.number
        if not is_first or turn.player != 1 or turn.before.side != "alien":
            continue
        for alien in turn.before.units:
            orders = _orders_of(turn, alien.id)
            moves = [one for one in orders if one["type"] == "move"]
            attacked = any(one["type"] == "assault" for one in orders)
            if alien.kind != "alien" or not moves or attacked or turn.after.entity(alien.id) is not None:
                continue
            pieces = turn.before.pieces
            watchers = [
                one.id
                for one in pieces.marines
                if one.overwatch and any(pieces.is_seen(one, move["x"], move["y"]) for move in moves)
            ]
            if watchers:
                text = (
                    f"You walked alien {alien.id} into the fire of marine {' and '.join(watchers)} on overwatch, and "
                    f"it was shot before it reached anybody. Wait out of sight until it can attack in one turn."
                )
                better = _without_moves(turn, alien.id)
                yield Mistake(text, [turn.number], better=better, units=[alien.id, *watchers])


LESSONS = (no_overwatch, no_shot, door_left_open, left_jammed, stood_in_the_lane, walked_into_fire)


class _Spare(NamedTuple):
    """A marine, as it ended the turn, with the points that it did not use, and where in the turn it had them."""

    marine: Unit
    points: int
    place: int
    is_active: bool

    def mistake(self, turn: Turn, text: str, order: Document, *others: Unit, overwatch: bool = False) -> Mistake:
        """Return the mistake that the marine did not carry out an order, and then go on overwatch."""
        orders = [order, {"type": "overwatch"}] if overwatch else [order]
        if not self.is_active:
            orders.insert(0, {"type": "activate", "x": self.marine.x, "y": self.marine.y})
        better = [*turn.actions[: self.place], *orders, *turn.actions[self.place :]]
        return Mistake(text, [turn.number], better=better, units=[self.marine.id, *(one.id for one in others)])


def _points(number: int) -> str:
    return "1 action point" if number == 1 else f"{number} action points"


def _distance(unit: Unit, other: Unit) -> int:
    return max(abs(unit.x - other.x), abs(unit.y - other.y))


def _marine_turns(turns: Turns) -> Iterator[tuple[Turn, Game]]:
    """Yield each turn of the marines up to its end, and the state in which their next turn begins.

    Between the two are the answers of the marine player in the aliens' turn, which count as turns of their own.
    """
    for number, turn in enumerate(turns):
        is_whole = not number or turns[number - 1].number != turn.number
        if is_whole and turn.player == 0 and turn.before.side == "marine" and turn.after.side == "alien":
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
    game, dice = turn.before.clone(), Seeded("lessons")
    for action in better:
        try:
            game.push(turn.player, action, dice)
        except IllegalAction as refusal:
            if refusal.code in _BLOCKED:
                return None
    return better
