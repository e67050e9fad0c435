"""A term with real processes: from `init` to the playoff, with uploads of all sorts, and with `kill -9` in between."""

import io
import re
import zipfile

import pytest
from contest_commands import contest
from contests_toys import archive
from kills import PATIENT, SMALL, idle
from server import Server
from waiting import until

pytestmark = [pytest.mark.process, pytest.mark.slow]
CRASHES = "\nraise SystemExit(3)\n"


@pytest.mark.kill  # hand-ins, checks, kills and playoffs have tests of their own
def test_an_evening(tmp_path):
    changes = [("rated_matches = 200", "rated_matches = 6"), ("# [options] ", f"{SMALL}# [options] "), *PATIENT]
    server = Server(tmp_path, *changes, game="saloon")
    try:
        evening(server, tmp_path)
    finally:
        code = server.stop()
    assert code == 0, server.complain()
    assert "Traceback" not in server.complain()


def evening(server, folder):
    olga = server.person().join(server.invitation, "Olga")
    red, blue, green = (
        server.person().join(one) for one in olga.invited(csv="team,member\nRed,Rita\nBlue,Bob\nGreen,Gil")
    )
    assert server.person().get("/join", params={"token": "invite-x"}).status_code == 403

    # A good bot, a second one, and one that crashes.
    first = red.submit(archive(game="saloon"))
    assert first.status_code == 201, first.text
    assert blue.submit(archive("\n# Blue\n", game="saloon")).status_code == 201
    assert green.submit(archive(CRASHES, game="saloon")).status_code == 201
    until(lambda: {"Red", "Blue"} <= set(olga.rows()) and olga.rows()["Red"]["matches"], server.complain)
    state = until(lambda: (one := green.get("/api/version/Green/1").json())["state"] == "failed" and one)
    assert "exit" in state["problem"] or "code 3" in state["problem"]
    assert "Green" not in olga.rows()

    # Whatever was acknowledged survives.
    second = red.submit(archive("\n# second\n", game="saloon"))
    assert second.status_code == 201
    server.kill()
    server.start()
    assert red.get("/version/Red/2").status_code == 200, "the session goes on as well"
    until(lambda: red.get("/api/version/Red/2").json()["state"] == "passed", server.complain)
    assert olga.rows()["Red"]["version"] == 1, "nobody has chosen the second version"
    assert red.press("/activate", number="2").status_code == 303
    until(lambda: olga.rows()["Red"]["version"] == 2, server.complain)
    assert red.press("/activate", number="1").status_code == 303
    assert red.press("/challenge", opponent="Blue").status_code == 303
    until(lambda: "challenge" in red.get("/team/Red").text, server.complain)

    # Freeze, a late version, a stage that begins when the checks are over, and export.
    assert olga.press("/desk/act", kind="freeze", reason="the end").status_code == 303
    late = blue.submit(archive("\n# late\n", game="saloon"))
    assert (late.status_code, late.json()["late"]) == (201, True)
    playoff = {"subject": "playoff", "format": "single_elimination", "advance": "2", "best_of": "2", "reason": "finals"}
    assert olga.press("/desk/act", kind="stage", **playoff).status_code == 303
    anybody = server.person()
    page = until(lambda: (text := anybody.get("/").text).count('class="podium') and text, server.complain)
    assert 'id="standings-playoff"' in page
    assert '<svg class="bracket' in page
    assert {"Red", "Blue"} <= {*re.findall(r"/team/(\w+)", page.partition('<section id="ladder">')[2])}
    assert "began the stage playoff: finals" in re.sub(r"<[^>]+>", "", anybody.get("/acts").text)
    names = zipfile.ZipFile(io.BytesIO(olga.get("/sources.zip").content)).namelist()
    assert {"base/main.py", "Red/1/main.py", "Red/2/main.py", "versions.csv"} <= set(names)

    # A backup while the server runs, restored elsewhere, has the same tables: when the late version was checked too.
    until(lambda: idle(olga), server.complain)
    backup, toml = folder / "backup.tar", folder / "new" / "contest.toml"
    for words in (["backup", str(backup), str(server.path)], ["restore", str(backup), str(folder / "new")]):
        done = contest(*words, cwd=folder)
        assert done.returncode == 0, done.stderr
    [old, new] = [contest("standings", "--all", "--json", str(path), cwd=folder) for path in (server.path, toml)]
    assert old.stdout == new.stdout
    assert contest("verify", str(toml), cwd=folder).returncode == 0
    assert list((folder / "new" / "contest" / "replays").rglob("*.arena"))
