"""Whether an explanation names a mistake that was planted in a good bot, and whether its claims and curves hold.

    python tests/stats/planted_mistakes.py [GAME ...] [--matches 20] [--positions 30] [--first 900000]

One player of a match of equal built-in bots makes a mistake that students make. Of matches that it loses after the
mistake, the lesson that names it should be the first or the second of its lessons, and in lost matches without the
mistake it should hardly ever be. The lessons of all these matches are priced again with new dice. And the means of
playouts to the end, at positions of matches without mistakes, should lie within the interval of the curve. Give
`--first` seeds on which nothing was tuned.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

time.monotonic = time.process_time  # budgets are processor time, so that a busy machine changes nothing

# ruff: noqa: E402
from arena.cli.output import print_table
from arena.match.lookup import find_game
from arena.play.memory import bot_class, play_in_memory
from arena.study.coach.checks import check_lessons
from arena.study.coach.explaining import Explainer, Explanation
from arena.study.coach.playouts import play_on
from arena.study.coach.probability import share, win_of
from arena.study.coach.questions import InProcessPool
from arena.study.coach.report import document_of, percent
from arena.study.coach.turns import parts_of
from arena_player import AI
from arena_replays import Reader

BOTS = {"saloon": "sheriff", "snakes": "constrictor", "laser_flag": "sergeant", "derelict": "veteran"}
OPTIONS: dict[str, dict[str, Any]] = {
    "snakes": {"players": 2},
    "laser_flag": {"map": "granary"},  # on most of the other maps, the same side nearly always wins
    "derelict": {"mission": "crossways"},
}
TRIES = 8
"""At most this many matches are played for each match that the bot with the mistake loses."""
PER_MATCH = 5
"""The positions of a match that are compared with the truth."""

Made = Callable[[type[AI], Random, list[int]], type[AI]]
"""Makes a bot with a mistake of a good one. The bot adds the turns in which it makes the mistake to the list."""


class Kind(NamedTuple):
    """A kind of mistake.

    Attributes:
        lessons: The kinds of lessons that name it, if they are about a turn of the mistake.
        seats: The players who can make it.
    """

    make: Made
    lessons: set[str]
    seats: Sequence[int] = (0, 1)


# -- saloon --------------------------------------------------------------------------------------


def crushes_own_man(base: type[Any], rng: Random, turns: list[int]) -> type[AI]:
    class Crushing(base):
        def call_in(self) -> None:
            job = min(("Sharpshooter", "Bartender", "Brawler"), key=self.player.count)
            if self.player.count(job) < self.options["max_cowboys_per_job"]:
                if self.player.in_danger_of_crush:
                    turns.append(self.turn)
                self.player.young_gun.call_in(job)

    return Crushing


def sleeps(base: type[Any], rng: Random, turns: list[int]) -> type[AI]:
    """Give no order in three own turns running, once."""
    first = rng.randint(6, 50)

    class Sleeping(base):
        def run_turn(self) -> None:
            if self.turn >= first and len(turns) < 3:
                turns.append(self.turn)
            else:
                super().run_turn()

    return Sleeping


def calls_in_one_job(base: type[Any], rng: Random, turns: list[int]) -> type[AI]:
    job = rng.choice(["Sharpshooter", "Bartender", "Brawler"])

    class OneJob(base):
        def call_in(self) -> None:
            turns.append(self.turn)
            if self.player.count(job) < self.options["max_cowboys_per_job"] and not self.player.in_danger_of_crush:
                self.player.young_gun.call_in(job)

    return OneJob


# -- snakes --------------------------------------------------------------------------------------


def snake_that(chooses: Callable[[Any], Sequence[str]]) -> Made:
    """Make a snake that takes one of these directions, from a random turn on, as soon as there is one."""

    def made(base: type[Any], rng: Random, turns: list[int]) -> type[AI]:
        first = rng.randint(15, 60)

        class Mistaken(base):
            def run_turn(self) -> None:
                chosen = chooses(self) if self.turn >= first and not turns else ()
                if chosen:
                    turns.append(self.turn)
                    self.snake.move(chosen[0])
                else:
                    super().run_turn()

        return Mistaken

    return made


def into_wall_or_body(bot: Any) -> Sequence[str]:
    ahead = bot.snake.direction  # who does not look where it goes, goes straight on
    return [ahead] if bot.snake.safe_moves and ahead not in bot.snake.safe_moves else []


def into_pocket(bot: Any) -> Sequence[str]:
    """Choose the smallest space that is too small, if there is a way that is not."""
    bot.free_after = bot.when_free()
    rooms = {way: room(bot, bot.snake.head.towards(way)) for way in bot.snake.safe_moves}
    if max(rooms.values(), default=0) < bot.snake.length:
        return []
    return sorted((way for way, size in rooms.items() if size < bot.snake.length / 2), key=lambda way: rooms[way])


def room(bot: Any, start: Any) -> int:
    """Return the number of tiles that can be reached from a tile past the bodies, which move on."""
    reached, edge, steps = {start}, [start], 1
    while edge:
        steps += 1
        ahead = {near for tile in edge for near in tile.neighbors if near not in reached}
        edge = [tile for tile in ahead if bot.free_after.get((tile.x, tile.y), 0) <= steps]
        reached.update(edge)
    return len(reached)


def into_longer_head(bot: Any) -> Sequence[str]:
    longer = {tile for one in bot.opponents if one.length > bot.snake.length for tile in one.head.neighbors}
    return [way for way in bot.snake.safe_moves if bot.snake.head.towards(way) in longer]


# -- laser flag ----------------------------------------------------------------------------------


def stands_in_the_open(base: type[Any], rng: Random, turns: list[int]) -> type[AI]:
    """Run to where several lasers see the unit, and stop there."""

    class Open(base):
        def run_turn(self) -> None:
            lasers = [one.tile for one in self.game.enemies if one.laser == "charged" and one.tile]

            def seen(tile: Any) -> int:
                return sum(tile.sees(laser) for laser in lasers)

            for unit in self.player.units:
                while unit.present and unit.laser == "charged" and unit.can_move and unit.reachable:
                    place = max(unit.reachable, key=seen)
                    if seen(place) < 2 or not unit.move(place):
                        break
                    turns.append(self.turn)
            super().run_turn()

    return Open


def never_fires(base: type[Any], rng: Random, turns: list[int]) -> type[AI]:
    class Peaceful(base):
        def shoot(self, unit: Any) -> bool:
            turns.append(self.turn)
            return False

    return Peaceful


def leaves_lasers_off(base: type[Any], rng: Random, turns: list[int]) -> type[AI]:
    class Off(base):
        def retreat(self, unit: Any) -> bool:
            turns.append(self.turn)
            return False

    return Off


# -- derelict ------------------------------------------------------------------------------------


def marine_that(chooses: Callable[[Any, Any], Any]) -> Made:
    """Make marines that prefer some of their choices."""

    def made(base: type[Any], rng: Random, turns: list[int]) -> type[AI]:
        class Mistaken(base):
            def run_turn(self) -> None:
                active = self.game.active if self.decision == "turn" else None
                chosen = chooses(self, active) if active else None
                if chosen:
                    turns.append(self.turn)
                    chosen.take()
                else:
                    super().run_turn()

        return Mistaken

    return made


def keeps_no_watch(base: type[Any], rng: Random, turns: list[int]) -> type[AI]:
    class Careless(base):
        def run_turn(self) -> None:
            kept = [one for one in self.legal_actions if one["type"] not in ("overwatch", "guard")]
            if len(kept) < len(self.legal_actions):
                turns.append(self.turn)
            self.legal_actions = kept
            super().run_turn()

    return Careless


def steps_into_lane(bot: Any, active: Any) -> Any:
    """Step in front of another marine, so that one of the two cannot shoot."""
    lanes = [one.ahead for one in bot.game.marines if one is not active]
    if active.tile in lanes:
        return None
    return next((one for one in bot.game.choices_of("move") if one.tile in lanes), None)


def watches_a_wall(bot: Any, active: Any) -> Any:
    """Turn away from the corridor before overwatch."""
    facings = ("North", "East", "South", "West")
    seen = {one: len(bot.game.tiles_seen_from(active.tile, one)) for one in facings}
    worst = min(seen, key=lambda one: seen[one])
    turned = active.facing == worst
    wanted = ["overwatch"] if turned else ["turn_right", "turn_left"]
    if not turned and facings[facings.index(active.facing) - 1] == worst:
        wanted.reverse()
    return next((one for name in wanted for one in bot.game.choices_of(name)), None)


KINDS: dict[str, dict[str, Kind]] = {
    "saloon": {
        "calls in onto an own man": Kind(crushes_own_man, {"crushed_own_man"}),
        "gives no order in three turns": Kind(sleeps, {"gave_no_orders"}),
        "calls in one job only": Kind(calls_in_one_job, {"called_nobody_in"}),
    },
    "snakes": {
        "runs into a wall or a body": Kind(snake_that(into_wall_or_body), {"hit_something"}),
        "enters a pocket": Kind(snake_that(into_pocket), {"entered_a_pocket"}),
        "head to head with a longer one": Kind(snake_that(into_longer_head), {"met_a_longer_head"}),
    },
    "laser_flag": {
        "ends in reach of lasers": Kind(stands_in_the_open, {"ended_in_reach"}),
        "never fires": Kind(never_fires, {"no_shot", "walked_past_a_shot"}),
        "leaves lasers off": Kind(leaves_lasers_off, {"laser_left_off"}),
    },
    "derelict": {
        "keeps no watch": Kind(keeps_no_watch, {"no_overwatch"}, (0,)),
        "two in one lane": Kind(marine_that(steps_into_lane), {"stood_in_the_lane"}, (0,)),
        "watches a wall": Kind(marine_that(watches_a_wall), {"watched_a_wall"}, (0,)),
    },
}


class Lost(NamedTuple):
    """A lost match, and what its player can learn."""

    seed: int
    player: int
    turns: list[int]
    document: dict[str, Any]
    claims: list[dict[str, Any]]

    def names(self, kind: Kind) -> bool:
        return any(self._is_about(lesson, kind) for lesson in self.document["lessons"][:2])

    def in_words(self, kind: Kind) -> str:
        lessons = [
            f"{one['kind']} {one['from_turn']} to {one['to_turn']}: {percent(one['price'])}"
            for one in self.document["lessons"]
        ]
        return f"{self.names(kind)}: seed {self.seed}, player {self.player}, turns {self.turns[:6]}: {lessons}"

    def _is_about(self, lesson: dict[str, Any], kind: Kind) -> bool:
        about = {*range(lesson["from_turn"], lesson["to_turn"] + 1), *lesson["turns"]}
        return lesson["kind"] in kind.lessons and (not self.turns or bool(about & set(self.turns)))


def lost_matches(game: str, kind: Kind, mistaken: bool, given: argparse.Namespace) -> Iterator[Lost]:
    """Yield matches that a bot loses, and in which it makes the mistake, if it can."""
    base = bot_class(find_game(game), f"builtin:{BOTS[game]}")
    lost = 0
    for seed in range(given.first, given.first + given.matches * TRIES):
        player, turns = kind.seats[seed % len(kind.seats)], []
        bots: list[Any] = [f"builtin:{BOTS[game]}"] * 2
        if mistaken:
            bots[player] = kind.make(base, Random(seed), turns)
        with TemporaryDirectory() as folder:
            replay = Path(folder) / "match.arena"
            play_in_memory(game, bots, seed=seed, replay=replay, options=OPTIONS.get(game), raises=True)
            endings = [one["ending"] for one in (Reader(replay).footer or {})["players"]]
            if endings[player] != "lost" or (mistaken and not turns):
                continue
            pool = InProcessPool(replay)
            document, claims = lessons_of(pool, player, given)
            numbers = {part.number: part.turn for part in pool.questions.match.parts}
            one = Lost(seed, player, [numbers[turn] for turn in turns], document, claims)
            print(f"  {one.in_words(kind)}", file=sys.stderr, flush=True)
            yield one
        lost += 1
        if lost == given.matches:
            return


def lessons_of(
    pool: InProcessPool, player: int, given: argparse.Namespace
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return an explanation that has lessons only, and what a check says of each."""
    explanation = Explanation(pool.questions.match)
    for _ in Explainer(explanation, pool, 2 * given.seconds, [player]).run():  # lessons get half of the budget
        if explanation.stage != "lessons":
            break
    document = document_of(explanation)
    return document, check_lessons(explanation.match, pool, document, given.check) if given.check else []


def curve_holds(game: str, given: argparse.Namespace) -> Iterator[tuple[str, bool]]:
    """Yield whether the true mean lies within the curve, give or take its standard error."""
    spec, left = find_game(game), given.positions
    for seed in range(given.first, given.first + given.positions):
        rng = Random(seed)
        with TemporaryDirectory() as folder:
            replay = Path(folder) / "match.arena"
            bots = [f"builtin:{name}" for name in (BOTS[game], rng.choice(spec.bots).name)]
            rng.shuffle(bots)
            play_in_memory(game, bots, seed=seed, replay=replay, options=OPTIONS.get(game))
            pool = InProcessPool(replay)
            match = pool.questions.match
            explanation = Explanation(match)
            for _ in Explainer(explanation, pool, given.budget).run():
                if explanation.stage == "turns":
                    break
            player, curve = (explanation.judged or [0])[0], explanation.curve
            assert curve is not None
            places = [match.simultaneous(part)[0].index for part in parts_of(match, player)]
            for index in rng.sample(places, min(PER_MATCH, left, len(places))):
                start, policy = match.parts[index].state, pool.questions.policy(explanation.bots[0])
                results = [play_on(policy, start.clone(), 10**7 + at) for at in range(given.playouts)]
                true, found = win_of(results, player, spec.playout_power), curve.win(index, player)
                error = (true.high - true.low) / 4
                is_held = found.low - error <= true.value <= found.high + error
                words = f"seed {seed}, part {index} of {len(match.parts)}: {found.low:.2f} to {found.high:.2f}, "
                yield f"{words}true {true.value:.2f}", is_held
                left -= 1
        if not left:
            return


def planted(game: str, given: argparse.Namespace) -> tuple[list[list[str]], list[dict[str, Any]]]:
    """Return a row for each kind of mistake, and all claims with what a check said."""
    rows, claims = [], []
    usual: dict[Sequence[int], list[Lost]] = {}
    for name, kind in KINDS[game].items():
        if given.only not in name:
            continue
        lost = list(lost_matches(game, kind, True, given))
        if kind.seats not in usual:
            usual[kind.seats] = list(lost_matches(game, kind, False, given))
            claims += [claim for one in usual[kind.seats] for claim in one.claims]
        claims += [claim for one in lost for claim in one.claims]
        named, chance = ([one.names(kind) for one in matches] for matches in (lost, usual[kind.seats]))
        rows.append([f"{game}: {name}", str(len(lost)), *(percent_of(one) for one in (named, chance))])
        print("; ".join(rows[-1]), file=sys.stderr, flush=True)
    return rows, claims


def percent_of(cases: Sequence[bool]) -> str:
    return percent(share([float(one) for one in cases])) if cases else "-"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=list(BOTS), metavar="GAME")
    parser.add_argument("--only", default="", help="mistakes whose name has these words")
    parser.add_argument("--matches", type=int, default=20, help="lost matches of each mistake")
    parser.add_argument("--seconds", type=float, default=10, help="of one core, for the lessons of a match")
    parser.add_argument("--check", type=float, default=10, help="seconds to check the lessons of a match; 0: no check")
    parser.add_argument("--positions", type=int, default=30, help="positions of each game that are played on")
    parser.add_argument("--playouts", type=int, default=400, help="from each of these positions, for the true mean")
    parser.add_argument("--budget", type=float, default=20, help="of one core, for the explanation of a curve")
    parser.add_argument("--first", type=int, default=0, help="the first seed of the matches")
    given = parser.parse_args()
    rows, claims = [], []
    for game in given.games:
        if given.matches:
            found = planted(game, given)
            rows, claims = rows + found[0], claims + found[1]
    print_table([["mistake", "lost", "named", "by chance"], *rows], right=(1, 2, 3))
    print(f"{sum(not one['confirmed'] for one in claims)} of {len(claims)} claims not confirmed")
    for one in claims:
        if not one["confirmed"]:
            print(f"  {one}", file=sys.stderr)
    for game in given.games if given.positions else ():
        held = list(curve_holds(game, given))
        print(f"{game}: {sum(one for _, one in held)} of {len(held)} true means within the curve")
        print(*(f"  {words}" for words, one in held if not one), sep="\n", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
