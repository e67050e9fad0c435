"""Pages that change: they are kept for a moment, and the queue shows checks."""

import contextlib
import re
import sqlite3
from concurrent.futures import Future
from dataclasses import replace

import pytest
from markupsafe import escape
from season_visitors import HOST, add_person, csrf_of, pages_of, send, upload, visitor
from seasons import ORGANIZER, add_team, add_version, opened, play, result_of, void_result, write_config

from arena.cli.new import all_templates, template_files, write_files
from arena.cli.submit import packed
from arena.errors import ArenaError
from arena.game import Outcome
from arena.journal.store import now
from arena.match.result import PlayerResult
from arena.season.acts import act
from arena.season.checking import RunningCheck
from arena.season.matches import Matches, pair
from arena.web import computing


def two_players(season):
    """Add two teams with a version each, and return the players."""
    for team in ("Red", "Blue"):
        add_team(season, team)
        add_version(season, team)
    return [season.state.active(team).player for team in ("Red", "Blue")]


def test_pages_of_everybody_are_kept_until_they_are_too_old_or_something_else_happens(tmp_path, monkeypatch):
    with opened(write_config(tmp_path)) as season:
        players = two_players(season)
        _, app = pages_of(season)
        member, anybody = visitor(app, add_person(season, "Red")), visitor(app)
        monkeypatch.setattr(computing, "FRESH", 1000.0)
        before = anybody.get("/matches").text
        first = play(season, *players)
        assert anybody.get("/matches").text == before
        assert first in member.get("/matches").text, "a member has other pages"
        act(season, ORGANIZER, "void", {"subject": first, "reason": "because"})
        assert "does not count" in anybody.get("/matches").text
        assert anybody.get("/match/none").status_code == 404
        act(season, ORGANIZER, "hold", {"reason": "because"})
        monkeypatch.setattr(computing, "FRESH", 0.0)
        held = play(season, *players)
        assert held not in anybody.get("/matches").text
        act(season, ORGANIZER, "release", {"reason": "because"})
        assert held in anybody.get("/matches").text
        second = play(season, *players)
        assert second in anybody.get("/matches").text, "an old page is computed again"


def test_the_pages_of_a_session_are_kept_until_it_changes_something(tmp_path, monkeypatch):
    with opened(write_config(tmp_path)) as season:
        players = two_players(season)
        _, app = pages_of(season)
        red, blue = (visitor(app, add_person(season, team)) for team in ("Red", "Blue"))
        monkeypatch.setattr(computing, "FRESH", 1000.0)
        before = {one: one.get("/team/Red").text for one in (red, blue)}
        assert "Hand in" in before[red]
        assert "Hand in" not in before[blue]
        first = play(season, *players)
        assert red.get("/team/Red").text == before[red]
        started = send(red, "/challenge", opponent="Blue", number="1")
        assert started.status_code == 303
        assert first in red.get("/team/Red").text
        assert f"{season.config.challenges_per_day - 1} of" in red.get("/team/Red").text
        assert blue.get("/team/Red").text == before[blue]
        send(red, "/sign-out")
        assert "Hand in" not in red.get("/team/Red").text


@pytest.mark.promise("computed-pages")
def test_a_stranger_cannot_make_the_server_compute_a_page_that_is_kept(tmp_path, monkeypatch):
    with opened(write_config(tmp_path)) as season:
        players = two_players(season)
        _, app = pages_of(season)
        monkeypatch.setattr(computing, "FRESH", 1000.0)
        for place, more in (("/matches", "?"), ("/matches?team=Red", "&"), ("/team/Red", "?"), ("/", "?")):
            kept = visitor(app).get(place).text
            new = play(season, *players)
            for cookie in ("", "x", "a.1.b.c", f"{'0' * 64}.9999999999.{'0' * 32}.{'0' * 64}"):
                assert visitor(app, cookie=cookie).get(place).text == kept
                assert visitor(app, cookie=cookie).get(f"{place}{more}random=1").text == kept
            assert new in visitor(app, add_person(season, "Red")).get(place).text, "the control"


def test_pages_that_are_kept_have_a_limit_in_bytes(tmp_path, monkeypatch):
    monkeypatch.setattr(computing, "LARGEST_KEPT", 100_000)
    with opened(write_config(tmp_path)) as season:
        pages = computing.SharedPages(lambda: season.snapshot.state.order)
        monkeypatch.setattr("arena.web.season.app.SharedPages", lambda *_: pages)
        anybody = visitor(pages_of(season)[1])
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


def test_a_void_match_of_any_kind_does_not_count(tmp_path):
    with opened(write_config(tmp_path)) as season:
        players = two_players(season)
        _, app = pages_of(season)
        member = visitor(app, add_person(season, "Red"))
        for kind in ("ladder", "challenge"):
            match = play(season, *players, kind=kind, team="Red", result=void_result())
            assert "does not count" in member.get(f"/match/{match}").text
        act(season, ORGANIZER, "correct", {"subject": next(iter(season.state.played)), "points": "1 0", "reason": "x"})
        assert "corrected" in member.get("/matches").text


class Futures:
    """An engine of which the test gives the results."""

    window = 1

    def __init__(self):
        self.submitted = []

    def submit(self, spec, attempt):
        self.submitted.append((spec, Future()))
        return self.submitted[-1][1]

    def kill(self):
        pass

    close = kill


@pytest.mark.parametrize("blamed", [False, True])
def test_a_void_first_match_is_repeated_and_is_no_problem_of_the_bot(tmp_path, blamed):
    """The journal has each try, and the desk shows how many there were."""
    result = void_result()
    if blamed:
        late = PlayerResult("void", detail="took longer than 1.000 s")
        result = replace(result, outcome=Outcome(None, "host_late"), players=(late, *result.players[1:]))
    path = write_config(tmp_path)
    with opened(path) as season:
        add_team(season, "Red")
        version = add_version(season, "Red", checked=False)
        matches = Matches(season, engine := Futures())
        matches.checks.running[version.key] = RunningCheck(version, examining=False)
        season.write(pair(season, "trial", (version.player, next(iter(season.state.anchors))), 1, "Red"))
        for attempt in range(3):
            assert season.state.version("Red", 1).report is None
            matches._start_matches()
            assert len(engine.submitted) == attempt + 1
            engine.submitted[-1][1].set_result(result)
        report = season.state.version("Red", 1).report
        assert (report["passed"], season.state.active("Red") is not None) == (not blamed, not blamed)
        if blamed:
            assert report["problem"] == "its first match ended with timed_out: took longer than 1.000 s"
        else:
            text = "first match: void, through no fault of the bot (the referee gave no result: interrupted by SIGTERM)"
            assert report["lines"] == [{"name": text, "passed": True, "problem_text": ""}]
            assert season.state.played[report["match"]].is_void
        olga = visitor(pages_of(season)[1], add_person(season, "", "organizer"))
        row = "<td>2</td><td>2</td>" if blamed else "<td>3</td><td>0</td>"
        assert re.search(rf'<tr><td class="left">.*>Red<.*</td>{row}</tr>', olga.get("/desk").text)
        counted = season.state.voids, season.state.void_causes
    with opened(path) as season:
        assert (season.state.voids, season.state.void_causes) == counted
        query = "select document ->> 'reason', json(document -> 'causes') from entries where kind = 'void'"
        with contextlib.closing(sqlite3.connect(season.folder / "journal.db")) as journal:
            assert journal.execute(query).fetchall() == [(result.void, '["Red"]' if blamed else "[]")] * 2


@contextlib.contextmanager
def checking(folder):
    """Yield an organizer's client, and the lines of a check that runs."""
    with opened(write_config(folder)) as season:
        add_team(season, "Red")
        version = add_version(season, "Red", checked=False)
        pages, app = pages_of(season)
        olga = visitor(app, add_person(season, "", "organizer"))
        yield olga, pages.matches.checks.running.setdefault("Red/1", RunningCheck(version)).lines


def test_the_queue_shows_what_a_check_does(tmp_path, monkeypatch):
    monkeypatch.setattr(computing, "FRESH", 0.0)
    with checking(tmp_path) as (olga, lines):
        for line, text in (
            (None, "waits"),
            ({"running": "plays a whole match"}, "plays a whole match"),
            ({"name": "builds", "passed": True, "problem_text": ""}, "builds"),
        ):
            lines += [line] if line else []
            page = olga.get("/queue")
            assert (page.status_code, f">{text}</td>" in page.text) == (200, True), page.text


def test_a_problem_of_many_checks_is_told_once(tmp_path):
    with checking(tmp_path) as (olga, lines):
        for name, problem in (("plays", "KeyError"), ("waits", "KeyError"), ("ends", ""), ("hears", "too late")):
            lines.append({"name": name, "passed": not problem, "problem_text": problem})
        page = olga.get("/version/Red/1").text
        assert [page.count(text) for text in ("KeyError", "waits: as above", "too late", "as above")] == [1, 1, 1, 1]


def test_a_mistake_on_the_desk_loses_nothing_that_was_entered(tmp_path):
    with opened(write_config(tmp_path)) as season:
        two_players(season)
        client = visitor(pages_of(season)[1], add_person(season, "", "organizer"))
        page = {"csrf": csrf_of(client)}, {"Origin": HOST, "Accept": "text/html"}
        lines = "team;member\nRed;Ann <b>\nBad\x07Team;Ben"

        def press(place, **fields):
            return client.post(place, data=page[0] | fields, headers=page[1])

        before = season.state.number
        for place, fields, error in (
            ("/desk/invite", {"kind": "csv", "csv": lines}, "Line 3: The name of the team"),
            ("/desk/invite", {"kind": "invite", "team": "x" * 90, "role": "member"}, "The name of the team"),
            ("/desk/act", {"kind": "release", "count": "7", "reason": "why not"}, "No results are held back."),
            ("/desk/finals", {"kind": "finals", "count": "1", "reason": "so early"}, "too few teams"),
        ):
            done = press(place, **fields)
            assert done.status_code == 409
            assert f'role="alert">{error}' in done.text or error in done.text
            for name, value in fields.items():
                if name not in ("kind", "role"):
                    assert escape(value) in done.text, (place, name)
        assert season.state.number == before
        assert (
            client.post(
                "/desk/act",
                data=page[0] | {"kind": "release", "reason": "x"},
                headers={"Origin": HOST, "Accept": "application/json"},
            ).json()["message"]
            == "No results are held back."
        )
        done = press("/desk/invite", kind="csv", csv="\ufeffmember;team;role\nAnn;Red;\nOlga;;organizer")
        assert done.status_code == 200
        assert done.text.count("token=") == 2
        assert "Red" in press("/desk/invite", kind="csv", csv="team\tmember\nRed\tCid").text


@pytest.mark.parametrize(
    ("game", "offered", "refused"), [("saloon", "swiss", "free_for_all"), ("snakes", "free_for_all", "")]
)
def test_finals_offer_only_what_the_game_can_play(tmp_path, game, offered, refused):
    with opened(write_config(tmp_path, game=game)) as season:
        client = visitor(pages_of(season)[1], add_person(season, "", "organizer"))
        desk = client.get("/desk").text
        assert f'<option value="{offered}">' in desk
        if refused:
            assert refused not in desk
            done = send(client, "/desk/finals", count="2", reason="x", format=refused)
            assert "The format must be one of" in done.text


def test_a_winner_with_equal_scores_has_the_reason(tmp_path):
    with opened(write_config(tmp_path)) as season:
        players = two_players(season)
        level = tuple(replace(one, score=7.0) for one in result_of((1.0, 0.0)).players)
        match = play(
            season, *players, result=replace(result_of((1.0, 0.0)), players=level, outcome=Outcome(0, "more_pianos"))
        )
        anybody = visitor(pages_of(season)[1])
        assert "decided by: more pianos" in anybody.get(f"/match/{match}").text
        assert "more pianos, <time" in anybody.get("/matches").text
        other = play(season, *players)
        assert "decided by" not in anybody.get(f"/match/{other}").text


@pytest.mark.process
@pytest.mark.parametrize(
    ("language", "program", "said"),
    [("python", "main.py", "did the same in every turn"), ("cpp", "main.cpp", "has the same files as")],
)
def test_unchanged_templates_are_no_suspicion(tmp_path, language, program, said):
    """Students hand in what `arena new` wrote, with other names, before they write anything."""
    with opened(write_config(tmp_path)) as season:
        _, app = pages_of(season, base=all_templates(season.game))
        olga = visitor(app, add_person(season, "", "organizer"))

        def hand_in(team, name, change, course):
            write_files(tmp_path / name, template_files(season.game, name, language))
            with (tmp_path / name / program).open("a") as file:
                file.write(change)
            done = upload(visitor(app, add_person(season, team)), packed(tmp_path / name)[1])
            assert done.status_code == 201, done.text
            version = season.state.version(team, 1)
            result = replace(result_of((1.0, 0.0)), course=course)
            match = play(
                season, version.player, next(iter(season.state.anchors)), kind="trial", team=team, result=result
            )
            report = {"passed": True, "problem": "", "lines": [], "match": match, "at": now(), "seconds": 1.0}
            season.write(("report", version.key, report))

        hand_in("Red", "my_bot", "", "of the template")
        hand_in("Blue", "other_bot", "", "of the template")
        assert "Nothing looks copied or agreed." in olga.get("/desk").text
        hand_in("White", "third_bot", "\n", "another")
        hand_in("Black", "fourth_bot", "\n", "another")
        desk = olga.get("/desk").text
        assert said in desk
        assert not [
            line for line in desk.splitlines() if 'class="problem"' in line and ("Red" in line or "Blue" in line)
        ]


class Window(Futures):
    """An engine that needs a moment to say how many matches it can take."""

    seen: tuple[int, ...] = ()

    @property
    def window(self):
        self.seen += (self.matches.slots,)
        if len(self.seen) == 3:
            raise ArenaError("The scheduler does not answer any more.")
        return 4


def test_the_number_of_places_is_the_last_known_one_until_the_engine_fails(tmp_path):
    """The scheduler of a cluster answers after some milliseconds: the page of the queue showed 0 places meanwhile."""
    with opened(write_config(tmp_path)) as season:
        matches = Matches(season, engine := Window())
        engine.matches = matches
        matches._start_matches()
        matches._start_matches()
        with pytest.raises(ArenaError):
            matches._start_matches()
        assert (engine.seen, matches.slots) == ((0, 4, 4), 0)
