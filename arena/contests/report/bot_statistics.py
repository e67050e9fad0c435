"""Statistics of each bot that are not points: endings, refusals, time, void matches."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from arena.match.result import MatchResult, PlayerResult
from arena.match.spec import MatchSpec


@dataclass(slots=True)
class BotStatistics:
    """Counts over all matches of one bot.

    Attributes:
        cpu_seconds: Processor time of the measured turns, in seconds.
        worst_turn_seconds: The longest turn, in seconds of the time (wall or processor) that the time limits count.
        failed_match: The last match in which its program failed; empty if it never did.
        last_failure: How it failed then.
        counts: What its program has counted, if another distribution brings the player.
        last_words: The end of the bot's standard error in that match. Only the bot's owner and the organizer see it.
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
    counts: Counter[str] = field(default_factory=Counter)
    failed_match: str = ""
    last_failure: str = ""
    last_words: str = ""

    def add(self, match_id: str, player: PlayerResult, voids: int) -> None:
        """Add the bot's counts of one match. `voids` is how often the match was void and repeated before."""
        clock = player.clock
        self.matches += 1
        self.endings[player.ending] += 1
        self.refusals += sum(player.refusals.values())
        self.voids += voids
        self.counts.update(player.counts)
        self.turns += clock.turns
        self.wall_seconds += clock.wall
        self.cpu_seconds += clock.cpu or 0.0
        self.measured_turns += clock.turns if clock.cpu is not None else 0
        self.worst_turn_seconds = max(self.worst_turn_seconds, clock.worst_turn)
        if player.failed:
            self.failed_match = match_id
            self.last_failure = player.ending + (f": {player.detail}" if player.detail else "")
            self.last_words = player.last_words

    @property
    def mean_turn_seconds(self) -> float:
        return self.wall_seconds / self.turns if self.turns else 0.0

    @property
    def mean_turn_cpu_seconds(self) -> float | None:
        """Mean processor time of a turn in seconds, or None if it was never measured."""
        return self.cpu_seconds / self.measured_turns if self.measured_turns else None


def bot_statistics(
    names: Iterable[str], matches: Iterable[tuple[MatchSpec, MatchResult]], voids: Mapping[str, int]
) -> dict[str, BotStatistics]:
    """Return the counts of some bots. `voids` maps the id of a match to how often it was void and was repeated."""
    statistics = {name: BotStatistics() for name in names}
    for spec, result in matches:
        for name, player in zip(spec.names, result.players, strict=True):
            if name in statistics:
                statistics[name].add(spec.match_id, player, voids.get(spec.match_id, 0))
    return statistics
