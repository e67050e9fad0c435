"""In an anonymous contest, classmates see the name of no team but their own, whatever they ask for."""

import contextlib

import pytest
from contest_commands import contest as contest_command
from contests_toys import archive, do, opened, player, real_match, write_config
from shortened import shortened
from visitors import addresses_of, crawled, pages_of, send, upload, visitor

from arena.contests import entries
from arena.contests.journal.store import now
from arena.contests.people import accounts
from arena.errors import ArenaError
from arena.web import computing
from arena.web.contests.following import Follower
from arena_replays import Reader, ReplayError

pytestmark = pytest.mark.process
PEOPLE = {"Zaphods": "Vidkun Zaphod", "Trillians": "Tricia Trillian"}
SOURCE = """
from saloon import AI


class Bot(AI):
    '''By NAME.'''

    def run_turn(self):
        self.log("thinking")
"""


@pytest.fixture(scope="module")
def contest(tmp_path_factory):
    config = write_config(
        tmp_path_factory.mktemp("contest"),
        ('isolation = "bwrap" ', 'isolation = "none" '),
        ("[people]", "[people]\nanonymous = true"),
    )
    with opened(config) as contest, pytest.MonkeyPatch.context() as patch:
        patch.setattr(computing, "FRESH", 0.0)
        contest.pages, contest.app = pages_of(contest)
        contest.tokens = {}
        csv = "team,member\n" + "".join(f"{team},{name}\n" for team, name in PEOPLE.items())
        for team, _, token in accounts.invite_all(contest, csv, ""):
            contest.tokens[team] = accounts.join(contest, token, "")[1]
        invited = accounts.invite(contest, "", "Olga", "organizer", "")
        contest.tokens["organizer"] = accounts.join(contest, invited, "")[1]
        contest.tokens[""] = ""
        for team, name in PEOPLE.items():
            data = archive(game="saloon", **{"main.py": SOURCE.replace("NAME", name), "notes.txt": name})
            member = visitor(contest.app, contest.tokens[team])
            assert upload(member, data, f"{team.lower()}.zip").status_code == 201
            key = f"{contest.state.entrant_named(team).id}/1"
            contest.write((key, entries.Checked(True, "", now(), 0.0)), (key, entries.Activated(now())))
        for kind in ("ladder", "challenge"):
            both = [player(contest, shown(contest, team)) for team in PEOPLE]
            real_match(contest, *both, kind=kind, team=both[0][0])
        do(contest, "withdraw", "Zaphods")
        do(contest, "undo", "a1")
        accounts.invite(contest, "Zaphods", "Zaphod Junior", "member", "")
        yield contest


def shown(contest, team):
    return contest.state.entrant_named(team).name


def pages(contest, who, app=None):
    """Return what somebody gets from all routes."""
    state, names = contest.state, [*contest.state.entrants, *PEOPLE, "%2e%2e"]
    tables = contest.pages.site.publisher.results(everything=True).tables
    values = {
        "match_id": [*state.played],
        "team": names,
        "other": names,
        "number": ["1"],
        "name": [f"{name}.csv" for name in tables],
        "module": ["main.js"],
    }
    found = addresses_of(contest.pages.application(), values)
    found += [f"{path}?team={name}" for path in found if path.endswith("/log") for name in names]
    return crawled(visitor(app or contest.app, contest.tokens[who]), [*found, "/?group=x", "/matches?team=Zaphods"])


def named(team, seen):
    """Return where a team is named; the page of an error can repeat its own address."""
    words = [team, *PEOPLE[team].split(), team.lower()]
    return [(place, word) for place, text in seen.items() for word in words if word in text and word not in place]


@pytest.mark.promise("real-names")
@pytest.mark.parametrize("team", shortened(PEOPLE))
def test_a_classmate_gets_no_real_name_from_any_address(contest, team):
    rival = next(other for other in PEOPLE if other != team)
    seen = pages(contest, team)
    assert len(seen) > 100
    assert named(rival, seen) == []
    assert named(team, seen), "the own team is named to itself"
    everybody = pages(contest, "")
    assert [found for one in PEOPLE for found in named(one, everybody)] == []


@pytest.mark.kill  # the same pages, from another process
def test_another_process_that_shows_it_gives_no_name_either(contest):
    follower = Follower(contest.folder)
    follower.refresh()
    assert named("Zaphods", pages(contest, "Trillians", pages_of(follower)[1])) == []


@pytest.mark.promise("real-names")
def test_exports_and_replays_have_no_real_name(contest, tmp_path):
    for options in (["--out", tmp_path], ["--data", tmp_path / "data.db"], ["--out", tmp_path / "all", "--everything"]):
        assert contest_command("export", contest.path, *options, cwd=tmp_path).returncode == 0
    done = contest_command("archive", tmp_path / "archive.tar", contest.path, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    shown_tables = contest_command("standings", contest.path, "--all", "--json", cwd=tmp_path).stdout
    (tmp_path / "standings.json").write_text(shown_tables)
    files = [path for folder in (tmp_path, contest.folder / "replays") for path in folder.rglob("*") if path.is_file()]
    assert len(files) > 20
    for path in files:
        data = path.read_bytes()
        with contextlib.suppress(ReplayError):
            reader = Reader(data)
            assert shown(contest, "Zaphods") in str(reader.header)
            data = str((reader.header, reader.footer, [note.payload for note in reader.notes])).encode()
        for word in (*PEOPLE, *" ".join(PEOPLE.values()).split()):
            assert word.lower().encode() not in data.lower(), (path, word)
            assert word.lower() not in path.name.lower()


def test_organizers_see_who_is_who(contest):
    desk = visitor(contest.app, contest.tokens["organizer"])
    assert all(name in desk.get("/desk").text for name in PEOPLE)
    page = desk.get(f"/team/{shown(contest, 'Zaphods')}").text
    assert "Zaphods: only the team and the organizers see this name" in page


def test_names_are_chosen_and_revealed_one_by_one(contest):
    member = visitor(contest.app, contest.tokens["Zaphods"])
    classmate = visitor(contest.app, contest.tokens["Trillians"])
    organizer = visitor(contest.app, contest.tokens["organizer"])
    before, rival = shown(contest, "Zaphods"), shown(contest, "Trillians")
    assert before[0].isupper()
    for taken in ("Trillians", rival, "trillians", "rowdy built-in", ""):
        refused = send(member, "/display-name", name=taken)
        assert refused.status_code in (409, 422, 400), taken
        assert PEOPLE["Trillians"] not in refused.text
    assert send(member, "/display-name", name="Heart of Gold").status_code == 303
    front = classmate.get("/").text
    assert "Heart of Gold" in front
    assert before not in front
    table = contest.board(everything=True).table()
    assert send(organizer, "/desk/act", kind="reveal", subject="Heart of Gold", reason="the end").status_code == 303
    for place in ("/", "/standings.json", "/team/Zaphods", "/acts", "/matches"):
        text = classmate.get(place).text
        assert "Zaphods" in text
        assert "Heart of Gold" not in text
        assert "Trillians" not in visitor(contest.app).get(place).text
    assert [row.rating for row in contest.board(everything=True).table()] == [row.rating for row in table]
    assert send(organizer, "/desk/act", kind="reveal", subject="Zaphods", reason="again").status_code == 409
    act = contest.state.in_force()[-1]
    assert act.kind == "reveal"
    assert send(organizer, "/desk/act", kind="undo", subject=act.id, reason="too early").status_code == 303
    assert "Heart of Gold" in classmate.get("/").text


def test_who_was_known_cannot_become_anonymous(tmp_path):
    path = write_config(tmp_path)
    with opened(path) as contest:
        accounts.invite(contest, "Zaphods", "", "member", "")
    path.write_text(path.read_text().replace("[people]", "[people]\nanonymous = true"))
    with pytest.raises(ArenaError, match="cannot make teams anonymous"), opened(path):
        pass
