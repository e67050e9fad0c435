"""How often an explanation names the cause of a loss that was planted in a built-in bot, first or second.

    python tests/stats/planted_causes.py [GAME ...] [--matches 20] [--equal 20] [--random 75] [--first 900000]

One player of a match of equal built-in bots has a defect, such as calling in nobody. Matches that it wins do not count.
Most defects show in what was different, which needs no playouts. A defect of a few turns shows in turning points, too:
then the first two parts of the conclusion count. Shares have Wilson intervals. Beside each stands how often the same is
named in lost matches without the defect: by chance. Give `--first` seeds on which nothing was tuned.

Matches of equal bots show how many turning points `--check` does not confirm. Explanations of random matches are
searched for contradictions, also between their text and their page. There the results of playouts are drawn instead of
played, which makes more kinds of explanations in less time.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from math import inf
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from arena.cli.output import print_table
from arena.game import Document, IllegalAction, State
from arena.game.chance import Sampled
from arena.match.limits import Policy
from arena.match.lookup import find_game
from arena.play.memory import MatchInMemory, play_in_memory
from arena.study.coach.advice import with_commands
from arena.study.coach.checks import check_claims
from arena.study.coach.differences import documents_of, turn_out
from arena.study.coach.explaining import Explainer, Explanation
from arena.study.coach.norms import Norms, compute, norms_of
from arena.study.coach.playing_bots import bot_class, required_bots
from arena.study.coach.playouts import PlayoutPolicy, play_on
from arena.study.coach.probability import share
from arena.study.coach.process_pool import ProcessPool
from arena.study.coach.questions import Questions
from arena.study.coach.recorded_match import RecordedMatch
from arena.study.coach.report import document_of, percent
from arena.study.replaying.presentation import renderer_for
from arena_player import AI
from arena_replays import Reader
from arena_replays.export import export_html

sys.path.insert(0, str(Path(__file__).parents[1] / "plugins"))
from contradictions import contradictions, of_the_tab
from defective import Blocker
from drawn import DrawnPool

BOTS = {"saloon": "pianist", "laser_flag": "sergeant", "derelict": "veteran", "snakes": "forager"}
WEAK = {"saloon": "rowdy", "laser_flag": "rookie", "derelict": "castaway", "snakes": "hatchling"}
MANY = {"saloon": 600, "laser_flag": 1200, "derelict": 600, "snakes": 1200}
"""The playouts of an explanation without a time limit: at most those of 20 seconds on two cores."""
PLAYOUTS = 2000
"""The results of an explanation that is searched for contradictions."""
OPTIONS: dict[str, dict[str, Any]] = {"snakes": {"players": 2}}
TARGET = 0.8
TRIES = 4
"""At most this many matches are played for each match that the defect loses."""
LINES, MOST_RANDOM, LINE_PLAYOUTS, DROP = 6, 6, 12, 0.4
"""A blunder is one of this many random lines of a turn, each with this many actions and playouts."""

Actions = list[Document]
Planted = Callable[[int, Path], None]
"""Plays a match whose player 0 has a defect, with a seed, into a replay."""
Defect = Callable[[Actions, State, int, Random, int], Actions]
"""Changes the actions of a turn, given the state before it, the player, a source of chance and the turn's number."""


def without(type_: str) -> Defect:
    return lambda actions, *_: [one for one in actions if one["type"] != type_]


def few_units(actions: Actions, state: State, player: int, *_: Any) -> Actions:
    gang = [one for one in _objects(state) if one["class"] == "Cowboy" and one["owner"] == player]
    return without("call_in")(actions, state, player, Random(0), 0) if len(gang) >= 2 else actions


def half(actions: Actions, *_: Any) -> Actions:
    """Forget the units with odd numbers."""
    units = ("cowboy", "unit")
    return [
        one
        for one in actions
        if not any(str(one.get(name, "c0"))[1:].isdigit() and int(str(one.get(name, "c0"))[1:]) % 2 for name in units)
    ]


def at_one_place(actions: Actions, state: State, player: int, rng: Random, number: int) -> Actions:
    return actions if number < 10 else without("move")(actions, state, player, rng, number)


def harms_itself(actions: Actions, state: State, player: int, rng: Random, number: int) -> Actions:
    """Take, where it exists, an action that takes health from an own unit."""

    def health(one: State) -> float:
        return sum(thing["health"] for thing in _objects(one) if thing.get("owner") == player and "health" in thing)

    before = health(state)
    for action in rng.sample(listed := state.legal_actions(player), min(40, len(listed))):
        trial = state.clone()
        trial.push(player, action, Sampled(Random(0)))
        if health(trial) < before and action["type"] != "call_in":
            return [action, *actions]
    return actions


def into_hazards(actions: Actions, state: State, player: int, *_: Any) -> Actions:
    """Move towards the nearest hazard, and stay there."""
    hazards = {tuple(tile) for one in _objects(state) if one["class"] == "Game" for tile in one["hazards"]}
    units = {
        id_: (one["x"], one["y"])
        for id_, one in _things(state).items()
        if one["class"] == "Cowboy" and one["owner"] == player
    }

    def way(x: int, y: int) -> int:
        return min((abs(x - to_x) + abs(y - to_y) for to_x, to_y in hazards), default=0)

    steps = [one for one in state.legal_actions(player) if one["type"] == "move"]
    steps.sort(key=lambda one: -way(one["x"], one["y"]))
    nearer = [one for one in steps if way(one["x"], one["y"]) < way(*units[one["cowboy"]])]
    goals = {(one["x"], one["y"]): one for one in nearer}  # one unit for each tile
    chosen = {one["cowboy"]: one for one in goals.values()}
    held = {id_ for id_, place in units.items() if place in hazards} | set(chosen)
    kept = [one for one in actions if one.get("cowboy") not in held and (one.get("x"), one.get("y")) not in goals]
    return [*(one for id_, one in chosen.items() if units[id_] not in hazards), *kept]


def random_at_last(after: int) -> Defect:
    def play(actions: Actions, state: State, player: int, rng: Random, number: int) -> Actions:
        return [state.random_action(player, rng) for _ in range(3)] if number > after else actions

    return play


def choosing(keep: Callable[[AI, Document], bool]) -> Callable[[type[AI]], type[AI]]:
    """Make a bot that chooses from its legal actions overlook some of them."""

    def made(base: type[AI]) -> type[AI]:
        class Overlooking(base):  # type: ignore[misc, valid-type]
            def run_turn(self) -> None:
                self.legal_actions = [one for one in self.legal_actions if keep(self, one)] or self.legal_actions
                super().run_turn()

        return Overlooking

    return made


def is_kept_by_half(bot: AI, action: Document) -> bool:
    return action["type"] != "activate" or int("".join(filter(str.isdigit, action["unit"]))) % 2 == 0


def is_kept_at_one_place(bot: AI, action: Document) -> bool:
    return action["type"] != "move" or bot.turn < 5 or bot.game.decision.kind != "turn"


def choosing_at_random(after: int) -> Callable[[type[AI]], type[AI]]:
    def made(base: type[AI]) -> type[AI]:
        class Random(base):  # type: ignore[misc, valid-type]
            wants_legal_actions = True

            def run_turn(self) -> None:
                if self.turn <= after:
                    super().run_turn()
                else:
                    action = self.random_action()
                    self.act({name: action[name] for name in ("type", "x", "y") if name in action})

        return Random

    return made


class Blunder:
    """In one turn, plays the first random line that costs much win probability by playouts of the same bot.

    Attributes:
        turn: The number of this turn in the last match; 0 if there was none.
    """

    def __init__(self, game: str, after: int) -> None:
        self.turn = 0
        self._spec, self._after = find_game(game), after
        self._policy = PlayoutPolicy(self._spec, (bot_class(self._spec, f"builtin:{BOTS[game]}"),), 0.1)

    def __call__(self, actions: Actions, state: State, player: int, rng: Random, number: int) -> Actions:
        if number < self.turn:
            self.turn = 0  # another match
        if self.turn or number <= self._after:
            return actions
        usual = self._worth(actions, state, player)
        for _ in range(LINES):
            line = [state.random_action(player, rng) for _ in range(MOST_RANDOM)]
            if usual - self._worth(line, state, player) >= DROP:
                self.turn = number
                return line
        return actions

    def _worth(self, actions: Actions, state: State, player: int) -> float:
        """Return the player's share of the wins after a line of play."""
        worth = 0.0
        for seed in range(LINE_PLAYOUTS):
            trial, chance = state.clone(), Sampled(Random(seed))
            for action in actions:
                with suppress(IllegalAction):
                    trial.push(player, action, chance)
            while player in trial.to_move() and trial.turn_number() == state.turn_number():
                trial.push(player, trial.fallback_action(player), chance)
            trial.commit()
            worth += play_on(self._policy, trial, seed)[player]
        return worth / LINE_PLAYOUTS


OPPOSITE = {"up": "down", "down": "up", "left": "right", "right": "left"}


def blunders(base: type[AI]) -> type[AI]:
    """Turn back into the own neck."""

    class Blundering(base):  # type: ignore[misc, valid-type]
        def run_turn(self) -> None:
            if self.turn == BLUNDER:
                self.snake.move(OPPOSITE[self.snake.direction])
            else:
                super().run_turn()

    return Blundering


def circles(base: type[AI]) -> type[AI]:
    """Go around in a small circle where that is safe, and so eat little."""

    class Circling(base):  # type: ignore[misc, valid-type]
        def run_turn(self) -> None:
            following = ("up", "right", "down", "left")[self.turn % 4]
            if following in self.snake.safe_moves:
                self.snake.move(following)
            else:
                super().run_turn()

    return Circling


BLUNDER, RANDOM = 20, 30


def stays(base: type[AI]) -> type[AI]:
    """Only shoot, from where the units stand."""

    class Staying(base):  # type: ignore[misc, valid-type]
        def command(self, unit: Any) -> bool:
            can_fire = unit.laser == "charged" and unit.can_fire
            return can_fire and self.best_value(unit, unit.tile) > 0 and self.shoot(unit)

    return Staying


def played_by(make: Callable[[type[AI]], type[AI]], seat: int, game: str, seed: int, replay: Path) -> None:
    """Play a match of which one player is a changed bot."""
    base = bot_class(find_game(game), f"builtin:{BOTS[game]}")
    bots = [make(base) if player == seat else base for player in range(2)]
    play_in_memory(game, bots, seed=seed, replay=replay, options=OPTIONS.get(game))


class Kind(NamedTuple):
    """A kind of defect in a game.

    Attributes:
        told: The kinds and classes (or actions) of the differences that name it.
        after: A difference or turning point later than this turn names it; 0 if none does.
        points: Whether turning points count, which need playouts.
        seat: The player with the defect.
        blunder: If given, only the turning point of its turn names it.
    """

    play: Planted
    told: set[str]
    after: int = 0
    points: bool = False
    seat: int = 0
    blunder: Blunder | None = None

    def is_named(self, differences: Sequence[Document], points: Sequence[Document]) -> bool:
        """Return whether the first of these, of the player with the defect, name it."""
        points = [one for one in points if one["player"] == self.seat][:1]
        if self.blunder is not None:
            return any(one["turn"] == self.blunder.turn for one in points)
        found = [one for one in differences if one["player"] == self.seat][: 2 - len(points)]
        measures = [measure for one in found for measure in (one["measure"], *one["since"])]
        told = {"|".join(measure[:length]) for measure in measures for length in (2, 3)}
        return bool(told & self.told) or any(0 < self.after < one["turn"] for one in (*found, *points))


def kinds(game: str) -> dict[str, Kind]:
    """Return the kinds of defects that make sense in a game."""

    def edited(defect: Defect) -> Planted:
        return partial(play, game, defect)

    def made(make: Callable[[type[AI]], type[AI]], seat: int = 0) -> Planted:
        return partial(played_by, make, seat, game)

    def overlooking(type_: str, seat: int = 0) -> Planted:
        return made(choosing(lambda _, one: one["type"] != type_), seat)

    seat = int(game == "snakes")
    fight, flag = Blunder("saloon", 20), Blunder("laser_flag", 1)
    late = Kind(partial(play_late, seat, game), {"late|"}, seat=seat)
    every: dict[str, dict[str, Kind]] = {
        "saloon": {
            "calls in nobody more": Kind(edited(few_units), {"did|call_in", "has|Cowboy"}),
            "blocks its own spawn": Kind(made(lambda _: Blocker), {"on|Cowboy|call_in_tile"}),
            "harms its own units": Kind(edited(harms_itself), {"hurt|Cowboy", "lost|Cowboy"}),
            "walks into hazards": Kind(edited(into_hazards), {"on|Cowboy|hazards"}),
            "forgets half of its units": Kind(edited(half), {"idle|Cowboy", "rate|move", "rate|play"}),
            "stays at one place": Kind(edited(at_one_place), {"tiles|Cowboy", "rate|move", "idle|Cowboy"}),
            "never plays": Kind(edited(without("play")), {"rate|play"}),
            "plays the last third at random": Kind(edited(random_at_last(64)), set(), 64),
            "loses by one blunder": Kind(edited(fight), set(), points=True, blunder=fight),
            "times out in some turns": late,
        },
        "laser_flag": {
            "forgets half of its units": Kind(edited(half), {"idle|Unit", "rate|move", "rate|fire"}),
            "stays at one place": Kind(made(stays), {"rate|move", "tiles|Unit", "idle|Unit"}),
            "never fires": Kind(edited(without("fire")), {"rate|fire", "hit|Unit"}),
            "plays the last third at random": Kind(edited(random_at_last(2)), set(), 2),
            "loses by one blunder": Kind(edited(flag), set(), points=True, blunder=flag),
            "times out in some turns": late,
        },
        "derelict": {
            "forgets half of its units": Kind(made(choosing(is_kept_by_half)), {"idle|Unit", "rate|activate"}),
            # In this mission, marines who win stand still and watch. So the aliens stay, and never attack.
            "stays at one place": Kind(made(choosing(is_kept_at_one_place), 1), {"rate|move", "tiles|Unit"}, seat=1),
            "never attacks": Kind(overlooking("assault", 1), {"rate|assault"}, seat=1),
            "keeps no watch": Kind(overlooking("overwatch"), {"rate|overwatch", "has|Unit|overwatch"}),
            "plays the last third at random": Kind(made(choosing_at_random(6)), set(), 6),
            "times out in some turns": late,
        },
        "snakes": {
            "stays at one place": Kind(made(circles), {"sum|Snake|body", "sum|Snake|health"}),
            "plays the last third at random": Kind(edited(random_at_last(RANDOM)), set(), RANDOM, points=True),
            "loses by one blunder": Kind(made(blunders), set(), BLUNDER - 1, points=True),
            "times out in some turns": late,
        },
    }
    return every[game]


def play(game: str, defect: Defect, seed: int, replay: Path) -> None:
    """Play a match whose player 0 has a defect."""
    spec = find_game(game)
    bot = bot_class(spec, f"builtin:{BOTS[game]}")
    policy, rng = PlayoutPolicy(spec, (bot,), 0), Random(seed)
    match = MatchInMemory(spec, [None, bot], seed=seed, replay=replay, options=OPTIONS.get(game))
    while (player := match.play()) is not None:
        state, number = match.state, match.state.turn_number()
        actions = policy.turn(state.clone(), player, Sampled(Random(rng.random())))
        for action in defect(actions, state.clone(), player, rng, number):
            if match.player == player and match.state.turn_number() == number:
                match.act(player, action)
        while match.player == player and match.state.turn_number() == number:
            match.act(player, match.state.fallback_action(player))


def play_late(seat: int, game: str, seed: int, replay: Path) -> None:
    """Play a match of which one player times out in some turns. If all move at once, others have answered before."""
    now = [0.0]
    base = bot_class(find_game(game), f"builtin:{BOTS[game]}")

    class Slow(base):  # type: ignore[misc, valid-type]
        def run_turn(self) -> None:
            if self.turn > 2 and self.turn % 3 == (0 if game == "laser_flag" else 1):  # it has 4 to 7 turns
                now[0] += 100
            super().run_turn()

    bots = [Slow if player == seat else base for player in range(2)]
    policy, options = Policy(timeout="skip"), OPTIONS.get(game)
    play_in_memory(game, bots, seed=seed, replay=replay, options=options, policy=policy, read_clock=lambda: now[0])


def lost_matches(kind: Kind, first: int, matches: int) -> Iterator[tuple[int, Path]]:
    """Play matches, and yield the seeds and replays of those that the kind's player lost after the defect began."""
    lost = 0
    for seed in range(first, first + matches * TRIES):
        with TemporaryDirectory() as folder:
            replay = Path(folder) / "match.arena"
            kind.play(seed, replay)
            reader = Reader(replay)
            if reader.footer is None or reader.footer["players"][kind.seat]["ending"] == "won":
                continue
            if turn_out(reader, kind.seat) <= kind.after or (kind.blunder is not None and not kind.blunder.turn):
                continue  # it was out before
            yield seed, replay
            lost += 1
            if lost == matches:
                return


def rate(
    game: str, kind: Kind, first: int, matches: int, norms: Norms | None, budget: float
) -> tuple[list[float], list[str]]:
    """Return for each lost match whether the cause was first or second, and what was named instead."""
    named: list[float] = []
    others: list[str] = []
    for seed, replay in lost_matches(kind, first, matches):
        differences = documents_of(Reader(replay), norms)
        points = explained(game, replay, budget)["turning_points"] if kind.points else []
        named.append(kind.is_named(differences, points))
        if not named[-1]:
            found = [(one["measure"], one["turn"]) for one in differences if one["player"] == kind.seat][:2]
            others.append(f"seed {seed}: {found} {[one['turn'] for one in points]}")
    return named, others


def usual_losses(game: str, seat: int, first: int, matches: int, norms: Norms | None) -> list[list[Document]]:
    """Return the differences of matches that a player lost without a defect."""
    usual = Kind(partial(played_by, lambda base: base, seat, game), set(), seat=seat)
    return [documents_of(Reader(replay), norms) for _, replay in lost_matches(usual, first, matches)]


def norms_for(game: str, replay: Path) -> Norms | None:
    spec, reader = find_game(game), Reader(replay)
    if norms_of(reader.header, spec) is None:
        with ProcessPool(replay) as pool:
            list(compute(reader.header, spec, required_bots(spec), pool, 600))
    return norms_of(reader.header, spec)


def equal(game: str, first: int, matches: int, budget: float, folder: Path) -> tuple[int, int]:
    """Explain matches of equal bots. Return how many turning points they had, and how many a check confirmed."""
    claims = confirmed = 0
    for seed in range(first, first + matches):
        replay = folder / f"{game}-{seed}.arena"
        bots = [f"builtin:{BOTS[game]}"] * 2
        play_in_memory(game, bots, seed=seed, replay=replay, options=OPTIONS.get(game))
        document = explained(game, replay, budget)
        points = document["turning_points"]
        print(f"  seed {seed}: {document['playouts']['count']} playouts", *points, file=sys.stderr, flush=True)
        rows = check_claims(replay, document, budget or 1e6)
        if rows:
            claims, confirmed = claims + len(rows), confirmed + sum(one.confirmed for one in rows)
    return claims, confirmed


def contradicted(game: str, matches: int, folder: Path) -> list[str]:
    """Explain matches of random built-in bots with drawn results of playouts. Return what contradicts itself."""
    rng, spec = Random(game), find_game(game)
    weak, strong = f"builtin:{WEAK[game]}", f"builtin:{BOTS[game]}"
    found, claims = [], 0
    with browser() as page:
        for seed in range(matches):
            replay = folder / f"{game}-random-{seed}.arena"
            play_in_memory(game, rng.choices([weak, strong], k=spec.players), seed=f"random {seed}", replay=replay)
            questions = Questions(str(replay))
            explanation = Explanation(questions.match)
            explanation.teams = [(weak,), (strong,), (weak, strong), (strong, weak)]
            for _ in Explainer(explanation, DrawnPool(questions, seed), 1e6, most=PLAYOUTS).run():
                pass
            document = with_commands(document_of(explanation), explanation.match.reader, replay.name)
            found += [f"{game} {seed}: {one}" for one in contradictions(document)]
            out = folder / "page.html"
            export_html(replay, out, renderer_for(explanation.match.reader.header), [document])
            page.goto(out.as_uri())
            page.wait_for_function("window.arena?.replay?.explained")
            page.click("#tab-why")
            found += [f"{game} {seed}: {one}" for one in of_the_tab(document, page.inner_text("#panel-why"))]
            claims += len(document["turning_points"]) + len(document["dice"])
    print(f"{game}: {claims} turning points and turns of dice in {matches} explanations", flush=True)
    return found


@contextmanager
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    from arena_replays.chromium import find_browser

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        yield chromium.new_page(bypass_csp=True)  # to wait for a condition
        chromium.close()


def explained(game: str, replay: Path, budget: float) -> dict[str, Any]:
    """Explain a match within a time or, with a budget of 0, with a number of playouts."""
    explanation = Explanation(RecordedMatch.of_file(replay))
    weak, strong = f"builtin:{WEAK[game]}", f"builtin:{BOTS[game]}"
    if not budget:
        explanation.teams = [(weak,), (strong,), (weak, strong), (strong, weak)]
    with ProcessPool(replay) as pool:
        for _ in Explainer(explanation, pool, budget or 1e6, most=inf if budget else MANY[game]).run(norms=True):
            pass
    return document_of(explanation)


def _things(state: State) -> dict[str, dict[str, Any]]:
    from arena_replays.state import fold

    things: dict[str, dict[str, Any]] = {}
    fold(things, state.view())
    return things


def _objects(state: State) -> Sequence[dict[str, Any]]:
    return list(_things(state).values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=list(BOTS), metavar="GAME")
    parser.add_argument("--only", default="", help="defects whose name has these words")
    parser.add_argument("--matches", type=int, default=20, help="lost matches of each defect")
    parser.add_argument("--equal", type=int, default=0, help="matches of equal bots of each game")
    parser.add_argument(
        "--budget", type=float, default=20, help="seconds for each explanation; 0: a number of playouts"
    )
    parser.add_argument(
        "--random", type=int, default=0, help="random matches of each game, searched for contradictions"
    )
    parser.add_argument("--first", type=int, default=0, help="the first seed of the matches")
    parser.add_argument("--quick", action="store_true", help="leave out defects that only playouts can name")
    given = parser.parse_args()
    with TemporaryDirectory() as name:
        folder = Path(name)
        for game in given.games:
            bots = [f"builtin:{BOTS[game]}"] * 2
            play_in_memory(game, bots, seed=1, replay=folder / "first.arena", options=OPTIONS.get(game))
            norms = norms_for(game, folder / "first.arena")
            usual: dict[int, list[list[Document]]] = {}
            rows = [["defect", "lost", "first or second", "share", "by chance", ""]]
            for what, kind in kinds(game).items() if given.matches else ():
                if given.only not in what:
                    continue
                if given.quick and kind.points:
                    continue
                named, others = rate(game, kind, given.first, given.matches, norms, given.budget)
                without: list[float] = []
                if not kind.points:
                    if kind.seat not in usual:
                        usual[kind.seat] = usual_losses(game, kind.seat, given.first, given.matches, norms)
                    without = [kind.is_named(one, ()) for one in usual[kind.seat]]
                words = [percent(share(one)) if one else "" for one in (named, without)]
                mark = "" if named and sum(named) >= TARGET * len(named) else "MISSED"
                rows.append([f"{game}: {what}", str(len(named)), f"{sum(named):.0f}", *words, mark])
                print("; ".join(rows[-1]), *others, sep="\n  ", file=sys.stderr, flush=True)
            print_table(rows, right=(1, 2, 3, 4))
            if given.random:
                found = contradicted(game, given.random, folder)
                print(
                    f"{game}: {given.random} explanations, {len(found)} contradictions",
                    *found[:5],
                    sep="\n  ",
                    flush=True,
                )
            if given.equal:
                claims, confirmed = equal(game, given.first, given.equal, given.budget, folder)
                print(f"{game}: {given.equal} matches of equal bots: {confirmed} of {claims} turning points confirmed")


if __name__ == "__main__":
    main()
