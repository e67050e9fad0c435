"""Models on the seats of matches in memory: with the same program as in a sandbox, and the same result."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from code_blocks import blocks
from fake_provider import Body, Configured, Handler, player
from test_seat import broken, child_with, play

from arena.bots.players import OpenPlayers
from arena.cli import cli
from arena.errors import ArenaError
from arena.match.void import OUTAGE
from arena.play.memory import MatchInMemory, play_in_memory
from arena.study.checks.verification import verify
from arena_replays import printed

SCHEMA = {"answer": "schema"}
SEATS = ["llm:small", "builtin:forager"]
pytestmark = pytest.mark.process


def test_the_match_is_that_of_a_sandbox(configured: Configured, tmp_path: Path) -> None:
    provider = configured(player(), SCHEMA, price_in=2.0)
    outside = play(*SEATS)
    provider.behave = player()
    result = play_in_memory("snakes", SEATS, seed=1, replay=tmp_path / "m.arena")
    assert (result.course, result.digest) == (outside.course, outside.digest)
    assert result.agrees_with(outside)
    model, other = result.players[0], outside.players[0]
    assert (model.name, model.bot_hash, model.bot) == (other.name, other.bot_hash, other.bot)
    assert {**model.counts, "seconds": 0} == {**other.counts, "seconds": 0} != {}
    assert verify(tmp_path / "m.arena").ok
    assert "first prompt" in "\n".join(printed(tmp_path / "m.arena"))


def test_resignations_and_outages_are_told_apart(configured: Configured, tmp_path: Path) -> None:
    provider = configured(lambda handler, _: handler.answer("s0 move"), tries=1)
    with OpenPlayers("snakes") as models:
        loser = play_in_memory("snakes", SEATS, seed=1, open_players=models).players[0]
        assert (loser.ending, loser.counts["unreadable"]) == ("resigned", 3)
        assert "3 answers without an order in one turn" in loser.detail
        provider.behave = broken
        result = play_in_memory("snakes", SEATS, seed=1, open_players=models, replay=tmp_path / "m.arena")
    assert result.outcome.reason == OUTAGE
    assert result.without_void() == result, "nobody is charged"
    assert ("status 500" in result.players[0].detail, result.players[0].counts["outages"]) == (True, 2)
    assert verify(tmp_path / "m.arena").ok


def test_a_cost_limit_holds_for_all_matches_that_share_the_players(configured: Configured) -> None:
    configured(player(), SCHEMA, price_in=1e4, cost_limit=1.5)
    with OpenPlayers("snakes") as models:
        assert "cost limit" in play_in_memory("snakes", SEATS, seed=1, open_players=models).players[0].detail
        with pytest.raises(ArenaError, match="cost limit"):
            play_in_memory("snakes", SEATS, seed=1, open_players=models)


def test_the_caller_plays_against_a_model(configured: Configured) -> None:
    configured(player(), SCHEMA)
    match = MatchInMemory("snakes", ["llm:small", None], seed=1, names=["a", "b"])
    with pytest.raises(ValueError, match="updates of player 0 are for a"):
        match.updates(0)
    while (seat := match.play()) is not None:
        match.act(seat, match.legal_actions(seat)[0])
    assert match.result().has_verdict


def test_a_gateway_that_dies_makes_the_match_void(configured: Configured) -> None:
    def behave(handler: Handler, body: Body) -> None:
        os.kill(child_with("arena_agents.gateway"), signal.SIGKILL)

    configured(behave, SCHEMA)
    result = play_in_memory("snakes", SEATS, seed=1)
    assert (result.outcome.reason, result.players[0].detail) == (
        OUTAGE,
        "the connection to the player's program is lost",
    )


def test_the_code_of_the_document_runs(configured: Configured) -> None:
    provider = configured(player(), SCHEMA)
    document = Path(__file__).parents[3] / "docs" / "language-models.md"
    (own,) = (block for block in blocks(document, "python") if "OpenPlayers" in block)  # test_harnesses runs the others
    exec(own.replace("range(10)", "range(2)"), {})
    assert len({body["messages"][0]["content"] for body in provider.bodies}) > 1


def test_commands(configured: Configured) -> None:
    configured(player(), SCHEMA)

    def run(*words: str) -> Any:
        ran = CliRunner().invoke(cli, [*words, "--in-memory", "--json"])
        assert ran.exit_code == 0, ran.output
        return json.loads(ran.stdout)

    compared = run("compare", "snakes", "llm:small", "builtin:hatchling", "--games", "4")
    assert compared["games"] == 4
    assert compared["counts"][0]["requests"] > 0
    assert set(compared["record"][0]) == {"won", "drawn", "lost_by_play", "lost_by_form"}
    assert run("play", "snakes", "llm:small", "llm:small")["players"][0]["counts"]["requests"] > 0


def test_commands_say_that_the_provider_failed(configured: Configured, tmp_path: Path) -> None:
    provider = configured(broken, tries=0)

    def run(*words: str) -> tuple[int, str]:
        ran = CliRunner().invoke(cli, words)
        return ran.exit_code, ran.output + ran.stderr

    replay = str(tmp_path / "m.arena")
    code, text = run("play", "snakes", *SEATS, "--in-memory", "--games", "2", "--replay", "none")
    assert code == 24
    assert "small void: the provider refused with status 500\n" in text
    assert "small: requests 2, outages 2" in text
    assert run("compare", "snakes", *SEATS, "--in-memory", "--games", "2")[0] == 24
    code, text = run("play", "snakes", *SEATS, "--replay", replay)
    assert (code, "Its output" in text) == (24, False)
    provider.behave = player()
    for words in (("rerun", replay, "llm:small", "--player", "0"), ("bot", "check", "llm:small", "--game", "snakes")):
        code, text = run(*words)
        assert (code, "small is a player of another distribution" in text) == (5, True), text


def test_training_against_a_model(configured: Configured) -> None:
    """The other distributions get it with the match in memory."""
    environments = pytest.importorskip("arena_learn.environments.single")
    provider = configured(player(), SCHEMA)
    environment = environments.ArenaSeat("snakes", opponents="llm:small", seat=0)
    _, info = environment.reset(seed=1)
    ended = False
    while not ended:
        ended, info = environment.step(int(info.get("action", 0)))[2::2]
    environment.close()
    assert info["ending"] in ("won", "lost", "drawn")
    assert provider.bodies
