"""The tokens with which owners read the logs of their bots."""

import json
from collections.abc import Iterable
from pathlib import Path

from arena.errors import ArenaError, ExitCode
from arena.journal.files import disk_errors, private_files
from arena.matches.folders import write_json
from arena.text.tokens import hash_of, is_same, new_token

FILE = "tokens.json"


def new_tokens(
    folder: Path, names: Iterable[str], renew: Iterable[str] = (), revoke: Iterable[str] = ()
) -> dict[str, str]:
    """Make tokens for bots without a token, and for bots whose token is to be renewed.

    Args:
        revoke: Bots whose token becomes invalid. These bots get no new token until a later call names them in `renew`.

    Returns:
        The new tokens by the names of the bots. Show them now: only their hashes are stored.
    """
    names, renew, revoke = list(names), set(renew), set(revoke)
    if unknown := sorted((renew | revoke).difference(names)):
        raise ArenaError(
            f"No bot of the tournament is called {', '.join(unknown)}.", hint=f"There are {', '.join(names)}."
        )
    known = _hashes(folder) | dict.fromkeys(revoke, "")
    fresh = {name: new_token() for name in names if name in renew or name not in known}
    if fresh or revoke:
        with private_files(), disk_errors(folder):
            write_json(folder / FILE, known | {name: hash_of(token) for name, token in fresh.items()})
    return fresh


def is_owner(folder: Path, name: str, token: str) -> bool:
    return is_same(_hashes(folder).get(name, ""), hash_of(token))


def _hashes(folder: Path) -> dict[str, str]:
    path = folder / FILE
    with disk_errors(path):
        if not path.exists():
            return {}
        text = path.read_bytes()
    try:
        found: dict[str, str] = json.loads(text)
        if all(type(value) is str for value in found.values()):
            return found
    except (ValueError, AttributeError):
        pass
    raise ArenaError(
        f"{path} is damaged.",
        hint="Remove it, and make new tokens with `arena tournament tokens`.",
        exit_code=ExitCode.DAMAGED_JOURNAL,
    )
