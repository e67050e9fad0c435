"""The games of one encounter: how many it needs, when it is decided, and their combined result.

A game is one match, or in games with unequal sides several *legs*: matches with the same seed and swapped seats that
count as one game. A series asks for games only as far as it needs them whatever they bring, so that all of them can be
played at once and none in vain.
"""

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from arena.contests.config import PairingRules
from arena.contests.stages.encounters import Encounter, EncounterResult, exact
from arena.game import Outcome
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec

Match = tuple[MatchSpec, MatchResult]
"""A match that was played."""

# -- legs --------------------------------------------------------------------------------------------------


def together(matches: Iterable[Match], legs: int) -> list[list[Match]]:
    """Group matches into games. The legs of each game are in the order in which they are played."""
    games: dict[tuple[str, int, int, int], list[Match]] = {}
    for spec, result in matches:
        key = (spec.stage, spec.round, spec.pairing, spec.number // legs)
        games.setdefault(key, []).append((spec, result))
    return [sorted(game, key=lambda leg: leg[0].number) for game in games.values()]


def in_order(matches: Iterable[Match], stages: Sequence[str], legs: int) -> list[list[Match]]:
    """Group matches into games, in the order of the schedule: by stage, round, pairing and number.

    Args:
        stages: The names of the stages, in their order.
    """
    numbers = {name: number for number, name in enumerate(stages)}

    def slot(game: list[Match]) -> tuple[int, int, int, int]:
        spec, _ = game[0]
        return numbers[spec.stage], spec.round, spec.pairing, spec.number

    return sorted(together(matches, legs), key=slot)


def legs_of(match_id: str, matches: Iterable[Match], legs: int) -> list[Match]:
    """Return the legs of the game that a match belongs to; empty if the match has no replay.

    Args:
        matches: Finished matches. Matches without a replay are left out.
    """
    for game in together([(spec, result) for spec, result in matches if result.replay], legs):
        if any(spec.match_id == match_id for spec, _ in game):
            return game
    return []


# -- the games of an encounter -----------------------------------------------------------------------------


@dataclass(slots=True)
class SeriesGame:
    """One match of an encounter: a game, or one leg of a game.

    Attributes:
        result: The result; None before the match is settled, or if the match was decided without being played.
        points: Points in order of the seats; empty before the match is settled.
    """

    spec: MatchSpec
    result: MatchResult | None = None
    points: tuple[Fraction, ...] = ()

    @property
    def counted(self) -> MatchResult | None:
        """The result if it counts; None for a match that is not settled, was not played, or was void."""
        return self.result if self.result is not None and self.result.has_verdict else None

    def settle(self, absent: frozenset[str]) -> None:
        """Set the points from the result. Without a result, the players who are not absent share one point."""
        if self.result is not None:
            self.points = tuple(exact(self.result.points(seat)) for seat in range(len(self.spec.seats)))
            return
        present = [name not in absent for name in self.spec.names]
        self.points = tuple(Fraction(is_present, sum(present) or 1) for is_present in present)


@dataclass(slots=True)
class Series:
    """The games of an encounter, settled one after the other.

    Attributes:
        seeds: The names of the stage's entrants in order of their seeds. The seed is the last tie-break of a knockout.
        extra_pairs: Limit of additional pairs of games if a knockout is tied. At a table of more than two players, it
            is the limit of additional games.
        sudden_death: Limit of further pairs of games, after `extra_pairs`, if the scores in the game are tied as well.
    """

    encounter: Encounter
    seeds: tuple[str, ...]
    absent: frozenset[str]
    extra_pairs: int
    sudden_death: int
    rules: PairingRules
    games: list[SeriesGame] = field(default_factory=list)
    settled: int = 0
    points: list[Fraction] = field(default_factory=list)
    wins: list[int] = field(default_factory=list)
    margin: list[float] = field(default_factory=list)
    played: int = 0
    draws: int = 0
    outcomes: list[Outcome] = field(default_factory=list)
    _legs: list[SeriesGame] = field(default_factory=list)
    _result: EncounterResult | None = None

    def __post_init__(self) -> None:
        count = len(self.encounter.players)
        self.points, self.wins, self.margin = [Fraction()] * count, [0] * count, [0.0] * count

    def until_now(self) -> "Series":
        """Return a copy that later games do not change."""
        copied = copy.copy(self)
        copied.games, copied.points, copied.wins = [*self.games], [*self.points], [*self.wins]
        copied.margin, copied.outcomes, copied._legs = [*self.margin], [*self.outcomes], [*self._legs]
        return copied

    def add(self, game: SeriesGame) -> None:
        """Add one settled match. If several legs count as one game, the game's points are added after the last leg."""
        self.settled += 1
        self._legs.append(game)
        for seat, name in enumerate(game.spec.names):
            if game.counted is not None:
                self.margin[self.encounter.players.index(name)] += game.counted.margin(seat)
        if len(self._legs) == self.rules.legs:
            self._count()
            self._legs.clear()

    def _count(self) -> None:
        """Count the legs as one game. Several legs are decided by the sum of points, then by the sum of margins."""
        points, margin = [Fraction()] * len(self.points), [0.0] * len(self.points)
        for game in self._legs:
            for seat, name in enumerate(game.spec.names):
                index = self.encounter.players.index(name)
                points[index] += game.points[seat]
                if self.rules.legs > 1 and game.counted is not None:
                    margin[index] += game.counted.margin(seat)
        played = any(game.counted is not None for game in self._legs)
        self.played += played
        outcomes = [outcome for game in self._legs if (outcome := _outcome_of(game)) is not None]
        self.outcomes += outcomes
        if len(points) > 2:
            shares, winner = points, None
            for index in range(len(points)):
                self.wins[index] += sum(outcome.verdict(index) == "won" for outcome in outcomes)
        elif self.rules.legs == 1:
            shares, winner = points, _winner_of(self._legs[0])
        else:
            winner = _best(points)
            winner = _best(margin) if winner is None and any(points) else winner
            level = [Fraction(any(points), len(points))] * len(points)
            shares = level if winner is None else [Fraction(index == winner) for index in range(len(points))]
        for index, share in enumerate(shares):
            self.points[index] += share
            self.wins[index] += played and index == winner
        cooperative = any(outcome.common is not None for outcome in outcomes)
        self.draws += played and winner is None and len(points) == 2 and not cooperative

    @property
    def is_decided(self) -> bool:
        return self._result is not None or (self.settled == len(self.games) and not self.next_games())

    def next_games(self) -> range:
        """Return the numbers of the matches to play now; none until all earlier matches are settled.

        The series needs all these matches, whatever their results are.
        """
        encounter, done = self.encounter, len(self.games) // self.rules.legs
        if encounter.is_bye or self.absent or self.settled < len(self.games):
            return range(0)
        last = self._needed(done)
        return range(done * self.rules.legs, last * self.rules.legs)

    def _needed(self, done: int) -> int:
        """Return the smallest total number of games that can decide the encounter, if `done` games were played."""
        encounter = self.encounter
        if not encounter.knockout:
            return max(done, encounter.games)
        if len(encounter.players) > 2:
            more = encounter.games <= done < encounter.games + self.extra_pairs and self._cut_is_tied(self.points)
            return max(done + more, encounter.games)
        lead = abs(self.points[0] - self.points[1])
        if done < encounter.games:
            left = encounter.games - done
            # The leader needs at least this number of further wins, so these games are played in any case.
            return done if lead > left else done + int((left - lead) // 2) + 1
        if lead == 0 and done < self._most():
            # Complete the pair of games, so that both players have had each seat equally often.
            return done + 2 - done % 2
        return done

    def _cut_is_tied(self, values: list[Fraction]) -> bool:
        """Return whether the last player who advances and the next one have the same value."""
        ordered, last = sorted(values, reverse=True), self.encounter.advance
        return last < len(ordered) and ordered[last - 1] == ordered[last]

    def _most(self) -> int:
        """Return the largest number of games of a tied knockout. `sudden_death` counts only if scores are tied too."""
        games = self.encounter.games
        pairs = self.extra_pairs + (self.sudden_death if _best(self.margin) is None else 0)
        half = games % 2 if pairs else 0
        return games + half + 2 * pairs

    def result(self) -> EncounterResult:
        """Return the result of the encounter. Call this only if `is_decided`."""
        if self._result is None:
            self._result = self._add_up()
        return self._result

    def _add_up(self) -> EncounterResult:
        encounter = self.encounter
        if encounter.is_bye:
            return EncounterResult(encounter, (Fraction(encounter.games),), (0,), (0.0,), 0, "bye", 0)
        if self.absent:
            return self._walkover()
        if encounter.knockout and len(self.points) > 2:
            return self._table()
        winner, decided = _best(self.points), "games"
        if winner is None and encounter.knockout:
            winner, decided = _best(self.margin), "margin"
        if winner is None and encounter.knockout:
            winner, decided = self._first_seed(), "seed"
        decided = decided if any(game.result is not None for game in self.games) else "walkover"
        return self._played(winner, decided)

    def _played(self, winner: int | None, decided: str, order: tuple[int, ...] = ()) -> EncounterResult:
        return EncounterResult(
            encounter=self.encounter,
            points=tuple(self.points),
            wins=tuple(self.wins),
            margin=tuple(self.margin),
            winner=winner,
            decided=decided,
            played=self.played,
            draws=self.draws,
            outcomes=tuple(self.outcomes),
            order=order,
        )

    def _table(self) -> EncounterResult:
        """Return the result of a table whose best players advance: by points, then payoffs, then scores, then seed."""
        encounter, count = self.encounter, len(self.points)
        paying = [outcome.payoffs for outcome in self.outcomes if outcome.payoffs]
        payoffs = [sum(payoff[index] for payoff in paying) for index in range(count)]
        values = list(zip(self.points, payoffs, self.margin, strict=True))
        order = sorted(range(count), key=lambda index: [-value for value in values[index]] + [self._seed(index)])
        last, first_out = (values[index] for index in order[encounter.advance - 1 : encounter.advance + 1])
        decided = "games" if last[0] != first_out[0] else "margin" if last != first_out else "seed"
        return self._played(order[0], decided, tuple(order))

    def _seed(self, index: int) -> int:
        return self.seeds.index(self.encounter.players[index])

    def _first_seed(self) -> int:
        return min(range(len(self.points)), key=self._seed)

    def _walkover(self) -> EncounterResult:
        encounter = self.encounter
        present = [name not in self.absent for name in encounter.players]
        games = max(1, encounter.games)
        points = tuple(Fraction(games * is_present, sum(present) or 1) for is_present in present)
        winner = _best(points)
        if winner is None and encounter.knockout:
            winner = self._first_seed()
        no_wins, no_margin = (0,) * len(present), (0.0,) * len(present)
        return EncounterResult(encounter, points, no_wins, no_margin, winner, "walkover", 0)


def _winner_of(game: SeriesGame) -> int | None:
    """Return the winner's index among the encounter's players, or None. Seats rotate from match to match."""
    if game.counted is None or game.counted.outcome.winner is None:
        return None
    return (game.counted.outcome.winner + game.spec.number) % len(game.spec.seats)


def _outcome_of(game: SeriesGame) -> Outcome | None:
    """Return the outcome with a rank for each player, in the order of the encounter's players.

    None represents a match that does not count, and a match of two players that has no ranks.
    """
    if game.counted is None:
        return None
    outcome, count = game.counted.outcome, len(game.spec.seats)
    if outcome.common is not None:
        return outcome
    if not outcome.ranks and count == 2:
        return None
    ranks = outcome.ranks or [1 if outcome.winner in (None, seat) else 2 for seat in range(count)]
    turn = game.spec.number % count
    seats = [(index - turn) % count for index in range(count)]
    return replace(
        outcome,
        winner=None,
        ranks=tuple(ranks[seat] for seat in seats),
        teams=tuple(tuple((seat + turn) % count for seat in team) for team in outcome.teams),
        payoffs=tuple(outcome.payoffs[seat] for seat in seats) if outcome.payoffs else (),
    )


def _best(values: Sequence[float] | Sequence[Fraction]) -> int | None:
    """Return the index of the largest value, or None if several values are the largest."""
    top = max(values)
    return values.index(top) if values.count(top) == 1 else None
