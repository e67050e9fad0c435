"""Somebody opens the playground, served by a plain web server, and writes bots."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from own_files import FILES
from shortened import shortened
from visit import Playground

from arena.errors import ArenaError
from arena.play.memory import play_in_memory
from arena_playground.export import contents
from arena_replays import Reader

ARENA = Path(sys.executable).parent / "arena"
HEAD = "from saloon import AI\n\n\nclass Bot(AI):\n    def run_turn(self):\n"
Start = Callable[..., Playground]
Shared = Callable[[str], Playground]


SHORT = """(turns) => {
  const { prototype } = page.python.constructor;
  prototype.whole ??= prototype.call;
  prototype.call = function (name, request, ...rest) {
    const short = request?.options ? { ...request, options: { ...request.options, max_turns: turns } } : request;
    return prototype.whole.call(this, name, short, ...rest);
  };
}"""
"""Makes all matches of a page short, also those of its second Python."""


KEEP = """() => {
  const { board } = page;
  const { show } = board;
  globalThis.grown = [];
  board.show = (...given) => {
    grown.push(given);
    return show.apply(board, given);
  };
}"""
"""Keeps what the board is given, to give it again more slowly."""


def bot(*lines: str) -> str:
    return HEAD + "".join(f"        {line}\n" for line in lines)


def test_a_first_match_a_second_with_an_own_bot_and_the_replay_of_both(shared: Shared, tmp_path: Path) -> None:
    """The template wins at once; a bot that only ends its turns loses; the page's replay is that of `arena play`."""
    page = shared("saloon")
    page.do(KEEP)
    assert page.run().startswith("my_bot wins"), page.output
    plays_from_its_start(page)
    bar = page.page.frame_locator("#board").locator(".advantage")
    bar.wait_for()
    assert "my_bot 100 %, rowdy 0 %" in bar.get_attribute("title")
    plays_on_when_more_is_there(page)
    path = replay(page, tmp_path / "page.arena")
    same(path, "saloon", [downloaded(page, tmp_path), "builtin:rowdy"], tmp_path)
    subprocess.run([ARENA, "replay", "verify", path], check=True, capture_output=True)
    assert page.play(bot("pass")).startswith("rowdy wins")
    assert page.faults == []


APP = "page.board.match.app"


def plays_from_its_start(page: Playground) -> None:
    page.do("page.board.work")
    assert page.do(f"[{APP}.playback.playing, {APP}.position.turn < 30]") == [True, True]
    page.page.frame_locator("#board").get_by_role("button", name="Go to turn").click()
    page.until(f"{APP}.position.frame === {APP}.position.last")


def plays_on_when_more_is_there(page: Playground) -> None:
    page.do("delete page.board.show")
    page.do("page.board.show(...grown[0])")
    page.do(f"{APP}.playback.setSpeed(32)")
    page.until(f"!{APP}.playback.playing")
    shown = page.do(f"{APP}.position.frame")
    page.do(f"globalThis.jumps = 0; {APP}.position.addEventListener('seek', () => jumps++)")
    page.do("page.board.show(...grown.at(-1))")
    page.until(f"{APP}.position.frame > {shown}")
    assert page.do("jumps") == 0


# A match of the others takes up to half a minute there.
@pytest.mark.parametrize("game", shortened(["snakes", "saloon", "laser_flag", "derelict"]))
def test_the_page_plays_as_processes_do(shared: Shared, tmp_path: Path, game: str) -> None:
    page = shared(game)
    opponent = page.do("page.game.bots.at(0).name")  # the strongest plan with the time that is left
    page.page.select_option("#opponent", f"builtin:{opponent}")
    for seed in ("1", "77"):
        page.page.fill("#seed", seed)
        page.run()
        mine = downloaded(page, tmp_path)
        same(replay(page, tmp_path / f"{seed}.arena"), game, [mine, f"builtin:{opponent}"], tmp_path, seed)
    assert page.faults == []


def downloaded(page: Playground, folder: Path) -> str:
    """The folder that the page gives to its user."""
    with page.page.expect_download() as download:
        page.do("document.getElementById('download').click()")
    with zipfile.ZipFile(download.value.path()) as archive:
        archive.extractall(folder)
    return str(folder / "my_bot")


def replay(page: Playground, path: Path) -> Path:
    path.write_bytes(bytes(page.do("[...page.replay]")))
    return path


def same(path: Path, game: str, bots: list[str], folder: Path, seed: str = "1") -> None:
    """The replay has the truth and the digest of the match that the command plays."""
    other = folder / f"command-{seed}.arena"
    command = [ARENA, "play", game, *bots, "--seed", seed, "--replay", other, "--sandbox", "none"]
    subprocess.run([str(part) for part in command], capture_output=True, check=False, timeout=300)
    legs = other.with_name(f"{other.stem}-1.arena")
    one, two = Reader(path), Reader(legs if legs.exists() else other)  # the page plays the first leg
    assert [entry for entry in one.truth if entry[0] in ("do", "refuse")] == [
        entry for entry in two.truth if entry[0] in ("do", "refuse")
    ]
    assert one.footer is not None
    assert two.footer is not None
    assert one.footer["digest"] == two.footer["digest"]


def test_a_bot_of_several_files_finds_them_as_in_processes(shared: Shared) -> None:
    """The page makes bots of one file. Its Python plays with more, as `arena.play.memory` does."""
    page = shared("saloon")
    request = {"game": "saloon", "players": [FILES, FILES], "names": ["one", "two"], "seed": 1, "same_dice": False}
    for _ in range(2):
        result = page.do("(it) => page.python.call('match', it)", request | {"options": {"max_turns": 6}})
        assert set(result["endings"]) <= {"won", "lost", "drawn"}, result["failures"]
        assert not result["restart"], "it leaves no module behind"


def test_mistakes_are_shown_at_their_line_and_the_next_run_works(shared: Shared) -> None:
    page = shared("saloon")
    said = page.play(bot("x = 0", "while True:", "    x += 1"))
    assert said == "The bot did not come back within 5 seconds. Is there an endless loop?"
    assert "line 8" in page.output or "line 7" in page.output, page.output
    assert marks(page), "the editor marks the line"

    page.play(bot("self.player.nobody.move()"))
    assert "AttributeError" in page.output
    assert "line 6" in page.output

    said = page.play("from saloon import AI\nclass Bot(AI:\n    pass\n")
    assert "SyntaxError" in said or "'('" in said, said
    page.until("!page.python.busy")

    page.play(bot("self.act({'type': 'no_such_thing'})"))
    assert "refused actions" in page.output
    assert "line 6" in page.output
    assert page.play(page.do("page.game.files['main.py']")).startswith("my_bot wins"), page.output


def marks(page: Playground) -> int:
    return int(page.do("document.querySelector('#editor').shadowRoot.querySelectorAll('.cm-lintRange-error').length"))


@pytest.mark.kill  # one more Python starts, and is stopped
def test_python_that_hangs_in_c_is_stopped(playground: Start) -> None:
    page = playground()
    assert page.page.input_value("#game") == "saloon", "the game for beginners comes first"
    page.write(bot("import itertools", "sum(itertools.repeat(1))"))
    page.page.click("#run")
    page.until("page.python.busy")
    page.page.click("#stop")
    page.until("!document.getElementById('run').disabled")
    assert "Stopped" in page.output
    page.page.wait_for_function("page.python.begun")
    assert page.play(page.do("page.game.files['main.py']")).startswith("my_bot wins"), page.output


@pytest.mark.kill  # one more Python starts
def test_code_is_kept_shared_and_taken_along(shared: Shared, site: str, tmp_path: Path) -> None:
    page = shared("snakes")
    mine = page.do("page.editor.code") + "\n# mine\n"
    page.write(mine)
    link = page.do("import('./store.js').then(({ toLink }) => toLink('snakes', page.editor.code + '# theirs'))")
    command = [ARENA, "play", "snakes", downloaded(page, tmp_path), "builtin:forager", "--sandbox", "none"]
    played = subprocess.run([str(part) for part in command], capture_output=True, text=True, cwd=tmp_path)
    assert played.returncode == 0, played.stderr

    page.open(f"{site}?{link}")
    assert page.do("page.editor.code") == f"{mine}# theirs"
    assert page.do("page.replay") is None, "nothing runs before the user presses Run"
    assert "came with the link" in page.status
    assert page.do("page.store.bots.my_bot.code") == mine, "the own bot stays"


@pytest.mark.kill  # one more Python starts; the helper has tests of its own
def test_completions_and_documentation(playground: Start) -> None:
    page = playground("#game=saloon")
    assert page.do("page.helper") is None, "it would take memory and time from the match"
    page.page.click("#editor")
    page.until("page.helper.runs")
    code = bot("self.player.")
    column = len("        self.player.")
    request = {"game": "saloon", "code": code, "line": 6, "column": column}
    found = page.do("(request) => page.helper.call('complete', request)", request)
    assert {"cowboys", "young_gun"} <= {one["label"] for one in found}
    request = {"game": "saloon", "code": bot("self.player.young_gun.call_in('Brawler')"), "line": 6, "column": 34}
    assert "call" in page.do("(request) => page.helper.call('explain', request)", request).lower()


@pytest.mark.kill  # `test_page.py` beats the first boss, and the series below plays many
def test_many_matches_and_the_ladder(shared: Shared) -> None:
    page = shared("saloon")
    page.do(SHORT, 60)
    page.page.click("#tab-ladder")
    page.page.click("#ladder .boss:first-of-type button")
    page.until("page.store.beaten.includes('rowdy')")
    assert "beaten" in page.page.inner_text("#ladder")
    page.write(bot("1 / 0"))  # it loses each match, at once
    page.page.click("#tab-many")
    page.page.click("#many button")
    page.until("(page.series.games.get('pianist') ?? []).length > 3")
    page.page.click("#stop")
    page.until("!document.getElementById('run').disabled")
    assert not page.do("page.series.second.busy"), "both stop"
    assert page.do("page.series.games.get('pianist').every(({ points }) => points === 0)")
    losses = "#many div:has(> .rate strong:text-is('pianist')) > details"
    page.page.click(f"{losses} summary")
    page.page.click(f"{losses} button >> nth=0")
    page.until("!document.getElementById('run').disabled && page.replay")
    assert "pianist wins" in page.status
    page.write(bot("pass").replace("saloon", "nothing"))
    page.page.click("#tab-many")
    page.page.click("#many button")
    page.until("!document.getElementById('run').disabled")
    assert "No module named 'nothing'" in page.status


def test_the_bot_that_plays_every_game(shared: Shared, tmp_path: Path) -> None:
    """With the same seed it plays what it plays outside of the browser."""
    page = shared("snakes")
    page.page.select_option("#opponent", label="search")
    page.write(bot("pass").replace("saloon", "snakes"))
    assert page.run().startswith("search wins"), page.output
    path = replay(page, tmp_path / "search.arena")
    found = [entry[2] for entry in Reader(path).truth if entry[0] == "do"]
    again = tmp_path / "again.arena"
    mine = tmp_path / "bot.py"
    mine.write_text(bot("pass").replace("saloon", "snakes"))
    play_in_memory("snakes", [mine, "builtin:search?playouts=16"], seed=1, replay=again)
    assert found == [entry[2] for entry in Reader(again).truth if entry[0] == "do"]
    assert page.faults == []


def test_a_playground_without_games_says_so() -> None:
    with pytest.raises(ArenaError, match="No game is installed"):
        contents([])


@pytest.mark.parametrize("game", shortened(["derelict", "snakes"]))
def test_a_match_by_hand(shared: Shared, game: str) -> None:
    page = shared(game)
    page.page.select_option("#opponent", "by hand")
    page.run()
    for _ in range(3):
        played = page.do("page.played")
        page.until("(({ frame, last }) => frame === last)(page.board.match.app.position)")
        page.page.click("#output .choices button")
        page.until(f"page.played > {played}")
        if not page.page.query_selector("#output .choices button"):
            assert game == "snakes", "nothing else ends so soon"
            assert "wins" in page.status
            break
    else:
        assert page.do("page.board.match.app.position.stream") == 2, "the board shows what the person's player sees"
        page.page.click("#output button:text('Resign')")
        page.page.click("#output button:text('click again')")
        page.until("document.getElementById('status').textContent.includes('wins')")
    assert page.do("page.replay.length") > 0
    assert page.faults == []


@pytest.mark.kill  # `test_coach.py` plays on in the browser
def test_what_if_from_any_turn(shared: Shared, tmp_path: Path) -> None:
    """With the same dice and the same bots, the match goes on as it did; by hand it goes another way."""
    page = shared("saloon")
    assert page.page.is_hidden("#what-if")
    page.page.select_option("#opponent", "builtin:pianist")  # who draws no random numbers
    page.run()
    page.until("page.board.match")
    first = Reader(replay(page, tmp_path / "first.arena"))
    page.do("page.board.work.then(() => page.board.seek(20))")
    assert page.page.inner_text("#turn") == "What if, turn 20:"
    page.page.check("#same")
    played = page.do("page.played")
    page.page.click("#on")
    page.until(f"page.played > {played}")
    again = Reader(replay(page, tmp_path / "again.arena"))
    assert again.truth[0][0] == "position"
    actions = [entry for entry in again.truth if entry[0] == "do"]
    assert len(actions) > 100
    assert actions == [entry for entry in first.truth if entry[0] == "do"][-len(actions) :]
    subprocess.run([ARENA, "replay", "verify", tmp_path / "again.arena"], check=True, capture_output=True)

    page.do("page.board.work.then(() => page.board.seek(30))")
    played = page.do("page.played")
    page.page.click("#by-hand")
    page.until(f"page.played > {played}")
    for _ in range(2):
        assert "Your move" in page.output, page.output
        played = page.do("page.played")
        page.page.keyboard.press("Enter")
        page.until(f"page.played > {played}")

    page.run()
    page.do("page.board.work.then(() => page.board.seek(100000))")
    assert page.page.is_hidden("#on")
    assert page.faults == []


SERIES = """async (count) => {
  page.bot = () => "pianist";
  const { games } = await page.series.play("rowdy", count, () => {}).finally(() => delete page.bot);
  return games;
}"""


def test_two_pythons_play_the_series_of_memory(shared: Shared) -> None:
    """A long series has the matches that `arena.play.memory` plays with the same seeds, each once, in order."""
    page = shared("saloon")
    page.do(SHORT, 20)
    page.do(SERIES, 11)  # starts the second Python
    page.until("page.series.second.runs")
    page.do("(({ series: { second } }) => { const { call } = second; second.call = (...given) => "
            "{ second.calls = (second.calls ?? 0) + 1; return call.apply(second, given); }; })(page)")  # fmt: skip
    games = page.do(SERIES, 12)
    assert page.do("page.series.second.calls") >= 1
    assert [game["number"] for game in games] == list(range(12))
    for game in games:
        seats = ["builtin:pianist", "builtin:rowdy"] if game["place"] == 0 else ["builtin:rowdy", "builtin:pianist"]
        seed = page.do("page.series.first") + game["number"]
        result = play_in_memory("saloon", seats, seed=seed, options={"max_turns": 20})
        assert game["points"] == float(result.outcome.winners == (game["place"],))
    page.do("delete page.series.second.call")
    assert page.faults == []
