"""The words of an answer: names of actions, values with their labels, and everything else.

JSON becomes a line of text first (`Vocabulary.line`), so that all that follows reads both in one way.
"""

from __future__ import annotations

import difflib
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from arena.game.forms import choices_of
from arena.text.form.orders import actions_of
from arena_player.schema import Schema

VALUES = ("id", "choice", "number", "constant", "text")
"""The kinds of words that are values of an order."""
CONSTANTS = {"yes": True, "true": True, "no": False, "false": False, "none": None, "null": None}
SMALL = """
a an the i me my we us our it i'll we'll i'd let let's lets to at on onto in into with for of from by against toward
towards and then so is am be like now
"""
"""Words that neither make an order nor change it. In a name such as ``call_in`` they can be left out."""
TITLES = """
answer action order command move choice decision decided step turn play final best next first second third finally
therefore thus please ok okay sure want will shall have has do go goes choose pick select take number type name tile
cell square tool function call arguments args parameters params input output position coordinates json text
"""
"""Words around an order, such as its title, and keys around its arguments. A game may use them for something else."""
DOUBTS = """
or either not never cannot can could may might would if unless whether instead rather than vs versus maybe perhaps
possibly too avoid anything except but why refuse refused rejected
"""
"""With one of these words, a sentence speaks about an order, and gives none."""
OTHERS = """
opponent opponents enemy enemies says say said told wrote writes called named log logs message messages user system
"""
"""With one of these words, a line reports what others say or do, and gives no order."""
REASONS = ("because", "since", "as", "while", "which", "where", "that")
"""Words behind an order in a sentence that begin the reason for it."""
ARTICLES = ("a", "an", "the", "my")
COORDINATES = {"column": "x", "col": "x", "row": "y"}
COUNTERS = ("step", "turn")
"""Keys of JSON with a number that says when an order is given."""
DEEPEST = 8
"""Levels of JSON that are read: a call of a tool has five."""
CLOSE = 0.85
"""How like a known word an unknown one is that is read as it: one wrong letter of six."""
_DASH = r"[ \t_\u2010-\u2015-]*(?:(?<=[ \t])(?:an?|the|my)[ \t]+)?"
_ARTICLE = re.compile(r"(?i)\s(?:an?|the|my)\s")
_OR = re.compile(r"\w\W?\s*[/|]\s*[^\W\d]")
_TOKEN = (
    r"""(?P<quoted>"(?:[^"\\\n]|\\.)*"|(?<!\w)'[^'\n]*'(?!\w)|`[^`\n]*`)|(?P<nothing>(?<!\S)-(?!\S))"""
    r"""|(?P<number>(?:(?<![\w.])-)?\d{1,15}(?:\.\d{1,15})?(?:(?!\w)|(?=x\d)|(?=__?(?!\w))))|(?P<word>\w+(?:['\u2019]\w+)?)"""
    r"""|(?P<sign>[^\w\s])"""
)


class AnswerWord(NamedTuple):
    """A word of an answer.

    Attributes:
        kind: ``action``; ``part`` of the name of an action; a value: ``id``, ``choice``, ``number``, ``constant`` or
            ``text`` (in quotes); ``label``; ``filler``; ``sign``; ``doubt``; ``report``; ``noun`` behind an action and
            an article; ``noise`` for all others.
        value: What it means: the name in the spelling of the game, the number, the text.
        text: The word as it was written.
        label: The label of a value, such as ``x``; empty without one.
        is_sure: Whether a sign joins the two: in "unit u1" the label can also say what u1 is.
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
        self._known: dict[str, AnswerWord] = {}
        entries = actions_of(schema)
        slots = [slot for entry in entries for slot in entry.parameters]
        fields = [field for record in schema.records.values() for field in record.fields]
        choices = [*(slot.choices for slot in slots), *(field.choices for field in fields)]
        keys = [entry.receiver or "" for entry in entries]
        keys += [key for slot in slots for key in (slot.name, *slot.keys)]
        keys += [key.rpartition("_")[2] for key in keys]
        self._add("action", (entry.name for entry in entries))
        self._add("choice", chain(*choices))
        self._add("id", _leaves([{**action, "type": ""} for action in legal]))
        self._add("label", [*COORDINATES, *keys, *(field.name for field in fields)])
        several = [re.escape(name).split("_") for name in self._known if not name.isalpha()]
        patterns = [_DASH.join(parts).replace(_DASH, f"s?{_DASH}", 1) for parts in several]
        names = "|".join(sorted(patterns, key=len, reverse=True)) or "(?!)"
        labels = "|".join(filter(None, (*COORDINATES, *keys)))
        glued = rf"(?P<times>(?<=\d)x(?=\d))|(?<![^\W\d])(?:{labels})(?=\d+(?!\w))"
        self._token = re.compile(rf"(?<!\w)(?:{names})(?!\w)|{glued}|{_TOKEN}", re.IGNORECASE)
        self._names = [name for name in self._known if name == plain(name)]
        self._add("filler", (SMALL + TITLES).split())
        self._add("part", (part for entry in entries if "_" in entry.name for part in entry.name.split("_")))
        self._add("doubt", DOUBTS.split())
        self._add("report", OTHERS.split())

    def _add(self, kind: str, names: Iterable[Any]) -> None:
        for name in list(names):
            if isinstance(name, str) and name:
                self._known.setdefault(name, AnswerWord(kind, name, name))
                self._known.setdefault(plain(name), AnswerWord(kind, name, name))

    def words(self, text: str) -> list[AnswerWord]:
        """Return the words of a text. Labels are at their values; beginnings and slips of known words are known."""
        return _labelled(self._completed(list(self._tokens(text))))

    def line(self, value: Any, depth: int = DEEPEST) -> str:
        """Return a JSON value as text: what stands at keys that mean something, or else orders, or else values.

        Orders in a list become lines. Texts that are no words of an order are left out.
        """
        if isinstance(value, list) and depth:
            lines = [self.line(item, depth - 1) for item in value]
            ends = [isinstance(item, dict) for item in value]
            ends = [end and has(self.words(line), "action") for end, line in zip(ends, lines, strict=True)]
            return "".join(f"\n{line}\n" if end else f"{line}, " for end, line in zip(ends, lines, strict=True))
        if isinstance(value, dict) and depth:
            ranked = [self._ranked(key, inner, depth - 1) for key, inner in value.items()]
            lowest = min(ranked, default=(0, ""))[0]
            return ", ".join(line for rank, line in ranked if rank == lowest)
        return value if isinstance(value, str) and value else "-" if value in ("", None) else json.dumps(value)

    def _ranked(self, key: str, value: Any, depth: int) -> tuple[int, str]:
        """Return an entry of a JSON object as text, and before it a number: the lowest ones of an object count."""
        kind, line = self._meaning(key).kind, self.line(value, depth)
        if key.casefold() in COUNTERS and isinstance(value, int):
            return 3, ""
        words = self.words(line)
        is_told = has(self._tokens(key.replace("_", " ")), "report")
        is_clean = not is_told and has(words, "action", *VALUES) and not has(words, "noise", "doubt", "report")
        is_name = isinstance(value, str) and value in self._known and self._known[value].kind in VALUES
        is_value = is_clean if kind in ("id", "choice") else kind == "action" and not has(words, "action")
        if kind == "label" or is_value:
            return 0, f"{key}: {line}"
        if not is_clean:
            return 3, ""
        return 0 if kind in ("filler", "action", "part") or is_name else 1 if has(words, "action") else 2, line

    def is_key(self, text: str) -> bool:
        """Return whether a word can stand before a colon and a value, as in ``x: 2``."""
        return self._meaning(text).kind in ("label", "filler")

    def _tokens(self, text: str) -> Iterator[AnswerWord]:
        for match in self._token.finditer(text):
            part = match[0]
            if match["quoted"]:
                yield from self._quoted(part)
            elif match["number"]:
                value = float(part)
                yield AnswerWord("number", int(value) if value.is_integer() else value, part)
            elif match["sign"] or match["times"] or match["nothing"]:
                is_or = part in "/|" and _OR.search(text[max(match.start() - 9, 0) : match.end() + 9])
                yield AnswerWord("constant" if match["nothing"] else "doubt" if is_or else "sign", None, part)
            else:
                yield self._meaning(part)

    def _quoted(self, text: str) -> Iterator[AnswerWord]:
        """Yield a quoted text as a name, as the words in it if one means something, or as itself."""
        try:
            content = str(json.loads(text))
        except ValueError:
            content = text[1:-1]
        known = self._known.get(content) or self._known.get(plain(content))
        inner = [known] if known else list(self._tokens(content))
        if known or not content or has(inner, "action", "label", "part", *VALUES):
            yield from inner or [AnswerWord("constant", None, text)]
        else:
            yield AnswerWord("text", content, content)

    def _meaning(self, text: str) -> AnswerWord:
        """Return a word with its meaning."""
        bare = _ARTICLE.sub(" ", text)
        keys = [text, *map(plain, (text, bare, re.sub(r"s(?=\W|_)", "", bare, count=1), text.strip("_")))]
        keys += [key[:-1] for key in keys if len(key) > 3 and key[-1] in "sS"]
        known = next((self._known[key] for key in keys if key in self._known), None)
        if known is not None:
            return known._replace(text=text)
        if keys[1] in CONSTANTS:
            return AnswerWord("constant", CONSTANTS[keys[1]], text)
        kind = "doubt" if keys[1].endswith("n't") else "id" if re.search(r"\d", text) else "noise"
        return AnswerWord(kind, text, text)

    def _completed(self, words: list[AnswerWord]) -> list[AnswerWord]:
        """Return words in which the beginnings and slips of known ones are known, if no other word is unknown."""
        done = []
        for word in words:
            if word.kind == "noise":
                key = plain(word.text)
                close = [name for name in self._names if name.startswith(key)]
                close = close or (difflib.get_close_matches(key, self._names, 2, CLOSE) if len(key) > 3 else [])
                if len({self._known[name].value for name in close}) != 1:
                    return words
                word = self._known[close[0]]._replace(text=word.text)
            done.append(word)
        return done


def _labelled(words: Iterable[AnswerWord]) -> list[AnswerWord]:
    """Return words with each label at the value behind it. Names behind a sign are values, also if they are unknown."""
    done: list[AnswerWord] = []
    label, is_sure, has_action = "", False, False
    for word in words:
        has_action = has_action or word.kind == "action"
        if word.kind == "label":
            label, is_sure = COORDINATES.get(word.value, plain(word.value)), False
        elif label and word.kind == "sign" and word.text in "=:":
            is_sure = True
        elif label and (word.kind in VALUES or (is_sure and word.kind == "noise")):
            kind = "id" if word.kind == "noise" else word.kind
            word, label = word._replace(kind=kind, label=label, is_sure=is_sure), ""
        elif word.kind == "noise":
            follows = done and (done[-1].kind == "number" or done[-1].value in ARTICLES)
            word = word._replace(kind="noun") if has_action and follows and word.text not in REASONS else word
            label = ""
        elif word.kind not in ("filler", "sign"):
            label = ""
        done.append(word)
    return done


def has(words: Iterable[AnswerWord], *kinds: str) -> bool:
    """Return whether one of some words has one of some kinds."""
    return any(word.kind in kinds for word in words)


def plain(name: str) -> str:
    """Return a name in lower case without spaces, hyphens and underscores."""
    folded = unicodedata.normalize("NFKC", name).casefold().replace("\u2019", "'")
    return re.sub(r"[\s_\u2010-\u2015-]", "", folded)


def _leaves(value: Any) -> Iterator[Any]:
    inner = choices_of(value) or (value.values() if isinstance(value, Mapping) else value)
    if isinstance(value, Mapping | list | tuple):
        for item in inner:
            yield from _leaves(item)
    else:
        yield value
