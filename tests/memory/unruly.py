"""A bot that does everything that a bot can do: random, batched and illegal actions, logs, drawings and prints.

Its setting ``fails`` says how it fails, ``turn`` from which turn on.
"""

import sys

from arena_player import AI


class Unruly(AI):
    """Plays at random, in any game."""

    wants_legal_actions = True

    def start(self):
        if self.settings.get("fails") == "start":
            raise ValueError("cannot start")

    def run_turn(self):
        print("turn", self.turn)
        if self.settings.get("fails") and self.turn >= int(self.settings.get("turn", 1)):
            self.fail(self.settings["fails"])
        for _ in range(self.random.randrange(1, 4)):
            if not self.legal_actions:
                return
            if self.random.random() < 0.3:
                self.log("tries something else", turn=self.turn, chance=self.random.random())
                self.draw.point((1.5, 2.5), "red")
                self.act(self.random.choice([{"type": "nonsense"}, {**self.legal_actions[0], "extra": 1}]))
            elif self.random.random() < 0.3:
                with self.batch():
                    for action in self.random.sample(self.legal_actions, min(3, len(self.legal_actions))):
                        self.act(dict(action))
            else:
                self.act(self.random.choice(self.legal_actions))
        if self.legal_actions:
            ends = [action for action in self.legal_actions if action["type"] in ("end_turn", "pass")]
            self.act(ends[0] if ends else self.legal_actions[0])

    def refused(self, action, result):
        self.log("refused", result.code, result.message)

    def fail(self, how):
        if how == "raise":
            raise ValueError("on purpose")
        if how == "exit":
            sys.exit(7)
        if how == "unsendable":
            self.act({"type": 7})
        if how == "refusals":
            while True:
                self.act({"type": "nonsense"})
        if how == "large":
            self.act({"type": "nonsense", **{f"key {number}": "x" * 1000 for number in range(60)}})
            self.act({"type": "nonsense", "parts": [[] for _ in range(200)], "more": [0] * 1100})
        if how == "idle":
            self.fail = self.run_turn = lambda *_: None
