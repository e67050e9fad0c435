"""Models on the seats of real matches: commands, contests, outages, and a gateway that dies."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner, Result
from fake_provider import Behaviour, Body, Configured, Handler, player

from arena.cli import cli
from arena.errors import ArenaError
from arena.match.job import Job, SeatAssignment
from arena.match.result import MatchResult
from arena.match.void import OUTAGE
from arena.play.referee.match_process import ForkServer, play_in_process
from arena.study.checks.verification import verify

SCHEMA = {"answer": "schema"}
pytestmark = pytest.mark.process


def play(*bots: str, server: ForkServer | None = None, **settings: Any) -> MatchResult:
    return play_in_process(Job("snakes", tuple(map(SeatAssignment, bots)), seed=1, **settings), server)


def test_a_match(configured: Configured, tmp_path: Path) -> None:
    provider = configured(player(), SCHEMA, price_in=2.0)
    replay = tmp_path / "m.arena"
    result = play("llm:small", "builtin:forager", replay=str(replay), require_isolation=1)
    model = result.players[0]
    assert result.has_verdict
    assert (model.name, model.bot, model.failed) == ("small", "llm:small", False)
    assert model.counts["requests"] == len(provider.bodies) > 0
    assert model.counts["cost"] == pytest.approx(model.counts["tokens_in"] * 2e-6)
    assert result.isolation.level > 0, "that of the bots"
    assert verify(replay).ok


def test_how_it_ends_is_in_the_result(configured: Configured) -> None:
    configured(lambda handler, _: handler.answer("s0 move"))
    loser = play("llm:small", "builtin:forager").players[0]
    assert (loser.ending, loser.counts["unreadable"]) == ("resigned", 3)
    assert "3 answers without an order in one turn" in loser.detail


def broken(handler: Handler, _: Body) -> None:
    handler.begin(500)


def test_an_outage_makes_the_match_void(configured: Configured) -> None:
    configured(broken, tries=1)
    result = play("llm:small", "builtin:forager")
    assert result.outcome.reason == OUTAGE
    assert not result.has_verdict
    assert result.without_void() == result, "nobody is charged"
    assert "status 500" in result.players[0].detail
    assert result.players[0].counts["outages"] == 2


def test_a_gateway_that_dies_makes_the_match_void(configured: Configured) -> None:
    """Also the next match of the same command has a gateway."""
    answer = player()
    killed: list[int] = []

    def behave(handler: Handler, body: Body) -> None:
        if not killed:
            killed.append(child_with("arena_agents.gateway"))
            os.kill(killed[0], signal.SIGKILL)
        answer(handler, body)

    configured(behave, SCHEMA)
    server = ForkServer("snakes")
    try:
        assert play("llm:small", "builtin:forager", server=server).outcome.reason == OUTAGE
        assert play("llm:small", "builtin:forager", server=server).has_verdict
    finally:
        server.close()


def child_with(word: str) -> int:
    """Return the id of the child process whose command has a word."""
    me = str(os.getpid())
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = folder.joinpath("stat").read_text().rpartition(") ")[2].split()[1]
            if parent == me and word in folder.joinpath("cmdline").read_text():
                return int(folder.name)
        except OSError:
            continue
    raise AssertionError(f"No child process has {word} in its command.")


def test_the_cost_limit_stops_the_command(configured: Configured) -> None:
    configured(player(), SCHEMA, price_in=1e4, cost_limit=1.5)
    server = ForkServer("snakes")
    try:
        assert "cost limit" in play("llm:small", "builtin:forager", server=server).players[0].detail
        with pytest.raises(ArenaError, match="The cost limit of llm:small is reached") as raised:
            play("llm:small", "builtin:forager", server=server)
        assert raised.value.exit_code == 24
    finally:
        server.close()


@pytest.mark.kill
def test_fifty_outages_in_twenty_matches_cause_no_loss(configured: Configured) -> None:
    """Every match with short outages ends as the same match without them. `test_playing` has the short form."""
    outages, matches = 50, 20
    rng = Random(1)
    lock = threading.Lock()
    left = [0]

    def behave(handler: Handler, body: Body) -> None:
        with lock:
            fails = left[0] > 0 and rng.random() < 0.4
            left[0] -= fails
        if fails:
            rng.choice(FAILURES)(handler, body)
        else:
            handler.answer("s0 move up" if "turn 1," in body["messages"][1]["content"] else "s0 move left")

    def results() -> list[MatchResult]:
        server = ForkServer("snakes")
        try:
            seats = (SeatAssignment("llm:small"), SeatAssignment("builtin:forager"))
            return [play_in_process(Job("snakes", seats, seed=seed), server) for seed in range(matches)]
        finally:
            server.close()

    configured(behave, silence=0.5)
    calm = results()
    left[0] = outages
    stormy = results()
    assert left[0] == 0 or sum(result.players[0].counts["outages"] for result in stormy) > outages / 2
    for result, other in zip(stormy, calm, strict=True):
        assert not result.has_verdict or (result.outcome, result.course) == (other.outcome, other.course)


def cut(handler: Handler, _: Body) -> None:
    handler.begin()
    handler.piece("s0 mo")


def silent(handler: Handler, _: Body) -> None:
    handler.begin()
    handler.server.stopped.wait(1)


FAILURES: list[Behaviour] = [broken, cut, silent, lambda handler, _: handler.begin(429, retry_after="0")]


CONTEST = """\
[contest]
name = "Models"
game = "snakes"
matches_at_once = 1
[[bots]]
path = "llm:small"
[[bots]]
path = "builtin:forager"
[[stages]]
name = "all"
format = "round_robin"
"""


@pytest.fixture
def arena(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Runs ``arena ARGS...`` in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return lambda *words: CliRunner().invoke(cli, words, prog_name="arena")


def test_a_contest_has_the_four_columns_and_the_counts(
    configured: Configured, arena: Callable[..., Result], tmp_path: Path
) -> None:
    provider = configured(lambda handler, _: handler.answer("what?"))
    (tmp_path / "contest.toml").write_text(CONTEST)
    ran = arena("contest", "run", "contest.toml")
    assert ran.exit_code == 0, ran.output
    assert "small: is no bot, and is not tried" in ran.output
    document = json.loads(arena("contest", "standings", "contest.toml", "--all", "--json").stdout)
    row = next(row for row in document["behaviour"] if row["name"] == "small")
    assert (row["won"], row["lost_by_play"], row["voids"]) == (0, 0, 0)
    assert row["lost_by_form"] == row["matches"] > 0
    assert f"unreadable {len(provider.bodies)}" in row["counts"]


def test_a_comparison_says_how_the_model_lost(configured: Configured, arena: Callable[..., Result]) -> None:
    configured(lambda handler, _: handler.answer("what?"))
    ran = arena("compare", "snakes", "llm:small", "builtin:forager", "--games", "2")
    assert "small: 0 won, 0 drawn, 0 lost by play, 2 lost by form, 0 void; requests 6, unreadable 6" in ran.stdout
    refused = arena("compare", "snakes", "llm:other", "builtin:forager", "--games", "2")
    assert refused.exit_code == 5
    assert "There is no model llm:other" in refused.stderr


def test_a_cost_limit_keeps_what_was_played(configured: Configured, arena: Callable[..., Result]) -> None:
    """Each answer costs 1, and each of the games has at most two."""
    configured(lambda handler, _: handler.answer("what?"), unreadable=0, price_in=1e4, cost_limit=3.5)
    ran = arena("compare", "snakes", "llm:small", "builtin:forager", "--games", "20", "--at-once", "1", "--json")
    assert ran.exit_code == 24
    assert "cost limit of llm:small" in ran.stderr
    document = json.loads(ran.stdout)
    assert document["games"] == 4
    assert document["counts"][0]["requests"] == 4


def test_an_outage_is_told_and_counted(configured: Configured, arena: Callable[..., Result]) -> None:
    """The first match is void, and the next ones count."""
    down = [broken]

    def behave(handler: Handler, body: Body) -> None:
        down.pop()(handler, body) if down else handler.answer("what?")

    configured(behave, tries=0)
    ran = arena("play", "snakes", "llm:small", "builtin:forager", "--replay", "none", "--json", "--no-swap")
    assert ran.exit_code == 24
    assert json.loads(ran.stdout)["void"].startswith("outage; small: the provider refused with status")
    down.append(broken)
    ran = arena("compare", "snakes", "llm:small", "builtin:forager", "--games", "2", "--json")
    document = json.loads(ran.stdout)
    assert (document["void"], document["counts"][0]["outages"]) == (1, 1)


def test_outages_are_void_in_a_contest_and_a_cost_limit_stops_it(
    configured: Configured, arena: Callable[..., Result], tmp_path: Path
) -> None:
    configured(broken, tries=0)
    (tmp_path / "contest.toml").write_text(CONTEST)
    assert arena("contest", "run", "contest.toml", "--limit", "1").exit_code == 0
    document = json.loads(arena("contest", "standings", "contest.toml", "--all", "--json").stdout)
    row = next(row for row in document["behaviour"] if row["name"] == "small")
    assert (row["won"], row["lost_by_play"], row["lost_by_form"]) == (0, 0, 0)
    assert row["voids"] > row["matches"] == 1, "it was played again"
    configured(broken, tries=0, cost_limit=0.0)
    stopped = arena("contest", "run", "contest.toml")
    assert stopped.exit_code == 16
    assert "through no fault of the bots" in stopped.stderr
    assert "The cost limit of llm:small is reached" in stopped.stderr
