"""Cut an answer into passages, and these into clauses: what can be one order or several."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from arena.text.form.words import REASONS, VALUES, AnswerWord, Vocabulary, has

MOST_BRACKETS = 1_000
"""Places at which JSON can begin: from each, the rest of an answer may have to be read."""
_THOUGHT = re.compile(r"(?is)<(think|thinking|thought|reasoning|scratchpad|analysis)>.*?(?:</\1>|\Z)")
_TAGGED = re.compile(
    r"(?is)<(answer|actions?|moves?|orders?|command)>(.*?)(?:</\1>|\Z)|\\boxed\{((?:[^{}]|\{[^{}]*\})*)\}"
)
_TITLE = re.compile(r"(?im)^[^\w\n]*(?:my |the )?(?:final )?(?:answer|decision)\b[^\w\n]*?[:=\n]")
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
STATES = ("is", "am", "be")


class Clause(NamedTuple):
    """A line or sentence: its text and words, those that can be orders, and whether it is or begins with an order."""

    text: str
    words: list[AnswerWord]
    runs: list[list[AnswerWord]]
    is_alone: bool


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

    An answer in tags or behind a title counts alone. In what counts, code fences are read before all else.
    """
    spoken = _THOUGHT.sub("\n", answer)
    tagged = "\n".join(match[2] or match[3] or "" for match in _TAGGED.finditer(spoken))
    titles = list(_TITLE.finditer(spoken))
    titled = spoken[titles[-1].end() :] if titles else ""
    marked = next((text for text in (tagged, titled) if text.strip()), spoken)
    fenced = "\n".join(match[1] or match[2] or "" for match in _FENCED.finditer(marked))
    return spoken, fenced, _FENCED.sub("\n", marked)


def clauses(vocabulary: Vocabulary, text: str) -> Iterator[Clause]:
    """Yield the clauses of a text, or of the JSON in it. Lists of options and quotes give no order."""
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
    quotes = [line for line in lines if line.lstrip().startswith("> ")]
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
            if is_doubtful or has(words, "doubt") or sentence.rstrip("*_` ").endswith("?"):
                yield Clause(sentence, words, [], is_alone=False)
            elif not has(words, "noise", "noun") or (runs[0].leads and len(sentences) == 1):
                yield Clause(sentence, words, [run.words for run in runs[:1]], is_alone=True)
            else:
                orders = [run.words for run in runs if run.is_order and has(run.words, "action")]
                yield Clause(sentence, words, orders, is_alone=False)


def _json_values(text: str) -> Iterator[tuple[Any, int, int]]:
    """Yield the JSON values in a text that can hold an order, and where they begin and end."""
    decoder = json.JSONDecoder()
    at = 0
    for match in islice(_BRACKET.finditer(text), MOST_BRACKETS):
        if match.start() < at:
            continue
        try:
            value, end = decoder.raw_decode(text, match.start())
        except ValueError:
            continue
        except RecursionError:
            return
        if isinstance(value, dict) or any(isinstance(item, dict | str) for item in value):
            yield value, match.start(), end
            at = end
