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
from types import MappingProxyType, SimpleNamespace

import msgpack
import pytest
from contests_toys import begin, by_strength, in_memory, play, played, ranked_result, result_of
from rich.cells import cell_len

from arena.contests.config import StageConfig
from arena.contests.ratings.form import Form
from arena.contests.report import columns, listings, writers
from arena.contests.report.bracket import bracket_of
from arena.contests.report.columns import Column, PublishedTable, TableKind
from arena.contests.report.details import details_of, shares
from arena.contests.report.export import ReplayPages, export
from arena.contests.report.forecast import expected_matches
from arena.contests.report.history import movement
from arena.contests.report.page import Links, page_of
from arena.contests.report.progress import ProgressObserver, final_lines, one_line
from arena.contests.report.rows import documents_of, match_documents, match_row, standings_tables, tables_of
from arena.contests.report.views import heat_map, match_lines, podium, ratings_of, standings_of
from arena.contests.report.visible_contest import RatingRow, VisibleContest
from arena.contests.stages.series import legs_of
from arena.pages.render import part

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
STAGES = (StageConfig("swiss", "swiss", rounds=4), StageConfig("final", "double_elimination", advance=8))
EVIL = "<script>alert(1)</script>|*x*"


def shown_of(count=11, *stages, result=by_strength, names=None, **settings):
    """What an organizer sees of a contest that was played."""
    opened = played(names or count, *(stages or STAGES), result=result, **settings)
    return VisibleContest.of(opened.state, everything=True)


@pytest.fixture(scope="module")
def usual():
    """A Swiss stage and a bracket of its best eight."""
    return shown_of()


def matches_of(shown):
    """The list of all matches."""
    rows = [match_row(spec, result, "", counts=True, spent=True) for spec, result in shown.matches()]
    return listings.matches(shown.matches(), rows)


def cells(table, column):
    """The cells of a column for people."""
    return [line[table.heads.index(column)] for line in table.lines]


def rated(rows, forms=MappingProxyType({})):
    """What a page needs of a contest to draw ratings."""
    return SimpleNamespace(ratings=rows, course=SimpleNamespace(bots=forms))


def favourite(spec):
    return result_of(int(spec.names[0] > spec.names[1]))


def test_documents_are_plain_json_and_repeat_themselves(usual):
    one, other = (json.dumps(documents_of(standings_tables(shown))) for shown in (usual, shown_of()))
    assert one == other
    document = json.loads(one)
    [contest] = document["contest"]
    assert (contest["finished"], contest["matches"]) == (True, len(shown_of().matches()))
    assert len(document["entrants"]) == 11
    champion = next(row["name"] for row in document["standings"] if row["stage"] == "final")
    assert document["entrants"][0]["name"] == champion
    assert "secret" not in one
    order = usual.final_order()
    assert set(order[:8]) == {row.name for row in usual.stages["final"].rank()}
    assert sorted(order) == sorted(usual.state.entrants), "the order goes on behind the last stage"


def test_standings_of_an_open_round_count_what_is_decided():
    shown = shown_of(6, StageConfig("all", "round_robin"), most=10)
    assert sum(row.points for row in shown.stages["all"].rank()) == 10


def test_all_tables_have_as_many_cells_as_columns(usual):
    chosen = [listings.final(usual), listings.ratings(usual), listings.superiority(usual)]
    chosen += [listings.behaviour(usual), matches_of(usual)]
    for run in usual.stages.values():
        chosen += [listings.standings(usual, run), listings.encounters(run)]
    for table in chosen:
        assert table.rows
        assert all(len(row) == len(table.columns) for row in table.rows), table.title
        assert all(len(line) == len(table.heads) > 1 for line in table.lines), table.title
        assert len(list(csv.reader(io.StringIO(writers.to_csv(table))))) == len(table.rows) + 1


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
    note, *_ = listings.ratings(shown_of(6, *stages)).notes
    assert f"between low and high in {cases} of 100 cases" in note


def test_a_crosstable_by_hand():
    def decide(spec):
        return replace(result := favourite(spec), players=tuple(
            replace(one, score=3.0 if one.ending == "won" else 1.0) for one in result.players
        ))  # fmt: skip

    shown = shown_of(3, StageConfig("all", "round_robin"), result=decide)
    cross = heat_map(shown, shown.stages["all"])
    assert [(name, *((cell.points, cell.level) for cell in row)) for name, row in cross.rows] == [
        ("bot001", ("", -1), ("2", 10), ("2", 10)),
        ("bot002", ("0", 0), ("", -1), ("2", 10)),
        ("bot003", ("0", 0), ("0", 0), ("", -1)),
    ]
    assert cross.rows[0][1][1].title == "2 of 2 points against bot002, scores 6 : 2"
    assert cross.columns == [("1", "bot001"), ("2", "bot002"), ("3", "bot003")]


@pytest.mark.parametrize(
    ("count", "stage", "places"),
    [
        (
            48,
            StageConfig("groups", "groups", groups=24),
            {f"Groups, group {letter}, round 1" for letter in "ABCDEFGHIJKLMNOPQRSTUVWX"},
        ),
        (12, StageConfig("all", "round_robin"), {f"All, round {number}" for number in range(1, 12)}),
        (
            48,
            StageConfig("cup", "single_elimination", third_place=True),
            {
                "Round of 64", "Round of 32", "Round of 16", "Quarter-final", "Semi-final", "Final",
                "Match for third place",
            },
        ),
    ],
    ids=lambda value: getattr(value, "format", ""),
)  # fmt: skip
def test_encounters_are_named_after_their_group_or_bracket(count, stage, places):
    table = listings.encounters(shown_of(count, stage).stages[stage.name])
    assert set(cells(table, "Round")) == places


def test_spreadsheets_get_no_formulas():
    column = Column("a", "text", "A text.", "a")
    table = PublishedTable(
        TableKind("x", "", (column,)), [("=1+1",), ("@x",), ("-5",), ("+3.5",), ("-cmd",)], (column,)
    )
    assert writers.to_csv(table).splitlines()[1:] == ["'=1+1", "'@x", "-5", "+3.5", "'-cmd"]
    shown = shown_of(0, StageConfig("all", "round_robin"), names=["=1+1", "-a"], result=favourite)
    superiority = listings.superiority(shown)
    heads, *rows = csv.reader(io.StringIO(writers.to_csv(superiority)))
    assert sorted(heads) == sorted(["name", *(row[0] for row in rows)]) == ["'-a", "'=1+1", "name"]


@pytest.mark.parametrize(
    ("value", "shown"), [(-0.001, "0"), (-0.0, "0"), (0.004, "0"), (-0.25, "-0.25"), (12.5, "12.5"), (100, "100")]
)
def test_numbers_are_short_and_nothing_has_no_minus(value, shown):
    assert columns.number(value) == shown


def test_a_rating_of_nothing_has_no_minus():
    row = RatingRow(1, "a", -0.2, -40.6, -0.0)
    table = PublishedTable.of(columns.RATINGS, [(row.place, row.name, row.elo, row.low, row.high)])
    assert table.lines == [["1", "a", "+0", "-41", "+0"]]
    assert ratings_of(rated([row]))["a"].title == "a: +0 Elo, 95 % interval: −41 to +0"


def test_each_signed_number_in_a_text_has_no_minus_zero():
    """A format with a sign has the option z, which the operator % does not have."""
    signed = re.compile(r"%\+|:\+(?!z)[.\d]*[defg]?[}\"']|\"\+(?!z)[.\d]*[defg]\"")
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
    opened = played(2, stage, result=lambda spec: result_of(None, ("void", "void"), void="the match has no result"))
    shown = VisibleContest.of(opened.state, everything=True)
    [(spec, result)] = shown.matches()
    opened.state.voids[spec.match_id] = 2
    behaviour = listings.behaviour(shown)
    assert [cells(behaviour, head) for head in ("Failures", "Last failure")] == [["", ""]] * 2
    assert cells(behaviour, "Void") == ["3", "3"]
    assert cells(matches_of(shown), "Result") == ["No result"]
    assert one_line(spec, result).endswith("0 : 0  No result")
    [run] = shown.stages.values()
    standings = listings.standings(shown, run)
    assert [cells(standings, head) for head in ("Games", "W", "D", "L")] == [["0", "0"]] * 4
    course = shown.course
    assert (course.bots, course.maps, course.seats) == ({}, {}, {})
    assert set(course.endings) == {"void, does not count"}
    cross = heat_map(shown, run)
    assert {cell.points for _, row in cross.rows for cell in row} == {""}
    [line] = match_lines(shown.matches(), shown.titles)
    assert (line.decided, line.counts) == ("void, does not count", False)


def test_words_of_bots_are_never_markup():
    names = [f"{EVIL}{number}" for number in range(5)]

    def decide(spec):
        result = result_of(0, ("won", "crashed"))
        bad = replace(result.players[1], detail="\x1b[31m</td><b>boo\n\u202egnp")
        return replace(result, players=(result.players[0], bad))

    shown = shown_of(0, StageConfig("cup", "double_elimination"), names=names, result=decide, name=EVIL)
    links = Links({spec.match_id: "matches/x.html" for spec, _ in shown.matches()})
    page = page_of(shown, links)
    assert re.findall("<script[^>]*>", page) == ['<script type="module">'], "the paths of the bracket, and nothing else"
    assert "<b>boo" not in page
    assert page.count("&lt;script&gt;") > 20
    for table in (listings.behaviour(shown), listings.encounters(shown.stages["cup"])):
        text = writers.to_csv(table)
        assert "\x1b" not in text
        assert "\u202e" not in text


def test_nothing_is_cut_in_a_pipe(capsys):
    long = "a-very-long-name-of-a-bot-of-forty-letters"
    shown = shown_of(
        0, StageConfig("all", "round_robin"), names=[long, "[bold]b[/bold]"], result=lambda spec: result_of(0)
    )
    writers.print_table(listings.standings(shown, shown.stages["all"]))
    out = capsys.readouterr().out
    assert long in out
    assert "[bold]b[/bold]" in out


@pytest.mark.parametrize("width", [60, 80, 100, 130])
def test_a_narrow_terminal_leaves_out_columns_and_cuts_no_value(capsys, monkeypatch, width):
    shown = shown_of(
        0, StageConfig("round_robin", "round_robin"), names=["red-hawks", "日本語のボット"],
        result=lambda spec: replace(result_of(0, scores=(1027.0, 998.0)), turns=250),
    )  # fmt: skip
    table = matches_of(shown)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", str(width))
    writers.print_table(table)
    out = re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().out)
    assert max(map(cell_len, out.splitlines())) <= width
    for value in ("red-hawks –", "1027 : 998", *(spec.match_id for spec, _ in shown.matches())):
        assert value in out, (value, out)
    left_out = re.findall(r"\w+", " ".join(re.findall(r"Too narrow for ([^:]*):", out)))
    heads = re.findall(r"\w+", out.splitlines()[2])
    assert sorted([*left_out, *heads]) == sorted(table.heads)
    assert bool(left_out) == (width < 130)


def drawing_of(bracket):
    return part("parts/drawings.html", "bracket", bracket)


@pytest.mark.parametrize("kind", ["single_elimination", "double_elimination"])
@pytest.mark.parametrize("count", [2, 3, 5, 8, 13])
def test_a_bracket_is_drawn_with_everybody(kind, count):
    stage = StageConfig("cup", kind, third_place=kind == "single_elimination")
    whole = shown_of(count, stage).stages["cup"]
    shown = bracket_of(whole, lambda match_id: f"m/{match_id}")
    drawing = drawing_of(shown)
    for name in whole.names:
        assert name in drawing
    if kind == "double_elimination":
        final = next(one for one in shown.sections if one.title == "Grand final")
        assert all(wire.next_x == final.boxes[0].x for wire in final.wires[: len(shown.sections) - 1]), (
            "the finals of both brackets lead to it"
        )
    drawn = len(re.findall(r'<rect class="box"', drawing))
    assert drawn >= len(whole.series)
    found = [series for series in whole.series if series.games]
    assert drawing.count("<a href") == 2 * len(found), "in the picture, and in the list for narrow screens"
    begun = in_memory(count, stage)
    begin(begun)
    empty = drawing_of(bracket_of(begun.state.stages["cup"], lambda match_id: ""))
    assert len(re.findall(r'<rect class="box"', empty)) >= drawn - 1, "places are there before they are filled"


def test_ratings_are_drawn_within_the_picture(usual):
    rows = ratings_of(usual).values()
    drawing = part("parts/components.html", "ratings", [*rows], ())
    found = re.findall(r'd="M([\d.]+) 0V14"/><path d="M([\d.]+) 7H([\d.]+)"/><circle cx="([\d.]+)"', drawing)
    assert len(found) == 11
    assert len({zero for zero, *_ in found}) == 1, "the mean of all is at the same place in each row"
    assert all(0 <= float(low) <= float(dot) <= float(high) <= 100 for _, low, high, dot in found)
    assert "No rating yet." in part("parts/components.html", "ratings", [], ())


def test_the_podium_says_what_was_won(usual):
    row = [*usual.stages.values()][-1].rank()[0]
    assert podium(usual)[0][0] == (row.name, f"{row.wins} won, {row.losses} lost in Final")


def test_who_has_lost_nothing_has_no_number():
    """The interval of such a rating has no end, so the page names no rating of thousands of points."""
    rows = [RatingRow(1, "a", 1651.0, 300.0, 3900.0), RatingRow(2, "b", -1651.0, -3900.0, -300.0)]
    best, worst = ratings_of(rated(rows, {"a": Form(won=3), "b": Form(lost=3)})).values()
    assert (best.words, best.range) == ("not lost yet", "above +300")
    assert (worst.words, worst.range) == ("not won yet", "below −300")
    assert 0 < worst.picture.low <= worst.picture.at <= worst.picture.high < best.picture.low <= best.picture.at < 100
    rows.insert(1, RatingRow(2, "c", -38.0, -60.0, 90.0))
    first, second, third = ratings_of(rated(rows, {"b": Form(lost=3)})).values()
    assert first.picture.at > second.picture.at > third.picture.at, "the dots are in the order of the places"
    assert ratings_of(rated(rows, {"a": Form(won=3, drawn=1)}))["a"].words == "+1651"


def test_tables_of_several_say_places():
    """A score such as the length of a snake does not say who is ahead, and the second of four has not lost."""
    names = ("bot001", "bot002", "bot003", "bot004")
    places = dict(zip(names, (1, 4, 2, 3), strict=True))

    def decide(spec):
        return ranked_result([places[name] for name in spec.names])

    shown = shown_of(4, StageConfig("all", "free_for_all", rounds=1, table=4, games=1), result=decide, players=(4, 4))
    line = match_lines(shown.matches(), shown.titles)[0]
    assert {side.name: side.score for side in line.sides} == dict(zip(names, ("1st", "4th", "2nd", "3rd"), strict=True))
    forms = {name: shown.course.bots[name] for name in names}
    assert [set(forms[name].last) for name in names] == [{"W"}, {"L"}, {"B"}, {"B"}]
    assert not forms["bot003"].remark
    assert forms["bot003"].record == f"{forms['bot003'].matches} between"
    view = standings_of(shown, next(iter(shown.stages.values())))
    assert view.lines[0].counts == f"{forms['bot001'].matches} × 1st"
    drawing = part("parts/components.html", "form", "WBL")
    assert 'aria-label="won, between the first and the last place, lost"' in drawing
    assert re.findall(r'<i class="(\w+)">(.)<', drawing) == [("won", "●"), ("drawn", "◔"), ("lost", "○")]


def test_matches_have_names():
    shown = shown_of(
        8, StageConfig("swiss", "swiss", rounds=2), StageConfig("cup", "double_elimination", advance=8),
        result=lambda spec: result_of(0, ("won", "timed_out")) if spec.round == 1 else by_strength(spec),
    )  # fmt: skip
    lines = match_lines(shown.matches(), shown.titles)
    places = {line.place.partition(", game")[0] for line in lines}
    assert places >= {
        *("Swiss, round 1", "Swiss, round 2", "Winners' quarter-final", "Winners' semi-final", "Winners' final"),
        *("Losers' round 1", "Losers' final", "Grand final"),
    }
    for (_, result), line in zip(shown.matches(), lines, strict=True):
        assert [side.won for side in line.sides] == [seat == result.winner for seat in range(2)]
    page = page_of(shown, Links())
    assert not [spec.match_id for spec, _ in shown.matches() if spec.match_id in page]
    assert re.search(r"(round 1|quarter-final), game \d: timed out", page)


def test_maps_seats_and_endings_by_hand():
    """bot001 wins on its first seat, by the other's time-out, and loses on the second one."""

    def decide(spec):
        if spec.names[0] == "bot001":
            return result_of(0, ("won", "timed_out"), scores=(1.0, 1.0))
        return result_of(0)

    shown = shown_of(2, StageConfig("all", "round_robin", rounds=2), result=decide)
    course, names = shown.course, ["bot001", "bot002"]
    assert course.endings == {"a program ran out of time": 2, "toy": 2}
    seats = shares(course.seats, names, "seat")
    assert seats.columns == [("Seat 1", ""), ("Seat 2", "")]
    for _, row in seats.rows:
        assert [(cell.points, cell.level) for cell in row] == [("100%", 10), ("0%", 0)]
    assert shares(course.maps, names, "map") is None, "one map"
    assert (course.bots["bot001"].matches, course.bots["bot001"].last) == (4, "WLLW")
    rows = part("parts/components.html", "details", details_of(shown), "data/")
    assert rows.count("<details>") == 2, "endings and seats; the toys use no time"


@pytest.mark.parametrize(
    ("kinds", "remark"), [("", ""), ("W", "not lost yet"), ("D", ""), ("L", "not won yet"), ("WL", "")]
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


def test_nobody_moves_in_the_middle_of_a_round():
    """While only some have played, the others would seem to fall."""
    opened = in_memory("abcd", StageConfig("swiss", "swiss", rounds=2, games=1))
    moves = []

    def first_wins(spec):
        return result_of(spec.names.index(min(spec.names)))

    play(opened, first_wins, then=lambda _: moves.append(movement(opened.state.stages["swiss"])))
    assert moves == [{}, {}, {}, {"b": -1, "c": 1, "d": -1}]


def with_replays(opened, folder):
    """Give each match of a contest in memory a replay."""
    (folder / "replays").mkdir(parents=True)
    for run in opened.state.stages.values():
        for _, game in run.games:
            replay, data = f"replays/{game.spec.match_id}.arena", game.spec.match_id.encode()
            (folder / replay).write_bytes(data)
            game.result = replace(game.result, replay=replay, replay_hash=hashlib.sha256(data).hexdigest())
    return VisibleContest.of(opened.state, everything=True)


def test_everything_is_written_and_replays_once(tmp_path):
    shown = with_replays(played(4, StageConfig("all", "round_robin")), tmp_path / "contest")
    written = []

    def write(legs, page, place):
        written.append((page.name, *(replay.stem for replay in legs), place["name"]))
        page.write_text("page")

    pages = ReplayPages(write, lambda path: path.read_bytes(), None)
    files = export(shown, tmp_path / "contest", tmp_path / "out", pages)
    ids = [spec.match_id for spec, _ in shown.matches()]
    assert len(written) == len(ids) == 12
    assert written[0] == (f"{ids[0]}.html", ids[0], "All, round 1, game 1")
    assert [still.decode() for still in stills_of(tmp_path / "out" / "stills" / "1.js")] == ids
    assert all(path.stat().st_size for path in files)
    page = (tmp_path / "out" / "index.html").read_text()
    assert f'href="matches/{ids[0]}.html"' in page
    assert page.count('data-still="stills/1.js#0"') == 1
    assert len((tmp_path / "out" / "data" / "matches.csv").read_text().splitlines()) == 13


def stills_of(path):
    """The positions in a script of an export."""
    packed = re.search(r'textContent="([^"]*)"', path.read_text())[1]
    return msgpack.unpackb(zlib.decompress(base64.b64decode(packed), wbits=-15))


def test_a_large_contest_has_pages_of_matches_and_a_small_index(tmp_path):
    shown = shown_of(36, StageConfig("all", "round_robin", games=1))
    files = export(shown, tmp_path / "contest", tmp_path / "out", None)
    pages = [path.name for path in files if path.name.startswith("matches-")]
    assert pages == ["matches-1.html", "matches-2.html"], "630 matches"
    index = (tmp_path / "out" / "index.html").read_text()
    assert len(index) < 172_000, "with a sign, a line and an interval for each bot"
    assert all(f'href="{page}"' in index for page in pages)
    assert "630 matches" in index
    found = [re.findall(r"<tr><td>All, round (\d+)", (tmp_path / "out" / page).read_text()) for page in pages]
    assert [len(one) for one in found] == [500, 130]
    assert [*map(int, [*found[0], *found[1]])] == [spec.round for spec, _ in shown.matches()]
    assert 'href="matches-1.html"' in (tmp_path / "out" / "matches-2.html").read_text()


def test_the_legs_of_a_game_share_one_page(tmp_path):
    shown = with_replays(played(2, StageConfig("all", "round_robin"), result=favourite, legs=2), tmp_path / "contest")
    written = []
    pages = ReplayPages(lambda *one: written.append(one), lambda path: path.read_bytes(), None)
    export(shown, tmp_path / "contest", tmp_path / "out", pages)
    ids = [spec.match_id for spec, _ in shown.matches()]
    assert [[replay.stem for replay in legs] for legs, *_ in written] == [
        ids[at : at + 2] for at in range(0, len(ids), 2)
    ]
    names = [path.name for _, path, _ in written]
    assert len(names) > 1
    for at, (_, _, place) in enumerate(written):
        assert place["crumbs"] == [{"title": "Toys", "url": "../index.html"}]
        beside = [place[key] and place[key]["url"] for key in ("previous", "next")]
        assert beside == [names[at - 1] if at else None, names[at + 1] if at + 1 < len(names) else None]
    page = (tmp_path / "out" / "index.html").read_text()
    assert f'href="matches/{ids[0]}-{ids[1]}.html#leg=1"' in page
    assert f'href="matches/{ids[0]}-{ids[1]}.html#leg=2"' in page
    assert [spec.match_id for spec, _ in legs_of(ids[1], shown.matches(), 2)] == ids[:2]
    assert [spec.match_id for spec, _ in legs_of(ids[1], shown.matches(), 1)] == ids[1:2]


@pytest.mark.parametrize("stages", [(StageConfig("all", "round_robin", rounds=2),), STAGES], ids=len)
def test_the_forecast_is_the_number_of_matches(stages):
    opened = in_memory(10, *stages)
    before = expected_matches(opened.state)
    assert before == len(play(opened, favourite)) == expected_matches(opened.state)


def test_no_forecast_for_what_runs_on_and_an_early_end_for_what_is_long(monkeypatch):
    assert expected_matches(in_memory(4, StageConfig("ladder", "ladder")).state) is None
    monkeypatch.setattr("arena.contests.report.forecast._MOST", 7)
    assert expected_matches(in_memory(10, StageConfig("all", "round_robin")).state) == 10, "a whole round"


def crashing(spec):
    endings = ["crashed" if name == "bot002" else "won" for name in spec.names]
    return result_of(int(endings[0] == "crashed"), endings) if "crashed" in endings else result_of(0)


@pytest.mark.parametrize("order", [None, 1, 2, 3])
def test_the_forecast_leaves_out_what_a_suspension_decides(order):
    opened = in_memory(4, StageConfig("all", "round_robin"), suspend_after=1)
    tally, left = ProgressObserver(), []
    tally.resumed(opened.state)
    assert expected_matches(opened.state) == tally.expected == 12

    def then(opened):
        newest = next(iter(opened.state.played.newest()))
        tally.finished(newest.spec, newest.result, opened.state)
        [run] = opened.state.stages.values()
        left.append((expected_matches(opened.state) - len(run.results), len(list(run.waiting()))))

    found = play(opened, crashing, random.Random(order) if order else None, then=then)
    [run] = opened.state.stages.values()
    assert "bot002" in run.suspended
    assert left[-1] == (0, 0)
    assert len(run.results) == expected_matches(opened.state)
    assert order or len(found) == tally.expected == 7
    assert not order or tally.expected >= 7


def test_a_played_match_that_a_suspension_decides_is_named():
    """The match was being played when crashes that are earlier in the schedule suspended its bot."""
    opened = in_memory(4, StageConfig("all", "round_robin"), suspend_after=1)
    scheduled = begin(opened)
    first = next(spec for spec in scheduled if "bot002" in spec.names)
    for spec in [*(spec for spec in scheduled if spec is not first), first]:
        opened.commit(spec, crashing(spec) if spec is first else result_of(0))
    shown = VisibleContest.of(opened.state, everything=True)
    late = shown.uncounted
    assert len(late) > 1
    assert len(shown.matches()) + len(late) == len(opened.state.played)
    note = f"{len(late)} played matches do not count"
    assert any(one.startswith(note) for one in final_lines(shown))
    assert any(one.startswith(note) and late[0] in one for one in listings.behaviour(shown).notes)


def test_matches_that_wait_for_an_earlier_one_are_named():
    """A contest has stopped: the first match cannot be played, since a limit of costs is reached."""
    opened = in_memory(4, StageConfig("all", "round_robin", games=1))
    first, *others = begin(opened)
    for spec in others:
        opened.commit(spec, result_of(0))
    shown = VisibleContest.of(opened.state, everything=True)
    [run] = shown.stages.values()
    note = "5 played matches count later, in the order of the schedule. This one has no result yet: All, round 1: "
    for said in (listings.standings(shown, run).notes, listings.behaviour(shown).notes, final_lines(shown)):
        assert [line for line in said if line.startswith(note)] == [f"{note}{' – '.join(first.names)}."]
    assert sum(map(int, cells(listings.behaviour(shown), "Matches"))) == 2 * len(others), "they have costs already"
    opened.commit(first, result_of(0))
    assert not any("later" in line for line in final_lines(VisibleContest.of(opened.state, everything=True)))


def test_a_winner_with_equal_scores_has_the_reason():
    shown = shown_of(2, StageConfig("one", "round_robin"), result=lambda _: result_of(0, scores=(3.0, 3.0)))
    results = cells(matches_of(shown), "Result")
    assert all(one.endswith(" (toy)") for one in results), results


def test_the_name_of_the_machine_is_for_the_organizer_only():
    shown = shown_of(2, StageConfig("one", "round_robin"), result=lambda _: replace(result_of(0), host="olgas-laptop"))
    assert "olgas-laptop" not in json.dumps(documents_of(tables_of(shown)))
    assert {match["host"] for match in match_documents(shown)} == {"olgas-laptop"}


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
    first = expected_matches(in_memory(size, stage).state)
    for seed in range(2):
        opened, forecasts = in_memory(size, stage), [first]
        found = play(
            opened, lambda spec, seed=seed: by_strength(spec, 0.3, seed),
            then=lambda opened, seen=forecasts: seen.append(expected_matches(opened.state)),
        )  # fmt: skip
        assert min(forecasts) == first
        assert forecasts == sorted(forecasts) or stage.format == "double_elimination"
        assert first <= len(found) == forecasts[-1]
    opened = in_memory(size, stage)
    assert len(play(opened, favourite)) == first == expected_matches(opened.state)
