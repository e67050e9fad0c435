"""Sources of randomness. The rules draw values, and the caller of the rules chooses the source.

The referee uses a seeded source. A check of a replay or of a recorded game uses a script. A search samples values, or
enumerates all values. The generator's state is not part of the game state, so a bot that copies the state cannot
predict the dice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random
from typing import NamedTuple, TypeVar, overload

from arena.game.errors import ScriptError
from arena.game.kinds import Number

T = TypeVar("T")


class Integers(NamedTuple):
    """A whole number, uniform on ``low`` .. ``high``, both included."""

    low: int
    high: int

    def sample(self, rng: Random) -> int:
        """Draw one value."""
        return rng.randint(self.low, self.high)

    def holds(self, value: object) -> bool:
        """Return whether the value could have been drawn."""
        return type(value) is int and self.low <= value <= self.high

    def support(self) -> Sequence[int]:
        """List all values. All of them are equally likely."""
        return range(self.low, self.high + 1)


class Real(NamedTuple):
    """A real number, uniform on [0, 1)."""

    def sample(self, rng: Random) -> float:
        """Draw one value."""
        return rng.random()

    def holds(self, value: object) -> bool:
        """Return whether the value could have been drawn."""
        return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1

    def support(self) -> Sequence[float]:
        """Raise `ScriptError`, because there are too many values to list."""
        raise ScriptError("A real number cannot be enumerated.")


class Normal(NamedTuple):
    """A real number from the normal distribution."""

    mean: float
    variance: float

    def sample(self, rng: Random) -> float:
        """Draw one value."""
        return rng.gauss(self.mean, self.variance**0.5)

    def holds(self, value: object) -> bool:
        """Return whether the value could have been drawn."""
        return isinstance(value, int | float) and not isinstance(value, bool)

    def support(self) -> Sequence[float]:
        """Raise `ScriptError`, because there are too many values to list."""
        raise ScriptError("A real number cannot be enumerated.")


Distribution = Integers | Real | Normal


class Draw(NamedTuple):
    """One draw and its result.

    Attributes:
        label: The purpose, in the game's words.
        distribution: The distribution of the value.
        value: The value.
        public: Whether the acting player receives the value; None if the rules leave this open (see `is_sent`).
    """

    label: str
    distribution: Distribution
    value: Number
    public: bool | None

    def is_sent(self, hides: bool) -> bool:
        """Return whether the acting player receives the value.

        If `public` is None, the player receives the value only in a game that hides nothing.

        Args:
            hides: Whether the game hides anything from players.
        """
        return not hides if self.public is None else self.public


class Chance:
    """The source of all randomness of a game. Subclasses define `_answer`.

    Attributes:
        draws: The draws made since the last `take`.
    """

    def __init__(self) -> None:
        self.draws: list[Draw] = []

    @overload
    def draw(self, distribution: Integers, label: str = "", *, public: bool | None = None) -> int: ...

    @overload
    def draw(self, distribution: Real | Normal, label: str = "", *, public: bool | None = None) -> float: ...

    def draw(self, distribution: Distribution, label: str = "", *, public: bool | None = None) -> Number:
        """Draw one value and keep a record of it.

        Args:
            distribution: The distribution to draw from.
            label: The purpose, for example ``coin_flip``.
            public: Whether the acting player receives the value. None means yes, unless the game has hidden
                information.
        """
        value = self._answer(distribution, label)
        self.draws.append(Draw(label, distribution, value, public))
        return value

    def take(self) -> list[Draw]:
        """Return and remove the draws made since the last call."""
        draws, self.draws = self.draws, []
        return draws

    def branch(self) -> Chance:
        """Return the source of draws for a copy of the state. It reveals nothing about the draws of this source."""
        return NoChance()

    def _answer(self, distribution: Distribution, label: str) -> Number:
        raise NotImplementedError


class NoChance(Chance):
    """Raises `ScriptError` at every draw, for rules that must not use dice."""

    def _answer(self, distribution: Distribution, label: str) -> Number:
        raise ScriptError(f"The rules made a draw ({label or distribution}), but no chance was passed.")


class Seeded(Chance):
    """Pseudo-random values from a seed. The same seed gives the same values.

    Args:
        seed: Any integer or string. Use a different seed for each purpose.
    """

    def __init__(self, seed: int | str) -> None:
        super().__init__()
        self._rng = Random(seed)
        self._branches = Random(f"{seed} branches")

    def branch(self) -> Chance:
        """Return a source with other values. The same calls give the same sources."""
        return Seeded(self._branches.getrandbits(64))

    def _answer(self, distribution: Distribution, label: str) -> Number:
        del label  # it is for records
        return distribution.sample(self._rng)


class Repeated(Chance):
    """Draws the recorded values first, in their order, then values from another source.

    A recorded value is skipped if the distribution of the draw cannot produce it.

    Args:
        values: The recorded values.
        then: The source to use when no recorded value is left.
    """

    def __init__(self, values: Iterable[Number], then: Chance) -> None:
        super().__init__()
        self._values = iter(values)
        self._then = then

    def _answer(self, distribution: Distribution, label: str) -> Number:
        for value in self._values:
            if distribution.holds(value):
                return value
        return self._then._answer(distribution, label)


class Sampled(Chance):
    """Random values from the caller's generator, for searches.

    Attributes:
        rng: The generator. You can replace it at any time.
    """

    def __init__(self, rng: Random) -> None:
        super().__init__()
        self.rng = rng

    def branch(self) -> Chance:
        """Return another source with the same generator."""
        return Sampled(self.rng)

    def _answer(self, distribution: Distribution, label: str) -> Number:
        del label
        return distribution.sample(self.rng)


class Scripted(Chance):
    """Values from a list, for recorded games.

    Raises:
        ScriptError: No value is left, or the next value cannot come from the distribution.
    """

    def __init__(self, values: Iterable[Number]) -> None:
        super().__init__()
        self._values = list(values)
        self._next = 0

    @property
    def left(self) -> int:
        """The number of values that have not been drawn."""
        return len(self._values) - self._next

    def _answer(self, distribution: Distribution, label: str) -> Number:
        if self._next >= len(self._values):
            raise ScriptError(f"The script has no value left for the draw {label or distribution}.")
        value = self._values[self._next]
        if not distribution.holds(value):
            raise ScriptError(f"The script's value {value!r} cannot come from {distribution} ({label}).")
        self._next += 1
        return value


class _Branch(Chance):
    """Follows a path through the tree of draws, and counts the choices at each draw."""

    def __init__(self, path: list[int]) -> None:
        super().__init__()
        self.path = path
        self.sizes: list[int] = []

    def _answer(self, distribution: Distribution, label: str) -> Number:
        del label
        support = distribution.support()
        depth = len(self.sizes)
        if depth == len(self.path):
            self.path.append(0)
        self.sizes.append(len(support))
        return support[self.path[depth]]


def enumerate_chance(run: Callable[[Chance], T]) -> Iterator[tuple[float, T]]:
    """Run a function once for every possible result of the dice.

    Args:
        run: The function, called with a `Chance`. It must undo its changes of the state, for example with `State.pop`.

    Yields:
        The probability of each result of the dice, with the result of `run`. The probabilities add up to 1.

    Raises:
        ScriptError: The function draws a real number.
    """
    # Depth first: each run follows `path`, and takes the first value of each further draw. Then the last choice that
    # has another value takes its next one.
    path: list[int] = []
    while True:
        branch = _Branch(path)
        result = run(branch)
        probability = 1.0
        for size in branch.sizes:
            probability /= size
        yield probability, result
        while path and path[-1] + 1 == branch.sizes[len(path) - 1]:
            path.pop()
        if not path:
            return
        path[-1] += 1
