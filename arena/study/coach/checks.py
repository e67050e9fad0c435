"""Play claims of an explanation, or of a rerun, again, and say what they are worth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from arena.game import Document
from arena.study.coach.explaining import CHECK, Explainer, Explanation, fast_bots
from arena.study.coach.playing_bots import required_bots
from arena.study.coach.playouts import Result
from arena.study.coach.probability import Estimate, win_difference, win_of
from arena.study.coach.process_pool import ProcessPool
from arena.study.coach.questions import Pool, Question, Questions, Team
from arena.study.coach.recorded_match import Part, RecordedMatch

if TYPE_CHECKING:
    from arena.study.replaying.rerun import Rerun

MOST: Final = 400
"""The limit for the number of playouts; more of them would hardly make the interval smaller."""
LEAST: Final = 100
"""The strongest bot that can play this many playouts within the budget is chosen."""
PAIRS_AT_ONCE: Final = 5


@dataclass(frozen=True, slots=True)
class ReplayedTurn:
    """Both lines of a turn, played again with new dice.

    Attributes:
        done: The win probability as it was played.
        instead: The win probability as bots choose.
    """

    player: int
    turn: int
    done: Estimate
    instead: Estimate
    gain: Estimate

    @property
    def confirmed(self) -> bool:
        return self.gain.low > 0

    def to_document(self) -> dict[str, Any]:
        return {
            "player": self.player,
            "turn": self.turn,
            "done": self.done.to_document(),
            "instead": self.instead.to_document(),
            "gain": self.gain.to_document(),
            "pairs": self.gain.playouts,
            "confirmed": self.confirmed,
        }


def check_claims(replay: Path, document: dict[str, Any], seconds: float) -> list[ReplayedTurn]:
    """Play the turning points of an explanation again, with dice that no explanation uses."""
    points = document["turning_points"]
    if not points:
        return []
    match = RecordedMatch.of_file(replay)
    parts = [match.part_at(point["turn"], point["action"]) for point in points]
    teams = [tuple(team) for team in document["playouts"]["teams"]]
    with ProcessPool(replay) as pool:
        return [check(match, pool, part, teams, seconds / len(parts)) for part in parts]


def check(match: RecordedMatch, pool: Pool, part: Part, teams: Sequence[Team], seconds: float) -> ReplayedTurn:
    """Play what bots choose in a part of a match, and what was done."""
    explanation = Explanation(match)
    explanation.teams = list(teams)
    Explainer(explanation, pool, seconds, fresh=CHECK).check(part)
    lines = explanation.lines(part)
    done, instead = (
        win_of(explanation.results(key), part.player, match.game.playout_power) for key in (lines.done, lines.instead)
    )
    return ReplayedTurn(part.player, part.turn, done, instead, explanation.gain(part).all)


def gains(replay: Path, player: int, choices: Sequence[tuple[int, list[Document]]], seconds: float) -> list[Estimate]:
    """Return how much each choice raises the player's win probability, compared with the recorded choice.

    Args:
        choices: For each choice, the number of accepted actions before it in the replay, and the actions to play
            instead.
        seconds: The time limit. The playouts get at least 1 second.

    Returns:
        One estimate for each choice. It has no playouts if no `Part` of the player begins at the choice.
    """
    match, end = RecordedMatch.of_file(replay), monotonic() + seconds
    found: list[list[tuple[Result, Result]]] = [[] for _ in choices]
    with ProcessPool(replay) as pool:
        bot = [*fast_bots(pool, required_bots(match.game), seconds / LEAST)][-1]
        asked = list(_questions(match, player, choices, bot))
        for at, pairs in pool.ask([question for _, question in asked], max(end, monotonic() + 1)):
            found[asked[at][0]] += pairs
    return [win_difference(pairs, player, match.game.playout_power) for pairs in found]


def with_gains(rerun: Rerun, seconds: float) -> Rerun:
    """Estimate how much each difference of a rerun changes the win probability.

    Noise has no gain, nor has a turn in which the bot failed.
    """
    choices: dict[int, tuple[int, list[Document]]] = {}
    for index, difference in enumerate(rerun.differences):
        if difference.frame is not None and not difference.now_end and not difference.noise:
            actions = [action for action in difference.now if "refused" not in action]
            choices[index] = (difference.frame, actions)
    if not choices:
        return rerun
    differences = list(rerun.differences)
    estimates = gains(Path(rerun.replay), rerun.player, list(choices.values()), seconds)
    for index, estimate in zip(choices, estimates, strict=True):
        differences[index] = replace(differences[index], gain=estimate.to_document())
    return replace(rerun, differences=tuple(differences))


def _questions(
    match: RecordedMatch, player: int, choices: Sequence[tuple[int, list[Document]]], bot: str
) -> Iterator[tuple[int, Question]]:
    """Yield the number of a choice and a question about it, so that the choices get their playouts in turn."""
    begins = accumulate((len(part.actions) for part in match.parts), initial=0)
    places = {begin: part for begin, part in zip(begins, match.parts, strict=False) if part.player == player}
    world = player if match.end.hides_information() else None
    for first in range(0, MOST, PAIRS_AT_ONCE):
        seeds = range(first, first + PAIRS_AT_ONCE)
        for number, (begin, actions) in enumerate(choices):
            if (part := places.get(begin)) is not None:
                yield number, (_pairs, part.index, part.actions, actions, world, bot, seeds)


def _pairs(
    questions: Questions,
    index: int,
    done: list[Document],
    instead: list[Document],
    world: int | None,
    bot: str,
    seeds: range,
) -> list[tuple[Result, Result]]:
    lines = (questions.line(index, actions, world, [(bot,)], seeds) for actions in (done, instead))
    return list(zip(*lines, strict=True))
