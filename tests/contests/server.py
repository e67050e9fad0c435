"""A real server of a contest, and clients that act as people do."""

import contextlib
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx

sys.path.append(str(Path(__file__).parents[1] / "plugins"))  # scripts use this module too
from contests_toys import write_config
from waiting import until

ARENA = str(Path(sys.executable).with_name("arena"))


class Person(httpx.Client):
    """Somebody with a browser."""

    def __init__(self, url, **settings):
        super().__init__(base_url=url, headers={"origin": url, "accept": "text/html"}, timeout=60, **settings)
        self.token = self.csrf = ""

    def join(self, invitation, name=""):
        answer = self.post("/join", data={"token": invitation, "name": name})
        assert answer.status_code == 200, answer.text
        self.token = re.search(r'id="token">([^<]+)', answer.text)[1]
        return self.prepared()

    def prepared(self):
        self.csrf = re.search(r'data-csrf="([^"]*)"', self.get("/").text)[1]
        return self

    def press(self, place, **fields):
        return self.post(place, data={"csrf": self.csrf, **fields})

    def submit(self, content, name="bot.zip"):
        headers = {"x-csrf": self.csrf, "x-file-name": name, "accept": "application/json"}
        return self.post("/api/submit", content=content, headers=headers)

    def rows(self):
        return {row["team"]: row for row in self.get("/standings.json").json()["rows"]}

    def invited(self, **fields):
        page = self.press("/desk/invite", **fields)
        assert page.status_code == 200, page.text
        return re.findall(r'class="invitation">[^<]*token=([\w-]+)', page.text)


class Server:
    """`arena contest serve` in a process, which tests may kill.

    Args:
        changes: of the usual configuration of a term.
        config: The path of another configuration.
    """

    command = ("contest", "serve")

    def __init__(self, folder, *changes, game="snakes", options=(), config=None):
        self.options = options
        usual = ('isolation = "bwrap" ', 'isolation = "none" ')
        self.path = config or write_config(folder, usual, *changes, game=game)
        self.output = folder / "output.txt"
        self.people = contextlib.ExitStack()
        self.port = 0
        self.process = None
        self.start()

    def person(self):
        """Return somebody with a browser of their own."""
        return self.people.enter_context(Person(self.url))

    def start(self):
        """Start, or start again on the same port."""
        self.output.write_text("")
        with self.output.open("ab") as out:
            command = [ARENA, *self.command, str(self.path), "--port", str(self.port), *self.options]
            self.process = subprocess.Popen(command, stdout=out, stderr=out)
        self.url = until(lambda: (re.findall(r"^(http://[\d.:]+)/$", self.output.read_text(), re.MULTILINE) or [""])[0],
                         self.complain)  # fmt: skip
        self.port = int(self.url.rpartition(":")[2])
        until(self.answers, self.complain)

    def complain(self):
        return self.output.read_text()

    def answers(self):
        with contextlib.suppress(httpx.TransportError):
            return httpx.get(f"{self.url}/standings.json", timeout=10).status_code == 200
        return False

    @property
    def invitation(self):
        return until(lambda: re.search(r"token=(\S+)", self.output.read_text()), self.complain)[1]

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(60)

    def stop(self):
        self.people.close()
        if self.process.poll() is None:
            self.process.terminate()
        return self.process.wait(60)
