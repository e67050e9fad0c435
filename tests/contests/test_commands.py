"""The commands as an organizer meets them, mistakes first."""

import base64
import contextlib
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
import zlib
from pathlib import Path

import pytest
from contest_commands import ARENA, SHORT, contest, refused
from waiting import until

from arena.bots.builtin import module_source
from arena.bots.system.orphans import descendants
from arena.contests.journal.files import scratch_folder
from arena.match.lookup import find_game
from arena_replays import Reader, records

pytestmark = pytest.mark.process

SHORTEST = SHORT.replace("rounds = 3", "rounds = 1")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "contest.toml").write_text(SHORT)
    return tmp_path


def test_mistakes_before_there_is_a_contest(tmp_path):
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "main.py").write_text("def (\n")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xff")
    init = ("init", "saloon", "builtin:rowdy")
    done = contest(*init, "builtin:sheriff", "bad", "--file", "other.toml", cwd=tmp_path)
    assert "bad/main.py, line 1: invalid syntax" in done.stdout
    assert done.stderr == ""
    assert not (tmp_path / "contest").exists()
    for words, code, message in (
        (("run",), 14, "There is no contest.toml"),
        (("run", "nowhere.toml", "--json"), 14, "nowhere.toml"),
        (("standings",), 2, "There is no contest in contest"),
        (("init", "salon", "x"), 3, "There is no game salon"),
        (("run", "--engine-option", "a=b"), 2, "The engine local has no options."),
        (("run", "--engine", "dusk"), 19, "There is no engine dusk. Installed engines: dask, local."),
        ((*init, "bad"), 0, "will refuse this: A contest needs two bots"),
        (init, 6, "contest.toml exists"),
        (("run",), 14, "A contest needs two bots at least, and there is one."),
        (("init", "saloon", "x", "--file", "y.toml"), 5, "There is no bot at x."),
        (("init", "saloon", "builtin:x", "--file", "y.toml"), 5, "has no bot builtin:x"),
        ((*init, "--file", "nowhere/x.toml"), 6, "The folder nowhere does not exist."),
        (("run", "binary.toml"), 14, "binary.toml cannot be read: it is not UTF-8; save it as UTF-8."),
    ):
        refused(contest(*words, cwd=tmp_path), code, message)


def test_a_contest_is_named_by_its_file_or_a_folder(folder):
    done = contest("run", "contest.toml", "--no-check", "--limit", "2", cwd=folder)
    assert done.returncode == 0
    assert "The contest is not over yet." in done.stdout
    shown = contest("standings", cwd=folder)
    assert shown.returncode == 0
    (folder / "below").mkdir()
    for name in ("contest.toml", ".", "contest", str(folder), "below/..", "below/../contest"):
        done = contest("standings", name, cwd=folder)
        assert (done.returncode, done.stdout) == (0, shown.stdout), (name, done.stderr)
    assert contest("standings", ".", cwd=folder / "contest").stdout == shown.stdout
    refused(contest("standings", "below", cwd=folder), 14, "below is a folder without a contest.toml.")
    (folder / "contest.toml").unlink()
    assert contest("standings", "contest", cwd=folder).stdout == shown.stdout


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        (("saloon", "salon"), 3, "There is no game salon. Did you mean saloon?"),
        (("max_turns = 6", "max_turns = 0"), 4, "max_turns"),
        (("round_robin", "robin"), 14, "contest.toml:15: stages[0].format must be one of round_robin"),
        (("builtin:sheriff", "builtin:marshal"), 0, "has no bot builtin:marshal"),
        (
            ("[options]", "[policy]\ntimeout = 'skp'\n[options]"),
            14,
            "policy.timeout must be one of forfeit, skip, strike",
        ),
        (
            ("max_turns = 6", "max_turn = 20\nwidth = 7"),
            4,
            "(did you mean max_turns?).\n  The option width must be an even number, not 7.",
        ),
    ],
)
def test_mistakes_in_the_file(folder, change, code, message):
    (folder / "contest.toml").write_text(SHORT.replace(*change))
    done = contest("check", cwd=folder)
    assert done.returncode == code, (done.stdout, done.stderr)
    assert message in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


def test_a_folder_on_a_network_file_system_is_reported_once(folder, monkeypatch, caplog):
    monkeypatch.setattr("arena.contests.journal.store.file_system_of", lambda path: "nfs4")
    done = contest("run", "--no-check", "--limit", "1", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert caplog.text.count("is on nfs4. The journal works without a write-ahead log, which is slower.\n") == 1
    assert "nfs4" not in done.stdout


def test_check_run_and_look(folder):
    (folder / "contest.toml").write_text(SHORTEST)
    checked = contest("check", cwd=folder)
    assert checked.returncode == 0, checked.stderr
    assert "3 bots are ready" in checked.stdout
    assert not (folder / "contest" / "journal.db").exists()
    first = contest("run", "--json", "--limit", "5", cwd=folder)
    assert (first.returncode, first.stderr) == (0, "")
    ended = json.loads(first.stdout)
    assert (ended["played"], ended["finished"], ended["interrupted"]) == (5, False, False)
    second = contest("run", cwd=folder)
    assert "Continuing after 5 results." in second.stdout
    assert "plays" not in second.stdout.split("Continuing")[0], "bots are tried before the first match only"
    assert "The contest is over." in second.stdout
    last = json.loads(contest("run", "--json", cwd=folder).stdout)
    assert (last["played"], last["finished"]) == (0, True)
    assert last["standings"] == json.loads(contest("standings", "--json", cwd=folder).stdout)
    games = json.loads(contest("matches", "--format", "json", cwd=folder).stdout)
    assert len(games) == 6
    of_rowdy = json.loads(contest("matches", "--format", "json", "--bot", "rowdy", cwd=folder).stdout)
    assert of_rowdy == [one for one in games if '"rowdy"' in json.dumps(one)] != games
    assert json.loads(contest("matches", "--format", "json", "--ending", "crashed", cwd=folder).stdout) == []
    for form, sign in (("csv", "stage,place,name,points"), ("table", "Round robin")):
        assert sign in contest("standings", "--format", form, cwd=folder).stdout
        assert contest("bracket", "--format", form, cwd=folder).returncode == 0
        assert contest("matches", "--format", form, cwd=folder).returncode == 0
    assert len(json.loads(contest("bracket", "--format", "json", cwd=folder).stdout)["round_robin"]) == 3
    shown = contest("show", games[3]["match_id"][:10], cwd=folder)
    assert games[3]["match_id"] in shown.stdout
    assert "Replay: contest/replays/" in shown.stdout
    refused(contest("show", "zzzz", cwd=folder), 2, "There is no match zzzz")
    refused(contest("show", "", cwd=folder), 2, "There is no match")


CRASHER = """
from saloon import AI
class Crasher(AI):
    def run_turn(self):
        if self.game.current_turn > 0:
            raise ValueError("first\\nsecond")
"""


def test_a_bot_that_crashes_in_its_check_is_not_ok_and_its_match_is_shown_line_by_line(folder):
    crasher = folder / "crasher"
    crasher.mkdir()
    (crasher / "main.py").write_text(CRASHER)
    (crasher / "saloon.py").write_text(module_source(find_game("saloon")))
    (folder / "contest.toml").write_text(SHORTEST.replace("builtin:rowdy", "crasher"))
    done = contest("check", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^ bad  crasher: starts, but it crashed in its match", done.stdout, re.MULTILINE)
    assert "1 of them take part, but failed in their match: crasher." in done.stdout
    bots = {one["name"]: one for one in json.loads(contest("check", "--json", cwd=folder).stdout)["bots"]}
    assert (bots["crasher"]["starts"], bots["crasher"]["plays"]) == (True, False)
    assert bots["pianist"]["plays"]
    assert contest("run", "--no-check", cwd=folder).returncode == 0
    crashed = json.loads(contest("matches", "--json", "--ending", "crashed", cwd=folder).stdout)
    shown = contest("show", crashed[0]["match_id"], cwd=folder)
    assert "\n    exit code 1; ValueError: first at main.py, line 6, in run_turn\n" in shown.stdout
    assert "\\x0a" not in shown.stdout


def test_the_display_in_a_terminal(folder):
    import pty

    parent, child = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "100", "LINES": "40"}
    command = [ARENA, "contest", "run", "--no-check"]
    process = subprocess.Popen(command, cwd=folder, stdout=child, stderr=child, env=environment)
    os.close(child)
    shown = b""
    with contextlib.suppress(OSError):
        while piece := os.read(parent, 65536):
            shown += piece
    os.close(parent)
    assert process.wait(60) == 0, shown.decode()
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode())
    assert re.search(r"\d+ matches done, about \d+ left, \d+ a minute, over at about \d\d:\d\d", text)
    assert "now: " in text
    assert "wins" in text
    assert "The contest is over." in text
    assert "Traceback" not in text


def test_ctrl_c_finishes_and_the_next_run_goes_on(folder):
    (folder / "contest.toml").write_text(SHORT.replace("rounds = 3", "rounds = 100"))
    process = subprocess.Popen(
        [ARENA, "contest", "run", "--no-check"],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    for _ in range(3):
        process.stdout.readline()
    refused(contest("run", cwd=folder), 15, "is running the contest")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Stopping after" in out
    games = json.loads(contest("matches", "--format", "json", cwd=folder).stdout)
    assert len(games) >= 3
    for game in games:
        assert (folder / "contest" / game["replay"]).is_file()
    assert not list(folder.glob("contest/replays/*/*.tmp.*"))
    done = contest("run", "--limit", "2", cwd=folder)
    assert f"Continuing after {len(games)} results." in done.stdout


@pytest.fixture
def sleepers(tmp_path):
    """A running contest in which all that is played waits for a bot that sleeps, and what it has started."""
    bot = tmp_path / "sleeper"
    bot.mkdir()
    (bot / "saloon.py").write_text(module_source(find_game("saloon")))
    (bot / "main.py").write_text(
        "import time\nfrom saloon import AI\nclass S(AI):\n    def run_turn(self):\n        time.sleep(30)\n"
    )
    text = SHORT.replace("builtin:rowdy", "sleeper").replace('[[bots]]\npath = "builtin:sheriff"\n', "")
    (tmp_path / "contest.toml").write_text(text.replace("[options]", '[clock]\nbank = "none"\nturn = 60\n[options]'))
    process = subprocess.Popen(
        [ARENA, "contest", "run", "--no-check"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        until(lambda: sleeps(tmp_path / "contest"))
        until(lambda: len(descendants(process.pid)) >= 4)  # itself, a match process, and the programs of two bots
        time.sleep(0.5)
        yield process, set(descendants(process.pid)) - {process.pid}
    finally:
        process.kill()
        process.communicate(timeout=60)


def sleeps(place):
    """Whether matches are running, and all of them with the sleeper."""
    try:
        running = json.loads((place / "status.json").read_text())["running"]
    except OSError:
        return False
    return bool(running) and all("sleeper" in one["names"] and (place / one["replay"]).exists() for one in running)


def gone(family, seconds=10.0):
    return until(lambda: not any(map(is_alive, family)), lambda: f"{[*filter(is_alive, family)]}", seconds)


def test_a_second_ctrl_c_stops_at_once_and_takes_the_bots_away(sleepers):
    process, family = sleepers
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert time.monotonic() - began < 20.0
    assert process.returncode == 130, (out, err)
    assert "Stopping at once." in out
    assert gone(family)


def test_nothing_outlives_a_killed_organizer(sleepers, tmp_path):
    process, family = sleepers
    process.kill()
    process.wait()
    assert gone(family)
    refused(contest("show", "no-such-match", cwd=tmp_path), 2, "There is no match")
    scratch = scratch_folder(tmp_path / "contest")
    assert list(scratch.iterdir()), "a killed match leaves its temporary folder behind"
    (tmp_path / "contest.toml").write_text(SHORT)
    assert contest("run", "--no-check", "--amend", "--limit", "1", cwd=tmp_path).returncode == 0
    assert not scratch.exists()
    assert not list(tmp_path.glob("contest/replays/*/*.tmp.*"))


def is_alive(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.fixture
def with_a_broken_bot(folder):
    """A contest in which one of three bots does not start."""
    (folder / "broken.py").write_text("raise ValueError('no luck')\n")
    (folder / "contest.toml").write_text(SHORT.replace("builtin:sheriff", "broken.py"))
    return folder


def test_without_a_check_nothing_is_left_out_later(with_a_broken_bot):
    for words in (("check",), ("run", "--no-check", "--limit", "1"), ("run", "--limit", "1")):
        done = contest(*words, cwd=with_a_broken_bot)
        assert done.returncode == 0, done.stderr


def test_a_bot_that_does_not_start_is_left_out_also_after_a_check_in_between(with_a_broken_bot):
    folder = with_a_broken_bot
    document = json.loads(contest("check", "--json", cwd=folder).stdout)
    assert document["ready"] == ["rowdy", "pianist"]
    assert [bot["starts"] for bot in document["bots"]] == [True, True, False]
    for words in (("run", "--limit", "1"), ("check",)):
        assert contest(*words, cwd=folder).returncode == 0
    done = contest("run", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "Excluded before the start: broken does not start" in done.stdout
    assert {game["seats"][0]["name"] for game in json.loads(contest("matches", "--json", cwd=folder).stdout)} == {
        "rowdy", "pianist",
    }  # fmt: skip
    for command in ("standings", "bracket", "matches"):
        assert contest(command, "--json", cwd=folder).stdout == contest(command, "--format", "json", cwd=folder).stdout
    refused(contest("matches", "--bot", "nobody", cwd=folder), 2, "No bot is called nobody; known are")
    refused(contest("matches", "--ending", "crash", cwd=folder), 2, "No match ends with crash (did you mean crashed?).")


def test_it_is_said_what_has_changed(folder):
    assert contest("run", "--no-check", "--limit", "1", cwd=folder).returncode == 0
    changed = SHORT.replace("rounds = 3", "rounds = 4").replace("max_turns = 6", "max_turns = 8")
    (folder / "contest.toml").write_text(changed.replace("builtin:sheriff", "mine.py"))
    (folder / "mine.py").write_text("from arena_player import AI\nclass A(AI):\n    def run_turn(self): pass\n")
    run, check = contest("run", cwd=folder), contest("check", cwd=folder)
    said = "this has changed: options, rounds of the stage round_robin, the bot mine is new, the bot sheriff is gone."
    refused(run, 18, said)
    refused(check, 18, said)
    assert check.stderr.splitlines()[-2:] == run.stderr.splitlines()[-2:]


def test_bots_are_fixed_added_and_removed_in_a_running_round_robin(folder):
    """A student overwrites one bot, removes another, adds a third: the organizer decides whether that counts."""
    text = "from arena_player import AI\nclass A(AI):\n    def run_turn(self): pass\n"
    for name in ("ann", "bob"):
        (folder / f"{name}.py").write_text(text)
    some = SHORT.replace("builtin:rowdy", "ann.py").replace("builtin:sheriff", "bob.py")
    (folder / "contest.toml").write_text(some)
    assert contest("run", "--no-check", "--limit", "3", cwd=folder).returncode == 0
    before = json.loads(contest("matches", "--json", cwd=folder).stdout)
    (folder / "ann.py").write_text(text + "# better\n")
    refused(contest("run", cwd=folder), 18, "this has changed: the bot ann.")
    (folder / "bob.py").unlink()
    refused(contest("run", cwd=folder), 18, "this has changed: the bot ann, the bot bob is gone.")
    (folder / "ann.py").write_text("raise ValueError('broken now')\n")
    refused(contest("run", "--amend", cwd=folder), 5, "ann cannot take part: does not start")
    assert json.loads(contest("matches", "--json", cwd=folder).stdout) == before
    (folder / "ann.py").write_text(text + "# better\n")
    (folder / "contest.toml").write_text(some.replace("[[stages]]", '[[bots]]\npath = "builtin:rowdy"\n[[stages]]'))
    refused(contest("run", cwd=folder), 18, "changed: the bot ann, the bot rowdy is new, the bot bob is gone.")
    done = contest("run", "--amend", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "The contest is over." in done.stdout
    matches = json.loads(contest("matches", "--json", cwd=folder).stdout)
    assert matches[: len(before)] == before
    assert contest("export", "--data", "all.db", cwd=folder).returncode == 0
    with contextlib.closing(sqlite3.connect(folder / "all.db")) as database:
        played = list(database.execute("select name, count(distinct version) from seats group by name order by name"))
    assert played == [("ann", 2), ("bob", 1), ("pianist", 1), ("rowdy", 1)]
    (folder / "bob.py").write_text(text)
    refused(contest("run", cwd=folder), 18, "this has changed: the bot bob is back.")


def blocks(path):
    """The bytes in a page or a script of an export."""
    texts = re.findall(r"(?:id=\"arena-replay-\d\">|textContent=\")([A-Za-z0-9+/=]+)", path.read_text())
    return [base64.b64decode(text, validate=True) for text in texts]


def whole(stream):
    """The last replay in a stream that a page and the script of all pages make."""
    data = zlib.decompress(stream, wbits=-15)
    return data[data.rindex(records.MAGIC) :]


def test_what_bots_print_is_not_published(folder):
    (folder / "talker.py").write_text(
        "from arena_player import AI\nclass A(AI):\n    def run_turn(self): self.log('my secret opening')\n"
    )
    (folder / "contest.toml").write_text(SHORT.replace("builtin:sheriff", "talker.py").replace("rounds = 3", ""))
    assert contest("run", "--no-check", cwd=folder).returncode == 0

    def logs(*words):
        assert contest("export", *words, cwd=folder).returncode == 0
        (common,) = folder.glob(f"contest-results{'-with-logs' if words else ''}/matches*/common-*.js")
        (start,) = blocks(common)
        pages = list(common.parent.glob("*.html"))
        assert len(pages) == 6
        for page in pages:
            (data,) = blocks(page)
            yield from Reader(whole(start + data)).notes

    assert list(logs()) == []
    assert any("my secret opening" in str(note.payload) for note in logs("--logs"))


def in_another_process(program, folder, *words):
    """Run a program, which uses the helpers of the tests, behind some words of a command line."""
    place = f"import sys; sys.path.append({str(Path(__file__).parent)!r})\n"
    command = [*words, sys.executable, "-c", place + program]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


WITHOUT_EXTRA = """
import sys
hidden = ("confusable_homoglyphs", "msgspec", "numpy", "rich", "rustworkx")
sys.modules.update(dict.fromkeys(hidden))
from contest_commands import arena, refused
words = ("contest init saloon bots", "contest check", "contest run", "contest serve", "contest verify",
         "compare saloon builtin:pianist builtin:rowdy")
for line in words:
    refused(arena(*line.split(), cwd="."), 19, f"not installed: {', '.join(hidden)}")
"""


def test_an_extra_that_is_not_installed(folder):
    done = in_another_process(WITHOUT_EXTRA, folder)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can take bubblewrap away for one command")
def test_isolation_that_is_not_to_be_had(folder):
    (folder / "contest.toml").write_text(SHORT.replace('isolation = "none"', 'isolation = "bwrap"'))
    hide = 'mount --bind /dev/null /usr/bin/bwrap && exec "$@"'
    command = ["unshare", "-m", "sh", "-c", hide, "sh", ARENA, "contest", "check"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    refused(done, 7, "Isolation level 2 is required")


def test_a_replay_that_was_changed_is_not_shown_as_evidence(folder):
    assert contest("run", "--no-check", "--limit", "4", cwd=folder).returncode == 0
    first, second, *_ = json.loads(contest("matches", "--json", cwd=folder).stdout)
    changed, missing = (folder / "contest" / one["replay"] for one in (first, second))
    data = changed.read_bytes()
    changed.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))  # any other last byte could be this one
    missing.unlink()
    assert "is not the recorded one." in contest("show", first["match_id"], cwd=folder).stdout
    assert "cannot be read: no such file" in contest("show", second["match_id"], cwd=folder).stdout
    exported = contest("export", cwd=folder)
    assert exported.returncode == 0
    assert exported.stderr.count("the match has no page") == 2
    assert len(list(folder.glob("contest-results/matches/*.html"))) == 2, "both legs of the other pair"


READ_ONLY = """
from contest_commands import contest, refused
for place, words, hint in (
    ("new", "check", ""),
    ("new", "run", ""),
    ("new", "init saloon builtin:rowdy --file other.toml", "--file"),
    (".", "export", "Choose another folder with --out"),
    (".", "export --out new", "Choose another folder with --out"),
    (".", "export --out .", "Choose another folder with --out"),
    (".", "invite rowdy", ""),
):
    done = contest(*words.split(), cwd=place)
    refused(done, 6, "read-only")
    assert hint in done.stderr, done.stderr
    assert "init" not in words or "results" not in done.stderr, done.stderr
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a folder read-only")
def test_a_folder_that_is_read_only_is_one_message_for_each_command(folder):
    (folder / "new").mkdir()
    (folder / "new" / "contest.toml").write_text(SHORT)
    assert contest("run", "--no-check", "--limit", "1", cwd=folder).returncode == 0
    script = 'mount --bind . . && mount -o remount,ro,bind . && cd . && exec "$@"'
    done = in_another_process(READ_ONLY, folder, "unshare", "--mount", "sh", "-c", script, "x")
    assert done.returncode == 0, done.stderr
