"""`arena contest install`: what it would do, what it has done, and what takes it back."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from contest_commands import SHORT, contest, refused

from arena.contests import installing
from arena.contests.installing import Installable, InstallStep
from arena.errors import ArenaError, ExitCode

HERE = Path("/srv/contest")


def planned(**facts):
    return installing.plan(Installable(HERE / "contest.toml", HERE / "contest", Path("/opt/arena/bin/arena"), **facts))


def commands(steps):
    return [" ".join(step.command) for step in steps if step.command]


def files(steps):
    return {step.file: step.text for step in steps if step.file}


def test_a_room_without_a_name_is_served_on_all_addresses():
    steps = planned(packages=("bubblewrap",))
    assert commands(steps)[:3] == [
        "apt-get update",
        "apt-get install -y bubblewrap",
        "useradd --system --user-group --home-dir /nonexistent --shell /usr/sbin/nologin arena",
    ]
    assert commands(steps)[-3:] == [
        "systemctl daemon-reload",
        "systemctl enable --now arena.service",
        "systemctl enable --now arena-backup.timer",
    ]
    units = files(steps)
    assert [*units] == [f"/etc/systemd/system/arena{end}" for end in (".service", "-backup.service", "-backup.timer")]
    service = units["/etc/systemd/system/arena.service"]
    assert "contest serve /srv/contest/contest.toml --host 0.0.0.0 --port 8000" in service
    assert {"User=arena", "Delegate=yes", "MemoryMax=90%", "TasksMax=16384"} < {*service.splitlines()}


def test_an_address_gets_a_proxy_and_ubuntu_a_profile():
    steps = planned(address="https://arena.example.org", needs_profile=True, has_user=True)
    written = files(steps)
    assert "--host 127.0.0.1" in written["/etc/systemd/system/arena.service"]
    assert "arena.example.org {\n\treverse_proxy 127.0.0.1:8000\n}" in written["/etc/caddy/Caddyfile"]
    assert "userns," in written["/etc/apparmor.d/bwrap"]
    assert "apparmor_parser --replace /etc/apparmor.d/bwrap" in commands(steps)
    assert not any("useradd" in command for command in commands(steps))


def test_the_verdict_needs_no_message_bus():
    """`systemd-run` reaches systemd without D-Bus unless it waits for the end or has a pipe."""
    words = installing.doctor_of_service("/opt/arena/bin/arena", "arena-doctor")
    assert words[-2:] == ["/opt/arena/bin/arena", "doctor"]
    assert {"--service-type=oneshot", "--uid=arena", "--property=Delegate=yes"} < {*words}
    assert not {"--wait", "--pipe", "--pty", "--scope"} & {*words}


@pytest.mark.process
@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_systemd_takes_the_units(tmp_path):
    for path, text in files(planned()).items():
        program = re.sub(r"(?<=[ '=])/opt/arena/bin/arena", "/bin/true", text)
        (tmp_path / Path(path).name).write_text(program)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *map(str, tmp_path.iterdir())],
        capture_output=True,
        text=True,
        check=False,
    )
    own = [line for line in done.stderr.splitlines() if "arena" in line]
    assert own == []


@pytest.fixture
def record(tmp_path, monkeypatch):
    monkeypatch.setattr(installing, "_RECORD", tmp_path / "record.json")
    return tmp_path / "record.json"


@pytest.mark.process
def test_each_step_is_taken_back_also_after_a_failure(tmp_path, record):
    old, new, made = tmp_path / "old", tmp_path / "new", tmp_path / "made"
    old.write_text("before\n")
    steps = [
        InstallStep(command=("touch", str(made)), undo=("rm", str(made))),
        InstallStep(file=str(new), text="new\n"),
        InstallStep(file=str(old), text="after\n", append=True),
        InstallStep(command=("ls", str(tmp_path / "nothing"))),
        InstallStep(file=str(tmp_path / "never"), text="never"),
    ]
    said = []
    with pytest.raises(ArenaError, match="No such file or directory"):
        installing.install(steps, said.append)
    assert (old.read_text(), new.read_text(), made.exists()) == ("before\nafter\n", "new\n", True)
    assert record.exists()
    installing.undo(said.append)
    assert (old.read_text(), new.exists(), made.exists(), record.exists()) == ("before\n", False, False, False)
    assert not (tmp_path / "never").exists()
    with pytest.raises(ArenaError, match="No contest is installed"):
        installing.undo(said.append)


def test_a_machine_without_systemd_is_refused_before_anything_is_done(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda _: None)
    (tmp_path / "contest.toml").write_text(SHORT)
    done = contest("install", "--yes", cwd=tmp_path)
    refused(done, ExitCode.NOT_INSTALLED, "This is no Debian or Ubuntu that systemd runs.")
    assert [path.name for path in tmp_path.iterdir()] == ["contest.toml"]
