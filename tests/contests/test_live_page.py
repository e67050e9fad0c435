"""The live page in a real browser, beside a real tournament that is stopped and started again."""

import contextlib
import csv
import io
import json
import os
import re
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

import pytest
from tournament_commands import ARENA, tournament
from waiting import until, until_page

from arena.analysis.cached import save
from arena.bots.game_files import module_source
from arena.match.lookup import find_game

pytestmark = [pytest.mark.slow, pytest.mark.browser]

TITLE = "<img src=x onerror=document.title='broken'> league"
LEAGUE = """
[tournament]
name = %s
game = "saloon"
isolation = "none"

[[bots]]
path = "chatty"
[[bots]]
path = "builtin:sheriff"
[[bots]]
path = "builtin:pianist"

[[stages]]
format = "round_robin"
rounds = 100
""" % json.dumps(TITLE)  # noqa: UP031 - braces are TOML's and the bot's
CHATTY = """
import sys, time
from saloon import AI
class Chatty(AI):
    def run_turn(self):
        time.sleep(0.01)
        print("<b>my secret plan</b>")
        self.log("my secret log")
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def running(*words, cwd):
    process = subprocess.Popen([ARENA, *words], cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def get(address, wait=0.0):
    end = time.monotonic() + wait
    while True:
        try:
            with urllib.request.urlopen(address, timeout=30) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("live")
    (folder / "chatty").mkdir()
    (folder / "chatty" / "main.py").write_text(CHATTY)
    (folder / "chatty" / "saloon.py").write_text(module_source(find_game("saloon")))
    (folder / "league.toml").write_text(LEAGUE)
    tournament("run", "--limit", "4", cwd=folder).check_returncode()
    return folder


@pytest.fixture(scope="module")
def site(folder):
    port = free_port()
    with running("tournament", "serve", "--port", str(port), cwd=folder):
        address = f"http://127.0.0.1:{port}"
        get(address, wait=60)
        yield address


@pytest.fixture
def page(browser):
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if "Policy" in message.text else None)
    yield page
    page.close()
    assert errors == []


def matches_on(page):
    return int(re.search(r"(\d+) matches", page.locator("#sub").inner_text())[1])


def test_the_page_follows_the_tournament_over_its_restart(site, folder, page):
    page.clock.install()
    page.goto(site)
    page.wait_for_selector("html[data-version]")
    assert page.title() == TITLE
    assert page.locator("h1").inner_text() == TITLE
    assert page.locator("h1 img").count() == 0
    before = matches_on(page)
    assert before == 4
    assert "No match is running" in page.locator("#running").inner_text()
    for _ in range(2):
        with running("tournament", "run", cwd=folder) as process:
            until_page(page, f"+document.getElementById('sub').textContent.match(/(\\d+) matches/)[1] > {before}")
            page.wait_for_selector("#boards iframe", timeout=60_000)
            process.kill()
            process.wait()
        until_page(page, "document.querySelectorAll('#boards figure:not([data-over])').length === 0")
        page.clock.fast_forward(31_000)  # a board that has not reached its end stays for 30 s
        until_page(page, "document.querySelectorAll('#boards iframe').length === 0")
        before = matches_on(page)
    rows = page.locator("#standings table").first.locator("tbody tr")
    assert rows.count() == 3
    assert page.locator("#recent li.match").count() > 0


def test_a_running_match_is_drawn(site, folder, browser):
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    with running("tournament", "run", cwd=folder):
        page.goto(site)
        page.wait_for_selector("#boards iframe", timeout=60_000)
        address = page.locator("#boards iframe").first.get_attribute("src")
        board = browser.new_page()
        board.goto(site + address)
        board.wait_for_selector("html[data-ready=true]", timeout=60_000)
        first = board.evaluate("arena.position.last")
        until_page(board, f"arena.position.last > {first} || !arena.replay.live")
        board.close()
        page.close()


def test_a_finished_match_opens_from_the_page(site, page):
    page.goto(site)
    page.wait_for_selector("#recent .where a")
    page.locator("#recent .where a").first.click()
    page.wait_for_selector("html[data-ready=true]", timeout=60_000)
    assert page.evaluate("arena.position.last") > 10
    assert page.evaluate("arena.position.frame") == 0


def test_the_board_of_a_match_that_is_over_already_shows_its_end_and_the_result(site, page):
    page.goto(site)
    page.wait_for_selector("#recent .where a")
    page.goto(page.locator("#recent .where a").first.get_attribute("href").join([site, "#live"]))
    page.wait_for_selector(".ending:not([hidden])", timeout=60_000)
    assert page.evaluate("arena.position.frame === arena.position.last")
    assert page.inner_text(".ending h2").endswith((" wins", "A draw"))
    assert page.locator(".way a").first.inner_text() == TITLE
    assert page.locator(".way a", has_text="Previous").count() == 1


def test_everybody_can_read_the_pages(site, page, assert_accessible):
    page.goto(site)
    page.wait_for_selector("#recent .where a")
    assert_accessible(page)
    page.goto(f"{site}/?screen")
    page.wait_for_selector("html.screen[data-version]")
    assert_accessible(page)
    page.goto(f"{site}/bot/chatty")
    assert_accessible(page)
    page.click(".versus a:has-text('all matches')")
    page.wait_for_selector(".matches canvas[data-drawn]")
    assert_accessible(page)
    page.goto(site + page.locator(".where a").first.get_attribute("href"))
    page.wait_for_selector("html[data-ready=true]", timeout=60_000)
    assert_accessible(page)


def test_the_page_of_two_bots_names_the_deciding_turns(site, folder):
    games = json.loads(tournament("matches", "--format", "json", "--bot", "chatty", cwd=folder).stdout)
    names = [seat["name"] for seat in games[0]["seats"]]
    [other] = {*names} - {"chatty"}
    address = f"{site}/bot/chatty/against/{other}"
    before = get(address)[1].decode()
    assert "deciding turn: not computed" in before
    assert "<code>arena explain losses league.toml --bot chatty</code>" in before
    point = {"player": 0, "turn": 5, "before": {"value": 0.62}, "after": {"value": 0.2}}
    document = {"stage": "", "playouts": {"count": 100}, "turning_points": [point]}
    save(document, folder / "league" / games[0]["outcome"]["replay"])
    link = f'<a href="/match/{games[0]["match_id"]}#t=5">Turn 5</a>'
    expected = f"{link} decided: the win probability of {names[0]} fell from 62 % to 20 %"
    until(lambda: expected in get(address)[1].decode())  # a kept page is made again after a second


def test_logs_are_for_their_owner(site, folder):
    out = tournament("tokens", cwd=folder)
    tokens = dict(line.split("\t") for line in out.stdout.splitlines())
    games = json.loads(tournament("matches", "--format", "json", "--bot", "chatty", cwd=folder).stdout)
    match_id = games[0]["match_id"]
    replay = folder / "league" / games[0]["outcome"]["replay"]
    from arena_replays import Reader

    assert any("my secret" in str(note.payload) for note in Reader(replay).notes)
    status, public = get(f"{site}/replay/{match_id}")
    assert status == 200
    shown = Reader(public)
    assert shown.notes == []
    assert len(shown.truth) == len(Reader(replay).truth)
    assert get(f"{site}/bot/chatty/log/{match_id}")[0] == 403
    assert get(f"{site}/bot/chatty/log/{match_id}?token={tokens['sheriff']}")[0] == 403
    status, text = get(f"{site}/bot/chatty/log/{match_id}?token={tokens['chatty']}")
    assert status == 200
    assert b"my secret log" in text
    turns = {note.turn + 1 for note in Reader(replay).notes if note.kind == "log"}
    assert {int(number) for number in re.findall(rb"turn (\d+), log: ", text)} == turns, "turns count from 1"
    assert b"&lt;b&gt;my secret plan" in text
    assert b"?token=" not in get(f"{site}/bot/chatty")[1]
    assert b"?token=" in get(f"{site}/bot/chatty?token={tokens['chatty']}")[1]


@pytest.mark.promise("read-only")
def test_it_only_reads(site, folder):
    assert get(f"{site}/bot/nobody")[0] == 404
    assert get(f"{site}/match/0123456789abcdef")[0] == 404
    assert get(f"{site}/replay/..%2F..%2Fjournal.db")[0] == 404
    assert get(f"{site}/viewer/..%2F..%2F..%2Fetc%2Fpasswd")[0] == 404
    assert get(f"{site}/journal.db")[0] == 404
    for method in ("POST", "PUT", "DELETE"):
        request = urllib.request.Request(f"{site}/", method=method, data=b"x")
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(request, timeout=30)
        assert caught.value.code == 405
        caught.value.close()
    assert os.path.exists(folder / "league" / "journal.db")


def test_the_big_screen_shows_one_section_at_a_time(site, page):
    page.goto(f"{site}/?screen")
    page.wait_for_selector("html[data-version]")
    assert page.locator("html.screen").count() == 1
    assert page.locator("#sections section:visible").count() == 1


def test_the_tables_of_a_running_page_are_data(site):
    status, text = get(f"{site}/data/standings.csv")
    assert status == 200
    rows = list(csv.DictReader(io.StringIO(text.decode())))
    assert {"name", "points", "place"} <= set(rows[0])
    assert json.loads(get(f"{site}/data/ratings.json")[1])["data"]
    assert get(f"{site}/data/nothing.csv")[0] == 404
    assert get(f"{site}/data/standings.exe")[0] == 404


def test_the_first_answer_has_the_standings(site, page):
    """Nothing moves when the script begins; and the answer is small on the way."""
    answer = page.request.get(site)
    assert 'class="standings"' in answer.text()
    assert answer.headers["content-encoding"] == "gzip"


def test_a_finished_match_has_a_picture(site, page):
    page.goto(site)
    page.wait_for_selector("#recent canvas[data-drawn]", timeout=60_000)
    assert page.locator("#recent canvas[data-failed]").count() == 0
