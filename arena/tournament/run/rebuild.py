"""Rebuild a damaged journal of a tournament. The schedule says which matches it waits for."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from arena.journal.store import Written
from arena.match.spec import MatchSpec
from arena.matches import rebuild as rebuilding
from arena.matches.rebuild import Awaited, Rebuilt, Source
from arena.contests.stages.stage import next_matches, slot_of
from arena.tournament.run.history import History


def rebuild(folder: Path, begin: Callable[[str], list[Written]]) -> Rebuilt:
    """Rebuild the journal of a tournament.

    Args:
        begin: Returns the first entries of a journal. Its argument is the id of the tournament. Called only if no old
            entry is left.
    """
    return rebuilding.rebuild(folder, Source(History, _awaited, begin))


def _awaited(history: History, specs: Sequence[MatchSpec]) -> Iterator[Awaited]:
    if not history.configs:
        return
    places = {slot_of(spec): spec for spec in specs}
    waiting, _ = next_matches(history.tournament, history.results, history.past)
    for wanted in waiting:
        yield [], places.get(slot_of(wanted), wanted)
