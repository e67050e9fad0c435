"""What the steps in the journal say of a show: `Show`, the only class that reads their documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Edit:
    """What an organizer has changed in the playlist.

    Attributes:
        number: The number of its entry, which names an added step.
        what: ``up``, ``down``, ``drop``, ``skip`` for all of an encounter but its effect, ``keep``, ``time``, ``note``,
            or ``add`` for a break after a step.
        id: The step.
    """

    number: int
    what: str
    id: str
    minutes: float
    text: str


@dataclass(frozen=True, slots=True)
class Pace:
    """A change of the speed of the match that is shown: ``pause``, ``resume``, ``slower``, ``faster`` or ``moment``."""

    at: float
    what: str


@dataclass(frozen=True, slots=True)
class Lines:
    """What a team says of itself.

    Attributes:
        number: The number of its entry.
    """

    number: int
    text: str
    checked: bool = False


@dataclass(slots=True)
class Show:
    """A show up to a step.

    Attributes:
        first: The number of results that everybody saw when it began; None before it has begun.
        places: The ids of the steps that were shown, the newest last.
        entry: The number of the entry of the newest one.
        since: When it began, in seconds since 1970.
        alive: When the newest entry was written: the server ran until then at least.
        guessed: The number of entries that are guesses.
        turns: The usual number of turns of a match, as everybody knew when it began; 0 if nobody did.
        factor: By what all minutes are multiplied, so that the evening ends in time.
        roles: The roles of displays, by the hashes of their secrets.
        links: The hashes of the links of presenters that still work, with the hash of the session of who has used them.
        guesses: The guesses before a match: the share of the first player, by match and guesser.
        finish: When the evening shall end, in seconds since 1970; 0 if nobody has said.
    """

    first: int | None = None
    places: list[str] = field(default_factory=list)
    entry: int = 0
    since: float = 0.0
    alive: float = 0.0
    factor: float = 1.0
    turns: float = 0.0
    blank: bool = False
    applause: int = 0
    pace: list[Pace] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    roles: dict[str, str] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    lines: dict[str, Lines] = field(default_factory=dict)
    predicts: bool = False
    guesses: dict[str, dict[str, float]] = field(default_factory=dict)
    guessed: int = 0
    finish: float = 0.0

    def take(self, number: int, subject: str, at: str, document: Mapping[str, Any], text: str) -> None:
        """Add an entry. One of a later version, which is not known here, changes nothing."""
        method, seconds = getattr(self, f"_{document.get('do', '')}", None), datetime.fromisoformat(at).timestamp()
        if method is not None:
            method(number, subject, seconds, document, text)
        self.alive = seconds

    @property
    def is_paused(self) -> bool:
        """Whether a presenter has paused the match that is shown."""
        return [change.what for change in self.pace if change.what in ("pause", "resume")][-1:] == ["pause"]

    def _begin(self, _number: int, _subject: str, _at: float, document: Mapping[str, Any], _text: str) -> None:
        if self.first is None:
            self.first = document["first"]

    def _step(self, number: int, _subject: str, at: float, document: Mapping[str, Any], _text: str) -> None:
        self.places.append(document["to"])
        self.entry, self.since, self.factor = number, at, document["factor"]
        self.blank, self.applause, self.pace = False, 0, []
        self.turns = document.get("turns", 0.0)

    def _blank(self, _number: int, _subject: str, _at: float, document: Mapping[str, Any], _text: str) -> None:
        self.blank = document["on"]

    def _applause(self, *_: object) -> None:
        self.applause += 1

    def _pace(self, _number: int, _subject: str, at: float, document: Mapping[str, Any], _text: str) -> None:
        self.pace.append(Pace(at, document["set"]))

    def _outage(self, _number: int, _subject: str, at: float, _document: Mapping[str, Any], _text: str) -> None:
        if not self.is_paused:  # nobody saw what the match would have shown meanwhile
            self.pace += [Pace(self.alive, "pause"), Pace(at, "resume")]

    def _edit(self, number: int, _subject: str, _at: float, document: Mapping[str, Any], text: str) -> None:
        self.edits.append(Edit(number, document["what"], document["id"], document.get("minutes", 0.0), text))

    def _role(self, _number: int, _subject: str, _at: float, document: Mapping[str, Any], _text: str) -> None:
        self.roles[document["display"]] = document["role"]

    def _link(self, _number: int, _subject: str, _at: float, document: Mapping[str, Any], _text: str) -> None:
        self.links = {document["hash"]: ""}  # the remote of an older link ends

    def _presenter(self, _number: int, _subject: str, _at: float, document: Mapping[str, Any], _text: str) -> None:
        if document["link"] in self.links:
            self.links[document["link"]] = document["session"]

    def _lines(self, number: int, subject: str, _at: float, _document: Mapping[str, Any], text: str) -> None:
        self.lines[subject] = Lines(number, text)

    def _checked(self, _number: int, subject: str, _at: float, document: Mapping[str, Any], _text: str) -> None:
        lines = self.lines.get(subject)
        if lines is not None and lines.number == document["lines"]:
            self.lines[subject] = Lines(lines.number, lines.text, document["ok"])

    def _predictions(self, _number: int, _subject: str, _at: float, document: Mapping[str, Any], _text: str) -> None:
        self.predicts = document["on"]

    def _guess(self, _number: int, _subject: str, _at: float, document: Mapping[str, Any], _text: str) -> None:
        self.guessed += 1
        self.guesses.setdefault(document["match"], {}).setdefault(document["by"], document["win"])

    def _finish(self, _number: int, _subject: str, _at: float, document: Mapping[str, Any], _text: str) -> None:
        self.finish = datetime.fromisoformat(document["at"]).timestamp() if document["at"] else 0.0
