"""Rebuild a damaged journal from its readable entries, its backups, and the replays."""

import contextlib
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from arena.errors import ArenaError, ExitCode
from arena.journal.chain import RESULT, Entry, chained, text_of
from arena.journal.database import Database
from arena.journal.files import FolderLock, disk_errors, keep_replay, private_files, replay_path, staged_replays
from arena.journal.sources import Sources
from arena.journal.store import BACKUPS, FILE, Written, backups, now
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec
from arena.matches.evidence import differences, proved_result, proves, read_evidence, spec_of
from arena.tournament.plan.schedule import Slot, next_matches, slot_of
from arena.tournament.run.history import History
from arena.tournament.run.verify import check_rules


@dataclass(slots=True)
class Rebuilt:
    """The result of a rebuild.

    Attributes:
        proved: The ids of the matches whose results were read from their replays.
        lost: The ids of the matches whose results were in the journal and cannot be restored.
        missing: The other entries that cannot be restored, such as "entry 7 (void ID)", or "entry 7" if nothing else of
            it is known.
    """

    results: int = 0
    proved: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    away: Path = Path()


def rebuild(folder: Path, begin: Callable[[str], list[Written]]) -> Rebuilt:
    """Rebuild the journal in a folder. Keep the old files.

    Args:
        begin: Returns the first entries of a journal. Its argument is the id of the tournament. Called only if no old
            entry is left.
    """
    if not folder.is_dir():
        raise ArenaError(f"There is no tournament in {folder}.", exit_code=ExitCode.USAGE)
    with private_files(), contextlib.closing(FolderLock(folder)):
        rebuilt = Rebuilt()
        for match_id in staged_replays(folder):
            keep_replay(folder, match_id)
        proofs = _proofs(folder, rebuilt)
        entries = list(chained(_written(folder, proofs, rebuilt, begin)))
        rebuilt.results = len(_history(folder, entries).results)
        _replace(folder, entries, rebuilt)
    return rebuilt


Proofs = dict[str, tuple[MatchSpec | None, MatchResult]]
"""Maps a match id to two values of its replay: the match that the header names (None if it names none), the result."""


def _proofs(folder: Path, rebuilt: Rebuilt) -> Proofs:
    """Return the match and the result in each usable replay, by match id. Refuse the other replays."""
    proofs: Proofs = {}
    for path in sorted(folder.glob("replays/*/*.arena")):
        try:
            evidence = read_evidence(path)
            spec = spec_of(evidence) if "tournament" in evidence.header else None
            if path != replay_path(folder, spec.match_id if spec else path.stem):
                raise ArenaError("is not at the path of its match")
            proofs[path.stem] = (spec, proved_result(evidence, path.relative_to(folder)))
        except ArenaError as error:
            rebuilt.refused.append(f"The replay {path} {error.message}.")
    return proofs


def _written(
    folder: Path, proofs: Proofs, rebuilt: Rebuilt, begin: Callable[[str], list[Written]]
) -> Iterator[tuple[str, str, str]]:
    sources = Sources.of(folder)
    copied, chain = len(sources.copied()), _readable(sources.entries())
    written: list[tuple[str, str, str]] = []
    if not chain:
        ids = sorted({spec.tournament for spec, _ in proofs.values() if spec is not None})
        if len(ids) != 1:
            raise ArenaError(
                f"The files in {folder} do not show which tournament was played.",
                exit_code=ExitCode.DAMAGED_JOURNAL,
            )
        written += [(kind, key, text_of(document)) for kind, key, document in begin(ids[0])]
    missing: list[Entry] = []
    for entry in chain:
        text = entry.text
        if entry.kind == RESULT and entry.number > copied and _contradicts(entry, proofs):
            text = None  # ignore a result that no backup has, and that its replay contradicts
        spec = proofs[entry.key][0] if text is None and entry.kind == RESULT and entry.key in proofs else None
        if text is not None:
            written.append((entry.kind, entry.key, text))
        elif spec is not None and _follows(folder, spec, proofs, rebuilt):
            # Restore the result at its old place in the chain, so that a later "discard" entry also discards it.
            written.append(_entry_of(spec, proofs[entry.key][1]))
            rebuilt.proved.append(entry.key)
        else:
            missing.append(entry)
    history = _history(folder, chained(written))
    more = list(_proved(folder, history, proofs, rebuilt))
    rebuilt.proved += [key for _, key, _ in more]
    known = history.discarded | {spec.match_id for spec in history.specs.values()}
    for match_id, (_, result) in proofs.items():
        if match_id not in known:
            rebuilt.refused.append(
                f"The replay {folder / result.replay} is not of a match that the schedule waits for."
            )
    rebuilt.lost = [one.key for one in missing if one.kind == RESULT and one.key not in rebuilt.proved]
    rebuilt.missing = [one.name for one in missing if one.kind != RESULT]
    gaps = sorted({*range(1, chain[-1].number + 1)} - {entry.number for entry in chain}) if chain else []
    rebuilt.missing += [f"entry {number}" for number in gaps[len(more) :]]  # a restored result fills a gap
    if not chain or rebuilt.proved or rebuilt.lost or rebuilt.missing:
        note = {"proved": rebuilt.proved, "lost": rebuilt.lost, "missing": rebuilt.missing, "at": now()}
        more.append(("rebuild", "", text_of(note)))
    yield from (*written, *more)


def _readable(chain: list[Entry]) -> list[Entry]:
    """Return the entries before the first one whose document no version of Arena has written."""
    history = History(Path())
    for number, entry in enumerate(chain):
        if entry.text is not None:
            try:
                history.take(entry)
            except ArenaError:
                return chain[:number]
    return chain


def _contradicts(entry: Entry, proofs: Proofs) -> bool:
    proof = proofs.get(entry.key)
    history = History(Path())
    with contextlib.suppress(ArenaError):
        history.take(entry)
    result = next(iter(history.results.values()), None)
    return result is None or (proof is not None and not proves(proof[1], result))


def _proved(folder: Path, history: History, proofs: Proofs, rebuilt: Rebuilt) -> Iterator[tuple[str, str, str]]:
    """Yield an entry for each match that the schedule waits for and whose replay proves a result, round by round."""
    if not history.configs:
        return
    specs = [spec for spec, _ in proofs.values() if spec is not None and spec.match_id not in history.discarded]
    places: dict[Slot, MatchSpec] = {slot_of(spec): spec for spec in specs}
    while True:
        waiting, _ = next_matches(history.tournament, history.results, history.past)
        found = []
        for wanted in waiting:
            spec = places.get(slot_of(wanted), wanted)
            if spec.match_id in proofs and _follows(folder, spec, proofs, rebuilt):
                found.append(_entry_of(spec, proofs[spec.match_id][1]))
        if not found:
            return
        for one in chained(found, history.number, history.hash):
            history.add(one)
        yield from found


def _follows(folder: Path, spec: MatchSpec, proofs: Proofs, rebuilt: Rebuilt) -> bool:
    """Return whether a match's replay is valid: it records this match and follows the game's rules.

    A replay that is not valid is refused, and removed from `proofs`.
    """
    result = proofs[spec.match_id][1]
    path = folder / result.replay
    try:
        if wrong := differences(read_evidence(path), spec, result, {}):
            raise ArenaError(f"is of another match: {'; '.join(wrong)}")
        check_rules(path)
    except ArenaError as error:
        rebuilt.refused.append(f"The replay {path} {error.message}.")
        del proofs[spec.match_id]
        return False
    return True


def _entry_of(spec: MatchSpec, result: MatchResult) -> tuple[str, str, str]:
    document = {"spec": spec.to_document(), "outcome": result.without_void().brief().to_document(), "at": now()}
    return RESULT, spec.match_id, text_of(document)


def _history(folder: Path, entries: Iterable[Entry]) -> History:
    history = History(folder / FILE)
    for entry in entries:
        history.add(entry)
    return history


def _replace(folder: Path, entries: list[Entry], rebuilt: Rebuilt) -> None:
    """Replace the backups and the journal, in this order. Keep the old files in a new folder.

    In this order, a rebuild that is killed can be started again: all results are still in one of these files or in the
    replays. Replays that prove no result are moved: the journal would seem to lack their results.
    """
    fresh = folder / f".{FILE}.new"
    with disk_errors(folder):
        fresh.unlink(missing_ok=True)
        with contextlib.closing(Database.open(fresh)) as database:
            database.create(entries)
        number = 1
        while (folder / f"damaged-{number}").exists():
            number += 1
        rebuilt.away = folder / f"damaged-{number}"
        rebuilt.away.mkdir()
        results = {entry.key for entry in entries if entry.kind == RESULT}
        unknown = [path for path in folder.glob("replays/*/*.arena") if path.stem not in results]
        old = [*folder.glob("journal.*"), *folder.glob(f"{BACKUPS}/*"), *unknown]
        for path in old:
            kept = rebuilt.away / path.relative_to(folder)
            kept.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _keep(path, kept)
        newest, journal = backups(folder)[0], folder / FILE
        newest.parent.mkdir(mode=0o700, exist_ok=True)
        shutil.copyfile(fresh, newest.with_suffix(".new"))
        newest.with_suffix(".new").replace(newest)
        for path in old:
            if path not in (newest, journal):  # SQLite would apply an old write-ahead log to the new journal
                path.unlink(missing_ok=True)
        fresh.replace(journal)


def _keep(path: Path, target: Path) -> None:
    """Make a hard link, even to a file that cannot be read. Copy the file if the file system has no links."""
    try:
        target.hardlink_to(path)
    except OSError:
        shutil.copyfile(path, target)
