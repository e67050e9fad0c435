"""What a perfect opponent gets against a strategy, in games whose tree is small enough to search all of it.

A position is known to a player only by what the player was sent. So the best response is chosen for each information
set: for all positions of the tree between which the player cannot distinguish, together.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from arena.game import Chance, Document, GameSpec, State, View, enumerate_chance, is_form
from arena.match.lookup import resolve_options
from arena_learn.spaces.rewards import outcome_reward

Strategy = Callable[[View, Sequence[Document]], Sequence[float]]
"""Returns the probability of each legal action, from what the player sees (`State.view`) and the legal actions."""


def uniform(view: View, actions: Sequence[Document]) -> Sequence[float]:
    """Return the same probability for each action: the strategy of random play."""
    del view
    return [1 / len(actions)] * len(actions)


def best_response(
    game: GameSpec,
    strategy: Strategy,
    player: int,
    *,
    options: Mapping[str, Any] | None = None,
    reward: Callable[[State, int], float] | None = None,
) -> float:
    """Return the reward of a player who knows how all others play, and plays best against it.

    The difference to the value of the game is how much the strategy can be exploited. The sum over both players is 0 in
    a zero-sum game if the strategy is an equilibrium.

    Args:
        game: The game. All of its tree is searched, with all results of the dice.
        strategy: How all others play.
        player: The player.
        options: Options of the game.
        reward: The reward of a player at the end, such as the chips; by default that of the outcome, as in the
            environments.

    Raises:
        ScriptError: The rules draw real numbers.
        ValueError: The game has lists of orders.
    """
    search = _Search(strategy, player, reward or _outcome_reward)
    resolved = resolve_options(game, dict(options or {}))
    roots = []
    for probability, state in enumerate_chance(lambda chance: game.start(resolved, chance)):
        roots.append((probability, search.tree(state, _known(b"", state.view(player)))))
    for probability, root in roots:
        search.reach(root, probability)
    return sum(probability * search.value(root) for probability, root in roots)


@dataclass(slots=True, eq=False)
class _Node:
    """A position of the tree.

    Attributes:
        children: For each action, its results with their probabilities.
        reward: The reward at the end.
        known: What the player knows, if it is the player's move; else empty.
        chances: The probabilities of the actions, if it is another player's move.
    """

    children: list[list[tuple[float, _Node]]] = field(default_factory=list)
    reward: float = 0.0
    known: bytes = b""
    chances: Sequence[float] = ()


class _Search:
    def __init__(self, strategy: Strategy, player: int, reward: Callable[[State, int], float]) -> None:
        self._reward = reward
        self._strategy = strategy
        self._player = player
        self._sets: dict[bytes, list[tuple[float, _Node]]] = {}
        self._choices: dict[bytes, int] = {}

    def tree(self, state: State, known: bytes) -> _Node:
        """Return the tree below a position, in which the player knows a certain part."""
        node = _Node()
        to_move = state.to_move()
        if not to_move:
            node.reward = self._reward(state, self._player)
            return node
        mover = to_move[0]
        actions = state.legal_actions(mover)
        if any(map(is_form, actions)):
            raise ValueError("A best response needs actions one by one, and this game has lists.")
        if mover == self._player:
            node.known = known
        else:
            node.chances = self._strategy(state.view(mover), actions)
        for action in actions:
            run = partial(self._after, state, mover, action, known)
            node.children.append(list(enumerate_chance(run)))
        return node

    def _after(self, state: State, mover: int, action: Document, known: bytes, chance: Chance) -> _Node:
        mark = state.push(mover, action, chance)
        sent: list[Any] = [state.delta(mark, self._player), state.events(mark, self._player)]
        if mover == self._player:
            hides = state.hides_information()
            sent += [action, [draw.value for draw in chance.draws if draw.is_sent(hides)]]
        node = self.tree(state, _known(known, sent))
        state.pop(mark)
        return node

    def reach(self, node: _Node, probability: float) -> None:
        """Note with which probability chance and the other players come to the positions of the player."""
        if node.known:
            self._sets.setdefault(node.known, []).append((probability, node))
        for number, results in enumerate(node.children):
            share = node.chances[number] if node.chances else 1.0
            for chance, child in results:
                self.reach(child, probability * share * chance)

    def value(self, node: _Node) -> float:
        """Return the reward from a position on, if the player chooses best."""
        if not node.children:
            return node.reward
        if node.known:
            return self._of(node, self._choice(node.known))
        return sum(chance * self._of(node, number) for number, chance in enumerate(node.chances) if chance)

    def _of(self, node: _Node, number: int) -> float:
        return sum(probability * self.value(child) for probability, child in node.children[number])

    def _choice(self, known: bytes) -> int:
        """Return the best action for all positions that the player cannot distinguish."""
        if known not in self._choices:
            members = self._sets[known]
            totals = [
                sum(reach * self._of(node, number) for reach, node in members if reach)
                for number in range(len(members[0][1].children))
            ]
            self._choices[known] = totals.index(max(totals))
        return self._choices[known]


def _outcome_reward(state: State, player: int) -> float:
    outcome = state.outcome()
    return 0.0 if outcome is None else outcome_reward(outcome, player)


def _known(before: bytes, sent: Any) -> bytes:
    """Return what a player knows after something was sent, as a hash of all that was sent so far."""
    return hashlib.blake2b(before + json.dumps(sent, sort_keys=True, default=repr).encode(), digest_size=16).digest()
