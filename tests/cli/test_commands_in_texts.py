"""Every command that Arena prints anywhere works where it is printed.

`texts_with_commands` finds them all: those that the source builds from values, those in texts with values in them, and
those that are whole. Each is run here in a shell, or names the test that runs it; a new one without either fails.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeVar

import pytest
from click.testing import CliRunner
from starlette.requests import Request
from texts_with_commands import HOLE, ROOT, in_documents, in_programs, is_whole, problem

from arena.bots.bot import load_bot
from arena.cli import cli, climb
from arena.cli.settings import ladder_settings
from arena.contests.strength.climb import Climber
from arena.contests.strength.climb_report import ClimbReport
from arena.errors import ArenaError
from arena.match.lookup import find_game
from arena.study.coach.advice import with_commands
from arena.web.editor.editing import Editing
from arena.web.start_page import bots_of
from arena_replays import Reader, compact

pytestmark = [pytest.mark.process, pytest.mark.slow]

Value = TypeVar("Value")
BOT = """
from arena_player import AI

class Bot(AI):
    wants_legal_actions = True

    def run_turn(self):
        acting = [action for action in self.legal_actions if action["type"] != "end_turn"]
        if acting:
            self.act(self.random.choice(acting))
"""
MANIFEST = """python = "main.py"
[parameters]
courage = { value = 0.5, low = 0.0, high = 1.0 }
depth = { value = 3, low = 1, high = 9, step = 1 }
"""
SMALL = "-o width=8 -o height=6 -o max_turns=120"
RUBRIC = """[rubric]
game = "saloon"
seed = "9f0c2ab84be35d71"
isolation = "bwrap"
[options]
max_turns = 8
[[items]]
kind = "score"
against = "builtin:rowdy"
games = 2
zero = 0.3
full = 0.8
points = 20
"""

SHELL = {*"&|<>;$`*?~#"}
"""What only a shell understands. Quotes mean the same to `shlex`."""


class Ran(NamedTuple):
    code: int
    output: str


class Desk:
    """A folder with the files that texts name, and with a name that a shell would split."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def paste(self, command: str, more: str = "", *, place: str = "", codes: Sequence[int] = (0,)) -> str:
        """Run a command in a shell, as a user pastes it. Return what it prints."""
        ran = self._serve(command, more, place) if _serves(command) else self._run(f"{command} {more}", place)
        assert ran.code in codes, f"{command}\n{ran.output}"
        assert not re.search(r"^Traceback", ran.output, re.MULTILINE), ran.output
        return ran.output

    def _run(self, line: str, place: str) -> Ran:
        words = shlex.split(line)
        # A process would take half a second more. `doctor` measures the machine, and this process is no fair one.
        if words[0] == "arena" and words[1] != "doctor" and not {*line} & SHELL:
            with contextlib.chdir(self.folder / place):
                ran = CliRunner(env=_environment()).invoke(cli, words[1:], prog_name="arena")
            return Ran(ran.exit_code, ran.output)
        done = subprocess.run(
            ["sh", "-c", line], cwd=self.folder / place, env=_environment(), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300,
        )  # fmt: skip
        return Ran(done.returncode, done.stdout)

    def _serve(self, command: str, more: str, place: str) -> Ran:
        """Run a command that serves pages or waits for others: stop it when it has printed where."""
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            free = taken.getsockname()[1]  # other tests can use the port in the text
        port = f"--port {free}" if "serve" in command or "scheduler" in command else ""
        line = f"exec {command.replace(':5555', f':{free}')} {more} {port}"
        process = subprocess.Popen(
            ["sh", "-c", line], cwd=self.folder / place, env=_environment(), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        )  # fmt: skip
        with process:
            assert process.stdout is not None
            output, is_stopped = "", False
            for text in process.stdout:
                output += text
                if not is_stopped and re.search(r"https?://|arena-ticket|tcp://|tls://", text):
                    is_stopped = True
                    os.killpg(process.pid, signal.SIGINT)
            code = process.wait(60)
        return Ran(0 if code in (0, 130, -signal.SIGINT) else code, output)


def _serves(command: str) -> bool:
    words = shlex.split(command)
    waiting = not {"serve", "scheduler", "human", "--listen", "show"}.isdisjoint(words)
    return waiting or words[1] == "view" or words[1:] == ["playground"]


def _environment() -> dict[str, str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return os.environ | {"PATH": path, "BROWSER": "true", "COLUMNS": "300"}


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("commands") / "it's a desk"
    folder.mkdir()
    desk = Desk(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder.parent / "cache"))
        for name in ("my_bot.py", "mine.py", "old.py", "new.py"):
            (folder / name).write_text(BOT)
        for name in ("my_bot", "old_bot", "submission", "submissions/a", "submissions/b"):
            (folder / name).mkdir(parents=True)
            (folder / name / "main.py").write_text(BOT)
            (folder / name / "bot.toml").write_text(f'name = "{Path(name).name}"\n{MANIFEST}')
        desk.paste("arena play saloon my_bot.py builtin:pianist --seed 1 --replay match.arena", SMALL)
        for name in ("match-1", "match-2", "lost", "replays/lost", "replays/saloon-7"):
            (folder / name).parent.mkdir(exist_ok=True)
            shutil.copy(folder / "match.arena", folder / f"{name}.arena")
        (folder / "positions.txt").write_text("match.arena@9\nmatch.arena@12\n")
        (folder / "rubric.toml").write_text(RUBRIC)
        desk.paste("arena map new laser_flag map.json")
        desk.paste("arena contest init saloon mine.py builtin:rowdy")
        text = (folder / "contest.toml").read_text().replace("# [options]", "[options]\nmax_turns = 8\n#")
        (folder / "contest.toml").write_text(re.sub(r"(?m)^(games|rounds) = \d+", r"\1 = 2", text))
        desk.paste("arena contest run")
        yield folder


@pytest.fixture
def desk(furnished: Path, tmp_path: Path) -> Desk:
    return Desk(Path(shutil.copytree(furnished, tmp_path / furnished.name)))


# -- all texts: the command, its options and its arguments exist -----------------------------------------


def test_every_command_in_a_text_or_document_exists() -> None:
    found = [one for one in (*in_programs(), *in_documents()) if not one.built]
    assert len(found) > 400
    assert [(one, wrong) for one in found if (wrong := problem(one.text))] == []


def test_a_wrong_command_in_a_text_is_found() -> None:
    wrong = ("arena fly", "arena view --wings", "arena climb saloon", "arena replay info a b")
    assert [one for one in wrong if not problem(one)] == []


# -- whole commands: they are run as they stand ------------------------------------------------------------

WORDS = {
    "GAME": "saloon", "BOT": "my_bot", "YOUR_BOT.py": "my_bot.py", "OTHER_BOT.py": "old.py", "YOUR_BOT": "my_bot",
    "OTHER_BOT": "builtin:rowdy", "FILE": "match.arena", "OUT": "whole.arena", "FOLDER": "new_folder",
    "ADDRESS": "127.0.0.1",
    "BOTS...": "my_bot builtin:rowdy", "BOTS": "my_bot builtin:rowdy", "NEW": "new.py",
    "REPLAY": "match.arena", "REPLAY@TURN": "../match.arena@9",
}  # fmt: skip
"""What a user puts in the place of a word in capitals."""
SHORT = {
    "arena compare saloon old.py new.py --from": "--games 2",
    "arena compare snakes": "--games 2",
    "arena compare": "--games 2 -o max_turns=8",
    "arena climb snakes": "--most 16",
    "arena climb": "--most 16 -o width=8 -o height=6 -o max_turns=2",
    "arena explain": "--budget 1",
    "arena verdict": "--seconds 5 -o width=8 -o height=6 -o max_turns=2",
    "arena game report saloon": "--seconds 20 --games 2 --playouts 1 -o max_turns=20",
    "arena game report derelict": "--games 2 --playouts 1 -o turn_limit=2",
    "arena game report": "--seconds 20 --games 2 --playouts 1",
    "arena tune saloon": "--games 4 --test 0 -o max_turns=4",
    "arena tune snakes": "--games 4 --test 0 -o players=2",
    "arena play saloon my_bot/": "--games 1",
}
"""Options that make a run short; the last of two equal options counts."""
CODES = {
    "arena explain": (0, 1),
    "arena map check": (1,),
    "arena replay verify": (1,),
    "arena contest rebuild": (0, 20),
    "arena rerun": (0, 1),
    "arena bot check": (0, 1),
}
"""Exit codes that are answers."""
ELSEWHERE = {
    "arena join": "tests/seats/test_remote.py",
    "arena submit": "tests/contests/test_submit.py",
    "arena contest install": "tests/contests/test_installing.py",
    "arena contest verify TARGET": "tests/contests/test_archive.py",
    "arena policy check": "extras/learn/tests/test_policies.py",
    "arena dataset": "extras/learn/tests/test_datasets.py",
    "arena mcp": "extras/agents/tests/test_mcp_pipes.py",
    "arena play saloon llm:": "extras/agents/tests/test_seat.py",
    "arena play GAME ... --map FILE": "tests/cli/test_map.py",
}
"""Commands that need another machine, a server, an archive or weights, by their first words, with their tests."""


def first_of(table: Mapping[str, Value], text: str, otherwise: Value) -> Value:
    return next((value for start, value in table.items() if text.startswith(start)), otherwise)


WHOLE = sorted({one.text for one in in_programs() if not one.built and HOLE not in one.text and is_whole(one.text)})


@pytest.mark.parametrize("text", [one for one in WHOLE if one[-6:] != " --pin" and one[-7:] != " --from"])
def test_a_whole_command_works(desk: Desk, text: str) -> None:
    if elsewhere := first_of(ELSEWHERE, text, ""):
        assert (ROOT / elsewhere.partition("::")[0]).is_file()
        return
    if " init " in text:
        (desk.folder / "contest.toml").unlink()
    whole = text.replace("play ... --listen", "play saloon remote my_bot --listen")
    whole = whole.replace("play ...", "play saloon my_bot my_bot")
    command = " ".join(WORDS.get(word, word) for word in whole.split(" "))
    more = first_of(SHORT, text, "")
    place = "my_bot" if command.endswith(" .") else ""
    desk.paste(command, "" if ">" in command else more, place=place, codes=first_of(CODES, text, (0,)))


# -- texts with values in them ---------------------------------------------------------------------------

README_OF = {
    "arena/cli/new.py": "python",
    "arena/cli/agents_guide.py": "python",
    "clients/javascript/new/README.md": "javascript",
}
FILLED = {
    "arena games {}": ["saloon"],
    "arena rules {}": ["saloon"],
    "arena rules {} --open": ["saloon"],
    "arena sdk {}": ["saloon"],
    "arena sdk {} --language cpp": ["saloon"],
    "arena sdk {} --language java": ["saloon"],
    "arena sdk {} --language javascript": ["saloon"],
    "arena new {} my_bot": ["saloon"],
    "arena new {} FOLDER": ["saloon"],
    "arena play {} {} OTHER_BOT": ["saloon", "my_bot"],
    "arena play {} my_bot{}": ["saloon", " builtin:rowdy"],
    "arena play {} my_bot {}": ["saloon", "builtin:rowdy"],
    "arena play {} . {}": ["saloon", "builtin:rowdy"],
    "arena play {} . {} --debug": ["saloon", "builtin:rowdy"],
    "arena play {} . {} --log": ["saloon", "builtin:rowdy"],
    "arena climb {} .": ["saloon"],
    "arena compare {} . old_bot": ["saloon"],
    "arena compare {} . ../old_bot": ["saloon"],
    "arena compare {} . ../old_bot {}": ["saloon", ""],
    "arena verdict {} . --against {}": ["saloon", "builtin:rowdy"],
    "arena bot check . --game {}": ["saloon"],
    "arena map new {} FILE": ["laser_flag"],
    "arena {}": ["contest"],
}
"""Values for the holes of each text. The names of games and of groups of commands need no quotes."""
NEW_GAME = "tests/cli/test_printed_commands.py::test_every_command_that_new_game_prints_works"
COMPILED = "tests/kits/test_new_bots.py::test_the_commands_in_the_documentation"
BY_TEST = {
    "clients/cpp/new/README.md": COMPILED,
    "clients/java/new/README.md": COMPILED,
    "replays/arena_replays/viewer/reading/wording.js": "tests/browser/test_lessons.py::test_without_a_server",
    "arena/cli/new_game.py": NEW_GAME,
    "arena/cli/game_template/README.md.txt": NEW_GAME,
    "arena join {} MY_BOT": "tests/seats/test_remote.py::test_both_legs_are_played_with_one_ticket",
}
TEXTS = sorted({(one.file, one.text) for one in in_programs() if not one.built and HOLE in one.text})


@pytest.mark.parametrize(("file", "text"), TEXTS, ids=str)
def test_a_command_with_values_in_its_text_works(
    desk: Desk, file: str, text: str, need_program: Callable[[str], str]
) -> None:
    if file in BY_TEST or text not in FILLED:
        place, _, name = (BY_TEST.get(file) or BY_TEST[text]).partition("::")
        assert f"def {name}" in (ROOT / place).read_text(encoding="utf-8")
        return
    command = text
    for value in FILLED[text]:
        command = command.replace(HOLE, value, 1)
    command = " ".join(WORDS.get(word, word) for word in command.split(" "))
    place, more = "", first_of(SHORT, command, "")
    if " . " in f"{command} ":  # in the folder of a new bot
        language, place = README_OF[file], "new_bot"
        if language == "javascript":
            need_program("node")
        desk.paste(f"arena new saloon new_bot --language {language}")
        shutil.copytree(desk.folder / "old_bot", desk.folder / "new_bot" / "old_bot")
    elif command.startswith("arena new saloon my_bot"):
        shutil.rmtree(desk.folder / "my_bot")
    elif command.startswith("arena map new"):
        (desk.folder / "match.arena").unlink()
    elif text == "arena {}":
        more = "--help"
    desk.paste(command, more, place=place)


# -- commands that are built from values -----------------------------------------------------------------

SCENES: dict[tuple[str, str], Callable[[Desk], list[str]]] = {}
"""For each built command, a function that lets Arena print it, and returns what it printed."""


def prints(file: str, *texts: str) -> Callable[[Callable[[Desk], list[str]]], Callable[[Desk], list[str]]]:
    def register(scene: Callable[[Desk], list[str]]) -> Callable[[Desk], list[str]]:
        SCENES.update(dict.fromkeys(((file, text) for text in texts), scene))
        return scene

    return register


def printed(output: str, start: str = "arena") -> list[str]:
    """Return the commands with this start: in backticks, on lines of their own, or at the end of a line."""
    return re.findall(rf"(?:^ *|`|: )({start} [^`\n]*?)(?=`|\.?$)", output, re.MULTILINE)


INSTALLER = "tests/cli/test_printed_commands.py::test_the_printed_installer_is_one_of_this_environment"
LOSSES = "tests/coach/test_contest_losses.py::test_the_losses_in_a_league_are_grouped_by_their_causes"
VENV = "tests/bots/test_speed.py::test_the_interpreter_of_an_environment_is_no_candidate"
HARBOR = "extras/agents/tests/test_harbor_trials.py::test_the_solution_has_a_reward"
OTHERS = {
    ("extras/agents/arena_agents/harbor/command.py", "harbor run -p {} -a oracle"): HARBOR,
    ("arena/cli/extras.py", "pip --python {} install {}"): INSTALLER,
    ("arena/cli/extras.py", "{} -m pip install {}"): INSTALLER,
    ("arena/cli/extras.py", "{} pip install --python {} {}"): INSTALLER,
    ("arena/cli/doctor.py", "{} -m venv FOLDER"): VENV,
    ("arena/web/contests/entrants.py", "arena explain losses {} --bot {}"): LOSSES,
}
"""Built commands that change a Python, or need a whole contest or Docker, and the tests that run them or their like."""
BUILT = sorted({(one.file, one.text) for one in in_programs() if one.built})


def text_of_error(call: Callable[[], object]) -> str:
    with pytest.raises(ArenaError) as raised:
        call()
    return f"{raised.value.message}\n  {raised.value.hint}"


ADVICE = (
    "arena play {} {} --from {}", "arena view {}", "arena rerun {} {} --player {} --debug",
)  # fmt: skip


@prints("arena/study/coach/advice.py", *ADVICE)
def an_explanation(desk: Desk) -> list[str]:
    """Of turns of either player, in a replay that is here, in one that was moved, and in one of a contest."""
    odd = desk.folder / "it's my $HOME"
    (odd / "replays").mkdir(parents=True)
    shutil.copy(desk.folder / "my_bot.py", odd / "bot.py")
    small = f"{SMALL} -o max_turns=16 --seed 1 --replay"
    desk.paste(f"arena play saloon bot.py builtin:rowdy {small} replays/lost.arena", place=odd.name)
    shutil.copy(desk.folder / "my_bot.py", desk.folder / "gone.py")
    desk.paste(f"arena play saloon builtin:rowdy gone.py {small} gone.arena")
    (desk.folder / "gone.py").unlink()
    found: list[str] = []
    with contextlib.chdir(desk.folder):
        third = next(Path("contest/replays").rglob("*.arena"))
        for replay, player, turns in (
            (Path(odd.name, "replays", "lost.arena"), 0, (1, 6)),
            (Path("gone.arena"), 1, (1, 5)),
            (third, 0, (3,)),
        ):
            rows = [{"player": player, "from_turn": turn} for turn in turns]
            document = {"game": "saloon", "cause": [], "lessons": rows, "fall": []}
            full = with_commands(document, Reader(replay), replay)
            found += [one for row in full["lessons"] for one in row["commands"]]
    return sorted(set(found))


@prints("arena/bots/bot.py", "chmod +x {}")
def a_program_that_is_not_executable(desk: Desk) -> list[str]:
    (desk.folder / "my_bot" / "run").write_text("#!/bin/sh\n")
    (desk.folder / "my_bot" / "bot.toml").write_text('command = ["./run"]\n')
    return printed(desk.paste("arena bot check my_bot --game saloon", codes=(5,)), "chmod")


@prints("arena/cli/climb.py", "arena explain losses {} --bot {}")
@prints("arena/contests/strength/climb_report.py", "arena explain {} --player {}")
def a_climb_with_losses(desk: Desk) -> list[str]:
    return printed(desk.paste("arena climb saloon my_bot --most 16", f"{SMALL} -o max_turns=16"))


@prints("arena/cli/climb.py", "arena compare {} NEW {}")
def a_climb_to_the_end(desk: Desk) -> list[str]:
    """No simple bot beats all built-in bots, so only the end is printed."""
    spec = find_game("saloon")
    settings, players = ladder_settings(spec, (), ())
    with contextlib.chdir(desk.folder), contextlib.redirect_stdout(io.StringIO()) as output:
        climber = Climber.of(load_bot("my_bot", spec), "my_bot", settings, players, "a", Path("climb"))
        report = ClimbReport.of(spec, climber, 16, [], ())
        climb._say_end(spec, replace(report, complete=True), "my_bot")
    return printed(output.getvalue())


@prints("arena/cli/map.py", "arena map check {} {}")
def a_map_that_cannot_be_drawn(desk: Desk) -> list[str]:
    (desk.folder / "it's empty.json").write_text("{}")
    return printed(desk.paste('arena map show laser_flag "it\'s empty.json"', codes=(4,)))


@prints("arena/cli/match_report.py", "arena climb {} {}")
def a_match_that_was_won(desk: Desk) -> list[str]:
    desk.paste("arena new saloon 'new bot'")
    return printed(desk.paste("arena play saloon 'new bot' builtin:rowdy --seed 1"))


@prints("arena/cli/match_report.py", "arena explain {}", "arena replay log --printed {}")
def a_match_that_was_lost(desk: Desk) -> list[str]:
    (desk.folder / "it's idle.py").write_text(
        "from arena_player import AI\n\nclass Idle(AI):\n    def run_turn(self):\n        print(self.turn)\n"
    )
    played = desk.paste('arena play saloon "it\'s idle.py" builtin:pianist --seed 1 --replay "it\'s lost.arena"', SMALL)
    return printed(played)


@prints("arena/cli/match_report.py", "arena sdk {} --out {}")
def a_bot_without_the_typed_module(desk: Desk) -> list[str]:
    (desk.folder / "it's alone").mkdir()
    (desk.folder / "it's alone" / "main.py").write_text("from saloon import AI\n")
    return printed(desk.paste('arena play saloon "it\'s alone" builtin:rowdy --replay none', codes=(8,)))


@prints("arena/cli/new.py", "arena play {} {} {}", "arena rules {} --open")
def a_new_bot(desk: Desk) -> list[str]:
    return printed(desk.paste('arena new saloon "it\'s new"'))


@prints("arena/cli/new.py", "arena new {} {} --language javascript")
def a_new_bot_in_typescript(desk: Desk) -> list[str]:
    return printed(desk.paste('arena new saloon "it\'s new" --language typescript', codes=(2,)))


@prints("arena/cli/sdk.py", "{}")
def an_outdated_module(desk: Desk) -> list[str]:
    return printed(desk.paste('arena sdk saloon --out "it\'s out" --check', codes=(1,)))


@prints("arena/cli/contest/data.py", "arena contest serve {}")
def a_restored_contest(desk: Desk) -> list[str]:
    desk.paste("arena contest init saloon --people --file term.toml")
    desk.paste("arena contest invite owls term.toml")
    desk.paste("arena contest backup term.tar term.toml")
    return printed(desk.paste('arena contest restore term.tar "it\'s restored"'))


@prints("arena/cli/contest/play.py", "arena contest {} {}", "arena contest run {}")
def a_new_contest(desk: Desk) -> list[str]:
    made = printed(desk.paste('arena contest init saloon mine.py builtin:rowdy --file "it\'s new.toml"'))
    made += printed(desk.paste('arena contest init saloon --people --file "it\'s a term.toml"'))
    path = desk.folder / "it's new.toml"
    text = re.sub(r"(?m)^(games|rounds) = \d+", r"\1 = 2", path.read_text())
    path.write_text(text.replace("# [options]", "[options]\nmax_turns = 2\n#"))
    return made + printed(desk.paste(made[0]))


@prints("arena/cli/contest/acts.py", "arena contest undo {} {} --reason REASON")
def an_act(desk: Desk) -> list[str]:
    return printed(desk.paste("arena contest withdraw mine --reason tired"))


@prints(
    "extras/cluster/arena_cluster/command.py",
    "arena cluster scheduler --host ADDRESS --keys {}", "--keys {}", "--engine-option {}",
)  # fmt: skip
def keys_for_a_cluster(desk: Desk) -> list[str]:
    made = desk.paste('arena cluster keys "it\'s a key"')
    return printed(made) + re.findall(r"(?:Give|and) (--.+?) to `", made)


@prints("arena/study/replaying/rerun.py", "arena replay verify {}")
def a_replay_that_does_not_follow_the_rules(desk: Desk) -> list[str]:
    reader = Reader(desk.folder / "match.arena")
    truth = [list(entry) for entry in reader.truth]
    entry = next(one for one in truth if one[0] == "do" and one[1] == 1 and one[2]["type"] == "move")
    entry[2] = {**entry[2], "x": entry[2]["x"] + 2}
    (desk.folder / "it's altered.arena").write_bytes(
        compact.assemble(reader.header, truth, [], [], reader.footer or {})
    )
    words = 'arena rerun "it\'s altered.arena" my_bot.py'
    return printed(desk.paste(words, codes=(11,)))


@prints("arena/web/editor/editing.py", "arena play {} {} --map {}")
def a_map_that_was_saved(desk: Desk) -> list[str]:
    request = Request({"type": "http", "path_params": {"game": "laser_flag"}, "headers": []})
    document = json.loads((desk.folder / "map.json").read_text())
    target = desk.folder / "it's maps" / "mine.json"
    target.parent.mkdir()
    editing = Editing(desk.folder)
    editing.open("laser_flag", document, target)
    with contextlib.chdir(desk.folder):
        return [str(editing.save(request, {"document": document, "name": ""})["play"])]


@prints("arena/web/start_page.py", "arena climb {} {}")
def the_start_page(desk: Desk) -> list[str]:
    desk.paste('arena new saloon "it\'s new"')
    return [one["climb"] for one in bots_of(find_game("saloon"), desk.folder) if "climb" in one]


# The commands of a scene are run in its one test.
@pytest.mark.parametrize("scene", dict.fromkeys(SCENES.values()), ids=lambda scene: scene.__name__)
def test_built_commands_work(desk: Desk, scene: Callable[[Desk], list[str]]) -> None:
    found = scene(desk)
    left = {*found}
    for file, text in (place for place in BUILT if SCENES.get(place) is scene):
        pattern = re.escape(text).replace(re.escape(HOLE), "(.+)")
        assert any(re.fullmatch(pattern, one) for one in found), f"{file} did not print: {text}"
        for command in [one for one in dict.fromkeys(found) if one in left and re.fullmatch(pattern, one)]:
            left.remove(command)
            words = " ".join(WORDS.get(word, word) for word in command.split(" "))
            debugger = "<<END\nc\nEND" if words.endswith("--debug") else ""
            if text.startswith("--"):  # these are arguments for other commands
                assert (desk.folder / shlex.split(words)[1].removeprefix("keys=")).is_dir()
                continue
            desk.paste(words, debugger or first_of(SHORT, words, ""), codes=first_of(CODES, words, (0,)))


def test_every_built_command_has_a_scene_or_a_test() -> None:
    assert {*OTHERS} <= {*BUILT}
    assert {*BUILT} - {*OTHERS} == {*SCENES}
    for place, _, name in (test.partition("::") for test in OTHERS.values()):
        assert f"def {name}(" in (ROOT / place).read_text(encoding="utf-8")
