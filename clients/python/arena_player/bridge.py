"""A bridge for bots without ZeroMQ: messages as lines of JSON on standard input and output.

    python -m arena_player.bridge -- COMMAND ARGUMENT...

With `bridge = true` in bot.toml, the referee runs the bot's command through the bridge. The bridge starts COMMAND and
writes each message of the referee to the standard input of COMMAND, as one line of JSON. It sends each line of JSON
from the standard output of COMMAND to the referee. The messages are those of the protocol; binary values are texts in
base64. The bridge does not read the standard error of COMMAND.

The bridge waits up to 2 seconds for COMMAND to exit when the match is over, or when COMMAND has closed its standard
output. Then it kills all processes that COMMAND has started. The exit code of the bridge is:

    the exit code of COMMAND, if COMMAND has exited by itself
    128 + N if signal N ended COMMAND
    0 if COMMAND did not exit within the 2 seconds
    1 if COMMAND wrote a line that is not a valid message
    2 if COMMAND is missing or cannot be started
    3 if ARENA_ENDPOINT is not set, no referee answers, or the connection is lost
    130 after Ctrl-C
"""

import base64
import contextlib
import json
import os
import signal
import subprocess
import sys
from typing import IO

from . import wire
from .errors import BOT_RAISED, BOT_UNUSABLE, CONNECTION_LOST, PlayerError
from .link import Link, open_link
from .runner import ENDPOINT_VARIABLE

USAGE = "usage: python -m arena_player.bridge -- COMMAND ARGUMENT..."
SIGNAL_OFFSET = 128
EXIT_SECONDS = 2.0
"""Time limit for the command to exit, after the match or after it has closed its output."""


def main(arguments: list[str]) -> int:
    """Run the command line and return the exit code of the process."""
    if arguments[:1] in (["--help"], ["-h"]):
        print(__doc__)  # noqa: T201
        return 0
    command = arguments[1:] if arguments[:1] == ["--"] else arguments
    endpoint = os.environ.get(ENDPOINT_VARIABLE)
    try:
        if not command:
            raise PlayerError(USAGE, exit_code=BOT_UNUSABLE)
        if not endpoint:
            raise PlayerError(
                f"{ENDPOINT_VARIABLE} is not set. The referee sets it when it starts a bot.",
                exit_code=CONNECTION_LOST,
            )
        return bridge(command, endpoint)
    except PlayerError as error:
        print(error, file=sys.stderr, flush=True)  # noqa: T201
        return error.exit_code
    except KeyboardInterrupt:
        return 130


def bridge(command: list[str], endpoint: str) -> int:
    """Pass messages between a referee and a command until the match or the command ends.

    Returns:
        The exit code of the bridge: that of the command, or another one (see the docstring of this module).

    Raises:
        PlayerError: The command cannot be started, it writes an invalid message, or the connection is lost.
    """
    try:
        # Use a new session, so that all processes that the command starts can be killed with it.
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
    except OSError as error:
        raise PlayerError(f"Cannot start {command[0]}: {error.strerror}.", exit_code=BOT_UNUSABLE) from None
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        with contextlib.closing(open_link(endpoint)) as link:
            _carry(link, process.stdin, process.stdout)
            with contextlib.suppress(BrokenPipeError):  # the command ended without reading all its input
                process.stdin.close()
            code = process.wait(EXIT_SECONDS)
            return code if code >= 0 else SIGNAL_OFFSET - code
    except subprocess.TimeoutExpired:
        return 0
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()


def _carry(link: Link, stdin: IO[bytes], stdout: IO[bytes]) -> None:
    """Pass messages in both directions until the match is over or the command has closed its output or input.

    Always read from the side that must send next.
    """
    running = _pass_on(link, stdout, ("hello",))
    while running:
        message = link.receive()
        name = message["type"]
        try:
            line = json.dumps(message, ensure_ascii=False, separators=(",", ":"), default=_base64)
            stdin.write(line.encode() + b"\n")
            stdin.flush()
        except BrokenPipeError:
            return
        if name in ("over", "refused"):
            return
        if name in ("start", "turn") or (name == "result" and message["your_move"]):
            running = _pass_on(link, stdout, ("ready", "act"))


def _base64(data: bytes) -> str:
    """Return a binary value as text, since JSON has no binary values."""
    return base64.b64encode(data).decode()


def _pass_on(link: Link, stdout: IO[bytes], last: tuple[str, ...]) -> bool:
    """Send the command's lines to the referee, up to the line that completes its reply.

    Returns:
        False when the command has closed its output.
    """
    while line := stdout.readline(4 * wire.limits.CLIENT_BYTES):
        if _send(link, line) in last:
            return True
    return False


def _send(link: Link, line: bytes) -> str:
    """Send a line of the command as a message, and return the type of the message."""
    try:
        message = wire.check(json.loads(line), "client")
        link.send(message)
        return str(message["type"])
    except (ValueError, RecursionError):
        why = "it is not JSON"
    except wire.WireError as error:
        why = error.message
    shown = line.decode("utf-8", "backslashreplace").strip()[:200]
    raise PlayerError(f"The bot wrote a line that is not a valid message ({why}): {shown!a}.", exit_code=BOT_RAISED)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
