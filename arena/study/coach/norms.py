"""What winners usually have in each turn: the norms of a game with its options, from matches of built-in bots."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import cycle, islice, product
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any, NamedTuple

from arena.bots.folders.files import cache_folder
from arena.game import GameSpec
from arena.play.memory import play_in_memory
from arena.study.coach.facts import Measure, Numbers, facts_of
from arena.study.coach.playing_bots import is_quick
from arena.study.coach.questions import Pool, Questions
from arena_replays import Reader
from arena_replays.files import replace_file

FORMAT = 5
MATCHES = 32
LEAST_MATCHES = 12
"""Fewer matches, because the time was short, make no norms."""
SECONDS = 55.0
"""The limit for the time of the reference matches of one game. It depends on nothing else: no match is played twice."""
FIRST_TURN = 0.4
"""The limit for the processor time of a bot's first turn, in seconds. Slower bots play no reference matches."""
LEAST_WINNERS = 6
"""A turn has a range if at least this many winners played it."""
OUTER = 0.1
"""The share of the winners below the range, and above it."""
ROWS = 60


class Winner(NamedTuple):
    """The numbers of one winner of a reference match, after each of some turns.

    Attributes:
        seat: None if all seats are alike.
    """

    seat: int | None
    turns: list[int]
    rows: list[Numbers]


Rows = list[tuple[float, float] | None]


class Norms(NamedTuple):
    """For some turns, the range of what winners have.

    Attributes:
        matches: The number of reference matches.
        turns: The numbers of these turns.
        ranges: For each seat that won, or only None if all seats are alike: the range of each measure at each turn.
    """

    matches: int
    turns: list[int]
    ranges: dict[int | None, dict[Measure, Rows]]

    def of(self, seat: int) -> dict[Measure, Rows]:
        """Return the ranges of the winners on a seat; empty if nobody won there."""
        return self.ranges.get(None) or self.ranges.get(seat, {})

    def at(self, seat: int, measure: Measure, turn: int) -> tuple[float, float] | None:
        """Return the range of the winners, or None if too few of them played the turn."""
        row = next((at for at, one in enumerate(self.turns) if one >= turn), None)
        if row is None or not (ranges := self.of(seat)):
            return None
        if measure in ranges:
            return ranges[measure][row]
        played = any(rows[row] for rows in ranges.values())
        return None if measure.is_share or not played else (0.0, 0.0)  # no winner ever had it


def norms_of(header: Mapping[str, Any], game: GameSpec) -> Norms | None:
    """Return the norms for a match with this header, if they were computed before."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        return None if "start" in header else _norms(json.loads(_path(header, game).read_bytes()))
    return None


def compute(
    header: Mapping[str, Any], game: GameSpec, names: Sequence[str], pool: Pool, seconds: float = SECONDS
) -> Iterator[tuple[float, Norms | None]]:
    """Play reference matches, and keep their norms. Yield the share that is done; at last 1, and the norms, if any.

    Args:
        names: References of the built-in bots that can play, the weakest first.
    """
    end = monotonic() + seconds
    quick = [names[at] for at, fast in pool.ask([(_is_quick, name) for name in names]) if fast]
    quick = [name for name in names if name in quick] or list(names[:1])
    pairs = [pair for pair in product(reversed(quick), repeat=2) if len(quick) == 1 or set(pair) != {quick[0]}]
    asked = [(reference, pair, seed) for seed, pair in enumerate(islice(cycle(pairs), MATCHES))]
    winners: list[Winner] = []
    done = 0
    for _, found in pool.ask(asked, end):
        winners += found
        done += 1
        yield done / MATCHES, None
    if done < LEAST_MATCHES:
        yield 1.0, None
        return
    document, path = _document(done, winners), _path(header, game)
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, json.dumps(document, separators=(",", ":")).encode())
    yield 1.0, _norms(document)


def _norms(document: dict[str, Any]) -> Norms:
    ranges = {
        int(seat) if seat else None: {
            Measure(*key.split("|")): [row and (row[0], row[1]) for row in rows] for key, rows in found.items()
        }
        for seat, found in document["ranges"].items()
    }
    return Norms(document["matches"], document["turns"], ranges)


def _is_quick(questions: Questions, name: str) -> bool:
    return is_quick(questions.policy((name,)), questions.match.state_before(0), FIRST_TURN)


def reference(questions: Questions, pair: Sequence[str], seed: int) -> list[Winner]:
    """Play one reference match with the options of the recorded match, and return the numbers of its winners."""
    game, options = questions.match.game, questions.match.reader.header.get("options", {})
    players = game.players_in(game.resolve_options(options))
    with TemporaryDirectory(prefix="arena-norms-") as folder:
        replay = Path(folder) / "match.arena"
        result = play_in_memory(
            game, list(islice(cycle(pair), players)), seed=f"norms {seed}", options=dict(options), replay=replay
        )
        facts = facts_of(Reader(replay))
    return [
        Winner(None if facts.alike else player, facts.turns, facts.players[player])
        for player in (result.outcome.winners if result.outcome else ())
    ]


def _document(matches: int, winners: Sequence[Winner]) -> dict[str, Any]:
    last = max((one.turns[-1] for one in winners), default=0)
    turns = list(range(1, last + 1, max(1, -(-last // ROWS))))
    ranges = {
        "" if seat is None else str(seat): _ranges([one for one in winners if one.seat == seat], turns)
        for seat in {one.seat for one in winners}
    }
    return {"matches": matches, "turns": turns, "ranges": ranges}


def _ranges(winners: Sequence[Winner], turns: Sequence[int]) -> dict[str, Rows]:
    measures = sorted({measure for one in winners for row in one.rows for measure in row})
    tables = [dict(zip(one.turns, one.rows, strict=True)) for one in winners]
    found: dict[str, Rows] = {}
    for measure in measures:
        rows: Rows = []
        for turn in turns:
            playing = [table[turn] for table in tables if turn in table]
            values = sorted(value for row in playing if (value := row.get(measure, measure.missing)) is not None)
            outer = int(OUTER * len(values))
            rows.append((values[outer], values[-1 - outer]) if len(values) >= LEAST_WINNERS else None)
        found["|".join(measure)] = rows
    return found


def _path(header: Mapping[str, Any], game: GameSpec) -> Path:
    about = [FORMAT, game.name, game.version, header.get("options", {}), [bot.name for bot in game.bots]]
    key = hashlib.sha256(json.dumps(about, sort_keys=True, default=str).encode()).hexdigest()[:24]
    return cache_folder() / "norms" / f"{game.name}-{key}.json"
