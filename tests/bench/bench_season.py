"""Figures of a season with 100 teams and 50,000 results: start, pages, an upload, and many requests.

Run it as a program on a machine that has nothing else to do. The requests come at a fixed rate, whether earlier ones
were answered or not, so that a server that is too slow is seen.
"""

import argparse
import asyncio
import contextlib
import os
import random
import re
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).parents[1] / "season"))
from seasons import opened, result_of, write_config
from server import Server, archive
from waiting import until

from arena.journal.store import now
from arena.match.ending import REGULAR
from arena.season import people
from arena.season.handing_in import Uploads
from arena.season.matches import pair, specs_of
from arena.season.store import new_work_folder, utc

SETTINGS = (("rated_matches = 200", "rated_matches = 0"), ("per_day = 20", "per_day = 1000"))


def fill(path, teams, results):
    """Write a season with real bots and made-up results. Return tokens of a member and of an organizer."""
    rng = random.Random(1)
    with opened(path) as season:
        season._journal._connection.execute("pragma synchronous = off")
        season._journal.back_up = lambda *, final=False: None
        _, organizer = people.join(season, people.invite(season, "", "Olga", "organizer", "bench"), "")
        for number in range(teams):
            team = f"Team {number:03}"
            member, token = people.join(season, people.invite(season, team, "", "member", "bench"), f"M {team}")
            upload = new_work_folder(season) / "upload"
            upload.write_bytes(archive(f"\n# {team}\n", game="saloon"))
            version, _ = Uploads(season).take(member, upload, "bot.zip", utc())
            report = {"passed": True, "problem": "", "lines": [], "match": "", "seconds": 0.0, "at": now()}
            season.write(("report", version.key, report), ("activate", version.key, {"at": now()}))
        players = [season.state.active(team).player for team in season.state.teams]
        strength = {player: rng.random() for player in players}
        for _ in range(results // 2):
            one, other = rng.sample(players, 2)
            season.write(pair(season, "ladder", (one, other), 2))
            for spec in specs_of(season, season.state.encounters[len(season.state.encounters)]):
                won = rng.random() < 0.5 + (strength[one] - strength[other]) / 2
                season.commit(spec, result_of((1.0, 0.0) if won == (spec.seats[0].name == one[0]) else (0.0, 1.0)))
    return token, organizer


class Load:
    """Clients that send requests at a fixed rate over connections that stay open.

    Args:
        port: The port of the server.
        places: Paths with their cookies.
    """

    def __init__(self, port, places):
        self._port = port
        self._places = places
        self._free = []
        self.seconds = defaultdict(list)
        self.answers = Counter()

    async def run(self, rate, seconds):
        loop, rng, running = asyncio.get_running_loop(), random.Random(1), set()
        begin = loop.time()
        for number in range(int(rate * seconds)):
            await asyncio.sleep(max(0.0, begin + number / rate - loop.time()))
            place, cookie = rng.choice(self._places)
            task = asyncio.create_task(self._get(place, cookie, begin + number / rate))
            running.add(task)
            task.add_done_callback(running.discard)
        await asyncio.gather(*running)
        for _, writer in self._free:
            writer.close()

    async def _get(self, place, cookie, due):
        while self._free and self._free[-1][0].at_eof():  # the server has closed an idle connection
            self._free.pop()[1].close()
        if not self._free:
            self._free.append(await asyncio.open_connection("127.0.0.1", self._port, limit=1 << 22))
        reader, writer = self._free.pop()
        line = f"Cookie: arena-season={cookie}\r\n" if cookie else ""
        writer.write(
            f"GET {place} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nAccept: text/html\r\n{line}\r\n".encode()
        )
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", head)
            await reader.readexactly(int(length[1]))
        except (ConnectionError, EOFError):  # the server closes connections if there are too many
            self.answers["cut off"] += 1
            return
        self._free.append((reader, writer))
        self.seconds[re.sub(r"[0-9a-f]{16}|Team%20\d+.*", "...", place)].append(asyncio.get_running_loop().time() - due)
        self.answers[head.split(b" ", 2)[1].decode()] += 1


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))]


def timed(call):
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def measure(folder, teams, results, rate, seconds):
    path = folder / "season.toml"
    begin = time.perf_counter()
    # `Server` writes the same configuration again.
    write_config(folder, ('isolation = "bwrap" ', 'isolation = "none" '), *SETTINGS, game="saloon")
    if not (tokens := folder / "tokens").exists():
        tokens.write_text(" ".join(fill(path, teams, results)))
        print(f"{teams} teams, {results} results, written in {time.perf_counter() - begin:.0f} s", flush=True)
    token, organizer = tokens.read_text().split()
    begin = time.perf_counter()
    server = Server(folder, *SETTINGS, game="saloon")
    print(f"start: {time.perf_counter() - begin:.2f} s to the first answer (target 3 s)", flush=True)
    try:
        olga, red = server.person(), server.person()
        for one, secret in ((olga, organizer), (red, token)):
            assert one.post("/sign-in", data={"token": secret}).status_code == 303
            one.prepared()
        pages(red)
        upload(server, red)
        load(server, olga, red, rate, seconds)
    finally:
        server.stop()
    with opened(path) as season:
        new = [one for one in season.state.played.values() if one.replay]
        bad = Counter(ending for one in new for ending in one.endings if ending not in REGULAR)
        print(f"{len(new)} real matches; endings that are not regular: {dict(bad) or 'none'}")


def pages(client):
    """Print the time of single requests. New results arrive between them."""
    for place in ("/", "/standings.json", "/matches", "/team/Team%20007"):
        spent = []
        for _ in range(20):
            spent.append(timed(lambda place=place: client.get(place)))
            time.sleep(0.1)
        print(f"{place}: median {1000 * percentile(spent, 0.5):.0f} ms, most {1000 * max(spent):.0f} ms", flush=True)


def upload(server, client):
    begin = time.perf_counter()
    version = client.submit(archive(f"\n# {time.time()}\n", game="saloon")).json()
    name, number = version["team"], version["number"]
    address = f"/api/version/{quote(name)}/{number}"
    until(lambda: client.get(address).json()["state"] == "passed", server.complain)
    client.press("/activate", number=str(number))
    until(lambda: client.get(address).json()["active"], server.complain)
    active = time.perf_counter() - begin
    print(f"upload to active version: {active:.1f} s", flush=True)
    known = client.rows()[name]["matches"]
    until(lambda: client.rows()[name]["matches"] > known, server.complain)
    print(f"upload to first rated match finished: {time.perf_counter() - begin:.1f} s (target 30 s)", flush=True)


def load(server, olga, red, rate, seconds):
    matches = re.findall(r'href="/match/([0-9a-f]{16})"', server.person().get("/matches").text)
    cookies = {one: one.cookies["arena-season"] for one in (olga, red)}
    own = red.get("/").text
    team = quote(re.search(r"Team \d+", own)[0])
    everybody = [
        "/",
        "/",
        "/",
        "/standings.json",
        "/standings.json",
        "/matches",
        "/matches",
        "/screen.json",
        "/acts",
        "/page.css",
        *[f"/match/{one}" for one in matches[:6]],
        *[f"/team/Team%20{n:03}" for n in range(4)],
    ]
    places = [(place, "") for place in everybody] + [
        (place, cookies[red]) for place in ("/", "/matches", f"/team/{team}")
    ]
    places += [("/queue", cookies[olga]), ("/desk", cookies[olga])]
    client = Load(server.port, places)
    asyncio.run(client.run(rate, seconds))
    spent = [one for group in client.seconds.values() for one in group]
    print(
        f"{rate:g} requests/s for {seconds:g} s: {len(spent)} answers {dict(client.answers)}, median "
        f"{1000 * percentile(spent, 0.5):.0f} ms, p99 {1000 * percentile(spent, 0.99):.0f} ms (target 60), "
        f"most {1000 * max(spent):.0f} ms"
    )
    for place, group in sorted(client.seconds.items()):
        print(
            f"  {place:20} {len(group):5}  median {1000 * percentile(group, 0.5):5.0f}  "
            f"p99 {1000 * percentile(group, 0.99):5.0f} ms"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name, usual in (("teams", 100), ("results", 50_000), ("rate", 300), ("seconds", 30)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument(
        "--folder", type=Path, help="Write the season to this folder, or measure the one that is there."
    )
    given = parser.parse_args()
    with contextlib.suppress(OSError):
        print(f"load before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        folder.mkdir(exist_ok=True)
        measure(folder, given.teams, given.results, given.rate, given.seconds)


if __name__ == "__main__":
    main()
