"""Grade a bot by a rubric, for `arena grade`: read it, measure each of its items, and turn that into points.

Items that play games have a secret seed, from which a bot cannot know its dice (`_Seed`). Two items never share games:
otherwise one lucky game would count twice. Only `time` looks at the games of all others, so it is graded last.
"""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from arena.bots.bot import Bot, load_bot
from arena.bots.build import built
from arena.bots.players import brought_player
from arena.contests.strength.climb import MOST_GAMES, Climber, RungGame, climb, load_boss
from arena.contests.strength.compare import Comparison
from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec
from arena.game.validation import NON_EMPTY, Anything, Defect, ListOf, Number, TableOf, Validator, Whole, Word
from arena.match.ending import counted
from arena.match.lookup import find_game, options_for
from arena.match.settings import MatchSettings
from arena.match.spec import NamedBot
from arena.study.checks.client import check_client
from arena.text.printable import one_line
from arena.text.toml_files import Variants, config_text, parsed

# The rubric of `arena grade`: read it, and compute points and documents from the measured results.

ISOLATION = ("bwrap", "bwrap+cgroup")
VISIBILITY = ("visible", "hidden", "after_due_date", "after_published")
_PLAYED = ("score", "rung")
_SHARE = Number(0, 1)
_COMMON: Mapping[str, Validator] = {
    "name": NON_EMPTY,
    "points": Number(0, 1_000_000),
    "visibility": Word(VISIBILITY),
}
_KINDS: Mapping[str, Mapping[str, Validator]] = {
    "conformance": {},
    "score": {"against": NON_EMPTY, "games": Whole(2, 10_000), "zero": _SHARE, "full": _SHARE},
    "rung": {"games": Whole(16, 10_000)},
    "time": {"seconds": Number(0.001, 86_400, "seconds")},
}
_NEEDED = {"score": ("against",), "time": ("seconds",)}


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a rubric, for which a bot gets points.

    Attributes:
        name: The name of the item in reports; empty for a description (see `title`).
        games: The number of games, for an item of kind score. For kind rung: the largest number on each rung. 0 means
            the default number.
    """

    kind: str
    points: float
    name: str = ""
    against: str = ""
    games: int = 0
    zero: float = 0.0
    full: float = 1.0
    seconds: float = 0.0
    visibility: str = "visible"

    @property
    def title(self) -> str:
        usual = {
            "conformance": "Follows the protocol",
            "score": f"Score against {self.against.removeprefix('builtin:')}",
            "rung": "Rung of the ladder",
            "time": f"Turns within {self.seconds:g} s",
        }
        return self.name or usual[self.kind]

    def points_for(self, share: float) -> float:
        """Return the points for a mean score, or for the share of passed checks, games or rungs. Round them to 0.01."""
        return round(self.points * min(1.0, max(0.0, (share - self.zero) / (self.full - self.zero))), 2)


@dataclass(frozen=True, slots=True)
class Rubric(MatchSettings):
    """The measurements of `arena grade`, the points for them, and the settings of the matches."""

    items: tuple[Item, ...]
    seed: str


@dataclass(frozen=True, slots=True)
class Grade:
    item: Item
    points: float
    output: str


class _Item(Variants):
    def defects(self, value: object, path: str = "") -> Iterator[Defect]:
        defects = list(super().defects(value, path))
        yield from defects
        if defects or not isinstance(value, Mapping):
            return
        if value.get("zero", 0.0) >= value.get("full", 1.0):
            yield Defect(f"{path}.full", "must be greater than zero.")


class _Seed(Validator):
    """A seed that a bot cannot find by trying: from a guess it can compute the seed of its own random numbers.

    Short texts, small numbers and repeated characters are refused, and so is the seed of any example.
    """

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("a random text of 16 characters or more, such as `arena grade GAME --init` writes")

    def accepts(self, value: object) -> bool:
        return isinstance(value, str) and len(value) >= 16 and len(set(value)) >= 6


_RUBRIC = TableOf(
    {
        "rubric": TableOf(
            {"game": NON_EMPTY, "seed": _Seed(), "isolation": Word(ISOLATION), "maps": ListOf(NON_EMPTY)},
            ("game", "seed"),
            "a table",
        ),
        "options": TableOf({}, (), "a table", Anything()),
        "items": ListOf(_Item("kind", _KINDS, _COMMON, ("points",), _NEEDED), lengths=(1, 1000)),
    },
    ("rubric", "items"),
    "a rubric",
)


def _defects(document: Mapping[str, Any]) -> Iterator[Defect]:
    defects = list(_RUBRIC.defects(document))
    yield from defects
    if defects:
        return
    kinds = [item["kind"] for item in document["items"]]
    if "time" in kinds and not set(kinds) & set(_PLAYED):
        yield Defect(f"items[{kinds.index('time')}]", "needs games: add an item of kind score or rung.")


def read_rubric(path: Path) -> Rubric:
    text = config_text(path, "Write a rubric with `arena grade GAME --init > rubric.toml`.")
    document = parsed(text, path.name, _defects, "Nothing was graded.")
    top = dict(document["rubric"])
    top["maps"] = tuple(top.get("maps", ()))
    items = tuple(Item(**item) for item in document["items"])
    return Rubric(items=items, options=tuple(sorted(document.get("options", {}).items())), **top)


def gradescope_document(grades: Sequence[Grade], seconds: float, problem: str = "") -> dict[str, Any]:
    """Return the results in the form of Gradescope's ``results.json``.

    Args:
        problem: Why the submission could not be graded; empty if it was graded.
    """
    return {
        "score": round(sum(grade.points for grade in grades), 2),
        "execution_time": round(seconds),
        "output": "\n".join(map(one_line, problem.split("\n"))) if problem else "All items were graded.",
        "stdout_visibility": "hidden",
        "extra_data": {"max_score": sum(grade.item.points for grade in grades), "graded": not problem},
        "tests": [
            {
                "number": str(number),
                "name": grade.item.title,
                "score": grade.points,
                "max_score": grade.item.points,
                "status": "passed" if grade.points >= grade.item.points else "failed",
                "output": one_line(grade.output),
                "visibility": grade.item.visibility,
            }
            for number, grade in enumerate(grades, 1)
        ],
    }


def rubric_template(game: str, bots: Sequence[str]) -> str:
    lines = [
        "# A rubric for `arena grade`. Each [[items]] is one line of the grade.",
        "",
        "[rubric]",
        f'game = "{game}"',
        f'seed = "{secrets.token_hex(16)}"  # drawn for this file; keep it to yourself until the deadline',
        'isolation = "bwrap"          # the lowest accepted level: bwrap, or bwrap+cgroup',
        '# maps = ["NAME"]            # played in turn; without this line: the default of the game',
        "",
        f"# [options]                  # options of the game; `arena games {game}` lists them",
        "",
        "[[items]]",
        'kind = "conformance"         # the share of the checks of `arena bot check` that the bot passes',
        "points = 10",
        '# visibility = "hidden"      # for Gradescope: visible, hidden, after_due_date, after_published',
    ]
    for name in bots:
        lines += [
            "",
            "[[items]]",
            'kind = "score"               # the mean score in pairs of games with swapped seats',
            f'against = "builtin:{name}"  # or the path of a bot, from the folder of this file',
            "games = 20",
            "zero = 0.3                   # no points at this mean score or less",
            "full = 0.8                   # all points at this mean score or more; between them in proportion",
            "points = 20",
        ]
    lines += [
        "",
        "[[items]]",
        'kind = "time"                # the share of these games in which no turn took longer',
        "seconds = 1.0                # and the program did not fail",
        "points = 10",
        "",
        "# [[items]]",
        '# kind = "rung"              # the share of the bots of the ladder that it beats in `arena climb`',
        "# games = 120                # the largest number of games on each rung",
        "# points = 20",
    ]
    return "\n".join(lines) + "\n"


USUAL_GAMES = 20
"""The games of an item that names no number. Chosen, not measured: their mean score has a margin of about 0.2."""


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
        opponents: dict[str, NamedBot],
        ladder: Sequence[NamedBot],
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
        grade = {"conformance": self._conformance, "score": self._score, "rung": self._rung, "time": self._time}
        grades: dict[int, Grade] = {}
        for number, item in sorted(enumerate(items), key=lambda pair: pair[1].kind == "time"):
            self._show = self._progress(item.title) if self._progress is not None else None
            grades[number] = grade[item.kind](item)
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
        games, failures = result.comparison, result.comparison.endings[0]
        output = f"Mean score {games.pairs.score:.1%}: {games.wins} won, {games.draws} drawn, {games.losses} lost."
        if failures:
            counts = ", ".join(f"{count} {ending}" for ending, count in sorted(failures.items()))
            output += f" The program failed: {counts}"
        return Grade(item, item.points_for(games.pairs.score), output)

    def _rung(self, item: Item) -> Grade:
        rungs = list(climb(self._climber, self._ladder, item.games or MOST_GAMES, self._show))
        for result in rungs:
            self._games += result.games
        beaten = [result.boss for result in rungs if result.promoted]
        names = f": {', '.join(beaten)}" if beaten else ""
        output = f"Beats {len(beaten)} of {len(self._ladder)} bots of the ladder{names}."
        return Grade(item, item.points_for(len(beaten) / len(self._ladder)), output)

    def _time(self, item: Item) -> Grade:
        players = [game.result.players[game.seat] for game in self._games]
        in_time = [player for player in players if not player.failed and player.clock.worst_turn <= item.seconds]
        worst = max((player.clock.worst_turn for player in players), default=0.0)
        output = f"In time in {len(in_time)} of {counted(len(players), 'game')}; the longest turn took {worst:.3f} s."
        return Grade(item, item.points_for(len(in_time) / max(1, len(players))), output)


class Grading:
    """Grades bots by one rubric. It loads the opponents once, before any bot is graded.

    Args:
        settings: The settings of all matches.
        base: The folder of the rubric, in which it names opponents.
    """

    def __init__(
        self, spec: GameSpec, rubric: Rubric, settings: MatchSettings, players: int, base: Path, at_once: int
    ) -> None:
        self._spec = spec
        self._rubric = rubric
        self._settings = settings
        self._players = players
        self._at_once = at_once
        level = rubric.least_isolation
        self._opponents: dict[str, NamedBot] = {}
        for reference in sorted({item.against for item in rubric.items if item.against}):
            path = reference if reference.startswith("builtin:") or brought_player(reference) else str(base / reference)
            self._opponents[reference] = load_boss(spec, path, level)
        # Its searches come with another distribution, so it is loaded only where an item needs it.
        has_rungs = any(item.kind == "rung" for item in rubric.items)
        self._ladder = [load_boss(spec, reference) for reference in spec.ladder] if has_rungs else []

    def grade(
        self,
        reference: str,
        report: Callable[[str], None],
        progress: Callable[[str], Callable[[Comparison], None]],
    ) -> tuple[list[Grade], str]:
        """Return the grade of each item, and the reason why the bot could not be graded; "" if it was graded.

        Args:
            report: Called with messages about the progress of a build, and with warnings of the compiler.
            progress: See `Grader`.
        """
        rubric = self._rubric
        try:
            bot = built(load_bot(reference, self._spec), report, require=self._settings.least_isolation)
        except ArenaError as error:
            if error.exit_code not in (ExitCode.BAD_BOT, ExitCode.NO_BUILD):
                raise
            return [Grade(item, 0.0, "The bot cannot be read or built.") for item in rubric.items], error.message
        with tempfile.TemporaryDirectory(prefix="arena-grade-") as folder:
            climber = Climber.of(
                bot,
                reference,
                self._settings,
                self._players,
                rubric.seed,
                Path(folder),
                self._at_once,
                keep=False,
            )
            return Grader(rubric, bot, climber, self._opponents, self._ladder, progress).run(), ""
