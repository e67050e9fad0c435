"""Names of entrants that nobody can take for one another."""

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from arena.tournament.plan.config import Entrant
from arena.tournament.run.bots import Broken, Found


def looks(name: str) -> tuple[tuple[str, bool], ...]:
    """Return how a name looks, as it is written and without case; names are alike if they have one of both in common.

    Names are compared by Unicode's NFKC, without spaces, and with one of all letters that can be taken for each other.
    """
    plain = "".join(unicodedata.normalize("NFKC", name).split())
    folded = unicodedata.normalize("NFKC", plain.casefold())
    return ("".join(map(_lookalike, plain)), False), ("".join(map(_lookalike, folded)), True)


@lru_cache(maxsize=4096)
def _lookalike(char: str) -> str:
    """Return the first of all letters that look like this one, or like one of those."""
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
    """Return the bots that were found; of those whose names look alike the later ones are broken.

    Args:
        found: The bots that were found.
        known: The entrants of a tournament that has begun. They keep their names.
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
        Broken(str(bot.folder / bot.entry), reasons[index])
        for index, (_, bot) in enumerate(found.bots)
        if index in reasons
    ]
    return Found(tuple(one for index, one in enumerate(found.bots) if index not in reasons), (*found.broken, *late))
