"""The rules of the contract, and the findings of a check."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from arena.match.ending import counted
from arena.study.checks.contract.budget import Budget
from arena.study.checks.contract.fold import FoldError
from arena.study.replaying.recorded import describe

RULES = {
    "definition": "the game's classes, actions and options are well declared",
    "rulebook": "each example in the rules ends as the rule book says, and the rules show it once",
    "schema": "the schema can be made and is plain JSON",
    "crash": "the rules raise nothing but IllegalAction for any action document",
    "field_type": "the value of a field fits the field's annotation",
    "mutable_field": "field values are immutable: tuples and frozensets, never lists, dicts or sets",
    "private": "private fields and tables follow from the other fields: derive computes them",
    "reference": "fields refer only to entities of this state that are still in the game",
    "players": "to_move, legal_actions, outcome, scores, evaluate and turn_number agree with one another",
    "outcome": "winner, ranks, teams and payoffs of an outcome agree with one another",
    "simultaneous": "a choice is hidden from players who move at the same time, until they have moved",
    "leave": "in a game for more than two players, a player to move can leave, and the others play on",
    "query": "the queries of a state do not change it",
    "listed_refused": "every listed action is accepted",
    "unlisted_accepted": "every action that is accepted is listed",
    "random_action": "random_action returns listed actions only, and can return each of them",
    "refusal": "a refusal has a code and a message",
    "refusal_leaves_trace": "a refused action changes nothing",
    "refusal_draws": "a refused action draws nothing",
    "undo": "pop restores document, view, digest and legal actions exactly",
    "clone": "a clone equals the original and is independent of it",
    "view_round_trip": "from_view rebuilds the state from the full view",
    "document_round_trip": "from_document rebuilds the state from to_document",
    "delta": "the first view with all deltas applied equals the current view",
    "events": "events are plain data, and a player's events are a subset of all events",
    "secret": "nothing that a player is sent reveals what is hidden from the player",
    "determinize": "a sampled world agrees with everything that the player has seen",
    "chance": "randomness comes from chance alone: same state, action and draws, same result",
    "globals": "the rules keep nothing outside of the state that changes",
    "foresight": "a state holds no random generator that would reveal future draws",
    "repeatable": "the same seed and the same actions give the same digests",
    "digest": "the digest changes when the state changes",
    "estimates": "evaluate returns shares of the win that agree with the results of matches",
    "lessons": "detectors of mistakes raise nothing, are quick, and propose actions that are legal in their turn",
    "endless": "every game reaches an outcome",
}
"""The rules of the contract: name to description."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One violation of the contract.

    Attributes:
        place: The game and the action after which the violation was found.
    """

    rule: str
    message: str
    place: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.message}\n    rule: {RULES[self.rule]}\n    seen: {self.place}"

    def to_document(self) -> dict[str, str]:
        """Return the finding as JSON has it."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a check.

    Attributes:
        games: How many games were played: to an end, to the limit, or to a violation that stops the game.
        trials: How many times an action was tried in all games and checks, listed or unlisted.
        seconds: How long the check took.
        findings: The violations, in the order in which they were found.
        unchecked: What was not checked because the time was over or somebody stopped the check, in words.
        is_stopped: Whether somebody stopped the check: Ctrl-C, or SIGTERM in `arena game check`.
    """

    game: str
    games: int
    actions: int
    positions: int
    trials: int
    findings: tuple[Finding, ...]
    unchecked: tuple[str, ...] = ()
    is_stopped: bool = False
    seconds: float = field(default=0.0, compare=False)

    @property
    def good(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    def __str__(self) -> str:
        numbers = (
            f"{counted(self.games, 'game')}, {counted(self.actions, 'action')}, {counted(self.positions, 'position')}, "
            f"{counted(self.trials, 'trial')}, {self.seconds:.0f} s"
        )
        lines = [f"{self.game} keeps the contract ({numbers})"]
        if self.is_stopped or self.unchecked:
            lines = [f"{self.game}: no violation so far ({numbers})"]
        if not self.good:
            count = counted(len(self.findings), "violation")
            lines = [f"{self.game}: {count} of the contract ({numbers})", *map(str, self.findings)]
        if self.unchecked:
            why = "the check was stopped" if self.is_stopped else "the time was over"
            lines += [f"Not checked, because {why}:", *(f"  - {each}" for each in self.unchecked)]
        return "\n".join(lines)

    def to_document(self) -> dict[str, Any]:
        """Return the report as JSON has it."""
        return {
            "game": self.game,
            "ok": self.good,
            "games": self.games,
            "actions": self.actions,
            "positions": self.positions,
            "trials": self.trials,
            "seconds": round(self.seconds, 1),
            "findings": [finding.to_document() for finding in self.findings],
            "unchecked": list(self.unchecked),
            "stopped": self.is_stopped,
        }


class GameDefect(AssertionError):  # noqa: N818 - a failed assertion about a game, not an error of its user
    """A game breaks the contract. The message names each broken rule and where it was seen."""

    def __init__(self, report: Report) -> None:
        super().__init__(str(report))
        self.report = report


_MOST_PER_RULE = 2
"""The limit for the number of findings for each rule. Further findings are ignored: nearly all have the same cause as
the first one, and the second shows an author what both have in common."""


class Ledger:
    """Collects findings while games are played, and counts games, actions, positions and trials.

    Args:
        budget: The time of the check.

    Attributes:
        unchecked: What was left out, in words.
        checks: How often each check was carried out.
    """

    def __init__(self, budget: Budget | None = None) -> None:
        self.budget = budget or Budget()
        self.place = "the definition"
        self.findings: list[Finding] = []
        self.unchecked: list[str] = []
        self.checks: Counter[str] = Counter()
        self.is_stopped = False
        self.games = self.actions = self.positions = self.trials = 0

    def add(self, rule: str, message: str) -> None:
        if sum(1 for finding in self.findings if finding.rule == rule) < _MOST_PER_RULE:
            self.findings.append(Finding(rule, message, self.place))

    def add_crash(self, doing: str, error: BaseException) -> None:
        rule = "delta" if isinstance(error, FoldError) else "crash"
        self.add(rule, f"{doing} raised {describe(error)}")

    def compare(self, rule: str, what: str, difference: object) -> bool:
        """Record a violation if there is a difference. Return True if there is no difference."""
        if difference is not None:
            self.add(rule, f"{what} {difference}")
        return difference is None

    def report(self, game: str) -> Report:
        return Report(
            game,
            self.games,
            self.actions,
            self.positions,
            self.trials,
            tuple(self.findings),
            tuple(self.unchecked),
            self.is_stopped,
            self.budget.spent,
        )
