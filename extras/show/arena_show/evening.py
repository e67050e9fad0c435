"""The show of one contest in this process: what is shown now, and what is written when somebody presses a button."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Any

from arena.web.contests.extending import ContestReading, ServedContest
from arena_show.fold import Show
from arena_show.playhead import Moment, Playhead, moments_of, speed_of
from arena_show.playlist import Step, steps_of

ACTS = ("pause", "resume", "slower", "faster", "moment")


class MovedError(Exception):
    """The step is another one than the sender of an act saw."""


@dataclass(frozen=True, slots=True)
class Film:
    """A match that is shown.

    Attributes:
        advantage: The game's estimates, for each player after each turn; empty without estimates.
        claims: For each player, the turns after which its bot has logged how likely it wins, with the estimate.
    """

    playhead: Playhead
    moments: list[Moment]
    advantage: list[list[float]]
    claims: list[list[tuple[int, float]]]
    source: Any


class Evening:
    """The show of a contest."""

    def __init__(self, contest: ServedContest) -> None:
        self.contest = contest
        self._lock = threading.RLock()
        self._show = Show()
        self._taken = 0
        self._last: object = None
        self._steps: tuple[int, list[Step]] = (-1, [])
        self.film = lru_cache(maxsize=8)(self._film)

    @property
    def show(self) -> Show:
        """What the steps in the journal say."""
        entries = self.contest.steps()
        with self._lock:
            if self._taken and (len(entries) < self._taken or entries[self._taken - 1] is not self._last):
                self._show, self._taken = Show(), 0  # the journal was read again, perhaps without erased texts
            for entry in entries[self._taken :]:
                self._show.take(entry.number, entry.subject, entry.at, entry.document, entry.text)
            self._taken, self._last = len(entries), entries[-1] if entries else None
            return self._show

    def steps(self) -> list[Step]:
        """Return all steps of the evening; none before it has begun. Only organizers may see later ones."""
        number, show = self.contest.number, self.show
        if show.first is None:
            return []
        with self._lock:
            if self._steps[0] != number:
                self._steps = number, steps_of(self.contest.whole(), show.first, show.edits)
            return self._steps[1]

    def at(self, steps: list[Step]) -> int:
        """Return the index of the step that is shown; -1 before the first one."""
        places = {step.id: index for index, step in enumerate(steps)}
        return next((places[place] for place in reversed(self.show.places) if place in places), -1)

    def step(self) -> Step | None:
        """Return the step that is shown; None before the first one."""
        steps = self.steps()
        at = self.at(steps)
        return steps[at] if at >= 0 else None

    # -- a match that is shown -------------------------------------------------------------------------

    def _film(self, match_id: str, minutes: float) -> Film:
        whole = self.contest.whole()
        replay, advantage = whole.growing(match_id), whole.advantage(match_id) or []
        moments, row = moments_of(advantage), whole.match(match_id)
        numbers = [number for number, _ in replay.ends][1:]
        claims = [
            list(_claims(whole, match_id, seat, numbers)) for seat in range(len(row.sides) if row is not None else 0)
        ]
        return Film(Playhead(replay, minutes, moments), moments, advantage, claims, replay.source)

    def elapsed(self, film: Film, now: float | None = None) -> float:
        """Return how far the match is that is shown, in seconds at its usual speed."""
        show = self.show
        return film.playhead.elapsed(show.since, show.pace, time.time() if now is None else now)

    def speed(self) -> tuple[bool, float]:
        """Return whether the match is paused, and its speed."""
        return speed_of(self.show.pace)

    def shown(self, match_id: str) -> tuple[int, Film] | None:
        """Return a match that is shown now, and a number that is another one each time; None if it is not shown."""
        step = self.step()
        if step is None or step.kind != "match" or step.match != match_id:
            return None
        return self.show.entry, self.film(match_id, step.minutes)

    # -- acts ------------------------------------------------------------------------------------------

    def begin(self, hold: Callable[[], None]) -> None:
        """Begin the show, if it has not begun: from now on, results are held back."""
        with self._lock:
            if self.show.first is None:
                first = self.contest.results
                hold()
                self.contest.write({"do": "begin", "first": first})

    def go(self, to: str, seen: int | None = None) -> None:
        """Go to a step: ``next``, ``back``, or its id.

        Args:
            seen: The index of the step that the sender saw; None if it does not matter.

        Raises:
            MovedError: Another step is shown by now.
            LookupError: There is no such step.
        """
        with self._lock:
            steps = self.steps()
            at = self.at(steps)
            if seen is not None and seen != at:
                raise MovedError
            ids = [step.id for step in steps]
            target = {"next": at + 1, "back": at - 1}.get(to)
            target = ids.index(to) if target is None and to in ids else target
            if target is None or not 0 <= target < len(steps):
                raise LookupError("There is no such step.")
            public = self.contest.public()
            told = [match_id for step in steps[: target + 1] for match_id in step.releases]
            released = [match_id for match_id in dict.fromkeys(told) if not public.sees(match_id)]
            self.contest.write({"do": "step", "to": steps[target].id}, released)

    def act(self, what: str, seen: int | None = None) -> None:
        """Do what a button says; see `go` for the exceptions."""
        if what in ("next", "back"):
            self.go(what, seen)
        elif what == "end":
            self.go(self.steps()[-1].id)
        elif what == "blank":
            self.contest.write({"do": "blank", "on": not self.show.blank})
        elif what == "applause":
            self.contest.write({"do": "applause"})
        elif what == "reveal":
            self._reveal()
        elif what in ACTS:
            self.contest.write({"do": "pace", "set": what})
        else:
            raise LookupError(f"There is no act {what[:40]!r}.")

    def new_link(self) -> str:
        """Return the token of a new link for the remote of a presenter. The one before ends."""
        token = secrets.token_urlsafe(18)
        self.contest.write({"do": "link", "hash": sha256(token.encode()).hexdigest()})
        return token

    def _reveal(self) -> None:
        """Go to the result of the match that is shown."""
        step = self.step()
        self.go(f"result:{step.match}" if step and step.match else "next")


def _claims(whole: ContestReading, match_id: str, seat: int, numbers: list[int]) -> Any:
    """Yield what a bot has logged as ``win=0.63``: the number of turns that had ended, and the estimate."""
    del whole, match_id, seat, numbers
    return iter(())
