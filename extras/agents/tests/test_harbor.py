"""A task for coding agents: its files."""

from __future__ import annotations

import json
import re
import shutil
import stat
import subprocess
import tomllib
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from arena.bots.bot import load_bot
from arena.cli import cli
from arena.errors import ExitCode
from arena.match.lookup import find_game
from arena.play.memory import MatchInMemory
from arena_player.version import __version__

pytestmark = pytest.mark.process
HARBOR = shutil.which("harbor")
KNOWN = {
    "": {"schema_version", "artifacts", "task", "metadata", "agent", "environment", "verifier"},
    "artifacts": {"source", "exclude"},
    "task": {"name", "version", "description", "keywords"},
    "agent": {"timeout_sec"},
    "environment": {"build_timeout_sec", "cpus", "memory_mb"},
    "verifier": {"environment_mode", "timeout_sec", "environment"},
    "verifier.environment": {"network_mode", "build_timeout_sec", "cpus", "memory_mb"},
}
"""Fields of task.toml, of those that Harbor 0.26 documents (schema 1.4). It ignores all others."""
READ_BY_HARBOR = """
import json, sys
from harbor.models.task.task import Task
from harbor.models.task.verifier_mode import resolve_verifier_environment_definition as definition
task = Task(sys.argv[1])
verifier = definition(task.config, task.paths)
dumped = task.config.model_dump(exclude_unset=True, mode="json")
print(json.dumps([task.name, verifier.bundled_tests, verifier.directory.name, dumped]))
"""
OPPONENT = "from arena_player import AI\n\nclass Mine(AI):\n    def run_turn(self):\n        pass\n"


def export(*arguments: str | Path, code: int = 0) -> Result:
    done = CliRunner().invoke(cli, ["task", "export", *map(str, arguments)], prog_name="arena")
    assert done.exit_code == code, done.output
    return done


def test_the_files_of_a_task(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "main.py").write_text(OPPONENT)
    folder = tmp_path / "task"
    export("saloon", "--against", "builtin:pianist", "--against", mine, "-o", folder)
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert files >= {
        "task.toml", "instruction.md", "environment/Dockerfile", "solution/solve.sh", "solution/bot/main.py",
        "tests/test.sh", "tests/verify.py", "tests/Dockerfile", "tests/docker-compose.yaml",
        "tests/rubric.toml", "tests/opponents/mine/main.py",
    }  # fmt: skip
    config = tomllib.loads((folder / "task.toml").read_text())
    assert config["task"]["name"] == "arena/saloon-pianist-mine"
    assert config["verifier"]["environment_mode"] == "separate"
    assert [artifact["source"] for artifact in config["artifacts"]] == ["/app/bot"]
    rubric = tomllib.loads((folder / "tests/rubric.toml").read_text())
    assert "seed" not in rubric["rubric"], "a seed in a published task is known"
    assert [item["against"] for item in rubric["items"]] == ["builtin:pianist", "opponents/mine"]
    assert f"arena-referee[contest]=={__version__} arena-saloon=={__version__}" in dockerfile(folder, "environment")
    assert (folder / "tests/test.sh").stat().st_mode & stat.S_IXUSR
    instruction = (folder / "instruction.md").read_text()
    for part in ("`pianist`, `mine`", "arena new saloon /app/bot", "### What wins", "Cowboy", "0.5 for a draw"):
        assert part in instruction
    assert "players: copies" not in instruction


def dockerfile(folder: Path, place: str) -> str:
    return (folder / place / "Dockerfile").read_text()


def test_arena_is_installed_from_wheels_that_lie_in_the_task(tmp_path: Path) -> None:
    wheels = tmp_path / "dist"
    wheels.mkdir()
    options = ("snakes", "--against", "builtin:search?playouts=8", "--wheels", wheels, "-o", tmp_path / "task")
    said = export(*options, code=ExitCode.NOT_INSTALLED).output
    assert re.search(r"has no wheel of arena-\w+ ", said), said
    for name in ("referee", "player", "replays", "snakes", "learn", "saloon"):
        (wheels / f"arena_{name}-{__version__}-py3-none-any.whl").touch()
    export(*options)
    for place in ("environment", "tests"):
        copied = {path.name.split("-")[0] for path in (tmp_path / "task" / place / "wheels").iterdir()}
        assert copied == {f"arena_{name}" for name in ("referee", "player", "replays", "snakes", "learn")}
        assert f"--find-links /opt/wheels arena-referee[contest]=={__version__}" in dockerfile(tmp_path / "task", place)


def test_the_strengths_of_one_bot_are_different_opponents(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "main.py").write_text(OPPONENT)
    (mine / "bot.toml").write_text('python = "main.py"\n[parameters]\nrate = {value = 1.0, low = 0.0, high = 9.0}\n')
    named = ["builtin:search?playouts=8", "builtin:search?playouts=16", f"{mine}?rate=2", f"{mine}?rate=3"]
    task = tmp_path / "task"
    export("snakes", *(word for reference in named for word in ("--against", reference)), "-o", task)
    config = tomllib.loads((task / "task.toml").read_text())
    names = ["search?playouts=8", "search?playouts=16", "mine?rate=2", "mine?rate=3"]
    assert config["metadata"]["opponents"] == names
    assert config["task"]["name"] == "arena/snakes-search-playouts-8-search-playouts-16-mine-rate-2-mine-rate-3"
    assert "`search?playouts=8`, `search?playouts=16`, `mine?rate=2`" in (task / "instruction.md").read_text()
    rubric = tomllib.loads((task / "tests/rubric.toml").read_text())
    against = [item["against"] for item in rubric["items"]]
    assert against == [*named[:2], "opponents/mine?rate=2", "opponents/mine?rate=3"]
    last = load_bot(f"{task}/tests/{against[-1]}", find_game("snakes"))
    assert dict(last.settings)["rate"] == "3"


def test_an_opponent_can_be_one_file(tmp_path: Path) -> None:
    (tmp_path / "solo.py").write_text(f"import helper\n{OPPONENT}")
    (tmp_path / "helper.py").write_text("")
    export("snakes", "--against", f"{tmp_path}/solo.py?at_random=5", "-o", tmp_path / "task")
    opponents = tmp_path / "task/tests/opponents"
    assert {path.name for path in opponents.rglob("*.py")} == {"solo.py", "helper.py"}
    rubric = tomllib.loads((tmp_path / "task/tests/rubric.toml").read_text())
    bot = load_bot(f"{tmp_path}/task/tests/{rubric['items'][0]['against']}", find_game("snakes"))
    assert (bot.name, dict(bot.settings), bot.folder) == ("solo", {"at_random": "5"}, opponents / "solo")


def test_an_opponent_is_named_once(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder / "mine").mkdir(parents=True)
        (tmp_path / folder / "mine/main.py").write_text(f"{OPPONENT}# {folder}\n")
    for first, second, name in (
        ("builtin:forager", "builtin:forager", "forager"),
        (tmp_path / "a/mine", tmp_path / "b/mine", "mine"),
        (tmp_path / "a/mine?at_random=10", tmp_path / "b/mine", "mine"),
    ):
        options = ("--against", first, "--against", second, "-o", tmp_path / "task")
        assert f"have the name {name}." in export("snakes", *options, code=ExitCode.BAD_BOT).output


def test_what_cannot_be_an_opponent(tmp_path: Path) -> None:
    compiled = tmp_path / "compiled"
    compiled.mkdir()
    (compiled / "bot.toml").write_text('command = ["./bot"]\n[build]\ncommand = ["make"]\noutput = ["bot"]\n')
    for opponent in ("builtin:forrager", tmp_path / "none", compiled):
        export("snakes", "--against", opponent, "-o", tmp_path / "task", code=ExitCode.BAD_BOT)
    for opponent in ("llm:small", "mcp:seat-1", compiled):
        said = export("snakes", "--against", opponent, "-o", tmp_path / "task", code=ExitCode.BAD_BOT).output
        assert f"{opponent} cannot be an opponent of a task" in said
    assert not (tmp_path / "task").exists()


def bots_of(game: str) -> list[str]:
    return [bot.name for bot in find_game(game).bots]


@pytest.mark.parametrize("game", ["saloon", "laser_flag", "derelict", "snakes"])
def test_every_game_can_be_a_task(tmp_path: Path, game: str) -> None:
    export(game, "--against", f"builtin:{bots_of(game)[0]}", "-o", tmp_path / "task")
    config: dict[str, Any] = tomllib.loads((tmp_path / "task/task.toml").read_text())
    assert config["verifier"]["timeout_sec"] > 300
    solution = tmp_path / "task/solution/bot"
    assert (solution / "main.py").read_text() == find_game(game).bots[-1].path.read_text()
    match = MatchInMemory(game, [str(solution), f"builtin:{bots_of(game)[0]}"], seed=1, raises=True)
    with closing(match):
        match.step()
    assert not match.failures, "it has all modules that it imports"


def test_every_field_is_one_of_harbor(tmp_path: Path) -> None:
    export("snakes", "--against", "builtin:forager", "-o", tmp_path / "task")
    config = tomllib.loads((tmp_path / "task/task.toml").read_text())
    tables: dict[str, dict[str, Any]] = {"": config, **{name: config[name] for name in config if name in KNOWN}}
    tables |= {"artifacts": config["artifacts"][0], "verifier.environment": config["verifier"]["environment"]}
    assert {name: set(table) for name, table in tables.items()} == KNOWN


@pytest.mark.kill
@pytest.mark.skipif(HARBOR is None, reason="uv tool install --python 3.12 harbor")
def test_harbor_reads_the_task(tmp_path: Path) -> None:
    export("snakes", "--against", "builtin:forager", "-o", tmp_path / "task")
    python = Path(str(HARBOR)).read_text().partition("\n")[0].removeprefix("#!")
    done = subprocess.run([python, "-c", READ_BY_HARBOR, tmp_path / "task"], capture_output=True, text=True, check=True)
    name, bundled, folder, config = json.loads(done.stdout)
    assert (name, bundled, folder) == ("arena/snakes-forager", True, "tests")
    written = tomllib.loads((tmp_path / "task/task.toml").read_text())
    assert config == written, "every field is known to Harbor, and has its type"
