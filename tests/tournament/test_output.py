"""What people read: nothing is cut, nothing of a bot's words becomes markup, and the drawings hold everybody."""

import base64
import csv
import hashlib
import io
import json
import random
import re
import zlib
from dataclasses import replace
from pathlib import Path

import msgpack
import pytest
from rich.cells import cell_len
from tournament_toys import by_strength, config_of, entrants_of, play, result_of, tournament_of

from arena.match.entrant import Entrant
from arena.pages.render import part, render
from arena.ratings.form import Form
from arena.text.numbers import rounded
from arena.tournament.plan.config import StageConfig, Tournament
from arena.tournament.plan.forecast import expected_matches
from arena.tournament.plan.legs import legs_of
from arena.tournament.plan.schedule import Schedule
from arena.tournament.report import sheets, text
from arena.tournament.report.details import details_of, shares
from arena.tournament.report.documents import final_order, standings_document, tournament_document
from arena.tournament.report.drawings import bracket_of
from arena.tournament.report.export import ReplayPages, export
from arena.tournament.report.form import Course, movement
from arena.tournament.report.page import Links, page_of
from arena.tournament.report.progress import Tally, final_lines, one_line
from arena.tournament.report.titles import Titles
from arena.tournament.report.views import MatchLine, Scale, Side, heat_map, match_lines, rating_of, ratings_of
from arena.tournament.run.organizer import Snapshot
from arena.web.tournament.fragments import opponents_of

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
STAGES = (StageConfig("swiss", "swiss", rounds=4), StageConfig("final", "double_elimination", advance=8))
EVIL = "<script>alert(1)</script>|*x*"


def snapshot_of(count=11, stages=STAGES, decide=by_strength, names=None, most=10_000):
    tournament = tournament_of(count, *stages)
    if names:
        entrants = tuple(Entrant(name, f"{number}") for number, name in enumerate(names))
        tournament = Tournament(config_of(*stages, name=EVIL), entrants, "t", "s")
    schedule, _ = play(tournament, decide, most=most)
    return Snapshot(tournament, schedule, {}, ())


def favourite(spec):
    return result_of(int(spec.names[0] > spec.names[1]))


def test_documents_are_plain_json_and_repeat_themselves():
    one, other = (json.dumps(tournament_document(snapshot_of())) for _ in range(2))
    assert one == other
    document = json.loads(one)
    assert document["finished"]
    assert len(document["final"]) == 11
    assert document["final"][0] == document["stages"][1]["standings"][0]["name"]
    assert len(document["games"]) == document["matches"]


def test_the_order_goes_on_behind_the_last_stage():
    snapshot = snapshot_of()
    order = final_order(snapshot)
    finalists = {row.name for row in snapshot.schedule.stages[1].rank()}
    assert set(order[:8]) == finalists
    assert sorted(order) == sorted(snapshot.tournament.names)


def test_standings_of_an_open_round_count_what_is_decided():
    snapshot = snapshot_of(6, (StageConfig("all", "round_robin"),), most=10)
    assert sum(row.points for row in snapshot.schedule.stages[0].rank()) == 10


def test_all_sheets_have_as_many_cells_as_columns():
    document = tournament_document(snapshot_of())
    chosen = [sheets.final_sheet(document), sheets.ratings_sheet(document), sheets.superiority_sheet(document)]
    chosen += [sheets.statistics_sheet(document), sheets.matches_sheet(document["games"])]
    for stage in document["stages"]:
        chosen += [sheets.standings_sheet(stage), sheets.bracket_sheet(stage)]
    for sheet in chosen:
        assert sheet.rows
        assert all(len(row) == len(sheet.columns) for row in sheet.rows), sheet.title
        rows = list(csv.reader(io.StringIO(text.to_csv(sheet))))
        assert len(rows) == len(sheet.rows) + 1
        lines = text.to_markdown(sheet).splitlines()
        assert sum(line.startswith("| ") for line in lines) == len(sheet.rows) + 2


@pytest.mark.parametrize(
    ("stages", "cases"),
    [
        ((StageConfig("all", "round_robin"),), "93 to 97"),
        ((StageConfig("cup", "single_elimination"),), "97 to 98"),
        ((StageConfig("all", "swiss", rounds=3),), "92 to 95"),
        ((StageConfig("all", "swiss", rounds=3), StageConfig("cup", "single_elimination", advance=4)), "93 to 97"),
    ],
)
def test_the_ratings_say_how_often_intervals_of_their_format_hold(stages, cases):
    document = standings_document(snapshot_of(6, stages))
    assert f"between low and high in {cases} of 100 cases" in sheets.ratings_sheet(document).notes[0]


def test_a_crosstable_by_hand():
    def decide(spec):
        return replace(result := favourite(spec), players=tuple(
            replace(one, score=3.0 if one.ending == "won" else 1.0) for one in result.players
        ))  # fmt: skip

    snapshot = snapshot_of(3, (StageConfig("all", "round_robin"),), decide)
    cross = heat_map(standings_document(snapshot)["stages"][0], Course.of(snapshot.schedule.matches()))
    assert [(name, *((cell.points, cell.level) for cell in cells)) for name, cells in cross.rows] == [
        ("bot001", ("", -1), ("2", 10), ("2", 10)),
        ("bot002", ("0", 0), ("", -1), ("2", 10)),
        ("bot003", ("0", 0), ("0", 0), ("", -1)),
    ]
    assert cross.rows[0][1][1].title == "2 of 2 points against bot002, scores 6 : 2"
    assert cross.columns == [("1", "bot001"), ("2", "bot002"), ("3", "bot003")]


@pytest.mark.parametrize(
    ("stage", "places"),
    [
        (StageConfig("groups", "groups", groups=24), {f"{letter} 1" for letter in "ABCDEFGHIJKLMNOPQRSTUVWX"}),
        (StageConfig("all", "round_robin"), {str(number) for number in range(1, 48)}),
        (StageConfig("cup", "single_elimination", third_place=True), {"1", "2", "3", "4", "5", "6", "third place 1"}),
    ],
    ids=lambda value: getattr(value, "format", ""),
)
def test_encounters_are_named_after_their_group_or_bracket(stage, places):
    sheet = sheets.bracket_sheet(standings_document(snapshot_of(48, (stage,)))["stages"][0])
    assert {row[0] for row in sheet.rows} == places


def test_spreadsheets_get_no_formulas():
    sheet = sheets.Sheet("x", ("a",), (("=1+1",), ("@x",), ("-5",), ("+3.5",), ("-cmd",)), frozenset())
    assert text.to_csv(sheet).splitlines()[1:] == ["'=1+1", "'@x", "-5", "+3.5", "'-cmd"]
    snapshot = snapshot_of(stages=(StageConfig("all", "round_robin"),), names=["=1+1", "-a"], decide=favourite)
    superiority = sheets.superiority_sheet(standings_document(snapshot))
    assert sorted(next(csv.reader(io.StringIO(text.to_csv(superiority))))) == ["", "'-a", "'=1+1"]


@pytest.mark.parametrize(
    ("value", "shown"), [(-0.001, "0"), (-0.0, "0"), (0.004, "0"), (-0.25, "-0.25"), (12.5, "12.5"), (100, "100")]
)
def test_numbers_are_short(value, shown):
    assert sheets.number(value) == shown


def test_a_rating_of_nothing_has_no_minus():
    row = {"name": "a", "elo": -0.2, "low": -0.4, "high": -0.0}
    document = {"ratings": [row], "stages": [], "different_games": 1, "matches": 1, "versions": {}}
    assert sheets.ratings_sheet(document).rows == (("1", "a", "+0", "+0", "+0"),)


def test_a_rating_of_nothing_has_no_minus_on_the_page_of_a_bot():
    row = {"name": "a", "elo": -0.2, "low": -40.6, "high": -0.0}
    rating = rating_of(row, None, Scale.of([row]))
    facts = {"matches": 1, "endings": {}, "refusals": 0, "mean_turn_seconds": 0.0}
    usual = {"title": "", "sheets": (), "root": "", "token": "", "address": "", "suspended": "", "matches": ()}
    usual |= {
        "opponents": (),
        "opponent_page": str,
        "match_page": str,
        "versus": str,
        "still_page": str,
        "import_map": "",
    }
    html = render("tournament/bot.html", **usual, name="a", tournament="t", rating=rating, facts=facts, history=None)
    assert "+0 Elo (95 % interval: -41 to +0)" in html


@pytest.mark.parametrize("value", [-0.001, -0.0, 0.0])
def test_a_rating_of_nothing_has_no_minus_in_json(value):
    assert json.dumps(rounded(value, 2)) == "0.0"


def test_each_signed_number_in_a_text_has_no_minus_zero():
    """A format with a sign has the option z, which the operator % does not have."""
    signed = re.compile(r"%\+|:\+(?!z)[.\d]*[defg]?[}\"']")
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for folder in ("arena", "games", "replays", "clients/python")
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in (".py", ".html") and "tests" not in path.parts
        for line in path.read_text(encoding="utf-8").splitlines()
        if signed.search(line)
    ]
    assert found == []


def test_a_void_match_is_neither_a_failure_nor_a_draw():
    stage = StageConfig("all", "round_robin", games=1)
    snapshot = snapshot_of(2, (stage,), lambda spec: result_of(None, ("void", "void"), void="the match has no result"))
    document = tournament_document(replace(snapshot, voids={snapshot.schedule.matches()[0][0].match_id: 2}))
    assert [row["last_failure"] for row in document["statistics"].values()] == ["", ""]
    behaviour = sheets.statistics_sheet(document)
    cells = [dict(zip(behaviour.columns, row, strict=True)) for row in behaviour.rows]
    assert [(cell["Bad endings"], cell["Void"]) for cell in cells] == [("", "3"), ("", "3")]
    matches = sheets.matches_sheet(document["games"])
    assert matches.rows[0][matches.columns.index("Winner")] == "void"
    assert one_line(*snapshot.schedule.matches()[0]).endswith("0 : 0  No result")
    standings = sheets.standings_sheet(document["stages"][0])
    counts = [standings.columns.index(name) for name in ("Games", "W", "D", "L")]
    assert [[row[count] for count in counts] for row in standings.rows] == [["0", "0", "0", "0"]] * 2
    course = Course.of(snapshot.schedule.matches())
    assert (course.bots, course.maps, course.seats) == ({}, {}, {})
    cross = heat_map(document["stages"][0], course)
    assert {cell.points for _, cells in cross.rows for cell in cells} == {""}
    assert set(course.endings) == {"void, does not count"}


def test_words_of_bots_are_never_markup():
    names = [f"{EVIL}{number}" for number in range(5)]

    def decide(spec):
        result = result_of(0, ("won", "crashed"))
        bad = replace(result.players[1], detail="\x1b[31m</td><b>boo\n\u202egnp")
        return replace(result, players=(result.players[0], bad))

    snapshot = snapshot_of(stages=(StageConfig("cup", "double_elimination"),), names=names, decide=decide)
    document = tournament_document(snapshot)
    links = Links({game["match_id"]: "matches/x.html" for game in document["games"]})
    page = page_of(document, links, Course.of(snapshot.schedule.matches()))
    assert re.findall("<script[^>]*>", page) == ['<script type="module">'], "the paths of the bracket, and nothing else"
    assert "<b>boo" not in page
    assert page.count("&lt;script&gt;") > 20
    for sheet in (sheets.statistics_sheet(document), sheets.bracket_sheet(document["stages"][0])):
        markdown = text.to_markdown(sheet)
        assert "<script>" not in markdown
        assert "\x1b" not in text.to_csv(sheet) + markdown
        assert "\u202e" not in text.to_csv(sheet) + markdown


def test_nothing_is_cut_in_a_pipe(capsys):
    long = "a-very-long-name-of-a-bot-of-forty-letters"
    stages = (StageConfig("all", "round_robin"),)
    snapshot = snapshot_of(stages=stages, names=[long, "[bold]b[/bold]"], decide=lambda spec: result_of(0))
    text.print_sheet(sheets.standings_sheet(standings_document(snapshot)["stages"][0]))
    out = capsys.readouterr().out
    assert long in out
    assert "[bold]b[/bold]" in out


@pytest.mark.parametrize("width", [60, 80, 100, 130])
def test_a_narrow_terminal_leaves_out_columns_and_cuts_no_value(capsys, monkeypatch, width):
    seats = [{"name": name, "seat": at} for at, name in enumerate(("red-hawks", "日本語のボット"))]
    outcome = {
        "winner": 0, "reason": "turn limit", "turns": 250,
        "seats": [{"score": 1027, "ending": "won"}, {"score": 998, "ending": "lost"}],
    }  # fmt: skip
    game = {"match_id": "ca110ce11042b16c", "stage": "round_robin", "round": 1, "pairing": 0, "number": 0, "map": "",
            "seats": seats, "outcome": outcome}  # fmt: skip
    sheet = sheets.matches_sheet([game] * 3)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", str(width))
    text.print_sheet(sheet)
    out = re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().out)
    assert max(map(cell_len, out.splitlines())) <= width
    for value in ("ca110ce11042b16c", "red-hawks –", "日本語のボット", "1027 : 998"):
        assert out.count(value) >= 3, (value, out)
    left_out = re.findall(r"\w+", " ".join(re.findall(r"Too narrow for ([^:]*):", out)))
    shown = re.findall(r"\w+", out.splitlines()[2])
    assert sorted([*left_out, *shown]) == sorted(sheet.columns)
    assert bool(left_out) == (width < 120)


def drawing_of(bracket):
    return part("parts/drawings.html", "bracket", bracket)


@pytest.mark.parametrize("kind", ["single_elimination", "double_elimination"])
@pytest.mark.parametrize("count", [2, 3, 5, 8, 13])
def test_a_bracket_is_drawn_with_everybody(kind, count):
    stage = StageConfig("cup", kind, third_place=kind == "single_elimination")
    whole = standings_document(snapshot_of(count, (stage,)))["stages"][0]
    shown = bracket_of(whole, lambda match_id: f"m/{match_id}")
    drawing = drawing_of(shown)
    for row in whole["standings"]:
        assert row["name"] in drawing
    if kind == "double_elimination":
        final = next(one for one in shown.sections if one.title == "Grand final")
        assert all(wire.next_x == final.boxes[0].x for wire in final.wires[:2]), "both finals lead to it"
    drawn = len(re.findall(r'<rect class="box"', drawing))
    assert drawn >= len(whole["encounters"])
    played = [encounter for encounter in whole["encounters"] if encounter["matches"]]
    assert drawing.count("<a href") == 2 * len(played), "in the picture, and in the list for narrow screens"
    begun = standings_document(Snapshot(tournament_of(count, stage), Schedule(tournament_of(count, stage)), {}, ()))
    empty = drawing_of(bracket_of(begun["stages"][0], lambda match_id: ""))
    assert len(re.findall(r'<rect class="box"', empty)) >= drawn - 1, "places are there before they are filled"


def test_ratings_are_drawn_within_the_picture():
    snapshot = snapshot_of()
    rows = ratings_of(standings_document(snapshot), Course.of(snapshot.schedule.matches()))
    drawing = part("parts/components.html", "ratings", rows, (), None)
    for low, high in re.findall(r'class="interval" d="M([\d.]+) 7H([\d.]+)"', drawing):
        assert 0 <= float(low) <= float(high) <= 100
    assert drawing.count("<circle") == 11
    assert "No rating yet." in part("parts/components.html", "ratings", [], (), None)


def test_who_has_lost_nothing_has_no_number():
    """The interval of such a rating has no end, so the page names no rating of thousands of points."""
    rows = [
        {"name": "a", "elo": 1651.0, "low": 300.0, "high": 3900.0},
        {"name": "b", "elo": -1651.0, "low": -3900.0, "high": -300.0},
    ]
    scale = Scale.of(rows)
    best = rating_of(rows[0], Form(won=3), scale)
    worst = rating_of(rows[1], Form(lost=3), scale)
    assert (best.words, best.range) == ("not lost yet", "above +300")
    assert (worst.words, worst.range) == ("not won yet", "below -300")
    assert worst.picture.at < best.picture.low <= best.picture.at <= 100
    assert rating_of(rows[0], Form(won=3, drawn=1), scale).words == "+1651"


def test_matches_have_names():
    snapshot = snapshot_of(
        8,
        (StageConfig("swiss", "swiss", rounds=2), StageConfig("cup", "double_elimination", advance=8)),
        lambda spec: result_of(0, ("won", "timed_out")) if spec.round == 1 else by_strength(spec),
    )
    document = tournament_document(snapshot)
    places = {line.place.partition(", game")[0] for line in match_lines(document["games"], Titles(document))}
    assert places >= {
        *("Swiss, round 1", "Swiss, round 2", "Winners' quarter-final", "Winners' semi-final", "Winners' final"),
        *("Losers' round 1", "Losers' final", "Grand final"),
    }
    for game, line in zip(document["games"], match_lines(document["games"], Titles(document)), strict=True):
        assert [side.won for side in line.sides] == [seat == game["outcome"]["winner"] for seat in range(2)]
    ids = {game["match_id"] for game in document["games"]}
    page = page_of(document, Links(), Course.of(snapshot.schedule.matches()))
    assert not [one for one in ids if one in page]
    assert re.search(r"(round 1|quarter-final), game \d: timed out", page)


def test_maps_seats_and_endings_by_hand():
    """bot001 wins on its first seat, by the other's time-out, and loses on the second one."""

    def decide(spec):
        if spec.names[0] == "bot001":
            return result_of(0, ("won", "timed_out"), scores=(1.0, 1.0))
        return result_of(0)

    snapshot = snapshot_of(2, (StageConfig("all", "round_robin", rounds=2),), decide)
    course, names = Course.of(snapshot.schedule.matches()), ["bot001", "bot002"]
    assert course.endings == {"a program ran out of time": 2, "toy": 2}
    seats = shares(course.seats, names, "seat")
    assert seats.columns == [("Seat 1", ""), ("Seat 2", "")]
    for _, cells in seats.rows:
        assert [(cell.points, cell.level) for cell in cells] == [("100%", 10), ("0%", 0)]
    assert shares(course.maps, names, "map") is None, "one map"
    assert (course.bots["bot001"].matches, course.bots["bot001"].last) == (4, "WLLW")
    rows = part("parts/components.html", "details", details_of(standings_document(snapshot), course), "data/")
    assert rows.count("<details>") == 2, "endings and seats; the toys use no time"


@pytest.mark.parametrize(
    ("kinds", "remark"), [("", "no match yet"), ("W", "not lost yet"), ("D", ""), ("L", "not won yet"), ("WL", "")]
)
def test_what_is_said_in_the_place_of_a_rating_without_bounds(kinds, remark):
    form = Form()
    for kind in kinds:
        form = form.after(kind, 25.0)
    assert form.remark == remark


def test_a_long_history_keeps_its_start_and_its_end():
    form = Form()
    for number in range(1, 1001):
        form = form.after("WDL"[number % 3], float(number))
    assert (form.won, form.drawn, form.lost, form.last) == (333, 334, 333, "WDLWD")
    assert len(form.history) <= 201
    assert (form.history[0], form.history[-1]) == (25.0, 1000.0)
    assert list(form.history[1:]) == sorted(form.history[1:])
    assert (form.points()[0], form.points()[-1], len(form.points())) == (25.0, 1000.0, 24)


def test_the_move_since_the_last_round_by_hand():
    def met(number, players, points):
        return {"round": number, "players": players, "points": points, "column": 0}

    rows = [{"name": name} for name in "abc"]
    stage = {"standings": rows, "encounters": [met(1, ["a", "b"], [2, 0]), met(2, ["b", "c"], [3, 0])]}
    assert movement(stage) == {"a": -1, "b": 1, "c": -1}
    assert movement({"standings": rows, "encounters": stage["encounters"][:1]}) == {}


def test_everything_is_written_and_replays_once(tmp_path):
    snapshot = snapshot_of(4, (StageConfig("all", "round_robin"),))
    written = []

    def write(legs, page, place):
        written.append((page.name, *(replay.name for replay in legs), place["name"]))
        page.write_text("page")

    first = snapshot.schedule.matches()[0]
    game = snapshot.schedule.games[0][1]
    game.result = replace(first[1], replay="replays/x.arena", replay_hash=hashlib.sha256(b"replay").hexdigest())
    (tmp_path / "league" / "replays").mkdir(parents=True)
    (tmp_path / "league" / "replays" / "x.arena").write_text("replay")
    pages = ReplayPages(write, lambda path: path.read_bytes(), None)
    files = export(snapshot, tmp_path / "league", tmp_path / "out", pages)
    assert written == [(f"{first[0].match_id}.html", "x.arena", "All, round 1, game 1")]
    (still,) = stills_of(tmp_path / "out" / "stills" / "1.js")
    assert still == b"replay"
    assert all(path.stat().st_size for path in files)
    page = (tmp_path / "out" / "index.html").read_text()
    assert f'href="matches/{first[0].match_id}.html"' in page
    assert page.count('data-still="stills/1.js#0"') == 1
    assert len(json.loads((tmp_path / "out" / "data" / "matches.json").read_text())["data"]) == 12


def stills_of(path):
    """The positions in a script of an export."""
    packed = re.search(r'textContent="([^"]*)"', path.read_text())[1]
    return msgpack.unpackb(zlib.decompress(base64.b64decode(packed), wbits=-15))


def test_a_large_league_has_pages_of_matches_and_a_small_index(tmp_path):
    snapshot = snapshot_of(36, (StageConfig("all", "round_robin", games=1),))
    files = export(snapshot, tmp_path / "league", tmp_path / "out", None)
    pages = [path.name for path in files if path.name.startswith("matches-")]
    assert pages == ["matches-1.html", "matches-2.html"], "630 matches"
    index = (tmp_path / "out" / "index.html").read_text()
    assert len(index) < 172_000, "with a sign, a line and an interval for each bot"
    assert all(f'href="{page}"' in index for page in pages)
    assert "630 matches" in index
    shown = [re.findall(r"<tr><td>All, round (\d+)", (tmp_path / "out" / page).read_text()) for page in pages]
    assert [len(one) for one in shown] == [500, 130]
    assert [*map(int, [*shown[0], *shown[1]])] == [spec.round for spec, _ in snapshot.schedule.matches()]
    assert 'href="matches-1.html"' in (tmp_path / "out" / "matches-2.html").read_text()


@pytest.mark.browser
def test_everybody_can_read_an_export(tmp_path, browser, assert_accessible):
    """The tables, the brackets and the drawings of ratings; wide ones are scrolled by the keyboard."""
    export(snapshot_of(), tmp_path / "league", tmp_path / "out", None)
    for width, scheme in ((390, "light"), (1440, "dark")):
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page.goto((tmp_path / "out" / "index.html").as_uri())
        assert_accessible(page)
        page.close()


def test_the_legs_of_a_game_share_one_page(tmp_path):
    schedule, _ = play(tournament_of(2, StageConfig("all", "round_robin"), legs=2), favourite)
    (tmp_path / "league").mkdir()
    for _, game in schedule.games:
        replay = f"{game.spec.match_id}.arena"
        (tmp_path / "league" / replay).write_text("replay")
        game.result = replace(game.result, replay=replay, replay_hash=hashlib.sha256(b"replay").hexdigest())
    written = []
    snapshot = Snapshot(schedule.tournament, schedule, {}, ())
    pages = ReplayPages(lambda *one: written.append(one), lambda path: path.read_bytes(), None)
    export(snapshot, tmp_path / "league", tmp_path / "out", pages)
    ids = [game.spec.match_id for _, game in schedule.games]
    assert [[replay.stem for replay in legs] for legs, *_ in written] == [
        ids[at : at + 2] for at in range(0, len(ids), 2)
    ]
    way_back_of(written)
    page = (tmp_path / "out" / "index.html").read_text()
    assert f'href="matches/{ids[0]}-{ids[1]}.html#leg=1"' in page
    assert f'href="matches/{ids[0]}-{ids[1]}.html#leg=2"' in page
    both = legs_of(ids[1], schedule.matches(), 2)
    assert [spec.match_id for spec, _ in both] == ids[:2]
    assert [spec.match_id for spec, _ in legs_of(ids[1], schedule.matches(), 1)] == ids[1:2]


def way_back_of(written):
    """Each page leads back to the tournament, and to the games before and after it."""
    names = [path.name for _, path, _ in written]
    assert len(names) > 1
    for at, (_, _, place) in enumerate(written):
        assert place["crumbs"] == [{"title": "Toys", "url": "../index.html"}]
        beside = [place[key] and place[key]["url"] for key in ("previous", "next")]
        assert beside == [names[at - 1] if at else None, names[at + 1] if at + 1 < len(names) else None]


@pytest.mark.parametrize(
    "stages", [(StageConfig("all", "round_robin", rounds=2),), STAGES, (StageConfig("s", "swiss", rounds=3),)]
)
def test_forecast(stages):
    schedule, played = play(tournament_of(10, *stages), favourite)
    assert expected_matches(Schedule(schedule.tournament)) == len(played) == expected_matches(schedule)


@pytest.mark.parametrize("order", [None, 1, 2, 3])
def test_the_forecast_leaves_out_what_a_suspension_decides(order):
    def decide(spec):
        endings = ["crashed" if name == "bot002" else "won" for name in spec.names]
        return result_of(int(endings[0] == "crashed"), endings) if "crashed" in endings else result_of(0)

    schedule = Schedule(tournament_of(4, StageConfig("all", "round_robin"), suspend_after=1))
    tally = Tally()
    tally.resumed(schedule, 0)
    assert expected_matches(schedule) == tally.expected == 12
    rng = order and random.Random(order)
    waiting, played = schedule.take(), 0
    while waiting := [spec for spec in waiting if schedule.wanted(spec)]:
        spec = waiting.pop(rng.randrange(len(waiting)) if rng else 0)
        schedule.record(spec, decide(spec))
        tally.finished(spec, decide(spec), schedule)
        played += 1
        waiting += schedule.take()
        left, scheduled = expected_matches(schedule) - played, sum(map(schedule.wanted, waiting))
        assert left == scheduled or (order and left < scheduled), "a later result can already suspend the bot"
    assert "bot002" in schedule.suspended
    assert played == expected_matches(schedule)
    assert order or played == tally.expected == 7


def test_a_played_match_that_a_suspension_decides_is_named():
    """The match was being played when crashes that are earlier in the schedule suspended its bot."""
    schedule = Schedule(tournament_of(4, StageConfig("all", "round_robin"), suspend_after=1))
    scheduled = schedule.take()
    first = next(spec for spec in scheduled if "bot002" in spec.names)
    for spec in [*(spec for spec in scheduled if spec is not first), first]:
        endings = ["crashed" if name == "bot002" and spec is first else "won" for name in spec.names]
        schedule.record(spec, result_of(int(endings[0] == "crashed"), endings))
    late = [spec.match_id for spec in schedule.uncounted()]
    snapshot = Snapshot(schedule.tournament, schedule, {}, ())
    document = standings_document(snapshot)
    assert len(late) > 1
    assert document["uncounted"] == late
    assert document["matches"] + len(late) == len(schedule.results)
    note = f"{len(late)} played matches do not count"
    assert any(one.startswith(note) for one in final_lines(snapshot))
    notes = sheets.statistics_sheet(tournament_document(snapshot)).notes
    assert any(one.startswith(note) and late[0] in one for one in notes)


def test_a_winner_with_equal_scores_has_the_reason():
    snapshot = snapshot_of(2, (StageConfig("one", "round_robin"),), lambda _: result_of(0, scores=(3.0, 3.0)))
    sheet = sheets.matches_sheet(tournament_document(snapshot)["games"])
    assert all(row[4].endswith(" (toy)") for row in sheet.rows), [row[4] for row in sheet.rows]


def test_the_name_of_the_machine_is_for_the_organizer_only():
    snapshot = snapshot_of(
        2, (StageConfig("one", "round_robin"),), lambda _: replace(result_of(0), host="olgas-laptop")
    )
    assert "olgas-laptop" not in json.dumps(tournament_document(snapshot))
    assert "olgas-laptop" in json.dumps(tournament_document(snapshot, private=True))


CUPS = [
    StageConfig("c", form, best_of=best_of, extra_pairs=extra, sudden_death=sudden, third_place=True)
    for form, best_of, extra, sudden in (
        ("single_elimination", 1, 1, 0),
        ("single_elimination", 2, 1, 3),
        ("single_elimination", 3, 0, 0),
        ("single_elimination", 5, 1, 2),
        ("double_elimination", 2, 1, 3),
        ("double_elimination", 3, 1, 0),
    )
]


@pytest.mark.parametrize("stage", CUPS, ids=lambda stage: f"{stage.format}-{stage.best_of}")
@pytest.mark.parametrize("size", [2, 5, 8])
def test_the_forecast_of_a_cup_is_the_smallest_number_of_matches(stage, size):
    tournament = tournament_of(size, stage)

    for seed in range(12):
        schedule, waiting, count = Schedule(tournament), [], 0
        before = first = expected_matches(schedule)
        waiting += schedule.take()
        while waiting:
            forecast = expected_matches(schedule)
            assert first <= forecast
            assert before <= forecast or stage.format == "double_elimination", (
                "a forecast says how many matches there are at least"
            )
            before = forecast
            spec = waiting.pop(0)
            schedule.record(spec, by_strength(spec, 0.3, seed))
            count += 1
            waiting += schedule.take()
        assert first <= count == expected_matches(schedule)

    favourites, played = play(tournament, favourite)
    assert expected_matches(Schedule(tournament)) == len(played) == expected_matches(favourites)


def test_a_forecast_stops_counting_at_its_limit(monkeypatch):
    monkeypatch.setattr("arena.tournament.plan.forecast._MOST", 7)
    assert expected_matches(Schedule(tournament_of(10, StageConfig("all", "round_robin")))) == 7


def test_no_forecast_for_what_runs_on():
    assert expected_matches(Schedule(tournament_of(4, StageConfig("l", "ladder")))) is None


def test_entrants_in_documents_have_no_secret():
    document = json.dumps(tournament_document(snapshot_of()))
    assert "secret" not in document
    assert entrants_of(1)[0].name == "bot001"


def test_a_void_match_is_no_draw():
    sides = [Side("A", "1", won=False, ending=""), Side("B", "1", won=False, ending="")]
    drawn, void = (MatchLine("m", "Round 1", sides, "", 3, "", counts) for counts in (True, False))
    assert [(line.result("A", "B"), line.result("B", "A")) for line in (drawn, void)] == [("D", "D"), ("", "")]
    assert [(row["name"], row["last"]) for row in opponents_of("A", [drawn, void])] == [("B", ["D"])]
