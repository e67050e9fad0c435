"""Pages that change: they are kept for a moment, and the queue shows checks."""

import contextlib
import re
import sqlite3
from dataclasses import replace

import pytest
from contests_toys import (
    Futures,
    add_team,
    add_version,
    anchor,
    do,
    opened,
    play,
    player,
    pointed_result,
    ranked_result,
    record,
    void_result,
    write_config,
)
from markupsafe import escape
from visitors import HOST, add_person, csrf_of, pages_of, send, upload, visitor
from waiting import until

from arena.cli.new import all_templates, template_files, write_files
from arena.cli.submit import packed
from arena.contests import entries
from arena.contests.journal.store import now
from arena.contests.ladder.encounters import pair
from arena.contests.loop import Loop
from arena.contests.people.version_checks import RunningCheck
from arena.errors import ArenaError
from arena.game import Outcome
from arena.match.result import PlayerResult
from arena.web import computing
from arena.web.contests.site import Site


def two_players(contest):
    """Add two teams with a version each, and return the players."""
    for team in ("Red", "Blue"):
        add_team(contest, team)
        add_version(contest, team)
    return [player(contest, team) for team in ("Red", "Blue")]


def test_pages_of_everybody_are_kept_until_they_are_too_old_or_something_else_happens(contest, monkeypatch):
    players = two_players(contest)
    _, app = pages_of(contest)
    member, anybody = visitor(app, add_person(contest, "Red")), visitor(app)
    monkeypatch.setattr(computing, "FRESH", 1000.0)
    before = anybody.get("/matches").text
    first = record(contest, *players)
    assert anybody.get("/matches").text == before
    assert first in member.get("/matches").text, "a member has other pages"
    do(contest, "void", first)
    assert "does not count" in anybody.get("/matches").text
    assert anybody.get("/match/none").status_code == 404
    do(contest, "hold")
    monkeypatch.setattr(computing, "FRESH", 0.0)
    held = record(contest, *players)
    assert held not in anybody.get("/matches").text
    do(contest, "release")
    assert held in anybody.get("/matches").text
    second = record(contest, *players)
    assert second in anybody.get("/matches").text, "an old page is computed again"


def test_a_bracket_has_no_link_to_a_match_that_is_held_back(contest):
    two_players(contest)
    do(contest, "stage", "cup", format="single_elimination")
    (shown,) = play(contest, lambda _: pointed_result((1.0, 0.0)), most=1)
    do(contest, "hold")
    (held,) = play(contest, lambda _: pointed_result((1.0, 0.0)), most=1)
    page = visitor(pages_of(contest)[1]).get("/").text
    assert f"/match/{shown.match_id}" in page
    assert held.match_id not in page


def test_acts_are_in_the_tables_also_while_results_are_held_back(contest):
    two_players(contest)
    reader = visitor(pages_of(contest)[1])
    do(contest, "hold")
    assert "withdrew" not in reader.get("/data/acts.csv").text
    do(contest, "withdraw", "Red")
    until(lambda: "withdrew Red" in reader.get("/data/acts.csv").text)
    assert "Red,true,,withdrawn" in reader.get("/data/entrants.csv").text


def test_the_seeds_of_a_stage_that_does_not_count_stay_secret(contest):
    """Its undo would go on with them."""
    two_players(contest)
    do(contest, "stage", "cup", format="single_elimination")
    (game, *_) = play(contest, lambda _: pointed_result((1.0, 0.0)), most=2)
    site = Site(contest, None, {})
    assert site.views(None).is_over(contest.state.played[game.match_id])
    do(contest, "void", "cup")
    assert not site.views(None).is_over(contest.state.played[game.match_id])


def test_the_pages_of_a_session_are_kept_until_it_changes_something(contest, monkeypatch):
    players = two_players(contest)
    _, app = pages_of(contest)
    red, blue = (visitor(app, add_person(contest, team)) for team in ("Red", "Blue"))
    monkeypatch.setattr(computing, "FRESH", 1000.0)
    before = {one: one.get("/team/Red").text for one in (red, blue)}
    assert "Hand in" in before[red]
    assert "Hand in" not in before[blue]
    first = record(contest, *players)
    assert red.get("/team/Red").text == before[red]
    started = send(red, "/challenge", opponent="Blue", number="1")
    assert started.status_code == 303
    assert first in red.get("/team/Red").text
    assert f"{contest.config.people.challenges_per_day - 1} of" in red.get("/team/Red").text
    assert blue.get("/team/Red").text == before[blue]
    send(red, "/sign-out")
    assert "Hand in" not in red.get("/team/Red").text


def test_the_tables_of_the_first_page_can_be_those_of_a_group(tmp_path):
    of_novices = ("# [groups] ", "[groups] "), ('# novice = "Novices"', 'novice = "Novices"')
    with opened(write_config(tmp_path, *of_novices)) as contest:
        add_team(contest, "Red", ("novice",))
        add_team(contest, "Blue")
        for team in ("Red", "Blue"):
            add_version(contest, team)
        anybody = visitor(pages_of(contest)[1])
        all_of_them, novices, unknown = (anybody.get(one).text for one in ("/", "/?group=novice", "/?group=x"))
        assert '<b>All</b> <a href="/?group=novice">Novices</a>' in all_of_them
        assert '<a href="/">All</a> <b>Novices</b>' in novices
        assert unknown == all_of_them
        for page, teams in ((all_of_them, ["Red", "Blue"]), (novices, ["Red"])):
            ladder = page.partition('<section id="ladder">')[2].partition("</section>")[0]
            assert [team for team in ("Red", "Blue") if f'title="{team}"' in ladder] == teams


@pytest.mark.promise("computed-pages")
def test_a_stranger_cannot_make_the_server_compute_a_page_that_is_kept(contest, monkeypatch):
    players = two_players(contest)
    _, app = pages_of(contest)
    monkeypatch.setattr(computing, "FRESH", 1000.0)
    for place, more in (("/matches", "?"), ("/matches?team=Red", "&"), ("/team/Red", "?"), ("/", "?")):
        kept = visitor(app).get(place).text
        new = record(contest, *players)
        for cookie in ("", "x", "a.1.b.c", f"{'0' * 64}.9999999999.{'0' * 32}.{'0' * 64}"):
            assert visitor(app, cookie=cookie).get(place).text == kept
            assert visitor(app, cookie=cookie).get(f"{place}{more}random=1").text == kept
        assert new in visitor(app, add_person(contest, "Red")).get(place).text, "the control"


def test_pages_that_are_kept_have_a_limit_in_bytes(contest, monkeypatch):
    monkeypatch.setattr(computing, "LARGEST_KEPT", 100_000)
    pages = computing.SharedPages(lambda: contest.snapshot.state.revision)
    monkeypatch.setattr("arena.web.contests.app.SharedPages", lambda *_: pages)
    anybody = visitor(pages_of(contest)[1])
    most = 0
    for number in range(60):
        assert anybody.get(f"/matches?team={'x' * 5000}{number}").status_code == 200
        kept = [computing._size(key, page) for key, page in pages._kept.items()]
        assert sum(kept) == pages._size
        most = max(most, sum(kept))
    assert 50_000 < most <= 100_000
    for _ in range(3):
        anybody.get("/matches")
    assert sum(computing._size(key, page) for key, page in pages._kept.items()) == pages._size


def test_a_void_match_of_any_kind_does_not_count(contest):
    players = two_players(contest)
    _, app = pages_of(contest)
    member = visitor(app, add_person(contest, "Red"))
    for kind in ("ladder", "challenge"):
        match = record(contest, *players, kind=kind, team="Red", result=void_result())
        assert "does not count" in member.get(f"/match/{match}").text
    do(contest, "correct", next(iter(contest.state.played)), points="1 0")
    assert "corrected" in member.get("/matches").text


@pytest.mark.parametrize("blamed", [False, True])
def test_a_void_first_match_is_repeated_and_is_no_problem_of_the_bot(tmp_path, blamed):
    """The journal has each try, and the desk shows how many there were."""
    result = void_result()
    if blamed:
        late = PlayerResult("void", detail="took longer than 1 s")
        result = replace(result, outcome=Outcome(None, "host_late"), players=(late, *result.players[1:]))
    path = write_config(tmp_path)
    with opened(path) as contest:
        add_team(contest, "Red")
        version = add_version(contest, "Red", checked=False)
        loop = Loop(contest, engine := Futures(), stays=True)
        loop.checks.running[version.key] = RunningCheck(version, examining=False)
        contest.write(pair(contest.state, "trial", (version.player, anchor(contest)), 1, "Red"))
        for attempt in range(3):
            assert contest.state.version("Red", 1).report is None
            loop.work()
            assert len(engine.submitted) == attempt + 1
            engine.submitted[-1][1].set_result(result)
            loop.work()
        report = contest.state.version("Red", 1).report
        assert (report.passed, contest.state.active("Red") is not None) == (not blamed, not blamed)
        if blamed:
            assert report.problem == "in its first match, it ran out of time: took longer than 1 s"
        else:
            text = "first match: void, through no fault of the bot (the referee gave no result: interrupted by SIGTERM)"
            assert report.lines == ({"name": text, "passed": True, "problem_text": ""},)
            assert contest.state.played[report.match].is_void
        olga = visitor(pages_of(contest)[1], add_person(contest, "", "organizer"))
        row = "<td>2</td><td>2</td>" if blamed else "<td>3</td><td>0</td>"
        assert re.search(rf'<tr><td class="left">.*>Red<.*</td>{row}</tr>', olga.get("/desk").text)
        counted = contest.state.voids, contest.state.void_causes
    with opened(path) as contest:
        assert (contest.state.voids, contest.state.void_causes) == counted
        query = "select document ->> 'reason', json(document -> 'causes') from entries where kind = 'void'"
        causes = f'["{contest.state.id_of("Red")}"]' if blamed else "[]"
        with contextlib.closing(sqlite3.connect(contest.folder / "journal.db")) as journal:
            assert journal.execute(query).fetchall() == [(result.void, causes)] * 2


def test_the_queue_shows_what_a_check_does_and_a_problem_of_many_checks_is_told_once(contest, monkeypatch):
    monkeypatch.setattr(computing, "FRESH", 0.0)
    add_team(contest, "Red")
    version = add_version(contest, "Red", checked=False)
    pages, app = pages_of(contest)
    olga = visitor(app, add_person(contest, "", "organizer"))
    lines = pages.site.loop.checks.running.setdefault("Red/1", RunningCheck(version)).lines
    for line, text in (
        (None, "waits"),
        ({"running": "plays a whole match"}, "plays a whole match"),
        ({"name": "builds", "passed": True, "problem_text": ""}, "builds"),
    ):
        lines += [line] if line else []
        page = olga.get("/queue")
        assert (page.status_code, f">{text}</td>" in page.text) == (200, True), page.text
    lines.clear()
    for name, problem in (("plays", "KeyError"), ("waits", "KeyError"), ("ends", ""), ("hears", "too late")):
        lines.append({"name": name, "passed": not problem, "problem_text": problem})
    page = olga.get("/version/Red/1").text
    assert [page.count(text) for text in ("KeyError", "waits: as above", "too late", "as above")] == [1, 1, 1, 1]
    pages.site.loop.checks.report(version, "KeyError", "")
    page = olga.get("/version/Red/1").text
    assert [page.count(text) for text in ("It does not play: KeyError", "KeyError", "as above")] == [1, 1, 2]


def test_a_mistake_on_the_desk_loses_nothing_that_was_entered(contest):
    add_version(contest, add_team(contest, "Red")[0].entrant)
    client = visitor(pages_of(contest)[1], add_person(contest, "", "organizer"))
    csrf, lines = csrf_of(client), "team;member\nRed;Ann <b>\nBad\x07Team;Ben"

    def press(place, accept="text/html", **fields):
        return client.post(place, data={"csrf": csrf, **fields}, headers={"Origin": HOST, "Accept": accept})

    before = contest.state.number
    for place, fields, error in (
        ("/desk/invite", {"kind": "csv", "csv": lines}, "Line 3: The name of the team"),
        ("/desk/invite", {"kind": "invite", "team": "x" * 90, "role": "member"}, "The name of the team"),
        ("/desk/act", {"kind": "release", "count": "7", "reason": "why not"}, "No results are held back."),
        ("/desk/act", {"kind": "stage", "subject": "cup", "format": "swiss", "reason": "so early"}, "too few teams"),
    ):
        done = press(place, **fields)
        assert done.status_code == 409
        assert error in done.text
        for name, value in fields.items():
            if name not in ("kind", "role"):
                assert escape(value) in done.text, (place, name)
    assert contest.state.number == before
    done = press("/desk/act", "application/json", kind="release", reason="x")
    assert done.json()["message"] == "No results are held back."
    done = press("/desk/invite", kind="csv", csv="\ufeffmember;team;role\nAnn;Red;\nOlga;;organizer")
    assert done.status_code == 200
    assert done.text.count("token=") == 2
    assert "Red" in press("/desk/invite", kind="csv", csv="team\tmember\nRed\tCid").text


@pytest.mark.parametrize(
    ("game", "offered", "refused"), [("saloon", "swiss", "free_for_all"), ("snakes", "free_for_all", "")]
)
def test_stages_offer_only_what_the_game_can_play(tmp_path, game, offered, refused):
    with opened(write_config(tmp_path, game=game)) as contest:
        client = visitor(pages_of(contest)[1], add_person(contest, "", "organizer"))
        desk = client.get("/desk").text
        assert f'<option value="{offered}">' in desk
        if refused:
            assert refused not in desk
            done = send(client, "/desk/act", kind="stage", subject="cup", reason="x", format=refused)
            assert "The format must be one of" in done.text


def test_a_winner_with_equal_scores_has_the_reason(contest):
    players = two_players(contest)
    level = tuple(replace(one, score=7.0) for one in pointed_result((1.0, 0.0)).players)
    match = record(
        contest,
        *players,
        result=replace(pointed_result((1.0, 0.0)), players=level, outcome=Outcome(0, "more_pianos")),
    )
    anybody = visitor(pages_of(contest)[1])
    assert "decided by: more pianos" in anybody.get(f"/match/{match}").text
    assert "more pianos, <time" in anybody.get("/matches").text
    assert re.search(r"Ladder \d+, game 1", anybody.get("/matches").text), "both games of an encounter have a number"
    other = record(contest, *players)
    assert "decided by" not in anybody.get(f"/match/{other}").text


@pytest.mark.process
@pytest.mark.parametrize(
    ("language", "program", "said"),
    [("python", "main.py", "did the same in every turn"), ("cpp", "main.cpp", "have the same files")],
)
def test_unchanged_templates_are_no_suspicion(contest, tmp_path, language, program, said):
    """Students hand in what `arena new` wrote, with other names, before they write anything."""
    _, app = pages_of(contest, base=all_templates(contest.game))
    olga = visitor(app, add_person(contest, "", "organizer"))

    def hand_in(team, name, change, course):
        write_files(tmp_path / name, template_files(contest.game, name, language))
        with (tmp_path / name / program).open("a") as file:
            file.write(change)
        done = upload(visitor(app, add_person(contest, team)), packed(tmp_path / name)[1])
        assert done.status_code == 201, done.text
        version = contest.state.version(team, 1)
        result = replace(pointed_result((1.0, 0.0)), course=course)
        match = record(contest, version.player, anchor(contest), kind="trial", team=team, result=result)
        key = f"{contest.state.id_of(team)}/1"
        contest.write((key, entries.Checked(True, match, now(), 1.0)))

    hand_in("Red", "my_bot", "", "of the template")
    hand_in("Blue", "other_bot", "", "of the template")
    assert "Nothing looks copied or agreed." in olga.get("/desk").text
    hand_in("White", "third_bot", "\n", "another")
    hand_in("Black", "fourth_bot", "\n", "another")
    desk = olga.get("/desk").text
    assert said in desk
    assert not [line for line in desk.splitlines() if 'class="problem"' in line and ("Red" in line or "Blue" in line)]


def test_at_a_table_the_page_of_a_match_says_places(tmp_path):
    with opened(write_config(tmp_path, game="snakes")) as contest:
        names = ["Red", "Blue", "White", "Black"]
        for name in names:
            add_team(contest, name)
            add_version(contest, name)
        match = record(contest, *(player(contest, name) for name in names), result=ranked_result((2, 1, 4, 3)))
        page = visitor(pages_of(contest)[1]).get(f"/match/{match}").text
        text = " ".join(re.sub("<[^>]*>", " ", page).split())
        assert "Points End Logs 1 Red 1 0.67 2nd of 4 2 Blue 1 1 1st of 4" in text


class Window(Futures):
    """An engine that needs a moment to say how many matches it can take."""

    seen: tuple[int, ...] = ()

    @property
    def window(self):
        self.seen += (self.loop.slots,)
        if len(self.seen) == 3:
            raise ArenaError("The scheduler does not answer any more.")
        return 4


def test_the_number_of_places_is_the_last_known_one_until_the_engine_fails(contest):
    """The scheduler of a cluster answers after some milliseconds: the page of the queue showed 0 places meanwhile."""
    loop = Loop(contest, engine := Window(), stays=True)
    engine.loop = loop
    for _ in range(3):
        loop.work()
    assert (loop.slots, loop.problem) == (0, "The scheduler does not answer any more.")
