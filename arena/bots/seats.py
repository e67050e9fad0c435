"""Seats bots: makes a running process of a bot, with a sandbox or without."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass

from arena.bots.bot import BOT_FOLDER, Bot
from arena.bots.capture import Capture
from arena.bots.command import bot_command, inside_environment
from arena.bots.folders.files import list_files
from arena.bots.probe import Examination
from arena.bots.process import BotProcess
from arena.bots.sandbox.bwrap import SEAT_SOCKET
from arena.bots.sandbox.cgroups import make_group
from arena.bots.sandbox.seccomp import seccomp_program
from arena.bots.sandbox.stage import readable_tree
from arena.bots.sandbox.start import Inside, Recipe, start_inside
from arena.bots.sandbox.uids import UidLease, lease_uid
from arena.bots.sandbox.visible import Visible
from arena.errors import ArenaError, ExitCode
from arena.match.isolation import Isolation
from arena.match.limits import Limits


@dataclass(frozen=True, slots=True)
class Seat:
    """Where a bot sits, and what it gets.

    Attributes:
        number: The seat, from 0.
        socket: The absolute path of the bound unix socket that it plays through.
        environment: Added to the bot's environment.
        limits: What it may use.
        python: The Python it can be run with.
        terminal: Whether it keeps our terminal instead of being captured.
        hold: Whether it begins only when its `release` is called.
    """

    number: int
    socket: str
    environment: Mapping[str, str]
    limits: Limits
    python: Visible
    terminal: bool = False
    hold: bool = False


def seat_sandboxed(bot: Bot, seat: Seat, examined: Examination) -> BotProcess:
    """Starts a bot in bubblewrap, and in a control group where there is one.

    Raises:
        ArenaError: It could not be set up.
    """
    with ExitStack() as undo:
        lease = group = None
        if os.geteuid() == 0:
            lease = lease_uid()
            undo.callback(lease.release)
            os.chown(seat.socket, lease.uid, lease.uid)
        if examined.places.complete:
            group = make_group(examined.places, seat.limits, seat.number)
            undo.callback(group.remove)
        try:
            recipe = _recipe(bot, seat, lease, examined)
        except OSError as error:
            sentence = f"{bot.name} cannot be started: {error}"
            raise ArenaError(sentence, exit_code=ExitCode.BAD_BOT) from error
        inside = start_inside(recipe, lease=lease, group=group)
        process = _sandboxed_process(bot, seat, inside, examined.isolation)
        process.group = group
        process.on_close = undo.pop_all()
    if not seat.hold:
        process.release()
    return process


def _recipe(bot: Bot, seat: Seat, lease: UidLease | None, examined: Examination) -> Recipe:
    files = [(str(bot.folder / name), f"{BOT_FOLDER}/{name}") for name in bot.files]
    files = files or [(str(bot.folder), BOT_FOLDER)]
    copied: frozenset[str] = frozenset()
    if lease and not readable_tree(bot.folder / name for name in list_files(bot.folder, bot.files)):
        copied = frozenset(source for source, _ in files)
    setup = examined.setup
    assert setup is not None
    python_binds = seat.python.binds if bot.needs_python else ()
    return Recipe(
        command=bot_command(bot, seat.python, BOT_FOLDER),
        environment=inside_environment(bot, seat.python, seat.environment),
        limits=seat.limits,
        binds=(*python_binds, *files, (seat.socket, SEAT_SOCKET)),
        copied=copied,
        working_folder=BOT_FOLDER,
        seccomp=seccomp_program(memory_limited=examined.places.complete) if setup.seccomp else b"",
        proc=setup.proc,
    )


def _sandboxed_process(bot: Bot, seat: Seat, inside: Inside, isolation: Isolation) -> BotProcess:
    return BotProcess(
        bot=bot,
        seat=seat.number,
        pid=inside.pid,
        pidfd=os.pidfd_open(inside.pid),
        stdout=capture_pipe(inside.stdout, seat.limits),
        stderr=capture_pipe(inside.stderr, seat.limits),
        isolation=isolation,
        inner_pid=inside.inner_pid,
        inner_pidfd=os.pidfd_open(inside.inner_pid),
        held=inside,
    )


def capture_pipe(descriptor: int, limits: Limits) -> Capture:
    """The capture of one output pipe."""
    return Capture(descriptor, kept=limits.output_kept, read=limits.output_read)
