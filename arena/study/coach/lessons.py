"""What a player can learn from a match: mistakes that detectors find, each with the price that playouts confirm.

A detector says what happened, and never whether it mattered. So each kind of mistake is priced: pairs of playouts with
the same dice, once as played and once better. A kind whose price is not certainly above zero is not shown. The kinds
are screened with few pairs, and the dearest are played again with fresh dice: a kind that was chosen because it was
lucky does not keep its luck.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import sqrt
from typing import Any, NamedTuple

from arena.errors import ArenaError, ExitCode
from arena.game import Mistake
from arena.study.coach.habits import gave_no_orders, had_orders_refused, left_a_unit_idle, lost_time
from arena.study.coach.probability import Estimate, difference
from arena.study.coach.questions import Pair, Pool, Question, Questions
from arena.study.coach.recorded_match import Part, RecordedMatch
from arena.study.coach.turns import parts_of, turns_of

CONFIDENCE = 0.95
MOST_OCCURRENCES = 6
"""So many occurrences of a kind are priced. The price of more is estimated from these."""
KEPT = 4
"""The limit for the kinds of a player that are played again with fresh dice."""
PAIRS = 16
"""The number of pairs that a round adds to a kind, shared by its occurrences."""
SCREENED, MOST_PAIRS = 32, 192
"""The pairs of a kind in the screening, and at most with fresh dice."""
FRESH = 1_000_000
"""The first seed of the playouts that confirm. Others use lower seeds."""
SMALLEST = 0.03
"""A cheaper kind is no lesson: nobody wins more by avoiding it."""
DOUBT = 0.02
"""By this much the pairs of an occurrence may differ unseen, if playouts stop with the game's estimate; see
`difference`. Such values vary continuously. Without estimates, a playout is won or lost, and the doubt is 1."""


class MistakesOfKind(NamedTuple):
    """All mistakes of one kind by one player, and the part in which each begins.

    Attributes:
        name: The name of the detector.
        found: How many there are; `mistakes` has the first, the last and some between.
    """

    player: int
    name: str
    found: int
    mistakes: list[tuple[Mistake, Part]]


class Price(NamedTuple):
    """What all mistakes of a kind cost together, in win probability; and what each of those that were priced costs."""

    all: Estimate
    each: list[Estimate]


def detect(match: RecordedMatch, player: int) -> list[MistakesOfKind]:
    """Return the mistakes of a player by kind, as far as detectors find any.

    Raises:
        ArenaError: A detector of the game has an error.
    """
    turns = turns_of(match, player)
    parts = {part.turn: part for part in reversed(parts_of(match, player))}
    found = []
    for name, detector in detectors_of(match):
        try:
            mistakes = [(mistake, parts[mistake.turns[0]]) for mistake in detector(turns)]
        except Exception as error:
            raise ArenaError(
                f"The detector {name} of {match.game.name} failed: {type(error).__name__}: {error}",
                hint="Its author should run `arena game check`.",
                exit_code=ExitCode.DIFFERENCE,
            ) from error
        if mistakes:
            found.append(MistakesOfKind(player, name, len(mistakes), _some(mistakes, MOST_OCCURRENCES)))
    return found


def detectors_of(match: RecordedMatch) -> Iterator[tuple[str, Any]]:
    """Yield the game's detectors, and those that every game shares, each with its name."""
    for detector in match.game.lessons:
        yield getattr(detector, "__name__", "lesson"), detector
    yield gave_no_orders.__name__, gave_no_orders
    for shared in (left_a_unit_idle, had_orders_refused, lost_time):
        yield shared.__name__, partial(shared, match)


def _some(mistakes: list[Any], most: int) -> list[Any]:
    if len(mistakes) <= most:
        return mistakes
    return [mistakes[at * (len(mistakes) - 1) // (most - 1)] for at in range(most)]


class Pricing:
    """Prices the mistakes of some players.

    Args:
        bot: Who plays on, for all players.
    """

    def __init__(self, match: RecordedMatch, pool: Pool, players: Sequence[int], bot: str) -> None:
        self._match, self._pool, self._bot = match, pool, bot
        self._doubt = DOUBT if match.state_before(0).evaluate() is not None else 1.0
        self.kinds = [kind for player in players for kind in detect(match, player)]
        self._pairs: dict[tuple[int, int, bool], list[Pair]] = {}

    @property
    def playouts(self) -> int:
        return 2 * sum(map(len, self._pairs.values()))

    def run(self, deadline: float) -> Iterator[None]:
        """Price all kinds, until the deadline of `time.monotonic`. Yield after each round."""
        left = list(range(len(self.kinds)))
        for count in range(PAIRS, SCREENED + 1, PAIRS):
            if not self._play(left, count, deadline, fresh=False):
                return
            left = self._dearest(left, max(KEPT, len(left) // 2))
            yield
        left = self._dearest(left, KEPT)
        for count in range(PAIRS, MOST_PAIRS + 1, PAIRS):
            if not left or not self._play(left, count, deadline, fresh=True):
                return
            left = [at for at in left if not self._is_clear(at)]
            yield

    def price(self, at: int, *, fresh: bool = True) -> Price:
        """Return the price of a kind. Without playouts, nothing is certain about it."""
        kind = self.kinds[at]
        confidence = 1 - (1 - CONFIDENCE) / max(1, min(KEPT, len(self.kinds)))
        each = []
        for number in range(len(kind.mistakes)):
            pairs = self._pairs.get((at, number, fresh), [])
            values = [better[kind.player] - played[kind.player] for played, better in pairs]
            each.append(difference(values, confidence, self._doubt))
        scale = kind.found / len(kind.mistakes)
        value = scale * sum(one.value for one in each)
        half = scale * sqrt(sum(((one.high - one.low) / 2) ** 2 for one in each))
        count = sum(one.playouts for one in each)
        return Price(Estimate(min(1.0, value), max(-1.0, min(1.0, value) - half), min(1.0, value + half), count), each)

    def documents(self) -> list[dict[str, Any]]:
        """Return the lessons that are confirmed so far, the dearest of a player first."""
        prices = [(self.price(at), kind) for at, kind in enumerate(self.kinds)]
        shown = [(price, kind) for price, kind in prices if price.all.low > 0 and price.all.value >= SMALLEST]
        shown.sort(key=lambda one: (one[1].player, -one[0].all.value))
        return [self._document(price, kind) for price, kind in shown]

    def _document(self, price: Price, kind: MistakesOfKind) -> dict[str, Any]:
        worst = max(range(len(price.each)), key=lambda number: price.each[number].value)
        mistake = kind.mistakes[worst][0]
        return {
            "player": kind.player,
            "kind": kind.name,
            "from_turn": mistake.turns[0],
            "to_turn": mistake.turns[-1],
            "text": mistake.text,
            "price": price.all.to_document(),
            "pairs": price.all.playouts,
            "count": kind.found,
            "turns": [one.turns[0] for one, _ in kind.mistakes],
            "better": None if mistake.better is None else list(mistake.better),
            "units": list(mistake.units),
        }

    def _dearest(self, kinds: Sequence[int], count: int) -> list[int]:
        """Return some kinds of each player: those with the highest prices in the screening."""
        left = []
        for player in {self.kinds[at].player for at in kinds}:
            own = [at for at in kinds if self.kinds[at].player == player]
            left += sorted(own, key=lambda at: -self.price(at, fresh=False).all.value)[:count]
        return [at for at in left if self.price(at, fresh=False).all.value > 0]

    def _is_clear(self, at: int) -> bool:
        price = self.price(at).all
        return price.low > 0 or price.high < SMALLEST

    def _play(self, kinds: Sequence[int], count: int, deadline: float, *, fresh: bool) -> bool:
        """Let each kind have this many pairs, shared by its occurrences. Return whether the time was enough."""
        asked: list[tuple[tuple[int, int, bool], Question]] = []
        for at in kinds:
            mistakes = self.kinds[at].mistakes
            for number, (mistake, part) in enumerate(mistakes):
                key = (at, number, fresh)
                begun, needed = len(self._pairs.get(key, ())), -(-count // len(mistakes))
                seeds = range(FRESH * fresh + begun, FRESH * fresh + needed)
                asked.append((key, self._question(mistake, part, seeds)))
        answers = dict(self._pool.ask([question for _, question in asked], deadline))
        if len(answers) < len(asked):
            return False
        for number, (key, _) in enumerate(asked):
            self._pairs.setdefault(key, []).extend(answers[number])
        return True

    def _question(self, mistake: Mistake, part: Part, seeds: range) -> Question:
        world = part.player if self._match.end.hides_information() else None
        if mistake.missing is None:
            better = None if mistake.better is None else list(mistake.better)
            return (Questions.priced, part.index, better, world, self._bot, seeds)
        last = next(one for one in parts_of(self._match, part.player) if one.turn == mistake.turns[-1])
        return (Questions.habit, part.index, last.number, dict(mistake.missing), world, self._bot, seeds)
