"""Rerun a recorded match: send a bot the messages of the recorded player, and compare the actions of both.

`MatchRecord` is a replay with the game in the installed version. `rerun` plays it once with a bot, and once more if
anything differs: what differs between the two reruns is noise. `choice` plays up to one turn and returns what the bot
does there, for pinned tests. How the match itself is played is in `rerun_match`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from arena.bots.bot import Bot, need_program
from arena.bots.system.surroundings import RUNS_PROGRAMS
from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec
from arena.match.stack import CodePosition, last_stack
from arena.play.memory.workers import MemoryWorkers
from arena.play.referee.clock import GUARD_FACTOR, GUARD_SECONDS
from arena.play.referee.live_state import RulesFault
from arena.play.referee.prepared import check_in_memory, play_one_program
from arena.study.replaying.course import Course, game_of
from arena.study.replaying.record_guide import RerunPart, choices
from arena.study.replaying.recorded import Disagreement
from arena.study.replaying.rerun_in_memory import Replayed, RerunTask
from arena.study.replaying.rerun_match import RerunMatch
from arena.text.printable import command_line
from arena_replays import Reader
from arena_replays.documents import Entry, Header

if TYPE_CHECKING:
    from arena.play.referee.seat_link import SeatConnection

UNLIMITED = 60.0
"""The time limit for an answer, in seconds, if the recorded match had no time limit. Chosen, not measured: a bot that
thinks for a minute in a game without limits is an exception, and one that hangs must not stop the command for long."""


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """A recorded match whose players can be replaced.

    Attributes:
        name: The path of the replay, or another name for messages.
        seed: The seed of the match.
    """

    name: str
    game: GameSpec
    header: Header
    truth: Sequence[Entry]
    seed: int | str

    @classmethod
    def of(cls, reader: Reader) -> MatchRecord:
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

    def players_of(self, bot: Bot, reference: str) -> list[int]:
        """Return the players whose program was a bot: by the hash of its files, else by its reference or its name."""
        seats = self.header["players"]
        for is_same in (
            [seat.get("hash") == bot.content_hash for seat in seats],
            [seat.get("bot") == reference for seat in seats],
            [seat["name"].partition(" (")[0] == bot.name for seat in seats],
        ):
            if any(is_same):
                return [player for player, same in enumerate(is_same) if same]
        names = ", ".join(f"{number} {seat['name']}" for number, seat in enumerate(seats))
        raise ArenaError(
            f"No player of {self.name} is the bot {bot.name}.",
            hint=f"Choose one with --player: {names}.",
            exit_code=ExitCode.USAGE,
        )

    @property
    def first_turn(self) -> int:
        """The number that the game gives to the first turn."""
        try:
            return Course.of(self.game, self.header, list(self.truth[:1])).first_turn
        except Disagreement as difference:
            raise self.not_by_the_rules(difference) from None

    def turns(self, player: int | None = None) -> list[int]:
        """Return the numbers of the turns in which a player was to move, or any player, from 1."""
        first = self.first_turn
        numbers = (entry[1] for entry in self.truth if entry[0] == "turn" and player in (None, entry[2]))
        return [number - first + 1 for number in dict.fromkeys(numbers)]

    def check_turn(self, turn: int) -> None:
        _check_turn(self.name, turn, self.turns())

    def last_turn_of(self, player: int, turn: int) -> int:
        """Return the turn, or a player's last turn before it if the turn is another player's."""
        turns = self.turns(player)
        last = max((number for number in turns if number <= turn), default=turn)
        _check_turn(f"Player {player} of {self.name}", last, turns)
        return last

    def not_by_the_rules(self, reason: Exception) -> ArenaError:
        """Return the error for a record that the installed rules cannot carry out."""
        return ArenaError(
            f"{self.name} does not follow the installed rules: {reason}.",
            hint=command_line("arena", "replay", "verify", self.name),
            exit_code=ExitCode.DAMAGED_REPLAY,
        )


def _check_turn(what: str, turn: int, turns: Sequence[int]) -> None:
    """Refuse a turn that a match, or one of its players, does not have."""
    if turn not in turns:
        nearest = sorted(turns, key=lambda number: abs(number - turn))[:2]
        hint = f"The nearest are {' and '.join(map(str, sorted(nearest)))}." if nearest else ""
        raise ArenaError(f"{what} has no turn {turn}.", hint=hint, exit_code=ExitCode.BAD_OPTION)


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
        """The index of the first action that differs."""
        for index, (recorded, now) in enumerate(zip(self.recorded, self.now, strict=False)):
            if recorded != now:
                return index
        return min(len(self.recorded), len(self.now))


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


def document_of(reruns: Sequence[Rerun]) -> dict[str, Any]:
    return {
        "reruns": [
            {
                "replay": rerun.replay,
                "player": rerun.player,
                "bot": rerun.bot,
                "same": rerun.same,
                "turns": rerun.turns,
                "differences": len(rerun.differences),
                "noise": list(rerun.noise),
                "stopped": rerun.stopped,
                "seconds": round(rerun.seconds, 3),
            }
            for rerun in reruns
        ],
        "differences": [
            {"replay": rerun.replay, "player": rerun.player, **asdict(difference), "first": difference.first}
            for rerun in reruns
            for difference in rerun.differences
        ],
    }


@dataclass(frozen=True, slots=True)
class _Trial:
    """A match that was played once with the bot."""

    parts: list[RerunPart]
    output: str
    seconds: float
    end: tuple[str, str] | None
    recorded_end: tuple[str, str] | None
    position: CodePosition | None


def rerun(
    record: MatchRecord,
    player: int,
    bot: Bot,
    *,
    last_turn: int | None = None,
    sandbox: str = "auto",
    check_noise: bool = True,
    in_memory: bool = not RUNS_PROGRAMS,
) -> Rerun:
    """Rerun a recorded match with a bot, and compare the bot's actions with the recorded ones.

    If they differ, rerun the match a second time. What differs between the two reruns is noise.

    Args:
        in_memory: Whether to play in memory, which is for the user's own bots in Python.
    """
    record.check_player(player)
    need_program(bot, "A rerun")
    play = _play_in_memory if in_memory else partial(_play, sandbox=sandbox)
    trial = play(record, player, bot, last_turn)
    differences = _differences(trial)
    noisy: set[int] = set()
    if differences and check_noise:
        second = play(record, player, bot, last_turn)
        noisy = _noise(trial.parts, second.parts)
        differences = [replace(difference, noise=difference.turn in noisy) for difference in differences]
    return Rerun(
        record.name,
        player,
        bot.name,
        turns=len({part.turn for part in trial.parts}),
        seconds=trial.seconds,
        differences=tuple(differences),
        noise=tuple(sorted(noisy)),
        stopped=next((part.turn for part in trial.parts if part.end and not part.last), None),
        output=trial.output,
    )


def recorded_choice(record: MatchRecord, player: int, turn: int) -> list[Any]:
    """Return the accepted actions of a player in a turn. The turn must have an end in the record."""
    number = turn + record.first_turn - 1
    ends = [index for index, entry in enumerate(record.truth) if entry[0] == "turn"]
    last = max(index for index in ends if record.truth[index][1] == number)
    begin = max((index for index in ends if record.truth[index][1] < number), default=0)
    return [entry[2] for entry in record.truth[begin:last] if entry[0] == "do" and entry[1] == player]


def choice(
    record: MatchRecord,
    player: int,
    bot: Bot,
    turn: int,
    *,
    sandbox: str = "auto",
    in_memory: bool = not RUNS_PROGRAMS,
) -> list[Any]:
    """Rerun a match with a bot up to a turn. Return the accepted actions of the bot in this turn."""
    record.check_player(player)
    need_program(bot, "A rerun")
    trial = (_play_in_memory if in_memory else partial(_play, sandbox=sandbox))(record, player, bot, turn)
    if trial.end is not None:
        at = f" ({trial.position})" if trial.position else ""
        where = f"in turn {trial.parts[-1].turn}" if trial.parts else "before its first turn"
        raise ArenaError(f"{bot.name} ended {where}: {_in_words(trial.end)}{at}.", exit_code=ExitCode.DIFFERENCE)
    entries = (entry for part in trial.parts if part.turn == turn for entry in part.now)
    return [entry[2] for entry in entries if entry[0] == "do"]


def rerun_in_terminal(record: MatchRecord, player: int, bot: Bot, environment: dict[str, str], last_turn: int) -> None:
    """Rerun a match with a bot that uses this terminal, without a sandbox and without a time limit."""
    record.check_player(player)
    need_program(bot, "A rerun")
    match = _match(record, player, last_turn)
    _run(record, match, bot, terminal=True, environment=environment)


def _match(record: MatchRecord, player: int, last_turn: int | None, allowed: float | None = None) -> RerunMatch:
    try:
        return RerunMatch(record.game, record.header, record.seed, record.truth, player, last_turn, allowed)
    except Disagreement as difference:
        raise record.not_by_the_rules(difference) from None


def _run(record: MatchRecord, match: RerunMatch, bot: Bot, **options: Any) -> SeatConnection:
    from arena.study.replaying.rerun_program import RerunEnd  # not on Windows

    program = partial(RerunEnd, match)
    try:
        return play_one_program(match.match, match.player, bot, program=program, resident=match.resident, **options)
    except (Disagreement, RulesFault) as difference:
        raise record.not_by_the_rules(difference) from None


def _play(record: MatchRecord, player: int, bot: Bot, last_turn: int | None, sandbox: str) -> _Trial:
    begin = time.monotonic()
    match = _match(record, player, last_turn, _allowed(record.header))
    process = _run(record, match, bot, sandbox=sandbox).process
    seat = match.match.seats[player]
    texts = process.stdout.text(), process.stderr.text()
    return _trial(bot, begin, last_turn, Replayed(match.guide.parts, *texts, seat.failure, seat.detail, match.end))


def _play_in_memory(record: MatchRecord, player: int, bot: Bot, last_turn: int | None) -> _Trial:
    check_in_memory(bot)
    begin = time.monotonic()
    task = RerunTask(record.header, record.seed, record.truth, player, bot, last_turn, _allowed(record.header))
    _match(record, player, last_turn)  # whether the record follows the rules
    workers = MemoryWorkers(record.game.name)
    with closing(workers):
        return _trial(bot, begin, last_turn, workers.do(task))


def _trial(bot: Bot, begin: float, last_turn: int | None, end: Replayed) -> _Trial:
    if end.detail and end.failure is None:
        raise ArenaError(f"The rerun of {bot.name} was disturbed: it {end.detail}.", hint="Run it again.")
    stack = last_stack(end.stderr) if end.failure else None
    return _Trial(
        end.parts,
        end.stdout,
        time.monotonic() - begin,
        end.failure,
        end.recorded_end if last_turn is None else None,
        stack.position if stack else None,
    )


def _allowed(header: Header) -> float:
    """Return the seconds after which a bot counts as hanging. Without a time limit in the match, return `UNLIMITED`."""
    clock = header.get("clock", {})
    limits = [limit for limit in (clock.get("turn"), clock.get("bank")) if limit is not None]
    return GUARD_FACTOR * min(limits) + GUARD_SECONDS if limits else UNLIMITED


def _differences(trial: _Trial) -> list[TurnDifference]:
    differences = [_difference(part, trial) for part in trial.parts if part.differs]
    end, recorded_end = trial.end, trial.recorded_end
    ended_in_part = any(part.end for part in trial.parts)
    recorded_in_part = any(part.recorded_end for part in trial.parts)
    # A program can also end outside of its parts, such as before its first turn. No part shows that.
    all_shown = (ended_in_part or not end) and (recorded_in_part or not recorded_end)
    if (end and end[0]) != (recorded_end and recorded_end[0]) and not all_shown:
        now_end = None if ended_in_part else end
        differences.append(
            TurnDifference(
                trial.parts[-1].turn if trial.parts else None,
                None,
                (),
                (),
                _in_words(recorded_end),
                _in_words(now_end),
                trial.position if now_end else None,
            )
        )
    return differences


def _difference(part: RerunPart, trial: _Trial) -> TurnDifference:
    return TurnDifference(
        part.turn,
        part.frame,
        _actions(part.recorded),
        _actions(part.now),
        _in_words(part.recorded_end),
        _in_words(part.end),
        trial.position if part.end else None,
    )


def _in_words(end: tuple[str, str] | None) -> str:
    return "" if end is None else f"{end[0]}: {end[1]}"


def _actions(entries: Sequence[Entry]) -> tuple[Any, ...]:
    return tuple(entry[2] if entry[0] == "do" else {"refused": entry[3], "action": entry[2]} for entry in entries)


def _noise(first: Sequence[RerunPart], second: Sequence[RerunPart]) -> set[int]:
    """Return the turns in which two reruns of a bot differ."""
    turns = set()
    for part, again in zip(first, second, strict=False):
        if choices(part.now) != choices(again.now) or (part.end is None) != (again.end is None):
            turns.add(part.turn)
    longer = first if len(first) > len(second) else second
    return turns | {part.turn for part in longer[min(len(first), len(second)) :]}
