"""A policy as a bot in the arena."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from arena_learn.policies.network import PlayerInputs, Policy


class PolicyPlayer:
    """Plays a bot's turns with a policy. Make it in the bot's method ``start``, so that files are read in time.

    Args:
        bot: The bot, a subclass of `arena_player.AI` with ``wants_legal_actions``.
        path: The file of the policy.

    Raises:
        PolicyError: The file is no policy, or is for another game or other rules.
    """

    def __init__(self, bot: Any, path: str | Path) -> None:
        self._bot = bot
        self._world = bot.game.world
        self.policy = Policy.load(path, game=self._world.schema.game, schema=bot.schema_hash or "")
        self._inputs = PlayerInputs.new(self.policy, bot.index)

    def choose(self) -> dict[str, Any]:
        """Return the action that the policy chooses now."""
        bot = self._bot
        action: dict[str, Any] = self._inputs.choose(self.policy, self._world.view(), bot.legal_actions, bot.out)
        return action
