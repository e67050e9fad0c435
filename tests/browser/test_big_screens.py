"""Big screens: a contest of 200 bots in pages on screens of several sizes, and a bracket beside its ladder."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from shortened import shortened

from arena.contests.config import StageConfig
from arena.contests.scheduler import round_entry
from arena.web.contests.app import ContestPages
from arena.web.contests.following import Follower
from arena.web.server import Server

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS / "bench"), str(TESTS / "contests")]
from bench_export import large_contest  # noqa: E402
from contests_toys import add_team, add_version, do, opened, player, record, write_config  # noqa: E402

REPLAY = (TESTS / "replays" / "saloon.arena").read_bytes()


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    path = large_contest(tmp_path_factory.mktemp("large"), 200, StageConfig("swiss", "swiss", rounds=1), [REPLAY])
    server = Server(ContestPages(Follower(path.with_suffix(""))).application(), public=True, forms=True)
    server.start()
    yield server.url
    server.stop()


SEEN = """(all) => new Promise((done) => {
  const seen = { names: new Set(), headings: new Set(), bottom: 0 };
  const look = () => {
    const { rows } = document.querySelector("#standings-swiss h2")?.dataset ?? {};
    for (const row of rows ? document.querySelectorAll("#standings-swiss tbody tr:not([hidden])") : []) {
      const box = row.getBoundingClientRect();
      if (!box.height) continue;
      seen.names.add(row.cells[1].textContent);
      seen.bottom = Math.max(seen.bottom, box.bottom);
      seen.headings.add(rows);
    }
    if (seen.names.size < all) setTimeout(look, 50);
    else done([[...seen.headings], seen.bottom]);
  };
  look();
})"""


@pytest.mark.parametrize(("width", "height", "least"), shortened([(1280, 720, 14), (3840, 2160, 44)]))
def test_a_large_table_is_shown_in_pages_that_fit(
    large: str, viewer: Callable[..., Any], width: int, height: int, least: int
) -> None:
    page = viewer(width, height).page
    page.goto(f"{large}screen?seconds=0.4")
    page.wait_for_selector("html[data-step]")
    assert float(page.evaluate("parseFloat(getComputedStyle(document.body).fontSize)")) >= least
    headings, bottom = page.evaluate(SEEN, 200)
    assert all(re.fullmatch(r"\d+–\d+ of 200", heading) for heading in headings)
    assert len(headings) > 1
    assert bottom <= height
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_a_bracket_is_on_the_big_screen_beside_the_ladder(tmp_path: Path, viewer: Callable[..., Any]) -> None:
    with opened(write_config(tmp_path)) as contest:
        for team in ("Red", "Blue"):
            add_team(contest, team)
            add_version(contest, team)
        record(contest, player(contest, "Red"), player(contest, "Blue"))
        do(contest, "stage", "cup", format="single_elimination", advance="2")
        run = contest.state.stages["cup"]
        contest.write(round_entry(contest.state, run, run.next_round(contest.state.absent(run))))
        server = Server(ContestPages(contest).application(), public=True, forms=True)
        server.start()
        try:
            page = viewer(1920, 1080).page
            page.goto(f"{server.url}screen?seconds=0.5")
            for step, shown in (("bracket-standings-cup", "svg.bracket"), ("standings-cup", "td"), ("ladder", "td")):
                page.wait_for_selector(f"html[data-step={step}] #{step} {shown}:visible", timeout=60_000)
                assert page.locator("#screen > section:visible").count() == 1
            page.goto("about:blank")  # it would complain that the server is gone
        finally:
            server.stop()
