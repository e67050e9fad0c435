"""The first evening of a student, by the lines of docs/windows.md: on Windows, on macOS, and without POSIX on Linux.

python tests/plugins/evening.py [--in-memory]
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from urllib.request import Request, urlopen

WORDS = "own bots only: no isolation, no processor clock"


class Evening:
    """Runs commands in a folder.

    Args:
        command: How `arena` is called.
        pytest: How pytest is called.
        options: Options of all commands that play.
    """

    def __init__(
        self, folder: Path, command: Sequence[str], pytest: Sequence[str], options: Sequence[str] = ()
    ) -> None:
        self._folder = folder
        self._command, self._pytest, self._options = command, pytest, options

    def arena(self, *words: str) -> str:
        """Run a command, and return what it prints. The output of a pipe on Windows is in cp1252."""
        return self._run([*self._command, *words], self._folder)

    def _run(self, command: Sequence[str], folder: Path) -> str:
        environment = os.environ | {"PYTHONIOENCODING": "cp1252"}
        done = subprocess.run(
            command, capture_output=True, encoding="cp1252", env=environment, timeout=300, cwd=folder, check=False
        )
        assert done.returncode == 0, (command, done.returncode, done.stdout, done.stderr)
        assert "Traceback" not in done.stderr, done.stderr
        return done.stdout

    def walk(self, *, in_memory: bool) -> None:
        """Walk through the evening."""
        options = self._options
        self.arena("new", "saloon", "my_bot")
        main = self._folder / "my_bot" / "main.py"
        main.write_bytes(main.read_bytes().replace(b"\n", b"\r\n"))  # as an editor of Windows saves it
        played = self.arena("play", "saloon", "my_bot", "builtin:pianist", "--seed", "1", *options)
        assert "pianist wins" in played
        assert played.count(WORDS) == in_memory
        (replay,) = (self._folder / "replays").iterdir()
        name = f"replays/{replay.name}"
        assert "verified" in self.arena("replay", "verify", name)
        assert "my_bot (lost)" in self.arena("explain", name, "--budget", "1")
        assert "does what was recorded" in self.arena("rerun", name, "my_bot", *options)
        self.arena("rerun", f"{name}@5", "my_bot", "--pin", "my_bot/test_turn_5.py", *options)
        compared = self.arena("compare", "saloon", "my_bot", "builtin:rowdy", "--games", "4", *options)
        assert (WORDS in compared) == in_memory
        climbed = self.arena("climb", "saloon", "my_bot", "--most", "16", *options)
        assert (WORDS in climbed) == in_memory
        judged = self.arena("verdict", "saloon", "my_bot", "--against", "builtin:rowdy", "--seconds", "5", *options)
        assert "my_bot against rowdy in Saloon" in judged
        assert "2 passed" in self._run(self._pytest, self._folder / "my_bot")
        self.play_in_the_browser()
        turn = "def run_turn(self) -> None:"
        main.write_text(main.read_text().replace(turn, f"{turn}\n        1 / 0"))
        failed = self.arena("play", "saloon", "my_bot", "builtin:rowdy", "--replay", "none", *options)
        assert "my_bot crashed" in failed
        assert "ZeroDivisionError" in failed

    def play_in_the_browser(self) -> None:
        """Start a match from the start page of `arena view`."""
        with subprocess.Popen(
            [*self._command, "view", "--no-browser", *self._options],
            cwd=self._folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        ) as server:  # fmt: skip
            try:
                assert server.stdout is not None
                assert server.stderr is not None
                found = re.search(r"http://\S+/", server.stdout.readline())
                assert found is not None, server.stderr.read()
                own = {"Content-Type": "application/json", "Origin": re.sub(r"(//[^/]*).*", r"\1", found[0])}
                body = json.dumps({"bots": ["my_bot", "builtin:rowdy"]}).encode()
                with urlopen(Request(f"{found[0]}start/saloon", body, own), timeout=60) as answer:
                    number = json.load(answer)["match"]
                status = {"state": "waiting"}
                while status["state"] in ("waiting", "playing"):
                    time.sleep(0.1)
                    with urlopen(f"{found[0]}started/{number}", timeout=60) as answer:
                        status = json.load(answer)
                assert status["state"] == "done", status
                with urlopen(f"{found[0]}{status['watch']}", timeout=60) as page:
                    assert b"<!doctype html>" in page.read().lower()
            finally:
                server.kill()


if __name__ == "__main__":
    in_memory = not hasattr(os, "fork") or "--in-memory" in sys.argv
    with tempfile.TemporaryDirectory(prefix="my bots ", ignore_cleanup_errors=True) as folder:
        Evening(
            Path(folder), [sys.executable, "-m", "arena"], [sys.executable, "-m", "pytest", "-q"], sys.argv[1:]
        ).walk(in_memory=in_memory)
    print("The evening went well.")
