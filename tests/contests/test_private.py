"""What only the organizer may read, and what published seeds and pages must not give away."""

import json
import os
import stat
from pathlib import Path

import pytest
from contest_commands import SHORT, contest
from contests_toys import add_version, anchor, begin, opened, toys, version_hash, write_config, write_toys
from visitors import pages_of, visitor

from arena.contests.config import StageConfig
from arena.contests.report.rows import documents_of, tables_of
from arena.contests.report.visible_contest import VisibleContest
from arena.contests.report.writers import write_database
from arena.match.position import ReplayPosition
from arena.match.spec import seed_for
from arena.study.checks.verification import verify
from arena.study.replaying.positions import position_at
from arena.testing import play_match
from arena.web.public_replays import is_withheld, public_bytes
from arena_replays import Reader, Writer

REPLAYS = Path(__file__).parents[1] / "replays"
STAGE = StageConfig("all", "round_robin")
CONTEST = SHORT.replace("builtin:pianist", "mine.py").replace('[[bots]]\npath = "builtin:sheriff"\n', "")
CONTEST = CONTEST.replace("rounds = 3", "games = 2")
BOT = "from arena_player import AI\n\nclass Bot(AI):\n    def run_turn(self):\n        self.log('an opening')\n"


def open_to_others(folder):
    """Return what somebody but the owner may read, write or enter."""
    found = [folder, *folder.rglob("*")]
    return [str(path) for path in found if not path.is_symlink() and path.stat().st_mode & 0o077]


@pytest.fixture
def place(tmp_path):
    (tmp_path / "mine.py").write_text(BOT)
    (tmp_path / "contest.toml").write_text(CONTEST)
    before = os.umask(0o022)
    yield tmp_path
    os.umask(before)


@pytest.mark.kill  # a whole evening under another umask
@pytest.mark.process
def test_a_contest_is_readable_by_its_owner_only_and_closed_when_it_is_opened(place):
    folder, outside = place / "contest", place / "outside"
    assert contest("run", "--limit", "1", cwd=place).returncode in (0, 130)
    assert open_to_others(folder) == []
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    outside.write_text("not ours")
    outside.chmod(0o644)
    (folder / "link").symlink_to(outside)
    done = contest("run", "--json", cwd=place)
    assert done.returncode == 0, done.stderr
    assert "knows all random draws" not in done.stderr, "no seed is configured"
    assert {"journal.db", "mine.py", "bots", "replays"} <= {path.name for path in folder.rglob("*")}
    assert len(list(folder.rglob("*.arena"))) == 2
    assert open_to_others(folder) == []
    assert outside.stat().st_mode & 0o777 == 0o644, "what a link leads to is left alone"
    contest("export", "--logs", cwd=place)
    assert open_to_others(place / "contest-results-with-logs") == []
    contest("export", cwd=place)
    assert (place / "contest-results" / "index.html").stat().st_mode & stat.S_IROTH, "this one is to be published"


def test_the_files_of_the_program_around_it_stay_as_they_are(tmp_path):
    umask = os.umask(0o022)
    with toys(write_toys(tmp_path, STAGE), 2):
        pass
    (tmp_path / "after").write_text("x")
    os.umask(umask)
    assert (tmp_path / "after").stat().st_mode & 0o777 == 0o644


def seeds_of(path, names=2):
    with toys(path, names) as opened:
        return opened.state.secret, [spec.seed for spec in begin(opened)]


def test_seeds_follow_from_256_bits_by_hmac(tmp_path):
    drawn, seeds = seeds_of(write_toys(tmp_path / "drawn", STAGE), 6)
    assert len(bytes.fromhex(drawn)) == 32
    assert len(set(seeds)) == len(seeds) // 2, "games of a pair have one seed, and no others"
    assert seeds_of(write_toys(tmp_path / "other", STAGE), 6)[0] != drawn
    (_, one), (_, two) = (seeds_of(write_toys(tmp_path / at, STAGE, seed="anything", id="t")) for at in ("one", "two"))
    assert one == two, "a configured seed gives the same contest"
    assert seed_for("anything", "all", 1, 0, 0) not in one


@pytest.mark.process
def test_a_configured_seed_is_warned_of(place):
    seed = "0123456789abcdef" * 4
    (place / "contest.toml").write_text(CONTEST.replace("[options]", f'seed = "{seed}"\n[options]'))
    done = contest("check", cwd=place)
    assert "knows all random draws" in done.stderr
    assert seed not in done.stderr


@pytest.mark.promise("growing-replay")
def test_a_growing_match_of_isolated_bots_is_shown_with_all_streams_and_without_its_seed(tmp_path):
    """The game hides information, which nobody can tell these bots. Who plays from outside could be told."""
    growing, header = tmp_path / "growing.arena", Reader(REPLAYS / "derelict-1.arena").header
    for bot in ("builtin:castaway", "remote"):
        writer = Writer(growing, header | {"players": [header["players"][0] | {"bot": bot}, header["players"][1]]})
        writer.position({}, [[]] * header["streams"])
        writer.abandon()
        assert is_withheld(growing) == (bot == "remote")
        if bot != "remote":
            copy = Reader(public_bytes(growing))
            assert (copy.streams, copy.seed) == (header["streams"], None) == (3, None)


@pytest.mark.process
def test_a_public_copy_names_no_file_of_this_machine(tmp_path):
    parent, branch, growing = (tmp_path / name for name in ("private/one.arena", "branch.arena", "growing.arena"))
    parent.parent.mkdir()
    bots = ["builtin:rowdy"] * 2
    assert play_match("saloon", bots, seed=3, replay=parent).players
    start = position_at(ReplayPosition(str(parent), 2))
    assert play_match("saloon", bots, seed=3, replay=branch, start=start).players
    header = Reader(branch).header
    assert header["parent"]["file"] == "private/one.arena"
    writer = Writer(growing, header)
    writer.position({}, [[]])
    writer.abandon()
    for path in (branch, growing):
        public = public_bytes(path)
        copy = Reader(public)
        assert b"private" not in public
        assert copy.header["parent"] == {key: value for key, value in header["parent"].items() if key != "file"}
        assert copy.header["start"] == header["start"]
    (tmp_path / "public.arena").write_bytes(public_bytes(branch))
    checked = verify(tmp_path / "public.arena")
    assert (checked.ok, checked.parent) == (True, "missing")


def test_the_name_of_an_organizers_file_is_shown_to_nobody(tmp_path):
    with opened(write_config(tmp_path)) as contest:
        name, content = anchor(contest)[0], version_hash(7)
        add_version(contest, name, content=content, path=f"bots/{content[:24]}/secret_plan.py")
        organizer = VisibleContest.of(contest.state, everything=True)
        write_database(tables_of(organizer), tmp_path / "all.db")
        told = [
            json.dumps(documents_of(tables_of(organizer, private=True))),
            (tmp_path / "all.db").read_text("latin-1"),
        ]
        reader = visitor(pages_of(contest)[1])
        for place in ("", "matches", "acts", "standings.json", f"team/{name}", "data/versions.csv"):
            answer = reader.get(f"/{place}")
            assert answer.status_code == 200
            told.append(answer.text)
    assert content[:12] in " ".join(told), "the version is shown"
    assert "secret_plan" not in " ".join(told)
