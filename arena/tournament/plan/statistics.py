"""What the tables say about each bot beside points: endings, refusals, time, matches that were void."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from arena.tournament.plan.values import MatchOutcome, MatchSpec


@dataclass(slots=True)
class BotStatistics:
    """Counts of one bot.

    Attributes:
        matches: matches played.
        endings: how often each ending occurred.
        refusals: actions that the rules refused.
        voids: matches that were replayed because the host was late.
        turns: turns played.
        wall_seconds: wall time of all turns.
        cpu_seconds: processor time of all turns, as far as it was measured.
        measured_turns: turns whose processor time was measured.
        worst_turn_seconds: the longest turn, by the clock that decided.
        last_failure: id and detail of the last match that ended badly.
        last_words: what the bot wrote to its error output at last in that match; for its owner and the organizer.
    """

    matches: int = 0
    endings: Counter[str] = field(default_factory=Counter)
    refusals: int = 0
    voids: int = 0
    turns: int = 0
    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0
    measured_turns: int = 0
    worst_turn_seconds: float = 0.0
    last_failure: str = ""
    last_words: str = ""

    @property
    def mean_turn_seconds(self) -> float:
        """Mean wall time of a turn."""
        return self.wall_seconds / self.turns if self.turns else 0.0

    @property
    def mean_turn_cpu_seconds(self) -> float | None:
        """Mean processor time of a turn, or None where it was never measured."""
        return self.cpu_seconds / self.measured_turns if self.measured_turns else None


def bot_statistics(
    names: Iterable[str], matches: Iterable[tuple[MatchSpec, MatchOutcome]], voids: Mapping[str, int]
) -> dict[str, BotStatistics]:
    """The counts of all bots."""
    found = {name: BotStatistics() for name in names}
    for spec, outcome in matches:
        for seat, result in zip(spec.seats, outcome.seats, strict=True):
            one = found[seat.name]
            one.matches += 1
            one.endings[result.ending] += 1
            one.refusals += result.refusals
            one.voids += voids.get(spec.match_id, 0)
            one.turns += result.turns
            one.wall_seconds += result.wall_seconds
            one.cpu_seconds += result.cpu_seconds or 0.0
            one.measured_turns += result.turns if result.cpu_seconds is not None else 0
            one.worst_turn_seconds = max(one.worst_turn_seconds, result.worst_turn_seconds)
            if result.ending not in ("won", "lost", "drawn"):
                one.last_failure = f"{spec.match_id} {result.ending}" + (f": {result.detail}" if result.detail else "")
                one.last_words = result.said
    return found
