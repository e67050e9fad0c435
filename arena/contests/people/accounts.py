"""Teams, members, invitations, tokens and sessions: who somebody is, and how they sign in.

The journal has only hashes of tokens, so that a reader of it cannot sign in. A token signs in once and makes a session:
a cookie with the hash of the token, the time of its end and a signature. So sessions need no table, end with their
token (`renew`, `revoke`), and survive a restart; only a session that was signed out is an entry.
"""

import base64
import csv
import hmac
import io
import secrets
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from arena.contests import entries
from arena.contests.entries import Written
from arena.contests.journal.store import now
from arena.contests.open_contest import LoadedContest, OpenContest
from arena.contests.png import rewritten
from arena.contests.state import Contest
from arena.contests.values import ROLES, Invitation, Member, time_of, utc
from arena.errors import ArenaError
from arena.game.validation import shortened
from arena.match.settings import NAME
from arena.text.printable import look_keys
from arena.text.reading import hash_of, is_same, new_token

BUILT_IN = " built-in"
"""Stands after the names of anchors that `arena contest init --people` writes."""
VALID_DAYS = 14
"""How long an invitation can be used: somebody who misses a week of the course still joins."""
SESSION_SECONDS = 30 * 24 * 3600
"""How long a session lasts. Chosen, not measured: nobody signs in weekly, and a lost laptop is out within a month."""
_LARGEST_TABLE = 10_000
"""The clients that a `Limiter` remembers. Tries from many addresses must not fill the memory."""


class DeniedError(ArenaError):
    """A person is not allowed to do what they asked for, or their token or invitation is not valid."""


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Somebody who is signed in.

    Attributes:
        nonce: The random part of the session's id; empty for a request with a token.
        csrf: The value that forms must send back.
    """

    member: Member
    nonce: str
    csrf: str


class _Invitations:
    """Collects the entries of invitations, with the teams that are new.

    Args:
        by: The id of the organizer who invites; empty for a command.
        taken: Further names that a new team cannot have.
    """

    def __init__(self, contest: OpenContest, by: str, taken: Iterable[str]) -> None:
        self._state = contest.state
        self._by = by
        self._file = contest.path.name
        # The names of the entrants, by what they look like.
        self._names: dict[tuple[str, bool], str] = {}
        for name in {*all_names(self._state), *taken}:
            self._names |= dict.fromkeys((*look_keys(name), *look_keys(name.removesuffix(BUILT_IN))), name)
        self._new: dict[str, str] = {}
        self._groups = dict(contest.config.groups)
        self._has_teams = contest.config.people is not None
        self.written: list[Written] = []

    def add(self, team: str, name: str, role: str, groups: Sequence[str] = (), days: float = VALID_DAYS) -> str:
        """Add an invitation, and its team if it is new. Return the token."""
        if role not in ROLES:
            raise ArenaError(f"The role is {shortened(role)}. It must be one of {', '.join(ROLES)}.")
        if (role == "member") != bool(team):
            raise ArenaError("A member needs a team." if role == "member" else f"The role {role} has no team.")
        if name and not NAME.accepts(name):
            raise ArenaError(f"The name is {shortened(name)}. It must be {NAME.description}.")
        for group in groups:
            if group not in self._groups:
                raise ArenaError(f"There is no group {shortened(group)}. [groups] of the file lists them.")
        entrant = self._entrant(team, groups) if team else ""
        token, at = new_token("invite"), now()
        expires = (utc() + timedelta(days=days)).isoformat(timespec="seconds")
        key = hash_of(token)
        if name:
            self.written.append(entries.text(key[:16], "name", name))
        self.written.append((key, entries.Invited(entrant=entrant, role=role, expires=expires, by=self._by, at=at)))
        return token

    def _entrant(self, team: str, groups: Sequence[str]) -> str:
        """Return the id of a team. Enter it if it is new."""
        if not NAME.accepts(team):
            raise ArenaError(f"The name of the team is {shortened(team)}. It must be {NAME.description}.")
        clash = next((self._names[look] for look in look_keys(team) if look in self._names), "")
        if clash and clash != team:
            raise ArenaError(
                f"The name of the team {team} looks like {clash}, which exists.", hint="Choose another name."
            )
        if clash and team not in self._new:
            entrant = self._state.entrant_named(team)
            if entrant is None or entrant.name in self._state.anchors:
                raise ArenaError(f"{team} is a bot of {self._file}, not a team.", hint="Choose another name.")
            if groups and {*groups} != {*self._state.groups_of(entrant.name)}:
                raise ArenaError(f"The team {team} belongs to other groups.", hint="Move it with the act group.")
            return entrant.id
        if not clash:
            if not self._has_teams:
                raise ArenaError(
                    f"There is no bot {shortened(team)}.", hint="Teams need the table [people] in contest.toml."
                )
            self._new[team] = self._state.new_id("e", len(self._new))
            self._names |= dict.fromkeys(look_keys(team), team)
            entered = entries.Entered(team=True, groups=list(groups), at=now())
            self.written += [entries.text(self._new[team], "name", team), (self._new[team], entered)]
        return self._new[team]


def all_names(state: Contest) -> list[str]:
    """Return the names of all entrants, also those that not everybody sees."""
    return [name for entrant in state.entrants.values() for name in (entrant.name, entrant.real_name)]


def invite(
    contest: OpenContest,
    team: str,
    name: str,
    role: str,
    by: str,
    groups: Sequence[str] = (),
    days: float = VALID_DAYS,
    taken: Iterable[str] = (),
) -> str:
    """Invite a person, and return the token of the invitation.

    Args:
        by: The id of the organizer who invites; empty for a command.
        groups: The groups of the team, if it is new.
        taken: Further names that a new team cannot have.
    """
    with contest.lock:
        invitations = _Invitations(contest, by, taken)
        token = invitations.add(team, name, role, groups, days)
        contest.write(*invitations.written)
        return token


def invite_all(contest: OpenContest, text: str, by: str, taken: Iterable[str] = ()) -> list[tuple[str, str, str]]:
    """Invite the people in a CSV text with the columns team and member, and optionally role and groups.

    The columns are separated by commas, or by semicolons or tabs, as spreadsheets write them. Groups are separated by
    spaces.

    Returns:
        Team, name and token of each person.
    """
    try:
        rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff")), delimiter=_delimiter(text)))
    except csv.Error as error:
        raise ArenaError(f"The CSV file cannot be read: {error}.") from None
    if not rows or not {"team", "member"} <= set(rows[0]):
        raise ArenaError("The CSV file needs a first line with the columns team and member, and one line per person.")
    defects: list[str] = []
    tokens: list[tuple[str, str, str]] = []
    with contest.lock:
        invitations = _Invitations(contest, by, taken)
        numbered = [*enumerate(rows, 2)]
        if contest.config.visible.anonymous:  # the ids of the teams tell in which order they were invited
            secrets.SystemRandom().shuffle(numbered)
        for number, row in numbered:
            team, name = (row.get("team") or "").strip(), (row.get("member") or "").strip()
            role = (row.get("role") or "").strip() or ("member" if team else "spectator")
            try:
                groups = (row.get("groups") or "").split()
                tokens.append((team, name, invitations.add(team, name, role, groups)))
            except ArenaError as error:
                defects.append(f"Line {number}: {error.message}")
        if defects:
            raise ArenaError("\n".join(defects), hint="Nobody was invited.")
        contest.write(*invitations.written)
    return tokens


def _delimiter(text: str) -> str:
    first = text.lstrip("\ufeff").partition("\n")[0]
    return max(",;\t", key=first.count)  # a comma if there is none


def invitation_of(contest: OpenContest, token: str) -> Invitation:
    invitation = contest.state.invitations.get(hash_of(token))
    if invitation is None or utc() > time_of(invitation.expires):
        raise DeniedError("This invitation was used, or is too old.", hint="Ask the organizer for a new one.")
    return invitation


def join(contest: OpenContest, token: str, name: str) -> tuple[Member, str]:
    """Make a member of a person with an invitation, and return them with their first token."""
    with contest.lock:
        state, invitation = contest.state, invitation_of(contest, token)
        name = invitation.name or name.strip()
        if not NAME.accepts(name):
            raise ArenaError(f"The name is {shortened(name)}. It must be {NAME.description}.")
        member, token_to_keep, at = state.new_id("p"), new_token(), now()
        entrant = state.id_of(invitation.entrant) if invitation.entrant else ""
        contest.write(
            entries.text(member, "name", name),
            (member, entries.Joined(entrant=entrant, role=invitation.role, invitation=invitation.hash, at=at)),
            (hash_of(token_to_keep), entries.Token(member=member, at=at)),
        )
        return state.members[member], token_to_keep


def renew(contest: OpenContest, member: str) -> str:
    """Revoke all tokens of a member, which ends the member's sessions, and return a new token."""
    token, at = new_token(), now()
    contest.write((member, entries.Revoked(at=at)), (hash_of(token), entries.Token(member=member, at=at)))
    return token


def choose_name(contest: OpenContest, member: Member, name: str) -> None:
    """Choose the display name of a member's team in an anonymous contest."""
    name = name.strip()
    with contest.lock:
        state = contest.state
        team = state.entrants[state.members[member.id].entrant]
        if not contest.config.visible.anonymous or team.id in state.orders.revealed:
            raise ArenaError("This team has its real name.")
        if not NAME.accepts(name):
            raise ArenaError(f"The name is {shortened(name)}. It must be {NAME.description}.")
        others = (other for other in all_names(state) if other not in (team.name, team.real_name))
        if {*look_keys(name)} & {key for other in others for key in look_keys(other)}:
            raise ArenaError(f"The name {name} looks like another one.", hint="Choose another name.")
        contest.write(entries.text(team.id, "display", name))


def change_picture(contest: OpenContest, member: Member, data: bytes) -> None:
    """Show a PNG file in place of the sign of a member's team, or the sign again if `data` is empty."""
    png = rewritten(data) if data else b""
    with contest.lock:
        if member.entrant in contest.state.orders.removed_pictures:
            raise ArenaError("An organizer has removed the picture of this team.", hint="Ask the organizer.")
        team = contest.state.id_of(member.entrant)
        contest.write(entries.text(team, "picture", base64.b64encode(png).decode()))


def revoke(contest: OpenContest, key: str) -> None:
    """Revoke all tokens of the member with the id `key`, or the invitation with the hash `key`."""
    contest.write((key, entries.Revoked(at=now())))


def member_of_token(contest: LoadedContest, token: str) -> tuple[Member, str]:
    """Return the owner of a token, and the token's hash."""
    member = contest.state.tokens.get(hash_of(token))
    if member is None:
        raise DeniedError("This token is not valid.", hint="Copy the whole link, or ask the organizer for a new one.")
    return contest.state.members[member], hash_of(token)


def new_session(contest: LoadedContest, token_hash: str) -> str:
    expires, nonce = str(int(time.time()) + SESSION_SECONDS), secrets.token_hex(16)
    parts = (token_hash, expires, nonce)
    return ".".join((*parts, signed(contest.state.secret, "session", *parts)))


def session_of(contest: LoadedContest, cookie: str) -> SignedIn | None:
    """Return the session whose id is in a cookie, or None if the session is not valid."""
    state = contest.state
    *parts, signature = cookie.split(".")
    if len(parts) != 3 or not is_same(signed(state.secret, "session", *parts), signature):
        return None
    token_hash, expires, nonce = parts
    member = state.tokens.get(token_hash)
    if member is None or nonce in state.signed_out or time.time() > int(expires):
        return None
    return SignedIn(state.members[member], nonce, signed(state.secret, "csrf", nonce))


def sign_out(contest: OpenContest, session: SignedIn) -> None:
    contest.write((session.nonce, entries.SignedOut(at=now())))


def first_organizer(contest: OpenContest) -> str | None:
    """Invite the first organizer, and return the token of the invitation; None if there is an organizer."""
    with contest.lock:
        if any(member.is_organizer for member in contest.state.members.values()):
            return None
        return invite(contest, "", "", "organizer", "")


class Limiter:
    """Limits how often a client does something, for example fails to sign in.

    Args:
        limit: `is_open` returns false if a client has done it this often.
        seconds: The time after which it no longer counts.
    """

    def __init__(self, limit: int, seconds: float) -> None:
        self._limit = limit
        self._seconds = seconds
        self._done: dict[str, list[float]] = {}
        self._lock = threading.Lock()

    def is_open(self, key: str) -> bool:
        """Return whether the client `key` has not reached the limit."""
        with self._lock:
            return len(self._recent(key)) < self._limit

    def take(self, key: str) -> bool:
        """Count once more if the limit is not reached, and return whether it was not. No other thread comes between."""
        with self._lock:
            recent = self._recent(key)
            if len(recent) >= self._limit:
                return False
            if len(self._done) > _LARGEST_TABLE:
                self._done.clear()
            self._done[key] = [*recent, time.monotonic()]
            return True

    def _recent(self, key: str) -> list[float]:
        return [at for at in self._done.get(key, []) if at > time.monotonic() - self._seconds]


def signed(secret: str, *parts: str) -> str:
    """Return a signature of `parts` that only the owner of the secret can make."""
    return hmac.new(secret.encode(), "\n".join(parts).encode(), "sha256").hexdigest()
