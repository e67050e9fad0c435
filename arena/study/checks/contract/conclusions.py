"""Conclusions from all games of a check: what no single position shows.

* Guesses of `determinize` break a law that all true states obey: how many spies there are, or that no card comes twice.
* Those with more points lose.
* The rules keep a number outside of the state.
"""

from __future__ import annotations

import itertools
import sys
from collections import Counter
from collections.abc import Iterator
from math import factorial, log
from operator import ne
from typing import Any

from arena.game import GameSpec, OptionValues, Outcome, State
from arena.study.checks.contract.report import Ledger
from arena.study.replaying.difference import canonical, show

_LAWFUL = log(1e4)
"""The evidence (a logarithm of odds) from which equal counts in all games are a law. A check compares a few fields."""
_GAMES = 5
"""So many games with different scores are needed to say that the wrong ones win; of these, four of five must agree."""
_WRONG = 0.8

Field = tuple[str, str]
"""The names of a class and of one of its secret fields."""
Values = tuple[Any, ...]
"""The values of a field of all objects of a class; of tuples, their items. Sorted, or by object."""


class Laws:
    """What all true states have in common, for each secret field: the same values, or no value twice."""

    def __init__(self) -> None:
        self._seen: dict[Field, dict[Values, None]] = {}
        self._deals: dict[Field, list[Values]] = {}
        self._last: dict[Field, Values] = {}
        self._guessed: dict[Field, dict[Values, None]] = {}

    def begin(self) -> None:
        """Begin a game: whatever it deals is new."""
        self._last.clear()

    def note(self, state: State) -> None:
        """Note the values of a true state. They are evidence if every object has another value than before."""
        for field, values, by_object in _values_of(state):
            self._seen.setdefault(field, {})[values] = None
            last = self._last.get(field, ())
            if len(last) != len(by_object) or all(map(ne, last, by_object)):
                self._last[field] = by_object
                self._deals.setdefault(field, []).append(values)

    def note_guess(self, world: State) -> None:
        """Note the values of a guess."""
        for field, values, _ in _values_of(world):
            self._guessed.setdefault(field, {})[values] = None

    def conclude(self, ledger: Ledger) -> None:
        """Report the fields whose guessed values break a law."""
        for field, guesses in self._guessed.items():
            seen, deals = self._seen.get(field, {}), self._deals.get(field, [])
            name = ".".join(field)
            if len(seen) == 1 and _always_the_same(deals):
                same = next(iter(seen))
                wrong = next((values for values in guesses if values != same), None)
                words = f"in each position, {name} of all objects has the values {show(list(same))} in some order"
            elif all(map(_differ, seen)) and _always_differ(deals):
                wrong = next((values for values in guesses if not _differ(values)), None)
                words = f"no two objects ever have the same {name}"
            else:
                continue
            if wrong is not None:
                ledger.add("determinize", f"{words}, but determinize guesses {show(list(wrong))}")


def _values_of(state: State) -> Iterator[tuple[Field, Values, Values]]:
    """Yield each secret field with its values in a state, if no object has None there, and with them by object."""
    for cls, plan in state.plan().classes.items():
        entities = [entity for entity in state.entities() if type(entity) is cls]
        for name in plan.secret:
            if plan.kinds[name].entity is not None or plan.kinds[name].base == "array":
                continue
            values = [getattr(entity, name) for entity in entities]
            if len(values) > 1 and None not in values:
                items = [
                    item for value in values for item in (value if isinstance(value, tuple | frozenset) else (value,))
                ]
                yield (cls.__name__, name), tuple(sorted(items, key=repr)), tuple(map(repr, values))


def _differ(values: Values) -> bool:
    return len(set(values)) == len(values)


def _always_the_same(deals: list[Values]) -> bool:
    """Return whether it could not be an accident that all deals have the same values in some order."""
    counts = Counter(deals[0]) if deals else Counter()
    if len(counts) < 2:
        return False
    total = counts.total()
    chance = float(factorial(total))
    for count in counts.values():
        chance *= (count / total) ** count / factorial(count)
    return -log(chance) * len(deals) >= _LAWFUL


def _always_differ(deals: list[Values]) -> bool:
    """Return whether it could not be an accident that no deal has a value twice."""
    known = {value for values in deals for value in values}
    return -sum(log(1 - number / len(known)) for values in deals for number in range(len(values))) >= _LAWFUL


class Winners:
    """Compares who wins with who has more points."""

    def __init__(self) -> None:
        self._wrong: list[bool] = []

    def note(self, outcome: Outcome, scores: tuple[float, ...]) -> None:
        """Note the end of a game."""
        if outcome.common is not None or len(set(scores)) < 2:
            return
        points = [outcome.points(player) for player in range(len(scores))]
        products = [
            (scores[first] - scores[second]) * (points[first] - points[second])
            for first, second in itertools.combinations(range(len(scores)), 2)
        ]
        right, wrong = sum(product > 0 for product in products), sum(product < 0 for product in products)
        if right != wrong:
            self._wrong.append(wrong > right)

    def conclude(self, ledger: Ledger) -> None:
        """Report if those with fewer points win most games."""
        games, wrong = len(self._wrong), sum(self._wrong)
        if games >= _GAMES and wrong >= _WRONG * games:
            ledger.add(
                "outcome",
                f"in {wrong} of {games} games, players with fewer points in scores() rank before those with more. More "
                "points are better: if the ranks are right, let scores() return negative numbers",
            )


class Globals:
    """Notes the numbers and texts that the modules and classes of the rules hold, to find out which ones change."""

    def __init__(self, game: GameSpec) -> None:
        self._holders: dict[str, Any] = {}
        for cls in game.state.__mro__:
            package = cls.__module__.partition(".")[0]
            if package not in ("arena", "builtins"):
                for name, module in list(sys.modules.items()):
                    if name == cls.__module__ or name.startswith(f"{package}."):
                        self._holders[name] = module
                self._holders[f"{cls.__module__}.{cls.__name__}"] = cls
        for cls in game.state.classes:
            self._holders[f"{cls.__module__}.{cls.__name__}"] = cls
        self._before = dict(self._values())

    def _values(self) -> Iterator[tuple[str, str]]:
        for holder, value in self._holders.items():
            for name, held in list(vars(value).items()):
                if type(held) in (int, float, str, bool, itertools.count) and not name.startswith("__"):
                    yield f"{holder}.{name}", repr(held)

    def conclude(self, ledger: Ledger) -> None:
        """If the game breaks the contract, and the rules have changed a value outside of the state, say so first."""
        if not ledger.findings:
            return
        for name, value in self._values():
            before = self._before.get(name, value)
            if before != value:
                ledger.add(
                    "globals",
                    f"{name} was {before} before the games and is {value} now. Keep it in a field of the state",
                )
                ledger.findings.insert(0, ledger.findings.pop())
                return


class Conclusions:
    """All conclusions of a check."""

    def __init__(self, game: GameSpec) -> None:
        self._of_options: dict[str, Laws] = {}
        self.laws = Laws()
        self.winners = Winners()
        self._globals = Globals(game)

    def begin(self, options: OptionValues) -> None:
        """Begin a game. Games with other options can have other laws."""
        self.laws = self._of_options.setdefault(canonical(options.to_document()), Laws())
        self.laws.begin()

    def conclude(self, ledger: Ledger) -> None:
        """Report what all games together have shown."""
        ledger.place = "all games"
        for laws in self._of_options.values():
            laws.conclude(ledger)
        self.winners.conclude(ledger)
        self._globals.conclude(ledger)
