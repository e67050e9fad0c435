"""Kill a contest with people again and again while teams hand in versions, and compare it with what they know.

A third of the kills hit the server, a third a match process or its fork server, and a third `arena submit`.
"""

import contextlib
import json
import os
import random
import re
import signal
import subprocess
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from contests_toys import archive, opened
from kill import match_processes
from server import ARENA, Server
from waiting import PATIENCE, until

from arena.bots.bot import load_bot
from arena.contests.ladder.encounters import specs_of
from arena.contests.values import RATED
from arena.contests.verify import verify

SMALL = "[options]\nwidth = 8\nheight = 6\nmax_turns = 12\n"
"""A match of this takes a third of a second."""
PATIENT = [("bank = 60\n", "bank = 3600\nstartup = 60\n"), ("turn = 10\n", "turn = 600\n")]
"""A clock that no load of the machine can exhaust."""
STYLE = """

import random

_random = random.Random({number})


class Bot(Bot):
    def command(self, cowboy):
        if _random.random() < 0.8:
            super().command(cowboy)
"""


@dataclass
class Upload:
    """One version that a team hands in, until the server has it."""

    team: str
    content: bytes
    state: str = "new"
    """new, acknowledged, or kept: the server has it, but was killed before its answer."""
    hash: str = ""
    tries: int = 0


@dataclass
class Run:
    """A contest with kills: what clients know of it."""

    server: Server
    uploads: list[Upload]
    rng: random.Random
    killed: Counter[str] = field(default_factory=Counter)
    seen: set[str] = field(default_factory=set)
    announced: set[str] = field(default_factory=set)
    shown: dict[str, tuple[int, float]] = field(default_factory=dict)
    clients: set[int] = field(default_factory=set)


def run(folder, teams, versions, matches, kills, seed=1):
    """Play a contest under kills until it is frozen. Return what clients know of it."""
    rng = random.Random(seed)
    changes = [("waiting = 2", f"waiting = {versions + 1}"), ("rated_matches = 200", "rated_matches = 0"), *PATIENT,
               ("# [options] ", f"{SMALL}# [options] ")]  # fmt: skip
    server = Server(folder, *changes, game="saloon")
    try:
        olga = server.person().join(server.invitation, "Olga")
        names = [f"Team {number:02}" for number in range(1, teams + 1)]
        invitations = olga.invited(csv="team,member\n" + "\n".join(f"{name},M {name}" for name in names))
        tokens = {name: server.person().join(one).token for name, one in zip(names, invitations, strict=True)}
        uploads = [
            Upload(name, archive(STYLE.format(number=rng.randrange(1 << 30)), game="saloon"))
            for _ in range(versions)
            for name in names
        ]
        state = Run(server, uploads, rng)
        with tempfile.TemporaryDirectory() as place:
            play(state, olga, tokens, matches, kills, Path(place))
        # Each kill of the server interrupts a check, which begins again, so that many wait at the end.
        until(lambda: checked(olga), server.complain, PATIENCE + 60 * len(uploads))
        until(lambda: olga.press("/desk/act", kind="freeze", reason="the end").status_code == 303, server.complain)
        until(lambda: idle(olga), server.complain)
        state.shown = {team: (row["place"], row["rating"]) for team, row in olga.rows().items()}
        return state
    finally:
        server.stop()


def play(state, olga, tokens, matches, kills, place):
    """Hand in all versions and kill, both spread over the matches, until all is done."""
    done, number = 0, 0
    waiting, handing = list(state.uploads), None
    while done < matches or number < kills or waiting or handing:
        # The first two thirds of the contest see new versions; the first round of them is handed in at once.
        due = len(tokens) + len(state.uploads) * done * 3 // (2 * matches)
        if handing is None and waiting and len(state.uploads) - len(waiting) < due:
            handing = threading.Thread(target=hand_in, args=(state, waiting.pop(0), tokens, place))
            handing.start()
        if handing is not None and not handing.is_alive():
            handing = None
        if number < kills and done >= matches * number // kills:
            kind = ("server", "match", "client" if waiting or handing else "server")[number % 3]
            with contextlib.suppress(httpx.TransportError):
                if olga.press("/desk/act", kind="announce", reason=f"kill {number}").status_code == 303:
                    state.announced.add(f"kill {number}")
            number += kill(state, kind)
        with contextlib.suppress(httpx.HTTPError):
            state.seen |= set(re.findall(r'href="/match/([0-9a-f]{16})"', olga.get("/matches").text))
            done = sum(row["matches"] for row in olga.rows().values()) // 2
        time.sleep(0.2)


def kill(state, kind):
    """Kill a process with SIGKILL, and return whether there was one."""
    server = state.server
    if kind == "client" and not state.clients:
        return False
    time.sleep(state.rng.random())
    if kind == "server":
        server.kill()
        server.start()
    else:
        found = match_processes(server.process.pid) if kind == "match" else list(state.clients)
        if not found:
            return False
        with contextlib.suppress(ProcessLookupError):
            os.kill(state.rng.choice(found), signal.SIGKILL)
    state.killed[kind] += 1
    return True


def hand_in(state, upload, tokens, place):
    """Run `arena submit` until the server has the version. Kills hit this process and the server."""
    path = place / "bot.zip"
    path.write_bytes(upload.content)
    upload.hash = load_bot(path).content_hash
    environment = os.environ | {"ARENA_SERVER": state.server.url, "ARENA_TOKEN": tokens[upload.team]}
    while upload.state == "new":
        upload.tries += 1
        client = subprocess.Popen([ARENA, "submit", str(path), "--json", "--patience", "0"], env=environment, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
        state.clients.add(client.pid)
        output, errors = client.communicate()
        state.clients.discard(client.pid)
        if client.returncode == 0:
            answer = json.loads(output)
            assert answer["hash"] == upload.hash
            upload.state = "acknowledged" if answer["new"] else "kept"
        else:  # killed, or the server was
            assert client.returncode in (-signal.SIGKILL, 24), (client.returncode, errors)
            time.sleep(0.2)


def checked(olga):
    """Return whether no version waits for its check."""
    return ">Nothing.<" in olga.get("/queue").text.partition("<h2>Checks</h2>")[2]


def idle(olga):
    """Return whether nothing runs and nothing waits."""
    return olga.get("/queue").text.count(">Nothing.<") == 3


def check(state):
    """Compare the contest with what clients know of it, and with its replays. Return the number of results."""
    with opened(state.server.path) as contest:  # this checks the chain of the journal
        found = contest.state
        assert state.announced <= {one.reason for one in found.acts.values()}, "an act was lost"
        handed_in = [one for team in found.teams for one in found.versions.get(team, ())]
        versions = Counter((one.entrant, one.hash) for one in handed_in)
        expected = Counter((one.team, one.hash) for one in state.uploads)
        assert versions == expected, "a version was lost or doubled"
        assert all(one.passed for one in handed_in)
        scheduled = Counter(
            spec.match_id for one in found.encounters.values() if one.kind in RATED for spec in specs_of(found, one)
        )
        rated = [one for one in found.played.values() if one.is_rated]
        results = Counter(entry.key for entry in contest._journal.entries() if entry.kind == "result")
        assert set(results.values()) == {1}, "a result was doubled"
        assert not found.matches_left
        assert scheduled.keys() == {one.id for one in rated}, "a result is missing"
        assert state.seen <= {*found.played}, "a result that a client has seen was lost"
        assert not verify(contest.folder, rules=True).problems, "another result than when it is played again"
        assert not list((contest.folder / "replays").rglob("*.tmp.*"))
        assert {row.team: (row.place, row.rating) for row in contest.snapshot.table()} == state.shown
        return len(rated)
