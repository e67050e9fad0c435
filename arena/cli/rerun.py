"""``arena rerun``: run recorded matches again with a bot in a player's place."""

from __future__ import annotations

import importlib.util
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.bots.system.surroundings import RUNS_PROGRAMS
from arena.cli.extras import install_command
from arena.cli.options import AS_JSON, IN_MEMORY, SANDBOX, Choice, FiniteRange
from arena.cli.output import complain, print_json, say, say_quoting, say_status
from arena.cli.output_files import refuse_existing, refuse_same_file, write_text
from arena.errors import ArenaError, ExitCode
from arena.match.ending import counted
from arena.match.position import ReplayPosition
from arena_replays.errors import ReplayError

if TYPE_CHECKING:
    from arena.bots.bot import Bot
    from arena.study.replaying.rerun import MatchRecord, Rerun, TurnDifference

SHOWN = 20
"""The limit of differences that are printed for one rerun; --json prints all. Chosen, not measured: with three lines
each, they fit on two screens."""
EPILOG = """\b
Examples:
  arena rerun replays/saloon-7.arena my_bot/ --player 0
  arena rerun replays/*.arena my_bot/              # the players that are this bot, by file, name or content
  arena rerun lost.arena@57 my_bot.py --debug
  arena rerun lost.arena@57 my_bot.py --pin test_turn_57.py

Exit codes: 0 the bot does what was recorded, apart from noise; 1 it does something else; 2 wrong usage; 3 the game
is not installed in this version; 4 no such turn; 5 bad bot; 6 the test cannot be written; 7 this machine cannot isolate
the build; 9, 10, 11 not a replay, a newer one, a damaged one; 19 the debugger is not installed; 22 the bot could not be
built; 130 interrupted.
"""


@click.command(epilog=EPILOG)
@click.argument("replays", nargs=-1, required=True, metavar="REPLAY...")
@click.argument("bot")
@click.option(
    "--player", type=int, help="Replace this player, numbered from 0. The default is each player who used this bot."
)
@click.option(
    "--debug",
    is_flag=True,
    help="Run the bot in this terminal, and stop in a debugger when the turn of REPLAY@TURN begins.",
)
@click.option(
    "--debugger",
    type=Choice(["pdb", "debugpy", "gdb", "node"]),
    help="The debugger. The default is pdb for Python, gdb for C and C++, node for JavaScript. debugpy waits for your "
    "IDE.",
)
@click.option(
    "--pin",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write a test of the bot's choice in the turn of REPLAY@TURN. It fails if the bot later chooses otherwise.",
)
@click.option(
    "--forbid", is_flag=True, help="With --pin: write a test that fails if the bot repeats the recorded choice."
)
@SANDBOX
@IN_MEMORY
@click.option(
    "--explain",
    type=FiniteRange(1),
    metavar="SECONDS",
    help="Estimate how much each difference changes the win probability. Spend SECONDS on each rerun.",
)
@AS_JSON
def command(
    replays: tuple[str, ...],
    bot: str,
    player: int | None,
    debug: bool,
    debugger: str | None,
    pin: Path | None,
    forbid: bool,
    sandbox: str,
    in_memory: bool,
    explain: float | None,
    as_json: bool,
) -> int:
    """Rerun recorded matches with BOT, and list the turns in which it does something else than was recorded.

    BOT receives the messages that the recorded player received, turn by turn. Other actions of BOT are carried out, but
    undone at the end of the turn: the next turn starts from the recorded position. If any turn differs, the command
    runs BOT a second time. A turn in which the two runs differ is marked as noise.

    A single REPLAY@TURN is rerun up to this turn, or up to the last turn of the player before it. Turns are numbered
    from 1.
    """
    turn = None
    position = ReplayPosition.parse(replays[0]) if len(replays) == 1 else None
    if position is not None:
        from arena.study.replaying.positions import file_of

        replays, turn = (str(file_of(position)),), position.turn
    if (debug or pin) and turn is None:
        raise click.UsageError("--debug and --pin need one replay and its turn: REPLAY@TURN.")
    if debug and pin:
        raise click.UsageError("--debug and --pin exclude each other. Run the command once with each.")
    if (debug or pin) and (explain is not None or as_json):
        raise click.UsageError("--explain and --json report differences. Leave out --debug and --pin.")
    if forbid and pin is None:
        raise click.UsageError("--forbid needs --pin FILE.")
    if debugger and not debug:
        raise click.UsageError("--debugger needs --debug.")
    if debug:
        if not RUNS_PROGRAMS:
            from arena.play.referee.prepared import needs_programs

            raise needs_programs("--debug")
        return _debug(Path(replays[0]), bot, player, turn or 0, debugger)
    if pin is not None:
        for path in (replays[0], bot):
            refuse_same_file(Path(path), pin)
        refuse_existing(pin, "--pin")
        return _pin(Path(replays[0]), bot, player, turn or 0, pin, forbid, sandbox, in_memory)
    return _rerun_all(replays, bot, player, turn, sandbox, explain, as_json=as_json, in_memory=in_memory)


def _rerun_all(
    replays: tuple[str, ...],
    reference: str,
    player: int | None,
    turn: int | None,
    sandbox: str,
    seconds: float | None,
    *,
    as_json: bool,
    in_memory: bool,
) -> int:
    from arena.study.coach.checks import with_gains
    from arena.study.replaying.rerun import document_of, rerun

    shows_status = sys.stderr.isatty() and not as_json
    reruns: list[Rerun] = []
    failed = 0
    for number, path in enumerate(replays, 1):
        try:
            record, bot = _load(Path(path), reference)
            if turn is not None:
                record.check_turn(turn)
            for seat in _players(record, bot, reference, player):
                if shows_status:
                    say_status(f"replay {number} of {len(replays)}, player {seat}")
                result = rerun(record, seat, bot, last_turn=turn, sandbox=sandbox, in_memory=in_memory)
                if seconds is not None:
                    result = with_gains(result, seconds)
                reruns.append(result)
                if shows_status:
                    say_status()
                if not as_json:
                    _print(result)
        except (ArenaError, ReplayError) as error:
            if len(replays) == 1 or error.exit_code in (ExitCode.BAD_BOT, ExitCode.NO_BUILD, ExitCode.NO_ISOLATION):
                raise
            failed = complain(error)  # continue with the other replays
    different = sum(not result.same for result in reruns)
    if as_json:
        print_json(document_of(reruns))
    elif len(reruns) > 1:
        say(f"{counted(len(reruns), 'rerun')}, {different} with differences.", bold=True)
    return failed or (ExitCode.DIFFERENCE if different else ExitCode.OK)


def _load(path: Path, reference: str) -> tuple[MatchRecord, Bot]:
    from arena.bots.bot import load_bot
    from arena.bots.build import built
    from arena.study.replaying.rerun import MatchRecord
    from arena_replays import Reader

    record = MatchRecord.of(Reader(path))
    return record, built(load_bot(reference, record.game), partial(say_quoting, err=True))


def _players(record: MatchRecord, bot: Bot, reference: str, player: int | None) -> list[int]:
    """Return the players to rerun: the one of --player, or each player whose program was this bot."""
    if player is None:
        return record.players_of(bot, reference)
    record.check_player(player)
    return [player]


def _one_player(path: Path, reference: str, player: int | None, turn: int) -> tuple[MatchRecord, Bot, int, int]:
    """Return the record, the bot, its player, and the turn: that player's last one, if the turn is another player's."""
    record, bot = _load(path, reference)
    players = _players(record, bot, reference, player)
    if len(players) > 1:
        raise ArenaError(f"Several players of {path} are {bot.name}.", hint="Choose one with --player.")
    record.check_turn(turn)
    last = record.last_turn_of(players[0], turn)
    if last != turn:
        say(f"Player {players[0]} has no turn {turn}. Its last turn before is used: turn {last}.", err=True)
    return record, bot, players[0], last


def _pin(
    path: Path, reference: str, player: int | None, turn: int, pin: Path, forbid: bool, sandbox: str, in_memory: bool
) -> int:
    from arena.study.replaying.pinned import write_test
    from arena.study.replaying.rerun import choice, recorded_choice

    record, bot, seat, turn = _one_player(path, reference, player, turn)
    if forbid:
        actions = recorded_choice(record, seat, turn)
    else:
        actions = choice(record, seat, bot, turn, sandbox=sandbox, in_memory=in_memory)
    text = write_test(record, seat, turn, reference, actions, pin, forbid=forbid)
    write_text(pin, text)
    say(f"{pin}: {'forbids' if forbid else 'holds'} {counted(len(actions), 'action')} of turn {turn}.")
    return ExitCode.OK


def _debug(path: Path, reference: str, player: int | None, turn: int, debugger: str | None) -> int:
    from arena.study.replaying.debugging import debug_turn, debuggers_of

    record, bot, seat, turn = _one_player(path, reference, player, turn)
    debugger = debugger or bot.debugger
    if debugger not in debuggers_of(bot):
        raise click.UsageError(f"{debugger or '--debug'} does not debug a bot that is started with {bot.language}.")
    if debugger == "debugpy" and importlib.util.find_spec("debugpy") is None:
        raise ArenaError(
            "debugpy is not installed.",
            hint=f"`{install_command('debugpy')}` installs it.",
            exit_code=ExitCode.NOT_INSTALLED,
        )
    debug_turn(record, seat, bot, reference, turn, debugger, partial(say_quoting, err=True))
    return ExitCode.OK


def _print(result: Rerun) -> None:
    where = f"{result.replay}, player {result.player}: "
    turns = counted(result.turns, "turn")
    if not result.differences:
        say(f"{where}{result.bot} does what was recorded, in {turns} ({result.seconds:.1f} s).")
        return
    say(where, nl=False)
    number = counted(len(result.differences), "difference")
    say(number, nl=False, fg="yellow" if result.same else "red")
    noise = f", {sum(difference.noise for difference in result.differences)} of them noise" if result.noise else ""
    say(f" in {turns}{noise} ({result.seconds:.1f} s).")
    for difference in result.differences[:SHOWN]:
        _print_difference(difference)
    if len(result.differences) > SHOWN:
        say(f"  and {counted(len(result.differences) - SHOWN, 'difference')} more; --json lists all.")
    if result.stopped is not None:
        say(f"  It ended in turn {result.stopped}, so that later turns were not compared.")


def _print_difference(difference: TurnDifference) -> None:
    turn = "at its end" if difference.turn is None else f"turn {difference.turn}"
    say(f"  {turn}{' (noise)' if difference.noise else ''}")
    first = difference.first
    where = f", at {difference.position}" if difference.position else ""
    say(f"    recorded: {_in_words(difference.recorded[first:], difference.recorded_end)}")
    say(f"    now:      {_in_words(difference.now[first:], difference.now_end + where)}")
    if difference.gain:
        value, low, high = (100 * difference.gain[name] for name in ("value", "low", "high"))
        say(f"    worth:    {value:+z.0f} % of a win ({low:+z.0f} to {high:+z.0f})")


def _in_words(actions: tuple[Any, ...], end: str) -> str:
    words = [_action(action) for action in actions[:4]]
    if len(actions) > 4:
        words.append(f"{len(actions) - 4} more")
    if end:
        words.append(end)
    return ", ".join(words) or "nothing more"


def _action(action: Any) -> str:
    if isinstance(action, dict) and "refused" in action and "type" not in action:
        return f"{_action(action['action'])} (refused: {action['refused']})"
    if not isinstance(action, dict):
        return str(action)
    values = ", ".join(f"{name}={value}" for name, value in action.items() if name != "type")
    return f"{action.get('type', '')}({values})"[:120]
