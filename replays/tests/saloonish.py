"""Makes replays that look like Saloon's, without its rules: for tests of the format and of the viewer."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

STEPS = {"North": (0, -1), "South": (0, 1), "East": (1, 0), "West": (-1, 0)}
JOBS = ("Sharpshooter", "Bartender", "Brawler")

Delta = list[Any]


def _field(kind: str, doc: str = "", **more: Any) -> dict[str, Any]:
    return {"type": kind, "doc": doc, **more}


SCHEMA: dict[str, Any] = {
    "game": "saloon",
    "title": "Saloon",
    "version": "1.0",
    "hash": "00112233aabbccdd",
    "root": "Game",
    "grid": {"width": "width", "height": "height"},
    "classes": {
        "Game": {
            "doc": "The whole game.",
            "placed": False,
            "fields": {
                name: _field(kind)
                for name, kind in {
                    "current_turn": "int",
                    "current_player": "int",
                    "width": "int",
                    "height": "int",
                    "max_turns": "int",
                    "players": "[Player]",
                    "hazards": "[tile]",
                    "cowboys": "[Cowboy]",
                    "furnishings": "[Furnishing]",
                    "bottles": "[Bottle]",
                }.items()
            },
            "actions": {"end_turn": {"doc": "Ends the turn.", "receiver": None, "parameters": [], "returns": None}},
        },
        "Player": {
            "doc": "One of the two gangs.",
            "placed": False,
            "fields": {
                name: _field(kind)
                for name, kind in {
                    "index": "int",
                    "score": "int",
                    "kills": "int",
                    "rowdiness": "int",
                    "siesta": "int",
                    "young_gun": "YoungGun",
                }.items()
            },
            "actions": {},
        },
        "YoungGun": {
            "doc": "Strolls around the balcony.",
            "placed": True,
            "fields": {
                name: _field(kind)
                for name, kind in {
                    "owner": "int",
                    "x": "int",
                    "y": "int",
                    "can_call_in": "bool",
                    "call_in": "tile",
                }.items()
            },
            "actions": {},
        },
        "Cowboy": {
            "doc": "A member of a gang.",
            "placed": True,
            "fields": {
                name: _field(kind, "The job." if name == "job" else "")
                for name, kind in {
                    "owner": "int",
                    "job": "str",
                    "x": "int?",
                    "y": "int?",
                    "health": "int",
                    "is_dead": "bool",
                    "can_move": "bool",
                    "is_drunk": "bool",
                    "drunk_direction": "str",
                    "turns_busy": "int",
                    "focus": "int",
                }.items()
            },
            "actions": {},
        },
        "Furnishing": {
            "doc": "A piano or a table.",
            "placed": True,
            "fields": {
                name: _field(kind)
                for name, kind in {
                    "x": "int?",
                    "y": "int?",
                    "health": "int",
                    "is_piano": "bool",
                    "is_playing": "bool",
                    "is_destroyed": "bool",
                }.items()
            },
            "actions": {},
        },
        "Bottle": {
            "doc": "A flying bottle.",
            "placed": True,
            "fields": {
                name: _field(kind)
                for name, kind in {"x": "int", "y": "int", "direction": "str", "drunk_direction": "str"}.items()
            },
            "actions": {},
        },
    },
}


@dataclass
class Step:
    """One action, and the changes that it made."""

    player: int
    action: dict[str, Any]
    delta: Delta
    events: list[dict[str, Any]]
    ends_turn: bool


@dataclass
class Saloonish:
    """Half of Saloon's rules: enough to make the same kinds of changes as Saloon, about as often."""

    seed: int = 1
    turns: int = 192
    width: int = 22
    height: int = 12
    objects: dict[str, dict[str, Any]] = field(default_factory=dict)
    delta: Delta = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.counts = {"c": 0, "f": 0, "b": 0}
        self.hazards: list[list[int]] = []

    # -- state ---------------------------------------------------------------------------------------

    def make(self, name: str, kind: str, **fields: Any) -> str:
        self.objects[name] = {"class": kind, **fields}
        self.delta += [name, "+", kind]
        for key, value in fields.items():
            self.delta += [name, key, value]
        return name

    def set(self, name: str, key: str, value: Any) -> None:
        if self.objects[name][key] != value:
            self.objects[name][key] = value
            self.delta += [name, key, value]

    def remove(self, name: str, among: str) -> None:
        del self.objects[name]
        self.delta += [name, "-", None]
        self.set("game", among, [other for other in self.objects["game"][among] if other != name])

    def of(self, kind: str) -> dict[str, dict[str, Any]]:
        return {name: thing for name, thing in self.objects.items() if thing["class"] == kind}

    def at(self, x: int, y: int) -> str | None:
        for name, thing in self.objects.items():
            if thing.get("x") == x and thing.get("y") == y:
                return name
        return None

    def take(self) -> tuple[Delta, list[dict[str, Any]]]:
        taken = (self.delta, self.events)
        self.delta, self.events = [], []
        return taken

    # -- set-up --------------------------------------------------------------------------------------

    def setup(self) -> tuple[list[Any], Delta]:
        draws: list[Any] = [self.rng.randrange(6), self.rng.random(), self.rng.randrange(13)]
        taken: set[tuple[int, int]] = set()
        for _ in range(8):
            spot = [self.rng.randint(1, self.width - 2), self.rng.randint(1, self.height - 2)]
            self.hazards += [spot, [self.width - 1 - spot[0], self.height - 1 - spot[1]]]
            draws += [self.rng.gauss(11, 2.7), self.rng.gauss(6, 2)]
        self.make(
            "game",
            "Game",
            current_turn=0,
            current_player=0,
            width=self.width,
            height=self.height,
            max_turns=self.turns,
            players=["p0", "p1"],
            hazards=self.hazards,
            cowboys=[],
            furnishings=[],
            bottles=[],
        )
        for index in (0, 1):
            self.make(
                f"p{index}", "Player", index=index, score=0, kills=0, rowdiness=0, siesta=0, young_gun=f"g{index}"
            )
        self.make("g0", "YoungGun", owner=0, x=0, y=0, can_call_in=True, call_in=[1, 1])
        right, low = self.width - 1, self.height - 1
        self.make("g1", "YoungGun", owner=1, x=right, y=low, can_call_in=True, call_in=[right - 1, low - 1])
        names = []
        for pair in range(6):
            x, y = self.rng.randint(2, self.width // 2 - 1), self.rng.randint(2, self.height - 3)
            draws += [self.rng.gauss(11, 2.7), self.rng.gauss(6, 2)]
            if (x, y) in taken:
                continue
            taken.add((x, y))
            for spot in ((x, y), (self.width - 1 - x, self.height - 1 - y)):
                names.append(
                    self.make(
                        self.name("f"),
                        "Furnishing",
                        x=spot[0],
                        y=spot[1],
                        health=48 if pair < 2 else 16,
                        is_piano=pair < 2,
                        is_playing=False,
                        is_destroyed=False,
                    )
                )
        self.set("game", "furnishings", names)
        return draws, self.take()[0]

    def name(self, letter: str) -> str:
        self.counts[letter] += 1
        return f"{letter}{self.counts[letter]}"

    # -- play ----------------------------------------------------------------------------------------

    def play(self) -> Iterator[Step]:
        for turn in range(self.turns):
            yield from self.turn(turn)

    def step(self, player: int, action: dict[str, Any], ends: bool = False) -> Step:
        delta, events = self.take()
        return Step(player, action, delta, events, ends)

    def turn(self, turn: int) -> Iterator[Step]:
        player = turn % 2
        gun = self.objects[f"g{player}"]
        own = [n for n, c in self.of("Cowboy").items() if c["owner"] == player]
        job = JOBS[(turn // 2) % 3]
        if len(own) < 6 and self.at(*gun["call_in"]) is None:
            name = self.name("c")
            x, y = gun["call_in"]
            sober = {"is_dead": False, "can_move": True, "is_drunk": False, "drunk_direction": ""}
            fields = {"owner": player, "job": job, "x": x, "y": y, "health": 10, **sober, "turns_busy": 0, "focus": 0}
            self.make(name, "Cowboy", **fields)
            self.set(f"g{player}", "can_call_in", False)
            self.set("game", "cowboys", [*self.objects["game"]["cowboys"], name])
            yield self.step(player, {"type": "call_in", "young_gun": f"g{player}", "job": job})
        for name in own:
            yield from self.cowboy(name, player)
        self.end_turn(turn, player)
        yield self.step(player, {"type": "end_turn"}, ends=True)

    def cowboy(self, name: str, player: int) -> Iterator[Step]:
        me = self.objects.get(name)
        if me is None or me["is_dead"] or me["is_drunk"]:
            return
        if self.rng.random() < (0.35 if me["job"] == "Sharpshooter" else 0.85):
            dx, dy = self.toward(me)
            x, y = me["x"] + dx, me["y"] + dy
            if 0 < x < self.width - 1 and 0 < y < self.height - 1 and self.at(x, y) is None:
                self.set(name, "x", x)
                self.set(name, "y", y)
                self.set(name, "can_move", False)
                if me["job"] == "Sharpshooter":
                    self.set(name, "focus", 0)
                yield self.step(player, {"type": "move", "cowboy": name, "x": x, "y": y})
        if me["turns_busy"]:
            return
        if me["job"] == "Sharpshooter" and me["focus"] > 2:
            yield self.shoot(name, player)
        elif me["job"] == "Bartender" and self.rng.random() < 0.6:
            step = self.throw(name, player)
            if step:
                yield step
        else:
            for direction in STEPS.values():
                piano = self.at(me["x"] + direction[0], me["y"] + direction[1])
                if piano and self.objects[piano].get("is_piano") and not self.objects[piano]["is_playing"]:
                    self.set(piano, "is_playing", True)
                    self.set(piano, "health", self.objects[piano]["health"] - 1)
                    self.set(name, "turns_busy", 1)
                    self.set(f"p{player}", "score", self.objects[f"p{player}"]["score"] + 1)
                    self.events.append({"kind": "play", "cowboy": name, "furnishing": piano})
                    self.wear(piano)
                    yield self.step(player, {"type": "play", "cowboy": name, "furnishing": piano})
                    return

    def toward(self, me: dict[str, Any]) -> tuple[int, int]:
        pianos = [f for f in self.of("Furnishing").values() if f["is_piano"] and f["x"] is not None]
        if pianos and self.rng.random() < 0.8:
            goal = min(pianos, key=lambda p: abs(p["x"] - me["x"]) + abs(p["y"] - me["y"]))
            dx, dy = goal["x"] - me["x"], goal["y"] - me["y"]
            return ((dx > 0) - (dx < 0), 0) if abs(dx) > abs(dy) else (0, (dy > 0) - (dy < 0))
        return self.rng.choice(list(STEPS.values()))

    def shoot(self, name: str, player: int) -> Step:
        me = self.objects[name]
        direction = self.rng.choice(list(STEPS))
        dx, dy = STEPS[direction]
        tiles, hits = [], []
        for distance in range(1, me["focus"] + 1):
            x, y = me["x"] + dx * distance, me["y"] + dy * distance
            if not (0 < x < self.width - 1 and 0 < y < self.height - 1):
                break
            tiles.append([x, y])
            hit = self.at(x, y)
            if hit:
                hits.append(hit)
                self.hurt(hit, 4)
        self.events.append(
            {
                "kind": "shot",
                "cowboy": name,
                "x": me["x"],
                "y": me["y"],
                "direction": direction,
                "tiles": tiles,
                "hits": hits,
            }
        )
        self.set(name, "focus", 0)
        self.set(name, "turns_busy", 1)
        return self.step(
            player, {"type": "act", "cowboy": name, "x": me["x"] + dx, "y": me["y"] + dy, "drunk_direction": ""}
        )

    def throw(self, name: str, player: int) -> Step | None:
        me = self.objects[name]
        direction, drunk = self.rng.choice(list(STEPS)), self.rng.choice(list(STEPS))
        x, y = me["x"] + STEPS[direction][0], me["y"] + STEPS[direction][1]
        if not (0 < x < self.width - 1 and 0 < y < self.height - 1) or self.at(x, y):
            return None
        bottle = self.make(self.name("b"), "Bottle", x=x, y=y, direction=direction, drunk_direction=drunk)
        self.set("game", "bottles", [*self.objects["game"]["bottles"], bottle])
        self.set(name, "turns_busy", 5)
        return self.step(player, {"type": "act", "cowboy": name, "x": x, "y": y, "drunk_direction": drunk})

    def hurt(self, name: str, damage: int) -> None:
        thing = self.objects[name]
        if thing["class"] == "Bottle":
            self.remove(name, "bottles")
            return
        if "health" not in thing:
            return
        self.set(name, "health", max(0, thing["health"] - damage))
        if thing["class"] == "Furnishing":
            self.wear(name)
        elif thing["health"] == 0:
            self.set(name, "is_dead", True)
            self.set(name, "x", None)
            self.set(name, "y", None)
            other = f"p{1 - thing['owner']}"
            self.set(other, "kills", self.objects[other]["kills"] + 1)

    def wear(self, name: str) -> None:
        if self.objects[name]["health"] == 0:
            self.set(name, "is_destroyed", True)
            self.set(name, "x", None)
            self.set(name, "y", None)

    def end_turn(self, turn: int, player: int) -> None:
        for name, me in list(self.of("Cowboy").items()):
            if me["owner"] != player or me["is_dead"]:
                continue
            if me["is_drunk"]:
                self.stagger(name, me)
            elif me["job"] == "Sharpshooter" and me["can_move"] and not me["turns_busy"]:
                self.set(name, "focus", me["focus"] + 1)
            self.set(name, "can_move", not me["is_drunk"])
            self.set(name, "turns_busy", max(0, me["turns_busy"] - 1))
            if me["job"] == "Brawler" and not me["is_dead"]:
                for dx, dy in STEPS.values():
                    hit = self.at(me["x"] + dx, me["y"] + dy)
                    if hit and "health" in self.objects[hit]:
                        self.events.append(
                            {"kind": "punch", "cowboy": name, "target": hit, "x": me["x"] + dx, "y": me["y"] + dy}
                        )
                        self.hurt(hit, 1)
        self.fly()
        for name, thing in self.of("Furnishing").items():
            if thing["is_playing"]:
                self.set(name, "is_playing", False)
        for name, me in list(self.of("Cowboy").items()):
            if me["is_dead"]:
                self.remove(name, "cowboys")
            elif [me["x"], me["y"]] in self.hazards:
                self.hurt(name, 1)
        self.stroll(player)
        self.set("game", "current_turn", turn + 1)
        self.set("game", "current_player", 1 - player)

    def stagger(self, name: str, me: dict[str, Any]) -> None:
        dx, dy = STEPS[me["drunk_direction"]]
        x, y = me["x"] + dx, me["y"] + dy
        if self.at(x, y) or not (0 < x < self.width - 1 and 0 < y < self.height - 1):
            self.events.append({"kind": "bump", "cowboy": name, "x": x, "y": y})
            self.hurt(name, 1)
        else:
            self.set(name, "x", x)
            self.set(name, "y", y)
        if me["turns_busy"] <= 1 and not me["is_dead"]:
            self.set(name, "is_drunk", False)
            self.set(name, "drunk_direction", "")

    def fly(self) -> None:
        for name, bottle in list(self.of("Bottle").items()):
            dx, dy = STEPS[bottle["direction"]]
            x, y = bottle["x"] + dx, bottle["y"] + dy
            hit = self.at(x, y)
            if hit or not (0 < x < self.width - 1 and 0 < y < self.height - 1):
                self.events.append({"kind": "bottle_broken", "bottle": name, "x": x, "y": y, "on": hit or "balcony"})
                self.remove(name, "bottles")
                if hit and self.objects[hit]["class"] == "Cowboy":
                    self.splash(hit, bottle["drunk_direction"])
            else:
                self.set(name, "x", x)
                self.set(name, "y", y)

    def splash(self, name: str, direction: str) -> None:
        me = self.objects[name]
        self.events.append({"kind": "splash", "cowboy": name, "x": me["x"], "y": me["y"], "drunk_direction": direction})
        for key, value in {
            "is_drunk": True,
            "drunk_direction": direction,
            "turns_busy": 5,
            "can_move": False,
            "focus": 0,
        }.items():
            self.set(name, key, value)
        owner = self.objects[f"p{me['owner']}"]
        self.set(f"p{me['owner']}", "rowdiness", (owner["rowdiness"] + 1) % 8)

    def stroll(self, player: int) -> None:
        gun, right, low = self.objects[f"g{player}"], self.width - 1, self.height - 1
        x, y = gun["x"], gun["y"]
        if y == 0 and x < right:
            x += 1
        elif x == right and y < low:
            y += 1
        elif y == low and x > 0:
            x -= 1
        else:
            y -= 1
        self.set(f"g{player}", "x", x)
        self.set(f"g{player}", "y", y)
        self.set(f"g{player}", "can_call_in", True)
        self.set(f"g{player}", "call_in", [min(max(x, 1), right - 1), min(max(y, 1), low - 1)])


SALT = "5a" * 32


def header(names: tuple[str, ...] = ("Piano Man", "Quick Draw"), **more: Any) -> dict[str, Any]:
    """Return a header as the referee writes it."""
    return {
        "game": "saloon",
        "title": "Saloon",
        "version": "1.0",
        "options": {"max_turns": 192, "rowdiness_to_siesta": 8, "cowboy_health": 10, "piano_health": 48},
        "players": [{"name": name, "bot": f"{name}.py"} for name in names],
        "clock": {"startup": 10.0, "bank": 60.0, "increment": 0.1, "turn": None, "grace": 0.02},
        "schema": SCHEMA,
        "renderer": True,
        "streams": 1,
        **more,
    }


def write(path: Any, seed: int = 3, turns: int = 192, *, end: bool = True, crash_at: int | None = None) -> Any:
    """Write a whole replay of an invented match, and return the path."""
    from arena_replays import Writer
    from arena_replays.commitment import commitment

    rng = random.Random(seed)
    game = Saloonish(seed, turns)
    writer = Writer(path, header(commitment=commitment(seed, SALT)))
    draws, first = game.setup()
    writer.setup(draws, [first])
    bank = [60_000_000, 60_000_000]
    turn = 0
    for step in game.play():
        writer.do(step.player, step.action, [], [step.delta], [step.events])
        if rng.random() < 0.02:
            action = {"type": "move", "cowboy": "c1", "x": 3, "y": 4}
            writer.refuse(step.player, action, "occupied_by_cowboy", "tile is occupied")
        if step.ends_turn:
            wall = int(rng.gauss(8000, 3000) ** 2 / 3000) + 500
            bank[step.player] += 100_000 - wall
            if turn % 10 == 0:
                writer.note(step.player, "log", f"turn {turn}: heading for the nearest piano")
                shape = {"kind": "line", "x": 1.5, "y": 2.5, "x2": 6.5, "y2": 7.5, "color": "red"}
                writer.note(step.player, "draw", [shape, {"kind": "point", "x": 6.5, "y": 7.5}])
            if turn % 25 == 0:
                writer.note(step.player, "stdout", f"I am at turn {turn}\n")
            cpu = int(wall * 0.7 + rng.gauss(0, 200))
            writer.turn(turn, step.player, wall, cpu, bank[step.player], rng.randbytes(8))
            turn += 1
        if crash_at is not None and turn == crash_at:
            trace = "Traceback (most recent call last):\n  File \"bot.py\", line 12, in run_turn\nKeyError: 'c9'\n"
            writer.note(1, "stderr", trace)
            writer.seat(1, "crashed", "exited with code 1")
            break
    if not end:
        writer.abandon()
        return path
    scores = [game.objects[f"p{player}"]["score"] for player in (0, 1)]
    winner = 0 if crash_at is not None or scores[0] > scores[1] else 1
    endings = ["won" if winner == player else "lost" for player in (0, 1)]
    if crash_at is not None:
        endings[1] = "crashed"
    players = [
        {"name": name, "ending": ending, "score": score}
        for name, ending, score in zip(("Piano Man", "Quick Draw"), endings, scores, strict=True)
    ]
    writer.finish(
        {
            "outcome": {"winner": winner, "reason": "max_turns/score"},
            "players": players,
            "digest": "31323334" * 4,
            "seed": seed,
            "salt": SALT,
        }
    )
    return path
