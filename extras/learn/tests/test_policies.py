import shutil
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from learn_games import game

import arena_learn
from arena.cli import cli
from arena.errors import ArenaError, ExitCode
from arena.play.memory import MatchInMemory, play_in_memory
from arena_learn.policies import Policy, PolicyError, command, network
from arena_learn.policies.examples import Examples, Recorder, corrected, examples_of
from arena_learn.policies.gradients import Adam, chances_of, gradients_of
from arena_learn.policies.new_bot import add_policy
from arena_learn.policies.training import _improve, advantages, clone, score, self_play

pytestmark = pytest.mark.slow


def run(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(cli, list(map(str, arguments)))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result.output


def test_a_policy_comes_back_from_its_file(tmp_path: Path) -> None:
    policy = Policy.new(arena_learn.layout("snakes", players=2), planes="centred")
    policy.save(tmp_path / "policy.npz")
    again = Policy.load(tmp_path / "policy.npz", game="snakes", schema=game("snakes").schema()["hash"])
    assert again.layout == policy.layout
    inputs = np.ones(policy.weights[0].shape[0], np.float32)
    assert (again.outputs(inputs)[0] == policy.outputs(inputs)[0]).all()


def test_files_that_are_no_policy_for_this_game(tmp_path: Path) -> None:
    policy = Policy.new(arena_learn.layout("snakes", players=2))
    path = tmp_path / "policy.npz"
    policy.save(path)
    with pytest.raises(PolicyError, match="is a policy for snakes, and not for saloon"):
        Policy.load(path, game="saloon")
    with pytest.raises(PolicyError, match="other rules of snakes"):
        Policy.load(path, schema="0" * 16)
    with pytest.raises(PolicyError, match="There is no policy"):
        Policy.load(tmp_path / "none.npz")
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(PolicyError, match="is no policy, or is damaged"):
        Policy.load(path)
    np.savez(path, weights_0=np.zeros(3))
    with pytest.raises(PolicyError, match="is no policy, or is damaged"):
        Policy.load(path)


@pytest.mark.parametrize("name", ["weights_0", "about"])
def test_a_policy_that_unpacks_to_much_more_is_refused_before_it_is_read(tmp_path: Path, name: str) -> None:
    """A file of 3 MB could take 6 GB."""
    path = tmp_path / "policy.npz"
    Policy.new(arena_learn.layout("snakes", players=2)).save(path)
    with np.load(path) as file:
        arrays = dict(file)
    size = network.LARGEST if name == "weights_0" else network.LARGEST_LAYOUT
    arrays[name] = np.append(arrays[name], np.full(size // arrays[name].itemsize, ord(" "), arrays[name].dtype))
    np.savez_compressed(path, **arrays)
    del arrays
    tracemalloc.start()
    try:
        with pytest.raises(PolicyError, match="is no policy, or is damaged"):
            Policy.load(path)
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["kuhn_poker", "saloon"])
def test_gradients_are_those_of_the_outputs(name: str) -> None:
    rng = np.random.default_rng(1)
    if name == "saloon":
        policy = Policy.new(arena_learn.layout("saloon", max_turns=6), (7,), planes="units")
        recorder = Recorder(policy, Examples())
        match = MatchInMemory("saloon", [recorder, "builtin:pianist"], seed=1, options={"max_turns": 6}, raises=True)
        match.play()
        inputs = np.stack(recorder.examples.inputs)[-5:].astype(np.float64)
    else:
        policy = Policy.new(arena_learn.layout(game(name)), (7,))
        inputs = rng.standard_normal((5, policy.weights[0].shape[0]))
    policy.weights = [one.astype(np.float64) + 0.01 for one in policy.weights]
    wanted = rng.standard_normal((5, policy.layout.action_count + 1))
    found = gradients_of(policy, inputs, wanted)

    def value() -> float:
        scores, values = policy.outputs(inputs)
        return float((np.concatenate([scores, values[:, None]], 1) * wanted).sum())

    for number, weights in enumerate(policy.weights):
        place = tuple(int(rng.integers(size)) for size in weights.shape)
        before = value()
        weights[place] += 1e-6
        assert (value() - before) / 1e-6 == pytest.approx(found[number][place], rel=1e-3, abs=1e-6)
        weights[place] -= 1e-6


def test_units_share_their_weights_wherever_they_stand() -> None:
    """A unit with equal surroundings and an equal row has equal scores, whatever its number is."""
    layout = arena_learn.layout("saloon")
    policy = Policy.new(layout, (16,), planes="units", seed=3)
    units = policy.units
    assert units is not None
    first, second = [number for number, (table, _) in enumerate(units.units) if table == "Cowboy"][:2]
    inputs = np.zeros(units.input_size, np.float32)
    inputs[-2 * len(units.units) :] = -1
    places = inputs[-2 * len(units.units) :].reshape(-1, 2)
    places[first] = 5, 5
    one = policy.outputs(inputs)[0]
    places[first], places[second] = -1, (5, 5)
    other = policy.outputs(inputs)[0]
    move = next(action for action in layout.actions if action.name == "move")
    size = move.size // move.rows
    assert np.abs(one[move.first : move.first + size]).max() > 0
    assert one[move.first : move.first + size] == pytest.approx(other[move.first + size : move.first + 2 * size])


def test_a_teacher_corrects_what_the_policy_does() -> None:
    options = {"players": 2, "size": 7}
    policy = Policy.new(arena_learn.layout("snakes", **options), (8,), planes="units")
    found = corrected(policy, "snakes", "builtin:forager", options=options, matches=2)
    assert len(found.ends) == 2
    assert found.ends[-1] == len(found.actions) == len(found.returns) > 4
    assert all(mask[action] for mask, action in zip(found.legal, found.actions, strict=True))


def test_advantages_of_a_foreseen_outcome_are_zero() -> None:
    ones = np.ones(4, np.float32)
    assert advantages(ones, ones, [4]).tolist() == [0, 0, 0, 0]
    found = advantages(np.zeros(4, np.float32), np.array([1, 1, -1, -1], np.float32), [2, 4])
    assert found == pytest.approx([0.95, 1, -0.95, -1])


def test_a_clone_of_the_strongest_bot_then_self_play(tmp_path: Path) -> None:
    """The worked example of the documents in small."""
    options = {"players": 2, "size": 7}
    files = [tmp_path / f"{seed}.arena" for seed in range(10)]
    for seed, file in enumerate(files):
        play_in_memory("snakes", ["builtin:constrictor"] * 2, seed=seed, options=options, replay=file)
    policy = Policy.new(arena_learn.layout("snakes", **options), (16,), features=True, planes="units")
    examples = examples_of(policy, files)
    assert len(examples.actions) == len(examples.returns) > 300
    shares = []
    clone(policy, examples, epochs=14, batch=32, rate=3e-3, report=lambda _epoch, _loss, share: shares.append(share))
    assert max(shares) > 0.4, "of decisions that it has not seen; there are four moves"
    before = [one.copy() for one in policy.weights]
    rewards = []
    self_play(policy, "snakes", options=options, rounds=2, matches=4, report=lambda _round, mean: rewards.append(mean))
    assert len(rewards) == 2
    assert any((one != other).any() for one, other in zip(before, policy.weights, strict=True))
    policy.greedy = True
    assert score(policy, "snakes", policy, matches=4, options=options) == 0.5  # each pair of matches changes seats
    assert 0 <= score(policy, "snakes", "builtin:hatchling", matches=4, options=options) <= 1


def test_policy_gradients_find_what_wins() -> None:
    """Of two actions, the one after which the match was won gets more likely."""
    policy = Policy.new(arena_learn.layout(game("kuhn_poker")), (8,))
    inputs = np.ones(policy.weights[0].shape[0], np.float32)
    legal = np.array([0, 1, 1], np.int8)
    adam = Adam(policy.weights, 0.02)
    for _ in range(30):
        examples = Examples()
        for action, reward in ((1, 1.0), (2, -1.0)) * 4:
            examples.add(inputs, legal, action)
            examples.finish(reward)
        _improve(policy, examples, adam, 0.0)
    assert chances_of(policy.outputs(inputs)[0][None], legal[None])[0, 1] > 0.9


def test_a_policy_is_an_opponent(tmp_path: Path) -> None:
    policy = Policy.new(arena_learn.layout("saloon", max_turns=8), (16,))
    env = arena_learn.seat("saloon", policy, max_turns=8)
    env.reset(seed=1)
    while not env.step(int(np.flatnonzero(env.action_masks())[0]))[2]:
        pass


@pytest.fixture(scope="module")
def bot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("new") / "my_bot"
    run("new", "snakes", folder, "--learn")
    return folder


def test_the_new_bot_plays_what_the_policy_plays_in_training(bot: Path) -> None:
    policy = Policy.load(bot / "policy.npz")
    policy.greedy = True
    policy.save(bot / "policy.npz")
    options = {"players": 2}
    as_bot = MatchInMemory("snakes", [bot, "builtin:forager"], seed=5, options=options, raises=True)
    as_bot.play()
    as_policy = MatchInMemory("snakes", [policy, "builtin:forager"], seed=5, options=options, raises=True)
    as_policy.play()
    assert as_bot.result().digest == as_policy.result().digest
    assert (bot / "learned" / "tracker.py").is_file()
    copied = "".join(one.read_text() for one in (bot / "learned").glob("*.py"))
    assert "from arena_learn" not in copied


@pytest.mark.process
def test_what_is_checked_before_a_bot_is_handed_in(bot: Path, tmp_path: Path) -> None:
    said = run("policy", "check", bot)
    assert "is a policy for snakes" in said
    assert "start in" in said
    policy = Policy.new(arena_learn.layout("saloon"))
    other = tmp_path / "other"
    shutil.copytree(bot, other)
    policy.save(other / "policy.npz")
    assert "is a policy for saloon, and not for snakes" in run("policy", "check", other, code=ExitCode.BAD_BOT)
    (other / "policy.npz").unlink()
    assert "There is no policy" in run("policy", "check", other, code=ExitCode.BAD_BOT)


@pytest.mark.parametrize("ending", ["void", "no_build", "resigned", "crashed"])
def test_a_bot_that_does_not_end_its_match(bot: Path, monkeypatch: pytest.MonkeyPatch, ending: str) -> None:
    """The check asks for a regular end, so that no ending is forgotten."""
    result = play_in_memory("snakes", ["builtin:hatchling"] * 2, seed=1, options={"size": 7})
    failed = replace(result, players=(replace(result.players[0], ending=ending), *result.players[1:]))
    monkeypatch.setattr(command, "play_match", lambda *_, **__: failed)
    said = run("policy", "check", bot, code=ExitCode.NO_START)
    assert f"does not play a match to its end: {ending}" in said


def test_replays_of_other_options_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "m.arena"
    play_in_memory("snakes", ["builtin:hatchling"] * 2, seed=1, options={"size": 9}, replay=file)
    with pytest.raises(ArenaError, match="other rules or options"):
        examples_of(Policy.new(arena_learn.layout("snakes", players=2)), [file])


def test_games_that_are_not_for_two(tmp_path: Path) -> None:
    for name, kind in (("masks", "for 3 to 5 players"), ("lanterns", "a cooperative game")):
        with pytest.raises(ArenaError, match=f"games of two against each other, and {name} is {kind}"):
            add_policy(game(name), tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_new_bot_of_another_game(tmp_path: Path) -> None:
    wrong = run("new", "saloon", tmp_path / "x", "--learn", "--language", "cpp", code=ExitCode.USAGE)
    assert "written in Python" in wrong
    run("new", "saloon", tmp_path / "bot", "--learn")
    players = [tmp_path / "bot", "builtin:rowdy"]
    result = play_in_memory("saloon", players, seed=1, options={"max_turns": 12}, raises=True)
    assert result.players[0].ending in ("won", "lost", "drawn")
