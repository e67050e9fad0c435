"""Explain a match: the win probability of each player over time, and the turns that decided the match.

Teams of built-in bots play on from positions of the match; a position is worth the mean of their results. The positions
are refined where the curve falls. A fall over one player's turn is compared: what bots choose there with what was done,
in pairs of playouts with the same dice. Half of the compared turns stay in each round, and the last ones are confirmed
with fresh dice.

The budget is used in rounds. Each round waits for all its answers, so that the same number of playouts gives the same
result on every machine.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise, permutations
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

from arena.game import Document
from arena.study.coach.advice import with_commands
from arena.study.coach.causes import causes_of
from arena.study.coach.differences import found_in
from arena.study.coach.lessons import Pricing
from arena.study.coach.playing_bots import required_bots
from arena.study.coach.playouts import Result
from arena.study.coach.probability import Estimate, win_difference, win_of
from arena.study.coach.questions import Pool, Question, Questions, Team, split
from arena.study.coach.recorded_match import Part, RecordedMatch
from arena_player.version import __version__
from arena_replays import Reader
from arena_replays.errors import ReplayError
from arena_replays.files import replace_file

CONFIDENCE = 0.95
FIRST_POINTS = 12
"""The limit for the number of positions from which the first playouts begin."""
PLAYOUTS = 8
"""The number of playouts that a round adds to a position, or to each line of a compared turn; a multiple of teams."""
MOST_PLAYOUTS = 64
"""A position that has this many playouts gets no more, unless a compared turn begins or ends there."""
COMPARED, CONFIRMED = 8, 3
"""The limits for the turns of one player that are compared, and that are confirmed with fresh dice."""
LEAST_PAIRS, MOST_PAIRS = 32, 160
"""A turning point has at least `LEAST_PAIRS` pairs of playouts. A turn gets at most `MOST_PAIRS`."""
SMALLEST_GAIN = 0.05
FLAT = 0.1
"""A smaller fall between two positions is not refined."""
FRESH = 1_000_000
"""The first seed of the playouts that confirm. Others use lower seeds."""
CHECK = 2_000_000
"""The first seed of the playouts of `arena explain REPLAY --check`."""
PLAYOUTS_OF_BUDGET = 200
"""A bot is fast enough if this many of its playouts of the whole match fit into the budget."""
CHUNK_SECONDS = 0.15
"""The time that one question should take, in seconds. Long questions could exceed the budget."""
LESSONS, CURVE, COMPARING = 0.25, 0.55, 0.7
"""The shares of the budget that are used up when the stages end. The rest confirms."""


class Key(NamedTuple):
    """Where playouts begin.

    Attributes:
        line: ``at`` for the position before a part; ``done`` and ``instead`` for the positions after the recorded
            actions of the part and after a bot's choice, both with new dice.
        part: The index of the part; the index after the last one stands for the end.
        world: The player from whose view the position is drawn; None for the position itself.
    """

    line: str
    part: int
    world: int | None = None


class LinesOfPlay(NamedTuple):
    """Where the lines of play of one part begin. Without dice, hidden information and others who move, there are two.

    Attributes:
        instead: After a bot's choice, with new dice.
        done: After the recorded actions, with new dice; like `instead` from what the player knew.
        rolled: After the recorded actions, with new dice; from the true position.
    """

    before: Key
    instead: Key
    done: Key
    rolled: Key
    after: Key


class Gain(NamedTuple):
    """What a bot's choice in a turn is worth, compared with the recorded one.

    Attributes:
        teams: The same for each team.
        bots: The same for each bot in the player's place, whoever plays against it.
    """

    all: Estimate
    teams: list[Estimate]
    bots: dict[str, Estimate]

    @property
    def holds(self) -> bool:
        """Whether the gain is certain: with two different bots in the player's place, and against no team."""
        good = self.all.low > 0 and self.all.value >= SMALLEST_GAIN and self.all.playouts >= LEAST_PAIRS
        sure = sum(one.low > 0 for one in self.bots.values())
        return good and sure > 1 and all(one.value >= 0 for one in self.teams)


class Explanation:
    """The results so far about a match.

    Attributes:
        pricing: The lessons so far; None before they are computed.
        differences: See `arena.study.coach.differences`.
        teams: Who plays on.
        samples: The results of playouts; those with fresh dice replace the first ones.
        tested: The parts that are confirmed, by player.
        choices: What the strongest bot would have done in these parts.
        stage: What is being computed; empty at the end.
    """

    def __init__(self, match: RecordedMatch) -> None:
        self.match = match
        self.pricing: Pricing | None = None
        self.differences: list[dict[str, Any]] = []
        self.teams: list[Team] = []
        self.samples: dict[Key, list[Result]] = {}
        self.fresh: dict[Key, list[Result]] = {}
        self.tested: dict[int, list[Part]] = {}
        self.choices: dict[int, list[Document] | None] = {}
        self.seconds = 0.0
        self.stage = "lessons"

    @property
    def playouts(self) -> int:
        priced = self.pricing.playouts if self.pricing else 0
        return priced + sum(len(results) for results in (*self.samples.values(), *self.fresh.values()))

    @property
    def judged(self) -> list[int]:
        """The players who did not win."""
        result = self.match.result
        return [player for player in range(self.match.players) if result is None or result[player] < 1]

    def results(self, key: Key) -> list[Result]:
        return self.fresh.get(key) or self.samples.get(key, [])

    def win(self, index: int, player: int) -> Estimate:
        """Return a player's win probability before a part. The index after the last part stands for the end.

        Between two positions with playouts it is interpolated, and its interval has the intervals of both.
        """
        match = self.match
        if index == len(match.parts) and match.result is not None:
            return Estimate(match.result[player], match.result[player], match.result[player], 0)
        if results := self.results(Key("at", index)):
            return win_of(results, player, match.game.playout_power)
        known = {key.part for key in (*self.samples, *self.fresh) if key.line == "at"}
        known |= {len(match.parts)} if match.result is not None else set()
        before = max((one for one in known if one < index), default=None)
        after = min((one for one in known if one > index), default=None)
        if before is None or after is None:
            return Estimate(1 / match.players, 0.0, 1.0, 0)
        one, other = self.win(before, player), self.win(after, player)
        part = (index - before) / (after - before)
        value = one.value + part * (other.value - one.value)
        return Estimate(value, min(one.low, other.low), max(one.high, other.high), 0)

    def lines(self, part: Part) -> LinesOfPlay:
        together = self.match.simultaneous(part)
        before, after = Key("at", together[0].index), Key("at", together[-1].index + 1)
        rolled = Key("done", part.index) if any(one.draws for one in together) else after
        world = part.player if self.match.end.hides_information() else None
        if world is None and len(together) == 1:
            return LinesOfPlay(before, before, rolled, rolled, after)
        return LinesOfPlay(before, Key("instead", part.index, world), Key("done", part.index, world), rolled, after)

    def gain(self, part: Part) -> Gain:
        lines, power = self.lines(part), self.match.game.playout_power
        confidence = 1 - (1 - CONFIDENCE) / max(1, sum(map(len, self.tested.values())))
        return compared(self._pairs(lines.done, lines.instead), self.teams, part.player, power, confidence)

    def dice(self, part: Part) -> Estimate:
        """Return what the recorded dice of a part were worth for its player, compared with new dice."""
        lines, power = self.lines(part), self.match.game.playout_power
        return win_difference(self._pairs(lines.rolled, lines.after), part.player, power, CONFIDENCE)

    def fall(self, part: Part) -> tuple[Estimate, Estimate] | None:
        """Return the player's win probability before and after a part, if it falls by more than its interval."""
        before, after = (self.win(one.part, part.player) for one in (self.lines(part).before, self.lines(part).after))
        return (before, after) if before.low > after.high else None

    def _pairs(self, one: Key, other: Key) -> list[tuple[Result, Result]]:
        """Return the results of two lines with the same seeds."""
        end, result = Key("at", len(self.match.parts)), self.match.result
        samples = (
            self.fresh if all(key in self.fresh or (key == end and result) for key in (one, other)) else self.samples
        )
        first, second = (samples.get(key, []) for key in (one, other))
        if result is not None:
            first, second = (
                ([result] * len(second) if one == end else first),
                ([result] * len(first) if other == end else second),
            )
        return list(zip(first, second, strict=False))


def fast_bots(pool: Pool, bots: Sequence[str], seconds: float) -> dict[str, float]:
    """Return the bots whose playout of the whole match takes no longer on one of the cores; the fastest if none does.

    Args:
        bots: References, the weakest first.
        seconds: The time of a playout if all cores play.

    Returns:
        The processor time of a playout of each, in seconds, the weakest bot first.
    """
    limit = seconds * pool.processes
    costs = dict(sorted(pool.ask([(Questions.cost, bot, limit) for bot in bots])))
    found = {bot: costs[at] for at, bot in enumerate(bots) if costs[at] <= limit}
    return found or dict([min(zip(bots, costs.values(), strict=True), key=lambda one: one[1])])


def teams_of(pool: Pool, bots: Sequence[str], seconds: float) -> tuple[list[Team], float]:
    """Return the teams of the two strongest bots that are fast enough, and the time of a playout of the strongest.

    Each plays alone, and both play against each other. See `fast_bots`.
    """
    costs = fast_bots(pool, bots, seconds)
    *_, strong = costs
    strongest: list[Team] = [(bot,) for bot in [*costs][-2:]]
    return [*strongest, *(one + other for one, other in permutations(strongest, 2))], costs[strong]


def compared(
    pairs: Sequence[tuple[Result, Result]],
    teams: Sequence[Team],
    player: int,
    power: float,
    confidence: float = CONFIDENCE,
) -> Gain:
    """Return the gain of the second line of play, from pairs whose seeds follow each other."""
    each = [pairs[at :: len(teams)] for at in range(len(teams))]
    own: dict[str, list[tuple[Result, Result]]] = {}
    for team, mine in zip(teams, each, strict=True):
        own.setdefault(team[player % len(team)], []).extend(mine)
    return Gain(
        win_difference(pairs, player, power, confidence),
        [win_difference(mine, player, power) for mine in each],
        {bot: win_difference(mine, player, power) for bot, mine in own.items()},
    )


class Explainer:
    """Computes an explanation within a budget.

    Args:
        budget: The time limit in seconds, without the time for norms.
        players: The players whose turns are judged; those who did not win if empty.
        most: The limit for the number of playouts.
        fresh: The first seed of the playouts that confirm.
    """

    def __init__(
        self,
        found: Explanation,
        pool: Pool,
        budget: float,
        players: Sequence[int] = (),
        most: float = inf,
        fresh: int = FRESH,
    ) -> None:
        self.found = found
        self._pool = pool
        self._budget, self._most = budget, most
        self._players = list(players) or found.judged
        self._first = fresh
        self._begun = monotonic()
        self._playout_seconds = 0.02

    def run(self, *, norms: bool = False) -> Iterator[float]:
        """Compute the explanation. Yield the share of the work of the current stage that is done.

        Args:
            norms: Whether to play reference matches if the game's norms are not known yet.
        """
        found = self.found
        bots = required_bots(found.match.game)
        if not found.teams:
            found.teams, self._playout_seconds = teams_of(self._pool, bots, self._budget / PLAYOUTS_OF_BUDGET)
        for _ in self._price():
            found.seconds = monotonic() - self._begun
            yield min(1.0, found.seconds / self._budget)
        before, found.stage = monotonic(), "norms"
        for differences, share in found_in(found.match.reader, found.match.game, bots, self._pool, play=norms):
            found.differences = differences
            yield share
        self._begun += monotonic() - before if share else 0  # the time of reference matches comes on top
        for found.stage, stage in (("curve", self._curve), ("turns", self._compare), ("check", self._confirm)):
            for _ in stage():
                found.seconds = monotonic() - self._begun
                yield min(1.0, found.seconds / self._budget)
        found.stage, found.seconds = "", monotonic() - self._begun
        yield 1.0

    def _price(self) -> Iterator[None]:
        """Price the mistakes that detectors find, with the strongest bot: the second team, if there is one."""
        found = self.found
        bot = found.teams[min(1, len(found.teams) - 1)][0]
        found.pricing = Pricing(found.match, self._pool, self._players, bot)
        yield from found.pricing.run(self._begun + LESSONS * self._budget)

    def check(self, part: Part) -> None:
        """Compare one part only."""
        self._begun = monotonic()
        self.found.tested = {part.player: [part]}
        for _ in self._confirm():
            pass

    def _is_over(self, share: float) -> bool:
        return monotonic() - self._begun >= share * self._budget or self.found.playouts >= share * self._most

    def _answers(self, questions: list[Question], until: float = inf) -> list[Any]:
        """Return the answers in the order of the questions; None for those that began after a share of the budget."""
        answers: list[Any] = [None] * len(questions)
        for at, answer in self._pool.ask(questions, self._begun + until * self._budget):
            answers[at] = answer
        return answers

    def _play(self, keys: Sequence[Key], count: int, until: float, *, fresh: bool = False) -> bool:
        """Let each of some lines have this many playouts. Return whether the time was enough."""
        found, match = self.found, self.found.match
        samples = found.fresh if fresh else found.samples
        asked: list[tuple[Key, Question]] = []
        for key in dict.fromkeys(keys):
            if key == Key("at", len(match.parts)) and match.result is not None:
                continue
            have, first = len(samples.get(key, ())), self._first * fresh
            size = max(1, round(CHUNK_SECONDS / self._playout_seconds))
            for seeds in split(range(first + have, first + count), size):
                actions = match.parts[key.part].actions if key.line == "done" else None
                line: Question = (Questions.line, key.part, actions, key.world)
                at: Question = (Questions.values, key.part) if key.line == "at" else line
                asked.append((key, (*at, found.teams, seeds)))
        complete = True
        for (key, _), results in zip(asked, self._answers([one for _, one in asked], until), strict=True):
            complete = complete and results is not None
            if results is not None and complete:
                samples.setdefault(key, []).extend(results)
        return complete

    def _curve(self) -> Iterator[None]:
        """Play on from some positions, then from positions between those where the curve falls most."""
        found, parts = self.found, self.found.match.parts
        inside = {one.index for part in parts for one in found.match.simultaneous(part)[1:]}
        points = [index for index in range(len(parts) + 1) if index not in inside]
        step = max(1, -(-len(points) // FIRST_POINTS))
        if not parts and found.match.result is not None:
            return  # without actions, the end is the only position
        known = sorted({*range(0, len(points), step), len(points) - 1})
        self._play([Key("at", points[at]) for at in known], PLAYOUTS, 1)
        yield
        while not self._is_over(CURVE):
            gaps = [(self._fall(points[one], points[other]), one, other) for one, other in pairwise(known)]
            wide = sorted((gap for gap in gaps if gap[2] - gap[1] > 1 and gap[0] > FLAT), reverse=True)
            new = [(one + other) // 2 for _, one, other in wide[: 2 * self._pool.processes]]
            known = sorted({*known, *new})
            unsure = [points[at] for at in known if 0 < len(found.results(Key("at", points[at]))) < MOST_PLAYOUTS]
            unsure.sort(key=lambda index: -self._doubt(index))
            again = [Key("at", index) for index in unsure[: 2 * self._pool.processes]]
            if not new and not again:
                return
            self._play([Key("at", points[at]) for at in new], PLAYOUTS, CURVE)
            for key in again if not new else ():
                self._play([key], len(found.results(key)) + PLAYOUTS, CURVE)
            yield

    def _fall(self, one: int, other: int) -> float:
        return max((self.found.win(one, at).value - self.found.win(other, at).value for at in self._players), default=0)

    def _doubt(self, index: int) -> float:
        return max((one.high - one.low for at in self._players if (one := self.found.win(index, at))), default=0)

    def _compare(self) -> Iterator[None]:
        """Compare the turns in which the curve falls most. Drop the half with the smaller gains, until few are left."""
        found = self.found
        for player in self._players:
            falls = [(self._drop(part), -part.index) for part in found.match.parts if part.player == player]
            worst = sorted((fall for fall in falls if fall[0] > 0), reverse=True)[:COMPARED]
            left = [found.match.parts[-index] for _, index in worst]
            count = 2 * PLAYOUTS
            while left and not self._is_over(COMPARING):
                if not self._play([key for part in left for key in found.lines(part)[1:3]], count, COMPARING):
                    break
                left.sort(key=lambda part: -found.gain(part).all.value)
                if len(left) <= CONFIRMED:
                    break
                left, count = left[: max(CONFIRMED, len(left) // 2)], 2 * count
                yield
            found.tested[player] = [one for one in left[:CONFIRMED] if found.gain(one).all.value > 0 or one.draws]

    def _drop(self, part: Part) -> float:
        """Return by how much the player's win probability falls during a part; 0 if no playouts began before it."""
        lines, win = self.found.lines(part), self.found.win
        if not self.found.results(lines.before):
            return 0.0
        return win(lines.before.part, part.player).value - win(lines.after.part, part.player).value

    def _confirm(self) -> Iterator[None]:
        """Repeat the comparisons with fresh dice, until each gain is certain or too small."""
        found = self.found
        left = [part for parts in found.tested.values() for part in parts]
        bots = {part.index: found.teams[min(1, len(found.teams) - 1)][0] for part in left}
        limit = CURVE * self._budget / max(1, len(left))
        choices = self._answers([(Questions.choose, bot, index, limit) for index, bot in bots.items()], 1)
        found.choices = dict(zip(bots, choices, strict=True))
        count = LEAST_PAIRS
        while left and not self._is_over(1) and count <= MOST_PAIRS:
            if not self._play([key for part in left for key in found.lines(part)[1:3]], count, 1, fresh=True):
                break
            shown = [part for part in left if found.gain(part).holds or part.draws]  # these need the curve and the dice
            self._play([key for part in shown for key in found.lines(part)], count, 1, fresh=True)
            left = [part for part in left if not found.gain(part).holds]
            left = [part for part in left if found.gain(part).all.high > SMALLEST_GAIN or part.draws]
            count += LEAST_PAIRS // 2
            yield


# Keep the explanation of a match in a file beside its replay.

FORMAT = 15


def cache_path(replay: Path) -> Path:
    """Return the path of the file: ``match.arena.explain.json`` for ``match.arena``."""
    return replay.with_name(f"{replay.name}.explain.json")


def save(document: dict[str, Any], replay: Path) -> None:
    """Write the document of an explanation. Ignore errors of writing."""
    with suppress(OSError):
        text = json.dumps({**document, "key": _key(replay)}, separators=(",", ":"))
        replace_file(cache_path(replay), text.encode())


def stored(replay: Path) -> dict[str, Any]:
    """Return the document of an explanation as `save` has written it; an empty document if none is usable.

    Its causes can contain logs. Show them only to the bots' owners.
    """
    try:
        document: dict[str, Any] = json.loads(cache_path(replay).read_bytes())
        return document if document.pop("key") == _key(replay) else {}
    except (OSError, ReplayError, ValueError, KeyError, TypeError, RecursionError, AttributeError):
        return {}


def explanation_of(replay: Path, shown: str = "") -> dict[str, Any]:
    """Return the document that `arena explain` has saved beside a replay; an empty document if none is usable.

    The causes are always computed from the given replay.

    Args:
        shown: The name of the replay in commands for a reader who is elsewhere; see `with_commands`.
    """
    document = stored(replay)
    if not document:
        return {}
    try:
        reader = Reader(replay)
        document["cause"] = [cause.to_document() for cause in causes_of(reader)]
        return with_commands(document, reader, replay, shown)
    except (OSError, ReplayError, ValueError, LookupError, TypeError):
        return {}


def _key(replay: Path) -> dict[str, Any]:
    reader = Reader(replay)
    footer = reader.footer or {}
    players = [[player.get("name"), player.get("ending")] for player in footer.get("players", ())]
    match = [reader.header.get("game"), reader.header.get("version"), footer.get("course"), players]
    if not footer.get("course"):
        match = [hashlib.sha256(replay.read_bytes()).hexdigest()]  # an old or unfinished replay
    return {"format": FORMAT, "arena": __version__, "match": match}
