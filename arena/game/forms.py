"""Forms: one entry of `legal_actions` that represents many actions, for parameters that are lists.

A form is an action in which the value of a list is a document with these keys:

* ``choices``: groups of items, for example the possible orders of each unit. Every selection of at most one item of
  each group is a legal value.
* ``all``: true if a value needs an item of every group. False if the key is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from arena.game.kinds import Document


def choices_of(value: object) -> list[list[Any]] | None:
    """Return the groups of a value of a form; None for any other value."""
    groups = value.get("choices") if type(value) is dict else None
    return groups if type(groups) is list else None


def is_form(action: Document) -> bool:
    """Return whether an entry of `legal_actions` is a form."""
    return any(choices_of(value) is not None for value in action.values())


def sample(actions: Sequence[Document], rng: Random) -> Document:
    """Return one of the listed actions at random. If a form was chosen, return one of its actions at random."""
    return filled(rng.choice(actions), rng)


def filled(action: Document, rng: Random | None = None) -> Document:
    """Return an action of a form: a random one, or the one with the fewest items. Return other actions unchanged."""
    if not is_form(action):
        return action
    return {key: value if choices_of(value) is None else _selection(value, rng) for key, value in action.items()}


def spread(actions: Sequence[Document]) -> list[Document]:
    """Return actions to choose from by hand. A form becomes its action with the fewest items, and those with one more.

    Of a form with ``all``, the actions differ from the first one in one item.
    """
    choices: list[Document] = []
    for action in actions:
        smallest = filled(action)
        choices.append(smallest)
        for key, value in action.items():
            for index, group in enumerate(choices_of(value) or ()):
                items = smallest[key]
                if value.get("all"):
                    choices += [smallest | {key: [*items[:index], item, *items[index + 1 :]]} for item in group[1:]]
                else:
                    choices += [smallest | {key: [item]} for item in group]
    return choices


def _selection(value: Any, rng: Random | None) -> list[Any]:
    groups = [group for group in value["choices"] if group]
    if rng is None:
        return [group[0] for group in groups] if value.get("all") else []
    # Of independent choices, nearly all selections would have half of the items. Players also play few orders, or all.
    share = 1.0 if value.get("all") else rng.choice((0.1, 0.5, 0.9, 1.0))
    return [rng.choice(group) for group in groups if rng.random() < share]


def covers(form: Document, action: Document) -> bool:
    """Return whether a form lists an action. The items may be in any order."""
    return form.keys() == action.keys() and all(_allows(value, action[key]) for key, value in form.items())


def _allows(value: Any, items: object) -> bool:
    """Return whether a key of an action can have a value, if a form has `value` there."""
    groups = choices_of(value)
    if groups is None:
        return bool(items == value)
    if type(items) is not list or (value.get("all") and len(items) != len(groups)):
        return False
    unused = list(groups)
    for item in items:
        group = next((group for group in unused if item in group), None)
        if group is None:
            return False
        unused.remove(group)
    return True
