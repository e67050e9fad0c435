"""What a team can learn from a lost match: units that stood in the open, shots not taken, lasers left off."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from arena.game import Mistake, PlayerTurn
from arena_laser_flag.entities import Player, Unit
from arena_laser_flag.movement_range import movement_range
from arena_laser_flag.orders import is_legal_target
from arena_laser_flag.reaction import watchers_of
from arena_laser_flag.to_hit import chance_of, parts_against
from arena_laser_flag.visibility import known_units

if TYPE_CHECKING:
    from arena_laser_flag.state import Game

Turn = PlayerTurn["Game"]
Turns = Sequence[PlayerTurn["Game"]]
Document = dict[str, Any]

_REFUSED = {
    "already_there",
    "already_fired",
    "cannot_move_after_firing",
    "no_ap",
    "no_line_of_sight",
    "occupied",
    "out_of_reach",
}
"""The refusals that depend on where units stand and what they have done, and not on dice."""


def ended_in_reach(turns: Turns) -> Iterator[Mistake]:
    """Find units that moved to where several enemy lasers see them, more than before, and were hit there."""
    for turn in turns:
        for unit in turn.after.players[turn.player].units:
            moves = _orders(turn, unit.id, "move")
            if not moves or unit.laser == "deactivated" or _is_on(turn.later, unit.id):
                continue
            lasers = _lasers_on(turn.after, unit.player, unit.place)
            start = turn.before.entity(unit.id).place
            if lasers >= 2 and _lasers_on(turn.after, unit.player, start) < lasers:
                text = (
                    f"You ended the turn with {_name(unit)} on ({unit.x}, {unit.y}), in reach of {lasers} enemy "
                    f"lasers, and it was hit. From ({start[0]}, {start[1]}), where it stood, fewer could see it."
                )
                _, better = turn.played(turn.without(*moves), _REFUSED)
                yield Mistake(text, [turn.number], better=better, units=[unit.id])


def moved_into_overwatch(turns: Turns) -> Iterator[Mistake]:
    """Find units that moved in sight of enemies on overwatch, and were hit by a reaction shot."""
    for turn in turns:
        for unit in turn.before.players[turn.player].units:
            moves = _orders(turn, unit.id, "move")
            if not moves or unit.laser != "charged" or _is_on(turn.after, unit.id):
                continue
            tiles = [(move["x"], move["y"]) for move in moves]
            watchers = {one.id for tile in tiles for one in watchers_of(turn.before, 1 - unit.player, *tile)}
            if watchers:
                is_one_off = any(one.laser == "deactivated" for one in turn.before.players[turn.player].units)
                text = (
                    f"You moved {_name(unit)} in sight of {_count(len(watchers), 'enemy', 'enemies')} on overwatch, "
                    f"and it was hit. Keep out of their sight"
                    f"{', or let a unit go first whose laser is off' if is_one_off else ''}."
                )
                _, better = turn.played([one for one in turn.actions if one.get("unit") != unit.id], _REFUSED)
                yield Mistake(text, [turn.number], better=better, units=[unit.id, *sorted(watchers)])


def no_shot(turns: Turns) -> Iterator[Mistake]:
    """Find the best shot in each turn that a unit with AP left could have taken at the end, and did not."""
    for turn in turns:
        shots = []
        for unit in _living(turn):
            has_ap = turn.before.entity(unit.id).ap > len(_orders(turn, unit.id, "move"))
            has_fired = bool(_orders(turn, unit.id, "fire", "fire_at_base"))
            shot = _best_shot(turn.after, unit) if has_ap and not has_fired and _kept_laser(turn, unit) else None
            if shot is not None:
                shots.append((*shot, unit))
        if shots:
            chance, target, unit = max(shots, key=lambda shot: (shot[0], shot[2].id))
            text = (
                f"You did not shoot with {_name(unit)} at {_name(target)} in sight, with {_percent(chance)} to hit. "
                f"A kept AP shoots only if an enemy acts in sight, and mostly worse."
            )
            better = _before_end(turn.actions, _fire(unit, target))
            yield Mistake(text, [turn.number], better=better, units=[unit.id, target.id])


def walked_past_a_shot(turns: Turns) -> Iterator[Mistake]:
    """Find units that spent all AP on moves, although a shot was there before the last one."""
    for turn in turns:
        for unit in _living(turn):
            moves = _orders(turn, unit.id, "move")
            if not moves or len(moves) < turn.before.entity(unit.id).ap or not _kept_laser(turn, unit):
                continue
            if any(watchers_of(turn.before, 1 - unit.player, move["x"], move["y"]) for move in moves):
                continue  # a hit on the way can have switched its laser off
            game, kept = turn.played([one for one in turn.actions if one is not moves[-1] and not _ends(one)], _REFUSED)
            halted = game.entity(unit.id)
            shot = _best_shot(game, halted) if halted is not None and halted.laser == "charged" and halted.ap else None
            if shot is not None:
                chance, target = shot
                text = (
                    f"You spent all AP of {_name(unit)} on moves. With one move less it could have shot at "
                    f"{_name(target)}, with {_percent(chance)} to hit."
                )
                better = [*kept, _fire(unit, target), {"type": "end_turn"}]
                yield Mistake(text, [turn.number], better=better, units=[unit.id, target.id])


def laser_left_off(turns: Turns) -> Iterator[Mistake]:
    """Find turns at whose end lasers of units were off, although the units could have stepped on bases."""
    for turn in turns:
        ways = {}
        for unit in _living(turn):
            start = turn.before.entity(unit.id)
            if unit.laser == start.laser == "deactivated" and (way := _way_to_base(turn.before, start)):
                ways[unit.id] = way
        if ways:
            told = " and ".join(
                f"{_name(turn.after.entity(id_))}, "
                + (
                    "which could step off its base and back"
                    if way[-1] == turn.before.entity(id_).place
                    else f"with a base {_count(len(way), 'move', 'moves')} away on ({way[-1][0]}, {way[-1][1]})"
                )
                for id_, way in ways.items()
            )
            text = f"You left lasers off: {told}. A base charges the laser of a unit that steps on it."
            steps = [_move(turn.after.entity(id_), tile) for id_, way in ways.items() for tile in way]
            others = [one for one in turn.actions if one.get("unit") not in ways]
            _, better = turn.played([*steps, *others], _REFUSED)
            yield Mistake(text, [turn.number], better=better, units=list(ways))


def watched_an_empty_lane(turns: Turns) -> Iterator[Mistake]:
    """Find units on overwatch that saw no enemy, although they could have had a shot after one move."""
    for turn in turns:
        for unit in _living(turn) if not turn.before.rules.fog_of_war else ():
            if unit.overwatch < 1 or turn.before.entity(unit.id).ap < 2 or _orders(turn, unit.id, "move"):
                continue
            if not _kept_laser(turn, unit) or _best_shot(turn.after, unit) is not None:
                continue
            for tile in [tile for tile in _reach(turn.after, unit) if _lasers_on(turn.after, unit.player, tile)]:
                orders = [one for one in turn.actions if not _ends(one)]
                game, better = turn.played([*orders, _move(unit, tile)], _REFUSED)
                moved = game.entity(unit.id)
                shot = _best_shot(game, moved) if _is_on(game, unit.id) and moved.place == tile else None
                if shot is not None:
                    text = (
                        f"You kept the AP of {_name(unit)} for overwatch where it saw no enemy. From ({tile[0]}, "
                        f"{tile[1]}), 1 move away, it could have shot at {_name(shot[1])}, with "
                        f"{_percent(shot[0])} to hit."
                    )
                    better = [*better, _fire(unit, shot[1]), {"type": "end_turn"}]
                    yield Mistake(text, [turn.number], better=better, units=[unit.id, shot[1].id])
                    break


def off_in_the_line_of_fire(turns: Turns) -> Iterator[Mistake]:
    """Find units whose laser is off, and which stay where enemy lasers can hit them again, and could hide."""
    for turn in turns:
        for unit in _living(turn):
            lasers = _lasers_on(turn.after, unit.player, unit.place)
            is_off = unit.laser == turn.before.entity(unit.id).laser == "deactivated"
            if not is_off or not lasers or not is_legal_target(turn.after.rules, unit):
                continue
            start = turn.before.entity(unit.id)
            hidden = [tile for tile in _reach(turn.before, start) if not _lasers_on(turn.after, unit.player, tile)]
            others = [one for one in turn.actions if one.get("unit") != unit.id]
            for tile in hidden[:1]:
                text = (
                    f"{_name(unit)}, whose laser is off, ended your turn in the line of fire of "
                    f"{_count(lasers, 'enemy laser', 'enemy lasers')}. Each hit on it scores again. On ({tile[0]}, "
                    f"{tile[1]}), 1 move away, none would have seen it."
                )
                _, better = turn.played([_move(unit, tile), *others], _REFUSED)
                yield Mistake(text, [turn.number], better=better, units=[unit.id])


LESSONS = (
    ended_in_reach,
    moved_into_overwatch,
    no_shot,
    walked_past_a_shot,
    laser_left_off,
    watched_an_empty_lane,
    off_in_the_line_of_fire,
)


def _name(unit: Unit) -> str:
    return f"{unit.unit_class.capitalize()} {unit.id}"


def _percent(chance: float) -> str:
    return f"{100 * chance:.0f} %"


def _count(number: int, one: str, many: str) -> str:
    return f"1 {one}" if number == 1 else f"{number} {many}"


def _ends(action: Document) -> bool:
    return bool(action["type"] == "end_turn")


def _fire(unit: Unit, target: Unit) -> Document:
    return {"type": "fire", "unit": unit.id, "target": target.id}


def _move(unit: Unit, tile: tuple[int, int]) -> Document:
    return {"type": "move", "unit": unit.id, "x": tile[0], "y": tile[1]}


def _before_end(actions: Iterable[Document], order: Document) -> list[Document]:
    return [*(one for one in actions if not _ends(one)), order, {"type": "end_turn"}]


def _orders(turn: Turn, unit: str, *types: str) -> list[Document]:
    return [one for one in turn.actions if one.get("unit") == unit and one["type"] in types]


def _living(turn: Turn) -> tuple[Unit, ...]:
    """Return the player's units on the board after the turn; none if the game is over."""
    player: Player = turn.after.players[turn.player]
    return () if turn.after.outcome() is not None else player.units


def _kept_laser(turn: Turn, unit: Unit) -> bool:
    """Return whether the laser of a unit was charged before and after the turn."""
    return unit.laser == "charged" and bool(turn.before.entity(unit.id).laser == "charged")


def _is_on(game: Game, id_: str) -> bool:
    """Return whether a unit is on the board with a laser that is not off."""
    unit = game.entity(id_)
    return isinstance(unit, Unit) and unit.laser != "deactivated"


def _lasers_on(game: Game, player: int, tile: tuple[int, int]) -> int:
    """Return how many enemies with a charged laser see a tile."""
    enemies = game.players[1 - player].units
    return sum(enemy.laser == "charged" and game.board.sees(enemy.place, tile) for enemy in enemies)


def _best_shot(game: Game, unit: Unit) -> tuple[float, Unit] | None:
    """Return the best chance of a unit to hit an enemy whose laser is on, and this enemy; None without any."""
    shots = [
        (chance_of(sum(parts_against(game, unit, enemy).values())), enemy)
        for enemy in game.players[1 - unit.player].units
        if enemy.laser != "deactivated" and is_legal_target(game.rules, enemy)
        if game.board.sees(unit.place, enemy.place)
    ]
    best = max(shots, key=lambda shot: (shot[0], shot[1].id), default=None)
    return best if best is not None and best[0] else None


def _reach(game: Game, unit: Unit) -> list[tuple[int, int]]:
    """Return the tiles that a unit reaches with 1 AP, the nearest first."""
    taken = game.board.set_of([one.place for one in known_units(game, unit.player) if one is not unit])
    reach = movement_range(game.board, *unit.place, unit.numbers, game.rules.diagonal_margin, taken)
    tiles = [(x, y) for x, y in game.board.tiles(reach) if (x, y) != unit.place]
    return sorted(tiles, key=lambda tile: max(abs(tile[0] - unit.x), abs(tile[1] - unit.y)))


def _way_to_base(game: Game, unit: Unit) -> list[tuple[int, int]]:
    """Return the shortest way of a unit to a free base that charges it, one tile for each AP; empty without one."""
    board = game.board
    taken = board.set_of([one.place for one in known_units(game, unit.player) if one is not unit])
    bases = board.set_of([(base.x, base.y) for base in board.bases if game.rules.usable(base.owner, unit.player)])
    layer: dict[tuple[int, int], list[tuple[int, int]]] = {unit.place: []}
    seen = board.bit(*unit.place)
    for _ in range(unit.ap):
        following: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for place, way in layer.items():
            reach = movement_range(board, *place, unit.numbers, game.rules.diagonal_margin, taken)
            if reach & bases:
                return [*way, board.tile_number(reach & bases, 0)]
            following.update({tile: [*way, tile] for tile in board.tiles(reach & ~seen)})
            seen |= reach
        layer = following
    return []
