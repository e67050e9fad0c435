"""Start a bot on a seat, behind the walls of a level: without a sandbox, with dropped rights, or in bubblewrap.

`launch` chooses the level: the strongest one that `probe` has found to work, within what the caller allows and
requires. The two ways to start differ in who prepares what. `start_plain` starts the bot's process itself, which at
level 1 drops its rights before it becomes the bot. `start_sandboxed` sets up a sandbox around a process that waits, so
that the set-up is neither in the bot's time nor in the bot's control.

Everything that must be undone when the bot has ended is registered as soon as it exists, and handed to the `BotProcess`
as the last step: an error before that undoes it here.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from arena.bots.bot import BOT_FOLDER, Bot
from arena.bots.command import LaunchOptions, bot_command, bot_environment, inside_environment, terminal_variables
from arena.bots.folders.files import list_files
from arena.bots.probe import Examination, examine
from arena.bots.process import BotProcess
from arena.bots.sandbox.bwrap import SEAT_SOCKET, TEMPORARY_FOLDERS, seccomp_program
from arena.bots.sandbox.inside import Recipe, start_inside
from arena.bots.sandbox.limited import limited_command
from arena.bots.sandbox.seat_group import make_group
from arena.bots.sandbox.stage import UidLease, copy_readable, lease_uid, readable_tree
from arena.bots.sandbox.visible import visible_python
from arena.bots.system.reaping import Reaper, become_subreaper, has_pidfd
from arena.bots.system.spawn import Descriptors, spawn
from arena.bots.system.surroundings import socket_folder
from arena.errors import ArenaError, ExitCode
from arena.match.isolation import NOT_A_BOT, Isolation, Missing, check_level
from arena.match.limits import Limits

# Levels 0 and 1: without a sandbox.

SETPRIV = "/usr/bin/setpriv"
"""A program of util-linux. It starts a command that the kernel kills when the parent of the command dies."""


@contextmanager
def _naming(bot: Bot) -> Iterator[None]:
    """Report what the system refuses as an error of this bot's start."""
    try:
        yield
    except OSError as error:
        raise ArenaError(f"{bot.name} cannot be started: {error}.", exit_code=ExitCode.BAD_BOT) from error


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
            environment.setdefault("PYTHONPATH", os.pathsep.join(python_path))  # `confine` is a program in Python
        elif os.access(SETPRIV, os.X_OK) and shutil.which(command[0], path=environment["PATH"]):
            # With this option, the kernel kills the bot if this process dies. A frozen bot would not end by itself.
            command = [SETPRIV, "--pdeathsig", "KILL", "--", *command]
        stdout, stdout_end = owned.pipe()
        stderr, stderr_end = owned.pipe()
        streams = (None, None, None) if options.terminal else (subprocess.DEVNULL, stdout_end, stderr_end)
        session = not options.terminal
        with _naming(bot):
            pid = spawn(command, streams=streams, environment=environment, folder=folder, session=session)
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
    with _naming(bot):
        shared = Path(tempfile.mkdtemp(prefix="arena-bot-", dir=socket_folder()))
        undo.callback(shutil.rmtree, shared, ignore_errors=True)
        copy = shared / "bot"
        for name in list_files(bot.folder, bot.files):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            copy_readable(str(bot.folder / name), str(copy / name))
        for path, *_ in os.walk(copy):
            os.chmod(path, 0o755)
        if user is None:
            return str(copy), socket
        os.chown(socket, 0, user)
        os.chmod(socket, 0o660)
        os.link(socket, shared / "seat")
        os.chown(shared, 0, user)
        os.chmod(shared, 0o710)
    return str(copy), str(shared / "seat")


# Levels 2 and 3: in bubblewrap.


def start_sandboxed(bot: Bot, options: LaunchOptions, examined: Examination) -> BotProcess:
    """Start a bot in bubblewrap; at level 3, also in a control group. If `options.hold` is true, the bot waits."""
    with ExitStack() as undo:
        lease = group = None
        # The user first: it owns the socket. Then the group, which must exist when the first process reports.
        if os.geteuid() == 0:
            lease = lease_uid()
            undo.callback(lease.release)
            os.chown(options.socket, lease.uid, lease.uid)
        if examined.parents.complete:
            group = make_group(examined.parents, options.limits, options.number)
            undo.callback(group.remove)
        with _naming(bot):
            recipe = _recipe(bot, options, lease, examined)
        inside = start_inside(recipe, lease=lease, group=group)
        process = BotProcess(
            bot=bot,
            seat=options.number,
            pid=inside.pid,
            pidfd=os.pidfd_open(inside.pid),
            stdout=options.capture(inside.stdout),
            stderr=options.capture(inside.stderr),
            isolation=examined.isolation,
            inner_pid=inside.inner_pid,
            inner_pidfd=os.pidfd_open(inside.inner_pid),
            held=inside,
            group=group,
        )
        if group is None:
            process.watch_memory(options.limits.memory, TEMPORARY_FOLDERS)
        process.on_close = undo.pop_all()
    if not options.hold:
        process.release()
    return process


def _recipe(bot: Bot, options: LaunchOptions, lease: UidLease | None, examined: Examination) -> Recipe:
    files = [(str(bot.folder / name), f"{BOT_FOLDER}/{name}") for name in bot.files] or [(str(bot.folder), BOT_FOLDER)]
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
        seccomp=seccomp_program(memory_limited=examined.parents.complete) if setup.seccomp else b"",
        proc=setup.proc,
    )


# The choice of the level.

NOT_HERE = Missing(NOT_A_BOT, "the player is not a program on this machine")
SANDBOXES = ("auto", "none")


def launch(
    bot: Bot,
    *,
    seat: int,
    socket: str | os.PathLike[str],
    environment: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    sandbox: str = "auto",
    packages: Iterable[str] = (),
    require: int = 0,
    at_most: int = 3,
    terminal: bool = False,
    hold: bool = False,
) -> BotProcess:
    """Start a bot in the strongest sandbox that works on this machine.

    Call this function from a thread that lives until the match ends. The sandbox ends with the thread that started it.
    The program of an external player gets no sandbox; `sandbox`, `require` and `at_most` do not apply to it.

    Args:
        sandbox: `none` (level 0), or `auto` for the highest level that works.
        packages: Import names of additional packages for a Python bot, such as the game's.
        require: The lowest accepted level of isolation. On a lower level the bot is not started.
        at_most: The highest level of isolation to use. Tests use it to try the lower levels.
        terminal: Whether the bot uses our terminal, for a debugger. The bot then runs without a sandbox.
        hold: Whether a bot in bubblewrap starts only when `release` is called. The bot's time then excludes the set-up.
    """
    if sandbox not in SANDBOXES:
        raise ArenaError(f"There is no sandbox {sandbox!r}.", hint=f"Use one of {', '.join(SANDBOXES)}.")
    options = LaunchOptions(
        number=seat,
        socket=os.path.abspath(os.fspath(socket)),
        environment=environment or {},
        limits=limits or Limits(),
        python=visible_python(tuple(packages)),
        terminal=terminal,
        hold=hold,
    )
    if bot.is_outside:
        return start_plain(bot, options, Isolation(missing=(NOT_HERE,)))
    examined = examine(0 if sandbox == "none" or terminal else int(at_most))
    isolation = examined.isolation
    check_level(isolation, require)
    if isolation.level >= 2:
        return start_sandboxed(bot, options, examined)
    return start_plain(bot, options, isolation)
