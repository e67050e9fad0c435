"""Compute the ratings of the ladder from results and activated versions, and choose the next encounter."""

import math
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from arena.season.state import SeasonState
from arena.season.values import Activation, Played, Player
from arena.tournament.plan.ratings.skill import MU, SIGMA, Skill, updated

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
        place: The place, from 1.
        team: The team or the built-in bot.
        skill: The estimated skill.
        uncertainty: The standard deviation of the skill.
        rating: The lower bound of the skill, by which the table is ordered.
        matches: The number of rated matches of the team.
        points: The sum of points in these matches.
        version: The number of the active version; 0 for a built-in bot.
        is_anchor: Whether it is a built-in bot.
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


class Ratings(msgspec.Struct, array_like=True):
    """The values of a `Board` that the checkpoint stores.

    Attributes:
        generation: The generation of the state from which the values were computed (see `SeasonState`).
        next: The position in the state's timeline of the first entry that was not added yet.
        results: The number of results that were added.
        skills: The skills.
        active: The activated versions of each team.
        rated: The number of rated matches of each player.
        matches: The number of rated matches of each team.
        points: The sum of points of each team in rated matches.
        met: How often each pair of players met in rated matches.
    """

    generation: int
    next: int
    results: int
    skills: dict[Player, Skill]
    active: dict[str, list[Player]]
    rated: dict[Player, int]
    matches: dict[str, int]
    points: dict[str, int | float]
    met: dict[frozenset[Player], int]


class Board:
    """The ratings after all results of a season, or after its first results only (see `advance`).

    Args:
        state: The season.
    """

    def __init__(self, state: SeasonState) -> None:
        self._state = state
        self._clear()

    def _clear(self) -> None:
        self._generation = self._state.generation
        self._next = self._results = 0
        self.skills: dict[Player, Skill] = {
            player: Skill(skill, _FIXED) for player, skill in self._state.anchors.items()
        }
        self.active: dict[str, list[Player]] = {}
        self.rated: Counter[Player] = Counter()
        self.matches: Counter[str] = Counter()
        self.points: Counter[str] = Counter()
        self.met: Counter[frozenset[Player]] = Counter()
        self.recent: deque[Played] = deque(maxlen=50)

    def ratings(self) -> Ratings:
        """Return the current values, for the checkpoint."""
        points: dict[str, int | float] = {**self.points}
        return Ratings(self._generation, self._next, self._results, self.skills, self.active, self.rated, self.matches,
                       points, self.met)  # fmt: skip

    def resume(self, known: Ratings) -> None:
        """Continue from the values that an earlier process computed from the same entries."""
        self._generation, self._next, self._results = known.generation, known.next, known.results
        self.skills, self.active = known.skills, known.active
        self.rated, self.matches, self.met = Counter(known.rated), Counter(known.matches), Counter(known.met)
        self.points = Counter(known.points)
        self.recent.extend(one for one in self._state.timeline[: known.next] if isinstance(one, Played))

    def advance(self, limit: int | None = None) -> None:
        """Add the new entries of the state's timeline.

        Start again from the first entry if earlier ratings have changed, or if the limit is lower than before.

        Args:
            limit: The number of results to add, counted from the start of the season; None for all results.
        """
        state = self._state
        if self._generation != state.generation or (limit is not None and self._results > limit):
            self._clear()
        timeline = state.timeline
        while self._next < len(timeline):
            step = timeline[self._next]
            if isinstance(step, Activation):
                self._activate(step.player)
            elif limit is not None and self._results >= limit:
                return
            else:
                self._results += 1
                self.recent.append(step)
                if state.counts(step):
                    self._rate(step)
            self._next += 1

    def _activate(self, player: Player) -> None:
        """Let a new version start with the skill of its team's previous version, and with more uncertainty."""
        before = self.active.setdefault(player[0], [])
        if player not in self.skills:
            known = self.skills[before[-1]] if before else Skill()
            self.skills[player] = Skill(known.mu, min(SIGMA, math.hypot(known.sigma, _MORE)))
        before.append(player)

    def _rate(self, played: Played) -> None:
        players = played.players
        points = self._state.orders.corrected.get(played.id, played.points)
        skills = [self.skills[player] if player in self.skills else Skill() for player in players]
        after = updated(skills, points, played.teams)
        for player, skill, point in zip(players, after, points, strict=True):
            if player not in self._state.anchors:
                self.skills[player] = skill
            self.rated[player] += 1
            self.matches[player[0]] += 1
            self.points[player[0]] += point  # type: ignore[assignment]
        for index, one in enumerate(players):
            for other in players[index + 1 :]:
                self.met[frozenset((one, other))] += 1

    def playing(self) -> dict[str, Player]:
        """Return the version that plays for each team: the last activated one that is not disqualified.

        Teams without such a version, and disqualified teams, are left out.
        """
        found = {}
        for team, activated in self.active.items():
            allowed = [player for player in activated if not self._state.orders.is_out(player)]
            if allowed:
                found[team] = allowed[-1]
        return found

    def table(self) -> list[LadderRow]:
        """Return the ladder's table: teams and built-in bots, ordered by the lower bound of their skill."""
        state = self._state
        order = {team: index for index, team in enumerate(state.teams)}
        players = [*self.playing().values(), *state.anchors]
        skills = self.skills
        players.sort(key=lambda one: (-round(skills[one].ordinal, 9), order.get(one[0], len(order)), one))
        return [
            LadderRow(
                place, player[0], round(skills[player].mu, 6), round(skills[player].sigma, 6),
                round(skills[player].ordinal, 6), self.matches[player[0]], self.points[player[0]],
                0 if player in state.anchors else state.by_player[player].number, player in state.anchors,
            )
            for place, player in enumerate(players, 1)
        ]  # fmt: skip


def next_players(board: Board, shares: Sequence[Player], size: int, rest: int) -> tuple[Player, ...]:
    """Choose the players of the next encounter of the ladder.

    The first player has the largest value of sigma / (1 + n). Here sigma is the uncertainty of the player's skill, and
    n counts how often the player's team occurs in `shares`. Each further player is the one whose match with the chosen
    players reduces uncertainty most.

    Args:
        board: The ratings.
        shares: The players of the last encounters (see `window`), including unfinished encounters.
        size: The number of players.
        rest: The number of rated matches after which a version is not chosen first; 0 for no limit.

    Returns:
        The players; empty if no version can be chosen first, or if there are too few players.
    """
    playing = list(board.playing().values())
    share = Counter(name for name, _ in shares)
    due = [player for player in playing if not rest or board.rated[player] < rest]
    others = [*playing, *(player for player in board.skills if player[1] and board.skills[player].sigma <= _FIXED)]
    if not due or len(others) < size:
        return ()
    first = max(due, key=lambda one: (board.skills[one].sigma / (1 + share[one[0]]), one))
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
    first, second = board.skills[one], board.skills[other]
    variance = first.sigma**2 + second.sigma**2
    spread = math.sqrt(variance + 2 * _BETA**2)
    chance = 1.0 / (1.0 + math.exp(min(50.0, abs(first.mu - second.mu) / spread)))
    return chance * (1.0 - chance) * variance / spread**2 / (1 + board.met[frozenset((one, other))])
