"""How likely each player was to win at the positions of a match: a bot plays on for all players, many times.

A few positions get short playouts first, which stop with the game's estimate, then positions between those where the
curve falls. They cost little and find the falls; how sure the curve is, whole playouts decide, since an estimate can
say "even" where one bot always wins. The curve of one bot says how a match goes on among equals of its kind. A second
bot says how much this depends on who plays on: its mean belongs to the interval. A weaker bot than the middle one is
never asked, since the mean of a strong and a random player is the win probability of nobody.
"""

from __future__ import annotations

from bisect import bisect, insort
from collections.abc import Iterator, Sequence
from itertools import pairwise
from time import monotonic
from typing import Any, NamedTuple

from arena.study.coach.playouts import HORIZON, MOST_PARTS
from arena.study.coach.probability import Estimate, Result, win_of, win_with_estimates
from arena.study.coach.questions import Pool, Question, Questions, split
from arena.study.coach.recorded_match import RecordedMatch

FIRST_POINTS = 12
"""The limit for the number of positions from which the first playouts begin."""
FEW = 2
"""The number of playouts in the first round. If the bot is slow, there is no time for more."""
PLAYOUTS = 8
"""The number of playouts that a round adds to a position."""
MOST_PLAYOUTS = 64
"""A position that has this many whole playouts gets no more."""
SECOND = 2
"""The second bot plays one playout for so many of the first."""
FLAT = 0.1
"""A smaller fall between two positions is not refined."""
CHUNK_SECONDS = 0.15
"""The time that one question should take, in seconds. Long questions could exceed the budget."""


class _Line(NamedTuple):
    """Playouts from before a part, by one bot, for so many turns."""

    part: int
    bot: str
    horizon: int


class Curve:
    """The win probability of each player before each part of a match.

    Args:
        bots: References of the bot that plays on, and of a second one if there is one that is fast enough.
        seconds: The processor time of a playout of the whole match.
    """

    def __init__(self, match: RecordedMatch, bots: Sequence[str], seconds: float) -> None:
        self._match, self._bots = match, list(bots)
        self._chunk = max(1, round(CHUNK_SECONDS / max(seconds, 1e-6)))
        self._samples: dict[_Line, list[Result]] = {}
        self._first = HORIZON if match.has_estimates else MOST_PARTS
        self._known = [len(match.parts)] if match.result is not None else []

    @property
    def playouts(self) -> int:
        return sum(map(len, self._samples.values()))

    def has_playouts(self, index: int) -> bool:
        return bool(self._results(index, self._bots[0], self._first))

    def win(self, index: int, player: int) -> Estimate:
        """Return a player's win probability before a part. The index after the last part stands for the end.

        Between two positions with playouts it is interpolated, and its interval has the intervals of both.
        """
        match = self._match
        if index == len(match.parts) and match.result is not None:
            return Estimate(match.result[player], match.result[player], match.result[player], 0)
        if self.has_playouts(index):
            return self._played(index, player)
        at = bisect(self._known, index)
        if not 0 < at < len(self._known):
            return Estimate(1 / match.players, 0.0, 1.0, 0)
        before, after = self._known[at - 1 : at + 1]
        one, other = self.win(before, player), self.win(after, player)
        value = one.value + (index - before) / (after - before) * (other.value - one.value)
        return Estimate(value, min(one.low, other.low), max(one.high, other.high), 0)

    def rows(self, player: int) -> list[dict[str, Any]]:
        """Return a player's win probability before and after each turn, as plain JSON values."""
        found = []
        for at, after in pairwise(self._match.starts):
            before = self.win(at, player)
            value, low, high = before.to_document().values()
            end = self.win(after, player).to_document()["value"]
            turn = self._match.parts[at].turn
            found.append(
                {"turn": turn, "before": value, "low": low, "high": high, "after": end, "playouts": before.playouts}
            )
        return found

    def run(self, pool: Pool, players: Sequence[int], deadline: float) -> Iterator[None]:
        """Play on from some positions, then from positions between those where the curve of some players falls most."""
        match = self._match
        inside = {one.index for part in match.parts for one in match.simultaneous(part)[1:]}
        points = [index for index in range(len(match.parts) + 1) if index not in inside]
        if match.result is not None:
            points.pop()
        if not points:
            return
        step = max(1, -(-len(points) // FIRST_POINTS))
        known = sorted({*range(0, len(points), step), len(points) - 1})
        for count in (FEW, PLAYOUTS):
            self._play(pool, [points[at] for at in _coarse_first(known)], self._first, count, deadline)
            yield
        while monotonic() < deadline:
            gaps = [(self._fall(points[one], points[other], players), one, other) for one, other in pairwise(known)]
            wide = sorted((gap for gap in gaps if gap[2] - gap[1] > 1 and gap[0] > FLAT), reverse=True)
            new = [(one + other) // 2 for _, one, other in wide[: 2 * pool.processes]]
            known = sorted({*known, *new})
            unsure = [points[at] for at in known if self._count(points[at]) < MOST_PLAYOUTS]
            unsure.sort(key=lambda index: -self._doubt(index, players))
            again = unsure[: 2 * pool.processes]
            before = self.playouts
            if not new and not again:
                return
            if new:
                self._play(pool, [points[at] for at in new], self._first, PLAYOUTS, deadline)
            for index in () if new else again:
                self._play(pool, [index], MOST_PARTS, self._count(index) + PLAYOUTS, deadline)
            if self.playouts == before:
                return  # nobody answers any more
            yield

    def _played(self, index: int, player: int) -> Estimate:
        first, *others = (
            self._win_of(index, bot, player) for bot in self._bots if self._results(index, bot, self._first)
        )
        low = min(first.low, *(one.value for one in others), first.value)
        high = max(first.high, *(one.value for one in others), first.value)
        return first._replace(low=low, high=high)

    def _win_of(self, index: int, bot: str, player: int) -> Estimate:
        whole = self._results(index, bot, MOST_PARTS)
        if not self._match.has_estimates:
            return win_of(whole, player, self._match.game.playout_power)
        return win_with_estimates(self._results(index, bot, HORIZON), whole, player)

    def _results(self, index: int, bot: str, horizon: int) -> list[Result]:
        return self._samples.get(_Line(index, bot, horizon), [])

    def _count(self, index: int) -> int:
        return len(self._results(index, self._bots[0], MOST_PARTS))

    def _fall(self, one: int, other: int, players: Sequence[int]) -> float:
        return max((self.win(one, player).value - self.win(other, player).value for player in players), default=0)

    def _doubt(self, index: int, players: Sequence[int]) -> float:
        return max((one.high - one.low for player in players if (one := self.win(index, player))), default=0)

    def _play(self, pool: Pool, indices: Sequence[int], horizon: int, count: int, deadline: float) -> None:
        """Let some positions have this many playouts. Those for which the time was not enough have fewer."""
        asked: list[tuple[_Line, Question]] = []
        for index in indices:
            for at, bot in enumerate(self._bots):
                line = _Line(index, bot, horizon)
                begun = len(self._samples.get(line, ()))
                for seeds in split(range(begun, count // SECOND if at else count), self._chunk):
                    asked.append((line, (Questions.values, *line, seeds)))
        answers = dict(pool.ask([question for _, question in asked], deadline))
        for number, (line, _) in enumerate(asked):
            if number not in answers:
                return
            if not self.has_playouts(line.part):
                insort(self._known, line.part)
            self._samples.setdefault(line, []).extend(answers[number])


def _coarse_first(values: Sequence[int]) -> list[int]:
    """Return values in such an order that the first ones, however many, are spread over all."""
    order, step = [0], 1 << len(values).bit_length()
    while (step := step // 2) > 0:
        order += range(step, len(values), 2 * step)
    return [values[at] for at in order]
