"""The viewer shows the worked games without a line of their own: a common score, and orders for many units."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Annotated, Any

import pytest

from arena.game import Array, GameSpec, Outcome, State, action, field, sample
from arena.play.memory import MatchInMemory

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
View = Callable[..., Any]


@pytest.fixture(autouse=True)
def _examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(EXAMPLES)


def play(game: Any, players: int, path: Path, **options: Any) -> MatchInMemory:
    rng = Random(3)
    match = MatchInMemory(game, [None] * players, seed=1, options=options, replay=path)
    while not match.over:
        assert match.player is not None
        match.act(match.player, sample(match.legal_actions(match.player), rng))
    return match


def test_the_common_score_is_the_headline(viewer: View, exported: View, tmp_path: Path) -> None:
    import lanterns_game

    match = play(lanterns_game.spec(), 3, tmp_path / "lanterns.arena")
    assert match.outcome is not None
    view = viewer().open(exported(tmp_path / "lanterns.arena", None))
    page = view.page
    page.keyboard.press("End")
    view.until("document.querySelector('.score:last-child').innerText !== 'Together'")
    assert page.get_by_text(f"Together {match.outcome.common:g}").count() >= 1
    assert page.get_by_text("A draw").count() == 0
    assert page.inner_text(".score:last-child") == f"Together\n{match.outcome.common:g}"
    page.keyboard.press("Home")
    view.until("document.querySelector('.score:last-child').innerText === 'Together'")


def test_players_who_are_out_are_named(viewer: View, exported: View, tmp_path: Path) -> None:
    import masks_game

    match = play(masks_game.spec(), 4, tmp_path / "masks.arena")
    out = set(match.state.out())
    assert out
    page = viewer().open(exported(tmp_path / "masks.arena", None)).page
    assert page.locator(".score .out").count() == 0
    page.keyboard.press("End")
    page.wait_for_selector(".score .out")
    shown = page.evaluate("[...document.querySelectorAll('.score')].map((one) => one.innerText.includes('out'))")
    assert {at for at, is_out in enumerate(shown) if is_out} == out
    marks = page.evaluate("arena.timeline.marks.filter(({ label }) => label === 'out').map(({ player }) => player)")
    assert set(marks) == out


class Heights(State):
    """A hill, which is an array of the board's size, and an action whose name is no verb."""

    classes: Any = ()
    grid = ("width", "height")

    width: int = field("Columns.", 6)
    height: int = field("Rows.", 4)
    moves: int = field("Actions so far.", 0)
    hill: Annotated[bytes, Array("uint16", ("height", "width"))] = field("Heights.", bytes(48))

    def setup(self) -> None:
        """All is flat."""

    @action
    def orders(self) -> None:
        """Raise the ground."""
        heights = list(struct.unpack("<24H", self.hill))
        heights[self.moves] += 100
        self.hill = struct.pack("<24H", *heights)
        self.moves += 1

    def to_move(self) -> tuple[int, ...]:
        return () if self.moves == 4 else (self.moves % 2,)

    def turn_number(self) -> int:
        return self.moves

    def legal_actions(self, player: int | None = None) -> list[dict[str, Any]]:
        return [{"type": "orders"}] if player in (None, *self.to_move()) and self.to_move() else []

    def outcome(self) -> Outcome | None:
        return None if self.to_move() else Outcome(None, "over")

    def to_document(self) -> dict[str, Any]:
        return {"moves": self.moves, "hill": self.hill.hex()}


def test_an_array_of_the_size_of_the_board_is_a_layer(viewer: View, exported: View, tmp_path: Path) -> None:
    spec = GameSpec(name="heights", title="Heights", version="1", state=Heights)
    play(spec, 2, tmp_path / "heights.arena")
    view = viewer().open(exported(tmp_path / "heights.arena", None))
    view.page.keyboard.press("End")
    view.settle()
    colours = view.do("""(() => {
        const { canvas } = arena.board;
        const { width, height } = canvas;
        const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
        return [[1, 0], [4, 2]].map(([x, y]) => {
            const [px, py] = arena.board.renderer.place(x + 0.5, y + 0.5).map((at) => at * width / canvas.clientWidth);
            const at = 4 * (Math.round(py) * width + Math.round(px));
            return [...data.slice(at, at + 3)];
        });
    })()""")
    assert colours[0] != colours[1], "raised ground has another colour"
    assert view.page.get_by_text("Orders", exact=True).count() >= 1
    assert view.page.get_by_text("Orderses").count() == 0


def test_orders_are_counted_and_listed(viewer: View, exported: View, tmp_path: Path) -> None:
    import frontier_game

    play(frontier_game.spec(), 2, tmp_path / "frontier.arena", units=40, size=20, turns=6)
    page = viewer().open(exported(tmp_path / "frontier.arena", None)).page
    page.keyboard.press("End")
    words = re.compile(r"Marches \d+ orders: Unit u1_\d+ \w+; Unit u1_\d+ \w+; Unit u1_\d+ \w+; …")
    page.get_by_text(words).first.wait_for()
