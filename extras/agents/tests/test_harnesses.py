"""The examples for other people's harnesses, with the real packages and a real server. They were written with these:

pip install inspect_ai==0.3.285 openai==3.57.0
pip install textarena==0.7.4 openai==3.57.0
pip install verifiers==0.4.0

Each needs an environment of its own: they pin different versions of openai. They are no dependencies of Arena, so a
test is skipped where its package is not installed.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from fake_provider import Body, Handler, providing

from arena.study.checks.verification import verify
from arena_replays import Reader, printed

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"
pytestmark = pytest.mark.process


def needs(package: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(find_spec(package) is None, reason=f"pip install {package}")


def straight(handler: Handler, body: Body) -> None:
    """Answer with an order that is legal at the start."""
    handler.answer("I go up.\ns0 move up")


def refusing(handler: Handler, _: Body) -> None:
    handler.begin(401, "text/plain")


def run(command: str, *words: str, folder: Path, url: str) -> subprocess.CompletedProcess[str]:
    """Run a command of another package, with a provider on this machine."""
    (folder / "models.toml").write_text("[models.policy]\npause = 0.01")
    ours = {"OPENAI_API_KEY": "k", "PYTHONPATH": str(EXAMPLES), "ARENA_LLM_FILE": str(folder / "models.toml")}
    program = [str(Path(sys.executable).with_name(command)), *words]
    environment = os.environ | ours | {"OPENAI_BASE_URL": url}
    return subprocess.run(program, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@needs("inspect_ai")
@pytest.mark.parametrize("works", [True, False])
def test_inspect_scores_whole_matches(tmp_path: Path, works: bool) -> None:
    with providing(straight if works else refusing) as provider:
        words = ["--model", "openai/m", "-M", "responses_api=false", "--log-format", "json", "--display", "plain"]
        shutil.copy(EXAMPLES / "inspect_match.py", tmp_path)  # Inspect runs a task in its folder
        ran = run("inspect", "eval", "inspect_match.py", *words, "-T", "count=2", folder=tmp_path, url=provider.url)
    assert ran.returncode == 0, ran.stdout
    (file,) = tmp_path.glob("logs/*.json")
    log = json.loads(file.read_text())
    assert log["status"] == ("success" if works else "error")
    for sample in log["samples"]:
        replay = tmp_path / f"snakes-{sample['id']}-1.arena"
        assert verify(replay).ok
        if not works:
            assert Reader(replay).outcome["reason"] == "outage"
            continue
        assert sample["scores"]["points"]["value"] == sample["metadata"]["result"]["players"][0]["points"]
        assert any("I go up." in line for line in printed(replay))


@needs("textarena")
@pytest.mark.parametrize("answer", ["up", "nothing"])
def test_agents_of_textarena_play_all_seats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str) -> None:
    import textarena
    import textarena_match  # noqa: F401  # registers the environment
    from textarena.agents import OpenAIAgent

    def answers(handler: Handler, body: Body) -> None:
        seat = body["messages"][-1]["content"].rpartition("You are player ")[2][0]
        handler.answer(f"s{seat} move up" if answer == "up" else "I do not know.")

    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with providing(answers) as provider:
        agents = [OpenAIAgent("m", base_url=provider.url) for _ in range(2)]
        environment = textarena.make("Arena-Snakes-v0", replay=str(tmp_path / "m.arena"))
        environment.reset(num_players=2, seed=1)
        done = False
        while not done:
            seat, observation = environment.get_observation()
            done, info = environment.step(agents[seat](observation))
        rewards, infos = environment.close()
    assert sum(rewards.values()) == 0
    assert verify(tmp_path / "m.arena").ok
    if answer == "nothing":
        assert (rewards[0], infos[0], info["reason"] != "") == (-1, {"reason": "resigned"}, True)


@needs("verifiers")
@pytest.mark.parametrize("works", [True, False])
def test_verifiers_records_and_rewards(tmp_path: Path, works: bool) -> None:
    words = ["verifiers_match", "-m", "m", "-n", "2", "--env.agent.runtime.type", "subprocess"]
    words += ["--client.api-key-var", "OPENAI_API_KEY"]
    with providing(straight if works else refusing) as provider:
        ran = run("vf-eval", *words, "--client.base-url", provider.url, folder=tmp_path, url=provider.url)
    (file,) = tmp_path.glob("outputs/*/traces.jsonl")
    episodes = [json.loads(line) for line in file.read_text().splitlines()]
    assert len(episodes) == 2, ran.stderr
    for episode in episodes:
        (trace,) = episode["traces"]
        assert [error["type"] for error in trace["errors"]] == ([] if works else ["ProviderError"])
        if not works:
            assert trace["rewards"] == {}
            continue
        player = trace["info"]["player"]
        assert trace["rewards"]["points"]["score"] == player["points"]
        assert trace["metrics"]["requests"] == player["counts"]["requests"] == len(trace["calls"]) > 0
