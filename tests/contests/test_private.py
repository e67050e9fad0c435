"""What only the organizer may read, and what published seeds and pages must not give away."""

import json
import os
import stat

import pytest
from tournament_commands import arena
from tournament_toys import config_of, entrants_of

from arena.checks.verification import verify
from arena.errors import ArenaError
from arena.match.position import ReplayPlace
from arena.match.spec import seed_for
from arena.replaying.positions import position_at
from arena.testing.matches import play_match
from arena.tournament.plan.config import StageConfig
from arena.tournament.plan.schedule import Schedule
from arena.tournament.run.organizer import organize
from arena.web.public_replays import public_bytes
from arena.web.tournament.tokens import is_owner, new_tokens
from arena_replays import Reader, Writer

STAGE = StageConfig("all", "round_robin")
LEAGUE = """
[tournament]
name = "Private"
game = "saloon"
isolation = "none"
{seed}
[options]
max_turns = 4
[[bots]]
path = "mine.py"
[[bots]]
path = "builtin:rowdy"
[[stages]]
name = "all"
format = "round_robin"
games = 2
"""
BOT = "from arena_player import AI\n\nclass Bot(AI):\n    def run_turn(self):\n        self.log('an opening')\n"


def open_to_others(folder):
    """Return what somebody but the owner may read, write or enter."""
    found = [folder, *folder.rglob("*")]
    return [str(path) for path in found if not path.is_symlink() and path.stat().st_mode & 0o077]


@pytest.fixture
def league(tmp_path):
    (tmp_path / "mine.py").write_text(BOT)
    (tmp_path / "league.toml").write_text(LEAGUE.format(seed=""))
    before = os.umask(0o022)
    yield tmp_path
    os.umask(before)


@pytest.mark.sandbox
def test_a_tournament_is_readable_by_its_owner_only(league):
    done = arena("tournament", "run", cwd=league)
    assert done.returncode == 0, done.stderr
    names = {path.name for path in (league / "league").rglob("*")}
    assert {"journal.db", "mine.py", "bots", "replays"} <= names
    assert len(list((league / "league").rglob("*.arena"))) == 2
    assert open_to_others(league / "league") == []
    arena("tournament", "export", "--logs", cwd=league)
    assert open_to_others(league / "league-results-with-logs") == []
    arena("tournament", "export", cwd=league)
    assert (league / "league-results" / "index.html").stat().st_mode & stat.S_IROTH, "this one is to be published"


@pytest.mark.process
def test_a_tournament_that_others_can_read_is_closed_when_it_is_opened(league):
    assert arena("tournament", "run", "--limit", "1", cwd=league).returncode in (0, 130)
    for path in [league / "league", *(league / "league").rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    outside = league / "outside"
    outside.write_text("not ours")
    outside.chmod(0o644)
    (league / "league" / "link").symlink_to(outside)
    done = arena("tournament", "run", "--json", cwd=league)
    assert done.returncode == 0, done.stderr
    assert open_to_others(league / "league") == []
    assert outside.stat().st_mode & 0o777 == 0o644, "what a link leads to is left alone"


def test_the_files_of_the_program_around_it_stay_as_they_are(tmp_path):
    umask = os.umask(0o022)
    with organize(tmp_path / "one", config_of(STAGE), entrants_of(2)):
        pass
    (tmp_path / "after").write_text("x")
    os.umask(umask)
    assert (tmp_path / "after").stat().st_mode & 0o777 == 0o644


def test_seeds_follow_from_256_bits_by_hmac(tmp_path):
    with organize(tmp_path / "drawn", config_of(STAGE), entrants_of(2)) as organizer:
        drawn = organizer.tournament.secret
    assert len(bytes.fromhex(drawn)) == 32
    with organize(tmp_path / "one", config_of(STAGE, seed="anything", id="t"), entrants_of(2)) as organizer:
        one = [spec.seed for spec in organizer.schedule.take()]
    with organize(tmp_path / "two", config_of(STAGE, seed="anything", id="t"), entrants_of(2)) as organizer:
        assert [spec.seed for spec in organizer.schedule.take()] == one, "a configured seed gives the same tournament"
        assert seed_for("anything", "all", 1, 0, 0) not in one


@pytest.mark.process
@pytest.mark.parametrize(("seed", "warned"), [("anything", True), ("0123456789abcdef" * 4, True), ("", False)])
def test_a_configured_seed_is_warned_of(league, seed, warned):
    (league / "league.toml").write_text(LEAGUE.format(seed=f'seed = "{seed}"' if seed else ""))
    done = arena("tournament", "check", cwd=league)
    assert ("knows all random draws" in done.stderr) == warned
    assert seed == "" or seed not in done.stderr


def test_tokens_are_random_shown_once_and_stored_hashed(tmp_path):
    first = new_tokens(tmp_path, ["alice", "bob"])
    assert sorted(first) == ["alice", "bob"]
    assert all(len(token) >= 32 for token in first.values())
    stored = (tmp_path / "tokens.json").read_text()
    assert not any(token in stored for token in first.values())
    assert stat.S_IMODE((tmp_path / "tokens.json").stat().st_mode) == 0o600
    assert new_tokens(tmp_path, ["alice", "bob", "carol"]).keys() == {"carol"}
    assert is_owner(tmp_path, "alice", first["alice"])
    assert not is_owner(tmp_path, "alice", first["bob"])
    assert not is_owner(tmp_path, "alice", "")
    assert not is_owner(tmp_path, "alice", "ä")
    assert not is_owner(tmp_path, "nobody", "")
    fresh = new_tokens(tmp_path, ["alice", "bob", "carol"], renew=["alice"])
    assert fresh.keys() == {"alice"}
    assert not is_owner(tmp_path, "alice", first["alice"]), "renewing revokes the old one"
    assert is_owner(tmp_path, "alice", fresh["alice"])
    with pytest.raises(ArenaError, match="dave"):
        new_tokens(tmp_path, ["alice"], renew=["dave"])
    assert new_tokens(tmp_path, ["alice", "bob", "carol"], revoke=["alice"]) == {}
    assert not is_owner(tmp_path, "alice", fresh["alice"])
    assert new_tokens(tmp_path, ["alice", "bob", "carol"]) == {}, "revoked tokens come back only if they are renewed"
    assert new_tokens(tmp_path, ["alice", "bob", "carol"], renew=["alice"]).keys() == {"alice"}
    for damage in (b"{", b"[]", b'{"alice": 1}', b"\xff"):
        (tmp_path / "tokens.json").write_bytes(damage)
        with pytest.raises(ArenaError, match=r"tokens\.json is damaged"):
            is_owner(tmp_path, "alice", "x")


@pytest.mark.sandbox
def test_a_known_seed_gives_no_token(league):
    """Nor does anything else that the pages show."""
    (league / "league.toml").write_text(LEAGUE.format(seed='seed = "anything"'))
    arena("tournament", "run", "--limit", "1", cwd=league)
    first = arena("tournament", "tokens", "--json", cwd=league)
    assert set(json.loads(first.stdout)) == {"mine", "rowdy"}
    again = arena("tournament", "tokens", "--json", cwd=league)
    assert json.loads(again.stdout) == {}
    assert "--renew" in again.stderr
    renewed = arena("tournament", "tokens", "--json", "--renew", "mine", cwd=league)
    assert set(json.loads(renewed.stdout)) == {"mine"}
    assert json.loads(renewed.stdout)["mine"] != json.loads(first.stdout)["mine"]


def test_schedules_do_not_share_seeds(tmp_path):
    with organize(tmp_path, config_of(STAGE), entrants_of(6)) as organizer:
        seeds = [spec.seed for spec in Schedule(organizer.tournament).take()]
    assert len(set(seeds)) == len(seeds) // 2


@pytest.mark.process
def test_a_public_copy_names_no_file_of_this_machine(tmp_path):
    parent, branch, growing = (tmp_path / name for name in ("private/one.arena", "branch.arena", "growing.arena"))
    parent.parent.mkdir()
    bots = ["builtin:rowdy"] * 2
    assert play_match("saloon", bots, seed=3, replay=parent).players
    start = position_at(ReplayPlace(str(parent), 2))
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
