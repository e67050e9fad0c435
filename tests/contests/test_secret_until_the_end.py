"""Nothing that the live page of a contest gives out during a match foretells a draw or shows what is hidden."""

import contextlib
import json
import re
import subprocess
import threading
from math import prod

import httpx
import pytest
from contest_commands import ARENA, contest
from waiting import until

from arena.bots.builtin import module_source
from arena.game import Integers, Seeded
from arena.match.job import Job
from arena.match.lookup import find_game
from arena.study.replaying.presentation import renderer_of
from arena.web.contests.app import ContestPages
from arena.web.contests.following import Follower
from arena.web.server import Server
from arena_replays import Reader, ReplayError

pytestmark = pytest.mark.process

CONTEST = """
[contest]
name = "Secrets"
game = "{game}"
isolation = "none"
matches_at_once = 1
allow_remote = true

[remote]
listen = "tcp://127.0.0.1:0"
wait = 120

[clock]
turn = 100
turn_wall = 100
bank = 100

[options]
{option}

[[bots]]
path = "builtin:{opponent}"

[[bots]]
path = "remote"
name = "waiter"

[[stages]]
format = "round_robin"
games = {games}
"""
WAITER = """
import os, time
from {game} import AI

class Waiter(AI):
    asked = 0

    def run_turn(self):
        self.asked += 1
        if self.asked == 3:
            self.wait()
        self.log("my secret plan")
        {move}

    def wait(self):
        leg = 1 + os.path.exists({folder!r} + "/leg1 ended")
        open({folder!r} + f"/leg{{leg}} waits", "w").close()
        while not os.path.exists({folder!r} + f"/leg{{leg}} ended"):
            time.sleep(0.02)
"""
MOVES = {"derelict": "self.random.choice(self.game.choices).take()", "saloon": "pass"}
OPTIONS = {"derelict": "turn_limit = 8", "saloon": "max_turns = 12"}
GAMES = {"derelict": 1, "saloon": 2}  # a game of Derelict has two legs
TOLD = {".html", ".json", ".csv", ".txt", ".arena", ".toml", ".db", ".sqlite"}
"""Files of an export that are made of the contest. The others are those of every export: scripts, styles, pictures."""
OPPONENTS = {"derelict": "veteran", "saloon": "rowdy"}


class Site:
    """The live page of a contest, and everything that it has given to somebody without a token."""

    def __init__(self, folder, url):
        self.folder = folder
        self.url = url
        self.given = set()

    def get(self, path):
        """Return the status and the bytes of an answer."""
        answer = httpx.get(f"{self.url}{path}", timeout=30)
        self.given.add(answer.content)
        return answer.status_code, answer.content

    def await_leg(self, leg):
        """Wait until a leg runs, and all earlier ones have ended."""
        until(lambda: len(finished(self.folder)) == leg - 1 and self.running())
        until((self.folder / f"leg{leg} waits").exists)

    def end_leg(self, leg):
        """Let the bot that waits play the rest of a leg."""
        (self.folder / f"leg{leg} ended").touch()

    def running(self):
        """Return the ids of the matches that run, and whether each has a board."""
        found = re.findall(r'<p data-match="(\w+)"([^>]*)>', self.get("")[1].decode())
        return [(match, "data-board" in rest) for match, rest in found]

    def known(self):
        """Return the matches that the pages name: those which run, and those which have ended."""
        text = "".join(self.get(path)[1].decode() for path in ("", "matches", "show/state.json"))
        return set(re.findall(r'(?:/match/|data-match="|"id": ?")([0-9a-f]{16})', text))

    def look_everywhere(self):
        """Ask for every page that names a match which runs or has ended. Return the answers for replays."""
        for path in ("", "show/state.json", "team/waiter", "standings.json", "acts"):
            self.get(path)
        for name in ("matches", "seats", "encounters", "standings", "versions"):
            self.get(f"data/{name}.csv")
        known = self.known()
        for match in known:
            for page in ("match/{}", "match/{}/watch", "match/{}/still"):
                self.get(page.format(match))
        return [self.get(f"replay/{match}") for match in known]


def numbers_in(value):
    """Yield every number and every text in a value: each could be a seed."""
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, list | tuple):
        for one in value:
            yield from numbers_in(one)
    elif isinstance(value, int | str) and not isinstance(value, bool):
        yield value


def candidates(given):
    """Return everything in the answers of a server that could be a seed: all numbers and words, plain or in replays."""
    found = {str(number) for number in range(1000)}
    for body in given:
        with contextlib.suppress(ReplayError):
            reader = Reader(body)
            parts = [dict(reader.header), dict(reader.footer or {}), reader.truth]
            found |= {str(one) for one in numbers_in(parts)}
            continue
        found |= set(re.findall(r"[\w.-]+", body.decode("utf-8", "replace")))
    for word in list(found):
        if re.fullmatch(r"[0-9a-f]{16,64}", word):
            found |= {str(int(word, 16)), str(int(word[:16], 16)), str(int(word[:16], 16) >> 1)}
    return found


def sources(seed, leg):
    """Return the sources of all draws in the set-up and in the play of a leg."""
    return [Seeded(f"{seed}/setup"), Seeded(Job("", (), seed=seed, leg=leg).play_seed)]


def draws_of(replay):
    """Return the leg of a finished match, and its draws in the set-up and in play, as its seed gives them."""
    reader = Reader(replay)
    game, leg = find_game(reader.header["game"]), reader.header["leg"]
    set_up, dice = sources(reader.known_seed(), leg)
    state = game.start(game.resolve_options(reader.header["options"]), set_up)
    for kind, *entry in reader.truth:
        if kind == "do":
            state.push(entry[0], entry[1], dice)
            state.commit()
    draws = [set_up.take(), dice.take()]
    recorded = [entry[-1] for entry in reader.truth if entry[0] in ("setup", "do")]
    assert [draw.value for draw in draws[0] + draws[1]] == [value for values in recorded for value in values]
    return leg, draws


def foretold(replays, given):
    """Return the seeds among `given` from which all draws of some finished legs can be computed."""
    legs = [draws_of(replay) for replay in replays]
    dice = [draw.distribution for _, draws in legs for draw in draws[0] + draws[1]]
    sizes = [1 + die.high - die.low if isinstance(die, Integers) else 2**50 for die in dice]
    assert prod(sizes) > 10**9, "no seed fits by accident"
    return [seed for seed in candidates(given) if all(fits(seed, leg, draws) for leg, draws in legs)]


def fits(seed, leg, draws):
    """Return whether the draws of a leg can be computed from a seed."""
    pairs = zip(sources(seed, leg), draws, strict=True)
    return all(chance.draw(one.distribution) == one.value for chance, drawn in pairs for one in drawn)


@contextlib.contextmanager
def served(folder, game):
    """Run a contest of two legs in which the bot `waiter` waits inside of each leg, and serve its live page."""
    (folder / "waiter").mkdir()
    (folder / "waiter" / "main.py").write_text(WAITER.format(game=game, folder=str(folder), move=MOVES[game]))
    (folder / "waiter" / f"{game}.py").write_text(module_source(find_game(game)))
    text = CONTEST.format(game=game, option=OPTIONS[game], opponent=OPPONENTS[game], games=GAMES[game])
    (folder / "contest.toml").write_text(text)
    with contextlib.ExitStack() as stack:
        run = stack.enter_context(process(folder, "contest", "run", "--no-check"))
        line = next(line for line in run.stderr if "arena join" in line)
        ticket = line.split("arena join ")[1].split()[0]
        stack.enter_context(process(folder, "join", "--sandbox", "none", ticket, "waiter"))
        threading.Thread(target=run.stderr.read, daemon=True).start()
        until(lambda: list(folder.rglob("*.tmp.*")))
        pages = ContestPages(Follower(folder / "contest"), renderer_of(game))
        server = Server(pages.application(), 0, public=True, forms=True)
        server.start()
        stack.callback(server.stop)
        yield Site(folder, server.url)


@contextlib.contextmanager
def process(folder, *words):
    """Run `arena WORDS...` while the context lasts."""
    pipe = subprocess.PIPE if words[0] == "contest" else subprocess.DEVNULL
    with subprocess.Popen([ARENA, *words], cwd=folder, stderr=pipe, stdout=subprocess.DEVNULL, text=True) as started:
        try:
            yield started
        finally:
            started.kill()


def two_legs(site):
    """Play both legs. Return the answers for replays during the first leg, during the second leg, and after it.

    Check that no seed could be computed from all that was given out before the end.
    """
    site.await_leg(1)
    until(lambda: len(site.known()) == 1)
    first = site.look_everywhere()
    growing = [path.read_bytes() for path in site.folder.rglob("*.tmp.*")]
    assert growing
    site.end_leg(1)
    site.await_leg(2)
    until(lambda: len(site.known()) == 2)  # the page shows a change a second later
    second = site.look_everywhere()
    assert contest("export", cwd=site.folder).returncode == 0
    exported = [path.read_bytes() for path in (site.folder / "contest-results").rglob("*") if path.suffix in TOLD]
    during = [*site.given, *growing, *exported]
    site.end_leg(2)
    until(lambda: not site.running() and len(finished(site.folder)) == 2)
    until(lambda: all(status == 200 and Reader(body).seed for status, body in site.look_everywhere()))
    after = site.look_everywhere()
    assert len(after) == 2
    assert foretold(finished(site.folder), during) == []
    assert foretold(finished(site.folder), [body for _, body in after]), "the search finds a seed that is public"
    return first, second, after


def finished(folder):
    """Return the replays that are in the journal."""
    return list(folder.rglob("*.arena"))


@pytest.mark.kill  # one more contest with programs
@pytest.mark.promise("growing-replay", "watching")
def test_a_match_with_a_remote_bot_and_hidden_information_is_shown_after_both_legs(tmp_path):
    with served(tmp_path, "derelict") as site:
        until(site.running)
        ((match, has_board),) = site.running()
        assert not has_board
        assert site.get(f"match/{match}/watch")[0] == 409
        first, second, after = two_legs(site)
    assert len(first) == 1
    assert len(second) == len(after) == 2
    for status, body in first + second:
        assert status == 409
        assert json.loads(body)["message"] == "This match can be watched when it is over, with all its legs."
    assert all(Reader(body).seed is not None and Reader(body).check() == [] for _, body in after)


@pytest.mark.promise("growing-replay", "second-leg")
def test_without_hidden_information_it_is_shown_but_nobody_can_foretell_the_dice(tmp_path):
    with served(tmp_path, "saloon") as site:
        first, second, after = two_legs(site)
    for status, body in first + second + after:
        assert status == 200
        assert b"my secret plan" not in body
    assert [Reader(body).truncated for _, body in first] == [True]
    assert sorted(Reader(body).truncated for _, body in second) == [False, True]
    assert all(Reader(body).seed is None for _, body in first + second)
    assert len({Reader(body).known_seed() for _, body in after}) == 1
