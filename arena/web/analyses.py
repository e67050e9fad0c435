"""What the page of a replay has computed in the background: estimates of actions, and the explanation of the match.

Both play on from positions of the replay in a pool of processes (`arena.study.coach.process_pool`), on all cores. The
page asks now and then how far they are, and shows the results so far. So each has a thread of its own, whose results
are read under a lock or replaced as a whole, and each ends with a message for the page, also after a fault of Arena.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from arena.errors import ArenaError, ExitCode
from arena.game import Document, GameSpec
from arena.match.position import ReplayPosition
from arena.study.coach.advice import with_commands
from arena.study.coach.explaining import Explainer, Explanation
from arena.study.coach.page import explained
from arena.study.coach.probability import Result, win_difference, win_of
from arena.study.coach.process_pool import ProcessPool
from arena.study.coach.questions import Question, Questions
from arena.study.coach.recorded_match import RecordedMatch
from arena.study.coach.report import document_of
from arena.study.coach.stored import save
from arena.web.computing import failure
from arena.web.pages import json_page
from arena.web.viewing import Viewing

TIMES: Final = 20
"""The number of playouts after each action. Chosen, not measured: enough to tell a blunder from a good action, and a
student sees the last of them within seconds."""
LONGEST_ESTIMATE: Final = 120.0
"""No playout starts later than this many seconds after the first one: a bot can be slow, and nobody waits longer."""
SECONDS: Final = 20
"""The time for an explanation if the page names none. Chosen, not measured: the time that a student waits."""
LONGEST_EXPLANATION: Final = 600


class ActionEstimates:
    """Estimates the win probability after each of some actions. A pool of processes plays on from each action."""

    def __init__(
        self,
        game: GameSpec,
        place: ReplayPosition,
        bot: str,
        player: int,
        actions: Sequence[Document],
        advisers: Sequence[str] = (),
    ) -> None:
        self._lock = threading.Lock()
        self._bot, self._where, self._player = bot, (place.turn, place.action), player
        self._power = game.playout_power
        self._actions = list(actions)
        self._advisers = advisers
        self._choices: dict[str, list[Document]] = {}
        self._played: list[list[Result]] = []
        self._state, self._message = "playing", ""
        self._pool = ProcessPool(Path(place.replay))
        threading.Thread(target=self._run, daemon=True).start()

    @property
    def status(self) -> dict[str, Any]:
        """The progress, the bots' choices, and the win probability after each action so far.

        After the action, the built-in bot plays for all players. For the key ``bot``, this bot also chooses the action.
        """
        with self._lock:
            # Each playout has a column for each action, and a last one in which the bot chooses the action.
            *columns, of_bot = list(zip(*self._played, strict=True)) or [()] * (len(self._actions) + 1)
            return {
                "state": self._state,
                "message": self._message,
                "played": len(self._played),
                "times": TIMES,
                "choices": [{"bot": bot, "actions": actions} for bot, actions in self._choices.items()],
                "rows": [
                    self._row(action, column, of_bot) for action, column in zip(self._actions, columns, strict=False)
                ],
                "bot": win_of(of_bot, self._player, self._power).to_document(),
            }

    def _row(self, action: Document, column: Sequence[Result], of_bot: Sequence[Result]) -> dict[str, Any]:
        pairs = list(zip(of_bot, column, strict=True))
        return {
            "action": action,
            "win": win_of(column, self._player, self._power).to_document(),
            "difference": win_difference(pairs, self._player, self._power).to_document(),
        }

    def stop(self) -> None:
        with self._lock:
            running, self._state = self._state == "playing", "done"
        if running:
            self._pool.close()

    def _run(self) -> None:
        try:
            self._ask_bots()
            questions: list[Question] = [
                (Questions.after, f"builtin:{self._bot}", self._where, self._player, self._actions, [seed])
                for seed in range(TIMES)
            ]
            for _, rows in self._pool.ask(questions, time.monotonic() + LONGEST_ESTIMATE):
                with self._lock:
                    self._played += rows
        except (BrokenExecutor, CancelledError, RuntimeError) as error:
            with self._lock:
                self._message = "" if self._state == "done" else str(error)  # no message after stop
        except Exception as error:  # also after a fault of Arena, the page gets an end
            message = failure(error, "The estimate")["message"]
            with self._lock:
                self._message = message
        self.stop()

    def _ask_bots(self) -> None:
        questions: list[Question] = [
            (Questions.choice_at, f"builtin:{bot}", self._where, self._player) for bot in self._advisers
        ]
        answers = dict(self._pool.ask(questions))
        with self._lock:
            for number, bot in enumerate(self._advisers):
                actions = self._choices[bot] = answers[number]
                if actions and actions[0] not in self._actions:
                    self._actions.append(actions[0])


class Explaining:
    """The explanations of the replays of a server. Each runs to its end, one after the other, and is then saved."""

    def __init__(self, viewing: Viewing) -> None:
        self._viewing = viewing
        self._lock = threading.Lock()
        self._runs: dict[Path, _ExplanationRun] = {}
        self._pools = _Pools()

    def explained(self, request: Request) -> Response:
        """Return the explanation of a replay; during the computation, what is known, with the ``share`` of its time."""
        path = self._path(request)
        run = self._runs.get(path)
        return json_page(explained(path) | (run.document if run else {}))

    def explain(self, request: Request, body: dict[str, Any]) -> dict[str, Any]:
        """Start the explanation of a replay, unless it runs. The request can give a time limit, in seconds."""
        path = self._path(request)
        seconds = body.get("seconds", SECONDS)
        if type(seconds) is not int or not 1 <= seconds <= LONGEST_EXPLANATION:
            raise ArenaError(
                f"Choose a whole number of seconds from 1 to {LONGEST_EXPLANATION}.", exit_code=ExitCode.BAD_OPTION
            )
        with self._lock:
            run = self._runs.get(path)
            if run is None or not run.running:
                self._runs[path] = _ExplanationRun(path, seconds, self._pools)
        return {}

    def close(self) -> None:
        """End what runs. Only whole explanations are saved."""
        self._pools.close()

    def _path(self, request: Request) -> Path:
        return self._viewing.paths[self._viewing.number(request, "at")]


class _Pools:
    """Gives a pool of processes, which take all cores, to one explanation at a time."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._pool: ProcessPool | None = None
        self.closed = False

    @contextmanager
    def pool(self, path: Path) -> Iterator[ProcessPool]:
        with self._turn:
            if self.closed:
                raise CancelledError
            with ProcessPool(path) as self._pool:
                yield self._pool
            self._pool = None

    def close(self) -> None:
        self.closed = True
        if (pool := self._pool) is not None:
            pool.close()


class _ExplanationRun:
    """One explanation that is being computed. It has more time than the one that is stored beside the replay."""

    def __init__(self, path: Path, seconds: int, pools: _Pools) -> None:
        self.running = True
        self.document: dict[str, Any] = {"share": 0.0}
        self._path, self._pools = path, pools
        self._seconds = seconds + explained(path).get("budget", 0)
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        try:
            with self._pools.pool(self._path) as pool:
                explanation = Explanation(RecordedMatch.of_file(self._path))
                for share in Explainer(explanation, pool, self._seconds).run():
                    self.document = self._so_far(explanation) | {"share": share}
            save(document_of(explanation, self._seconds), self._path)
            self.document = {}
        except (BrokenExecutor, CancelledError, RuntimeError) as error:
            self.document = {} if self._pools.closed else {"message": f"The explanation broke off: {error}"}
        except Exception as error:  # also after a fault of Arena, the page gets an end
            self.document = {"message": failure(error, "The explanation")["message"]}
        self.running = False

    def _so_far(self, explanation: Explanation) -> dict[str, Any]:
        return with_commands(document_of(explanation, self._seconds), explanation.match.reader, self._path)
