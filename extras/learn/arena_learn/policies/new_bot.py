"""``arena new GAME DIR --learn``: a bot that plays with trained weights."""

from __future__ import annotations

from pathlib import Path
from string import Template

from arena.cli.extending import write_text
from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec
from arena_learn.policies.network import Policy
from arena_learn.spaces.features import has_features
from arena_learn.spaces.making import layout_of

PACKAGE = "learned"
"""The bot's own copy of the code that makes numbers of what it sees."""
POLICY = "policy.npz"
HERE = Path(__file__).parent
COPIED = {
    "layout.py": HERE.parent / "spaces" / "layout.py",
    "tracker.py": HERE.parent / "spaces" / "tracker.py",
    "actions.py": HERE.parent / "spaces" / "actions.py",
    "orders.py": HERE.parent / "spaces" / "orders.py",
    "planes.py": HERE.parent / "spaces" / "planes.py",
    "features.py": HERE.parent / "spaces" / "features.py",
    "network.py": HERE / "network.py",
    "units.py": HERE / "units.py",
    "bot.py": HERE / "bot.py",
}

MAIN = Template('''\
"""A bot for $title that plays with trained weights: policy.npz. `train.py` trains them."""

from pathlib import Path

from $game import AI
from learned.bot import PolicyPlayer


class $class_name(AI):
    """Plays what the policy chooses. `arena policy check .` says whether it can be handed in."""

    wants_legal_actions = True

    def start(self) -> None:
        """Read the weights, before the clock of the first turn runs."""
        self.policy = PolicyPlayer(self, Path(__file__).with_name("policy.npz"))

    def run_turn(self) -> None:
        """Send one action. It is called again while it is still your move."""
        self.act(self.policy.choose())
''')

TRAIN = Template('''\
"""Train policy.npz: imitate the strongest built-in bot, let it correct the clone, then play against copies."""

import os
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # for small networks, more threads are slower

import arena_learn
from arena.play.memory import play_in_memory
from arena_learn.policies.network import Policy
from arena_learn.policies.examples import corrected, examples_of
from arena_learn.policies.training import clone, score, self_play

HERE = Path(__file__).parent
TEACHER = "builtin:$teacher"
OPTIONS = $options
MATCHES, EPOCHS, CORRECTIONS, SHARE, ROUNDS = 200, 8, 4, 0.5, 100


def main() -> None:
    folder = HERE / "replays"
    folder.mkdir(exist_ok=True)
    files = [folder / f"{seed}.arena" for seed in range(MATCHES)]
    for seed, file in enumerate(files):
        if not file.exists():
            play_in_memory("$game", [TEACHER] * 2, seed=seed, options=OPTIONS, replay=file)
    layout = arena_learn.layout("$game", **OPTIONS)
    policy = Policy.new(layout, hidden=(128, 128), features=$features, planes="$planes")
    examples = examples_of(policy, files)
    clone(policy, examples, epochs=EPOCHS, report=lambda *row: print("clone", *row))
    policy.greedy = True
    for number in range(CORRECTIONS):  # its own mistakes lead to positions that the teacher's matches do not have
        examples.extend(corrected(policy, "$game", TEACHER, options=OPTIONS, share=SHARE, seed=number))
        clone(policy, examples, epochs=EPOCHS // 2, report=lambda *row: print("corrected", *row))
    self_play(policy, "$game", options=OPTIONS, rounds=ROUNDS, report=lambda *row: print("self-play", *row))
    policy.greedy = True
    policy.save(HERE / "policy.npz")
    print("points against the teacher:", score(policy, "$game", TEACHER, options=OPTIONS))


if __name__ == "__main__":
    main()
''')


def add_policy(game: GameSpec, folder: Path) -> None:
    """Change a new bot into one that plays with a policy. The policy plays at random until it is trained.

    The bot has a copy of the code that turns views into numbers: the very files of training. So it needs only NumPy
    where it plays, and does not change when `arena-learn` does.

    Raises:
        ArenaError: The game is not one of two players against each other, as `train.py` needs it.
    """
    if game.state.cooperative or 2 not in game.player_counts:
        kind = "a cooperative game" if game.state.cooperative else f"for {game.describe_players()}"
        raise ArenaError(
            f"--learn is for games of two against each other, and {game.name} is {kind}.",
            hint="Train with the environments of arena-learn, and load the policy as docs/learning.md shows.",
            exit_code=ExitCode.USAGE,
        )
    options = {"players": 2} if len(game.player_counts) > 1 else {}
    layout = layout_of(game, **options)
    planes = "units" if layout.planes and any(one.receiver for one in layout.actions) else ""
    features = has_features(game.name)
    words = {
        "game": game.name,
        "title": game.title,
        "class_name": _class_of((folder / "main.py").read_text(encoding="utf-8")),
        "teacher": game.bots[-1].name if game.bots else "search",
        "options": repr(options),
        "planes": planes,
        "features": repr(features),
    }
    write_text(folder / "main.py", MAIN.substitute(words))
    write_text(folder / "train.py", TRAIN.substitute(words))
    (folder / PACKAGE).mkdir()
    write_text(
        folder / PACKAGE / "__init__.py", '"""The code of arena-learn that this bot needs. Do not change it."""\n'
    )
    for name, source in COPIED.items():
        write_text(folder / PACKAGE / name, _own_imports(source.read_text(encoding="utf-8")))
    Policy.new(layout, (128, 128), features=features, planes=planes).save(folder / POLICY)


def _own_imports(source: str) -> str:
    """Let a copied file import its neighbours in the bot's package."""
    for part in ("spaces", "policies"):
        source = source.replace(f"from arena_learn.{part}.", f"from {PACKAGE}.")
    return source


def _class_of(main: str) -> str:
    """Return the name of the bot's class in a template: the last class that has a base named AI."""
    return next(line.split()[1].partition("(")[0] for line in main.splitlines() if "(AI):" in line)
