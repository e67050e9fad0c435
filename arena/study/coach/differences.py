"""What a player did or had that winners do not: in this match, and in reference matches of built-in bots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from arena.game import GameSpec
from arena.match.ending import counted
from arena.study.coach.facts import MatchFacts, Measure, facts_of, out_of
from arena.study.coach.norms import Norms, compute, norms_of
from arena.study.coach.questions import Pool
from arena.text.reading import rounded
from arena_replays import Reader

MOST = 5
"""The limit for the differences of one player."""
LEAST = 0.4
"""A difference with a smaller score is not reported alone, but one of half this score can explain another one."""
WEIGHTS = {"has": 0.7, "sum": 0.5, "tiles": 0.6, "hit": 0.5, "on": 0.7, "late": 3.0}
"""The weight of a measure's kind; 1 for others. What a bot does counts more than what it has, which follows from it.
After a time-out it does nothing, so this counts most."""
TOO_MUCH = ("refused", "hurt", "lost", "idle", "late")
TOO_LITTLE = ("hit", "tiles")
"""Of these, only more or only less than winners have can be a cause of a loss."""
NEVER = 2
"""The weight of an action that winners use and the player never does."""
COUNTED = ("refused", "late")
"""Of these, a difference has the turn of the first one and the number of all."""
NOW = ("has", "sum")
"""These are of one moment."""
ROUGH = 0.25
"""Without reference matches, the range is this share around the number of this match's winner."""
NARROWEST = 0.125
"""The least width of a range, as a share of its upper end, so that a narrow range makes no difference large."""
SPARKS = 40
"""The limit for the places of a small drawing."""

Range = tuple[float, float]
Found = tuple[list[dict[str, Any]], float]


@dataclass(slots=True)
class PlayerDifference:
    """One number of a player that lies outside the range of winners.

    Attributes:
        turn: The first turn in which it is more than half as far outside as ever.
        score: How far outside it is, in widths of the winners' range; weighted by its kind.
        value: The number in this turn; `range` has those of winners.
        rows: The number, and the range of winners, in each turn.
        since: Differences that lead to this one, as far as actions show.
        turned: How many objects lost the value of a field during own actions of each type, if they are too few.
    """

    measure: Measure
    turn: int
    score: float
    value: float
    range: Range
    rows: list[tuple[int, float, Range]]
    since: list[PlayerDifference] = field(default_factory=list)
    turned: dict[str, int] = field(default_factory=dict)

    @property
    def less(self) -> bool:
        return self.value < self.range[0]

    @property
    def topic(self) -> tuple[str, str]:
        """Of several differences with the same topic, one is reported."""
        kind, of, what, _ = self.measure
        topics = {"did": "action", "rate": "action", "refused": "action", "has": "objects", "sum": "objects"}
        topics |= {"lost": "hurt"}
        return topics.get(kind, kind), of + what * (kind == "on")


def differences(
    facts: MatchFacts, norms: Norms | None, player: int, winners: Sequence[int], last: int
) -> list[PlayerDifference]:
    """Return what was different about a player, the largest difference first.

    Args:
        winners: The winners of this match. They count if the numbers of different seats can be compared.
        last: The turn in which the player's part ended.
    """
    measures = {one for rows in facts.players for row in rows for one in row}
    measures |= set(norms.of(player) if norms is not None else ())
    measures = {one for one in measures if one.kind != "turned"}
    found: dict[Measure, PlayerDifference] = {}
    most: dict[str, float] = {}
    for measure in sorted(measures):
        rows = _rows(facts, norms, player, winners, last, measure)
        if measure.kind == "has" and not measure.what:
            most[measure.of] = max(one.get(measure, 0) for each in facts.players for one in each)
        if (one := _difference(measure, rows)) is not None:
            found[measure] = one
    said = [one for one in found.values() if _is_said(one.measure, facts, measures, most)]
    joined = _joined(facts, sorted(said, key=lambda one: -one.score))
    for one in joined:
        if one.measure.kind == "has" and one.less:
            turned = one.measure._replace(kind="turned")
            now = facts.players[player][facts.turns.index(one.turn)]
            one.turned = {each.by: int(now[each]) for each in now if each._replace(by="") == turned}
    return joined


def _is_said(measure: Measure, facts: MatchFacts, measures: set[Measure], most: Mapping[str, float]) -> bool:
    """Return whether a measure says something: of one unit its actions, of several units the shares of their turns.

    Own objects are hurt only in a field that actions take from other players' objects too; other fields are timers.
    """
    kind, of, what, _ = measure
    alone = most.get(facts.receivers.get(of, "") if kind in ("did", "rate") else of, 0) <= 1
    hits = Measure("hit", of, what) in measures
    return {"did": alone, "rate": not alone, "idle": not alone, "hurt": hits}.get(kind, True)


def _is_score(measure: Measure, facts: MatchFacts, scores: Sequence[Any]) -> bool:
    """Return whether a number is the score. A lower score is the loss itself, unless units consist of it."""
    last = [facts.values(player, measure)[-1] for player in range(len(scores))]
    return measure.kind == "sum" and last == list(scores) and measure.of not in facts.receivers.values()


def _rows(
    facts: MatchFacts, norms: Norms | None, player: int, winners: Sequence[int], last: int, measure: Measure
) -> list[tuple[int, float, Range]]:
    """Return the player's number, and the range of winners, for each turn in which both are known."""
    others = [facts.values(winner, measure) for winner in winners if winner != player and facts.alike]
    rows: list[tuple[int, float, Range]] = []
    for at, (turn, value) in enumerate(zip(facts.turns, facts.values(player, measure), strict=True)):
        usual = norms.at(player, measure, turn) if norms is not None else None
        here = [one for other in others if (one := other[at]) is not None]
        if usual is None and norms is None:
            rough = max([ROUGH * abs(one) for one in here] + [measure.floor])
            here += [max(0.0, one + step) for one in here for step in (-rough, rough)]
        known = [*here, *(usual or ())]
        if turn == last and measure.kind in NOW:
            continue  # the end can come in the middle of a turn
        if value is not None and turn <= last and (usual or norms is None) and known:
            rows.append((turn, value, (min(known), max(known))))
    return rows


def _difference(measure: Measure, rows: list[tuple[int, float, Range]]) -> PlayerDifference | None:
    less, more = measure.kind not in TOO_MUCH, measure.kind not in TOO_LITTLE
    outside = [
        max(less * (low - value), more * (value - high), 0.0) / max(high - low, measure.floor, NARROWEST * abs(high))
        for _, value, (low, high) in rows
    ]
    if not outside or not any(outside):
        return None
    score = fmean(sorted(outside)[-max(1, len(outside) // 2) :]) * WEIGHTS.get(measure.kind, 1.0)
    if measure.kind in ("did", "rate") and not any(value for _, value, _ in rows):
        score *= NEVER
    at = next(at for at, one in enumerate(outside) if one > max(outside) / 2)
    if measure.kind in COUNTED:  # the first of them leads to the cause
        at = next(at for at, (_, value, _) in enumerate(rows) if value)
        return PlayerDifference(measure, rows[at][0], score, *rows[-1][1:], rows) if score >= LEAST / 2 else None
    turn, value, usual = rows[at]
    return PlayerDifference(measure, turn, score, value, usual, rows) if score >= LEAST / 2 else None


def _joined(facts: MatchFacts, found: Sequence[PlayerDifference]) -> list[PlayerDifference]:
    """Report one difference of each topic, and add those that lead to another one to it."""
    first: dict[tuple[str, str], PlayerDifference] = {}
    for one in found:
        known = first.setdefault(one.topic, one)
        if known is not one and one.topic[0] in ("action", "hurt"):
            known.since.append(one)
        elif one.topic[0] == "objects" and not one.measure.what and one.score > known.score / 2:
            one.score = known.score
            first[one.topic] = one  # the number of objects stands for their kinds and fields
    for (about, of), one in list(first.items()):
        objects = first.get(("objects", facts.creates.get(of, "") if about == "action" else of))
        places = [other for other in first.values() if other.measure.kind == "on" and not other.less]
        gun = facts.receivers.get(of, "")
        if about == "action" and (one.less or one.since):  # units stand in the way of what acts
            _merge(first, one, *[other for other in places if facts.places[other.measure.what] == gun])
        if about == "hurt":  # units stand where they are hurt
            _merge(first, one, *[other for other in places if other.measure.of == of])
        fewer = about == "action" and any(other.less for other in (one, *one.since))
        if objects is not None and objects.less and (fewer or about == "hurt"):
            _merge(first, objects, one)
    return sorted((one for one in first.values() if one.score >= LEAST), key=lambda one: -one.score)[:MOST]


def _merge(first: dict[tuple[str, str], PlayerDifference], effect: PlayerDifference, *causes: PlayerDifference) -> None:
    """Add differences to the one that they lead to."""
    for cause in causes:
        if not cause.less or cause.topic[0] == "action":
            del first[cause.topic]
            effect.since = sorted([*effect.since, cause, *cause.since], key=lambda one: -one.score)
            effect.score = max(effect.score, cause.score)


# -- words ------------------------------------------------------------------------------------------------


def in_words(one: PlayerDifference, name: str, facts: MatchFacts) -> str:
    """Describe a difference in one sentence."""
    since = [f"{count} had lost this during own `{type_}`" for type_, count in one.turned.items()]
    since += [_clause(cause, facts, name) for cause in one.since]
    text = f"{_when(one)} {_clause(one, facts, name)}{', since ' * bool(since)}{'; '.join(since)}."
    return text[0].upper() + text[1:]


def _when(one: PlayerDifference) -> str:
    if one.measure.kind in COUNTED:
        return f"from turn {one.turn} on"
    return f"{'in' if one.measure.kind in NOW else 'by'} turn {one.turn}"


def _clause(one: PlayerDifference, facts: MatchFacts, who: str) -> str:
    kind, of, what, by = one.measure
    low, high = (_number(one.measure, value) for value in one.range)
    usual, mine = low if low == high else f"{low} to {high}", _number(one.measure, one.value)
    message = facts.messages.get((of, what), "").rstrip(".")
    match kind:
        case "did":
            return f"winners had used `{of}` {usual} times, {who} {mine} times"
        case "rate":
            return f"winners had used `{of}` in {usual} of the turns of each {facts.receivers[of]}, {who} in {mine}"
        case "refused":
            times = counted(int(one.value), "time")
            return f"`{of}` of {who} was refused {times} (`{what}`: {message}), of winners {usual}"
        case "hurt":
            return f"`{by}` of {who} had taken {mine} {what} from own {_plural(of)}, of winners {usual}"
        case "hit":
            return f"actions of winners had taken {usual} {what} from {_plural(of)} of others, of {who} {mine}"
        case "lost":
            return f"`{by}` of {who} had removed {mine} own {_plural(of)}, of winners {usual}"
        case "on":
            return f"{_plural(of)} of {who} had ended {mine} of their turns on {what}, of winners {usual}"
        case "late":
            return f"{who} had {counted(int(one.value), 'time-out')}, winners {usual}"
        case "idle":
            return f"each {of} of winners had done nothing in {usual} of its turns, of {who} in {mine}"
        case "tiles":
            return f"units of winners had been on {usual} tiles ({of}), of {who} on {mine}"
        case "sum":
            return f"the {what} of all {_plural(of)} of winners was {usual}, of {who} {mine}"
    objects = _plural(of) + (f" with {what.replace('=', ' ')}" if what else "")
    return f"winners have {usual} {objects}, {who} had {mine}"


def _plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2:-1] not in "aeo":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "h")) else f"{noun}s"


def _number(measure: Measure, value: float) -> str:
    return f"{100 * value:.0f} %" if measure.is_share else f"{value:.0f}" if value == int(value) else f"{value:.1f}"


def documents_of(reader: Reader, norms: Norms | None) -> list[dict[str, Any]]:
    """Return the differences of all players who did not win, as plain JSON values; the largest of a player first."""
    footer = reader.footer or {}
    ends = footer.get("players", ())
    names = [str(one.get("name", "")) for one in reader.header.get("players", ())]
    winners = [player for player, end in enumerate(ends) if end.get("ending") == "won"]
    facts = facts_of(reader)
    return [
        _document(one, player, names[player], facts)
        for player, end in enumerate(ends)
        if player not in winners and end.get("ending") not in ("void", "finished")
        for one in differences(facts, norms, player, winners, turn_out(reader, player))
        if not _is_score(one.measure, facts, [end.get("score") for end in ends])
    ]


def found_in(reader: Reader, game: GameSpec, names: Sequence[str], pool: Pool, *, play: bool) -> Iterator[Found]:
    """Yield the differences of a match, and the share of the reference matches that is done; 0 if none are needed.

    If there are no norms yet, they are computed: the first differences are then those from this match's winner.

    Args:
        names: References of the built-in bots that can play, the weakest first.
        play: Whether to play reference matches if there are no norms yet.
    """
    norms = norms_of(reader.header, game)
    if norms is not None or not play or "start" in reader.header or reader.outcome is None:
        yield documents_of(reader, norms), 0.0
        return
    found = documents_of(reader, None)
    for share, norms in compute(reader.header, game, names, pool):
        yield found if norms is None else documents_of(reader, norms), share


def turn_out(reader: Reader, player: int) -> int:
    """Return the number of the turn in which a player was out by the rules, or else of the last turn."""
    out = out_of(reader, player)
    return out[1] if out else reader.number_of(max(0, len(reader.turns) - 1))


def _document(one: PlayerDifference, player: int, name: str, facts: MatchFacts) -> dict[str, Any]:
    step = max(1, -(-len(one.rows) // SPARKS))
    return {
        "player": player,
        "turn": one.turn,
        "words": in_words(one, name, facts),
        "short": f"{_when(one)} {_clause(one, facts, name)}",
        "measure": [*one.measure],
        "since": [[*cause.measure] for cause in one.since],
        "value": rounded(one.value, 4),
        "low": rounded(one.range[0], 4),
        "high": rounded(one.range[1], 4),
        "score": rounded(one.score, 2),
        "rows": [
            {"turn": turn, "value": rounded(value, 4), "low": rounded(low, 4), "high": rounded(high, 4)}
            for turn, value, (low, high) in one.rows[::step]
        ],
    }
