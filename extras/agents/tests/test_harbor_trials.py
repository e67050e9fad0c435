"""Trials of a task for coding agents: honest bots, and attempts to get a reward without playing."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner
from harbor_attempts import HANDED_IN, LEFT_BEHIND, Attempt
from harbor_trial import Trial
from shortened import shortened

from arena.cli import cli
from arena_agents.harbor.export import GAMES

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.process,
    pytest.mark.slow,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can make containers without user namespaces"),
]


def export(*options: str | Path) -> None:
    done = CliRunner().invoke(cli, ["task", "export", "snakes", *map(str, options)])
    assert done.exit_code == 0, done.output


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a task with four short games."""
    folder = tmp_path_factory.mktemp("harbor") / "task"
    export("--against", "builtin:hatchling", "-o", folder)
    rubric = folder / "tests/rubric.toml"
    text = rubric.read_text().replace(f"games = {GAMES}", "games = 4")
    rubric.write_text(f"{text}\n[options]\nplayers = 2\nsize = 7\n")
    return folder


@pytest.fixture
def trial(task: Path, tmp_path: Path) -> Trial:
    return Trial(task, tmp_path / "trial")


def test_the_solution_has_a_reward(trial: Trial) -> None:
    trial.agent("/solution/solve.sh")
    reward = trial.verify()
    assert reward is not None, trial.done.stderr
    assert 0 < reward <= 1, trial.done.stdout
    logs = trial.folder / "logs/verifier"
    assert reward == pytest.approx(json.loads((logs / "grade.json").read_text())["score"] / 100, abs=1e-4)
    assert len(tomllib.loads((logs / "rubric.toml").read_text())["rubric"]["seed"]) == 32


@pytest.mark.kill  # games of four snakes take longer
def test_the_first_bot_of_everybody_has_a_reward(trial: Trial, tmp_path: Path) -> None:
    trial.task = tmp_path / "task"
    export("--against", "builtin:forager", "-o", trial.task)
    trial.agent("/opt/arena/bin/python -m arena new snakes bot")
    reward = trial.verify(600)
    assert reward is not None, trial.done.stderr
    assert 0.1 < reward < 0.5, trial.done.stdout


def test_no_bot_has_the_reward_0(trial: Trial) -> None:
    assert trial.verify() == 0.0


def test_nothing_that_an_agent_leaves_behind_counts(trial: Trial) -> None:
    for attempt in LEFT_BEHIND.values():
        trial.agent(attempt.script)
        trial.environment |= attempt.environment
    assert trial.verify() == 0.0, trial.done.stderr


ATTEMPTS = HANDED_IN | LEFT_BEHIND


@pytest.mark.parametrize("name", shortened(ATTEMPTS, 3))
def test_an_attempt_gains_nothing(trial: Trial, name: str) -> None:
    attempt: Attempt = ATTEMPTS[name]
    trial.agent(attempt.script)
    trial.environment |= attempt.environment
    assert trial.verify() == 0.0, trial.done.stdout + trial.done.stderr


@pytest.mark.kill  # seldom changed
def test_whoever_plays_too_long_has_the_reward_0(trial: Trial, tmp_path: Path) -> None:
    trial.task = shutil.copytree(trial.task, tmp_path / "hurried")
    script = trial.task / "tests/test.sh"
    script.write_text(re.sub(r"verify.py \d+", "verify.py 4", script.read_text()))
    trial.agent("mkdir bot; echo 'import time; time.sleep(100)' > bot/main.py")
    assert trial.verify() == 0.0
    assert "took more than 4 s" in trial.done.stdout


def test_outside_of_the_verifier_nothing_is_graded(trial: Trial) -> None:
    script = (trial.task / "tests/test.sh").read_text()
    with pytest.raises(subprocess.CalledProcessError, match="exit status 1"):
        trial.agent(f"/solution/solve.sh; {script}")
    assert not (trial.folder / "logs/verifier/reward.json").exists()
