from collections.abc import Iterator, Sequence
from typing import Any

from arena.game import (
    Entity,
    GameSpec,
    IllegalAction,
    Integers,
    Mistake,
    Option,
    Outcome,
    PlayerTurn,
    State,
    Tile,
    action,
    field,
)


class Runner(Entity):
    """A runner on the track."""

    owner: int = field("The player, 0 or 1.")
    x: int = field("Column, from 0.")
    y: int = field("Row, from 0.")
    energy: int = field("Steps left; rest to get new ones.", 3)

    @action
    def step(self, tile: Tile) -> None:
        """Run one tile further.

        Args:
            tile: The tile to the right of the runner.
        """
        game: Race = self.game
        game.check_turn(self)
        if (tile.x, tile.y) != (self.x + 1, self.y):
            raise IllegalAction("not_ahead", "a runner runs to the right")
        if self.energy == 0:
            raise IllegalAction("exhausted", "the runner has no energy left")
        self.x = tile.x
        self.energy -= 1
        game.next_player()

    @action
    def rest(self) -> None:
        """Set the energy to one, two or three, at random. It is then the other player's turn."""
        game: Race = self.game
        game.check_turn(self)
        self.energy = game.chance.draw(Integers(1, 3), "breath")
        game.event("breath", runner=self.id, energy=self.energy)
        game.next_player()


class Race(State):
    """Two runners. The first one to reach the last column wins."""

    classes = (Runner,)
    grid = ("width", "height")

    width: int = field("Columns.", 10)
    height: int = field("Rows.", 2)
    moves: int = field("Number of turns played.", 0)
    runners: tuple[Runner, ...] = field("Both runners.", ())

    def setup(self) -> None:
        self.width = self.options.width
        self.runners = tuple(self.create(Runner, f"r{player}", owner=player, x=0, y=player) for player in range(2))

    def check_turn(self, runner: Runner) -> None:
        if runner.owner != self.actor:
            raise IllegalAction("not_yours", "not your runner")

    def next_player(self) -> None:
        self.moves += 1

    def to_move(self) -> tuple[int, ...]:
        return () if self.outcome() else (self.moves % 2,)

    def turn_number(self) -> int:
        return self.moves

    def legal_actions(self, player: int | None = None) -> list[dict[str, Any]]:
        may = self.to_move()
        if not may or (player is not None and player not in may):
            return []
        runner = self.runners[may[0]]
        steps = [{"type": "step", "runner": runner.id, "x": runner.x + 1, "y": runner.y}] if runner.energy else []
        return [*steps, {"type": "rest", "runner": runner.id}]

    def outcome(self) -> Outcome | None:
        for runner in self.runners:
            if runner.x == self.width - 1:
                return Outcome(runner.owner, "arrived")
        return Outcome(None, "too_long") if self.moves >= 200 else None

    def scores(self) -> tuple[float, ...]:
        return tuple(float(runner.x) for runner in self.runners)

    def to_document(self) -> dict[str, Any]:
        runners = [{"x": runner.x, "energy": runner.energy} for runner in self.runners]
        return {"width": self.width, "moves": self.moves, "runners": runners}

    def load(self, document: dict[str, Any]) -> None:
        self.setup()
        self.moves = document["moves"]
        for runner, saved in zip(self.runners, document["runners"], strict=True):
            runner.x, runner.energy = saved["x"], saved["energy"]


def rested_with_energy(turns: Sequence[PlayerTurn[Race]]) -> Iterator[Mistake]:
    """Find rests of a runner who could have run."""
    for turn in turns:
        runner = turn.before.runners[turn.player]
        if runner.energy and any(action["type"] == "rest" for action in turn.actions):
            step = {"type": "step", "runner": runner.id, "x": runner.x + 1, "y": runner.y}
            text = f"You rested with {runner.energy} energy left. Run on, and rest when nothing is left."
            yield Mistake(text, [turn.number], better=[step], units=[runner.id])


GAME = GameSpec(
    name="race",
    title="Race",
    version="1.0",
    state=Race,
    options=(Option("width", "int", 10, "Columns of the track.", 3, 40),),
    lessons=(rested_with_energy,),
)
