"""Change the configuration of a running tournament. Rounds with results do not change, except in discarded stages."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from arena.errors import ArenaError, ExitCode
from arena.journal.store import Written
from arena.match.entrant import Entrant
from arena.contests.config import Tournament, TournamentConfig, changes
from arena.contests.stages.encounters import PairedRound
from arena.tournament.run.history import History

_FIXED = ("game", "seed", "id")


def changed(
    history: History, config: TournamentConfig, entrants: Sequence[Entrant], *, amend: bool, bots: bool
) -> Tournament | None:
    """Return the tournament with the new configuration and bots; None if nothing has changed."""
    known = history.tournament
    _refuse_fixed(history, config)
    now = replace(known, config=config, entrants=merged(known.entrants, entrants))
    refused = [] if amend else changes(known, replace(known, config=config))
    refused += [] if amend or bots else changes(known, replace(known, entrants=now.entrants))
    if refused:
        raise ArenaError(
            f"Since the tournament was started, this has changed: {', '.join(refused)}.",
            hint="Undo the change, or apply it to the rounds that are not yet paired with --amend (of one bot: "
            "--amend-bot NAME). Go on with the stored copies of the bots with --stored.",
            exit_code=ExitCode.CHANGED,
        )
    return now if changes(known, now) else None


def amended(history: History, now: Tournament, excluded: Mapping[str, str] | None, discard: int) -> list[Written]:
    """Return the journal entries for a changed configuration.

    Args:
        history: The content of the journal. It must contain all rounds that can be paired from its results.
        excluded: Maps the content hash or reference of each excluded bot to the reason; None for no change.
    """
    begun = list(dict.fromkeys(paired.stage for paired in history.past.rounds))
    lost = _lost_stages(history, now.config, begun) if history.results else begun
    _refuse_loss(history, lost, discard)
    written: list[Written] = [("discard", "", {"stages": lost})] if lost else []
    written += [("round", one.stage, one.to_document()) for one in _shortened_round(history) if one.stage not in lost]
    left_out = dict(history.excluded if excluded is None else excluded)
    return [*written, ("config", "", {**now.to_document(), "excluded": left_out})]


def merged(known: Sequence[Entrant], entrants: Sequence[Entrant]) -> tuple[Entrant, ...]:
    """Return all past and new entrants in order of entry, with current versions. Entrants that left are `gone`."""
    present = {one.name: one for one in entrants}
    kept = [present.pop(one.name, replace(one, gone=True)) for one in known]
    return (*kept, *present.values())


def _refuse_fixed(history: History, config: TournamentConfig) -> None:
    known = history.tournament.config
    for key in _FIXED:
        if getattr(known, key) != getattr(config, key):
            before, now = getattr(known, key), getattr(config, key)
            what = f"plays {before}, not {now}" if key == "game" else f"cannot change its {key}"
            raise ArenaError(
                f"The tournament in {history.where.parent} {what}.",
                hint=f"Undo the change of {key} in the configuration, or start another tournament with another file.",
                exit_code=ExitCode.CHANGED,
            )


def _lost_stages(history: History, config: TournamentConfig, begun: Sequence[str]) -> list[str]:
    """Return the begun stages that a change discards: the first one that is replaced or moved, and those after it."""
    formats = {stage.name: stage.format for stage in history.tournament.config.stages}
    kept = 0
    for name, stage in zip(begun, config.stages, strict=False):
        if (stage.name, stage.format) != (name, formats.get(name)):
            break
        kept += 1
    return list(begun[kept:])


def _refuse_loss(history: History, stages: Sequence[str], discard: int) -> None:
    lost = Counter(slot[0] for slot in history.results if slot[0] in stages)
    count = lost.total()
    if count and count != discard:
        parts = ", ".join(f"{number} of the stage {stage}" for stage, number in lost.items())
        raise ArenaError(
            f"This change would discard {count} of {len(history.results)} results: {parts}.",
            hint=f"Undo the change of the stages, or accept the loss with --discard {count}.",
            exit_code=ExitCode.WOULD_DISCARD,
        )


def _shortened_round(history: History) -> list[PairedRound]:
    """Remove rounds that have not begun from the last `PairedRound`, so that they are paired again.

    Return [] if it has no such rounds. Formats such as round robin pair all rounds at once, in one `PairedRound`.
    """
    paired = history.past.rounds[-1]
    begun = max((slot[1] for slot in history.results if slot[0] == paired.stage), default=0)
    first = min((encounter.round for encounter in paired.encounters), default=0)
    kept = [index for index, one in enumerate(paired.encounters) if one.round <= max(begun, first - 1)]
    if len({encounter.round for encounter in paired.encounters}) < 2 or len(kept) == len(paired.encounters):
        return []
    return [
        replace(
            paired,
            encounters=tuple(paired.encounters[index] for index in kept),
            absent=tuple(paired.absent[index] for index in kept),
        )
    ]
