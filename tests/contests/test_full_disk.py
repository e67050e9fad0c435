"""A contest on a small disk: uploads cannot fill it, a full disk is one message, and with room again all goes on."""

import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from contests_toys import archive
from server import Server
from waiting import until


def can_mount():
    command = ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"]
    try:
        return subprocess.run(command, capture_output=True, timeout=30).returncode == 0
    except OSError:
        return False


def unpacks_to(mebibytes):
    """A small zip that is no bot and needs much room."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        out.writestr("zeros", bytes(mebibytes << 20))
    return stream.getvalue()


def free(folder):
    status = os.statvfs(folder)
    return status.f_bavail * status.f_frsize


def evening(folder):
    """Run in a process with a disk of 100 MiB on the folder."""
    server = Server(
        folder, ("refused_per_day = 50", "refused_per_day = 9"), ("rated_matches = 200", "rated_matches = 0")
    )
    try:
        on_a_small_disk(server, folder)
    finally:
        server.stop()
    assert "Traceback" not in server.complain(), server.complain()


def on_a_small_disk(server, folder):
    olga = server.person().join(server.invitation, "Olga")
    red, blue, *more = (
        server.person().join(one) for one in olga.invited(csv="team,member\nRed,R\nBlue,B\nGreen,G\nPink,P")
    )
    assert blue.submit(archive()).status_code == 201
    until(lambda: "Blue" in olga.rows(), server.complain)

    # 130 KB that need 130 MiB: nothing of it stays, and the ladder goes on.
    hostile, before = unpacks_to(130), free(folder)
    assert len(hostile) < 200_000
    for sender in (red, *more):
        answer = sender.submit(hostile)
        assert (answer.status_code, list(answer.json())) == (507, ["message", "hint"]), answer.text
        assert answer.json()["message"].startswith("The server has no room for the upload.")
        assert str(folder) not in answer.text
        assert free(folder) > before - (8 << 20), "nothing of a refused upload stays"
    subprocess.run(["mount", "-o", "remount,size=300M", str(folder)], check=True)
    before = free(folder)
    assert red.submit(hostile).status_code == 400
    assert free(folder) > before - (8 << 20)
    played = olga.rows()["Blue"]["matches"]
    until(lambda: olga.rows()["Blue"]["matches"] > played, server.complain)

    # A full disk: every request that needs it gets one message, and pages stay. The ladder must play on: so no pause.
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as out:
        fill(out)
    answers = [red.submit(archive("\n# Red\n")), olga.press("/desk/act", kind="announce", reason="x" * 500)]
    while answers[-1].status_code == 303:  # the journal still had room
        answers.append(olga.press("/desk/act", kind="announce", reason="x" * 500))
    for answer in (answers[0], answers[-1]):
        assert answer.status_code == 507, answer.text
        assert str(folder) not in answer.text
    until(lambda: "full" in olga.get("/queue").text, server.complain)
    assert olga.get("/").status_code == 200
    assert red.get("/team/Red").status_code == 200

    # With room again, the same server goes on by itself: it checks, plays, and forgets the problem.
    filler.unlink()
    assert olga.press("/desk/act", kind="announce", reason="room").status_code == 303
    assert red.submit(archive("\n# Red\n")).status_code == 201
    until(lambda: "Red" in olga.rows() and olga.rows()["Red"]["matches"] >= 2, server.complain)
    until(lambda: 'class="problem"' not in olga.get("/queue").text, lambda: olga.get("/queue").text)
    shown = olga.rows()
    server.kill()
    server.start()
    assert set(shown) == set(olga.rows())
    assert olga.rows()["Red"]["matches"] >= shown["Red"]["matches"]


def fill(out):
    for size in (1 << 20, 1 << 12):
        try:
            while True:
                out.write(bytes(size))
        except OSError:
            continue


@pytest.mark.kill  # a minute of a contest on a disk of its own
@pytest.mark.process
@pytest.mark.slow
@pytest.mark.skipif(not can_mount(), reason="needs the right to mount a small file system")
@pytest.mark.promise("upload-disk")
def test_a_contest_on_a_small_disk(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    command = f"mount -t tmpfs -o size=100M none {folder} && exec {sys.executable} {Path(__file__)} {folder}"
    done = subprocess.run(["unshare", "-m", "sh", "-c", command], capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr


if __name__ == "__main__":
    evening(Path(sys.argv[1]))
