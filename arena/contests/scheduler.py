"""What comes next in a contest: pure functions of what the journal says, of running matches, and of shares of time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import asdict
from itertools import islice

from arena.contests import entries
from arena.contests.config import StageConfig
from arena.contests.entries import Written
from arena.contests.journal.store import now
from arena.contests.ladder.board import Board, next_players, window
from arena.contests.ladder.encounters import pair, specs_of
from arena.contests.ladder.slot_shares import Shares, in_order, payers
from arena.contests.stages import formats
from arena.contests.stages.encounters import Encounter
from arena.contests.stages.stage import StageRun
from arena.contests.state import Contest
from arena.contests.values import LADDER, Pairing
from arena.match.spec import MatchSpec


def decide(state: Contest, running: Collection[MatchSpec], board: Board, shares: Shares) -> MatchSpec | Written | None:
    """Return what comes next if a slot is free: a match to start, or an entry to write; None if there is nothing.

    The entry lets a stage begin, or pairs a round or an encounter of the ladder.

    Checks and challenges come first, then the stages, then the ladder: it fills the slots that are left.

    Args:
        running: The matches that are being played.
        board: The ratings of the ladder after all results.
        shares: The time that entrants have left. If nobody else can play, those who have used their share do.
    """
    config, busy = state.settings, {spec.match_id for spec in running}
    contenders = state.contenders()
    paying = [team for spec in running if (one := state.encounters.get(spec.round)) and one.kind == spec.stage
              for team in payers(one, contenders)]  # fmt: skip
    over = shares.over(contenders, paying)
    waiting = (state.encounters[number] for number in state.open)
    open_ = [one for one in waiting if not (state.orders.paused and one.kind == LADDER)]
    ready, postponed = in_order(open_, over, contenders)
    step = (
        _first(state, [one for one in ready if one.kind != LADDER], busy)
        or _of_stages(state, busy, board)
        or _first(state, [*ready, *_just_paired(state, postponed, busy)], busy)
    )
    if step is None and config.ladder and not (state.orders.paused or state.orders.frozen):
        behind = shares.behind(contenders) if over else frozenset[str]()
        step = _paired(state, board, over) or _paired(state, board, behind)
        step = step or _first(state, postponed, busy) or _paired(state, board, ())
    return step or _first(state, postponed, busy)


def _just_paired(state: Contest, postponed: Sequence[Pairing], busy: Collection[str]) -> list[Pairing]:
    """Return the newest encounter if no match of it has begun: it was paired because its players play next."""
    newest = next(state.encounters.newest(), None)
    if newest is None or newest not in postponed:
        return []
    begun = [spec for spec in specs_of(state, newest) if spec.match_id in state.played or spec.match_id in busy]
    return [] if begun else [newest]


def _first(state: Contest, encounters: Sequence[Pairing], busy: Collection[str]) -> MatchSpec | None:
    specs = (spec for one in encounters for spec in specs_of(state, one))
    return next((one for one in specs if one.match_id not in state.played and one.match_id not in busy), None)


def _paired(state: Contest, board: Board, left_out: Collection[str]) -> Written | None:
    """Return a new encounter of the ladder without some entrants; None if nobody can play."""
    config = state.settings
    last = islice(state.encounters.newest(), window(len(state.entrants)))
    shares = [player for encounter in last if encounter.kind == LADDER for player in encounter.players]
    rest = config.ladder.rated_matches if config.ladder else 0
    players = next_players(board, shares, config.table, rest, left_out)
    return pair(state, LADDER, players, config.table) if players else None


def _of_stages(state: Contest, busy: Collection[str], board: Board) -> MatchSpec | Written | None:
    """Return the next match, round or beginning of a stage."""
    for run in state.stages.values():
        for spec in run.waiting():
            if spec.match_id not in busy:
                return spec
        if encounters := run.next_round(state.absent(run)):
            return round_entry(state, run, encounters)
    config = state.next_stage()
    if config is None or not _begins_by_itself(state, board):
        return None
    names = entrants_of(state, config, board)
    return begin_entry(state, config, names) if are_enough(state, names) else None


def _begins_by_itself(state: Contest, board: Board) -> bool:
    """Return whether nobody has to begin the next stage: a stage is over, or there are neither people nor a ladder."""
    if state.stages:
        return True
    if state.settings.people is not None:
        return False
    is_played = state.settings.ladder is None or not (state.open or _paired(state, board, ()))
    return is_played or state.settings.stages[0].format != LADDER


def waits_for(state: Contest, board: Board) -> str:
    """Return why nothing can be played in a contest that is not over; empty if something can be played."""
    if is_over(state) or decide(state, (), board, Shares()) is not None:
        return ""
    config = state.next_stage()
    if config is None:
        return "The ladder rests until there are new versions." if state.settings.ladder else ""
    if not _begins_by_itself(state, board):
        return f"An organizer begins the stage {config.name}: on the desk, or with `arena contest stage`."
    who = f"of the group {config.only} " if config.only else ""
    return f"The stage {config.name} waits: {len(entrants_of(state, config, board))} {who}can play in it."


def entrants_of(state: Contest, config: StageConfig, board: Board) -> tuple[str, ...]:
    """Return the entrants of a stage that begins now, in the order of their seeds.

    They come in the order of the stage before, without one in that of the ladder, and without a ladder in the order in
    which they entered.
    """
    able = [name for name in state.playing() if not config.only or config.only in state.entrants[name].groups]
    before = next(reversed(state.stages.values()), None)
    if before is not None:
        able = [row.name for row in before.rank() if row.name in able and row.name not in before.suspended]
    elif state.settings.ladder:
        able = [row.team for row in board.table() if row.team in able]
    order = able[: config.advance] if config.advance else able
    return tuple(formats.seeded(config, order, before.config, before.names) if before else order)


def begin_entry(state: Contest, config: StageConfig, names: Sequence[str]) -> Written:
    ids = [state.id_of(name) for name in names]
    stored = config.renamed({name: one.id for name, one in state.entrants.items()})
    return config.name, entries.Begun(config=asdict(stored), entrants=ids, at=now())


def round_entry(state: Contest, run: StageRun, encounters: Sequence[Encounter]) -> Written:
    """Return the entry of a round. Each entrant plays it with the version that is active now."""
    paired, absent = [], []
    for one in encounters:
        seats = [(state.id_of(name), state.latest(name).number) for name in one.players]
        paired.append(
            (one.round, one.index, seats, one.games, one.knockout, one.section, one.column, one.row, one.advance)
        )
        absent.append([state.id_of(name) for name in one.players if name in state.absent(run)])
    return run.config.name, entries.Paired(
        number=len(run.rounds) + 1, encounters=paired, at=now(), absent=absent if any(absent) else []
    )


def are_enough(state: Contest, names: Sequence[str]) -> bool:
    """Return whether so many entrants can play a stage."""
    return len(names) >= max(2, state.settings.rules.players[0])


def is_over(state: Contest) -> bool:
    """Return whether all stages have begun and are over, and the ladder rests. With people it has no end."""
    stages = [one for one in state.settings.stages if one.format != LADDER and one.name not in state.orders.stages]
    begun = all(one.name in state.stages for one in stages)
    runs = all(map(state.is_over, state.stages.values()))
    return begun and runs and not state.open and (state.settings.ladder is None or _rests(state))


def _rests(state: Contest) -> bool:
    """Return whether the ladder of a contest without people pairs nobody any more."""
    rest, playing = state.settings.ladder.rated_matches if state.settings.ladder else 0, state.playing()
    if state.settings.people is not None:
        return False
    if len(playing) + len(state.anchor_players()) < state.settings.table:
        return True
    rated = Counter(player for one in state.played.values() if state.counts(one) for player in one.players)
    return rest > 0 and all(rated[state.latest(name).player] >= rest for name in playing)
