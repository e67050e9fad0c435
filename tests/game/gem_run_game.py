"""A test game on a grid with placed objects: runners pick up gems between rocks."""

from __future__ import annotations

from typing import Any, Literal

from arena.game import (
    Entity,
    GameSpec,
    IllegalAction,
    Integers,
    Option,
    OptionError,
    Outcome,
    State,
    Tile,
    action,
    field,
)

Mood = Literal["fresh", "tired"]
SIDES = ((0, -1), (1, 0), (0, 1), (-1, 0))


class Placed(Entity):
    """Something that has a place on the grid."""

    x: int | None = field("Column, from 0; null when it is off the grid.", None)
    y: int | None = field("Row, from 0; null when it is off the grid.", None)


class Rock(Placed):
    """Nobody can enter its tile."""


class Gem(Placed):
    """Worth points to whoever enters its tile first."""

    worth: int = field("Points, 1 to 3.")


class Runner(Placed):
    """A player's piece."""

    owner: int = field("The player, 0 or 1.")
    mood: Mood = field("Tired runners must rest before they run again.", "fresh")

    game: GemRun

    @action
    def run(self, tile: Tile) -> None:
        """Run to a neighbouring tile and pick up the gem there.

        Args:
            tile: A neighbour without a rock or runner.
        """
        game = self.game
        if self.owner != game.actor:
            raise IllegalAction("not_yours", "this runner is the other player's")
        if self.mood == "tired":
            raise IllegalAction("tired", "this runner is tired")
        if tile not in game.free_neighbours(self):
            raise IllegalAction("no_way", "this tile is not a free neighbour")
        self.x, self.y = tile
        self.mood = "tired"
        gem = next((one for one in game.gems if (one.x, one.y) == tile), None)
        if gem is not None:
            game.event("picked_up", runner=self.id, gem=gem.id, at=[tile.x, tile.y])
            game.gems = tuple(one for one in game.gems if one is not gem)
            game.collected = tuple(
                points + gem.worth if index == self.owner else points for index, points in enumerate(game.collected)
            )
            game.remove(gem)
        game.next_turn()


class GemRun(State):
    """The game: whoever has more when the gems or the turns run out wins."""

    classes = (Rock, Gem, Runner)
    grid = ("width", "height")

    width: int = field("Columns of the grid.", 5)
    height: int = field("Rows of the grid.", 5)
    turn: int = field("The turn being played, from 1.", 1)
    runners: tuple[Runner, ...] = field("All runners.", ())
    gems: tuple[Gem, ...] = field("Gems still lying about.", ())
    rocks: frozenset[Rock] = field("All rocks.", frozenset())
    collected: tuple[int, ...] = field("Points of each player.", (0, 0))

    def setup(self) -> None:
        self.width, self.height = self.options.size, self.options.size
        corner = self.options.size - 1
        self.runners = (
            self.create(Runner, "r0", owner=0, x=0, y=0),
            self.create(Runner, "r1", owner=1, x=corner, y=corner),
        )
        spots = [(x, y) for y in range(1, corner) for x in range(1, corner)]
        things = []
        for index in range(4):
            number = self.chance.draw(Integers(0, len(spots) - 1), "spot")
            x, y = spots.pop(number)
            if index < 2:
                things.append(self.create(Rock, f"s{index}", x=x, y=y))
            else:
                worth = self.chance.draw(Integers(1, 3), "worth")
                self.gems = (*self.gems, self.create(Gem, f"g{index}", x=x, y=y, worth=worth))
        self.rocks = frozenset(things)

    def load(self, document: dict[str, Any]) -> None:
        self.width = self.height = document["size"]
        self.turn = document["turn"]
        self.collected = tuple(document["collected"])
        self.runners = tuple(self.create(Runner, **one) for one in document["runners"])
        self.gems = tuple(self.create(Gem, **one) for one in document["gems"])
        self.rocks = frozenset(self.create(Rock, **one) for one in document["rocks"])

    def to_document(self) -> dict[str, Any]:
        rocks = sorted(self.rocks, key=lambda rock: rock.id)
        return {
            "size": self.width,
            "turn": self.turn,
            "collected": list(self.collected),
            "runners": [{"id": r.id, "x": r.x, "y": r.y, "owner": r.owner, "mood": r.mood} for r in self.runners],
            "gems": [{"id": g.id, "x": g.x, "y": g.y, "worth": g.worth} for g in self.gems],
            "rocks": [{"id": rock.id, "x": rock.x, "y": rock.y} for rock in rocks],
        }

    def free_neighbours(self, runner: Runner) -> list[Tile]:
        taken = {(one.x, one.y) for one in (*self.rocks, *self.runners)}
        tiles = [Tile((runner.x or 0) + x, (runner.y or 0) + y) for x, y in SIDES]
        return [tile for tile in tiles if tile not in taken and 0 <= tile.x < self.width and 0 <= tile.y < self.height]

    @action
    def rest(self) -> None:
        """Let your runner rest."""
        self.runners[self.actor].mood = "fresh"
        self.next_turn()

    def next_turn(self) -> None:
        self.turn += 1

    def to_move(self) -> tuple[int, ...]:
        return () if self.turn > self.options.turns or not self.gems else ((self.turn - 1) % 2,)

    def turn_number(self) -> int:
        return self.turn

    def legal_actions(self, player: int | None = None) -> list[dict[str, Any]]:
        may = self.to_move()
        if not may or (player is not None and player not in may):
            return []
        listed: list[dict[str, Any]] = [{"type": "rest"}]
        runner = self.runners[may[0]]
        if runner.mood == "fresh":
            tiles = self.free_neighbours(runner)
            listed += [{"type": "run", "runner": runner.id, "x": tile.x, "y": tile.y} for tile in tiles]
        return listed

    def outcome(self) -> Outcome | None:
        if self.to_move():
            return None
        first, second = self.collected
        reason = "turns_played" if self.gems else "gems_gone"
        return Outcome(None if first == second else int(second > first), reason)

    def scores(self) -> tuple[float, ...]:
        return tuple(map(float, self.collected))


def load_map(name: str) -> int:
    """The maps of this game are but sizes: tiny and wide."""
    sizes = {"tiny": 4, "wide": 9}
    if name not in sizes:
        raise OptionError(f"there is no map {name}; it has {', '.join(sizes)}")
    return sizes[name]


GAME = GameSpec(
    name="gem_run",
    title="Gem run",
    version="1",
    state=GemRun,
    options=(
        Option("size", "int", 5, "Columns and rows.", 4, 30),
        Option("turns", "int", 60, "The most turns.", 1, 1000),
    ),
    maps=("tiny", "wide"),
    map_option="size",
    load_map=load_map,
)
