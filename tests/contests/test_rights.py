"""Nobody sees what is not theirs: every page is read by everybody, also with old sessions and guessed ids."""

import base64
import csv
import io
import json
import re
import threading
import zipfile

import pytest
from contest_commands import contest as contest_command
from contests_toys import add_version, anchor, archive, do, opened, player, write_config
from visitors import HOST, MARKED, add_person, addresses_of, crawled, csrf_of, pages_of, send, text_of, upload, visitor

from arena.bots.builtin import module_source
from arena.contests import entries
from arena.contests.journal.files import temporary_replay_path
from arena.contests.journal.store import now
from arena.contests.ladder.encounters import pair, specs_of
from arena.contests.people import accounts
from arena.contests.queue.copies import copy_path
from arena.contests.scheduler import round_entry
from arena.match.lookup import find_game
from arena.study.coach.stored import _key as explanation_key
from arena.study.coach.stored import cache_path, explanation_of
from arena.testing import play_match
from arena.text.reading import hash_of
from arena.web import computing
from arena.web.contests import matches, requests
from arena.web.contests.following import Follower
from arena.web.contests.requests import COOKIE
from arena_replays import Reader, records

pytestmark = pytest.mark.process
JOURNAL = "%2e%2e%2fjournal.db"


class World:
    """A contest with secrets of the team Red, and one visitor of each kind.

    The bracket Cup begins before results are held back, and has one public result. Decider begins on the desk later.
    """

    def __init__(self, contest, patch):
        self.contest = contest
        self.patch = patch
        self.pages, self.app = pages_of(contest)
        self.tokens = {name: add_person(contest, name) for name in ("Red", "Blue")}
        self.tokens |= {role: add_person(contest, "", role) for role in ("spectator", "organizer")}
        self.red = visitor(self.app, self.tokens["Red"])
        marked = archive(game="saloon", **{"main.py": MARKED})
        for team, data, name in (("Red", marked, "bot.zip"), ("Blue", b"print('blue')", "blue.py")):
            done = upload(visitor(self.app, self.tokens[team]), data, name)
            assert done.status_code == 201, done.text
            key = f"{contest.state.id_of(team)}/1"
            contest.write((key, entries.Checked(True, "", now(), 0.0)), (key, entries.Activated(now())))
        self.public = self.play("ladder")
        self.trial = self.play("trial")
        self.begin("Cup")
        self.in_cup = self.play("Cup")
        do(contest, "hold")
        self.held = [self.play("ladder"), self.play("Cup")]
        self.challenge = self.play("challenge")
        self.begin("Decider")
        self.held.append(self.play("Decider"))
        invitation = accounts.invite(contest, "Green", "", "member", "")
        self.explain(self.public)
        self.waiting = self.next_of("ladder", player(contest, "Blue"), anchor(contest))
        self.live = self.run("trial")
        self.secrets = {"LOG-OF-RED", "OUTPUT-OF-RED", "SOURCE-OF-RED", "ERROR-OF-RED", *self.held, self.challenge}
        self.secrets |= {self.live, *map(self.run, ("ladder", "Decider", "Cup"))}
        self.secrets |= {contest.state.version("Red", 1).hash}
        self.secrets |= {*self.tokens.values(), invitation, *map(hash_of, self.tokens.values())}
        self.secrets |= {hash_of(invitation), contest.state.secret, 'id="standings-Decider"'}
        self.stale = self.stale_sessions()
        self.readers = {"anonymous": visitor(self.app), "the team": self.red}
        self.readers |= {"spectator": visitor(self.app, self.tokens["spectator"])}
        self.readers |= {"another team": visitor(self.app, self.tokens["Blue"])}

    def begin(self, stage):
        """Begin a bracket of the two teams on the desk, and pair its first round."""
        olga = visitor(self.app, self.tokens["organizer"])
        fields = {"subject": stage, "format": "single_elimination", "advance": "2", "best_of": "7", "reason": "now"}
        done = send(olga, "/desk/act", kind="stage", **fields)
        assert done.status_code == 303, done.text
        state = self.contest.state
        run = state.stages[stage]
        self.contest.write(round_entry(state, run, run.next_round(state.absent(run))))

    def next_of(self, kind, *players):
        """Return the next match of a stage, or of a new encounter."""
        state = self.contest.state
        if kind in state.stages:
            return next(state.stages[kind].waiting())
        self.contest.write(pair(state, kind, players, 1, "Red"))
        return specs_of(state, next(iter(state.encounters.newest())))[0]

    def play(self, kind, spec=None):
        """Play a match of Red against Blue, and record it."""
        spec = spec or self.next_of(kind, *(player(self.contest, team) for team in ("Red", "Blue")))
        place = temporary_replay_path(self.contest.folder, spec.match_id)
        place.parent.mkdir(parents=True, exist_ok=True)
        red = self.contest.folder / self.contest.state.version("Red", 1).path
        bots = [red if name == "Red" else "builtin:rowdy" for name in spec.names]
        self.contest.commit(spec, play_match("saloon", bots, options={"max_turns": 10}, seed=1, replay=place))
        return spec.match_id

    def explain(self, match_id):
        """Keep an explanation beside a replay, as `arena explain` does, and mark the causes that the file shows."""
        played = self.contest.state.played[match_id]
        replay = self.contest.folder / played.replay
        players = [{"name": name, "ending": "lost"} for name in played.names]
        parts = {"players": players, "lessons": [], "fall": [None] * len(players)}
        document = {"game": "saloon", "stage": "", "playouts": {"count": 0}, **parts, "key": explanation_key(replay)}
        cache_path(replay).write_text(json.dumps(document))

        def marked(path, shown):
            found = explanation_of(path, shown)
            for cause, name in zip(found.get("cause", ()), played.names, strict=False):
                cause["message"] += f" ERROR-OF-{name.upper()}"
            if found:
                found["summary"] = [cause["message"] for cause in found["cause"]]
            return found

        self.patch.setattr(matches, "explained", marked)

    def run(self, kind):
        """Let a match of Red be in progress, on the ladder against a built-in bot, and return its id."""
        spec = self.next_of(kind, player(self.contest, "Red"), anchor(self.contest))
        place = temporary_replay_path(self.contest.folder, spec.match_id)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(growing(self.contest.folder / self.contest.state.played[self.public].replay))
        loop = self.pages.site.loop
        loop.running = {**loop.running, spec.match_id: (spec, 0.0)}
        return spec.match_id

    def stale_sessions(self):
        """Return sessions that do not count any more, or never did."""
        signed_out = visitor(self.app, self.tokens["Blue"])
        cookie = signed_out.cookies[COOKIE]
        send(signed_out, "/sign-out")
        token, _, nonce, signature = accounts.new_session(self.contest, hash_of(self.tokens["Red"])).split(".")
        gone = hash_of(add_person(self.contest, "Red"))
        revoked = accounts.new_session(self.contest, gone)
        accounts.revoke(self.contest, self.contest.state.tokens[gone])
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(accounts, "SESSION_SECONDS", -3600)
            expired = accounts.new_session(self.contest, hash_of(self.tokens["Red"]))
        return {
            "signed out": cookie,
            "later end, old signature": f"{token}.99999999999.{nonce}.{signature}",
            "expired": expired,
            "revoked": revoked,
            "forged": f"{hash_of('x')}.99999999999.{nonce}.{signature}",
            "nonsense": "....",
        }


def growing(replay):
    """Return the bytes of a replay while its match was running, with logs."""
    data = replay.read_bytes()
    end = next(one.offset for one in records.scan(data, len(records.PREAMBLE)) if one.kind == records.INDEX)
    assert "LOG-OF-RED" in str(Reader(data[:end]).notes)
    return data[:end]


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    config = write_config(tmp_path_factory.mktemp("contest"), ('isolation = "bwrap" ', 'isolation = "none" '))
    with opened(config) as contest, pytest.MonkeyPatch.context() as patch:
        patch.setattr(computing, "FRESH", 0.0)
        yield World(contest, patch)


@pytest.fixture(autouse=True)
def _many_tries(world):
    """Forget wrong sign-ins of the test before: all come from one address."""
    world.pages.visitors.tries._done.clear()


def addresses(world):
    """Return the address of every route, with all ids that there are, and with guessed ones."""
    names = ["Red", "Blue", "Green", "Nobody", "%2e%2e", "rowdy built-in"]
    tables = [f"{name}.csv" for name in world.pages.site.publisher.results(everything=True).tables]
    values = {
        "match_id": [*world.contest.state.played, *world.pages.site.loop.running, "0" * 16, "..", JOURNAL],
        "team": names,
        "other": names,
        "number": ["0", "1", "2", "99999999999999999999"],
        "name": [*tables, JOURNAL, "contest.js"],
        "module": ["main.js", "..", JOURNAL],
    }
    found = addresses_of(world.pages.application(), values)
    logs = [f"{path}?team={team}" for path in found if path.endswith("/log") for team in ("Red", "Blue", "", "rowdy")]
    return [*found, *logs, "/matches?team=Red", "/join?token=x", "/sign-in?token=x"]


def crawl(world, client):
    """Return what a visitor gets from each address, and from all links on these pages."""
    world.pages.visitors.tries._done.clear()
    return crawled(client, addresses(world))


READERS = ("anonymous", "spectator", "another team", "the team")
STALE = ("signed out", "later end, old signature", "expired", "revoked", "forged", "nonsense")


@pytest.fixture(scope="module")
def seen(world):
    """What each kind of reader gets, from each address."""
    return {who: crawl(world, world.readers[who]) for who in READERS}


def leaks(world, pages):
    """Return the secrets of Red on some pages. The page of an error may repeat its address."""
    return [(place, one) for place, text in pages.items() for one in world.secrets if one in text and one not in place]


@pytest.mark.parametrize("who", READERS[:3])
def test_nobody_sees_what_is_not_theirs(world, seen, who):
    assert leaks(world, seen[who]) == []


@pytest.mark.parametrize("which", STALE)
def test_a_session_that_does_not_count_is_nobody(world, which):
    client = visitor(world.app, cookie=world.stale[which])
    assert client.get("/api/session").json() == {"takes_bots": True}
    matches = (world.public, world.trial, world.challenge, world.live, *world.held)
    places = [
        f"/{kind.format(match)}" for kind in ("match/{}", "match/{}/log?team=Red", "replay/{}") for match in matches
    ]
    places += ["/", "/team/Red", "/version/Red/1", "/api/version/Red/1", "/sources.zip", "/desk", "/queue"]
    assert leaks(world, {place: text_of(client.get(place)) for place in places}) == []


def test_the_team_sees_its_own(world, seen):
    own = "\n".join(seen["the team"].values())
    for secret in ("LOG-OF-RED", "ERROR-OF-RED", world.live):
        assert secret in own
    assert "ERROR-OF-BLUE" not in own
    assert world.in_cup in own, "it was public before results were held back"


def test_the_organizer_sees_all_of_it_and_no_page_waits_for_a_write(world):
    """The lock of the contest is held while a result is written to the disk."""
    client = visitor(world.app, world.tokens["organizer"])
    seen = {}
    reader = threading.Thread(target=lambda: seen.update(crawl(world, client)), daemon=True)
    with world.contest.lock:
        reader.start()
        reader.join(60)
        waits = reader.is_alive()
    reader.join()
    assert not waits
    everything = "\n".join(seen.values())
    for secret in ("LOG-OF-RED", "OUTPUT-OF-RED", "SOURCE-OF-RED", 'id="standings-Decider"', world.challenge):
        assert secret in everything
    assert all(match in everything for match in world.held)


def test_held_back_results_change_nothing_that_others_see(world, seen):
    """Neither more of them nor other ones: no number, no place, no bracket, no list of what comes next."""
    world.held += [world.play("Cup"), world.play("Decider"), world.play("ladder"), world.play("ladder", world.waiting)]
    acts = [do(world.contest, "correct", match, points="0 1") for match in world.held]
    try:
        after = {who: crawl(world, world.readers[who]) for who in READERS}
    finally:
        for one in acts:
            do(world.contest, "undo", one)
    for who in READERS:
        assert [address for address, text in seen[who].items() if text != after[who][address]] == [], who


def test_stages_are_shown_with_the_other_results_when_they_are_released(world):
    client, places = visitor(world.app), [f"/{kind}/{match}" for kind in ("match", "replay") for match in world.held]
    section = 'id="standings-Decider"'
    assert "New results are held back" in client.get("/").text
    assert 'id="standings-Cup"' in client.get("/").text
    acts = [do(world.contest, "release")]
    try:
        assert [client.get(place).status_code for place in places] == [200] * len(places)
        assert section in client.get("/").text
        assert "Decider" in client.get("/team/Red").text
        for place in ("/data/standings.csv", "/data/matches.csv"):
            assert "decider" in client.get(place).text.lower(), place
        acts.append(do(world.contest, "hold"))
        assert section in client.get("/").text, "it was public before this act"
    finally:
        for one in reversed(acts):
            do(world.contest, "undo", one)
    assert {client.get(place).status_code for place in places} == {404}
    assert section not in client.get("/").text


def test_a_link_to_a_match_says_who_won_to_those_who_may_see_it(world):
    client = visitor(world.app)
    page = client.get(f"/match/{world.public}").text
    title, image = (re.search(f'property="og:{name}" content="(.*?)"', page)[1] for name in ("title", "image"))
    assert re.fullmatch(r"(Red – Blue|Blue – Red) \((Red wins|Blue wins|a draw)\)", title)
    assert f"<title>{title}</title>" in page
    assert image == f"{HOST}/match/{world.public}/picture.png"
    empty, shown = (client.get(f"/match/{match}/picture.png").content for match in ("0" * 16, world.public))
    assert empty.startswith(b"\x89PNG")
    assert shown.startswith(b"\x89PNG")
    assert shown != empty
    for match in (*world.held, world.challenge, world.live):
        assert client.get(f"/match/{match}/picture.png").content == empty


def test_a_match_is_saved_and_framed_by_others_as_everybody_sees_it(world):
    client = visitor(world.app)
    for reader, frames in ((client, "*"), (world.red, "'self'")):
        policy = reader.get(f"/match/{world.public}/watch").headers["content-security-policy"]
        assert f"frame-ancestors {frames}" in f"{policy};"
        saved = reader.get(f"/match/{world.public}/page")
        assert saved.headers["content-disposition"] == f'attachment; filename="{world.public}.html"'
        replay = Reader(base64.b64decode(re.search('id="arena-replay-1">(.*?)<', saved.text)[1]))
        assert replay.footer is not None
        assert not replay.notes, "also the team's own copy is one to send"
    assert client.get(f"/match/{world.held[0]}/page").status_code == 404


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
def test_other_sites_cannot_use_a_session(world, origin, value):
    client = visitor(world.app, world.tokens["organizer"])
    csrf = {"right": csrf_of(client), "of somebody else": csrf_of(world.red)}.get(value, value)
    before = world.contest.state.number
    headers = {"X-CSRF": csrf} | ({"Origin": origin} if origin else {})
    fields = {"csrf": csrf, "kind": "pause", "reason": "x", "role": "organizer"}
    posted = {route.path for route in world.pages.application().routes if "POST" in getattr(route, "methods", ())}
    assert len(posted) > 10
    for place in posted - {"/sign-in", "/join"}:
        done = client.post(place, data=fields, headers=headers)
        assert done.status_code == 403, (place, done.text)
        assert done.text.count("<h1>") <= 1
    assert world.contest.state.number == before


@pytest.mark.parametrize("who", READERS)
def test_the_desk_is_for_organizers(world, who):
    before = world.contest.state.number
    for place in ("/desk/invite", "/desk/revoke", "/desk/act"):
        fields = {"kind": "pause", "reason": "x", "role": "organizer", "name": "Eve", "key": "x", "count": "2"}
        done = send(world.readers[who], place, **fields)
        assert done.status_code in (401, 403), done.text
    assert world.contest.state.number == before


def test_a_session_that_somebody_prepared_is_not_used(world):
    prepared = world.readers["another team"].cookies[COOKIE]
    victim = visitor(world.app, cookie=prepared)
    done = victim.post("/sign-in", data={"token": world.tokens["spectator"]}, headers={"Origin": HOST})
    fresh = done.headers["set-cookie"].split("=", 1)[1].split(";")[0]
    assert fresh != prepared
    assert "HttpOnly" in done.headers["set-cookie"]
    assert "samesite=lax" in done.headers["set-cookie"].lower()
    again = visitor(world.app, world.tokens["spectator"]).cookies[COOKIE]
    assert again != fresh, "each sign-in has an id of its own"
    from_elsewhere = victim.post(
        "/sign-in", data={"token": world.tokens["Blue"]}, headers={"Origin": "http://evil.example"}
    )
    assert from_elsewhere.status_code == 403, "another site cannot sign somebody in"


def test_guessing_tokens_is_slowed_down_and_does_not_lock_out_others_behind_the_same_address(world):
    wrong = visitor(world.app)
    codes = [
        wrong.post("/sign-in", data={"token": f"arena-{number}"}, headers={"Origin": HOST}).status_code
        for number in range(12)
    ]
    assert codes == [403] * 10 + [429] * 2
    place = "/api/version/Red/1"
    assert wrong.get(place, headers={"Authorization": "Bearer x"}).status_code == 429
    assert wrong.get("/join?token=x").status_code == 429
    assert visitor(world.app, world.tokens["Blue"]).cookies[COOKIE]
    bearer = {"Authorization": f"Bearer {world.tokens['Red']}"}
    assert visitor(world.app).get(place, headers=bearer).status_code == 200
    invitation = accounts.invite(world.contest, "Blue", "", "member", "test")
    assert visitor(world.app).get(f"/join?token={invitation}").status_code == 200


def test_spectators_follow_a_running_match_without_logs(world):
    released = do(world.contest, "release")
    try:
        client, live = visitor(world.app), world.run("ladder")
        assert f"/match/{live}" in client.get("/").text
        assert "is being played" in client.get(f"/match/{live}").text
        assert '"live":true' in client.get(f"/match/{live}/watch").text.replace(" ", "")
        shown = Reader(client.get(f"/replay/{live}").content)
        assert shown.footer is None
        assert shown.notes == []
        assert shown.header["players"][0]["hash"] == "Red/1"
        assert str(world.contest.folder) not in str(shown.header)
        assert client.get(f"/match/{live}/log?team=Red").status_code == 401
    finally:
        do(world.contest, "undo", released)


def test_the_owner_of_a_bot_of_the_organizer_reads_the_logs_of_this_bot_only(tmp_path):
    """Also in a contest without people. The owner hands in nothing, and stays a reader while another process plays."""
    for name in ("chatty", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "main.py").write_text(MARKED.replace("RED", name.upper()))
        (tmp_path / name / "saloon.py").write_text(module_source(find_game("saloon")))
    text = '[contest]\nname = "Owned"\ngame = "saloon"\nisolation = "none"\n'
    text += '[[bots]]\npath = "chatty"\n[[bots]]\npath = "other"\n[[stages]]\nformat = "round_robin"\n'
    (tmp_path / "contest.toml").write_text(text)
    assert contest_command("run", cwd=tmp_path).returncode == 0
    joins = [contest_command("invite", name, "--person", f"owner of {name}", cwd=tmp_path).stdout.strip()
             for name in ("chatty", "other")]  # fmt: skip
    assert contest_command("invite", "Newcomers", cwd=tmp_path).returncode != 0, "there are no teams"
    with opened(tmp_path / "contest.toml") as contest:
        app = pages_of(contest)[1]
        welcomes = [visitor(app).post("/join", data={"token": one}, headers={"Origin": HOST}).text for one in joins]
        token, other = (re.search(r"arena-[\w-]{20,}", text)[0] for text in welcomes)
        match = next(iter(contest.state.played))
        check_owner(app, token, other, match)
    followed = pages_of(Follower(tmp_path / "contest"))[1]
    check_owner(followed, token, other, match)
    assert upload(visitor(followed, token), b"print()", "bot.py").status_code in (404, 405)


def check_owner(app, token, other, match):
    owner, place = visitor(app, token), f"/match/{match}/log"
    assert "LOG-OF-CHATTY" in owner.get(f"{place}?team=chatty").text
    assert "LOG-OF-CHATTY" in owner.get(place).text
    assert owner.get(f"{place}?team=other").status_code == 403
    assert "LOG-OF-OTHER" in visitor(app, other).get(place).text
    assert visitor(app).get(f"{place}?team=chatty").status_code == 401
    assert owner.get("/version/chatty/1").status_code == 200
    assert owner.get("/version/other/1").status_code == 404
    assert f"{place}?team=chatty" in owner.get(f"/match/{match}").text
    assert f"{place}?team=other" not in owner.get(f"/match/{match}").text
    page = owner.get("/team/chatty").text
    assert "Hand in" not in page
    assert "Versions" in page
    assert "Versions" not in owner.get("/team/other").text
    assert upload(owner, b"print()", "bot.py").status_code in (403, 404, 405)
    assert owner.get("/desk").status_code in (403, 404)


def sources_of(world):
    """Return the archive of all sources, and the rows of its table."""
    done = visitor(world.app, world.tokens["organizer"]).get("/sources.zip")
    assert done.status_code == 200
    sources = zipfile.ZipFile(io.BytesIO(done.content))
    return sources, list(csv.DictReader(sources.read("versions.csv").decode().splitlines()))


def test_sources_name_a_copy_that_is_gone_and_one_that_was_changed(world):
    place = world.contest.folder / copy_path(world.contest.state.version("Blue", 1).hash)
    added = world.contest.folder / copy_path(world.contest.state.version("Red", 1).hash) / "added.py"
    place.rename(away := place.with_name("away"))
    try:
        added.touch()
        sources, rows = sources_of(world)
        wrong = {row["team"]: row["problem"] for row in rows if row["problem"]}
        assert wrong == {"Red": "was changed", "Blue": "is gone"}
        assert "SOURCE-OF-RED" in sources.read("Red/1/main.py").decode()
        assert not [name for name in sources.namelist() if name.startswith("Blue/")]
    finally:
        away.rename(place)
        added.unlink()
    assert {row["problem"] for row in sources_of(world)[1]} == {""}


@pytest.mark.promise("small-entries")
def test_nobody_fills_the_journal_with_sessions_tokens_and_switches(contest, monkeypatch):
    monkeypatch.setattr(requests, "CHANGES_PER_DAY", 6)
    _, app = pages_of(contest)
    red, blue = (visitor(app, add_person(contest, team)) for team in ("Red", "Blue"))
    for number in (1, 2):
        add_version(contest, "Red", content=str(number) * 64)
    for number in (1, 2, 1, 2):
        assert send(red, "/activate", number=str(number)).status_code == 303
    token = re.search(r"arena-[\w-]{20,}", send(red, "/token").text)[0]
    assert send(visitor(app, token), "/sign-out").status_code == 303
    red = visitor(app, token)
    written = contest.state.number
    for place in ("/activate", "/token", "/sign-out"):
        done = send(red, place, number="1")
        assert done.status_code == 429
        assert "6 changes in 24 hours" in done.text
    assert contest.state.number == written
    assert send(blue, "/sign-out").status_code == 303, "others have their own number"
