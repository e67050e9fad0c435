"""Display the progress of a contest: a live display in a terminal, plain lines in a log."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Any

from arena.contests.ladder.board import Board
from arena.contests.loop import Observer
from arena.contests.report.columns import number
from arena.contests.report.forecast import expected_matches
from arena.contests.report.listings import remarks
from arena.contests.report.visible_contest import VisibleContest
from arena.contests.scheduler import waits_for
from arena.contests.state import Contest
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec
from arena.text.printable import one_line as safe

_RECENT = 8
_TOP = 12
"""The lines of the live display: the last matches, and the first places. With the rest, 24 lines hold all of it."""


def one_line(spec: MatchSpec, result: MatchResult) -> str:
    scores = " : ".join(f"{seat.score:zg}" for seat in result.players)
    winner = result.headline(spec.names)
    failed = [f"{name} {seat.ending}" for name, seat in zip(spec.names, result.players, strict=True) if seat.failed]
    text = f"{spec.stage} {spec.round}.{spec.pairing + 1}: {' – '.join(spec.names)}  {scores}  {winner}"
    return safe(text + (f"  ({', '.join(failed)})" if failed else ""))


class ProgressObserver(Observer):
    """An observer that counts matches for a display, and shows nothing itself."""

    def __init__(self) -> None:
        self.done = 0
        self.expected: int | None = None
        self.recent: deque[str] = deque(maxlen=_RECENT)
        self.pace = Pace()
        self.running: dict[str, MatchSpec] = {}
        self.note = ""
        self._forecast_of = (0, 0)

    def tell(self, line: str) -> None:
        """Handle a line about a match."""
        self.recent.append(line)

    def resumed(self, state: Contest) -> None:
        self.done = len(state.played)
        self._forecast(state)

    def started(self, spec: MatchSpec) -> None:
        self.running[spec.match_id] = spec

    def finished(self, spec: MatchSpec, result: MatchResult, state: Contest) -> None:
        self.running.pop(spec.match_id, None)
        self.done += 1
        self.pace.add()
        self.tell(one_line(spec, result))
        # What changes a forecast are the stages that have begun, and suspended bots.
        if (len(state.stages), sum(len(run.suspended) for run in state.stages.values())) != self._forecast_of:
            self._forecast(state)

    def replayed(self, spec: MatchSpec, reason: str) -> None:
        self.running.pop(spec.match_id, None)
        self.tell(safe(f"{spec.match_id} is played again: {reason}"))

    def dropped(self, spec: MatchSpec, reason: str) -> None:
        self.running.pop(spec.match_id, None)
        self.tell(safe(f"{spec.match_id} has no result: {reason}"))

    def stopping(self, at_once: bool) -> None:
        running = len(self.running)
        self.note = (
            "Stopping at once." if at_once else f"Stopping after {running} running matches; Ctrl-C again: at once."
        )

    def _forecast(self, state: Contest) -> None:
        self._forecast_of = len(state.stages), sum(len(run.suspended) for run in state.stages.values())
        self.expected = expected_matches(state)

    def summary(self) -> str:
        """Return one line: the numbers of matches done and left, the matches in a minute, and the expected end."""
        left = None if self.expected is None else max(0, self.expected - self.done)
        text = f"{self.done} matches done" + ("" if left is None else f", about {left} left")
        text += f", {self.pace.per_minute():.0f} a minute"
        seconds = None if left is None else self.pace.seconds_left(left)
        if seconds:
            text += f", over at about {time.strftime('%H:%M', time.localtime(time.time() + seconds))}"
        return text


class PlainProgress(ProgressObserver):
    """An observer that prints one line for each result, and a summary at most every ten seconds; for logs and pipes."""

    def __init__(self, write: Callable[[str], None]) -> None:
        super().__init__()
        self._write = write
        self._last = time.monotonic()

    def tell(self, line: str) -> None:
        super().tell(line)
        self._write(line)

    def resumed(self, state: Contest) -> None:
        super().resumed(state)
        if self.done:
            self._write(f"Continuing after {self.done} results.")

    def finished(self, spec: MatchSpec, result: MatchResult, state: Contest) -> None:
        super().finished(spec, result, state)
        if time.monotonic() - self._last > 10.0:
            self._last = time.monotonic()
            self._write(self.summary())

    def stopping(self, at_once: bool) -> None:
        super().stopping(at_once)
        self._write(self.note)


class LiveProgress(ProgressObserver):
    """An observer that shows a live display in the terminal. Use it as a context manager.

    A thread updates the display four times a second.
    """

    def __init__(self) -> None:
        from rich.live import Live

        super().__init__()
        self._board: Board | None = None
        self._title = ""
        self._order: list[tuple[str, str, str]] = []
        self._ranked = 0.0
        self._live = Live(get_renderable=self._draw, refresh_per_second=4, transient=True)

    def __enter__(self) -> LiveProgress:
        return self

    def __exit__(self, *exception: object) -> None:
        self._live.stop()

    def resumed(self, state: Contest) -> None:
        super().resumed(state)
        self._rank(state)
        self._live.start()

    def finished(self, spec: MatchSpec, result: MatchResult, state: Contest) -> None:
        super().finished(spec, result, state)
        if time.monotonic() - self._ranked > 1.0:
            self._rank(state)

    def _rank(self, state: Contest) -> None:
        """Show the table of the last stage, or of the ladder."""
        if state.stages:
            run = next(reversed(state.stages.values()))
            self._title = run.config.name
            rows = [(row.place, row.name, row.points) for row in run.rank()[:_TOP]]
        else:
            self._board = self._board or Board(state)
            self._board.advance()
            self._title = "ladder" if state.settings.ladder else ""
            rows = [(row.place, row.team, row.rating) for row in self._board.table()[:_TOP]]
        self._order = [(str(place), safe(name), number(value)) for place, name, value in rows]
        # Ranking many results is slow: do not start it again within one second.
        self._ranked = time.monotonic()

    def _draw(self) -> Any:
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        table = Table.grid(padding=(0, 2))
        for row in self._order:
            table.add_row(*(Text(cell) for cell in row))
        lines = [Text(line, "dim") for line in list(self.recent)]
        running = Text(", ".join(" – ".join(spec.names) for spec in list(self.running.values())))
        parts: list[Any] = [
            Text(self.summary(), "bold"),
            Text(safe(self._title)),
            table,
            Text("now: ") + running,
            *lines,
        ]
        return Group(*parts, *([Text(self.note, "yellow")] if self.note else []))


def final_lines(contest: VisibleContest) -> list[str]:
    head = "The contest is over." if contest.finished else "The contest is not over yet."
    board = Board(contest.state)
    board.advance()
    lines = [head, *filter(None, [waits_for(contest.state, board)])]
    lines += [f"{place}. {name}" for place, name in enumerate(contest.final_order()[:8], 1)]
    lines += remarks(contest)
    return [safe(line) for line in lines]


class Pace:
    """The speed of a run, measured from the times of results."""

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._count = 0

    def add(self) -> None:
        self._count += 1

    def per_minute(self) -> float:
        """Return the results per minute since the start."""
        seconds = time.monotonic() - self._begun
        return 60.0 * self._count / seconds if seconds > 0 else 0.0

    def seconds_left(self, matches: int) -> float | None:
        """Return the expected seconds for this many more matches, or None if no result was counted."""
        rate = self.per_minute()
        return 60.0 * matches / rate if rate else None
