"""``arena rerun``: run recorded matches again with a bot in a player's place."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.extras import install_command
from arena.cli.options import AS_JSON, SANDBOX, Choice, FiniteRange
from arena.cli.output import complain, print_json, say, say_quoting, say_status
from arena.cli.output_files import refuse_existing, refuse_same_file, write_text
from arena.errors import ArenaError, ExitCode
from arena.match.ending import counted
from arena.match.position import ReplayPlace
from arena_replays.errors import ReplayError

if TYPE_CHECKING:
    from arena.bots.bot import Bot
    from arena.study.replaying.rerun import RecordedSeat, Rerun, TurnDifference

SHOWN = 20
"""The limit of differences that are printed for one rerun; --json prints all."""
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
    if len(replays) == 1 and (place := ReplayPlace.parse(replays[0])) is not None:
        from arena.study.replaying.positions import file_of

        replays, turn = (str(file_of(place)),), place.turn
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
        return _debug(Path(replays[0]), bot, player, turn or 0, debugger)
    if pin is not None:
        for path in (replays[0], bot):
            refuse_same_file(Path(path), pin)
        refuse_existing(pin, "--pin")
        return _pin(Path(replays[0]), bot, player, turn or 0, pin, forbid=forbid, sandbox=sandbox)
    return _rerun_all(replays, bot, player, turn, sandbox, explain, as_json=as_json)


def _rerun_all(
    replays: tuple[str, ...],
    bot: str,
    player: int | None,
    turn: int | None,
    sandbox: str,
    explain: float | None,
    *,
    as_json: bool,
) -> int:
    from arena.study.replaying.rerun import rerun, turns_of

    shown = sys.stderr.isatty() and not as_json
    found: list[Rerun] = []
    failed = 0
    for number, path in enumerate(replays, 1):
        try:
            recorded = _read(Path(path))
            if turn is not None:
                _check_turn(path, turn, turns_of(recorded))
            loaded = _load(bot, recorded)
            for one in _players(recorded, loaded, bot, player):
                if shown:
                    say_status(f"replay {number} of {len(replays)}, player {one}")
                found.append(rerun(recorded, one, loaded, last_turn=turn, sandbox=sandbox))
                if explain is not None:
                    found[-1] = _explained(found[-1], explain)
                if shown:
                    say_status()
                if not as_json:
                    _print(found[-1])
        except (ArenaError, ReplayError) as error:
            if len(replays) == 1 or error.exit_code in (ExitCode.BAD_BOT, ExitCode.NO_BUILD, ExitCode.NO_ISOLATION):
                raise
            failed = complain(error)  # continue with the other replays
    if as_json:
        print_json(_document(found))
    elif len(found) > 1:
        different = sum(not one.same for one in found)
        say(f"{counted(len(found), 'rerun')}, {different} with differences.", bold=True)
    return failed or (ExitCode.OK if all(one.same for one in found) else ExitCode.DIFFERENCE)


def _explained(found: Rerun, seconds: float) -> Rerun:
    """Estimate how much each difference changes the win probability. Skip noise, and turns in which the bot failed."""
    from arena.study.analysis.checks import gains

    asked = [
        (at, (one.frame, [action for action in one.now if "refused" not in action]))
        for at, one in enumerate(found.differences)
        if one.frame is not None and not one.now_end and not one.noise
    ]
    differences = list(found.differences)
    if asked:
        estimates = gains(Path(found.replay), found.player, [choice for _, choice in asked], seconds)
        for (at, _), estimate in zip(asked, estimates, strict=True):
            differences[at] = replace(differences[at], gain=estimate.to_document())
    return replace(found, differences=tuple(differences))


def _read(path: Path) -> RecordedSeat:
    from arena.study.replaying.rerun import RecordedSeat
    from arena_replays import Reader

    return RecordedSeat.of(Reader(path))


def _load(bot: str, recorded: RecordedSeat) -> Bot:
    from arena.bots.bot import load_bot
    from arena.bots.build import built

    return built(load_bot(bot, recorded.game), partial(say_quoting, err=True))


def _players(recorded: RecordedSeat, bot: Bot, reference: str, player: int | None) -> list[int]:
    """Return the numbers of the players to rerun: the given player, or each player whose program was this bot.

    Find the bot by the hash of its files. If no player has this hash, compare references, then names.
    """
    if player is not None:
        recorded.check_player(player)
        return [player]
    seats = recorded.header["players"]
    for same in (
        [seat.get("hash") == bot.content_hash for seat in seats],
        [seat.get("bot") == reference for seat in seats],
        [seat["name"].partition(" (")[0] == bot.name for seat in seats],
    ):
        if any(same):
            return [number for number, is_same in enumerate(same) if is_same]
    names = ", ".join(f"{number} {seat['name']}" for number, seat in enumerate(seats))
    raise ArenaError(
        f"No player of {recorded.name} is the bot {bot.name}.",
        hint=f"Choose one with --player: {names}.",
        exit_code=ExitCode.USAGE,
    )


# -- one turn: --pin and --debug --------------------------------------------------------------------


def _one_player(path: Path, bot: str, player: int | None, turn: int) -> tuple[RecordedSeat, Bot, int, int]:
    """Return the record, the bot, its player, and the turn: that player's last one, if the turn is another player's."""
    from arena.study.replaying.rerun import turns_of

    recorded = _read(path)
    loaded = _load(bot, recorded)
    players = _players(recorded, loaded, bot, player)
    if len(players) > 1:
        raise ArenaError(f"Several players of {path} are {loaded.name}.", hint="Choose one with --player.")
    _check_turn(path, turn, turns_of(recorded))
    own = turns_of(recorded, players[0])
    last = max((one for one in own if one <= turn), default=turn)
    _check_turn(f"Player {players[0]} of {path}", last, own)
    if last != turn:
        say(f"Player {players[0]} has no turn {turn}. Its last turn before is used: turn {last}.", err=True)
    return recorded, loaded, players[0], last


def _check_turn(what: object, turn: int, turns: list[int]) -> None:
    """Refuse a turn that a match, or one of its players, does not have."""
    if turn not in turns:
        near = sorted(sorted(turns, key=lambda one: abs(one - turn))[:2])
        hint = f"The nearest are {' and '.join(map(str, near))}." if near else ""
        raise ArenaError(f"{what} has no turn {turn}.", hint=hint, exit_code=ExitCode.BAD_OPTION)


def _pin(path: Path, bot: str, player: int | None, turn: int, pin: Path, *, forbid: bool, sandbox: str) -> int:
    from arena.study.replaying.pinned import write_test
    from arena.study.replaying.rerun import choice, recorded_choice

    recorded, loaded, seat, turn = _one_player(path, bot, player, turn)
    now = [] if forbid else choice(recorded, seat, loaded, turn, sandbox=sandbox)
    actions = recorded_choice(recorded, seat, turn) if forbid else now
    text = write_test(recorded, seat, turn, bot, actions, pin, forbid=forbid)
    write_text(pin, text)
    say(f"{pin}: {'forbids' if forbid else 'holds'} {counted(len(actions), 'action')} of turn {turn}.")
    return ExitCode.OK


def _debug(path: Path, bot: str, player: int | None, turn: int, debugger: str | None) -> int:
    from arena.study.replaying.rerun import debug, first_turn

    recorded, loaded, seat, turn = _one_player(path, bot, player, turn)
    usual = loaded.debugger
    debugger = debugger or usual
    if not usual or debugger not in (("pdb", "debugpy") if loaded.runs_python else (usual,)):
        raise click.UsageError(f"{debugger or '--debug'} does not debug a bot that is started with {loaded.language}.")
    if debugger == "debugpy" and importlib.util.find_spec("debugpy") is None:
        raise ArenaError(
            "debugpy is not installed.",
            hint=f"`{install_command('debugpy')}` installs it.",
            exit_code=ExitCode.NOT_INSTALLED,
        )
    number = turn + first_turn(recorded) - 1  # the number that the game gives to the turn
    environment = {"ARENA_STOP_AT_TURN": str(number), "ARENA_DEBUGGER": debugger}
    if debugger == "gdb":
        loaded = _under_gdb(bot, recorded, loaded, number)
    elif debugger == "node":
        program, *arguments = loaded.command
        loaded = replace(loaded, command=(program, "inspect", *arguments))
        environment["NODE_INSPECT_RESUME_ON_START"] = "1"  # else it stops before the first line of the program
    debug(recorded, seat, loaded, environment, turn)
    return ExitCode.OK


def _under_gdb(reference: str, recorded: RecordedSeat, loaded: Bot, turn: int) -> Bot:
    """Return a bot that runs in gdb and stops when a turn begins. Build a C or C++ bot again for a debugger."""
    from arena.bots.bot import load_bot
    from arena.bots.build import built, for_debugging

    if shutil.which("gdb") is None:
        raise ArenaError(
            "gdb is not installed.", hint="Install it from your distribution.", exit_code=ExitCode.NOT_INSTALLED
        )
    source = load_bot(reference, recorded.game)
    if (debuggable := for_debugging(source, "-g", "-O0")) is not source:
        loaded = built(debuggable, partial(say_quoting, err=True))
    stop = ("-ex", "set breakpoint pending on", "-ex", f"break run_turn if this->turn == {turn}")
    command = ("gdb", "-q", "-nx", *stop, "-ex", "run", "--args", *loaded.command)
    return replace(loaded, command=command)


# -- results -----------------------------------------------------------------------------------------


def _document(found: list[Rerun]) -> dict[str, Any]:
    return {
        "reruns": [
            {
                "replay": one.replay,
                "player": one.player,
                "bot": one.bot,
                "same": one.same,
                "turns": one.turns,
                "differences": len(one.differences),
                "noise": list(one.noise),
                "stopped": one.stopped,
                "seconds": round(one.seconds, 3),
            }
            for one in found
        ],
        "differences": [
            {"replay": one.replay, "player": one.player, **asdict(difference), "first": difference.first}
            for one in found
            for difference in one.differences
        ],
    }


def _print(found: Rerun) -> None:
    where = f"{found.replay}, player {found.player}: "
    if not found.differences:
        say(f"{where}{found.bot} does what was recorded, in {counted(found.turns, 'turn')} ({found.seconds:.1f} s).")
        return
    say(where, nl=False)
    number = counted(len(found.differences), "difference")
    say(number, nl=False, fg="yellow" if found.same else "red")
    noise = f", {sum(one.noise for one in found.differences)} of them noise" if found.noise else ""
    say(f" in {counted(found.turns, 'turn')}{noise} ({found.seconds:.1f} s).")
    for difference in found.differences[:SHOWN]:
        _print_difference(difference)
    if len(found.differences) > SHOWN:
        say(f"  and {counted(len(found.differences) - SHOWN, 'difference')} more; --json lists all.")
    if found.stopped is not None:
        say(f"  It ended in turn {found.stopped}, so that later turns were not compared.")


def _print_difference(difference: TurnDifference) -> None:
    turn = "at its end" if difference.turn is None else f"turn {difference.turn}"
    say(f"  {turn}{' (noise)' if difference.noise else ''}")
    at = difference.first
    say(f"    recorded: {_shown(difference.recorded[at:], difference.recorded_end)}")
    where = f", at {difference.position}" if difference.position else ""
    say(f"    now:      {_shown(difference.now[at:], difference.now_end + where)}")
    if gain := difference.gain:
        value, low, high = (100 * gain[name] for name in ("value", "low", "high"))
        say(f"    worth:    {value:+z.0f} % of a win ({low:+z.0f} to {high:+z.0f})")


def _shown(actions: tuple[Any, ...], end: str) -> str:
    words = [_action(action) for action in actions[:4]]
    if len(actions) > 4:
        words.append(f"{len(actions) - 4} more")
    return ", ".join([*words, *([end] if end else [])]) or "nothing more"


def _action(action: Any) -> str:
    if isinstance(action, dict) and "refused" in action and "type" not in action:
        return f"{_action(action['action'])} (refused: {action['refused']})"
    if not isinstance(action, dict):
        return str(action)
    values = ", ".join(f"{name}={value}" for name, value in action.items() if name != "type")
    return f"{action.get('type', '')}({values})"[:120]
