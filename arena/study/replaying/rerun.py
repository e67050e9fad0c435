"""Rerun a recorded match: send a bot the messages of the recorded player, and compare the actions of both."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from arena.bots.bot import Bot
from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec
from arena.match.stack import CodePosition, last_stack
from arena.play.referee.clock import GUARD_FACTOR, GUARD_SECONDS
from arena.play.referee.live_state import RulesFault
from arena.play.referee.prepared import play_one_program
from arena.play.referee.seat_link import SeatConnection
from arena.study.replaying.course import Course, game_of
from arena.study.replaying.recorded import Disagreement
from arena.study.replaying.rerun_match import RerunMatch, RerunPart, choices
from arena.text.printable import command_line
from arena_replays import Reader
from arena_replays.documents import Entry, Header

UNLIMITED = 60.0
"""The time limit for an answer, in seconds, if the recorded match had no time limit."""


@dataclass(frozen=True, slots=True)
class RecordedSeat:
    name: str
    game: GameSpec
    header: Header
    truth: Sequence[Entry]
    seed: int | str

    @classmethod
    def of(cls, reader: Reader) -> RecordedSeat:
        game = game_of(reader.header)
        if not reader.truth or not reader.header.get("players"):
            raise ArenaError(f"{reader.where} is cut off before the first turn.", exit_code=ExitCode.DAMAGED_REPLAY)
        return cls(reader.where, game, reader.header, reader.truth, reader.known_seed())

    def check_player(self, player: int) -> None:
        count = len(self.header["players"])
        if not 0 <= player < count:
            raise ArenaError(
                f"{self.name} has no player {player}.",
                hint=f"Its players are 0 to {count - 1}.",
                exit_code=ExitCode.USAGE,
            )


@dataclass(frozen=True, slots=True)
class TurnDifference:
    """A part of a turn in which a bot does not do what was recorded.

    Attributes:
        turn: The number of the turn, from 1; None if a program failed before its first turn.
        frame: The number of accepted actions of all players before this part; None if a program failed outside of a
            part.
        recorded: The recorded actions. A refused action is a dictionary with the keys ``refused`` (code) and
            ``action``.
        recorded_end: The ending and detail of the recorded program, if it ended in this part; otherwise empty.
        now_end: The ending and detail of the bot, if it ended in this part; otherwise empty.
        position: The last file and line of the bot's own code in the stack that the bot printed.
        noise: Whether a second rerun of the same bot gave other actions. The difference can then be random.
        gain: How much the bot's actions raise the player's win probability, from -1 to 1: value, low and high; None if
            not estimated.
    """

    turn: int | None
    frame: int | None
    recorded: tuple[Any, ...]
    now: tuple[Any, ...]
    recorded_end: str = ""
    now_end: str = ""
    position: CodePosition | None = None
    noise: bool = False
    gain: dict[str, float] | None = None

    @property
    def first(self) -> int:
        pairs = zip(self.recorded, self.now, strict=False)
        return next(
            (at for at, (one, other) in enumerate(pairs) if one != other), min(len(self.recorded), len(self.now))
        )


@dataclass(frozen=True, slots=True)
class Rerun:
    """The result of one rerun.

    Attributes:
        noise: The turns in which two reruns of the bot differed from each other; empty without a second rerun.
        stopped: The turn in which the bot failed. None if it did not fail, or failed where the record ends.
    """

    replay: str
    player: int
    bot: str
    turns: int
    seconds: float
    differences: tuple[TurnDifference, ...] = ()
    noise: tuple[int, ...] = ()
    stopped: int | None = None
    output: str = ""

    @property
    def same(self) -> bool:
        """Whether the bot does what was recorded, except for noise."""
        return all(difference.noise for difference in self.differences)


@dataclass(frozen=True, slots=True)
class _Trial:
    parts: list[RerunPart]
    output: str
    seconds: float
    end: tuple[str, str] | None
    recorded_end: tuple[str, str] | None
    position: CodePosition | None


def rerun(
    recorded: RecordedSeat,
    player: int,
    bot: Bot,
    *,
    last_turn: int | None = None,
    sandbox: str = "auto",
    check_noise: bool = True,
) -> Rerun:
    """Rerun a recorded match with a bot, and compare the bot's actions with the recorded ones.

    If they differ, rerun the match a second time. What differs between the two reruns is noise.
    """
    recorded.check_player(player)
    first = _play(recorded, player, bot, last_turn, sandbox)
    found = _differences(first)
    noisy: set[int] = set()
    if found and check_noise:
        second = _play(recorded, player, bot, last_turn, sandbox)
        noisy = _noise(first.parts, second.parts)
        found = [replace(one, noise=one.turn in noisy) for one in found]
    failed = next((part.turn for part in first.parts if part.end and not part.last), None)
    return Rerun(
        recorded.name,
        player,
        bot.name,
        turns=len({part.turn for part in first.parts}),
        seconds=first.seconds,
        differences=tuple(found),
        noise=tuple(sorted(noisy)),
        stopped=failed,
        output=first.output,
    )


def recorded_choice(recorded: RecordedSeat, player: int, turn: int) -> list[Any]:
    """Return the accepted actions of a player in a turn. The turn must have an end in the record."""
    number = turn + first_turn(recorded) - 1
    ends = [at for at, entry in enumerate(recorded.truth) if entry[0] == "turn"]
    last = max(at for at in ends if recorded.truth[at][1] == number)
    begin = max((at for at in ends if recorded.truth[at][1] < number), default=0)
    return [entry[2] for entry in recorded.truth[begin:last] if entry[0] == "do" and entry[1] == player]


def choice(recorded: RecordedSeat, player: int, bot: Bot, turn: int, *, sandbox: str = "auto") -> list[Any]:
    """Rerun a match with a bot up to a turn. Return the accepted actions of the bot in this turn."""
    recorded.check_player(player)
    played = _play(recorded, player, bot, turn, sandbox)
    if played.end is not None:
        at = f" ({played.position})" if played.position else ""
        where = f"in turn {played.parts[-1].turn}" if played.parts else "before its first turn"
        raise ArenaError(f"{bot.name} ended {where}: {_worded(played.end)}{at}.", exit_code=ExitCode.DIFFERENCE)
    return [entry[2] for part in played.parts if part.turn == turn for entry in part.now if entry[0] == "do"]


def debug(recorded: RecordedSeat, player: int, bot: Bot, environment: dict[str, str], last_turn: int) -> None:
    """Rerun a match with a bot that uses this terminal, without a sandbox and without a time limit."""
    recorded.check_player(player)
    match = _match(recorded, player, last_turn)
    _run(recorded, match, bot, terminal=True, environment=environment)


def turns_of(recorded: RecordedSeat, player: int | None = None) -> list[int]:
    """Return the numbers of the turns in which a player was to move, or any, from 1.

    Raise the errors of `first_turn`.
    """
    first = first_turn(recorded)
    turns = (entry[1] for entry in recorded.truth if entry[0] == "turn" and player in (None, entry[2]))
    return [number - first + 1 for number in dict.fromkeys(turns)]


def first_turn(recorded: RecordedSeat) -> int:
    try:
        return Course.of(recorded.game, recorded.header, list(recorded.truth[:1])).first_turn
    except Disagreement as difference:
        raise _not_by_the_rules(recorded, difference) from None


def _match(recorded: RecordedSeat, player: int, last_turn: int | None, allowed: float | None = None) -> RerunMatch:
    try:
        return RerunMatch(recorded.game, recorded.header, recorded.seed, recorded.truth, player, last_turn, allowed)
    except Disagreement as difference:
        raise _not_by_the_rules(recorded, difference) from None


def _run(recorded: RecordedSeat, match: RerunMatch, bot: Bot, **values: Any) -> SeatConnection:
    try:
        return play_one_program(
            match.match, match.player, bot, program=match.program, resident=match.resident, **values
        )
    except (Disagreement, RulesFault) as difference:
        raise _not_by_the_rules(recorded, difference) from None


def _not_by_the_rules(recorded: RecordedSeat, reason: Exception) -> ArenaError:
    return ArenaError(
        f"{recorded.name} does not follow the installed rules: {reason}.",
        hint=command_line("arena", "replay", "verify", recorded.name),
        exit_code=ExitCode.DAMAGED_REPLAY,
    )


def _play(recorded: RecordedSeat, player: int, bot: Bot, last_turn: int | None, sandbox: str) -> _Trial:
    begin = time.monotonic()
    match = _match(recorded, player, last_turn, _allowed(recorded.header))
    process = _run(recorded, match, bot, sandbox=sandbox).process
    seat = match.match.seats[player]
    if seat.detail and seat.failure is None:
        raise ArenaError(f"The rerun of {bot.name} was disturbed: it {seat.detail}.", hint="Run it again.")
    stack = last_stack(process.stderr.text()) if seat.failure else None
    return _Trial(
        match.parts,
        process.stdout.text(),
        time.monotonic() - begin,
        seat.failure,
        match.end if last_turn is None else None,
        stack.position if stack else None,
    )


def _allowed(header: Header) -> float:
    """Return the seconds after which a bot counts as hanging. Without a time limit in the match, return `UNLIMITED`."""
    clock = header.get("clock", {})
    limits = [limit for limit in (clock.get("turn"), clock.get("bank")) if limit is not None]
    return GUARD_FACTOR * min(limits) + GUARD_SECONDS if limits else UNLIMITED


def _differences(played: _Trial) -> list[TurnDifference]:
    found = [_difference(part, played) for part in played.parts if part.differs]
    ended = any(part.end for part in played.parts)
    recorded = any(part.recorded_end for part in played.parts)
    kinds = [end and end[0] for end in (played.recorded_end, played.end)]
    if kinds[0] != kinds[1] and not ((ended or not played.end) and (recorded or not played.recorded_end)):
        turn = played.parts[-1].turn if played.parts else None
        now = None if ended else played.end
        found.append(
            TurnDifference(
                turn, None, (), (), _worded(played.recorded_end), _worded(now), played.position if now else None
            )
        )
    return found


def _difference(part: RerunPart, played: _Trial) -> TurnDifference:
    return TurnDifference(
        part.turn,
        part.frame,
        _actions(part.recorded),
        _actions(part.now),
        _worded(part.recorded_end),
        _worded(part.end),
        played.position if part.end else None,
    )


def _worded(end: tuple[str, str] | None) -> str:
    return "" if end is None else f"{end[0]}: {end[1]}"


def _actions(entries: Sequence[Entry]) -> tuple[Any, ...]:
    return tuple(entry[2] if entry[0] == "do" else {"refused": entry[3], "action": entry[2]} for entry in entries)


def _noise(one: Sequence[RerunPart], other: Sequence[RerunPart]) -> set[int]:
    found = {
        first.turn
        for first, second in zip(one, other, strict=False)
        if choices(first.now) != choices(second.now) or (first.end is None) != (second.end is None)
    }
    longer = one if len(one) > len(other) else other
    return found | {part.turn for part in longer[min(len(one), len(other)) :]}
