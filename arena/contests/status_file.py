"""The running matches, in a file, so that the live page of another process can show them.

No result depends on this file, and a full disk only makes it old. Matches are in it as the journal stores them.
"""

import contextlib
import json
import threading
import time
from collections.abc import Callable
from pathlib import Path

from msgspec import convert, to_builtins

from arena.contests import entries
from arena.contests.contest_journal import stored_spec
from arena.contests.journal.files import is_locked, temporary_replay_path, write_json
from arena.contests.state import Contest
from arena.errors import ArenaError
from arena.match.spec import MatchSpec

STATUS = "status.json"
_EVERY = 0.25
"""The seconds between two looks at the running matches: a page asks for them once in a second or two."""
Running = dict[str, tuple[MatchSpec, float]]
"""Matches by id, and when each has begun."""


class StatusFile:
    """Writes the file in a thread of its own: after a change, at most four times per second, and at the end.

    Args:
        running: Returns the running matches. After a change, it is another dictionary.
    """

    def __init__(self, folder: Path, running: Callable[[], Running]) -> None:
        self._folder = folder
        self._running = running
        self._written = running()
        self._stopped = threading.Event()
        self._write(self._written)
        self._thread = threading.Thread(target=self._follow, name="status", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._stopped.set()
        self._thread.join()
        self._write({})

    def _follow(self) -> None:
        while not self._stopped.wait(_EVERY):
            running = self._running()
            if running is not self._written:
                self._write(running)

    def _write(self, running: Running) -> None:
        self._written = running
        matches = [
            {
                "match_id": spec.match_id,
                "names": list(spec.names),
                "replay": str(temporary_replay_path(self._folder, spec.match_id).relative_to(self._folder)),
                "spec": to_builtins(stored_spec(spec)),
                "begun": begun,
            }
            for spec, begun in running.values()
        ]
        # Ignore a full disk here: it is reported when a result is written.
        with contextlib.suppress(OSError, ArenaError):
            write_json(self._folder / STATUS, {"running": matches, "at": time.time()})


def running_matches(folder: Path, state: Contest) -> Running:
    """Return the matches that another process is playing."""
    try:
        status = json.loads((folder / STATUS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not is_locked(folder):
        return {}
    matches: Running = {}
    for document in status["running"]:
        spec = convert(document["spec"], entries.Spec)
        if all(entrant in state.ids for entrant, _ in spec.seats):  # the state can be older than the file
            matches[document["match_id"]] = state.spec_of(spec), document["begun"]
    return matches
