"""What comes next in a contest: `decide`, a function of what the journal says and of what is being played.

Of the time it uses only the stamp `at` of a new entry.

The loop asks it whenever a slot is free, and does what it says: start a match, or write an entry that makes new matches
possible (the beginning of a stage, a round, or an encounter of the ladder). It says nothing about slots, processes or
void matches, which are the loop's and the queue's. A rebuild asks the same functions which entries the replays prove.

The order is the policy of a contest: what somebody waits for comes first (checks, then challenges and repeated
matches), then the stages, whose rounds wait for each other, then the ladder, which can always wait. Among the matches
of the ladder, teams that have used their share of the time come last, but before an idle slot.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import asdict
from itertools import islice

from arena.contests import entries
from arena.contests.config import StageConfig
from arena.contests.entries import Written
from arena.contests.journal.store import now
from arena.contests.ladder.board import Board
from arena.contests.ladder.encounters import pair, specs_of
from arena.contests.ladder.matchmaking import next_players, window
from arena.contests.ladder.slot_shares import Shares, in_order, payers
from arena.contests.stages import formats
from arena.contests.stages.encounters import Encounter
from arena.contests.stages.stage import StageRun
from arena.contests.state import Contest
from arena.contests.values import LADDER, LadderEncounter
from arena.match.spec import MatchSpec


def decide(
    state: Contest, running: Collection[MatchSpec], board: Board, shares: Shares, resting: Collection[str] = ()
) -> MatchSpec | Written | None:
    """Return what comes next if a slot is free: a match to start, or an entry to write; None if there is nothing.

    The entry lets a stage begin, or pairs a round or an encounter of the ladder.

    Args:
        running: The matches that are being played.
        board: The ratings of the ladder after all results.
        shares: The time that entrants have left. If nobody else can play, those who have used their share do.
        resting: The entrants whom the ladder does not pair, because their last match could not be played.
    """
    orders, busy = state.orders, {spec.match_id for spec in running}
    contenders = state.contenders()
    over = shares.over(contenders, _paying(state, running, contenders))
    waiting = [state.encounters[number] for number in state.matches_left]
    if orders.paused:
        waiting = [encounter for encounter in waiting if encounter.kind != LADDER]
    ready, postponed = in_order(waiting, over, contenders)
    step = (
        _first(state, [encounter for encounter in ready if encounter.kind != LADDER], busy)
        or _of_stages(state, busy, board)
        or _first(state, [*ready, *_just_paired(state, postponed, busy)], busy)
    )
    if step is None and state.settings.ladder and not (orders.paused or orders.frozen):
        # Among those who have not used their share, else without those who have used the most of it, else among all.
        behind = shares.behind(contenders) if over else frozenset[str]()
        step = _paired(state, board, {*over, *resting}) or _paired(state, board, {*behind, *resting})
        step = step or _first(state, postponed, busy) or _paired(state, board, resting)
    return step or _first(state, postponed, busy)


def _paying(state: Contest, running: Collection[MatchSpec], contenders: Collection[str]) -> list[str]:
    """Return the teams that pay for the running matches of the ladder, once for each match."""
    paying: list[str] = []
    for spec in running:
        encounter = state.encounters.get(spec.round)
        if encounter is not None and encounter.kind == spec.stage:  # a round of a stage can have the same number
            paying += payers(encounter, contenders)
    return paying


def _just_paired(state: Contest, postponed: Sequence[LadderEncounter], busy: Collection[str]) -> list[LadderEncounter]:
    """Return the newest encounter if no match of it has begun: it was paired because its players play next."""
    newest = next(state.encounters.newest(), None)
    if newest is None or newest not in postponed:
        return []
    begun = any(spec.match_id in state.played or spec.match_id in busy for spec in specs_of(state, newest))
    return [] if begun else [newest]


def _first(state: Contest, encounters: Sequence[LadderEncounter], busy: Collection[str]) -> MatchSpec | None:
    """Return the first match that is not running and has no result."""
    specs = (spec for encounter in encounters for spec in specs_of(state, encounter))
    return next((spec for spec in specs if spec.match_id not in state.played and spec.match_id not in busy), None)


def _paired(state: Contest, board: Board, left_out: Collection[str]) -> Written | None:
    """Return a new encounter of the ladder without some entrants; None if nobody can play."""
    config = state.settings
    last = islice(state.encounters.newest(), window(len(state.entrants)))
    recent = [player for encounter in last if encounter.kind == LADDER for player in encounter.players]
    rest = config.ladder.rated_matches if config.ladder else 0
    players = next_players(board, recent, config.table, rest, left_out)
    return pair(state, LADDER, players, config.table) if players else None


def _of_stages(state: Contest, busy: Collection[str], board: Board) -> MatchSpec | Written | None:
    """Return the next match, round or beginning of a stage."""
    for run in state.stages.values():
        for spec in run.waiting():
            if spec.match_id not in busy:
                return spec
        encounters = run.next_round(state.absent(run))
        if encounters:
            return round_entry(state, run, encounters)
    config = state.next_stage()
    if config is None or not _begins_by_itself(state, board):
        return None
    names = entrants_of(state, config, board)
    return begin_entry(state, config, names) if are_enough(state, names) else None


def _begins_by_itself(state: Contest, board: Board) -> bool:
    """Return whether nobody has to begin the next stage: a stage is over, or there are neither people nor a ladder."""
    if state.last_stage() is not None:
        return True
    if state.settings.people is not None:
        return False
    is_played = state.settings.ladder is None or not (state.matches_left or _paired(state, board, ()))
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
    order = [name for name in state.playing() if not config.only or config.only in state.groups_of(name)]
    before = None if config.exhibition else state.last_stage()
    if before is not None:
        order = [row.name for row in before.rank() if row.name in order and row.name not in before.suspended]
    elif state.settings.ladder:
        order = [row.team for row in board.table() if row.team in order]
    order = order[: config.advance] if config.advance else order
    return tuple(formats.seeded(config, order, before.config, before.names) if before else order)


def begin_entry(state: Contest, config: StageConfig, names: Sequence[str]) -> Written:
    ids = [state.id_of(name) for name in names]
    stored = config.renamed({name: entrant.id for name, entrant in state.entrants.items()})
    return config.name, entries.Begun(config=asdict(stored), entrants=ids, at=now())


def round_entry(state: Contest, run: StageRun, encounters: Sequence[Encounter]) -> Written:
    """Return the entry of a round. Each entrant plays it with the version that is active now."""
    rows, absent_ids, absent = [], [], state.absent(run)
    for encounter in encounters:
        seats = [(state.id_of(name), state.latest(name).number) for name in encounter.players]
        place = encounter.section, encounter.column, encounter.row, encounter.advance
        rows.append((encounter.round, encounter.index, seats, encounter.games, encounter.knockout, *place))
        absent_ids.append([state.id_of(name) for name in encounter.players if name in absent])
    return run.config.name, entries.Paired(
        number=len(run.rounds) + 1, encounters=rows, at=now(), absent=absent_ids if any(absent_ids) else []
    )


def are_enough(state: Contest, names: Sequence[str]) -> bool:
    """Return whether so many entrants can play a match, and so a stage."""
    return len(names) >= max(2, state.settings.rules.players[0])


def is_over(state: Contest) -> bool:
    """Return whether all stages have begun and are over, and the ladder rests. With people it has no end."""
    for stage in state.settings.stages:
        if stage.format != LADDER and stage.name not in state.orders.stages and stage.name not in state.stages:
            return False
    if state.matches_left or not all(map(state.is_over, state.stages.values())):
        return False
    return state.settings.ladder is None or _rests(state)


def _rests(state: Contest) -> bool:
    """Return whether the ladder of a contest without people pairs nobody any more."""
    if state.settings.people is not None:
        return False
    rest = state.settings.ladder.rated_matches if state.settings.ladder else 0
    playing = state.playing()
    if len(playing) + len(state.anchor_players()) < state.settings.table:
        return True
    counting = (played for played in state.played.values() if state.counts(played))
    rated = Counter(player for played in counting for player in played.players)
    return rest > 0 and all(rated[state.latest(name).player] >= rest for name in playing)
