"""A contest of four teams with a show, of whose cup only organizers know; and everything that readers get.

The matches are real: two matches of Saloon, of which each result of the contest has the replay.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import re
import shutil
import zipfile
from collections.abc import Coroutine, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar
from urllib.parse import unquote, urlencode, urljoin, urlsplit

from contests_toys import add_team, add_version, do, opened, player, pointed_result, write_config
from visitors import HOST, add_person, addresses_of, pages_of

from arena.contests.journal.files import temporary_replay_path
from arena.contests.ladder.encounters import pair, specs_of
from arena.contests.people import accounts
from arena.contests.scheduler import round_entry
from arena.testing import play_match
from arena.text.reading import hash_of
from arena.web.contests.requests import COOKIE
from arena_show.evening import Evening
from arena_show.evening import hash_of as show_hash

T = TypeVar("T")
TEAMS = ("Red", "Blue", "Green", "Gold")
SECRET = "0123456789abcdef" * 2
"""The secret of a display with the role of a board; others count up from it."""
ROLES = ("board", "bracket", "table", "director", "queue", "break", "overlay")


def secret_of(role: str) -> str:
    return f"{ROLES.index(role):x}" + SECRET[1:]


class Matches:
    """Two matches that were played: seat 0 has won the first, seat 1 the second."""

    def __init__(self, folder: Path) -> None:
        self.results = []
        for number, bots in enumerate((("sheriff", "rowdy"), ("rowdy", "sheriff"))):
            replay = folder / f"{number}.arena"
            names = [f"builtin:{bot}" for bot in bots]
            result = play_match("saloon", names, seed=3, replay=replay, options={"max_turns": 60})
            assert result.outcome.winner == number
            self.results.append((result, replay))

    def commit(self, contest: Any, spec: Any, winner: int) -> str:
        """Record one of the matches as that of a schedule, won by a seat."""
        result, replay = self.results[winner]
        place = temporary_replay_path(contest.folder, spec.match_id)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(replay, place)
        contest.commit(spec, replace(result, replay=str(place)))
        return str(spec.match_id)


class Points(Matches):
    """Results without matches: nothing has a replay."""

    def __init__(self) -> None:
        """Play nothing."""

    def commit(self, contest: Any, spec: Any, winner: int) -> str:
        contest.commit(spec, pointed_result((1.0 - winner, float(winner))))
        return str(spec.match_id)


class World:
    """An open contest with its pages, and browsers of all who may look."""

    def __init__(self, contest: Any, matches: Matches) -> None:
        self.contest = contest
        self.matches = matches
        self.pages, self.app = pages_of(contest)
        self.evening = Evening(self.pages.served)

    @classmethod
    def begun(cls, contest: Any, matches: Matches) -> World:
        """Let a contest come to the evening: teams, a ladder, held results, a cup up to its grand final."""
        for team in TEAMS:
            add_team(contest, team)
            add_version(contest, team, path="")
        world = cls(contest, matches)
        for first, second in (("Red", "Blue"), ("Green", "Gold"), ("Red", "Green")):
            world.ladder(first, second)
        world.evening.begin(lambda: do(contest, "hold"))
        for role in ROLES:
            key = show_hash(secret_of(role))[:32]
            world.pages.served.write({"do": "role", "display": key, "role": role})
        world.evening.act("predictions")
        world.ladder("Blue", "Gold")
        do(contest, "stage", "cup", format="double_elimination", advance="4", best_of="1")
        while (spec := world.next_of_cup()) is not None and spec.round < 4:
            world.play(spec, "Red" if "Red" in spec.names else min(spec.names))
        return world

    def ladder(self, first: str, second: str, winner: int = 0) -> str:
        self.contest.write(
            pair(self.contest.state, "ladder", (player(self.contest, first), player(self.contest, second)), 1)
        )
        return self.matches.commit(
            self.contest, specs_of(self.contest.state, next(self.contest.state.encounters.newest()))[0], winner
        )

    def next_of_cup(self) -> Any:
        """Return the next match of the cup, which pairs its next round if it must."""
        state = self.contest.state
        run = state.stages["cup"]
        if encounters := run.next_round(state.absent(run)):
            self.contest.write(round_entry(state, run, encounters))
            run = self.contest.state.stages["cup"]
        return next(iter(run.waiting()), None)

    def play(self, spec: Any, winner: str) -> str:
        return self.matches.commit(self.contest, spec, spec.names.index(winner))

    def go(self, start: str) -> None:
        """Go to the first step whose id begins with a text, step by step."""
        steps = self.evening.steps()
        target = next(index for index, step in enumerate(steps) if step.id.startswith(start))
        while self.evening.at(self.evening.steps()) < target:
            self.evening.go("next")

    def sessions(self) -> dict[str, dict[str, str]]:
        """Return the cookies of all kinds of readers who are no organizers."""
        tokens = {"spectator": add_person(self.contest, "", "spectator")}
        tokens |= {f"of {team}": add_person(self.contest, team) for team in ("Red", "Green")}
        signed = {who: accounts.new_session(self.contest, hash_of(token)) for who, token in tokens.items()}
        found = {"anybody": {}, "a display": {"arena-display": secret_of("board")}}
        found |= {who: {COOKIE: cookie} for who, cookie in signed.items()}
        phone = f"phone.{self.pages.served.signature('arena-phone', 'phone')}"
        return {who: cookies | {"arena-phone": phone} for who, cookies in found.items()}


@contextlib.contextmanager
def world_in(folder: Path, matches: Matches, *changes: tuple[str, str], begin: bool = False) -> Iterator[World]:
    """Open the contest of a folder; with `begin`, a new one, with some texts of its file replaced."""
    usual = ('isolation = "bwrap" ', 'isolation = "none" ')
    path = write_config(folder, usual, *changes) if begin else folder / "contest.toml"
    with opened(path) as contest:
        yield World.begun(contest, matches) if begin else World(contest, matches)


# -- what readers get ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Answer:
    """What a server sends."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode(errors="replace")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in a thread of its own: the browser of other tests has a loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


async def asked(app: Any, address: str, cookies: Mapping[str, str], form: Mapping[str, str] | None = None) -> Answer:
    """Send a request to an application of this process, as a browser does."""
    path, _, query = address.partition("?")
    body = urlencode(form or {}).encode()
    headers = {"host": "testserver", "origin": HOST, "accept": "*/*", "content-length": str(len(body))}
    headers["cookie"] = "; ".join(f"{name}={value}" for name, value in cookies.items())
    scope = {
        "type": "http",
        "http_version": "1.1",
        "scheme": "http",
        "server": ("testserver", 80),
        "method": "GET" if form is None else "POST",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "client": ("127.0.0.1", 1),
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    sent: list[dict[str, Any]] = []
    received = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def receive() -> dict[str, Any]:
        for message in received:
            return message
        await asyncio.sleep(3600)
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await app(scope, receive, send)
    told = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return Answer(sent[0]["status"], told, b"".join(message.get("body", b"") for message in sent[1:]))


def get(world: World, address: str, cookies: Mapping[str, str] = MappingProxyType({})) -> Answer:
    return run(asked(world.app, address, cookies))


def post(world: World, address: str, cookies: Mapping[str, str], **form: str) -> Answer:
    return run(asked(world.app, address, cookies, form))


def addresses(world: World, ids: Iterable[str]) -> list[str]:
    """Return the address of every route of the application, with ids that exist and guessed ones.

    A new kind of parameter in a route must get its values here; the test fails until then.
    """
    tables = [f"{name}.csv" for name in world.pages.site.publisher.results(everything=True).tables]
    values = {
        "match_id": [*ids, "0" * 16],
        "team": ["Red", "Blue"],
        "other": ["Blue"],
        "number": ["1"],
        "name": [*tables, "contest.js"],
        "module": ["main.js"],
    }
    found = addresses_of(world.pages.application(), values)
    found = [path for path in found if path.startswith("/data/") or not path.endswith(".csv")]
    displays = [f"/display/state.json?id={secret_of(role)}" for role in ROLES]
    logs = [f"{path}?team={team}" for path in found if path.endswith("/log") for team in ("Red", "Green")]
    return [*found, *displays, *logs, "/matches?team=Red", "/show/state.json?after=x"]


def crawl(world: World, ids: Iterable[str], cookies: Mapping[str, str], *, forms: bool = False) -> dict[str, str]:
    """Return all that a reader gets from all addresses, and from the links of these pages: status, headers, content.

    Args:
        forms: Send the forms of all pages, too, as they are.
    """

    async def everything() -> dict[str, str]:
        pending, seen = addresses(world, ids), dict[str, str]()
        found = dict[str, dict[str, str]]()
        while pending:
            address = pending.pop()
            if address not in seen:
                answer = await asked(world.app, address, cookies)
                seen[address] = _all_of(address, answer)
                if "text/html" in answer.headers.get("content-type", ""):
                    pending += _links(answer.text, address)
                    found |= {f"POST {action} {fields}": fields for action, fields in _forms(answer.text)}
        for form, fields in found.items() if forms else ():
            seen[form] = _all_of(form, await asked(world.app, form.split()[1], cookies, fields))
        return seen

    return run(everything())


def _links(page: str, address: str) -> Iterator[str]:
    for link in re.findall(r'(?:href|src|action)="([^"]+)"', page):
        place = urlsplit(urljoin(f"{HOST}{address}", link.replace("&amp;", "&")))
        is_file = place.path.endswith((".js", ".css", ".svg", ".whl"))
        if place.netloc == urlsplit(HOST).netloc and not is_file and place.path != "/sign-out":
            yield place.path + (f"?{place.query}" if place.query else "")


def _forms(page: str) -> Iterator[tuple[str, dict[str, str]]]:
    sent = re.findall(r'<form[^>]*method="post"[^>]*action="([^"]+)"[^>]*>(.*?)</form>', page, re.DOTALL)
    for action, content in sent:
        if action not in ("/sign-out", "/token"):  # a new token is another one each time
            yield action, dict(re.findall(r'<input[^>]*name="([^"]+)" value="([^"]*)"', content))


def _all_of(address: str, answer: Answer) -> str:
    """Return an answer as text, without what only says when a file was made, or which number it has on the disk."""
    left_out = ("x-arena-generation",) if address.startswith("/replay/") else ()
    if answer.body[:2] != b"PK":
        return f"{answer.status} {_without(answer.headers, left_out)} {answer.body!r}"
    with zipfile.ZipFile(io.BytesIO(answer.body)) as packed:
        files = [(name, packed.read(name)) for name in packed.namelist()]
    return f"{answer.status} {_without(answer.headers, ('etag', 'last-modified'))} {files}"


def _without(headers: Mapping[str, str], left_out: Iterable[str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name not in left_out}
