"""One turn: all snakes choose their moves, then they move, eat, and are eliminated, and new food appears."""

from __future__ import annotations

from arena.game import IllegalAction, Integers, Tile, action
from arena_snakes import ending
from arena_snakes.entities import FULL_HEALTH, Position, Snake
from arena_snakes.words import STEPS, Cause, Direction


@action
def move(snake: Snake, direction: Direction) -> None:
    """Choose the move of this turn. All snakes move at the same time, when the last snake has chosen.

    Args:
        direction: up, down, left or right. Up is towards row 0.
    """
    game = snake.game
    if snake.owner != game.actor:
        raise IllegalAction("not_yours", "It is not your snake.")
    snake.chosen = direction
    if not game.to_move():
        play(game)


def play(game: Position) -> None:
    """Play one turn with the moves that the living snakes have chosen."""
    living = game.living()
    eaten = _move(game, living)
    if eaten:
        game.food = tuple([tile for tile in game.food if tile not in eaten])
    game.turn += 1
    eliminate(game, living)
    ending.check(game)
    _spawn_food(game)


def _move(game: Position, living: list[Snake]) -> set[Tile]:
    """Move and feed the living snakes. Return the tiles where food was eaten."""
    eaten = set()
    for snake in living:
        assert snake.chosen is not None
        dx, dy = STEPS[snake.chosen]
        body = snake.body
        head = Tile(body[0].x + dx, body[0].y + dy)
        if head in game.food:
            eaten.add(head)
            game.event("eaten", snake=snake.id, tile=list(head))
            snake.health = FULL_HEALTH
            # Repeat the last tile of the body: the body is longer now, and covers one more tile after the next move.
            snake.body = (head, *body[:-1], body[-2])
        else:
            snake.health -= 1
            snake.body = (head, *body[:-1])
        snake.chosen = None
    return eaten


def eliminate(game: Position, living: list[Snake]) -> None:
    """Eliminate snakes: first those without health or off the board, then those in collisions.

    A snake that the first step eliminates causes no collision.
    """
    standing = []
    for snake in living:
        x, y = snake.body[0]
        if snake.health <= 0:
            _remove(snake, "out-of-health", None)
        elif not (0 <= x < game.width and 0 <= y < game.height):
            _remove(snake, "wall-collision", None)
        else:
            standing.append(snake)
    collisions = [(snake, *found) for snake in standing if (found := _collision(snake, standing))]
    for collision in collisions:
        _remove(*collision)


def leave(game: Position, snake: Snake) -> None:
    """Eliminate the snake of a player who left, before the others move.

    If all others have chosen their moves, play the turn.
    """
    snake.chosen = None
    _remove(snake, "left", None)
    ending.check(game)
    if not game.reason and not game.to_move():
        play(game)


def _collision(snake: Snake, standing: list[Snake]) -> tuple[Cause, Snake] | None:
    """Return the cause of the collision that eliminates a snake, and the snake that it hit, which can be itself.

    Return None if no collision eliminates the snake.
    """
    head = snake.body[0]
    if head in snake.body[1:]:
        return "snake-self-collision", snake
    met = [other for other in standing if other is not snake and head in other.body]
    if not met:
        return None
    cause: Cause = "snake-collision"
    winners = [other for other in met if head in other.body[1:]]
    if not winners:
        cause = "head-collision"
        winners = [other for other in met if len(other.body) >= len(snake.body)]
    return (cause, max(winners, key=_length)) if winners else None


def _length(snake: Snake) -> int:
    return len(snake.body)


def _remove(snake: Snake, cause: Cause, by: Snake | None) -> None:
    snake.cause = cause
    snake.eliminated_by = by
    snake.eliminated_on = snake.game.turn
    snake.game.event(
        "eliminated", snake=snake.id, cause=cause, by=None if by is None else by.id, tile=list(snake.body[0])
    )


def _spawn_food(game: Position) -> None:
    """Add food up to `minimum_food`. If the board has that much already, draw whether to add one food."""
    count = game.options.minimum_food - len(game.food)
    if count <= 0:
        chance = game.options.food_spawn_chance
        if not chance or game.chance.draw(Integers(1, 100), "food_chance", public=True) > chance:
            return
        count = 1
    free = free_tiles(game)
    for _ in range(min(count, len(free))):
        tile = free.pop(game.chance.draw(Integers(0, len(free) - 1), "food_place", public=True))
        game.food = (*game.food, tile)
        game.event("food", tile=list(tile))


def free_tiles(game: Position) -> list[Tile]:
    """Return the tiles where food can appear: tiles without food and without a living snake, not next to a head."""
    taken = set(game.food)
    for snake in game.living():
        taken.update(snake.body)
        x, y = snake.body[0]
        taken.update([Tile(x + dx, y + dy) for dx, dy in STEPS.values()])
    return [tile for tile in game.tiles if tile not in taken]
