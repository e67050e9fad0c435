"""Debug one turn of a recorded match: the bot runs in this terminal, and stops in a debugger when the turn begins."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace

from arena.bots.bot import Bot, load_bot
from arena.bots.build import built, for_debugging
from arena.errors import ArenaError, ExitCode
from arena.study.replaying.rerun import MatchRecord, rerun_in_terminal


def debuggers_of(bot: Bot) -> tuple[str, ...]:
    """Return the debuggers that can stop a bot, its usual one first."""
    if not bot.debugger:
        return ()
    return ("pdb", "debugpy") if bot.runs_python else (bot.debugger,)


def debug_turn(
    record: MatchRecord,
    player: int,
    bot: Bot,
    reference: str,
    turn: int,
    debugger: str,
    report: Callable[[str], None],
) -> None:
    """Rerun a match with a bot up to a turn, and stop in a debugger there.

    Args:
        reference: The reference of the bot, from which a C or C++ bot is built again.
        report: Called with messages about the progress of a build, and with warnings of the compiler.
    """
    number = turn + record.first_turn - 1  # the number that the game gives to the turn
    environment = {"ARENA_STOP_AT_TURN": str(number), "ARENA_DEBUGGER": debugger}
    if debugger == "gdb":
        bot = _under_gdb(record, bot, reference, number, report)
    elif debugger == "node":
        program, *arguments = bot.command
        bot = replace(bot, command=(program, "inspect", *arguments))
        environment["NODE_INSPECT_RESUME_ON_START"] = "1"  # else it stops before the first line of the program
    rerun_in_terminal(record, player, bot, environment, turn)


def _under_gdb(record: MatchRecord, bot: Bot, reference: str, turn: int, report: Callable[[str], None]) -> Bot:
    """Return a bot that runs in gdb and stops when a turn begins. Build a C or C++ bot again for a debugger."""
    if shutil.which("gdb") is None:
        raise ArenaError(
            "gdb is not installed.", hint="Install it from your distribution.", exit_code=ExitCode.NOT_INSTALLED
        )
    source = load_bot(reference, record.game)
    debuggable = for_debugging(source, "-g", "-O0")
    if debuggable is not source:
        bot = built(debuggable, report)
    stop = ("-ex", "set breakpoint pending on", "-ex", f"break run_turn if this->turn == {turn}")
    return replace(bot, command=("gdb", "-q", "-nx", *stop, "-ex", "run", "--args", *bot.command))
