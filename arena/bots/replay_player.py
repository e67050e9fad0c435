"""The bot ``replay``, which repeats the recorded actions of a player if they are legal.

Its setting ``moves`` has the actions as JSON: a list of pairs of turn number and action. In each turn the bot plays the
recorded actions of this turn in their order, without the illegal ones. If they do not end the turn, the bot plays other
legal actions, preferably one that ends it.
"""

import json
from typing import Any

from arena.game.forms import covers, filled
from arena_player import AI

Action = dict[str, Any]
ENDS = ("end_turn", "pass")


class ReplayPlayer(AI):
    wants_legal_actions = True

    def start(self) -> None:
        self.moves: dict[int, list[Action]] = {}
        for turn, action in json.loads(self.settings["moves"]):
            self.moves.setdefault(turn, []).append(action)

    def run_turn(self) -> None:
        """Play the recorded actions of this turn.

        If none of the remaining recorded actions is legal, play another legal action, and try again.
        """
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
        return any(action.items() <= listed.items() or covers(listed, action) for listed in self.legal_actions)

    def other_action(self) -> Action:
        """Return an action that ends the turn if there is one, otherwise the first legal one."""
        return filled(next((one for one in self.legal_actions if one["type"] in ENDS), self.legal_actions[0]))
