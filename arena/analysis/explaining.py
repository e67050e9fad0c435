"""Explain a match: the win probability of each player over time, and the turns that decided the match.

The budget is used in rounds. Each round waits for all its answers, so that the same number of playouts gives the same
result on every machine. A claim states that a turn was a turning point: another choice would have been better.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import inf
from statistics import fmean
from typing import NamedTuple

from arena.analysis.budget import Budget
from arena.analysis.candidates import CONFIRMED_FROM, clearness, is_open, worst_moments
from arena.analysis.explanation import Decision, Explanation
from arena.analysis.playouts import Result
from arena.analysis.pool import Pool, Question, split
from arena.analysis.recorded_match import Part, RecordedMatch
from arena.analysis.worker import Choice, required_bots
from arena.game import Document

FIRST_POINTS = 12
"""The limit for the number of positions from which the first playouts begin."""
FIRST_PLAYOUTS = 4
LEAST_PLAYOUTS = 4
"""The least number of playouts that a round adds to a position."""
MOST_PLAYOUTS = 120
"""A position of the curve that has at least this many playouts gets no more."""
SCREENED = 24
"""The limit for the decisions of one player that are compared with the choices of one bot."""
EVALUATED = 100
"""The same limit as `SCREENED`, but for a game with `evaluate`, in which screening playouts take only a few turns."""
AHEAD, LEAST_AHEAD = 1 / 12, 8
"""The length of a screening playout in a game with `evaluate`: this share of the match's turns, but at least
`LEAST_AHEAD` turns. The playouts that confirm a mistake go to the end, because an evaluation can miss late effects."""
SCREENING_PAIRS = 8
"""The number of pairs of playouts of each decision in the first screening round. A game with `evaluate` gets half."""
TESTED = 6
"""The limit for the number of candidates of one player that are tested with fresh seeds."""
MOMENT = 1 / 20
"""Two mistakes of a player count as one moment if at most this share of the match's turns is between them. They are
often the same mistake."""
LUCKY = 8
"""The limit for the number of parts whose dice are rolled again. The parts in which the curve moves most come first."""
ENOUGH_PAIRS = 45
"""If the budget is too short for this many pairs of each candidate, fewer candidates are tested."""
MOST_PAIRS = 2_000
ROUND = 10
FRESH = 1_000_000
"""The first seed of the pairs that test claims or measure luck. The screening uses only lower seeds."""
PLAYOUTS_OF_BUDGET = 200
"""A bot is fast enough if this many playouts, times the number of players, fit into the budget."""
CHOICE_SHARE = 0.1
"""The largest share of the budget that the adviser's choices for all parts should take; see `Explanation`."""
SLOWEST_CHOICE = 10
"""The time limit for one choice of a bot, as a multiple of `Explainer._choice_limit`."""


class Shares(NamedTuple):
    """For each stage, the share of the budget that is used up when the stage ends. The rest tests the claims."""

    curve: float = 0.3
    luck: float = 0.38
    known: float = 0.45
    choosing: float = 0.55
    screening: float = 0.7


EVALUATED_SHARES = Shares(0.15, 0.2, 0.3, 0.4, 0.65)
"""The shares for a game with `evaluate`: its curve needs fewer playouts."""


class Explainer:
    """Computes an explanation within a budget.

    Args:
        players: The players whose decisions are judged; all players if empty.
    """

    def __init__(
        self,
        explanation: Explanation,
        pool: Pool,
        budget: float,
        players: Sequence[int] = (),
        most: int = 10**9,
    ) -> None:
        self.found = explanation
        self._budget = Budget(explanation, pool, budget, most)
        self._players = list(players) or list(range(explanation.match.players))
        self._ahead = _turns_ahead(explanation.match)
        self._shares = Shares() if self._ahead is None else EVALUATED_SHARES

    def run(self) -> Iterator[Explanation]:
        for _ in self._rounds():
            self.found.seconds = self._budget.used
            yield self.found

    def _rounds(self) -> Iterator[None]:
        found = self.found
        if self._budget.used >= self._budget.seconds:
            return
        names = required_bots(found.match.game)
        if found.match.estimates and not found.samples:
            yield  # without playouts, the curve consists of the game's estimates
        self._choose_bot(names)
        yield from self._curve(self._shares.curve)
        self._choose_adviser(names)
        found.stage = "luck"
        yield from self._luck()
        if found.match.end.hides_information():
            yield from self._known()
        found.stage = "decisions"
        yield from self._decisions()
        found.stage = "curve"
        yield from self._curve(1)
        found.stage = ""
        yield

    # -- bots -------------------------------------------------------------------------------------------

    def _choose_bot(self, names: list[str]) -> None:
        """Choose the bot that plays on: the strongest bot that is fast enough, or else the fastest.

        A continued explanation keeps its bot. The bot is measured again, since the machine can be another one.
        """
        limit = self._budget.processor_seconds / (PLAYOUTS_OF_BUDGET * self.found.match.players)
        if self.found.bot:
            names, limit = [self.found.bot], inf
        costs = self._budget.answers([("cost", name, limit) for name in names])
        fast = [at for at, seconds in enumerate(costs) if seconds <= limit] or [costs.index(min(costs))]
        self.found.bot, self._budget.playout_seconds = names[fast[-1]], costs[fast[-1]]

    def _choose_adviser(self, names: list[str]) -> None:
        """Choose the adviser: the strongest bot whose choices for all parts fit into `CHOICE_SHARE` of the budget."""
        if self.found.adviser:
            return
        parts = len(self.found.match.parts)
        limit = self._choice_limit
        probes = sorted({parts // 4, parts // 2}) if parts else []
        questions: list[Question] = [("choose", name, at, 2 * limit) for name in reversed(names) for at in probes]
        times: dict[str, list[float]] = {}
        for question, choice in zip(questions, self._budget.answers(questions), strict=True):
            times.setdefault(question[1], []).append(choice.seconds)
        self.found.adviser = next((name for name in times if min(times[name]) <= limit), self.found.bot)

    @property
    def _choice_limit(self) -> float:
        """The limit for the adviser's mean processor time for one choice, in seconds."""
        return CHOICE_SHARE * self._budget.processor_seconds / max(1, len(self.found.match.parts))

    # -- the curve --------------------------------------------------------------------------------------

    def _curve(self, until: float) -> Iterator[None]:
        """Add playouts to the curve until this share of the budget is used up."""
        found = self.found
        points = [index for index in found.points if index < len(found.match.parts) or found.match.result is None]
        if not points:
            return
        if not found.samples:
            step = -(-len(points) // FIRST_POINTS)
            self._play(dict.fromkeys(points[::step], FIRST_PLAYOUTS))
            yield
        while not self._budget.is_over(until):
            wanted = self._next_points(points)
            if not wanted:
                break
            self._play(wanted, until)
            yield

    def _next_points(self, points: list[int]) -> dict[int, int]:
        """Choose points where the curve changes and is uncertain. Return how many playouts to add at each of them."""
        found = self.found
        estimates = [[found.share(index, player) for player in range(found.match.players)] for index in points]
        wanted: dict[int, float] = {}
        for at, index in enumerate(points):
            if len(found.samples.get(index, ())) < MOST_PLAYOUTS:
                before, after = estimates[max(0, at - 2)], estimates[min(len(points) - 1, at + 2)]
                move = max(abs(one.value - other.value) for one, other in zip(before, after, strict=True))
                wanted[index] = (move + 0.05) * max(one.high - one.low for one in estimates[at])
        best = sorted(wanted, key=lambda index: -wanted[index])[: max(4, 2 * self._budget.processes)]
        return {index: max(LEAST_PLAYOUTS, len(found.samples.get(index, ())) // 2) for index in best}

    def _play(self, wanted: dict[int, int], until: float = inf) -> None:
        samples = self.found.samples
        questions = []
        for index, count in wanted.items():
            have = len(samples.get(index, ()))
            questions += self._values(index, range(have, have + count))
        self._add(samples, questions, until)

    def _known(self) -> Iterator[None]:
        """For each player, add playouts from states that agree with what the player had seen, at some points."""
        points = [index for index in self.found.points if index < len(self.found.match.parts)]
        step = max(1, -(-len(points) // FIRST_POINTS))  # without actions there are no points
        for player, known in self.found.known.items():
            if self._budget.is_over(self._shares.known):
                return
            questions = [
                question
                for index in points[::step]
                if index not in known
                for question in self._values(index, range(2 * LEAST_PLAYOUTS), player)
            ]
            self._add(known, questions, self._shares.known)
            yield

    def _values(self, index: int, seeds: Sequence[int], player: int | None = None) -> list[Question]:
        return [("values", self.found.bot, index, chunk, player) for chunk in split(seeds, self._budget.chunk)]

    def _add(self, samples: dict[int, list[Result]], questions: list[Question], until: float) -> None:
        for question, results in zip(questions, self._budget.answers(questions, until), strict=True):
            if results is not None:
                samples.setdefault(question[2], []).extend(results)
                self._budget.count(len(results))

    # -- luck -------------------------------------------------------------------------------------------

    def _luck(self) -> Iterator[None]:
        """Add playouts in which the dice of some turns are rolled again."""
        found = self.found
        if not found.luck:
            rolled = [part for part in found.match.parts if part.draws]
            chosen = sorted(rolled, key=lambda part: -abs(self._drop(part)))[:LUCKY]
            found.luck = {part.index: [] for part in chosen}
        while found.luck and not self._budget.is_over(self._shares.luck):
            have = min(map(len, found.luck.values()))
            asked = [
                (index, chunk)
                for index, pairs in found.luck.items()
                if len(pairs) == have
                for chunk in split(range(FRESH + have, FRESH + have + ROUND), max(1, self._budget.chunk // 2))
            ]
            answers = self._budget.answers([("dice", found.bot, *one) for one in asked], self._shares.luck)
            for (index, _), pairs in zip(asked, answers, strict=True):
                found.luck[index] += pairs or ()
                self._budget.count(2 * len(pairs or ()))
            yield

    # -- decisions --------------------------------------------------------------------------------------

    def _decisions(self) -> Iterator[None]:
        found = self.found
        new = [player for player in self._players if player not in found.decisions]
        if new:
            found.decisions |= {player: [] for player in new}
            bots = dict.fromkeys((found.bot, found.adviser))
            known: dict[int, list[list[Document]]] = {}
            for bot, part, choice in self._choices(bots, [part for part in found.match.parts if part.player in new]):
                others = known.setdefault(part.index, [part.actions])
                if choice.actions not in others:
                    others.append(choice.actions)
                    found.decisions[part.player].append(Decision(part, bot, choice.actions))
            limit = len(bots) * (SCREENED if self._ahead is None else EVALUATED)
            for player in new:
                found.decisions[player].sort(key=lambda one: -self._drop(one.part))
                del found.decisions[player][limit:]
            yield
        if new := [player for player in self._players if player not in found.tested]:
            yield from self._screen(new)
        yield from self._confirm()

    def _choices(self, bots: Iterable[str], parts: list[Part]) -> Iterator[tuple[str, Part, Choice]]:
        limit = SLOWEST_CHOICE * self._choice_limit
        asked = [(bot, part) for bot in bots for part in parts]
        questions: list[Question] = [("choose", bot, part.index, limit) for bot, part in asked]
        for (bot, part), choice in zip(asked, self._budget.answers(questions, self._shares.choosing), strict=True):
            if choice is not None and choice.seconds < inf:
                yield bot, part, choice

    def _drop(self, part: Part) -> float:
        """Return by how much the player's share of the win falls during a part, according to the curve."""
        after = self.found.match.simultaneous(part)[-1].index + 1
        found = self.found
        return found.share(part.index, part.player).value - found.share(after, part.player).value

    def _screen(self, players: list[int]) -> Iterator[None]:
        """Compare choices with few playouts, and drop the half that promises least. Repeat this until few are left."""
        found = self.found
        count = first = SCREENING_PAIRS if self._ahead is None else SCREENING_PAIRS // 2
        # Each further round halves the candidates and doubles their pairs, so it costs no more than the round before.
        most = max(
            TESTED, self._budget.affordable_pairs(self._shares.screening, self._ahead) // (2 * first * len(players))
        )
        left = {player: found.decisions[player][:most] for player in players}
        while any(len(one) > TESTED for one in left.values()) and not self._budget.is_over(self._shares.screening):
            compared = [decision for decisions in left.values() if len(decisions) > TESTED for decision in decisions]
            self._compare(
                compared, range(0 if count == first else count // 2, count), self._shares.screening, fresh=False
            )
            for player, decisions in left.items():
                left[player] = self._worst(decisions, max(TESTED, len(decisions) // 2))
            count *= 2
            yield
        tested = self._budget.affordable_pairs(1, None) // (ENOUGH_PAIRS * len(players))
        tested = min(TESTED, max(1, tested))
        for player, decisions in left.items():
            chosen = [one for one in self._worst(decisions, tested) if not one.screening or self._promise(one) > 0]
            found.tested[player] = len(chosen)
            others = [one for one in found.decisions[player] if one not in chosen]
            found.decisions[player] = chosen + others

    def _worst(self, decisions: list[Decision], count: int) -> list[Decision]:
        return worst_moments(decisions, count, MOMENT * self.found.match.last_turn, self._promise)

    def _promise(self, decision: Decision) -> float:
        """Return how much a decision seems to have cost: the mean gain of the other choice, plus half of `_drop`.

        Only half of `_drop` counts, since it can include bad luck.
        """
        return _mean(decision.screening) + self._drop(decision.part) / 2

    def _confirm(self) -> Iterator[None]:
        """Compare the candidates with fresh seeds until the budget is used up.

        First, all candidates get `CONFIRMED_FROM` pairs. Then each round adds pairs to the half with the clearest gain.
        """
        found = self.found
        candidates = [one for player, count in found.tested.items() for one in found.decisions[player][:count]]
        while candidates and not self._budget.is_over(1):
            now = [one for one in candidates if len(one.done) < CONFIRMED_FROM]
            now = now or sorted(candidates, key=clearness)[len(candidates) // 2 :]
            for have in sorted({len(one.done) for one in now}):
                level = [one for one in now if len(one.done) == have]
                self._compare(level, range(FRESH + have, FRESH + have + ROUND), 1, fresh=True)
                if any(len(one.done) == have for one in level):
                    return  # the time ran out within the round
            candidates = [
                one
                for one in candidates
                if len(one.done) < CONFIRMED_FROM or (is_open(one) and len(one.done) < MOST_PAIRS)
            ]
            yield

    def _compare(self, decisions: list[Decision], seeds: Sequence[int], until: float, *, fresh: bool) -> None:
        """Play on after the recorded choice and after the other choice of each decision, with the same seeds.

        If information is hidden, begin from states that agree with the player's view.
        """
        match = self.found.match
        ahead = None if fresh else self._ahead
        hides = match.end.hides_information()
        asked = [(decision, chunk) for decision in decisions for chunk in split(seeds, max(1, self._budget.chunk // 2))]
        questions: list[Question] = [
            (
                "pairs",
                self.found.bot,
                one.part.index,
                one.actions,
                chunk,
                one.part.player if hides else None,
                ahead,
            )
            for one, chunk in asked
        ]
        for (decision, _), pairs in zip(asked, self._budget.answers(questions, until), strict=True):
            player = decision.part.player
            for done, instead in pairs or ():
                if fresh:
                    decision.done.append(done)
                    decision.instead.append(instead)
                else:
                    decision.screening.append(instead[player] - done[player])
            self._budget.count(
                2 * len(pairs or ()), self._budget.cost_of_playout(ahead, match.last_turn - decision.part.turn)
            )


def _turns_ahead(match: RecordedMatch) -> int | None:
    """Return the number of turns of a playout before its state is evaluated; None for a game without `evaluate`."""
    if not match.parts or match.parts[0].state.evaluate() is None:
        return None
    return max(LEAST_AHEAD, round(AHEAD * match.last_turn))


def _mean(values: Sequence[float]) -> float:
    return fmean(values) if values else 0.0
