"""Finals: an ordinary tournament of Arena between the best teams of the ladder."""

import json
import subprocess
import sys
from pathlib import Path

from arena.errors import ArenaError
from arena.game import GameSpec
from arena.journal.files import disk_errors
from arena.journal.store import now
from arena.season.acts import Fields, reason_of
from arena.season.store import Season
from arena.season.values import Member, number_of
from arena_replays.files import replace_file

_TABLE_FORMATS = ("free_for_all", "elimination_tables")
_PAIR_FORMATS = ("double_elimination", "single_elimination", "round_robin", "swiss")


def formats(game: GameSpec) -> tuple[str, ...]:
    """Return the formats of finals that a game can play, the usual one first."""
    pairs = _PAIR_FORMATS if 2 in game.player_counts else ()
    return (*pairs, *(_TABLE_FORMATS if game.player_counts[-1] > 2 else ()))


def start_finals(season: Season, member: Member, fields: Fields) -> Path:
    """Write the folder of a tournament of the best teams, in the order of the ladder's table, and record the act.

    Returns:
        The path of the file `league.toml`.
    """
    allowed = formats(season.game)
    count, reason, kind = fields.get("count", ""), reason_of(fields), fields.get("format", allowed[0])
    if kind not in allowed:
        raise ArenaError(f"The format must be one of {', '.join(allowed)}.")
    with season.lock:
        _check_nobody_waits(season)
        rows = [row for row in season.table(everything=True) if not row.is_anchor]
        rows = rows[: number_of(count) or None]
        if len(rows) < max(2, season.game.player_counts[0]):
            raise ArenaError("There are too few teams on the ladder for finals.")
        number = 1 + sum(act.kind == "finals" for act in season.state.acts.values())
        path = season.folder / f"finals-{number}" / "league.toml"
        bots = []
        for row in rows:
            version = season.state.version(row.team, row.version)
            assert version is not None, "a row of the table has a version"
            bots.append((row.team, season.folder / version.path))
        with disk_errors(path):
            path.parent.mkdir(exist_ok=True)
            replace_file(path, _league(season, bots, kind).encode())
        season.write(("act", "finals", {"subject": str(len(rows)), "author": member.name, "reason": reason,
                                        "at": now(), "place": path.parent.name}))  # fmt: skip
        return path


def _check_nobody_waits(season: Season) -> None:
    """Check that all versions that were handed in before the deadline have been checked, so that they can play."""
    state = season.state
    waiting = [one.key for one in state.waiting() if not (one.late or state.orders.is_out(one.player))]
    if waiting and season.is_closed:
        raise ArenaError(
            f"Versions that were handed in in time wait for their check: {', '.join(waiting)}.",
            hint="Start the finals after their checks, or disqualify them.",
        )


def _league(season: Season, bots: list[tuple[str, Path]], kind: str) -> str:
    config = season.config
    lines = ["[tournament]", f"name = {_text(f'{config.name}: finals')}", f"game = {_text(config.game)}",
             f"isolation = {_text(config.isolation)}", *([f"maps = {_text(list(config.maps))}"] if config.maps else []),
             *([f"matches_at_once = {config.matches_at_once}"] if config.matches_at_once else [])]  # fmt: skip
    for table in ("options", "clock", "policy", "limits"):
        values = getattr(config, table)
        lines += ["", f"[{table}]", *(f"{key} = {_text('none' if one is None else one)}" for key, one in values)]
    for team, path in bots:
        lines += ["", "[[bots]]", f"name = {_text(team)}", f"path = {_text(str(path))}"]
    lines += ["", "[[stages]]", f"format = {_text(kind)}"]
    if kind == "swiss":
        lines.append(f"rounds = {max(1, (len(bots) - 1).bit_length() + 1)}")
    if kind in _TABLE_FORMATS:
        lines.append(f"table = {min(len(bots), season.game.player_counts[-1])}")
    if kind == "free_for_all":
        lines.append("rounds = 5")
    return "\n".join(lines) + "\n"


def _text(value: object) -> str:
    return json.dumps(value)


class FinalsRun:
    """The process that plays finals. The server ends it at shutdown, and continues the finals after a restart."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with (path.parent / "output.txt").open("ab") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "arena", "tournament", "run", str(path), "--no-check"],
                stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True,
            )  # fmt: skip

    def stop(self) -> None:
        """End the process and its matches. After 10 seconds, kill the process even if matches are still running."""
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
