"""Start a bot without a sandbox: at level 0, or at level 1, where the process drops its own rights."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import ExitStack

from arena.bots.bot import Bot
from arena.bots.command import bot_command, bot_environment, terminal_variables
from arena.bots.folders.files import list_files
from arena.bots.launch_options import LaunchOptions
from arena.bots.process import BotProcess
from arena.bots.rights.limited import limited_command
from arena.bots.sandbox.stage import reachable, traversable
from arena.bots.sandbox.uids import UidLease, lease_uid
from arena.bots.system.descriptors import Descriptors
from arena.bots.system.reaping import become_subreaper, has_pidfd
from arena.bots.system.spawn import spawn
from arena.errors import ArenaError, ExitCode
from arena.match.isolation import Isolation

SETPRIV = "/usr/bin/setpriv"
"""A program of util-linux that starts another program. The kernel kills that program when its parent dies."""


def start_plain(bot: Bot, options: LaunchOptions, isolation: Isolation) -> BotProcess:
    """Start a bot. It gets a new session, unless it uses our terminal.

    Raises:
        ArenaError: The bot cannot be started.
    """
    become_subreaper()
    endpoint = f"ipc://{options.socket}"
    folder = str(bot.folder)
    environment = bot_environment(bot, options, folder=folder, endpoint=endpoint, python_path=options.python.outside)
    if options.terminal:
        environment |= terminal_variables()
    command = bot_command(bot, options, folder)
    with ExitStack() as undo, Descriptors() as owned:
        if isolation.level:
            lease = _lease(bot, options, undo) if os.geteuid() == 0 else None
            files = [str(bot.folder / name) for name in bot.files] or [folder]
            command = limited_command(command, options.python, options.limits, files, lease, isolation.layers)
            environment.setdefault("PYTHONPATH", os.pathsep.join(options.python.outside))
        elif os.access(SETPRIV, os.X_OK) and shutil.which(command[0], path=environment["PATH"]):
            # With this option, the kernel kills the bot if this process dies. Nothing else would end a frozen bot.
            command = [SETPRIV, "--pdeathsig", "KILL", "--", *command]
        stdout, stdout_end = owned.pipe()
        stderr, stderr_end = owned.pipe()
        # Without process descriptors, the bot inherits the write end of a pipe. When the bot ends, the pipe is closed.
        passed = () if has_pidfd() else owned.pipe()
        streams = (None, None, None) if options.terminal else (subprocess.DEVNULL, stdout_end, stderr_end)
        try:
            pid = spawn(
                command,
                streams=streams,
                passed=passed[1:],
                environment=environment,
                folder=folder,
                session=not options.terminal,
            )
        except OSError as error:
            message = f"{bot.name} cannot be started: {error}."
            raise ArenaError(message, exit_code=ExitCode.BAD_BOT) from error
        process = BotProcess(
            bot=bot,
            seat=options.number,
            pid=pid,
            pidfd=owned.keep(passed[0]) if passed else os.pidfd_open(pid),
            stdout=options.capture(owned.keep(stdout)),
            stderr=options.capture(owned.keep(stderr)),
            isolation=isolation,
            marker=f"ARENA_ENDPOINT={endpoint}".encode(),
            on_close=undo.pop_all(),
        )
        if isolation.level:
            process.watch_memory(options.limits.memory)
        return process


def _lease(bot: Bot, options: LaunchOptions, undo: ExitStack) -> UidLease:
    """Lease a user id for the bot. The bot's files are not copied, so this user must be able to read them in place."""
    files = [str(bot.folder / name) for name in list_files(bot.folder, bot.files)]
    barred = [path for path in files if not reachable(path)]
    if not traversable(options.socket):
        barred.append(options.socket)
    if barred:
        raise ArenaError(
            f"The user id of the bots cannot reach {barred[0]}.",
            hint="Move it to a folder that every user may read, or do not run arena as root.",
            exit_code=ExitCode.NO_ISOLATION,
        )
    lease = lease_uid()
    undo.callback(lease.release)
    os.chown(options.socket, lease.uid, lease.uid)
    return lease
