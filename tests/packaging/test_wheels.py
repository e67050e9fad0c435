"""The wheels, installed into a clean environment, from an empty folder: what a student gets."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path
from urllib.request import urlopen

import pytest

from arena_player.version import __version__

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.process, pytest.mark.slow]


def uv() -> str:
    noted = ROOT / ".venv" / "uv-path"
    candidates = [
        shutil.which("uv"),
        str(ROOT / ".bootstrap/bin/uv"),
        noted.read_text().strip() if noted.exists() else None,
    ]
    for candidate in candidates:
        if candidate and (shutil.which(candidate) or (ROOT / candidate).exists()):
            return shutil.which(candidate) or str(ROOT / candidate)
    pytest.skip("uv is not installed")


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # uv finds what it has unpacked before by the path, which must not come back in a later run.
    folder = Path(tempfile.mkdtemp(dir=tmp_path_factory.mktemp("wheels")))
    run(uv(), "build", "--all-packages", "--wheel", "--out-dir", folder, cwd=ROOT)
    return folder


@pytest.fixture(scope="module")
def binaries(wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clean")
    run(uv(), "venv", folder / "venv", cwd=folder)
    # By one name, as from the index.
    python = folder / "venv/bin/python"
    run(uv(), "pip", "install", "--python", python, "--find-links", wheels, "arena-all", cwd=folder)
    return folder / "venv" / "bin"


def test_a_match_from_an_empty_folder(binaries: Path, tmp_path: Path) -> None:
    games = json.loads(run(binaries / "arena", "games", "--json", cwd=tmp_path).stdout)
    assert {game["name"] for game in games} == {"saloon", "laser_flag", "derelict", "snakes"}
    run(binaries / "arena", "new", "saloon", "my_bot", cwd=tmp_path)
    for language in ("cpp", "javascript", "java"):
        run(binaries / "arena", "new", "saloon", f"{language}_bot", "--language", language, cwd=tmp_path)
    played = run(binaries / "arena", "play", "saloon", "my_bot", "builtin:rowdy", "--seed", "3", "--json", cwd=tmp_path)
    result = json.loads(played.stdout)
    assert result["players"][0]["ending"] == "won"
    run(binaries / "arena", "replay", "verify", result["replay"], cwd=tmp_path)
    run(binaries / "arena", "replay", "export", result["replay"], "--html", "match.html", cwd=tmp_path)
    assert (tmp_path / "match.html").stat().st_size > 50_000


@pytest.mark.kill  # an installation more
def test_a_new_game_is_installed_checked_played_and_watched(binaries: Path, tmp_path: Path) -> None:
    arena = binaries / "arena"
    run(arena, "new-game", "tag_it", cwd=tmp_path)
    run(uv(), "pip", "install", "--python", binaries / "python", tmp_path / "tag_it", cwd=tmp_path)
    assert "keeps the contract" in run(arena, "game", "check", "tag_it", "--games", "2", cwd=tmp_path).stdout
    game = json.loads(run(arena, "games", "tag_it", "--json", cwd=tmp_path).stdout)
    assert (game["title"], game["bots"]) == ("Tag It", ["hare"])
    run(arena, "new", "tag_it", "mine", cwd=tmp_path)
    played = run(arena, "play", "tag_it", "mine", "builtin:hare", "--seed", "1", "--json", cwd=tmp_path)
    result = json.loads(played.stdout)
    assert {player["ending"] for player in result["players"]} == {"won", "lost"}
    run(arena, "replay", "verify", result["replay"], cwd=tmp_path)
    run(arena, "replay", "export", result["replay"], "--html", "match.html", cwd=tmp_path)
    assert "Draws Tag It" in (tmp_path / "match.html").read_text(encoding="utf-8")
    with subprocess.Popen(
        [arena, "view", result["replay"], "--no-browser"], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    ) as view:
        assert view.stdout is not None
        address = re.search(r"http://\S+", view.stdout.readline())
        assert address is not None
        with urlopen(address[0], timeout=20) as page:
            assert b"<!doctype html>" in page.read().lower()
        view.terminate()


def test_the_playground_is_written_from_an_empty_folder(binaries: Path, tmp_path: Path) -> None:
    run(binaries / "arena", "playground", "export", "site", cwd=tmp_path)
    for name in ("index.html", "board/derelict.html", "python/pyodide.asm.wasm.bin", "editor/codemirror.js"):
        assert (tmp_path / "site" / name).stat().st_size > 500
    assert "playground" in run(binaries / "arena", "--help", cwd=tmp_path).stdout


def test_what_a_student_installs_is_small(wheels: Path, tmp_path: Path) -> None:
    run(uv(), "venv", "venv", cwd=tmp_path)
    wheel = next(wheels.glob("arena_player-*.whl"))
    run(uv(), "pip", "install", "--python", "venv/bin/python", wheel, cwd=tmp_path)
    listed = json.loads(
        run(uv(), "pip", "list", "--python", "venv/bin/python", "--format", "json", cwd=tmp_path).stdout
    )
    assert {package["name"] for package in listed} == {"arena-player", "msgpack", "pyzmq"}
    run("venv/bin/python", "-c", "import arena_player", cwd=tmp_path)


def test_typed_and_nothing_but_the_package_in_each_wheel(wheels: Path) -> None:
    for wheel in wheels.glob("*.whl"):
        if wheel.name.startswith("arena_all-"):  # it only names the others
            continue
        names = zipfile.ZipFile(wheel).namelist()
        tops = {name.partition("/")[0] for name in names if ".dist-info" not in name}
        assert len(tops) == 1, wheel.name
        (package,) = tops
        assert f"{package}/py.typed" in names
        assert not any(name.rpartition("/")[2].startswith("test_") for name in names), wheel.name


def metadata(wheel: Path) -> Message:
    archive = zipfile.ZipFile(wheel)
    (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
    return Parser().parsestr(archive.read(name).decode())


def test_every_wheel_has_the_one_version_and_pins_the_others_to_it(wheels: Path) -> None:
    pins = {}
    for wheel in wheels.glob("*.whl"):
        about = metadata(wheel)
        assert about["Version"] == __version__, wheel.name
        needs = about.get_all("Requires-Dist") or []
        pins[about["Name"]] = {need for need in needs if need.startswith("arena-")}
    games = {f"arena-{name}=={__version__}" for name in ("saloon", "laser-flag", "derelict", "snakes")}
    referee = {f"arena-referee=={__version__}"}
    assert pins == {
        "arena-all": {
            *games,
            f"arena-referee[contest]=={__version__}",
            f"arena-playground=={__version__}",
            f"arena-show=={__version__}",
        },
        "arena-player": set(),
        "arena-replays": set(),
        "arena-referee": {f"arena-player=={__version__}", f"arena-replays=={__version__}"},
        "arena-saloon": referee,
        "arena-laser-flag": referee,
        "arena-derelict": referee,
        "arena-snakes": referee,
        "arena-agents": referee,
        "arena-cluster": {f"arena-referee[contest]=={__version__}"},
        "arena-learn": referee,
        "arena-playground": referee,
        "arena-show": {f"arena-referee[contest]=={__version__}"},
    }


def test_every_wheel_has_the_license(wheels: Path) -> None:
    for wheel in wheels.glob("*.whl"):
        archive = zipfile.ZipFile(wheel)
        (name,) = [name for name in archive.namelist() if name.endswith("licenses/LICENSE")]
        assert "MIT License" in archive.read(name).decode(), wheel.name


def test_the_index_accepts_every_wheel_and_shows_its_description(wheels: Path) -> None:
    run(ROOT / ".venv/bin/twine", "check", "--strict", *wheels.glob("*.whl"), cwd=ROOT)
    for wheel in wheels.glob("*.whl"):
        about = metadata(wheel)
        text = str(about.get_payload())
        assert about["Description-Content-Type"] == "text/markdown", wheel.name
        assert about.get_all("Classifier"), wheel.name
        links = re.findall(r"\]\(([^)]+)\)", text)
        assert all(link.startswith("https://") for link in links), f"{wheel.name}: {links}"


@pytest.mark.kill  # the first match from wheels runs each day
def test_every_command_of_a_student_runs_after_one_install(binaries: Path, tmp_path: Path) -> None:
    """The commands that need the extra `contest` too."""
    arena = binaries / "arena"
    for command in ("compare", "climb", "grade", "submit", "contest", "explain", "rules", "new"):
        run(arena, command, "--help", cwd=tmp_path)
    run(arena, "new", "saloon", "mine", cwd=tmp_path)
    played = run(arena, "compare", "saloon", "mine", "builtin:rowdy", "--games", "2", cwd=tmp_path)
    assert "mine" in played.stdout


@pytest.mark.kill  # a second installation from wheels
def test_a_room_without_internet_installs_from_the_server_of_a_contest(binaries: Path, tmp_path: Path) -> None:
    """The server packs its own wheels again, and a clean environment needs no other address."""
    arena = binaries / "arena"
    run(arena, "contest", "init", "snakes", "builtin:hatchling", "builtin:forager", cwd=tmp_path)
    (tmp_path / "contest.toml").write_text((tmp_path / "contest.toml").read_text().replace('"bwrap"', '"none"'))
    command = [arena, "contest", "serve", "--port", "0"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = next(line.strip() for line in server.stdout if line.startswith("http://"))
            run(uv(), "venv", tmp_path / "venv", cwd=tmp_path)
            python, links = tmp_path / "venv/bin/python", f"{address}wheels/"
            install = ("pip", "install", "--no-index", "--no-cache", "--find-links", links, "arena-snakes")
            run(uv(), *install, "--python", python, cwd=tmp_path)
        finally:
            server.terminate()
    assert "hatchling" in run(tmp_path / "venv/bin/arena", "games", cwd=tmp_path).stdout
