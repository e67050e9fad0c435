"""The games of one encounter: the number needed, and their combined result."""

from dataclasses import dataclass, field

from arena.match.result import MatchResult
from arena.tournament.plan.config import PairingRules
from arena.tournament.plan.encounters import Encounter, EncounterResult
from arena.tournament.plan.values import MatchSpec


@dataclass(slots=True)
class SeriesGame:
    """One game of an encounter.

    Attributes:
        spec: The match.
        result: Its result; None until it is settled, and if it was decided without a game.
        points: Points in order of the seats, once it is settled.
    """

    spec: MatchSpec
    result: MatchResult | None = None
    points: tuple[float, ...] = ()

    def settle(self, absent: frozenset[str]) -> None:
        """Set the points: from the result, or for the present players against the absent ones."""
        if self.result is not None:
            self.points = tuple(self.result.points(seat) for seat in range(len(self.spec.seats)))
            return
        present = [name not in absent for name in self.spec.names]
        share = 1.0 / sum(present) if any(present) else 0.0
        self.points = tuple(share if there else 0.0 for there in present)


@dataclass(slots=True)
class Series:
    """The games of an encounter, settled one after the other.

    Attributes:
        encounter: The encounter.
        seeds: The stage's names in order of their seeds, which decide a knockout last.
        absent: Players who do not play it at all.
        extra_pairs: Pairs of games that may be added when a knockout is tied.
        sudden_death: Pairs that may be added when the scores are tied as well.
        rules: The pairing rules.
    """

    encounter: Encounter
    seeds: tuple[str, ...]
    absent: frozenset[str]
    extra_pairs: int
    sudden_death: int
    rules: PairingRules
    games: list[SeriesGame] = field(default_factory=list)
    settled: int = 0
    points: list[float] = field(default_factory=list)
    wins: list[int] = field(default_factory=list)
    margin: list[float] = field(default_factory=list)
    played: int = 0
    draws: int = 0
    _legs: list[SeriesGame] = field(default_factory=list)
    _result: EncounterResult | None = None

    def __post_init__(self) -> None:
        count = len(self.encounter.players)
        self.points, self.wins, self.margin = [0.0] * count, [0] * count, [0.0] * count

    def add(self, game: SeriesGame) -> None:
        """Count one settled game. If several legs count as one game, the last leg adds the points."""
        self.settled += 1
        self._legs.append(game)
        for seat, name in enumerate(game.spec.names):
            if game.result is not None:
                self.margin[self.encounter.players.index(name)] += game.result.margin(seat)
        if len(self._legs) == self.rules.legs:
            self._count()
            self._legs.clear()

    def _count(self) -> None:
        """Count the legs as one game: by their points, and if these are equal, by the game's own scores."""
        points, margin = [0.0] * len(self.points), [0.0] * len(self.points)
        for game in self._legs:
            for seat, name in enumerate(game.spec.names):
                index = self.encounter.players.index(name)
                points[index] += game.points[seat]
                if self.rules.legs > 1 and game.result is not None:
                    margin[index] += game.result.margin(seat)
        played = any(game.result is not None for game in self._legs)
        self.played += played
        if self.rules.legs == 1:
            shares, winner = points, _winner_of(self._legs[0])
        else:
            winner = _best(points)
            winner = _best(margin) if winner is None and any(points) else winner
            level = [1.0 / len(points) if any(points) else 0.0] * len(points)
            shares = level if winner is None else [float(index == winner) for index in range(len(points))]
        for index, share in enumerate(shares):
            self.points[index] += share
            self.wins[index] += played and index == winner
        self.draws += played and winner is None

    @property
    def is_decided(self) -> bool:
        """Whether no more games are needed."""
        return self._result is not None or (self.settled == len(self.games) and not self.next_games())

    def next_games(self) -> range:
        """Return the numbers of the games that are needed in any case, once all earlier games are settled."""
        encounter, done = self.encounter, len(self.games) // self.rules.legs
        if encounter.is_bye or self.absent or self.settled < len(self.games):
            return range(0)
        last = self._needed(done)
        return range(done * self.rules.legs, last * self.rules.legs)

    def _needed(self, done: int) -> int:
        """Return the smallest total number of games, after this many games."""
        encounter = self.encounter
        if not encounter.knockout:
            return max(done, encounter.games)
        lead = abs(self.points[0] - self.points[1])
        if done < encounter.games:
            left = encounter.games - done
            # The leader must still win half of the missing points, so those games are needed in any case.
            return done if lead > left else done + int((left - lead) // 2) + 1
        if lead == 0 and done < self._most():
            # Complete the pair before checking who leads, so that both had each seat equally often.
            return done + 2 + (done % 2 if self.rules.first else -(done % 2))
        return done

    def _most(self) -> int:
        """Return the limit of games of a tied knockout, which is higher if the game's own scores are tied as well."""
        games = self.encounter.games
        pairs = self.extra_pairs + (self.sudden_death if _best(self.margin) is None else 0)
        half = games % 2 if pairs and not self.rules.first else 0
        return games + half + 2 * pairs

    def result(self) -> EncounterResult:
        """Return the result of the encounter. Call this only when no more games are needed."""
        if self._result is None:
            self._result = self._add_up()
        return self._result

    def _add_up(self) -> EncounterResult:
        encounter = self.encounter
        points = tuple(self.points)
        if encounter.is_bye:
            return EncounterResult(encounter, (float(encounter.games),), (0,), (0.0,), 0, "bye", 0)
        if self.absent:
            return self._walkover()
        winner, decided = _best(self.points), "games"
        if winner is None and encounter.knockout:
            winner, decided = _best(self.margin), "margin"
        if winner is None and encounter.knockout:
            best = min(encounter.players, key=self.seeds.index)
            winner, decided = encounter.players.index(best), "seed"
        decided = decided if self.played else "walkover"
        wins, margin = tuple(self.wins), tuple(self.margin)
        return EncounterResult(encounter, points, wins, margin, winner, decided, self.played, self.draws)

    def _walkover(self) -> EncounterResult:
        encounter = self.encounter
        present = [name not in self.absent for name in encounter.players]
        games = max(1, encounter.games)
        share = games / sum(present) if any(present) else 0.0
        points = tuple(share if there else 0.0 for there in present)
        winner = _best(list(points))
        if winner is None and encounter.knockout:
            winner = encounter.players.index(min(encounter.players, key=self.seeds.index))
        nothing = (0.0,) * len(present)
        return EncounterResult(encounter, points, (0,) * len(present), nothing, winner, "walkover", 0)


def _winner_of(game: SeriesGame) -> int | None:
    """Return the winner's index among the encounter's players. The game's number decides who had the first seat."""
    if game.result is None or game.result.outcome.winner is None:
        return None
    return (game.result.outcome.winner + game.spec.number) % len(game.spec.seats)


def _best(values: list[float]) -> int | None:
    """Return the index of the largest value, or None if two are equal."""
    top = max(values)
    return values.index(top) if values.count(top) == 1 else None
