"""Find out which of two bots is stronger, with paired seeds and seats, counted pair by pair."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field

from arena.errors import ArenaError, ExitCode
from arena.match.ending import REGULAR
from arena.match.result import MatchResult
from arena.tournament.plan.config import Entrant
from arena.tournament.plan.ratings.sprt import Pentanomial, Sprt
from arena.tournament.plan.values import MatchSpec, Participant, Scalar, seed_for
from arena.tournament.run.engines.engine import Engine

_TRIES = 3


@dataclass(frozen=True, slots=True)
class Subject:
    """The two bots of a comparison, and their games.

    Attributes:
        game: Name of the game.
        one: The bot whose score is reported.
        other: Its opponent.
        maps: Maps to play in turn.
        options: Options of the game.
        secret: The source of the seeds.
    """

    game: str
    one: Entrant
    other: Entrant
    maps: tuple[str, ...] = ()
    options: tuple[tuple[str, Scalar], ...] = ()
    secret: str = ""

    def spec(self, number: int) -> MatchSpec:
        """Return game `number`, from 0. Games 2k and 2k+1 have the same seed and map, with swapped seats."""
        pair = number // 2
        seats = (Participant(self.one.name, self.one.hash), Participant(self.other.name, self.other.hash))
        return MatchSpec(
            tournament="compare",
            stage="compare",
            round=pair + 1,
            pairing=0,
            number=number,
            game=self.game,
            map=self.maps[pair % len(self.maps)] if self.maps else "",
            options=self.options,
            seats=seats if number % 2 == 0 else seats[::-1],
            seed=seed_for(self.secret, "compare", pair),
        )


@dataclass(slots=True)
class Comparison:
    """The current results of a comparison.

    Attributes:
        pairs: Counts of the finished pairs, for the first bot.
        wins: Games won.
        draws: Games drawn.
        losses: Games lost.
        endings: Bad endings of the first and of the second bot.
        decision: "elo0" or "elo1" when the sequential test has ended.
        replays: Void matches that were repeated.
    """

    pairs: Pentanomial = field(default_factory=Pentanomial)
    wins: int = 0
    draws: int = 0
    losses: int = 0
    endings: tuple[Counter[str], Counter[str]] = field(default_factory=lambda: (Counter(), Counter()))
    decision: str = ""
    replays: int = 0

    @property
    def games(self) -> int:
        """Games counted."""
        return self.wins + self.draws + self.losses

    def add(self, number: int, result: MatchResult) -> float:
        """Count one game, and return the first bot's points."""
        own = number % 2
        points = result.points(own)
        self.wins += result.winner == own
        self.losses += result.winner not in (None, own)
        self.draws += result.winner is None
        for who, seat in ((0, own), (1, 1 - own)):
            ending = result.players[seat].ending
            if ending not in REGULAR:
                self.endings[who][ending] += 1
        return points


class Comparer:
    """Plays a comparison.

    Args:
        subject: The bots and their games.
        engine: The engine that plays.
        most: Stop after this many games.
        test: Stop when this test ends.
        tell: Called after each counted pair.
    """

    def __init__(
        self,
        subject: Subject,
        engine: Engine,
        most: int,
        test: Sprt | None = None,
        tell: Callable[[Comparison], None] | None = None,
    ) -> None:
        self.comparison = Comparison()
        self._subject = subject
        self._engine = engine
        self._most = most + most % 2
        self._test = test
        self._tell = tell
        self._stopped = False
        self._next = 0
        self._counted = 0
        self._results: dict[int, MatchResult] = {}
        self._running: dict[Future[MatchResult], tuple[int, int]] = {}

    def stop(self) -> None:
        """Stop after the running games."""
        self._stopped = True

    def run(self) -> Comparison:
        """Play until the test ends, all games are played, or `stop` is called.

        Raises:
            ArenaError: A match failed again and again, and not because of the bots.
        """
        try:
            while True:
                self._start()
                if not self._running:
                    return self.comparison
                done, _ = wait(self._running, return_when=FIRST_COMPLETED)
                for future in done:
                    self._take_in(future)
                self._count()
                if self.comparison.decision:
                    self._engine.kill()
                    return self.comparison
        except BaseException:
            self._engine.kill()
            raise

    def _start(self) -> None:
        while not self._stopped and self._next < self._most and len(self._running) < self._engine.window:
            self._submit(self._next, 0)
            self._next += 1

    def _submit(self, number: int, attempt: int) -> None:
        self._running[self._engine.submit(self._subject.spec(number), attempt)] = (number, attempt)

    def _take_in(self, future: Future[MatchResult]) -> None:
        number, attempt = self._running.pop(future)
        error = future.exception()
        last = attempt + 1 >= _TRIES
        if error is not None and last:
            code = getattr(error, "exit_code", ExitCode.FAULT)
            raise ArenaError(
                f"Game {number + 1} cannot be played: {str(error).rstrip('.')}.", exit_code=code
            ) from error
        if error is not None or (future.result().void and not last):
            self.comparison.replays += 1
            self._submit(number, attempt + 1)
            return
        self._results[number] = future.result().without_void()

    def _count(self) -> None:
        """Count whole pairs in their order, so that an early stop does not leave out slow pairs."""
        while self._counted in self._results and self._counted + 1 in self._results:
            if self.comparison.decision:
                return
            first, second = self._counted, self._counted + 1
            points = sum(self.comparison.add(number, self._results.pop(number)) for number in (first, second))
            self.comparison.pairs.add(points)
            self._counted += 2
            if self._test is not None:
                self.comparison.decision = self._test.decision(self.comparison.pairs.counts)
            if self._tell is not None:
                self._tell(self.comparison)
