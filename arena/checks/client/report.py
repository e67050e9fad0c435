"""The conformance card of a bot: one line for each thing that the protocol asks of a client."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from arena.bots.bot import Bot
from arena.checks.client.cards import CARDS, Card, LastSeat
from arena.checks.client.conversation import LONGEST_EXIT, Conversation
from arena.game import GameSpec
from arena.game.options import OptionValues
from arena.match.limits import Limits
from arena.printable import one_line

LONGEST_TURN = 10.0
"""Seconds for one turn in the check, if the game sets no limit."""
SHOWN = 300
"""Characters of a message that are shown."""


@dataclass(frozen=True, slots=True)
class CardLine:
    """One line of the report.

    Attributes:
        name: What the client should do.
        passed: Whether it does.
        problem: What it did instead; empty if it passed.
        last_sent: The last message that it was sent before that, cut short.
    """

    name: str
    passed: bool
    problem: str = ""
    last_sent: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """The result of the check.

    Attributes:
        bot: The bot's name.
        lines: All lines.
        startup: Seconds until the bot was ready, of CPU time where it is measured.
        turns: How many turns the bot had in the whole match.
        turn: Seconds for a turn, on average.
        worst_turn: Seconds for its longest turn.
    """

    bot: str
    lines: tuple[CardLine, ...]
    startup: float = 0.0
    turns: int = 0
    turn: float = 0.0
    worst_turn: float = 0.0

    @property
    def passed(self) -> bool:
        """Whether every line passed."""
        return all(line.passed for line in self.lines)

    def to_document(self) -> dict[str, Any]:
        """Return the report as JSON."""
        return {"passed": self.passed, **asdict(self)}


def check_client(
    bot: Bot,
    game: GameSpec,
    options: OptionValues,
    *,
    cards: Sequence[type[Card]] = CARDS,
    limits: Limits | None = None,
    progress: Callable[[str], None] | None = None,
) -> Report:
    """Play the matches of the check.

    Args:
        bot: The bot.
        game: Its game.
        options: Resolved options.
        cards: The cards to play.
        limits: What the bot may use of the machine.
        progress: Called with the name of each card before it is played.

    Raises:
        ArenaError: The bot cannot be started on this machine.
    """
    clock = replace(game.clock, bank=None, turn=game.clock.turn or LONGEST_TURN)
    report = Report(bot.name, ())
    for kind in cards:
        card = kind(game.players_in(options) - 1) if kind is LastSeat else kind()
        if progress is not None:
            progress(card.name)
        played = Conversation(bot, game, options, clock, limits or Limits(), card)
        played.run()
        if kind is Card:
            report = _with_figures(report, played)
        report = replace(report, lines=(*report.lines, _line(card, played)))
        if played.match.seats[card.player].ending == "no_start" and kind is Card:
            break  # nothing else can be tried
    return report


def _line(card: Card, played: Conversation) -> CardLine:
    problem = played.wrong
    if not problem and played.exit is None:
        problem = f"its program was still there {LONGEST_EXIT:g} s later"
    elif not problem and card.must_succeed and played.exit is not None and played.exit.code != 0:
        problem = f"its program ended with {played.exit.reason}"
    if not problem:
        return CardLine(card.name, passed=True)
    if played.output:
        problem += f" ({one_line(played.output)[:SHOWN]})"
    return CardLine(card.name, passed=False, problem=problem, last_sent=played.last_sent[:SHOWN])


def _with_figures(report: Report, played: Conversation) -> Report:
    clock = played.match.seats[played.player].clock
    turn = clock.spent.deciding / clock.turns if clock.turns else 0.0
    return replace(report, startup=played.startup, turns=clock.turns, turn=turn, worst_turn=clock.worst)
