"""Find out which of two bots is stronger, by pairs of games with the same seed and swapped seats.

The two bots play against each other. If matches have other players too, the two bots do not meet: the first bot plays
one game of a pair, and the second bot plays the other game in the same seat.
"""

from collections import Counter, deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import ClassVar, Protocol

from arena.bots.bot import folder_name, load_bot
from arena.bots.build import built
from arena.contests.queue.queue import Ended, Engine, MatchQueue
from arena.contests.ratings.sequential import PairScores
from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec
from arena.match.ending import REGULAR, column_of, distinct_names
from arena.match.isolation import OWN_BOTS_ONLY, Isolation
from arena.match.result import MatchResult, game_key
from arena.match.settings import Scalar
from arena.match.spec import MatchSpec, NamedBot, Participant, seed_for
from arena.match.void import OUTAGE
from arena.play.referee.prepared import check_in_memory
from arena.text.printable import one_line

_REPEATED = 50
"""A sequential test ends after this many pairs of games in a row that only repeat earlier games.

If one pair in 20 were new, so many would repeat earlier ones with a chance of 8 in 100.
"""


class SequentialTest(Protocol):
    """A test that decides when a comparison ends, and with which result."""

    def decide(self, pairs: PairScores) -> str:
        """Return the decision after these pairs; "" while the test continues."""
        ...


@dataclass(frozen=True, slots=True)
class Subject:
    """The two bots of a comparison, and their games.

    Attributes:
        others: The other players of each match; empty if the two bots play each other alone.
    """

    stage: ClassVar[str] = "compare"

    game: str
    first: NamedBot
    second: NamedBot
    others: tuple[NamedBot, ...] = ()
    maps: tuple[str, ...] = ()
    options: tuple[tuple[str, Scalar], ...] = ()
    secret: str = ""

    @property
    def title(self) -> str:
        """The name of the contest in the specifications of its matches."""
        return self.stage

    def spec(self, number: int) -> MatchSpec:
        """Return game `number`, from 0. Games 2k and 2k+1 are a pair: they have the same seed and map."""
        pair, second = divmod(number, 2)
        return MatchSpec(
            tournament=self.title,
            stage=self.stage,
            round=pair + 1,
            pairing=0,
            number=number,
            game=self.game,
            map=self.maps[pair % len(self.maps)] if self.maps else "",
            options=self.options,
            seats=tuple(Participant(bot.name, bot.hash) for bot in self.table(pair, second)),
            seed=seed_for(self.secret, self.stage, pair),
        )

    def table(self, pair: int, second: int) -> Sequence[NamedBot]:
        """Return the players of a game, in order of their seats.

        * Without other players, the two bots swap their seats in the second game of a pair.
        * With other players, `first` plays the first game, and `second` plays the second game in the same seat. All
          players move on by one seat after one pair on every map; without maps, after every pair.
        """
        bots = (self.first, self.second)[:: -1 if second else 1]
        table = (bots[0], *self.others) if self.others else bots
        shift = pair // max(1, len(self.maps)) % len(table) if self.others else 0
        return (*table[shift:], *table[:shift])

    def score(self, first: float, second: float) -> float:
        """Return the first bot's score of a pair of games, from 0 to 1, given the points of both bots in the pair."""
        return (1 + (first - second) / (1 if self.others else 2)) / 2


def check_players(spec: GameSpec, bots: int) -> int:
    """Return the number of players of each match in a comparison of so many bots. Refuse one that the game forbids."""
    players = max(2, bots - 1)
    if spec.state.cooperative and bots == 2:
        raise ArenaError(
            f"In {spec.name} all players play together.",
            hint="Name other bots after A and B. A and B each play with them, in the same seats, with the same dice.",
        )
    if players not in spec.player_counts:
        needed = spec.player_counts[0] - 1
        raise ArenaError(
            f"{spec.name} is for {spec.describe_players()}, not {players}.",
            hint="" if bots > 2 else f"Name {needed} other bots after A and B, which take one seat among them.",
        )
    return players


def load_entrants(
    spec: GameSpec, references: Sequence[str], report: Callable[[str], None], *, in_memory: bool = False
) -> list[NamedBot]:
    """Load and build the bots A and B and the other players, and give them different names.

    Args:
        report: Called with messages about the progress of a build, and with warnings of the compiler.
        in_memory: Whether to refuse bots that cannot play in memory.
    """
    bots = [load_bot(reference, spec) for reference in references]
    for bot in bots:
        if in_memory:
            check_in_memory(bot)
        built(bot, report)
    names = [bot.name for bot in bots]
    # Other players of one name are numbered among themselves.
    numbers = [str(1 + names[2:index].count(name)) for index, name in enumerate(names[2:], 2)]
    names = distinct_names(names, ["A", "B", *numbers], [folder_name(reference) for reference in references])
    # The added letter makes the hashes of A and B differ if both are the same program.
    letters = ["A", "B", *("C" * (len(bots) - 2))]
    return [
        NamedBot(name, letter + bot.content_hash, reference)
        for name, letter, bot, reference in zip(names, letters, bots, references, strict=True)
    ]


@dataclass(slots=True)
class Comparison:
    """The current results of a comparison.

    Attributes:
        wins: Games that the first bot won, alone or as a team (see `Outcome.verdict`).
        draws: Games in which the first bot shared the best rank with an opponent.
        endings: Counts of the endings that are not regular: of the first bot, and of the second bot.
        record: The columns of each bot, in which each game counts once (see `column_of`); without void games.
        counts: What the programs of players of other distributions have counted, for each of the two bots.
        voids: The number of void games.
        causes: The cause of the first such ending of each bot, as one line; empty without one.
        decision: The decision of the sequential test, such as "elo0" or "elo1"; "" until it has decided.
        repeating: Whether the sequential test has ended because the bots only repeated games.
        replays: How often void and failed matches were played again.
        isolation: The weakest isolation in a game; None before the first.
        differences: In a cooperative game: the first bot's score minus the second bot's, for each pair.
    """

    pairs: PairScores = field(default_factory=PairScores)
    games: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    points: list[float] = field(default_factory=lambda: [0.0, 0.0])
    endings: tuple[Counter[str], Counter[str]] = field(default_factory=lambda: (Counter(), Counter()))
    record: tuple[Counter[str], Counter[str]] = field(default_factory=lambda: (Counter(), Counter()))
    counts: tuple[Counter[str], Counter[str]] = field(default_factory=lambda: (Counter(), Counter()))
    voids: int = 0
    causes: list[str] = field(default_factory=lambda: ["", ""])
    decision: str = ""
    repeating: bool = False
    replays: int = 0
    isolation: Isolation | None = None
    differences: list[float] = field(default_factory=list)
    _seen: set[Hashable] = field(default_factory=set)

    @property
    def how(self) -> str:
        """How the games were played, in words; empty before the first."""
        if self.isolation is None:
            return ""
        in_memory = self.isolation.is_in_memory
        return f"in memory ({OWN_BOTS_ONLY})" if in_memory else f"with processes, isolation {self.isolation.name}"

    @property
    def different(self) -> int:
        """The number of games that did not repeat an earlier game."""
        return len(self._seen)

    def add_pair(self, subject: Subject, games: list[tuple[MatchSpec, MatchResult]]) -> bool:
        """Count a pair of games. Return whether at least one of its games did not repeat an earlier game."""
        before, different_before = list(self.points), self.different
        for spec, result in games:
            self._seen.add(game_key(spec, result))
            self._add(subject, spec, result)
        new = self.different > different_before
        first, second = (after - earlier for after, earlier in zip(self.points, before, strict=True))
        if games[0][1].outcome.common is not None:
            self.differences.append(first - second)
            self.pairs.add(0.5 + ((first > second) - (first < second)) / 2, new=new)
        else:
            self.pairs.add(subject.score(first, second), new=new)
        return new

    def add_counts(self, subject: Subject, spec: MatchSpec, result: MatchResult) -> None:
        """Add what the players' programs have counted in a game, which may be void: it has costs, too."""
        for counts, bot in zip(self.counts, (subject.first, subject.second), strict=True):
            if bot.name in spec.names:
                counts.update(result.players[spec.names.index(bot.name)].counts)

    def _add(self, subject: Subject, spec: MatchSpec, result: MatchResult) -> None:
        self.games += 1
        self.add_counts(subject, spec, result)
        if self.isolation is None or result.isolation.level < self.isolation.level:
            self.isolation = result.isolation
        for who, bot in enumerate((subject.first, subject.second)):
            if bot.name not in spec.names:
                continue
            seat = spec.names.index(bot.name)
            self.points[who] += result.points(seat)
            player = result.players[seat]
            self.record[who][column_of(player.ending, result.outcome.verdict(seat))] += 1
            if player.ending not in REGULAR:
                self.endings[who][player.ending] += 1
                self.causes[who] = self.causes[who] or one_line(
                    (player.stderr or player.detail).strip().split("\n")[-1]
                )
            if who == 0:
                verdict = result.outcome.verdict(seat)
                self.wins += verdict == "won"
                self.draws += verdict == "drawn"
                self.losses += verdict == "lost"


class Comparer:
    """Plays the matches of a comparison.

    Args:
        most: Stop after this many games. An odd number is rounded up.
        test: Stop when this test has decided, or when the bots only repeat games; None for no test.
        report: Called after each counted pair.
        until: Stop at this moment of `time.monotonic`. Games that run then do not count.
    """

    def __init__(
        self,
        subject: Subject,
        engine: Engine,
        most: int,
        test: SequentialTest | None = None,
        report: Callable[[Comparison], None] | None = None,
        until: float | None = None,
    ) -> None:
        self.comparison = Comparison()
        self._subject = subject
        self._queue = MatchQueue(engine)
        self._most = most + most % 2
        self._test = test
        self._report = report
        self._until = until
        self._stopped = False
        self._next = 0
        self._counted = 0
        self._repeated = 0
        self._results: dict[int, MatchResult] = {}
        self._again: deque[int] = deque()

    def stop(self) -> None:
        """Start no further games. Finish the running games, and repeat those that are void or fail."""
        self._stopped = True

    def run(self) -> Comparison:
        """Play until the test ends, all games are played, the time is over, or `stop` is called.

        Raises:
            ArenaError: A game cannot be played. What was counted before is in `comparison`.
        """
        try:
            while True:
                self._start()
                left = None if self._until is None else self._until - monotonic()
                is_over = self._decided or (left is not None and left <= 0)
                if is_over:
                    self._queue.engine.kill()
                if is_over or not self._queue.running:
                    return self.comparison
                for ended in self._queue.wait(lambda spec: spec.number, left):
                    self._take(ended)
                self._count()
        except BaseException:
            self._queue.engine.kill()
            raise

    @property
    def _decided(self) -> bool:
        return bool(self.comparison.decision) or self.comparison.repeating

    def _start(self) -> None:
        while not self._decided and self._queue.has_room and (number := self._next_number()) is not None:
            future = self._queue.start(self._subject.spec(number))
            if future.done():  # count a stored result at once: it can end the test, and then no more games start
                self._take(self._queue.take(future))
                self._count()

    def _next_number(self) -> int | None:
        """Return the number of the next game. After `stop`, only games that began earlier are played again."""
        if self._again:
            return self._again.popleft()
        if self._stopped or self._next >= self._most:
            return None
        self._next += 1
        return self._next - 1

    def _take(self, ended: Ended[MatchSpec]) -> None:
        number, result = ended.match.number, ended.result
        if ended.played is not None and not ended.played.has_verdict:
            self.comparison.voids += 1
            if result is None or not result.has_verdict:  # otherwise it counts, with its pair
                self.comparison.add_counts(self._subject, ended.match, ended.played)
        if ended.again:
            self.comparison.replays += 1
            self._again.append(number)
        elif result is not None and (not result.void or result.has_verdict):
            self._results[number] = result
        else:
            usual = ExitCode.NOT_REACHED if result is not None and result.outcome.reason == OUTAGE else ExitCode.FAULT
            code = getattr(ended.error, "exit_code", usual)
            text = f"Game {number + 1} cannot be played: {ended.reason.rstrip('.')}."
            raise ArenaError(text, exit_code=code) from ended.error

    def _count(self) -> None:
        """Count whole pairs in their order, so that an early stop does not leave out slow pairs."""
        while self._counted in self._results and self._counted + 1 in self._results:
            if self._decided:
                return
            numbers = (self._counted, self._counted + 1)
            games = [(self._subject.spec(number), self._results.pop(number)) for number in numbers]
            new = self.comparison.add_pair(self._subject, games)
            self._repeated = 0 if new else self._repeated + 1
            self._counted += 2
            if self._test is not None:
                self.comparison.decision = self._test.decide(self.comparison.pairs)
                self.comparison.repeating = self._repeated >= _REPEATED
            if self._report is not None:
                self._report(self.comparison)
