"""What untrusted authors write reaches the terminal as text only: raw bytes of every command are searched."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import pty
import re
import subprocess
import sys
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from arena.__main__ import RUNS_MATCHES
from arena.cli import cli
from arena.text.printable import EXCERPT, excerpt, one_line, printable
from arena_replays import Reader, Writer

pytestmark = pytest.mark.process

TITLE, CLIPBOARD, CLEAR = "\x1b]0;owned\x07", "\x1b]52;c;aGFjaw==\x07", "\x1b[2J"
EVIL = (
    f"{TITLE}{CLIPBOARD}{CLEAR}\x9b31m\x7f\x08\u202e\u2066\r\nError: forged.\x0bError: forged.\u2028Error: forged.\x85x"
)
ARENA = str(Path(sys.executable).with_name("arena"))


READS_ONLY = {"bracket", "export", "matches", "show", "standings"}


def arena(folder: Path, *arguments: str | Path) -> tuple[int, str]:
    """Run a command; return its exit code, and the bytes that it wrote to both streams as text.

    A command that plays matches gets a process of its own. The others, and `arena map`, run in this one, which saves
    their imports.
    """
    words = [str(argument) for argument in arguments]
    environment = {"XDG_CACHE_HOME": str(folder / "cache"), "PYTHONUTF8": "1"}
    if words[0] not in RUNS_MATCHES or words[0] == "map" or (words[0] == "contest" and words[1] in READS_ONLY):
        with contextlib.chdir(folder):
            ran = CliRunner(env=environment).invoke(cli, words, prog_name="arena")
        return ran.exit_code, (ran.stdout_bytes + ran.stderr_bytes).decode("utf-8")
    command = [ARENA, *words]
    done = subprocess.run(
        command, capture_output=True, cwd=folder, timeout=120, check=False, env=os.environ | environment
    )
    return done.returncode, (done.stdout + done.stderr).decode("utf-8")


def check(folder: Path, *arguments: str | Path, code: int | Sequence[int] = 0, terminal: bool = False) -> str:
    ended, output = arena(folder, *arguments)
    found = sorted(
        {repr(c) for c in output if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp", "Cs") and c not in "\n\t"}
    )
    assert not found, (arguments, found, output)
    assert not [line for line in output.splitlines() if line.startswith("Error: forged")], (arguments, output)
    assert "fault of Arena" not in output, (arguments, output)
    assert ended in ([code] if isinstance(code, int) else code), (arguments, ended, output)
    return output


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("played")
    code, output = arena(folder, "play", "saloon", "builtin:rowdy", "builtin:rowdy", "--seed", "1", "--sandbox", "none",
                         "--option", "max_turns=6", "--replay", "match.arena")  # fmt: skip
    assert code == 0, output
    return folder / "match.arena"


def hostile_replay(played: Path, path: Path) -> Path:
    """Write a replay that is well formed, with hostile text wherever a text can stand."""
    reader = Reader(played)
    players = [{"name": EVIL, "bot": EVIL, "hash": EVIL, "settings": {EVIL: EVIL}} for _ in range(2)]
    writer = Writer(path, {**reader.header, "title": EVIL, "version": EVIL, "players": players, "commitment": EVIL})
    writer.setup([EVIL], [next(reader.frames())[0]])
    for kind in ("log", "stdout", "stderr"):
        writer.note(0, kind, EVIL)
    writer.note(1, "draw", [{"kind": EVIL, "text": EVIL}])
    writer.do(0, {"type": EVIL, EVIL: EVIL}, [EVIL], [[]], [[{"kind": EVIL}]])
    writer.refuse(1, EVIL, EVIL, EVIL)
    writer.turn(0, 0, 10, None, None, b"12345678")
    writer.seat(1, EVIL, EVIL)
    ends = [{"name": EVIL, "ending": EVIL, "detail": EVIL, "score": 1.0}] * 2
    writer.finish({"outcome": {"winner": 0, "reason": EVIL}, "digest": EVIL, "players": ends})
    return path


@pytest.mark.promise("terminals")
def test_the_commands_on_replays(played: Path, tmp_path: Path) -> None:
    path = hostile_replay(played, tmp_path / "evil.arena")
    for arguments in (("info",), ("info", "--json"), ("log",), ("log", "--json")):
        output = check(tmp_path, "replay", arguments[0], path, *arguments[1:])
        assert "owned" in output
    assert "owned" in check(tmp_path, "replay", "verify", path, code=(1, 3, 4, 10))
    check(tmp_path, "replay", "log", path, "--turn", "1")
    check(tmp_path, "replay", "verify", path, "--json", code=(1, 3, 4, 10))
    check(tmp_path, "replay", "export", path, "--html", tmp_path / "out.html")


@pytest.mark.parametrize("header", [
    {}, {"players": 7}, {"players": [7, None, {"name": 3}]}, {"title": [], "commitment": {}},
    {"options": 1, "game": "saloon"},
])  # fmt: skip
def test_headers_that_hold_something_else(tmp_path: Path, header: dict[str, Any]) -> None:
    writer = Writer(tmp_path / "odd.arena", header)
    writer.setup([], [[]])
    writer.turn(0, 0, 10, None, None, b"12345678")
    writer.finish(
        {"outcome": {"winner": 9, "reason": 1}, "players": [{"score": "x"}, 3, None], "digest": 5, "seed": {}}
    )
    check(tmp_path, "replay", "info", "odd.arena")
    check(tmp_path, "replay", "log", "odd.arena")
    check(tmp_path, "replay", "log", "odd.arena", "--turn", "1", code=11)
    check(tmp_path, "replay", "verify", "odd.arena", code=(1, 3, 4, 9, 10, 11))
    check(tmp_path, "replay", "export", "odd.arena", "--html", "out.html")


@pytest.mark.promise("terminals")
def test_names_of_files(played: Path, tmp_path: Path) -> None:
    name = EVIL.replace("/", "")[:100]
    bad = tmp_path / f"{name}.arena"
    bad.write_bytes(b"no replay")
    for command in ("info", "log", "verify"):
        check(tmp_path, "replay", command, bad, code=9)
    good = tmp_path / f"{name}2.arena"
    good.write_bytes(played.read_bytes())
    check(tmp_path, "replay", "verify", good)
    check(tmp_path, "replay", "export", good, code=2)
    bot = tmp_path / f"{name}.py"
    bot.write_text("pass")
    check(tmp_path, "play", "saloon", bot, "builtin:rowdy", "--replay", "none", code=5)
    check(tmp_path, "play", "saloon", f"{name}-absent", "builtin:rowdy", "--replay", "none", code=5)
    check(tmp_path, "play", name, name, name, code=3)
    check(tmp_path, name, code=2)
    check(tmp_path, "play", "saloon", f"--{name}", code=2)
    check(tmp_path, "map", "show", "saloon", name, code=(1, 2, 4))
    check(tmp_path, "contest", "check", name, code=(2, 14))
    trace = tmp_path / f"{name}.jsonl"
    trace.write_text(json.dumps({"type": EVIL, "game": EVIL}) + "\n")
    check(tmp_path, "conform", "saloon", trace, code=(1, 13))
    check(tmp_path, "conform", "saloon", trace, "--json", code=(1, 13))


def test_the_text_of_traces(tmp_path: Path) -> None:
    source = next((Path(__file__).parents[2] / "games" / "saloon").rglob("*.jsonl*"))
    data = source.read_bytes()
    text = gzip.decompress(data) if source.suffix == ".gz" else data
    lines = [json.loads(line) for line in text.splitlines()]
    changed = 0
    for line in lines:
        if "action" in line and isinstance(line["action"], dict):
            line["action"]["type"] = EVIL
            changed += 1
    assert changed
    (tmp_path / "evil.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    check(tmp_path, "conform", "saloon", "evil.jsonl", code=(1, 13))


BOT = """
import sys
from arena_player import AI
EVIL = {evil!r}
print(EVIL)
print(EVIL, file=sys.stderr)
raise RuntimeError(EVIL)
"""


@pytest.mark.promise("terminals")
def test_what_a_bot_prints(tmp_path: Path) -> None:
    (tmp_path / "evil.py").write_text(BOT.format(evil=EVIL))
    play = ("play", "saloon", "evil.py", "builtin:rowdy", "--sandbox", "none", "--seed", "1")
    assert "owned" in check(tmp_path, *play, "--replay", "m.arena", code=8)
    check(tmp_path, *play, "--replay", "none", "--json", code=8)
    check(tmp_path, *play, "--replay", "none", "--games", "2", code=8)
    assert "owned" in check(tmp_path, "replay", "log", "m.arena")
    check(tmp_path, "replay", "info", "m.arena")


@pytest.mark.kill  # one more build
def test_manifests_and_sources(tmp_path: Path) -> None:
    folder = tmp_path / "evil"
    folder.mkdir()
    (folder / "main.py").write_text("x = '\u202e\n")
    play = ("play", "saloon", "evil", "builtin:rowdy", "--replay", "none")
    check(tmp_path, *play, code=5)
    for manifest in (
        {"name": EVIL}, {"name": "x", "python": EVIL}, {"name": "x", EVIL: 1}, {"name": "x", "command": [EVIL]},
        {"name": "x", "python": "main.py", "game": EVIL}, {"name": "x", "python": "main.py", "description": EVIL},
    ):  # fmt: skip
        lines = [f"{json.dumps(key)} = {json.dumps(value)}" for key, value in manifest.items()]
        (folder / "bot.toml").write_text("\n".join(lines))
        check(tmp_path, *play, code=(5, 8))
    (folder / "bot.toml").write_text(f"name = {EVIL}")
    check(tmp_path, *play, code=5)


LEAGUE = """
[contest]
name = {name}
game = "saloon"
isolation = "none"
seed = "0123456789012345678901234567890123456789"
[options]
max_turns = 4
[[bots]]
path = "builtin:rowdy"
[[bots]]
path = "evil.py"
name = "evil"
[[stages]]
name = {name}
format = "round_robin"
"""


@pytest.mark.promise("terminals")
def test_a_contest(tmp_path: Path) -> None:
    pytest.importorskip("rich")
    (tmp_path / "evil.py").write_text(BOT.format(evil=EVIL))
    name = json.dumps(EVIL)
    (tmp_path / "contest.toml").write_text(LEAGUE.format(name=name))
    check(tmp_path, "contest", "check", code=(0, 1, 2, 5, 14))
    plain = LEAGUE.format(name='"plain"')
    (tmp_path / "contest.toml").write_text(plain)
    check(tmp_path, "contest", "check", code=(0, 5, 14))
    check(tmp_path, "contest", "run", "--no-check")
    for command in ("standings", "bracket", "matches"):
        for form in ("table", "json", "csv"):
            check(tmp_path, "contest", command, "--format", form)
    first = check(tmp_path, "contest", "matches", "--format", "csv").splitlines()[1]
    check(tmp_path, "contest", "show", first.partition(",")[0])
    check(tmp_path, "contest", "show", EVIL.replace("\x00", ""), code=(2, 14))
    check(tmp_path, "contest", "invite", name, "--person", "Ann", code=(0, 2, 14))
    check(tmp_path, "contest", "export")


def in_a_terminal(*arguments: str | Path, columns: int = 80) -> bytes:
    """Run a command in a terminal of its own, and return what it writes there."""
    ours, theirs = pty.openpty()
    output = b""
    try:
        environment = os.environ | {"COLUMNS": str(columns)}
        done = subprocess.Popen([ARENA, *map(str, arguments)], stdout=theirs, stderr=theirs, env=environment)
        os.close(theirs)
        with contextlib.suppress(OSError):
            while part := os.read(ours, 65536):
                output += part
        assert done.wait() == 0, output
    finally:
        os.close(ours)
    return output


def test_a_table_fits_a_terminal(tmp_path: Path) -> None:
    command = ("play", "snakes", "builtin:hatchling", "builtin:hatchling", "--seed", "5314949214512425356")
    output = in_a_terminal(*command, "--games", "2", "--replay", tmp_path / "a.arena", "--sandbox", "none")
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", output.decode()).replace("\r\n", "\n")
    table = text[text.index("match  seed") :].split("\n\n")[0].splitlines()
    assert max(map(len, table)) <= 80
    assert "5314949214512425356" in table[1]
    assert len(table) > 3, "players are wrapped"


def test_only_our_own_colours_reach_a_terminal(played: Path, tmp_path: Path) -> None:
    output = in_a_terminal("replay", "info", hostile_replay(played, tmp_path / "evil.arena"))
    text = output.decode("utf-8").replace("\x1b[1m", "").replace("\x1b[0m", "").replace("\r\n", "\n")
    assert b"\x1b[1m" in output, "the heading is bold"
    assert not [c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") and c != "\n"]


def test_texts_stay_readable() -> None:
    assert one_line("Zoë – 東京 ✓") == "Zoë – 東京 ✓"
    assert one_line("a\nb\tc") == "a\\x0ab\tc"
    assert printable("a\nb\x1b[0m") == "a\nb\\x1b[0m"
    assert one_line("\U000e0001\udcff") == "\\U000e0001\\udcff"


def test_an_excerpt_has_head_and_tail_and_no_long_lines():
    short = "one\ntwo\n"
    assert excerpt(short) == short
    assert excerpt("x" * 600) == "x" * 500 + " [cut: 100 characters]"
    text = excerpt("\n".join(f"line {number}" for number in range(100_000)))
    assert len(text) < EXCERPT + 100
    assert (text.startswith("line 0\nline 1\n"), text.endswith("\nline 99999"), text.count("\n[cut: ")) == (
        True,
        True,
        1,
    )
