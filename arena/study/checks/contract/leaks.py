"""Find leaks of hidden information by experiments.

Each experiment carries out one action several times. The runs differ in one thing that a player must not notice: the
random draws, a hidden part of the state, or the argument of an opponent's secret choice. A value that is sent to the
player is a leak if it reveals a secret that is still hidden from the player.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from math import inf, log
from random import Random
from typing import Any, NamedTuple

from arena.game import GameSpec, IllegalAction, OptionValues, Sampled, Scripted, ScriptError, Seeded, State
from arena.game.chance import Draw
from arena.game.entity import set_plainly
from arena.game.forms import filled
from arena.study.checks.contract.fold import fold
from arena.study.checks.contract.observers import hidden
from arena.study.checks.contract.report import Ledger
from arena.study.checks.contract.trial import attempt, random_move, scratch_chance
from arena.study.replaying.difference import canonical, show
from arena_replays.state import CLASS

# Find out whether the values sent to a player in several runs of an experiment reveal a hidden value.

_CERTAIN = log(1e9)
"""The evidence (a logarithm of odds) from which the agreement of two values counts as more than a coincidence. A check
compares up to millions of pairs of values (fields, paths, players and positions), and must accuse no honest game."""
_NOTHING = "nothing"

Path = tuple[Any, ...]
"""Keys and indices. The path of a secret starts with a pair (id, field)."""


class Run(NamedTuple):
    """The values that one player receives after an action, and the values that are hidden from the player, as text.

    Attributes:
        shown: The values that are sent to the player, by path. Fields declared secret are left out.
    """

    secrets: dict[Path, str]
    shown: dict[Path, str]


class Leak(NamedTuple):
    """A value that reveals a secret.

    Attributes:
        example: The value at `path` in one run, and the value of the secret in this run.
    """

    secret: Path
    path: Path
    example: tuple[str, str]

    def describe(self, player: int, occasion: str) -> str:
        shown, secret = self.example
        return (
            f"{path_text(self.secret)} is hidden from player {player}, but {path_text(self.path)}, which they get "
            f"{occasion}, reveals it: for example, it is {shown} when the secret is {secret}"
        )


def observe(state: State, player: int, mark: int = 0, draws: Sequence[Draw] = ()) -> Run:
    """Return the values that are sent to a player, and the values that are hidden from the player.

    Args:
        mark: Only events since this mark are included.
    """
    view = fold({}, state.view(player))
    unseen = hidden(fold({}, state.view()), view)
    secrets = {key: value for key, value in unseen.items() if value is not None}
    declared = {plan.cls.__name__: plan.secret for plan in state.plan().classes.values()}
    plain = {
        id_: {name: value for name, value in fields.items() if name not in declared[fields[CLASS]]}
        for id_, fields in view.items()
    }
    shown = {"view": plain, "events": state.events(mark, player), "draws": [draw.value for draw in draws]}
    return Run(dict(_leaves(secrets)), dict(_leaves(shown)))


def _leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    if isinstance(value, dict | list | tuple) and value:
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in pairs:
            yield from _leaves(item, (*path, key))
    else:
        yield path, write(value)


def write(value: Any) -> str:
    """Return a scalar as text. Equal numbers give equal texts, whatever their type."""
    return repr(int(value) if type(value) is float and value.is_integer() else value)


def find_leak(runs: list[Run], least: float, evidence: float = _CERTAIN) -> Leak | None:
    """Find a shown value that reveals a secret: in all runs with the same shown value, the secret is the same too.

    Args:
        least: The number of different values of a secret that a leak requires; for strings, one less, but at least 2.
            If the shown value equals the secret in all runs, 2 are enough.
    """
    first = runs[0]
    paths = {path: None for run in runs for path in run.shown if run.shown[path] != first.shown.get(path)}
    columns = {path: [run.shown.get(path, _NOTHING) for run in runs] for path in paths}
    for secret in first.secrets:
        values = [run.secrets.get(secret, _NOTHING) for run in runs]
        different = set(values)
        if len(different) < 2 or _NOTHING in different:
            continue
        enough = len(different) >= least - (least > 2 and values[0][0] in "'\"")
        # The evidence of one agreement: how improbable it is that two runs have the same secret by accident.
        weight = log(len(values) ** 2 / sum(values.count(value) ** 2 for value in different))
        for path, column in columns.items():
            if column == values:
                agreements = len(values)
            elif enough and _decides(column, values):
                # The first run with each shown value proves nothing. Each further one could have contradicted.
                agreements = len(values) - len(set(column))
            else:
                continue
            if weight * agreements >= evidence:
                return Leak(secret, path, (column[0], values[0]))
    return None


def _decides(column: list[str], values: list[str]) -> bool:
    """Return whether equal entries of a column always have equal values."""
    return len(set(zip(column, values, strict=True))) == len(set(column))


def path_text(path: Path) -> str:
    """Return a path as text, for example ``events[0].cards``."""
    head, *rest = path
    parts = (*head, *rest) if isinstance(head, tuple) else rest if head == "view" else path
    return "".join(f"[{part}]" if type(part) is int else f".{part}" for part in parts).lstrip(".")


_RUNS = 48
"""The number of runs of an experiment. So many make a leak of a secret with two values certain, the hardest one: each
run that could contradict gives the evidence log 2 if both values are equally frequent, and 0.47 if one of them comes in
a quarter of the runs. 46 such runs reach `_CERTAIN`, which is 20.7."""
_ROUND = 8
"""The number of runs between two checks for possible leaks. Two fair coins agree by chance in eight runs in one of 256
experiments, so that most experiments without a leak end after the first round. The number hardly matters: measured with
the games of `tests/game`, a check costs a tenth of a run, and only one of twenty experiments reaches the first one."""
_FIRST = 4
"""After this many runs, an experiment keeps only the players for whom a hidden value and a shown value have changed.
This ends nineteen of twenty experiments (measured as above): most actions draw nothing that a player must not see. A
coin falls four times alike in one of eight experiments, which are then lost; the next positions make new ones."""
_ROUNDS = 24
"""The limit for the rounds in one game, counted separately for experiments with other draws and with other worlds. At
the limit, no such experiment begins. A round has `_ROUND` runs. Chosen, not measured: it bounds the time of a check,
and is enough for 24 experiments that end at once, or for three that are carried to their end."""

Observer = Callable[[int], Run]
"""A function that takes a player and returns what this player sees and does not see in one run."""


class Leaks:
    def __init__(self, game: GameSpec, ledger: Ledger) -> None:
        self._game = game
        self._ledger = ledger
        self._dealt: set[str] = set()
        self._values: dict[tuple[type, str], dict[Any, None]] = {}  # of each secret field, in the order of their time
        self._rounds_left = {"deal": 0, "world": 0}

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
            self._deal(state, actor, action, rng)
        self._choose(state, rng)
        for actor, action in moves[:1]:
            self._exchange(state, actor, action, rng)

    def _players(self, state: State) -> range:
        return range(self._game.players_in(state.options))

    # -- dice ----------------------------------------------------------------------------------------

    def _deal(self, state: State, actor: int, action: Any, rng: Random) -> None:
        mark = state.mark
        chance = scratch_chance(rng)
        accepted = attempt(state, actor, action, chance, self._ledger).accepted
        if accepted and chance.draws and self._rounds_left["deal"] > 0:
            before = observe(state, actor, mark)
            for index in rng.sample(range(len(chance.draws)), min(len(chance.draws), 4)):
                state.pop(mark)
                if chance.draws[index].is_sent(True):
                    self._redraw(state, actor, action, chance.draws, index, before, rng)
            occasion = f"when player {actor} does {show(action)}"
            deals = self._deals(state, mark, actor, action, rng)
            self._rounds_left["deal"] -= self._try(occasion, deals, self._players(state), least=2)
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

    def _exchange(self, state: State, actor: int, action: Any, rng: Random) -> None:
        """Look for leaks by carrying out an action in different worlds that look the same to another player."""
        seed = rng.getrandbits(64)
        for player in self._players(state):
            if player != actor and self._rounds_left["world"] > 0:
                shown = observe(state, player, state.mark).shown
                observers = (
                    partial(observe, world)
                    for world in islice(self._worlds(state, player, rng), _RUNS)
                    if _acts_in_secret(world, player, actor, action, seed, shown)
                )
                occasion = f"when player {actor} does {show(action)}"
                self._rounds_left["world"] -= self._try(occasion, observers, (player,), least=4)

    def _worlds(self, state: State, player: int, rng: Random) -> Iterator[State]:
        """Yield states with the same view for the player: sampled ones, and copies with one secret changed."""
        secrets = list(hidden(fold({}, state.view()), fold({}, state.view(player))))
        values = {(id_, name): list(self._values.get((type(state.entity(id_)), name), ())) for id_, name in secrets}
        changeable = [secret for secret in secrets if len(values[secret]) > 1]
        id_, name = rng.choice(changeable) if changeable else ("", "")
        options = self._game.resolve_options(state.options_for(player))
        while True:
            world = type(state).determinize(list(state.view(player)), player, Random(rng.getrandbits(64)), options)
            world.commit()
            yield world
            if changeable:
                world = state.clone()
                set_plainly(world.entity(id_), name, rng.choice(values[id_, name]))
                yield world

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


def _acts_in_secret(world: State, player: int, actor: int, action: Any, seed: int, shown: dict[Path, str]) -> bool:
    """Carry out an action in a world: a state that perhaps looks like the real state to a player.

    Returns:
        Whether the player sees the values `shown` in the world, the action is legal, the game goes on, and the action
        neither changes nor reveals a secret.
    """
    before = observe(world, player)
    if before.shown != shown or actor not in world.to_move():
        return False
    try:
        world.push(actor, action, Sampled(Random(seed)))
        if world.outcome() is not None:
            return False
    except Exception:
        return False  # the action is illegal in this world, or the world is impossible
    after = observe(world, player).secrets
    return all(after.get(path) == value for path, value in before.secrets.items())


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
