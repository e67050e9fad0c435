"""The games of one encounter: which are needed, and what they add up to."""

from dataclasses import dataclass, field

from arena.match.result import MatchResult
from arena.tournament.plan.encounters import Encounter, EncounterResult
from arena.tournament.plan.values import MatchSpec


@dataclass(slots=True)
class SeriesGame:
    """One game of an encounter.

    Attributes:
        spec: What is played.
        result: Its result; None until it is settled, and also when it was decided without a game.
        points: Points in order of the seats, once it is settled.
    """

    spec: MatchSpec
    result: MatchResult | None = None
    points: tuple[float, ...] = ()

    def settle(self, absent: frozenset[str]) -> None:
        """Fix the points: from the result, or for those who are there against those who are not."""
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
        encounter: Who meets.
        seeds: The stage's names in order of their seeds, the last resort of a knockout.
        absent: Players who do not play it at all.
        extra_pairs: Pairs of games that may be added when a knockout is level.
        legs: Matches with swapped seats that count as one game.
    """

    encounter: Encounter
    seeds: tuple[str, ...]
    absent: frozenset[str]
    extra_pairs: int
    games: list[SeriesGame] = field(default_factory=list)
    settled: int = 0
    points: list[float] = field(default_factory=list)
    wins: list[int] = field(default_factory=list)
    margin: list[float] = field(default_factory=list)
    played: int = 0
    draws: int = 0
    legs: int = 1
    _legs: list[SeriesGame] = field(default_factory=list)

    def __post_init__(self) -> None:
        count = len(self.encounter.players)
        self.points, self.wins, self.margin = [0.0] * count, [0] * count, [0.0] * count

    def add(self, game: SeriesGame) -> None:
        """Count one settled game; where several legs count as one, the last of them brings the points."""
        self.settled += 1
        self._legs.append(game)
        for seat, name in enumerate(game.spec.names):
            if game.result is not None:
                self.margin[self.encounter.players.index(name)] += game.result.margin(seat)
        if len(self._legs) == self.legs:
            self._count()
            self._legs.clear()

    def _count(self) -> None:
        """Count the legs as one game: by their points, and where these are equal by the game's own scores."""
        points, margin = [0.0] * len(self.points), [0.0] * len(self.points)
        for game in self._legs:
            for seat, name in enumerate(game.spec.names):
                index = self.encounter.players.index(name)
                points[index] += game.points[seat]
                margin[index] += game.result.margin(seat) if game.result is not None else 0.0
        played = any(game.result is not None for game in self._legs)
        self.played += played
        if self.legs == 1:
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
        """Whether all games are settled that there will be."""
        return self.settled == len(self.games) and not self.next_games()

    def next_games(self) -> range:
        """Return numbers of the games that are needed whatever happens, once all earlier ones are settled."""
        encounter, done = self.encounter, len(self.games) // self.legs
        if encounter.is_bye or self.absent or self.settled < len(self.games):
            return range(0)
        last = self._needed(done)
        return range(done * self.legs, last * self.legs)

    def _needed(self, done: int) -> int:
        """Return how many games there must be at least, given that so many are done."""
        encounter = self.encounter
        if not encounter.knockout:
            return max(done, encounter.games)
        lead = abs(self.points[0] - self.points[1])
        if done < encounter.games:
            left = encounter.games - done
            # The leader must still win half of the missing points: those games are needed in any case.
            return done if lead > left else done + int((left - lead) // 2) + 1
        if lead == 0 and done < encounter.games + 2 * self.extra_pairs:
            return done + 2 + done % 2
        return done

    def result(self) -> EncounterResult:
        """Return what the encounter came to; to be asked for only when no more games are needed."""
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
    """Return the winner's index among the encounter's players; the game's number says who had the first seat."""
    if game.result is None or game.result.outcome.winner is None:
        return None
    return (game.result.outcome.winner + game.spec.number) % len(game.spec.seats)


def _best(values: list[float]) -> int | None:
    """Return the index of the largest value, or None when it is not alone."""
    top = max(values)
    return values.index(top) if values.count(top) == 1 else None
