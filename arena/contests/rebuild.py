"""Rebuild a damaged journal of a contest from its readable entries, its backups, and the replays.

The steps, in the order of trust:

1. The longest readable chain of the journal and its backups, without what contradicts a replay or needs a lost entry.
2. In it, a result whose entry is unreadable is put back at its old place, if a replay proves it: the rounds that were
   paired from it come later.
3. Then the contest says which matches it waits for, and replays that prove such a match are added, round by round, as
   if the matches ended now. The entries that pair them are made again by the same functions that made them.
4. The old files are kept in a folder of their own, and the new journal takes their place.

A replay proves a match only if it records it and follows the rules of the game. Nothing is guessed: what has no proof
is reported as lost.

An entry that cannot be restored leaves an entry of the kind `LOST`, so that all others keep their numbers.
"""

import contextlib
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from arena.contests import entries
from arena.contests.contest_journal import result_entries
from arena.contests.entries import Written
from arena.contests.journal.chain import LOST, RESULT, DamagedJournalError, Entry, Erased, chained
from arena.contests.journal.database import Database
from arena.contests.journal.files import (
    FolderLock,
    disk_errors,
    private_files,
    replay_path,
    staged_replays,
    unstage_replay,
)
from arena.contests.journal.sources import Sources
from arena.contests.journal.store import BACKUPS, FILE, backups, now
from arena.contests.ladder.board import Board
from arena.contests.ladder.encounters import UNRATED_GAMES, pair, seed_of
from arena.contests.queue.evidence import differences, proved_result, proves, read_evidence, spec_of
from arena.contests.scheduler import begin_entry, entrants_of, round_entry
from arena.contests.stages.stage import place_of
from arena.contests.state import Contest
from arena.contests.values import KINDS, LADDER, REPORTED
from arena.contests.verify import check_rules
from arena.errors import ArenaError, ExitCode
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec

Text = tuple[str, str, str]
"""Kind, key and document of an entry, as it is written; the digest of one that was erased."""
Awaited = tuple[list[Written], MatchSpec | None]
"""A match whose result is missing, and the entries to write before the result; or only the entries."""


@dataclass(slots=True)
class RebuildReport:
    """The result of a rebuild.

    Attributes:
        last: The number of the last entry that could be read.
        proved: The ids of the matches whose results were read from their replays.
        lost: The ids of the matches whose results were in the journal and cannot be restored.
        missing: The other entries that cannot be restored, such as "entry 7 (void ID)", or "entry 7" if nothing else of
            it is known.
    """

    last: int = 0
    results: int = 0
    proved: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    away: Path = Path()


@dataclass(slots=True)
class Proof:
    """What a replay says: its match (None if it names none), the result, and when the match ended."""

    spec: MatchSpec | None
    result: MatchResult
    at: str


Proofs = dict[str, Proof]
"""The proofs by match id, in the order in which the matches ended."""


Begin = Callable[[str], list[Written]]
"""Returns the first entries of a journal. Its argument is the id that the replays name."""


def rebuild(folder: Path, begin: Begin) -> RebuildReport:
    """Rebuild the journal in a folder. Keep the old files.

    Args:
        begin: Called only if no old entry is left.
    """
    if not folder.is_dir():
        raise ArenaError(f"There is no contest in {folder}.", exit_code=ExitCode.USAGE)
    with private_files(), contextlib.closing(FolderLock(folder)):
        for match_id in staged_replays(folder):
            unstage_replay(folder, match_id)
        before = _folders_of_replays(folder)
        try:
            return _Rebuild(folder, begin).run()
        finally:
            for new in _folders_of_replays(folder) - before:  # those of the matches to try bots are empty
                with contextlib.suppress(OSError):
                    new.rmdir()


def _folders_of_replays(folder: Path) -> set[Path]:
    return {*folder.glob("replays/*/")}


class _Rebuild:
    def __init__(self, folder: Path, begin: Begin) -> None:
        self._folder = folder
        self._begin_with = begin
        self._rebuilt = RebuildReport()
        self._proofs = _proofs(folder, self._rebuilt)

    def run(self) -> RebuildReport:
        chain = list(chained(self._written()))
        self._rebuilt.results = sum(entry.kind == RESULT for entry in chain)
        _replace(self._folder, chain, self._rebuilt)
        return self._rebuilt

    def _written(self) -> list[Text]:
        rebuilt, sources = self._rebuilt, Sources.of(self._folder)
        copied, chain = len(sources.longest_backup()), sources.entries()
        rebuilt.last = chain[-1].number if chain else 0
        names = {entry.number: entry.name for entry in chain}
        texts: dict[int, Text] = {}
        lost: dict[int, str] = {}
        for entry in chain:
            is_erased = entry.text is None and sources.journal.is_whole(entry)
            text = _erased(entry) if is_erased else self._text_or_proof(entry, in_backup=entry.number <= copied)
            if text is not None:
                texts[entry.number] = text
            elif entry.kind == RESULT:
                lost[entry.number] = entry.key
        first = [texts.get(number) for number in range(1, rebuilt.last + 1)] if chain else self._begin()
        written = self._fitting(first)
        more = self._restored(written)
        if not chain and not rebuilt.proved:
            raise ArenaError(
                f"The replays in {self._folder} are not of matches that this file and its bots play.",
                hint="Use the first file and its bots, or restore a backup.",
                exit_code=ExitCode.DAMAGED_JOURNAL,
            )
        self._refuse_others(written, more)
        fitted = _filled(written, more)
        holes = [number for number, text in enumerate(fitted, 1) if text is None]
        rebuilt.lost = [lost[number] for number in holes if number in lost and lost[number] not in rebuilt.proved]
        rebuilt.missing = [names.get(number, f"entry {number}") for number in holes if number not in lost]
        if not chain or rebuilt.proved or holes:
            note = entries.Rebuilt(proved=rebuilt.proved, lost=rebuilt.lost, missing=rebuilt.missing, at=now())
            fitted.append(_text_of(("", note)))
        return [text or (LOST, names.get(number, ""), "{}") for number, text in enumerate(fitted, 1)]

    def _text_or_proof(self, entry: Entry, *, in_backup: bool) -> Text | None:
        """Return an entry as it was written, or a result as its replay proves it; None if it is lost."""
        if entry.kind != RESULT:
            return None if entry.text is None else (entry.kind, entry.key, entry.text)
        # Ignore a result that no backup has, and that its replay contradicts.
        if entry.text is not None and (in_backup or not self._contradicts(entry)):
            return entry.kind, entry.key, entry.text
        proof = self._proofs.get(entry.key)
        if proof is None or proof.spec is None or not self._follows(proof.spec):
            return None
        self._rebuilt.proved.append(entry.key)
        return _entries_of(proof.spec, proof)[-1]

    def _begin(self) -> list[Text | None]:
        ids = sorted({proof.spec.tournament for proof in self._proofs.values() if proof.spec is not None})
        if len(ids) != 1:
            raise ArenaError(
                f"The files in {self._folder} do not show which contest was played.",
                exit_code=ExitCode.DAMAGED_JOURNAL,
            )
        return list(map(_text_of, self._begin_with(ids[0])))

    def _fitting(self, written: list[Text | None]) -> list[Text | None]:
        """Leave out what cannot be read, and what needs a lost entry, such as the report on a lost version."""
        written = list(written)
        while True:
            history = Contest(self._folder / FILE)
            for index, entry in enumerate(chained(_filler(written))):
                try:
                    history.add(entry)
                except DamagedJournalError:
                    written[index] = None
                    break
            else:
                return written

    def _contradicts(self, entry: Entry) -> bool:
        proof = self._proofs.get(entry.key)
        try:
            result = entries.read(entry.kind, entry.text or "").outcome
        except Exception:  # the document can be anything
            return True
        return proof is not None and not proves(proof.result, result)

    def _restored(self, written: list[Text | None]) -> list[Text]:
        """Return the entries of the matches that the history waits for and whose replays prove a result."""
        history = Contest(self._folder / FILE)
        for entry in chained(_filler(written)):
            history.add(entry)
        specs = [proof.spec for proof in self._proofs.values() if proof.spec is not None]
        restored: list[Text] = []
        while True:
            new: list[Text] = []
            for before, spec in _awaited(history, specs):
                if spec is None:
                    new += map(_text_of, before)
                elif spec.match_id in self._proofs and self._follows(spec):
                    new += map(_text_of, before)
                    new += _entries_of(spec, self._proofs[spec.match_id])
            if not new:
                return restored
            for entry in chained(new, history.number, history.hash):
                history.add(entry)
            restored += new
            self._rebuilt.proved += [key for kind, key, _ in new if kind == RESULT]

    def _refuse_others(self, *written: Iterable[Text | None]) -> None:
        results = {text[1] for texts in written for text in texts if text and text[0] == RESULT}
        for match_id, proof in self._proofs.items():
            if match_id not in results:
                self._rebuilt.refused.append(
                    f"The replay {self._folder / proof.result.replay} is not of a match that the schedule waits for."
                )

    def _follows(self, spec: MatchSpec) -> bool:
        """Return whether a match's replay is valid: it records this match and follows the game's rules.

        A replay that is not valid is refused, and removed from the proofs.
        """
        result = self._proofs[spec.match_id].result
        path = self._folder / result.replay
        try:
            wrong = differences(read_evidence(path), spec, result, {})
            if wrong:
                raise ArenaError(f"is of another match: {'; '.join(wrong)}")
            check_rules(path)
        except ArenaError as error:
            self._rebuilt.refused.append(f"The replay {path} {error.message}.")
            del self._proofs[spec.match_id]
            return False
        return True


def _erased(entry: Entry) -> Text:
    return entry.kind, entry.key, Erased(entry.digest)


def _filler(written: list[Text | None]) -> Iterator[Text]:
    return (text or (LOST, "", "{}") for text in written)


def _text_of(written: Written) -> Text:
    key, document = written
    return document.kind, key, entries.text_of(document)


def _filled(written: list[Text | None], more: list[Text]) -> list[Text | None]:
    """Put restored entries into the holes at the end, in order, since they were there. Append those that are left."""
    holes = [index for index, text in enumerate(written) if text is None]
    fitted = list(written)
    for index, text in zip(holes, more, strict=False):
        fitted[index] = text
    return [*fitted, *more[len(holes) :]]


def _awaited(state: Contest, specs: Sequence[MatchSpec]) -> Iterator[Awaited]:
    """Yield the matches that a contest waits for now, of those that replays name.

    A stage says which matches it waits for. The ladder does not: there a replay names its encounter, its players and
    its seed, and the seed can be computed only with the secret of the contest. So the replay proves the encounter too.
    """
    if state.start is None or state.config is None:
        return
    missing = {_slot(spec): spec for spec in specs if spec.match_id not in state.played}
    rounds = {(spec.stage, spec.round) for spec in missing.values()}
    for run in state.stages.values():
        slots = [_slot(spec) for spec in run.waiting()]
        awaited = [missing[slot] for slot in slots if slot in missing]
        yield from (([], spec) for spec in awaited)
        encounters = () if awaited else run.next_round(state.absent(run))
        if encounters and (run.config.name, encounters[0].round) in rounds:
            yield [round_entry(state, run, encounters)], None
            return
    config = state.next_stage()
    if config is not None and config.name in {stage for stage, _ in rounds}:
        yield [begin_entry(state, config, entrants_of(state, config, Board(state)))], None
        return
    yield from _of_ladder(state, specs)


def _slot(spec: MatchSpec) -> tuple[object, ...]:
    """Return what a replay and the schedule have in common. The secret of the seeds can be lost, and names change."""
    return (
        spec.tournament,
        spec.stage,
        *place_of(spec),
        tuple([(seat.id or seat.name, seat.hash) for seat in spec.seats]),
    )


def _of_ladder(state: Contest, specs: Sequence[MatchSpec]) -> Iterator[Awaited]:
    paired = {*state.encounters}
    for spec in specs:
        if spec.stage not in KINDS or spec.match_id in state.played or spec.tournament != state.id or spec.pairing:
            continue
        if spec.seed != seed_of(state.secret, spec.stage, spec.round, spec.number, len(spec.seats)):
            continue
        players = [(state.ids.get(seat.id, ""), seat.hash) for seat in spec.seats]
        encounter = state.encounters.get(spec.round)
        if encounter and (spec.stage != encounter.kind or sorted(encounter.players) != sorted(players)):
            continue
        if not all(player in state.by_player for player in players):
            continue
        before: list[Written] = []
        if spec.round not in paired:
            paired.add(spec.round)
            turn, size = spec.number % len(players), len(players)
            seated = [players[(seat - turn) % size] for seat in range(size)]  # the seats rotate from match to match
            games = {LADDER: size, "challenge": UNRATED_GAMES, "comparison": UNRATED_GAMES}.get(spec.stage, 1)
            team = seated[0][0] if spec.stage in ("challenge", *REPORTED) else ""
            after = spec.round - state.next_encounter()
            before.append(pair(state, spec.stage, seated, games, team, after=after))
        yield before, spec


def _proofs(folder: Path, rebuilt: RebuildReport) -> Proofs:
    """Return the match and the result in each usable replay. Refuse the other replays."""
    proofs: Proofs = {}
    paths = [(path.stat().st_mtime_ns, path) for path in folder.glob("replays/*/*.arena")]
    for ended, path in sorted(paths):
        try:
            evidence = read_evidence(path)
            spec = spec_of(evidence) if "tournament" in evidence.header else None
            if path != replay_path(folder, spec.match_id if spec else path.stem):
                raise ArenaError("is not at the path of its match")
            at = datetime.fromtimestamp(ended / 1e9, UTC).isoformat(timespec="milliseconds")
            proofs[path.stem] = Proof(spec, proved_result(evidence, path.relative_to(folder)), at)
        except ArenaError as error:
            rebuilt.refused.append(f"The replay {path} {error.message}.")
    return proofs


def _entries_of(spec: MatchSpec, proof: Proof) -> list[Text]:
    return [*map(_text_of, result_entries(spec, proof.result.without_void(), proof.at))]


def _replace(folder: Path, chain: list[Entry], rebuilt: RebuildReport) -> None:
    """Replace the backups and the journal, in this order. Keep the old files in a new folder.

    In this order, a rebuild that is killed can be started again: all results are still in one of these files or in the
    replays. Replays that prove no result are moved: the journal would seem to lack their results.
    """
    fresh = folder / f".{FILE}.new"
    with disk_errors(folder):
        fresh.unlink(missing_ok=True)
        with contextlib.closing(Database.open(fresh)) as database:
            database.create(chain)
        number = 1
        while (folder / f"damaged-{number}").exists():
            number += 1
        rebuilt.away = folder / f"damaged-{number}"
        rebuilt.away.mkdir()
        results = {entry.key for entry in chain if entry.kind == RESULT}
        unknown = [path for path in folder.glob("replays/*/*.arena") if path.stem not in results]
        old = [*folder.glob("journal.*"), *folder.glob(f"{BACKUPS}/*"), *unknown]
        for path in old:
            target = rebuilt.away / path.relative_to(folder)
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _link(path, target)
        newest, journal = backups(folder)[0], folder / FILE
        newest.parent.mkdir(mode=0o700, exist_ok=True)
        shutil.copyfile(fresh, newest.with_suffix(".new"))
        newest.with_suffix(".new").replace(newest)
        for path in old:
            if path not in (newest, journal):  # SQLite would apply an old write-ahead log to the new journal
                path.unlink(missing_ok=True)
        fresh.replace(journal)


def _link(path: Path, target: Path) -> None:
    """Make a hard link, even to a file that cannot be read. Copy the file if the file system has no links."""
    try:
        target.hardlink_to(path)
    except OSError:
        shutil.copyfile(path, target)
