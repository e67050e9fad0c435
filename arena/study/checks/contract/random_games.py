"""Play random games and check many of their positions closely."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from math import fsum, inf
from random import Random
from statistics import fmean
from time import monotonic
from typing import Any

from arena.game import Chance, GameSpec, OptionError, Seeded, State
from arena.match.ending import counted
from arena.study.checks.contract.actions import Listing, Memory, check_nested, check_sampling
from arena.study.checks.contract.budget import Budget, Stopped
from arena.study.checks.contract.conclusions import Conclusions
from arena.study.checks.contract.copies import (
    DrawnStep,
    check_clone,
    check_dice,
    check_document,
    check_options,
    check_repeat,
    check_view,
)
from arena.study.checks.contract.fields import check_foresight, check_values
from arena.study.checks.contract.fold import Objects, fold
from arena.study.checks.contract.leaks import Leaks
from arena.study.checks.contract.lessons import TurnsOfPlayers
from arena.study.checks.contract.observers import Observers
from arena.study.checks.contract.report import Ledger
from arena.study.checks.contract.roster import check_leaving, check_queries, check_roster, check_simultaneous
from arena.study.checks.contract.secrets import SecretWatch, check_changes, check_determinize, check_refusals
from arena.study.checks.contract.trial import attempt, random_move
from arena.study.replaying.difference import first_difference, show

_INVENTED = 60
"""How many unlisted actions are tried in a position. Chosen, not measured: hundreds of positions are looked at, so that
each kind of action is changed in each way often enough, in less time than the listed actions take."""
_FEWEST_GAMES = 12
"""The default number of random games. It is larger if there are more sets of options. Chosen, not measured:
authors run the check with their tests, so it must take seconds, or a minute for a large game."""


_LOOKS = 8
"""With fewer positions in each game, fewer games are better: one position costs as much as hundreds of actions."""


class Spacing:
    """Spreads the positions that are looked at over the games, by what they cost.

    Args:
        budget: The time of the check.
        games: How many games are planned.
    """

    def __init__(self, budget: Budget, games: int) -> None:
        self._budget = budget
        self._games = games
        self._costs: list[float] = []
        self._lengths: list[int] = []
        self._playing: list[float] = []
        self._begun = (0.0, 0.0)
        self._until = inf

    def begin(self) -> None:
        """Begin a game. It gets an equal share of the time that is left, or a larger one if positions are dear."""
        self._begun = monotonic(), fsum(self._costs)
        games = 3.0  # nobody knows what the first game costs
        if self._playing:
            games = self._budget.left / max(1e-6, fmean(self._playing) + _LOOKS * fmean(self._costs))
        self._until = monotonic() + self._budget.left / max(1.0, min(self._games, games))
        self._games -= 1

    def add(self, seconds: float) -> None:
        """Add what a position has cost."""
        self._costs.append(seconds)

    def end(self, length: int) -> None:
        """End a game of so many actions."""
        self._lengths.append(length)
        begun, costs = self._begun
        self._playing.append(monotonic() - begun - (fsum(self._costs) - costs))

    @property
    def is_late(self) -> bool:
        """Whether the share of the game is used up. It is then played to its end without a closer look."""
        return monotonic() > self._until

    def gap(self, step: int) -> int:
        """Return the smallest number of actions to the next position for which the game's share is enough."""
        if self._until == inf or not self._costs:
            return 1
        affordable = (self._until - monotonic()) / max(1e-6, fmean(self._costs))
        length = fmean(self._lengths) if self._lengths else 2 * step + 20  # a game that nobody has seen the end of
        return max(1, round((length - step) / max(1.0, affordable)))


_TO_THE_END = ""
"""Counts the games that were played to their end, among the counts of checks."""


def variants(game: GameSpec, given: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the given sets of options. If there are none, make sets from the game's options.

    The sets are: the defaults, each other ruleset, the smallest and the largest number of players, and each map.
    """
    if given:
        return list(given)
    sets: list[Mapping[str, Any]] = [{}]
    names = {option.name for option in game.options}
    if "ruleset" in names:
        sets += [{"ruleset": ruleset} for ruleset in game.rulesets[1:]]
    if len(game.player_counts) > 1:
        sets += [{"players": players} for players in (game.player_counts[0], game.player_counts[-1])]
    if game.map_option and game.load_map is not None:
        sets += [{game.map_option: game.load_map(name)} for name in game.maps]
    return sets


def _in_short(options: Mapping[str, Any]) -> str:
    """Return options as text, without their maps and lists."""
    short = {name: value for name, value in options.items() if not isinstance(value, dict | list)}
    return show(short or sorted(options))


class RandomGame:
    """One random game of a check.

    Args:
        watch: Records which secret fields are ever hidden.
        pace: Decides which positions there is time for.
        conclusions: Gets what only all games together show.
    """

    def __init__(
        self,
        game: GameSpec,
        given: Mapping[str, Any],
        seed: str,
        ledger: Ledger,
        watch: SecretWatch,
        leaks: Leaks,
        pace: Spacing,
        conclusions: Conclusions,
    ) -> None:
        self._conclusions = conclusions
        self._memory = Memory()
        self._pace = pace
        self._watch = watch
        self._leaks = leaks
        self._game = game
        self._seed = seed
        self._rng = Random(f"{seed}/moves")
        self._ledger = ledger
        self._options = game.resolve_options(given)
        self._name = f"seed {seed}" + (f", options {_in_short(given)}" if given else "")
        self._steps: list[DrawnStep] = []
        self._shown: tuple[str, Objects] | None = None
        """The digest and the full view after the last action."""
        self._ledger.place = f"{self._name}, set-up"

    def run(self, limit: int) -> None:
        """Play up to `limit` actions, and check some positions closely. If the game ends, repeat its actions."""
        state = self._start(Seeded(f"{self._seed}/dice"))
        if state is None:
            return
        check_values(state, self._ledger)
        if state.hides_information():
            self._leaks.start(self._options, self._seed)
            self._conclusions.begin(self._options)
        observers = Observers(self._game, state, self._ledger)
        chance: Chance = Seeded(f"{self._seed}/play")
        next_look = 0
        self._pace.begin()
        turn = state.turn_number()
        turns = TurnsOfPlayers(self._game)
        while state.to_move():
            step = len(self._steps)
            if step >= limit:
                self._ledger.add("endless", f"no outcome after {limit} actions")
                return
            if step >= next_look and not (step and self._pace.is_late):
                self._look_closely(state, observers)
                next_look = step + max(
                    self._pace.gap(step), 1 + Random(f"{self._seed}/{step}").randrange(step // 6 + 1)
                )
            if not self._step(state, chance, turns):
                return
            self._try_remembered(state)
            if state.turn_number() < turn:
                self._ledger.add("players", f"turn_number went back from {turn} to {state.turn_number()}")
            turn = state.turn_number()
        self._pace.end(len(self._steps))
        self._ledger.checks[_TO_THE_END] += 1
        if (outcome := state.outcome()) is not None:
            self._conclusions.winners.note(outcome, state.scores())
        self._look_closely(state, observers)
        turns.check(state, self._name, self._ledger)
        self._repeat()

    def _start(self, chance: Chance) -> State | None:
        try:
            return self._game.start(self._options, chance)
        except Exception as error:
            self._ledger.add_crash("the set-up", error)
            return None

    def _step(self, state: State, chance: Chance, turns: TurnsOfPlayers) -> bool:
        try:
            move = random_move(state, self._rng)
            if move is None:
                return False
            turns.add(state, *move)
            earlier = state.clone() if state.hides_information() and not self._pace.is_late else None
            before, view = self._shown or (state.digest(), fold({}, state.view()))
            mark = state.mark
            accepted = attempt(state, *move, chance, self._ledger).accepted
            digest, after = state.digest(), fold({}, state.view())
            self._shown = digest, after
        except Exception as error:
            self._ledger.add_crash("playing on", error)
            check_values(state, self._ledger)
            return False
        self._ledger.actions += 1
        self._ledger.place = f"{self._name}, action {len(self._steps) + 1}: player {move[0]}, {show(move[1])}"
        if not accepted:
            self._ledger.add("listed_refused", "a listed action was refused")
            return False
        if digest == before and after != view:
            self._blame_document(state, view)
        self._steps.append(DrawnStep(*move, [draw.value for draw in chance.take()], digest))
        if earlier is not None:
            self._conclusions.laws.note(earlier)
            self._leaks.look_back(earlier, state, mark, *move, Random(f"{self._seed}/back/{len(self._steps)}"))
        return True

    def _try_remembered(self, state: State) -> None:
        """Try actions of other positions, while there is time for a closer look."""
        if self._pace.is_late or not state.to_move():
            return
        rng = Random(f"{self._seed}/remembered/{len(self._steps)}")
        try:
            Listing(state.clone(), self._game.players_in(state.options), rng, self._ledger).try_remembered(self._memory)
        except Exception as error:
            self._ledger.add_crash("trying actions", error)

    def _blame_document(self, state: State, earlier: Objects) -> None:
        """Report that an action changed the full view, but not the digest, which is made of the document."""
        view = fold({}, state.view())
        place = first_difference(earlier, view)
        if type(state).digest is not State.digest:
            self._ledger.add("digest", f"the action changed the full view at {place}, but not the digest")
            return
        self._ledger.add(
            "document_round_trip",
            f"the action changed the full view at {place}, but not to_document: is a field missing?",
        )

    def _look_closely(self, state: State, observers: Observers) -> None:
        """Run all checks of one position. Checks that carry out actions use copies, so the game does not change."""
        ledger, game, watch = self._ledger, self._game, self._watch
        rng = Random(f"{self._seed}/look/{len(self._steps)}")  # the moves do not depend on what is looked at
        begun = monotonic()
        ledger.positions += 1
        players = game.players_in(state.options)
        checks: list[tuple[str, Callable[[], Any]]] = [
            ("checking the fields", lambda: check_values(state, ledger)),
            ("looking for a random generator in the state", lambda: check_foresight(state, ledger)),
            ("checking the players", lambda: check_roster(game, state, ledger)),
            ("looking at the state", lambda: check_queries(game, state, ledger)),
            ("following by deltas", lambda: observers.follow(state)),
            ("cloning", lambda: check_clone(state.clone(), rng, ledger)),
            ("pushing and popping", lambda: check_nested(state.clone(), rng, ledger)),
            ("trying actions", lambda: Listing(state.clone(), players, rng, ledger).check(_INVENTED)),
            ("choosing random actions", lambda: check_sampling(state, rng, ledger)),
            ("the round trip by document", lambda: check_document(state.clone(), rng, ledger)),
            ("the round trip by view", lambda: check_view(state.clone(), rng, ledger)),
            ("the options", lambda: check_options(game, state, ledger)),
            ("dice", lambda: check_dice(state, rng, ledger)),
            ("moving at the same time", lambda: check_simultaneous(state.clone(), rng, ledger)),
            ("leaving", lambda: check_leaving(game, state.clone(), rng, ledger)),
            ("sampling a world", lambda: check_determinize(game, state, rng, self._conclusions.laws, ledger)),
        ]
        if game.state.hidden_information:
            checks += [
                ("changing secrets", lambda: check_changes(game, state.clone(), rng, ledger)),
                ("refusing hidden objects", lambda: check_refusals(state.clone(), rng, ledger)),
                ("comparing what is shown and hidden", lambda: watch.look(state)),
                ("looking for leaks", lambda: self._leaks.look(state.clone(), rng)),
            ]
        generator = random.getstate()
        for doing, _ in checks:
            ledger.checks[doing] += 0
        for doing, check in checks:
            ledger.budget.tick()
            try:
                check()
            except Exception as error:
                ledger.add_crash(doing, error)
            ledger.checks[doing] += 1
        self._pace.add(monotonic() - begun)
        if random.getstate() != generator:
            ledger.add("chance", "an action used Python's global random generator. Use chance.draw instead")

    def _repeat(self) -> None:
        """Play the recorded actions again: once with the same seed, and once with the recorded draws."""
        self._ledger.place = self._name
        for chance in (Seeded(f"{self._seed}/play"), None):
            state = self._start(Seeded(f"{self._seed}/dice"))
            if state is not None:
                check_repeat(state, self._steps, chance, self._ledger)


def play_random(
    game: GameSpec,
    ledger: Ledger,
    *,
    games: int | None,
    options: Sequence[Mapping[str, Any]],
    seed: int | str,
    limit: int,
) -> None:
    """Play random games with each set of options in turn, and record the findings in the ledger.

    Args:
        games: The number of games. If None, at least `_FEWEST_GAMES`, and enough to play each set of options once.
    """
    option_sets = variants(game, options)
    number = games or max(_FEWEST_GAMES, len(option_sets))
    try:
        _play_games(game, ledger, option_sets, number, seed, limit)
    except (Stopped, KeyboardInterrupt) as stop:
        ledger.is_stopped = isinstance(stop, KeyboardInterrupt)
        _note_unchecked(ledger, option_sets, number)


def _play_games(
    game: GameSpec, ledger: Ledger, option_sets: Sequence[Mapping[str, Any]], games: int, seed: int | str, limit: int
) -> None:
    watch, leaks, pace = SecretWatch(game), Leaks(game, ledger), Spacing(ledger.budget, games)
    conclusions = Conclusions(game)
    for number in range(games):
        try:
            random_game = RandomGame(
                game,
                option_sets[number % len(option_sets)],
                f"{seed}/{number}",
                ledger,
                watch,
                leaks,
                pace,
                conclusions,
            )
        except OptionError:
            raise
        except Exception as error:
            ledger.add_crash("resolving the options", error)
            continue
        try:
            random_game.run(limit)
        except Exception as error:
            ledger.add_crash("playing", error)
        ledger.games += 1
    watch.conclude(ledger)
    conclusions.conclude(ledger)


def _note_unchecked(ledger: Ledger, option_sets: Sequence[Mapping[str, Any]], games: int) -> None:
    """Note what a check that was stopped has left out."""
    ledger.unchecked.append(f"{games - ledger.games} of {counted(games, 'game')} to the end")
    for options in option_sets[ledger.games + 1 :]:
        ledger.unchecked.append(f"games with the options {_in_short(options)}")
    if not ledger.checks[_TO_THE_END]:
        ledger.unchecked += [
            "the end of a game, its outcome and its repetition",
            "whether every game reaches an outcome",
        ]
    ledger.unchecked += [f"{doing}, in any position" for doing, count in ledger.checks.items() if not count and doing]
