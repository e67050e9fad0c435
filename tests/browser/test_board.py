"""Zoom and pan of the board, and what rows and the board show of each other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

View = Callable[..., Any]

AT = "[arena.board.zoom.scale, arena.board.zoom.x, arena.board.zoom.y]"
PINCH = """(() => {
  const { canvas } = arena.board;
  const box = canvas.getBoundingClientRect();
  const send = (type, pointerId, x) => canvas.dispatchEvent(new PointerEvent(type, {
    pointerId, pointerType: "touch", clientX: box.left + x, clientY: box.top + 200, bubbles: true }));
  send("pointerdown", 1, 200); send("pointerdown", 2, 300);
  send("pointermove", 2, 400);
  send("pointerup", 1, 200); send("pointerup", 2, 400);
})()"""


def test_the_board_zooms_by_wheel_keys_and_fingers_and_what_is_under_the_pointer_stays_there(
    viewer: View, serve: Callable[..., str], match: Path
) -> None:
    view = viewer().open(serve(match) + "#t=41")
    view.settle()
    thing = view.do("[...arena.position.state.values()].find((one) => one.class === 'Cowboy').id")
    x, y = view.do(f"((one) => [one.x, one.y])(arena.position.state.get({thing!r}))")
    px, py = view.place(x, y)
    view.page.mouse.move(px, py)
    view.page.mouse.wheel(0, -400)
    view.settle()
    assert view.do("arena.board.zoom.scale") > 1.5
    assert view.page.locator(".whole").is_visible()
    view.page.mouse.click(px, py)
    assert view.do("arena.position.selected") == thing, "it did not move from under the pointer"
    before = view.do(AT)
    view.page.mouse.down()
    view.page.mouse.move(px - 120, py - 80, steps=4)
    view.page.mouse.up()
    assert view.do(AT) != before, "dragging pans"
    assert view.do("arena.position.selected") == thing, "the end of a drag is no click"
    view.page.keyboard.press("Escape")
    assert view.do(AT) == [1, 0, 0]
    assert view.page.locator(".whole").is_hidden()
    whole = view.picture()
    view.page.keyboard.press("z")
    assert view.picture() != whole
    before = view.do(AT)
    view.page.keyboard.press("Shift+ArrowRight")
    assert view.do("arena.board.zoom.x") == before[1] - 60
    view.page.keyboard.press("Shift+Z")
    assert view.do("arena.board.zoom.scale") == 1
    assert view.picture() == whole
    view.do(PINCH)
    assert abs(view.do("arena.board.zoom.scale") - 2) < 0.01
    assert view.do("arena.board.failure") == ""


def test_a_row_frames_what_it_is_about_and_the_board_marks_its_rows(
    viewer: View, serve: Callable[..., str], match: Path
) -> None:
    view = viewer().open(serve(match) + "#t=41")
    view.settle()
    plain = view.picture()
    row = view.page.locator("#panel-turn .row.action[data-means]").first
    row.hover()
    meant = view.do("arena.board.meant")
    assert meant["ids"] or meant["tiles"]
    assert view.picture() != plain
    view.page.mouse.move(300, 5)
    assert view.picture() == plain
    row.locator("button").focus()
    assert view.do("arena.board.meant") == meant
    shown = view.do(
        "[...document.querySelectorAll('#panel-turn [data-means]')]"
        ".flatMap((row) => JSON.parse(row.dataset.means).ids)"
        ".map((id) => arena.position.state.get(id)).find((one) => typeof one?.x === 'number')"
    )
    view.page.mouse.move(*view.place(shown["x"], shown["y"]))
    view.until("document.querySelectorAll('#panel-turn .row.meant').length > 0")
