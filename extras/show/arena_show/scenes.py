"""What screens show: one document for each kind of reader, from what everybody sees and from the step."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from arena.web.contests.extending import EncounterRow
from arena_show.evening import Evening
from arena_show.playlist import Step

Document = dict[str, Any]
_TOP: Final = 12
_MOST: Final = 20
"""The rows of a table: the first ones, and those that moved."""
_QUEUE: Final = 6
_ANNOUNCEMENTS: Final = 3


class Scenes:
    """Makes the scenes of one moment.

    Attributes:
        public: What everybody sees.
    """

    def __init__(self, evening: Evening, now: float | None = None) -> None:
        self._evening = evening
        self._contest = evening.contest
        self.public = evening.contest.public()
        self._now = time.time() if now is None else now

    def document(self) -> Document:
        """Return what all readers get."""
        evening, contest, steps = self._evening, self._contest, self._evening.steps()
        at = evening.at(steps)
        if not contest.has_opened:
            return {"contest": contest.name, "game": "", "scene": _waiting(f"Opens {contest.opens}")}
        step, queue = (steps[at] if at >= 0 else None), self.queue()
        return {
            "contest": contest.name,
            "game": contest.game,
            "logo": None,
            "step": at,
            "steps": None,
            "blank": evening.show.blank,
            "ends": evening.show.finish or None,
            "scene": self.scene(step) if step else _waiting("The show begins soon."),
            "next": queue[0] if queue else None,
            "queue": queue,
            "announcements": self.public.announcements[:_ANNOUNCEMENTS],
            "applause": evening.show.applause,
            "predictions": None,
        }

    def scene(self, step: Step) -> Document:
        """Return what a step shows."""
        made = {
            "break": self._break,
            "intro": self._intro,
            "match": self._match,
            "result": self._result,
            "bracket": self._bracket,
            "table": self._table,
            "award": self._award,
            "end": self._end,
        }[step.kind](step)
        return {"id": step.id, "kind": step.kind, "title": step.title, **made}

    def queue(self) -> list[Document]:
        """Return the encounters that everybody knows and that have not been decided, in their order."""
        waiting = [row for stage in self.public.stages for row in stage.encounters if not row.decided]
        return [
            {"title": row.title, "players": [self._card(name) for name in row.players], "at": None}
            for row in waiting[:_QUEUE]
        ]

    # -- kinds of scenes -------------------------------------------------------------------------------

    def _break(self, step: Step) -> Document:
        return {"text": step.text, "until": None, "address": "", "qr": ""}

    def _intro(self, step: Step) -> Document:
        players = [self._player(name, seat) for seat, name in enumerate(step.players)]
        between = ""
        if len(step.players) == 2:
            won = self.public.between(*step.players)
            between = " : ".join(map(str, won)) if any(won) else ""
        return {"place": self._place(step), "players": players, "between": between, "match": step.match}

    def _match(self, step: Step) -> Document:
        film, (paused, speed) = self._evening.film(step.match, step.minutes), self._evening.speed()
        row = self._evening.contest.whole().match(step.match)
        names = [side.name for side in row.sides] if row else list(step.players)
        turn = film.playhead.turn_at(self._evening.elapsed(film, self._now))
        shares = [values[turn] for values in film.advantage] if film.advantage else []
        best = shares.index(max(shares)) if shares else 0
        near = [one for one in film.moments if 0 <= turn - one.turn <= 3]
        return {
            "match": step.match,
            "place": row.place if row else "",
            "watch": f"/show/match/{step.match}/watch",
            "players": [self._player(name, seat) for seat, name in enumerate(names)],
            "paused": paused,
            "speed": speed,
            "turn": turn,
            "moment": {"title": f"Turn {near[-1].turn}: {names[near[-1].player]} gains"} if near else None,
            "leads": {"player": best, "share": shares[best], "text": _leads(names, shares)} if shares else None,
            "claims": [
                {"player": seat, "win": said[-1][1]}
                for seat, claims in enumerate(film.claims)
                if (said := [claim for claim in claims if claim[0] <= turn])
            ],
        }

    def _result(self, step: Step) -> Document:
        row = self.public.match(step.match)
        if row is None:
            return {"players": [self._player(name, seat) for seat, name in enumerate(step.players)], "text": ""}
        players = [
            self._player(side.name, seat) | {"score": side.score, "won": side.won}
            for seat, side in enumerate(row.sides)
        ]
        winners, scores = [side.name for side in row.sides if side.won], " : ".join(side.score for side in row.sides)
        text = f"{winners[0]} wins {scores}" if len(winners) == 1 else f"A draw, {scores}"
        watch = f"/show/match/{step.match}/watch" if row.watch else None
        return {"place": row.place, "players": players, "text": text, "reason": row.decided, "watch": watch}

    def _bracket(self, step: Step) -> Document:
        drawing, row = self.public.bracket(step.stage), self._encounter(step)
        text = f"{row.winner} wins the {row.title.lower()}." if row and row.winner else ""
        document = _plain(drawing)
        for section in document["sections"] if document else ():
            for box in section["boxes"]:
                box["players"] = [player | {"sign": self._sign(player["name"])} for player in box["players"]]
        return {"drawing": document, "focus": list(step.players), "text": text}

    def _table(self, step: Step) -> Document:
        return self.table(step.stage)

    def table(self, stage: str) -> Document:
        """Return the rows of a table: the first ones, and those that moved."""
        lines = self.public.table(stage)
        shown = [line for index, line in enumerate(lines) if index < _TOP or line.moved][:_MOST]
        rows = [
            {
                "place": line.place,
                "name": line.name,
                "sign": self._sign(line.name),
                "points": line.points,
                "moved": line.moved,
                "out": False,
            }
            for line in shown
        ]
        most = max(lines, key=lambda line: line.moved, default=None)
        text = f"{most.name} climbs from {most.place + most.moved} to {most.place}." if most and most.moved > 0 else ""
        return {"rows": rows, "text": text}

    def _award(self, step: Step) -> Document:
        order = next((stage.order for stage in self.public.stages if stage.name == step.stage), ())
        name = order[step.place - 1] if len(order) >= step.place else ""
        card = self._card(name) | {"picture": self._contest.picture(name) or None}
        return {"place": step.place, **card, "text": step.stage}

    def _end(self, _step: Step) -> Document:
        return {"text": "Thank you for watching."}

    # -- parts -----------------------------------------------------------------------------------------

    def _encounter(self, step: Step) -> EncounterRow | None:
        rows = (row for stage in self.public.stages if stage.name == step.stage for row in stage.encounters)
        return next((row for row in rows if row.key == step.focus), None)

    def _place(self, step: Step) -> str:
        row = self._encounter(step)
        return row.title if row else ""

    def _sign(self, name: str) -> Document:
        return asdict(self._contest.sign(name))

    def _card(self, name: str) -> Document:
        return {"name": name, "sign": self._sign(name)}

    def _player(self, name: str, seat: int) -> Document:
        won, drawn, lost = self.public.record(name)
        record = f"{won} : {lost}" if won or drawn or lost else ""
        return {
            **self._card(name),
            "picture": self._contest.picture(name) or None,
            "colour": seat,
            "lines": [],
            "record": record,
            "style": None,
            "score": None,
            "won": None,
        }


def _waiting(text: str) -> Document:
    return {"id": "waiting", "kind": "waiting", "title": "", "text": text}


def _leads(names: Sequence[str], shares: Sequence[float]) -> str:
    best = shares.index(max(shares))
    if max(shares) < 0.55 and len(shares) == 2:
        return "Even"
    return f"{names[best]} leads, {shares[best]:.0%}"


def _plain(value: Any) -> Any:
    """Return a drawing as values for JSON."""
    return asdict(value) if value is not None else None
