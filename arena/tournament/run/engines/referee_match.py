"""Matches of real games: what the referee is asked for, and what its answer means for a tournament."""

import os
import platform
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from arena.interpreter import python
from arena.tournament.plan.config import TournamentConfig
from arena.tournament.plan.values import MatchOutcome, MatchSpec, SeatOutcome
from arena.tournament.run.engines.process import MatchProcess, MatchProcessError

LEVELS = ("none", "limits", "bwrap", "bwrap+cgroup")
"""Levels of isolation, by name; the index is the referee's number."""
_LONGEST_LINE = 300
_LATE = 0.2
"""A time-out is void when the referee itself woke up later than this share of the time that a bot had; or, where only
the wall clock could judge, when for more than this share of the match something waited for a processor."""


class RefereeMatches:
    """Starts matches of one tournament.

    Args:
        config: clocks, policies, isolation, options.
        paths: where the bot of each content hash lies.
        replays: where the match with this id is to write its replay.
        map_option: the game's option that the map's name goes into.
        load_map: turns the map's name into the option's value.
        replay: whether replays are written.
        cpu: the processor that matches are pinned to; None for the one that the calling thread is bound to.
        temporary: folder for the temporary files of matches; the system's own if not given.
    """

    def __init__(
        self,
        config: TournamentConfig,
        paths: Mapping[str, str],
        replays: Callable[[str], Path],
        map_option: str = "",
        load_map: Callable[[str], Any] | None = None,
        *,
        replay: bool = True,
        cpu: int | None = None,
        temporary: Path | None = None,
    ) -> None:
        self._config = config
        self._paths = paths
        self._replays = replays
        self._map_option = map_option
        self._load_map = load_map
        self._replay = replay
        self._cpu = cpu
        self._temporary = temporary

    def start(self, spec: MatchSpec, attempt: int) -> MatchProcess:  # noqa: ARG002
        """Starts a match process."""
        replay = self._replays(spec.match_id)
        command = python("-m", "arena.tournament.run.engines.match_process", str(os.getpid()))
        turn_seconds = dict(self._config.clock).get("turn") or 10.0

        def read(answer: Mapping[str, Any]) -> MatchOutcome:
            return read_result(answer, replay, turn_seconds)

        return MatchProcess(command, self.job(spec, replay), replay, read, self._temporary)

    def job(self, spec: MatchSpec, replay: Path) -> dict[str, Any]:
        """The job as the referee reads it."""
        options = dict(spec.options)
        if spec.map and self._map_option:
            options[self._map_option] = self._load_map(spec.map) if self._load_map else spec.map
        job: dict[str, Any] = {
            "game": spec.game,
            "entrants": [{"bot": self._paths[seat.hash], "name": seat.name} for seat in spec.seats],
            "options": options,
            "seed": spec.seed,
            "leg": spec.number % 2,
            "policy": dict(self._config.policy),
            "replay": str(replay) if self._replay else "",
            # The best there is on this machine, in any case; the level only says what is not enough.
            "sandbox": "auto",
            "require_isolation": LEVELS.index(self._config.isolation),
            "cpu": _own_cpu() if self._cpu is None else self._cpu,
        }
        if self._config.clock:
            job["clock"] = dict(self._config.clock)
        return job


def _own_cpu() -> int | None:
    """The processor that this thread is bound to, or None."""
    cpus = os.sched_getaffinity(0)
    return next(iter(cpus)) if len(cpus) == 1 else None


def read_result(event: Mapping[str, Any], replay: Path, turn_seconds: float) -> MatchOutcome:
    """The outcome in the referee's last event.

    Raises:
        MatchProcessError: the match could not be played, through no fault of a bot.
    """
    if event.get("event") != "result":
        raise MatchProcessError(str(event.get("sentence") or "the referee gave no result"))
    result = event["result"]
    if result["fault"]:
        raise MatchProcessError(result["fault"])
    seats = tuple(_seat(player) for player in result["players"])
    levels = [player["isolation"] for player in result["players"]]
    return MatchOutcome(
        seats=seats,
        winner=result["outcome"]["winner"],
        reason=result["outcome"]["reason"],
        turns=result["turns"],
        replay=str(replay) if replay.exists() else "",
        isolation=min(levels, key=lambda isolation: isolation["level"])["name"],
        void=_void(result, turn_seconds),
        seconds=result["seconds"]["total"],
        host=platform.node(),
        lateness=result["lateness"],
        pressure=result.get("pressure"),
    )


def _seat(player: Mapping[str, Any]) -> SeatOutcome:
    clock = player["clock"]
    return SeatOutcome(
        ending=player["ending"],
        score=float(player["score"]),
        turns=clock["turns"],
        refusals=sum(player["refusals"].values()),
        wall_seconds=clock["wall"] or 0.0,
        cpu_seconds=clock["cpu"],
        worst_turn_seconds=clock["worst_turn"] or 0.0,
        **_last_words(player),
    )


def _last_words(player: Mapping[str, Any]) -> dict[str, str]:
    """Why it ended badly, and the last line that the bot wrote to its error output."""
    if player["ending"] in ("won", "lost", "drawn"):
        return {}
    lines = [line for line in str(player["stderr"]).splitlines() if line.strip()]
    detail = "; ".join(dict.fromkeys(part for part in (player["detail"], player["exit"]) if part))
    return {"detail": detail[:_LONGEST_LINE], "said": lines[-1][:_LONGEST_LINE] if lines else ""}


def _void(result: Mapping[str, Any], turn_seconds: float) -> str:
    """Why the match must not count: the host was late, and somebody lost on time."""
    endings = [player["ending"] for player in result["players"]]
    if "void" in endings:
        return f"the referee gave no verdict: {result['outcome']['reason']}"
    if "timed_out" not in endings:
        return ""
    if result["lateness"] > _LATE * turn_seconds:
        return f"time-out on a host that was itself {result['lateness']:.3f} s late"
    late = [player for player in result["players"] if player["ending"] == "timed_out"]
    pressure = result.get("pressure") or 0.0
    if pressure > _LATE and any(player["clock"]["cpu"] is None for player in late):
        return f"time-out by the wall clock on a host that was too busy {100 * pressure:.0f} % of the time"
    return ""
