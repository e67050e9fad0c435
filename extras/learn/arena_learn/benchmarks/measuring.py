"""Play a benchmark, and make its table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from random import Random
from typing import Any

from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec
from arena.play.memory import MatchInMemory, Player, Turn, bot_class, settings_of
from arena_learn.benchmarks.versions import SETUPS, VERSIONS, Task
from arena_learn.report.measuring import estimate

RANDOM = "random"


@dataclass(frozen=True, slots=True)
class Row:
    """What a player has got against one opponent, or against all.

    Attributes:
        game: The game; "all" for the mean of all rows.
        opponent: The opponent.
        points: The mean points of a match: 1 for a win, 0.5 for a draw.
        margin: Half of the width of the 95 % interval.
        matches: How many matches were played.
    """

    game: str
    opponent: str
    points: float
    margin: float
    matches: int

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the points."""
        return max(0.0, self.points - self.margin), min(1.0, self.points + self.margin)


@dataclass(frozen=True, slots=True)
class Table:
    """The result of a benchmark. `str` gives it in Markdown.

    Attributes:
        version: The version of the benchmark.
        player: The name of the player.
        seed: The seed of the whole.
        setups: How many set-ups of each task were played; fewer than the benchmark has are a preview.
        rows: A row for each task, and one for all of them.
    """

    version: str
    player: str
    seed: int
    setups: int
    rows: tuple[Row, ...]

    def __str__(self) -> str:
        preview = "" if self.setups >= SETUPS else f", a preview with {self.setups} of {SETUPS} set-ups"
        lines = [
            f"{self.player} in arena-learn {self.version}, seed {self.seed}{preview}: points with 95 % intervals",
            "",
            "| game | opponent | points | from | to | matches |",
            "|---|---|---|---|---|---|",
        ]
        for row in self.rows:
            low, high = row.interval
            lines.append(f"| {row.game} | {row.opponent} | {row.points:.3f} | {low:.3f} | {high:.3f} | {row.matches} |")
        return "\n".join(lines)


class Benchmark:
    """A benchmark: games, options, opponents and seeds that never change.

    Args:
        version: The version.

    Attributes:
        version: The version.
        tasks: The games and opponents.

    Raises:
        ArenaError: There is no such version, or an installed game or opponent differs from those of the benchmark.
    """

    def __init__(self, version: str) -> None:
        if version not in VERSIONS:
            raise ArenaError(
                f"There is no benchmark {version}. There are: {', '.join(VERSIONS)}.", exit_code=ExitCode.USAGE
            )
        self.version = version
        self.tasks: tuple[Task, ...] = VERSIONS[version]
        self._games = {task.game: task.checked() for task in self.tasks}

    def measure(
        self,
        player: Player | Mapping[str, Player],
        *,
        name: str = "",
        seed: int = 0,
        setups: int = SETUPS,
        report: Callable[[Row], None] = lambda _: None,
    ) -> Table:
        """Play all tasks, and return the table.

        Args:
            player: Who is measured: ``random``, ``builtin:search?playouts=50``, a trusted bot's file or folder, a class
                or a policy; or by game, one for each.
            name: The name in the table; by default that of the reference.
            seed: The seed of the whole: other set-ups, other dice.
            setups: How many set-ups of each task are played, each on both seats. Fewer than `SETUPS` are a preview.
            report: Called with each row when its matches are played.

        Raises:
            ArenaError: There is no such bot.
            ValueError: There are fewer than two set-ups.
            Exception: Any exception of the player's code.
        """
        if setups < 2:
            raise ValueError("An interval needs two set-ups at least.")
        rows: list[Row] = []
        for task in self.tasks:
            game = self._games[task.game]
            mine = player[task.game] if isinstance(player, Mapping) else player
            values = list(_points(task, game, mine, f"{self.version}/{seed}/{task.opponent}", setups))
            found = estimate(values, share=True)
            low, high = found["interval"]
            rows.append(Row(task.game, task.opponent, found["mean"], (high - low) / 2, 2 * setups))
            report(rows[-1])
        margin = sqrt(sum(row.margin**2 for row in rows)) / len(rows)
        points = sum(row.points for row in rows) / len(rows)
        rows.append(Row("all", "", points, margin, sum(row.matches for row in rows)))
        shown = name or (player if isinstance(player, str) else "a player")
        return Table(self.version, shown, seed, setups, tuple(rows))


def _points(task: Task, game: GameSpec, player: Player, seed: str, setups: int) -> Iterator[tuple[int, float]]:
    """Yield the number of the set-up and the points of each match."""
    opponent, theirs = _loaded(game, task.opponent)
    mine, settings = (None, {}) if player == RANDOM else _loaded(game, player)
    for setup in range(setups):
        for seat in (0, 1):
            who = _random_player(f"{seed}/{setup}/{seat}") if player == RANDOM else mine
            players: Sequence[Player] = [who, opponent] if seat == 0 else [opponent, who]
            given = [settings, theirs] if seat == 0 else [theirs, settings]
            match = MatchInMemory(
                game, players, seed=f"{seed}/{setup}", options=task.options, settings=given, raises=True
            )
            match.play()
            yield setup, 0.5 if match.outcome is None else match.outcome.points(seat)


def _loaded(game: GameSpec, player: Player) -> tuple[Player, Mapping[str, str]]:
    if isinstance(player, str | Path):
        return bot_class(game, player), settings_of(game, player)
    return player, {}


def _random_player(seed: str) -> Callable[[Turn], Any]:
    rng = Random(seed)
    return lambda turn: turn.state.random_action(turn.player, rng)
