"""`arena bot check`: a correct client passes every scenario, and each planted defect fails its own scenario."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.bots.bot import Bot, load_bot
from arena.cli.new import template_files
from arena.match.lookup import find_game
from arena.study.checks import client
from arena.study.checks.client import ClientReport, check_client

pytestmark = pytest.mark.sandbox

SOURCE = Path(__file__).with_name("raw_client.py").read_text()
DEFECTS = {
    "has another schema": (client.Scenario, "did not start"),
    "is never ready": (client.Scenario, "did not start"),
    "counts wrongly": (client.Scenario, "sent a bad message"),
    "sends unknown fields": (client.Scenario, "sent a bad message"),
    "stays after the end": (client.Scenario, "still running"),
    "fails at the end": (client.Scenario, "exit code 4"),
    "talks out of turn": (client.Quiet, "sent a bad message"),
    "stops at a refusal": (client.Refusing, "ValueError: bad_argument"),
    "stops when it is late": (client.Late, "ValueError: too late"),
    "knows no object that returns": (client.Returning, "KeyError"),
    "expects each field once": (client.Repeating, "AssertionError"),
    "has a small buffer": (client.Big, "MemoryError"),
    "knows all keys": (client.UnknownKeys, "ValueError: unknown keys"),
    "expects a start": (client.OverAtStart, "ValueError: over"),
    "stays when refused": (client.RefusedAction, "still running"),
    "waits for a dead referee": (client.RefereeGone, "still running"),
}
QUIET_AT_FIRST = {"stops at a refusal", "talks out of turn"}
"""Defects that a whole match can meet as well."""


def raw_client(folder: Path, defect: str = "") -> Bot:
    folder.mkdir()
    (folder / "main.py").write_text(SOURCE.replace('DEFECT = ""', f"DEFECT = {defect!r}", 1))
    (folder / "bot.toml").write_text('name = "raw"\ngame = "snakes"\ncommand = ["python", "main.py"]\n')
    return load_bot(folder)


def check(bot: Bot, *played: type[client.Scenario], turn: float | None = None) -> ClientReport:
    game = find_game("snakes")
    if turn is not None:
        game = replace(game, clock=replace(game.clock, turn=turn))
    return check_client(bot, game, game.resolve_options({"players": 2}), scenarios=played or client.SCENARIOS)


def test_a_correct_client_passes_every_scenario(tmp_path: Path) -> None:
    report = check(raw_client(tmp_path / "bot"))
    assert [line for line in report.lines if not line.passed] == []
    assert len(report.lines) == len(client.SCENARIOS)
    assert 0 < report.startup < 5
    assert report.turns > 0
    assert 0 < report.turn <= report.worst_turn


@pytest.mark.parametrize("defect", DEFECTS)
def test_each_defect_fails_its_own_scenario(tmp_path: Path, defect: str) -> None:
    kind, problem = DEFECTS[defect]
    report = check(raw_client(tmp_path / "bot", defect), kind)
    (line,) = report.lines
    assert not line.passed
    assert problem in line.problem
    assert line.last_sent.startswith('{"type": ')
    if kind is not client.Scenario and defect not in QUIET_AT_FIRST:
        assert check(raw_client(tmp_path / "again", defect), client.Scenario).passed


def test_a_bot_that_does_not_start_gets_one_line(tmp_path: Path) -> None:
    bot = raw_client(tmp_path / "bot")
    (bot.folder / "main.py").write_text("raise SystemExit(5)\n")
    report = check(bot)
    assert [line.passed for line in report.lines] == [False]
    assert "exit code 5" in report.lines[0].problem


LOOPS = {"uses the processor": "while True:\n            pass", "sleeps": "import time\n        time.sleep(1000)"}


@pytest.mark.slow
@pytest.mark.parametrize("how", LOOPS)
def test_a_bot_that_hangs_is_reported_once_with_the_line_of_the_loop(tmp_path: Path, how: str) -> None:
    for name, text in template_files(find_game("snakes"), "bot", "python").items():
        if "/" not in name:  # the rest is for editors
            (tmp_path / name).write_text(text)
    source = f"from snakes import AI\n\n\nclass Bot(AI):\n    def run_turn(self):\n        {LOOPS[how]}\n"
    (tmp_path / "main.py").write_text(source)
    report = check(load_bot(tmp_path), turn=1.5)
    (line,) = report.lines
    assert line.problem.startswith("ran out of time: took longer than "), line.problem
    assert re.search(r"\(at main\.py, line [67], in run_turn\)\. 13 more checks were not played", line.problem)


def test_a_bot_that_hangs_in_unusual_matches_is_checked_until_its_second_hang(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(client, "LONGEST_TURN", 0.5)
    game = find_game("snakes")
    short = replace(game, clock=replace(game.clock, turn=None))
    bot = raw_client(tmp_path / "bot", "never answers a refusal")
    options = game.resolve_options({"players": 2})
    played = (client.Scenario, client.Refusing, client.Big, client.Refusing, client.Quiet)
    report = check_client(bot, short, options, scenarios=played)
    assert [line.passed for line in report.lines] == [True, False, True, False]
    assert "more checks" not in report.lines[1].problem
    assert report.lines[-1].problem.endswith("1 more checks were not played")


def test_the_command_prints_the_report(tmp_path: Path, arena: Any) -> None:
    bot = raw_client(tmp_path / "bot", "fails at the end")
    done = arena("bot", "check", str(bot.folder), "-o", "players=2", "--json")
    assert done.code == 1, done.stderr
    report = json.loads(done.stdout)
    assert not report["passed"]
    assert next(line["name"] for line in report["lines"] if not line["passed"]) == "plays a whole match"
    (bot.folder / "bot.toml").write_text('command = ["python", "main.py"]\n')
    done = arena("bot", "check", str(bot.folder))
    assert done.code == 2
    assert "does not say for which game it is" in done.stderr


def test_a_crash_is_told_once_and_with_its_line(tmp_path: Path, arena: Any) -> None:
    for name, text in template_files(find_game("snakes"), "bot", "python").items():
        if "/" not in name:  # the rest is for editors
            (tmp_path / name).write_text(text)
    (tmp_path / "main.py").write_text(
        "from snakes import AI\n\n\nclass Bot(AI):\n    def run_turn(self):\n        {}['left']\n"
    )
    done = arena("bot", "check", str(tmp_path), "-o", "players=2")
    assert done.code == 1
    told = "crashed: exit code 1 (KeyError: 'left' at main.py, line 6, in run_turn)"
    assert done.stdout.count(told) == 1
    assert "FAILED  plays a whole match\n" in done.stdout
    assert "FAILED  continues after a refused action: as above\n" in done.stdout
    assert "ok      exits when it is refused\n" in done.stdout
