"""`arena doctor` in three settings, and its causes and remedies for machines that are not here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from textwrap import dedent
from typing import Any

import pytest
from seccomp_programs import (
    ALLOW,
    ERRNO,
    FIRST_ARGUMENT,
    JUMP_EQUAL,
    JUMP_SET,
    LOAD,
    NUMBER,
    RETURN,
    Step,
    encode,
)
from seccomp_rules import CLONE_NEW_NAMESPACES, DENIED, ENOSYS, EPERM, EXAMINED

from arena.bots.doctor import MachineFacts, diagnose_groups, diagnose_namespaces, gather_facts
from arena.bots.probe import probe
from arena.bots.sandbox.visible import visible_python

SYSTEM_PYTHON = "/usr/bin/python3"
ORDINARY = 61200
DOCTOR = """
import sys
sys.argv = ["arena", "doctor", "--json"]
from arena.__main__ import main
main()
"""
# What a container without user namespaces does to us: a filter refuses new namespaces.
FILTER = encode(
    [
        Step(LOAD, NUMBER),
        Step(JUMP_EQUAL, EXAMINED["clone"][0], yes="clone"),
        Step(JUMP_EQUAL, EXAMINED["clone3"][0], yes="clone3"),
        Step(JUMP_EQUAL, DENIED["unshare"][0] or 0, yes="refused"),
        Step(RETURN, ALLOW),
        Step(LOAD, FIRST_ARGUMENT, label="clone"),
        Step(JUMP_SET, CLONE_NEW_NAMESPACES, yes="refused"),
        Step(RETURN, ALLOW),
        Step(RETURN, ERRNO | EPERM, label="refused"),
        Step(RETURN, ERRNO | ENOSYS, label="clone3"),
    ]
)
FORBID_NAMESPACES = f"""
from arena.bots.system import syscalls
from arena.bots.sandbox.confine import install_seccomp
syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
install_seccomp({FILTER!r})
"""


def run(*prefix: str, python: str, code: str) -> tuple[int, dict[str, Any]]:
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": "/nonexistent",
        "PYTHONPATH": os.pathsep.join((*visible_python(("arena_saloon",)).outside, *click_folder())),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(
        [*prefix, python, "-c", code], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def click_folder() -> tuple[str, ...]:
    import click

    import arena_replays

    return tuple(os.path.dirname(os.path.dirname(module.__file__)) for module in (click, arena_replays))


@pytest.fixture
def ordinary(nothing_left: None) -> tuple[str, ...]:
    """The prefix of a command that makes it an ordinary user's."""
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody else")
    prefix = ("setpriv", f"--reuid={ORDINARY}", f"--regid={ORDINARY}", "--clear-groups")
    environment = {"PYTHONPATH": os.pathsep.join((*visible_python().outside, *click_folder()))}
    done = subprocess.run(
        [*prefix, SYSTEM_PYTHON, "-c", "import zmq, msgpack, click, arena_player"], env=environment, check=False
    )
    if done.returncode:
        pytest.skip("there is no Python here that another user could run all this with")
    return prefix


def missing(report: dict[str, Any]) -> set[str]:
    return {check["layer"] for check in report["checks"] if not check["holds"]}


@pytest.mark.sandbox
def test_as_whoever_we_are(nothing_left: None) -> None:
    code, report = run(python=sys.executable, code=DOCTOR)
    assert report["level"] == probe().level
    assert code == {3: 0, 2: 13, 1: 12, 0: 11}[report["level"]]
    if report["level"] == 3:
        assert missing(report) == set()


@pytest.mark.sandbox
def test_as_an_ordinary_user(ordinary: tuple[str, ...]) -> None:
    code, report = run(*ordinary, python=SYSTEM_PYTHON, code=DOCTOR)
    if report["level"] == 3:
        pytest.skip("here even ordinary users get control groups")
    assert (code, report["level"]) == (13, 2)
    assert missing(report) == {"cgroup memory", "cgroup pids", "cgroup cpu", "cgroup freeze"}
    assert all(check["remedy"] for check in report["checks"] if not check["holds"])


@pytest.mark.sandbox
def test_where_parts_of_proc_are_hidden(ordinary: tuple[str, ...]) -> None:
    hide = ("unshare", "--mount", "sh", "-c", 'mount --bind /proc/sys /proc/sys && exec "$@"', "sh")
    code, report = run(*hide, *ordinary, python=SYSTEM_PYTHON, code=DOCTOR)
    assert (code, report["level"]) == (13, 2)
    assert missing(report) >= {"proc"}
    assert missing(report) <= {"proc", "cgroup memory", "cgroup pids", "cgroup cpu", "cgroup freeze"}


@pytest.mark.sandbox
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the filter of this test is for x86-64")
def test_where_namespaces_are_forbidden(ordinary: tuple[str, ...]) -> None:
    code, report = run(*ordinary, python=SYSTEM_PYTHON, code=FORBID_NAMESPACES + DOCTOR)
    assert (code, report["level"]) == (12, 1)
    assert missing(report) == {"namespaces"}
    check = next(check for check in report["checks"] if check["layer"] == "namespaces")
    assert "forbids new namespaces" in check["found"]
    assert check["remedy"]


@pytest.mark.sandbox
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the filter of this test is for x86-64")
def test_required_levels_give_an_exit_code(ordinary: tuple[str, ...]) -> None:
    demanding = DOCTOR.replace('"--json"', '"--json", "--require", "2"')
    assert run(*ordinary, python=SYSTEM_PYTHON, code=demanding)[0] == 0
    assert run(*ordinary, python=SYSTEM_PYTHON, code=FORBID_NAMESPACES + demanding)[0] == 7


@pytest.mark.sandbox
def test_a_frozen_bot_at_level_1_dies_with_who_started_it(ordinary: tuple[str, ...]) -> None:
    code = """
import json, os, signal, socket, tempfile, time
from pathlib import Path
from arena.bots.launch import launch
from arena.bots.bot import load_bot
from arena.bots.system.reaping import become_subreaper
become_subreaper()  # so that the bot becomes our child
with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as seat:
    seat.bind(f"{folder}/seat.sock")
    seat.listen()
    Path(folder, "bot").mkdir()
    Path(folder, "bot", "bot.py").write_text("import time; print('up', flush=True); time.sleep(600)")
    Path(folder, "bot", "bot.toml").write_text('command = ["python", "bot.py"]')
    read, write = os.pipe()
    starter = os.fork()
    if not starter:
        process = launch(load_bot(folder + "/bot"), seat=0, socket=f"{folder}/seat.sock", at_most=1, require=1)
        while not process.stdout.drain():
            time.sleep(0.01)
        assert process.freeze()
        os.write(write, str(process.pid).encode())
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(starter, 0)
    bot = int(os.read(read, 20))
    end = time.monotonic() + 10
    while not (gone := os.waitpid(bot, os.WNOHANG)[0] == bot) and time.monotonic() < end:
        time.sleep(0.05)
    print(json.dumps({"gone": gone}))
"""
    assert run(*ordinary, python=SYSTEM_PYTHON, code=code)[1] == {"gone": True}


@pytest.mark.sandbox
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the filter of this test is for x86-64")
def test_level_1_bots_are_confined_and_play(ordinary: tuple[str, ...]) -> None:
    code = (
        FORBID_NAMESPACES
        + """
import json, os, socket, tempfile, time
from pathlib import Path
from arena.bots.launch import launch
from arena.bots.bot import load_bot
with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as seat:
    seat.bind(f"{folder}/seat.sock")
    seat.listen()
    Path(folder, "secret").write_text("x")
    Path(folder, "bot").mkdir()
    Path(folder, "bot", ".vscode").mkdir()  # does not belong to the bot, so that its files are shown one by one
    Path(folder, "bot", "beside.py").write_text("found = 'done'")
    Path(folder, "bot", "bot.py").write_text('''
import beside, json, os, resource, signal, socket
def attempt(act):
    try:
        act()
        return "done"
    except OSError as error:
        return error.strerror
print(json.dumps(dict(
    beside=beside.found,
    secret=attempt(lambda: open({0!r})),
    home=attempt(lambda: os.listdir("/")),
    write=attempt(lambda: open({3!r}, "w")),
    net=attempt(lambda: socket.create_connection(("127.0.0.1", 9))),
    kill=attempt(lambda: os.kill({1}, 0)),
    seat=attempt(lambda: socket.socket(socket.AF_UNIX).connect({2!r})),
    core=resource.getrlimit(resource.RLIMIT_CORE),
)))
'''.format(f"{folder}/secret", os.getpid(), f"{folder}/seat.sock", f"{folder}/new"))
    Path(folder, "bot", "bot.toml").write_text('command = ["python", "bot.py"]')
    with launch(load_bot(folder + "/bot"), seat=0, socket=f"{folder}/seat.sock") as process:
        while process.poll() is None:
            process.stdout.drain() or time.sleep(0.005)
        process.kill()
        print(json.dumps([process.isolation.level, process.stderr.text()[-500:], process.stdout.text()]))
"""
    )
    result = run(*ordinary, python=SYSTEM_PYTHON, code=code)[1]
    level, complaint, text = result
    assert level == 1
    assert complaint == ""
    found = json.loads(text)
    assert found.pop("beside") == "done", "a module in the bot's folder"
    assert found.pop("seat") == "done"
    assert found.pop("core") == [0, 0]
    # Signals to outside are only held back by newer kernels.
    assert found.pop("kill") in {"Operation not permitted", "done"}
    assert set(found.values()) <= {"Permission denied"}


@pytest.mark.sandbox
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the filter of this test is for x86-64")
@pytest.mark.promise("kernel-objects")
def test_at_level_1_no_kernel_object_outlives_its_bot(ordinary: tuple[str, ...], kernel_objects: str) -> None:
    code = (
        FORBID_NAMESPACES
        + f"""
import json, socket, tempfile, time
from pathlib import Path
from arena.bots.launch import launch
from arena.bots.bot import load_bot
with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as seat:
    seat.bind(folder + "/seat.sock")
    seat.listen()
    Path(folder, "bot.py").write_text({dedent(kernel_objects)!r})
    with launch(load_bot(folder + "/bot.py"), seat=0, socket=folder + "/seat.sock", require=1) as process:
        while process.poll() is None:
            process.stdout.drain() or time.sleep(0.005)
        process.kill()
        print(json.dumps([process.isolation.level, process.stdout.text()]))
"""
    )
    level, text = run(*ordinary, python=SYSTEM_PYTHON, code=code)[1]
    assert level == 1
    assert text.split() == ["True"] * 7


ATTEMPT = """
def attempt(act):
    try:
        act()
        return "done"
    except OSError as error:
        return error.strerror
"""
CONNECTS = """
import json, os, socket, time
place = os.environ["ARENA_ENDPOINT"].removeprefix("ipc://")
print(json.dumps(dict(
    place=place,
    user=os.geteuid(),
    connect=attempt(lambda: socket.socket(socket.AF_UNIX).connect(place)),
    add=attempt(lambda: open(os.path.dirname(place) + "/new", "w")),
    remove=attempt(lambda: os.unlink(place)),
    open_to_all=attempt(lambda: os.chmod(place, 0o666)),
)), flush=True)
time.sleep(600)
"""


@pytest.mark.sandbox
def test_a_match_at_level_1_as_root(ordinary: tuple[str, ...]) -> None:
    """Neither the bots' files nor their sockets can be reached by the bots' users where they are."""
    code = r"""
import json, tempfile
from pathlib import Path
from arena.match.job import Job, SeatAssignment
from arena.play.referee.__main__ import play
with tempfile.TemporaryDirectory() as folder:  # only root can enter it
    source = "from arena_player import AI\nclass Bot(AI):\n    def run_turn(self): print(open('beside.txt').read())"
    Path(folder, "main.py").write_text(source)
    Path(folder, "beside.txt").write_text("read")
    seats = (SeatAssignment(folder), SeatAssignment("builtin:rowdy"))
    players = play(Job("saloon", seats, {"max_turns": 4}, seed=1, max_isolation=1, require_isolation=1)).players
ends = [[player.isolation.level, player.ending, player.stderr] for player in players]
left = [str(path) for path in Path(tempfile.gettempdir()).glob("arena-bot-*")]
print(json.dumps([ends, players[0].stdout, left]))
"""
    ends, printed, left = run(python=SYSTEM_PYTHON, code=code)[1]
    assert [level for level, *_ in ends] == [1, 1]
    assert {ending for _, ending, _ in ends} <= {"won", "lost", "drawn"}, ends
    assert printed.startswith("read")
    assert left == []


@pytest.mark.sandbox
def test_at_level_1_as_root_only_the_bot_can_connect_to_its_seat(ordinary: tuple[str, ...]) -> None:
    code = f"""
import json, os, socket, tempfile, time
from pathlib import Path
from arena.bots.launch import launch
from arena.bots.bot import load_bot
{ATTEMPT}
def as_user(user, act):
    read, write = os.pipe()
    if not os.fork():
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
        os.write(write, attempt(act).encode())
        os._exit(0)
    os.wait()
    return os.read(read, 100).decode()
with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as seat:
    seat.bind(folder + "/seat.sock")
    os.chmod(folder + "/seat.sock", 0o666)
    seat.listen()
    Path(folder, "bot.py").write_text({ATTEMPT + CONNECTS!r})
    with launch(load_bot(folder + "/bot.py"), seat=0, socket=folder + "/seat.sock", at_most=1, require=1) as process:
        while not process.stdout.text() and process.poll() is None:
            process.stdout.drain() or time.sleep(0.005)
        found = json.loads(process.stdout.text())
        place, user = found.pop("place"), found.pop("user")
        connect = lambda: socket.socket(socket.AF_UNIX).connect(place)
        found["others"] = [as_user(other, connect) for other in (user + 1, {ORDINARY})]
        found["others"].append(as_user({ORDINARY}, lambda: os.listdir(os.path.dirname(place))))
    found["left"] = os.path.exists(os.path.dirname(place))
    print(json.dumps(found))
"""
    found = run(python=SYSTEM_PYTHON, code=code)[1]
    assert found.pop("connect") == "done"
    assert found.pop("others") == ["Permission denied"] * 3
    assert found.pop("left") is False
    assert set(found.values()) <= {"Permission denied", "Operation not permitted"}, found


@pytest.mark.sandbox
def test_where_temporary_folders_are_private_root_does_not_have_level_1(ordinary: tuple[str, ...]) -> None:
    code = """
import json, tempfile
from arena.bots.probe import examine
with tempfile.TemporaryDirectory() as folder:
    tempfile.tempdir = folder
    print(json.dumps([folder, examine(1).isolation.to_document()]))
"""
    folder, isolation = run(python=SYSTEM_PYTHON, code=code)[1]
    assert isolation["level"] == 0
    (missing,) = (one for one in isolation["missing"] if one["layer"] == "limits")
    assert missing["reason"] == f"the user id of the bots cannot enter {folder}"
    assert "TMPDIR" in missing["remedy"]


@pytest.mark.parametrize(
    ("facts", "cause", "remedy"),
    [
        (MachineFacts(system="Darwin"), "macOS", "colima"),
        (MachineFacts(system="Windows"), "Windows", "wsl --install"),
        (MachineFacts(wsl=1), "WSL 1", "wsl --set-version"),
        (MachineFacts(bwrap=False, distribution=("ubuntu", "debian")), "not installed", "sudo apt install bubblewrap"),
        (MachineFacts(bwrap=False, distribution=("fedora",)), "not installed", "sudo dnf install bubblewrap"),
        (MachineFacts(bwrap=False), "not installed", "Install the package"),
        (MachineFacts(most_namespaces=None), "built without", "CONFIG_USER_NS"),
        (MachineFacts(most_namespaces=0), "max_user_namespaces is 0", "sysctl --system"),
        (MachineFacts(debian_denies=True), "unprivileged_userns_clone is 0", "sysctl --system"),
        (MachineFacts(apparmor_restricts=True), "AppArmor", "/etc/apparmor.d/bwrap"),
        (MachineFacts(container="docker"), "docker container forbids", "docker run --security-opt seccomp=unconfined"),
        (MachineFacts(container="podman"), "podman container forbids", "podman run --security-opt"),
        (MachineFacts(container="kubernetes"), "pod", "seccompProfile"),
        (MachineFacts(container="lxc"), "lxc", "nested"),
        (MachineFacts(seccomp=True), "seccomp filter", "outside"),
        (MachineFacts(), "unknown", "bwrap --unshare-all"),
    ],
)
def test_causes_and_remedies(facts: MachineFacts, cause: str, remedy: str) -> None:
    diagnosis = diagnose_namespaces(facts)
    assert cause in diagnosis.cause
    assert remedy in diagnosis.remedy


def test_a_masked_proc_is_recognized() -> None:
    words = "Can't mount proc on /newroot/proc: Operation not permitted"
    assert "hides parts of /proc" in diagnose_namespaces(MachineFacts(container="docker"), words).cause


@pytest.mark.parametrize(
    ("facts", "remedy"),
    [
        (MachineFacts(container="docker"), "docker run --cgroupns=host"),
        (MachineFacts(root=True), "mount -o remount"),
        (MachineFacts(systemd=True, unified=True), "systemd-run --user --scope"),
        (MachineFacts(systemd=True), "unified_cgroup_hierarchy"),
        (MachineFacts(), "as root"),
    ],
)
def test_how_to_get_control_groups(facts: MachineFacts, remedy: str) -> None:
    assert remedy in diagnose_groups(facts).remedy


def test_facts_are_read_from_the_machine() -> None:
    files = {
        "/proc/version": "Linux version 5.15.90.1-microsoft-standard-WSL2",
        "/proc/sys/user/max_user_namespaces": "63000\n",
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1\n",
        "/etc/os-release": 'NAME="Linux Mint"\nID=linuxmint\nID_LIKE="ubuntu debian"\n',
        "/proc/self/status": "Name:\tx\nSeccomp:\t2\n",
    }
    facts = gather_facts(lambda path: files.get(path, ""))
    assert (facts.wsl, facts.most_namespaces, facts.apparmor_restricts) == (2, 63000, True)
    assert facts.distribution == ("linuxmint", "ubuntu", "debian")
    assert facts.seccomp
    assert not facts.debian_denies
    assert gather_facts(lambda path: "").most_namespaces is None
