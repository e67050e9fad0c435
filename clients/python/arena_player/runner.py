"""Run a bot's file: `python -m arena_player bot.py`."""

import builtins
import io
import os
import sys

from .ai import AI, Outcome, find_ai
from .errors import BOT_RAISED, BOT_UNUSABLE, CONNECTION_LOST, FINISHED, PlayerError
from .leaving import leave
from .light import Any
from .modules import BotModules
from .objects import PlacedObject

ENDPOINT_VARIABLE = "ARENA_ENDPOINT"
USAGE = "usage: python -m arena_player BOT.py"


class PatientStream(io.TextIOWrapper):
    """Standard output or standard error of a bot. It sends each line at once, accepts any text and ignores OSError.

    The referee stops reading from a bot that writes too much. This must not make the bot fail.
    """

    @classmethod
    def around(cls, stream: Any) -> Any:
        """Wrap `stream`. Return it unchanged if it is None or has no `detach`."""
        if stream is None or not hasattr(stream, "detach"):
            return stream
        return cls(stream.detach(), encoding="utf-8", errors="backslashreplace", line_buffering=True)

    def write(self, text: str) -> int:
        """Write the text, and ignore errors."""
        try:
            return super().write(text)
        except OSError:
            return len(text)

    def flush(self) -> None:
        """Flush the stream, and ignore errors."""
        try:
            super().flush()
        except OSError:
            return


def report_position_on_request() -> None:
    """Print the bot's stack when SIGQUIT arrives. The referee sends this signal to a bot whose time has run out."""
    try:
        import faulthandler
        from _signal import SIGQUIT  # type: ignore[import-not-found]  # `signal` takes longer

        faulthandler.register(SIGQUIT, file=2, all_threads=True)
    except (ImportError, AttributeError, ValueError, OSError, RuntimeError):
        return


def run(ai: AI, endpoint: str) -> Outcome:
    """Connect a bot to its referee and play one match.

    Raises:
        PlayerError: No referee answers, the referee refused the bot, the connection is lost, or the bot did not move.
        Exception: Any exception of the bot's own code.
    """
    from .link import open_link
    from .session import Session

    link = open_link(endpoint)
    try:
        return Session(ai, link).play()
    finally:
        link.close()


def start() -> None:
    """Run the command line of this process, and end the process."""
    own = tuple(sys.modules)
    sys.exit(leave(main(sys.argv[1:]), own))


def main(arguments: list[str]) -> int:
    """Run the command line and return the exit code of the process."""
    try:
        return _main(arguments)
    except PlayerError as error:
        print(error, file=sys.stderr, flush=True)  # noqa: T201
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        print_traceback(error)
        return BOT_RAISED


def _main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        raise PlayerError(USAGE, exit_code=BOT_UNUSABLE)
    endpoint = os.environ.get(ENDPOINT_VARIABLE)
    if not endpoint:
        raise PlayerError(
            f"{ENDPOINT_VARIABLE} is not set. The referee sets it when it starts a bot.",
            hint="Play with: arena play GAME YOUR_BOT.py OTHER_BOT.py",
            exit_code=CONNECTION_LOST,
        )
    for name in ("exit", "quit"):  # `site` defines them, but bots start without `site` to save time
        vars(builtins).setdefault(name, sys.exit)
    report_position_on_request()
    sys.stdout, sys.stderr = PatientStream.around(sys.stdout), PatientStream.around(sys.stderr)
    modules = BotModules(arguments[0])
    modules.__enter__()  # for good: threads of the bot, and what it does at the end, import too
    ai = find_ai(modules.load())()
    if "ARENA_STOP_AT_TURN" in os.environ:
        from .debugging import stop_if_asked

        stop_if_asked(ai)
    run(ai, endpoint)
    return FINISHED


def print_traceback(error: BaseException) -> None:
    """Print the traceback from the first line of the bot's own code on. Print all of it if it has no such line."""
    _name_absent(error)
    kit = os.path.dirname(os.path.abspath(__file__)) + os.sep
    frame = error.__traceback__
    while frame is not None and frame.tb_frame.f_code.co_filename.startswith(kit):
        frame = frame.tb_next
    if frame is None and not isinstance(error, SyntaxError):
        frame = error.__traceback__
    # In Python 3.11, only this says "Did you mean".
    sys.__excepthook__(type(error), error.with_traceback(frame), frame)


def _name_absent(error: BaseException) -> None:
    """If code failed at a None, add to the message which of its objects are not on the board: their tile is None."""
    trace = error.__traceback__
    if trace is None or not isinstance(error, AttributeError | TypeError) or "NoneType" not in str(error):
        return
    while trace.tb_next is not None:
        trace = trace.tb_next
    for name, thing in trace.tb_frame.f_locals.items():
        if isinstance(thing, PlacedObject) and thing.tile is None:
            place = "left the board in this turn" if thing.id in thing.world.gone else "is not on the board"
            error.args = (f"{error}. {name} is {thing.id}, which {place}, so {name}.tile is None.",)
