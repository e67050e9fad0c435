"""Refuse names of entrants that look alike."""

from collections.abc import Sequence

from arena.match.entrant import Entrant
from arena.text.lookalikes import looks
from arena.tournament.run.bots import Broken, Found


def without_clashes(found: Found, known: Sequence[Entrant] = ()) -> Found:
    """Return the bots that were found. If names look alike, mark the later bots as broken.

    Args:
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
                f"its name {name!r} is that of another bot; give it another `name`, in its bot.toml or in [[bots]]"
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
