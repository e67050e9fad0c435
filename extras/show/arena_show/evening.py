"""The show of one contest in this process: what is shown now, and what is written when somebody presses a button."""

from __future__ import annotations

import re
import secrets
import threading
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Final

from arena.web.contests.extending import ContestReading, GrownReplay, ServedContest
from arena_show.fold import Show
from arena_show.playhead import Moment, Playhead, moments_of
from arena_show.playlist import MINUTES, Step, steps_of
from arena_show.predictions import FORECASTER, MOST, forecast

PACE: Final = ("pause", "resume", "slower", "faster", "moment")
_CLAIM: Final = re.compile(r"turn (\d+), log: .*?\bwin=(0?\.\d+|[01](?:\.0*)?)\b")
_NOTED: Final = 5.0
"""The seconds of a match that are shown again, at most, after an outage."""
_QUICKEST, _SLOWEST = 0.4, 2.0
"""The limits for the factor of all minutes with which an evening keeps its end."""


Advantage = Sequence[Sequence[float]]
Claims = Sequence[tuple[int, float]]


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
    moments: Sequence[Moment]
    advantage: Advantage
    claims: Sequence[Claims]
    replay: GrownReplay


class Evening:
    """The show of a contest.

    Attributes:
        dropped: The steps that organizers have dropped.
    """

    def __init__(self, contest: ServedContest) -> None:
        self.contest = contest
        self._lock = threading.RLock()
        self._show = Show()
        self._taken = 0
        self._last: object = None
        self._steps: tuple[object, list[Step]] = (None, [])
        self.dropped: Sequence[Step] = ()
        self._token = ""
        self._kept_film = lru_cache(maxsize=6)(self._film)
        self._kept_match = lru_cache(maxsize=6)(self._match)

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
        show, whole = self.show, self.contest.whole()
        if show.first is None:
            return []
        with self._lock:
            key = show, whole.number, len(show.edits)
            if self._steps[0] != key:
                steps, self.dropped = steps_of(whole, show.first, show.edits)
                self._steps = key, steps
            return self._steps[1]

    def at(self, steps: Sequence[Step]) -> int:
        """Return the index of the step that is shown; -1 before the first one."""
        places = {step.id: index for index, step in enumerate(steps)}
        return next((places[place] for place in reversed(self.show.places) if place in places), -1)

    def step(self) -> Step | None:
        """Return the step that is shown; None before the first one."""
        steps = self.steps()
        at = self.at(steps)
        return steps[at] if at >= 0 else None

    @property
    def version(self) -> int:
        """Another number after each entry of the journal from which documents follow: after all but guesses."""
        return self.contest.number - self.show.guessed

    # -- time ------------------------------------------------------------------------------------------

    def ends(self, now: float) -> float:
        """Return when the evening ends, in seconds since 1970, if nothing is hurried. Only organizers may know it."""
        steps, show = self.steps(), self.show
        at = self.at(steps)
        later = sum(step.seconds(self._factor(now)) for step in steps[at + 1 :])
        return now + later + (max(0.0, steps[at].seconds(show.factor) - (now - show.since)) if at >= 0 else 0.0)

    def _factor(self, now: float) -> float:
        """Return by what all minutes are multiplied so that the evening ends in time.

        It changes the speed that everybody sees, so it follows from what everybody knows: the encounters that brackets
        still have room for. How many are really left can follow from results that are held back.
        """
        if not self.show.finish:
            return 1.0
        left = 60 * expected_minutes(self.contest.public())
        return min(_SLOWEST, max(_QUICKEST, (self.show.finish - now) / left)) if left else 1.0

    # -- a match that is shown -------------------------------------------------------------------------

    def film(self, step: Step) -> Film:
        """Return the match of a step."""
        return self._kept_film(step.match, round(step.minutes * self.show.factor, 3), self.show.turns)

    def _film(self, match_id: str, minutes: float, turns: float) -> Film:
        replay, moments, advantage, claims = self._kept_match(match_id)
        return Film(Playhead(replay, minutes, moments, turns), moments, advantage, claims, replay)

    def _match(self, match_id: str) -> tuple[GrownReplay, Sequence[Moment], Advantage, Sequence[Claims]]:
        """Read what does not depend on the speed at which a match is shown."""
        whole = self.contest.whole()
        replay, advantage, row = whole.growing(match_id), whole.advantage(match_id) or [], whole.match(match_id)
        claims = [_claims(whole, match_id, seat, replay) for seat in range(len(row.sides) if row is not None else 0)]
        return replay, moments_of(advantage), advantage, claims

    def prepare(self) -> None:
        """Read the next match before it is shown, in a thread of its own."""
        steps = self.steps()
        coming = [step for step in steps[self.at(steps) + 1 :] if step.kind == "match"][:1]
        for step in coming:
            threading.Thread(target=self.film, args=(step,), name="next match", daemon=True).start()

    def elapsed(self, film: Film, now: float) -> float:
        """Return how far the match is that is shown, in seconds at its usual speed."""
        show = self.show
        return film.playhead.elapsed(show.since, show.pace, now)

    def has_moment(self) -> bool:
        """Return whether a deciding moment of the match that is shown is still to come. Only presenters may know it."""
        step = self.step()
        if step is None or step.kind != "match":
            return False
        film = self.film(step)
        return film.playhead.next_moment(self.elapsed(film, time.time())) > 0

    def note(self, film: Film, now: float) -> None:
        """Note in the journal, from time to time, how far the match is that is shown, and that somebody watches."""
        with self._lock:
            is_still = self.show.is_paused or self.elapsed(film, now) > film.playhead.seconds
            if self.contest.writable and not is_still and now - self.show.alive > _NOTED:
                self.contest.write({"do": "watched"})

    def resume(self) -> None:
        """Go on where the match was that was shown when the server stopped."""
        if self.contest.writable and self.show.places and self.show.places[-1].startswith("match:"):
            self.contest.write({"do": "outage"})

    def shown(self, match_id: str) -> tuple[int, Film] | None:
        """Return a match that is shown now, and a number that is another one each time; None if it is not shown."""
        step = self.step()
        if step is None or step.kind != "match" or step.match != match_id:
            return None
        return self.show.entry, self.film(step)

    # -- acts ------------------------------------------------------------------------------------------

    def begin(self, hold: Callable[[], None]) -> None:
        """Begin the show, if it has not begun: from now on, results are held back."""
        with self._lock:
            if self.show.first is None:
                hold()
                self.contest.write({"do": "begin", "first": self.contest.results})

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
            step, public = steps[target], self.contest.public()
            told = [match_id for before in steps[: target + 1] for match_id in before.releases]
            released = [match_id for match_id in dict.fromkeys(told) if not public.sees(match_id)]
            factor = round(self._factor(time.time()), 3)
            document = {"do": "step", "to": step.id, "factor": factor, "turns": public.turns()}
            self.contest.write(document, released)
            guesses = self.show.guesses.get(step.encounter, {})
            if self.show.predicts and step.kind == "intro" and len(step.players) == 2 and FORECASTER not in guesses:
                self.guess(step.encounter, FORECASTER, forecast(self.contest.public(), *step.players))
        self.prepare()

    def act(self, what: str, seen: int | None = None) -> None:
        """Do what a button says; see `go` for the exceptions."""
        if what in ("next", "back"):
            self.go(what, seen)
        elif what == "end":
            self.go(self.steps()[-1].id, seen)
        elif what == "reveal":
            step = self.step()
            self.go(f"result:{step.match}" if step and step.kind == "match" else "next", seen)
        elif what == "blank":
            self.contest.write({"do": "blank", "on": not self.show.blank})
        elif what == "predictions":
            self.contest.write({"do": "predictions", "on": not self.show.predicts})
        elif what == "applause":
            self.contest.write({"do": "applause"})
        elif what == "moment" and not self.has_moment():
            raise LookupError("No later moment of this match decided anything.")
        elif what in PACE:
            self.contest.write({"do": "pace", "set": what})
        else:
            raise LookupError(f"There is no act {what[:40]!r}.")

    def guess(self, encounter: str, guesser: str, win: float) -> None:
        """Lock a guess in the journal.

        Raises:
            LookupError: The guesser has one already, or too many have guessed.
        """
        with self._lock:
            guesses = self.show.guesses.get(encounter, {})
            if guesser in guesses:
                raise LookupError("Your guess is locked already.")
            if len(guesses) >= MOST:
                raise LookupError("Too many have guessed.")
            self.contest.write({"do": "guess", "match": encounter, "by": guesser, "win": win})

    def new_link(self) -> str:
        """Return the token of a new link for the remote of a presenter. The one before ends."""
        self._token = secrets.token_urlsafe(18)
        self.contest.write({"do": "link", "hash": hash_of(self._token)})
        return self._token

    @property
    def waiting_link(self) -> str:
        """The token of the newest link, if this process has made it and nobody has used it; else empty."""
        return self._token if self.show.links.get(hash_of(self._token)) == "" else ""

    def take_link(self, token: str) -> str:
        """Return the secret of the session of a presenter, who has a link that nobody has used; empty for others."""
        with self._lock:
            if self.show.links.get(hash_of(token)) != "":
                return ""
            session = secrets.token_urlsafe(18)
            self.contest.write({"do": "presenter", "link": hash_of(token), "session": hash_of(session)})
            return session

    def presents(self, session: str) -> bool:
        """Return whether this is the secret of the session of the presenter."""
        return bool(session) and hash_of(session) in self.show.links.values()


def hash_of(secret: str) -> str:
    """Return the hash of a secret, which the journal has in its place."""
    return sha256(secret.encode()).hexdigest()


def expected_minutes(public: ContestReading) -> float:
    """Return how long what is left takes, as far as everybody knows: all boxes of brackets that are not decided."""
    drawings = [drawing for stage in public.stages if (drawing := public.bracket(stage.name))]
    boxes = [box for drawing in drawings for section in drawing.sections for box in section.boxes]
    left = sum(not box.players or box.decided == "to be played" for box in boxes)
    parts = ("intro", "match", "result", "match", "result", "bracket")
    return left * sum(MINUTES[part] for part in parts)


def _claims(whole: ContestReading, match_id: str, seat: int, replay: GrownReplay) -> list[tuple[int, float]]:
    """Return what a bot has logged as ``win=0.63``: the number of turns that had ended, and the estimate."""
    numbers = [number for number, _ in replay.ends][1:]
    lines = (_CLAIM.match(line) for line in whole.logged(match_id, seat))
    return list(_after_turns(((int(line[1]), float(line[2])) for line in lines if line), numbers))


def _after_turns(said: Iterator[tuple[int, float]], numbers: Sequence[int]) -> Iterator[tuple[int, float]]:
    for turn, win in said:  # the log counts turns from 1
        yield bisect_right(numbers, turn - 1 + numbers[0]) if numbers else 0, win
