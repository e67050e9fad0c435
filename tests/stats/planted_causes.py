"""How often an explanation names the cause of a loss that was planted in a built-in bot, first or second.

    python tests/stats/planted_causes.py [GAME ...] [--matches 20] [--equal 20] [--random 75]

One player of a match of equal built-in bots has a defect, such as calling in nobody. Matches that it wins do not count.
The defects show in what was different, which needs no playouts. Matches of equal bots show how many turning points
`--check` does not confirm. Explanations of random matches are searched for contradictions.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from arena.analysis.checks import checked
from arena.analysis.differences import documents_of
from arena.analysis.explaining import Explainer, Explanation
from arena.analysis.norms import Norms, compute, norms_of
from arena.analysis.playouts import PlayoutPolicy
from arena.analysis.pool import Pool
from arena.analysis.recorded_match import RecordedMatch
from arena.analysis.report import document_of
from arena.analysis.worker import bot_class, required_bots
from arena.game import Document, State
from arena.game.chance import Sampled
from arena.match.lookup import find_game
from arena.match.policy import Policy
from arena.memory import MatchInMemory, play_in_memory
from arena_replays import Reader

sys.path.insert(0, str(Path(__file__).parents[1] / "analysis"))
from contradictions import contradictions

BOTS = {"saloon": "pianist", "laser_flag": "sergeant", "derelict": "veteran", "snakes": "forager"}
WEAK = {"saloon": "rowdy", "laser_flag": "rookie", "derelict": "castaway", "snakes": "hatchling"}
PLAYOUTS = 120
"""The playouts of an explanation that is searched for contradictions."""
TRIES = 4
"""At most this many matches are played for each match that the defect loses."""

Actions = list[Document]
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
    """Move onto hazards where they are near, and stay there."""
    hazards = {tuple(tile) for one in _objects(state) if one["class"] == "Game" for tile in one["hazards"]}
    units = {
        id_: (one["x"], one["y"])
        for id_, one in _things(state).items()
        if one["class"] == "Cowboy" and one["owner"] == player
    }
    steps = [one for one in state.legal_actions(player) if one["type"] == "move" and (one["x"], one["y"]) in hazards]
    chosen = {one["cowboy"]: one for one in steps}
    held = {id_ for id_, place in units.items() if place in hazards} | set(chosen)
    kept = [one for one in actions if one.get("cowboy") not in held]
    return [*(one for id_, one in chosen.items() if units[id_] not in hazards), *kept]


def random_at_last(after: int) -> Defect:
    def play(actions: Actions, state: State, player: int, rng: Random, number: int) -> Actions:
        return [state.random_action(player, rng) for _ in range(3)] if number > after else actions

    return play


DEFECTS: dict[str, dict[str, tuple[Defect, set[str]]]] = {
    "saloon": {
        "calls in nobody more": (few_units, {"did|call_in", "has|Cowboy"}),
        "harms its own units": (harms_itself, {"hurt|Cowboy", "lost|Cowboy", "has|Cowboy", "sum|Cowboy"}),
        "walks into hazards": (into_hazards, {"on|Game", "hurt|Cowboy", "lost|Cowboy"}),
        "forgets half of its units": (half, {"idle|Cowboy", "rate|move", "rate|play"}),
        "stays at one place": (at_one_place, {"tiles|Cowboy", "rate|move", "idle|Cowboy"}),
        "never plays": (without("play"), {"rate|play"}),
        "plays the last third at random": (random_at_last(64), {"late third"}),
    },
    "laser_flag": {
        "never fires": (without("fire"), {"rate|fire", "hit|Unit"}),
        "never moves": (without("move"), {"rate|move", "tiles|Unit", "idle|Unit"}),
        "forgets half of its units": (half, {"idle|Unit", "rate|move", "rate|fire", "sum|Unit"}),
        "plays the last third at random": (random_at_last(4), {"late third"}),
    },
    "derelict": {
        "never shoots": (without("shoot"), {"did|shoot"}),
        "never moves": (without("move"), {"did|move"}),
        "keeps no watch": (without("overwatch"), {"did|overwatch", "has|Unit"}),
        "plays the last third at random": (random_at_last(6), {"late third"}),
    },
    "snakes": {"plays the last third at random": (random_at_last(60), {"late third"})},
}


def play(game: str, defect: Defect, seed: int, replay: Path) -> None:
    """Play a match whose player 0 has a defect."""
    spec = find_game(game)
    bot = bot_class(spec, f"builtin:{BOTS[game]}")
    policy, rng = PlayoutPolicy(spec, (bot,), 0), Random(seed)
    others = [bot] * (spec.players_in(spec.resolve_options({})) - 1)
    match = MatchInMemory(spec, [None, *others], seed=seed, replay=replay)
    while (player := match.play()) is not None:
        state, number = match.state, match.state.turn_number()
        actions = policy.turn(state.clone(), player, Sampled(Random(rng.random())))
        for action in defect(actions, state.clone(), player, rng, number):
            if match.player == player and match.state.turn_number() == number:
                match.act(player, action)
        while match.player == player and match.state.turn_number() == number:
            match.act(player, match.state.fallback_action(player))


def play_late(game: str, seed: int, replay: Path) -> None:
    """Play a match whose player 0 times out in some turns."""
    now = [0.0]

    class Slow(bot_class(find_game(game), f"builtin:{BOTS[game]}")):  # type: ignore[misc]
        def run_turn(self) -> None:
            if self.turn % 3 == 1 and self.turn > 3:
                now[0] += 100
            super().run_turn()

    policy = Policy(timeout="skip")
    others = [f"builtin:{BOTS[game]}"] * (find_game(game).players - 1)
    play_in_memory(game, [Slow, *others], seed=seed, replay=replay, policy=policy, read_clock=lambda: now[0])


def rate(
    play: Callable[[int, Path], None], expected: set[str], matches: int, norms: Norms | None
) -> tuple[int, int, list[str]]:
    """Return how many lost matches there were, in how many the cause was first or second, and others."""
    lost = named = 0
    others: list[str] = []
    for seed in range(matches * TRIES):
        with TemporaryDirectory() as folder:
            replay = Path(folder) / "match.arena"
            play(seed, replay)
            reader = Reader(replay)
            if lost == matches or reader.footer["players"][0]["ending"] == "won":
                continue
            lost += 1
            found = [one for one in documents_of(reader, norms) if one["player"] == 0][:2]
            last = reader.number_of(len(reader.turns) - 1)
            told = {"|".join(measure[:2]) for one in found for measure in (one["measure"], *one["since"])}
            told |= {"late third" for one in found if one["turn"] > last / 2}
            named += bool(told & expected)
            others += [] if told & expected else [str(sorted(told))]
    return lost, named, others


def norms_for(game: str, replay: Path) -> Norms | None:
    spec, reader = find_game(game), Reader(replay)
    if norms_of(reader.header, spec) is None:
        with Pool(replay) as pool:
            list(compute(reader.header, spec, required_bots(spec), pool, 600))
    return norms_of(reader.header, spec)


def equal(game: str, matches: int, budget: float, folder: Path) -> tuple[int, int]:
    """Explain matches of equal bots. Return how many turning points they had, and how many a check confirmed."""
    claims = confirmed = 0
    for seed in range(matches):
        replay = folder / f"{game}-{seed}.arena"
        bots = [f"builtin:{BOTS[game]}"] * find_game(game).players
        play_in_memory(game, bots, seed=seed, replay=replay)
        document = explained(replay, budget)
        points = document["turning_points"]
        if points:
            with Pool(replay) as pool:
                rows = checked(RecordedMatch.of_file(replay), pool, points, document["playouts"]["teams"], budget)
            claims, confirmed = claims + len(rows), confirmed + sum(one["confirmed"] for one in rows)
    return claims, confirmed


def contradicted(game: str, matches: int, folder: Path) -> list[str]:
    """Explain matches of random built-in bots with few playouts. Return what contradicts itself."""
    rng, spec = Random(game), find_game(game)
    weak, strong = f"builtin:{WEAK[game]}", f"builtin:{BOTS[game]}"
    found = []
    for seed in range(matches):
        replay = folder / f"{game}-random-{seed}.arena"
        play_in_memory(game, rng.choices([weak, strong], k=spec.players), seed=f"random {seed}", replay=replay)
        explanation = Explanation(RecordedMatch.of_file(replay))
        explanation.teams = [(weak,), (strong,), (weak, strong), (strong, weak)]
        with Pool(replay) as pool:
            for _ in Explainer(explanation, pool, 1e6, most=PLAYOUTS).run(norms=600 * (seed % 2)):
                pass
        found += [f"{game} {seed}: {one}" for one in contradictions(document_of(explanation, replay.name))]
    return found


def explained(replay: Path, budget: float) -> dict[str, Any]:
    explanation = Explanation(RecordedMatch.of_file(replay))
    with Pool(replay) as pool:
        for _ in Explainer(explanation, pool, budget).run(norms=600):
            pass
    return document_of(explanation, replay.name)


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
    parser.add_argument("--matches", type=int, default=20, help="lost matches of each defect")
    parser.add_argument("--equal", type=int, default=0, help="matches of equal bots of each game")
    parser.add_argument(
        "--budget", type=float, default=20, help="seconds for the explanation of each match of equal bots"
    )
    parser.add_argument(
        "--random", type=int, default=0, help="random matches of each game, searched for contradictions"
    )
    given = parser.parse_args()
    with TemporaryDirectory() as name:
        folder = Path(name)
        for game in given.games:
            bots = [f"builtin:{BOTS[game]}"] * find_game(game).players
            play_in_memory(game, bots, seed=1, replay=folder / "first.arena")
            norms = norms_for(game, folder / "first.arena")
            plays = {what: (partial(play, game, defect), told) for what, (defect, told) in DEFECTS[game].items()}
            plays["times out in some turns"] = partial(play_late, game), {"late|"}
            for what, (planted, expected) in plays.items() if given.matches else ():
                lost, named, others = rate(planted, expected, given.matches, norms)
                print(f"{game}: {what}: named first or second in {named} of {lost}", *others[:3], flush=True)
            if given.random:
                found = contradicted(game, given.random, folder)
                print(
                    f"{game}: {given.random} explanations, {len(found)} contradictions",
                    *found[:5],
                    sep="\n  ",
                    flush=True,
                )
            if given.equal:
                claims, confirmed = equal(game, given.equal, given.budget, folder)
                print(f"{game}: {given.equal} matches of equal bots: {confirmed} of {claims} turning points confirmed")


if __name__ == "__main__":
    main()
