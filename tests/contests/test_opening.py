"""Before a contest opens, visitors get nothing of its game from any address, and hand nothing in."""

import re

import pytest
from click.testing import CliRunner
from contests_toys import add_team, add_version, archive, do, opened, player, record, write_config
from visitors import add_person, addresses_of, csrf_of, pages_of, send, upload, visitor

from arena.cli import cli
from arena.contests.config import PeopleConfig
from arena.contests.values import time_of
from arena.web import computing
from arena.web.contests.following import Follower

NAMED = ('name = "Snakes term"', 'name = "Autumn"')
OPENS = ("# opens = 2026-11-30T09:00:00+01:00", "opens = 2126-11-30T09:00:00+01:00")
PRIVATE = ("public = true", "public = false")
OF_THE_GAME = re.compile(r"snake|hatchling|forager|constrictor|PLAYGROUND", re.IGNORECASE)
FURTHER = {"playground": {"index.html": b"PLAYGROUND"}}
SHOWN = ("/", "/sign-in", "/data-protection", "/page.css", "/pictures.css")


@pytest.fixture
def secret(tmp_path, monkeypatch):
    """A contest that has not opened, with all that it can have."""
    monkeypatch.setattr(computing, "FRESH", 0.0)
    with opened(write_config(tmp_path, NAMED, OPENS, game="snakes")) as contest:
        for team in ("Red", "Blue"):
            add_team(contest, team)
            add_version(contest, team)
        record(contest, player(contest, "Red"), player(contest, "Blue"))
        do(contest, "announce")
        yield contest


def addresses(app, contest):
    """Return the address of each route, with ids that exist."""
    names = ("ladder.csv", "index.html", "")
    values = {"match_id": [*contest.state.played], "team": ["Red"], "other": ["Blue"], "number": ["1"]}
    return addresses_of(app, {**values, "name": names, "module": ["main.js"]})


def crawl(client, pending):
    """Return what a visitor gets from addresses, and from all links, scripts and style sheets in it."""
    pending, seen = set(pending), {}
    while pending:
        address = pending.pop()
        seen[address] = answer = client.get(address, headers={"Accept": "text/html"})
        links = re.findall(r'(?:href|src|action|content)="(/[^"]*)"', answer.text)
        imports = re.findall(r'from "\./(\w+\.js)"', answer.text) if address.startswith("/contests/") else []
        pending |= {*links, *(f"/contests/{name}" for name in imports)} - {*seen}
    return seen


def is_public(address, pages):
    folders = [one for one in pages.before_opening if one.endswith("/")]
    return address in (*SHOWN, *pages.before_opening) or address.startswith(("/contests/", "/scripts/", *folders))


@pytest.mark.parametrize("following", [False, True])
def test_nothing_of_the_game_comes_from_any_address(secret, following):
    source = Follower(secret.folder) if following else secret
    pages, app = pages_of(source, FURTHER)
    tokens = ["", add_person(secret, "Red"), add_person(secret, "", "spectator")]
    if following:
        source.refresh()
    for token in tokens:
        seen = crawl(visitor(app, token), addresses(pages.application(), secret))
        assert len(seen) > 40
        for address, answer in seen.items():
            text = f"{answer.headers} {answer.text}"
            assert not OF_THE_GAME.search(text), (address, text)
            allowed = (200, 303, 404, 405) if is_public(address, pages) else (403, 405)
            assert answer.status_code in allowed or address in ("/join", "/sign-out"), (address, answer.status_code)
        assert "Opens <time" in seen["/"].text
        assert "2126-11-30 09:00" in seen["/team/Red"].text


def test_nobody_hands_in_or_acts_and_members_join(secret):
    pages, app = pages_of(secret, FURTHER)
    token = add_person(secret, "Red")
    member = visitor(app, token)
    assert upload(member, archive()).status_code == 403
    by_token = {"Authorization": f"Bearer {token}", "X-File-Name": "bot.zip"}
    refused = visitor(app).post("/api/submit", content=archive(), headers=by_token)
    assert (refused.status_code, "opens at 2126-11-30" in refused.json()["message"]) == (403, True)
    assert visitor(app).get("/queue", headers={"Authorization": "Bearer x"}).status_code == 401
    forms = [route.path for route in pages.application().routes if "POST" in route.methods]
    for place in {*forms} - {"/sign-in", "/sign-out", "/join"}:
        assert send(member, re.sub("{.*}", "x", place)).status_code == 403, place
    assert send(member, "/sign-out").status_code == 303


def test_organizers_see_all_and_it_opens_by_itself(secret, monkeypatch):
    _, app = pages_of(secret, FURTHER)
    organizer, member = (visitor(app, add_person(secret, *who)) for who in (("", "organizer"), ("Red",)))
    for place in ("/", "/desk", "/playground/", "/team/Red", "/data/ladder.csv"):
        assert organizer.get(place).status_code == 200, place
    assert "opens <time" in organizer.get("/").text
    assert "<b>Secret</b>" in organizer.get("/desk").text
    assert member.get("/playground/").status_code == 403
    assert csrf_of(member)
    monkeypatch.setattr(PeopleConfig, "has_opened", lambda *_: True)
    assert member.get("/playground/").status_code == 200
    assert "hatchling" in member.get("/").text
    assert visitor(app).get("/").headers["content-type"].startswith("text/html")


def test_it_opens_at_its_moment():
    people = PeopleConfig(opens="2026-11-30T09:00:00+01:00")
    moments = ("2026-11-30T07:59:59+00:00", "2026-11-30T08:00:00+00:00")
    assert [people.has_opened(time_of(at)) for at in moments] == [False, True]
    assert PeopleConfig().has_opened(time_of(moments[0]))


def test_a_private_contest_shows_strangers_nothing_before_it_opens(tmp_path):
    with opened(write_config(tmp_path, NAMED, OPENS, PRIVATE, game="snakes")) as contest:
        _, app = pages_of(contest, FURTHER)
        assert [visitor(app).get(place).status_code for place in ("/", "/matches")] == [401, 401]


def test_an_export_for_everybody_waits_too(secret, tmp_path):
    def export(*words):
        return CliRunner().invoke(
            cli, ["contest", "export", "--data", str(tmp_path / "x.db"), *words, str(secret.path)]
        )

    refused = export()
    assert "opens at 2126-11-30" in refused.output + repr(refused.exception)
    assert not (tmp_path / "x.db").exists()
    assert export("--everything").exit_code == 0
