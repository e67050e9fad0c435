"""Nobody sees what is not theirs: every page is read by everybody, also with old sessions and guessed ids."""

import csv
import io
import itertools
import json
import re
import subprocess
import sys
import threading
import zipfile
from urllib.parse import quote, urljoin, urlsplit

import pytest
from season_visitors import HOST, MARKED, add_person, csrf_of, pages_of, send, upload, visitor
from seasons import ORGANIZER, add_version, opened, write_config

from arena.analysis.cached import _key as explanation_key
from arena.analysis.cached import cache_path, explanation_of
from arena.bots.game_files import module_source
from arena.journal.files import temporary_replay_path
from arena.match.lookup import find_game
from arena.matches.copies import place_of_copy
from arena.season import people
from arena.season.acts import act
from arena.season.finals import start_finals
from arena.season.matches import pair, specs_of
from arena.testing.matches import play_match
from arena.text.tokens import hash_of
from arena.tournament.run.organizer import read_snapshot
from arena.web.season import requests, views
from arena_replays import Reader, records

pytestmark = pytest.mark.process


class World:
    """A season with secrets of the team Red, and one visitor of each kind."""

    def __init__(self, season, folder, patch):
        self.season = season
        self.patch = patch
        self.pages, app = pages_of(season)
        self.app = app
        self.tokens = {name: add_person(season, name) for name in ("Red", "Blue")}
        self.tokens |= {role: add_person(season, "", role) for role in ("spectator", "organizer")}
        self.red = visitor(app, self.tokens["Red"])
        report = {"passed": True, "problem": "", "lines": [], "match": "", "at": "2026-01-01T00:00:00+00:00",
                  "seconds": 0.0}  # fmt: skip
        for team, data, name in (("Red", archive_of(folder), "bot.zip"), ("Blue", b"print('blue')", "blue.py")):
            done = upload(visitor(app, self.tokens[team]), data, name)
            assert done.status_code == 201, done.text
            season.write(("report", f"{team}/1", report), ("activate", f"{team}/1", {"at": report["at"]}))
        self.public = self.play("ladder", folder)
        self.trial = self.play("trial", folder)
        act(season, ORGANIZER, "hold", {"reason": "finals"})
        self.held = self.play("ladder", folder)
        self.challenge = self.play("challenge", folder)
        self.finals = self.play_finals()
        invitation = people.invite(season, "Green", "", "member", "test")
        self.explain(self.public)
        self.live = self.run("trial")
        self.secrets = {"LOG-OF-RED", "OUTPUT-OF-RED", "SOURCE-OF-RED", "ERROR-OF-RED", self.held, self.challenge}
        self.secrets |= {*self.finals, "Final order"}
        self.secrets |= {self.live, self.run("ladder"), season.state.version("Red", 1).hash}
        self.secrets |= {*self.tokens.values(), invitation, *map(hash_of, self.tokens.values())}
        self.secrets |= {hash_of(invitation), season.state.secret}

    def play(self, kind, folder):
        """Play a match of Red against Blue, and record it."""
        players = tuple(self.season.state.active(team).player for team in ("Red", "Blue"))
        self.season.write(pair(self.season, kind, players, 1, "Red"))
        spec = specs_of(self.season, self.season.state.encounters[len(self.season.state.encounters)])[0]
        place = temporary_replay_path(self.season.folder, spec.match_id)
        place.parent.mkdir(parents=True, exist_ok=True)
        bots = [folder if name == "Red" else "builtin:rowdy" for name in spec.names]
        self.season.commit(spec, play_match("saloon", bots, options={"max_turns": 10}, seed=1, replay=place))
        return spec.match_id

    def play_finals(self):
        """Play finals while results are held back, and return the ids of their matches."""
        path = start_finals(self.season, ORGANIZER, {"count": "2", "format": "round_robin", "reason": "finals"})
        command = [sys.executable, "-m", "arena", "tournament", "run", str(path), "--no-check"]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        matches = read_snapshot(path.parent / "league").schedule.matches()
        assert {name for spec, _ in matches for name in spec.names} == {"Red", "Blue"}
        return [spec.match_id for spec, _ in matches]

    def explain(self, match_id):
        """Keep an explanation beside a replay, as `arena explain` does, and mark the causes that the file shows."""
        played = self.season.state.played[match_id]
        replay = self.season.folder / played.replay
        parts = {"cause": [], "differences": [], "turning_points": []}
        document = {"game": "saloon", **parts, "key": explanation_key(replay)}
        cache_path(replay).write_text(json.dumps(document))

        def marked(path, shown):
            found = explanation_of(path, shown)
            for cause, name in zip(found.get("cause", ()), played.names, strict=False):
                cause["message"] += f" ERROR-OF-{name.upper()}"
            return found

        self.patch.setattr(views, "explanation_of", marked)

    def run(self, kind):
        """Let a match of Red against a built-in bot be in progress, and return its id."""
        players = self.season.state.active("Red").player, *list(self.season.state.anchors)[:1]
        self.season.write(pair(self.season, kind, players, 1, "Red"))
        spec = specs_of(self.season, self.season.state.encounters[len(self.season.state.encounters)])[0]
        place = temporary_replay_path(self.season.folder, spec.match_id)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(growing(self.season.folder / self.season.state.played[self.public].replay))
        self.pages.matches.running[spec.match_id] = (spec, 0.0)
        return spec.match_id

    def visitors(self):
        """Return a browser for each kind of person who may not see the secrets of Red."""
        signed_out = visitor(self.app, self.tokens["Blue"])
        cookie = signed_out.cookies["arena-season"]
        send(signed_out, "/sign-out")
        old = people.new_session(self.season, hash_of(self.tokens["Red"]))
        token, _, nonce, signature = old.split(".")
        gone = add_person(self.season, "Red")
        revoked = people.new_session(self.season, hash_of(gone))
        member = self.season.state.tokens[hash_of(gone)]
        people.revoke(self.season, member)
        return {
            "anonymous": visitor(self.app),
            "spectator": visitor(self.app, self.tokens["spectator"]),
            "another team": visitor(self.app, self.tokens["Blue"]),
            "signed out": visitor(self.app, cookie=cookie),
            "later end, old signature": visitor(self.app, cookie=f"{token}.99999999999.{nonce}.{signature}"),
            "expired": visitor(self.app, cookie=self.expired()),
            "revoked": visitor(self.app, cookie=revoked),
            "forged": visitor(self.app, cookie=f"{hash_of('x')}.99999999999.{nonce}.{signature}"),
            "nonsense": visitor(self.app, cookie="...."),
        }

    def expired(self):
        """Return a session of Red that was right an hour ago."""
        seconds, people.SESSION_SECONDS = people.SESSION_SECONDS, -3600
        try:
            return people.new_session(self.season, hash_of(self.tokens["Red"]))
        finally:
            people.SESSION_SECONDS = seconds


def growing(replay):
    """Return the bytes of a replay while its match was running, with logs."""
    data = replay.read_bytes()
    end = next(one.offset for one in records.scan(data, len(records.PREAMBLE)) if one.kind == records.INDEX)
    assert "LOG-OF-RED" in str(Reader(data[:end]).notes)
    return data[:end]


def archive_of(folder):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for path in sorted(folder.iterdir()):
            if path.is_file():
                archive.write(path, path.name)
    return stream.getvalue()


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("red")
    (folder / "bot.toml").write_text('python = "bot.py"\n')
    (folder / "bot.py").write_text(MARKED)
    (folder / "saloon.py").write_text(module_source(find_game("saloon")))
    config = write_config(tmp_path_factory.mktemp("season"), ('isolation = "bwrap" ', 'isolation = "none" '))
    with opened(config) as season, pytest.MonkeyPatch.context() as patch:
        yield World(season, folder, patch)


@pytest.fixture(autouse=True)
def _many_tries(world):
    """Forget wrong sign-ins of the test before: all come from one address."""
    world.pages.visitors.tries._done.clear()


def addresses(world):
    """Return the address of every route, with all ids that there are, and with guessed ones."""
    values = {
        "match_id": [
            *world.season.state.played,
            *world.pages.matches.running,
            *world.finals,
            "0" * 16,
            "..",
            "%2e%2e%2fjournal.sqlite",
        ],
        "team": ["Red", "Blue", "Green", "Nobody", "%2e%2e", "rowdy (built-in)"],
        "number": ["0", "1", "2", "99999999999999999999"],
        "place": ["finals-1", "..", "%2e%2e"],
        "name": ["..%2f..%2fjournal.sqlite", "season.js"],
    }
    found = []
    for route in world.pages.application().routes:
        if "GET" not in getattr(route, "methods", ()):
            continue
        names = re.findall(r"{(\w+)(?::\w+)?}", route.path)
        for chosen in itertools.product(*(values[name] for name in names)):
            path = route.path
            for name, value in zip(names, chosen, strict=True):
                path = re.sub(rf"{{{name}(:\w+)?}}", lambda _, value=value: quote(value, safe="%./"), path)
            if not re.search(r"\.(js|css|svg|woff2)$", path):  # the same files for everybody
                found.append(path)
            if path.endswith("/log"):
                found += [f"{path}?team={team}" for team in ("Red", "Blue", "", "rowdy")]
    return [*found, "/matches?team=Red", "/join?token=x", "/sign-in?token=x"]


def text_of(answer):
    """Return everything that a reader gets: headers, and the body, unpacked."""
    text = "\n".join(f"{name}: {value}" for name, value in answer.headers.items())
    if answer.content[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
            return text + "".join(archive.read(name).decode(errors="replace") for name in archive.namelist())
    if answer.content[:4] == b"ARPL" or "/replay/" in str(answer.url):
        try:
            reader = Reader(answer.content)
            return text + str(reader.notes) + str(reader.header) + str(reader.footer)
        except Exception:  # not a replay, but an error page
            return text + answer.text
    return text + answer.text


def crawl(world, client):
    """Return what a visitor gets from each address, and from all links on these pages."""
    pending, seen = addresses(world), {}
    while pending:
        address = pending.pop()
        if address in seen:
            continue
        answer = client.get(address)
        seen[address] = text_of(answer)
        assert answer.status_code < 500, (address, answer.text)
        if "text/html" in answer.headers.get("content-type", ""):
            for link in re.findall(r'(?:href|src|action)="([^"]+)"', answer.text):
                place = urlsplit(urljoin(f"{HOST}{address}", link.replace("&amp;", "&")))
                if place.netloc == "testserver" and not place.path.endswith((".js", ".css", ".svg")):
                    pending.append(place.path + (f"?{place.query}" if place.query else ""))
    return seen


def test_the_organizer_and_the_team_see_all_of_it(world):
    """The control: what the other test looks for is there to be found."""
    everything = "\n".join(crawl(world, visitor(world.app, world.tokens["organizer"])).values())
    for secret in ("LOG-OF-RED", "OUTPUT-OF-RED", "SOURCE-OF-RED", "Final order", world.held, *world.finals):
        assert secret in everything, secret
    assert world.challenge in everything
    own = "\n".join(crawl(world, world.red).values())
    for secret in ("LOG-OF-RED", "ERROR-OF-RED", world.live):
        assert secret in own
    assert "ERROR-OF-BLUE" not in own


STRANGERS = ("anonymous", "spectator", "another team", "signed out", "later end, old signature", "expired", "revoked",
             "forged", "nonsense")  # fmt: skip


@pytest.mark.parametrize("who", STRANGERS)
def test_nobody_sees_what_is_not_theirs(world, who):
    for address, text in crawl(world, world.visitors()[who]).items():
        for secret in world.secrets:
            if secret in address:
                continue  # the page of an error may repeat the address
            assert secret not in text, (address, secret)


def test_no_page_waits_for_a_write(world):
    """The lock of the season is held while a result is written to the disk."""
    client = visitor(world.app, world.tokens["organizer"])
    seen = {}
    reader = threading.Thread(target=lambda: seen.update(crawl(world, client)), daemon=True)
    with world.season.lock:
        reader.start()
        reader.join(60)
        waits = reader.is_alive()
    reader.join()
    assert not waits
    assert len(seen) > 50
    assert any(address.startswith(f"/match/{world.held}/log") for address in seen)


# Whose session does not count is nobody, as the test above says.
@pytest.mark.parametrize("who", ["anonymous", "spectator", "another team", "the team"])
def test_held_back_results_change_nothing_that_others_see(world, who):
    """All routes answer as before after a held result has changed."""
    client = world.red if who == "the team" else world.visitors()[who]
    before = crawl(world, client)
    number = act(world.season, ORGANIZER, "correct", {"subject": world.held, "points": "0 1", "reason": "a test"})
    try:
        after = crawl(world, client)
    finally:
        act(world.season, ORGANIZER, "undo", {"subject": str(number), "reason": "a test"})
    assert [address for address in before if before[address] != after[address]] == []


def test_finals_are_shown_with_the_other_results_when_they_are_released(world):
    client, places = visitor(world.app), [f"/finals/finals-1/{kind}/{world.finals[0]}" for kind in ("match", "replay")]
    assert "held back" in client.get("/finals/finals-1").text
    assert "/finals/finals-1" not in client.get("/").text
    numbers = [act(world.season, ORGANIZER, "release", {"reason": "a test"})]
    try:
        assert "Final order" in client.get("/finals/finals-1").text
        assert "/finals/finals-1" in client.get("/").text
        assert [client.get(place).status_code for place in places] == [200, 200]
        state = client.get("/finals/finals-1/state").json()
        assert f"/finals/finals-1/match/{world.finals[0]}" in state["fragments"]["recent"]
        assert client.get(f"/finals/finals-1/state?version={state['version']}").json()["fragments"] == {}
        assert 'data-state="/finals/finals-1/state"' in client.get("/finals/finals-1/screen").text
        assert client.get("/screen.json").json()["finals"] == "finals-1"
        numbers.append(act(world.season, ORGANIZER, "hold", {"reason": "after the finals"}))
        assert "Final order" in client.get("/finals/finals-1").text, "they were public before this act"
        assert client.get("/finals/finals-1/state").json()["fragments"]["standings"]
    finally:
        for number in reversed(numbers):
            act(world.season, ORGANIZER, "undo", {"subject": str(number), "reason": "a test"})
    assert [client.get(place).status_code for place in places] == [404, 404]
    organizer = visitor(world.app, world.tokens["organizer"])
    for who in (client, organizer):
        assert [who.get(f"/finals/finals-1/{one}").status_code for one in ("state", "screen")] == [404, 404]
        assert who.get("/screen.json").json()["finals"] == ""


def test_all_forms_are_known_here(world):
    posted = {route.path for route in world.pages.application().routes if "POST" in getattr(route, "methods", ())}
    assert posted == {*FORMS, *UPLOADS, "/sign-in", "/join"}


FORMS = ("/sign-out", "/token", "/activate", "/challenge", "/desk/invite", "/desk/revoke", "/desk/finals", "/desk/act")
UPLOADS = ("/api/submit", "/picture")


@pytest.mark.parametrize("place", [*FORMS, *UPLOADS])
@pytest.mark.parametrize(
    ("origin", "value"),
    [
        ("http://evil.example", "right"),
        ("null", "right"),
        (None, "right"),
        (HOST, "wrong"),
        (HOST, ""),
        (HOST, "of somebody else"),
    ],
)
def test_other_sites_cannot_use_a_session(world, place, origin, value):
    client = visitor(world.app, world.tokens["organizer"])
    csrf = {"right": csrf_of(client), "of somebody else": csrf_of(world.red)}.get(value, value)
    before = world.season.state.number
    headers = {"X-CSRF": csrf} | ({"Origin": origin} if origin else {})
    done = client.post(place, data={"csrf": csrf, "kind": "pause", "reason": "x", "role": "organizer"}, headers=headers)
    assert done.status_code == 403, done.text
    assert done.text.count("<h1>") <= 1
    assert world.season.state.number == before


@pytest.mark.parametrize("place", [place for place in FORMS if place.startswith("/desk")])
@pytest.mark.parametrize("who", ["anonymous", "spectator", "another team", "expired"])
def test_the_desk_is_for_organizers(world, place, who):
    client = world.visitors()[who]
    before = world.season.state.number
    done = send(client, place, kind="pause", reason="x", role="organizer", name="Eve", key="x", count="2")
    assert done.status_code in (401, 403), done.text
    assert world.season.state.number == before


@pytest.mark.parametrize("host", ["evil.example", "testserver.evil.example", "testserver:80@evil.example", "", "a b"])
def test_another_name_of_the_server_is_refused(world, host):
    client = visitor(world.app)
    for place in ("/", "/standings.json", "/join?token=x"):
        done = client.get(place, headers={"Host": host})
        assert done.status_code in (400, 403), (place, done.status_code)
        assert "evil" not in done.text


def test_a_session_that_somebody_prepared_is_not_used(world):
    prepared = world.visitors()["another team"].cookies["arena-season"]
    victim = visitor(world.app, cookie=prepared)
    done = victim.post("/sign-in", data={"token": world.tokens["spectator"]}, headers={"Origin": HOST})
    fresh = done.headers["set-cookie"].split("=", 1)[1].split(";")[0]
    assert fresh != prepared
    assert "HttpOnly" in done.headers["set-cookie"]
    assert "samesite=lax" in done.headers["set-cookie"].lower()
    again = visitor(world.app, world.tokens["spectator"]).cookies["arena-season"]
    assert again != fresh, "each sign-in has an id of its own"
    from_elsewhere = victim.post(
        "/sign-in", data={"token": world.tokens["Blue"]}, headers={"Origin": "http://evil.example"}
    )
    assert from_elsewhere.status_code == 403, "another site cannot sign somebody in"


def test_guessing_tokens_is_slowed_down(world):
    client = visitor(world.app)
    codes = [
        client.post("/sign-in", data={"token": f"arena-{number}"}, headers={"Origin": HOST}).status_code
        for number in range(12)
    ]
    assert codes[:10] == [403] * 10
    assert codes[10:] == [429] * 2
    assert client.get("/api/version/Red/1", headers={"Authorization": "Bearer x"}).status_code == 429
    assert client.get("/join?token=x").status_code == 429


def test_wrong_tokens_do_not_lock_out_others_behind_the_same_address(world):
    wrong = visitor(world.app)
    for number in range(12):
        wrong.post("/sign-in", data={"token": f"arena-{number}"}, headers={"Origin": HOST})
    assert visitor(world.app, world.tokens["Blue"]).cookies["arena-season"]
    bearer = {"Authorization": f"Bearer {world.tokens['Red']}"}
    assert visitor(world.app).get("/api/version/Red/1", headers=bearer).status_code == 200
    invitation = people.invite(world.season, "Blue", "", "member", "test")
    assert visitor(world.app).get(f"/join?token={invitation}").status_code == 200


def test_spectators_follow_a_running_match_without_logs(world):
    act(world.season, ORGANIZER, "release", {"reason": "a test"})
    try:
        client, live = visitor(world.app), world.run("ladder")
        assert f"/match/{live}" in client.get("/").text
        assert "is being played" in client.get(f"/match/{live}").text
        assert '"live":true' in client.get(f"/match/{live}/watch").text.replace(" ", "")
        shown = Reader(client.get(f"/replay/{live}").content)
        assert shown.footer is None
        assert shown.notes == []
        assert shown.header["players"][0]["hash"] == "Red/1"
        assert str(world.season.folder) not in str(shown.header)
        assert client.get(f"/match/{live}/log?team=Red").status_code == 401
    finally:
        act(world.season, ORGANIZER, "undo", {"subject": str(max(world.season.state.acts)), "reason": "a test"})


def test_sources_name_a_copy_that_is_gone_and_one_that_was_changed(world):
    place = world.season.folder / place_of_copy(world.season.state.version("Blue", 1).hash)
    added = world.season.folder / place_of_copy(world.season.state.version("Red", 1).hash) / "added.py"
    place.rename(away := place.with_name("away"))
    try:
        added.touch()
        done = visitor(world.app, world.tokens["organizer"]).get("/sources.zip")
        assert done.status_code == 200
        with zipfile.ZipFile(io.BytesIO(done.content)) as archive:
            rows = list(csv.DictReader(archive.read("versions.csv").decode().splitlines()))
            assert {(row["team"], row["problem"]) for row in rows} == {("Red", "was changed"), ("Blue", "is gone")}
            assert "SOURCE-OF-RED" in archive.read("Red/1/bot.py").decode()
            assert not [name for name in archive.namelist() if name.startswith("Blue/")]
    finally:
        away.rename(place)
        added.unlink()
    done = visitor(world.app, world.tokens["organizer"]).get("/sources.zip")
    with zipfile.ZipFile(io.BytesIO(done.content)) as archive:
        rows = list(csv.DictReader(archive.read("versions.csv").decode().splitlines()))
    assert {row["problem"] for row in rows} == {""}


@pytest.mark.promise("small-entries")
def test_nobody_fills_the_journal_with_sessions_tokens_and_switches(tmp_path, monkeypatch):
    monkeypatch.setattr(requests, "CHANGES_PER_DAY", 6)
    with opened(write_config(tmp_path)) as season:
        _, app = pages_of(season)
        red, blue = (visitor(app, add_person(season, team)) for team in ("Red", "Blue"))
        for number in (1, 2):
            add_version(season, "Red", content=str(number) * 64)
        for number in (1, 2, 1, 2):
            assert send(red, "/activate", number=str(number)).status_code == 303
        token = re.search(r"arena-[\w-]{20,}", send(red, "/token").text)[0]
        assert send(visitor(app, token), "/sign-out").status_code == 303
        red = visitor(app, token)
        written = season.state.number
        for place in ("/activate", "/token", "/sign-out"):
            done = send(red, place, number="1")
            assert done.status_code == 429
            assert "6 changes in 24 hours" in done.text
        assert season.state.number == written
        assert send(blue, "/sign-out").status_code == 303, "others have their own number"
