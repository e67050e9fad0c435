"""The playlist: all steps of an evening, from what organizers see, and from what they changed.

The same results and changes give the same steps, and each keeps its id while the contest is still played.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Final

from arena.web.contests.extending import ContestReading, EncounterRow, StageRow
from arena_show.fold import Edit

MINUTES: Final = {
    "break": 10.0,
    "intro": 0.7,
    "match": 2.5,
    "result": 0.3,
    "bracket": 0.5,
    "table": 0.7,
    "award": 0.5,
    "end": 1.0,
}
"""How long steps take by their kind, as a presenter speaks. Each can be changed."""
_FINAL: Final = 5.0
"""The minutes of a match of a final."""
_PARTS: Final = ("intro", "match", "result")
"""The steps of an encounter before that which shows the effect."""
_SHOWN: Final = 2
"""Outside of brackets, the matches of a round are shown if it has no more encounters than this: those of a final table.
Otherwise a step shows the table after the round."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the evening.

    Attributes:
        id: Its name, which stays the same.
        kind: A key of `MINUTES`.
        stage: The stage that it is about; empty for none.
        match: The match that it is about; empty for none.
        players: The players of its encounter.
        focus: The key of its encounter; empty for none.
        place: The place of an award.
        releases: The ids of the matches whose results everybody sees from this step on.
        text: What an organizer has written: the text of a break.
        note: What an organizer has noted for the announcer.
    """

    id: str
    kind: str
    title: str
    minutes: float
    stage: str = ""
    match: str = ""
    players: tuple[str, ...] = ()
    focus: str = ""
    place: int = 0
    releases: tuple[str, ...] = ()
    text: str = ""
    note: str = ""

    @property
    def encounter(self) -> str:
        """The name of its encounter in the contest; empty for none."""
        return f"{self.stage}:{self.focus}" if self.focus else ""

    def seconds(self, factor: float) -> float:
        """Return how long it takes if what is played and told gets a factor: breaks are as long as was said."""
        return 60 * self.minutes * (1.0 if self.kind == "break" else factor)


def steps_of(whole: ContestReading, first: int, edits: Sequence[Edit] = ()) -> tuple[list[Step], list[Step]]:
    """Return all steps, and those that organizers have dropped.

    Args:
        whole: What organizers see.
        first: The number of results that everybody saw when the show began.
        edits: What organizers have changed, in this order.
    """
    return edited(list(_natural(whole, first)), edits)


def _natural(whole: ContestReading, first: int) -> Iterator[Step]:
    all_held = dict.fromkeys(whole.since(first))

    def held(ids: Sequence[str]) -> tuple[str, ...]:
        return tuple(match_id for match_id in ids if match_id in all_held)

    yield _step("break", "begin", "Welcome", minutes=5.0)
    for stage in whole.stages:
        shown = [encounter for encounter in stage.encounters if held(encounter.matches)]
        if not shown:
            continue
        kind = _kind_of(stage)
        # Who plays in a stage follows from the results before it.
        before = held(whole.before(stage.name))
        yield _step(kind, f"{kind}:{stage.name}", heading(stage.name), stage=stage.name, releases=before)
        for number, encounters in groupby(shown, key=lambda encounter: encounter.round):
            row = sorted(encounters, key=lambda encounter: encounter.section != "third")  # the final comes last
            if kind == "bracket" or len(row) <= _SHOWN:
                for encounter in row:
                    yield from _of_encounter(whole, stage, encounter, held(encounter.matches))
                continue
            releases = tuple(match_id for encounter in row for match_id in held(encounter.matches))
            title = f"{heading(stage.name)}: after round {number}"
            yield _step("table", f"table:{stage.name}:{number}", title, stage=stage.name, releases=releases)
        if stage.over and stage.last:
            for place in range(min(3, len(stage.order)), 0, -1):
                title = ("Winner", "Second place", "Third place")[place - 1]
                yield _step("award", f"award:{stage.name}:{place}", title, stage=stage.name, place=place)
    if all_held and all(stage.over for stage in whole.stages):
        yield _step("end", "end", "The end", releases=tuple(all_held))


def heading(stage: str) -> str:
    """Return the name of a stage as people write it."""
    return f"{stage[:1].upper()}{stage[1:]}".replace("_", " ")


def _kind_of(stage: StageRow) -> str:
    return "bracket" if any(encounter.column for encounter in stage.encounters) else "table"


def _of_encounter(
    whole: ContestReading, stage: StageRow, encounter: EncounterRow, held: Sequence[str]
) -> Iterator[Step]:
    kind, names = _kind_of(stage), " – ".join(encounter.players)
    about: dict[str, Any] = {"stage": stage.name, "players": encounter.players, "focus": encounter.key}
    key = f"{stage.name}:{encounter.key}"
    yield _step("intro", f"intro:{key}", f"Introduction: {encounter.title}: {names}", match=held[0], **about)
    is_final = encounter.title.lower().endswith("final") and "-" not in encounter.title
    for match_id in held:
        row = whole.match(match_id)
        title = row.title if row else encounter.title
        of_match = {**about, "match": match_id}
        if whole.may_be_watched(match_id):
            minutes = _FINAL if is_final else MINUTES["match"]
            yield _step("match", f"match:{match_id}", title, minutes=minutes, **of_match)
        yield _step("result", f"result:{match_id}", f"Result: {title}", releases=(match_id,), **of_match)
    if encounter.decided:
        yield _step(kind, f"{kind}:{key}", f"After {encounter.title}: {names}", **about)


def _step(kind: str, key: str, title: str, minutes: float = 0.0, **more: Any) -> Step:
    return Step(key, kind, title, minutes or MINUTES[kind], **more)


def edited(steps: list[Step], edits: Sequence[Edit]) -> tuple[list[Step], list[Step]]:
    """Return the steps as organizers have changed them, and the dropped ones, whose releases the next step has."""
    dropped: set[str] = set()
    for edit in edits:
        at = next((index for index, step in enumerate(steps) if step.id == edit.id), None)
        if at is None:
            continue  # its match does not count any more
        match edit.what:
            case "up" | "down":
                to = at - 1 if edit.what == "up" else at + 1
                if 0 <= to < len(steps):
                    steps[at], steps[to] = steps[to], steps[at]
            case "drop":
                dropped.add(edit.id)
            case "skip":
                dropped |= {step.id for step in steps if step.encounter == steps[at].encounter and step.kind in _PARTS}
            case "keep" if steps[at].kind == "intro":
                dropped -= {step.id for step in steps if step.encounter == steps[at].encounter}
            case "keep":
                dropped.discard(edit.id)
            case "time":
                steps[at] = replace(steps[at], minutes=edit.minutes)
            case "note":
                steps[at] = replace(steps[at], note=edit.text)
            case "add":
                minutes = edit.minutes or MINUTES["break"]
                steps.insert(at + 1, Step(f"break:{edit.number}", "break", "Break", minutes, text=edit.text))
    kept: list[Step] = []
    carried: tuple[str, ...] = ()
    for step in steps:
        carried = (*carried, *step.releases)
        if step.id not in dropped:
            kept.append(replace(step, releases=carried))
            carried = ()
    return kept, [step for step in steps if step.id in dropped]
