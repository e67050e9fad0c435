"""What `arena verdict` says, as one value: whether a bot works, whether it is stronger, and what it did wrong."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from arena.contests.ratings.sequential import evidence_in_words
from arena.contests.strength.climb_report import RungReport
from arena.study.coach.report import of_player, percent, turns_in_words

if TYPE_CHECKING:  # a check needs programs, which Windows cannot isolate
    from arena.study.checks.client import ClientReport

DECISIONS = {"promoted": "stronger", "held": "not_stronger", "undecided": "undecided"}
SHOWN = 150
"""The limit for each lesson and each message, in characters. Measured: a verdict then has at most 200 tokens."""
_KEYS = ("kind", "from_turn", "to_turn", "text", "price", "count", "units")


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict about a bot.

    Attributes:
        against: The name of the opponent; copies of it have all other seats.
        check: What the check of the protocol found; None if there is no program: in memory, and for a model.
        rung: The games; None if the bot failed the check.
        summary: The main sentence about the loss to study; empty without one.
        lessons: The mistakes in this loss, the dearest first, each with its price in win probability.
        seconds: How long all took.
    """

    game: str
    title: str
    version: str
    bot: str
    hash: str
    against: str
    players: int
    seed: str
    check: ClientReport | None
    rung: RungReport | None
    summary: str = ""
    lessons: tuple[dict[str, Any], ...] = ()
    seconds: float = 0.0

    @property
    def decision(self) -> str:
        """``stronger``, ``not_stronger``, ``undecided``, or ``broken`` if the bot failed the check."""
        return "broken" if self.rung is None else DECISIONS[self.rung.decision]

    @property
    def problem(self) -> str:
        """The first problem that the check found, and what the bot should have done; empty if there is none."""
        failed = [line for line in self.check.lines if not line.passed] if self.check else []
        return f"{failed[0].problem}, in the check that it {failed[0].name}" if failed else ""

    def to_document(self) -> dict[str, Any]:
        """Return the verdict as ``--json`` prints it; docs/json.md lists the keys."""
        document = asdict(self)
        rung = document.pop("rung")
        document["check"] = self.check and {
            "passed": self.check.passed,
            "played": len(self.check.lines),
            "problems": [f"{line.name}: {line.problem}" for line in self.check.lines if not line.passed],
        }
        return {"decision": self.decision, **document, "rung": rung}

    def lines(self) -> list[str]:
        """Return the verdict as a few lines."""
        words = {
            "stronger": "stronger",
            "not_stronger": "not stronger",
            "undecided": "not decided",
            "broken": "not played, since it failed the check",
        }[self.decision]
        lines = [f"{self.bot} against {self.against} in {self.title}: {words}"]
        if self.problem:
            lines.append(f"It {cut(self.problem)}.")
        return lines + ([] if self.rung is None else self._game_lines(self.rung))

    def _game_lines(self, rung: RungReport) -> list[str]:
        if not rung.games:
            return ["No pair of games ended in time. `--seconds N` gives more time."]
        low, high = rung.score_interval
        lines = [
            f"{rung.games} games, +{rung.wins} ={rung.draws} -{rung.losses}, score {rung.score:.0%} "
            f"(95 %: {low:.0%} to {high:.0%}), longest turn {1000 * rung.worst_turn:.0f} ms, {rung.played}"
        ]
        if rung.decision == "undecided":
            evidence = {"to be stronger": rung.evidence["promoted"], "not to be": rung.evidence["held"]}
            lines.append(evidence_in_words(evidence, rung.games_left))
        if rung.failures:
            lines.append(f"It failed: {', '.join(f'{count} {ending}' for ending, count in rung.failures.items())}")
        if rung.lesson and rung.decision == "held":
            lines.append(f"Learn: {cut(rung.lesson)}")
        if rung.loss is not None:
            lines.append(f"A loss: {cut(rung.loss.message)}")
            for lesson in self.lessons[:1]:
                lines.append(f"  In {turns_in_words(lesson)}: {cut(lesson['text'])} Cost: {percent(lesson['price'])}")
            if self.summary and not self.lessons:
                lines.append(f"  {cut(self.summary)}")
            lines.append(f"More: {rung.loss.explain}")
        return lines


def lessons_of(explanation: dict[str, Any], player: int) -> tuple[dict[str, Any], ...]:
    """Return the lessons of a player in the document of an explanation, without what only pages show."""
    return tuple({key: lesson[key] for key in _KEYS} for lesson in of_player(explanation, "lessons", player))


def cut(text: str) -> str:
    """Return a text with at most `SHOWN` characters."""
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."
