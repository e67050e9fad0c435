"""A person is erased: their name is in no file any more, and everything else is as it was."""

import contextlib
import hashlib
import json
import re
import sqlite3
from pathlib import Path

import pytest
from contest_commands import SHORT
from contest_commands import contest as contest_command
from contests_toys import archive, do, opened, player, real_match, write_config
from visitors import HOST, pages_of, send, upload, visitor

from arena.bots.builtin import builtin_path, module_source
from arena.contests import entries
from arena.contests.backup import back_up
from arena.contests.journal.chain import DamagedJournalError
from arena.contests.journal.files import ERASING
from arena.contests.journal.sources import Sources
from arena.contests.journal.store import backups, now
from arena.contests.open_contest import read_contest
from arena.contests.people import accounts, erasure
from arena.contests.rebuild import rebuild
from arena.contests.report.rows import tables_of
from arena.contests.report.visible_contest import VisibleContest
from arena.contests.report.writers import to_csv
from arena.contests.verify import verify
from arena.errors import ArenaError
from arena.match.lookup import find_game
from arena.study.coach.stored import cache_path
from arena_replays import Reader, ReplayError

pytestmark = pytest.mark.process
NAME, TEAM = "Vidkun Zaphod", "Zaphods"
SOURCE = '''
from saloon import AI


class Bot(AI):
    """By Vidkun Zaphod."""

    def run_turn(self):
        self.log("Zaphods think")
        print("by vidkun_zaphod")
        if self.game.current_turn > 4:
            raise ValueError("zaphods are gone")
'''


def config(folder):
    return write_config(folder, ('isolation = "bwrap" ', 'isolation = "none" '))


@contextlib.contextmanager
def term(path):
    """A term with the team to erase, and another one; both have played, and the first is everywhere."""
    with opened(path) as contest:
        _, app = pages_of(contest)
        tokens = {team: add(contest, team, name) for team, name in ((TEAM, NAME), ("Blue", "Ann"))}
        for team, source in ((TEAM, SOURCE), ("Blue", "print('blue')")):
            data = archive(game="saloon", **{"main.py": source})
            done = upload(visitor(app, tokens[team]), data, f"{team.lower()}.zip")
            assert done.status_code == 201, done.text
            key = f"{contest.state.id_of(team)}/1"
            report = entries.text(key, "report", (f"{team} is slow", []))
            contest.write(report, (key, entries.Checked(True, "", now(), 0.0)), (key, entries.Activated(now())))
        play(contest)
        play(contest)
        do(contest, "announce", reason="Hurrah for Vidkun Zaphod!")
        do(contest, "void", next(iter(contest.state.played)), reason="asked by the Blue")
        contest.back_up()
        yield contest, app, tokens


def add(contest, team, name):
    """Return the token of a new person."""
    return accounts.join(contest, accounts.invite(contest, team, name, "member", ""), "")[1]


def play(contest):
    match_id = real_match(contest, player(contest, TEAM), player(contest, "Blue"))
    cache_path(contest.folder / contest.state.played[match_id].replay).write_text(f'{{"players": "{TEAM}"}}')


def hits(*folders):
    """Return the files whose name or content has a part of the name, also in what is packed."""
    found = []
    for path in (path for folder in folders for path in Path(folder).rglob("*")):
        data = path.read_bytes() if path.is_file() else b""
        with contextlib.suppress(ReplayError):
            reader = Reader(data)
            data += str((reader.header, reader.footer, [note.payload for note in reader.notes])).encode()
        if "zaphod" in path.name.lower() or b"zaphod" in data.lower() or b"vidkun" in data.lower():
            found.append(str(path))
    return found


def tables(state):
    """Return all tables that everybody and that organizers see, but the log, whose texts are erased and added to."""
    visible = [VisibleContest.of(state, everything=everything) for everything in (False, True)]
    return [to_csv(table) for one in visible for table in tables_of(one) if table.kind.name != "acts"]


def erased(contest, person=NAME, author=None):
    found = erasure.plan(contest, erasure.people_of(contest.state, person))
    return erasure.erase(contest, author, "on request", found)


@pytest.mark.promise("erased-people")
def test_the_name_is_in_no_file_and_all_else_is_as_it_was(tmp_path):
    path = config(tmp_path)
    with term(path) as (contest, _, _):
        rebuilt = contest.folder / "damaged-1"
        rebuilt.mkdir()
        (rebuilt / "journal.db").write_text(NAME)
        assert len(hits(contest.folder)) > 10
        before = tables(contest.state)
        assert any(TEAM in table for table in before)
        head = contest.state.number, contest.state.hash
        act = erased(contest)
        pseudonym = contest.state.ids[next(key for key in contest.state.orders.erased if key[0] == "e")]
        assert tables(contest.state) == [table.replace(TEAM, pseudonym) for table in before]
        assert hits(contest.folder) == [], "also while it runs"
        assert not contest.state.playing() or pseudonym not in contest.state.playing()
    assert hits(contest.folder) == []
    found = verify(contest.folder, rules=True, head=f"{head[0]}:{head[1]}")
    assert found.problems == []
    assert found.erased[0].startswith(f"Erased by act {act}: the texts of the entries ")
    assert tables(read_contest(contest.folder)) == [table.replace(TEAM, pseudonym) for table in before]
    back_up(path, tmp_path / "later.tar")
    (tmp_path / "out").mkdir()
    archived = contest_command("archive", tmp_path / "out/site.tar", path, cwd=tmp_path)
    assert archived.returncode == 0, archived.stderr
    assert contest_command("export", path, "--everything", "--out", tmp_path / "out", cwd=tmp_path).returncode == 0
    assert contest_command("export", path, "--data", tmp_path / "out/data.db", cwd=tmp_path).returncode == 0
    (tmp_path / "out/later").write_bytes((tmp_path / "later.tar").read_bytes())
    assert hits(tmp_path / "out") == []
    assert contest_command("undo", act, path, "--reason", "no", cwd=tmp_path).returncode != 0


def test_a_kill_between_the_transaction_and_the_files_leaves_nothing(tmp_path, monkeypatch):
    path = config(tmp_path)

    def killed(*_arguments):
        raise KeyboardInterrupt

    with term(path) as (contest, _, _), monkeypatch.context() as patch, contextlib.suppress(KeyboardInterrupt):
        patch.setattr(erasure, "unstage_replay", killed)
        erased(contest)
    assert (contest.folder / ERASING).exists()
    assert hits(contest.folder / "backups")
    with opened(path) as contest:
        erasure.finish(contest)
    assert hits(contest.folder) == []
    assert verify(contest.folder).problems == []


def test_an_empty_text_without_an_act_is_damage(tmp_path):
    with term(config(tmp_path)) as (contest, _, _):
        folder = contest.folder
    with contextlib.closing(sqlite3.connect(folder / "journal.db", isolation_level=None)) as database:
        database.execute("update entries set document = '' where key = 'a1.reason'")
    with pytest.raises(DamagedJournalError, match="is gone"):
        read_contest(folder)
    assert any("a1.reason" in problem for problem in verify(folder).problems)


def test_a_rebuild_keeps_erased_texts_and_the_chain(tmp_path):
    with term(config(tmp_path)) as (contest, _, _):
        erased(contest)
        folder, before = contest.folder, tables(contest.state)
    head = Sources.of(folder).entries()[-1]
    (folder / "journal.db").write_bytes(b"gone")
    for path in backups(folder)[1:]:
        path.write_bytes(b"gone")
    rebuild(folder, list)
    assert head.hash in {entry.hash for entry in Sources.of(folder).entries()}
    assert verify(folder).problems == []
    assert tables(read_contest(folder)) == before
    assert hits(folder) == []


def test_the_last_member_takes_the_team_along(tmp_path):
    with term(config(tmp_path)) as (contest, app, _tokens):
        second = add(contest, TEAM, "Trillian")
        with pytest.raises(ArenaError, match="has members: Vidkun Zaphod, Trillian"):
            erasure.people_of(contest.state, TEAM)
        erased(contest, "Trillian")
        assert TEAM in contest.state.entrants
        assert visitor(app).get("/sign-in", params={"token": second}).status_code == 200
        gone = visitor(app).post("/sign-in", data={"token": second}, headers={"Origin": HOST})
        assert gone.status_code == 403
        erased(contest)
        assert TEAM not in contest.state.entrants
        assert [one.name for one in contest.state.members.values()] == ["Person 1", "Ann", "Person 3"]
        with pytest.raises(ArenaError, match="There is no person"):
            erased(contest)


def test_the_desk_shows_what_is_touched_and_asks_twice(tmp_path):
    with term(config(tmp_path)) as (contest, app, tokens):
        token = accounts.join(contest, accounts.invite(contest, "", "Olga", "organizer", ""), "")[1]
        olga = visitor(app, token)
        shown = send(olga, "/desk/erasure", person="p1").text
        for text in ("cannot be undone", f"{NAME} becomes Person 1", f"{TEAM} becomes Entrant 4", "p1.name"):
            assert text in shown, text
        fields = {"person": "p1", "reason": "on request"}
        assert send(olga, "/desk/erase", **fields, again="Vidkun").status_code == 409
        assert send(olga, "/desk/erase", person="p3", reason="x", again="Olga").status_code == 409, "not by oneself"
        assert send(visitor(app, tokens["Blue"]), "/desk/erase", **fields, again=NAME).status_code == 403
        assert hits(contest.folder)
        assert send(olga, "/desk/erase", **fields, again=NAME).status_code == 303
        for place in ("/", "/acts", "/desk", "/matches", "/queue", "/team/Entrant%204", "/standings.json"):
            page = olga.get(place)
            assert page.status_code == 200
            assert "zaphod" not in page.text.lower(), place
        assert "Olga erased Person 1" in " ".join(re.sub("<[^>]*>", " ", olga.get("/acts").text).split())
        undo = next(act for act, one in contest.state.acts.items() if one.kind == "erase")
        assert send(olga, "/desk/act", kind="undo", subject=undo, reason="no").status_code == 409
    assert hits(contest.folder) == []


def test_others_keep_their_names(tmp_path):
    with term(config(tmp_path)) as (contest, _app, _tokens):
        add(contest, f"{TEAM} United", NAME)
        contest.write(entries.text("a9", "reason", f"{TEAM} United are not {TEAM}"))
        with pytest.raises(ArenaError, match=f"2 people are called {NAME}: p1 .{TEAM}., p3 .{TEAM} United."):
            erased(contest)
        erased(contest, "p1")
        assert [one.name for one in contest.state.members.values()] == ["Person 1", "Ann", NAME]
        assert [*contest.state.teams] == ["Entrant 4", "Blue", f"{TEAM} United"]
        assert not any("are not" in str(value) for _, _, value in contest.texts())
    finder = erasure.NameFinder({"Ada": "Person 1", "Ada B": "Entrant 1"}, ["Ada's", "Adam"])
    assert finder.replaced({"ada": ["ADA_B", "Ada's Adam", "x-ada-x"]}) == {
        "Person 1": ["Entrant 1", "Ada's Adam", "x-Person 1-x"]
    }


def test_what_would_bring_a_name_back_is_refused(tmp_path):
    path = config(tmp_path)
    with term(path) as (contest, _, _):
        found = erasure.plan(contest, erasure.people_of(contest.state, NAME))
        with pytest.raises(ArenaError, match="The reason has the name"):
            erasure.erase(contest, None, "for vidkun zaphod", found)
        with pytest.raises(ArenaError, match="is playing"):
            erasure.erase(contest, None, "on request", found, busy=[TEAM])
        path.write_text(path.read_text() + f"\n# {NAME} is the tutor\n")
        with pytest.raises(ArenaError, match="would bring the name back"):
            erasure.plan(contest, erasure.people_of(contest.state, NAME))


@pytest.mark.promise("erased-people")
def test_nobody_finds_a_name_by_its_digest(tmp_path):
    """A million guesses, of which one is right, as they could be hashed without the salt."""
    with term(config(tmp_path)) as (contest, _, _):
        folder = contest.folder
        erased(contest)
    with contextlib.closing(sqlite3.connect(folder / "journal.db")) as database:
        digests = {digest for (digest,) in database.execute("select digest from entries where document = ''")}
    assert digests
    for number in range(1_000_000):
        name = TEAM if number == 500_000 else f"Team {number}"
        assert hashlib.sha256(b'{"value":"%b"}' % name.encode()).hexdigest() not in digests
    for salt in ("", "0" * 32):
        text = entries.text_of(entries.TextEntry(salt=salt, value=TEAM))
        assert hashlib.sha256(text.encode()).hexdigest() not in digests


def test_the_command_lists_first_and_asks(tmp_path):
    path = config(tmp_path)
    with term(path) as (contest, _, _):
        folder = contest.folder
    asked = contest_command("erase", NAME, path, "--reason", "on request", stdin="no\n", cwd=tmp_path)
    assert asked.returncode != 0
    for text in (f"{NAME} becomes Person", "This cannot be undone", "Nothing was erased", "p1.name"):
        assert text in asked.stdout + asked.stderr
    assert hits(folder)
    done = contest_command("erase", NAME, path, "--reason", "on request", stdin=f"{NAME}\n", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert hits(folder) == []
    shown = contest_command("verify", path, cwd=tmp_path)
    assert "Erased by act" in shown.stdout
    assert json.loads(contest_command("verify", path, "--json", cwd=tmp_path).stdout)["erased"]


def test_an_organizers_bot_is_erased_with_its_file(tmp_path):
    """The names of files are those of their authors. The next run misses nobody."""
    folder = tmp_path / "bots"
    folder.mkdir()
    (folder / "saloon.py").write_text(module_source(find_game("saloon")))
    for name in ("zaphod", "walker", "rival"):
        (folder / f"{name}.py").write_text(builtin_path(find_game("saloon"), "rowdy").read_text() + f"# {name}\n")
    text = SHORT.partition("[[bots]]")[0] + '[[bots]]\npath = "bots"\nmany = true\n[[stages]]\nformat = "round_robin"\n'
    (tmp_path / "contest.toml").write_text(text)
    assert contest_command("run", cwd=tmp_path).returncode == 0
    command = ("erase", "zaphod", "--reason", "on request", "--yes")
    kept = contest_command(*command, cwd=tmp_path)
    assert "The bots of contest.toml contain zaphod" in kept.stderr
    (folder / "zaphod.py").unlink()
    before = contest_command("standings", "--format", "csv", cwd=tmp_path).stdout
    done = contest_command(*command, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert hits(tmp_path / "contest") == []
    pseudonym = re.search(r"zaphod becomes (Entrant \d)", done.stdout)[1]
    after = contest_command("standings", "--format", "csv", cwd=tmp_path).stdout
    assert after == before.replace("zaphod", pseudonym)
    again = contest_command("run", cwd=tmp_path)
    assert (again.returncode, again.stderr) == (0, "")
    assert contest_command("verify", "--rules", cwd=tmp_path).returncode == 0
