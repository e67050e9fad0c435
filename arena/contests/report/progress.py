"""Display the progress of a tournament: a live display in a terminal, plain lines in a log."""

import time
from collections import deque
from collections.abc import Callable
from typing import Any

from arena.match.result import MatchResult
from arena.match.spec import MatchSpec
from arena.text.printable import one_line as safe
from arena.contests.report.forecast import expected_matches
from arena.contests.stages.stage import Schedule
from arena.contests.report.documents import final_order
from arena.contests.report.sheets import uncounted_note
from arena.tournament.run.organizer import Snapshot
from arena.tournament.run.runner import Pace

_RECENT = 8
_TOP = 12


def one_line(spec: MatchSpec, result: MatchResult) -> str:
    scores = " : ".join(f"{seat.score:zg}" for seat in result.players)
    winner = result.headline(spec.names)
    bad = [f"{name} {seat.ending}" for name, seat in zip(spec.names, result.players, strict=True) if seat.failed]
    return safe(f"{spec.stage} {spec.round}.{spec.pairing + 1}: {' – '.join(spec.names)}  {scores}  {winner}"
                     + (f"  ({', '.join(bad)})" if bad else ""))  # fmt: skip


class Tally:
    """An observer that counts matches for a display, and shows nothing itself."""

    def __init__(self) -> None:
        self.done = 0
        self.expected: int | None = None
        self.recent: deque[str] = deque(maxlen=_RECENT)
        self.pace = Pace()
        self.running: dict[str, MatchSpec] = {}
        self.note = ""
        self._forecast_of = (0, 0)

    def resumed(self, schedule: Schedule, results: int) -> None:
        self.done = results
        self._forecast(schedule)

    def started(self, spec: MatchSpec) -> None:
        self.running[spec.match_id] = spec

    def finished(self, spec: MatchSpec, result: MatchResult, schedule: Schedule) -> None:
        self.running.pop(spec.match_id, None)
        self.done += 1
        self.pace.add()
        self.recent.append(one_line(spec, result))
        if (len(schedule.stages), len(schedule.suspended)) != self._forecast_of:
            self._forecast(schedule)

    def replayed(self, spec: MatchSpec, reason: str) -> None:
        self.running.pop(spec.match_id, None)
        self.recent.append(safe(f"{spec.match_id} is played again: {reason}"))

    def dropped(self, spec: MatchSpec, reason: str) -> None:
        self.running.pop(spec.match_id, None)
        self.recent.append(safe(f"{spec.match_id} has no result: {reason}"))

    def stopping(self, at_once: bool) -> None:
        running = len(self.running)
        self.note = (
            "Stopping at once." if at_once else f"Stopping after {running} running matches; Ctrl-C again: at once."
        )

    def _forecast(self, schedule: Schedule) -> None:
        self._forecast_of = (len(schedule.stages), len(schedule.suspended))
        self.expected = expected_matches(schedule)

    def summary(self) -> str:
        """Return one line: the numbers of matches done and left, the matches in a minute, and the expected end."""
        left = None if self.expected is None else max(0, self.expected - self.done)
        text = f"{self.done} matches done" + ("" if left is None else f", about {left} left")
        text += f", {self.pace.per_minute():.0f} a minute"
        seconds = None if left is None else self.pace.seconds_left(left)
        if seconds:
            text += f", over at about {time.strftime('%H:%M', time.localtime(time.time() + seconds))}"
        return text


class PlainProgress(Tally):
    """An observer that prints one line for each result, and a summary at most every ten seconds; for logs and pipes."""

    def __init__(self, write: Callable[[str], None]) -> None:
        super().__init__()
        self._write = write
        self._last = time.monotonic()

    def _say(self, line: str) -> None:
        self._write(line)

    def resumed(self, schedule: Schedule, results: int) -> None:
        super().resumed(schedule, results)
        if results:
            self._say(f"Continuing after {results} results.")

    def finished(self, spec: MatchSpec, result: MatchResult, schedule: Schedule) -> None:
        super().finished(spec, result, schedule)
        self._say(self.recent[-1])
        if time.monotonic() - self._last > 10.0:
            self._last = time.monotonic()
            self._say(self.summary())

    def replayed(self, spec: MatchSpec, reason: str) -> None:
        super().replayed(spec, reason)
        self._say(self.recent[-1])

    def dropped(self, spec: MatchSpec, reason: str) -> None:
        super().dropped(spec, reason)
        self._say(self.recent[-1])

    def stopping(self, at_once: bool) -> None:
        super().stopping(at_once)
        self._say(self.note)


class LiveProgress(Tally):
    """An observer that shows a live display in the terminal. Use it as a context manager.

    A thread updates the display four times a second.
    """

    def __init__(self) -> None:
        from rich.live import Live

        super().__init__()
        self._schedule: Schedule | None = None
        self._order: list[tuple[str, str, str]] = []
        self._ranked = 0.0
        self._live = Live(get_renderable=self._draw, refresh_per_second=4, transient=True)

    def __enter__(self) -> "LiveProgress":
        return self

    def __exit__(self, *exception: object) -> None:
        self._live.stop()

    def resumed(self, schedule: Schedule, results: int) -> None:
        super().resumed(schedule, results)
        self._rank(schedule)
        # Start the display here and not earlier, because the sanity matches print their own lines.
        self._live.start()

    def finished(self, spec: MatchSpec, result: MatchResult, schedule: Schedule) -> None:
        super().finished(spec, result, schedule)
        if time.monotonic() - self._ranked > 1.0:
            self._rank(schedule)

    def _rank(self, schedule: Schedule) -> None:
        rows = schedule.stages[-1].rank()[:_TOP]
        self._order = [(str(row.place), safe(row.name), f"{row.points:g}") for row in rows]
        self._schedule = schedule
        # Ranking many results is slow: do not start it again within one second.
        self._ranked = time.monotonic()

    def _draw(self) -> Any:
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        table = Table.grid(padding=(0, 2))
        for row in self._order:
            table.add_row(*(Text(cell) for cell in row))
        stage = self._schedule.stages[-1].config.name if self._schedule else ""
        lines = [Text(line, "dim") for line in list(self.recent)]
        running = Text(", ".join(" – ".join(spec.names) for spec in list(self.running.values())))
        parts: list[Any] = [
            Text(self.summary(), "bold"),
            Text(safe(stage)),
            table,
            Text("now: ") + running,
            *lines,
        ]
        return Group(*parts, *([Text(self.note, "yellow")] if self.note else []))


def final_lines(snapshot: Snapshot) -> list[str]:
    order = final_order(snapshot)
    head = "The tournament is over." if snapshot.schedule.finished else "The tournament is not over yet."
    lines = [head, *(f"{place}. {name}" for place, name in enumerate(order[:8], 1))]
    lines += [f"{name} is suspended: {reason}." for name, reason in snapshot.schedule.suspended.items()]
    lines += filter(None, [uncounted_note([spec.match_id for spec in snapshot.schedule.uncounted()])])
    lines += [f"Excluded before the start: {reason}." for reason in snapshot.excluded]
    return [safe(line) for line in lines]
