"""The search: playouts from the present position, and the choice of an action."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from time import process_time
from typing import TYPE_CHECKING, Any, NamedTuple

from arena.game import IllegalAction, Sampled, is_form, sample, spread

from .bots import Bots
from .budget import Budget, Meter
from .plans import Planner
from .playouts import Experience, Playout, Step
from .tree import SURE, UNSURE, Arm, Document, Key, Node, Table, key_of
from .values import Values

if TYPE_CHECKING:
    from arena.game import GameSpec, State, View

Fork = Callable[[Random], Any]
"""Returns a state that agrees with what the player sees. What is hidden is guessed with the generator."""

GUESSING = 0.2
"""The share of the time for new guesses at what is hidden."""
PLAYOUTS_A_GUESS = 8
"""The same for a search that is limited by playouts: one more guess after so many."""
DEEPEST = 60
LOOKS = 6
"""So often the search looks at an action from the present position, if the result depends on dice or on guesses."""
PLAYOUTS_A_LOOK = 32
"""The same for a search that is limited by playouts: one more look for so many."""
LOOK_AFTER = 4
"""A node that was visited so often looks at each of its actions."""
SAMPLES_OF_A_FORM = 12
"""A form stands for many actions. A node tries so many of them at random, and more with every listing."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What a search found.

    Attributes:
        action: The chosen action.
        value: The mean result of the playouts that began with it; 0 if no playout was needed.
        playouts: The number of playouts for this choice.
    """

    action: Document
    value: float
    playouts: int


class Searcher:
    """Searches for one player of a match. Use the same searcher in all turns.

    Args:
        game: The game.
        player: The player.
        players: The number of players.
        budget: The limits of a turn.
        rng: All random numbers. If the budget has playouts only, equal generators lead to equal choices.
    """

    def __init__(self, game: GameSpec, player: int, players: int, budget: Budget, rng: Random) -> None:
        self._player = player
        self._players = players
        self._budget = budget
        self._rng = rng
        self._bots = Bots(game, players)
        self._experience = Experience()
        self._turn: int | None = None
        self._searches = 0
        self._usual = 1.0 if self._bots.classes else 2.5  # a plan is seldom made twice
        self._meter = Meter(budget, self._usual)
        self._root = Node()
        self._plan: list[Document] = []
        self._expected: View = []

    def choose(self, fork: Fork, time_left: float | None = None) -> Choice | None:
        """Return the best action that was found; None if it is not the player's move.

        Args:
            fork: Returns a state that agrees with what the player sees now.
            time_left: The seconds on the clock; None for no limit.
        """
        search = _Search(fork, self._players, self._budget, self._rng, self._experience)
        state = search.first
        movers = state.to_move()
        if self._player not in movers:
            return None
        if state.turn_number() != self._turn:
            self._begin_turn(state.turn_number())
        if self._bots.classes:
            return self._plan_turn(search, time_left)
        root = self._root
        table = root.table(self._player)
        table.arms = search.listed(state, self._player, table.arms)
        table.listed_at = max(1, table.visits)
        played = 0
        self._searches += 1
        if len(table.arms) > 1:
            self._meter.allow(time_left)
            search.look_around(self._player, table)
            while not self._meter.is_empty:
                search.playout(root)
                self._meter.count()
                played += 1
        arm = table.best(search.mean(self._player))
        self._root = root.children.get((arm.key,), Node()) if len(movers) == 1 else Node()
        return Choice(arm.action, arm.mean, played)

    def _plan_turn(self, search: _Search, time_left: float | None) -> Choice:
        """Return the next action of the plan of this turn. Plan again if the last action did not do what it should."""
        state, player = search.first, self._player
        planned, value, played = self._plan, 0.0, 0
        if not (planned and state.view(player) == self._expected and search.is_legal(player, planned[0])):
            self._searches += 1
            self._meter.allow(time_left)
            planner = Planner(player, self._players, self._bots, search.guess, self._rng, planned)
            while not self._meter.is_empty and planner.improve():
                self._meter.count()
                played += 1
            planned, value = planner.best.actions, planner.value
        self._plan = planned[1:]
        mark = state.push(player, planned[0], Sampled(self._rng))
        self._expected = state.view(player)
        state.pop(mark)
        return Choice(planned[0], value, played)

    def _begin_turn(self, turn: int) -> None:
        if self._searches:
            self._usual += (self._searches - self._usual) / 3
        self._turn, self._searches, self._plan = turn, 0, []
        self._meter = Meter(self._budget, self._usual)
        self._root = Node()


class _Chosen(NamedTuple):
    """An action that a playout took in the tree.

    Attributes:
        place: The number of steps of the playout before it.
    """

    table: Table
    player: int
    turn: int
    arm: Arm
    place: int


class _Search:
    """The playouts for one choice.

    Attributes:
        first: The first guess at the state.
        hides: Whether something is hidden from the player.
    """

    def __init__(self, fork: Fork, players: int, budget: Budget, rng: Random, experience: Experience) -> None:
        self._fork = fork
        self._players = players
        self._budget = budget
        self._rng = rng
        self._experience = experience
        self._begun = process_time()
        self._guessing = 0.0
        self._states: list[State] = []
        self._add_guess()
        self.first = self._states[0]
        self.hides = self.first.hides_information()
        self._count = 0
        self._sums = [0.0] * players
        self._squares = [0.0] * players

    def playout(self, root: Node) -> None:
        """Play once from the root, and record the result in the tree."""
        if self.hides and self._wants_guess():
            self._add_guess()
        state = self._rng.choice(self._states)
        mark = state.mark
        path: list[_Chosen] = []
        steps: list[Step] = []
        try:
            self._descend(state, root, path, steps)
            values = Playout(state, self._players, self._rng, self._experience).run(steps)
        finally:
            state.pop(mark)
        self._record(path, steps, values)

    def guess(self) -> State:
        """Return the state; each time another guess if something is hidden."""
        if self.hides:
            self._add_guess()
        return self._states[-1]

    def is_legal(self, player: int, action: Document) -> bool:
        """Return whether an action is legal as far as the first guess shows."""
        try:
            self.first.pop(self.first.push(player, action))
        except IllegalAction:
            return False
        return True

    def look_around(self, player: int, table: Table) -> None:
        """Look at each action from the present position."""
        self.look(self.first, player, table)
        playouts = self._budget.playouts
        for _ in range(LOOKS - 1 if playouts is None else min(LOOKS - 1, playouts // PLAYOUTS_A_LOOK)):
            if self.hides and len(self._states) < LOOKS:
                self._add_guess()
            self.look(self._rng.choice(self._states), player, table)

    def look(self, state: State, player: int, table: Table) -> None:
        """Try each action, and note how much better the turn could end then than it could end now.

        If others choose at the same time, nothing can be seen yet.
        """
        if len(state.to_move()) > 1:
            return
        experience, players = self._experience, self._players
        seed = self._rng.getrandbits(32)  # the same dice for all actions: less noise between them
        base = experience.settled(state, player, players, Sampled(Random(seed)))
        for arm in table.arms.values():
            if arm.looks >= SURE:
                continue
            chance = Sampled(Random(seed))
            try:
                mark = state.push(player, arm.action, chance)
            except IllegalAction:
                continue
            weight = UNSURE if chance.take() or self.hides else SURE
            arm.look(experience.settled(state, player, players, chance) - base, weight)
            state.pop(mark)

    def mean(self, player: int) -> float:
        """Return the mean of all results for a player."""
        return self._sums[player] / max(1, self._count)

    def list_actions(self, state: State, player: int, table: Table) -> None:
        """Add to a table what is legal now. What was legal with other dice stays."""
        table.listed_at = max(1, table.visits)
        table.arms.update(self.listed(state, player, table.arms))

    def listed(self, state: State, player: int, known: Mapping[Key, Arm]) -> dict[Key, Arm]:
        """Return what is legal now, with what is known about it."""
        found: dict[Key, Arm] = {}
        for action in state.legal_actions(player):
            actions = [action]
            if is_form(action):
                actions = spread(actions)[:SAMPLES_OF_A_FORM]
                actions += [sample([action], self._rng) for _ in range(SAMPLES_OF_A_FORM)]
            for one in actions:
                key = key_of(one)
                found[key] = known.get(key) or Arm(one, key)
        return found

    def _add_guess(self) -> None:
        begun = process_time()
        self._states.append(self._fork(self._rng))
        self._guessing += process_time() - begun

    def _wants_guess(self) -> bool:
        if self._budget.is_repeatable:
            return self._count >= PLAYOUTS_A_GUESS * len(self._states)
        return self._guessing < GUESSING * (process_time() - self._begun)

    def _descend(self, state: State, node: Node, path: list[_Chosen], steps: list[Step]) -> None:
        """Follow the tree up to a node that was not visited yet, and through it."""
        for _ in range(DEEPEST):
            movers = state.to_move()
            if not movers:
                return
            turn = state.turn_number()
            keys: list[Key] = []
            new = False
            for player in movers:
                if keys and player not in state.to_move():
                    continue
                table = node.table(player)
                new = new or not table.visits
                arm = self._push(state, player, table)
                path.append(_Chosen(table, player, turn, arm, len(steps)))
                steps.append((turn, player, arm.key))
                keys.append(arm.key)
            if new:
                return
            node = node.child(tuple(keys))

    def _push(self, state: State, player: int, table: Table) -> Arm:
        """Choose and carry out an action. With other dice than before, an action of the table can be refused."""
        if table.visits >= 2 * table.listed_at:
            self.list_actions(state, player, table)
            if table.visits >= LOOK_AFTER:
                self.look(state, player, table)
        count = max(1, self._count)
        mean = self.mean(player)
        spread_of_values = max(1e-12, self._squares[player] / count - mean * mean) ** 0.5
        refused: list[Arm] = []
        try:
            while table.arms:
                arm = table.select(self._rng, mean, spread_of_values)
                try:
                    state.push(player, arm.action)
                except IllegalAction:
                    refused.append(table.arms.pop(arm.key))
                else:
                    return arm
        finally:
            table.arms.update((arm.key, arm) for arm in refused)
        action = state.random_action(player, self._rng)
        key = key_of(action)
        arm = table.arms.setdefault(key, Arm(action, key))
        state.push(player, arm.action)
        return arm

    def _record(self, path: list[_Chosen], steps: list[Step], values: Values) -> None:
        self._count += 1
        for player, value in enumerate(values):
            self._sums[player] += value
            self._squares[player] += value * value
        for table, player, turn, arm, place in path:
            value = values[player]
            table.learn(arm, value)
            for later_turn, other, key in steps[place:]:
                if later_turn != turn:
                    break
                if other == player:
                    table.learn_later(key, value)
