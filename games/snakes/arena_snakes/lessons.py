"""What a snake can learn from a lost match: moves that killed it at once, and moves that closed it in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from arena.game import Mistake, PlayerTurn
from arena_snakes.space import neighbours, territories, vacated
from arena_snakes.words import DIRECTIONS, STEPS, Direction

if TYPE_CHECKING:
    from arena_snakes.state import Game

FAR_MORE = 2
"""With so many times the space, a move is better whatever else it does."""

Turns = Sequence[PlayerTurn["Game"]]


def hit_something(turns: Turns) -> Iterator[Mistake]:
    """Find moves off the board or into a body, although another way was open."""
    for turn in turns:
        snake = turn.after.snakes[turn.player]
        what = {
            "wall-collision": "left the board",
            "snake-self-collision": "ran into your own body",
            "snake-collision": "ran into another snake",
        }.get(snake.cause)
        if what and (better := _widest(turn)):
            yield _instead(turn, better, f"You {what}. {better.capitalize()} was free.")


def met_a_longer_head(turns: Turns) -> Iterator[Mistake]:
    """Find moves onto a tile that a snake of the same length or a longer one reached too."""
    for turn in turns:
        if turn.after.snakes[turn.player].cause == "head-collision" and (better := _widest(turn)):
            length, other = len(turn.before.snakes[turn.player].body), turn.after.snakes[turn.player].eliminated_by
            theirs = len(other.body) if other is not None else length
            text = (
                f"Your head, with a body of {length}, met the head of a snake of {theirs}. Only the longer one of two "
                f"snakes may go where both heads can be next. {better.capitalize()} was free."
            )
            yield _instead(turn, better, text)


def entered_a_pocket(turns: Turns) -> Iterator[Mistake]:
    """Find moves after which a snake has less space than its body is long, although another way has much more."""
    for turn, chosen, best, spaces in _survived(turns):
        length = len(turn.before.snakes[turn.player].body)
        if spaces[chosen] < length and spaces[best] >= max(length, 2 * spaces[chosen]):
            text = (
                f"You went {chosen} into a space of {_tiles(spaces[chosen])} that you reach before the others, with a "
                f"body of {length}. {best.capitalize()} had {spaces[best]}."
            )
            yield _instead(turn, best, text)


def starved(turns: Turns) -> Iterator[Mistake]:
    """Find the last turn in which a snake that starved could have gone to food in time, and did not."""
    if not turns or turns[-1].after.snakes[turns[-1].player].cause != "out-of-health":
        return
    for turn in reversed(turns):
        x, y = turn.before.snakes[turn.player].body[0]
        health, spaces = turn.before.snakes[turn.player].health, _spaces(turn)
        near = {
            way: min((abs(food.x - x - dx) + abs(food.y - y - dy) + 1 for food in turn.before.food), default=health)
            for way, (dx, dy) in STEPS.items()
            if way in spaces
        }
        way = min(near, key=lambda one: near[one], default=None)
        if way is not None and way != _chosen(turn) and near[way] < health:
            text = f"You starved. In this turn, with {health} health, food was {near[way]} moves away, {way}."
            yield _instead(turn, way, text)
            return


def gave_up_space(turns: Turns) -> Iterator[Mistake]:
    """Find moves after which a snake reaches far fewer tiles before the others than after another move."""
    for turn, chosen, best, spaces in _survived(turns):
        length = len(turn.before.snakes[turn.player].body)
        if length <= spaces[chosen] and spaces[best] >= FAR_MORE * spaces[chosen]:
            text = (
                f"You went {chosen}, where you reach {_tiles(spaces[chosen])} before the others. "
                f"{best.capitalize()} had {spaces[best]}. Take the space first, and the others have to go round."
            )
            yield _instead(turn, best, text)


def spared_a_shorter_head(turns: Turns) -> Iterator[Mistake]:
    """Find moves that let a shorter snake go, although its only way led to a tile that the player could take."""
    for turn in turns:
        mine, spaces = turn.before.snakes[turn.player], _spaces(turn)
        x, y = mine.body[0]
        free, near = vacated(turn.before.width, turn.before.living()), neighbours(turn.before.width, turn.before.height)
        for other in turn.before.living():
            if other is mine or len(other.body) >= len(mine.body):
                continue
            head = turn.before.width * other.body[0].y + other.body[0].x
            ways = [tile for tile in near[head] if free.get(tile, 0) <= 1]
            tiles = {turn.before.width * (y + dy) + x + dx: way for way, (dx, dy) in STEPS.items() if way in spaces}
            way = tiles.get(ways[0]) if len(ways) == 1 else None
            if way is not None and way != _chosen(turn):
                text = (
                    f"The only way of a snake of {len(other.body)} led to the tile {way} of your head, and your body "
                    f"has {len(mine.body)}. Go there: the longer of two heads stays."
                )
                yield _instead(turn, way, text)


LESSONS = (
    hit_something,
    met_a_longer_head,
    entered_a_pocket,
    starved,
    gave_up_space,
    spared_a_shorter_head,
)


def _survived(turns: Turns) -> Iterator[tuple[PlayerTurn[Game], Direction, Direction, dict[Direction, int]]]:
    """Yield the turns that a snake survived: with its way, the widest way, and the space behind each way."""
    for turn in turns:
        chosen, best, spaces = _chosen(turn), _widest(turn), _spaces(turn)
        if chosen in spaces and best is not None and not turn.after.snakes[turn.player].cause:
            yield turn, chosen, best, spaces


def _instead(turn: PlayerTurn[Game], way: Direction, text: str) -> Mistake:
    snake = turn.before.snakes[turn.player].id
    return Mistake(text, [turn.number], better=[{"type": "move", "snake": snake, "direction": way}], units=[snake])


def _tiles(count: int) -> str:
    return "1 tile" if count == 1 else f"{count} tiles"


def _chosen(turn: PlayerTurn[Game]) -> Direction | None:
    return next((action["direction"] for action in turn.actions if action.get("type") == "move"), None)


def _widest(turn: PlayerTurn[Game]) -> Direction | None:
    """Return the way with the most space of those that do not hit anything, apart from the one that was taken."""
    spaces = _spaces(turn)
    spaces.pop(_chosen(turn) or "up", None)
    return max(spaces, key=lambda way: spaces[way], default=None)


def _spaces(turn: PlayerTurn[Game]) -> dict[Direction, int]:
    """Return, for each move that hits no wall, body or tile that a longer head can reach, how many tiles are left."""
    game = turn.before
    width, mine = game.width, game.snakes[turn.player]
    others = [snake for snake in game.living() if snake is not mine]
    near = neighbours(width, game.height)
    free = vacated(width, game.living())
    heads = [width * snake.body[0].y + snake.body[0].x for snake in others]
    lengths = [len(snake.body) for snake in others]
    x, y = mine.body[0]
    spaces = {}
    for tile in near[width * y + x]:
        met = any(length >= len(mine.body) and tile in near[head] for head, length in zip(heads, lengths, strict=True))
        if free.get(tile, 0) <= 1 and not met:
            starts = [(tile, 1), *((head, 0) for head in heads)]
            way = DIRECTIONS[(tile % width - x, tile // width - y)]
            spaces[way] = 1 + territories(starts, [len(mine.body), *lengths], free, near)[0]
    return spaces
