"""Find the actions in an answer of a person or a model, or say why there are none."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from arena.game.forms import covers, is_form, spread
from arena.text.form.orders import all_actions, argument, order, usage
from arena.text.form.slots import Slots, unused
from arena.text.form.values import word
from arena.text.form.words import LONGEST_ANSWER, AnswerWord, Vocabulary, plain
from arena_player.schema import Action, Schema

NEAREST = 3
MOST_COMPARED = 500
"""Legal actions that are compared with an answer to find the nearest: a comparison of all may take a second."""
MOST_LISTED = 12
"""Values of a missing argument that a reason lists: about a line."""
MOST_ORDERS = 1_000
"""Orders of an answer that are read: so many actions a message of the protocol can have."""
VALUES = {"name", "id", "number", "quoted"}
"""The kinds of words that are values. A line without them, such as "Move:", is a title and no order."""
MOST_BRACKETS = 1_000
"""Places at which JSON can begin: from each, the rest of an answer may have to be read."""
_BRACKET = re.compile(r"[{[]")
_FENCED = re.compile(r"```[^\n`]*\n(.*?)(?:```|\Z)|~~~[^\n~]*\n(.*?)(?:~~~|\Z)", re.DOTALL)
Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """What an answer says.

    Attributes:
        actions: The documents of its actions, in order; up to the first that cannot be read.
        reason: Why there is no action, or no further one, or why the first is not legal; empty if all is well. It is a
            sentence, and names the three nearest legal actions if there are legal ones.
        illegal: Whether the first action was read, but is not among the legal ones. The rules say why.
    """

    actions: tuple[Document, ...]
    reason: str = ""
    illegal: bool = False


class UnreadableError(Exception):
    """A line names an action, but not all of it."""


def read(schema: Schema, answer: str, legal: Sequence[Document] = ()) -> ReadAnswer:
    """Read the actions in an answer: one or several orders, alone, in a code fence or between other words, or JSON.

    Every spelling with one meaning is read: upper case, quotes, brackets, labels such as ``x=2``, other orders of the
    words, and with `legal` also orders that leave out what only one legal action can mean. Orders that stand alone on
    their lines count before those within sentences, and those in code fences before all others.

    Args:
        schema: The game's schema.
        answer: The answer.
        legal: The legal actions, forms too. The first action is checked against them; what is legal after it is
            unknown here. Without them, an order must be complete, and nothing is checked.
    """
    reader = _Reader(schema, legal)
    answer = answer[:LONGEST_ANSWER]
    fenced = "\n".join(match[1] or match[2] or "" for match in _FENCED.finditer(answer))
    reading = reader.read(fenced) if fenced.strip() else ReadAnswer(())
    if not reading.actions:
        outside = reader.read(_FENCED.sub("\n", answer) if fenced.strip() else answer)
        reading = outside if outside.actions or not reading.reason else reading
    if not reading.reason:
        return reading
    nearest = reader.nearest(order(schema, reading.actions[0]) if reading.illegal else answer)
    return ReadAnswer(reading.actions, f"{reading.reason} {nearest}".strip(), reading.illegal)


class _Reader:
    def __init__(self, schema: Schema, legal: Sequence[Document]) -> None:
        self._schema = schema
        self._legal = legal
        self._vocabulary = Vocabulary(schema, legal)

    def read(self, answer: str) -> ReadAnswer:
        if (documents := self._documents(answer)) is not None:
            return self._checked(documents, "")
        alone: list[Document] = []
        within: list[Document] = []
        reason = ""
        for line in answer.split("\n"):
            parts = list(self._vocabulary.segments(line))
            is_alone = not any(token.kind == "noise" for words in parts for token in words)
            for words in parts:
                kinds = {token.kind for token in words}
                try:
                    documents = list(self._orders(words, is_alone=is_alone, is_first=not alone))
                except UnreadableError as error:
                    reason = reason or str(error)
                    if is_alone and "action" in kinds and kinds & VALUES:
                        return self._checked(alone, str(error))
                    continue
                if is_alone:
                    alone += documents
                else:
                    within += [document for document in documents if document not in within]
            if len(alone) + len(within) >= MOST_ORDERS:
                break
        if alone:
            return self._checked(alone, "")
        if (second := self._alternative(within)) is not None:
            texts = [order(self._schema, document) for document in second]
            return ReadAnswer((), f"The answer has both {texts[0]} and {texts[1]}. Write one order on each line.")
        return self._checked(within, "" if within else reason or self._no_action())

    def _no_action(self) -> str:
        names = dict.fromkeys(action.name for _, action in all_actions(self._schema))
        legal = {document["type"] for document in self._legal} or names
        return f"The answer names no action: one of {_listed([name for name in names if name in legal])}."

    def _checked(self, documents: list[Document], reason: str) -> ReadAnswer:
        if documents and self._legal and not self._is_legal(documents[0]):
            text = order(self._schema, documents[0])
            return ReadAnswer(tuple(documents), f"{text} is not legal now.", illegal=True)
        return ReadAnswer(tuple(documents), reason)

    def _is_legal(self, document: Document) -> bool:
        return any(covers(entry, document) if is_form(entry) else entry == document for entry in self._legal)

    def _alternative(self, documents: list[Document]) -> tuple[Document, Document] | None:
        """Return two orders of sentences that cannot both be meant: the same action of the same thing."""
        by_actor: dict[tuple[Any, ...], Document] = {}
        for document in documents:
            receivers = (action.receiver for _, action in all_actions(self._schema) if action.receiver in document)
            actor = document["type"], document.get(next(receivers, None) or "")
            if actor in by_actor:
                return by_actor[actor], document
            by_actor[actor] = document
        return None

    # -- words ---------------------------------------------------------------------------------------

    def _orders(self, words: Sequence[AnswerWord], *, is_alone: bool, is_first: bool) -> Iterator[Document]:
        """Yield the orders of one line."""
        places = [index for index, token in enumerate(words) if token.kind == "action"][:MOST_ORDERS]
        if not places:
            if is_alone and any(token.kind in (*VALUES, "constant") for token in words):
                yield from self._without_action(words)
            return
        problem = ""
        documents: list[Document] = []
        left: list[AnswerWord | None] = []
        before: Sequence[AnswerWord | None] = words[: places[0]]
        for place, end in pairwise([*places, len(words)]):
            name, after = words[place].value, words[place + 1 : end]
            first = is_first and not documents
            try:
                document, rest = self._order(name, before, after, may_infer=is_alone, is_first=first)
            except UnreadableError as error:
                problem = problem or str(error)
                rest = [*before, None, *after]
            else:
                documents.append(document)
            left += rest[: len(before) + 1]
            before = rest[len(before) + 1 :]
        left += before
        extra = next(unused(left), None)
        is_title = bool(documents) and not any(token is not None and token.kind in VALUES for token in left)
        if problem and not is_title and (is_alone or not documents):
            raise UnreadableError(problem)
        if documents and extra is not None:
            text = extra.text if extra.kind == "number" else word(extra.text)
            raise UnreadableError(f"{text} is too much in this order.")
        yield from documents

    def _order(
        self,
        name: str,
        before: Sequence[AnswerWord | None],
        after: Sequence[AnswerWord],
        *,
        may_infer: bool,
        is_first: bool,
    ) -> tuple[Document, list[AnswerWord | None]]:
        """Return the action with this name, and the words around it without those that it uses."""
        found: tuple[Document, list[AnswerWord | None]] | None = None
        problem: UnreadableError | None = None
        for _, entry in all_actions(self._schema):
            if entry.name != name:
                continue
            for acts_first in (True, False) if before else (True,):
                slots = Slots(self._schema, entry, before, after, acts_first=acts_first)
                try:
                    document = self._resolved(entry, slots.values, may_infer=may_infer, is_first=is_first)
                except UnreadableError as error:
                    problem = problem or error
                    continue
                if found is None or (self._is_legal(document) and not self._is_legal(found[0])):
                    found = document, slots.words
        if found is None:
            raise problem or UnreadableError(f"{name} cannot be read.")
        return found

    def _without_action(self, words: Sequence[AnswerWord]) -> Iterator[Document]:
        """Yield the one legal action that a line without the name of an action can mean."""
        meant: list[Document] = []
        for _, entry in all_actions(self._schema):
            slots = Slots(self._schema, entry, (), words)
            if all(token is None or token.kind == "label" for token in slots.words):
                meant += [document for document in self._candidates(entry, slots.values) if document not in meant]
        if len(meant) == 1:
            yield meant[0]
        elif meant:
            texts = [order(self._schema, document) for document in meant]
            raise UnreadableError(f"The action is missing: this can be {_listed(texts)}.")

    def _candidates(self, entry: Action, values: Mapping[str, Any]) -> list[Document]:
        """Return the legal actions of a declaration that agree with all values."""
        defaults = {key: p.default for p in entry.parameters if p.has_default for key in p.keys}
        keys = {parameter.keys[0] for parameter in entry.parameters if not parameter.has_default}
        keys |= {entry.receiver} if entry.receiver is not None else set()
        return [
            document
            for document in self._legal
            if document["type"] == entry.name
            and keys <= document.keys()
            and not is_form(document)
            and all(document.get(key, defaults.get(key)) == value for key, value in values.items())
        ]

    def _resolved(self, entry: Action, values: Document, *, may_infer: bool, is_first: bool) -> Document:
        """Return the action with these values: the legal one that agrees with them, or any that is complete."""
        keys = [(entry.receiver, entry.receiver)] if entry.receiver is not None else []
        keys += [(parameter.name, key) for parameter in entry.parameters for key in parameter.keys]
        optional = {key for parameter in entry.parameters if parameter.has_default for key in parameter.keys}
        missing = {name: key for name, key in keys if key not in values and key not in optional}
        for parameter in entry.parameters:
            if 0 < len(values.keys() & set(parameter.keys)) < len(parameter.keys):  # cut off, or a slip
                options = self._options(entry, parameter.name, parameter.keys[0], self._candidates(entry, values))
                raise UnreadableError(f"{parameter.name} is incomplete{options}.")
        candidates = self._candidates(entry, values)
        if not missing or (is_first and (may_infer or values)):
            plainest = [document for document in candidates if self._has_defaults(entry, document, values)]
            for meant in (candidates, plainest):
                if len(meant) == 1:
                    return meant[0]
        if not missing and (not candidates or not is_first):
            return {"type": entry.name} | {key: values[key] for _, key in keys if key in values}
        for name, key in keys:
            if self._legal and key in values and not self._candidates(entry, {key: values[key]}):
                options = self._options(entry, name, key, self._candidates(entry, {}))
                raise UnreadableError(f"{name} cannot be {_one_word(values[key])} now{options}.")
        left = missing or {name: key for name, key in keys if key not in values}
        name, key = next(iter(left.items()))
        options = self._options(entry, name, key, candidates or self._candidates(entry, {}))
        raise UnreadableError(f"{name} is missing{options}.")

    def _has_defaults(self, entry: Action, document: Document, values: Mapping[str, Any]) -> bool:
        """Return whether what an order leaves out has its default in an action."""
        left = [parameter for parameter in entry.parameters if not values.keys() & set(parameter.keys)]
        return all(
            parameter.has_default and document.get(parameter.keys[0], parameter.default) == parameter.default
            for parameter in left
        )

    def _options(self, entry: Action, name: str, key: str, documents: Sequence[Document]) -> str:
        """Return the end of a reason: the values that an argument has in legal actions."""
        parameter = next((parameter for parameter in entry.parameters if parameter.name == name), None)
        texts = [
            word(str(document[key])) if parameter is None else argument(self._schema, parameter, document)
            for document in documents
        ]
        return f": one of {_listed(list(dict.fromkeys(texts)))}" if texts else ""

    # -- JSON ----------------------------------------------------------------------------------------

    def _documents(self, answer: str) -> list[Document] | None:
        """Return the actions that an answer has as JSON; None if it has none, or one that is incomplete."""
        decoder = json.JSONDecoder()
        documents: list[Document] = []
        at = 0
        for _ in range(MOST_BRACKETS):
            if (match := _BRACKET.search(answer, at)) is None:
                break
            try:
                value, at = decoder.raw_decode(answer, match.start())
            except (ValueError, RecursionError):
                at = match.end()
                continue
            for item in _objects(value):
                document = self._document(item)
                if document is None:
                    return None
                documents.append(document)
        return documents or None

    def _document(self, item: Mapping[str, Any]) -> Document | None:
        """Return an action that is written as JSON; None if it lacks keys, or has values of other types."""
        names = {plain(str(key)): value for key, value in item.items()}
        for _, entry in all_actions(self._schema):
            if plain(str(names.get("type", names.get("action")))) != plain(entry.name):
                continue
            values: Document = {}
            keys = [entry.receiver] if entry.receiver is not None else []
            for parameter in entry.parameters:
                inner = names.get(plain(parameter.name))
                if len(parameter.keys) > 1 and isinstance(inner, Mapping | list) and len(inner) == len(parameter.keys):
                    parts = inner.values() if isinstance(inner, Mapping) else inner
                    names |= dict(zip(map(plain, parameter.keys), parts, strict=True))
                keys += parameter.keys
            for key in keys:
                if plain(key) in names:
                    values[key] = self._spelled(names[plain(key)])
            optional = {key for parameter in entry.parameters if parameter.has_default for key in parameter.keys}
            if set(keys) - optional <= values.keys():
                candidates = self._candidates(entry, values)
                return candidates[0] if len(candidates) == 1 else {"type": entry.name} | values
        return None

    def _spelled(self, value: Any) -> Any:
        """Return a value with ids and words in the spelling of the game, and numbers that are not texts."""
        if isinstance(value, list):
            return [self._spelled(item) for item in value]
        if not isinstance(value, str):
            return value
        known = self._vocabulary.name(value)
        return int(value) if known is None and re.fullmatch(r"-?\d{1,15}", value.strip()) else known or value

    # -- help ----------------------------------------------------------------------------------------

    def nearest(self, text: str) -> str:
        """Return the end of a reason: the legal actions that are most like a text; without legal ones, all usages."""
        if not self._legal:
            return f"Orders: {'; '.join(usage(entry, self._schema) for _, entry in all_actions(self._schema))}."
        texts = dict.fromkeys(order(self._schema, document) for document in spread(list(self._legal))[:MOST_COMPARED])
        line = next((part for part in text.splitlines() if part.strip()), "")[:200]
        found = difflib.get_close_matches(line, texts, NEAREST, 0.0)
        return f"Legal and nearest: {'; '.join(found)}."


def _objects(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the JSON objects that can be actions: of a list, or in a key such as ``actions``."""
    if isinstance(value, list):
        for item in value:
            yield from _objects(item)
    elif isinstance(value, Mapping):
        names = {plain(str(key)): key for key in value}
        inner = [value[names[key]] for key in ("actions", "action", "orders", "order") if key in names]
        containers = [part for part in inner if isinstance(part, Mapping | list)]
        if containers and not isinstance(value.get(names.get("type")), str):
            yield from (item for part in containers for item in _objects(part))
        else:
            yield value


def _one_word(value: Any) -> str:
    return word(value) if isinstance(value, str) else json.dumps(value)


def _listed(texts: Sequence[str]) -> str:
    more = len(texts) - MOST_LISTED
    return ", ".join(texts[:MOST_LISTED]) + (f" and {more} more" if more > 0 else "")
