"""The course of a tuning: iterations, its state in a file, and the test at the end."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from arena.bots.bot import BotParameter
from arena.contests.strength import Comparison
from arena.errors import ArenaError, ExitCode
from arena_learn.tuning.games import Settings, Table
from arena_learn.tuning.spsa import Spsa, Values, mean_of
from arena_replays.files import replace_file

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Space:
    """The parameters that are tuned. Their values run from 0 to 1 for SPSA, and in their ranges for the bot."""

    parameters: tuple[BotParameter, ...]

    def start(self, settings: Settings) -> Values:
        """Return the point of the bot's settings; the middle of the range for a parameter without a value."""
        return tuple(
            (float(settings[one.name]) - one.low) / (one.high - one.low) if one.name in settings else 0.5
            for one in self.parameters
        )

    def settings(self, values: Values) -> dict[str, str]:
        """Return the settings of a point, rounded to the steps of the parameters."""
        return {
            one.name: one.text_of(one.low + round(value, 3) * (one.high - one.low))
            for one, value in zip(self.parameters, values, strict=True)
        }


@dataclass(slots=True)
class State:
    """What has been played. It is saved after each iteration, so that a tuning can be stopped at any time.

    Attributes:
        about: What the tuning is about. Another tuning cannot go on with this state.
        history: The values before the first iteration and after each one.
        games: The number of games that were played.
        crashes: The games that a bot lost by an exception, in words.
    """

    about: dict[str, Any]
    history: list[Values] = field(default_factory=list)
    games: int = 0
    crashes: list[str] = field(default_factory=list)

    @classmethod
    def load(cls, path: Path, about: dict[str, Any]) -> Self | None:
        """Return the state in a file; None if there is no such file.

        Raises:
            ArenaError: It cannot be read, or it is that of another tuning.
        """
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
            if document["format"] != FORMAT:
                raise ValueError
            history = [tuple(map(float, one)) for one in document["history"]]
            found = cls(document["about"], history, document["games"], document["crashes"])
        except FileNotFoundError:
            return None
        except OSError as error:
            raise ArenaError(f"{path} cannot be read: {error.strerror}.", exit_code=ExitCode.CANNOT_WRITE) from None
        except (ValueError, KeyError, TypeError, AttributeError):
            raise ArenaError(
                f"{path} is not the state of a tuning by this version of arena-learn.",
                hint="Name another file with --state.",
                exit_code=ExitCode.CANNOT_WRITE,
            ) from None
        other = [name for name in about if found.about.get(name) != about[name]]
        if other:
            raise ArenaError(
                f"{path} is the state of another tuning: it differs in {', '.join(other)}.",
                hint="Name another file with --state, or remove it to begin anew.",
                exit_code=ExitCode.CANNOT_WRITE,
            )
        return found

    def save(self, path: Path) -> None:
        """Write the state, so that a stop at any moment leaves the old file or the new one."""
        text = json.dumps({"format": FORMAT, **asdict(self)})
        try:
            replace_file(path, f"{text}\n".encode(), sync=False)
        except OSError as error:
            raise ArenaError(f"{path} cannot be written: {error.strerror}.", exit_code=ExitCode.CANNOT_WRITE) from None


@dataclass(frozen=True, slots=True)
class Tuning:
    """A tuning.

    Attributes:
        pairs: The number of pairs of games of an iteration.
    """

    table: Table
    space: Space
    spsa: Spsa
    pairs: int
    path: Path

    def run(self, state: State, show: Callable[[State], None]) -> Values:
        """Play all iterations that are left, and return the tuned values."""
        self.table.crashes[:] = state.crashes
        while (number := len(state.history) - 1) < self.spsa.iterations:
            values = state.history[-1]
            first, second = map(self.space.settings, self.spsa.points(values, number))
            # Rounding can make both points equal. Then there is nothing to learn, and no game to play.
            lead = self._lead(first, second, number) if first != second else 0.0
            state.history.append(self.spsa.next(values, number, lead))
            state.games += self.table.games_of(self.pairs) if first != second else 0
            state.crashes = list(self.table.crashes)
            state.save(self.path)
            show(state)
        return mean_of(state.history)

    def _lead(self, first: Settings, second: Settings, number: int) -> float:
        crashes = self.table.crashes
        before = len(crashes)
        lead = self.table.lead(first, second, number, self.pairs)
        if len(crashes) - before >= self.table.games_of(self.pairs):
            raise ArenaError(f"A bot crashed in each game, the last time {crashes[-1]}", exit_code=ExitCode.BAD_BOT)
        return lead

    def test(self, tuned: Settings, start: Settings, games: int, show: Callable[[Comparison], None]) -> Comparison:
        """Let the tuned values play the start values on fresh seeds, as `arena compare` does."""
        comparison = Comparison()
        for number in range((games + 1) // 2):
            self.table.compare(tuned, start, number, comparison)
            show(comparison)
        return comparison

    def scores(self, both: Sequence[Settings], games: int) -> dict[str, list[float]]:
        """Return the scores of the tuned and of the start values against each opponent, on fresh seeds."""
        pairs = max(1, games // 2)
        return {
            other: [
                sum(self.table.against_opponent(settings, other, pair) for pair in range(pairs)) / pairs
                for settings in both
            ]
            for other in self.table.against
        }
