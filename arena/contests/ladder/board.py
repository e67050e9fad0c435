"""Compute the ratings of the ladder from results and activated versions, and choose the next encounter."""

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations

from arena.contests.ladder.collusion import Pairs
from arena.contests.ratings.form import Form, kind_of
from arena.contests.ratings.skill import MU, SIGMA, Skill, updated
from arena.contests.state import Contest
from arena.contests.values import Played, Player, Version

_MORE = 3.0
"""The uncertainty that is added to a team's skill when its new version becomes active."""
_FIXED = 1e-3
"""The uncertainty of a built-in bot."""
_BETA = MU / 6.0
"""The standard deviation of a player's performance in one match."""
_WINDOW = 4
"""The factor by which `window` multiplies the number of teams."""


@dataclass(frozen=True, slots=True)
class LadderRow:
    """One line of the ladder's table.

    Attributes:
        version: The number of the active version; 0 for a built-in bot.
        form: Its results, and its skill over time.
    """

    place: int
    team: str
    skill: float
    uncertainty: float
    rating: float
    matches: int
    points: float
    version: int
    is_anchor: bool
    form: Form


class Board:
    """The ratings after all results of a contest, or after its first results only (see `advance`)."""

    def __init__(self, state: Contest) -> None:
        self.state = state
        self._clear()

    def _clear(self) -> None:
        self._generation = self.state.generation
        self._next = self._results = 0
        self.skills = {name: Skill(skill, _FIXED) for name, skill in self.state.anchors.items()}
        self.active: dict[str, list[Player]] = {}
        self.rated: Counter[Player] = Counter()
        self.matches: Counter[str] = Counter()
        self.points: Counter[str] = Counter()
        self.forms: dict[str, Form] = {}
        self.pairs = Pairs()

    def advance(self, limit: int | None = None) -> None:
        """Add the new entries of the state's timeline.

        Start again from the first entry if earlier ratings have changed, or if the limit is lower than before.

        Args:
            limit: The number of results to add, counted from the start of the contest; None for all results.
        """
        state = self.state
        if self._generation != state.generation or (limit is not None and self._results > limit):
            self._clear()
        timeline = state.timeline
        while self._next < len(timeline):
            step = timeline[self._next]
            if isinstance(step, Version):
                self._activate(step.player)
            elif limit is not None and step.index >= limit:
                return
            else:
                self._results = step.index + 1
                if state.counts(step):
                    self._rate(step)
            self._next += 1

    def _activate(self, player: Player) -> None:
        """Let another version play with the team's skill and with more uncertainty, also if it has played before.

        If each version had its own skill, a team could return to the one that was lucky.
        """
        if self.state.orders.is_out(player) or player[0] in self.state.anchors:
            return
        team, before = player[0], self.active.setdefault(player[0], [])
        known = self.skills.get(team, Skill())
        self.skills[team] = Skill(known.mu, min(SIGMA, math.hypot(known.sigma, _MORE))) if before else known
        before.append(player)

    def _rate(self, played: Played) -> None:
        names, fixed = played.names, self.state.anchors
        points = self.state.orders.corrected.get(played.id, played.points)
        skills = [self.skills.get(name, Skill()) for name in names]
        weights = self._weights(played, points, skills)
        after = updated(skills, points, played.teams)
        for player, before, skill, weight in zip(played.players, skills, after, weights, strict=True):
            if player[0] not in fixed:
                self.skills[player[0]] = _between(before, skill, weight)
            self.rated[player] += 1
        for name, point in zip(names, points, strict=True):
            self.matches[name] += 1
            self.points[name] += point  # type: ignore[assignment]
            self.forms[name] = self.forms.get(name, Form()).after(kind_of(point, points), self.skills[name].mu)

    def _weights(self, played: Played, points: Sequence[float], skills: Sequence[Skill]) -> list[float]:
        """Add a result to the pairs, and return the weight of the result for each player: the mean of its pairs."""
        found: list[list[float]] = [[] for _ in skills]
        fixed = self.state.anchors.keys()
        allies = {frozenset(pair) for team in played.teams for pair in combinations(team, 2)}
        for one, other in combinations(range(len(skills)), 2):
            first, second = played.players[one][0], played.players[other][0]
            if first == second or frozenset((one, other)) in allies:
                continue
            result = 0.5 + (points[one] > points[other]) / 2 - (points[one] < points[other]) / 2
            trusted = not fixed.isdisjoint((first, second))
            weight = self.pairs.add(first, second, result, _chance(skills[one], skills[other]), trusted=trusted)
            found[one].append(weight)
            found[other].append(weight)
        return [sum(weights) / len(weights) if weights else 1.0 for weights in found]

    def playing(self) -> dict[str, Player]:
        """Return the version that plays for each team: the last activated one that is not disqualified.

        Teams without such a version, and disqualified teams, are left out.
        """
        found = {}
        for team, activated in self.active.items():
            if team in self.state.anchors or team in self.state.orders.withdrawn:
                continue
            allowed = [player for player in activated if not self.state.orders.is_out(player)]
            if allowed:
                found[team] = allowed[-1]
        return found

    def table(self) -> list[LadderRow]:
        """Return the ladder's table: teams and built-in bots, ordered by the lower bound of their skill."""
        state = self.state
        order = {team: index for index, team in enumerate(state.entrants)}
        players = [*self.playing().values(), *state.anchor_players()]
        skills = self.skills
        players.sort(key=lambda one: (-round(skills[one[0]].ordinal, 9), order.get(one[0], len(order)), one))
        return [
            LadderRow(
                place, player[0], round(skills[player[0]].mu, 6), round(skills[player[0]].sigma, 6),
                round(skills[player[0]].ordinal, 6), self.matches[player[0]], self.points[player[0]],
                0 if player[0] in state.anchors else state.by_player[player].number, player[0] in state.anchors,
                self.forms.get(player[0], Form()),
            )
            for place, player in enumerate(players, 1)
        ]  # fmt: skip


def next_players(
    board: Board, shares: Sequence[Player], size: int, rest: int, over: Collection[str] = ()
) -> tuple[Player, ...]:
    """Choose the players of the next encounter of the ladder.

    The first player has the largest value of sigma / (1 + n). Here sigma is the uncertainty of the player's skill, and
    n counts how often the player's team occurs in `shares`. Each further player is the one whose match with the chosen
    players reduces uncertainty most.

    Args:
        shares: The players of the last encounters (see `window`), including unfinished encounters.
        rest: The number of rated matches after which a version is not chosen first; 0 for no limit.
        over: The teams that have used their share of the slots (see `slot_shares`). They are not chosen.

    Returns:
        The players; empty if no version can be chosen first, or if there are too few players.
    """
    playing = [player for team, player in board.playing().items() if team not in over]
    share = Counter(name for name, _ in shares)
    due = [player for player in playing if not rest or board.rated[player] < rest]
    others = [*playing, *board.state.anchor_players()]
    if not due or len(others) < size:
        return ()
    first = max(due, key=lambda one: (board.skills[one[0]].sigma / (1 + share[one[0]]), one))
    chosen = [first]
    while len(chosen) < size:
        rest_of = [player for player in others if player not in chosen]
        chosen.append(max(rest_of, key=lambda one: (sum(_gain(board, one, other) for other in chosen), one)))
    return tuple(chosen)


def window(teams: int) -> int:
    """Return the number of past encounters in which `next_players` counts how often each team has played."""
    return _WINDOW * max(2, teams)


def _gain(board: Board, one: Player, other: Player) -> float:
    """Return how much a match of two players reduces the uncertainty of their skills."""
    first, second = board.skills[one[0]], board.skills[other[0]]
    variance = first.sigma**2 + second.sigma**2
    chance = _chance(first, second)
    return chance * (1.0 - chance) * variance / (variance + 2 * _BETA**2) / (1 + board.pairs.count(one[0], other[0]))


def _chance(one: Skill, other: Skill) -> float:
    spread = math.sqrt(one.sigma**2 + other.sigma**2 + 2 * _BETA**2)
    return 1.0 / (1.0 + math.exp(max(-50.0, min(50.0, (other.mu - one.mu) / spread))))


def _between(before: Skill, after: Skill, weight: float) -> Skill:
    if weight == 1.0:
        return after
    variance = before.sigma**2 + max(0.0, weight) * (after.sigma**2 - before.sigma**2)
    return Skill(before.mu + weight * (after.mu - before.mu), math.sqrt(variance))
