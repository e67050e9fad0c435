"""Grade a bot by a rubric."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from arena.bots.bot import Bot
from arena.checks.client import check_client
from arena.match.entrant import Entrant
from arena.match.lookup import find_game, options_for
from arena.match.wording import counted
from arena.strength.climb import MOST_GAMES, Climber, RungGame, climb
from arena.strength.compare import Comparison
from arena.strength.rubric import Grade, Item, Rubric

USUAL_GAMES = 20


class Grader:
    """Grades one bot.

    Args:
        progress: Returns, for the title of an item that is to be graded, a function that gets the games so far.
    """

    def __init__(
        self,
        rubric: Rubric,
        bot: Bot,
        climber: Climber,
        opponents: dict[str, Entrant],
        ladder: Sequence[Entrant],
        progress: Callable[[str], Callable[[Comparison], None]] | None = None,
    ) -> None:
        self._rubric = rubric
        self._bot = bot
        self._climber = climber
        self._opponents = opponents
        self._ladder = ladder
        self._progress = progress
        self._show: Callable[[Comparison], None] | None = None
        self._games: list[RungGame] = []

    def run(self) -> list[Grade]:
        """Return the grades in the order of the items. Grade items of kind `time` last: they use all earlier games."""
        items = self._rubric.items
        grades: dict[int, Grade] = {}
        for number, item in sorted(enumerate(items), key=lambda pair: pair[1].kind == "time"):
            self._show = self._progress(item.title) if self._progress is not None else None
            grades[number] = getattr(self, f"_{item.kind}")(item)
        return [grades[number] for number in range(len(items))]

    def _conformance(self, item: Item) -> Grade:
        game = find_game(self._rubric.game)
        report = check_client(
            self._bot, game, options_for(game, dict(self._climber.settings.options), self._climber.players)
        )
        failed = [f"{line.name}: {line.problem}" for line in report.lines if not line.passed]
        passed = len(report.lines) - len(failed)
        output = f"{passed} of {len(report.lines)} checks passed. {'. '.join(failed)}"
        return Grade(item, item.points_for(passed / len(report.lines)), output.strip())

    def _score(self, item: Item) -> Grade:
        # Each item has its own secret, so that items do not share games.
        climber = replace(self._climber, secret=f"{self._climber.secret} {item.title}")
        result = climber.play(self._opponents[item.against], item.games or USUAL_GAMES, None, self._show)
        self._games += result.games
        found = result.comparison
        output = f"Mean score {found.pairs.score:.1%}: {found.wins} won, {found.draws} drawn, {found.losses} lost."
        if found.endings[0]:
            output += " The program failed: " + ", ".join(
                f"{count} {ending}" for ending, count in sorted(found.endings[0].items())
            )
        return Grade(item, item.points_for(found.pairs.score), output)

    def _rung(self, item: Item) -> Grade:
        rungs = list(climb(self._climber, self._ladder, item.games or MOST_GAMES, self._show))
        for result in rungs:
            self._games += result.games
        beaten = [result.boss for result in rungs if result.promoted]
        output = f"Beats {len(beaten)} of {len(self._ladder)} built-in bots"
        output += f": {', '.join(beaten)}." if beaten else "."
        return Grade(item, item.points_for(len(beaten) / len(self._ladder)), output)

    def _time(self, item: Item) -> Grade:
        players = [game.result.players[game.seat] for game in self._games]
        in_time = [one for one in players if not one.failed and one.clock.worst_turn <= item.seconds]
        worst = max((one.clock.worst_turn for one in players), default=0.0)
        output = f"In time in {len(in_time)} of {counted(len(players), 'game')}; the longest turn took {worst:.3f} s."
        return Grade(item, item.points_for(len(in_time) / max(1, len(players))), output)
