"""Check a real bot: does it follow the protocol, also where the protocol allows what is rare?

`check_client` plays one match for each `Scenario`. The bot runs as in any match, in a sandbox, behind the referee's own
host and state machine; the other players are objects in this process that play at random. A scenario changes the
messages that pass the bot's seat. So the bot meets refusals, late answers, a connection that closes, and a match that
is over early, which in real matches it would meet on a bad day only.

A scenario must stay within `docs/protocol.md`: a bot that keeps to the document passes. The first scenario is an
ordinary match. If the bot fails in it by a start-up or a time-out, nothing else is played.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from math import inf
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar

from arena.bots.bot import Bot, need_program
from arena.game import Clock, GameSpec, Seeded
from arena.game.options import OptionValues
from arena.match.ending import ending_phrase
from arena.match.job import SeatAssignment
from arena.match.limits import Limits, Policy
from arena.match.stack import advice, last_words
from arena.play.referee.carrying import Message, Resident
from arena.play.referee.clock import Reading
from arena.play.referee.host import Host, ProgramEnd
from arena.play.referee.match import Match
from arena.play.referee.prepared import LONGEST_EXIT, play_one_program
from arena.text.printable import one_line
from arena_replays.state import triples

if TYPE_CHECKING:
    from arena.bots.bot import Bot
    from arena.bots.exit import Exit
    from arena.match.limits import Limits


class Conversation:
    """One match with the bot.

    Attributes:
        startup: Seconds from the start of the bot to its message ``ready``: CPU time if it is measured, else wall time.
        last_sent: The last message that was sent to the bot.
        exit: How the program ended; None before the end of `run`, or if the program had to be killed after the match.
        stderr: The end of the bot's standard error.
        last_words: What the bot's standard error says of its end, with the place (see `arena.match.stack.last_words`).
    """

    def __init__(self, bot: Bot, game: GameSpec, options: OptionValues, clock: Clock, scenario: Scenario) -> None:
        self.scenario = scenario
        scenario.conversation = self
        self.player = scenario.player
        self.startup = 0.0
        self.last_sent = self.stderr = self.last_words = ""
        self.exit: Exit | None = None
        self._bot = bot
        self._random = Random(scenario.name)
        players = range(game.players_in(options))
        self.match = Match(
            game,
            game.start(options, Seeded("client check")),
            [SeatAssignment("", bot.name if player == self.player else f"random {player + 1}") for player in players],
            Seeded(scenario.name),
            clock,
            Policy(),
            recorded=False,
            bot_seeds=[f"{player:032x}" for player in players],
        )

    def run(self, limits: Limits) -> None:
        """Start the bot and play until the match is over."""
        seat = play_one_program(
            self.match, self.player, self._bot, program=self._program, resident=self._resident, limits=limits
        )
        self.exit = seat.exit
        self.stderr = seat.process.stderr.text()
        self.last_words = last_words(self.stderr, placed=True)

    @property
    def wrong(self) -> str:
        """The bot's mistake in the match; empty if it made none."""
        seat = self.match.seats[self.player]
        return seat.detail if seat.failure is None else f"{ending_phrase(seat.failure[0])}: {seat.failure[1]}"

    def hang_up(self) -> None:
        """End the match, and close the connection without a message, as happens when the referee dies."""
        self.match.void("check")
        self._end.disconnect()

    def _program(self, host: Host, match: Match, player: int) -> ProgramEnd:
        self._end = _ChangedEnd(self, host, match, player)
        return self._end

    def _resident(self, match: Match, player: int) -> Resident:
        return Resident(match, player, lambda _: [match.state.random_action(player, self._random)])


class _ChangedEnd(ProgramEnd):
    """The end of the bot's seat. The scenario changes the messages. The time of the start-up is measured."""

    def __init__(self, conversation: Conversation, host: Host, match: Match, player: int) -> None:
        super().__init__(host, match, player)
        self._conversation = conversation
        self._began = Reading(0.0)

    def begin(self) -> None:
        self._began = self.read_clocks()
        super().begin()

    def send(self, message: dict[str, Any]) -> None:
        """Send what the scenario sends in place of a message of the referee."""
        for sent in self._conversation.scenario.outgoing(message):
            self._conversation.last_sent = json.dumps(sent, default=str)
            super().send(sent)

    def deliver(self, message: Message, reading: Reading) -> None:
        """Give the match what it gets in place of a message of the bot."""
        if message["type"] == "ready":
            now, began = self.read_clocks(), self._began
            measured = now.cpu is not None and began.cpu is not None
            self._conversation.startup = now.cpu - began.cpu if measured else now.wall - began.wall  # type: ignore[operator]
        super().deliver(self._conversation.scenario.incoming(message), reading)


# The scenarios of the client check: ordinary matches, and matches with unusual events that the protocol allows.

QUIET = 0.1
"""Seconds for which the check waits for messages while the client must be silent. Chosen, not measured: a program that
sends at the wrong time does so within milliseconds of the last message, and the check waits so long in seven turns."""
NOISE = 4 * 1024 * 1024
"""Characters in a big message. Chosen, not measured: more than a socket buffers, so that a client that reads once and
takes this for the whole message fails."""
SHORT = 8
"""Turns of the bot after which a shortened match ends. Chosen, not measured: `Late` plays every third turn, and needs
turns after it; more turns show nothing new."""


class Scenario:
    """One match of the check. This base class plays an ordinary match; subclasses change the messages.

    Attributes:
        conversation: The match, from its beginning on.
        name: What the client must do, as shown in the report.
        turns: Number of turns of the bot after which the match ends; None to play it to the end.
        must_succeed: Whether the bot's program must end with exit code 0.
    """

    name: ClassVar[str] = "plays a whole match"
    turns: ClassVar[int | None] = None
    must_succeed: ClassVar[bool] = True

    conversation: Conversation

    def __init__(self, player: int = 0) -> None:
        self.player = player
        self._asked = 0
        self._ended = False

    def outgoing(self, message: Message) -> list[Message]:
        """Return the messages to send to the bot in place of a referee's message."""
        if message["type"] == "turn":
            self._asked += 1
            if self.turns is not None and self._asked > self.turns:
                return self.end()
        return [] if self._ended and message["type"] != "over" else self.change(message)

    def change(self, message: Message) -> list[Message]:
        """Return the messages to send in place of a message; subclasses override this."""
        return [message]

    def end(self) -> list[Message]:
        """End the match. Return no message, since the referee sends ``over`` next."""
        self._ended = True
        self.conversation.match.void("check")
        return []

    def incoming(self, message: Message) -> Message:
        return message


class LastSeat(Scenario):
    name = "plays a whole match on the last seat"


class Quiet(Scenario):
    """A match in which the client must send nothing between its turns."""

    name = "sends nothing while others move"
    turns = SHORT

    def change(self, message: Message) -> list[Message]:
        """Before each turn except the first, wait for a moment. A message of this time answers no open request."""
        if message["type"] == "turn" and self._asked > 1:
            time.sleep(QUIET)
        return [message]


class Refusing(Scenario):
    name = "continues after a refused action"
    turns = SHORT

    def __init__(self, player: int = 0) -> None:
        super().__init__(player)
        self._refused = 0

    def incoming(self, message: Message) -> Message:
        """Replace the actions of the first answer in a turn with an unknown action."""
        if message["type"] != "act" or self._refused == self._asked:
            return message
        self._refused = self._asked
        return {**message, "actions": [{"type": "an action that no game has"}]}


class Late(Scenario):
    """A match in which the answers of every third turn count as too late: the referee has already played the turn."""

    name = "continues after an answer that came too late"
    turns = SHORT

    def __init__(self, player: int = 0) -> None:
        super().__init__(player)
        self._late = False

    def incoming(self, message: Message) -> Message:
        """Replace a late answer with the game's fallback action, as for a player who is out of time."""
        self._late = message["type"] == "act" and self._asked % 3 == 1
        if not self._late:
            return message
        return {**message, "actions": [self.conversation.match.state.fallback_action(self.player)]}

    def change(self, message: Message) -> list[Message]:
        """Report to the client that none of its actions was carried out."""
        if message["type"] == "result" and self._late:
            error = {"code": "too_late", "message": "the time for this turn had run out"}
            message = {**message, "results": [error]}
        return [message]


class Returning(Scenario):
    """A match in which messages remove an object and create it again."""

    name = "accepts objects that are removed and created again"
    turns = SHORT

    def __init__(self, player: int = 0) -> None:
        super().__init__(player)
        self._next = 0

    def change(self, message: Message) -> list[Message]:
        """Add the triples that remove an object and create it again."""
        if not message.get("delta") or message["type"] == "over":
            return [message]
        objects = _objects(self.conversation.match.state.view(self.player))
        objects.pop("game", None)
        if not objects:
            return [message]
        self._next += 1
        name = list(objects)[self._next % len(objects)]
        return [{**message, "delta": [*message["delta"], name, "-", None, *objects[name]]}]


class Repeating(Scenario):
    """A match in which messages set a field twice. The last value counts."""

    name = "takes the last value of a field that is set twice"
    turns = SHORT

    def change(self, message: Message) -> list[Message]:
        """Set each changed whole number twice in a delta: to a wrong value, then to the right one. Skip coordinates."""
        if message["type"] not in ("turn", "result"):
            return [message]
        delta = message["delta"]
        first: list[Any] = []
        new = {name for name, field, _ in triples(delta) if field in "+-"}
        for name, field, value in triples(delta):
            if name not in new and type(value) is int and field not in ("x", "y"):
                first += [name, field, value + 1]
        return [{**message, "delta": [*first, *delta]}]


class Big(Scenario):
    name = f"reads a message of {NOISE // 1024 // 1024} MB"
    turns = 2

    def change(self, message: Message) -> list[Message]:
        if message["type"] != "turn":
            return [message]
        noise = [{"kind": "an event that no game has", "text": "x" * 4096}] * (NOISE // 4096)
        return [{**message, "events": [*message["events"], *noise]}]


class UnknownKeys(Scenario):
    name = "ignores unknown keys in the schema"
    turns = 2

    def change(self, message: Message) -> list[Message]:
        if message["type"] != "welcome":
            return [message]
        new = {"a key of a later version": [1, {"a": None}]}
        schema = message["schema"]
        classes = {name: {**declared, **new} for name, declared in schema["classes"].items()}
        return [{**message, "schema": {**schema, **new, "classes": classes}}]


class OverInstead(Scenario):
    """A match that ends when the referee would send the first message of the type `instead`."""

    instead: ClassVar[str]

    def change(self, message: Message) -> list[Message]:
        if message["type"] != self.instead:
            return [message]
        return self.end()


class OverAtStart(OverInstead):
    name = "exits when the match is over before it starts"
    instead = "start"


class OverBeforeTurn(OverInstead):
    name = "exits when the match is over before its first turn"
    instead = "turn"


class OverInTurn(OverInstead):
    name = "exits when the match is over after its first action"
    instead = "result"


class RefusedAction(Scenario):
    name = "exits when it is refused"
    must_succeed = False

    def change(self, message: Message) -> list[Message]:
        """Refuse the client. From then on, the end of its program is no mistake, and no message follows."""
        if message["type"] != "welcome":
            return [message] if not self._ended else []
        self.end()
        return [{"type": "refused", "code": "check", "message": "This referee refuses every client."}]


class RefereeGone(Scenario):
    """A match in which the referee closes the connection in the first turn."""

    name = "exits when the connection is closed"
    must_succeed = False

    def change(self, message: Message) -> list[Message]:
        if message["type"] != "result":
            return [message]
        self.conversation.hang_up()
        return []


def _objects(view: list[Any]) -> dict[str, list[Any]]:
    objects: dict[str, list[Any]] = {}
    for name, field, value in triples(view):
        objects.setdefault(name, []).extend((name, field, value))
    return objects


SCENARIOS: tuple[type[Scenario], ...] = (
    Scenario,
    LastSeat,
    Quiet,
    Refusing,
    Late,
    Returning,
    Repeating,
    Big,
    UnknownKeys,
    OverAtStart,
    OverBeforeTurn,
    OverInTurn,
    RefusedAction,
    RefereeGone,
)
"""All scenarios, in the order of the check."""
SHORT_FIRST = SCENARIOS[:1:-1]
"""The scenarios without the two whole matches, the shortest first: for who plays matches anyway, and has no time."""


# The report of the client check, with one line for each scenario.

LONGEST_TURN = 10.0
"""Seconds for one turn in the check, if the game sets no limit. Chosen, not measured: a bot that hangs must end."""
SLEEP = 5.0
"""Seconds of wall time that a turn may take in addition to its time limit, which can be in CPU time. Chosen, not
measured: a bot that waits for something uses no CPU time, and would stop the check for ever."""
MOST_HANGS = 2
"""The number of scenarios in which the bot's time may run out. After that, no further scenario is played: one hang can
be the fault of the scenario that it shows, two are a habit, and each costs the whole clock."""
SHOWN = 300
"""The limit for the length of a message or a line of output in the report, in characters. Chosen, not measured."""


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
    seconds: float = inf,
    limits: Limits | None = None,
    progress: Callable[[str], None] | None = None,
) -> ClientReport:
    """Play one match with the bot for each scenario and report the results.

    Play no further match after a start-up that fails or a time-out in the first one, or after time-outs in
    `MOST_HANGS` matches: each of the others would wait for the clock again.

    Args:
        seconds: Begin no further match after so many seconds.
        progress: Called with the name of each scenario before its match.
    """
    need_program(bot, "The check of the protocol")
    turn = game.clock.turn or LONGEST_TURN
    clock = replace(game.clock, bank=None, turn=turn, turn_wall=min(game.clock.turn_wall or inf, turn + SLEEP))
    report = ClientReport(bot.name, ())
    hangs = 0
    begin = time.monotonic()
    for number, scenario_class in enumerate(scenarios, 1):
        scenario = scenario_class(game.players_in(options) - 1) if scenario_class is LastSeat else scenario_class()
        if progress is not None:
            progress(scenario.name)
        conversation = Conversation(bot, game, options, clock, scenario)
        conversation.run(limits or Limits())
        if scenario_class is Scenario:
            report = _with_figures(report, conversation)
        line = _line(scenario, conversation, game.name)
        ending = conversation.match.seats[scenario.player].ending
        hangs += ending == "timed_out"
        is_last = hangs == MOST_HANGS or (number == 1 and ending in ("no_start", "timed_out"))
        unplayed = len(scenarios) - number
        if is_last and unplayed and ending == "timed_out":
            line = replace(line, problem=f"{line.problem}. {unplayed} more checks were not played")
        report = replace(report, lines=(*report.lines, line))
        if is_last or time.monotonic() - begin >= seconds:
            break
    return report


def _line(scenario: Scenario, conversation: Conversation, game: str) -> ReportLine:
    problem = conversation.wrong
    if not problem and conversation.exit is None:
        problem = f"its program was still running {LONGEST_EXIT:g} s after the match"
    elif not problem and scenario.must_succeed and conversation.exit is not None and conversation.exit.code != 0:
        problem = f"its program ended with {conversation.exit.reason}"
    if not problem:
        return ReportLine(scenario.name, passed=True)
    if conversation.last_words:
        problem += f" ({one_line(conversation.last_words)[:SHOWN]})"
        hint = advice(conversation.stderr, game)
        if hint:
            problem += f". {hint.removesuffix('.')}"
    return ReportLine(scenario.name, passed=False, problem=problem, last_sent=conversation.last_sent[:SHOWN])


def _with_figures(report: ClientReport, conversation: Conversation) -> ClientReport:
    clock = conversation.match.seats[conversation.player].clock
    turn = clock.match_time.deciding / clock.turns if clock.turns else 0.0
    return replace(report, startup=conversation.startup, turns=clock.turns, turn=turn, worst_turn=clock.worst)
