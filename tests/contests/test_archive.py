"""The archive of a contest names nobody who does not agree, proves its replays, and gives bots to another ladder."""

import io
import tarfile

import pytest
from contest_commands import SHORT, arena, contest, refused

from arena.contests.archive import read_index
from arena.contests.config_bots import find_bots
from arena.contests.config_file import read_config_file
from arena.contests.report import archived
from arena.contests.values import Consent
from arena.errors import ExitCode
from arena.game import GameSpec
from arena_saloon import young_guns

pytestmark = [pytest.mark.process, pytest.mark.slow]

BOTS = """
[[bots]]
path = "hermit"
[[bots]]
path = "walker"
[[bots]]
path = "builtin:rowdy"
[[stages]]
"""
CONTEST = SHORT[: SHORT.index("[[bots]]")] + BOTS.lstrip() + 'format = "round_robin"\nrounds = 1\n'


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """The folder of a contest that is over, with the archive `last.tar`. The hermit agrees to nothing."""
    folder = tmp_path_factory.mktemp("archive")
    for name in ("hermit", "walker"):
        assert arena("new", "saloon", name, cwd=folder).returncode == 0
        with (folder / name / "main.py").open("a") as file:
            file.write(f"# {name}\n")
    (folder / "contest.toml").write_text(CONTEST)
    done = contest("run", cwd=folder)
    assert done.returncode == 0, done.stderr
    with pytest.MonkeyPatch.context() as patch:
        agrees = archived.consent_of
        silent = Consent(replays=False, picture=False)
        patch.setattr(archived, "consent_of", lambda state, name: silent if name == "hermit" else agrees(state, name))
        done = contest("archive", "last.tar", cwd=folder)
    assert "1 bots may play in later contests" in done.stdout, done.stderr
    return folder


def contents(path):
    """The content of each file of an archive, and of the archives in it."""
    with tarfile.open(path) as archive:
        files = {member.name: archive.extractfile(member).read() for member in archive if member.isfile()}
    for name in [name for name in files if name.endswith(".tar.gz")]:
        with tarfile.open(fileobj=io.BytesIO(files.pop(name))) as bot:
            files |= {f"{name}/{one.name}": bot.extractfile(one).read() for one in bot if one.isfile()}
    return files


def test_the_archive_names_nobody_who_does_not_agree(played):
    files = contents(played / "last.tar")
    assert [name for name, data in files.items() if b"hermit" in data] == []
    assert b"Entrant 1" in files["site/index.html"]
    assert b"walker" in files["site/index.html"]
    assert b"Saloon: rules" in files["site/rules/index.html"]
    pages = [name for name in files if name.startswith("site/matches/") and name.endswith(".html")]
    replays = [name for name in files if name.startswith("replays/")]
    assert len(pages) == len(replays) == 2  # those of the walker and the built-in bot
    (rung,) = read_index(played / "last.tar").bots
    assert rung.name == "walker"
    assert f"{rung.file}/main.py" in files


def test_its_bots_are_anchors_of_another_ladder(played, tmp_path):
    (tmp_path / "contest.toml").write_text(
        CONTEST.replace('path = "hermit"', f'path = "{played / "last.tar"}"').replace('[[bots]]\npath = "walker"\n', "")
    )
    config, game = read_config_file(tmp_path / "contest.toml")
    bots, broken = find_bots(config, tmp_path, game)
    assert broken == []
    skill = read_index(played / "last.tar").bots[0].skill
    assert [(bot.name, bot.entry.skill) for bot in bots] == [("walker", skill), ("rowdy", None)]
    (tmp_path / "contest.toml").write_text(
        (tmp_path / "contest.toml").read_text().replace('last.tar"', 'last.tar"\nskill = 3')
    )
    refused(contest("check", cwd=tmp_path), ExitCode.BAD_LEAGUE, "cannot be given to many bots")


def test_its_replays_prove_the_results_by_the_installed_rules(played):
    done = contest("verify", "last.tar", "--rules", cwd=played)
    assert "2 results are unchanged" in done.stdout, done.stdout
    assert done.returncode == 0


def test_later_rules_prove_it_or_say_which_version_it_needs(played, monkeypatch):
    monkeypatch.setattr(GameSpec, "version", "2.0", raising=False)
    later = contest("verify", "last.tar", "--rules", cwd=played)
    assert later.returncode == 0, later.stdout
    monkeypatch.setattr(young_guns, "inwards", lambda x, y, width, height: young_guns.Tile(1, 1))
    done = contest("verify", "last.tar", "--rules", cwd=played)
    assert done.returncode == ExitCode.DAMAGED_JOURNAL
    assert "needs the rules saloon 1." in done.stdout
    assert "those that are installed, 2.0, give another match" in done.stdout


def test_a_changed_replay_and_a_file_of_another_kind_are_named(played, tmp_path):
    data = (played / "last.tar").read_bytes()
    name = next(iter(read_index(played / "last.tar").replays))
    place = data.index(f"replays/{name}.arena".encode()) + 512 + 100
    (tmp_path / "changed.tar").write_bytes(data[:place] + b"?" + data[place + 1 :])
    done = contest("verify", "changed.tar", cwd=tmp_path)
    assert done.returncode == ExitCode.DAMAGED_JOURNAL
    assert f"the replay of {name} is gone or was changed" in done.stdout
    (tmp_path / "other.tar").write_bytes(b"no archive" * 1000)
    refused(contest("verify", "other.tar", cwd=tmp_path), ExitCode.BAD_BOT, "is not the archive of a contest")
    refused(contest("archive", "last.tar", cwd=played), ExitCode.CANNOT_WRITE, "last.tar exists")
    refused(contest("archive", "last.zip", cwd=played), ExitCode.USAGE, "must end with .tar")
