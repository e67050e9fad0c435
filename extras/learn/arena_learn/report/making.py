"""Play the games of a report, and put its document together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from math import inf
from random import Random
from time import monotonic
from typing import Any

from arena.contests.strength import PairScores
from arena.errors import ArenaError, ExitCode
from arena.game import GameSpec, Seeded
from arena.match.lookup import options_for
from arena.play.memory import bot_class
from arena.testing import PlayoutPolicy, is_quick
from arena_learn.report.measuring import measured
from arena_learn.report.playing import SEARCH, Played, Setup, play, players_of, playing_bots
from arena_learn.search.policy import SearchPolicy

DICE = 2
"""So often each setup is played, with other dice each time."""
QUICK = 0.1
"""A bot that needs more than so many seconds for its first turn is left out."""
STEPS = 3
_SHARE_OF_MIRRORS = 0.6
"""The share of the time for the games of each bot against itself: they make all figures but the last one."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a report is about.

    Attributes:
        games: The number of games of each bot against itself, and of each doubling of the budget.
        bots: The bots; empty for all that are quick.
        playouts: The playouts of the search for a turn; for the doublings, the smallest number.
        steps: So often the budget of the search is doubled.
        maps: The maps, played in turn; empty for those of the game.
        seconds: The time for all games; None for as long as they take.
    """

    game: GameSpec
    options: Mapping[str, Any] = field(default_factory=dict)
    maps: tuple[str, ...] = ()
    bots: tuple[str, ...] = ()
    players: int = 0
    games: int = 20
    playouts: int = 16
    seed: str = "0"
    steps: int = STEPS
    seconds: float | None = None

    @property
    def seats(self) -> int:
        """The number of players of each game."""
        return self.players or int(self.options.get("players", self.game.players))

    @property
    def map_names(self) -> tuple[str, ...]:
        """The maps that are played in turn; a game without maps has one without a name."""
        given = self.game.map_option in self.options if self.game.map_option else True
        return self.maps or (("",) if given or not self.game.maps else self.game.maps)

    def setup(self, number: int) -> Setup:
        """Return a setup. The maps alternate."""
        name = self.map_names[number % len(self.map_names)]
        given = dict(self.options)
        if name and self.game.load_map is not None:
            given[self.game.map_option] = self.game.load_map(name)
        options = options_for(self.game, given, self.seats)
        state = self.game.start(options, Seeded(f"{self.seed}/setup/{number}"))
        return Setup(number, name, options, state)


Show = Callable[[str], None]


def make(wanted: Wanted, show: Show = lambda _: None) -> dict[str, Any]:
    """Play the games, and return the report as a document.

    If the time is over, or Ctrl-C stops the games, the report is about those that were played, and lists the others.

    Args:
        wanted: What the report is about.
        show: Called with words about the progress.

    Raises:
        ArenaError: No game ended.
    """
    game = wanted.game
    games: list[Played] = []
    unfinished = 0
    steps: list[dict[str, Any]] = []
    begun, seconds = monotonic(), inf if wanted.seconds is None else wanted.seconds
    until = begun + seconds * (1 if game.state.cooperative else _SHARE_OF_MIRRORS)
    is_stopped = False
    bots, slow = _bots(wanted)
    try:
        # All bots play in turn, so that a report that ends early has games of each.
        for number, bot in product(range(wanted.games), bots):
            show(f"{bot}: game {number + 1} of {wanted.games}")
            played = mirror(wanted, bot, number, until)
            if played.points:
                games.append(played)
            elif monotonic() > until:
                break
            else:
                unfinished += 1
        for step in range(0 if game.state.cooperative else wanted.steps):
            left = begun + seconds - monotonic()
            if doubled := doubling(wanted, step, show, monotonic() + left / (wanted.steps - step)):
                steps.append(doubled)
    except KeyboardInterrupt:
        is_stopped = True
    if not games:
        raise ArenaError(
            f"No game of {game.name} ended, so there is nothing to report.",
            exit_code=ExitCode.DIFFERENCE,
            hint="Allow more time with --seconds, or name a quick bot with --bot.",
        )
    found = measured(game, games)
    return {
        "game": game.name,
        "title": game.title,
        "version": game.version,
        "players": wanted.seats,
        "cooperative": game.state.cooperative,
        "seed": wanted.seed,
        "playouts": wanted.playouts,
        "bots": [bot for bot in bots if any(one.bot == bot for one in games)],
        "games": len(games),
        "unfinished": unfinished,
        "slow": slow,
        **found,
        "steps": steps,
        "missing": list(_missing(wanted, len(bots), len(games) + unfinished, steps)),
        "stopped": is_stopped,
    }


def _missing(wanted: Wanted, bots: int, played: int, steps: list[dict[str, Any]]) -> Iterator[str]:
    """Yield what was not played, in words."""
    planned = wanted.games * bots
    if played < planned:
        yield f"{planned - played} of {planned} games of bots against themselves"
    planned = 0 if wanted.game.state.cooperative else 2 * max(1, wanted.games // 2) * wanted.steps
    doubled = sum(step["games"] for step in steps)
    if doubled < planned:
        yield f"{planned - doubled} of {planned} games of the search with twice its budget"


def _bots(wanted: Wanted) -> tuple[list[str], list[str]]:
    """Return the bots that play, and the names of those that are too slow."""
    known = playing_bots(wanted.game)
    for bot in wanted.bots:
        if bot not in known:
            raise ArenaError(
                f"{wanted.game.name} has no built-in bot {bot} that plays in memory. It has {', '.join(known)}.",
                exit_code=ExitCode.BAD_BOT,
            )
    if wanted.bots:
        return list(wanted.bots), []
    start = wanted.setup(0).state
    slow = [bot for bot in known if bot != SEARCH and not is_quick(_policy(wanted.game, bot), start, QUICK)]
    return [bot for bot in known if bot not in slow], slow


def _policy(game: GameSpec, bot: str) -> PlayoutPolicy:
    return PlayoutPolicy(game, (bot_class(game, f"builtin:{bot}"),), 0)


def mirror(wanted: Wanted, bot: str, number: int, until: float = inf) -> Played:
    """Let a bot play against itself, up to a time. Games 2k and 2k+1 have the same setup and other dice."""
    setup = wanted.setup(number // DICE)
    played = Played(bot, setup, number % DICE)
    # The bots' own random numbers come from the setup, so that games of a setup differ in the dice alone.
    players = players_of(wanted.game, bot, wanted.seats, wanted.playouts, f"{wanted.seed}/{bot}/{setup.number}")
    play(wanted.game, setup, players, f"{wanted.seed}/dice/{number}", played, until)
    return played


def doubling(wanted: Wanted, step: int, show: Show, until: float) -> dict[str, Any] | None:
    """Let the search play pairs of games against the search with half its budget, with swapped seats.

    Args:
        wanted: What the report is about.
        step: The number of the doubling.
        show: Called with words about the progress.
        until: The time after which no game goes on; a pair that is not finished then does not count.

    Returns:
        The result; None if no pair was finished in time.
    """
    less = wanted.playouts << step
    pairs = PairScores()
    for pair in range(max(1, wanted.games // 2)):
        show(f"{2 * less} playouts against {less}: pair {pair + 1} of {max(1, wanted.games // 2)}")
        setup = wanted.setup(pair)
        seats = [(pair + shift) % wanted.seats for shift in (0, 1)]
        points = [_with_more(wanted, setup, seat, less, f"{pair}/{seat}", until) for seat in seats]
        if monotonic() > until:
            break
        pairs.add(sum(points) / 2)
    if not pairs.pairs:
        return None
    low, high = pairs.interval
    return {
        "playouts": 2 * less,
        "against": less,
        "games": 2 * pairs.pairs,
        "score": round(pairs.score, 4),
        "interval": [round(low, 4), round(high, 4)],
    }


def _with_more(wanted: Wanted, setup: Setup, seat: int, less: int, seed: str, until: float) -> float:
    players = [
        SearchPolicy({"playouts": 2 * less if other == seat else less}, Random(f"{wanted.seed}/{seed}/{other}"))
        for other in range(wanted.seats)
    ]
    outcome = play(wanted.game, setup, players, f"{wanted.seed}/step/{seed}", Played(SEARCH, setup, 0), until)
    return 0.5 if outcome is None else outcome.points(seat)
