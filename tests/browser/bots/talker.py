"""A bot that says and draws all it can, is refused now and then, and crashes in turn 40."""

from __future__ import annotations

from arena_player import AI


class Talker(AI):
    def run_turn(self) -> None:
        turn = self.game.current_turn
        self.log(f"thinking about turn {turn}")
        print(f"printed in turn {turn}")
        self.draw.line((1.5, 1.5), (6.5, 4.5), "red")
        self.draw.text((6.5, 4.5), "there", "#ffcc00")
        if turn >= 40:
            raise RuntimeError("I forgot my hat")
        self.act({"type": "move", "cowboy": "c1", "x": 0, "y": 0})
        self.act({"type": "end_turn"})
