"""Serves the editor, the start page and the viewer to this machine, under one address."""

from __future__ import annotations

import json
import re
import tempfile
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, quote, unquote, urlsplit

from arena.errors import ArenaError, ExitCode
from arena.lookup import find_game
from arena.match.job import Job, SeatAssignment
from arena.verify import rebuild
from arena.watching import renderer_for
from arena.web.editing import pages
from arena.web.editing.files import blank_map, editable, editor_of, problems_of, read_map, write_map
from arena.web.editing.trial import Trial
from arena.web.startpage.page import start_page
from arena.web.startpage.recent import recent_replays
from arena.web.startpage.rules import rules_page
from arena_replays import Reader, ReplayError, expand
from arena_replays.serve import Handler, Server, has_screen

LARGEST_REQUEST: Final = 2_000_000
FILE_NAME: Final = re.compile(r"[A-Za-z0-9][\w-]{0,80}\.json", re.ASCII)


@dataclass(frozen=True, slots=True)
class Opened:
    """What ``arena map edit`` was called with.

    Attributes:
        document: The map; None for a new one.
        target: The file that is saved to; None where the page asks for a name.
    """

    document: dict[str, Any] | None
    target: Path | None


class EditingServer(Server):
    """Serves start page, editors and replays.

    Args:
        port: 0 for any that is free.
        folder: Where new maps are saved.
        replays: Where recent replays are looked for.

    Raises:
        CannotWrite: The port is taken.
    """

    def __init__(self, port: int = 0, folder: Path = Path(), replays: Path = Path("replays")) -> None:
        self.trials: list[Trial] = []  # first, since a server whose port is taken is closed as well
        self._temporary = tempfile.TemporaryDirectory(prefix="arena-editor-")
        super().__init__([], port, renderer_for)
        self.RequestHandlerClass = EditingHandler
        self.folder = folder
        self.replays = replays
        self.opened: dict[str, Opened] = {}

    @property
    def url(self) -> str:
        """The address of the start page."""
        return f"http://127.0.0.1:{self.server_address[1]}/"

    def open_map(self, game: str, document: dict[str, Any] | None, target: Path | None) -> str:
        """Keep a map ready for the editor and return the address of its page."""
        self.opened[game] = Opened(document, target)
        return f"{self.url}edit/{quote(game)}"

    def add_replay(self, *legs: Path) -> str:
        """Make a match watchable, given its replay or those of its legs, and return its path on this server.

        Raises:
            ReplayError: It is no replay.
        """
        for known in self.legs:
            if tuple(self.paths[at] for at in known) == legs:
                return f"/view/{known[0]}"
        return self.add(legs)

    def watchable(self, path: Path) -> Path:
        """Return a replay with views: a stripped one is expanded into a temporary copy.

        Raises:
            ReplayError, ArenaError: It cannot be expanded.
        """
        if not Reader(path).header.get("stripped"):
            return path
        copy = Path(self._temporary.name) / f"{abs(hash(path.resolve()))}-{path.name}"
        if not copy.exists():
            expand(path, copy, rebuild)
        return copy

    def try_out(self, job: Job) -> int:
        """Start a match; returns the number of the trial.

        Raises:
            ArenaError: Another one is being played.
        """
        if any(trial.status["state"] == "playing" for trial in self.trials):
            raise ArenaError("a match is being played already")
        replay = Path(self._temporary.name) / f"trial-{len(self.trials)}.arena"
        self.trials.append(Trial(replace(job, replay=str(replay)), self.add_replay))
        return len(self.trials) - 1

    def server_close(self) -> None:
        """Stop serving; matches that are still played end."""
        super().server_close()
        for trial in self.trials:
            trial.stop()
        self._temporary.cleanup()


class EditingHandler(Handler):
    """Answers one request of the start page or an editor; the viewer's are answered by the viewer's handler."""

    server: EditingServer

    def do_GET(self) -> None:  # noqa: N802 - the name is the base class's
        """Answer a page or a module."""
        if not self._is_for_us():
            return self._send(403, b"This server answers to this machine only.", "text/plain")
        split = urlsplit(self.path)
        routes: list[tuple[str, Callable[..., None]]] = [
            (r"/", self._start),
            (r"/rules/([a-z0-9_]+)", self._rules),
            (r"/edit/([a-z0-9_]+)", self._edit),
            (r"/editor/(.+)", self._editor_asset),
            (r"/watch/([^/]+)", self._watch),
            (r"/trial/(\d+)", self._trial),
        ]
        for pattern, answer in routes:
            match = re.fullmatch(pattern, split.path)
            if match:
                return self._answer(answer, *match.groups())
        return super().do_GET()

    def do_POST(self) -> None:  # noqa: N802 - the name is the base class's
        """Answer what the editor's page asks for."""
        if not self._is_for_us() or not self._is_from_us():
            return self._send(403, b"This server answers to its own pages only.", "text/plain")
        routes: list[tuple[str, Callable[..., None]]] = [
            (r"/check/([a-z0-9_]+)", self._check),
            (r"/save/([a-z0-9_]+)", self._save),
            (r"/play/([a-z0-9_]+)", self._play),
            (r"/stop/(\d+)", self._stop),
        ]
        for pattern, answer in routes:
            match = re.fullmatch(pattern, urlsplit(self.path).path)
            if match:
                return self._answer(answer, *match.groups())
        return self._send(404, b"There is nothing here.", "text/plain")

    def _is_from_us(self) -> bool:
        """Whether a page of this server sent the request: others must not write files through the user's browser."""
        own = f"http://{self.headers.get('Host')}"
        return (
            self.headers.get("Origin") == own
            and self.headers.get("Content-Type", "").split(";")[0] == "application/json"
        )

    def _answer(self, answer: Callable[..., None], *parts: str) -> None:
        try:
            answer(*parts)
        except (ArenaError, ReplayError) as error:
            status = 404 if error.exit_code == ExitCode.UNKNOWN_GAME else 409
            if self.command == "GET" and not self.path.startswith("/trial/"):
                return self._send(status, f"{error.sentence} {error.hint}".strip().encode(), "text/plain")
            self._json({"sentence": error.sentence, "hint": error.hint}, status)

    # -- pages ---------------------------------------------------------------------------------------

    def _start(self) -> None:
        self._html(*start_page(recent_replays(self.server.replays)))

    def _rules(self, name: str) -> None:
        self._html(*rules_page(find_game(name)))

    def _edit(self, name: str) -> None:
        game = find_game(name)
        wanted = parse_qs(urlsplit(self.path).query).get("map", [""])[0]
        opened = self.server.opened.get(name, Opened(None, None))
        if wanted:
            if wanted not in game.maps:
                raise ArenaError(f"{name} has no map {wanted}", exit_code=ExitCode.BAD_OPTION)
            opened = Opened(editable(game, read_map(game, wanted), wanted), None)
        elif opened.target is not None and opened.target.exists():
            # What was saved since is what a page that is loaded again shall show.
            opened = Opened(editable(game, read_map(game, str(opened.target)), str(opened.target)), opened.target)
        self._html(*pages.editor_page(game, opened.document or blank_map(game, {}), _target_name(opened)))

    def _watch(self, name: str) -> None:
        found = {recent.path.name: recent.legs for recent in recent_replays(self.server.replays)}
        if unquote(name) not in found:
            raise ArenaError("the replay is not there any more")
        where = self.server.add_replay(*map(self.server.watchable, found[unquote(name)]))
        self.send_response(303)
        self.send_header("Location", where)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _editor_asset(self, name: str) -> None:
        text = pages.asset(name)
        if text is None:
            return self._send(404, b"There is nothing here.", "text/plain")
        return self._send(200, text.encode(), "text/css" if name.endswith(".css") else "text/javascript")

    # -- what the editor asks for --------------------------------------------------------------------

    def _check(self, name: str) -> None:
        editor = editor_of(find_game(name))
        document = self._body().get("document")
        problems = problems_of(editor, document)
        good = not any(problem.is_error for problem in problems)
        facts = editor.facts(document) if good and isinstance(document, dict) else []
        self._json({"problems": [problem.to_document() for problem in problems[:500]], "facts": facts})

    def _save(self, name: str) -> None:
        game = find_game(name)
        editor_of(game)
        body = self._body()
        document = editable(game, body.get("document"), "this")
        target = self._target(name, body.get("name"))
        if target.exists() and not body.get("replace") and target != self.server.opened.get(name, _NOTHING).target:
            return self._json({"sentence": f"{target.name} exists already.", "exists": True})
        write_map(target, document)
        self.server.opened[name] = Opened(document, target)
        return self._json({"saved": str(target)})

    def _target(self, game: str, name: Any) -> Path:
        opened = self.server.opened.get(game, _NOTHING)
        if opened.target is not None and name in (None, "", opened.target.name):
            return opened.target
        if not isinstance(name, str) or not FILE_NAME.fullmatch(name):
            raise ArenaError("a file's name is letters, digits, _ and -, and ends in .json")
        return self.server.folder / name

    def _play(self, name: str) -> None:
        game = find_game(name)
        body = self._body()
        document = body.get("document")
        wrong = [problem for problem in problems_of(editor_of(game), document) if problem.is_error]
        if wrong:
            raise ArenaError(f"it cannot be played: {wrong[0].sentence}")
        bots = body.get("bots")
        known = [bot.name for bot in game.bots]
        if not isinstance(bots, list) or len(bots) != game.players or not all(bot in known for bot in bots):
            raise ArenaError(f"{game.name} has no such bots" if known else f"{game.title} has no bots of its own")
        seats = tuple(SeatAssignment(f"builtin:{bot}") for bot in bots)
        job = Job(game=game.name, seats=seats, options={game.map_option: document}, progress=True).seeded()
        self._json({"trial": self.server.try_out(job)})

    def _trial(self, number: str) -> None:
        self._json(self._trial_with(number).status)

    def _stop(self, number: str) -> None:
        trial = self._trial_with(number)
        trial.stop()
        self._json(trial.status)

    def _trial_with(self, number: str) -> Trial:
        if int(number) >= len(self.server.trials):
            raise ArenaError("there is no such match")
        return self.server.trials[int(number)]

    # -- reading and writing -------------------------------------------------------------------------

    def _body(self) -> dict[str, Any]:
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > LARGEST_REQUEST:
            self.close_connection = True
            raise ArenaError("the map is too large")
        try:
            body = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            raise ArenaError("the request is not JSON") from None
        if not isinstance(body, dict):
            raise ArenaError("the request is not an object")
        return body

    def _html(self, text: str, policy: str) -> None:
        self._send(200, text.encode(), "text/html", {"Content-Security-Policy": policy})

    def _json(self, document: dict[str, Any], status: int = 200) -> None:
        self._send(status, json.dumps(document).encode(), "application/json")


_NOTHING: Final = Opened(None, None)


def _target_name(opened: Opened) -> str:
    return "" if opened.target is None else opened.target.name


def run(server: EditingServer, url: str, open_browser: bool, announce: Callable[[], None]) -> None:
    """Serve until the user interrupts.

    Args:
        server: What to serve.
        url: The page to open.
        open_browser: Open it.
        announce: Called once before serving.
    """
    announce()
    if open_browser and has_screen():
        webbrowser.open(url)
    try:
        server.serve_forever(poll_interval=0.1)
    except KeyboardInterrupt:
        return
