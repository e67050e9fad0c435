"""Fit the words around the name of an action to who acts and to its parameters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from arena.text.form.words import AnswerWord, plain
from arena_player.schema import Action, FieldType, Schema

NUMBERS = ("int", "float", "any")
IDS = ("name", "id", "quoted")
Found = tuple[Any, int]
"""A value, and the number of words that it takes."""


class Slots:
    """What the words around the name of an action say about it.

    Args:
        before: The words before the name, from the name of the previous action on.
        after: The words behind it, up to the name of the next action.
        acts_first: Whether who acts is sought before the action first: "c1 move", or "I move c1, since c2 is busy".

    Attributes:
        values: The entries of the action's document that the words give.
        words: All words, and None for those that are used and for the action.
    """

    def __init__(
        self,
        schema: Schema,
        entry: Action,
        before: Sequence[AnswerWord | None],
        after: Sequence[AnswerWord | None],
        *,
        acts_first: bool = True,
    ) -> None:
        self._schema = schema
        self.words: list[AnswerWord | None] = [*before, AnswerWord("noise", None, ""), *after]
        self._before = range(len(before))
        self._after = range(len(before) + 1, len(self.words))
        self.values: dict[str, Any] = {}
        self._fill_labelled(entry)
        if entry.receiver is not None and entry.receiver not in self.values:
            self._fill_receiver(entry.receiver, acts_first=acts_first)
        self._fill_parameters(entry)
        self.words[len(before)] = None

    def _fill_labelled(self, entry: Action) -> None:
        """Use the values that follow the name of a key, such as ``x: 2``."""
        kinds = {entry.receiver: FieldType("", False, False)} if entry.receiver else {}
        for parameter in entry.parameters:
            if not parameter.type.many:
                kind = parameter.type if len(parameter.keys) == 1 else FieldType("int", False, False)
                kinds |= dict.fromkeys(parameter.keys, kind)
        for index in (*self._after, *self._before):
            token = self.words[index]
            if token is None or token.kind != "label" or index + 1 == len(self.words):
                continue
            key = next((key for key in kinds if plain(key) == token.value and key not in self.values), None)
            choices = next((p.choices for p in entry.parameters if key in p.keys and len(p.keys) == 1), ())
            if key is not None and (found := self._one(kinds[key], choices, index + 1)) is not None:
                self.values[key] = found[0]
                self._use(index, 1 + found[1])

    def _fill_receiver(self, key: str, *, acts_first: bool) -> None:
        """Use the nearest id before the action, or the first one behind it, as in ``move(c1, 2, 1)``."""
        before, after = list(reversed(self._before)), list(self._after)
        for index in (*before, *after) if acts_first else (*after, *before):
            token = self.words[index]
            if token is not None and token.kind in IDS and not self._is_choice(token):
                self.values[key] = token.value
                self._use(index, 1)
                return

    def _is_choice(self, token: AnswerWord) -> bool:
        return any(
            token.value in parameter.choices
            for entry in self._schema.classes.values()
            for action in entry.actions
            for parameter in action.parameters
        )

    def _fill_parameters(self, entry: Action) -> None:
        for parameter in entry.parameters:
            if any(key in self.values for key in parameter.keys):
                continue
            if parameter.type.many:
                self._fill_list(parameter.keys[0], parameter.type, parameter.choices)
                continue
            for index in (*self._after, *self._before):
                found = self._one(parameter.type, parameter.choices, index)
                if found is not None:
                    if len(parameter.keys) > 1:
                        parts = found[0] or [None] * len(parameter.keys)
                        self.values |= dict(zip(parameter.keys, parts, strict=True))
                    else:
                        self.values[parameter.keys[0]] = found[0]
                    self._use(index, found[1])
                    break

    def _fill_list(self, key: str, kind: FieldType, choices: Sequence[Any]) -> None:
        items = []
        index = self._after.start
        while index < self._after.stop:
            found = self._one(kind._replace(many=False), choices, index)
            if found is not None:
                items.append(found[0])
                self._use(index, found[1])
            index += 1 if found is None else found[1]
        self.values[key] = items

    def _one(self, kind: FieldType, choices: Sequence[Any], index: int) -> Found | None:
        """Return the value of a type that begins at a word, and how many words it takes."""
        record = self._schema.records.get(kind.name)
        if record is not None:
            parts, size = [], 0
            for field in record.fields:
                size += self._skipped(index + size)
                found = self._one(field.type, field.choices, index + size)
                if found is None:
                    return None
                parts.append(found[0])
                size += found[1]
            return parts, size
        token = self._word(index)
        if token is None:
            return None
        if token.kind == "constant" and token.value is None:
            return (None, 1) if kind.nullable else None
        if kind.name == "tile":
            second = self._word(index + 1)
            is_tile = second is not None and token.kind == second.kind == "number"
            return ([token.value, second.value], 2) if second is not None and is_tile else None
        return (token.value, 1) if _fits(token, kind, choices) else None

    def _skipped(self, index: int) -> int:
        token = self._word(index)
        return 1 if token is not None and token.kind == "label" else 0

    def _word(self, index: int) -> AnswerWord | None:
        return self.words[index] if index < len(self.words) else None

    def _use(self, index: int, count: int) -> None:
        self.words[index : index + count] = [None] * count


def _fits(token: AnswerWord, kind: FieldType, choices: Sequence[Any]) -> bool:
    if kind.name in NUMBERS and token.kind == "number":
        return kind.name != "int" or type(token.value) is int
    if kind.name == "bool":
        return token.kind == "constant"
    if choices:
        return token.value in choices
    if kind.name in ("str", "any"):
        return token.kind in ("name", "id", "quoted", "noise")
    return kind.name not in NUMBERS and token.kind in IDS


def unused(words: Sequence[AnswerWord | None]) -> Iterator[AnswerWord]:
    """Yield the values that no action has used, if no other word stands between them and what was used."""
    for step in (1, -1):
        previous: AnswerWord | None = AnswerWord("noise", None, "")
        for token in words[::step]:
            if token is not None and token.kind in (*IDS, "number") and previous is None:
                yield token
                continue
            previous = token if token is None or token.kind != "label" else previous
