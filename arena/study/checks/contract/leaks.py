"""Find leaks of hidden information by experiments.

Each experiment carries out one action several times. The runs differ in one thing that a player must not notice: the
random draws, a hidden part of the state, or the argument of an opponent's secret choice. A value that is sent to the
player is a leak if it reveals a secret that is still hidden from the player.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import count, islice
from math import inf
from random import Random
from typing import Any

from arena.game import GameSpec, IllegalAction, OptionValues, Sampled, Scripted, ScriptError, Seeded, State
from arena.game.chance import Draw
from arena.game.entity import set_plainly
from arena.game.forms import filled
from arena.game.kinds import triples
from arena.study.checks.contract.evidence import Leak, Path, Run, find_leak, observe, path_text, unchanged, write
from arena.study.checks.contract.fold import fold
from arena.study.checks.contract.observers import hidden
from arena.study.checks.contract.report import Ledger
from arena.study.checks.contract.trial import attempt, random_move, scratch_chance
from arena.study.replaying.difference import canonical, show

_RUNS = 48
"""The number of runs of an experiment with other draws. So many make a leak of a secret with two values certain, the
hardest one: each run that could contradict gives the evidence log 2 if both values are equally frequent, and 0.47 if
one of them comes in a quarter of the runs. 46 such runs reach `CERTAIN`, which is 20.7."""
_WORLDS = 2 * _RUNS
"""The number of worlds of an experiment. Every second one is mixed, and only mixed worlds may have what a resolving
action shows: a guess of `determinize` often leaves out the sealed choices of others."""
_ROUND = 8
"""The number of runs between two checks for possible leaks. Two fair coins agree by chance in eight runs in one of 256
experiments, so that most experiments without a leak end after the first round. The number hardly matters: measured with
the games of `tests/game`, a check costs a tenth of a run, and only one of twenty experiments reaches the first one."""
_FIRST = 4
"""After this many runs, an experiment keeps only the players for whom a hidden value and a shown value have changed.
This ends nineteen of twenty experiments (measured as above): most actions draw nothing that a player must not see. A
coin falls four times alike in one of eight experiments, which are then lost; the next positions make new ones."""
_ROUNDS = 24
"""The limit for the rounds in one game, counted separately for experiments with other draws, with other worlds, and at
rare moments. At the limit, no such experiment begins. A round has `_ROUND` runs. Chosen, not measured: it bounds the
time of a check, and is enough for 24 experiments that end at once, or for three that are carried to their end."""
_EACH_MOMENT = 2
"""How many actions with the same kind of result are carried out again as experiments. Most rules that open secrets run
seldom, such as those after the last of several votes: without this, positions with such an action would hardly come."""

Observer = Callable[[int], Run]
"""A function that takes a player and returns what this player sees and does not see in one run."""


class Leaks:
    def __init__(self, game: GameSpec, ledger: Ledger) -> None:
        self._game = game
        self._ledger = ledger
        self._dealt: set[str] = set()
        self._values: dict[tuple[type, str], dict[Any, None]] = {}  # of each secret field, in the order of their time
        self._moments: Counter[Any] = Counter()
        self._rounds_left = {"deal": 0, "world": 0, "moment": 0}

    def start(self, options: OptionValues, seed: str) -> None:
        """Begin a game. If the options are new to the check, set the game up many times to find leaks in the set-up."""
        self._rounds_left = dict.fromkeys(self._rounds_left, _ROUNDS)
        name = canonical(options.to_document())
        if name in self._dealt:
            return
        self._dealt.add(name)
        first = self._game.start(options, Seeded(f"{seed}/deal"))
        deals = (self._game.start(options, Seeded(f"{seed}/deal/{number}")) for number in range(_RUNS))
        self._try("in the set-up", (partial(observe, state) for state in deals), self._players(first), least=2)

    def look(self, state: State, rng: Random) -> None:
        if not state.hides_information() or not state.to_move():
            return
        self._note_values(state)
        moves = [move for move in (random_move(state, rng) for _ in range(4)) if move is not None]
        for actor, action in moves:
            self._deal(state, actor, action, rng, "deal")
        self._choose(state, rng)
        for actor, action in moves[:1]:
            self._exchange(state, actor, action, rng, "world")

    def look_back(self, before: State, state: State, mark: int, actor: int, action: Any, rng: Random) -> None:
        """Make experiments with an action of the game, if few actions had the same kind of result.

        Args:
            before: The state before the action. It is changed.
            state: The state after the action.
            mark: The mark of `state` before the action.
        """
        if self._rounds_left["moment"] <= 0 or not state.to_move():
            return
        changes = {
            name if name in "+-" else (type(state.entity(id_)), name) for id_, name, _ in triples(state.delta(mark))
        }
        kind = action["type"], frozenset(changes), frozenset(event["kind"] for event in state.events(mark))
        self._moments[kind] += 1
        if self._moments[kind] <= _EACH_MOMENT:
            self._note_values(before)
            self._deal(before, actor, action, rng, "moment")
            self._exchange(before, actor, action, rng, "moment")

    def _players(self, state: State) -> range:
        return range(self._game.players_in(state.options))

    # -- dice ----------------------------------------------------------------------------------------

    def _deal(self, state: State, actor: int, action: Any, rng: Random, budget: str) -> None:
        mark = state.mark
        chance = scratch_chance(rng)
        accepted = attempt(state, actor, action, chance, self._ledger).accepted
        if accepted and chance.draws and self._rounds_left[budget] > 0:
            before = observe(state, actor, mark)
            for index in rng.sample(range(len(chance.draws)), min(len(chance.draws), 4)):
                state.pop(mark)
                if chance.draws[index].is_sent(True):
                    self._redraw(state, actor, action, chance.draws, index, before, rng)
            occasion = f"when player {actor} does {show(action)}"
            deals = self._deals(state, mark, actor, action, rng)
            self._rounds_left[budget] -= self._try(occasion, deals, self._players(state), least=2)
        state.pop(mark)

    def _deals(self, state: State, mark: int, actor: int, action: Any, rng: Random) -> Iterator[Observer]:
        for _ in range(_RUNS):
            state.pop(mark)
            chance = scratch_chance(rng)
            if attempt(state, actor, action, chance, self._ledger).accepted:
                sent = [draw for draw in chance.draws if draw.is_sent(True)]
                yield partial(_observe_action, state, mark, actor, sent)

    def _redraw(
        self, state: State, actor: int, action: Any, draws: list[Draw], index: int, before: Run, rng: Random
    ) -> None:
        """Repeat an action with another value of a public draw. Report the draw if only hidden values change."""
        script = [draw.value for draw in draws]
        script[index] = draws[index].distribution.sample(rng)
        mark = state.mark
        try:
            state.push(actor, action, Scripted(script))
        except (IllegalAction, ScriptError):
            return
        after = observe(state, actor, mark)
        changed = [path for path, value in before.secrets.items() if after.secrets.get(path) != value]
        if changed and after.shown == before.shown:
            self._ledger.add(
                "secret",
                f"the draw {draws[index].label} is public, but decides {path_text(changed[0])}, which is hidden "
                f"from player {actor}: draw it with public=False",
            )

    # -- worlds --------------------------------------------------------------------------------------

    def _note_values(self, state: State) -> None:
        """Collect the values of secret fields, from which `_worlds` chooses."""
        for cls, plan in state.plan().classes.items():
            for name in plan.secret:
                if plan.kinds[name].entity is None:
                    values = self._values.setdefault((cls, name), dict.fromkeys(plan.kinds[name].choices or ()))
                    current = [getattr(entity, name) for entity in state.entities() if type(entity) is cls]
                    values.update((value, None) for value in current if value is not None)

    def _exchange(self, state: State, actor: int, action: Any, rng: Random, budget: str) -> None:
        """Look for leaks by carrying out an action in different worlds that look the same to another player."""
        for player in self._players(state):
            if player != actor and self._rounds_left[budget] > 0:
                shown = observe(state, player, state.mark).shown
                runs = (
                    self._run(world, is_mixed, player, actor, action, rng, shown)
                    for world, is_mixed in islice(self._worlds(state, player, rng), _WORLDS)
                )
                observers = (partial(_observed, run) for run in runs if run is not None)
                occasion = f"when player {actor} does {show(action)}"
                self._rounds_left[budget] -= self._try(occasion, observers, (player,), least=4)

    def _worlds(self, state: State, player: int, rng: Random) -> Iterator[tuple[State, bool]]:
        """Yield states with the same view for the player, and whether they are mixed.

        They are sampled ones, copies with one secret changed, and mixed ones: copies in which each secret has a value
        of its own. The values are those that such secrets had in games.
        """
        secrets = list(hidden(fold({}, state.view()), fold({}, state.view(player))))
        values = {secret: self._values_like(state, *secret) for secret in secrets}
        changeable = [secret for secret in secrets if len(values[secret]) > 1]
        single = rng.choice(changeable) if changeable else None
        options = self._game.resolve_options(state.options_for(player))
        for number in count():
            if single is None or number % 4 == 0:
                world = type(state).determinize(list(state.view(player)), player, Random(rng.getrandbits(64)), options)
                world.commit()
                yield world, False
                continue
            world = state.clone()
            for id_, name in (single,) if number % 4 == 2 else changeable:
                set_plainly(world.entity(id_), name, rng.choice(values[id_, name]))
            yield world, number % 4 != 2

    def _values_like(self, state: State, id_: str, name: str) -> list[Any]:
        """Return the known values of a secret; of a tuple, those of the same length."""
        entity = state.entity(id_)
        old = getattr(entity, name)
        values = self._values.get((type(entity), name), ())
        return [value for value in values if not isinstance(old, tuple) or len(value) == len(old)]

    def _run(
        self, world: State, is_mixed: bool, player: int, actor: int, action: Any, rng: Random, shown: dict[Path, str]
    ) -> Run | None:
        """Carry out an action in a world: a state that perhaps looks like the real state to a player.

        The dice are other ones in each world. Else what a die shows would depend on the secrets alone.

        Returns:
            What the player sees afterwards, and the secrets that the action leaves as they are. None if the player does
            not see the values `shown` in the world before the action, the action is illegal, or the game ends.
        """
        self._ledger.budget.tick()
        before = observe(world, player)
        if before.shown != shown or actor not in world.to_move():
            return None
        try:
            world.push(actor, action, scratch_chance(rng))
            if world.outcome() is not None:
                return None
            return unchanged(before, observe(world, player))._replace(is_mixed=is_mixed)
        except Exception:
            return None  # the action is illegal in this world, or the world is impossible

    # -- choices -------------------------------------------------------------------------------------

    def _choose(self, state: State, rng: Random) -> None:
        mark = state.mark
        for actor in state.to_move():
            listed = [filled(action, rng) for action in state.legal_actions(actor)]
            for key, actions in _families(listed, rng):
                seed = rng.getrandbits(64)
                runs: dict[int, list[Run]] = {player: [] for player in self._players(state) if player != actor}
                for action in actions:
                    if attempt(state, actor, action, Sampled(Random(seed)), self._ledger).accepted:
                        argument = write(action[key])
                        for player, own_runs in runs.items():
                            own_runs.append(_only(observe(state, player, mark), argument))
                    state.pop(mark)
                for player, own_runs in runs.items():
                    leak = find_leak(own_runs, inf, 0) if len(own_runs) > 1 else None
                    self._report(leak, player, f"when player {actor} does {show(actions[0])}")

    # -- results -------------------------------------------------------------------------------------

    def _try(self, occasion: str, observers: Iterable[Observer], players: Iterable[int], least: int) -> int:
        """Make one experiment of many runs, and report a leak. Stop when no leak is possible.

        Returns:
            What the experiment costs: one, and one for each `_ROUND` runs.
        """
        runs: dict[int, list[Run]] = {player: [] for player in players}
        number = 0
        for number, observer in enumerate(observers, 1):
            for player, own_runs in runs.items():
                own_runs.append(observer(player))
            if number == _FIRST:
                runs = {player: own_runs for player, own_runs in runs.items() if _differs(own_runs)}
            if number % _ROUND == 0:
                runs = {player: own_runs for player, own_runs in runs.items() if find_leak(own_runs, 2, 0) is not None}
            if not runs:
                break
        for player, own_runs in runs.items():
            self._report(find_leak(own_runs, least) if own_runs else None, player, occasion)
        return 1 + number // _ROUND

    def _report(self, leak: Leak | None, player: int, occasion: str) -> None:
        if leak is not None:
            self._ledger.add("secret", leak.describe(player, occasion))


def _differs(runs: list[Run]) -> bool:
    """Return whether some hidden value and some shown value differ between the runs."""
    first = runs[0]
    return any(run.secrets != first.secrets for run in runs) and any(run.shown != first.shown for run in runs)


def _observe_action(state: State, mark: int, actor: int, sent: list[Draw], player: int) -> Run:
    return observe(state, player, mark, sent if player == actor else ())


def _observed(run: Run, player: int) -> Run:
    del player  # the run is that of the only player of the experiment
    return run


def _only(run: Run, argument: str) -> Run:
    """Return a copy of a run with only the values that equal an argument."""
    return Run(
        {path: value for path, value in run.secrets.items() if value == argument},
        {path: value for path, value in run.shown.items() if value == argument},
    )


def _families(listed: list[Any], rng: Random) -> Iterator[tuple[str, list[Any]]]:
    """Yield up to three keys, each with a group of actions that differ only in the value of this key."""
    groups: dict[tuple[str, str], list[Any]] = {}
    for action in listed:
        for key in action:
            others = {name: value for name, value in action.items() if name != key}
            groups.setdefault((key, canonical(others)), []).append(action)
    families = [(key, actions) for (key, _), actions in groups.items() if len(actions) > 1]
    for key, actions in rng.sample(families, min(len(families), 3)):
        yield key, rng.sample(actions, min(len(actions), 4))
