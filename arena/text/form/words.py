"""The words of an answer: names of actions, values with their labels, and everything else.

A text and a JSON value become the same words, so all that follows reads both in one way.
"""

from __future__ import annotations

import difflib
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from arena.game.forms import choices_of
from arena.text.form.orders import all_actions
from arena_player.schema import Schema

VALUES = ("id", "choice", "number", "constant", "text")
"""The kinds of words that are values of an order."""
CONSTANTS = {"yes": True, "true": True, "no": False, "false": False, "none": None, "null": None}
SMALL = frozenset(
    "a an the i me my we us our it i'll we'll i'd let let's lets to at on onto in into with for of from by against toward "
    "towards and then so is am be like now".split()
)
"""Words that neither make an order nor change it. In a name such as ``call_in`` they can be left out."""
TITLES = frozenset(
    "answer action order command move choice decision decided step turn play final best "
    "next first second third finally therefore thus please ok okay sure want will shall have has do go goes choose pick "
    "select take number type name tile cell square tool function call arguments args parameters params input output "
    "position coordinates json text option".split()
)
"""Words around an order, such as its title, and keys around its arguments. A game may use them for something else."""
DOUBTS = frozenset(
    "or either not never cannot can could may might would if unless whether instead rather than vs versus maybe perhaps "
    "possibly too avoid anything except but why".split()
)
"""With one of these words, a sentence speaks about an order, and gives none."""
REASONS = frozenset("because since as while which where that".split())
"""Words behind an order in a sentence that begin the reason for it."""
ARTICLES = ("a", "an", "the", "my")
COORDINATES = {"column": "x", "col": "x", "row": "y"}
CLOSE = 0.85
"""How like a known word an unknown one is that is read as it: one wrong letter of six."""
_TOKEN = (
    r"""(?P<quoted>"(?:[^"\\\n]|\\.)*"|(?<!\w)'[^'\n]*'(?!\w)|`[^`\n]*`)|(?P<nothing>(?<!\S)-(?!\S))"""
    r"""|(?P<number>(?<![\w.])-?\d{1,15}(?:\.\d{1,15})?(?!\w))|(?P<word>\w+(?:['\u2019]\w+)?)|(?P<sign>[^\w\s])"""
)
_OR = re.compile(r"\w\W?\s*[/|]\s*[^\W\d]")
_DASH = r"[ \t_\u2010-\u2015-]*"


class Word(NamedTuple):
    """A word of an answer.

    Attributes:
        kind: ``action``; ``part`` of the name of an action; a value: ``id``, ``choice``, ``number``, ``constant`` or
            ``text`` (in quotes); ``label``; ``filler``; ``doubt``; ``noun`` behind
            an action and an article; ``noise`` for all others; ``end`` of an order.
        value: What it means: the name in the spelling of the game, the number, the text.
        text: The word as it was written.
        label: The label of a value, such as ``x``; empty without one.
        is_sure: Whether a sign or JSON joins the two: in "unit u1" the label can also say what u1 is.
    """

    kind: str
    value: Any
    text: str
    label: str = ""
    is_sure: bool = False


class Vocabulary:
    """The words that mean something in a game, in any case.

    Args:
        schema: The game's schema.
        legal: The legal actions, whose ids and words are known then.
    """

    def __init__(self, schema: Schema, legal: Sequence[Mapping[str, Any]]) -> None:
        self._known: dict[str, Word] = {}
        self._exact: dict[str, Word] = {}
        entries = [entry for _, entry in all_actions(schema)]
        parameters = [parameter for entry in entries for parameter in entry.parameters]
        fields = [field for record in schema.records.values() for field in record.fields]
        labels = {*COORDINATES, *(entry.receiver or "" for entry in entries), *(field.name for field in fields)}
        labels |= {name for parameter in parameters for name in (parameter.name, *parameter.keys)}
        self.takes_text = {
            entry.name
            for entry in entries
            if any(parameter.type.name in ("str", "any") and not parameter.choices for parameter in entry.parameters)
        }
        self._add("action", (entry.name for entry in entries))
        self._add("choice", (choice for owner in (*parameters, *fields) for choice in owner.choices))
        self._add("id", (leaf for action in legal for key, value in action.items() if key != "type" for leaf in _leaves(value)))
        self._add("label", labels)
        several = [re.escape(name).replace("_", _DASH) for name in self._exact if "_" in name]
        several = [part.replace(_DASH, f"s?{_DASH}", 1) for part in several]
        several += [re.escape(name) for name in self._exact if not re.fullmatch(r"\w+", name)]
        self._add("part", (part for entry in entries if "_" in entry.name for part in entry.name.split("_") if part not in SMALL))
        self._names = list(self._known)
        self._add("filler", SMALL | TITLES)
        self._add("doubt", DOUBTS)
        names = "|".join(sorted(several, key=len, reverse=True)) or "(?!)"
        self._token = re.compile(rf"(?P<several>(?<!\w)(?:{names})(?!\w))|{_TOKEN}", re.IGNORECASE)

    def _add(self, kind: str, names: Iterable[Any]) -> None:
        for name in names:
            if isinstance(name, str) and name:
                known = Word(kind, name, name)
                self._exact.setdefault(name, known)
                self._known.setdefault(plain(name), known)

    def words(self, text: str) -> list[Word]:
        """Return the words of a text, without the labels: each is at its value."""
        return _labelled(self._completed(list(self._tokens(text))))

    def words_of_json(self, value: Any, label: str = "") -> list[Word]:
        """Return the words of a JSON value. Texts that are no words of an order are left out, and keys around orders."""
        if isinstance(value, str):
            if label and (known := self._exact.get(value) or self._known.get(plain(value))) is not None and known.kind in VALUES:
                return [known._replace(label=label, is_sure=True)]
            words = self.words(value)
            if label and not any(word.kind in VALUES for word in words):
                return [Word("id", value, value, label, is_sure=True)] if value else [Word("constant", None, "-", label, is_sure=True)]
            words = [] if any(word.kind in ("noise", "doubt") for word in words) else words
        elif isinstance(value, Mapping):
            return self._of_object(value)
        elif isinstance(value, list):
            words = [word for item in value for word in self._of_item(item)]
        elif isinstance(value, bool) or value is None:
            words = [Word("constant", value, json.dumps(value))]
        else:
            words = [Word("number", int(value) if value == value // 1 else value, json.dumps(value))]
        return [words[0]._replace(label=label, is_sure=True), *words[1:]] if label and words else words

    def _of_item(self, item: Any) -> list[Word]:
        words = self.words_of_json(item)
        is_order = isinstance(item, Mapping) and any(word.kind == "action" for word in words)
        return [Word("end", None, ""), *words, Word("end", None, "")] if is_order else words

    def _of_object(self, value: Mapping[str, Any]) -> list[Word]:
        """Return the words of a JSON object: those at keys that mean something, or else orders, or else values."""
        known: list[Word] = []
        orders: list[Word] = []
        others: list[Word] = []
        for key, inner in value.items():
            name = self._meaning(str(key))
            words = self.words_of_json(inner, COORDINATES.get(name.value, plain(str(name.value))) if name.kind == "label" else "")
            has_order = any(word.kind == "action" for word in words)
            if name.kind in ("id", "choice") or (name.kind == "action" and not has_order):
                known += [name, *words]
            elif name.kind in ("label", "filler", "action", "part"):
                known += words
            elif has_order:
                orders += words
            elif isinstance(inner, str) and len(words) == 1 and words[0].kind in ("id", "choice") and words[0] in self._known.values():
                known += words
            else:
                others += words
        return next((words for words in (known, orders, others) if any(word.kind in ("action", *VALUES) for word in words)), [])

    def _tokens(self, text: str) -> Iterator[Word]:
        for match in self._token.finditer(text):
            part = match[0]
            if match["several"]:
                yield self._meaning(part)
            elif match["quoted"]:
                yield from self._quoted(part)
            elif match["number"]:
                yield _number(part)
            elif match["word"]:
                yield from self._one_word(part)
            elif match["nothing"]:
                yield Word("constant", None, part)
            else:
                is_or = part in "/|" and _OR.search(text[max(match.start() - 9, 0) : match.end() + 9])
                yield Word("doubt" if is_or else "sign", None, part)

    def _quoted(self, text: str) -> Iterator[Word]:
        """Yield a quoted text as a name, as the words in it if one means something, or as itself."""
        try:
            content = str(json.loads(text))
        except ValueError:
            content = text[1:-1]
        known = self._exact.get(content) or self._known.get(plain(content))
        inner = [known._replace(text=content)] if known and content.strip() else list(self._tokens(content))
        is_known = known or any(word.kind in ("action", "label", "part", *VALUES) for word in inner)
        if is_known or not content:
            yield from inner or [Word("constant", None, text)]
        else:
            yield Word("text", content, content)

    def _one_word(self, text: str) -> Iterator[Word]:
        word = self._meaning(text)
        glued = re.fullmatch(r"([^\W\d]+)(\d{1,15})", text) if word.kind == "id" and word.value == text else None
        size = re.fullmatch(r"(\d{1,15})x(\d{1,15})", text, re.IGNORECASE)
        if glued and text not in self._exact and self._meaning(glued[1]).kind == "label":
            yield from (self._meaning(glued[1]), _number(glued[2]))
        elif size and word.value == text:
            yield from map(_number, size.groups())
        else:
            yield word

    def _meaning(self, text: str) -> Word:
        """Return a word with its meaning."""
        key = plain(text)
        known = self._exact.get(text) or self._known.get(key) or self._known.get(key.removesuffix("s"))
        if known is not None:
            return known._replace(text=text)
        if key in CONSTANTS:
            return Word("constant", CONSTANTS[key], text)
        if key.endswith("n't"):
            return Word("doubt", None, text)
        if (bare := text.strip("_")) != text and bare:
            return _number(bare) if bare.isdecimal() else self._meaning(bare)
        return Word("id" if re.search(r"\d", text) else "noise", text, text)

    def is_key(self, text: str) -> bool:
        """Return whether a word can stand before a colon and a value, as in ``x: 2``."""
        return self._meaning(text).kind in ("label", "filler")

    def _completed(self, words: list[Word]) -> list[Word]:
        """Return words in which the beginnings and slips of known ones are known, if no other word is unknown."""
        done = []
        for word in words:
            key = plain(word.text)
            if word.kind == "noise":
                close = [name for name in self._names if name.startswith(key)]
                close = close or (difflib.get_close_matches(key, self._names, 2, CLOSE) if len(key) > 3 else [])
                if len({self._known[name].value for name in close}) != 1:
                    return words
                word = self._known[close[0]]._replace(text=word.text)
            done.append(word)
        return done


def _labelled(words: Iterable[Word]) -> list[Word]:
    """Return words with each label at the value behind it. Names behind a sign are values, also if they are unknown."""
    done: list[Word] = []
    label, is_sure, has_action = "", False, False
    for word in words:
        has_action = has_action or word.kind == "action"
        if word.kind == "label":
            label, is_sure = COORDINATES.get(word.value, plain(word.value)), False
        elif label and word.kind == "sign" and word.text in "=:":
            is_sure = True
        elif label and (word.kind in VALUES or (is_sure and word.kind == "noise")):
            kind = "id" if word.kind == "noise" else word.kind
            done.append(word._replace(kind=kind, label=label, is_sure=is_sure))
            label = ""
            continue
        elif word.kind == "noise" and has_action and word.text not in REASONS and (done[-1].kind == "number" or done[-1].value in ARTICLES):
            word = word._replace(kind="noun")
        elif word.kind not in ("filler", "sign"):
            label = ""
        done.append(word)
    return done


def _number(text: str) -> Word:
    value = float(text)
    return Word("number", int(text) if "." not in text else int(value) if value.is_integer() else value, text)


def plain(name: str) -> str:
    """Return a name in lower case without spaces, hyphens and underscores."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return re.sub(r"[\s_\u2010-\u2015-]", "", folded).replace("\u2019", "'")


def _leaves(value: Any) -> Iterator[Any]:
    groups = choices_of(value)
    if groups is not None or isinstance(value, list | tuple):
        for item in groups if groups is not None else value:
            yield from _leaves(item)
    else:
        yield value
