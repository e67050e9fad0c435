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
    """Find turns in which marines had points left for overwatch, and did not use them."""
    for turn, following in _marine_turns(turns):
        idle = [spare for spare in _spares(turn) if spare.points >= MARK_COST and _can_watch(turn, spare.marine)]
        better, ids = list(turn.actions), [spare.marine.id for spare in idle]
        for spare in sorted(idle, key=lambda one: (-one.place, one.is_active)):
            better[spare.place : spare.place] = spare.orders({"type": "overwatch"})
        if idle:
            killed = [id_ for id_ in ids if following.entity(id_) is None]
            text = (
                f"You left marine {' and '.join(ids)} without overwatch, with "
                f"{_points(sum(spare.points for spare in idle))} unused. Overwatch costs {MARK_COST}, and shoots at "
                f"each alien that acts in sight."
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


def no_shot(turns: Turns) -> Iterator[Mistake]:
    """Find marines that had a point left for a shot at an alien in sight, and did not shoot."""
    for turn, _, spare in _all_spares(turns):
        marine = spare.marine
        alien = _nearest_in_sight(turn.after, marine)
        if alien is not None and _can_watch(turn, marine):
            text = (
                f"You did not shoot with marine {marine.id} at alien {alien.id} in sight, with "
                f"{_points(spare.points)} unused. A shot costs at most 1."
            )
            yield spare.mistake(turn, text, {"type": "shoot", "x": alien.x, "y": alien.y}, alien)


def door_left_open(turns: Turns) -> Iterator[Mistake]:
    """Find open doors that a marine with a point left could have closed before aliens reached the marine."""
    for turn, following, spare in _all_spares(turns):
        marine, pieces = spare.marine, turn.after.pieces
        doors = [one for one in doors_in_reach(pieces, marine) if one.open and not is_blocked(pieces, one)]
        near = [one for one in turn.after.units if one.player and _distance(one, marine) <= 1]
        came = [one for one in following.units if one.kind == "alien" and _distance(one, marine) <= 1]
        killed = following.entity(marine.id) is None
        for door in doors[:1] if not near and (came or killed) else []:
            text = (
                f"You left the door on ({door.x}, {door.y}) open in front of marine {marine.id}, with "
                f"{_points(spare.points)} unused. Then an alien {'killed' if killed else 'reached'} it."
            )
            yield spare.mistake(turn, text, {"type": "door", "x": door.x, "y": door.y})


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


def walked_into_fire(turns: Turns) -> Iterator[Mistake]:
    """Find aliens that moved in the sight of marines on overwatch, reached none, and were destroyed."""
    for turn in turns:
        if turn.player != 1 or turn.before.side != "alien":
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
                yield Mistake(text, [turn.number], better=better, units=[alien.id, *watchers], part=turn.part)


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
                    f"You put marine {marine.id} on overwatch with {_points(game.ap)}, and alien {alien.id} in sight. "
                    f"Overwatch costs {MARK_COST}: shoot first, and watch with what is left."
                )
                shot = {"type": "shoot", "x": alien.x, "y": alien.y}
                better = [*turn.actions[:place], *[shot] * shots, *turn.actions[place:]]
                yield Mistake(text, [turn.number], better=better, units=[marine.id, alien.id], part=turn.part)


LESSONS = (
    no_overwatch,
    no_shot,
    door_left_open,
    stood_in_the_lane,
    walked_into_fire,
    overwatch_too_early,
    fought_hand_to_hand,
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

    def mistake(self, turn: Turn, text: str, order: Document, *others: Unit) -> Mistake:
        """Return the mistake that the marine did not carry out an order."""
        better = [*turn.actions[: self.place], *self.orders(order), *turn.actions[self.place :]]
        units = [self.marine.id, *(one.id for one in others)]
        return Mistake(text, [turn.number], better=better, units=units, part=turn.part)


def _can_watch(turn: Turn, marine: Unit) -> bool:
    """Return whether a marine has a weapon that works, and marines fight at all."""
    return bool(marine.weapons.weapon is not None and not marine.jam and turn.before.options.combat)


def _nearest_in_sight(game: Game, marine: Unit) -> Unit | None:
    seen = [one for one in game.units if one.kind == "alien" and game.pieces.is_seen(marine, one.x, one.y)]
    return min(seen, key=lambda one: (_distance(one, marine), one.id), default=None)


def _points(number: int) -> str:
    return "1 action point" if number == 1 else f"{number} action points"


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


def _all_spares(turns: Turns) -> Iterator[tuple[Turn, Game, _Spare]]:
    """Yield all marines that ended a turn with points left, with the turn and the start of the next one."""
    for turn, following in _marine_turns(turns):
        yield from ((turn, following, spare) for spare in _spares(turn) if spare.points)


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
