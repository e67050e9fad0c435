import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from learn_games import game

import arena_learn
from arena.cli import cli
from arena.errors import ExitCode
from arena.play.memory import MatchInMemory, play_in_memory
from arena_learn.datasets import collecting
from arena_learn.datasets.collecting import split_of
from arena_learn.datasets.decisions import Recorded
from arena_learn.spaces.watch import Watch


@pytest.fixture(scope="module")
def replays(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("replays")
    for seed in range(6):
        bots = ["builtin:pianist", "builtin:rowdy"]
        path = folder / "league" / f"{seed}.arena"
        path.parent.mkdir(exist_ok=True)
        play_in_memory("saloon", bots, seed=seed, options={"max_turns": 10}, replay=path)
    return folder


def run(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(cli, ["dataset", *map(str, arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result.output


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [row for file in sorted(folder.glob("*.parquet")) for row in pq.read_table(file).to_pylist()]


def test_a_row_for_each_decision_and_a_manifest(replays: Path, tmp_path: Path) -> None:
    said = run(replays, "-o", tmp_path / "data")
    rows = rows_of(tmp_path / "data")
    manifest = json.loads((tmp_path / "data/manifest.json").read_text())
    assert f"has {len(rows)} decisions of 6 matches" in said
    assert manifest["decisions"] == len(rows) > 100
    assert manifest["cut_off"] == manifest["actions_without_number"] == 0
    assert {one["seed"] for one in manifest["matches"]} == set(range(6))
    size = len(rows[0]["observation"])
    layout = arena_learn.layout("saloon", max_turns=10)
    assert (size, manifest["layout_hash"]) == (layout.observation_size, layout.hash)
    for row in rows:
        assert row["refused"] or row["action"] in row["legal"]
        assert row["bot"] == ("pianist", "rowdy")[row["seat"]]
        assert row["outcome"] == 2 * row["points"] - 1
    assert {one["match"] for one in manifest["matches"]} == {row["match"] for row in rows}


def test_matches_stay_whole_in_their_split(replays: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, int] = {}
    monkeypatch.setattr(collecting, "split_of", lambda match: ("train", "test")[seen.setdefault(match, len(seen)) % 2])
    run(replays, "-o", tmp_path / "data")
    manifest = json.loads((tmp_path / "data/manifest.json").read_text())
    for split in ("train", "test"):
        found = pq.read_table(tmp_path / "data" / f"{split}.parquet")["match"].to_pylist()
        assert set(found) == {one["match"] for one in manifest["matches"] if one["split"] == split}
        assert len(found) == sum(one["decisions"] for one in manifest["matches"] if one["split"] == split)


def test_of_ten_matches_about_eight_train() -> None:
    counts = Counter(split_of(str(number)) for number in range(5000))
    assert counts["train"] == pytest.approx(4000, rel=0.05)
    assert counts["validation"] == pytest.approx(500, rel=0.2)
    assert counts["test"] == pytest.approx(500, rel=0.2)


def test_the_rows_are_what_the_environment_shows(tmp_path: Path) -> None:
    seen = []
    env = arena_learn.seat("snakes", "builtin:hatchling", players=2, illegal="mask")
    observation, _ = env.reset(seed=3)
    path = tmp_path / "m.arena"
    actions = []
    done = False
    while not done:
        seen.append(observation["observation"])
        action = int(np.flatnonzero(observation["action_mask"])[-1])
        actions.append(action)
        observation, _, done, _, _ = env.step(action)
    again = iter(actions)

    def same(turn: Any) -> Any:
        direction = ("up", "down", "left", "right")[next(again) - 1]
        return next(one for one in turn.legal_actions if one["direction"] == direction)

    play_in_memory("snakes", [same, "builtin:hatchling"], seed=3, options={"players": 2}, replay=path)
    match = Recorded.of(path)
    rows = list(match.decisions(Watch(match.layout), lambda player: player == 0))
    assert [row.action for row in rows] == actions
    for row, one in zip(rows, seen, strict=True):
        assert (row.observation == one).all()


def test_a_bot_or_seat_that_never_played(replays: Path, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "data"
    for arguments, message in (
        (("--bot", "rowdi"), "No bot rowdi played in these replays (did you mean rowdy?)."),
        (("--seat", "2"), "There is no seat 2 of saloon here: seats are 0 to 1."),
        (("--bot", "rowdy", "--seat", "0"), "These replays have no decision of these bots on this seat."),
        (("--format", "minari", "--seat", "5"), "There is no seat 5"),
    ):
        assert message in run(replays, "-o", out, *arguments, code=ExitCode.BAD_OPTION)
        assert not (tmp_path / "deep").exists(), "nothing is left behind"


def test_a_player_who_leaves_against_the_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from arena_snakes.state import Game

    path = tmp_path / "left.arena"
    match = MatchInMemory("snakes", [None, "builtin:hatchling", "builtin:hatchling"], seed=1, replay=path)
    match.play()
    match.resign(0)
    match.play()
    assert "decisions of 1 matches" in run(path, "-o", tmp_path / "left")
    monkeypatch.setattr(Game, "leave", lambda _self, _player: 1 / 0)
    assert "does not follow the rules" in run(path, "-o", tmp_path / "data", code=ExitCode.DIFFERENCE)
    assert not (tmp_path / "data").exists()


def test_only_one_bot_or_seat(replays: Path, tmp_path: Path) -> None:
    run(replays, "-o", tmp_path / "bot", "--bot", "rowdy")
    assert {row["seat"] for row in rows_of(tmp_path / "bot")} == {1}
    run(replays, "-o", tmp_path / "seat", "--seat", "0")
    assert {row["bot"] for row in rows_of(tmp_path / "seat")} == {"pianist"}


def test_minari_loads_the_episodes_of_a_seat(replays: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import minari

    assert "has one seat" in run(replays, "-o", tmp_path / "no", "--format", "minari", code=ExitCode.USAGE)
    run(replays, "-o", tmp_path / "data", "--format", "minari", "--seat", "1")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "data"))
    dataset = minari.load_dataset("arena/saloon/seat-1-v0")
    episodes = list(dataset.iterate_episodes())
    assert len(episodes) == 6
    for episode in episodes:
        assert len(episode.observations) == len(episode.actions) + 1
        assert episode.terminations[-1]
        assert episode.rewards[-1] in (-1, 0, 1)


def test_mistakes_have_one_message_and_an_exit_code_each(replays: Path, tmp_path: Path) -> None:
    one = next(replays.rglob("*.arena"))
    data = tmp_path / "data"
    (tmp_path / "empty").mkdir()
    assert "There is no replay in" in run(tmp_path / "empty", "-o", data, code=ExitCode.NOT_A_REPLAY)
    assert "no file and no folder" in run(tmp_path / "none", "-o", data, code=ExitCode.NOT_A_REPLAY)
    assert "is not empty" in run(one, "-o", replays, code=ExitCode.CANNOT_WRITE)
    text = tmp_path / "text.arena"
    text.write_text("no replay")
    assert "not a replay" in run(text, "-o", data, code=ExitCode.NOT_A_REPLAY)
    other = tmp_path / "other.arena"
    play_in_memory("saloon", ["builtin:rowdy"] * 2, seed=1, options={"max_turns": 4}, replay=other)
    assert "has other options than" in run(one, other, "-o", tmp_path / "two", code=ExitCode.BAD_OPTION)
    snakes = tmp_path / "snakes.arena"
    play_in_memory("snakes", ["builtin:hatchling"] * 2, seed=1, replay=snakes)
    assert "has another game than" in run(one, snakes, "-o", tmp_path / "three", code=ExitCode.BAD_OPTION)
    cut = tmp_path / "cut.arena"
    match = MatchInMemory("saloon", [None, None], seed=1, replay=cut)
    match.close()
    assert "has no result" in run(cut, "-o", tmp_path / "four", code=ExitCode.DAMAGED_REPLAY)


def test_a_replay_of_other_rules(replays: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = next(replays.rglob("*.arena"))
    from dataclasses import replace

    from arena.study.replaying import course

    monkeypatch.setattr(course, "find_game", lambda name: replace(game(name), version="99"))
    said = run(one, "-o", tmp_path / "data", code=ExitCode.UNKNOWN_GAME)
    assert "installed is 99" in said
    assert said.count("Error") == 1
