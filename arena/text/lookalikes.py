"""Find names that look alike."""

import re
import unicodedata
from functools import lru_cache

_NUMBER = re.compile(r"\s*\(\w*\)$")
"""A number that a match adds to the name of a player with several seats, as in "NAME (2)"."""
_NOT_DRAWN = re.compile(
    r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Characters without a shape, among those that `str.isprintable` accepts."""
_OUTSIDE_NUMBERS = re.compile(r"(?<!\d)\.|\.(?!\d)")
_PAIRS = (("rn", "m"), ("vv", "w"))


def without_invisible(name: str) -> str:
    """Return the name without characters that are not drawn. What is left may be empty."""
    return _NOT_DRAWN.sub("", name).strip()


def looks(name: str) -> tuple[tuple[str, bool], ...]:
    """Return a case-sensitive and a case-insensitive key of a name. Two names look alike if they share a key.

    Names are normalised by Unicode's NFKC. Spaces, characters that are not drawn, a number in parentheses at the end,
    and punctuation are removed; between two digits, punctuation becomes one dot. Each letter is replaced by the first
    of its lookalikes, and "rn" and "vv" are "m" and "w".
    """
    plain = _core("".join(unicodedata.normalize("NFKC", without_invisible(name)).split()))
    folded = unicodedata.normalize("NFKC", plain.casefold())
    return (_shape(plain), False), (_shape(folded), True)


def _core(name: str) -> str:
    """Return the name without a number in parentheses and punctuation; the whole name if nothing else is left."""
    ends = "".join({char for char in name if _is_punctuation(char)})
    before, core = "", name
    while core != before:
        before, core = core, _NUMBER.sub("", core.rstrip(ends.replace(")", "")))
    dotted = "".join("." if _is_punctuation(char) else char for char in core)
    return _OUTSIDE_NUMBERS.sub("", re.sub(r"\.+", ".", dotted)) or name


def _is_punctuation(char: str) -> bool:
    return unicodedata.category(char).startswith("P")


def _shape(name: str) -> str:
    for pair, letter in _PAIRS:
        name = name.replace(pair, letter)
    return "".join(map(_lookalike, name))


@lru_cache(maxsize=4096)
def _lookalike(char: str) -> str:
    """Return the first letter of the group of lookalikes that this letter belongs to.

    If A looks like B, and B like C, all three are one group.
    """
    from confusable_homoglyphs import confusables

    found, waiting = {char}, [char]
    while waiting:
        for other in confusables.confusables_data.get(waiting.pop(), ()):
            letter = other["c"]
            if len(letter) == 1 and letter not in found:
                found.add(letter)
                waiting.append(letter)
    return min(found)
