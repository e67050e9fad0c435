"""Find the actions in an answer of a person or a model, or say why there are none.

An answer goes one way:

1. Without what was only thought, it is an answer in tags, behind "answer:", in code fences, or all of it.
2. That is cut into clauses: JSON, lines, parts between semicolons, sentences. Each is a list of words (``words``).
3. A clause that has nothing but an order counts before a sentence with other words; a sentence with a doubt, such as
   "could" or "or", or a question, gives no order at all. What was left out is named in the reason.
4. The words of an order are compared with the legal actions. If exactly one agrees, it is meant (``fitting``).
   If none does, the words are fitted to the parameters, so that the rules can say why it is not legal.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any, NamedTuple

from arena.game.forms import covers, is_form, spread
from arena.text.form.fitting import Document, agrees, fitted, keys_of, values_of
from arena.text.form.orders import all_actions, argument, declared, order, usage
from arena.text.form.values import word as one_word
from arena.text.form.words import ARTICLES, SMALL, VALUES, Vocabulary, Word
from arena_player.schema import Action, Schema

LONGEST_ANSWER = 100_000
"""Characters of an answer that are read: more is no answer, and reading must not take long."""
NEAREST = 3
MOST_COMPARED = 500
"""Legal actions that are compared with an answer to find the nearest: a comparison of all may take a second."""
MOST_LISTED = 12
"""Values of a missing argument that a reason lists: about a line."""
MOST_ORDERS = 1_000
"""Orders of an answer that are read: so many actions a message of the protocol can have."""
MOST_BRACKETS = 1_000
"""Places at which JSON can begin: from each, the rest of an answer may have to be read."""
MOST_BOUNDARIES = 12
"""Words before the name of an action among which its order can begin: who acts, and arguments with their labels."""
_THOUGHT = re.compile(r"<(think|thinking|thought|reasoning|scratchpad|analysis)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_TAGGED = re.compile(r"<(answer|action|actions|move|order|orders|command)>(.*?)(?:</\1>|\Z)|\\boxed\{((?:[^{}]|\{[^{}]*\})*)\}",
                     re.DOTALL | re.IGNORECASE)  # fmt: skip
_TITLED = re.compile(r".*^\W*(?:my |the )?(?:final )?(?:answer|decision)\b\W*?[:=\n](.*)", re.DOTALL | re.IGNORECASE | re.MULTILINE)
_FENCED = re.compile(r"```(?:[^\n`]*\n)?(.*?)(?:```+|\Z)|~~~[^\n~]*\n(.*?)(?:~~~|\Z)", re.DOTALL)
_LISTED = re.compile(
    r"^[^\n]*\b(?:options?|alternatives?|candidates?|possib\w+|legal|available|considered|could|can)\b[^\n]*:\W*\n(?:[ \t]*\n)?"
    r"(?:[ \t]*\S[^\n]*(?:\n|\Z))+", re.MULTILINE | re.IGNORECASE,
)  # fmt: skip
_REPORTED = re.compile(
    r"\b(?:opponents?|enem(?:y|ies)|says?|said|told|wrote|writes|called|named|logs?|messages?)\b", re.IGNORECASE
)
_BULLET = re.compile(
    r"^[ \t>]*(?:(?:[-*+\u2022\u2013]|#+|[a-z]\)|#\d+|[(\[]?\d+[.):\]]+)[ \t]+(?=\S))?"
    r"(?:\W*\b(?:step|move|action|order|turn|command) \d+ ?[:.)]+)?", re.IGNORECASE,
)  # fmt: skip
_BRACKET = re.compile(r"[{[]")
TITLE_SIGNS = (":", "=", "is")
STATES = ("is", "am", "be")
REASONS = frozenset("because since as while which where that".split())
"""Words behind an order in a sentence that begin the reason for it."""
_CUT = re.compile(r";(?!\s*\d+\s*[)\]])|(?<=[.!?])\s+")
_PAIR = re.compile(r"\W*(\w+)\W*[:=].*\w.*")


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """What an answer says.

    Attributes:
        actions: The documents of its actions, in order; up to the first that cannot be read.
        reason: Why there is no action, or no further one, or why the first is not legal, or which orders are left out,
            since the answer only mentions them; empty if all is well. It is a sentence, and names the three nearest
            legal actions if there are legal ones and something cannot be read.
        illegal: Whether the first action was read, but is not among the legal ones. The rules say why.
    """

    actions: tuple[Document, ...]
    reason: str = ""
    illegal: bool = False


class UnreadableError(Exception):
    """A clause names an action, but not all of it."""


class _Clause(NamedTuple):
    words: list[Word]
    is_alone: bool
    is_doubtful: bool


def read(schema: Schema, answer: str, legal: Sequence[Document] = ()) -> ReadAnswer:
    """Read the actions in an answer: one or several orders, alone, in a code fence or between other words, or JSON.

    Every spelling with one meaning is read: upper case, quotes, brackets, labels such as ``x=2``, other orders of the
    words, and with `legal` also orders that leave out what only one legal action can mean. Orders in tags such as
    ``<answer>``, or behind "answer:", count before those in code fences, and these before orders on lines of their
    own, which count before those within sentences. What is only mentioned is no order: "c1 could move 2,1".

    Args:
        schema: The game's schema.
        answer: The answer.
        legal: The legal actions, forms too. The first action is checked against them; what is legal after it is
            unknown here. Without them, an order must be complete, and nothing is checked.
    """
    reader = _Reader(schema, legal)
    spoken = _THOUGHT.sub("\n", answer[:LONGEST_ANSWER])
    tagged = "\n".join(match[2] or match[3] or "" for match in _TAGGED.finditer(spoken))
    titled = _TITLED.fullmatch(spoken)
    marked = tagged if tagged.strip() else titled[1] if titled is not None and titled[1].strip() else ""
    fenced = "\n".join(match[1] or match[2] or "" for match in _FENCED.finditer(marked or spoken))
    reading = reader.read(fenced) if fenced.strip() else ReadAnswer(())
    if not reading.actions:
        outside = reader.read(_FENCED.sub("\n", marked or spoken))
        reading = outside if outside.actions or not reading.reason else reading
    if reading.actions and not reading.reason:
        done = {order(schema, action) for action in reading.actions}
        left_out = [text for text in reader.mentioned(spoken) if text not in done]
        return ReadAnswer(reading.actions, f"Only mentioned, and left out: {_listed(left_out)}." if left_out else "")
    nearest = reader.nearest(order(schema, reading.actions[0]) if reading.illegal else answer)
    return ReadAnswer(reading.actions, f"{reading.reason} {nearest}".strip(), reading.illegal)


class _Reader:
    def __init__(self, schema: Schema, legal: Sequence[Document]) -> None:
        self._schema = schema
        self._entries = [entry for _, entry in all_actions(schema)]
        self._legal = [(entry, action) for action in legal if (entry := declared(schema, action)) is not None]
        self._vocabulary = Vocabulary(schema, legal)

    def order(self, action: Document) -> str:
        return order(self._schema, action)

    def read(self, text: str) -> ReadAnswer:
        clauses = list(self._clauses(text))
        alone: list[Document] = []
        within: list[Document] = []
        problem = ""
        for clause in sorted(clauses, key=lambda clause: not clause.is_alone):
            if clause.is_doubtful or (alone and not clause.is_alone):
                continue
            try:
                if clause.is_alone:
                    alone += self._orders(clause.words, is_first=not alone)
                else:
                    within += self._within(clause, is_first=not within)
            except UnreadableError as error:
                problem = problem or str(error)
                is_order = values_of(clause.words) and any(word.kind == "action" for word in clause.words)
                if clause.is_alone and is_order:
                    return self._checked(alone, str(error) or self._no_order(clauses))
            if len(alone) >= MOST_ORDERS:
                break
        by_actor: dict[tuple[Any, ...], Document] = {}
        for action in within:
            entry = declared(self._schema, action)
            actor = action["type"], action.get(entry.receiver) if entry is not None and entry.receiver else None
            if by_actor.setdefault(actor, action) != action:
                both = " and ".join(map(self.order, (by_actor[actor], action)))
                return ReadAnswer((), f"The answer has both {both}. Write one order on each line.")
        actions = alone or list(by_actor.values())
        return self._checked(actions, "" if actions else problem or self._no_order(clauses))

    def _checked(self, actions: list[Document], reason: str) -> ReadAnswer:
        if actions and self._legal and not self._is_legal(actions[0]):
            return ReadAnswer(tuple(actions), f"{self.order(actions[0])} is not legal now.", illegal=True)
        return ReadAnswer(tuple(actions), reason)

    def _is_legal(self, action: Document) -> bool:
        return any(covers(entry, action) if is_form(entry) else entry == action for _, entry in self._legal)

    # -- clauses -------------------------------------------------------------------------------------

    def _clauses(self, text: str) -> Iterator[_Clause]:
        found: list[list[Word]] = []
        rest, at = "", 0
        for value, start, end in _json_values(text):
            found.append(self._vocabulary.words_of_json(value))
            rest, at = rest + text[at:start] + "\n", end
        parts = [part for words in found for part in _parts(words) if any(word.kind == "action" for word in part)]
        parts = parts or [part for words in found for part in _parts(words) if values_of(part)]
        if parts:
            yield from (_Clause(part, is_alone=True, is_doubtful=False) for part in parts)
        else:
            yield from self._clauses_of_lines(rest + text[at:])

    def _clauses_of_lines(self, text: str) -> Iterator[_Clause]:
        text = _LISTED.sub("\n", text)
        lines = [line for line in text.splitlines() if line.strip()]
        if not all(line.lstrip().startswith(">") for line in lines):
            lines = [line for line in lines if not line.lstrip().startswith("> ")]
        keys = [match[1].casefold() for line in lines if (match := _PAIR.fullmatch(line))]
        if 1 < len(lines) == len(set(keys)) and all(self._vocabulary.is_key(key) for key in keys):
            lines = [", ".join(lines)]
        for line in lines:
            bare = line.replace("|", " ") if line.lstrip().startswith("|") else line
            is_reported = _REPORTED.search(bare) is not None
            for sentence in _CUT.split(_BULLET.sub("", bare, count=1)):
                words = self._vocabulary.words(sentence)
                kinds = {word.kind for word in words}
                is_doubtful = is_reported or "doubt" in kinds or sentence.rstrip("*_` ").endswith("?")
                yield _Clause(words, is_alone=not is_doubtful and not kinds & {"noise", "noun"}, is_doubtful=is_doubtful)

    # -- orders --------------------------------------------------------------------------------------

    def _within(self, clause: _Clause, *, is_first: bool) -> list[Document]:
        """Return the orders between other words of a sentence."""
        actions: list[Document] = []
        for run, stands in _runs(clause.words):
            if stands and any(word.kind == "action" for word in run):
                actions += self._orders(run, is_first=is_first and not actions, is_alone=False)
        return actions

    def mentioned(self, text: str) -> list[str]:
        """Return the orders that stand anywhere in a text in full."""
        texts: dict[str, None] = {}
        for line in text.splitlines()[:MOST_ORDERS]:
            for run, _ in _runs(self._vocabulary.words(_BULLET.sub("", line, count=1))):
                if any(word.kind == "action" for word in run):
                    with suppress(UnreadableError):
                        texts |= dict.fromkeys(map(self.order, self._orders(run, is_first=False)))
        return list(texts)

    def _orders(self, words: Sequence[Word], *, is_first: bool, is_alone: bool = True) -> list[Document]:
        """Return the orders of some words. One ends where the next can begin with all that is left."""
        try:
            return self._split(words, is_first=is_first, is_alone=is_alone)
        except UnreadableError:
            bare = [word for index, word in enumerate(words) if not _is_title(words, index)]
            if len(bare) == len(words) or not any(word.kind == "action" for word in bare):
                raise
            return self._split(bare, is_first=is_first, is_alone=is_alone)

    def _split(self, words: Sequence[Word], *, is_first: bool, is_alone: bool) -> list[Document]:
        actions: list[Document] = []
        places = [index for index, word in enumerate(words) if word.kind == "action"]
        start = 0
        for place, limit in pairwise([*(places or [0])[:MOST_ORDERS], len(words)]):
            last = place + 1 if limit < len(words) else limit
            for end in range(limit, max(last, limit - MOST_BOUNDARIES) - 1, -1):
                try:
                    action = self._order(words[start:end], is_first=is_first and not actions, is_alone=is_alone)
                except UnreadableError:
                    if end == max(last, limit - MOST_BOUNDARIES):
                        raise
                else:
                    actions.append(action)
                    start = end
                    break
        return actions

    def _order(self, words: Sequence[Word], *, is_first: bool, is_alone: bool) -> Document:
        """Return the action that words mean: the legal one that agrees with them, or one with all that they say."""
        names = {word.value for word in words if word.kind == "action"}
        values = values_of(words)
        legal: list[tuple[Action, Document]] = []
        if is_first and (is_alone or values or not any(keys_of(entry) for entry in self._entries if entry.name in names)):
            has_meaning = any(word.kind in ("action", "part", *VALUES) and word.value is not None for word in words)
            legal = self._agreeing(words) if has_meaning else []
        if len(legal) == 1:
            return legal[0][1]
        said = {word.value for word in words if word.kind == "part"}
        names = names or {entry.name for entry in self._entries if said and set(entry.name.split("_")) <= said | SMALL}
        entries = [entry for entry in self._entries if entry.name in names] or [
            entry for entry, action in self._legal if is_first and values and is_form(action)
        ]
        problem = self._choice(legal) if legal else ""
        for entry in () if legal else entries:
            action, missing, left = fitted(self._schema, entry, words)
            if not missing and not left and (names or self._is_legal(action)):
                return action
            if left and not missing:
                problem = problem or f"{_shown(left[0])} is too much in this order."
            elif missing:
                others = [pair for pair in self._legal if is_first and pair[0] is entry]
                problem = problem or self._blame(words) or self._missing(entry, missing, [doc for _, doc in others])
        raise UnreadableError(problem or (self._blame(words) if is_first else ""))

    def _agreeing(self, words: Sequence[Word]) -> list[tuple[Action, Document]]:
        """Return the legal actions that agree with words; of several, those that have the values in their order,
        and of these, those in which only defaults were left out."""
        found = [(pair, places) for pair in self._legal if (places := agrees(*pair, words)) is not None]
        found = [(pair, places) for pair, places in found if places == sorted(places)] or found
        plainest = [
            (pair, places)
            for pair, places in found
            if all(
                parameter.has_default and pair[1].get(key, parameter.default) == parameter.default
                for parameter in pair[0].parameters
                for key in parameter.keys
                if keys_of(pair[0]).index(key) not in places
            )
        ]
        is_plain = len(plainest) == 1 and len({pair[0] for pair, _ in found}) == 1
        return [pair for pair, _ in (plainest if is_plain else found)]

    # -- reasons -------------------------------------------------------------------------------------

    def _choice(self, legal: Sequence[tuple[Action, Document]]) -> str:
        """Return what is missing in words with which several legal actions agree."""
        entry, first = legal[0]
        documents = [document for _, document in legal]
        if any(other is not entry for other, _ in legal):
            return f"The action is missing: one of {_listed([self.order(document) for document in documents])}."
        key = next((key for key in keys_of(entry) if any(action.get(key) != first.get(key) for action in documents)), "")
        name = next((parameter.name for parameter in entry.parameters if key in parameter.keys), key)
        return self._missing(entry, name, documents)

    def _missing(self, entry: Action, name: str, documents: Sequence[Document]) -> str:
        parameter = next((parameter for parameter in entry.parameters if parameter.name == name), None)
        texts = [
            one_word(str(document[name])) if parameter is None else argument(self._schema, parameter, document)
            for document in documents
        ]
        return f"{name} is missing{f': one of {_listed(list(dict.fromkeys(texts)))}' if texts else ''}."

    def _blame(self, words: Sequence[Word]) -> str:
        """Return which value does not fit, if legal actions agree with all others."""
        for word in values_of(words)[:MOST_LISTED]:
            rest = [other for other in words if other is not word]
            if legal := self._agreeing(rest):
                return f"{_shown(word)} does not fit: {_listed([self.order(action) for _, action in legal])} would."
        return ""

    def _no_order(self, clauses: Sequence[_Clause]) -> str:
        words = [word for clause in clauses for word in clause.words]
        if any(clause.is_doubtful and any(word.kind == "action" for word in clause.words) for clause in clauses):
            return "The answer only mentions orders. Write yours on a line of its own."
        unknown = list(dict.fromkeys(_shown(word) for word in words if word.kind == "noise"))
        names = dict.fromkeys(entry.name for entry, _ in self._legal) or [entry.name for entry in self._entries]
        begin = f"{_listed(unknown[:3])} is unknown. " if 0 < len(unknown) <= 3 else ""
        return f"{begin}The answer names no action: one of {_listed(list(names))}."

    def nearest(self, text: str) -> str:
        """Return the end of a reason: the legal actions that are most like a text; without legal ones, all usages."""
        if not self._legal:
            return f"Orders: {'; '.join(usage(entry, self._schema) for entry in self._entries)}."
        texts = dict.fromkeys(self.order(action) for action in spread([action for _, action in self._legal])[:MOST_COMPARED])
        line = next((part for part in text.splitlines() if part.strip()), "")[:200]
        return f"Legal and nearest: {'; '.join(difflib.get_close_matches(line, texts, NEAREST, 0.0))}."


def _runs(words: Sequence[Word]) -> Iterator[tuple[list[Word], bool]]:
    """Yield the words between unknown ones, and whether they can be an order: not what others do, or what one is like.

    In "the aliens pass" and "c2 play f1 is bad", an unknown word stands right before the order, or "is" behind it.
    """
    run: list[Word] = []
    stands = True
    for index, word in enumerate((*words, Word("noise", None, ""))):
        if word.kind not in ("noise", "doubt"):
            run.append(word)
            continue
        if run:
            first = run[0].kind in ("filler", "sign") or run[0].text in "I" or index == len(run)
            last = run[-1].kind in ("filler", "sign") and run[-1].value not in STATES
            is_end = index == len(words) or last or word.text.casefold() in REASONS
            yield run, first and is_end
        run = []


def _is_title(words: Sequence[Word], index: int) -> bool:
    """Return whether the name of an action is a noun here, as in "my move is c1 move 2,1" or "doubt the bid"."""
    before, after = words[:index][-1:], words[index + 1 :][:1]
    is_noun = [word for word in before if word.value in ARTICLES] or [word for word in after if word.text in TITLE_SIGNS]
    return words[index].kind == "action" and bool(is_noun)


def _parts(words: Sequence[Word]) -> Iterator[list[Word]]:
    part: list[Word] = []
    for word in (*words, Word("end", None, "")):
        if word.kind != "end":
            part.append(word)
        elif part:
            yield part
            part = []


def _json_values(text: str) -> Iterator[tuple[Any, int, int]]:
    """Yield the JSON values in a text that can hold an order, and where they begin and end."""
    decoder = json.JSONDecoder()
    at = 0
    for match in islice(_BRACKET.finditer(text), MOST_BRACKETS):
        if match.start() < at:
            continue
        with suppress(ValueError, RecursionError):
            value, end = decoder.raw_decode(text, match.start())
            if isinstance(value, dict) or any(isinstance(item, dict | str) for item in value):
                yield value, match.start(), end
                at = end


def _shown(word: Word) -> str:
    return word.text if word.kind == "number" else one_word(word.text)


def _listed(texts: Sequence[str]) -> str:
    more = len(texts) - MOST_LISTED
    return ", ".join(texts[:MOST_LISTED]) + (f" and {more} more" if more > 0 else "")
