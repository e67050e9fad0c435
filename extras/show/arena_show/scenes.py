"""What screens show: one document for each kind of reader, from what everybody sees and from the step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, Final

import segno

from arena.web.contests.extending import EncounterRow, MatchRow
from arena_show.director import Cut, cut_at
from arena_show.evening import Evening
from arena_show.news import Document
from arena_show.playhead import AROUND, speed_of
from arena_show.playlist import Step, heading

_TOP, _MOST = 12, 20
"""A table has the first rows, and those that moved, at most so many."""
_QUEUE: Final = 6
LOGOS: Final = ("logo.svg", "logo.png")
"""The files beside the contest's file that are shown before the evening, in breaks, and after it."""
_ANNOUNCEMENTS: Final = 3
_EVEN: Final = 0.55
"""Below this chance of the better of two, neither leads."""
_GAIN, _RECENT = 0.08, 12
"""What a round must bring so that it is said why somebody leads, and for how many turns it is news."""
_SURE: Final = 0.99
"""The highest chance that is written before the end."""
_FALLBACKS: Final = ("end_turn", "pass")
"""Actions that say nothing of a style."""
_OFTEN, _LEAST = 2.0, 3
"""So many times as often as others a bot does what is its style, in so many matches at least."""


class Scenes:
    """Makes the documents of one moment.

    Args:
        address: The address of the contest for spectators.
    """

    def __init__(self, evening: Evening, now: float, address: str) -> None:
        self._evening = evening
        self._contest = evening.contest
        self._now = now
        self._address = address
        self.show = evening.show
        self.public = evening.contest.public()
        self.steps = evening.steps() if evening.contest.has_opened else []
        self.at = evening.at(self.steps)
        self.step = self.steps[self.at] if self.at >= 0 else None

    def document(self, role: str = "") -> Document:
        """Return what spectators get, or displays with a role."""
        contest, show = self._contest, self.show
        if not contest.has_opened:
            return self._nothing(f"Opens {contest.opens}")
        queue = self.queue()
        return {
            **self._nothing(""),
            "game": contest.game,
            "step": self.at,
            "blank": show.blank,
            "ends": _time(show.finish) if show.finish else None,
            "scene": self._scene_for(role),
            "next": queue[0] if queue else None,
            "queue": queue,
            "applause": show.applause,
            "notes": self.notes() if role == "notes" else [],
        }

    def _nothing(self, text: str) -> Document:
        """Return the document before anything is shown."""
        return {
            "contest": self._contest.name,
            "game": "",
            "logo": "/show/logo" if self._contest.beside(*LOGOS) else None,
            "step": -1,
            "steps": None,
            "blank": False,
            "ends": None,
            "next": None,
            "queue": [],
            "applause": 0,
            "predictions": None,
            "notes": [],
            "announcements": self.public.announcements[:_ANNOUNCEMENTS],
            "scene": {"id": "waiting", "kind": "waiting", "title": "", "text": text},
        }

    def _scene_for(self, role: str) -> Document:
        stages = self.public.stages
        brackets = [stage for stage in stages if self.public.bracket(stage.name)]
        if role == "director" or (role and self.show.first is None):
            return self._directed(cut_at(self.public, self._now))
        if self.step is None:
            return {"id": "waiting", "kind": "waiting", "title": "", "text": "The show begins soon."}
        if role == "bracket" and brackets:
            return self._named(
                "bracket", brackets[-1].name, heading(brackets[-1].name), self._bracket(brackets[-1].name)
            )
        if role == "table" and (stages or self.public.table("")):
            name, title = (stages[-1].name, heading(stages[-1].name)) if stages else ("", "Ladder")
            return self._named("table", name, title, self._table(name))
        if role == "break" and self.step.kind != "break":
            return self._named("break", "", self._contest.name, self._pause(None, ""))
        return self.scene(self.step)

    def scene(self, step: Step) -> Document:
        """Return what a step shows."""
        match step.kind:
            case "break":
                made = self._pause(self.show.since + step.seconds(self.show.factor), step.text)
            case "intro":
                made = self._intro(step.players, self._round(step)) | {"match": step.match}
            case "match":
                made = self._match(step)
            case "result":
                made = self._result(self.public.match(step.match), step.players, f"/show/match/{step.match}/watch")
                made["reason"] = ". ".join(filter(None, (made.get("reason"), self._pairing(step))))
            case "bracket":
                row = self._encounter(step)
                won = f"{row.winner} wins the {row.title.lower()}." if row and row.winner else ""
                made = self._bracket(step.stage, step.players, won)
            case "table":
                made = self._table(step.stage)
            case "award":
                made = self._award(step)
            case _:
                made = {"text": "Thank you for watching."}
        return {"id": step.id, "kind": step.kind, "title": _title(step, made), **made}

    def queue(self) -> list[Document]:
        """Return the encounters that everybody knows and that have not been decided, in their order."""
        shown = self.step.encounter if self.step else ""
        waiting = [
            row
            for stage in self.public.stages
            for row in stage.encounters
            if not row.decided and f"{stage.name}:{row.key}" != shown
        ]
        return [
            {"title": row.title, "players": [self._card(name) for name in row.players], "at": None}
            for row in waiting[:_QUEUE]
        ]

    def notes(self) -> list[str]:
        """Return what the announcer may say about the step, and what comes next. It is not for spectators."""
        step, after = self.step, self.steps[self.at + 1 : self.at + 2]
        lines = [step.note] if step and step.note else []
        if step and step.kind in ("intro", "match"):
            lines += [
                f"{name}: {text}" for name in step.players for text in (*self._lines(name), self._style(name)) if text
            ]
        return lines + [f"Next: {coming.title}" for coming in after]

    # -- kinds of scenes -------------------------------------------------------------------------------

    def _named(self, kind: str, key: str, title: str, made: Mapping[str, Any]) -> Document:
        return {"id": f"{kind}:{key}", "kind": kind, "title": title, **made}

    def _pause(self, until: float | None, text: str) -> Document:
        drawn = segno.make(self._address, micro=False).svg_inline(omitsize=True, light="#fff")
        return {"text": text, "until": _time(until) if until else None, "address": self._address, "qr": drawn}

    def _intro(self, names: Sequence[str], place: str) -> Document:
        between = ""
        if len(names) == 2:
            won = self.public.between(*names)
            between = " : ".join(map(str, won)) if any(won) else ""
        players = [
            self._player(name, seat) | {"lines": self._lines(name), "style": self._style(name)}
            for seat, name in enumerate(names)
        ]
        return {"place": place, "players": players, "between": between, "match": None}

    def _match(self, step: Step) -> Document:
        film = self._evening.film(step)
        row = self._contest.whole().match(step.match)
        names = [side.name for side in row.sides] if row else list(step.players)
        turn = film.playhead.turn_at(self._evening.elapsed(film, self._now))
        shares = [values[: turn + 1] for values in film.advantage]
        near = [one for one in film.moments if 0 <= turn - one.turn <= AROUND]
        latest = [[claim for claim in claims if claim[0] <= turn][-1:] for claims in film.claims]
        return {
            "match": step.match,
            "place": row.place if row else "",
            "watch": f"/show/match/{step.match}/watch",
            "players": [self._player(name, seat) for seat, name in enumerate(names)],
            "paused": self.show.is_paused,
            "speed": speed_of(self.show.pace),
            "moment": {"title": f"Turn {near[-1].turn}: {names[near[-1].player]} gains"} if near else None,
            "leads": _leads(names, shares) if shares else None,
            "claims": [{"player": seat, "win": claim[-1][1]} for seat, claim in enumerate(latest) if claim],
        }

    def _result(self, row: MatchRow | None, names: Sequence[str], watch: str) -> Document:
        if row is None:  # its step has released it, unless it does not count any more
            return {"players": [self._player(name, seat) for seat, name in enumerate(names)], "text": "", "place": ""}
        players = [
            self._player(side.name, seat) | {"score": side.score, "won": side.won}
            for seat, side in enumerate(row.sides)
        ]
        winners = [side for side in row.sides if side.won]
        scores = " : ".join(side.score for side in (*winners, *(side for side in row.sides if not side.won)))
        text = f"{winners[0].name} wins {scores}" if len(winners) == 1 else f"A draw, {scores}"
        how = f"after a draw, {row.decided.rpartition(', ')[2]}" if row.decided else ""
        shown = {"reason": how, "watch": watch if row.watch else None, "match": row.id}
        return {"place": row.place, "players": players, "text": text, **shown}

    def _bracket(self, stage: str, focus: Sequence[str] = (), text: str = "") -> Document:
        drawing = self.public.bracket(stage)
        document: Document | None = asdict(drawing) if drawing else None
        for section in document["sections"] if document else ():
            for box in section["boxes"]:
                box["players"] = [player | {"sign": self._sign(player["name"])} for player in box["players"]]
        return {"drawing": document, "focus": list(focus), "text": text}

    def _table(self, stage: str) -> Document:
        lines = self.public.table(stage) if not stage or stage in {row.name for row in self.public.stages} else ()
        shown = [line for index, line in enumerate(lines) if index < _TOP or line.moved][:_MOST]
        rows = [
            {"place": line.place, "name": line.name, "sign": self._sign(line.name), "points": line.points}
            | {"moved": line.moved, "out": line.name in self.public.suspended}
            for line in shown
        ]
        most = max(lines, key=lambda line: line.moved, default=None)
        text = f"{most.name} climbs from {most.place + most.moved} to {most.place}." if most and most.moved > 0 else ""
        return {"rows": rows, "text": text}

    def _award(self, step: Step) -> Document:
        order = next((stage.order for stage in self.public.stages if stage.name == step.stage), ())
        name = order[step.place - 1] if len(order) >= step.place else ""
        card = self._card(name) | {"picture": self._contest.picture(name) or None}
        return {"place": step.place, **card, "text": heading(step.stage)}

    # -- without a presenter ---------------------------------------------------------------------------

    def _directed(self, cut: Cut) -> Document:
        key, row = f"director:{cut.kind}:{cut.number}", cut.match
        names = " – ".join(side.name for side in row.sides) if row else ""
        if cut.kind == "next" and (queue := self.queue()):
            coming = [player["name"] for player in queue[0]["players"]]
            made = {"kind": "intro", "title": " – ".join(coming), **self._intro(coming, queue[0]["title"])}
        elif row is None or cut.kind in ("table", "next"):
            made = self._stage_of(row)
        elif cut.kind == "result":
            result = self._result(row, (), f"/match/{row.id}/watch#live")
            made = {"kind": "result", "title": names, **result}
        else:
            watch = f"/match/{row.id}/watch#live"
            if cut.kind == "stretch":
                watch = f"/show/stretch/{row.id}/{cut.begun:.0f}/watch"
            players = [self._player(side.name, seat) for seat, side in enumerate(row.sides)]
            still: Document = {"paused": False, "speed": 1.0, "moment": None, "leads": None, "claims": []}
            made = {"kind": "match", "title": names, "place": row.place, "match": row.id, "watch": watch, **still}
            made["players"] = players
        return {"id": key, **made}

    def _stage_of(self, row: MatchRow | None) -> Document:
        """Return the bracket or the table on which a result had its effect; the newest one without a result."""
        stage = next((stage for stage in self.public.stages if row and stage.name == row.kind), None)
        stage = stage or next(reversed(self.public.stages), None)
        if stage is not None and self.public.bracket(stage.name):
            names = [side.name for side in row.sides] if row else []
            return {"kind": "bracket", "title": heading(stage.name), **self._bracket(stage.name, names)}
        if stage is None and not self.public.table(""):
            return {"kind": "waiting", "title": "", "text": "No match yet."}
        return {
            "kind": "table",
            "title": heading(stage.name) if stage else "Ladder",
            **self._table(stage.name if stage else ""),
        }

    # -- parts -----------------------------------------------------------------------------------------

    def _encounter(self, step: Step) -> EncounterRow | None:
        rows = (row for stage in self.public.stages if stage.name == step.stage for row in stage.encounters)
        return next((row for row in rows if row.key == step.focus), None)

    def _pairing(self, step: Step) -> str:
        """Return how the encounter of a step stands, if it has more than one match."""
        row = self._encounter(step)
        if row is None or len(row.players) != 2 or (row.decided and len(row.matches) == 1):
            return ""
        played = [side for match_id in row.matches if (match := self.public.match(match_id)) for side in match.sides]
        won = [sum(side.won for side in played if side.name == name) for name in row.players]
        stands = f"{row.players[0]} {won[0]} : {won[1]} {row.players[1]}"
        return f"{row.winner} wins the pairing, {stands}" if row.winner else f"In the pairing: {stands}"

    def _round(self, step: Step) -> str:
        row = self._encounter(step)
        return row.title if row else ""

    def _sign(self, name: str) -> Document:
        return asdict(self._contest.sign(name))

    def _card(self, name: str) -> Document:
        return {"name": name, "sign": self._sign(name)}

    def _player(self, name: str, seat: int) -> Document:
        won, drawn, lost = self.public.record(name)
        known = {"picture": self._contest.picture(name) or None, "colour": seat}
        record = f"{won} : {lost}" if won or drawn or lost else ""
        return {**self._card(name), **known, "record": record, "lines": [], "style": None, "score": None, "won": None}

    def _lines(self, name: str) -> list[str]:
        """Return what a team says of itself, if somebody has checked it at the desk."""
        lines = self.show.lines.get(self.public.id_of(name))
        return lines.text.splitlines() if lines and lines.checked else []

    def _style(self, name: str) -> str | None:
        """Return what a bot does more often than the others of its stage."""
        stage = next((stage for stage in self.public.stages if self.step and stage.name == self.step.stage), None)
        others = [self.public.actions(other, least=_LEAST) for other in (stage.order if stage else ()) if other != name]
        best, most = None, _OFTEN
        for kind, often in self.public.actions(name, least=_LEAST).items():
            if kind in _FALLBACKS:
                continue
            usual = sum(other.get(kind, 0.0) for other in others) / max(1, len(others))
            if usual and often / usual >= most:
                best, most = kind, often / usual
        return f"Chooses “{best.replace('_', ' ')}” {most:.0f} times as often as the others." if best else None


def _title(step: Step, made: Document) -> str:
    """Return the title of a scene: only the players, where its place stands beside it."""
    return " – ".join(step.players) if isinstance(made.get("place"), str) and step.players else step.title


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _leads(names: Sequence[str], advantage: Sequence[Sequence[float]]) -> Document:
    """Return who leads, by the estimates so far, and in which of the last turns, from 1, it gained most; 0 for none."""
    shares = [values[-1] for values in advantage]
    best = max(range(len(shares)), key=lambda player: shares[player])
    share = min(_SURE, round(shares[best], 2))
    if len(shares) == 2 and share < _EVEN:
        return {"player": best, "share": share, "text": "Even", "gained": 0}
    # Over a round, since estimates favour who has just moved.
    values, count = advantage[best], len(names)
    gains = {turn: values[turn] - values[turn - count] for turn in range(count, len(values))[-_RECENT:]}
    most = max(gains, key=lambda turn: gains[turn], default=0)
    gained = most if gains.get(most, 0.0) >= _GAIN else 0
    return {"player": best, "share": share, "text": f"{names[best]} leads, {100 * share:.0f} %", "gained": gained}
