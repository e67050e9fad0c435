"""What mistakes cost: pairs of playouts with the same dice, once as played and once better.

A kind of mistake whose price is not certainly above zero is no lesson. The kinds are screened with few pairs, and the
dearest are played again with fresh dice: a kind that was chosen because it was lucky does not keep its luck.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from typing import Any, NamedTuple

from arena.game import Document, Mistake
from arena.study.coach.lessons import MistakesOfKind
from arena.study.coach.probability import Estimate, difference
from arena.study.coach.questions import Pair, Pool, Question, Questions
from arena.study.coach.recorded_match import Part, RecordedMatch
from arena.study.coach.turns import parts_of
from arena.study.coach.words import line_in_words

CONFIDENCE = 0.95
KEPT = 4
"""The limit for the kinds of a player that are played again with fresh dice."""
CONFIRMED = 3
"""The limit for the mistakes of a kind that are played again. More would have too few pairs each."""
QUICK, SCREENED, PAIRS, MOST_PAIRS = 2, 8, 16, 192
"""The pairs of a kind, shared by its occurrences: for a first lesson that nobody waits for long; in the screening; in
each round with fresh dice; and in all rounds. With estimates of the game, eight pairs tell a mistake that matters from
one that does not."""
FRESH = 1_000_000
"""The first seed of the playouts that confirm. Others use lower seeds."""
CHECK = 2_000_000
"""The first seed of the playouts of `arena explain REPLAY --check`."""
MOST_PRICED = 20
"""The longest stretch that is priced, in turns of the player: bots play it anew, and drift away from the match. With
ten turns, a gang that called nobody in for 27 of them had lost 3 %, with twenty 28 %."""
SMALLEST = 0.03
"""A cheaper kind is no lesson: nobody wins more by avoiding it."""
MATTERS = 0.05
"""A lesson that cost so much is marked in the viewer, with `?` or `??`."""
DOUBT = 0.02
"""By this much the pairs of an occurrence may differ unseen, if playouts stop with the game's estimate; see
`difference`. Such values vary continuously. Without estimates, a playout is won or lost, and the doubt is 1."""
DECIDED = 0.5
"""The doubt if all pairs are of playouts that ended before they stopped, as in a short match. Sixteen pairs without a
difference looked certain to be worth nothing, and the next one was a match won instead of lost."""


HasRecovered = Callable[[int, Mistake], bool]


class Price(NamedTuple):
    """What the mistakes of a kind that were priced cost in win probability.

    Attributes:
        all: Together.
        each: Each of those that were played.
        found: How many there are.
    """

    all: Estimate
    each: list[Estimate]
    found: int

    @property
    def is_certain(self) -> bool:
        return self.all.low > 0 and self.all.value >= SMALLEST

    @property
    def on_average(self) -> Estimate:
        """What one of them cost: no sum, which can be more than there was to lose."""
        value, low, high, playouts = self.all
        return Estimate(value / self.found, low / self.found, high / self.found, playouts)


class Pricing:
    """Prices mistakes.

    Args:
        bot: Who plays on, for all players.
        fresh: The first seed of the playouts that confirm.
    """

    def __init__(
        self, match: RecordedMatch, pool: Pool, kinds: Sequence[MistakesOfKind], bot: str, fresh: int = FRESH
    ) -> None:
        self.kinds = list(kinds)
        self._match, self._pool, self._bot, self._fresh = match, pool, bot, fresh
        self._doubt = DOUBT if match.has_estimates else 1.0
        self._pairs: dict[tuple[int, int, bool], list[Pair]] = {}

    @property
    def playouts(self) -> int:
        return 2 * sum(map(len, self._pairs.values()))

    def run(self, deadline: float) -> Iterator[None]:
        """Price all kinds, until the deadline of `time.monotonic`. Yield after each round."""
        if self._play(range(len(self.kinds)), QUICK, deadline, fresh=False):
            yield
            first = self._dearest()[:1]
            for count in (SCREENED // 2, SCREENED) if first else ():
                if self._play(first, count, deadline, fresh=True):
                    yield
        if self._play(range(len(self.kinds)), SCREENED, deadline, fresh=False):
            yield
            for at in range(len(self.kinds)):
                self._keep_dear(at)
            yield from self.confirm(self._dearest(), deadline)

    def confirm(self, kinds: Sequence[int], deadline: float) -> Iterator[None]:
        """Price some of the kinds with fresh dice, in this order, until each price is certain or too small."""
        left = list(kinds)
        for count in range(PAIRS, MOST_PAIRS + 1, PAIRS):
            for at in left:
                if not self._play([at], count, deadline, fresh=True):
                    return
                yield
            left = [at for at in left if not self._is_clear(at)]

    def price(self, at: int, *, fresh: bool = True) -> Price:
        """Return the price of a kind. Without playouts, nothing is certain about it."""
        kind = self.kinds[at]
        confidence = 1 - (1 - CONFIDENCE) / max(1, min(KEPT, len(self.kinds)))
        each = []
        for number in range(len(kind.mistakes)):
            pairs = self._pairs.get((at, number, fresh), [])
            values = [better[kind.player] - played[kind.player] for played, better in pairs]
            each.append(difference(values, confidence, max(self._doubt, DECIDED * _decided(pairs))))
        scale = kind.found / len(kind.mistakes)
        value = scale * sum(one.value for one in each)
        half = scale * sqrt(sum(((one.high - one.low) / 2) ** 2 for one in each))
        count = sum(one.playouts for one in each)
        return Price(Estimate(value, value - half, value + half, count), each, kind.found)

    def documents(self, has_recovered: HasRecovered = lambda _player, _mistake: False) -> list[dict[str, Any]]:
        """Return the lessons that are confirmed so far, the dearest first.

        Args:
            has_recovered: Whether the match forgave a mistake. Of a kind, one that it did not forgive is told.
        """
        prices = [(price, kind) for at, kind in enumerate(self.kinds) if (price := self.price(at)).is_certain]
        prices.sort(key=lambda one: -one[0].all.value)
        return [self._document(price, kind, has_recovered) for price, kind in prices]

    def _document(self, price: Price, kind: MistakesOfKind, has_recovered: HasRecovered) -> dict[str, Any]:
        forgiven = [has_recovered(kind.player, mistake) for mistake, _ in kind.mistakes]
        worst = min(range(len(price.each)), key=lambda number: (forgiven[number], -price.each[number].value))
        mistake, part = kind.mistakes[worst]
        better = None if mistake.better is None else list(mistake.better)
        return {
            "player": kind.player,
            "kind": kind.name,
            "from_turn": mistake.turns[0],
            "to_turn": mistake.turns[-1],
            "text": mistake.text,
            "price": price.on_average.to_document(),
            "pairs": price.all.playouts,
            "count": kind.found,
            "recovered": forgiven[worst],
            "turns": [one.turns[0] for one, _ in kind.mistakes],
            "better": better,
            "units": list(mistake.units),
            "played": self._line(part.actions, part),
            "instead": None if better is None else self._line(better, part),
        }

    def _line(self, actions: Sequence[Document], part: Part) -> dict[str, Any]:
        return {
            "actions": [action if isinstance(action, dict) else {"type": "leave"} for action in actions],
            "words": line_in_words(actions, part.state, self._match.schema),
        }

    def _keep_dear(self, at: int) -> None:
        """Keep the dearest mistakes of a kind. Those that cost nothing would take pairs from them."""
        kind, each = self.kinds[at], self.price(at, fresh=False).each
        ranked = sorted(range(len(each)), key=lambda number: -each[number].value)
        kept = sorted([number for number in ranked if each[number].value >= 0][:CONFIRMED] or ranked[:1])
        mistakes = [kind.mistakes[number] for number in kept]
        self.kinds[at] = kind._replace(mistakes=mistakes, found=len(mistakes))
        for fresh in (False, True):
            pairs = [self._pairs.pop((at, number, fresh), []) for number in range(len(each))]
            self._pairs.update({(at, new, fresh): pairs[number] for new, number in enumerate(kept)})

    def _dearest(self) -> list[int]:
        """Return the kinds with the highest prices in the screening, some of each player, the dearest first.

        Few pairs leave many prices in doubt, so only those that are certainly too small are left out.
        """
        prices = {at: self.price(at, fresh=False).all for at in range(len(self.kinds))}
        left = sorted((at for at, price in prices.items() if price.high >= SMALLEST), key=lambda at: -prices[at].value)
        ranks: Counter[int] = Counter()
        kept = []
        for at in left:
            player = self.kinds[at].player
            ranks[player] += 1
            kept += [at] if ranks[player] <= KEPT else []
        return kept

    def _is_clear(self, at: int) -> bool:
        price = self.price(at).all
        return price.low > 0 or price.high < SMALLEST

    def _play(self, kinds: Sequence[int], count: int, deadline: float, *, fresh: bool) -> bool:
        """Let each kind have this many pairs, shared by its occurrences. Return whether the time was enough."""
        asked: list[tuple[tuple[int, int, bool], Question]] = []
        for at in kinds:
            mistakes = self.kinds[at].mistakes
            for number, (mistake, part) in enumerate(mistakes[:count]):
                key = (at, number, fresh)
                begun, needed = len(self._pairs.get(key, ())), -(-count // len(mistakes))
                if begun < needed:
                    seeds = range(self._fresh * fresh + begun, self._fresh * fresh + needed)
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
        last = next(one for one in parts_of(self._match, part.player) if one.turn == mistake.turns[:MOST_PRICED][-1])
        return (Questions.habit, part.index, last.number, dict(mistake.missing), world, self._bot, seeds)


def _decided(pairs: Sequence[Pair]) -> float:
    """Return the share of pairs whose playouts both ended."""
    ended = [all(share in (0, 1) for line in pair for share in line) for pair in pairs]
    return sum(ended) / max(1, len(ended))


def shown(found: Sequence[dict[str, Any]], choices: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Join the lessons of detectors and a bot's choices, the dearest first, without choices that a lesson names too.

    A lesson that matters comes before all choices: it says what to do, and a choice only what a bot did. What the match
    forgave comes last.
    """
    named = {(one["player"], turn) for one in found for turn in range(one["from_turn"], one["to_turn"] + 1)}
    matter = [one for one in found if one["price"]["value"] * one["count"] >= MATTERS]
    rest = [*found[len(matter) :], *(one for one in choices if (one["player"], one["from_turn"]) not in named)]
    rest.sort(key=lambda one: -one["price"]["value"] * one["count"])
    return sorted([*matter, *rest], key=lambda one: one["recovered"])
