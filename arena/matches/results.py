"""Record results of matches in a journal, and read them."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self, TypeVar

import msgspec

from arena.journal.chain import RESULT, DamagedJournalError, Entry
from arena.journal.files import keep_replay, replay_path, stage_replay, staged_replays
from arena.journal.fold import Fold
from arena.journal.store import EntryJournal, Written, now
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec

FoldT = TypeVar("FoldT", bound=Fold)


@dataclass(frozen=True, slots=True)
class Recorded:
    """A match with its result, without most of the bots' output, in the form in which results are stored."""

    spec: MatchSpec
    outcome: MatchResult
    at: str = ""

    @classmethod
    def of(cls, spec: MatchSpec, result: MatchResult, at: str) -> Self:
        return cls(spec, result.brief(), at)

    def to_document(self) -> dict[str, Any]:
        return {"spec": self.spec.to_document(), "outcome": self.outcome.to_document(), "at": self.at}


# Long tournaments have tens of thousands of results. msgspec reads them five times faster than `from_document`.
_recorded = msgspec.json.Decoder(Recorded)


def parse_result(text: str) -> Recorded:
    found: Recorded = _recorded.decode(text)
    return found


def read_result(entry: Entry) -> Recorded:
    found: Recorded = entry.value or parse_result(entry.text or "")
    return found


def void_entry(spec: MatchSpec, result: MatchResult, **more: Any) -> Written:
    """Return the entry of a match that was void and is played again.

    It names the players, and those whose program failed or whose time ran out, for which the match may be void.
    """
    causes = [name for name, player in zip(spec.names, result.players, strict=True) if player.detail]
    return "void", spec.match_id, {"reason": result.void, "names": spec.names, "causes": causes, "at": now(), **more}


@dataclass(slots=True)
class MatchFold(Fold):
    """The content of a journal of matches."""

    @property
    def discarded(self) -> Collection[str]:
        """The ids of the matches whose results do not count any more."""
        return ()

    def copies(self) -> Iterator[tuple[str, str]]:
        """Yield content hash and name of each version of a bot that is stored in the folder."""
        raise NotImplementedError


class MatchJournal(EntryJournal[FoldT]):
    """A journal of matches.

    A result is recorded in four steps: its replay is staged, its entry is written, the replay is moved to its final
    path, and the result is reported. So each replay at its final path has a result. After a kill, the next start does
    the third step, or `sweep` removes a replay without a result.
    """

    def __init__(self, folder: Path, history: FoldT, *, read_only: bool = False) -> None:
        super().__init__(folder, history, read_only=read_only)
        for match_id in () if read_only else staged_replays(folder):
            if self.result(match_id) is not None:
                keep_replay(folder, match_id)

    def match(self, match_id: str) -> tuple[MatchSpec, MatchResult] | None:
        """Return the only match whose id begins with this text, and its result; None if there is not exactly one."""
        entry = self.result(match_id)
        if entry is None:
            return None
        try:
            found = read_result(entry)
        except Exception as error:  # the document can be anything
            text = f"The journal {self.path} cannot be read at {entry.name}: {error!r}."
            raise DamagedJournalError(text, self.history.program) from error
        return found.spec, found.outcome

    def commit(self, spec: MatchSpec, result: MatchResult) -> bool:
        """Record a result with its replay. Only the first result of a match counts.

        If a second result has another outcome, record a conflict.

        Returns:
            Whether this was the first result.
        """
        known = self.match(spec.match_id)
        if known is not None:
            self._second_result(spec, known[1], result)
            return False
        if result.replay:
            digest = stage_replay(self.folder, spec.match_id, Path(result.replay))
            place = replay_path(self.folder, spec.match_id).relative_to(self.folder)
            result = replace(result, replay=str(place), replay_hash=digest)
        recorded = Recorded.of(spec, result, now())
        self.write([(RESULT, spec.match_id, recorded.to_document())], [recorded])
        if result.replay:
            keep_replay(self.folder, spec.match_id)
        return True

    def _second_result(self, spec: MatchSpec, first: MatchResult, second: MatchResult) -> None:
        if second.replay:
            Path(second.replay).unlink(missing_ok=True)
        if not first.agrees_with(second):
            self.append(("conflict", spec.match_id, {"outcome": second.brief().to_document(), "at": now()}))
