"""Explain a match: what its losers can learn from it, and the win probability of each player over time.

The budget is used in rounds. Each round waits for all its answers, so that the same number of playouts gives the same
result on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import monotonic

from arena.study.coach.curve import Curve
from arena.study.coach.lessons import bots_choices, detect, falling_parts
from arena.study.coach.playing_bots import required_bots
from arena.study.coach.playouts import HORIZON
from arena.study.coach.prices import Pricing
from arena.study.coach.questions import Pool, Questions
from arena.study.coach.recorded_match import RecordedMatch

PLAYOUTS_OF_BUDGET = 200
"""A bot is fast enough if this many of its playouts of the whole match fit into the budget."""
SLOWER = 4
"""A bot that takes so many times as long as a fast one plays on rather than one that is weaker than the players. Fewer
playouts are less certain, but those of a weak bot say what follows if nobody can play."""
SHORT = 2 * HORIZON
"""The mean length of playouts that stop with the game's estimate, in turns; with the stretch of a habit."""
SECONDS = 0.02
"""The time of a playout of the whole match, if it was not measured."""
LESSONS, CURVE = 0.5, 0.75
"""The shares of the budget that are used up when these stages end. The rest compares turns with a bot's choices."""
LEAST_CURVE = 0.1
"""The share of the budget that the curve has, if what came before it took longer than it should."""
CHOOSING = 0.1
"""The share of the budget in which a bot chooses in all compared turns together."""


class Explanation:
    """The results so far about a match.

    Attributes:
        bots: References of who plays on: the first one for all players, the second one for the doubt of the curve.
        lessons: The prices of what detectors find; None before they are computed. The same for the other two.
        choices: The prices of turns in which the bot would have chosen otherwise.
        stage: What is being computed; empty at the end.
    """

    def __init__(self, match: RecordedMatch) -> None:
        self.match = match
        self.bots: list[str] = []
        self.lessons: Pricing | None = None
        self.curve: Curve | None = None
        self.choices: Pricing | None = None
        self.seconds = 0.0
        self.stage = "lessons"

    @property
    def playouts(self) -> int:
        return sum(one.playouts for one in (self.lessons, self.curve, self.choices) if one is not None)

    @property
    def judged(self) -> list[int]:
        """The players who did not win."""
        result = self.match.result
        return [player for player in range(self.match.players) if result is None or result[player] < 1]


class Explainer:
    """Computes an explanation within a budget.

    Args:
        budget: The time limit in seconds.
        players: The players whose turns are judged; those who did not win if empty.
    """

    def __init__(self, found: Explanation, pool: Pool, budget: float, players: Sequence[int] = ()) -> None:
        self.found = found
        self._pool, self._budget = pool, budget
        self._players = list(players) or found.judged
        self._begun = monotonic()

    def run(self) -> Iterator[float]:
        """Compute the explanation. Yield the share of the budget that is used up, after each round."""
        found, match, pool = self.found, self.found.match, self._pool
        seconds = SECONDS
        if not found.bots:
            found.bots, seconds = bots_for(match, pool, self._budget / PLAYOUTS_OF_BUDGET)
        kinds = [kind for player in self._players for kind in detect(match, player)]
        found.lessons = Pricing(match, pool, kinds, found.bots[0])
        yield from self._during(found.lessons.run(self._deadline(LESSONS)))
        found.stage, found.curve = "curve", Curve(match, found.bots, seconds)
        deadline = max(self._deadline(CURVE), monotonic() + LEAST_CURVE * self._budget)
        yield from self._during(found.curve.run(pool, self._players, deadline))
        found.stage = "turns"
        parts = [part for player in self._players for part in falling_parts(match, found.curve, player)]
        limit = CHOOSING * self._budget * pool.processes / max(1, len(parts))
        found.choices = Pricing(match, pool, bots_choices(match, parts, pool, found.bots[0], limit), found.bots[0])
        yield from self._during(found.choices.run(self._deadline(1)))
        found.stage, found.seconds = "", monotonic() - self._begun
        yield 1.0

    def _deadline(self, share: float) -> float:
        return self._begun + share * self._budget

    def _during(self, stage: Iterator[None]) -> Iterator[float]:
        for _ in stage:
            self.found.seconds = monotonic() - self._begun
            yield min(1.0, self.found.seconds / self._budget)


def bots_for(match: RecordedMatch, pool: Pool, seconds: float) -> tuple[list[str], float]:
    """Return the two strongest bots that are fast enough, the stronger one first, and the time of its playouts.

    None is weaker than the middle one, or than a built-in bot that played: whoever is better than the bot that plays on
    cannot be judged by it. If none of them is fast enough, the first that is `SLOWER` plays fewer playouts. If there is
    none either, the strongest other one plays on.

    Args:
        seconds: The time limit for a playout of the whole match, if all cores play.
    """
    bots = required_bots(match.game)
    played = [str(player.get("bot", "")).partition("?")[0] for player in match.reader.header.get("players", ())]
    if match.has_estimates:  # most playouts are short, and lessons are priced with these only
        seconds *= max(1.0, len(match.parts) / SHORT)
    least = max([len(bots) // 2, *(bots.index(bot) for bot in played if bot in bots)])
    costs = fast_bots(pool, bots, SLOWER * seconds)
    fast = [bot for bot in costs if costs[bot] <= seconds * pool.processes]
    equal = [bot for bot in costs if bots.index(bot) >= least]
    strongest = (
        [bot for bot in equal if bot in fast] or equal[:1] or fast[-1:] or [min(costs, key=lambda bot: costs[bot])]
    )
    return strongest[:-3:-1], costs[strongest[-1]]


def fast_bots(pool: Pool, bots: Sequence[str], seconds: float) -> dict[str, float]:
    """Return the bots whose playout of the whole match takes no longer on one of the cores; the fastest if none does.

    Args:
        bots: References, the weakest first.
        seconds: The time of a playout if all cores play.

    Returns:
        The processor time of a playout of each, in seconds, the weakest bot first.
    """
    limit = seconds * pool.processes
    costs = dict(sorted(pool.ask([(Questions.cost, bot, limit) for bot in bots])))
    found = {bot: costs[at] for at, bot in enumerate(bots) if costs[at] <= limit}
    return found or dict([min(zip(bots, costs.values(), strict=True), key=lambda one: one[1])])
