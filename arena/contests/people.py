"""Teams, members, invitations, tokens and sessions."""

import base64
import csv
import io
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from arena.errors import ArenaError
from arena.game.validation import shortened
from arena.journal.store import Written, now
from arena.match.settings_tables import NAME
from arena.contests.png import rewritten
from arena.contests.store import BUILT_IN, Season, signed, utc
from arena.contests.values import ROLES, Invitation, Member, time_of
from arena.text.lookalikes import looks
from arena.text.tokens import hash_of, is_same, new_token

VALID_DAYS = 14
SESSION_SECONDS = 30 * 24 * 3600


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


Names = dict[tuple[str, bool], str]
"""The names of the teams and built-in bots, by what they look like."""


def _names(season: Season) -> Names:
    names: Names = {}
    for anchor, _ in season.state.anchors:
        names |= dict.fromkeys((*looks(anchor), *looks(anchor.removesuffix(BUILT_IN))), anchor)
    return names | {look: team for team in season.state.teams for look in looks(team)}


def _check_person(names: Names, team: str, name: str, role: str) -> list[Written]:
    """Check the values of an invitation. Return the journal entry of the team if the team is new, and add its name."""
    if role not in ROLES:
        raise ArenaError(f"The role is {shortened(role)}. It must be one of {', '.join(ROLES)}.")
    if (role == "member") != bool(team):
        raise ArenaError("A member needs a team." if role == "member" else f"The role {role} has no team.")
    if name and not NAME.accepts(name):
        raise ArenaError(f"The name is {shortened(name)}. It must be {NAME.description}.")
    if not team:
        return []
    if not NAME.accepts(team):
        raise ArenaError(f"The name of the team is {shortened(team)}. It must be {NAME.description}.")
    found = looks(team)
    clash = next((names[look] for look in found if look in names), "")
    if clash == team:
        return []
    if clash:
        raise ArenaError(f"The name of the team {team} looks like {clash}, which exists.", hint="Choose another name.")
    names |= dict.fromkeys(found, team)
    return [("team", team, {"at": now()})]


def invite(season: Season, team: str, name: str, role: str, by: str, days: float = VALID_DAYS) -> str:
    with season.lock:
        written = _check_person(_names(season), team, name, role)
        token, invitation = _invitation(team, name, role, by, days)
        season.write(*written, invitation)
        return token


def _invitation(team: str, name: str, role: str, by: str, days: float) -> tuple[str, Written]:
    token = new_token("invite")
    expires = (utc() + timedelta(days=days)).isoformat(timespec="seconds")
    document = {"team": team, "name": name, "role": role, "expires": expires, "by": by, "at": now()}
    return token, ("invite", hash_of(token), document)


def invite_all(season: Season, text: str, by: str) -> list[tuple[str, str, str]]:
    """Invite the people in a CSV text with the columns team and member, and optionally role.

    The columns are separated by commas, or by semicolons or tabs, as spreadsheets write them.

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
    invited: list[tuple[str, str, str]] = []
    teams: list[Written] = []
    invitations: list[Written] = []
    with season.lock:
        names = _names(season)
        for number, (team, name, role) in enumerate(map(_person, rows), 2):
            try:
                teams += _check_person(names, team, name, role)
            except ArenaError as error:
                defects.append(f"Line {number}: {error.message}")
                continue
            token, invitation = _invitation(team, name, role, by, VALID_DAYS)
            invited.append((team, name, token))
            invitations.append(invitation)
        if defects:
            raise ArenaError("\n".join(defects), hint="Nobody was invited.")
        season.write(*teams, *invitations)
    return invited


def _delimiter(text: str) -> str:
    first = text.lstrip("\ufeff").partition("\n")[0]
    return max(",;\t", key=first.count)  # a comma if there is none


def _person(row: Mapping[str, str | None]) -> tuple[str, str, str]:
    team, name = (row.get("team") or "").strip(), (row.get("member") or "").strip()
    return team, name, (row.get("role") or "").strip() or ("member" if team else "spectator")


def invitation_of(season: Season, token: str) -> Invitation:
    found = season.state.invitations.get(hash_of(token))
    if found is None or utc() > time_of(found.expires):
        raise DeniedError("This invitation was used, or is too old.", hint="Ask the organizer for a new one.")
    return found


def join(season: Season, token: str, name: str) -> tuple[Member, str]:
    with season.lock:
        invitation = invitation_of(season, token)
        name = invitation.name or name.strip()
        if not NAME.accepts(name):
            raise ArenaError(f"The name is {shortened(name)}. It must be {NAME.description}.")
        member, fresh = secrets.token_hex(6), new_token()
        document = {"name": name, "team": invitation.team, "role": invitation.role, "invitation": invitation.hash}
        season.write(
            ("member", member, document | {"at": now()}), ("token", hash_of(fresh), {"member": member, "at": now()})
        )
        return season.state.members[member], fresh


def renew(season: Season, member: str) -> str:
    """Revoke all tokens of a member, which ends the member's sessions, and return a new token."""
    fresh = new_token()
    season.write(("revoke", member, {"at": now()}), ("token", hash_of(fresh), {"member": member, "at": now()}))
    return fresh


def change_picture(season: Season, member: Member, data: bytes) -> None:
    """Show a PNG file in place of the sign of a member's team, or the sign again if `data` is empty."""
    png = rewritten(data) if data else b""
    with season.lock:
        if member.team in season.state.orders.unpictured:
            raise ArenaError("An organizer has removed the picture of this team.", hint="Ask the organizer.")
        document = {"png": base64.b64encode(png).decode(), "by": member.name, "at": now()}
        season.write(("picture", member.team, document))


def revoke(season: Season, key: str) -> None:
    """Revoke all tokens of the member with the id `key`, or the invitation with the hash `key`."""
    season.write(("revoke", key, {"at": now()}))


def member_of_token(season: Season, token: str) -> tuple[Member, str]:
    """Return the owner of a token, and the token's hash."""
    found = season.state.tokens.get(hash_of(token))
    if found is None:
        raise DeniedError("This token is not valid.", hint="Copy the whole link, or ask the organizer for a new one.")
    return season.state.members[found], hash_of(token)


def new_session(season: Season, token_hash: str) -> str:
    expires, nonce = str(int(time.time()) + SESSION_SECONDS), secrets.token_hex(16)
    parts = (token_hash, expires, nonce)
    return ".".join((*parts, signed(season.state.secret, "session", *parts)))


def session_of(season: Season, cookie: str) -> SignedIn | None:
    """Return the session whose id is in a cookie, or None if the session is not valid."""
    state = season.state
    *parts, signature = cookie.split(".")
    if len(parts) != 3 or not is_same(signed(state.secret, "session", *parts), signature):
        return None
    token_hash, expires, nonce = parts
    member = state.tokens.get(token_hash)
    if member is None or nonce in state.signed_out or time.time() > int(expires):
        return None
    return SignedIn(state.members[member], nonce, signed(state.secret, "csrf", nonce))


def sign_out(season: Season, session: SignedIn) -> None:
    season.write(("sign_out", session.nonce, {"at": now()}))


def first_organizer(season: Season) -> str | None:
    """Invite the first organizer, and return the token of the invitation; None if there is an organizer."""
    with season.lock:
        known: Sequence[Member | Invitation] = [*season.state.members.values()]
        if any(one.role == "organizer" for one in known):
            return None
        return invite(season, "", "", "organizer", "arena season serve")
