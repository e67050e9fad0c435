"""The local pages: what they answer, and what they refuse."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgpack
import pytest

from arena.game import registry
from arena.match.lookup import find_game
from arena.study.checks.rulebook import examples, play
from arena.web.local_pages import LocalPages
from arena.web.page_matches import ACTIVE
from arena.web.rulebook import focus, markdown, summary
from arena.web.server import Server
from arena.web.start_page import own_bots
from arena.web.stills import map_still
from arena_replays import Reader, Writer
from arena_replays.state import State, fold

Ask = Callable[..., tuple[int, Any]]
REPLAYS = Path(__file__).parents[1] / "replays"


@pytest.fixture
def local(tmp_path: Path) -> LocalPages:
    (tmp_path / "replays").mkdir()
    return LocalPages(tmp_path, tmp_path / "replays")


@pytest.fixture
def ask(local: LocalPages) -> Iterator[Ask]:
    """Asks a server of the pages; with a body it posts."""
    server = Server(local.application())
    server.start()
    root = urlsplit(server.url).path.rstrip("/")

    def send(path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        if body is None:
            connection.request("GET", root + path, headers=headers)
        else:
            own = {"Content-Type": "application/json", "Origin": f"http://127.0.0.1:{server.port}"}
            text = body if isinstance(body, bytes) else json.dumps(body).encode()
            connection.request("POST", root + path, text, {**own, **headers})
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        is_json = answer.getheader("Content-Type", "").startswith("application/json")
        return answer.status, json.loads(data) if is_json else data.decode(errors="replace")

    yield send
    server.stop()


def blank(game: str) -> dict[str, Any]:
    editor = registry.load(game).editor
    assert editor is not None
    return editor.blank({})


def test_only_its_own_pages_may_write(ask: Ask, tmp_path: Path) -> None:
    body = {"document": blank("laser_flag"), "name": "a.json"}
    assert ask("/save/laser_flag", body, Origin="https://elsewhere.example")[0] == 403
    assert ask("/save/laser_flag", body, Host="elsewhere.example")[0] == 403
    assert ask("/save/laser_flag", body, **{"Content-Type": "text/plain"})[0] == 403
    assert ask("/", Host="elsewhere.example")[0] == 403
    assert not (tmp_path / "a.json").exists()


@pytest.mark.parametrize(
    "name", ["../a.json", "/tmp/a.json", "a.txt", ".json", "", None, 7, "a/b.json", "a\n.json", "x" * 99 + ".json"]
)
def test_files_stay_in_the_folder(ask: Ask, tmp_path: Path, name: Any) -> None:
    status, answer = ask("/save/laser_flag", {"document": blank("laser_flag"), "name": name})
    assert (status, answer["message"][:13]) == (409, "The name of a")
    assert [path.name for path in tmp_path.iterdir()] == ["replays"]


def test_nothing_is_replaced_unasked(ask: Ask, tmp_path: Path, local: LocalPages) -> None:
    (tmp_path / "a.json").write_text("precious")
    body = {"document": blank("derelict"), "name": "a.json"}
    assert ask("/save/derelict", body) == (200, {"message": "a.json exists already.", "exists": True})
    assert (tmp_path / "a.json").read_text() == "precious"
    assert ask("/save/derelict", {**body, "replace": True})[0] == 200
    assert ask("/save/derelict", body)[0] == 200, "a file that is being edited is saved again"
    assert json.loads((tmp_path / "a.json").read_text()) == body["document"]
    assert '"target":"a.json"' in ask("/edit/derelict")[1]
    assert '"target":""' in ask("/edit/derelict?map=airlock")[1]


def test_what_is_no_map_is_refused_with_a_message(ask: Ask) -> None:
    for body in (b"{", b"[]", b"[" * 100_000, {"document": []}, {"document": {"tiles": [1]}}, {}):
        status, answer = ask("/save/laser_flag", body)
        assert status == 409
        assert answer["message"]
    assert ask("/check/laser_flag", {"document": None})[1]["problems"][0]["code"] == "not_an_object"
    assert ask("/check/no_such_game", {"document": None})[0] == 404
    assert ask("/edit/saloon") == (409, {"message": "saloon has no maps that can be edited.", "hint": ""})
    assert ask("/edit/laser_flag?map=nowhere")[0] == ask("/map/laser_flag/nowhere")[0] == 409
    assert ask("/trial/3")[0] == 409
    for path in (
        "/editor/../serve.py",
        "/editor/nothing.js",
        "/editor/tsconfig.json",
        "/watch/..%2Fa.arena",
        "/view/0",
    ):
        assert ask(path)[0] in (404, 409), path


@pytest.mark.process
def test_a_match_is_played_and_can_be_stopped(ask: Ask, local: LocalPages) -> None:
    # A long way between many units keeps the match from an early end.
    walls = ("." * 21, "#" * 20 + ".", "." * 21, "." + "#" * 20)
    units = [{"player": one, "class": "grunt", "x": x, "y": 20 * one} for one in (0, 1) for x in range(8)]
    document = {**blank("laser_flag"), "tiles": [walls[y % 4] for y in range(21)], "units": units}
    document |= {"turn_limit": 500, "rules": {"hard_turn_limit": 1000}}
    body = {"document": document, "bots": ["rookie", "rookie"]}
    assert ask("/play/laser_flag", {**body, "bots": ["rookie", "../../evil"]})[0] == 409
    assert ask("/play/laser_flag", {**body, "document": {**document, "units": []}})[0] == 409
    status, answer = ask("/play/laser_flag", body)
    assert (status, answer) == (200, {"trial": 0})
    end = time.monotonic() + 60
    while not ask("/trial/0")[1].get("turn") and ask("/trial/0")[1]["state"] in ACTIVE:
        assert time.monotonic() < end
    stopped = ask("/stop/0", {})[1]
    assert (stopped["state"], stopped["view"]) == ("stopped", "view/0")
    assert ask("/play/laser_flag", {**body, "document": {**document, "turn_limit": 1}})[1] == {"trial": 1}
    while (status := ask("/trial/1")[1])["state"] in ACTIVE:
        assert time.monotonic() < end
    assert status["state"] == "done"
    assert ask(f"/{status['view']}")[0] == 200
    assert local.viewing.paths[-1].exists()


def test_the_replays_of_the_folder_can_be_watched(ask: Ask, local: LocalPages, tmp_path: Path) -> None:
    replay = Path(shutil.copy(REPLAYS / "saloon.arena", tmp_path / "replays" / "small one.arena"))
    assert '"watch/small%20one.arena"' in ask("/")[1]
    assert ask("/watch/small%20one.arena")[0] == 303
    assert local.viewing.paths[-1] == replay


def test_the_bots_of_a_game_are_found_by_the_value_in_their_manifest(tmp_path: Path) -> None:
    for name, manifest in {
        "spaced": "game='saloon'  # as TOML allows",
        "other": 'game = "snakes"\ndescription = \'a bot like game = "saloon"\'',
        "broken": 'game = "saloon',
        "nested": "a = " + "[" * 5000,
    }.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.toml").write_text(manifest)
    assert own_bots(registry.load("saloon"), tmp_path) == ["spaced"]
    assert own_bots(registry.load("snakes"), tmp_path) == ["other"]


def test_a_still_opens_only_its_own_replay(ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = next(REPLAYS.glob("*.arena"))
    for name in ("a.arena", "b.arena"):
        shutil.copy(source, tmp_path / "replays" / name)
    (tmp_path / "c.arena").write_bytes(source.read_bytes())
    opened: list[object] = []
    read = Reader.__init__

    def counted(self: Reader, source: Any) -> None:
        opened.append(source)
        read(self, source)

    monkeypatch.setattr(Reader, "__init__", counted)
    assert ask("/still/a.arena")[0] == 200
    assert opened
    assert all(Path(str(one)).name == "a.arena" for one in opened)
    for name in ("c.arena", "..%2Fc.arena", "nothing.arena"):
        assert ask(f"/still/{name}")[0] in (404, 409), name


@pytest.mark.parametrize("game", registry.names())
def test_rules_pages_name_every_action_and_option(ask: Ask, game: str) -> None:
    spec = registry.load(game)
    status, page = ask(f"/rules/{game}")
    assert status == 200
    for one in spec.schema()["classes"].values():
        assert all(f".<b>{name}</b>(" in page for name in one["actions"])
    assert all(f"<code>{option.name}</code>" in page for option in spec.options)


@pytest.mark.parametrize("doc", ["One thing", "One thing.", "One thing. More.", "One\n  thing.\n\nMore."])
def test_a_summary_is_the_first_sentence_without_its_period(doc: str) -> None:
    assert summary(doc) == "One thing"


@pytest.mark.parametrize(
    ("game", "name", "part"),
    [
        ("saloon", "play", [2, 2, 6, 4]),  # a cowboy on (4, 3), a piano on (5, 3), of 12 x 8 tiles
        ("saloon", "call-in", [-0.3, -0.3, 6.3, 4.3]),  # in the corner, with the edge of the board
        ("laser_flag", "move", None),  # across the hall
        ("snakes", "move", None),  # bodies on both sides
    ],
)
def test_a_picture_of_the_rules_shows_what_the_example_is_about(game: str, name: str, part: list[float] | None) -> None:
    spec = find_game(game)
    example = examples(spec)[name]
    assert focus(spec, example, play(spec, example)) == part


@pytest.mark.parametrize(
    ("game", "name", "size"), [("derelict", "airlock", (11, 6)), ("laser_flag", "relay", (19, 11))]
)
def test_the_picture_of_a_map_is_the_start_of_a_match_on_it(game: str, name: str, size: tuple[int, int]) -> None:
    state: State = {}
    fold(state, msgpack.unpackb(map_still(find_game(game), name))["after"])
    assert (state["game"]["width"], state["game"]["height"]) == size


def test_markdown_never_becomes_markup() -> None:
    text = (
        "# A <b>\n\nOne *two* **three** `<four>` <script>\n- a\n  b\n- c\n\n"
        "| x | y |\n|---|---|\n| 1 | <i> |\n\n```\n<p>\n```\n[a](javascript:alert)\n"
    )
    assert markdown(text).splitlines() == [
        "<h2>A &lt;b&gt;</h2>",
        "<p>One <em>two</em> <strong>three</strong> <code>&lt;four&gt;</code> &lt;script&gt;</p>",
        "<ul>",
        "<li>a",
        "b</li>",
        "<li>c</li>",
        "</ul>",
        '<div class="wide"><table><thead>',
        "<tr>",
        "<th>x</th>",
        "<th>y</th>",
        "</tr>",
        "</thead>",
        "<tbody>",
        "<tr>",
        "<td>1</td>",
        "<td>&lt;i&gt;</td>",
        "</tr>",
        "</tbody>",
        "</table></div><pre><code>&lt;p&gt;",
        "</code></pre>",
        "<p>[a](javascript:alert)</p>",
    ]


def test_a_void_match_has_no_result(ask: Ask, tmp_path: Path) -> None:
    players = [{"name": name, "hash": name} for name in ("Ada", "Bob")]
    header = {"game": "saloon", "version": "1.0", "title": "Saloon", "players": players, "streams": 1}
    writer = Writer(tmp_path / "replays" / "m.arena", header)
    writer.setup([], [[]])
    ends = [{"name": name, "ending": "void"} for name in ("Ada", "Bob")]
    writer.finish({"outcome": {"winner": None, "reason": "host_late"}, "players": ends})
    assert "No result (host late)" in ask("/")[1]


def test_many_matches_of_two_legs_are_listed_whole_and_an_older_one_can_be_watched(ask: Ask, tmp_path: Path) -> None:
    for match in range(26):
        write_legs(tmp_path / "replays", f"m{match:02}", written=1_000 + 10 * match)
    page = ask("/")[1]
    assert page.count('"watch/') == page.count(", 2 legs") == 24
    assert '"watch/m01-1.arena"' not in page
    for name in ("m00-1", "m01-2", "m25-2"):
        assert ask(f"/watch/{name}.arena")[0] == 303
    shown = ask("/view/3")[1]  # the second leg of what was watched second
    assert '"leg":1' in shown


def write_legs(folder: Path, name: str, written: int | None = None) -> None:
    there = {"name": "Ada", "hash": "a", "settings": {}}
    back = {"name": "Bob", "hash": "b", "settings": {}}
    for number, players in enumerate(([there, back], [back, there]), 1):
        header = {"game": "derelict", "version": "1.0", "title": "Derelict", "options": {}, "clock": {}}
        path = folder / f"{name}-{number}.arena"
        writer = Writer(path, {**header, "players": players, "streams": 1})
        writer.setup([], [[]])
        writer.finish({"outcome": {"winner": 0, "reason": "turn_limit"}, "seed": written or 3})
        if written is not None:
            os.utime(path, (written + number, written + number))


def test_both_legs_of_a_match_are_listed_once(ask: Ask, tmp_path: Path) -> None:
    write_legs(tmp_path / "replays", "m")
    page = ask("/")[1]
    assert "Derelict: Ada \\u2013 Bob, 2 legs" in page
    assert "leg 1: Ada wins (turn limit), leg 2: Bob wins (turn limit)" in page
    assert page.count('"watch/') == 1
    assert ask("/watch/m-1.arena")[0] == 303
    shown = ask("/view/1")[1]
    assert re.search(r'"legs":\[\{"url":"/[\w-]{22}/replay/0"', shown)
    assert '"leg":1' in shown
