"""The journal of a contest: `journal` with the entries of `arena.contests.entries`, and results with their replays.

The functions at the end make entries of what a match or a configuration is: here names become ids, and what a bot wrote
is left out, except a part of its last words, which is a text of its own.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from arena.contests import entries
from arena.contests.config import ContestConfig
from arena.contests.entries import Written
from arena.contests.journal.chain import TEXT, DamagedJournalError
from arena.contests.journal.files import (
    replay_path,
    stage_replay,
    staged_digest,
    staged_replays,
    unstage_replay,
)
from arena.contests.journal.store import FILE, EntryJournal, now
from arena.contests.state import Contest
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec, new_secret


class ContestJournal(EntryJournal[Contest]):
    """The journal in the folder of a contest, and what it says.

    A result is recorded in four steps: its replay is staged, its entry is written, the replay is moved to its final
    path, and the result is reported. So each replay at its final path has a result. After a kill, the next start does
    the third step, or `sweep` removes a replay without a result.

    Args:
        read_only: Whether to open the journal for reading only. Only the process that runs the contest writes.
    """

    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        super().__init__(folder, Contest(folder / FILE), read_only=read_only)
        for match_id in () if read_only else staged_replays(folder):
            played = self.history.played.get(match_id)
            if played is not None and played.result and played.result.replay_hash == staged_digest(folder, match_id):
                unstage_replay(folder, match_id)

    def append(self, *written: Written, erased: Sequence[int] = ()) -> None:
        """Write entries in one transaction.

        If they change earlier names or texts, the history becomes another one: the whole journal is read again.

        Args:
            erased: The numbers of the entries that lose their documents in the same transaction.
        """
        texts = [(document.kind, key, entries.text_of(document)) for key, document in written]
        self.write(texts, [document for _, document in written], erased)
        if self.history.is_outdated:
            self.read()

    def read(self, history: Contest | None = None) -> Contest:
        """Read and check all entries that a history does not contain yet, and return the history.

        If they change earlier names or texts, it is another one.
        """
        before = self.history if history is None else history
        read = super().read(before)
        if read.is_outdated:
            read = super().read(read.again())
        if lost := sorted(read.emptied - read.erased.keys()):
            raise DamagedJournalError(f"The journal {self.path} was changed: the text of entry {lost[0]} is gone.")
        if before is self.history:
            self.history = read
        return read

    def texts(self) -> Iterator[tuple[int, str, Any]]:
        """Yield number, key and value of each text that was not erased."""
        for entry in self.entries():
            if entry.kind == TEXT and entry.text is not None:
                yield entry.number, entry.key, entries.read(TEXT, entry.text).value

    def commit(self, spec: MatchSpec, result: MatchResult) -> bool:
        """Record a result with its replay. Only the first result of a match counts.

        If a second result has another outcome, record a conflict.

        Returns:
            Whether this was the first result.
        """
        played = self.history.played.get(spec.match_id)
        if played is not None and played.result is not None:
            if result.replay:
                Path(result.replay).unlink(missing_ok=True)
            if not played.result.agrees_with(result):
                self.append((spec.match_id, entries.Conflict(outcome=stored_result(result), at=now())))
            return False
        if result.replay:
            digest = stage_replay(self.folder, spec.match_id, Path(result.replay))
            path = replay_path(self.folder, spec.match_id).relative_to(self.folder)
            result = replace(result, replay=str(path), replay_hash=digest)
        self.append(*result_entries(spec, result, now()))
        if result.replay:
            unstage_replay(self.folder, spec.match_id)
        return True


def result_entries(spec: MatchSpec, result: MatchResult, at: str) -> list[Written]:
    """Return the entries of a result: what bots wrote is a text, which can be erased."""
    said = [(player.detail, player.stderr) for player in result.brief().players]
    written = [entries.text(spec.match_id, "said", said)] if any(map(any, said)) else []
    return [*written, (spec.match_id, entries.Result(spec=stored_spec(spec), outcome=stored_result(result), at=at))]


def stored_spec(spec: MatchSpec) -> entries.Spec:
    """Return a match as the journal stores it: with the ids of the entrants instead of their names."""
    return entries.Spec(
        stage=spec.stage,
        round=spec.round,
        pairing=spec.pairing,
        number=spec.number,
        map=spec.map,
        options=list(spec.options),
        seats=[(seat.id, seat.hash) for seat in spec.seats],
        seed=spec.seed,
    )


def stored_result(result: MatchResult) -> MatchResult:
    """Return a result as the journal stores it: without names, and without what the bots wrote."""
    brief = result.brief()
    nameless = [replace(player, name="", bot="", detail="", stderr="") for player in brief.players]
    return replace(brief, players=tuple(nameless))


def void_entry(state: Contest, spec: MatchSpec, result: MatchResult, killed: str) -> Written:
    """Return the entry of a match that was void and is played again.

    It names the players, and those whose program failed or whose time ran out, for which the match may be void.
    """
    entrants = [seat.id for seat in spec.seats]
    return spec.match_id, entries.Void(
        reason=result.void,
        stage=spec.stage,
        round=spec.round,
        pairing=spec.pairing,
        entrants=entrants,
        causes=[entrant for entrant, player in zip(entrants, result.players, strict=True) if player.detail],
        at=now(),
        killed=state.id_of(killed) if killed else "",
    )


def first_entry(config: ContestConfig, contest_id: str = "") -> entries.Start:
    """Return the first entry of a journal. Without `contest_id`, use the configured id, or a random one."""
    return entries.Start(
        id=contest_id or config.id or secrets.token_hex(8),
        game=config.game,
        secret=new_secret(config.seed or secrets.token_hex(32)),
    )
