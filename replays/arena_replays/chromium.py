"""Make pictures and films of replays, and try renderers, with a headless Chromium, controlled through a pipe."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from arena_replays.errors import CannotWrite, NoBrowser
from arena_replays.export import export_html
from arena_replays.files import replace_file
from arena_replays.page import Renderer

NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")
FLAGS: Final = (
    "--headless",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--mute-audio",
    "--remote-debugging-pipe",
)
LONGEST_TEMPORARY: Final = 64
FORMATS: Final = ("gif", "webm")


def screenshot(
    path: str | Path,
    turn: int,
    out_png: str | Path,
    renderer_source: Renderer | str | None = None,
    *,
    size: tuple[int, int] = (1440, 900),
    dark: bool = True,
) -> None:
    """Write a picture of the viewer at a turn.

    Args:
        path: The replay.
        turn: The number of the turn in the match, from 1; 0 for the start of the replay.
        out_png: The file to write.
        renderer_source: The game's renderer, or the source of its single module; None for the default renderer.
        size: Width and height in pixels.
        dark: Whether to use dark colours.

    Raises:
        NoBrowser: Chromium is not installed, does not start or does not answer, or the viewer fails.
        NotAReplay, UnknownVersion, DamagedReplay, CannotWrite.
    """
    with _showing(path, f"#t={turn}", renderer_source, size, dark) as page:
        time.sleep(0.3)
        shot = page.send("Page.captureScreenshot", format="png")
    _save(out_png, base64.b64decode(shot["data"]))


def record(
    path: str | Path,
    out: str | Path,
    format: str,  # noqa: A002 - what it is
    renderer_source: Renderer | str | None = None,
    *,
    dark: bool = True,
) -> None:
    """Write a film of the whole match.

    Args:
        path: The replay.
        out: The file to write.
        format: ``gif`` has a picture of the start and one of each turn. ``webm`` has all movements, and lasts at most
            about half a minute, except for very long matches.
        renderer_source: The game's renderer, or the source of its single module; None for the default renderer.
        dark: Whether to use dark colours.

    Raises:
        NoBrowser: Chromium is not installed, does not start or does not answer, or the viewer fails.
        CannotWrite: The file cannot be written, or the format is unknown.
        NotAReplay, UnknownVersion, DamagedReplay.
    """
    if format not in FORMATS:
        raise CannotWrite(f"A film cannot have the format {format}. Use {' or '.join(FORMATS)}.")
    with _showing(path, "", renderer_source, (1280, 840), dark) as page:
        film = page.evaluate(f"{_film_script()}\nrecord({json.dumps(format)})", limit=300)
    _save(out, base64.b64decode(film))


def evaluate(
    path: str | Path,
    script: str,
    renderer_source: Renderer | str | None = None,
    *,
    size: tuple[int, int] = (1440, 900),
    dark: bool = True,
) -> Any:
    """Return the value of a JavaScript expression in the page of a replay, when the page is complete.

    Args:
        path: The replay.
        script: The expression. If its value is a promise, its result counts. The page has the viewer in ``arena``.
        renderer_source: The game's renderer, or the source of its single module; None for the default renderer.
        size: Width and height in pixels.
        dark: Whether to use dark colours.

    Raises:
        NoBrowser: Chromium is not installed, does not start or does not answer, or the viewer or the expression fails.
        NotAReplay, UnknownVersion, DamagedReplay.
    """
    with _showing(path, "", renderer_source, size, dark) as page:
        return page.evaluate(script)


def _film_script() -> str:
    return files("arena_replays").joinpath("film.js").read_text(encoding="utf-8")


def find_browser() -> str:
    """Return the path of a Chromium: the one in the environment variable ARENA_BROWSER, or the first one that is found.

    Raises:
        NoBrowser: No Chromium is installed.
    """
    names = (os.environ.get("ARENA_BROWSER"), *NAMES)
    found = next((where for name in names if name and (where := shutil.which(name))), None)
    if found is None:
        raise NoBrowser(
            "Pictures, films and checks of renderers need Chromium or Chrome, and none is installed.",
            hint="Install one, or put its path into ARENA_BROWSER. `--html` needs no browser.",
        )
    return found


class Page:
    """A connection that sends commands to a browser. When `session` is set, they go to one page of the browser."""

    def __init__(self, process: subprocess.Popen[bytes], commands: int, answers: int) -> None:
        self.process = process
        self.commands = commands
        self.answers = answers
        self.number = 0
        self.session: str | None = None
        self.rest = b""

    def send(self, method: str, *, limit: float = 60, **parameters: Any) -> dict[str, Any]:
        """Send a command and return the answer.

        Args:
            method: The name of the command.
            limit: The time limit for the answer, in seconds.
            **parameters: The parameters of the command.

        Raises:
            NoBrowser: The browser does not answer in time, or refuses the command.
        """
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session is not None:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        try:
            while data:
                data = data[os.write(self.commands, data) :]
        except OSError:
            raise _silent() from None
        end = time.monotonic() + limit
        while True:
            answer = self._receive(end)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise NoBrowser(f"The browser refused {method}: {answer['error'].get('message', '')}.")
                result: dict[str, Any] = answer["result"]
                return result

    def evaluate(self, expression: str, *, limit: float = 60) -> Any:
        """Return the value of a JavaScript expression in the page. If the value is a promise, wait for its result.

        Raises:
            NoBrowser: The expression throws an error, or the browser does not answer within `limit` seconds.
        """
        given = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True, limit=limit)
        if "exceptionDetails" in given:
            raise NoBrowser(f"The viewer failed: {given['exceptionDetails'].get('text', '')}.")
        return given["result"].get("value")

    def _receive(self, end: float) -> dict[str, Any]:
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.answers], [], [], max(0.0, end - time.monotonic()))
            data = os.read(self.answers, 1 << 20) if ready else b""
            if not data:
                raise _silent()
            self.rest += data
        message, self.rest = self.rest.split(b"\0", 1)
        answer: dict[str, Any] = json.loads(message)
        return answer


def _silent() -> NoBrowser:
    return NoBrowser("The browser does not answer.", hint="Check whether it starts by itself.")


@contextmanager
def _showing(
    path: str | Path, hash_: str, renderer_source: Renderer | str | None, size: tuple[int, int], dark: bool
) -> Iterator[Page]:
    """Open a replay in a browser."""
    browser = find_browser()
    with tempfile.TemporaryDirectory(prefix="arena-browser-", ignore_cleanup_errors=True) as folder:
        file = Path(folder) / "replay.html"
        export_html(path, file, renderer_source)
        with _running(browser, Path(folder) / "profile") as page:
            target = page.send("Target.createTarget", url="about:blank")["targetId"]
            page.session = page.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            page.send(
                "Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=False
            )
            scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
            page.send("Emulation.setEmulatedMedia", features=[scheme])
            page.send("Page.navigate", url=file.as_uri() + hash_)
            end = time.monotonic() + 60
            while not page.evaluate("document.documentElement?.dataset.ready ?? ''"):
                if time.monotonic() > end:
                    raise NoBrowser("The viewer did not start in the browser.")
                time.sleep(0.05)
            yield page


@contextmanager
def _running(browser: str, profile: Path) -> Iterator[Page]:
    try:
        import fcntl
    except ImportError:
        raise NoBrowser(
            "Pictures, films and checks of renderers need Linux or macOS.", hint="A page (--html) needs neither."
        ) from None
    ends = [*os.pipe(), *os.pipe()]
    try:
        # Chromium uses the descriptors 3 and 4. Use higher numbers here, so that `dup2` overwrites no pipe end.
        high = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 64) for end in ends]
    finally:
        for end in ends:
            os.close(end)
    commands_in, commands_out, answers_in, answers_out = high

    def place() -> None:
        os.dup2(commands_in, 3)
        os.dup2(answers_out, 4)

    flags = [*FLAGS, f"--user-data-dir={profile}"] + (["--no-sandbox"] if os.geteuid() == 0 else [])
    quiet = subprocess.DEVNULL
    # Chromium makes a socket in the folder for temporary files. The kernel limits the path of a socket to 107 bytes.
    short = {"TMPDIR": "/tmp"} if len(os.fsencode(tempfile.gettempdir())) > LONGEST_TEMPORARY else {}
    try:
        process = subprocess.Popen(
            [browser, *flags],
            stdin=quiet,
            stdout=quiet,
            stderr=quiet,
            env=os.environ | short,
            close_fds=False,
            preexec_fn=place,
            start_new_session=True,
        )
    except OSError as error:
        for end in high:
            os.close(end)
        raise NoBrowser(f"{browser} cannot be started: {(error.strerror or str(error)).lower()}.") from None
    os.close(commands_in)
    os.close(answers_out)
    try:
        yield Page(process, commands_out, answers_in)
    finally:
        os.close(commands_out)
        os.close(answers_in)
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Wait for the browser, which exits when its pipe is closed. After 5 s, kill all its processes."""
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.wait()


def _save(out: str | Path, data: bytes) -> None:
    try:
        replace_file(Path(out), data)
    except OSError as error:
        raise CannotWrite(f"{out} cannot be written: {(error.strerror or str(error)).lower()}.") from None
