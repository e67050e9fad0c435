"""Open a tournament's folder: lock, journal, secret, schedule."""

import contextlib
import errno
import os
import secrets
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena.errors import ArenaError, ExitCode
from arena.journal.files import FolderLock, disk_errors, make_private, private_files, sweep
from arena.journal.store import Written, has_traces
from arena.match.entrant import Entrant
from arena.match.spec import new_secret
from arena.contests.config import Tournament, TournamentConfig
from arena.contests.stages.stage import Schedule, next_matches
from arena.tournament.run.amend import amended, changed
from arena.tournament.run.bots import Found
from arena.tournament.run.journal import Journal


@dataclass(slots=True)
class Organizer:
    """An open tournament, in the process that runs it.

    Attributes:
        swept: Number of unfinished replays of an earlier run that were removed.
    """

    tournament: Tournament
    journal: Journal
    schedule: Schedule
    swept: int


@contextlib.contextmanager
def organize(
    folder: Path,
    config: TournamentConfig,
    entrants: Sequence[Entrant],
    *,
    excluded: Mapping[str, str] | None = None,
    amend: bool = False,
    bots: bool = False,
    discard: int = 0,
) -> Iterator[Organizer]:
    """Open a tournament for the one process that runs it.

    Args:
        excluded: Maps the content hash or reference of each excluded bot to the reason; None for no change.
        amend: Whether to accept a changed configuration and changed bots for rounds that are not paired yet.
    """
    check_entrants(config, entrants, missing=None)
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        make_private(folder)
    with private_files(), contextlib.closing(FolderLock(folder)), contextlib.closing(Journal(folder)) as journal:
        history = journal.history
        if not history.configs:
            journal.append(*first_entries(config, entrants, excluded or {}))
            journal.back_up(final=True)
        elif now := changed(history, config, entrants, amend=amend, bots=bots):
            _pair(journal)
            journal.append(*amended(history, now, excluded, discard))
            journal.back_up(final=True)  # a rebuild cannot find a change of the configuration in the replays
        swept = sweep(folder)
        yield Organizer(history.tournament, journal, Schedule(history.tournament, history.past), swept)
        journal.back_up(final=True)


def check_run(folder: Path, config: TournamentConfig, entrants: Sequence[Entrant]) -> None:
    """Check, without changing anything, that a tournament can be started or continued without `amend`.

    Do not check the entrants, nor whether another process runs the tournament.
    """
    present = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    with disk_errors(folder):
        if not os.access(present, os.W_OK):
            read_only = os.statvfs(present).f_flag & os.ST_RDONLY
            raise OSError(errno.EROFS if read_only else errno.EACCES, "", str(present))
    if has_traces(folder):
        with contextlib.closing(Journal(folder, read_only=True)) as journal:
            if (history := journal.read()).configs:
                changed(history, config, entrants, amend=False, bots=False)


def first_entries(
    config: TournamentConfig, entrants: Sequence[Entrant], excluded: Mapping[str, str], tournament_id: str = ""
) -> list[Written]:
    """Return the first entries of a new journal. Without `tournament_id`, use the configured id, or a random one."""
    facts: dict[str, Any] = {
        "game": config.game,
        "id": tournament_id or config.id or secrets.token_hex(8),
        "secret": new_secret(config.seed or secrets.token_hex(32)),
    }
    tournament = Tournament(config, tuple(entrants), facts["id"], facts["secret"])
    return [("start", "", facts), ("config", "", {**tournament.to_document(), "excluded": dict(excluded)})]


def _pair(journal: Journal) -> None:
    """Record all rounds that can be paired from the results, so that a later configuration does not change them."""
    history = journal.history
    _, schedule = next_matches(history.tournament, history.results, history.past)
    journal.pair(paired for paired in schedule.rounds if (paired.stage, paired.number) not in history.rounds)


def check_found(
    config: TournamentConfig, found: Found, kept: Sequence[Entrant] = (), missing: Collection[str] = ()
) -> None:
    """Run the checks that need only the bots' files, before any bot is started.

    Args:
        missing: The possible names of bots that could not be loaded. The settings `late` and `withdrawn` are allowed to
            contain these names.
    """
    entrants = [Entrant(name, bot.content_hash, str(bot.folder / bot.entry)) for name, bot in found.bots]
    check_entrants(config, [*kept, *entrants], missing=missing)


def check_entrants(
    config: TournamentConfig, entrants: Sequence[Entrant], *, missing: Collection[str] | None = ()
) -> None:
    """Check the names and the number of the entrants, and the names of bots in the stages.

    Args:
        missing: More names that the settings `late` and `withdrawn` are allowed to contain, such as those of broken
            bots; None to allow any name. The setting `champions` can contain only entrants.
    """
    names = [entrant.name for entrant in entrants]
    defects = [
        f"Two bots are called {name!r}: {' and '.join(one.path for one in entrants if one.name == name)}."
        for name in sorted({n for n in names if names.count(n) > 1})
    ]
    hint = 'Give each its own name: in its bot.toml, or with name = "..." under [[bots]].' if defects else ""
    if len(names) < (least := max(2, config.players[0])):
        there = "are none" if not names else "is one" if len(names) == 1 else f"are {len(names)}"
        defects.append(f"A tournament needs {'two' if least == 2 else least} bots at least, and there {there}.")
    for stage in config.stages:
        for what in ("late", "withdrawn"):
            for name, _ in getattr(stage, what):
                if name not in names and missing is not None and name not in missing:
                    defects.append(
                        f"Stage {stage.name!r}: {what} names {name!r}, which is not a bot of the tournament."
                    )
        for name in stage.champions:
            if name not in names:
                defects.append(f"Stage {stage.name!r}: champions names {name!r}, which is not a bot of the tournament.")
    if defects:
        raise ArenaError("\n".join(defects), hint=hint, exit_code=ExitCode.BAD_LEAGUE)


@dataclass(frozen=True, slots=True)
class Stored:
    """The bots in a journal.

    Attributes:
        entrants: The entrants, without those that were removed.
        begun: Whether there are results, even if they were discarded.
    """

    entrants: tuple[Entrant, ...] = ()
    versions: tuple[Entrant, ...] = ()
    excluded: Mapping[str, str] = field(default_factory=dict)
    begun: bool = False


def read_stored(folder: Path) -> Stored:
    """Return the bots in the journal of a folder, or an empty `Stored` if there is no tournament."""
    if not has_traces(folder):
        return Stored()
    with contextlib.closing(Journal(folder, read_only=True)) as journal:
        history = journal.read_kinds("start", "config")
        versions = tuple(one for config in history.configs for one in config.entrants)
        present = tuple(one for one in history.tournament.entrants if not one.gone) if history.configs else ()
        return Stored(present, versions, history.excluded, journal.count() > 0)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state of a tournament, read from its journal without writing.

    Attributes:
        voids: How often each match was void and played again, by match id.
        conflicts: Ids of matches that were played twice with different outcomes. Discarded matches are left out.
        excluded: For each bot that was excluded before the start, the reason.
        times: When each result was recorded, by match id.
    """

    tournament: Tournament
    schedule: Schedule
    voids: Mapping[str, int]
    conflicts: tuple[str, ...]
    excluded: tuple[str, ...] = ()
    times: Mapping[str, str] = field(default_factory=dict)


def read_snapshot(folder: Path, until: str = "") -> Snapshot:
    """Read a tournament without changing it. Another process can run the tournament at the same time.

    Args:
        until: Leave out what was recorded from the first result after this time on; empty to read everything.
    """
    with contextlib.closing(Journal(folder, read_only=True)) as journal:
        history = journal.read_until(until) if until else journal.read()
    if not history.configs:
        raise ArenaError(f"The tournament in {folder} has not been started.")
    _, schedule = next_matches(history.tournament, history.results, history.past)
    conflicts = tuple(sorted({conflict.match_id for conflict in history.conflicts} - history.discarded))
    excluded = tuple(history.excluded.values())
    return Snapshot(history.tournament, schedule, history.voids, conflicts, excluded, history.times)
