"""Maps made from nothing in a real browser: drawn, checked, saved, played."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from shortened import shortened

from arena.game import registry
from arena.sdk.maps import editable
from arena.web.local_pages import LocalPages
from arena.web.rulebook import rules_file
from arena.web.server import Server
from arena_replays import Reader

View = Callable[..., Any]


class Drawing:
    """Clicks on an editor's board and its buttons.

    Args:
        view: The page.
    """

    def __init__(self, view: Any) -> None:
        self.view = view
        self.page = view.page

    def place(self, x: int, y: int) -> tuple[float, float]:
        box = self.page.locator("canvas.map-board").bounding_box()
        self.view.settle()
        middle = self.view.do(f"arena.stage.middle({{x: {x}, y: {y}}})")
        return box["x"] + middle[0], box["y"] + middle[1]

    def click(self, *cells: tuple[int, int], button: str = "left") -> None:
        for cell in cells:
            self.page.mouse.click(*self.place(*cell), button=button)

    def drag(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        self.page.mouse.move(*self.place(*start))
        self.page.mouse.down()
        self.page.mouse.move(*self.place(*end), steps=6)
        self.page.mouse.up()

    def brush(self, title: str) -> None:
        self.page.click(f'.brush[data-id="brush-{title}"]')

    def tool(self, name: str) -> None:
        self.page.click(f'.tool[data-id="tool-{name}"]')

    def chosen(self, name: str, title: str) -> None:
        """Clicks one of the choices for what comes next."""
        self.page.click(f'[data-id="{name}-{title}"]')

    def fill(self, field: str, text: str) -> None:
        self.page.fill(f"#field-{field}", text)
        self.page.locator(f"#field-{field}").blur()

    def tab(self, name: str) -> None:
        self.page.click(f"#tab-{name}")

    @property
    def document(self) -> Any:
        return self.view.do("arena.editor.document")

    def codes(self) -> list[str]:
        """The codes of all problems, after the check of what there is now."""
        # The page's own check of a change may run at the same time, and then only the later one counts.
        newest = "(async (next) => (await arena.check(), arena.checks === next))(arena.checks + 1)"
        while not self.view.do(newest):
            pass
        return sorted(self.view.do("arena.editor.problems.map((one) => one.code)"))

    def play(self) -> None:
        """Plays at once and waits until the viewer in the page shows the match."""
        self.page.click("#play")
        self.page.click("dialog.playing[open] .primary")
        frame = self.page.frame_locator("dialog.watching iframe")
        frame.locator("html[data-ready=true]").wait_for(timeout=120_000)
        frame.locator("canvas.board").wait_for()


@pytest.fixture
def local(tmp_path: Path) -> LocalPages:
    return LocalPages(tmp_path, tmp_path / "replays")


@pytest.fixture
def server(local: LocalPages) -> Iterator[Server]:
    server = Server(local.application())
    server.start()
    yield server
    server.stop()


@pytest.fixture
def draw(server: Server, viewer: View) -> Callable[..., Drawing]:
    """Opens an editor."""

    def start(where: str, **look: Any) -> Drawing:
        return Drawing(viewer(**look).open(f"{server.url}edit/{where}"))

    return start


def test_a_laser_flag_map_from_nothing(draw: Callable[..., Drawing], local: LocalPages, tmp_path: Path) -> None:
    drawing = draw("laser_flag")
    drawing.tool("erase")
    drawing.click((5, 0), (5, 10))
    assert drawing.codes() == ["team_empty"]
    drawing.page.select_option("#symmetry", "rotate")
    drawing.brush("Wall")
    drawing.drag((3, 4), (7, 4))
    drawing.brush("Cover")
    drawing.click((1, 3), (9, 3))
    drawing.brush("Base")
    drawing.chosen("owner", "Player 1")
    drawing.click((0, 0))
    for name, cell in (("Grunt", (2, 1)), ("Scout", (5, 1)), ("Sniper", (8, 1))):
        drawing.brush(name)
        drawing.click(cell)
    drawing.fill("name", "Twins <b>of</b> mine")
    drawing.fill("target_score-0", "3")
    drawing.fill("target_score-1", "3")
    drawing.fill("turn_limit", "4")
    drawing.page.click("text=Rule modifications")
    drawing.page.select_option("#field-rules-fog_of_war", "true")
    document = drawing.document
    assert document["tiles"][4] == "...#####..." == document["tiles"][6]
    assert document["bases"] == [{"owner": 0, "x": 0, "y": 0}, {"owner": 1, "x": 10, "y": 10}]
    assert [unit["player"] for unit in document["units"]] == [0, 1] * 3
    assert document["target_score"] == [3, 3]
    assert document["rules"] == {"fog_of_war": True}
    assert drawing.codes() == []
    drawing.page.click("#save")
    assert drawing.page.input_value("#file-name") == "twins_b_of_b_mine.json"
    drawing.page.click("#save-now")
    drawing.page.wait_for_selector("text=saved to twins_b_of_b_mine.json")
    saved = json.loads((tmp_path / "twins_b_of_b_mine.json").read_text())
    assert saved == document
    assert registry.load("laser_flag").load_map(str(tmp_path / "twins_b_of_b_mine.json")) == document
    drawing.view.shot("editor-laser_flag-built")
    drawing.play()
    drawing.view.shot("editor-laser_flag-played")
    replay = Reader(local.viewing.paths[-1])
    assert replay.header["options"]["map"] == document
    assert replay.outcome["reason"] in ("turn_limit", "score", "checkmate")


@pytest.mark.kill  # the map of Laser Flag is made in the same way
def test_a_derelict_mission_from_nothing(draw: Callable[..., Drawing], local: LocalPages, tmp_path: Path) -> None:
    drawing = draw("derelict", dark=False)
    drawing.tool("erase")
    drawing.click((1, 5), (15, 5))
    drawing.drag((1, 5), (15, 5))
    assert drawing.document["rows"] == ["#" * 17] * 11
    drawing.page.select_option("#field-ruleset", '"full"')
    drawing.brush("Corridor")
    drawing.tool("rectangle")
    drawing.drag((1, 4), (4, 6))
    drawing.drag((12, 4), (15, 6))
    drawing.tool("pencil")
    drawing.drag((5, 5), (11, 5))
    drawing.brush("Closed door")
    drawing.click((8, 5))
    drawing.brush("Section")
    drawing.tool("rectangle")
    drawing.drag((12, 4), (15, 6))
    drawing.tool("pencil")
    drawing.brush("Start cell")
    drawing.click((4, 4), (4, 6))
    drawing.brush("Drop cell")
    drawing.click((2, 8), (3, 8))
    drawing.brush("Sergeant")
    drawing.click((2, 8))
    drawing.brush("Flamer")
    drawing.click((3, 8))
    drawing.brush("Marine")
    drawing.page.keyboard.press("r")
    drawing.click((2, 5))
    drawing.brush("Blip of 2")
    drawing.chosen("facing", "South")
    drawing.click((13, 4))
    drawing.brush("Lurk cell")
    drawing.click((14, 1))
    assert "lurk_without_entry" in drawing.codes()
    drawing.brush("Entry cell")
    drawing.click((14, 4))
    drawing.brush("Objective")
    drawing.click((15, 6))
    drawing.fill("name", "small_nest")
    drawing.fill("title", "Small Nest")
    drawing.fill("turn_limit", "3")
    drawing.fill("reinforcements-first", "1")
    document = drawing.document
    assert document["rows"][5] == "#...............#"
    assert document["sections"][4] == "............AAAA."
    assert document["doors"] == [{"open": False, "x": 8, "y": 5}]
    assert document["marines"][-1] == {"type": "marine", "facing": "South", "x": 2, "y": 5}
    assert document["aliens"] == [{"type": "blip_2", "facing": "South", "x": 13, "y": 4}]
    assert document["lurk_cells"] == [[14, 1]]
    assert document["reinforcements"] == {"first": 1}
    assert drawing.codes() == []
    drawing.page.keyboard.press("Control+s")
    drawing.page.click("#save-now")
    drawing.page.wait_for_selector("text=saved to small_nest.json")
    assert json.loads((tmp_path / "small_nest.json").read_text()) == document
    drawing.view.shot("editor-derelict-built")
    drawing.play()
    drawing.view.shot("editor-derelict-played")
    assert Reader(local.viewing.paths[-1]).header["options"]["mission"] == document


def test_strokes_can_be_undone_and_done_again(draw: Callable[..., Drawing]) -> None:
    drawing = draw("laser_flag")
    first = drawing.document
    drawing.page.keyboard.press("2")
    drawing.drag((2, 2), (8, 2))
    drawn = drawing.document
    assert drawn["tiles"][2] == "..#######.."
    drawing.page.keyboard.press("3")
    drawing.click((4, 4))
    last = drawing.document
    drawing.page.keyboard.press("Control+z")
    assert drawing.document == drawn
    drawing.page.click("#undo")
    assert drawing.document == first
    assert drawing.page.is_disabled("#undo")
    drawing.page.keyboard.press("Control+y")
    drawing.page.keyboard.press("Control+Shift+z")
    assert drawing.document == last
    drawing.page.keyboard.press("Control+z")
    drawing.click((0, 0))
    assert drawing.page.is_disabled("#redo")


def test_problems_are_shown_where_they_are(draw: Callable[..., Drawing]) -> None:
    drawing = draw("laser_flag?map=crossroads")
    bar, panel = (drawing.page.locator(name).first.bounding_box() for name in (".side .tabs", ".side"))
    assert bar["height"] < 60 < 300 < panel["height"], "the bar of tabs leaves the panel to what is chosen"
    assert drawing.codes() == []
    drawing.brush("Wall")
    drawing.click((2, 0))
    assert drawing.codes() == ["unit_on_wall"]
    drawing.fill("turn_limit", "900")
    assert drawing.codes() == ["turn_limit_invalid", "unit_on_wall"]
    assert drawing.page.inner_text(".state").startswith("2 problems")
    drawing.tab("problems")
    drawing.view.shot("editor-problems")
    drawing.page.click('[data-code="unit_on_wall"]')
    assert drawing.view.do("arena.editor.cursor") == {"x": 2, "y": 0}
    assert "2, 0: Wall, Scout" in drawing.page.inner_text(".words")
    drawing.page.click('[data-code="turn_limit_invalid"]')
    assert drawing.view.do("document.activeElement.id") == "field-turn_limit"
    drawing.page.click("#play")
    assert drawing.page.is_disabled("dialog.playing .primary")


def test_things_can_be_selected_moved_turned_and_removed(draw: Callable[..., Drawing]) -> None:
    drawing = draw("derelict?map=airlock")
    drawing.tool("select")
    drawing.drag((2, 2), (3, 3))
    assert drawing.document["marines"][0] == {"type": "marine", "x": 3, "y": 3, "facing": "East"}
    drawing.page.keyboard.press("r")
    drawing.chosen("overwatch", "Yes")
    assert drawing.document["marines"][0] == {"type": "marine", "x": 3, "y": 3, "facing": "South", "overwatch": True}
    drawing.chosen("overwatch", "No")
    assert "overwatch" not in drawing.document["marines"][0]
    drawing.page.keyboard.press("Control+z")
    assert drawing.document["marines"][0]["overwatch"] is True
    drawing.click((3, 3))
    drawing.page.keyboard.press("Delete")
    assert len(drawing.document["marines"]) == 1
    drawing.click((8, 2), button="right")
    assert [alien["type"] for alien in drawing.document["aliens"]] == ["alien"]
    assert drawing.view.do("arena.editor.tool") == "select"


def test_a_keyboard_is_enough(draw: Callable[..., Drawing]) -> None:
    drawing = draw("laser_flag")
    drawing.page.focus("canvas.map-board")
    for key in ("2", "ArrowUp", "ArrowUp", "Space", "ArrowLeft", "Enter", "ArrowLeft", "6", "t", "Space"):
        drawing.page.keyboard.press(key)
    document = drawing.document
    assert document["tiles"][4] == "....##....."
    assert document["units"][-1] == {"player": 1, "class": "grunt", "x": 3, "y": 4}
    drawing.page.keyboard.press("Delete")
    assert len(drawing.document["units"]) == 2


def test_whole_maps_are_turned_flipped_and_completed(draw: Callable[..., Drawing]) -> None:
    drawing = draw("laser_flag?map=relay")
    first = drawing.document
    drawing.tab("board")
    for _ in range(4):
        drawing.page.click("text=Turn right")
    assert drawing.document == first
    drawing.page.click("text=Turn right")
    turned = drawing.document
    assert turned["tiles"] == ["".join(column) for column in zip(*reversed(first["tiles"]), strict=True)]
    drawing.page.keyboard.press("Control+z")
    drawing.page.click("text=By half a turn")
    tiles = drawing.document["tiles"]
    assert [row[::-1] for row in reversed(tiles)] == tiles
    sides = {(unit["player"], unit["class"], unit["x"], unit["y"]) for unit in drawing.document["units"]}
    assert {(1 - player, name, 18 - x, 10 - y) for player, name, x, y in sides} == sides
    drawing.page.fill("#size-width", "12")
    drawing.page.locator("#size-width").blur()
    assert {len(row) for row in drawing.document["tiles"]} == {12}


@pytest.mark.parametrize("button", shortened(["By half a turn", "Left – right", "Top – bottom"]))
def test_a_completed_map_has_the_letters_of_its_first_part(draw: Callable[..., Drawing], button: str) -> None:
    drawing = draw("derelict?map=crossways")
    drawing.tab("board")
    drawing.page.locator(f'button:text-is("{button}")').last.click()
    rows, sections = drawing.document["rows"], drawing.document["sections"]
    for layer in (rows, sections):
        sides = layer if button == "Top – bottom" else [row[::-1] for row in layer]
        assert (sides if button == "Left – right" else sides[::-1]) == layer
    assert any(letter.isalnum() for row in sections for letter in row)


def test_it_works_by_touch_on_a_small_screen(draw: Callable[..., Drawing]) -> None:
    drawing = draw("laser_flag", width=390, height=844, has_touch=True, is_mobile=True, dark=False)
    drawing.page.tap('.brush[data-id="brush-Wall"]')
    drawing.page.locator("canvas.map-board").scroll_into_view_if_needed()
    drawing.page.touchscreen.tap(*drawing.place(4, 4))
    assert drawing.document["tiles"][4][4] == "#"
    assert drawing.view.do("document.documentElement.scrollWidth") <= 390
    drawing.view.shot("editor-390x844-light")


@pytest.mark.parametrize(("where", "dark"), [("laser_flag?map=granary", True), ("derelict?map=long_dark", False)])
def test_pictures(
    draw: Callable[..., Drawing], where: str, dark: bool, assert_accessible: Callable[[Any], None]
) -> None:
    drawing = draw(where, dark=dark)
    drawing.codes()
    drawing.view.shot(f"editor-{where.partition('=')[2]}-{'dark' if dark else 'light'}")
    assert_accessible(drawing.page)


def test_hostile_files_are_only_text(draw: Callable[..., Drawing], local: LocalPages, tmp_path: Path) -> None:
    script = "<img src=x onerror=\"document.title='taken'\"></script><script>document.title='taken'</script>"
    hostile = {
        "name": script,
        "title": [script],
        "tiles": ["." * 11, "x<" * 9, ""],
        "units": [None, 7, {"x": 1, "y": 0, "class": script, "player": {}}, {"x": 1e9, "y": -3}],
        "bases": {script: script},
        "target_score": script,
        "rules": {"classes": [script], "__proto__": 3, script: script},
        "teams": script,
    }
    target = tmp_path / "hostile.json"
    target.write_text(json.dumps({**hostile, "tiles": ["." * 11, "x<" * 9]}))
    local.editing.open(
        "laser_flag", editable(registry.load("laser_flag"), json.loads(target.read_text()), "it"), target
    )
    drawing = draw("laser_flag")
    assert "tiles_ragged" in drawing.codes()
    for tab in ("problems", "file", "board", "fields"):
        drawing.tab(tab)
    drawing.brush("Grunt")
    drawing.click((3, 0))
    assert drawing.view.do("document.title") == "Laser Flag: map"
    assert drawing.page.inner_text(".crumbs h1").startswith("<img")


@pytest.mark.kill  # other tests open each page
def test_the_start_page_leads_everywhere(
    server: Server, viewer: View, tmp_path: Path, match: Path, assert_accessible: Callable[[Any], None]
) -> None:
    (tmp_path / "replays").mkdir()
    (tmp_path / "replays" / "a match.arena").write_bytes(match.read_bytes())
    (tmp_path / "replays" / "none.arena").write_bytes(b"no replay")
    view = viewer().open(server.url)
    assert view.page.locator(".game h3").all_inner_texts() == ["Saloon", "Derelict", "Laser Flag", "Snakes"]
    assert view.page.locator("#game-laser_flag .map canvas").count() == 6
    assert view.page.locator(".replay").count() == 1
    view.shot("start-1440x900-dark")
    assert_accessible(view.page)
    view.page.click(".replay")
    view.page.wait_for_selector("html[data-ready=true]")
    assert view.page.inner_text("h1") == "Saloon"
    view.page.goto(server.url)
    view.page.click("#game-laser_flag >> text=Citadel")
    view.page.wait_for_selector("html[data-ready=true]")
    assert view.page.inner_text(".crumbs h1") == "Citadel"
    for game in registry.names():
        view.page.goto(f"{server.url}rules/{game}")
        actions = sum(len(one["actions"]) for one in registry.load(game).schema()["classes"].values())
        assert view.page.locator("article.action").count() == actions
        view.page.wait_for_selector("html[data-ready=true]")
        assert view.page.locator("canvas[data-still]").count() >= 20
        assert view.page.locator("canvas[data-still]:not([data-drawn])").count() == 0
    view.shot("rules-dark")
    assert_accessible(view.page)
    light = viewer(390, 844, dark=False).open(server.url)
    light.shot("start-390x844-light")
    assert_accessible(light.page)


@pytest.mark.parametrize("width", shortened([390, 1280, 2560]))
def test_the_rules_as_a_file_have_pictures(viewer: View, tmp_path: Path, width: int, assert_accessible: Any) -> None:
    """The game's renderer draws every position, light and dark, without a network and without moving the page."""
    for game in registry.names():
        path = tmp_path / f"{game}.html"
        path.write_text(rules_file(registry.load(game))[0])
        view = viewer(width, 800)
        view.page.goto(path.as_uri())
        view.page.wait_for_selector("html[data-ready=true]")
        assert view.page.locator("canvas[data-still]:not([data-drawn])").count() == 0
        assert view.page.locator("canvas[data-failed]").count() == 0
        pixels = "one.getContext('2d').getImageData(0, 0, one.width, one.height).data"
        drawn = f"[...document.querySelectorAll('canvas')].every((one) => {pixels}.some(Boolean))"
        assert view.page.evaluate(drawn)
        assert view.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        if width == 1280:
            assert_accessible(view.page)
