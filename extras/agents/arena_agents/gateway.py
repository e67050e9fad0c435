"""The process between the seats of models and their providers: the only one that uses the network and knows the keys.

A command starts it with the name of the game, and asks for addresses: a line of JSON in, a line out. On each address,
Arena's relays hand in the seats of matches, each of which is played in a thread. At the end of its input it exits.
"""

from __future__ import annotations

import json
import sys
import threading
from typing import Any

from arena.errors import ArenaError, ExitCode
from arena.game import load
from arena.play.seats.waiting import SeatClient, Waiting
from arena_agents.playing import Ledger, ModelPlayer, play_seat
from arena_agents.provider import Provider
from arena_agents.settings import read_model


class Entrant:
    """One model: the address on which it waits for matches, and what it has cost."""

    def __init__(self, name: str, rules: str) -> None:
        self._model, self._aids = read_model(name)
        self._provider = Provider(self._model)
        self._rules = rules
        self.ledger = Ledger(f"llm:{name}", self._model)
        self.waiting = Waiting()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        for offer in self.waiting:
            threading.Thread(target=play_seat, args=(offer, self._player), daemon=True).start()

    def _player(self, client: SeatClient) -> ModelPlayer:
        return ModelPlayer(self._model, self._aids, self._provider, self.ledger, self._rules, client)


def main() -> None:
    """Answer the requests of the command."""
    rules = load(json.loads(sys.stdin.readline())["game"]).rules_text()
    entrants: dict[str, Entrant] = {}
    for line in sys.stdin:
        name = json.loads(line)["name"]
        try:
            if name not in entrants:
                entrants[name] = Entrant(name, rules)
            if problem := entrants[name].ledger.problem:
                raise ArenaError(
                    f"{problem[0].upper()}{problem[1:]}.", hint="Raise cost_limit.", exit_code=ExitCode.NOT_REACHED
                )
            answer: dict[str, Any] = {"address": entrants[name].waiting.address}
        except ArenaError as error:
            answer = {"message": error.message, "hint": error.hint, "exit_code": error.exit_code}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
    for entrant in entrants.values():
        entrant.waiting.close()


if __name__ == "__main__":
    main()
