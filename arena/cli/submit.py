"""``arena submit``: hand in a bot to a contest."""

from __future__ import annotations

import contextlib
import http.client
import io
import json
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import quote

import click

from arena.cli.options import FiniteRange
from arena.cli.output import print_json, say, say_status
from arena.errors import ArenaError, ExitCode
from arena.game.validation import Anything, Flag, ListOf, Number, OrElse, TableOf, Text, Whole
from arena.text.reading import address_parts

CHUNK = 65_536
LARGEST_ANSWER = 1_000_000
"""The limit for an answer, in bytes. Chosen, not measured: a report has some kilobytes, and the server may lie."""
SOCKET_SECONDS = 60.0
"""The longest time for each step of a request, and for the whole body of its answer. Chosen, not measured: the server
answers after it has read and unpacked the archive, which takes seconds on a slow disk."""
POLL_SECONDS = 0.5
"""The time between two requests. Chosen, not measured: a check takes seconds, and a class hands in at the same hour."""
_LINE = TableOf({"name": Text(), "passed": Flag(), "problem_text": Text()}, (), "a line of a report", Anything())
_SCORE = TableOf(
    {"opponent": Text(), "points": Number(), "matches": ListOf(Anything()), "version": Whole(1), "differs": Anything()},
    ("opponent", "points", "matches"),
    "a score",
    Anything(),
)
_TEXTS = ("team", "hash", "left_out", "state", "problem", "waits", "url")
_VERSION = TableOf(
    {
        **dict.fromkeys(_TEXTS, Text()),
        **dict.fromkeys(("late", "active", "new", "compares"), Flag()),
        "number": Whole(1),
        "lines": ListOf(_LINE),
        "scores": ListOf(_SCORE),
        "comparison": OrElse(None, _SCORE),
    },
    (*_TEXTS, "late", "active", "compares", "number", "lines", "scores", "comparison"),
    "a version",
    Anything(),
)
EPILOG = """\b
Examples:
  export ARENA_SERVER=https://arena.example.org ARENA_TOKEN=arena-...
  arena submit my_bot
  arena submit my_bot.zip --json

Exit codes: 0 the version plays; 1 it was stored, but does not play; 2 wrong usage; 5 not a bot, or not safe; 23 the
token is not valid; 24 the server cannot be reached, or its report did not end in time; 25 the server refuses the
version: too large, too many, not a member of a team, or no room on the disk.
"""


@click.command(epilog=EPILOG)
@click.argument("bot", type=click.Path(path_type=Path))
@click.option("--server", envvar="ARENA_SERVER", metavar="URL", help="The address of the contest; or set ARENA_SERVER.")
@click.option(
    "--token",
    envvar="ARENA_TOKEN",
    help="Your token. Better set ARENA_TOKEN, because other users of this machine can see the options of a command.",
)
@click.option(
    "--activate", is_flag=True, help="Play with this version at once if it passes its check, without a question."
)
@click.option(
    "--patience",
    type=FiniteRange(0),
    default=600.0,
    show_default=True,
    help="Wait this many seconds for the report; 0 does not wait.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the state of the version as JSON.")
def command(bot: Path, server: str | None, token: str | None, activate: bool, patience: float, as_json: bool) -> int:
    """Hand in BOT, a folder, a Python file or an archive, to a contest, and show its report.

    The server builds and checks the version in its sandbox. The first version that passes becomes active. A later one
    is compared with the active version, and you choose on its page which of them plays; with --activate, it plays at
    once. A late version, handed in after the deadline or a freeze, does not become active. If you hand in the same
    files again, you see the report of the existing version.
    """
    if not server or not token:
        raise click.UsageError("Set ARENA_SERVER and ARENA_TOKEN, or use --server and --token.")
    from arena.bots.folders.files import left_out, left_out_in_words

    name, data = packed(bot)
    client = _Client(server, token)
    show = sys.stderr.isatty() and not as_json
    state = client.upload(name, data, activate=activate, show=show)
    if not as_json:
        names = state["left_out"] or left_out_in_words(left_out(bot) if bot.is_dir() else ())
        _say_upload(state, len(data), names)
    problems: set[str] = set()
    if patience:
        progress = None if as_json else partial(_say_line, problems)
        state = client.follow(state, patience, progress, None if as_json else _say_compares)
    if as_json:
        print_json(state)
    elif patience:
        _say_scores(state)
        _say_result(state, problems)
        say(client.address + str(state["url"]))
    return ExitCode.DIFFERENCE if state["problem"] else ExitCode.OK


def _say_upload(state: dict[str, Any], size: int, left_out: str) -> None:
    late = " It is late: it is kept, but does not become active." if state["late"] else ""
    verb = "Handed in" if state.get("new", True) else "Already handed in"
    say(f"{verb} as version {state['number']} of {state['team']}, {size} bytes.{late}")
    if left_out:
        say(f"Left out, because it does not belong to a bot: {left_out}.")
    if state["waits"]:
        say(str(state["waits"]))


def _say_result(state: dict[str, Any], problems: set[str]) -> None:
    """Say what has become of a version. `problems` are those that the report has named already."""
    problem = str(state["problem"])
    if problem:
        result = "does not play" + ("" if problem in problems else f": {problem.rstrip('.')}")
    elif state["late"]:
        result = "passes, but is late and does not become active"
    else:
        result = "plays, and is active" if state["active"] else "plays, and is not active yet"
    say(f"Version {state['number']} {result}.", bold=True)
    if not (problem or state["active"] or state["late"]):
        say("Choose on its page whether to play with it, or repeat the command with --activate.")


def packed(path: Path) -> tuple[str, bytes]:
    """Return the name and the bytes of an archive of a bot."""
    from arena.bots.bot import archive_suffix, load_bot
    from arena.bots.folders.files import list_files
    from arena.bots.folders.manifest import MANIFEST

    bot = load_bot(path)
    if path.is_file() and archive_suffix(path):
        return path.name, path.read_bytes()
    is_folder = path.is_dir()
    folder = bot.folder.resolve()
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in list_files(folder, () if is_folder else bot.files):
            archive.write(folder / name, name)
        if not is_folder and MANIFEST not in archive.namelist():
            archive.writestr(MANIFEST, f"name = {json.dumps(bot.name)}\npython = {json.dumps(bot.entry)}\n")
    return f"{bot.name}.zip", stream.getvalue()


def _say_line(problems: set[str], line: dict[str, Any]) -> None:
    """Print a line of the report. `problems` are those of earlier lines, which are not repeated."""
    problem = str(line.get("problem_text", ""))
    again = ": as above" if problem in problems else ""
    if line["passed"]:
        say(f"ok      {line.get('name', '')}{again}")
    else:
        say(f"FAILED  {line.get('name', '')}{again}", fg="red")
    if not again:
        for text in problem.splitlines():
            say(f"        {text}")
    if problem:
        problems.add(problem)


def _say_compares() -> None:
    say("It passes. Now it plays against built-in bots and the active version; Ctrl-C does not stop that.", err=True)


def _say_scores(state: dict[str, Any]) -> None:
    scores = list(state["scores"])
    if state["comparison"]:
        scores.append(state["comparison"])
    for score in scores:
        name = f"version {score['version']}" if "version" in score else score["opponent"]
        say(f"{score['points']:g} of {len(score['matches'])} points against {name}")


class _Client:
    def __init__(self, server: str, token: str) -> None:
        parts = address_parts(server)
        if parts is None or parts.hostname is None or parts.scheme not in ("http", "https"):
            raise click.UsageError(f"The server {server!r} is not an address such as https://arena.example.org.")
        if not token.isascii() or not token.isprintable():
            raise ArenaError("The token is not valid: tokens have no such characters.", exit_code=ExitCode.BAD_TICKET)
        self._host, self._port, self._secure = parts.hostname, parts.port, parts.scheme == "https"
        self._base = parts.path.rstrip("/")
        self.address = f"{parts.scheme}://{parts.netloc}{self._base}"
        self._headers = {"Authorization": f"Bearer {token.strip()}", "Accept": "application/json"}

    def upload(self, name: str, data: bytes, *, activate: bool = False, show: bool) -> dict[str, Any]:
        sent = 0

        def body() -> Iterator[bytes]:
            nonlocal sent
            for start in range(0, len(data), CHUNK):
                yield data[start : start + CHUNK]
                sent = min(len(data), start + CHUNK)
                if show:
                    say_status(f"{sent / len(data):.0%} of {len(data)} bytes sent")

        headers = {"X-File-Name": quote(name), "Content-Length": str(len(data))}
        if activate:
            headers["X-Activate"] = "at-once"
        try:
            return self._request("POST", "/api/submit", SOCKET_SECONDS, body(), headers)
        finally:
            if show:
                say_status()

    def follow(
        self,
        state: dict[str, Any],
        patience: float,
        progress: Callable[[dict[str, Any]], None] | None,
        compares: Callable[[], None] | None = None,
    ) -> dict[str, Any]:
        """Wait for the end of the report, and return the last state. Scores can be missing after `patience` seconds.

        Args:
            progress: Called with each new line of the report; None to ignore the lines.
            compares: Called when only the matches against built-in bots and the active version are missing.
        """
        end, printed = time.monotonic() + patience, 0
        path = f"/api/version/{quote(str(state['team']))}/{int(state['number'])}"
        while True:
            with contextlib.suppress(_NotReachedError):  # perhaps the server is restarting
                state = self._request("GET", path, min(SOCKET_SECONDS, max(1.0, end - time.monotonic())))
            lines = [line for line in state["lines"] if "passed" in line]
            for line in lines[printed:]:
                if progress is not None:
                    progress(line)
            printed = max(printed, len(lines))
            if state["state"] in ("passed", "failed") and not (state["compares"] and time.monotonic() < end):
                return state
            if state["state"] == "passed" and compares is not None:
                compares()
                compares = None
            if time.monotonic() > end:
                raise _NotReachedError(
                    f"The report of version {state['number']} did not end within {patience:g} s.",
                    hint=f"The version is stored. See {self.address}{state['url']}.",
                )
            time.sleep(POLL_SECONDS)

    def _request(
        self,
        method: str,
        path: str,
        seconds: float,
        body: Iterator[bytes] | None = None,
        headers: dict[str, str] | None = None,
    ) -> dict[str, Any]:
        connection_class = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        connection = connection_class(self._host, self._port, timeout=seconds)
        hint = ""
        try:
            try:
                connection.request(method, self._base + path, body, self._headers | (headers or {}))
            except (BrokenPipeError, ConnectionResetError):
                # A server that refuses a version answers before it has read everything, and its answer can get lost.
                hint = "It closed the connection during the upload. The version may be too large."
            with connection.getresponse() as answer:
                text, end = b"", time.monotonic() + seconds
                while len(text) < LARGEST_ANSWER:
                    part = answer.read1(CHUNK)
                    if not part:
                        break
                    text += part
                    if time.monotonic() > end:
                        raise TimeoutError("its answer takes too long")
        except (OSError, http.client.HTTPException) as error:
            reason = str(getattr(error, "strerror", None) or error).lower().rstrip(".") or "it closed the connection"
            raise _NotReachedError(f"{self.address} cannot be reached: {reason}.", hint=hint) from None
        finally:
            connection.close()
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            document = None
        if answer.status in (200, 201) and _VERSION.accepts(document):
            return dict(document)
        raise self._refused(answer.status, document if isinstance(document, dict) else {})

    def _refused(self, status: int, document: dict[str, Any]) -> ArenaError:
        codes = {400: ExitCode.BAD_BOT, 401: ExitCode.BAD_TICKET}
        if status in (200, 201, 404) or (status >= 500 and status != HTTPStatus.INSUFFICIENT_STORAGE):
            return _NotReachedError(f"{self.address} does not answer like a contest: status {status}.")
        message = str(document.get("message") or f"The server refuses the version with status {status}.")
        return ArenaError(message, hint=str(document.get("hint", "")), exit_code=codes.get(status, ExitCode.REFUSED))


class _NotReachedError(ArenaError):
    """The server cannot be reached, does not answer in time, or is not the server of a contest."""

    exit_code = ExitCode.NOT_REACHED
