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
ENDING_TYPES = ("end_turn", "pass")


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
            index = next((index for index, action in enumerate(recorded) if self.is_legal(action)), None)
            if index is not None:
                action = recorded[index]
                del recorded[: index + 1]
            else:
                action = self.unrecorded_action()
            if not self.act(action) and index is None:
                return

    def is_legal(self, action: Action) -> bool:
        return any(action.items() <= listed.items() or covers(listed, action) for listed in self.legal_actions)

    def unrecorded_action(self) -> Action:
        """Return an action that ends the turn if there is one, otherwise the first legal one."""
        endings = [action for action in self.legal_actions if action["type"] in ENDING_TYPES]
        return filled(next(iter(endings), self.legal_actions[0]))
