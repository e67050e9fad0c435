"""What a team agrees to counts everywhere, and each person gets what is stored about them."""

import csv
import io
import zipfile

import pytest
from contest_commands import contest as contest_command
from contests_toys import add_version, anchor, archive, do, opened, player, real_match, write_config
from visitors import MARKED, add_person, pages_of, send, upload, visitor

from arena.contests import entries
from arena.contests.archive import read_index
from arena.contests.journal.store import now
from arena.contests.values import Consent
from arena.web import computing

pytestmark = pytest.mark.process


@pytest.fixture
def contest(tmp_path, monkeypatch):
    """A term in which Red has handed in a bot and played, with a result that is held back."""
    monkeypatch.setattr(computing, "FRESH", 0.0)
    with opened(write_config(tmp_path, ('isolation = "bwrap" ', 'isolation = "none" '))) as contest:
        contest.pages, contest.app = pages_of(contest)
        contest.red, contest.blue = (visitor(contest.app, add_person(contest, team)) for team in ("Red", "Blue"))
        add_version(contest, "Blue")
        marked = archive(game="saloon", **{"main.py": MARKED})
        said = {"X-Consent": "picture", "X-Licence": "MIT"}
        assert upload(contest.red, marked, "red.zip", **said).status_code == 201
        key = f"{contest.state.id_of('Red')}/1"
        contest.write((key, entries.Checked(True, "", now(), 0.0)), (key, entries.Activated(now())))
        contest.public = real_match(contest, player(contest, "Red"), anchor(contest))
        do(contest, "hold")
        contest.held = real_match(contest, player(contest, "Red"), anchor(contest))
        yield contest


def parts(consent):
    return consent.replays, consent.picture, consent.opponent, consent.licence


def test_it_is_said_with_the_first_version_and_can_be_changed(contest):
    assert parts(contest.state.consent_of("Red")) == (False, True, False, "MIT")
    assert contest.state.consent_of("Blue") == Consent()
    green = visitor(contest.app, add_person(contest, "Green"))
    assert "What your team agrees to, from its first version on" in green.get("/team/Green").text
    assert "Save it" in contest.blue.get("/team/Blue").text, "it has handed in from a terminal"
    assert 'action="/consent"' in contest.red.get("/team/Red").text
    assert "Licence of its bots: MIT" in contest.blue.get("/team/Red").text
    wanted = {"replays": "yes", "opponent": "yes", "licence": "GPL"}
    assert send(contest.red, "/consent", **wanted).status_code == 303
    assert parts(contest.state.consent_of("Red")) == (True, False, True, "GPL")
    number = contest.state.number
    assert send(contest.red, "/consent", **wanted).status_code == 303
    assert contest.state.number == number, "nothing has changed"
    assert send(contest.red, "/consent", licence="x" * 61).status_code == 409
    assert send(visitor(contest.app), "/consent").status_code == 401


def test_replays_are_public_only_if_all_who_played_agree(contest, tmp_path):
    pages = [f"/match/{contest.public}/watch", f"/replay/{contest.public}", f"/match/{contest.public}/still"]
    for place in pages:
        assert [who.get(place).status_code for who in (contest.red, contest.blue)] == [200, 404], place
    assert contest.blue.get(f"/match/{contest.public}").status_code == 200, "the result is public"
    export = ["export", contest.path, "--out", tmp_path / "out"]
    assert contest_command(*export, cwd=tmp_path).returncode == 0
    assert not [*(tmp_path / "out").rglob(f"*{contest.public}*")]
    send(contest.red, "/consent", replays="yes")
    assert [contest.blue.get(place).status_code for place in pages] == [200, 200, 200]
    assert contest_command(*export, cwd=tmp_path).returncode == 0
    assert [*(tmp_path / "out").rglob(f"*{contest.public}*")]


def test_an_archive_has_the_bots_of_those_who_agree(contest, tmp_path):
    do(contest, "release")
    for number, (agreed, bots) in enumerate(
        (({}, []), ({"opponent": "yes", "licence": "MIT"}, [("Entrant 4", "MIT")]))
    ):
        send(contest.red, "/consent", **agreed)
        done = contest_command("archive", f"{number}.tar", contest.path, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        found = read_index(tmp_path / f"{number}.tar").bots
        assert [(bot.name, bot.licence) for bot in found if bot.name.startswith("Entrant")] == bots


def test_a_picture_is_shown_only_if_the_team_agrees(contest):
    contest.state.pictures["Red"] = b"png"
    assert "Red" in contest.state.public_pictures()
    send(contest.red, "/consent", replays="yes")
    assert "Red" not in contest.state.public_pictures()


def test_a_member_downloads_what_is_stored_about_them(contest):
    answer = contest.red.get("/my-data.zip")
    assert answer.headers["content-disposition"] == 'attachment; filename="my-data.zip"'
    packed = zipfile.ZipFile(io.BytesIO(answer.content))
    tables = [name for name in packed.namelist() if name.endswith(".csv")]
    rows = {name: [*csv.DictReader(io.StringIO(packed.read(name).decode()))] for name in tables}
    [profile] = rows["profile.csv"]
    said = [profile[key] for key in ("name", "team", "licence", "replays")]
    assert said == ["Red person", "Red", "MIT", "false"]
    assert [(one["number"], one["file"], one["by"]) for one in rows["versions.csv"]] == [("1", "red.zip", "Red person")]
    assert "SOURCE-OF-RED" in packed.read("versions/1/main.py").decode()
    assert [one["match_id"] for one in rows["matches.csv"]] == [contest.public], "nobody sees the held one yet"
    assert "LOG-OF-RED" in packed.read(f"logs/{contest.public}.txt").decode()
    assert rows["acts.csv"] == [], "no act is about the team"
    assert visitor(contest.app).get("/my-data.zip").status_code == 401
    assert b"LOG-OF-RED" not in contest.blue.get("/my-data.zip").content
    for _ in range(4):
        assert contest.red.get("/my-data.zip").status_code == 200
    assert contest.red.get("/my-data.zip").status_code == 429


def test_each_page_leads_to_what_is_stored(contest):
    page = visitor(contest.app).get("/data-protection").text
    assert "everybody; your team can say no" in page
    assert "It is kept until the organizers erase it" in page
    assert '<a href="/data-protection">' in visitor(contest.app).get("/").text
    assert "/my-data.zip" in contest.red.get("/data-protection").text
