"""The bot on a seat that is filled by ``replay``: it plays on what was recorded for its player, as far as it is legal.

The recorded actions come as its setting ``moves``: JSON, a list of turn number and action. In each turn it plays those
of this turn that are legal, in their order. If it is still to move, it ends the turn.
"""

import json
from typing import Any

from arena_player import AI

Action = dict[str, Any]
ENDS = ("end_turn", "pass")


class ReplayPlayer(AI):
    """Plays recorded actions."""

    wants_legal_actions = True

    def start(self) -> None:
        """Read the recorded actions."""
        self.moves: dict[int, list[Action]] = {}
        for turn, action in json.loads(self.settings["moves"]):
            self.moves.setdefault(turn, []).append(action)

    def run_turn(self) -> None:
        """Play the recorded actions of this turn. A decision that was not recorded does not use them up."""
        recorded = self.moves.get(self.turn, [])
        while self.legal_actions:
            at = next((at for at, action in enumerate(recorded) if self.is_legal(action)), None)
            if at is not None:
                action = recorded[at]
                del recorded[: at + 1]
            else:
                action = self.other_action()
            if not self.act(action) and at is None:
                return

    def is_legal(self, action: Action) -> bool:
        """Return whether an action is listed. The list may give more keys."""
        return any(action.items() <= listed.items() for listed in self.legal_actions)

    def other_action(self) -> Action:
        """Return an action that ends the turn if there is one, otherwise the first legal one."""
        return next((one for one in self.legal_actions if one["type"] in ENDS), self.legal_actions[0])
