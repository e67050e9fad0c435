"""Check a game in its own tests: one call plays random games and checks the whole contract.

In a module of tests:

    from arena.testing import check_game


    def test_contract() -> None:
        check_game(GAME)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from math import fsum, log, sqrt
from pathlib import Path
from random import Random
from statistics import fmean, stdev
from typing import Any

from arena.bots.system.surroundings import RUNS_PROGRAMS
from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec, State
from arena.game.chance import Sampled
from arena.match.ending import counted
from arena.match.job import Job, SeatAssignment
from arena.match.result import MatchResult
from arena.play.memory.workers import MemoryWorkers
from arena.play.referee.match_process import play_in_process
from arena.study.checks.contract.budget import Budget, Stopped
from arena.study.checks.contract.definition import check_definition
from arena.study.checks.contract.random_games import play_random
from arena.study.checks.contract.report import RULES, Finding, GameDefect, Ledger, Report
from arena.study.checks.renderer import renderer_problems
from arena.study.checks.rulebook import rulebook_problems
from arena.study.coach.playing_bots import bot_class, is_quick, playing_bots
from arena.study.coach.playouts import PlayoutPolicy, play_on
from arena.study.coach.probability import Result, win_probability
from arena.study.replaying.pinned import pinned_turn

__all__ = [
    "RULES",
    "Finding",
    "GameDefect",
    "PlayoutPolicy",
    "Report",
    "check_game",
    "check_renderer",
    "estimate_errors",
    "find_evaluation_power",
    "inspect_game",
    "is_quick",
    "pinned_turn",
    "play_match",
]


def check_game(
    game: GameSpec,
    *,
    games: int | None = None,
    options: Mapping[str, Any] | Sequence[Mapping[str, Any]] = (),
    seed: int | str = 0,
    limit: int = 20_000,
    seconds: float | None = None,
    matches: int = 0,
) -> Report:
    """Check a game against the contract, for use in a test.

    Args:
        game: The game.
        games: How many random games to play. The default is 12, or the number of sets of options if that is larger.
        options: One set of options, or several sets to play in turn. If empty, the sets are: the defaults, each ruleset
            that is not the default, the smallest and the largest number of players, and each map.
        seed: The seed of the random games. The same seed repeats the check.
        limit: The number of actions after which a game must have an outcome.
        seconds: The time for all games together. If it is short, fewer positions are looked at, and `Report.unchecked`
            says what was left out. Without it, the same seed repeats the check.
        matches: In how many matches of a built-in bot the estimates of `State.evaluate` are compared with the results;
            20 show an estimate that is upside down. See `estimate_errors`.

    Returns:
        The report.

    Raises:
        GameDefect: A rule of the contract is broken. The message lists all findings.
        OptionError: The game does not accept the options.
        KeyboardInterrupt: Somebody stopped the check.
    """
    report = inspect_game(game, games=games, options=options, seed=seed, limit=limit, seconds=seconds, matches=matches)
    if report.is_stopped:
        raise KeyboardInterrupt
    if not report.good:
        raise GameDefect(report)
    return report


def inspect_game(
    game: GameSpec,
    *,
    games: int | None = None,
    options: Mapping[str, Any] | Sequence[Mapping[str, Any]] = (),
    seed: int | str = 0,
    limit: int = 20_000,
    seconds: float | None = None,
    matches: int = 0,
    progress: Callable[[str], None] | None = None,
) -> Report:
    """Do what `check_game` does, but return a report with findings instead of raising `GameDefect`.

    If Ctrl-C stops the check, the report says what was found until then, and what was not checked.

    Args:
        game: The game.
        games: As for `check_game`.
        options: As for `check_game`.
        seed: The seed of the random games. The same seed repeats the check.
        limit: As for `check_game`.
        seconds: As for `check_game`.
        matches: As for `check_game`. They are played only if nothing was found.
        progress: Called about once a second with what was done so far, in words.

    Raises:
        OptionError: The game does not accept the options.
    """
    say = progress or (lambda _: None)

    def say_more() -> None:
        done = f"{counted(ledger.games, 'random game')}, {counted(ledger.actions, 'action')}"
        say(f"{done}, {counted(ledger.positions, 'position')}, {len(ledger.findings)} found")

    ledger = Ledger(Budget(seconds, say_more))
    option_sets = [options] if isinstance(options, Mapping) else list(options)
    if check_definition(game, ledger):
        for problem in rulebook_problems(game):
            ledger.add("rulebook", problem)
        play_random(game, ledger, games=games, options=option_sets, seed=seed, limit=limit)
        if matches and not ledger.findings and not ledger.is_stopped:
            say("comparing the estimates with matches of a built-in bot")
            _check_estimates(game, option_sets[0] if option_sets else {}, str(seed), matches, ledger)
    return ledger.report(game.name)


def check_renderer(
    game: GameSpec, *, options: Mapping[str, Any] | None = None, seed: int | str = 0, actions: int = 250
) -> None:
    """Check in a browser that a game's renderer keeps its contract, for use in a test.

    It draws a random match, in the view of the whole and of each player. A game without a renderer is drawn by the
    default one. It takes some seconds, and needs Chromium or Chrome.

    Args:
        game: The game.
        options: Its options; the others have their defaults.
        seed: The seed of the random match.
        actions: The largest number of actions.

    Raises:
        AssertionError: The renderer breaks its contract. The message has a line for each problem.
        NoBrowser: No Chromium is installed, or it does not start.
        OptionError: The game does not accept the options.
    """
    problems = renderer_problems(game, options or {}, seed, actions)
    if problems:
        raise AssertionError("\n".join([f"The renderer of {game.title} breaks its contract:", *problems]))


def _check_estimates(game: GameSpec, options: Mapping[str, Any], seed: str, matches: int, ledger: Ledger) -> None:
    ledger.place = f"matches with seed {seed}"
    policy = _policy(game, game.start(options, Sampled(Random(seed))))
    judged: list[Judged] = []
    try:
        while policy is not None and len(judged) < matches:
            ledger.budget.tick()
            judged.append(_judged(policy, options, f"{seed}/{len(judged)}"))
    except (Stopped, KeyboardInterrupt) as stop:
        ledger.is_stopped = isinstance(stop, KeyboardInterrupt)
        ledger.unchecked.append(f"estimates of evaluate: {len(judged)} of {matches} matches were played")
        return
    for error in errors_in([match for match in judged if match], game.players_in(game.resolve_options(options))):
        ledger.add("estimates", error)


# A game's `evaluate`: its estimates are compared with the results of matches.

MATCHES, POSITIONS = 20, 6
"""Twenty matches show an estimate that is upside down, in some seconds. Positions of one match have the same result, so
more than a few of them add little."""
FIRST_TURN = 0.03
"""The limit for the processor time of a bot's first turn, in seconds. With a bot this fast, 20 matches take seconds."""
NOISE = 0.2
"""The probability that a turn begins with random actions. It is larger than in playouts, so that the matches end in
different ways."""
FAR = 0.15
"""The allowed difference between the mean estimate and the mean result. It is checked three times: for estimates up to
1/3, from 1/3 to 2/3, and from 2/3. An estimate is for bots that play well, and these matches are between one bot and
itself, with noise: a smaller difference says nothing about the estimate. Chosen, not measured."""
ERRORS = 3.0
"""A difference of fewer standard errors can be chance, and is not reported: 3 are exceeded once in 370 checks."""

Judged = list[tuple[float, float]]
"""For some positions of one match: the estimate, and the result of the match."""


def estimate_errors(
    game: GameSpec, options: Mapping[str, Any] | None = None, seed: str = "0", matches: int = MATCHES
) -> list[str]:
    """Return the errors of a game's estimates.

    The list is also empty if the game has no estimates, or no built-in bot in Python that is fast enough.

    Args:
        game: The game.
        options: Its options; the others have their defaults.
        seed: The seed of the matches.
        matches: The number of matches. The strongest built-in bot that is fast enough plays them.
    """
    start = game.start(options or {}, Sampled(Random(seed)))
    policy = _policy(game, start)
    if policy is None:
        return []
    judged = [_judged(policy, options or {}, f"{seed}/{number}") for number in range(matches)]
    return list(errors_in([match for match in judged if match], game.players_in(start.options)))


def _policy(game: GameSpec, start: State) -> PlayoutPolicy | None:
    """Return how the strongest bot that is fast enough plays; None without one, or without estimates."""
    if start.evaluate() is None:
        return None
    bots = (bot_class(game, f"builtin:{name}") for name in reversed(playing_bots(game)))
    policies = (PlayoutPolicy(game, (bot,), NOISE) for bot in bots)
    return next((policy for policy in policies if is_quick(policy, start, FIRST_TURN)), None)


def _judged(policy: PlayoutPolicy, options: Mapping[str, Any], seed: str) -> Judged:
    """Play a match. For some positions, return the estimate for a random player and the result of this player."""
    rng = Random(seed)
    estimates: list[Result] = []

    def remember(state: State) -> None:
        shares = state.evaluate()
        if shares is not None:
            estimates.append(shares)

    start = policy.game.start(options, Sampled(rng))
    result = play_on(policy, start, rng.randrange(2**32), watch=remember)
    judged = []
    for shares in rng.sample(estimates, min(POSITIONS, len(estimates))):
        player = rng.randrange(len(result))
        judged.append((shares[player], result[player]))
    return judged


def errors_in(judged: list[Judged], players: int) -> Iterator[str]:
    """Yield the errors of estimates. Each match is one sample, since all positions of a match have the same result."""
    worse = [
        fmean((estimate - result) ** 2 - (1 / players - result) ** 2 for estimate, result in match) for match in judged
    ]
    if len(worse) > 1 and fmean(worse) > 0:
        yield f"evaluate is no better than a guess: its squared error is {fmean(worse):+z.3f} from that of equal shares"
    for low in (0.0, 1 / 3, 2 / 3):
        inside = [[pair for pair in match if low <= pair[0] < low + 1 / 3 + 1e-9] for match in judged]
        pairs = [pair for match in inside for pair in match]
        means = [fmean(estimate - result for estimate, result in match) for match in inside if match]
        if len(means) < 2:
            continue
        estimated, worth = (fmean(column) for column in zip(*pairs, strict=True))
        # A few equal results have too small a spread. Use at least sqrt(p * (1 - p)) for the mean estimate p.
        spread = max(stdev(means), sqrt(max(0.0, estimated * (1 - estimated))))
        if abs(fmean(means)) > max(FAR, ERRORS * spread / sqrt(len(means))):
            where = f"on average in {len(pairs)} positions"
            yield f"evaluate returned {estimated:.2f} {where}, which were worth {worth:.2f}"


POWERS = 0.05, 20.0
"""The limits for a power. With more, an estimate of 0.6 would be certain."""
SMALLEST = 1e-6
"""A share of 0 counts as this much: no power could make up for a result that was thought impossible."""


def find_evaluation_power(
    game: GameSpec, options: Mapping[str, Any] | None = None, seed: str = "0", matches: int = 10 * MATCHES
) -> float | None:
    """Return the `evaluation_power` with which a game's estimates agree best with results of matches.

    The strongest built-in bot that is fast enough plays matches with random actions. From some positions of each, it
    plays on without random actions. The power is the most likely one for these results. It takes some minutes.

    Args:
        game: The game. Its present power does not matter.
        options: Its options; the others have their defaults.
        seed: The seed of the matches.
        matches: The number of matches.

    Returns:
        The power, rounded to 0.01; None if the game has no estimates, or no built-in bot in Python that is fast enough.
    """
    policy = _policy(game, game.start(options or {}, Sampled(Random(seed))))
    if policy is None:
        return None
    pairs = [pair for number in range(matches) for pair in _continued(policy, options or {}, f"{seed}/{number}")]
    return fitted_power(pairs)


def _continued(policy: PlayoutPolicy, options: Mapping[str, Any], seed: str) -> Iterator[tuple[Result, Result]]:
    """Yield the shares in some positions of a match, each with a result from there without random actions."""
    rng, quiet = Random(seed), replace(policy, noise=0.0)
    states: list[State] = []
    play_on(
        policy, policy.game.start(options, Sampled(rng)), rng.randrange(2**32), lambda one: states.append(one.clone())
    )
    for state in rng.sample(states, min(POSITIONS, len(states))):
        if (shares := state.evaluate()) is not None:
            yield shares, play_on(quiet, state, rng.randrange(2**32))


def fitted_power(pairs: Sequence[tuple[Result, Result]]) -> float:
    """Return the power of shares that makes the results of as many positions most likely."""
    logarithms = [([log(max(SMALLEST, share)) for share in shares], shares, result) for shares, result in pairs]

    def slope(power: float) -> float:
        """Return how much likelier the results become with the power. It falls when the power rises."""
        return fsum(
            (won - win_probability(shares, player, power)) * logarithm
            for logs, shares, result in logarithms
            for player, (logarithm, won) in enumerate(zip(logs, result, strict=True))
        )

    low, high = POWERS
    while high - low > 0.001:
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    return round(low, 2)


# Real matches in tests.


def play_match(
    game: str,
    bots: Sequence[str | Path],
    *,
    seed: int | None = None,
    options: Mapping[str, Any] | None = None,
    replay: str | Path = "",
    **settings: Any,
) -> MatchResult:
    """Play one match in its own process, in a sandbox if this machine supports one; on Windows in memory.

    Args:
        game: The game's name.
        bots: The bot of each seat: a file, a folder, an archive or ``builtin:NAME``.
        seed: The match's seed; random if None.
        options: Options of the game. A map is the name of a supplied map, or the content of any map.
        replay: The path for the replay; no replay is written if empty.
        **settings: Further fields of `arena.match.job.Job`.

    Raises:
        ArenaError: The match could not be played, or the rules, the referee or a sandbox failed.
    """
    seats = tuple(SeatAssignment(str(bot)) for bot in bots)
    job = Job(game=game, seats=seats, seed=seed, options=dict(options or {}), replay=str(replay), **settings)
    if RUNS_PROGRAMS:
        result = play_in_process(job)
    else:
        workers = MemoryWorkers(game)
        with closing(workers):
            result = play_in_process(job, workers)
    if result.fault:
        raise ArenaError(result.fault, exit_code=ExitCode.FAULT)
    return result
