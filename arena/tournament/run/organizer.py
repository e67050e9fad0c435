"""Opens a tournament's folder: lock, journal, secret, schedule."""

import contextlib
import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.errors import ArenaError, ExitCode
from arena.tournament.plan.config import BotEntry, Entrant, StageConfig, Tournament, TournamentConfig
from arena.tournament.plan.schedule import Schedule, next_matches
from arena.tournament.plan.values import new_secret
from arena.tournament.run.bots import Found
from arena.tournament.run.journal.files import FolderLock, disk_errors, make_private, private_files, sweep
from arena.tournament.run.journal.store import Journal

EXCLUDED = "excluded.json"


@dataclass(slots=True)
class Organizer:
    """What an organizing process holds.

    Attributes:
        tournament: What is played.
        journal: Where results go.
        schedule: What is to be played.
        swept: Unfinished replays of an earlier run that were removed.
    """

    tournament: Tournament
    journal: Journal
    schedule: Schedule
    swept: int


@contextlib.contextmanager
def organize(
    folder: Path, config: TournamentConfig, entrants: Sequence[Entrant], *, amend: bool = False
) -> Iterator[Organizer]:
    """Open a tournament for the one process that runs it.

    Raises:
        ArenaError: Another process runs it, the configuration has changed, or the disk or the journal is broken.
    """
    check_entrants(config, entrants, left_out=True)
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        make_private(folder)
    with private_files(), contextlib.closing(FolderLock(folder)), contextlib.closing(Journal(folder)) as journal:
        tournament = Tournament(
            config,
            tuple(entrants),
            id=journal.meta("id") or config.id or secrets.token_hex(8),
            secret=journal.meta("secret") or new_secret(config.seed or secrets.token_hex(32)),
        )
        journal.begin(tournament, amend=amend)
        swept = sweep(folder)
        yield Organizer(tournament, journal, Schedule(tournament), swept)


def check_found(config: TournamentConfig, found: Found) -> None:
    """Check what can be checked as soon as the bots have been read, before any of them is tried.

    Raises:
        ArenaError: With one message for each defect.
    """
    entrants = [Entrant(name, bot.content_hash, str(bot.folder / bot.entry)) for name, bot in found.bots]
    check_entrants(config, entrants, left_out=bool(found.broken))


def check_entrants(config: TournamentConfig, entrants: Sequence[Entrant], *, left_out: bool = False) -> None:
    """Check what can be checked only when the bots are known.

    Args:
        config: The configuration.
        entrants: Who takes part.
        left_out: Bots that the configuration names may be missing, since they do not work.

    Raises:
        ArenaError: With one message for each defect.
    """
    names = [entrant.name for entrant in entrants]
    defects = [
        f"Two bots are called {name!r}: {' and '.join(one.path for one in entrants if one.name == name)}."
        for name in sorted({n for n in names if names.count(n) > 1})
    ]
    hint = 'Give each its own name: in its bot.toml, or with name = "..." under [[bots]].' if defects else ""
    if len(names) < 2:
        defects.append(f"A tournament needs two bots at least, and there {'is one' if names else 'are none'}.")
    for stage in config.stages:
        for what in ("late", "withdrawn"):
            for name, _ in getattr(stage, what):
                if name not in names and not left_out:
                    defects.append(f"Stage {stage.name!r}: {what} names {name!r}, which is no bot of the tournament.")
        for name in stage.champions:
            if name not in names:
                defects.append(f"Stage {stage.name!r}: champions names {name!r}, which is no bot of the tournament.")
    if defects:
        raise ArenaError("\n".join(defects), hint=hint, exit_code=ExitCode.BAD_LEAGUE)


def tournament_from_journal(journal: Journal) -> Tournament:
    """Return the tournament as it was last started, from the journal alone."""
    _, document = journal.configuration()
    entrants = tuple(Entrant(**entrant) for entrant in document["entrants"])
    return Tournament(_config(document["config"]), entrants, journal.meta("id") or "", journal.meta("secret") or "")


def _config(document: Mapping[str, Any]) -> TournamentConfig:
    fields = dict(document)
    fields["bots"] = tuple(BotEntry(**entry) for entry in document["bots"])
    fields["stages"] = tuple(StageConfig(**_tuples(stage)) for stage in document["stages"])
    return TournamentConfig(**_tuples(fields))


def _tuples(document: Mapping[str, Any]) -> dict[str, Any]:
    """JSON has lists only: makes the tuples again, and the pairs in them."""
    result: dict[str, Any] = {}
    for key, value in document.items():
        if isinstance(value, list):
            value = tuple(tuple(item) if isinstance(item, list) else item for item in value)
        result[key] = value
    return result


def excluded(folder: Path) -> dict[str, str]:
    """Return bots that were left out before the start: content hash or reference, to the reason."""
    path = folder / EXCLUDED
    if not path.exists():
        return {}
    with disk_errors(path):
        found: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return found


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A tournament as its journal shows it, for everybody who only reads.

    Attributes:
        tournament: What is played.
        schedule: The schedule, with all results of the journal taken in.
        voids: How often each match was void, by match id.
        conflicts: Ids of matches that came out differently when they were played twice.
        excluded: Reasons for bots that were left out before the start.
    """

    tournament: Tournament
    schedule: Schedule
    voids: Mapping[str, int]
    conflicts: tuple[str, ...]
    excluded: tuple[str, ...] = ()


def read_snapshot(folder: Path) -> Snapshot:
    """Read a tournament without touching it, while another process may be running it."""
    with contextlib.closing(Journal(folder, read_only=True)) as journal:
        tournament = tournament_from_journal(journal)
        _, schedule = next_matches(tournament, journal.results())
        conflicts = tuple(sorted({conflict.match_id for conflict in journal.conflicts()}))
        return Snapshot(tournament, schedule, journal.voids(), conflicts, tuple(excluded(folder).values()))


def write_atomically(path: Path, text: str) -> None:
    """Write a file so that a reader sees the old one or the new one, never half of it."""
    temporary = path.with_name(f".{path.name}.new")
    with disk_errors(path):
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)


def write_json(path: Path, document: Any) -> None:
    """Write a JSON document with `write_atomically`."""
    write_atomically(path, json.dumps(document, indent=2, ensure_ascii=False) + "\n")
