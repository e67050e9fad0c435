"""Cut an answer into passages, and these into clauses: what can be one order or several."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from arena.text.form.words import REASONS, VALUES, AnswerWord, Vocabulary, has

MOST_BRACKETS = 1_000
"""Places at which JSON can begin: from each, the rest of an answer may have to be read."""
_THINK = r"think|thinking|thought|reasoning|scratchpad|analysis"
_THOUGHT = re.compile(
    rf"(?is)[<\[]({_THINK})[>\]].*?(?:[<\[]/\1[>\]]|\Z)|<\|channel\|>analysis\b.*?(?=<\|(?:end|start|channel)\|>|\Z)"
)
_THOUGHT_BEFORE = re.compile(
    rf"(?is)\A.*(?:[<\[]/(?:{_THINK})[>\]]|<\|channel\|>final<\|message\|>)|\Aanalysis.*assistantfinal"
)
"""What a template of a chat leaves of thoughts: the sign that begins them can be missing."""
_SIGNS = re.compile(
    r"(?i)<\|\w+\|>|</?(?:b|i|u|p|br|em|strong|code|pre|span)\b[^<>\n]*>|[\u00ad\u200b-\u200d\u2060\ufeff]"
)
"""What is not shown: signs of a template, of HTML, and of no width."""
_STRUCK = re.compile(r"(?is)(?<!~)~~(?!~)[^~\n]+~~(?!~)|<(s|del|strike)>[^<>]*</\1>")
_CORRECTED = re.compile(
    r"(?im)^(?:[^{}\"\n]*[.!?:][ \t])?[^\w\n]{0,6}(?:(?:oh|oops|hm+|no|but)\b[^\w\n]{0,6})?"
    r"(?:wait|actually|correction|hold on|scratch that|on second thought|never ?mind|sorry)\b"
)
"""A word of correction at the beginning of a line or sentence, but not within JSON."""
FINAL = re.compile(
    r"(?i)\W*(?:(?:so|and|ok(?:ay)?)\b\W*)?(?:(?:my|the|in)\s+)?(?:final|best|therefore|thus|hence|conclusion|answer|decision|choice"
    r"|i(?:['\u2019]ll|\s+will)?\s+(?:choose|pick|take|select|go)|i(?:['\u2019]ve|\s+have)?\s+(?:chosen|decided))\b"
)
"""How a line begins that says what is decided."""
_REMARK = re.compile(r"\s(?:#|//)|\s?[(\[](?=[^()\[\]]*[)\]]\W{0,6}\Z)|\s(?:--?>?|=>|[\u2010-\u2015\u2192])\s|:\s")
"""A sign behind which an order can have a remark."""
_TAG = re.compile(r"<(\w+)>([^<>]*)</\1>")
_TAGGED = re.compile(
    r"(?is)<(answer|actions?|moves?|orders?|command)>(.*?)(?:</\1>|\Z)|\\boxed\{((?:[^{}]|\{[^{}]*\})*)\}"
)
_TITLE = re.compile(r"(?im)^[^\w\n{\"']*(?:my |the )?(?:final )?(?:answer|decision)\b[^\w\n]*?[:=\n]")
_FENCED = re.compile(r"(?s)```(?:[^\n`]*\n)?(.*?)(?:```+|\Z)|~~~[^\n~]*\n(.*?)(?:~~~|\Z)")
_CHOICE = r"options?|alternatives?|candidates?|possib\w+|legal|available|considered|could"
_LISTED = re.compile(rf"(?im)^[^\n]*\b(?:{_CHOICE})\b[^\n]*:\W*\n(?:[ \t]*\n)?(?:[ \t]*\S[^\n]*(?:\n|\Z))+")
BULLET = re.compile(
    r"(?i)^[ \t>]*(?:(?:[-*+\u2022\u2013]|#+|[a-z]\)|#\d+|[(\[]?\d+[.):\]]+)[ \t]+(?=\S))?"
    r"(?:\W*\b(?:step|move|action|order|turn|command) \d+ ?[:.)]+)?"
)
_CUT = re.compile(r";(?!\s*\d+\s*[)\]])|(?<=[.!?])\s+")
_PAIR = re.compile(r"\W*(\w+)\W*[:=].*\w.*")
_BRACKET = re.compile(r"[{[]")
STATES = ("is", "am", "be", "was", "were", "got", "did", "failed")
"""Words behind an order that say what became of it, so that it is no order now."""


class DuplicateKeyError(ValueError):
    """A JSON object has two values at one key. The argument is the key."""


class Clause(NamedTuple):
    """A line or sentence: its text and words, those that can be orders, and whether it is or begins with an order.

    Behind an order that a sentence begins with can be a remark.
    """

    text: str
    words: list[AnswerWord]
    runs: list[list[AnswerWord]]
    is_alone: bool
    has_remark: bool = False


class Stretch(NamedTuple):
    """Words between unknown ones, whether they lead the sentence as an order, and whether they can be one.

    An order has no unknown word right before or behind it: "the aliens pass" and "c2 play f1 is bad" give none.
    """

    words: list[AnswerWord]
    leads: bool
    is_order: bool


def stretches(words: Sequence[AnswerWord]) -> Iterator[Stretch]:
    """Yield the words between unknown ones."""
    run: list[AnswerWord] = []
    for index, word in enumerate((*words, AnswerWord("noise", None, ""))):
        if word.kind not in ("noise", "doubt", "report"):
            run.append(word)
            continue
        if run:
            last = next((at for at in range(len(run), 0, -1) if run[at - 1].kind in ("action", "part", *VALUES)), 0)
            is_said = any(other.value in STATES for other in (run[:1] if index > len(run) else []) + run[last:])
            begins = index == len(run) or run[0].kind in ("filler", "sign")
            ends = index == len(words) or last < len(run) or word.text.casefold() in REASONS or run[-1].value is None
            is_order = has(run, "action", *VALUES) and begins and ends and not is_said
            is_noun = has(run[:last], "noun") or (has(run[last:], "noun") and run[last].kind == "filler")
            yield Stretch(run, is_order and index == len(run) and not is_noun, is_order)
        run = []


def passages(answer: str) -> tuple[str, str, str]:
    """Return what an answer says without what was only thought, and of it what is read first, and if that has nothing.

    What is struck out, or stands before a word of correction, does not count. An answer in tags or behind a title
    counts alone. In what counts, code fences are read before all else.
    """
    spoken = _SIGNS.sub("", _STRUCK.sub(" ", _THOUGHT_BEFORE.sub("", _THOUGHT.sub("\n", answer))))
    said = spoken
    corrections = list(_CORRECTED.finditer(spoken))
    spoken = spoken[corrections[-1].end() :] if corrections else spoken
    tagged = "\n".join(match[2] or match[3] or "" for match in _TAGGED.finditer(spoken))
    titles = list(_TITLE.finditer(spoken))
    titled = spoken[titles[-1].end() :] if titles else ""
    marked = next((text for text in (tagged, titled) if text.strip()), spoken)
    fenced = "\n".join(match[1] or match[2] or "" for match in _FENCED.finditer(marked))
    return said, fenced, _FENCED.sub("\n", marked)


def clauses(vocabulary: Vocabulary, text: str, is_order: Callable[[Sequence[AnswerWord]], bool]) -> Iterator[Clause]:
    """Yield the clauses of a text, or of the JSON in it. Lists of options, quotes and comments give no order."""
    text = _TAG.sub(lambda tag: f"{tag[1]}: {tag[2]}, " if vocabulary.is_key(tag[1]) else tag[0], text)
    values = list(_json_values(text))
    lines = [line for value, _, _ in values for line in vocabulary.line(value).splitlines()]
    found = [words for words in map(vocabulary.words, lines) if has(words, "action", *VALUES)]
    orders = [words for words in found if has(words, "action")]
    outside = text
    for _, start, end in reversed(values):
        outside = f"{outside[:start]}\n{outside[end:]}"
    if orders or (found and not has(vocabulary.words(outside), "action")):
        yield from (Clause("", words, [words], is_alone=True) for words in orders or found)
        return
    text = text if found else outside
    told = [line for match in _LISTED.finditer(text) for line in match[0].splitlines()]
    lines = [line for line in _LISTED.sub("\n", text).splitlines() if line.strip()]
    quotes = [line for line in lines if line.lstrip().startswith(("> ", "//"))]
    if len(quotes) < len(lines):
        told += quotes
        lines = [line for line in lines if line not in quotes]
    yield from (Clause(line, vocabulary.words(line), [], is_alone=False) for line in told)
    keys = {match[1].casefold() for line in lines if (match := _PAIR.fullmatch(line))}
    if 1 < len(lines) == len(keys) and all(map(vocabulary.is_key, keys)):
        lines = [", ".join(lines)]
    for line in lines:
        bare = line.replace("|", " ") if line.lstrip().startswith("|") else line
        is_doubtful = False
        sentences = [part for part in _CUT.split(BULLET.sub("", bare, count=1)) if part.strip()]
        for sentence in sentences:
            words = vocabulary.words(sentence)
            is_doubtful = is_doubtful or has(words, "report")
            runs = list(stretches(words)) or [Stretch([], leads=False, is_order=False)]
            has_noise = has(words, "noise", "noun")
            has_remark = has_noise or any(unicodedata.category(sign) == "So" for sign in sentence)
            remark = next(_REMARK.finditer(sentence), None) if len(sentences) == 1 else None
            begin = vocabulary.words(sentence[: remark.start()]) if remark else []
            is_cut = has(begin, "action") and has(begin, *VALUES) and not has(begin, "noise", "noun", "doubt")
            is_comment = remark is not None and remark[0].strip() in ("#", "//")
            is_cut = is_cut and (has_noise or is_comment) and is_order(begin)
            if is_doubtful or has(words, "doubt") or sentence.rstrip("*_` ").endswith("?"):
                yield Clause(sentence, words, [], is_alone=False)
            elif is_cut:
                yield Clause(sentence, words, [begin], is_alone=True, has_remark=has_noise)
            elif not has_noise or (runs[0].leads and len(sentences) == 1):
                yield Clause(sentence, words, [run.words for run in runs[:1]], is_alone=True, has_remark=has_remark)
            else:
                orders = [run.words for run in runs if run.is_order and has(run.words, "action")]
                yield Clause(sentence, words, orders, is_alone=False)


def _json_values(text: str) -> Iterator[tuple[Any, int, int]]:
    """Yield the JSON values in a text that can hold an order, and where they begin and end."""
    decoder = json.JSONDecoder(object_pairs_hook=_object)
    at = 0
    for match in islice(_BRACKET.finditer(text), MOST_BRACKETS):
        if match.start() < at:
            continue
        try:
            value, end = decoder.raw_decode(text, match.start())
        except json.JSONDecodeError:
            continue
        except RecursionError:
            return
        if isinstance(value, dict) or any(isinstance(item, dict | str) for item in value):
            yield value, match.start(), end
            at = end


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object. A key with two values has none.

    Raises:
        DuplicateKeyError: It has such a key.
    """
    done: dict[str, Any] = {}
    for key, value in pairs:
        if done.setdefault(key, value) != value:
            raise DuplicateKeyError(key)
    return done
