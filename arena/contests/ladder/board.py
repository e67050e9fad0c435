"""The ratings of the ladder, computed from results and activated versions in the order of the journal.

Each result updates the skills of its players (`arena.contests.ratings.skill`), with the weight that `collusion` gives
it. Anchors have fixed skills, to which the others are compared.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from arena.contests.ladder.collusion import Pairs
from arena.contests.ratings.form import Form, result_letter
from arena.contests.ratings.skill import BETA, SIGMA, Skill, updated
from arena.contests.state import Contest
from arena.contests.values import Played, Player, Version

NEW_VERSION = 3.0
"""The uncertainty that is added to a team's skill when its new version becomes active.

Too little, and the rating follows a better version slowly; too much, and a team can try its luck with one version
after the other. In 40 simulated contests with this value, 30 equal versions never made their team first, and the 95 %
intervals held 88 to 94 % of the true skills with 20 better versions (92 to 99 % without new versions).
"""
ANCHOR_UNCERTAINTY = 1e-3
"""The uncertainty of an anchor, whose skill is fixed. Chosen, not measured: far below that of any team."""


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
        self.skills = {name: Skill(skill, ANCHOR_UNCERTAINTY) for name, skill in self.state.anchors.items()}
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
            event = timeline[self._next]
            if isinstance(event, Version):
                self._activate(event.player)
            elif limit is not None and event.index >= limit:
                return
            else:
                self._results = event.index + 1
                if state.counts(event):
                    self._rate(event)
            self._next += 1

    def _activate(self, player: Player) -> None:
        """Let another version play with the team's skill and with more uncertainty, also if it has played before.

        If each version had its own skill, a team could return to the one that was lucky.
        """
        team = player[0]
        if self.state.orders.is_out(player) or team in self.state.anchors:
            return
        activated = self.active.setdefault(team, [])
        skill = self.skills.get(team, Skill())
        if activated:
            skill = Skill(skill.mu, min(SIGMA, math.hypot(skill.sigma, NEW_VERSION)))
        self.skills[team] = skill
        activated.append(player)

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
            self.forms[name] = self.forms.get(name, Form()).after(result_letter(point, points), self.skills[name].mu)

    def _weights(self, played: Played, points: Sequence[float], skills: Sequence[Skill]) -> list[float]:
        """Add a result to the pairs, and return the weight of the result for each player: the mean of its pairs."""
        weights: list[list[float]] = [[] for _ in skills]
        fixed = self.state.anchors.keys()
        allies = {frozenset(pair) for team in played.teams for pair in combinations(team, 2)}
        for seat, rival in combinations(range(len(skills)), 2):
            names = played.names[seat], played.names[rival]
            if names[0] == names[1] or frozenset((seat, rival)) in allies:
                continue
            result = 0.5 + (points[seat] > points[rival]) / 2 - (points[seat] < points[rival]) / 2
            chance = winning_chance(skills[seat], skills[rival])
            weight = self.pairs.add(*names, result, chance, trusted=not fixed.isdisjoint(names))
            weights[seat].append(weight)
            weights[rival].append(weight)
        return [sum(of_seat) / len(of_seat) if of_seat else 1.0 for of_seat in weights]

    def playing(self) -> dict[str, Player]:
        """Return the version that plays for each team: the last activated one that is not disqualified.

        Teams without such a version, and disqualified teams, are left out.
        """
        players = {}
        for team, activated in self.active.items():
            if team in self.state.anchors or team in self.state.orders.withdrawn:
                continue
            allowed = [player for player in activated if not self.state.orders.is_out(player)]
            if allowed:
                players[team] = allowed[-1]
        return players

    def table(self) -> list[LadderRow]:
        """Return the ladder's table: teams and built-in bots, ordered by the lower bound of their skill."""
        entered = {team: index for index, team in enumerate(self.state.entrants)}

        def order(player: Player) -> tuple[float, int, Player]:
            # Skills that differ by the rounding of floats only are equal, and then who entered first comes first.
            return -round(self.skills[player[0]].ordinal, 9), entered.get(player[0], len(entered)), player

        players = sorted([*self.playing().values(), *self.state.anchor_players()], key=order)
        return [self._row(place, player) for place, player in enumerate(players, 1)]

    def _row(self, place: int, player: Player) -> LadderRow:
        team, skill = player[0], self.skills[player[0]]
        is_anchor = team in self.state.anchors
        return LadderRow(
            place=place,
            team=team,
            skill=round(skill.mu, 6),
            uncertainty=round(skill.sigma, 6),
            rating=round(skill.ordinal, 6),
            matches=self.matches[team],
            points=self.points[team],
            version=0 if is_anchor else self.state.by_player[player].number,
            is_anchor=is_anchor,
            form=self.forms.get(team, Form()),
        )


def winning_chance(skill: Skill, rival: Skill) -> float:
    """Return the chance of a player against another one, as the model of the ratings assumes it."""
    spread = math.sqrt(skill.sigma**2 + rival.sigma**2 + 2 * BETA**2)
    # Beyond 50 the chance is 0 or 1 to the last bit, and `exp` would overflow from 709 on.
    return 1.0 / (1.0 + math.exp(max(-50.0, min(50.0, (rival.mu - skill.mu) / spread))))


def _between(before: Skill, after: Skill, weight: float) -> Skill:
    """Return a skill after an update of which only a part counts. A negative part takes back earlier updates."""
    if weight == 1.0:
        return after
    variance = before.sigma**2 + max(0.0, weight) * (after.sigma**2 - before.sigma**2)
    return Skill(before.mu + weight * (after.mu - before.mu), math.sqrt(variance))
