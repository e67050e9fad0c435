"""Write the running matches into a file for the live page. No result depends on this file."""

import contextlib
import json
import threading
import time
from pathlib import Path

from msgspec import convert, to_builtins

from arena.contests import entries
from arena.contests.journal import stored_spec
from arena.contests.state import Contest
from arena.errors import ArenaError
from arena.journal.files import is_locked, temporary_replay_path
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec
from arena.matches.folders import write_json

STATUS = "status.json"
_EVERY = 0.25


class StatusFile:
    """An observer that updates the file, at most four times per second. It always writes the last change."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._running: dict[str, tuple[MatchSpec, float]] = {}
        self._written = 0.0
        self._later: threading.Timer | None = None

    def resumed(self, state: Contest) -> None:  # noqa: ARG002
        with self._lock:
            self._change()

    def started(self, spec: MatchSpec) -> None:
        with self._lock:
            self._running[spec.match_id] = spec, time.time()
            self._change()

    def finished(self, spec: MatchSpec, result: MatchResult, state: Contest) -> None:  # noqa: ARG002
        self._over(spec)

    def replayed(self, spec: MatchSpec, reason: str) -> None:  # noqa: ARG002
        self._over(spec)

    def dropped(self, spec: MatchSpec, reason: str) -> None:  # noqa: ARG002
        self._over(spec)

    def stopping(self, at_once: bool) -> None:
        """See `Observer`."""

    def close(self) -> None:
        with self._lock:
            self._running.clear()
            if self._later is not None:
                self._later.cancel()
            self._write()

    def _over(self, spec: MatchSpec) -> None:
        with self._lock:
            self._running.pop(spec.match_id, None)
            self._change()

    def _change(self) -> None:
        if self._later is not None:
            return
        wait = self._written + _EVERY - time.monotonic()
        if wait <= 0:
            self._write()
            return
        # Write a little later, even if no event follows. Otherwise the page shows this change at the next event only.
        self._later = threading.Timer(wait, self._catch_up)
        self._later.daemon = True
        self._later.start()

    def _catch_up(self) -> None:
        with self._lock:
            if self._later is not None and not self._later.finished.is_set():
                self._later = None
                self._write()

    def _write(self) -> None:
        self._written = time.monotonic()
        running = [
            {
                "match_id": spec.match_id,
                "stage": spec.stage,
                "round": spec.round,
                "pairing": spec.pairing,
                "number": spec.number,
                "names": list(spec.names),
                "replay": str(temporary_replay_path(self._folder, spec.match_id).relative_to(self._folder)),
                "spec": to_builtins(stored_spec(spec)),
                "begun": begun,
            }
            for spec, begun in self._running.values()
        ]
        # Ignore a full disk here: it is reported when a result is written.
        with contextlib.suppress(OSError, ArenaError):
            write_json(self._folder / STATUS, {"running": running, "at": time.time()})


def running_matches(folder: Path, state: Contest) -> dict[str, tuple[MatchSpec, float]]:
    """Return the matches that another process is playing, by match id, and when each has begun."""
    try:
        status = json.loads((folder / STATUS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not is_locked(folder):
        return {}
    known = [one for one in status["running"] if all(seat[0] in state.ids for seat in one["spec"]["seats"])]
    return {one["match_id"]: (state.spec_of(convert(one["spec"], entries.Spec)), one["begun"]) for one in known}
