"""The options of a bot's start, and what follows from them and the bot: its command and its environment.

The options are the same at each level of isolation. The command and the environment differ only by the folder, the
endpoint and the path of Python's packages, which have other names inside of a sandbox.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace

from arena.bots.bot import BOT_FOLDER, Bot
from arena.bots.capture import Capture
from arena.bots.sandbox.bwrap import SEAT_SOCKET
from arena.bots.sandbox.visible import Visible
from arena.match.limits import MEBIBYTE, Limits

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
PROGRAM_PATH = "/usr/local/bin:/usr/bin:/bin"
START = "from arena_player.runner import start; start()"
"""What `python -m arena_player` does, without the modules that Python needs for `-m`: they take longer than the kit."""
START_BRIDGE = "import sys; from arena_player.bridge import main; sys.exit(main(sys.argv[1:]))"
HEAP_PERCENT = 60
"""The percentage of a bot's memory limit that runtimes with a garbage collector can fill.

The rest is for their stacks, code and buffers. Chosen, not measured: a runtime whose heap is full must have room to
report that itself, before the limit of all its memory kills it without a word.
"""


@dataclass(frozen=True, slots=True)
class LaunchOptions:
    """The options for the start of one bot.

    Attributes:
        terminal: Whether the bot uses our terminal. If so, the bot's output is not captured.
        hold: Whether a bot in bubblewrap starts only when `BotProcess.release` is called.
    """

    number: int
    socket: str
    environment: Mapping[str, str]
    limits: Limits
    python: Visible
    terminal: bool = False
    hold: bool = False

    def capture(self, descriptor: int) -> Capture:
        return Capture(descriptor, kept=self.limits.output_kept, read=self.limits.output_read)


def bot_command(bot: Bot, options: LaunchOptions, folder: str) -> list[str]:
    if bot.entry:
        return options.python.command("-c", START, f"{folder}/{bot.entry}")
    if bot.bridge:
        bridged = bot_command(replace(bot, bridge=False), options, folder)
        return options.python.command("-c", START_BRIDGE, "--", *bridged)
    program, *rest = bot.command
    if bot.runs_python:
        return [options.python.python, "-B", "-s", *rest]
    if "/" in program:
        program = os.path.normpath(f"{folder}/{program}")
    elif program == "java":
        # By default, Java takes its limits from the memory of the machine. If an environment variable set the limits,
        # Java would print a notice.
        return [program, *_java_heap(options), *rest]
    return [program, *rest]


def _java_heap(options: LaunchOptions) -> tuple[str, str]:
    return f"-XX:MaxRAM={options.limits.memory}", f"-XX:MaxRAMPercentage={HEAP_PERCENT}"


def bot_environment(
    bot: Bot, options: LaunchOptions, *, folder: str, endpoint: str, python_path: tuple[str, ...]
) -> dict[str, str]:
    """Return the bot's whole environment. The bot inherits no variable from the referee."""
    heap = options.limits.memory * HEAP_PERCENT // 100
    environment = {
        "PATH": PROGRAM_PATH,
        "HOME": "/tmp",
        "TMPDIR": "/tmp",
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        **dict.fromkeys(THREAD_VARIABLES, "1"),
        "NODE_OPTIONS": f"--max-old-space-size={heap // MEBIBYTE} --trace-sigint",
        "GOMEMLIMIT": str(heap),
        "DOTNET_GCHeapHardLimit": hex(heap),
        "ARENA_ENDPOINT": endpoint,
        "ARENA_BOT": f"{folder}/{bot.entry}" if bot.entry else folder,
    }
    if bot.needs_python:
        environment |= {
            "PYTHONPATH": os.pathsep.join(python_path),
            "PYTHONUNBUFFERED": "1",
            "PYTHONHASHSEED": "0",
            "PYTHONFAULTHANDLER": "1",
        }
    if bot.command[:1] != ("java",):  # also limit a Java process that the bot's program starts
        environment["JDK_JAVA_OPTIONS"] = " ".join(_java_heap(options))
    if bot.rules:
        environment["ARENA_PYTHON"] = options.python.python
    return {**environment, **options.environment}


def terminal_variables() -> dict[str, str]:
    """Return the variables of our terminal and our home folder, which a debugger needs for its settings."""
    return {name: os.environ[name] for name in ("TERM", "COLORTERM", "HOME") if name in os.environ}


def inside_environment(bot: Bot, options: LaunchOptions) -> dict[str, str]:
    endpoint = f"ipc://{SEAT_SOCKET}"
    return bot_environment(bot, options, folder=BOT_FOLDER, endpoint=endpoint, python_path=options.python.inside)
