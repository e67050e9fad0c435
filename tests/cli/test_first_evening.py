"""Problems of a new user on the first evening: mistakes, a full disk, Ctrl-C at any moment."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from waiting import until

from arena.bots.bot import load_bot
from arena.bots.folders.files import left_out, left_out_in_words
from arena.cli.submit import packed
from arena.errors import ExitCode
from arena.match.lookup import find_game
from arena_replays import Reader

pytestmark = pytest.mark.process

Arena = Callable[..., Any]
OWN = "builtin:rowdy"
PASSES = "from arena_player import AI\n\nclass Bot(AI):\n    def run_turn(self):\n        pass\n"


@pytest.fixture
def taken_port() -> Any:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield str(other.getsockname()[1])


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["play", "saloon", OWN, OWN, "--clock", "turn=nan"], ExitCode.BAD_OPTION, "clock's turn cannot be 'nan'"),
        (["play", "saloon", OWN, OWN, "--seed", str(2**64)], ExitCode.BAD_OPTION, "must fit into 64 bits"),
        (["play", "saloon", OWN, OWN, "--replay", ""], ExitCode.USAGE, "--replay needs a file."),
        (["play", "saloon", "human", OWN, "--live", "--port", "8000"], ExitCode.USAGE, "Leave out --port or --live."),
        (["play", "saloon", "", OWN], ExitCode.BAD_BOT, "its name is empty"),
        (["play", "derelict", "builtin:castaway", "builtin:castaway", "-o", "mission=x"], ExitCode.BAD_OPTION, " x"),
        (["new", "saloon", "x" * 61], ExitCode.BAD_BOT, "more than 60"),
        (["sdk", "saloon", "--check"], ExitCode.DIFFERENCE, "There is no saloon.py."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_message_and_code(arena: Arena, args: list[str], code: ExitCode, message: str) -> None:
    ran = arena(*args)
    assert (ran.code, ran.stdout) == (code, "")
    assert message in ran.stderr
    assert len(ran.stderr.strip().splitlines()) <= 5
    assert not list(Path().glob("*"))


def test_two_versions_of_a_bot_have_the_names_of_their_folders(arena: Arena) -> None:
    for folder, does in (("old", "pass"), ("new", "self.player.young_gun.call_in('Brawler')")):
        Path(folder).mkdir()
        Path(folder, "bot.toml").write_text('name = "mine"\npython = "main.py"\n')
        Path(folder, "main.py").write_text(PASSES.replace("pass", does))
    ran = arena("play", "saloon", "new", "old", "--swap", "--json", "-o", "max_turns=20", "--replay", "none")
    first, second = json.loads(ran.stdout)["matches"]
    assert [player["name"] for player in first["players"]] == ["new", "old"]
    assert [player["name"] for player in second["players"]] == ["old", "new"]
    assert [player["bot"] for player in second["players"]] == ["old", "new"]


@pytest.mark.parametrize("language", ["python", "javascript"])
def test_a_copy_of_a_bot_has_the_name_of_its_folder(arena: Arena, language: str) -> None:
    arena("new", "saloon", "my_bot", "--language", language)
    shutil.copytree("my_bot", "old_bot")
    assert [load_bot(name).name for name in ("my_bot", "old_bot")] == ["my_bot", "old_bot"]
    assert not [path for path in Path("old_bot").rglob("*") if path.is_file() and "my_bot" in path.read_text()]
    arena("new", "saloon", "a:b", "--language", language)
    assert load_bot("a:b").name == "a_b"


def test_a_mission_is_an_option_by_its_name(arena: Arena) -> None:
    ran = arena(
        "play", "derelict", "builtin:castaway", "builtin:castaway", "-o", "mission=airlock", "--no-swap",
        "--replay", "m.arena",
    )  # fmt: skip
    assert ran.code == ExitCode.OK, ran.stderr
    assert Reader("m.arena").header["options"]["mission"]["name"] == "airlock"


def test_a_file_that_is_no_replay_is_not_overwritten(arena: Arena) -> None:
    Path("main.py").write_text(PASSES)
    ran = arena("play", "saloon", "main.py", OWN, "--replay", "main.py")
    assert ran.code == ExitCode.CANNOT_WRITE
    assert "is not a replay" in ran.stderr
    assert Path("main.py").read_text() == PASSES


def test_a_replay_is_not_written_over_itself(arena: Arena) -> None:
    arena("play", "saloon", OWN, OWN, "-o", "max_turns=6", "--replay", "m.arena")
    whole = Path("m.arena").read_bytes()
    os.link("m.arena", "same.arena")
    os.link("m.arena", "m.png")
    for args in (
        ("export", "m.arena", "--html", "m.arena"),
        ("export", "m.arena", "--html", "same.arena"),
        ("export", "m.arena", "--png", "1", "--out", "m.arena"),
        ("export", "m.png", "--png", "1"),
    ):
        ran = arena("replay", *args)
        assert ran.code == ExitCode.CANNOT_WRITE, args
        assert "is an input of this command" in ran.stderr
        assert Path("m.arena").read_bytes() == whole


def test_two_exports_do_not_go_into_one_file(arena: Arena) -> None:
    arena("play", "saloon", OWN, OWN, "-o", "max_turns=6", "--replay", "m.arena")
    Path("folder").mkdir()
    Path("a.gif").write_bytes(b"kept")
    os.link("a.gif", "b.gif")
    for args in (
        ("--html", "out", "--gif", "folder/../out"),
        ("--gif", "out", "--webm", "out"),
        ("--html", "m.png", "--png", "1"),
        ("--html", "a.gif", "--gif", "b.gif"),
    ):
        ran = arena("replay", "export", "m.arena", *args)
        assert ran.code == ExitCode.CANNOT_WRITE, (args, ran)
        assert "for two outputs" in ran.stderr
    assert {path.name for path in Path().iterdir()} == {"a.gif", "b.gif", "folder", "m.arena"}
    assert Path("a.gif").read_bytes() == b"kept"


def test_a_page_or_test_or_new_match_does_not_overwrite_what_it_is_made_from(arena: Arena) -> None:
    arena("play", "saloon", OWN, OWN, "-o", "max_turns=6", "--replay", "m.arena")
    whole = Path("m.arena").read_bytes()
    Path("folder").mkdir()
    Path("bot.py").write_text(PASSES)
    for args in (
        ("explain", "m.arena", "--html", "folder/../m.arena", "--budget", "1"),
        ("explain", "losses", ".", "--bot", "rowdy", "--html", "m.arena"),
        ("rerun", "m.arena@1", OWN, "--player", "0", "--pin", "folder/../m.arena"),
        ("rerun", "m.arena@1", "bot.py", "--player", "0", "--pin", "folder/../bot.py"),
        ("play", "saloon", OWN, OWN, "--from", "m.arena@2", "--replay", "folder/../m.arena"),
    ):
        ran = arena(*args)
        assert ran.code == ExitCode.CANNOT_WRITE, (args, ran)
        assert "is an input of this command" in ran.stderr
        assert (Path("m.arena").read_bytes(), Path("bot.py").read_text()) == (whole, PASSES)


def test_verify_looks_at_all_files_and_names_the_unusable(arena: Arena) -> None:
    arena("play", "saloon", OWN, OWN, "-o", "max_turns=6", "--replay", "m.arena")
    Path("junk.arena").write_bytes(b"junk")
    ran = arena("replay", "verify", "junk.arena", "m.arena")
    assert ran.code == ExitCode.NOT_A_REPLAY
    assert "junk.arena is not a replay" in ran.stderr
    assert "m.arena: verified" in ran.stdout
    ran = arena("replay", "verify", "--json", "junk.arena", "m.arena")
    assert [one["file"] for one in json.loads(ran.stdout)] == ["m.arena"]


def test_damage_in_the_first_lines_of_the_truth_is_called_damage(arena: Arena) -> None:
    from arena_replays import records

    arena("play", "saloon", OWN, OWN, "-o", "max_turns=6", "--replay", "m.arena")
    whole = bytearray(Path("m.arena").read_bytes())
    head = len(records.PREAMBLE)
    truth = head + 9 + int.from_bytes(whole[head + 1 : head + 5], "little")
    whole[truth + 20] ^= 0xFF
    Path("bad.arena").write_bytes(whole)
    ran = arena("replay", "verify", "bad.arena")
    assert ran.code == ExitCode.DAMAGED_REPLAY, ran
    assert "its checksum differs" in ran.stderr


@pytest.mark.parametrize("turn", ["-1", "99"])
def test_a_picture_of_a_turn_that_is_not_there(arena: Arena, turn: str) -> None:
    arena("play", "saloon", OWN, OWN, "-o", "max_turns=6", "--replay", "m.arena")
    ran = arena("replay", "export", "m.arena", "--png", turn)
    assert ran.code == ExitCode.BAD_OPTION
    assert f"no turn {turn}" in ran.stderr


def test_an_archive_is_named_and_not_where_it_was_unpacked(arena: Arena) -> None:
    with zipfile.ZipFile("bot.zip", "w") as archive:
        archive.writestr("readme.txt", "no bot")
    ran = arena("play", "saloon", "bot.zip", OWN)
    assert ran.code == ExitCode.BAD_BOT
    assert f"{Path('bot.zip').resolve()} is not a bot" in ran.stderr


def test_an_archive_that_cannot_be_unpacked_for_want_of_a_place(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile("bot.zip", "w") as archive:
        archive.writestr("main.py", PASSES)
    Path("file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(Path("file").resolve()))
    ran = arena("play", "saloon", "bot.zip", OWN)
    assert ran.code == ExitCode.BAD_BOT
    assert "cannot be unpacked into" in ran.stderr
    assert "XDG_CACHE_HOME" in ran.stderr


def test_a_sandbox_that_was_not_wanted_is_no_riddle(arena: Arena) -> None:
    ran = arena("play", "saloon", OWN, OWN, "--sandbox", "none", "-o", "max_turns=4", "--replay", "none")
    assert ran.stderr == "Warning: The bots were not in a sandbox; you requested this.\n"


def test_a_taken_port(arena: Arena, taken_port: str) -> None:
    for args in (
        ["play", "saloon", OWN, OWN, "--live", "--no-browser"],
        ["map", "edit", "laser_flag", "--no-browser"],
        ["view", "--no-browser"],
    ):
        ran = arena(*args, "--port", taken_port, apart=args[0] == "play")  # it leaves its fork server to its end
        assert ran.code == ExitCode.CANNOT_WRITE, args
        assert f"Port {taken_port} cannot be used" in ran.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_cannot_be_written() -> None:
    with open("/dev/full", "w") as full:
        ran = subprocess.run([sys.executable, "-m", "arena", "games"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert ran.returncode == ExitCode.CANNOT_WRITE
    assert ran.stderr == "Error: The output cannot be written: No space left on device.\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
@pytest.mark.parametrize("form", ["table", "json"])
def test_a_disk_that_fills_up_in_the_middle_of_a_series(tmp_path: Path, form: str) -> None:
    play = [sys.executable, "-m", "arena", "play", "saloon", OWN, OWN, "--games", "60", "-o", "max_turns=30"]
    script = 'mount -t tmpfs -o size=48k tmpfs "$0" && cd "$0" && exec "$@"'
    command = ["unshare", "-m", "sh", "-c", script, str(tmp_path), *play, *(["--json"] if form == "json" else [])]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert ran.returncode == ExitCode.CANNOT_WRITE, ran
    assert "Traceback" not in ran.stderr
    assert "no space left on device" in ran.stderr
    if form == "json":
        played = json.loads(ran.stdout)["summary"][0]["played"]
    else:
        played = int(re.search(r"rowdy \(1\) +(\d+)", ran.stdout)[1])  # type: ignore[index]
    assert 0 < played < 60


def interrupted(folder: Path, wait: Callable[[], object], *args: str) -> tuple[int, str, str]:
    """Run a command, press Ctrl-C in its terminal after a wait, and return exit code and output."""
    process = subprocess.Popen(
        [sys.executable, "-m", "arena", *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        start_new_session=True,
    )
    wait()
    os.killpg(process.pid, signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    return process.returncode, stdout, stderr


@pytest.mark.parametrize("seconds", [0.3, 0.45, 0.6, 0.75, 0.9])
def test_ctrl_c_at_any_moment_of_a_match(tmp_path: Path, seconds: float) -> None:
    bot = tmp_path / "slow.py"
    bot.write_text(PASSES.replace("pass", "import time; time.sleep(0.05)"))
    code, stdout, stderr = interrupted(
        tmp_path, partial(time.sleep, seconds), "play", "saloon", str(bot), OWN, "--games", "50", "--replay", "m.arena"
    )
    # Python itself ends by the signal where it was in the middle of its own work; a shell shows 130 for that as well.
    assert code in (ExitCode.INTERRUPTED, -signal.SIGINT), stdout + stderr
    # On a busy machine it may have come before the first line of ours; then Python shows where it was itself.
    assert "Traceback" not in stderr or f"arena{os.sep}cli" not in stderr
    for replay in tmp_path.glob("*.arena"):
        assert not Reader(replay).truncated


def test_ctrl_c_ends_a_series_and_keeps_what_was_played(tmp_path: Path) -> None:
    def second_match() -> None:
        until(lambda: len(list(tmp_path.glob("series*"))) > 1)

    settings = ("--games", "10000", "-o", "max_turns=10", "--replay", "series.arena", "--json")
    code, stdout, stderr = interrupted(tmp_path, second_match, "play", "saloon", OWN, OWN, *settings)
    assert code == ExitCode.INTERRUPTED, stderr
    assert "Traceback" not in stderr
    document = json.loads(stdout)
    assert 0 < document["summary"][0]["played"] <= len(document["matches"]) < 10000


def test_half_a_bot_is_not_left_behind(arena: Arena) -> None:
    Path("bot").mkdir()
    Path("bot").chmod(0o755)
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    script = 'mount -t tmpfs -o size=8k tmpfs bot && "$@"; code=$?; ls bot; exit $code'
    command = ["unshare", "-m", "sh", "-c", script, "sh", sys.executable, "-m", "arena", "new", "saloon", "bot"]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == ExitCode.CANNOT_WRITE, ran
    assert ran.stdout == ""


def test_commands_in_the_folder_of_a_bot_do_not_change_the_bot(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arena("new", "saloon", "mine")
    monkeypatch.chdir(tmp_path / "mine")
    bot, (_, archive) = load_bot("."), packed(Path("."))
    assert arena("play", "saloon", ".", OWN, "-o", "max_turns=2").code == 0
    climb = ("climb", "saloon", ".", "--most", "16", "-o", "max_turns=2", "--json")
    folders = [json.loads(arena(*climb).stdout)["folder"] for _ in range(2)]
    assert len({*folders, *map(str, Path("climb").glob("*/*"))}) == 1
    assert list(Path("replays").glob("*.arena"))
    assert load_bot(".").content_hash == bot.content_hash
    assert packed(Path("."))[1] == archive
    assert left_out_in_words(left_out(Path("."))) == ""


@pytest.mark.kill  # one more contest of programs
def test_the_typed_module_beside_single_files_is_no_competitor(arena: Arena) -> None:
    """`*` of a shell names it too. It has a class `AI`, so it would play, and win against bots that crash."""
    Path("bots").mkdir()
    arena("sdk", "saloon", "--out", "bots")
    for name in ("alice", "bob"):
        Path(f"bots/{name}.py").write_text(PASSES.replace("arena_player", "saloon"))
    Path("rubric.toml").write_text(
        '[rubric]\ngame = "saloon"\nseed = "9f0c2ab84be35d71"\n[[items]]\nkind = "conformance"\npoints = 1\n'
    )
    files = [f"bots/{name}.py" for name in ("alice", "bob", "saloon")]
    line = "bots/saloon.py is left out: it is the typed module that the bots beside it import.\n"

    compared = arena("compare", "saloon", *files, "--games", "2", "-o", "max_turns=2", "--json")
    assert json.loads(compared.stdout)["bots"] == ["alice", "bob"]
    assert compared.stderr.startswith(line)  # progress can follow
    graded = arena("grade", "saloon", *files, "--rubric", "rubric.toml", "--csv")
    assert [row.partition(",")[0] for row in graded.stdout.splitlines()] == ["bot", *files[:2]]
    assert graded.stderr.startswith(line)
    assert arena("contest", "init", "saloon", *files, "--file", "files.toml").stdout.startswith(line)
    arena("contest", "init", "saloon", "bots", "--file", "folder.toml")
    for league in ("files.toml", "folder.toml"):
        text = Path(league).read_text().replace('isolation = "bwrap"', 'isolation = "none"')
        Path(league).write_text(text.replace("# [options]", "[options]\nmax_turns = 2"))
        checked = json.loads(arena("contest", "check", league, "--json").stdout)
        assert (checked["ready"], checked["broken"]) == (["alice", "bob"], [])
    refused = arena("play", "saloon", "bots/saloon.py", OWN)
    assert (refused.code, refused.stdout) == (ExitCode.BAD_BOT, "")
    assert "bots/saloon.py is not a bot: it is the typed module that bots import." in refused.stderr


def test_a_folder_with_a_space_in_the_hint(arena: Arena) -> None:
    ran = arena("new", "saloon", "my bot")
    assert "arena play saloon 'my bot' builtin:rowdy" in ran.stdout
    shutil.rmtree("my bot")


def test_refusals_are_listed_with_their_reasons_and_counted_alike(arena: Arena) -> None:
    Path("pusher.py").write_text(
        "from arena_player import AI\n\nclass Bot(AI):\n    def run_turn(self):\n"
        "        for _ in range(90):\n"
        "            self.act({'type': 'call_in', 'young_gun': 'x' * 600, 'job': 'Brawler'})\n"
        "        self.act({'type': 'dance'})\n"
    )
    ran = arena("play", "saloon", "pusher.py", OWN, "-o", "max_turns=6", "--replay", "m.arena")
    lines = [line for line in ran.stdout.splitlines() if re.match(r"  \d+ x ", line)]
    assert sum(int(line.split()[0]) for line in lines) == 273
    assert "pusher was refused:" in ran.stdout
    assert lines[0].endswith("(639 bytes): bad value for young_gun)")
    assert len(Reader("m.arena").refusals) < 273
    shown = arena("replay", "info", "m.arena").stdout
    assert "273 refused" in shown
    assert "Bots read turn 1 as self.turn 0." in shown


def test_a_refused_word_names_the_allowed_ones(arena: Arena) -> None:
    call = "self.act({'type': 'call_in', 'young_gun': self.player.young_gun.id, 'job': 'Pirate'})"
    Path("hopeful.py").write_text(PASSES.replace("pass", call))
    ran = arena("play", "saloon", "hopeful.py", OWN, "-o", "max_turns=6", "--replay", "m.arena")
    assert "3 x bad_argument (first in turn 1: call_in(" in ran.stdout
    assert "bad value for job (job is one of Sharpshooter, Bartender, Brawler))" in ran.stdout


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("yield self.act({'type': 'end_turn'})", "run_turn returned a generator, so none of its code has run."),
        ("async", "run_turn returned a coroutine, so none of its code has run."),
        ("try: self.player.nothing\n        except Exception: pass", "lazy: It gave no order in all its 12 turns."),
    ],
)
def test_a_bot_that_never_acts_is_named(arena: Arena, body: str, said: str) -> None:
    source = PASSES.replace("def", "async def", 1) if body == "async" else PASSES.replace("pass", body)
    Path("lazy.py").write_text(source)
    ran = arena("play", "saloon", "lazy.py", OWN, "-o", "max_turns=24", "--replay", "m.arena")
    assert said in ran.stdout
    assert ("Write `def run_turn(self)` without `async`" in ran.stdout) == ("none of its code" in said)


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")
def test_a_generator_in_javascript_is_named(arena: Arena) -> None:
    assert arena("new", "saloon", "lazy", "--language", "javascript").code == 0
    main = Path("lazy/main.js")
    main.write_text(main.read_text().replace("  run_turn() {", "  *run_turn() {"))
    ran = arena("play", "saloon", "lazy", OWN, "-o", "max_turns=24", "--replay", "none")
    assert "run_turn returned a generator, so none of its code has run. Write run_turn() without `*`." in ran.stdout


PRINTS = PASSES.replace("pass", "print('thought', self.turn)") + "    def end(self, outcome):\n        1 / 0\n"


def test_what_a_bot_printed_is_found_and_an_exception_at_the_end_is_shown(arena: Arena) -> None:
    Path("calm.py").write_text(PRINTS.partition("    def end")[0])
    Path("loud.py").write_text(PRINTS)
    ran = arena("play", "saloon", "calm.py", OWN, "-o", "max_turns=6", "--replay", "m.arena")
    assert "arena replay log --printed m.arena" in ran.stdout
    assert "failed after the match" not in ran.stdout
    shown = arena("replay", "log", "--printed", "m.arena").stdout.splitlines()
    assert [line.partition(": ")[0] for line in shown] == ["turn 1, calm", "turn 3, calm", "turn 5, calm"]
    ran = arena("play", "saloon", "calm.py", OWN, "-o", "max_turns=6", "--replay", "m.arena", "--log")
    assert all(f"  | {line}" in ran.stdout for line in shown)
    for more in ((), ("--games", "2")):
        ran = arena("play", "saloon", "loud.py", OWN, "-o", "max_turns=6", *more)
        assert ran.code == ExitCode.OK
        assert "loud failed after the match: exit code 1" in ran.stdout
        assert "ZeroDivisionError" in ran.stdout
    assert arena("play", "saloon", "calm.py", OWN, "--log", "--json").code == ExitCode.USAGE


@pytest.mark.parametrize("game", ["saloon", "laser_flag", "derelict", "snakes"])
def test_a_game_is_shown_in_80_columns_with_what_matters_first(arena: Arena, game: str) -> None:
    lines = arena("games", game).stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert not lines[1].startswith(find_game(game).title), "the title is in the line above"
    text = "\n".join(lines)
    assert f"arena rules {game}" in text
    assert f"arena new {game} my_bot" in text
    assert text.index("arena rules") < text.index("Built-in bots") < text.index("Options")


def test_what_to_do_next_and_equal_games(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    arena("new", "saloon", "mine")
    won = arena("play", "saloon", "mine", OWN, "--seed", "1")
    assert "Next: `arena climb saloon mine" in won.stdout
    assert max(len(line) for line in won.stdout.splitlines()) <= 80
    none = arena("replay", "log", "--printed", "replays/saloon-mine-rowdy-1.arena")
    assert (none.stdout, none.stderr) == ("", "No bot printed or logged anything.\n")
    Path("idle.py").write_text(PASSES)
    lost = arena(
        "play", "saloon", "idle.py", "builtin:pianist", "--seed", "1", "-o", "max_turns=40", "--replay", "m.arena"
    )
    assert "Why: `arena explain m.arena`" in lost.stdout
    equal = arena("play", "saloon", "mine", "idle.py", "--from", "m.arena@9", "--games", "3", "--replay", "none")
    assert "3 of the 3 matches are the same game" in equal.stdout
    assert "same game" not in arena("play", "saloon", OWN, OWN, "-o", "max_turns=20", "--games", "3").stdout
    monkeypatch.chdir("mine")
    here = arena("play", "saloon", ".", OWN, "-o", "max_turns=4", "--seed", "1")
    assert "Replay: replays/saloon-mine-rowdy-1.arena" in here.stdout


def test_a_bot_without_its_module_is_told_how_to_get_it(arena: Arena) -> None:
    Path("lone").mkdir()
    Path("lone/bot.py").write_text("from saloon import AI\n\nclass Bot(AI):\n    pass\n")
    ran = arena("play", "saloon", "lone/bot.py", OWN, "--replay", "none")
    assert "`arena sdk saloon --out lone` writes it." in ran.stdout
    ran = arena("compare", "saloon", "lone/bot.py", OWN, "--games", "2", "-o", "max_turns=4")
    assert "bot: 2 no_start, such as: ModuleNotFoundError: No module named 'saloon'" in ran.stdout
    assert arena("sdk", "saloon", "--out", "lone").code == ExitCode.OK
    assert "no_start" not in arena("play", "saloon", "lone/bot.py", OWN, "--replay", "none", "-o", "max_turns=4").stdout


def test_the_next_step_follows_from_the_match_and_not_from_its_last_leg(arena: Arena) -> None:
    """The bot gives up as attacker, and wins by no act of its own when it defends."""
    Path("half.py").write_text(PASSES.replace("pass", "assert self.index == 1, 'gave up'"))
    ran = arena("play", "derelict", "half.py", "builtin:castaway", "--seed", "1", "-o", "turn_limit=1")
    first, second, verdict = [line for line in ran.stdout.splitlines() if " wins" in line or " draw" in line]
    assert (first[:6], second[:6]) == ("Leg 1:", "Leg 2:")
    assert ("Next: " in ran.stdout) == ("half wins" in verdict)
