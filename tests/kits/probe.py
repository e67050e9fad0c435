"""The probe for the Python kit: it does the same as the probes of the other kits."""

from __future__ import annotations

from typing import Any

from stroll import AI

from arena_player import Outcome, Result


class Probe(AI):
    """Uses every part of the kit, and logs what it sees."""

    updates = 0

    def start(self) -> None:
        self.mine, self.other = self.game.walkers
        print("start", self.index, self.settings["mood"], self.options["width"], len(self.game.tiles))

    def game_updated(self) -> None:
        self.updates += 1

    def refused(self, action: dict[str, Any], result: Result[Any]) -> None:
        print("refused", action["type"], result.code)

    def end(self, outcome: Outcome) -> None:
        print("end", outcome.ending, int(outcome.won), outcome.document["winner"], self.updates)

    def note(self, *values: Any) -> None:
        self.log(*(int(value) if isinstance(value, bool) else value for value in values))

    def run_turn(self) -> None:
        mine, other, tile = self.mine, self.other, self.game.tile
        if self.turn == 0:
            walked = mine.walk(mine.tile.east)
            self.note(walked.accepted, walked.value.id, mine.mood, mine.tile.x, mine.tile.walker is mine)
        elif self.turn == 1:
            self.note(other.present, other.tile is None, len(self.game.walkers))
            with self.batch() as results:
                mine.walk(tile(2, 0))
                mine.walk(tile(0, 1))
                self.game.end_turn()
            for result in results:
                self.note(result.accepted, result.code)
        elif self.turn == 2:
            self.note(self.game.walkers[1] is other, other.present, other.mood, len(self.events))
            self.note(self.random.randrange(1000), self.random.randrange(7), self.time_left > 0, "line\nbreak ?.")
            self.draw.line(mine, (1.5, 0.5), "red")
            self.draw.rectangle(mine, other)
            self.draw.text(other, "h?i")
            late = self.act({"type": "walk", "walker": "w1", "x": 3, "y": 0})
            self.note(late.code, mine.walk(tile(0, 0)).code)
        elif self.turn == 3:
            with self.batch(keep_going=True) as results:
                for _ in range(1006):
                    mine.walk(tile(3, 1))
            values = [one.value is mine for one in results]
            self.note(len(results), results[0].code, values[1], values[2], results[999].code, results[-1].accepted)
        elif self.turn == 4:
            mine.walk(tile(0, 0))
            print("not reached")
        elif self.turn == 5:
            self.log(self.options["width"].upper())  # a mistake: it is an integer
        elif self.turn == 6:
            walker = "w" * 400  # long, so that one message cannot carry all
            with self.batch() as results:
                for x in range(1000):
                    self.act({"type": "walk", "walker": walker, "x": x, "y": 0})
            self.note(len(results), all(results))
