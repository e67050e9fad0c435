"""A term with real processes: from `init` to the playoff, with uploads of all sorts, and with `kill -9` in between."""

import io
import re
import subprocess
import zipfile

import pytest
from contest_commands import contest
from contests_toys import archive
from server import ARENA, Server
from waiting import until

pytestmark = [pytest.mark.process, pytest.mark.slow]
CRASHES = "\nraise SystemExit(3)\n"


def test_an_evening(tmp_path):
    server = Server(tmp_path, ("largest_mib = 16", "largest_mib = 1"), ("rated_matches = 200", "rated_matches = 6"))
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

    # A good bot, a second one, one that crashes, and uploads that are refused with one message.
    first = red.submit(archive())
    assert first.status_code == 201, first.text
    assert blue.submit(archive("\n# Blue\n")).status_code == 201
    assert green.submit(archive(CRASHES)).status_code == 201
    refused = [(archive(), "bot.exe", 400), (b"no archive", "bot.zip", 400), (b"x" * 2_000_000, "bot.zip", 413)]
    for content, name, status in [*refused, (archive("\nx = (\n"), "bot.zip", 400)]:
        answer = blue.submit(content, name)
        assert (answer.status_code, list(answer.json())) == (status, ["message", "hint"]), answer.text
        assert str(folder) not in answer.text
    until(lambda: {"Red", "Blue"} <= set(olga.rows()) and olga.rows()["Red"]["matches"], server.complain)
    state = until(lambda: (one := green.get("/api/version/Green/1").json())["state"] == "failed" and one)
    assert "exit" in state["problem"] or "code 3" in state["problem"]
    assert "Green" not in olga.rows()

    # Whatever was acknowledged survives.
    second = red.submit(archive("\n# second\n"))
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

    # Acts of the organizer, and their undo.
    assert olga.press("/desk/act", kind="pause", reason="for the test").status_code == 303
    until(lambda: ">ladder</a>" not in olga.get("/queue").text, server.complain)  # none runs
    known = olga.get("/standings.json").content
    assert olga.press("/desk/act", kind="disqualify", subject="Blue/1", reason="copied").status_code == 303
    assert olga.get("/standings.json").content != known
    assert olga.press("/desk/act", kind="undo", subject="a2", reason="a mistake").status_code == 303
    assert olga.get("/standings.json").content == known
    assert "a mistake" in server.person().get("/acts").text

    # Freeze, a late version, a stage that begins when the checks are over, and export.
    assert olga.press("/desk/act", kind="freeze", reason="the end").status_code == 303
    late = blue.submit(archive("\n# late\n"))
    assert (late.status_code, late.json()["late"]) == (201, True)
    playoff = {"subject": "playoff", "format": "single_elimination", "advance": "2", "best_of": "2", "reason": "finals"}
    assert olga.press("/desk/act", kind="stage", **playoff).status_code == 303
    anybody = server.person()
    page = until(lambda: (text := anybody.get("/").text).count('class="podium') and text, server.complain)
    assert 'id="standings-playoff"' in page
    assert '<svg class="bracket' in page
    assert {"Red", "Blue"} <= {*re.findall(r"/team/(\w+)", page.partition('<section id="ladder">')[2])}
    assert "began the stage playoff: finals" in re.sub(r"<[^>]+>", "", anybody.get("/acts").text)
    assert "Playoff, " in olga.get("/matches").text
    names = zipfile.ZipFile(io.BytesIO(olga.get("/sources.zip").content)).namelist()
    assert {"base/main.py", "Red/1/main.py", "Red/2/main.py", "versions.csv"} <= set(names)

    # A backup while the server runs, restored elsewhere, has the same tables.
    backup, toml = folder / "backup.tar", folder / "new" / "contest.toml"
    words = (["backup", backup, server.path], ["restore", backup, folder / "new"])
    for command in words:
        done = subprocess.run([ARENA, "contest", *command], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    [old, new] = [contest("standings", "--all", "--json", str(path), cwd=folder) for path in (server.path, toml)]
    assert old.stdout == new.stdout
    assert contest("verify", str(toml), cwd=folder).returncode == 0
    assert list((folder / "new" / "contest" / "replays").rglob("*.arena"))
