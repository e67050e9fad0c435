"""Refuse names of entrants that look alike."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from arena.tournament.plan.config import Entrant
from arena.tournament.run.bots import Broken, Found

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


def without_clashes(found: Found, known: Sequence[Entrant] = ()) -> Found:
    """Return the bots that were found. If names look alike, mark the later bots as broken.

    Args:
        found: The bots that were found.
        known: The entrants of a tournament that has begun. They keep their names. A new bot whose name looks like an
            entrant's name is marked as broken.
    """
    old = {entrant.name: entrant.hash for entrant in known}

    def rank(index: int) -> tuple[bool, bool, int]:
        name, bot = found.bots[index]
        return old.get(name) != bot.content_hash, name not in old, index

    taken: dict[tuple[str, bool], str] = {}
    reasons: dict[int, str] = {}
    for index in sorted(range(len(found.bots)), key=rank):
        name = found.bots[index][0]
        other = next((taken[look] for look in looks(name) if look in taken), None)
        if other == name or (other is not None and name not in old):
            reasons[index] = (
                f"its name {name!r} is that of another bot"
                if other == name
                else (f"its name {name!r} looks like {other!r}, the name of another bot")
            )
            continue
        taken |= dict.fromkeys(looks(name), name)
    late = [
        Broken(bot.name if bot.is_outside else str(bot.folder / bot.entry), reasons[index])
        for index, (_, bot) in enumerate(found.bots)
        if index in reasons
    ]
    return Found(tuple(one for index, one in enumerate(found.bots) if index not in reasons), (*found.broken, *late))
