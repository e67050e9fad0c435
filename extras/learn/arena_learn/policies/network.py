"""A policy: a small network whose weights NumPy reads, with the layout that it was trained for."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from arena_learn.policies.units import SHARED, UnitLayers
from arena_learn.spaces.actions import Actions
from arena_learn.spaces.features import Features, names_of
from arena_learn.spaces.layout import Layout
from arena_learn.spaces.planes import Planes
from arena_learn.spaces.tracker import Tracker

if TYPE_CHECKING:
    from arena.game import Document

Array = NDArray[np.float32]
_DAMAGED = (
    *(OSError, ValueError, KeyError, TypeError, IndexError, AttributeError, MemoryError, RecursionError),
    *(zipfile.BadZipFile, zlib.error),
)
LARGEST = 128 * 2**20
"""The limit of the arrays of a policy in memory, in bytes. It is also that of the archive of a bot."""
LARGEST_LAYOUT = 2**20
"""The limit of the layout as JSON, in bytes. Those of the games have 3 to 13 KiB."""
RADIUS = 5
"""How far a policy with centred layers sees."""


class PolicyError(Exception):
    """A file is no policy, or the policy is for another game, other rules or other options."""


class Policy:
    """Layers of weights with ReLU between them. The last ones have a number for each action, and the value.

    A policy can be a player of a match in memory: it is called with a `Turn`.

    Args:
        layout: The layout of observations and actions.
        weights: Of each layer the matrix and the bias; with ``"units"``, those of `UnitLayers`.
        features: The names of the game's own features, which are inputs after the numbers; none if empty.
        planes: Which layers of the grid are inputs too, after these: ``""`` for none, ``"grid"`` for all of them,
            ``"centred"`` for the surroundings of the player's own first object, ``"units"`` for the surroundings of
            each unit that can act, with the same weights for all units.
        greedy: Whether the best action is played; otherwise one is drawn with its probability.
        seed: The seed of the draws.
    """

    def __init__(
        self,
        layout: Layout,
        weights: Sequence[Array],
        *,
        features: Sequence[str] = (),
        planes: str = "",
        greedy: bool = True,
        seed: int = 0,
    ) -> None:
        self.layout = layout
        self.weights = list(weights)
        self.features = tuple(features)
        self.planes = planes
        self.units = UnitLayers(layout, len(weights[3]), len(features)) if planes == "units" else None
        self.greedy = greedy
        self._rng = np.random.default_rng(seed)
        self._seats: dict[int, tuple[Any, PlayerInputs]] = {}

    @classmethod
    def new(
        cls,
        layout: Layout,
        hidden: Sequence[int] = (128,),
        *,
        features: bool = False,
        planes: str = "",
        seed: int = 0,
    ) -> Self:
        """Return a policy that has learned nothing: it plays at random.

        Args:
            layout: The layout.
            hidden: The sizes of the hidden layers; with ``"units"``, the first one is the size of all of them.
            features: Whether the game's own features are inputs too.
            planes: Which layers of the grid are inputs too.
            seed: The seed of the weights.

        Raises:
            FeaturesError: The game has no features.
            ValueError: The game has no units on a grid.
        """
        rng = np.random.default_rng(seed)
        names = names_of(layout.game) if features else ()
        if planes == "units":
            shapes, last = UnitLayers(layout, hidden[0], len(names)).shapes(), SHARED
        else:
            sizes = [input_size(layout, len(names), planes=planes), *hidden, layout.action_count + 1]
            shapes = [shape for rows, columns in pairwise(sizes) for shape in ((rows, columns), (columns,))]
            last = 2 * len(hidden)
        weights: list[Array] = []
        for number, shape in enumerate(shapes):
            scale = np.sqrt(2.0 / shape[0]) if number < last else 0.01
            found = rng.standard_normal(shape) * scale if len(shape) > 1 else np.zeros(shape)
            weights.append(found.astype(np.float32))
        return cls(layout, weights, features=names, planes=planes, greedy=False, seed=seed)

    def __getstate__(self) -> dict[str, Any]:
        """Return all but the matches that are being played: a copy plays others."""
        return self.__dict__ | {"_seats": {}}

    def outputs(self, inputs: Array) -> tuple[Array, Array]:
        """Return a number for each action, and the value, for one input or for many rows of them."""
        if self.units is not None:
            made = self.units.outputs(self.weights, inputs[None] if inputs.ndim == 1 else inputs)
            made = made[0] if inputs.ndim == 1 else made
            return made[..., :-1], made[..., -1]
        found = inputs
        for number in range(0, len(self.weights), 2):
            found = found @ self.weights[number] + self.weights[number + 1]
            if number < len(self.weights) - 2:
                found = np.maximum(found, 0)
        return found[..., :-1], found[..., -1]

    def fits(self) -> bool:
        """Return whether the weights have the shapes that the layout needs."""
        if self.units is not None:
            return [one.shape for one in self.weights] == self.units.shapes()
        size = input_size(self.layout, len(self.features), planes=self.planes)
        return self.weights[0].shape[0] == size and self.weights[-1].shape == (self.layout.action_count + 1,)

    def choose(self, inputs: Array, legal: Sequence[int]) -> int:
        """Return the number of one of the legal actions."""
        numbers = np.asarray(legal)
        scores = self.outputs(inputs)[0][numbers]
        if self.greedy:
            return int(numbers[scores.argmax()])
        chances = np.exp(scores - scores.max())
        return int(self._rng.choice(numbers, p=chances / chances.sum()))

    def __call__(self, turn: Any) -> Document:
        """Choose an action as a player of a match in memory."""
        state, player = turn.state, turn.player
        known = self._seats.get(player)
        if known is None or known[0] is not state:
            known = self._seats[player] = state, PlayerInputs.new(self, player)
        return known[1].choose(self, turn.view, turn.legal_actions, state.out())

    def save(self, path: str | Path) -> None:
        """Write the policy into one file (``.npz``)."""
        about = {
            "layout": self.layout.to_document(),
            "features": self.features,
            "planes": self.planes,
            "greedy": self.greedy,
        }
        arrays: dict[str, Any] = {f"weights_{number}": one for number, one in enumerate(self.weights)}
        with Path(path).open("wb") as file:
            np.savez(file, about=np.frombuffer(json.dumps(about).encode(), np.uint8), **arrays)

    @classmethod
    def load(cls, path: str | Path, *, game: str = "", schema: str = "") -> Self:
        """Read a policy.

        Args:
            path: The file.
            game: The game that it must be for; any if empty.
            schema: The hash of the game's schema that it must be for; any if empty.

        Raises:
            PolicyError: The file is no policy, or is for another game or other rules.
        """
        try:
            with Path(path).open("rb") as raw, np.load(raw, allow_pickle=False) as file:
                _check_size(file.zip.infolist())
                about = json.loads(file["about"].tobytes())
                weights = [file[f"weights_{number}"] for number in range(len(file.files) - 1)]
            layout = Layout.from_document(about["layout"])
            given = {name: about[name] for name in ("features", "planes", "greedy")}
            made = cls(layout, weights, **given)
            if not made.fits():
                raise ValueError
        except FileNotFoundError:
            raise PolicyError(f"There is no policy {path}.") from None
        except _DAMAGED:
            raise PolicyError(f"{path} is no policy, or is damaged. `Policy.save` writes one.") from None
        if game and layout.game != game:
            raise PolicyError(f"{path} is a policy for {layout.game}, and not for {game}.")
        if schema and layout.schema != schema:
            raise PolicyError(
                f"{path} is a policy for other rules of {layout.game}: version {layout.version} with the schema "
                f"{layout.schema}, and not {schema}. Train it again."
            )
        return made


def _check_size(members: Sequence[zipfile.ZipInfo]) -> None:
    """Refuse a file that takes much more memory than its bytes: NumPy can also read arrays that are compressed."""
    about = sum(one.file_size for one in members if one.filename == "about.npy")
    if about > LARGEST_LAYOUT or sum(one.file_size for one in members) > LARGEST:
        raise ValueError


def input_size(layout: Layout, features: int, *, planes: str) -> int:
    """Return how many numbers go into a policy."""
    width, height = layout.grid
    if planes == "units":
        return UnitLayers(layout, 1, features).input_size
    size = layout.observation_size + features
    if planes == "centred":
        width = height = 2 * RADIUS + 1
        return size + (len(layout.planes) + 1) * width * height
    return size + (len(layout.planes) * width * height if planes else 0)


class PlayerInputs:
    """What a policy needs to play one seat of one match: the observation, and the numbers of the actions.

    Args:
        tracker: What the player sees.
        policy: The policy.
    """

    def __init__(self, tracker: Tracker, policy: Policy) -> None:
        self.tracker = tracker
        self.actions = Actions(tracker)
        self._features = Features(tracker, policy.features) if policy.features else None
        self._planes = Planes(self.tracker) if policy.planes else None
        self._is_centred = policy.planes == "centred"
        self._units = policy.units

    @classmethod
    def new(cls, policy: Policy, player: int) -> Self:
        """Return the inputs for a player of a new match."""
        tracker = Tracker(policy.layout, player)
        tracker.start(())
        return cls(tracker, policy)

    def inputs(self) -> Array:
        """Return the numbers that go into the policy."""
        numbers = self.tracker.numbers
        if self._features is not None:
            numbers = np.concatenate([numbers, self._features.draw()])
        if self._planes is None:
            return numbers.copy()
        if self._units is not None:
            return self._units.inputs(numbers, self.tracker, self._planes)
        layers = self._planes.around(RADIUS) if self._is_centred else self._planes.draw()
        return np.concatenate([numbers, layers.ravel()])

    def choose(self, policy: Policy, view: Sequence[Any], actions: Sequence[Document], out: Sequence[int]) -> Document:
        """Return the action that a policy chooses. If no legal action has a number, return the first one."""
        self.tracker.sync(view)
        self.tracker.show_out(out)
        self.actions.note(actions)
        while legal := self.actions.legal:
            action = self.actions.take(policy.choose(self.inputs(), list(legal)))
            if action is not None:
                return action
        return actions[0]
