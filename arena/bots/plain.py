"""Start a bot without a sandbox: at level 0, or at level 1, where the process drops its own rights."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from contextlib import ExitStack
from pathlib import Path

from arena.bots.bot import Bot
from arena.bots.command import bot_command, bot_environment, terminal_variables
from arena.bots.folders.files import list_files
from arena.bots.launch_options import LaunchOptions
from arena.bots.process import BotProcess
from arena.bots.rights.limited import limited_command
from arena.bots.sandbox.stage import copy_readable
from arena.bots.sandbox.uids import lease_uid
from arena.bots.system.descriptors import Descriptors
from arena.bots.system.reaping import Reaper, become_subreaper, has_pidfd
from arena.bots.system.spawn import spawn
from arena.bots.system.surroundings import socket_folder
from arena.errors import ArenaError, ExitCode
from arena.match.isolation import Isolation

SETPRIV = "/usr/bin/setpriv"
"""A program of util-linux. It starts a command that the kernel kills when the parent of the command dies."""


def start_plain(bot: Bot, options: LaunchOptions, isolation: Isolation) -> BotProcess:
    """Start a bot. It gets a new session, unless it uses our terminal."""
    become_subreaper()
    folder, socket = str(bot.folder), options.socket
    with ExitStack() as undo, Descriptors() as owned:
        lease = None
        if isolation.level and os.geteuid() == 0:
            lease = lease_uid()
            undo.callback(lease.release)
            folder, socket = _share(bot, socket, lease.uid, undo)
        elif isolation.level and bot.files:
            # Python finds modules only in a folder that it may list, and this one has more than the bot's files.
            folder, socket = _share(bot, socket, None, undo)
        endpoint = f"ipc://{socket}"
        python_path = options.python.outside
        environment = bot_environment(bot, options, folder=folder, endpoint=endpoint, python_path=python_path)
        if options.terminal:
            environment |= terminal_variables()
        command = bot_command(bot, options, folder)
        if isolation.level:
            command = limited_command(command, options.python, options.limits, [folder], lease, isolation.layers)
            environment.setdefault("PYTHONPATH", os.pathsep.join(options.python.outside))
        elif os.access(SETPRIV, os.X_OK) and shutil.which(command[0], path=environment["PATH"]):
            # With this option, the kernel kills the bot if this process dies. A frozen bot would not end by itself.
            command = [SETPRIV, "--pdeathsig", "KILL", "--", *command]
        stdout, stdout_end = owned.pipe()
        stderr, stderr_end = owned.pipe()
        streams = (None, None, None) if options.terminal else (subprocess.DEVNULL, stdout_end, stderr_end)
        try:
            pid = spawn(
                command,
                streams=streams,
                environment=environment,
                folder=folder,
                session=not options.terminal,
            )
        except OSError as error:
            message = f"{bot.name} cannot be started: {error}."
            raise ArenaError(message, exit_code=ExitCode.BAD_BOT) from error
        reaper = None if has_pidfd() else Reaper(pid)
        process = BotProcess(
            bot=bot,
            seat=options.number,
            pid=pid,
            pidfd=reaper.descriptor if reaper else os.pidfd_open(pid),
            stdout=options.capture(owned.keep(stdout)),
            stderr=options.capture(owned.keep(stderr)),
            isolation=isolation,
            marker=f"ARENA_ENDPOINT={endpoint}".encode(),
            reaper=reaper,
            on_close=undo.pop_all(),
        )
        if isolation.level:
            process.watch_memory(options.limits.memory)
        return process


def _share(bot: Bot, socket: str, user: int | None, undo: ExitStack) -> tuple[str, str]:
    """Put a bot's files and its socket where only we and the bot's user can reach them.

    The bot's user often cannot reach the original files, for example in /root. Without namespaces, Arena cannot mount
    them elsewhere. So it copies the files, and makes a hard link to the socket. The bot's user can connect to the
    socket, but cannot change its mode or its folder.

    Args:
        user: The user id, which is also the group id; None if the bot runs as our own user.

    Returns:
        The paths of the copied folder and of the socket.
    """
    try:
        shared = Path(tempfile.mkdtemp(prefix="arena-bot-", dir=socket_folder()))
        undo.callback(shutil.rmtree, shared, ignore_errors=True)
        copy = shared / "bot"
        for name in list_files(bot.folder, bot.files):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            copy_readable(str(bot.folder / name), str(copy / name))
        for place, *_ in os.walk(copy):
            os.chmod(place, 0o755)
        if user is None:
            return str(copy), socket
        os.chown(socket, 0, user)
        os.chmod(socket, 0o660)
        os.link(socket, shared / "seat")
        os.chown(shared, 0, user)
        os.chmod(shared, 0o710)
    except OSError as error:
        message = f"{bot.name} cannot be started: {error}."
        raise ArenaError(message, exit_code=ExitCode.BAD_BOT) from error
    return str(copy), str(shared / "seat")
