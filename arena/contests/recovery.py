"""Check a season, and rebuild its damaged journal, with the code that does so for tournaments.

A season has no schedule that names the missing matches. A replay names its encounter, its players and its seed, and the
seed can be computed only with the secret of the season. So the replay proves the encounter too.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from arena.errors import ArenaError, ExitCode
from arena.journal.store import Written, now
from arena.match.spec import MatchSpec
from arena.matches import rebuild as rebuilding
from arena.matches import verify as checking
from arena.matches.rebuild import Awaited, Rebuilt, Source
from arena.matches.verify import Findings
from arena.contests.matches import seed_of
from arena.contests.state import SeasonState
from arena.contests.values import REPORTED, Player


def verify(
    folder: Path, *, rules: bool = False, head: str = "", report: Callable[[str], None] = lambda _problem: None
) -> Findings:
    """Check a season; see `arena.matches.verify.verify`."""
    return checking.verify(folder, SeasonState, rules=rules, head=head, report=report)


def rebuild(folder: Path) -> Rebuilt:
    """Rebuild the journal of a season."""
    return rebuilding.rebuild(folder, Source(SeasonState, _awaited, _no_beginning))


def _no_beginning(_season: str) -> list[Written]:
    raise ArenaError(
        "Neither the journal nor its backups can be read. Replays alone do not show teams, people and versions.",
        hint="Restore an archive of `arena season backup` with `arena season restore`. The files were not changed.",
        exit_code=ExitCode.DAMAGED_JOURNAL,
    )


def _awaited(state: SeasonState, specs: Sequence[MatchSpec]) -> Iterator[Awaited]:
    if not state.facts or not state.config:
        raise ArenaError(
            "The first entries of the journal are neither in it nor in its backups: the secret of the season, or its "
            "configuration.",
            hint="Restore an archive of `arena season backup` with `arena season restore`. The files were not changed.",
            exit_code=ExitCode.DAMAGED_JOURNAL,
        )
    paired = set(state.encounters)
    for spec in specs:
        size = len(spec.seats)
        if spec.match_id in state.played or spec.tournament != state.id or spec.pairing:
            continue
        if spec.seed != seed_of(state.secret, spec.stage, spec.round, spec.number, size):
            continue
        known = state.encounters.get(spec.round)
        if known and (spec.stage != known.kind or sorted(known.players) != sorted(_players(spec))):
            continue
        before: list[Written] = []
        if spec.round not in paired:
            paired.add(spec.round)
            before.append(("pair", str(spec.round), _pairing(spec)))
        yield before, spec


def _pairing(spec: MatchSpec) -> dict[str, object]:
    """Return the document of an encounter, from one of its matches: the seats rotate from match to match."""
    size, turn = len(spec.seats), spec.number % len(spec.seats)
    seated = _players(spec)
    players = [seated[(seat - turn) % size] for seat in range(size)]
    games = {"ladder": size, "challenge": 2, "comparison": 2}.get(spec.stage, 1)
    team = players[0][0] if spec.stage in ("challenge", *REPORTED) else ""
    return {"kind": spec.stage, "players": players, "games": games, "team": team, "act": 0, "at": now()}


def _players(spec: MatchSpec) -> list[Player]:
    """Return the players of a match. If a player has several seats, their names are "NAME", "NAME (2)" and so on."""
    names = {(seat.hash, seat.name) for seat in spec.seats}
    found = []
    for seat in spec.seats:
        name = seat.name.rpartition(" (")[0]
        found.append((name if (seat.hash, name) in names else seat.name, seat.hash))
    return found
