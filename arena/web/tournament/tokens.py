"""Tokens with which the owners of bots see the logs: random, shown once, stored as hashes."""

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable
from pathlib import Path

from arena.errors import ArenaError
from arena.tournament.run.journal.files import disk_errors, private_files
from arena.tournament.run.organizer import write_json

FILE = "tokens.json"


def new_tokens(folder: Path, names: Iterable[str], renew: Iterable[str] = ()) -> dict[str, str]:
    """Make tokens for the bots that have none, and for those whose token is to be renewed.

    Args:
        folder: The tournament's folder.
        names: The bots of the tournament.
        renew: Bots whose token is to be replaced; the old one is worth nothing any more.

    Returns:
        The new tokens by the names of the bots. They cannot be read again.

    Raises:
        ArenaError: There is no bot of a name, or the tokens cannot be stored.
    """
    names, renew = list(names), set(renew)
    if unknown := sorted(renew.difference(names)):
        raise ArenaError(
            f"No bot of the tournament is called {', '.join(unknown)}.", hint=f"There are {', '.join(names)}."
        )
    known = _hashes(folder)
    fresh = {name: secrets.token_urlsafe(24) for name in names if name in renew or name not in known}
    if fresh:
        with private_files():
            write_json(folder / FILE, known | {name: _hash(token) for name, token in fresh.items()})
    return fresh


def is_owner(folder: Path, name: str, token: str) -> bool:
    """Return whether a token is the present one of a bot."""
    return hmac.compare_digest(_hashes(folder).get(name, ""), _hash(token))


def _hashes(folder: Path) -> dict[str, str]:
    path = folder / FILE
    with disk_errors(path):
        if not path.exists():
            return {}
        found: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
        return found


def _hash(token: str) -> str:
    """Return what is stored. The token has 192 random bits, so that nothing slower is needed."""
    return hashlib.sha256(token.encode()).hexdigest()
