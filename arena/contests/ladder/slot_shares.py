"""Share the slots for matches among the teams: by the seconds for which matches occupy a slot, not by matches.

A bot that sleeps makes its matches long. Its team pays for this time, and plays less often; the others play on.
"""

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from statistics import median

from arena.contests.values import Pairing, Played, SlotTime

_URGENT = {"trial": 0, "comparison": 1, "challenge": 2, "replay": 3, "ladder": 4}
"""The order in which open matches are started."""
_FACTOR = 1.25
"""A team is allowed to use this multiple of an equal share in the long run: new versions play more than others."""
_BURST = 6
"""The number of usual matches that a team can play in a row after a time without matches."""
_SHORTEST = 0.1
_NEWEST = 0.2
"""The weight of the newest match in the seconds of a team's usual match."""


def slot_time(total: float, start: float, thinking: Sequence[float]) -> SlotTime:
    """Return how long a match occupied its slot.

    Args:
        start: The part of it before the first turn.
    """
    turns = sum(thinking)
    counted = min(turns, max(0.0, total - start))
    return SlotTime(tuple(counted * one / turns if turns else 0.0 for one in thinking), max(0.0, total - counted))


def slot_time_of(played: Played) -> SlotTime:
    """Return how long a match that has a result occupied its slot."""
    assert played.result is not None, "the match was played"
    seconds = played.result.seconds
    return slot_time(seconds.total, seconds.start, [one.clock.wall for one in played.result.players])


def payers(encounter: Pairing, teams: Collection[str]) -> tuple[str, ...]:
    """Return the teams that pay for an encounter.

    Nobody pays for a match that an organizer repeats. The team that started an encounter pays alone.
    """
    if encounter.kind == "replay":
        return ()
    names = (encounter.team,) if encounter.team else dict.fromkeys(name for name, _ in encounter.players)
    return tuple(name for name in names if name in teams)


class Shares:
    """The seconds that each team has left. Every second that a match uses is shared out to all teams."""

    def __init__(self) -> None:
        self._earned = 0.0
        self._left: dict[str, tuple[float, float]] = {}
        self._usual: dict[str, float] = {}
        self._rests: dict[str, deque[float]] = defaultdict(lambda: deque(maxlen=9))

    @property
    def usual(self) -> Mapping[str, float]:
        """The slot seconds that a match of each team costs it, on average; recent matches count more."""
        return self._usual

    def left(self, team: str) -> float:
        """Return the seconds that a team has left; negative if it has used more than its share."""
        burst = self._burst()
        known, earned = self._left.get(team, (burst, self._earned))
        return min(burst, known + self._earned - earned)

    def charge(self, encounter: Pairing, seats: Sequence[str], time: SlotTime, playing: Collection[str],
               teams: Collection[str]) -> None:  # fmt: skip
        paying = payers(encounter, teams)
        if not paying or not time.thinking:
            return
        own = {
            team: sum(one for name, one in zip(seats, time.thinking, strict=True) if name == team) for team in paying
        }
        unowned = (sum(time.thinking) - sum(own.values())) / len(paying)
        for team, share in self._starts(paying, time.rest).items():
            cost = own[team] + unowned + share
            self._left[team] = (self.left(team) - cost, self._earned)
            known = self._usual.get(team, cost)
            self._usual[team] = known + _NEWEST * (cost - known)
        self._earned += (sum(time.thinking) + time.rest) * _FACTOR / max(1, len(playing))

    def _starts(self, paying: Sequence[str], rest: float) -> dict[str, float]:
        """Return each team's part of the time in which nobody thinks: a team whose bots start slowly pays more."""
        for team in paying:
            self._rests[team].append(rest)
        usual = {team: max(1e-6, median(self._rests[team])) for team in paying}
        return {team: rest * one / sum(usual.values()) for team, one in usual.items()}

    def over(self, teams: Iterable[str], running: Sequence[str]) -> frozenset[str]:
        """Return those of the teams that have used their share, including what their running matches will cost."""
        return frozenset(team for team in teams if self.left(team) <= running.count(team) * self._usual.get(team, 0.0))

    def behind(self, teams: Collection[str]) -> frozenset[str]:
        """Return the half of the teams that have the fewest seconds left."""
        return frozenset(sorted(teams, key=lambda team: (self.left(team), team))[: len(teams) // 2])

    def _burst(self) -> float:
        return _BURST * max(_SHORTEST, median(self._usual.values()) if self._usual else 0.0)


def in_order(
    encounters: Iterable[Pairing], over: frozenset[str], teams: Collection[str]
) -> tuple[list[Pairing], list[Pairing]]:
    """Return the open encounters that can start, most urgent first, and those of teams that have used their share."""
    ready: list[Pairing] = []
    postponed: list[Pairing] = []
    for one in sorted(encounters, key=lambda one: (_URGENT[one.kind], one.number)):
        (ready if over.isdisjoint(payers(one, teams)) else postponed).append(one)
    return ready, postponed
