"""A second implementation of the rules, on the plain JSON state. It is simple and slow.

It shares no code with the game. If the two disagree, one of them has a defect.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

Document = dict[str, Any]
STEPS = {"North": (0, -1), "South": (0, 1), "East": (1, 0), "West": (-1, 0)}
ORDER = ["North", "South", "East", "West"]
JOBS = ["Sharpshooter", "Bartender", "Brawler"]


class Refused(Exception):  # noqa: N818 - a refusal is not an error
    """A refused action, with the code as its argument."""


class Reading:
    """One game: its state as JSON, its options and its outcome.

    Args:
        document: The state, which is copied.
        options: All options.
        coins: The results of the next coin flips.
    """

    def __init__(self, document: Document, options: Any, coins: list[int]) -> None:
        self.s = deepcopy(document)
        self.o = options
        self.coins = coins
        self.outcome: tuple[int, str] | None = None

    # -- queries -------------------------------------------------------------------------------------

    def find(self, kind: str, id_: Any) -> Document:
        lists = {"cowboy": self.s["cowboys"] + self.s["arrivals"], "furnishing": self.s["furnishings"]}
        lists["young_gun"] = [player["young_gun"] for player in self.s["players"]]
        for one in lists[kind]:
            if one["id"] == id_:
                found: Document = one
                return found
        raise Refused("bad_argument")

    def at(self, x: int, y: int) -> tuple[str, Document] | None:
        for kind in ("cowboys", "arrivals", "furnishings", "bottles"):
            for one in self.s[kind]:
                if one["x"] == x and one["y"] == y:
                    return kind.replace("arrivals", "cowboys"), one
        return None

    def balcony(self, x: int, y: int) -> bool:
        return x in (0, self.s["width"] - 1) or y in (0, self.s["height"] - 1)

    # -- actions -------------------------------------------------------------------------------------

    def push(self, player: int, action: Document) -> None:
        if self.outcome:
            raise Refused("game_over")
        call = self.decode(action)
        if player != self.s["current_player"]:
            raise Refused("not_your_turn")
        call()

    def decode(self, a: Document) -> Any:
        kind = a.get("type")
        if kind == "end_turn":
            return self.end_turn
        if kind == "call_in":
            gun = self.find("young_gun", a.get("young_gun"))
            job = self.word(a.get("job"), JOBS)
            return lambda: self.call_in(gun, job)
        if kind not in ("move", "play", "act"):
            raise Refused("bad_argument")
        c = self.find("cowboy", a.get("cowboy"))
        if kind == "play":
            f = self.find("furnishing", a.get("furnishing"))
            return lambda: self.play(c, f)
        x, y = a.get("x"), a.get("y")
        if type(x) is not int or type(y) is not int:
            raise Refused("bad_argument")
        if not (0 <= x < self.s["width"] and 0 <= y < self.s["height"]):
            raise Refused("bad_argument")
        if kind == "move":
            return lambda: self.move(c, x, y)
        direction = self.word(a.get("drunk_direction", ""), ["", *ORDER])
        return lambda: self.act(c, x, y, direction)

    def word(self, given: Any, words: list[str]) -> str:
        for word in words:
            if isinstance(given, str) and given.lower() == word.lower():
                return word
        raise Refused("bad_argument")

    def call_in(self, gun: Document, job: str) -> None:
        s = self.s
        me = s["current_player"]
        if gun["id"] != f"g{me}":
            raise Refused("not_yours")
        if not gun["can_call_in"]:
            raise Refused("already_called_in")
        mates = [c for c in s["cowboys"] if c["owner"] == me and c["job"] == job and not c["is_dead"]]
        if len(mates) >= self.o["max_cowboys_per_job"]:
            raise Refused("job_limit")
        x, y = gun["call_in"]
        there = self.at(x, y)
        if there and there[0] == "cowboys":
            self.hurt_cowboy(there[1], 10**9)
        elif there and there[0] == "furnishings":
            self.hurt_furnishing(there[1], 10**9)
        gun["can_call_in"] = False
        number = s["next_id"]["cowboy"]
        s["next_id"]["cowboy"] += 1
        newcomer = {
            "id": f"c{number}",
            "owner": me,
            "job": job,
            "x": x,
            "y": y,
            "health": self.o["cowboy_health"],
            "is_dead": False,
            "can_move": True,
            "is_drunk": False,
            "drunk_direction": "",
            "turns_busy": 0,
            "focus": 0,
        }
        bottles = [b for b in s["bottles"] if (b["x"], b["y"]) == (x, y)]
        s["arrivals"].append(newcomer)
        for b in bottles:
            s["bottles"].remove(b)
            self.bottle_hits(newcomer, b["drunk_direction"])

    def command(self, c: Document) -> None:
        if c["owner"] != self.s["current_player"]:
            raise Refused("not_yours")
        if c["is_dead"]:
            raise Refused("dead")
        if c["is_drunk"]:
            raise Refused("drunk")

    def adjacent(self, c: Document, x: int | None, y: int | None) -> str:
        for direction in ORDER:
            dx, dy = STEPS[direction]
            if (c["x"] + dx, c["y"] + dy) == (x, y):
                return direction
        raise Refused("not_adjacent")

    def move(self, c: Document, x: int, y: int) -> None:
        self.command(c)
        if not c["can_move"]:
            raise Refused("already_moved")
        self.adjacent(c, x, y)
        if self.balcony(x, y):
            raise Refused("balcony")
        there = self.at(x, y)
        if there and there[0] == "cowboys":
            raise Refused("occupied_by_cowboy")
        if there and there[0] == "furnishings":
            raise Refused("occupied_by_furnishing")
        c["x"], c["y"], c["can_move"] = x, y, False
        if there:
            self.s["bottles"].remove(there[1])
            self.bottle_hits(c, there[1]["drunk_direction"])
        if c["job"] == "Sharpshooter":
            c["focus"] = 0

    def play(self, c: Document, f: Document) -> None:
        self.command(c)
        if c["turns_busy"] > 0:
            raise Refused("busy")
        if not f["is_piano"]:
            raise Refused("not_a_piano")
        if f["is_playing"]:
            raise Refused("already_playing")
        if f["is_destroyed"]:
            raise Refused("destroyed")
        self.adjacent(c, f["x"], f["y"])
        f["is_playing"] = True
        c["turns_busy"] = 1
        self.s["players"][c["owner"]]["score"] += 1
        self.hurt_furnishing(f, 1)

    def act(self, c: Document, x: int, y: int, drunk_direction: str) -> None:
        self.command(c)
        if c["turns_busy"] > 0:
            raise Refused("busy")
        if c["job"] == "Brawler":
            raise Refused("brawler_cannot_act")
        if c["job"] == "Bartender" and drunk_direction == "":
            raise Refused("no_direction")
        if c["job"] == "Sharpshooter" and c["focus"] < 1:
            raise Refused("no_focus")
        direction = self.adjacent(c, x, y)
        if c["job"] == "Bartender":
            self.throw(c, x, y, direction, drunk_direction)
        else:
            self.shoot(c, direction)

    def throw(self, c: Document, x: int, y: int, direction: str, drunk_direction: str) -> None:
        there = self.at(x, y)
        if there is None and not self.balcony(x, y):
            number = self.s["next_id"]["bottle"]
            self.s["next_id"]["bottle"] += 1
            made = {"id": f"b{number}", "x": x, "y": y, "direction": direction, "drunk_direction": drunk_direction}
            self.s["bottles"].append(made)
        elif there and there[0] == "cowboys":
            self.bottle_hits(there[1], drunk_direction)
        elif there and there[0] == "bottles":
            self.s["bottles"].remove(there[1])
        c["turns_busy"] = self.o["bartender_cooldown"]

    def shoot(self, c: Document, direction: str) -> None:
        dx, dy = STEPS[direction]
        x, y = c["x"], c["y"]
        for _ in range(c["focus"]):
            x, y = x + dx, y + dy
            if self.balcony(x, y):
                break
            there = self.at(x, y)
            if there and there[0] == "cowboys":
                self.hurt_cowboy(there[1], self.o["sharpshooter_damage"])
            elif there and there[0] == "furnishings":
                self.hurt_furnishing(there[1], self.o["sharpshooter_damage"])
            elif there:
                self.s["bottles"].remove(there[1])
        c["focus"] = 0
        c["turns_busy"] = 1

    # -- effects -------------------------------------------------------------------------------------

    def hurt_cowboy(self, c: Document, n: int) -> None:
        c["health"] = max(0, c["health"] - n)
        if c["health"] == 0:
            c.update(is_dead=True, can_move=False, is_drunk=False, drunk_direction="", x=None, y=None)
            c["turns_busy"] = self.o["max_turns"]
            self.s["players"][1 - c["owner"]]["kills"] += 1

    def hurt_furnishing(self, f: Document, n: int) -> None:
        f["health"] = max(0, f["health"] - n)
        if f["health"] == 0:
            f.update(is_destroyed=True, is_playing=False, x=None, y=None)
            if f["is_piano"] and self.pianos() == 0:
                self.decide("pianos_destroyed")

    def pianos(self) -> int:
        return len([f for f in self.s["furnishings"] if f["is_piano"] and not f["is_destroyed"]])

    def bottle_hits(self, c: Document, direction: str) -> None:
        player = self.s["players"][c["owner"]]
        player["rowdiness"] += 1
        if player["rowdiness"] >= self.o["rowdiness_to_siesta"]:
            player["rowdiness"] = 0
            player["siesta"] = self.o["siesta_length"]
            for one in self.s["cowboys"]:
                if one["owner"] == c["owner"] and not one["is_dead"]:
                    one.update(is_drunk=True, drunk_direction="", can_move=False, focus=0)
                    one["turns_busy"] = self.o["siesta_length"]
        naps = c["is_drunk"] and c["drunk_direction"] == ""
        if not naps:
            c.update(is_drunk=True, drunk_direction=direction, can_move=False, focus=0)
            c["turns_busy"] = self.o["turns_drunk"]

    # -- end of turn ---------------------------------------------------------------------------------

    def end_turn(self) -> None:
        s = self.s
        me = s["current_player"]
        player = s["players"][me]
        s["cowboys"] += s["arrivals"]
        s["arrivals"] = []
        if player["siesta"] > 0:
            player["siesta"] -= 1
        for c in s["cowboys"]:
            if c["owner"] == me and not c["is_dead"]:
                self.step_three(c, player)
        self.fly()
        for f in s["furnishings"]:
            f["is_playing"] = False
        for c in s["cowboys"]:
            if not c["is_dead"] and [c["x"], c["y"]] in s["hazards"]:
                self.hurt_cowboy(c, self.o["hazard_damage"])
        s["cowboys"] = [c for c in s["cowboys"] if not c["is_dead"]]
        s["furnishings"] = [f for f in s["furnishings"] if not f["is_destroyed"]]
        self.stroll(player["young_gun"])
        self.check_end()
        if not self.outcome:
            s["current_turn"] += 1
            s["current_player"] = 1 - me

    def step_three(self, c: Document, player: Document) -> None:
        if c["is_drunk"]:
            c["turns_busy"] = max(0, c["turns_busy"] - 1)
            if c["drunk_direction"] != "":
                self.walk(c)
                if c["is_dead"]:
                    return
            if c["drunk_direction"] == "":
                c["turns_busy"] = player["siesta"]
            if c["turns_busy"] == 0:
                c.update(is_drunk=False, drunk_direction="", can_move=True)
            else:
                c["can_move"] = False
        else:
            if c["job"] == "Sharpshooter" and c["can_move"] and c["turns_busy"] == 0:
                c["focus"] += 1
            c["can_move"] = True
            c["turns_busy"] = max(0, c["turns_busy"] - 1)
        if c["job"] == "Brawler":
            for direction in ORDER:
                dx, dy = STEPS[direction]
                there = self.at(c["x"] + dx, c["y"] + dy)
                if there and there[0] == "cowboys":
                    self.hurt_cowboy(there[1], self.o["brawler_damage"])
                elif there and there[0] == "furnishings":
                    self.hurt_furnishing(there[1], self.o["brawler_damage"])

    def walk(self, c: Document) -> None:
        dx, dy = STEPS[c["drunk_direction"]]
        x, y = c["x"] + dx, c["y"] + dy
        there = self.at(x, y)
        if there and there[0] == "cowboys":
            there[1]["focus"] = 0
        elif self.balcony(x, y) or (there and there[0] == "furnishings"):
            self.hurt_cowboy(c, self.o["collision_damage"])
        else:
            c["x"], c["y"] = x, y
            if there:
                self.s["bottles"].remove(there[1])
                self.bottle_hits(c, there[1]["drunk_direction"])

    def fly(self) -> None:
        bottles = self.s["bottles"]
        self.s["bottles"] = []  # bottles do not meet on the way
        left = []
        for b in bottles:
            dx, dy = STEPS[b["direction"]]
            b["x"], b["y"] = b["x"] + dx, b["y"] + dy
            there = self.at(b["x"], b["y"])
            if there and there[0] == "cowboys":
                self.bottle_hits(there[1], b["drunk_direction"])
            elif not there and not self.balcony(b["x"], b["y"]):
                left.append(b)
        for b in left:
            if len([o for o in left if (o["x"], o["y"]) == (b["x"], b["y"])]) == 1:
                self.s["bottles"].append(b)

    def stroll(self, gun: Document) -> None:
        right, bottom = self.s["width"] - 1, self.s["height"] - 1
        x, y = gun["x"], gun["y"]
        if (x, y) == (right, 0):
            step = "South"
        elif (x, y) == (right, bottom):
            step = "West"
        elif (x, y) == (0, bottom):
            step = "North"
        elif (x, y) == (0, 0):
            step = "East"
        else:
            step = {y == 0: "East", x == right: "South", y == bottom: "West", x == 0: "North"}[True]
        gun["x"], gun["y"] = x + STEPS[step][0], y + STEPS[step][1]
        gun["can_call_in"] = True
        gun["call_in"] = [min(max(gun["x"], 1), right - 1), min(max(gun["y"], 1), bottom - 1)]

    # -- end of game ---------------------------------------------------------------------------------

    def decide(self, cause: str) -> None:
        if self.outcome:
            return
        one, two = self.s["players"]
        for key in ("score", "kills"):
            if one[key] != two[key]:
                self.outcome = (0 if one[key] > two[key] else 1, f"{cause}/{key}")
                return
        self.outcome = (self.coins.pop(0), f"{cause}/coin_flip")

    def check_end(self) -> None:
        s = self.s
        if self.outcome:
            return
        if s["current_turn"] + 1 >= self.o["max_turns"]:
            self.decide("max_turns")
        elif self.pianos() == 0:
            self.decide("pianos_destroyed")
        else:
            half = self.pianos() * (self.o["max_turns"] - s["current_turn"])
            bound = half // 2 + half % 2
            scores = [player["score"] for player in s["players"]]
            if abs(scores[0] - scores[1]) > bound:
                self.outcome = (scores.index(max(scores)), "out_of_reach/score")

    def legal(self) -> list[Document]:
        """List the legal actions, by trying all possible actions."""
        if self.outcome:
            return []
        s = self.s
        me = s["current_player"]
        tried: list[Document] = [{"type": "end_turn"}]
        tried += [{"type": "call_in", "young_gun": f"g{me}", "job": job} for job in JOBS]
        for c in s["cowboys"] + s["arrivals"]:
            if c["owner"] != me or c["x"] is None:
                continue
            for dx, dy in STEPS.values():
                tile = {"cowboy": c["id"], "x": c["x"] + dx, "y": c["y"] + dy}
                tried.append({"type": "move", **tile})
                words = ORDER if c["job"] == "Bartender" else [""]
                tried += [{"type": "act", **tile, "drunk_direction": word} for word in words]
            tried += [{"type": "play", "cowboy": c["id"], "furnishing": f["id"]} for f in s["furnishings"]]
        return [action for action in tried if self.accepts(action)]

    def accepts(self, action: Document) -> bool:
        other = Reading(self.s, self.o, [0])
        try:
            other.push(self.s["current_player"], action)
        except Refused:
            return False
        return True
