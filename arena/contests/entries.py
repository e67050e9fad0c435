"""All kinds of entries of a contest's journal.

An entry has a kind, a key and a document. Keys and documents name people and entrants by their ids only. Their names,
pictures and free texts are entries of the kind `text`, each with a random salt. The chain has only the digests of
documents, and nobody can guess a short name from one.

To erase a person (`people.erasure`), entries of the kind `text` lose their documents, and the chain stays valid. The
act that erases names them.

These classes are a format: every journal that exists must be readable. A new field needs a default, and a field never
changes its meaning. What an entry does is the method of its kind in `arena.contests.state`.
"""

from __future__ import annotations

import secrets
from typing import Any, ClassVar

import msgspec

from arena.contests.journal.chain import ACT, LOST, RESULT, TEXT
from arena.match.result import MatchResult


class Document(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The document of an entry. Its docstring is what the documentation says about the kind."""

    kind: ClassVar[str]


class Start(Document, frozen=True):
    """The first entry: the id of the contest, the game, and the secret from which all seeds come."""

    kind = "start"
    id: str
    game: str
    secret: str


class Config(Document, frozen=True):
    """What `contest.toml` says, without the bots, and the fixed skills of anchors by their ids."""

    kind = "config"
    settings: dict[str, Any]
    anchors: dict[str, float]
    at: str


class TextEntry(Document, frozen=True):
    """A name, a picture or a free text. The key is its subject and what it is, such as `e3.name`."""

    kind = TEXT
    salt: str
    value: Any


class Entered(Document, frozen=True):
    """An entrant; the key is its id. Whether it is a team, and its groups. Another entry changes the groups."""

    kind = "entrant"
    team: bool
    groups: list[str]
    at: str


class Handed(Document, frozen=True):
    """A version; the key is the entrant and the number of the version, such as `e3/1`."""

    kind = "version"
    hash: str
    path: str
    at: str
    by: str = ""
    size: int = 0
    late: bool = False
    at_once: bool = False


class Checked(Document, frozen=True):
    """The end of a version's check: whether it plays, its first match, and the time that the check took."""

    kind = "report"
    passed: bool
    match: str
    at: str
    seconds: float


class Activated(Document, frozen=True):
    """From here on, this version plays for its entrant."""

    kind = "activate"
    at: str


class Agreed(Document, frozen=True):
    """What a team agrees to; the key is its id.

    Everybody may watch its replays, pages show its picture, its bots may be opponents in later contests. The licence of
    its bots is its text `licence`.
    """

    kind = "consent"
    replays: bool
    picture: bool
    opponent: bool
    at: str


class Invited(Document, frozen=True):
    """An invitation; the key is the hash of its token."""

    kind = "invite"
    entrant: str
    role: str
    expires: str
    by: str
    at: str


class Joined(Document, frozen=True):
    """A person; the key is their id."""

    kind = "member"
    entrant: str
    role: str
    invitation: str
    at: str


class Token(Document, frozen=True):
    """A token of a person; the key is its hash."""

    kind = "token"
    member: str
    at: str


class Revoked(Document, frozen=True):
    """All tokens of the person, or the invitation, in the key are refused."""

    kind = "revoke"
    at: str


class SignedOut(Document, frozen=True):
    """The session in the key has ended."""

    kind = "sign_out"
    at: str


class Begun(Document, frozen=True):
    """A stage has begun; the key is its name. Its settings, and its entrants in the order of their seeds."""

    kind = "stage"
    config: dict[str, Any]
    entrants: list[str]
    at: str


class Paired(Document, frozen=True):
    """Encounters that were paired; the key is the name of the stage.

    An encounter is a list: round, index, seats (entrant and number of the version), games, knockout, section, column,
    row, advance. `absent` has the entrants of each encounter that do not play it.
    """

    kind = "round"
    number: int
    encounters: list[tuple[int, int, list[tuple[str, int]], int, bool, str, int, int, int]]
    at: str
    absent: list[list[str]] = []
    team: str = ""
    act: str = ""


class Dropped(Document, frozen=True):
    """An encounter of the ladder that is not played; the key is its number."""

    kind = "drop"
    reason: str
    at: str


class Spec(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A match. Each seat has the id of the entrant, and the content hash of the version."""

    stage: str
    round: int
    pairing: int
    number: int
    map: str
    options: list[tuple[str, Any]]
    seats: list[tuple[str, str]]
    seed: int


class Result(Document, frozen=True):
    """A match and its result; the key is the id of the match. What bots wrote is in its text `said`."""

    kind = RESULT
    spec: Spec
    outcome: MatchResult
    at: str


class Void(Document, frozen=True):
    """A match that was void and was played again; the key is its id.

    `entrants` played it, and for the programs of those in `causes` it may be void. `killed` names the one whose sandbox
    was killed from outside. `stage`, `round` and `pairing` are those of the match.
    """

    kind = "void"
    reason: str
    stage: str
    round: int
    pairing: int
    entrants: list[str]
    causes: list[str]
    at: str
    killed: str = ""


class Conflict(Document, frozen=True):
    """The other outcome of a match that was played twice; the key is its id."""

    kind = "conflict"
    outcome: MatchResult
    at: str


class Rewritten(Document, frozen=True):
    """The replay of a match was written again without the name of an erased person; the key is the id of the match."""

    kind = "rewritten"
    hash: str
    chain: str
    at: str


class Acted(Document, frozen=True):
    """An act of an organizer; the key is its id. Acts name what they change by ids."""

    kind = ACT
    act: str
    subject: str
    author: str
    at: str
    more: dict[str, Any] = {}


class Shown(Document, frozen=True):
    """A step of a show: results that everybody sees from here on, and a document of the distribution that shows them.

    The key is the id of what the step is about; empty if it is about the whole contest. Free text is its text `show`.
    """

    kind = "show"
    at: str
    released: list[str] = []
    document: dict[str, Any] = {}


class Rebuilt(Document, frozen=True):
    """What a rebuild restored from replays, and what it could not restore."""

    kind = "rebuild"
    proved: list[str]
    lost: list[str]
    missing: list[str]
    at: str


class Lost(Document, frozen=True):
    """The place of an entry that a rebuild could not restore."""

    kind = LOST


KINDS: dict[str, type[Document]] = {document.kind: document for document in Document.__subclasses__()}
"""The kinds of entries and their documents."""
_decoders: dict[str, msgspec.json.Decoder[Any]] = {kind: msgspec.json.Decoder(type_) for kind, type_ in KINDS.items()}
_encode = msgspec.json.Encoder(order="sorted").encode
Written = tuple[str, Document]
"""Key and document of an entry to write."""


def text_of(document: Document) -> str:
    """Return a document as the journal stores it: JSON with sorted keys."""
    return _encode(document).decode()


def read(kind: str, text: str) -> Any:
    """Return the document of an entry.

    Raises:
        KeyError: There is no such kind.
        msgspec.MsgspecError: The text is not a document of this kind.
    """
    return _decoders[kind].decode(text)


def text(subject: str, what: str, value: Any) -> Written:
    """Return the entry of a text about a subject, such as the name of an entrant."""
    return f"{subject}.{what}", TextEntry(salt=secrets.token_hex(16), value=value)
