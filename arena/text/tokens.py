"""Tokens: random texts that prove who somebody is. They are shown once, and only their hashes are stored."""

import hashlib
import hmac
import secrets


def new_token(kind: str = "arena") -> str:
    """Return a random token that begins with its kind. It has 192 random bits, which nobody guesses."""
    return f"{kind}-{secrets.token_urlsafe(24)}"


def hash_of(token: str) -> str:
    """Return the hash to store for a token. With so many random bits, a fast hash is safe."""
    return hashlib.sha256(token.encode()).hexdigest()


def is_same(secret: str, given: str) -> bool:
    """Return whether two texts are equal. The time that it takes does not tell where they differ."""
    return hmac.compare_digest(secret.encode(), given.encode())
