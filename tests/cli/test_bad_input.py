"""Mistakes of the user: one sentence each, an exit code of its own, no traceback, and nothing left behind."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from shortened import shortened
from waiting import until

from arena.bots.system.orphans import descendants
from arena.contests.config_file import template
from arena.contests.strength.grade import rubric_template
from arena.errors import ExitCode
from arena.game import Seeded
from arena.match.lookup import find_game
from arena.play.seats.ticket import KEY_SIZE, Ticket
from arena_replays import Reader

pytestmark = pytest.mark.process

Arena = Callable[..., Any]
BOT = "from arena_player import AI\n\nclass Bot(AI):\n    def run_turn(self):\n        {}\n"
OWN = "builtin:rowdy"


def bot(name: str, source: str) -> Path:
    path = Path(name)
    path.write_text(source)
    return path


READS = [
    "play laser_flag builtin:rookie builtin:rookie --map {}",
    "replay info {}", "replay log {}", "replay verify {}", "replay export {} --html out.html", "rerun {} " + OWN,
    f"play saloon {OWN} {OWN} --from {{}}@1", f"play saloon {OWN} {OWN} --from {{}}",
    "play derelict builtin:castaway builtin:castaway --map {}", "map check derelict {}",
    "grade saloon builtin:rowdy --rubric {}", "contest check {}", "contest verify {}", "contest teams {}",
    "conform saloon {}", "bot check {}", "join {} " + OWN,
]  # fmt: skip


@pytest.mark.parametrize("command", READS)
@pytest.mark.promise("endless-files")
def test_a_file_without_end_fills_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("zero").symlink_to("/dev/zero")
    program = [sys.executable, "-m", "arena", *command.format("zero").split()]
    done = subprocess.run(
        program, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30)),
    )  # fmt: skip
    assert done.returncode not in (ExitCode.OK, ExitCode.FAULT), done.stdout + done.stderr
    assert done.returncode > 0
    assert "Traceback" not in done.stderr
    assert "Error: " in done.stderr or command.startswith("conform")


@pytest.mark.parametrize("command", READS)
@pytest.mark.promise("endless-files")
def test_a_file_without_bottom_is_refused(arena: Arena, command: str) -> None:
    Path("deep").write_text("a = " + "[" * 100_000)
    ran = arena(*command.format("deep").split())
    assert ran.code not in (ExitCode.OK, ExitCode.FAULT), ran
    assert "Error: " in ran.stderr or command.startswith("conform")


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["plai"], ExitCode.USAGE, "Did you mean `arena play`?"),
        (["play", "salon", OWN, OWN], ExitCode.UNKNOWN_GAME, "Did you mean saloon?"),
        (["play", "no_such_game", OWN, OWN], ExitCode.UNKNOWN_GAME, "Installed games"),
        (["play", "saloon", OWN], ExitCode.USAGE, "for 2 players, not 1"),
        (["play", "saloon", "builtin:nobody", OWN], ExitCode.BAD_BOT, "It has builtin:rowdy"),
        (["play", "saloon", "builtin:sherif", OWN], ExitCode.BAD_BOT, "Did you mean builtin:sheriff?"),
        (["play", "saloon", "rowdy", OWN], ExitCode.BAD_BOT, "Did you mean builtin:rowdy?"),
        (["contest", "init", "saloon", "rowdy"], ExitCode.BAD_BOT, "Did you mean builtin:rowdy?"),
        (["new", "saloon", "bot", "--language", "js"], ExitCode.USAGE, "Did you mean javascript?"),
        (["play", "saloon", OWN, OWN, "--sandbox", "non"], ExitCode.USAGE, "Did you mean none?"),
        (["play", "saloon", OWN, OWN, "--clock", "bnk=3"], ExitCode.BAD_OPTION, "did you mean bank?"),
        (["play", "laser_flag", OWN, OWN, "--map", "crosroads"], ExitCode.BAD_OPTION, "did you mean crossroads?"),
        (["play", "saloon", "nowhere.py", OWN], ExitCode.BAD_BOT, "There is no bot at nowhere.py"),
        (["play", "saloon", OWN, OWN, "-o", "widht=8"], ExitCode.BAD_OPTION, "did you mean width?"),
        (["play", "saloon", OWN, OWN, "-o", "width=banana"], ExitCode.BAD_OPTION, "not 'banana'"),
        (["play", "saloon", OWN, OWN, "-o", "width=7"], ExitCode.BAD_OPTION, "even"),
        (
            ["play", "saloon", OWN, OWN, "-o", "width=4"],
            ExitCode.BAD_OPTION,
            "must be a whole number from 6 to 200, not 4",
        ),
        (["play", "saloon", OWN, OWN, "-o", "width"], ExitCode.BAD_OPTION, "NAME=VALUE"),
        (["play", "saloon", OWN, OWN, "--clock", "bank=soon"], ExitCode.BAD_OPTION, "clock's bank"),
        (["play", "saloon", OWN, OWN, "--clock", "bank=nan"], ExitCode.BAD_OPTION, "clock's bank"),
        (["compare", "saloon", OWN, OWN, "--sprt", "elo0=nan"], ExitCode.USAGE, "not of the form NAME=NUMBER"),
        (["play", "saloon", OWN, OWN, "--clock", "speed=3"], ExitCode.BAD_OPTION, "clock has no speed"),
        (["play", "saloon", OWN, OWN, "--bot-option", "7:a=b"], ExitCode.BAD_OPTION, "seats are 0 to 1"),
        (["play", "saloon", OWN, OWN, "--bot-option", "\u00b2:a=b"], ExitCode.BAD_OPTION, "seats are 0 to 1"),
        (["play", "saloon", OWN, OWN, "--bot-option", f"{'9' * 5000}:a=b"], ExitCode.BAD_OPTION, "seats are 0 to 1"),
        (["play", "saloon", OWN, OWN, "--map", "x"], ExitCode.BAD_OPTION, "has no maps"),
        (["play", "saloon", OWN, OWN, "--replay", "no/such/folder/x.arena"], ExitCode.CANNOT_WRITE, "does not exist"),
        (
            ["play", "saloon", "human", OWN, "--host", "a..b", "--replay", "none"],
            ExitCode.CANNOT_WRITE,
            "not an address to serve on",
        ),
        (
            ["play", "saloon", "human", OWN, "--host", "a b", "--replay", "none"],
            ExitCode.CANNOT_WRITE,
            "'a b' is not an address to serve on.",
        ),
        (["games", "salon"], ExitCode.UNKNOWN_GAME, "Did you mean saloon?"),
        (["sdk", "salon"], ExitCode.UNKNOWN_GAME, "Did you mean saloon?"),
        (["replay", "verify", "nothing.arena"], ExitCode.NOT_A_REPLAY, "nothing.arena"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_message_and_code(arena: Arena, args: list[str], code: ExitCode, message: str) -> None:
    ran = arena(*args)
    assert (ran.code, ran.stdout) == (code, "")
    assert message in ran.stderr
    assert len(ran.stderr.strip().splitlines()) <= 4  # at most two of the usage, and an empty one
    assert not list(Path().glob("*"))


CONTEST = """
[contest]
name = "Marked"
game = "saloon"
isolation = "none"
[options]
max_turns = 4
[[bots]]
path = "builtin:rowdy"
[[bots]]
path = "builtin:pianist"
[[stages]]
name = "all"
format = "round_robin"
"""
READ = {
    "bot/bot.toml": f"play saloon bot {OWN} -o max_turns=2 --seed 1 --replay none",
    "bot/main.py": f"play saloon bot {OWN} -o max_turns=2 --seed 1 --replay none",
    "single.py": f"play saloon single.py {OWN} -o max_turns=2 --seed 1 --replay none",
    "contest.toml": "contest check",
    "term.toml": "contest serve term.toml --host a..b",
    "people.csv": "contest teams people.csv term.toml",
    "rubric.toml": "grade snakes single.py --rubric rubric.toml",
    "state.json": f"play saloon {OWN} {OWN} --from state.json --seed 1 --replay none",
    "map.json": "map check laser_flag map.json",
    "ticket": "join ticket nowhere.py",
}
"""A command for each kind of file that people write, which reads the file and ends soon."""


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("texts")
    source = BOT.format("pass")
    options = find_game("saloon").resolve_options({"max_turns": 2})
    start = find_game("saloon").start(options, Seeded(1))
    (folder / "bot").mkdir()
    contents = {
        "bot/bot.toml": 'name = "Marked"\npython = "main.py"\n', "bot/main.py": source, "single.py": source,
        "contest.toml": CONTEST, "term.toml": template(find_game("saloon"), [], people=True),
        "people.csv": "team,member\nRed,Rita\n",
        "rubric.toml": rubric_template("saloon", [OWN]),
        "state.json": json.dumps({"game": "saloon", "options": options.to_document(), "state": start.to_document()}),
        "map.json": json.dumps(find_game("laser_flag").load_map("crossroads")),
        "ticket": str(Ticket("tcp://127.0.0.1:1", bytes(KEY_SIZE), bytes(KEY_SIZE))),
    }  # fmt: skip
    for name, text in contents.items():
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize("name", shortened(READ, 3))
def test_a_byte_order_mark_is_ignored_and_utf16_is_named(arena: Arena, texts: Path, tmp_path: Path, name: str) -> None:
    text = (texts / name).read_text()
    ran = []
    for number, encoding in enumerate(("utf-8", "utf-8-sig", "utf-16")):
        shutil.copytree(texts, folder := tmp_path / str(number))
        (folder / name).write_text(text, encoding=encoding)
        os.chdir(folder)
        one = arena(*READ[name].split())
        ran.append((one.code, re.split(r"\n|invite-|\(", one.stdout)[0], one.stderr))
    plain, marked, other = ran
    assert marked == plain
    if name != "map.json":  # JSON names its own encodings
        assert other[0] in (ExitCode.BAD_BOT, ExitCode.BAD_LEAGUE, ExitCode.BAD_OPTION, ExitCode.BAD_TICKET)
        assert "is UTF-16; save it as UTF-8." in other[2] or name == "ticket"
        assert len(other[2].splitlines()) <= 3


@pytest.mark.parametrize("group", [[], ["contest"], ["replay"]])
def test_a_group_without_a_command_prints_its_help(arena: Arena, group: list[str]) -> None:
    ran = arena(*group)
    assert (ran.code, ran.stdout) == (ExitCode.USAGE, "")
    assert ran.stderr == arena(*group, "--help").stdout


@pytest.mark.parametrize("args", [["explain", "match.arena", "--budget"], ["rerun", "match.arena", OWN, "--explain"]])
@pytest.mark.parametrize("number", ["nan", "inf"])
def test_a_budget_without_an_end_is_refused(arena: Arena, args: list[str], number: str) -> None:
    ran = arena(*args, number)
    assert (ran.code, ran.stdout) == (ExitCode.USAGE, "")
    assert f"{number} is not a finite number." in ran.stderr


def test_a_bot_folder_without_an_entry(arena: Arena) -> None:
    Path("empty").mkdir()
    ran = arena("play", "saloon", "empty", OWN)
    assert ran.code == ExitCode.BAD_BOT
    assert "bot.toml" in ran.stderr


def test_a_bot_with_a_syntax_error_is_shown_the_line(arena: Arena) -> None:
    ran = arena("play", "saloon", bot("broken.py", "def run_turn(:\n"), OWN)
    assert ran.code == ExitCode.BAD_BOT
    assert "broken.py" in ran.stderr
    assert "line 1" in ran.stderr


def test_a_bot_for_another_game(arena: Arena) -> None:
    Path("other").mkdir()
    Path("other/bot.toml").write_text('name = "other"\ngame = "chess"\npython = "main.py"\n')
    Path("other/main.py").write_text(BOT.format("pass"))
    for words in (
        ("play", "saloon", "other", OWN),
        ("compare", "saloon", "other", OWN),
        ("climb", "saloon", "other"),
        ("bot", "check", "other", "--game", "saloon"),
    ):
        ran = arena(*words)
        assert ran.code == ExitCode.BAD_BOT
        assert "The bot other is for chess, not for saloon." in ran.stderr


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("import time\ntime.sleep(100)\n", "was not ready within 1 s; never connected"),
        (
            "import os, time\nfrom arena_player.link import open_link\n"
            "link = open_link(os.environ['ARENA_ENDPOINT'])\ntime.sleep(100)\n",
            "was not ready within 1 s; connected, but sent no hello",
        ),
        (
            "import time\nfrom arena_player import AI\nclass Bot(AI):\n"
            "    def start(self):\n        time.sleep(100)\n    def run_turn(self):\n        pass\n",
            "was not ready within 1 s; connected, but not ready",
        ),
        ("print('on stdout', flush=True)\nraise SystemExit(5)\n", "  Its output:\n  | on stdout\n"),
        ("raise SystemExit(5)\n", "never connected; exit code 5"),
        ("raise ValueError('no luck')\n", "ValueError: no luck"),
        ("x = 1\n", "AI"),
    ],
)
def test_a_bot_that_does_not_start(arena: Arena, source: str, message: str) -> None:
    ran = arena("play", "saloon", bot("late.py", source), OWN, "--clock", "startup=1", "--replay", "m.arena")
    assert ran.code == ExitCode.NO_START
    assert "late no_start" in ran.stdout
    assert message in ran.stdout
    assert Reader("m.arena").outcome == {"winner": 1, "reason": "forfeit"}


def test_a_bot_that_crashes_loses_a_match_that_counts(arena: Arena) -> None:
    ran = arena("play", "saloon", bot("crash.py", BOT.format("raise ValueError('in a turn')")), OWN)
    assert ran.code == ExitCode.OK
    assert "rowdy wins (forfeit)" in ran.stdout
    assert "ValueError: in a turn" in ran.stdout


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written(arena: Arena) -> None:
    Path("locked").mkdir(mode=0o555)
    ran = arena("play", "saloon", OWN, OWN, "--replay", "locked/x.arena")
    assert ran.code == ExitCode.CANNOT_WRITE


def test_a_replay_path_that_is_a_folder(arena: Arena) -> None:
    Path("x.arena").mkdir()
    ran = arena("play", "saloon", OWN, OWN, "--replay", "x.arena")
    assert ran.code == ExitCode.CANNOT_WRITE
    assert "x.arena" in ran.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can take bubblewrap away for one command")
def test_a_missing_sandbox_when_one_is_required() -> None:
    hide = 'mount --bind /dev/null /usr/bin/bwrap && exec "$@"'
    play = [sys.executable, "-m", "arena", "play", "saloon", OWN, OWN, "--replay", "none", "--sandbox", "bwrap"]
    ran = subprocess.run(["unshare", "-m", "sh", "-c", hide, "sh", *play], capture_output=True, text=True)
    assert ran.returncode == ExitCode.NO_ISOLATION, ran
    assert "Traceback" not in ran.stderr
    assert len(ran.stderr.strip().splitlines()) <= 4  # at most two of the usage, and an empty one
    assert "bwrap" in ran.stderr or "bubblewrap" in ran.stderr


def play_slowly(folder: Path, turns: int) -> subprocess.Popen[str]:
    """Start a match whose first bot takes its time, and wait until so many turns are in its replay."""
    (folder / "slow.py").write_text(BOT.format("import time; time.sleep(0.05)"))
    command = [sys.executable, "-m", "arena", "play", "saloon", str(folder / "slow.py"), OWN]
    process = subprocess.Popen(
        [*command, "--replay", str(folder / "m.arena")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    until(lambda: (folder / "m.arena").exists() and len(Reader(folder / "m.arena").turns) >= turns)
    return process


def test_ctrl_c_keeps_the_match_as_far_as_it_went(tmp_path: Path) -> None:
    process = play_slowly(tmp_path, 4)
    os.killpg(process.pid, signal.SIGINT)
    stdout, stderr = process.communicate(timeout=20)
    assert process.returncode == ExitCode.INTERRUPTED, stdout + stderr
    assert "Traceback" not in stderr
    assert "No result (interrupted by SIGINT)" in stdout
    reader = Reader(tmp_path / "m.arena")
    assert not reader.truncated
    assert len([turn for turn in reader.turns if turn.digest is not None]) >= 3


@pytest.mark.parametrize(
    ("depth", "reason"), [(1, "because its fork server ended"), (2, "ended without a result (SIGKILL)")]
)
def test_a_killed_referee_leaves_a_readable_file(tmp_path: Path, depth: int, reason: str) -> None:
    process = play_slowly(tmp_path, 6)
    victim = process.pid
    for _ in range(depth):  # the command's child is the fork server, whose child is the match process
        victim = int(Path(f"/proc/{victim}/task/{victim}/children").read_text().split()[0])
    family = descendants(process.pid)
    os.kill(victim, signal.SIGKILL)
    _, stderr = process.communicate(timeout=20)
    assert process.returncode == ExitCode.FAULT
    assert reason in stderr
    assert ended(family)
    assert "Traceback" not in stderr
    reader = Reader(tmp_path / "m.arena")
    assert reader.truncated
    assert len(reader.turns) >= 5


def test_a_killed_command_leaves_nothing_running(tmp_path: Path) -> None:
    process = play_slowly(tmp_path, 3)
    family = descendants(process.pid)
    assert len(family) >= 5, "the command, the fork server, the match process and two bots"
    process.kill()
    process.communicate(timeout=20)
    assert ended(family)


def ended(pids: list[int]) -> bool:
    """Return whether all of these processes end within a moment."""
    return until(lambda: not any(Path(f"/proc/{pid}/exe").exists() for pid in pids))


@pytest.mark.parametrize("size", [0, 3, 40, 400])
def test_truncated_and_foreign_replays(arena: Arena, size: int) -> None:
    arena("play", "saloon", OWN, OWN, "--seed", "1", "-o", "max_turns=20", "--replay", "m.arena")
    whole = Path("m.arena").read_bytes()
    Path("cut.arena").write_bytes(whole[:size] if size else b"PK\x03\x04 something else")
    for command in ("info", "log", "verify"):
        ran = arena("replay", command, "cut.arena")
        assert ran.code in (ExitCode.NOT_A_REPLAY, ExitCode.DAMAGED_REPLAY), (command, ran)
        assert "cut.arena" in ran.stderr


def test_a_replay_of_another_version_of_the_format(arena: Arena) -> None:
    arena("play", "saloon", OWN, OWN, "--seed", "1", "-o", "max_turns=4", "--replay", "m.arena")
    whole = bytearray(Path("m.arena").read_bytes())
    from arena_replays import records

    assert bytes(whole[: len(records.PREAMBLE)]) == records.PREAMBLE
    whole[len(records.PREAMBLE) - 1] += 1
    Path("new.arena").write_bytes(whole)
    ran = arena("replay", "info", "new.arena")
    assert ran.code in (ExitCode.UNKNOWN_VERSION, ExitCode.NOT_A_REPLAY), ran
    assert "new.arena" in ran.stderr
