"""Find names that look alike."""

import re
import unicodedata
from functools import lru_cache

_NUMBER = re.compile(r"\s*\(\w*\)$")
"""A number that a match adds to the name of a player with several seats, as in "NAME (2)"."""


def looks(name: str) -> tuple[tuple[str, bool], ...]:
    """Return a case-sensitive and a case-insensitive key of a name. Two names look alike if they share a key.

    Names are normalised by Unicode's NFKC. Spaces, a number in parentheses at the end, and punctuation at both ends
    are removed. Each letter is replaced by the first of its lookalikes.
    """
    plain = _core("".join(unicodedata.normalize("NFKC", name).split()))
    folded = unicodedata.normalize("NFKC", plain.casefold())
    return ("".join(map(_lookalike, plain)), False), ("".join(map(_lookalike, folded)), True)


def _core(name: str) -> str:
    """Return the name without a number and punctuation at its ends; the whole name if nothing else is left."""
    ends = "".join({char for char in name if unicodedata.category(char).startswith("P")})
    before, core = "", name
    while core != before:
        before, core = core, _NUMBER.sub("", core.rstrip(ends.replace(")", "")))
    return core.strip(ends) or name


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
