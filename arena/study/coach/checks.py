"""Play the lessons of an explanation again with new dice, and say what other choices of a rerun are worth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from arena.bots.builtin import BUILTIN
from arena.game import Document
from arena.study.coach.explaining import fast_bots
from arena.study.coach.lessons import BOTS_CHOICE, MistakesOfKind, bots_choices, detect
from arena.study.coach.playing_bots import required_bots
from arena.study.coach.prices import CHECK, Pricing
from arena.study.coach.probability import Estimate, difference
from arena.study.coach.process_pool import ProcessPool
from arena.study.coach.questions import Pair, Pool, Question, Questions
from arena.study.coach.recorded_match import RecordedMatch
from arena.study.coach.turns import parts_of

if TYPE_CHECKING:
    from arena.study.replaying.rerun import Rerun

MOST: Final = 400
"""The limit for the number of playouts; more of them would hardly make the interval smaller."""
LEAST: Final = 100
"""The strongest bot that can play this many playouts within the budget is chosen."""
PAIRS_AT_ONCE: Final = 5


def check_lessons(match: RecordedMatch, pool: Pool, document: dict[str, Any], seconds: float) -> list[dict[str, Any]]:
    """Price the lessons of an explanation again, with dice that no explanation uses.

    Returns:
        For each lesson `player`, `kind`, `from_turn`, `to_turn`, the new `price` and `pairs`, and whether it is
        `confirmed`: certainly above zero.
    """
    bot, lessons = f"{BUILTIN}{document['playouts']['bot']}", document["lessons"]
    found = []
    for lesson in lessons:
        deadline = monotonic() + seconds / len(lessons)
        pricing = Pricing(match, pool, _kinds(match, pool, lesson, bot, seconds), bot, CHECK)
        for _ in pricing.confirm(range(len(pricing.kinds)), deadline):
            pass
        price = pricing.price(0).on_average
        about = {name: lesson[name] for name in ("player", "kind", "from_turn", "to_turn")}
        found.append({**about, "price": price.to_document(), "pairs": price.playouts, "confirmed": price.low > 0})
    return found


def _kinds(match: RecordedMatch, pool: Pool, lesson: Document, bot: str, seconds: float) -> list[MistakesOfKind]:
    if lesson["kind"] != BOTS_CHOICE:
        [kind] = [kind for kind in detect(match, lesson["player"]) if kind.name == lesson["kind"]]
        mistakes = [one for one in kind.mistakes if one[0].turns[0] in lesson["turns"]]
        return [kind._replace(mistakes=mistakes, found=len(mistakes))]
    parts = [part for part in parts_of(match, lesson["player"]) if part.turn == lesson["from_turn"]]
    return bots_choices(match, parts, pool, bot, seconds)


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
    found: list[list[Pair]] = [[] for _ in choices]
    with ProcessPool(replay) as pool:
        bot = [*fast_bots(pool, required_bots(match.game), seconds / LEAST)][-1]
        asked = list(_questions(match, player, choices, bot))
        for at, pairs in pool.ask([question for _, question in asked], max(end, monotonic() + 1)):
            found[asked[at][0]] += pairs
    return [difference([better[player] - played[player] for played, better in pairs]) for pairs in found]


def with_gains(rerun: Rerun, seconds: float) -> Rerun:
    """Estimate how much each difference of a rerun changes the win probability.

    Noise has no gain, nor has a turn in which the bot failed.
    """
    choices: dict[int, tuple[int, list[Document]]] = {}
    for index, one in enumerate(rerun.differences):
        if one.frame is not None and not one.now_end and not one.noise:
            actions = [action for action in one.now if "refused" not in action]
            choices[index] = (one.frame, actions)
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
                yield number, (Questions.priced, part.index, actions, world, bot, seeds)
