"""Share the slots for matches among the teams: by the seconds for which matches occupy a slot, not by matches.

A bot that sleeps makes its matches long. Its team pays for this time, and plays less often; the others play on. Every
second that a match uses is shared out to all teams that play, and charged to those for whom it was played:

* the time in which a bot thinks, to its team;
* the time in which nobody thinks, such as that of starting the bots, to the team whose matches usually start slowly;
* all of it to the team that started the encounter, for a challenge and a check;
* nothing for a match that an organizer repeats.

A team that has used its share waits while anybody else can play. A first long match is not foreseen: with one slot, all
others wait for its end. No entry records shares: a run computes them again from the last results of the journal.
"""

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from statistics import median

from arena.contests.values import LadderEncounter, SlotTime
from arena.match.result import MatchResult

_URGENT = {"trial": 0, "comparison": 1, "challenge": 2, "replay": 3, "ladder": 4}
"""The order in which open matches are started: first what somebody waits for."""
_FACTOR = 1.25
"""A team is allowed to use this multiple of an equal share in the long run: new versions play more than others."""
_BURST = 6
"""The number of usual matches that a team can play in a row after a time without matches: those of the check of a
version (a trial and, with three anchors, two comparisons of two matches each), and one more. Chosen, not measured."""
_SHORTEST = 0.1
"""The seconds of a usual match that are assumed at least: before the first match, teams have something to use."""
_NEWEST = 0.2
"""The weight of the newest match in the seconds of a team's usual match: after ten, a tenth of the old value is left,
so that a new version is known soon, and one long match does not stop a team. Chosen, not measured."""
_STARTS = 9
"""The starts of which the median says how slowly a team's matches start: it ignores four slow ones in a row."""


def slot_time(total: float, start: float, thinking: Sequence[float]) -> SlotTime:
    """Return how long a match occupied its slot.

    Args:
        start: The part of it before the first turn.
    """
    turns = sum(thinking)
    counted = min(turns, max(0.0, total - start))
    own = tuple(counted * seconds / turns if turns else 0.0 for seconds in thinking)
    return SlotTime(own, max(0.0, total - counted))


def slot_time_of(result: MatchResult) -> SlotTime:
    """Return how long a match that has a result occupied its slot."""
    return slot_time(result.seconds.total, result.seconds.start, [player.clock.wall for player in result.players])


def payers(encounter: LadderEncounter, teams: Collection[str]) -> tuple[str, ...]:
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
        self._starts: dict[str, deque[float]] = defaultdict(lambda: deque(maxlen=_STARTS))

    @property
    def usual(self) -> Mapping[str, float]:
        """The slot seconds that a match of each team costs it, on average; recent matches count more."""
        return self._usual

    def left(self, team: str) -> float:
        """Return the seconds that a team has left; negative if it has used more than its share."""
        burst = self._burst()
        left, earned = self._left.get(team, (burst, self._earned))
        return min(burst, left + self._earned - earned)

    def charge(
        self,
        encounter: LadderEncounter,
        seats: Sequence[str],
        time: SlotTime,
        playing: Collection[str],
        teams: Collection[str],
    ) -> None:
        """Charge the time of a match to those who pay for it, and share it out.

        Args:
            seats: The name of the entrant on each seat.
            playing: Those to whom the time is shared out.
            teams: All who have a share.
        """
        paying = payers(encounter, teams)
        if not paying or not time.thinking:
            return
        own = dict.fromkeys(paying, 0.0)
        for name, seconds in zip(seats, time.thinking, strict=True):
            if name in own:
                own[name] += seconds
        unowned = (sum(time.thinking) - sum(own.values())) / len(paying)
        for team, rest in self._rest_by_team(paying, time.rest).items():
            cost = own[team] + unowned + rest
            self._left[team] = (self.left(team) - cost, self._earned)
            usual = self._usual.get(team, cost)
            self._usual[team] = usual + _NEWEST * (cost - usual)
        self._earned += (sum(time.thinking) + time.rest) * _FACTOR / max(1, len(playing))

    def _rest_by_team(self, paying: Sequence[str], rest: float) -> dict[str, float]:
        """Return each team's part of the time in which nobody thinks: a team whose bots start slowly pays more."""
        for team in paying:
            self._starts[team].append(rest)
        usual = {team: max(1e-6, median(self._starts[team])) for team in paying}  # 1e-6: nothing is divided by 0
        return {team: rest * seconds / sum(usual.values()) for team, seconds in usual.items()}

    def over(self, teams: Iterable[str], running: Sequence[str]) -> frozenset[str]:
        """Return those of the teams that have used their share, including what their running matches will cost."""
        return frozenset(team for team in teams if self.left(team) <= running.count(team) * self._usual.get(team, 0.0))

    def behind(self, teams: Collection[str]) -> frozenset[str]:
        """Return the half of the teams that have the fewest seconds left."""
        return frozenset(sorted(teams, key=lambda team: (self.left(team), team))[: len(teams) // 2])

    def _burst(self) -> float:
        return _BURST * max(_SHORTEST, median(self._usual.values()) if self._usual else 0.0)


def in_order(
    encounters: Iterable[LadderEncounter], over: frozenset[str], teams: Collection[str]
) -> tuple[list[LadderEncounter], list[LadderEncounter]]:
    """Return the open encounters that can start, most urgent first, and those of teams that have used their share."""
    ready: list[LadderEncounter] = []
    postponed: list[LadderEncounter] = []
    for encounter in sorted(encounters, key=lambda encounter: (_URGENT[encounter.kind], encounter.number)):
        waits = not over.isdisjoint(payers(encounter, teams))
        (postponed if waits else ready).append(encounter)
    return ready, postponed
