"""Explain the shown replays in the background, while their pages show the results so far."""

from __future__ import annotations

import threading
from concurrent.futures import BrokenExecutor, CancelledError
from pathlib import Path
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from arena.analysis.advice import with_commands
from arena.analysis.cached import explanation_of, save
from arena.analysis.explaining import Explainer, Explanation
from arena.analysis.pool import Pool
from arena.analysis.recorded_match import RecordedMatch
from arena.analysis.report import document_of
from arena.errors import ArenaError, ExitCode
from arena.web.failures import failure
from arena.web.pages import json_page
from arena.web.viewing import Viewing

SECONDS: Final = 20
LONGEST: Final = 600


class Explaining:
    """The explanations of all replays of a server. Only one is computed at a time: a new one stops the previous one."""

    def __init__(self, viewing: Viewing) -> None:
        self._viewing = viewing
        self._lock = threading.Lock()
        self._tasks: dict[Path, _Task] = {}

    def explained(self, request: Request) -> Response:
        """Return the explanation of a replay so far; during the computation, with the elapsed ``share`` of its time."""
        path = self._path(request)
        task = self._tasks.get(path)
        return json_page(task.document if task else explanation_of(path))

    def explain(self, request: Request, body: dict[str, Any]) -> dict[str, Any]:
        """Start or continue the explanation of a replay. The request can give a time limit, in seconds.

        If this explanation is being computed already, change nothing.
        """
        path = self._path(request)
        seconds = body.get("seconds", SECONDS)
        if type(seconds) is not int or not 1 <= seconds <= LONGEST:
            raise ArenaError(f"Choose a whole number of seconds from 1 to {LONGEST}.", exit_code=ExitCode.BAD_OPTION)
        with self._lock:
            task = self._tasks.get(path)
            if task is None or not task.running:
                self._stop()
                self._tasks[path] = _Task(path, seconds)
        return {}

    def close(self) -> None:
        """Stop the running explanation. Its results are saved beside the replay."""
        with self._lock:
            self._stop()

    def _stop(self) -> None:
        for task in self._tasks.values():
            task.stop()

    def _path(self, request: Request) -> Path:
        return self._viewing.paths[self._viewing.number(request, "at")]


class _Task:
    """One explanation that is being computed, on all cores.

    An explanation that was kept is shown until the new one has as many playouts. It has more time than the kept one.
    """

    def __init__(self, path: Path, seconds: int) -> None:
        self.running = True
        self._path = path
        self._share = 0.0
        self._message = ""
        self._found = explanation_of(path)
        self._kept = self._found.get("playouts", {}).get("count", 0)
        # One that was interrupted has not had all of its time.
        self._seconds = seconds + (0 if self._found.get("stage", "") else self._found.get("budget", 0))
        self._pool = Pool(path)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def document(self) -> dict[str, Any]:
        """The explanation so far, with the elapsed share of the stage, or the reason of a failure."""
        more = {"share": self._share} if self.running else {"message": self._message} if self._message else {}
        return {**self._found, **more}

    def stop(self) -> None:
        """Stop the computation, and wait up to 10 s until its results are saved."""
        if self.running:
            self.running = False
            self._pool.close()
            self._thread.join(10)

    def _run(self) -> None:
        explanation: Explanation | None = None
        try:
            explanation = Explanation(RecordedMatch.of_file(self._path))
            for share in Explainer(explanation, self._pool, self._seconds).run(norms=True):
                self._share = share
                if explanation.playouts >= self._kept:
                    self._take(explanation)
        except (BrokenExecutor, CancelledError, RuntimeError) as error:
            self._message = f"The explanation broke off: {error}" if self.running else ""  # no message after stop
        except Exception as error:  # also after a fault of Arena, the page gets an end
            self._message = failure(error, "The explanation")["message"]
        if explanation is not None and explanation.playouts >= max(1, self._kept):
            save(self._take(explanation), self._path)
        if self.running:
            self._pool.close()
            self.running = False

    def _take(self, explanation: Explanation) -> dict[str, Any]:
        """Show an explanation. Return its document as it is stored."""
        document = document_of(explanation, self._seconds)
        self._found = with_commands(document, explanation.match.reader, self._path)
        return document
