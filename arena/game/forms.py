"""Forms: one entry of `legal_actions` that stands for many actions, for parameters that are lists.

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
    if type(value) is dict and type(groups := value.get("choices")) is list:
        return groups
    return None


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
    found: list[Document] = []
    for action in actions:
        found.append(filled(action))
        for key, value in action.items():
            for place, group in enumerate(choices_of(value) or ()):
                few = filled(action)
                if value.get("all"):
                    found += [few | {key: [*few[key][:place], item, *few[key][place + 1 :]]} for item in group[1:]]
                else:
                    found += [few | {key: [item]} for item in group]
    return found


def _selection(value: Any, rng: Random | None) -> list[Any]:
    groups = [group for group in value["choices"] if group]
    if rng is None:
        return [group[0] for group in groups] if value.get("all") else []
    share = 1.0 if value.get("all") else rng.choice((0.1, 0.5, 0.9, 1.0))
    return [rng.choice(group) for group in groups if rng.random() < share]


def covers(form: Document, action: Document) -> bool:
    """Return whether a form lists an action. The items may be in any order."""
    return form.keys() == action.keys() and all(
        action[key] == value if (groups := choices_of(value)) is None else _is_selection(groups, value, action[key])
        for key, value in form.items()
    )


def _is_selection(groups: list[list[Any]], value: Any, items: object) -> bool:
    if type(items) is not list or (value.get("all") and len(items) != len(groups)):
        return False
    left = list(groups)
    for item in items:
        group = next((group for group in left if item in group), None)
        if group is None:
            return False
        left.remove(group)
    return True
