"""Games without a board, and turns in which several players move, in a real browser."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from shortened import shortened

from arena_replays import Writer

View = Callable[..., Any]
NAMES = ["Ada", "Bob", "Cleo", "Dmitri", "Eve", "Fox", "Grace", "Heidi"]
SCHEMA = {
    "game": "bids",
    "root": "Bids",
    "grid": None,
    "classes": {
        "Bids": {
            "placed": False,
            "fields": {
                "round": {"type": "int", "doc": "Rounds played."},
                "leader": {"type": "int?", "doc": "Who is ahead."},
                "wins": {"type": "[int]", "doc": "Rounds won by each player."},
                "pile": {"type": "[str]", "doc": "Cards to be won."},
                "bidders": {"type": "[Bidder]", "doc": "All players."},
            },
            "actions": {},
        },
        "Bidder": {
            "placed": False,
            "fields": {"index": {"type": "int", "doc": "The player."}, "coins": {"type": "int", "doc": "Coins."}},
            "actions": {},
        },
    },
}


def bids(path: Path, players: int) -> Path:
    """Two rounds in which all bid at once; in each, the first player pays 3 coins and wins a card."""
    header = {"title": "Bids", "schema": SCHEMA, "players": [{"name": name} for name in NAMES[:players]], "streams": 1}
    ids = [f"b{at}" for at in range(players)]
    view: list[Any] = ["game", "+", "Bids", "game", "round", 0, "game", "leader", None, "game", "wins", [0] * players]
    view += ["game", "pile", ["king", "queen"], "game", "bidders", ids]
    for at, id_ in enumerate(ids):
        view += [id_, "+", "Bidder", id_, "index", at, id_, "coins", 20]
    writer = Writer(path, header)
    writer.setup([], [view])
    for number in range(2):
        for at in range(players):
            delta: list[Any] = []
            if at == players - 1:
                won = [number + 1] + [0] * (players - 1)
                delta = ["game", "round", number + 1, "game", "leader", 0, "game", "wins", won, "b0", "coins"]
                delta += [17 - 3 * number, "game", "pile", ["queen"][number:]]
            writer.do(at, {"type": "bid", "bidder": ids[at]}, [], [delta], [[]])
        for at in range(players):
            writer.turn(number, at, 1000 * (at + 1), None, None, b"12345678")
    teams = [[at for at in range(players) if at % 2 == side] for side in (0, 1)]
    ranks = [1 + at % 2 for at in range(players)]
    payoffs = [3.5 if at % 2 == 0 else -3.5 for at in range(players)]
    outcome = {"winner": None, "reason": "rounds_played", "ranks": ranks, "teams": teams, "payoffs": payoffs}
    places = ["1st of 2", "2nd of 2"]
    ends = [{"ending": ["won", "lost"][at % 2], "score": 1.0, "place": places[at % 2]} for at in range(players)]
    writer.finish({"outcome": outcome, "players": ends})
    return path


@pytest.mark.parametrize(
    ("players", "width", "height", "dark"),
    shortened([(8, 390, 844, False), (4, 1280, 800, True), (2, 390, 844, False), (8, 3840, 2160, False)], 2),
)
def test_each_player_has_a_card(
    viewer: View, exported: Callable[..., str], tmp_path: Path, players: int, width: int, height: int, dark: bool
) -> None:
    view = viewer(width, height, dark=dark).open(exported(bids(tmp_path / "bids.arena", players), None))
    view.do("arena.position.seekTurn(0)")
    view.settle()
    assert view.do("arena.board.failure") == ""
    words = view.words()
    for name in NAMES[:players]:
        assert name in words, "the name is on the card, not cut off"
    assert words.count("wins") == players
    assert "bidders" not in words, "they have cards of their own"
    assert words[words.index("leader") + 1] == "Ada", "a number that means a player is shown by name"
    assert "−3" in words
    assert "queen" in words
    assert "king" not in words
    view.shot(f"cards-{players}-{width}")
    if width == 1280:
        assert view.impure() == []


def test_the_object_of_a_player_has_the_players_name(
    viewer: View, exported: Callable[..., str], tmp_path: Path
) -> None:
    suspect = {"name": "suspect", "type": "Spy", "keys": ["suspect"], "doc": ""}
    accuse = {"doc": "", "receiver": "spy", "parameters": [suspect], "returns": None}
    fields = {"index": {"type": "int", "doc": ""}, "coins": {"type": "int", "doc": ""}}
    table = {"leader": {"type": "Spy", "doc": "Who leads."}, "team": {"type": "[Spy]", "doc": "On the mission."}}
    classes = {
        "Table": {"placed": False, "fields": table, "actions": {}},
        "Spy": {"placed": False, "fields": fields, "actions": {"accuse": accuse}},
    }
    schema = {"game": "spies", "root": "Table", "grid": None, "classes": classes}
    names = [{"name": name} for name in NAMES[:3]]
    writer = Writer(tmp_path / "spies.arena", {"title": "Spies", "schema": schema, "players": names, "streams": 1})
    objects: list[Any] = ["game", "+", "Table", "game", "leader", "s1", "game", "team", ["s0", "s2"]]
    for at in range(3):
        objects += [f"s{at}", "+", "Spy", f"s{at}", "index", at, f"s{at}", "coins", 20]
    writer.setup([], [objects])
    event = {"kind": "accused", "suspect": "s1"}
    writer.do(0, {"type": "accuse", "spy": "s0", "suspect": "s1"}, [], [[]], [[event]])
    writer.turn(0, 0, 5, None, None, b"12345678")
    writer.finish({})
    view = viewer().open(exported(tmp_path / "spies.arena", None))
    words = view.words()
    assert words[words.index("leader") + 1] == "Bob"
    assert "Cleo" in words[words.index("team") :]
    view.do("arena.position.seek(1)")
    view.settle()
    told = view.page.inner_text("#panel-turn")
    assert "Ada accuses Bob" in told
    assert "accused: suspect Bob" in told


def test_what_has_changed_since_the_turn_before_is_marked(
    viewer: View, exported: Callable[..., str], tmp_path: Path
) -> None:
    view = viewer().open(exported(bids(tmp_path / "bids.arena", 4), None))
    view.do("arena.position.seekTurn(0)")
    view.settle()
    script = """(() => {
      const words = [], g = arena.board.canvas.getContext("2d");
      const { fillText } = CanvasRenderingContext2D.prototype;
      g.fillText = function (word, ...rest) { words.push(word); fillText.call(this, word, ...rest) };
      arena.dirty = true; arena.tick(0); delete g.fillText; return words; })()"""
    assert "−3" in view.do(script)
    view.do("arena.position.seek(6)")
    assert "−3" not in view.do(script), "in the middle of the next turn nothing has changed yet"
    picked = "arena.board.renderer.pick(arena.board.width / 2, -9)"
    assert view.do(picked) is None
    found = view.do(
        """(() => { const ids = new Set();
          for (let x = 0; x < arena.board.width; x += 9) for (let y = 0; y < arena.board.height; y += 9)
            ids.add(arena.board.renderer.pick(x, y)); return [...ids]; })()"""
    )
    assert {"game", "b0", "b1", "b2", "b3"} <= set(found)


def test_a_turn_of_several_players_is_one_turn(viewer: View, exported: Callable[..., str], tmp_path: Path) -> None:
    view = viewer().open(exported(bids(tmp_path / "bids.arena", 4), None))
    assert view.do("arena.replay.content.turns.map(({ number, times }) => [number, times.length])") == [[1, 4], [2, 4]]
    view.do("arena.position.seekTurn(1)")
    view.settle()
    assert view.page.inner_text(".caption") == "Turn 2. Ada, Bob, Cleo, Dmitri: bid"
    head = view.page.inner_text("#panel-turn header")
    assert "4 players" in head
    assert view.page.locator("[aria-label='Whose actions and logs'] option").first.inner_text() == "All 4 bots"


def test_teams_and_payoffs_are_in_the_result(viewer: View, exported: Callable[..., str], tmp_path: Path) -> None:
    view = viewer().open(exported(bids(tmp_path / "bids.arena", 4), None) + "#tab=result")
    assert view.page.inner_text(".result h2") == "Ada and Cleo win"
    cards = view.page.locator(".result article")
    assert [cards.nth(at).locator(".name").inner_text() for at in range(4)] == ["Ada", "Cleo", "Bob", "Dmitri"]
    first = " ".join(cards.first.inner_text().split())
    assert "1st of 2" in first
    assert "payoff +3.5" in first
    assert "team 1, with Cleo" in first
    assert "payoff −3.5" in " ".join(cards.nth(2).inner_text().split())


def test_bodies_of_several_tiles_are_drawn_whole(viewer: View, exported: Callable[..., str], tmp_path: Path) -> None:
    fields = {"owner": {"type": "int", "doc": ""}, "body": {"type": "[tile]", "doc": ""}}
    classes = {"Pit": {"placed": False, "fields": {}, "actions": {}}, "Worm": {"placed": False, "fields": fields}}
    schema = {"root": "Pit", "grid": {"width": "width", "height": "height"}, "classes": classes}
    writer = Writer(tmp_path / "worms.arena", {"schema": schema, "players": [{"name": "Ada"}], "streams": 1})
    body = [[2, 1], [1, 1], [1, 2], [1, 3]]
    view = ["game", "+", "Pit", "game", "width", 5, "game", "height", 5, "w0", "+", "Worm", "w0", "owner", 0]
    writer.setup([], [[*view, "w0", "body", body]])
    writer.finish({})
    page = viewer().open(exported(tmp_path / "worms.arena", None))
    page.settle()
    for x, y in body:
        picked = "arena.board.renderer.pick(...arena.board.renderer.place({} + 0.5, {} + 0.5))"
        assert page.do(picked.format(x, y)) == "w0"
    blue, between, floor = page.do(
        """(() => {
          const ratio = arena.board.ratio;
          const data = arena.board.canvas.getContext("2d").getImageData(0, 0, arena.board.canvas.width, 4000).data;
          return [[1.5, 2.5], [1.5, 2.99], [3.5, 3.5]].map((tile) => {
            const [x, y] = arena.board.renderer.place(...tile).map((one) => Math.round(one * ratio));
            const at = 4 * (y * arena.board.canvas.width + x);
            return [...data.slice(at, at + 3)];
          });
        })()"""
    )
    assert blue == [61, 139, 242]
    assert between == blue, "nothing between two tiles of a body"
    assert floor != blue


def test_an_array_of_numbers_is_shown_as_a_picture(viewer: View, exported: Callable[..., str], tmp_path: Path) -> None:
    frame = {"type": "array", "doc": "Light.", "dtype": "float32", "shape": ["rows", 3]}
    fields = {"frame": frame, "rows": {"type": "int", "doc": "Rows."}}
    schema = {"root": "Film", "grid": None, "classes": {"Film": {"placed": False, "fields": fields}}}
    first = struct.pack("<6f", 0, 1, 2, 3, 4, 5)
    writer = Writer(tmp_path / "film.arena", {"schema": schema, "players": [{"name": "Ada"}], "streams": 1})
    writer.setup([], [["game", "+", "Film", "game", "frame", first, "game", "rows", 2]])
    writer.do(0, {"type": "next"}, [], [["game", "frame", [20, struct.pack("<f", 7)]]], [[]])
    writer.turn(0, 0, 5, None, None, b"12345678")
    writer.finish({})
    view = viewer().open(exported(tmp_path / "film.arena", None))
    assert "float32 2 × 3, 0 to 5" in view.words()
    view.do("arena.position.seek(1)")
    assert "float32 2 × 3, 0 to 7" in view.words(), "the changed span is in its place"
    assert view.do("arena.board.failure") == ""
