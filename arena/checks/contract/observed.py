"""Find out whether the values sent to a player in several runs of an experiment reveal a hidden value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log
from typing import Any, NamedTuple

from arena.checks.contract.fold import fold
from arena.checks.contract.observers import hidden
from arena.game import State
from arena.game.chance import Draw
from arena_replays.state import CLASS

_CERTAIN = log(1e9)
"""The evidence (a logarithm of odds) from which the agreement of two values counts as more than a coincidence."""
_NOTHING = "nothing"

Path = tuple[Any, ...]
"""Keys and indices. The path of a secret starts with a pair (id, field)."""


class Run(NamedTuple):
    """The values that one player receives after an action, and the values that are hidden from the player, as text.

    Attributes:
        shown: The values that are sent to the player, by path. Fields declared secret are left out.
    """

    secrets: dict[Path, str]
    shown: dict[Path, str]


class Leak(NamedTuple):
    """A value that reveals a secret.

    Attributes:
        example: The value at `path` in one run, and the value of the secret in this run.
    """

    secret: Path
    path: Path
    example: tuple[str, str]

    def describe(self, player: int, place: str) -> str:
        shown, secret = self.example
        return (
            f"{path_text(self.secret)} is hidden from player {player}, but {path_text(self.path)}, which they get "
            f"{place}, reveals it: for example, it is {shown} when the secret is {secret}"
        )


def observe(state: State, player: int, mark: int = 0, draws: Sequence[Draw] = ()) -> Run:
    """Return the values that are sent to a player, and the values that are hidden from the player.

    Args:
        mark: Only events since this mark are included.
    """
    seen = fold({}, state.view(player))
    secrets = {key: value for key, value in hidden(fold({}, state.view()), seen).items() if value is not None}
    declared = {plan.cls.__name__: plan.secret for plan in state.plan().classes.values()}
    plain = {
        id_: {name: value for name, value in fields.items() if name not in declared[fields[CLASS]]}
        for id_, fields in seen.items()
    }
    shown = {"view": plain, "events": state.events(mark, player), "draws": [draw.value for draw in draws]}
    return Run(dict(_leaves(secrets)), dict(_leaves(shown)))


def _leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    if isinstance(value, dict | list | tuple) and value:
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, one in pairs:
            yield from _leaves(one, (*path, key))
    else:
        yield path, write(value)


def write(value: Any) -> str:
    """Return a scalar as text. Equal numbers give equal texts, whatever their type."""
    return repr(int(value) if type(value) is float and value.is_integer() else value)


def find_leak(runs: list[Run], least: float, evidence: float = _CERTAIN) -> Leak | None:
    """Find a shown value that reveals a secret: in all runs with the same shown value, the secret is the same too.

    Args:
        least: The number of different values of a secret that a leak requires; for strings, one less, but at least 2.
            If the shown value equals the secret in all runs, 2 are enough.
    """
    first = runs[0]
    paths = {path: None for run in runs for path in run.shown if run.shown[path] != first.shown.get(path)}
    shown = {path: [run.shown.get(path, _NOTHING) for run in runs] for path in paths}
    for slot in first.secrets:
        values = [run.secrets.get(slot, _NOTHING) for run in runs]
        different = set(values)
        if len(different) < 2 or _NOTHING in different:
            continue
        many = len(different) >= least - (least > 2 and values[0][0] in "'\"")
        accident = log(len(values) ** 2 / sum(values.count(value) ** 2 for value in different))
        for path, column in shown.items():
            if column == values:
                sure = accident * len(values)
            elif many and len(pairs := set(zip(column, values, strict=True))) == len(set(column)):
                sure = accident * (len(values) - len(pairs))
            else:
                continue
            if sure >= evidence:
                return Leak(slot, path, (column[0], values[0]))
    return None


def path_text(path: Path) -> str:
    """Return a path as text, for example ``events[0].cards``."""
    head, *rest = path
    parts = (*head, *rest) if isinstance(head, tuple) else rest if head == "view" else path
    return "".join(f"[{part}]" if type(part) is int else f".{part}" for part in parts).lstrip(".")
