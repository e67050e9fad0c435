"""A member whose bot logs as much as it may: the pages of its logs are short, and hold nobody up."""

import re
import threading
import time
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from contests_toys import add_team, add_version, anchor, archive, opened, pointed_result, record, write_config
from server import Server
from visitors import add_person, pages_of, visitor
from waiting import until

from arena.web.match_pages import PAGE_LINES, PAGE_SIZE
from arena_replays import Reader, Writer

REPLAY = Path(__file__).parents[1] / "replays" / "saloon.arena"
OPEN = ('isolation = "bwrap" ', 'isolation = "none" ')


def flood(path, *texts):
    """Write a replay in which the first player has logged these texts."""
    writer = Writer(path, {**Reader(REPLAY).header, "streams": 1})
    writer.setup([], [["game", "+", "Game"]])
    for number, text in enumerate(texts, 1):
        writer.note(0, "log", text)
        writer.turn(number, 0, 1, 1, None, b"x" * 8)
    writer.finish({"outcome": {"winner": 0}})
    return path


def play_flood(contest, folder, *texts):
    """Add a team with a version, and a match in which its bot has logged these texts. Return the id of the match."""
    add_team(contest, "Red")
    player = add_version(contest, "Red", active=False).player
    result = replace(pointed_result((1.0, 0.0)), replay=str(flood(folder / "flood.arena", *texts)))
    return record(contest, player, anchor(contest), result=result)


@pytest.mark.parametrize(("text", "turns"), [("\n" * 1990, 9), ("<" * 1990, 99), ("line\r\nline\u2028" * 99, 30)])
@pytest.mark.promise("long-logs")
def test_a_log_is_shown_in_pages(contest, tmp_path, text, turns):
    match = play_flood(contest, tmp_path, *[text] * turns)
    red = visitor(pages_of(contest)[1], add_person(contest, "Red"))
    lines, address = [], f"/match/{match}/log?team=Red&page=1"
    while address:
        page = red.get(address).text
        shown = re.search(r"<pre[^>]*>(.*)</pre>", page, re.DOTALL)[1].split("\n")
        assert len(shown) <= PAGE_LINES
        assert sum(len(line.replace("&lt;", "<")) for line in shown) <= PAGE_SIZE
        lines += shown
        link = re.search(r'href="([^"]*)">next<', page)
        address = link and f"/match/{match}/log{link[1].replace('&amp;', '&')}"
    assert len(lines) == turns * len(text.splitlines())
    assert lines[-1].startswith(f"turn {turns}, log: ")
    last = red.get(f"/match/{match}/log?team=Red&page=999999")
    assert lines[-1] in last.text
    assert ">next<" not in last.text
    assert red.get(f"/match/{match}/log?team=Red&page=x").text == red.get(f"/match/{match}/log?team=Red").text


@pytest.mark.kill  # a flood of its own
@pytest.mark.process
@pytest.mark.promise("long-answers")
def test_pages_of_logs_hold_up_no_page_no_upload_and_no_end(tmp_path):
    """More requests than the pool has threads, each with seconds of work; whoever waits for them waits for minutes."""
    with opened(write_config(tmp_path, OPEN)) as contest:
        match = play_flood(contest, tmp_path, *["\n" * 1_000_000] * 11)
        token = add_person(contest, "Red")
    server = Server(tmp_path, game="saloon")
    answered = []

    def ask():
        with suppress(httpx.TransportError):
            answered.append(httpx.get(f"{server.url}/match/{match}/log", headers=headers, timeout=600))

    headers = {"authorization": f"Bearer {token}"}
    threads = [threading.Thread(target=ask) for _ in range(45)]
    with ExitStack() as stack:
        stack.callback(server.kill)
        for thread in threads:
            thread.start()
            stack.callback(thread.join)
        time.sleep(3)  # all requests have arrived
        assert httpx.get(f"{server.url}/matches", timeout=300).status_code == 200
        upload = httpx.post(f"{server.url}/api/submit", content=archive(game="saloon"), headers=headers, timeout=300)
        assert upload.status_code == 201
        assert len(answered) < len(threads) // 2
        server.process.terminate()
        until(lambda: server.process.poll() is not None, patience=30)
        assert server.process.returncode == 0
    assert {one.status_code for one in answered} <= {200, 503}
    assert "Traceback" not in server.output.read_text()
