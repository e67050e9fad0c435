"""Start a bot in the sandbox, at isolation level 2 or 3."""

from __future__ import annotations

import os
from contextlib import ExitStack

from arena.bots.bot import BOT_FOLDER, Bot
from arena.bots.command import bot_command, inside_environment
from arena.bots.folders.files import list_files
from arena.bots.launch_options import LaunchOptions
from arena.bots.probe import Examination
from arena.bots.process import BotProcess
from arena.bots.sandbox.bwrap import SEAT_SOCKET, TEMPORARY_FOLDERS
from arena.bots.sandbox.cgroups import make_group
from arena.bots.sandbox.inside import Inside, Recipe, start_inside
from arena.bots.sandbox.seccomp import seccomp_program
from arena.bots.sandbox.stage import readable_tree
from arena.bots.sandbox.uids import UidLease, lease_uid
from arena.errors import ArenaError, ExitCode
from arena.match.isolation import Isolation


def start_sandboxed(bot: Bot, options: LaunchOptions, examined: Examination) -> BotProcess:
    """Start a bot in bubblewrap; at level 3, also in a control group. If `options.hold` is true, the bot waits."""
    with ExitStack() as undo:
        lease = group = None
        if os.geteuid() == 0:
            lease = lease_uid()
            undo.callback(lease.release)
            os.chown(options.socket, lease.uid, lease.uid)
        if examined.places.complete:
            group = make_group(examined.places, options.limits, options.number)
            undo.callback(group.remove)
        try:
            recipe = _recipe(bot, options, lease, examined)
        except OSError as error:
            message = f"{bot.name} cannot be started: {error}."
            raise ArenaError(message, exit_code=ExitCode.BAD_BOT) from error
        inside = start_inside(recipe, lease=lease, group=group)
        process = _sandboxed_process(bot, options, inside, examined.isolation)
        process.group = group
        if group is None:
            process.watch_memory(options.limits.memory, TEMPORARY_FOLDERS)
        process.on_close = undo.pop_all()
    if not options.hold:
        process.release()
    return process


def _recipe(bot: Bot, options: LaunchOptions, lease: UidLease | None, examined: Examination) -> Recipe:
    files = [(str(bot.folder / name), f"{BOT_FOLDER}/{name}") for name in bot.files]
    files = files or [(str(bot.folder), BOT_FOLDER)]
    copied: frozenset[str] = frozenset()
    if lease and not readable_tree(bot.folder, list_files(bot.folder, bot.files)):
        copied = frozenset(source for source, _ in files)
    setup = examined.setup
    assert setup is not None
    python_binds = options.python.binds if bot.needs_python else ()
    return Recipe(
        command=bot_command(bot, options, BOT_FOLDER),
        environment=inside_environment(bot, options),
        limits=options.limits,
        binds=(*python_binds, *files, (options.socket, SEAT_SOCKET)),
        copied=copied,
        working_folder=BOT_FOLDER,
        seccomp=seccomp_program(memory_limited=examined.places.complete) if setup.seccomp else b"",
        proc=setup.proc,
    )


def _sandboxed_process(bot: Bot, options: LaunchOptions, inside: Inside, isolation: Isolation) -> BotProcess:
    return BotProcess(
        bot=bot,
        seat=options.number,
        pid=inside.pid,
        pidfd=os.pidfd_open(inside.pid),
        stdout=options.capture(inside.stdout),
        stderr=options.capture(inside.stderr),
        isolation=isolation,
        inner_pid=inside.inner_pid,
        inner_pidfd=os.pidfd_open(inside.inner_pid),
        held=inside,
    )
