"""Play one match with each bot before the start, to find bots that do not start."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from arena.errors import ArenaError, ExitCode
from arena.match.ending import REGULAR
from arena.match.entrant import Entrant
from arena.match.result import MatchResult
from arena.match.spec import MatchSpec, Participant, seed_for
from arena.match.wording import reason_in_words
from arena.matches.engines.engine import Engine
from arena.matches.queue import MatchQueue
from arena.contests.config import TournamentConfig


@dataclass(frozen=True, slots=True)
class Sanity:
    """The result of a bot's sanity match, or of its build if the build fails.

    Attributes:
        plays: Whether the bot has also played to the end, without a crash or a time-out.
    """

    name: str
    starts: bool
    text: str
    plays: bool = True


def sanity_spec(config: TournamentConfig, entrant: Entrant, partner: Entrant) -> MatchSpec:
    return MatchSpec(
        tournament="sanity",
        stage="sanity",
        round=1,
        pairing=0,
        number=0,
        game=config.game,
        map=config.maps[0] if config.maps else "",
        options=config.options,
        seats=(Participant(entrant.name, entrant.hash), *_partners(partner, max(2, config.players[0]) - 1)),
        seed=seed_for("sanity", entrant.name),
    )


def _partners(partner: Entrant, count: int) -> list[Participant]:
    numbers = [f" {number}" for number in range(1, count + 1)] if count > 1 else [""]
    return [Participant(f"{partner.name} (partner{number})", partner.hash) for number in numbers]


def sanity_matches(
    config: TournamentConfig,
    entrants: Sequence[Entrant],
    partner: Callable[[Entrant], Entrant],
    engine: Engine,
    report: Callable[[Sanity], None],
) -> list[Sanity]:
    """Play a sanity match with each bot, several matches at a time.

    Args:
        report: Called with each result, in the order of the bots.
    """
    queue = MatchQueue(engine, voids=0)  # a void match says enough about the bot
    futures = [(one, queue.start(sanity_spec(config, one, partner(one)))) for one in entrants]
    found = []
    for entrant, future in futures:
        ended = queue.finish(future)
        if ended.played is None:
            code = getattr(ended.error, "exit_code", ExitCode.FAULT)
            what = f"A match to try the bot {entrant.name} cannot be played, and the bot is not the cause"
            raise ArenaError(f"{what}: {ended.reason.rstrip('.')}.", exit_code=code) from ended.error
        found.append(judge(entrant.name, ended.played))
        report(found[-1])
    return found


def judge(name: str, result: MatchResult) -> Sanity:
    player = result.players[0]
    if player.ending in ("no_start", "no_build"):
        return Sanity(name, False, f"does not start: {player.explained or 'no reason is known'}", plays=False)
    if player.ending in REGULAR:
        slow = f", its longest turn took {player.clock.worst_turn:.3f} s" if player.clock.turns else ""
        return Sanity(name, True, f"plays ({result.isolation.name}{slow})")
    if player.ending == "void":
        why = ": ".join(filter(None, (reason_in_words(result.outcome.reason), player.detail)))
        return Sanity(name, True, f"takes part, but its match to try it is void ({why})")
    return Sanity(name, True, f"starts, but its match ended with {player.ending}: {player.explained}", plays=False)
