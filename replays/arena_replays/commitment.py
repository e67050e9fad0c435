"""The seed of a match. The header of its replay commits to the seed; only the footer reveals it.

A growing file holds the commitment alone. So nobody who reads it can foresee a draw, and nobody who wrote it can choose
another seed later. The random salt keeps a small seed from being found by trying.
"""

from __future__ import annotations

import hashlib
import secrets

from arena_replays.documents import Footer, Header


def new_salt() -> str:
    """Return a random salt of 256 bits, hexadecimal."""
    return secrets.token_hex(32)


def commitment(seed: int | str | None, salt: str) -> str:
    """Return the SHA-256 of ``SALT/SEED``, hexadecimal."""
    return hashlib.sha256(f"{salt}/{seed}".encode("utf-8", "surrogatepass")).hexdigest()


def wrong_seed(header: Header, footer: Footer) -> bool:
    """Return whether the footer reveals another seed than the one to which the header commits."""
    if "seed" not in footer:
        return False
    return header.get("commitment") != commitment(footer["seed"], footer.get("salt", ""))
