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
"""The evidence (a logarithm of odds) from which the agreement of two values counts as more than a coincidence."""
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

    def describe(self, player: int, place: str) -> str:
        shown, secret = self.example
        return (
            f"{path_text(self.secret)} is hidden from player {player}, but {path_text(self.path)}, which they get "
            f"{place}, reveals it: for example, it is {shown} when the secret is {secret}"
        )


def observe(state: State, player: int, mark: int = 0, draws: Sequence[Draw] = ()) -> Run:
    """Return the values that are sent to a player, and the values that are hidden from the player.

    Args:
        mark: Only events since this mark are included.
    """
    seen = fold({}, state.view(player))
    secrets = {key: value for key, value in hidden(fold({}, state.view()), seen).items() if value is not None}
    declared = {plan.cls.__name__: plan.secret for plan in state.plan().classes.values()}
    plain = {
        id_: {name: value for name, value in fields.items() if name not in declared[fields[CLASS]]}
        for id_, fields in seen.items()
    }
    shown = {"view": plain, "events": state.events(mark, player), "draws": [draw.value for draw in draws]}
    return Run(dict(_leaves(secrets)), dict(_leaves(shown)))


def _leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    if isinstance(value, dict | list | tuple) and value:
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, one in pairs:
            yield from _leaves(one, (*path, key))
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
    shown = {path: [run.shown.get(path, _NOTHING) for run in runs] for path in paths}
    for slot in first.secrets:
        values = [run.secrets.get(slot, _NOTHING) for run in runs]
        different = set(values)
        if len(different) < 2 or _NOTHING in different:
            continue
        many = len(different) >= least - (least > 2 and values[0][0] in "'\"")
        accident = log(len(values) ** 2 / sum(values.count(value) ** 2 for value in different))
        for path, column in shown.items():
            if column == values:
                sure = accident * len(values)
            elif many and len(pairs := set(zip(column, values, strict=True))) == len(set(column)):
                sure = accident * (len(values) - len(pairs))
            else:
                continue
            if sure >= evidence:
                return Leak(slot, path, (column[0], values[0]))
    return None


def path_text(path: Path) -> str:
    """Return a path as text, for example ``events[0].cards``."""
    head, *rest = path
    parts = (*head, *rest) if isinstance(head, tuple) else rest if head == "view" else path
    return "".join(f"[{part}]" if type(part) is int else f".{part}" for part in parts).lstrip(".")


_RUNS = 48
_ROUND = 8
"""The number of runs between two checks for possible leaks."""
_FIRST = 4
"""After this many runs, an experiment keeps only the players for whom a hidden value and a shown value have changed."""
_ROUNDS = 24
"""The limit for the rounds in one game, counted separately for experiments with other draws and with other worlds. At
the limit, no such experiment begins. A round has `_ROUND` runs."""

Observer = Callable[[int], Run]
"""A function that takes a player and returns what this player sees and does not see in one run."""


class Leaks:
    def __init__(self, game: GameSpec, ledger: Ledger) -> None:
        self._game = game
        self._ledger = ledger
        self._dealt: set[str] = set()
        self._known: dict[tuple[type, str], dict[Any, None]] = {}
        self._left = {"deal": 0, "world": 0}

    def start(self, options: OptionValues, seed: str) -> None:
        """Begin a game. If the options are new to the check, set the game up many times to find leaks in the set-up."""
        self._left = dict.fromkeys(self._left, _ROUNDS)
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
        moves = [move for _ in range(4) if (move := random_move(state, rng)) is not None]
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
        if accepted and chance.draws and self._left["deal"] > 0:
            before = observe(state, actor, mark)
            for index in rng.sample(range(len(chance.draws)), min(len(chance.draws), 4)):
                state.pop(mark)
                if chance.draws[index].is_sent(True):
                    self._redraw(state, actor, action, chance.draws, index, before, rng)
            place = f"when player {actor} does {show(action)}"
            deals = self._deals(state, mark, actor, action, rng)
            self._left["deal"] -= self._try(place, deals, self._players(state), least=2)
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
        slot = next((slot for slot, value in before.secrets.items() if after.secrets.get(slot) != value), None)
        if slot is not None and after.shown == before.shown:
            self._ledger.add(
                "secret",
                f"the draw {draws[index].label} is public, but decides {path_text(slot)}, which is hidden from player "
                f"{actor}: draw it with public=False",
            )

    # -- worlds --------------------------------------------------------------------------------------

    def _note_values(self, state: State) -> None:
        """Collect the values of secret fields, from which `_worlds` chooses."""
        for cls, plan in state.plan().classes.items():
            for name in plan.secret:
                if plan.kinds[name].entity is None:
                    known = self._known.setdefault((cls, name), dict.fromkeys(plan.kinds[name].choices or ()))
                    values = [getattr(one, name) for one in state.entities() if type(one) is cls]
                    known |= {value: None for value in values if value is not None}

    def _exchange(self, state: State, actor: int, action: Any, rng: Random) -> None:
        """Look for leaks by carrying out an action in different worlds that look the same to another player."""
        seed = rng.getrandbits(64)
        for player in self._players(state):
            if player != actor and self._left["world"] > 0:
                shown = observe(state, player, state.mark).shown
                observers = (
                    partial(observe, world)
                    for world in islice(self._worlds(state, player, rng), _RUNS)
                    if _acts_in_secret(world, player, actor, action, seed, shown)
                )
                place = f"when player {actor} does {show(action)}"
                self._left["world"] -= self._try(place, observers, (player,), least=4)

    def _worlds(self, state: State, player: int, rng: Random) -> Iterator[State]:
        """Yield states with the same view for the player: sampled ones, and copies with one secret changed."""
        secrets = list(hidden(fold({}, state.view()), fold({}, state.view(player))))
        known = {slot: list(self._known.get((type(state.entity(slot[0])), slot[1]), ())) for slot in secrets}
        slots = [slot for slot, values in known.items() if len(values) > 1]
        id_, name = rng.choice(slots) if slots else ("", "")
        options = self._game.resolve_options(state.options_for(player))
        while True:
            world = type(state).determinize(list(state.view(player)), player, Random(rng.getrandbits(64)), options)
            world.commit()
            yield world
            if slots:
                world = state.clone()
                set_plainly(world.entity(id_), name, rng.choice(known[id_, name]))
                yield world

    # -- choices -------------------------------------------------------------------------------------

    def _choose(self, state: State, rng: Random) -> None:
        mark = state.mark
        for actor in state.to_move():
            for key, actions in _families([filled(one, rng) for one in state.legal_actions(actor)], rng):
                seed = rng.getrandbits(64)
                runs: dict[int, list[Run]] = {player: [] for player in self._players(state) if player != actor}
                for action in actions:
                    if attempt(state, actor, action, Sampled(Random(seed)), self._ledger).accepted:
                        chosen = write(action[key])
                        for player, made in runs.items():
                            made.append(_only(observe(state, player, mark), chosen))
                    state.pop(mark)
                for player, made in runs.items():
                    leak = find_leak(made, inf, 0) if len(made) > 1 else None
                    self._report(leak, player, f"when player {actor} does {show(actions[0])}")

    # -- results -------------------------------------------------------------------------------------

    def _try(self, place: str, observers: Iterable[Observer], players: Iterable[int], least: int) -> int:
        """Make one experiment of many runs, and report a leak. Stop when no leak is possible.

        Returns:
            What the experiment costs: one, and one for each `_ROUND` runs.
        """
        runs: dict[int, list[Run]] = {player: [] for player in players}
        number = 0
        for number, observer in enumerate(observers, 1):
            for player, made in runs.items():
                made.append(observer(player))
            if number == _FIRST:
                runs = {player: made for player, made in runs.items() if _differs(made)}
            if number % _ROUND == 0:
                runs = {player: made for player, made in runs.items() if find_leak(made, 2, 0) is not None}
            if not runs:
                break
        for player, made in runs.items():
            self._report(find_leak(made, least) if made else None, player, place)
        return 1 + number // _ROUND

    def _report(self, leak: Leak | None, player: int, place: str) -> None:
        if leak is not None:
            self._ledger.add("secret", leak.describe(player, place))


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
    return all(after.get(slot) == value for slot, value in before.secrets.items())


def _only(run: Run, chosen: str) -> Run:
    """Return a copy of a run with only the values that equal `chosen`."""
    return Run(
        {slot: value for slot, value in run.secrets.items() if value == chosen},
        {path: value for path, value in run.shown.items() if value == chosen},
    )


def _families(listed: list[Any], rng: Random) -> Iterator[tuple[str, list[Any]]]:
    """Yield up to three keys, each with a group of actions that differ only in the value of this key."""
    groups: dict[tuple[str, str], list[Any]] = {}
    for action in listed:
        for key in action:
            rest = {name: value for name, value in action.items() if name != key}
            groups.setdefault((key, canonical(rest)), []).append(action)
    families = [(key, actions) for (key, _), actions in groups.items() if len(actions) > 1]
    for key, actions in rng.sample(families, min(len(families), 3)):
        yield key, rng.sample(actions, min(len(actions), 4))
