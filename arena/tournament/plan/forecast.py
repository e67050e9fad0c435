"""How many matches a tournament will have, by playing the rest of it in the imagination."""

from arena.game import Outcome
from arena.match.result import MatchResult, PlayerResult
from arena.tournament.plan.schedule import Schedule
from arena.tournament.plan.values import MatchSpec

_MOST = 200_000


def expected_matches(schedule: Schedule) -> int | None:
    """Matches in all, those played included; None for a tournament that runs on.

    Brackets depend on who wins and how often pairings are level, so it is an estimate: the better seed always wins.
    """
    if any(
        stage.rounds == 0 and stage.format in ("ladder", "king_of_the_hill")
        for stage in schedule.tournament.config.stages
    ):
        return None
    seeds = {name: seed for seed, name in enumerate(schedule.tournament.names)}
    imagined = Schedule(schedule.tournament)
    for slot, result in schedule.results.items():
        imagined.results[slot] = result
    count = 0
    waiting = imagined.take()
    while waiting and count < _MOST:
        for spec in waiting:
            imagined.record(spec, _favourite_wins(spec, seeds))
            count += 1
        waiting = imagined.take()
    return count


def _favourite_wins(spec: MatchSpec, seeds: dict[str, int]) -> MatchResult:
    best = min(range(len(spec.names)), key=lambda seat: seeds[spec.names[seat]])
    players = tuple(PlayerResult("won" if seat == best else "lost") for seat in range(len(spec.seats)))
    return MatchResult(players, Outcome(best, "forecast"))
