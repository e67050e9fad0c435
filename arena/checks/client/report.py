"""The report of the client check, with one line for each scenario."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from math import inf
from typing import Any

from arena.bots.bot import Bot
from arena.checks.client.conversation import Conversation
from arena.checks.client.scenarios import SCENARIOS, LastSeat, Scenario
from arena.game import GameSpec
from arena.game.options import OptionValues
from arena.match.limits import Limits
from arena.match.stack import advice
from arena.referee.one_program import LONGEST_EXIT
from arena.text.printable import one_line

LONGEST_TURN = 10.0
"""Seconds for one turn in the check, if the game sets no limit."""
SLEEP = 5.0
"""Seconds of wall time that a turn may take in addition to its time limit, which can be in CPU time."""
MOST_HANGS = 2
"""The number of scenarios in which the bot's time may run out. After that, no further scenario is played."""
SHOWN = 300
"""The limit for the length of a message or a line of output in the report, in characters."""


@dataclass(frozen=True, slots=True)
class ReportLine:
    """The result of one scenario.

    Attributes:
        problem: What it did wrong; empty if it passed.
        last_sent: The last message that was sent to the client, shortened; empty if it passed.
    """

    name: str
    passed: bool
    problem: str = ""
    last_sent: str = ""


@dataclass(frozen=True, slots=True)
class ClientReport:
    """The result of the check.

    Attributes:
        startup: Seconds until the bot was ready: CPU time if it is measured, else wall time.
        turns: Number of turns of the bot in the match of the base class `Scenario`, which has no unusual messages.
        turn: Average time of the bot's turns in this match, in seconds.
        worst_turn: Time of the bot's longest turn in this match, in seconds.
    """

    bot: str
    lines: tuple[ReportLine, ...]
    startup: float = 0.0
    turns: int = 0
    turn: float = 0.0
    worst_turn: float = 0.0

    @property
    def passed(self) -> bool:
        return all(line.passed for line in self.lines)

    def to_document(self) -> dict[str, Any]:
        return {"passed": self.passed, **asdict(self)}


def check_client(
    bot: Bot,
    game: GameSpec,
    options: OptionValues,
    *,
    scenarios: Sequence[type[Scenario]] = SCENARIOS,
    limits: Limits | None = None,
    progress: Callable[[str], None] | None = None,
) -> ClientReport:
    """Play one match with the bot for each scenario and report the results.

    Play no further match after a start-up that fails or a time-out in the match of the base class `Scenario`, or after
    time-outs in `MOST_HANGS` matches: each of the others would wait for the clock again.

    Args:
        progress: Called with the name of each scenario before its match.
    """
    turn = game.clock.turn or LONGEST_TURN
    clock = replace(game.clock, bank=None, turn=turn, turn_wall=min(game.clock.turn_wall or inf, turn + SLEEP))
    report = ClientReport(bot.name, ())
    hangs = 0
    for number, kind in enumerate(scenarios, 1):
        scenario = kind(game.players_in(options) - 1) if kind is LastSeat else kind()
        if progress is not None:
            progress(scenario.name)
        played = Conversation(bot, game, options, clock, scenario)
        played.run(limits or Limits())
        if kind is Scenario:
            report = _with_figures(report, played)
        line, ending = _line(scenario, played, game.name), played.match.seats[scenario.player].ending
        hangs += ending == "timed_out"
        is_last = (ending in ("no_start", "timed_out") and kind is Scenario) or hangs == MOST_HANGS
        if is_last and ending == "timed_out" and (left := len(scenarios) - number):
            line = replace(line, problem=f"{line.problem}. {left} more checks were not played")
        report = replace(report, lines=(*report.lines, line))
        if is_last:
            break
    return report


def _line(scenario: Scenario, played: Conversation, game: str) -> ReportLine:
    problem = played.wrong
    if not problem and played.exit is None:
        problem = f"its program was still running {LONGEST_EXIT:g} s after the match"
    elif not problem and scenario.must_succeed and played.exit is not None and played.exit.code != 0:
        problem = f"its program ended with {played.exit.reason}"
    if not problem:
        return ReportLine(scenario.name, passed=True)
    if played.last_words:
        problem += f" ({one_line(played.last_words)[:SHOWN]})"
        if known := advice(played.stderr, game):
            problem += f". {known.removesuffix('.')}"
    return ReportLine(scenario.name, passed=False, problem=problem, last_sent=played.last_sent[:SHOWN])


def _with_figures(report: ClientReport, played: Conversation) -> ClientReport:
    clock = played.match.seats[played.player].clock
    turn = clock.spent.deciding / clock.turns if clock.turns else 0.0
    return replace(report, startup=played.startup, turns=clock.turns, turn=turn, worst_turn=clock.worst)
