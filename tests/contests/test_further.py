"""Folders of pages that other distributions add to a contest."""

from importlib import metadata

from contests_toys import add_team, opened, write_config
from visitors import csrf_of, pages_of, visitor

from arena.errors import ArenaError
from arena.match.lookup import find_game
from arena.web.contests.following import Follower
from arena.web.contests.site import further_pages

FILES = {"index.html": b"<!doctype html><title>Extra</title>", "a/b.js": b"// script\n" * 100, "data.bin": b"\0\1"}
PRIVATE = ("public = true", "public = false")


def test_a_folder_is_served_with_types_tags_and_a_link(contest):
    client = visitor(pages_of(contest, {"extra": FILES})[1])
    assert '<a href="/extra/">Extra</a>' in client.get("/").text
    page = client.get("/extra/")
    assert (page.status_code, page.content) == (200, FILES["index.html"])
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "frame-ancestors 'self'" in page.headers["content-security-policy"]
    script = client.get("/extra/a/b.js")
    assert script.content == FILES["a/b.js"]
    assert script.headers["content-encoding"] == "gzip"
    assert script.headers["content-type"].startswith("text/javascript")
    assert client.get("/extra/a/b.js", headers={"accept-encoding": "identity"}).headers.get("content-encoding") is None
    data = client.get("/extra/data.bin")
    assert (data.content, data.headers["content-type"]) == (FILES["data.bin"], "application/octet-stream")
    again = client.get("/extra/data.bin", headers={"if-none-match": data.headers["etag"]})
    assert (again.status_code, again.content, again.headers["cache-control"]) == (304, b"", "no-cache")
    assert client.get("/extra/none.js").status_code == 404
    assert client.get("/extra/../contest.toml").status_code == 404
    assert client.get("/").headers["cache-control"] == "no-store", "all other answers are kept by nobody"


def test_a_private_contest_shows_its_folders_and_pictures_to_its_people_only(tmp_path):
    with opened(write_config(tmp_path, PRIVATE)) as contest:
        _, app = pages_of(contest, {"extra": FILES})
        _, token = add_team(contest, "Red")
        for place, status in (("/extra/", 200), ("/pictures.css", 200), ("/team/Red/picture", 404)):
            assert [visitor(app, one).get(place).status_code for one in ("", token)] == [401, status]


def test_scripts_learn_who_is_signed_in(contest):
    _, app = pages_of(contest)
    member, token = add_team(contest, "Red")
    assert visitor(app).get("/api/session").json() == {"takes_bots": True}
    client = visitor(app, token)
    found = client.get("/api/session").json()
    who = {"name": member.name, "team": "Red", "role": "member", "csrf": csrf_of(client)}
    assert found == {"takes_bots": True, **who}
    following = Follower(contest.folder)
    following.refresh()
    assert visitor(pages_of(following)[1]).get("/api/session").json() == {"takes_bots": False}


def test_folders_come_from_entry_points_and_a_folder_that_cannot_be_made_is_left_out(monkeypatch):
    def made(game, contest):
        return {"index.html": f"{game.name} {contest}".encode()}

    def impossible(game, contest):
        raise ArenaError("There is no Pyodide.", hint="Fetch it.")

    class Point:
        def __init__(self, name, value):
            self.name, self.load = name, lambda: value

    points = [Point("good", made), Point("bad", impossible)]
    monkeypatch.setattr(metadata, "entry_points", lambda group: points if group == "arena.contest_pages" else [])
    complaints = []
    found = further_pages(find_game("snakes"), "Term", complaints.append)
    assert found == {"good": {"index.html": b"snakes Term"}}
    assert complaints == ["The contest has no bad: There is no Pyodide. Fetch it."]
