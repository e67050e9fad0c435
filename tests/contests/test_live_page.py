"""The pages in a real browser beside a contest that another process runs, stops and continues: `serve --show-only`."""

import contextlib
import csv
import io
import json
import re
import signal
import subprocess

import httpx
import pytest
from contest_commands import ARENA, contest
from contests_toys import opened, write_config
from markupsafe import escape
from server import Server
from visitors import MARKED, pages_of
from waiting import until, until_page

from arena.bots.builtin import module_source
from arena.contests.people import accounts
from arena.contests.verify import verify
from arena.match.lookup import find_game
from arena.study.coach.stored import save

pytestmark = [pytest.mark.slow, pytest.mark.browser]

TITLE = "<img src=x onerror=document.title='broken'> league"
CONTEST = f"""
[contest]
name = {json.dumps(TITLE)}
game = "saloon"
isolation = "none"

[[bots]]
path = "chatty"
[[bots]]
path = "builtin:sheriff"
[[bots]]
path = "builtin:pianist"

[[stages]]
name = "league"
format = "round_robin"
rounds = 100
"""

JSON = ("--format", "json")
NOT_YET = ("match/x", "replay/x", "bot/rowdy")


@contextlib.contextmanager
def running(folder):
    """Run the contest in another process."""
    command = [ARENA, "contest", "run"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
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


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server that was there before the contest began, of which four matches were played then."""
    folder = tmp_path_factory.mktemp("live")
    (folder / "chatty").mkdir()
    slow = MARKED.replace("self.log", "import time; time.sleep(0.01); self.log").replace('"OUTPUT', '"<b>OUTPUT')
    (folder / "chatty" / "main.py").write_text(slow)
    (folder / "chatty" / "saloon.py").write_text(module_source(find_game("saloon")))
    (folder / "contest.toml").write_text(CONTEST)
    server = Server(folder, options=("--show-only",), config=folder / "contest.toml")
    try:
        server.before = {place: httpx.get(f"{server.url}/{place}") for place in ("", *NOT_YET)}
        done = contest("run", "--no-check", "--limit", "4", cwd=folder)
        assert done.returncode == 0, done.stderr
        server.folder = folder
        with opened(folder / "contest.toml") as known:
            invitation = accounts.invite(known, "chatty", "Owner", "member", "")
            server.token = accounts.join(known, invitation, "")[1]
        server.games = json.loads(contest("matches", *JSON, "--bot", "chatty", cwd=folder).stdout)
        yield server
    finally:
        server.stop()


@pytest.fixture
def site(server):
    return server.url


@pytest.fixture
def page(browser):
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if "Policy" in message.text else None)
    yield page
    page.close()
    assert errors == []


@pytest.mark.kill  # a second server
def test_the_server_can_start_before_the_contest(server, site):
    assert "The contest has not begun" in server.before[""].text
    assert escape(TITLE) in server.before[""].text
    assert {server.before[place].status_code for place in NOT_YET} <= {403, 404}
    until(lambda: "The contest has not begun" not in httpx.get(site).text)


@pytest.mark.kill  # `test_a_running_match_is_drawn` follows one too
def test_the_page_follows_the_contest_over_its_restart(server, site, page):
    page.clock.install()
    page.goto(site)
    page.wait_for_selector("#standings-league")
    assert page.title() == TITLE
    assert page.locator("h1").inner_text() == TITLE
    assert page.locator("h1 img").count() == 0
    assert "No match is running" in page.locator("#running").inner_text()
    for _ in range(2):
        before = {one["match_id"] for one in json.loads(contest("matches", *JSON, cwd=server.folder).stdout)}
        with running(server.folder) as process:
            until(lambda: page.clock.run_for(500) or page.locator("#boards iframe").count())
            newest = page.locator("#recent .where a").first
            until(lambda: page.clock.run_for(500) or newest.get_attribute("href").rpartition("/")[2] not in before)  # noqa: B023
            process.kill()
            process.wait()
        # A board that has not reached its end stays for 30 s.
        until(lambda: page.clock.fast_forward(31_000) or not page.locator("#boards iframe").count())
    assert page.locator("#standings-league .standings tbody tr").count() == 3
    assert page.locator("#recent li.match").count() > 0


def test_a_running_match_is_drawn(server, site, page):
    with running(server.folder):
        page.goto(site)
        page.wait_for_selector("#boards iframe", timeout=60_000)
        page.goto(site + page.locator("#boards iframe").first.get_attribute("src"))
        page.wait_for_selector("html[data-ready=true]", timeout=60_000)
        first = page.evaluate("arena.position.last")
        until_page(page, f"arena.position.last > {first} || !arena.replay.live")


def last_match(site):
    return re.search(r'href="(/match/\w{16})"', httpx.get(f"{site}/matches").text)[1]


def test_the_board_of_a_match_that_is_over_already_shows_its_end_and_the_result(site, page):
    page.goto(f"{site}{last_match(site)}/watch#live")
    page.wait_for_selector(".ending:not([hidden])", timeout=60_000)
    assert page.evaluate("arena.position.frame === arena.position.last")
    assert page.inner_text(".ending h2").endswith((" wins", "A draw"))


def test_everybody_can_read_the_pages(site, page, assert_accessible):
    page.goto(site)
    page.wait_for_selector("#recent canvas[data-drawn]", timeout=60_000)
    assert page.locator("#recent canvas[data-failed]").count() == 0
    assert_accessible(page)
    page.goto(f"{site}/team/chatty")
    assert_accessible(page)
    page.click(".versus a:has-text('all matches')")
    page.wait_for_selector(".matches canvas[data-drawn]")
    assert_accessible(page)
    page.locator(".matches .where a").first.click()
    page.wait_for_url("**/match/*")
    board = page.frame_locator("iframe.replay").locator("html[data-ready=true]")
    board.wait_for(timeout=60_000)
    assert board.evaluate("arena.position.last > 10 && !arena.replay.live")
    assert page.locator(".crumbs a").first.inner_text() == TITLE
    assert page.locator(".crumbs a", has_text="Previous").count() == 1
    assert_accessible(page)


def test_the_page_of_two_bots_names_the_deciding_turns(server, site):
    game = server.games[0]
    names = [seat["name"] for seat in game["seats"]]
    [other] = {*names} - {"chatty"}
    address = f"{site}/team/chatty/against/{other}"
    before = httpx.get(address).text
    assert "deciding turn: not computed" in before
    assert "<code>arena explain losses contest.toml --bot chatty</code>" in before
    lesson = {"player": 0, "from_turn": 5, "price": {"value": 0.42}}
    document = {"stage": "", "playouts": {"count": 100}, "lessons": [lesson]}
    save(document, server.folder / "contest" / game["replay"])
    link = f'<a href="/match/{game["match_id"]}/watch#t=5">Turn 5</a>'
    expected = f"{link} decided: a mistake of {names[0]} cost 42 %"
    until(lambda: expected in httpx.get(address).text)  # a kept page is made again after a second


@pytest.mark.promise("read-only")
def test_it_only_reads(server, site, tmp_path):
    """All forms of a server that plays are refused here, also for who is signed in; nothing of the folder is served."""
    journal = server.folder / "contest" / "journal.db"
    before = journal.read_bytes()
    owner = server.person()
    assert owner.post("/sign-in", data={"token": server.token}).status_code == 303
    owner.prepared()
    with opened(write_config(tmp_path)) as known:
        routes = pages_of(known)[0].application().routes
    posted = {one.path for one in routes if "POST" in (one.methods or ())} - {"/sign-in", "/sign-out"}
    assert len(posted) > 8
    for place in posted:
        for headers in ({}, {"authorization": f"Bearer {server.token}"}):
            done = owner.post(place, data={"csrf": owner.csrf, "kind": "pause", "reason": "x"}, headers=headers)
            assert done.status_code in (404, 405), (place, done.status_code)
    for method in ("PUT", "DELETE", "PATCH"):
        assert owner.request(method, "/").status_code == 405
    for place in ("/team/nobody", "/match/0123456789abcdef", "/replay/..%2F..%2Fjournal.db", "/journal.db", "/desk",
                  "/viewer/..%2F..%2F..%2Fetc%2Fpasswd", "/queue", "/sources.zip", "/join?token=x"):  # fmt: skip
        assert owner.get(place).status_code == 404, place
    page = owner.get("/team/chatty").text + owner.get("/").text
    assert "LOG-OF-RED" in owner.get(f"/match/{server.games[0]['match_id']}/log").text, "whose owner reads it here"
    assert re.findall(r'<form[^>]*action="([^"]+)"', page) == ["/sign-out"] * 2
    assert journal.read_bytes() == before


def test_the_first_answer_has_the_standings_and_tables_are_data(site):
    """Nothing moves when the script begins; and the answer is small on the way."""
    answer = httpx.get(site)
    assert 'class="standings"' in answer.text
    assert answer.headers["content-encoding"] == "gzip"
    answer = httpx.get(f"{site}/data/standings.csv")
    assert answer.status_code == 200
    assert {"name", "points", "place"} <= set(next(csv.DictReader(io.StringIO(answer.text))))
    for name in ("nothing.csv", "standings.exe", "standings.json"):
        assert httpx.get(f"{site}/data/{name}").status_code == 404


def test_nothing_was_lost(server):
    """After kills of the process beside the pages, the journal and all replays are whole."""
    assert verify(server.folder / "contest", rules=True).problems == []
