"""The words of an answer: names of actions, labels, values, and everything else, which is only noted."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from arena.game.forms import choices_of
from arena.text.form.orders import all_actions, declared
from arena_player.schema import Schema

LONGEST_ANSWER = 100_000
"""Characters of an answer that are read: more is no answer, and reading must not take long."""
LABELS = ("type", "action", "actions", "order", "orders", "answer", "tile", "x", "y")
JOINERS = ("and", "then", "or")
CONSTANTS = {"yes": True, "true": True, "no": False, "false": False, "none": None, "null": None}
SHORTEST_PREFIX = 3
"""Letters with which an action is abbreviated, if only one begins with them: fewer are often another word."""
_TOKEN = re.compile(
    r"""(?P<quoted>"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|`[^`\n]*`)|(?P<number>(?<![\w.])-?\d{1,15}(?:\.\d{1,15})?(?!\w))"""
    r"""|(?P<word>[^\W\d]\w*|\d+\w+)|(?P<end>[;\n])|(?P<nothing>(?<!\S)-(?!\S))"""
)
_BULLET = re.compile(r"^[ \t>]*(?:[-*\u2022]|\(?\d+[.):](?!\d))[ \t]+", re.MULTILINE)


class AnswerWord(NamedTuple):
    """A word of an answer.

    Attributes:
        kind: ``action``, ``name`` (an id or a word of the game), ``id`` (an unknown word that looks like an id),
            ``label``, ``number``, ``constant``, ``quoted`` or ``noise``.
        value: What it means: the name in the spelling of the game, the number, the text.
        text: The word as it was written, without quotes.
    """

    kind: str
    value: Any
    text: str


class Vocabulary:
    """The words that mean something: the names of actions, parameters and things, in any case.

    Args:
        schema: The game's schema.
        legal: The legal actions, whose ids and words are known then.
    """

    def __init__(self, schema: Schema, legal: Sequence[Mapping[str, Any]]) -> None:
        self._actions = {plain(action.name): action.name for _, action in all_actions(schema)}
        self._labels = {plain(label) for label in (*LABELS, *schema.classes)}
        self._names: dict[str, str] = {}
        for _, action in all_actions(schema):
            self._labels |= {plain(action.receiver)} if action.receiver else set()
            for parameter in action.parameters:
                self._labels |= {plain(name) for name in (parameter.name, *parameter.keys)}
                self._add(parameter.choices)
        for record in schema.records.values():
            for field in record.fields:
                self._labels.add(plain(field.name))
                self._add(field.choices)
        for document in legal:
            if (entry := declared(schema, document)) is not None:
                keys = [entry.receiver, *(key for parameter in entry.parameters for key in parameter.keys)]
                self._add(_leaves([document.get(key) for key in keys if key is not None]))
        flexible = ["[ _-]*".join(map(re.escape, name.split("_"))) for name in self._actions.values() if "_" in name]
        exact = [re.escape(name) for name in self._names.values() if re.search(r"\W", name)]
        longest = sorted([*flexible, *exact], key=len, reverse=True)
        pattern = "|".join(rf"(?<!\w){part}(?!\w)" for part in longest) or r"(?!)"
        self._several_words = re.compile(pattern, re.IGNORECASE)

    def _add(self, names: Iterable[Any]) -> None:
        for name in names:
            if isinstance(name, str) and name:
                self._names.setdefault(name if name.casefold() in self._names else name.casefold(), name)

    def name(self, text: str) -> str | None:
        """Return the id or the word of the game that a text means; None if it is unknown."""
        return self._names.get(text) or self._names.get(text.casefold())

    def segments(self, answer: str) -> Iterator[list[AnswerWord]]:
        """Yield the words of each line, and of each part between semicolons."""
        segment: list[AnswerWord] = []
        for token in self._tokens(_BULLET.sub("", answer)):
            if token.kind == "end":
                yield self._completed(segment)
                segment = []
            else:
                segment.append(token)
        yield self._completed(segment)

    def _completed(self, segment: list[AnswerWord]) -> list[AnswerWord]:
        """Return the words of a line. In a line without an action, the beginning of its name is one."""
        if any(token.kind == "action" for token in segment):
            return segment
        return [self._abbreviation(token) or token if token.kind == "noise" else token for token in segment]

    def _abbreviation(self, token: AnswerWord) -> AnswerWord | None:
        beginning = plain(token.text)
        names = [name for key, name in self._actions.items() if key.startswith(beginning)]
        is_one = len(names) == 1 and len(beginning) >= SHORTEST_PREFIX
        return AnswerWord("action", names[0], token.text) if is_one else None

    def _tokens(self, answer: str) -> Iterator[AnswerWord]:
        at = 0
        several = self._several_words.search(answer)
        while match := _TOKEN.search(answer, at):
            if several is not None and several.start() < at:
                several = self._several_words.search(answer, at)
            if several is not None and several.start() <= match.start():
                at = several.end()
                yield self._meaning(several[0])
                continue
            at = match.end()
            kind, text = str(match.lastgroup), match[0]
            if kind == "quoted":
                yield from self._quoted(text)
            elif kind == "number":
                yield AnswerWord("number", float(text) if "." in text else int(text), text)
            elif kind == "word":
                if text.casefold() not in JOINERS or self.name(text) is not None:
                    yield self._meaning(text)
            else:
                yield AnswerWord("end", None, text) if kind == "end" else AnswerWord("constant", None, text)

    def _quoted(self, text: str) -> Iterator[AnswerWord]:
        """Yield the meaning of a quoted text: a name, or the words in it if they have a meaning, or the text itself."""
        content = _unquoted(text)
        if not content:
            return
        token = self._meaning(content)
        inner = [] if token.kind in ("action", "name", "label") else list(self._tokens(text[1:-1]))
        if inner and (text[0] != '"' or any(part.kind in ("action", "number") for part in inner)):
            yield from inner
        else:
            yield token if token.kind in ("action", "name", "label", "id") else AnswerWord("quoted", content, content)

    def _meaning(self, text: str) -> AnswerWord:
        """Return a word with its meaning."""
        key = plain(text)
        action = self._actions.get(key) or self._actions.get(key.removesuffix("s"))
        if action is not None:
            return AnswerWord("action", action, text)
        if (name := self.name(text)) is not None:
            return AnswerWord("name", name, text)
        if key in self._labels:
            return AnswerWord("label", key, text)
        if key in CONSTANTS:
            return AnswerWord("constant", CONSTANTS[key], text)
        return AnswerWord("id" if re.search(r"\d", text) else "noise", text, text)


def plain(name: str) -> str:
    """Return a name in lower case without spaces, hyphens and underscores."""
    return re.sub(r"[\s_-]", "", name).casefold()


def _unquoted(text: str) -> str:
    try:
        return str(json.loads(text))
    except ValueError:
        return text[1:-1]


def _leaves(value: Any) -> Iterator[Any]:
    groups = choices_of(value)
    if groups is not None or isinstance(value, list | tuple):
        for item in groups if groups is not None else value:
            yield from _leaves(item)
    else:
        yield value
