"""The environment of Gymnasium: one seat of a match in memory, against any opponents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any, Self

import gymnasium
import numpy as np
from numpy.typing import NDArray

from arena.bots.bot import load_bot
from arena.errors import ArenaError, ExitCode
from arena.game import Document, GameSpec, filled
from arena.match.lookup import find_game
from arena.play.memory import Player, bot_class, is_brought, settings_of
from arena.play.seats.external import ForkServer
from arena_learn.environments.matches import InMemory, InSandbox, Sandboxed
from arena_learn.environments.play import Observation, Observer, Rewards, Settings, action_space, observation_space
from arena_learn.environments.render import MODES, Renderer
from arena_learn.spaces.actions import Actions
from arena_learn.spaces.making import layout_of
from arena_learn.spaces.rewards import outcome_reward
from arena_learn.spaces.tracker import Tracker

Opponent = Player | Sandboxed


class ArenaSeat(gymnasium.Env[Observation, Any]):
    """One seat of a game. Each step is one action; then all others play until it is this seat's move again.

    The observation is that of `arena_learn.environments.aec.ArenaAEC`. ``info`` has ``turn``, and at the end
    ``points``, ``ending`` and ``reason``. In a game with lists of orders, an action has a number for each row of units:
    see `Actions.rows`.

    Args:
        game: The game, or its name.
        opponents: Who plays on the other seats: ``builtin:NAME``, a trusted bot's file or folder, a bot's class, a
            policy, such as a frozen `arena_learn.policies.Policy`, or a language model, ``llm:NAME``; or `Sandboxed`
            for a bot in a sandbox. One for all other seats, or one for each.
        seat: The seat of the environment. None plays on each seat in turn, from match to match.
        **settings: `Settings`, and options of the game such as ``players``.

    Attributes:
        layout: The layout.
        cut_off: How many legal actions had no number so far.

    Raises:
        ArenaError: There is no such game or bot, or an option is wrong.
    """

    metadata: dict[str, Any] = {"render_modes": list(MODES), "render_fps": 4}  # noqa: RUF012

    def __init__(
        self,
        game: str | GameSpec,
        opponents: Opponent | Sequence[Opponent] = (),
        *,
        seat: int | None = 0,
        **settings: Any,
    ) -> None:
        self.game = find_game(game) if isinstance(game, str) else game
        self._settings, self._options = Settings.divide(settings)
        self.layout = self._settings.layout or layout_of(self.game, **self._options)
        self._opponents = _opponents(self.game, opponents, self.layout.players - 1)
        self._server: ForkServer | None = None
        if any(isinstance(opponent, Sandboxed) for opponent in self._opponents):
            self._check_sandboxed()
            self._server = ForkServer(self.game.name)
        if seat is not None and not 0 <= seat < self.layout.players:
            raise ArenaError(
                f"There is no seat {seat} of {self.game.name}: seats are 0 to {self.layout.players - 1}.",
                exit_code=ExitCode.USAGE,
            )
        self._fixed = seat
        self.seat = seat or 0
        self.render_mode = self._settings.render_mode
        seats = range(self.layout.players) if seat is None else [seat]
        self._actions = {number: Actions(Tracker(self.layout, number)) for number in seats}
        rows = self.layout.orders is not None
        self.observation_space = observation_space(self.layout, self._settings, rows=rows)
        self._observers = {
            number: Observer(actions, self._settings, rows=rows) for number, actions in self._actions.items()
        }
        self.action_space = action_space(self.layout, rows=rows)
        self._renderer = Renderer(self.game, self.layout)
        self._match: InMemory | InSandbox | None = None
        self._matches = 0
        self.cut_off = 0

    def _check_sandboxed(self) -> None:
        """Check what cannot be had if the match is in another process.

        Raises:
            ArenaError: A setting needs the state of the game, or an opponent is no program.
        """
        settings = {"potential": self._settings.potential, "render_mode": self._settings.render_mode}
        for name, value in settings.items():
            if value is not None:
                raise ArenaError(f"With opponents in sandboxes there is no {name}.", exit_code=ExitCode.USAGE)
        for opponent in self._opponents:
            if not isinstance(opponent, Sandboxed | str | Path):
                raise ArenaError(
                    "If one opponent plays in a sandbox, all do.",
                    hint="Name each by its file, its folder or builtin:NAME.",
                    exit_code=ExitCode.USAGE,
                )
            load_bot(_reference(opponent), self.game)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a match. The seed reaches the set-up, the dice and the opponents. `options` are ignored."""
        super().reset(seed=seed)
        del options
        match = int(self.np_random.integers(2**62)) if seed is None else seed
        if self._fixed is None:
            self._matches = 0 if seed is not None else self._matches + 1
            self.seat = self._matches % self.layout.players
        if self._match is not None:
            self._match.close()
        self._match = self._begin(match)
        self._seed = match
        self._played: list[Document | None] = []
        self._rewards = Rewards(self.layout.players, self._settings.potential)
        if self._match.state is not None:
            self._rewards.start(self._match.state)
        self._steps = 0
        self._actions[self.seat].tracker.start(self._match.view())
        observation = self._observe(self._match)
        return observation, {"turn": self._match.turn} | self._observers[self.seat].info()

    def _begin(self, seed: int) -> InMemory | InSandbox:
        if self._server is None:
            players = [opponent.plays for opponent in self._opponents]
            settings = [opponent.settings for opponent in self._opponents]
            return InMemory(self.game, self.seat, players, settings, seed, self._options)
        bots = [_reference(opponent) for opponent in self._opponents]
        return InSandbox(self.game, self.seat, bots, seed, self._options, self._server)

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Carry out one action, and let the others play.

        Raises:
            ValueError: The action is illegal, and `illegal` is ``mask``; or the match is over.
            ArenaError: A match with opponents in sandboxes failed.
        """
        match, seat = self._match, self.seat
        if match is None or match.over:
            raise ValueError("The match is over. Call reset().")
        document = self._observers[seat].taken(action)
        reward = 0.0
        info: dict[str, Any] = {}
        if document is None:
            reward, info = self._refuse(match, action)
        else:
            self._act(match, document)
        self._steps += 1
        if match.state is not None:
            reward += self._rewards.changes(match.state)[seat]
        info["turn"] = match.turn
        if match.over:
            info["ending"] = match.ending
            if match.outcome is not None:
                info["points"] = match.outcome.points(seat)
                info["reason"] = match.outcome.reason
                reward += 0.0 if info["ending"] == "resigned" else outcome_reward(match.outcome, seat)
        is_cut = not match.over and self._settings.is_cut(self._steps)
        observation = self._observe(match)
        return observation, reward, match.over, is_cut, info | self._observers[seat].info()

    def _refuse(self, match: InMemory | InSandbox, action: Any) -> tuple[float, dict[str, Any]]:
        if self._settings.illegal == "mask":
            raise ValueError(f"Action {action} is illegal here. Choose one whose action_mask is 1.")
        if self._settings.illegal == "penalty":
            self._act(match, filled(match.fallback_action()))
            return -self._settings.penalty, {"illegal": True}
        self._act(match, None)
        return -1.0, {"illegal": True}

    def _act(self, match: InMemory | InSandbox, document: Document | None) -> None:
        """Carry out an action, or resign if it is None."""
        self._played.append(document)
        if document is None:
            match.resign()
        else:
            match.act(document)

    def clone(self) -> Self:
        """Return a copy that goes on as this environment does: the same draws and the same seeds come next.

        `copy.deepcopy` and `pickle` make the same copy. Nobody can copy a bot in the middle of its match, so the match
        is played again up to here. This takes as long as it took the first time.

        Raises:
            RuntimeError: An opponent has not played as before: its choices do not follow from the seed.
        """
        return deepcopy(self)

    def __getstate__(self) -> dict[str, Any]:
        match = self._match
        view = None if match is None else match.view()
        return self.__dict__ | {"_match": None, "_server": self._server is not None, "_view": view}

    def __setstate__(self, state: dict[str, Any]) -> None:
        view = state.pop("_view")
        self.__dict__.update(state)
        self._server = ForkServer(self.game.name) if state["_server"] else None
        if view is None:
            return
        self._match = match = self._begin(self._seed)
        played, self._played = self._played, []
        for document in played:
            if match.over:
                break
            self._act(match, document)
        match.skip()
        if match.view() != view:
            self.close()
            raise RuntimeError(
                "The copy's match differs from that of its original. An opponent's choices do not follow from the seed."
            )

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal now, as sb3-contrib's MaskablePPO asks for it: rows one after the other."""
        return self._observers[self.seat].mask().ravel().astype(np.bool_)

    def _observe(self, match: InMemory | InSandbox) -> Observation:
        actions = self._actions[self.seat]
        tracker = actions.tracker
        match.follow(tracker)
        tracker.show_out(match.out)
        actions.note(match.legal_actions())
        self.cut_off += actions.cut_off
        return self._observers[self.seat].observe()

    def render(self) -> Any:
        """Return the picture (``rgb_array``) or the text (``ansi``) of the position; print it (``human``)."""
        if self._match is None or self._match.state is None:
            return None
        return self._renderer.render(self.render_mode, self._match.state)

    def close(self) -> None:
        """End the match, and the processes of opponents in sandboxes."""
        if self._match is not None:
            self._match.close()
            self._match = None
        if self._server is not None:
            self._server.close()


def _reference(opponent: Sandboxed | str | Path) -> str:
    """Return the reference of the bot of an opponent in a sandbox."""
    return str(opponent.bot if isinstance(opponent, Sandboxed) else opponent)


def _opponents(game: GameSpec, opponents: Opponent | Sequence[Opponent], seats: int) -> list[Any]:
    """Return who plays on each other seat. Bots that are named are loaded once, if all play in memory.

    Raises:
        ArenaError: There are too many or too few, or there is no such bot.
    """
    listed: list[Any] = list(opponents) if isinstance(opponents, list | tuple) else [opponents] * seats
    if len(listed) == 1:
        listed *= seats
    if not listed and game.bots:
        listed = [f"builtin:{game.bots[0].name}"] * seats
    if len(listed) != seats or None in listed:
        raise ArenaError(
            f"{game.name} needs {seats} opponents here, not {len(listed)}.",
            hint="Give one for all other seats, or one for each.",
            exit_code=ExitCode.USAGE,
        )
    if any(isinstance(opponent, Sandboxed) for opponent in listed):
        return listed
    return [_Loaded(game, opponent) for opponent in listed]


class _Loaded:
    """An opponent in memory, loaded once for all matches, with its settings. A copy loads its bot again by name."""

    def __init__(self, game: GameSpec, player: Player) -> None:
        self._given = game, player
        self.plays = player
        self.settings: Mapping[str, str] = {}
        if isinstance(player, str | Path) and not is_brought(player):
            self.plays, self.settings = bot_class(game, player), settings_of(game, player)

    def __reduce__(self) -> tuple[Any, ...]:
        return _Loaded, self._given
