"""Check that the list of legal actions contains all actions that are accepted, and no others."""

from __future__ import annotations

from random import Random
from typing import Any

from arena.game import Sampled, State
from arena.game.forms import covers, filled, is_form
from arena.study.checks.contract.fold import fold
from arena.study.checks.contract.inventor import Inventor, meaning, resemblance, written
from arena.study.checks.contract.report import Ledger
from arena.study.checks.contract.trial import (
    Attempt,
    Fingerprint,
    attempt,
    compare,
    fingerprint,
    play_on,
    random_move,
    scratch_chance,
)
from arena.study.replaying.difference import canonical, show

# How much is tried in a position. Chosen, not measured: a check looks at hundreds of positions, and the games with the
# longest lists, of some thousand actions, must not take ten times as long as the others.
_MOST_LISTED = 250
_MOST_ALIASES = 25
"""How many listed actions are carried out to find one with the effect of an accepted action that is not listed. The
most similar ones come first, so that another spelling is found soon."""
_OF_A_FORM = 30
"""How many actions of each form are tried."""
Trial = tuple[int, Any]


_REMEMBERED = 200
"""How many actions of a type are remembered."""
_NOTED = 20
"""How many of the listed actions of a position are remembered. Chosen, not measured."""
_TRIED_AGAIN = 5
"""How many remembered actions are tried in each position of a game. Chosen, not measured: a list that is stricter than
the rules is so in rare positions, and one that comes in a hundred turns is met in some of twelve games."""


class Memory:
    """Actions that were legal in other positions: the ones that a list leaves out by mistake look like them."""

    def __init__(self) -> None:
        self._actions: dict[tuple[int, str], list[Any]] = {}

    def add(self, player: int, listed: list[Any], rng: Random) -> None:
        """Remember some listed actions of each type."""
        for document in rng.sample(listed, min(len(listed), _NOTED)):
            known = self._actions.setdefault((player, document["type"]), [])
            if len(known) < _REMEMBERED and not is_form(document) and document not in known:
                known.append(document)

    def others(self, player: int, listed: list[Any], rng: Random) -> list[Any]:
        """Return some remembered actions of a player that are not listed now. All types are equally likely."""
        kinds = [known for (owner, _), known in self._actions.items() if owner == player and known]
        fresh: list[Any] = []
        for _ in range(3 * _TRIED_AGAIN if kinds else 0):
            document = rng.choice(rng.choice(kinds))
            if document not in listed and document not in fresh:
                fresh.append(document)
            if len(fresh) == _TRIED_AGAIN:
                break
        return fresh


class Listing:
    """Tries listed and unlisted actions on one scratch state."""

    def __init__(self, state: State, players: int, rng: Random, ledger: Ledger) -> None:
        self._state = state
        self._players = range(players)
        self._rng = rng
        self._ledger = ledger
        self._legal = {player: state.legal_actions(player) for player in state.to_move()}

    def check(self, invented: int) -> None:
        """Try the listed actions (a sample if there are many), `invented` other ones, and some that must be refused."""
        before = fingerprint(self._state)
        listed = [
            (player, filled(document, self._rng))
            for player, documents in self._legal.items()
            for document in documents
            for _ in range(_OF_A_FORM if is_form(document) else 1)
        ]
        if len(listed) > _MOST_LISTED:
            listed = self._rng.sample(listed, _MOST_LISTED)
        everything = [document for _, document in listed]
        inventor = Inventor(self._state, everything, self._rng)
        unlisted = [(self._rng.choice(self._players), document) for document in inventor.some(invented)]
        unlisted += [(player, document) for document in inventor.garbage() for player in self._players]
        waiting = [player for player in self._players if player not in self._legal]
        foreign = self._rng.sample(everything, min(len(everything), 10))
        unlisted += [(player, document) for player in waiting for document in foreign]
        if self._run(listed, self._try_listed, before) and self._run(unlisted, self._try_unlisted, before):
            return
        self._blame(listed, unlisted)

    def _run(self, trials: list[Trial], try_action: Any, before: Fingerprint) -> bool:
        """Run trials. Return whether the state is the same as before."""
        for player, document in trials:
            try_action(player, document)
        return compare(before, fingerprint(self._state)) is None

    def try_remembered(self, memory: Memory) -> None:
        """Try some actions that were listed in other positions, and are not listed now. Add the present lists."""
        for player, listed in self._legal.items():
            for document in memory.others(player, listed, self._rng):
                self._try_unlisted(player, document)
            memory.add(player, listed, self._rng)

    def _try_listed(self, player: int, document: Any) -> None:
        mark = self._state.mark
        result = self._attempt(player, document)
        self._state.pop(mark)
        if result.code is not None:
            action = f"player {player}: {show(document)} is listed, but refused"
            self._ledger.add("listed_refused", f"{action} ({result.code}: {result.message})")

    def _try_unlisted(self, player: int, document: Any) -> None:
        mark = self._state.mark
        seed = self._rng.getrandbits(64)
        result = attempt(self._state, player, document, Sampled(Random(seed)), self._ledger)
        if not result.accepted:
            self._state.pop(mark)
            return
        after = fold({}, self._state.view())
        self._state.pop(mark)
        if not self._is_listed(player, document, seed, after):
            self._ledger.add("unlisted_accepted", f"player {player}: {show(document)} is accepted, but not listed")

    def _is_listed(self, player: int, document: Any, seed: int, after: Any) -> bool:
        listed = self._legal.get(player, [])
        sense = meaning(self._state, document)
        similar = [action for action in listed if action.get("type") == document.get("type")]
        if any(is_form(action) and self._is_of_form(action, document) for action in similar):
            return True
        similar = [filled(action) for action in similar]
        if any(canonical(action) == canonical(document) or meaning(self._state, action) == sense for action in similar):
            return True
        similar.sort(key=lambda action: -resemblance(action, document))
        for action in similar[:_MOST_ALIASES]:
            mark = self._state.mark
            same = attempt(self._state, player, action, Sampled(Random(seed)), self._ledger).accepted
            same = same and fold({}, self._state.view()) == after
            self._state.pop(mark)
            if same:
                return True
        return False

    def _is_of_form(self, form: Any, document: Any) -> bool:
        """Return whether a form lists a document, without regard to unknown keys and the case of fixed words."""
        fields = {key: value for key, value in document.items() if key in form}
        return covers(form, fields) or covers(form, written(self._state, fields))

    def _attempt(self, player: int, document: Any) -> Attempt:
        return attempt(self._state, player, document, scratch_chance(self._rng), self._ledger)

    def _blame(self, listed: list[Trial], unlisted: list[Trial]) -> None:
        base = self._state
        for player, document in listed + unlisted:
            before: Fingerprint = fingerprint(base)
            mark = base.mark
            result = self._attempt(player, document)
            action = f"player {player}: {show(document)}"
            if result.accepted:
                base.pop(mark)
                rule, when = "undo", f"after pushing and popping {action}"
            else:
                rule, when = "refusal_leaves_trace", f"{action} was refused, but changed the state"
            difference = compare(before, fingerprint(base))
            if not self._ledger.compare(rule, f"{when}:", difference):
                return
        self._ledger.add("undo", "trying all listed actions changed the state, but no single action did")


# Check that `random_action` can return each legal action, and nothing else.

_MOST_SAMPLED = 150
"""Up to this many legal actions, each one must be returned. In longer lists, the returned actions must be listed: with
`_PATIENCE`, 4,500 calls for each player are what a position may cost."""
_PATIENCE = 30
"""With equal probabilities, a legal action is missing after `_PATIENCE * n` calls with a probability of exp(-30)."""
_FEW = 20
"""The number of calls for a longer list. Chosen, not measured: enough to see an unlisted action in some position."""


def check_sampling(state: State, rng: Random, ledger: Ledger) -> None:
    """Call `random_action` many times for each player to move, if the game overrides it."""
    if type(state).random_action is State.random_action:
        return
    before = fingerprint(state)
    for player in state.to_move():
        _check_player(state, player, rng, ledger)
    if difference := compare(before, fingerprint(state)):
        ledger.add("random_action", f"random_action changed the state: {difference}")


def _check_player(state: State, player: int, rng: Random, ledger: Ledger) -> None:
    listed = state.legal_actions(player)
    forms = [action for action in listed if is_form(action)]
    missing = {canonical(action): action for action in listed if not is_form(action)}
    listed_keys = set(missing)
    reach_all = 0 < len(missing) <= _MOST_SAMPLED
    for _ in range(_PATIENCE * len(listed) if reach_all else _FEW):
        action = state.random_action(player, rng)
        key = canonical(action)
        if key not in listed_keys and not any(covers(form, action) for form in forms):
            ledger.add("random_action", f"player {player}: random_action returned {show(action)}, which is not listed")
            return
        missing.pop(key, None)
        if reach_all and not missing:
            return
    if reach_all:
        example, calls = show(next(iter(missing.values()))), _PATIENCE * len(listed)
        ledger.add("random_action", f"player {player}: random_action did not return {example} in {calls} calls")


# Check push and pop: nested, with refused actions in between, and for several actions at once.

DEPTH = 6
"""The limit for the number of actions that are pushed before any of them is popped. Chosen, not measured: a journal
that is wrong after one action is found at once, and most that are wrong for several need two or three."""


def check_nested(state: State, rng: Random, ledger: Ledger) -> None:
    """Push several actions and try others between them. Pop them one by one. Then push some and pop all at once."""
    bottom = state.mark
    marks: list[tuple[int, Fingerprint, Any]] = []
    for _ in range(DEPTH):
        move = random_move(state, rng)
        if move is None:
            break
        before = fingerprint(state)
        mark = state.mark
        for garbage in Inventor(state, [move[1]], rng).some(2):
            attempt(state, move[0], garbage, scratch_chance(rng), ledger)
            state.pop(mark)
        if not attempt(state, *move, scratch_chance(rng), ledger).accepted:
            break
        marks.append((mark, before, move[1]))
    again = state.clone()
    for mark, before, action in reversed(marks):
        state.pop(mark)
        ledger.compare("undo", f"after pushing {show(action)} and popping it:", compare(before, fingerprint(state)))
    if marks:
        _check_all_at_once(again, state, marks[0][1], rng, ledger)
    if state.mark != bottom:
        ledger.add("undo", f"the journal has {state.mark} entries after everything was popped, not {bottom}")


def _check_all_at_once(ahead: State, state: State, before: Fingerprint, rng: Random, ledger: Ledger) -> None:
    bottom = state.mark
    play_on(state, rng, ledger)
    state.pop(bottom)
    ledger.compare("undo", "after pushing three actions and popping them at once:", compare(before, fingerprint(state)))
    later = fingerprint(ahead)
    ahead.pop(0)
    ledger.compare("undo", "after popping a fresh clone back to its first mark:", compare(later, fingerprint(ahead)))
